//! Signatures of kernels of which there is only a prebuilt cubin.
//!
//! Count, size and order of the parameters come from the cubin's own records. What they *are* comes from the user
//! (`[[kernel]]` in cubin.toml), else from the mangled symbol where it carries types, else it stays unknown: an array
//! of bytes of the right size, or a pointer to unknown data where the record says that it is a pointer. A type is only
//! taken when its size agrees with the record.

use cubin_core::{Function, Params, kernel::Param as Record};

use super::{
    ctype::{Builtin, CType, QType, spell},
    header_types, mangled,
    model::{Kernel, Param, Pointer, Refusal, Scalar, Signatures, Type},
    names,
    resolve::scalar,
};
use crate::{lists::CollectVec, words::counted};

/// A declaration that the cubin contradicts, or that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// Symbol of the kernel.
    pub symbol: String,
    /// Which of the declared parameters, when one is at fault.
    pub ordinal: Option<usize>,
    /// One sentence.
    pub why: String,
}

/// Gives each kernel of a cubin a signature. `declared` yields the Rust types that the user wrote for a symbol.
pub fn from_cubin<'d>(
    functions: &[Function<'_>],
    declared: impl Fn(&str) -> Option<Vec<&'d str>>,
) -> (Signatures, Vec<Wrong>) {
    let mut signatures = Signatures::default();
    let mut problems = Vec::new();
    for function in functions.iter().filter(|function| function.kernel) {
        let mut kernel = named(function.symbol);
        match &function.params {
            Params::NotRecorded => {
                kernel.refusal = Some(Refusal {
                    param: None,
                    reason: "the cubin does not record its parameters".to_owned(),
                    help: None,
                });
            }
            Params::Recorded {
                params: records, ..
            } => {
                let known = from_symbol(function.symbol, records);
                kernel.params = match declared(function.symbol) {
                    None => known,
                    Some(types) => match from_declaration(&types, records, &known) {
                        Ok(params) => params,
                        Err((ordinal, why)) => {
                            problems.push(Wrong {
                                symbol: function.symbol.to_owned(),
                                ordinal,
                                why,
                            });
                            known
                        }
                    },
                };
            }
        }
        kernel.max_threads = function
            .launch
            .max_threads
            .map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z));
        signatures.kernels.push(kernel);
    }
    (signatures, problems)
}

/// The kernel's names, from its symbol alone.
pub(super) fn named(symbol: &str) -> Kernel {
    let full = mangled::name(symbol).map_or_else(|| symbol.to_owned(), |name| name.text);
    let split = names::split(&full, &names::no_enumerators);
    Kernel {
        symbol: symbol.to_owned(),
        name: split.name,
        namespaces: split.namespaces,
        base_name: split.base,
        template_args: split.template_args,
        params: Vec::new(),
        max_threads: None,
        definition: None,
        entry: None,
        in_toolkit_header: false,
        refusal: None,
    }
}

/// Types from the mangled symbol where it has them and they fit, unknown data elsewhere.
fn from_symbol(symbol: &str, records: &[Record]) -> Vec<Param> {
    let types = mangled::parameters(symbol).filter(|types| types.len() == records.len());
    records
        .iter()
        .enumerate()
        .map(|(ordinal, record)| {
            let found = types.as_ref().and_then(|types| {
                let ty = types.get(ordinal)?;
                let (lowered, size, align) = lower(ty)?;
                (size == u64::from(record.size)).then(|| param(lowered, c_text(ty), size, align))
            });
            found.unwrap_or_else(|| unknown(record))
        })
        .collect_vec()
}

fn param(ty: Type, c_type: String, size: u64, align: u64) -> Param {
    Param {
        name: None,
        ty,
        c_type,
        size,
        align,
        pack: false,
    }
}

