//! Signatures of kernels whose source is PTX: its `.entry` says what each parameter is made of, a mangled symbol and
//! `[[kernel]]` in cubin.toml may say more.
//!
//! | PTX | Rust |
//! |---|---|
//! | `.u32`, `.s32`, `.b32`, `.f32`, … | `u32`, `i32`, `u32`, `f32`, … |
//! | `.u64 .ptr .global`, or a `.u64` that the kernel uses as an address of global memory | a slice |
//! | `.u64 .ptr .shared` | a number: an offset into the block's own memory is no buffer |
//! | `.b8 p[24]` | `[u8; 24]` |
//! | `.align 8 .b8 p[24]` | a record of 24 bytes with that alignment, called as in C++ where the symbol names it |
//!
//! nvcc writes every integer as unsigned, so a symbol that says `int` is believed as long as class and size agree. All
//! of it is compared with the cubin's records.

mod found;
#[cfg(feature = "nvvm")]
mod ir;

use std::path::Path;

use cubin_core::{Function, Params, Sm, kernel::Param as Record};

use self::found::{Found, pointer};
use super::{
    check::{Finding, Problem, compare, refuse},
    ctype::{CType, QType},
    declared::{self, Wrong},
    mangled,
    model::{
        self, Definition, Enum, EnumId, Field, Kernel, Param, RecordId, Refusal, Scalar, Type,
    },
};
use crate::ptx::{Class, Entry, Extent, Param as Declared, Space};
use crate::sorted::Map;
#[cfg(feature = "nvvm")]
use crate::{nvvm, source::SourceFile};

pub use self::found::Typed;

/// The type of the one member of a record of which only the bytes are known.
pub const UNKNOWN_BYTES: &str = "bytes of unknown type";

/// What the PTX of a cubin says, and where it is.
#[derive(Debug, Clone, Copy)]
pub struct Text<'p> {
    /// Its kernels.
    pub entries: &'p [Entry],
    /// Its file.
    pub path: &'p Path,
    /// The module that it was made of, and its text; then the file is that of the module.
    #[cfg(feature = "nvvm")]
    pub module: Option<(&'p nvvm::Module, &'p SourceFile)>,
    /// Whether the PTX is only what a compiler made of the file.
    pub made: bool,
}

impl<'p> Text<'p> {
    /// PTX that is a source.
    #[must_use]
    pub fn new(entries: &'p [Entry], path: &'p Path) -> Self {
        Self {
            entries,
            path,
            #[cfg(feature = "nvvm")]
            module: None,
            made: false,
        }
    }
}

/// Gives each kernel of a cubin for `target` that the text declares a signature. `declared` yields the types that `[[kernel]]` has for a symbol.
pub fn from_ptx<'d>(
    text: Text<'_>,
    functions: &[Function<'_>],
    target: Sm,
    declared: impl Fn(&str) -> Option<Vec<&'d str>>,
) -> Typed {
    let mut typed = Typed::default();
    let kernels = functions.iter().filter(|function| function.kernel);
    let known: Map<&str, &Function<'_>> = kernels
        .map(|function| (function.symbol, function))
        .collect();
    for entry in text.entries {
        // What ptxas leaves out is nobody's to launch.
        let Some(function) = known.get(entry.symbol.as_str()) else {
            continue;
        };
        let mut kernel = declared::named(function.symbol);
        let line = text.place(entry);
        let source = entry.source.as_ref().map(|(file, line)| Definition {
            file: file.into(),
            line: *line,
        });
        kernel.definition = source.or_else(|| line.clone());
        kernel.entry = line;
        let threads = entry.directives.max_threads;
        kernel.max_threads = threads.map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z));
        let records = match &function.params {
            Params::NotRecorded => &[][..],
            Params::Recorded { params, .. } => params,
        };
        if !typed.of_module(text, &mut kernel, entry) {
            typed.parameters(&mut kernel, entry, records);
        }
        if let Some(types) = declared(function.symbol) {
            match declared::from_declaration(&types, records, &kernel.params) {
                Ok(mut params) => {
                    for (param, known) in params.iter_mut().zip(&kernel.params) {
                        param.name.clone_from(&known.name);
                        param.align = param.align.max(known.align);
                    }
                    kernel.params = params;
                    kernel.refusal = None;
                }
                Err((ordinal, why)) => typed.wrong.push(Wrong {
                    symbol: function.symbol.to_owned(),
                    ordinal,
                    why,
                }),
            }
        }
        let problem = compare(&kernel, &function.params);
        if let Some(problem) = problem {
            refuse(&mut kernel, &problem);
            if let (Problem::Size { .. } | Problem::Offset { .. }, Some(refusal)) =
                (&problem, &mut kernel.refusal)
            {
                refusal.help = None;
            }
            typed.findings.push(Finding {
                target,
                symbol: kernel.symbol.clone(),
                kernel: kernel.name.clone(),
                problem,
            });
        }
        typed.signatures.kernels.push(kernel);
    }
    typed.name_pointees();
    typed
}

