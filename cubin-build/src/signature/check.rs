//! Checks signatures against what the cubins record: the same kernels, the same number of parameters, and each
//! parameter's size and offset; and one target's signatures against another's.
//!
//! A finding is data; the kernel concerned is also refused, so that no wrapper is made from a type that the
//! cubin contradicts. Rendering and severity are for others.

use std::collections::{BTreeMap, HashMap};

use cubin_core::{Function, Params, Sm};

use super::layout::align_up;
use super::model::{
    Enum, EnumId, Field, Kernel, Param, Pointer, Record, RecordId, Refusal, Signatures, Type,
};

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
        /// By the C++ types.
        expected: usize,
        /// In the cubin.
        actual: usize,
    },
    /// The size of a parameter differs.
    Size {
        /// Which.
        param: ParamRef,
        /// By the C++ type.
        expected: u64,
        /// In the cubin.
        actual: u64,
    },
    /// The offset of a parameter from the start of the parameter block differs.
    Offset {
        /// Which.
        param: ParamRef,
        /// By the C++ types and the address of the block.
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
                "has {expected} parameters by its C++ type, {actual} in the cubin"
            ),
            Self::Size {
                param,
                expected,
                actual,
            } => write!(
                f,
                "{param} has {expected} bytes by its C++ type, {actual} in the cubin"
            ),
            Self::Offset {
                param,
                expected,
                actual,
            } => write!(
                f,
                "{param} lies at byte {expected} by the C++ types, at {actual} in the cubin"
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
/// each kernel that differs. Functions that are no kernels are ignored. Findings come in the order of the
/// signatures, then those of kernels that only the cubin has.
///
/// Offsets in a cubin count from the start of the parameter block, but the *address* is what is aligned, and the
/// block starts at an odd place (0x210 on sm_90): `offset = align_up(base + end, align) - base`.
#[must_use]
pub fn check(signatures: &mut Signatures, functions: &[Function<'_>], target: Sm) -> Vec<Finding> {
    let mut by_symbol: HashMap<&str, &Function<'_>> = functions
        .iter()
        .filter(|function| function.kernel)
        .map(|function| (function.symbol, function))
        .collect();
    let mut findings = Vec::new();
    for kernel in &mut signatures.kernels {
        let problem = match by_symbol.remove(kernel.symbol.as_str()) {
            None => Some(Problem::NotInCubin),
            Some(function) => compare(kernel, &function.params),
        };
        let Some(problem) = problem else { continue };
        refuse(kernel, &problem);
        findings.push(Finding {
            target,
            symbol: kernel.symbol.clone(),
            kernel: kernel.name.clone(),
            problem,
        });
    }
    for function in functions {
        if by_symbol.remove(function.symbol).is_some() {
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
fn compare(kernel: &Kernel, recorded: &Params) -> Option<Problem> {
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

fn refuse(kernel: &mut Kernel, problem: &Problem) {
    if kernel.refusal.is_some() {
        return;
    }
    let param = match problem {
        Problem::Size { param, .. } | Problem::Offset { param, .. } => {
            Some((param.ordinal, param.name.clone()))
        }
        _ => None,
    };
    let help = param.is_some().then(|| super::LAYOUT_HELP.to_owned());
    kernel.refusal = Some(Refusal {
        param,
        reason: problem.to_string(),
        help,
    });
}

/// One set of signatures for all targets of a source: a kernel may exist on some of them only, but where it exists
/// its parameters must be the same (names may differ; offsets do, and are not compared). Kernels keep the order of
/// the first target, later ones follow. A kernel that differs is refused.
#[must_use]
pub fn same_on_every_target(targets: &[(Sm, Signatures)]) -> (Signatures, Vec<Finding>) {
    let mut merged = Merged::default();
    let mut findings = Vec::new();
    let mut seen: BTreeMap<String, (usize, Sm)> = BTreeMap::new();
    for (target, signatures) in targets {
        let mut import = Import {
            from: signatures,
            records: HashMap::new(),
            enums: HashMap::new(),
        };
        for kernel in &signatures.kernels {
            let mut kernel = kernel.clone();
            for param in &mut kernel.params {
                param.ty = import.ty(&mut merged, &param.ty);
            }
            // The hash in an anonymous namespace's symbol is the file's, not the target's.
            let Some((index, first)) = seen.get(&kernel.symbol).copied() else {
                seen.insert(kernel.symbol.clone(), (merged.all.kernels.len(), *target));
                merged.all.kernels.push(kernel);
                continue;
            };
            let Some(known) = merged.all.kernels.get_mut(index) else {
                continue;
            };
            if same_params(known, &kernel) {
                if known.refusal.is_none() {
                    known.refusal = kernel.refusal;
                }
                continue;
            }
            let problem = Problem::Differs {
                other: first,
                expected: describe(known),
                actual: describe(&kernel),
            };
            refuse(known, &problem);
            findings.push(Finding {
                target: *target,
                symbol: kernel.symbol,
                kernel: kernel.name,
                problem,
            });
        }
        for global in &signatures.globals {
            if merged
                .all
                .globals
                .iter()
                .any(|known| known.symbol == global.symbol)
            {
                continue;
            }
            let mut global = global.clone();
            global.ty = global.ty.as_ref().map(|ty| import.ty(&mut merged, ty));
            merged.all.globals.push(global);
        }
    }
    (merged.all, findings)
}

fn same_params(a: &Kernel, b: &Kernel) -> bool {
    // A refused parameter has no type to compare.
    if a.refusal.is_some() || b.refusal.is_some() {
        return true;
    }
    a.params.len() == b.params.len()
        && a.params
            .iter()
            .zip(&b.params)
            .all(|(a, b)| (&a.ty, a.size, a.align) == (&b.ty, b.size, b.align))
}

fn describe(kernel: &Kernel) -> String {
    let params: Vec<String> = kernel
        .params
        .iter()
        .map(|param| format!("{} /* {} bytes */", param.c_type, param.size))
        .collect();
    format!("{}({})", kernel.name, params.join(", "))
}

/// Signatures under construction; records and enums that are equal are one.
#[derive(Default)]
struct Merged {
    all: Signatures,
    records: HashMap<String, Vec<RecordId>>,
}

/// Carries the types of one target over.
struct Import<'s> {
    from: &'s Signatures,
    records: HashMap<RecordId, RecordId>,
    enums: HashMap<EnumId, EnumId>,
}

impl Import<'_> {
    fn ty(&mut self, merged: &mut Merged, ty: &Type) -> Type {
        match ty {
            Type::Pointer(pointer) => Type::Pointer(Pointer {
                pointee: Box::new(self.ty(merged, &pointer.pointee)),
                ..pointer.clone()
            }),
            Type::Array(of, count) => Type::Array(Box::new(self.ty(merged, of)), *count),
            Type::Record(id) => Type::Record(self.record(merged, *id)),
            Type::Enum(id) => Type::Enum(self.enumeration(merged, *id)),
            other => other.clone(),
        }
    }

    fn enumeration(&mut self, merged: &mut Merged, id: EnumId) -> EnumId {
        if let Some(known) = self.enums.get(&id) {
            return *known;
        }
        let Some(found) = self.from.enums.get(id.0) else {
            return id;
        };
        let same = |known: &Enum| {
            (&known.name, known.repr, &known.values) == (&found.name, found.repr, &found.values)
        };
        let new = match merged.all.enums.iter().position(same) {
            Some(index) => EnumId(index),
            None => {
                merged.all.enums.push(found.clone());
                EnumId(merged.all.enums.len() - 1)
            }
        };
        self.enums.insert(id, new);
        new
    }

    /// Records may point to themselves, so equality is by shape: the same name, size and members, with types compared
    /// as text. Nested records are compared when they are carried over themselves.
    fn record(&mut self, merged: &mut Merged, id: RecordId) -> RecordId {
        if let Some(known) = self.records.get(&id) {
            return *known;
        }
        let Some(found) = self.from.records.get(id.0) else {
            return id;
        };
        let candidates = merged.records.get(&found.name).cloned().unwrap_or_default();
        let same = candidates.into_iter().find(|known| {
            merged
                .all
                .records
                .get(known.0)
                .is_some_and(|known| same_shape(known, found))
        });
        if let Some(known) = same {
            self.records.insert(id, known);
            // Members may still differ deeper down; visiting them finds or adds those.
            return known;
        }
        let new = RecordId(merged.all.records.len());
        merged.all.records.push(Record {
            fields: Vec::new(),
            ..found.clone()
        });
        merged
            .records
            .entry(found.name.clone())
            .or_default()
            .push(new);
        self.records.insert(id, new);
        let fields: Vec<Field> = found
            .fields
            .iter()
            .map(|field| Field {
                ty: self.ty(merged, &field.ty),
                ..field.clone()
            })
            .collect();
        if let Some(record) = merged.all.records.get_mut(new.0) {
            record.fields = fields;
        }
        new
    }
}

fn same_shape(a: &Record, b: &Record) -> bool {
    let shape = |record: &Record| {
        let fields: Vec<_> = record
            .fields
            .iter()
            .map(|field| {
                (
                    field.name.clone(),
                    field.c_type.clone(),
                    field.offset,
                    field.size,
                    field.bits,
                )
            })
            .collect();
        (
            record.is_union,
            record.size,
            record.align,
            record.packed,
            fields,
        )
    };
    shape(a) == shape(b)
}