/// A parameter of which only the record is known.
pub(super) fn unknown(record: &Record) -> Param {
    let size = u64::from(record.size);
    // PTX from nvcc declares pointers like that for sm_100 and above.
    if record.pointee_space.is_memory() && size == 8 {
        let pointer = Pointer {
            pointee: Box::new(Type::Void),
            is_const: false,
            is_volatile: false,
            reference: false,
            restrict: false,
        };
        return param(Type::Pointer(pointer), "void *".to_owned(), 8, 8);
    }
    let bytes = Type::Array(Box::new(Type::Scalar(Scalar::UChar)), size);
    param(bytes, format!("{size} bytes of unknown type"), size, 1)
}

pub(super) fn c_text(ty: &QType) -> String {
    spell(ty, &|name| name.to_owned())
}

/// Model type, size and alignment of a mangled type; `None` for records by value, whose layout no symbol tells.
pub(super) fn lower(ty: &QType) -> Option<(Type, u64, u64)> {
    match &ty.kind {
        CType::Pointer(to) | CType::Reference(to) => {
            let pointee = match &to.kind {
                CType::Builtin(Builtin::Void) => Type::Void,
                CType::Function(..) => return Some((Type::Function, 8, 8)),
                CType::Named(name) | CType::Tag(_, name) => {
                    lower(to).map_or_else(|| Type::Opaque(name.clone()), |(ty, ..)| ty)
                }
                _ => lower(to)?.0,
            };
            let pointer = Pointer {
                pointee: Box::new(pointee),
                is_const: to.is_const,
                is_volatile: to.is_volatile,
                reference: matches!(ty.kind, CType::Reference(_)),
                restrict: ty.restrict,
            };
            Some((Type::Pointer(pointer), 8, 8))
        }
        CType::Builtin(builtin) => {
            let scalar = scalar(*builtin)?;
            let size = scalar.size();
            Some((Type::Scalar(scalar), size, size))
        }
        CType::Named(name) | CType::Tag(_, name) => {
            if let Some(scalar) = header_types::number_record(name) {
                let size = scalar.size();
                return Some((Type::Scalar(scalar), size, size));
            }
            let vector = header_types::vector_record(name)?;
            let size = vector.element.size() * u64::from(vector.lanes);
            Some((Type::Vector(vector), size, u64::from(vector.align)))
        }
        CType::Array(..) | CType::Function(..) => None,
    }
}

/// Parameters as the user declared them, checked by number and size. `_` leaves a parameter as it is `known`.
pub(super) fn from_declaration(
    types: &[&str],
    records: &[Record],
    known: &[Param],
) -> Result<Vec<Param>, (Option<usize>, String)> {
    if types.len() != records.len() {
        return Err((
            None,
            format!(
                "{} parameters are declared, but the cubin records {}",
                types.len(),
                records.len()
            ),
        ));
    }
    let mut params = Vec::with_capacity(types.len());
    for (ordinal, (text, record)) in types.iter().zip(records).enumerate() {
        if let ("_", Some(known)) = (text.trim(), known.get(ordinal)) {
            params.push(known.clone());
            continue;
        }
        let (ty, size, align) = rust_type(text).ok_or_else(|| {
            let why = format!(
                "`{text}` is not a parameter type; expected a number type (`u32`, `f32`, `f16`, `bf16`, `bool`), \
                 a pointer to one (`*const f32`, `*mut c_void`), bytes (`[u8; 16]`), or `_` for what is known without"
            );
            (Some(ordinal), why)
        })?;
        if size != u64::from(record.size) {
            let why = format!(
                "`{text}` has {}, but the cubin records {} for parameter {ordinal}",
                counted(size, "byte"),
                record.size
            );
            return Err((Some(ordinal), why));
        }
        params.push(param(ty, (*text).to_owned(), size, align));
    }
    Ok(params)
}