impl Text<'_> {
    /// Where a kernel stands in the file; bitcode has no lines.
    fn place(&self, entry: &Entry) -> Option<Definition> {
        let file = self.path.to_owned();
        self.line(entry).map(|line| Definition { file, line })
    }

    fn line(&self, entry: &Entry) -> Option<u32> {
        #[cfg(feature = "nvvm")]
        if let Some((module, file)) = self.module {
            let mut kernels = module.kernels();
            let kernel = kernels.find(|kernel| kernel.name == entry.symbol)?;
            return u32::try_from(file.line_column(kernel.range.start).0).ok();
        }
        (!self.made).then_some(entry.line)
    }
}

impl Typed {
    /// Gives a kernel the parameters of its module, where that is text; `false` when there is none.
    #[cfg(feature = "nvvm")]
    fn of_module(&mut self, text: Text<'_>, kernel: &mut Kernel, entry: &Entry) -> bool {
        let Some((module, _)) = text.module else {
            return false;
        };
        let mut kernels = module.kernels();
        let Some(function) = kernels.find(|function| function.name == entry.symbol) else {
            return false;
        };
        self.of_ir(kernel, ir::Source { module, function }, entry)
    }

    #[cfg(not(feature = "nvvm"))]
    #[expect(clippy::unused_self, reason = "the other one's signature")]
    fn of_module(&mut self, _: Text<'_>, _: &mut Kernel, _: &Entry) -> bool {
        false
    }

    /// Gives a kernel its parameters; a refusal where one of them cannot be passed.
    fn parameters(&mut self, kernel: &mut Kernel, entry: &Entry, records: &[Record]) {
        let cxx = mangled::parameters(&entry.symbol);
        let cxx = cxx.filter(|types| types.len() == entry.params.len());
        for (ordinal, declared) in entry.params.iter().enumerate() {
            let name = name(declared, &entry.symbol, ordinal);
            let ty = cxx.as_ref().and_then(|types| types.get(ordinal));
            let found = match (refusal(declared), records.get(ordinal)) {
                (Some((reason, help)), _) => {
                    if kernel.refusal.is_none() {
                        let ptx = text_of(declared);
                        kernel.refusal = Some(Refusal {
                            param: Some((ordinal, name.clone())),
                            reason: format!("parameter {ordinal} (`{ptx}`) {reason}"),
                            help: Some(help.to_owned()),
                        });
                    }
                    None
                }
                (None, Some(record)) if declared.bytes().is_none() => {
                    kernel.params.push(Param {
                        name,
                        ..declared::unknown(record)
                    });
                    continue;
                }
                (None, _) => Some(self.ty(declared, ty)),
            };
            let found = found.unwrap_or_else(|| Found {
                ty: Type::Opaque(text_of(declared)),
                text: text_of(declared),
                size: 0,
                align: 1,
            });
            kernel.params.push(Param {
                name,
                ty: found.ty,
                c_type: found.text,
                size: found.size,
                align: found.align,
                pack: false,
            });
        }
    }

