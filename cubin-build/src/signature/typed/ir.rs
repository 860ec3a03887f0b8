//! Types of kernels whose source is NVVM IR as text.
//!
//! | IR | Rust |
//! |---|---|
//! | `i1`, `i8` … `i128` | `bool`, `i8` … `i128`; unsigned where `zeroext` or debug information says so |
//! | `half`, `bfloat`, `float`, `double` | `Half`, `BFloat16`, `f32`, `f64` |
//! | `float addrspace(1)*`, `ptr addrspace(1)` | a slice, of bytes where neither the type nor debug information names the element |
//! | `ptr addrspace(3)` | `u64`: an offset into a block's own memory is no buffer |
//! | `<4 x float>`, `<8 x i32>` | `Float4`; a record of an array, aligned like the vector |
//! | `[3 x i32]` | `[i32; 3]` |
//! | `{ i8, i64 }`, `%struct.S`, also behind `byval` | a record, packed or not |
//!
//! IR does not tell signed from unsigned: integers are signed unless something says otherwise. The layout is NVIDIA's for 64
//! bits, and is compared with the cubin's records like every other.

use super::found::{Found, Typed, pointer};
use crate::{
    lists::{CollectText, CollectVec},
    nvvm::{Function, Module, Operand, Param, Type as Ir},
    ptx,
    signature::model::{
        Field, Kernel, Param as Known, Pointer, Record, RecordId, Refusal, Scalar, Type, Vector,
    },
};

/// Debug information nests no deeper in anything that a compiler writes.
const DEEPEST: u32 = 32;

/// A module with the function that a kernel comes from.
#[derive(Clone, Copy)]
pub(super) struct Source<'m> {
    pub(super) module: &'m Module,
    pub(super) function: &'m Function,
}