/// A type as users write it in cubin.toml: Rust's names.
fn rust_type(text: &str) -> Option<(Type, u64, u64)> {
    let text = text.trim();
    for (prefix, is_const) in [("*const ", true), ("*mut ", false)] {
        if let Some(to) = text.strip_prefix(prefix) {
            let pointee = match to.trim() {
                "c_void" | "()" => Type::Void,
                to => rust_type(to)?.0,
            };
            let pointer = Pointer {
                pointee: Box::new(pointee),
                is_const,
                is_volatile: false,
                reference: false,
                restrict: false,
            };
            return Some((Type::Pointer(pointer), 8, 8));
        }
    }
    if let Some(array) = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
    {
        let (element, length) = array.rsplit_once(';')?;
        let (ty, size, align) = rust_type(element)?;
        let length: u64 = length.trim().parse().ok()?;
        return Some((
            Type::Array(Box::new(ty), length),
            size.checked_mul(length)?,
            align,
        ));
    }
    let scalar = match text {
        "bool" => Scalar::Bool,
        "i8" => Scalar::SChar,
        "u8" => Scalar::UChar,
        "i16" => Scalar::Short,
        "u16" => Scalar::UShort,
        "i32" => Scalar::Int,
        "u32" => Scalar::UInt,
        "i64" => Scalar::LongLong,
        "u64" => Scalar::ULongLong,
        "i128" => Scalar::Int128,
        "u128" => Scalar::UInt128,
        "isize" => Scalar::PtrDiff,
        "usize" => Scalar::SizeT,
        "f16" => Scalar::Half,
        "bf16" => Scalar::BFloat16,
        "f32" => Scalar::Float,
        "f64" => Scalar::Double,
        _ => return None,
    };
    let size = scalar.size();
    Some((Type::Scalar(scalar), size, size))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn function(symbol: &'static str, sizes: &[u32]) -> Function<'static> {
        let params = (0..)
            .zip(sizes)
            .map(|(ordinal, size)| Record::new(ordinal, 0, *size))
            .collect();
        let mut function = Function::default();
        function.symbol = symbol;
        function.kernel = true;
        function.params = Params::Recorded {
            base: 0x210,
            size: sizes.iter().sum(),
            params,
        };
        function
    }

    fn c_types(signatures: &Signatures) -> Vec<&str> {
        signatures.kernels[0]
            .params
            .iter()
            .map(|param| param.c_type.as_str())
            .collect()
    }

    #[test]
    fn a_mangled_symbol_tells_the_types() {
        let functions = [function(
            "_ZN2ns5axpbyIfEEvPKT_PS1_iP6__half",
            &[8, 8, 4, 8],
        )];
        let (signatures, problems) = from_cubin(&functions, |_| None);
        assert_eq!(problems, []);
        assert_eq!(
            c_types(&signatures),
            ["const float *", "float *", "int", "__half *"]
        );
        assert_eq!(signatures.kernels[0].name, "ns::axpby<float>");
        assert_eq!(signatures.kernels[0].base_name, "axpby");
    }

    #[test]
    fn what_the_symbol_does_not_tell_is_bytes() {
        let (signatures, _) = from_cubin(&[function("k", &[8, 4])], |_| None);
        assert_eq!(
            c_types(&signatures),
            ["8 bytes of unknown type", "4 bytes of unknown type"]
        );
        // A record by value: its layout is in no symbol.
        let (signatures, _) = from_cubin(&[function("_Z1k6Params", &[12])], |_| None);
        assert_eq!(c_types(&signatures), ["12 bytes of unknown type"]);
    }

    #[test]
    fn declarations_are_checked_by_number_and_size() {
        let functions = [function("k", &[8, 4])];
        let (signatures, problems) = from_cubin(&functions, |_| Some(vec!["*const f32", "u32"]));
        assert_eq!(problems, []);
        assert_eq!(c_types(&signatures), ["*const f32", "u32"]);
        let wrong =
            |types: Vec<&'static str>| from_cubin(&functions, |_| Some(types.clone())).1.remove(0);
        assert_eq!(
            wrong(vec!["u32"]).why,
            "1 parameters are declared, but the cubin records 2"
        );
        let size = wrong(vec!["*const f32", "u64"]);
        assert_eq!(size.ordinal, Some(1));
        assert_eq!(
            size.why,
            "`u64` has 8 bytes, but the cubin records 4 for parameter 1"
        );
        assert!(
            wrong(vec!["*const f32", "float"])
                .why
                .starts_with("`float` is not a parameter type")
        );
    }
}