    /// Lets pointers lead to the records that other parameters show the size of: one name is one type.
    fn name_pointees(&mut self) {
        let records = &self.signatures.records;
        let kernels = self.signatures.kernels.iter_mut();
        for param in kernels.flat_map(|kernel| &mut kernel.params) {
            if let Type::Pointer(pointer) = &mut param.ty
                && let Type::Opaque(name) = pointer.pointee.as_ref()
                && let Some(index) = records.iter().position(|record| record.name == *name)
            {
                *pointer.pointee = Type::Record(RecordId(index));
            }
        }
    }

    fn ty(&mut self, declared: &Declared, cxx: Option<&QType>) -> Found {
        let (size, align) = (declared.bytes().unwrap_or(0), declared.alignment());
        let found = |ty, text| Found {
            ty,
            text,
            size,
            align,
        };
        if let Some(ty) = cxx
            && let Some(exact) = self.cxx(declared, ty, size, align)
        {
            return found(exact, declared::c_text(ty));
        }
        let text = text_of(declared);
        if let Some(pointee) = declared.pointee
            && size == 8
            && declared.extent == Extent::One
            && pointee.space != Space::Shared
        {
            return found(pointer(pointee.space == Space::Constant), text);
        }
        let element = scalar(declared);
        let Extent::Elements(count) = declared.extent else {
            return found(Type::Scalar(element), text);
        };
        let array = Type::Array(Box::new(Type::Scalar(element)), count);
        // Rust's types are as large as a multiple of their alignment: what is not is passed as it is.
        if align == element.size() || !size.is_multiple_of(align) {
            return found(array, text);
        }
        let name = format!("Bytes{size}Align{align}");
        found(self.record(&name, array, size, align), text)
    }

    /// The C++ type, where it can be what PTX declares.
    fn cxx(&mut self, declared: &Declared, ty: &QType, size: u64, align: u64) -> Option<Type> {
        let one = declared.extent == Extent::One;
        let is_float = declared.class == Class::Float;
        match &ty.kind {
            CType::Pointer(_) | CType::Reference(_) => {
                let space = declared.pointee.map(|pointee| pointee.space);
                let fits = one && !is_float && size == 8 && space != Some(Space::Shared);
                fits.then(|| declared::lower(ty))?.map(|(ty, ..)| ty)
            }
            // Whatever the symbol calls it, it is an address.
            _ if declared.pointee.is_some() => None,
            CType::Builtin(_) => {
                let (ty, known, _) = declared::lower(ty)?;
                let Type::Scalar(scalar) = ty else {
                    return None;
                };
                let floats = matches!(scalar, Scalar::Float | Scalar::Double);
                // 128 bits are an array of bytes.
                let fits = known == size
                    && if one {
                        declared.class == Class::Bits || floats == is_float
                    } else {
                        known == align && known == 16
                    };
                fits.then_some(ty)
            }
            CType::Named(name) | CType::Tag(_, name) => {
                if name == "CUtensorMap_st" && size == 128 && !one {
                    return Some(Type::TensorMap { align });
                }
                if let Some((ty, known, natural)) = declared::lower(ty) {
                    return (known == size && natural == align).then_some(ty);
                }
                if one {
                    // nvcc and clang pass every record as an array, so this is an enumeration.
                    let is_integer = matches!(declared.class, Class::Unsigned | Class::Signed);
                    return is_integer.then(|| self.enumeration(name, scalar(declared)));
                }
                if !size.is_multiple_of(align) || declared.size != 1 {
                    return None;
                }
                let bytes = Type::Array(Box::new(Type::Scalar(Scalar::UChar)), size);
                let known = |record: &model::Record| record.name == *name;
                match self.signatures.records.iter().find(|record| known(record)) {
                    Some(other) if (other.size, other.align) != (size, align) => None,
                    _ => Some(self.record(name, bytes, size, align)),
                }
            }
            CType::Array(..) | CType::Function(..) => None,
        }
    }