/// Why there is no wrapper, and what helps.
type Refused = (String, &'static str);

impl Typed {
    /// Gives a kernel its parameters; `false` when the PTX has others, which then decides.
    pub(super) fn of_ir(
        &mut self,
        kernel: &mut Kernel,
        source: Source<'_>,
        entry: &ptx::Entry,
    ) -> bool {
        let params = &source.function.params;
        if params.len() != entry.params.len() {
            return false;
        }
        let debug = debug_types(source);
        for (ordinal, param) in params.iter().enumerate() {
            let name = param_name(param);
            let debug = debug
                .as_ref()
                .and_then(|types| types.get(ordinal).copied().flatten());
            let text = text_of(param);
            let found = match self.ir(param, source.module, debug) {
                Ok(found) => found,
                Err((why, help)) => {
                    if kernel.refusal.is_none() {
                        kernel.refusal = Some(Refusal {
                            param: Some((ordinal, name.clone())),
                            reason: format!("parameter {ordinal} (`{text}`) {why}"),
                            help: Some(help.to_owned()),
                        });
                    }
                    Found {
                        ty: Type::Opaque(text.clone()),
                        text: text.clone(),
                        size: entry
                            .params
                            .get(ordinal)
                            .and_then(ptx::Param::bytes)
                            .unwrap_or(0),
                        align: entry.params.get(ordinal).map_or(1, ptx::Param::alignment),
                    }
                }
            };
            // An annotation can demand more (`!"align"`): where the parameter lies, and nothing of its type.
            let declared = entry.params.get(ordinal).map_or(1, ptx::Param::alignment);
            kernel.params.push(Known {
                name,
                ty: found.ty,
                c_type: text,
                size: found.size,
                align: found.align.max(declared),
                pack: false,
            });
        }
        true
    }

    fn ir(&mut self, param: &Param, module: &Module, debug: Option<u64>) -> Result<Found, Refused> {
        let layout = param.ty.layout(&module.types).ok_or_else(|| {
            (
                "has lanes of one bit, whose size differs between libnvvm's readers".to_owned(),
                "pass an integer of the same bits",
            )
        })?;
        let align = match param.align.filter(|_| param.by_value) {
            Some(align) => align.max(layout.align),
            None => layout.align,
        };
        let size = layout.size;
        let mut ty = if let Ir::Pointer { to, space } = &param.ty {
            pointer_type(param, to.as_deref(), *space, module, debug)?
        } else {
            let signed = param.signed.or_else(|| is_signed(module, debug, DEEPEST));
            self.lowered(&param.ty, module, signed)
        };
        // Rust's types are as large as a multiple of their alignment.
        if align > layout.align {
            ty = if size.is_multiple_of(align) {
                let name = format!("Bytes{size}Align{align}");
                self.wrapped(&name, ("value", &param.ty.text()), ty, (size, align))
            } else {
                Type::Array(Box::new(Type::Scalar(Scalar::UChar)), size)
            };
        }
        Ok(Found {
            ty,
            text: param.ty.text(),
            size,
            align,
        })
    }

    /// A type by value.
    fn lowered(&mut self, ty: &Ir, module: &Module, signed: Option<bool>) -> Type {
        if let Some(scalar) = scalar(ty, signed) {
            return Type::Scalar(scalar);
        }
        let Some(layout) = ty.layout(&module.types) else {
            return Type::Opaque(ty.text());
        };
        let (size, align) = (layout.size, layout.align);
        match ty {
            Ir::Pointer { .. } => Type::Scalar(Scalar::ULongLong),
            Ir::Array(count, element) => {
                let element = self.lowered(element, module, signed);
                Type::Array(Box::new(element), *count)
            }
            Ir::Vector(count, element) => {
                let element = scalar(element, signed).unwrap_or(Scalar::UChar);
                if let Some(vector) = vector(element, *count, align) {
                    return Type::Vector(vector);
                }
                // Of three lanes the fourth is padding.
                let lanes = size / element.size();
                let name = format!("{}x{count}", name_of(element));
                let array = Type::Array(Box::new(Type::Scalar(element)), lanes);
                self.wrapped(&name, ("lanes", &ty.text()), array, (size, align))
            }
            Ir::Named(name) => {
                let known = self.signatures.records.iter();
                let known = known
                    .enumerate()
                    .find(|(_, record)| record.name == name_record(name));
                if let Some((index, _)) = known {
                    return Type::Record(RecordId(index));
                }
                match module.types.get(name) {
                    Some(inner @ Ir::Struct { .. }) => {
                        self.structure(name_record(name), inner, module, (size, align))
                    }
                    Some(inner) => {
                        let inner = self.lowered(inner, module, signed);
                        self.wrapped(
                            name_record(name),
                            ("value", &ty.text()),
                            inner,
                            (size, align),
                        )
                    }
                    None => Type::Opaque(ty.text()),
                }
            }
            Ir::Struct { .. } => {
                let name = unnamed(ty);
                self.structure(&name, ty, module, (size, align))
            }
            _ => Type::Opaque(ty.text()),
        }
    }

    fn structure(
        &mut self,
        name: &str,
        ty: &Ir,
        module: &Module,
        (size, align): (u64, u64),
    ) -> Type {
        let known = self.signatures.records.iter();
        let known = known.enumerate().find(|(_, record)| record.name == name);
        if let Some((index, _)) = known {
            return Type::Record(RecordId(index));
        }
        let Ir::Struct { fields, packed } = ty else {
            return Type::Opaque(ty.text());
        };
        let offsets = ty.offsets(&module.types).unwrap_or_default();
        let mut members = Vec::with_capacity(fields.len());
        for ((index, field), offset) in fields.iter().enumerate().zip(offsets) {
            let size = field.layout(&module.types).map_or(0, |layout| layout.size);
            members.push(Field {
                name: format!("m{index}"),
                c_type: field.text(),
                ty: self.lowered(field, module, None),
                offset,
                size,
                bits: None,
            });
        }
        let records = &mut self.signatures.records;
        records.push(Record {
            name: name.to_owned(),
            alias: None,
            unnamed: false,
            is_union: false,
            size,
            align,
            packed: packed.then_some(1),
            fields: members,
            definition: None,
        });
        Type::Record(RecordId(records.len() - 1))
    }

    /// A record around one member, for the alignment.
    fn wrapped(
        &mut self,
        name: &str,
        (field, text): (&str, &str),
        ty: Type,
        (size, align): (u64, u64),
    ) -> Type {
        let records = &mut self.signatures.records;
        let same = |record: &Record| record.name == name && record.align == align;
        let index = records.iter().position(same).unwrap_or_else(|| {
            records.push(Record {
                name: name.to_owned(),
                alias: None,
                unnamed: false,
                is_union: false,
                size,
                align,
                packed: None,
                fields: vec![Field {
                    name: field.to_owned(),
                    c_type: text.to_owned(),
                    ty,
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
}

/// The name of a record as its language has it: clang writes `struct.Params`.
fn name_record(name: &str) -> &str {
    let prefixes = ["struct.", "class.", "union."];
    let plain = prefixes.iter().find_map(|prefix| name.strip_prefix(prefix));
    plain.unwrap_or(name)
}

/// A parameter as the text has it, without what only compilers want to know.
fn text_of(param: &Param) -> String {
    let ty = param.ty.text();
    match (param.by_value, param.align) {
        (false, _) => ty,
        (true, None) => format!("byval({ty})"),
        (true, Some(align)) => format!("byval({ty}) align {align}"),
    }
}

/// The name, where somebody chose one; dots are LLVM's way to make names differ.
fn param_name(param: &Param) -> Option<String> {
    let name = param.name.as_ref()?;
    let name: String = name
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect_text();
    let name = name.trim_matches('_');
    let begins = name.starts_with(|first: char| first.is_ascii_alphabetic());
    begins.then(|| name.to_owned())
}

fn pointer_type(
    param: &Param,
    to: Option<&Ir>,
    space: u32,
    module: &Module,
    debug: Option<u64>,
) -> Result<Type, Refused> {
    match space {
        3 => return Ok(Type::Scalar(Scalar::ULongLong)),
        5 => {
            return Err((
                "points into a thread's own local memory, which no host has an address of"
                    .to_owned(),
                "pass a pointer to global memory",
            ));
        }
        _ => {}
    }
    let is_const = param.read_only || space == 4;
    let signed = is_signed(module, debug, DEEPEST);
    let pointee = match to {
        Some(to) => match scalar(to, signed) {
            Some(scalar) => Type::Scalar(scalar),
            None => pointee(to, module),
        },
        None => pointee_scalar(module, debug).map_or(Type::Void, Type::Scalar),
    };
    Ok(match pointer(is_const) {
        Type::Pointer(known) => Type::Pointer(Pointer {
            pointee: Box::new(pointee),
            ..known
        }),
        other => other,
    })
}

/// What is no number behind a pointer: a vector is, anything else is known by its name alone.
fn pointee(to: &Ir, module: &Module) -> Type {
    match to {
        Ir::Vector(count, element) => {
            let align = to.layout(&module.types).map_or(0, |layout| layout.align);
            let vector = scalar(element, None).and_then(|element| vector(element, *count, align));
            vector.map_or(Type::Void, Type::Vector)
        }
        Ir::Array(_, element) => scalar(element, None).map_or(Type::Void, Type::Scalar),
        Ir::Named(name) => Type::Opaque(name_record(name).to_owned()),
        _ => Type::Void,
    }
}

fn scalar(ty: &Ir, signed: Option<bool>) -> Option<Scalar> {
    let signed = signed.unwrap_or(true);
    Some(match ty {
        Ir::Int(1) => Scalar::Bool,
        Ir::Int(8) if signed => Scalar::SChar,
        Ir::Int(8) => Scalar::UChar,
        Ir::Int(16) if signed => Scalar::Short,
        Ir::Int(16) => Scalar::UShort,
        Ir::Int(32) if signed => Scalar::Int,
        Ir::Int(32) => Scalar::UInt,
        Ir::Int(64) if signed => Scalar::LongLong,
        Ir::Int(64) => Scalar::ULongLong,
        Ir::Int(128) if signed => Scalar::Int128,
        Ir::Int(128) => Scalar::UInt128,
        Ir::Half => Scalar::Half,
        Ir::BFloat => Scalar::BFloat16,
        Ir::Float => Scalar::Float,
        Ir::Double => Scalar::Double,
        _ => return None,
    })
}

/// CUDA's own vector of these lanes, where it is aligned like LLVM's.
fn vector(element: Scalar, lanes: u64, align: u64) -> Option<Vector> {
    let known = matches!(
        element,
        Scalar::SChar
            | Scalar::UChar
            | Scalar::Short
            | Scalar::UShort
            | Scalar::Int
            | Scalar::UInt
            | Scalar::LongLong
            | Scalar::ULongLong
            | Scalar::Float
            | Scalar::Double
    );
    let natural = (element.size() * lanes).min(16);
    (known && matches!(lanes, 2 | 4) && natural == align).then(|| Vector {
        element,
        lanes: u8::try_from(lanes).unwrap_or(4),
        align: u8::try_from(align).unwrap_or(16),
        dim3: false,
    })
}

/// Part of the name of a record that nobody named.
fn name_of(element: Scalar) -> &'static str {
    match element {
        Scalar::Bool => "Bool",
        Scalar::SChar => "I8",
        Scalar::UChar => "U8",
        Scalar::Short => "I16",
        Scalar::UShort => "U16",
        Scalar::Int => "I32",
        Scalar::UInt => "U32",
        Scalar::LongLong => "I64",
        Scalar::ULongLong => "U64",
        Scalar::Int128 => "I128",
        Scalar::UInt128 => "U128",
        Scalar::Half => "Half",
        Scalar::BFloat16 => "BFloat16",
        Scalar::Float => "F32",
        Scalar::Double => "F64",
        _ => "Bytes",
    }
}

/// The name of a record that has none in the text: what it is made of, `Struct_i8_i64`.
fn unnamed(ty: &Ir) -> String {
    let text = ty.text();
    let mut name = String::from(if text.starts_with('<') {
        "Packed"
    } else {
        "Struct"
    });
    for word in text.split(|c: char| !c.is_ascii_alphanumeric()) {
        if !word.is_empty() {
            name.push('_');
            name.push_str(word);
        }
    }
    name
}

/// The node of each parameter's type in the debug information of a kernel, when there is one for every parameter.
fn debug_types(source: Source<'_>) -> Option<Vec<Option<u64>>> {
    let nodes = &source.module.nodes;
    let subprogram = nodes.get(&source.function.debug?)?;
    let list = nodes.get(&subprogram.node("type")?)?.node("types")?;
    let all = nodes.get(&list)?.operands.iter().skip(1);
    let all: Vec<Option<u64>> = all
        .map(|(_, operand)| match operand {
            Operand::Node(node) => Some(*node),
            _ => None,
        })
        .collect_vec();
    (all.len() == source.function.params.len()).then_some(all)
}

/// Whether debug information calls an integer signed; typedefs and qualifiers are looked through, and pointers to what they
/// lead to.
fn is_signed(module: &Module, node: Option<u64>, deeper: u32) -> Option<bool> {
    let deeper = deeper.checked_sub(1)?;
    let node = module.nodes.get(&node?)?;
    match node.kind.as_str() {
        "DIBasicType" => match node.word("encoding")? {
            "DW_ATE_signed" | "DW_ATE_signed_char" => Some(true),
            "DW_ATE_unsigned" | "DW_ATE_unsigned_char" | "DW_ATE_UTF" => Some(false),
            _ => None,
        },
        "DIDerivedType" => is_signed(module, node.node("baseType"), deeper),
        _ => None,
    }
}

/// The number that debug information says a pointer leads to.
fn pointee_scalar(module: &Module, node: Option<u64>) -> Option<Scalar> {
    let mut node = module.nodes.get(&node?)?;
    let mut through_pointer = false;
    for _ in 0..DEEPEST {
        match node.kind.as_str() {
            "DIDerivedType" => {
                through_pointer |= node.word("tag") == Some("DW_TAG_pointer_type");
                node = module.nodes.get(&node.node("baseType")?)?;
            }
            "DIBasicType" if through_pointer => {
                let Operand::Int(bits) = node.field("size")? else {
                    return None;
                };
                return match (node.word("encoding")?, bits) {
                    ("DW_ATE_boolean", 8) => Some(Scalar::Bool),
                    ("DW_ATE_float", 16) => Some(Scalar::Half),
                    ("DW_ATE_float", 32) => Some(Scalar::Float),
                    ("DW_ATE_float", 64) => Some(Scalar::Double),
                    ("DW_ATE_signed" | "DW_ATE_signed_char", bits) => {
                        scalar(&Ir::Int(u32::try_from(*bits).ok()?), Some(true))
                    }
                    ("DW_ATE_unsigned" | "DW_ATE_unsigned_char", bits) => {
                        scalar(&Ir::Int(u32::try_from(*bits).ok()?), Some(false))
                    }
                    _ => None,
                };
            }
            _ => return None,
        }
    }
    None
}
