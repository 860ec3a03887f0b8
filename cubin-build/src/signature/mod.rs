//! Kernel signatures from the files that nvcc leaves beside the PTX.
//!
//! `X.cudafe1.stub.c` has every kernel's exact C++ types, qualified name, symbol and launch bound;
//! `X.cudafe1.gpu` has parameter names and the definitions of records and enums. [`read`] brings both together
//! into [`model::Signatures`]; [`check()`] compares that with what the cubin itself records of each
//! parameter. What cannot be known exactly becomes a [`model::Refusal`] on the kernel, never a guess.

pub(crate) mod abi;
mod aliases;
mod bytes;
pub mod check;
mod ctype;
mod declarator;
pub mod declared;
pub mod diags;
mod doubt;
mod error;
mod gpu;
pub mod guard;
mod header_types;
#[cfg(feature = "library")]
pub mod host;
mod layout;
mod lexer;
mod mangled;
mod merge;
pub mod model;
mod names;
mod parser;
pub mod probe;
mod records;
mod resolve;
mod specifiers;
pub(crate) mod store;
mod stub;
mod tables;
mod tags;
pub mod typed;
mod unknown;
mod variables;
mod written;

use crate::sorted::{self, Map, Set};
use crate::{lists::CollectVec, paths::normalize};
use std::io::Read;
use std::path::{Path, PathBuf};

pub use check::{Finding, Problem, check};
use doubt::Doubt;
pub use error::{Error, SideFile};
pub(crate) use guard::LAYOUT_HELP;
pub use guard::guard;
pub use merge::{is_internal, linked, same_on_every_target};
use model::{Global, Kernel, Param, RecordId, Refusal, Signatures, Space, Type};
pub(crate) use names::integer;
pub use probe::{Answers, Questions};
use resolve::Resolver;
pub use variables::{VariableFinding, VariableProblem, check_variables};
pub use written::{Declared, SourceFacts, Word, scan_preprocessed, scan_source};

/// The qualified C++ name that a mangled symbol stands for, without parameters. `None` when it is not mangled or not
/// understood.
#[must_use]
pub fn cxx_name(symbol: &str) -> Option<String> {
    mangled::name(symbol).map(|name| name.text)
}

/// A function with its parameter types, `ns::helper(float, int *)`, by its mangled symbol. As [`cxx_name`].
#[must_use]
pub fn cxx_function(symbol: &str) -> Option<String> {
    let name = cxx_name(symbol)?;
    let types = mangled::parameters(symbol)?;
    let types = types.iter().map(|ty| ctype::spell(ty, &names::readable));
    let types: Vec<String> = types.collect_vec();
    Some(format!("{name}({})", types.join(", ")))
}

/// Reads the signatures of one translation unit for one target.
///
/// `stub` is the text of `X.cudafe1.stub.c`, `gpu` that of `X.cudafe1.gpu` (read once, in pieces). Kernels and
/// variables defined in a file below one of `toolkit_includes` are marked or left out.
///
/// # Errors
/// When a file cannot be read, ends inside a body, or registers kernels in an unknown shape.
pub fn read(
    stub: &[u8],
    gpu: impl Read,
    toolkit_includes: &[PathBuf],
) -> Result<Signatures, Error> {
    let reading = Reading::new(stub, gpu, toolkit_includes, &Answers::default(), |_| {
        Set::new()
    })?;
    Ok(reading.signatures)
}

/// What [`read`] yields, and what is left to ask the compiler.
#[derive(Debug, Clone)]
pub struct Reading {
    /// As [`read`] yields them.
    pub signatures: Signatures,
    /// What would lift a refusal.
    pub questions: Questions,
    /// What came of asking, by the symbols of kernels for which it did not help.
    pub remarks: Map<String, String>,
}

impl Reading {
    /// As [`read`], with what the compiler has answered to the questions of an earlier reading.
    ///
    /// The files alone do not show that a kernel's last parameter is larger than its printed members. Where there is
    /// something to ask, `contradicted` gives the symbols of kernels whose cubin says so.
    ///
    /// # Errors
    /// As [`read`].
    pub fn new(
        stub: &[u8],
        mut gpu: impl Read,
        toolkit_includes: &[PathBuf],
        answers: &Answers,
        contradicted: impl FnOnce(&Signatures) -> Set<String>,
    ) -> Result<Self, Error> {
        let stub = stub::read(stub)?;
        let unit = gpu::read(&mut gpu).map_err(|error| Error {
            file: SideFile::Gpu,
            line: error.line,
            message: error.message,
        })?;
        let mut resolver = Resolver::new(&unit, &stub, answers);
        let (signatures, doubts) = signatures(&mut resolver, &unit, &stub, toolkit_includes);
        let contradicted = if doubts.iter().all(|doubt| doubt.refused) {
            Set::new()
        } else {
            contradicted(&signatures)
        };
        let tags: Vec<&String> = doubts
            .iter()
            .filter(|doubt| doubt.refused || contradicted.contains(&doubt.symbol))
            .flat_map(|doubt| &doubt.tags)
            .filter(|tag| !answers.tried(tag))
            .collect_vec();
        let (questions, unaskable) = doubt::questions(&resolver, &tags);
        let mut tried = answers.clone();
        tried.extend(unaskable);
        let remarks = doubts
            .iter()
            .filter_map(|doubt| Some((doubt.symbol.clone(), tried.remark(&doubt.tags)?)))
            .collect();
        Ok(Self {
            signatures,
            questions,
            remarks,
        })
    }
}