    /// A record of which only the bytes are known.
    fn record(&mut self, name: &str, bytes: Type, size: u64, align: u64) -> Type {
        let records = &mut self.signatures.records;
        let same = |record: &model::Record| record.name == name && record.align == align;
        let index = records.iter().position(same).unwrap_or_else(|| {
            records.push(model::Record {
                name: name.to_owned(),
                alias: None,
                unnamed: false,
                is_union: false,
                size,
                align,
                packed: None,
                fields: vec![Field {
                    name: "bytes".to_owned(),
                    c_type: UNKNOWN_BYTES.to_owned(),
                    ty: bytes,
                    offset: 0,
                    size,
                    bits: None,
                }],
                definition: None,
            });
            records.len() - 1
        });
        Type::Record(RecordId(index))
    }

    fn enumeration(&mut self, name: &str, repr: Scalar) -> Type {
        let enums = &mut self.signatures.enums;
        let same = |item: &Enum| item.name == name && item.repr == repr;
        let index = enums.iter().position(same).unwrap_or_else(|| {
            enums.push(Enum {
                name: name.to_owned(),
                repr,
                values: Vec::new(),
                definition: None,
            });
            enums.len() - 1
        });
        Type::Enum(EnumId(index))
    }
}

/// Why a parameter cannot be passed, and what helps.
fn refusal(declared: &Declared) -> Option<(&'static str, &'static str)> {
    if declared.class == Class::Texture {
        return Some((
            "is bound by name, not passed: no launch can give it",
            "declare a `.u64` and pass a texture or surface object",
        ));
    }
    if declared.extent == Extent::Open {
        return Some((
            "is an array without a length",
            "give it the number of bytes that the kernel reads",
        ));
    }
    let space = declared.pointee?.space;
    (space == Space::Local).then_some((
        "points into a thread's own local memory, which no host has an address of",
        "pass a pointer to global memory",
    ))
}

/// One element.
fn scalar(declared: &Declared) -> Scalar {
    match (declared.class, declared.size) {
        (Class::Float, 2) => Scalar::Half,
        (Class::Float, 4) => Scalar::Float,
        (Class::Float, 8) => Scalar::Double,
        (Class::Signed, 1) => Scalar::SChar,
        (Class::Signed, 2) => Scalar::Short,
        (Class::Signed, 4) => Scalar::Int,
        (Class::Signed, 8) => Scalar::LongLong,
        (_, 2) => Scalar::UShort,
        (_, 4) => Scalar::UInt,
        (_, 8) => Scalar::ULongLong,
        (_, 16) => Scalar::UInt128,
        _ => Scalar::UChar,
    }
}

/// The name of a parameter, where somebody chose it: compilers number them, `saxpy_param_0`.
fn name(declared: &Declared, symbol: &str, ordinal: usize) -> Option<String> {
    let plain = declared.name.trim_start_matches(['%', '$', '_']);
    let numbered = declared
        .name
        .strip_prefix(symbol)
        .and_then(|rest| rest.strip_prefix("_param_"))
        .is_some_and(|number| number == ordinal.to_string());
    let begins = plain.starts_with(|first: char| first.is_ascii_alphabetic());
    (begins && !numbered).then(|| plain.to_owned())
}

/// As PTX writes it, without `.param` and the name.
fn text_of(declared: &Declared) -> String {
    let mut text = String::new();
    if let Some(align) = declared.align {
        text = format!(".align {align} ");
    }
    let class = match declared.class {
        Class::Unsigned => 'u',
        Class::Signed => 's',
        Class::Float => 'f',
        Class::Bits => 'b',
        Class::Texture => return ".texref, .samplerref or .surfref".to_owned(),
        Class::Unknown => return "unknown".to_owned(),
    };
    text.push_str(&format!(".{class}{}", declared.size * 8));
    if let Some(pointee) = declared.pointee {
        text.push_str(match pointee.space {
            Space::Generic => " .ptr",
            Space::Global => " .ptr .global",
            Space::Constant => " .ptr .const",
            Space::Shared => " .ptr .shared",
            Space::Local => " .ptr .local",
        });
        if let Some(align) = pointee.align {
            text.push_str(&format!(" .align {align}"));
        }
    }
    match declared.extent {
        Extent::One => {}
        Extent::Elements(count) => text.push_str(&format!("[{count}]")),
        Extent::Open => text.push_str("[]"),
    }
    text
}
