//! Checks signatures against what the cubins record: the same kernels, the same number of parameters, and each
//! parameter's size and offset.
//!
//! A finding is data; the kernel concerned is also refused, so that no wrapper is made from a type that the
//! cubin contradicts. Rendering and severity are for others.

use cubin_core::{Function, Params, Sm};

use super::guard::{LAYOUT_HELP, withdraw};
use super::layout::align_up;
use super::model::{Kernel, Param, Refusal, Signatures, Type};
use crate::sorted::{Map, Set};
use crate::words::counted;

/// Something that the sources of a kernel's signature do not agree on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Target whose cubin, or whose front-end files, showed it.
    pub target: Sm,
    /// Device symbol of the kernel.
    pub symbol: String,
    /// Qualified C++ name; the symbol when only the cubin knows the kernel.
    pub kernel: String,
    /// What is wrong.
    pub problem: Problem,
}

impl Finding {
    /// Whether the cubin has other kernels than the compiler's files name.
    pub(crate) fn of_kernel_set(&self) -> bool {
        matches!(self.problem, Problem::NotInCubin | Problem::NotRegistered)
    }
}

/// What [`Finding`] is about. Sizes and offsets are in bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// The stub registers a kernel that the cubin does not have.
    NotInCubin,
    /// The cubin has a kernel that the stub does not register.
    NotRegistered,
    /// The cubin records no parameters to check against.
    NotRecorded,
    /// The number of parameters differs.
    Count {
        /// By the declaration.
        expected: usize,
        /// In the cubin.
        actual: usize,
    },
    /// The size of a parameter differs.
    Size {
        /// Which.
        param: ParamRef,
        /// By the type.
        expected: u64,
        /// In the cubin.
        actual: u64,
    },
    /// The offset of a parameter from the start of the parameter block differs.
    Offset {
        /// Which.
        param: ParamRef,
        /// By the declaration and the address of the block.
        expected: u64,
        /// In the cubin.
        actual: u64,
    },
    /// The signature differs from that on another target.
    Differs {
        /// The target it was compared with.
        other: Sm,
        /// The signature there.
        expected: String,
        /// The signature here.
        actual: String,
    },
}

/// Names a parameter in a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParamRef {
    /// Position, from 0.
    pub ordinal: usize,
    /// Name in the source.
    pub name: Option<String>,
    /// The type as C++ text.
    pub c_type: String,
}

impl ParamRef {
    fn new(ordinal: usize, param: &Param) -> Self {
        Self {
            ordinal,
            name: param.name.clone(),
            c_type: param.c_type.clone(),
        }
    }
}

impl std::fmt::Display for ParamRef {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "parameter {}", self.ordinal)?;
        if let Some(name) = &self.name {
            write!(f, " `{name}`")?;
        }
        write!(f, " of type `{}`", self.c_type)
    }
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::NotInCubin => write!(f, "is registered by the host code but not in the cubin"),
            Self::NotRegistered => {
                write!(f, "is in the cubin but not registered by the host code")
            }
            Self::NotRecorded => write!(f, "has no parameter records in the cubin"),
            Self::Count { expected, actual } => write!(
                f,
                "has {expected} parameters by its declaration, {actual} in the cubin"
            ),
            Self::Size {
                param,
                expected,
                actual,
            } => write!(
                f,
                "{param} has {} by its type, {actual} in the cubin",
                counted(*expected, "byte")
            ),
            Self::Offset {
                param,
                expected,
                actual,
            } => write!(
                f,
                "{param} lies at byte {expected} by its declaration, at {actual} in the cubin"
            ),
            Self::Differs {
                other,
                expected,
                actual,
            } => write!(f, "is `{actual}` here, but `{expected}` on {other}"),
        }
    }
}

/// Compares signatures with the kernels of the cubin made from the same translation unit for `target`, and refuses
/// each kernel that differs. Functions that are not kernels are ignored. Findings come in the order of the
/// signatures, then those of kernels that only the cubin has.
///
/// Offsets in a cubin count from the start of the parameter block, but the *address* is what is aligned, and the
/// block starts at an odd place (0x210 on sm_90): `offset = align_up(base + end, align) - base`.
#[must_use]
pub fn check(signatures: &mut Signatures, functions: &[Function<'_>], target: Sm) -> Vec<Finding> {
    // With whether a signature was compared with it.
    let mut by_symbol: Map<&str, (&Function<'_>, bool)> = Map::new();
    for function in functions.iter().filter(|function| function.kernel) {
        by_symbol.insert(function.symbol, (function, false));
    }
    let mut findings = Vec::new();
    let mut wrong = Set::new();
    for kernel in &mut signatures.kernels {
        let problem = match by_symbol.get_mut(kernel.symbol.as_str()) {
            Some((function, compared @ false)) => {
                *compared = true;
                compare(kernel, &function.params)
            }
            _ => Some(Problem::NotInCubin),
        };
        let Some(problem) = problem else { continue };
        refuse(kernel, &problem);
        if let Problem::Size { param, .. } = &problem
            && let Some(Type::Record(id)) = kernel.params.get(param.ordinal).map(|param| &param.ty)
        {
            wrong.insert(*id);
        }
        findings.push(Finding {
            target,
            symbol: kernel.symbol.clone(),
            kernel: kernel.name.clone(),
            problem,
        });
    }
    withdraw(
        signatures,
        &wrong,
        "has another size in the cubin than by its printed members",
        LAYOUT_HELP,
    );
    for function in functions {
        if let Some((_, compared @ false)) = by_symbol.get_mut(function.symbol) {
            *compared = true;
            findings.push(Finding {
                target,
                symbol: function.symbol.to_owned(),
                kernel: function.symbol.to_owned(),
                problem: Problem::NotRegistered,
            });
        }
    }
    findings
}

/// The first difference. A kernel already refused is compared as far as it is known.
pub(super) fn compare(kernel: &Kernel, recorded: &Params) -> Option<Problem> {
    let (base, params) = match recorded {
        Params::NotRecorded => return Some(Problem::NotRecorded),
        Params::Recorded { base, params, .. } => (u64::from(*base), params),
    };
    if kernel.refusal.is_some() {
        return None;
    }
    if kernel.params.len() != params.len() {
        return Some(Problem::Count {
            expected: kernel.params.len(),
            actual: params.len(),
        });
    }
    let mut end = base;
    for (ordinal, (param, recorded)) in kernel.params.iter().zip(params).enumerate() {
        let (size, offset) = (u64::from(recorded.size), u64::from(recorded.offset));
        if param.size != size {
            return Some(Problem::Size {
                param: ParamRef::new(ordinal, param),
                expected: param.size,
                actual: size,
            });
        }
        let address = align_up(end, param.align);
        if address - base != offset {
            return Some(Problem::Offset {
                param: ParamRef::new(ordinal, param),
                expected: address - base,
                actual: offset,
            });
        }
        end = address.saturating_add(size);
    }
    None
}

/// Refuses a kernel for a problem, unless it is refused already.
pub(super) fn refuse(kernel: &mut Kernel, problem: &Problem) {
    if kernel.refusal.is_some() {
        return;
    }
    let param = match problem {
        Problem::Size { param, .. } | Problem::Offset { param, .. } => {
            Some((param.ordinal, param.name.clone()))
        }
        _ => None,
    };
    let help = param.is_some().then(|| LAYOUT_HELP.to_owned());
    kernel.refusal = Some(Refusal {
        param,
        reason: problem.to_string(),
        help,
    });
}