fn signatures(
    resolver: &mut Resolver<'_>,
    unit: &gpu::Unit,
    stub: &stub::Stub,
    toolkit_includes: &[PathBuf],
) -> (Signatures, Vec<Doubt>) {
    let toolkit: Vec<PathBuf> = toolkit_includes
        .iter()
        .map(|path| normalize(path))
        .filter(|path| path.components().next().is_some())
        .collect_vec();
    let in_toolkit = |path: &Path| {
        let path = normalize(path);
        toolkit.iter().any(|dir| path.starts_with(dir))
    };
    let mut kernels = Vec::with_capacity(stub.entries.len());
    let mut doubts = Vec::new();
    let mut wrong = Set::new();
    for entry in &stub.entries {
        let (mut kernel, open) = kernel(resolver, unit, entry);
        if kernel.refusal.is_none()
            && let Some((refusal, record)) = host_offsets(&kernel, &entry.offsets)
        {
            kernel.refusal = Some(refusal);
            wrong.extend(record);
        }
        kernel.in_toolkit_header = kernel
            .definition
            .as_ref()
            .is_some_and(|definition| in_toolkit(&definition.file));
        if !kernel.in_toolkit_header && !open.is_empty() {
            doubts.push(Doubt {
                symbol: kernel.symbol.clone(),
                refused: kernel.refusal.is_some(),
                tags: open,
            });
        }
        kernels.push(kernel);
    }
    in_source_order(&mut kernels);
    let mut globals = Vec::new();
    for variable in &stub.variables {
        let printed = unit.variables.get(&variable.symbol);
        let definition = printed.and_then(|(_, place)| resolver.definition(*place));
        if definition.is_some_and(|definition| in_toolkit(&definition.file)) {
            continue;
        }
        globals.push(global(resolver, variable, printed.map(|(ty, _)| ty)));
    }
    let mut signatures = Signatures {
        kernels,
        records: std::mem::take(&mut resolver.records),
        enums: std::mem::take(&mut resolver.enums),
        globals,
    };
    guard::withdraw(
        &mut signatures,
        &wrong,
        "is laid out otherwise by nvcc's host code than its printed members say",
        LAYOUT_HELP,
    );
    (merge::compact(&signatures), doubts)
}

/// The stub registers template instances after the rest; their definitions may stand before it.
fn in_source_order(kernels: &mut [Kernel]) {
    let mut files: Map<PathBuf, usize> = Map::new();
    for kernel in kernels.iter() {
        if let Some(definition) = &kernel.definition {
            let rank = files.len();
            files.or_insert_with(definition.file.clone(), || rank);
        }
    }
    sorted::sort_by_key(kernels, |kernel| match &kernel.definition {
        Some(definition) => (
            files.get(&definition.file).copied().unwrap_or(usize::MAX),
            definition.line,
        ),
        None => (usize::MAX, u32::MAX),
    });
}

/// A kernel, and the records in its parameters that the files leave open; none when it is refused for another reason.
fn kernel(
    resolver: &mut Resolver<'_>,
    unit: &gpu::Unit,
    entry: &stub::Registered,
) -> (Kernel, Vec<String>) {
    let name = names::split(&entry.name, &|name, number| {
        resolver.enumerator(name, number)
    });
    let mut kernel = Kernel {
        symbol: entry.symbol.clone(),
        name: name.name,
        namespaces: name.namespaces,
        base_name: name.base,
        template_args: name.template_args,
        params: Vec::with_capacity(entry.params.len()),
        max_threads: entry.max_threads,
        definition: None,
        entry: None,
        in_toolkit_header: false,
        refusal: None,
    };
    let Some(printed) = unit.kernels.get(&entry.symbol) else {
        let skipped = unit.skipped.first().map(|(line, message)| {
            format!("line {line} of that file was not understood: {message}")
        });
        kernel.refusal = Some(Refusal {
            param: None,
            reason: "its definition was not found in nvcc's .cudafe1.gpu file".into(),
            help: skipped,
        });
        return (kernel, Vec::new());
    };
    kernel.definition = resolver.definition(printed.place);
    if printed.params.len() != entry.params.len() {
        kernel.refusal = Some(Refusal {
            param: None,
            reason: format!(
                "nvcc's files disagree: {} parameters in the stub, {} in the .gpu file",
                entry.params.len(),
                printed.params.len()
            ),
            help: None,
        });
        return (kernel, Vec::new());
    }
    let mut open = Vec::new();
    let mut seen = Set::new();
    let mut hopeless = false;
    let mangled = entry
        .mangled
        .as_deref()
        .and_then(mangled::parameters)
        .filter(|mangled| mangled.len() == entry.params.len());
    for (ordinal, (exact, printed)) in entry.params.iter().zip(&printed.params).enumerate() {
        let (name, pack) = param_name(printed.name.as_deref());
        let is_member_pointer = mangled
            .as_ref()
            .and_then(|types| types.get(ordinal))
            .is_some_and(|ty| {
                matches!(&ty.kind, ctype::CType::Named(name) if name == mangled::MEMBER_POINTER)
            });
        let c_type = resolver.text(&exact.ty);
        let found = if is_member_pointer {
            Err(resolve::member_pointer())
        } else {
            resolver.parameter(&exact.ty, &printed.ty)
        };
        let (ty, size, align, reason) = match found {
            Ok(found) => (found.ty, found.size, found.align, found.doubt),
            Err(reason) => (Type::Opaque(names::readable(&c_type)), 0, 1, Some(reason)),
        };
        hopeless |= reason.as_ref().is_some_and(|reason| !reason.askable);
        doubt::in_doubt(resolver, &printed.ty, &mut seen, &mut open);
        if let (Some(reason), None) = (reason, &kernel.refusal) {
            kernel.refusal = Some(reason.refusal(Some((ordinal, name.clone()))));
        }
        kernel.params.push(Param {
            name,
            ty,
            c_type,
            size,
            align,
            pack,
        });
    }
    if hopeless {
        open.clear();
    }
    (kernel, open)
}

/// The front end has computed the offsets at which the host passes arguments: a second opinion on every size.
/// Gives the refusal and the record at fault.
fn host_offsets(kernel: &Kernel, offsets: &[u64]) -> Option<(Refusal, Option<RecordId>)> {
    if offsets.len() != kernel.params.len() {
        return None;
    }
    let mut end = 0;
    let mut before: Option<(usize, &Param)> = None;
    for (ordinal, (param, offset)) in kernel.params.iter().zip(offsets).enumerate() {
        let expected = layout::align_up(end, param.align);
        if expected != *offset {
            // Either this one's alignment or the size of the one before is not what it seems; only records can be.
            let (ordinal, param) = match (&param.ty, before) {
                (Type::Record(_), _) | (_, None) => (ordinal, param),
                (_, Some(before)) => before,
            };
            let record = match param.ty {
                Type::Record(id) => Some(id),
                _ => None,
            };
            let refusal = Refusal {
                param: Some((ordinal, param.name.clone())),
                reason: format!(
                    "by the printed members of `{}` the arguments would lie at other offsets than nvcc's host code uses ({offset}, not {expected})",
                    param.c_type
                ),
                help: Some(LAYOUT_HELP.into()),
            };
            return Some((refusal, record));
        }
        end = expected.saturating_add(param.size);
        before = Some((ordinal, param));
    }
    None
}

/// Source name and whether it is of a pack: `__3_165_74_ts` is a member of the pack `ts`, `__T12` has no name.
fn param_name(printed: Option<&str>) -> (Option<String>, bool) {
    let Some(printed) = printed else {
        return (None, false);
    };
    let all_digits =
        |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if printed.strip_prefix("__T").is_some_and(all_digits) {
        return (None, false);
    }
    if let Some(rest) = printed.strip_prefix("__") {
        let mut parts = rest.splitn(4, '_');
        if let (Some(index), Some(line), Some(column), Some(name)) =
            (parts.next(), parts.next(), parts.next(), parts.next())
            && all_digits(index)
            && all_digits(line)
            && all_digits(column)
            && !name.is_empty()
        {
            return (Some(name.to_owned()), true);
        }
    }
    (Some(printed.to_owned()), false)
}

fn global(
    resolver: &mut Resolver<'_>,
    variable: &stub::Variable,
    printed: Option<&ctype::QType>,
) -> Global {
    let typed = printed.and_then(|ty| {
        let (size, _) = resolver.size(ty).ok()?;
        let found = resolver.lower(ty, true).ok()?;
        (size == variable.size).then(|| (found, resolver.text(ty)))
    });
    let (ty, c_type) = typed.unzip();
    Global {
        symbol: variable.symbol.clone(),
        name: names::readable(&variable.name),
        size: variable.size,
        space: match (variable.managed, variable.constant) {
            (true, _) => Space::Managed,
            (false, true) => Space::Constant,
            (false, false) => Space::Device,
        },
        ty,
        c_type,
    }
}
