//! Signatures as bytes, to be kept beside the files that they were read from.
//!
//! One function writes and one reads each type, both in the order of its fields. Whoever changes a type of the model
//! changes them here. What is kept from build to build is bound to the program that wrote it; what lies in `prebuilt/` of
//! published crates is not, and has a number of its form (`build/prebuilt`), which a test below holds to it.

use std::path::PathBuf;

use super::model::{
    Definition, Enum, EnumId, Field, Global, Kernel, Param, Pointer, Record, RecordId, Refusal,
    Scalar, Signatures, Space, TemplateArg, TemplateValue, Type, ValueType, Vector,
};
use crate::{
    cache::{decode_path, encode_path},
    codec::{Decoder, Encoder},
};

/// Types within types; the readers of the side files allow fewer.
const MAX_DEPTH: u32 = 512;

/// Every scalar; its place is its number.
const SCALARS: &[Scalar] = &[
    Scalar::Bool,
    Scalar::Char,
    Scalar::SChar,
    Scalar::UChar,
    Scalar::Short,
    Scalar::UShort,
    Scalar::Int,
    Scalar::UInt,
    Scalar::Long,
    Scalar::ULong,
    Scalar::LongLong,
    Scalar::ULongLong,
    Scalar::SizeT,
    Scalar::PtrDiff,
    Scalar::Int128,
    Scalar::UInt128,
    Scalar::WChar,
    Scalar::Char8,
    Scalar::Char16,
    Scalar::Char32,
    Scalar::Float,
    Scalar::Double,
    Scalar::Half,
    Scalar::BFloat16,
    Scalar::Fp8E4M3,
    Scalar::Fp8E5M2,
    Scalar::Fp8E8M0,
    Scalar::NullPtr,
    Scalar::Byte("__nv_fp6_e2m3"),
    Scalar::Byte("__nv_fp6_e3m2"),
    Scalar::Byte("__nv_fp4_e2m1"),
    Scalar::Texture,
    Scalar::Surface,
];

/// Writes signatures.
pub(crate) fn write(to: &mut Encoder, signatures: &Signatures) {
    to.list(&signatures.kernels, write_kernel);
    to.list(&signatures.records, write_record);
    to.list(&signatures.enums, write_enum);
    to.list(&signatures.globals, write_global);
}

/// Reads signatures; `None` when the bytes are damaged.
pub(crate) fn read(from: &mut Decoder<'_>) -> Option<Signatures> {
    let signatures = Signatures {
        kernels: from.list(read_kernel)?,
        records: from.list(read_record)?,
        enums: from.list(read_enum)?,
        globals: from.list(read_global)?,
    };
    Some(signatures)
}

#[expect(clippy::ptr_arg, reason = "lists of texts hold strings")]
fn write_text(to: &mut Encoder, text: &String) {
    to.text(text);
}

fn write_number(to: &mut Encoder, number: &u64) {
    to.number(*number);
}

fn write_kernel(to: &mut Encoder, kernel: &Kernel) {
    to.text(&kernel.symbol);
    to.text(&kernel.name);
    to.list(&kernel.namespaces, write_text);
    to.text(&kernel.base_name);
    to.list(&kernel.template_args, write_template_arg);
    to.list(&kernel.params, write_param);
    to.option(kernel.max_threads.as_ref(), |to, threads| {
        to.number((*threads).into());
    });
    to.option(kernel.definition.as_ref(), write_definition);
    to.option(kernel.entry.as_ref(), write_definition);
    to.flag(kernel.in_toolkit_header);
    to.option(kernel.refusal.as_ref(), write_refusal);
}

fn read_kernel(from: &mut Decoder<'_>) -> Option<Kernel> {
    Some(Kernel {
        symbol: from.text()?,
        name: from.text()?,
        namespaces: from.list(Decoder::text)?,
        base_name: from.text()?,
        template_args: from.list(read_template_arg)?,
        params: from.list(read_param)?,
        max_threads: from.option(Decoder::small)?,
        definition: from.option(read_definition)?,
        entry: from.option(read_definition)?,
        in_toolkit_header: from.flag()?,
        refusal: from.option(read_refusal)?,
    })
}

fn write_template_arg(to: &mut Encoder, arg: &TemplateArg) {
    to.text(&arg.text);
    to.option(arg.value.as_ref(), |to, value| {
        to.wide(value.number);
        match &value.ty {
            ValueType::Scalar(scalar) => {
                to.flag(false);
                write_scalar(to, *scalar);
            }
            ValueType::Enum { name, enumerator } => {
                to.flag(true);
                to.text(name);
                to.option(enumerator.as_ref(), write_text);
            }
        }
    });
}

fn read_template_arg(from: &mut Decoder<'_>) -> Option<TemplateArg> {
    Some(TemplateArg {
        text: from.text()?,
        value: from.option(|from| {
            let number = from.wide()?;
            let ty = if from.flag()? {
                ValueType::Enum {
                    name: from.text()?,
                    enumerator: from.option(Decoder::text)?,
                }
            } else {
                ValueType::Scalar(read_scalar(from)?)
            };
            Some(TemplateValue { number, ty })
        })?,
    })
}

fn write_param(to: &mut Encoder, param: &Param) {
    to.option(param.name.as_ref(), write_text);
    write_type(to, &param.ty);
    to.text(&param.c_type);
    to.number(param.size);
    to.number(param.align);
    to.flag(param.pack);
}

fn read_param(from: &mut Decoder<'_>) -> Option<Param> {
    Some(Param {
        name: from.option(Decoder::text)?,
        ty: read_type(from, 0)?,
        c_type: from.text()?,
        size: from.number()?,
        align: from.number()?,
        pack: from.flag()?,
    })
}

fn write_definition(to: &mut Encoder, definition: &Definition) {
    to.text(&encode_path(&definition.file));
    to.number(definition.line.into());
}

fn read_definition(from: &mut Decoder<'_>) -> Option<Definition> {
    let file: PathBuf = decode_path(&from.text()?)?;
    let line = from.small()?;
    Some(Definition { file, line })
}

fn write_refusal(to: &mut Encoder, refusal: &Refusal) {
    to.option(refusal.param.as_ref(), |to, (ordinal, name)| {
        to.size(*ordinal);
        to.option(name.as_ref(), write_text);
    });
    to.text(&refusal.reason);
    to.option(refusal.help.as_ref(), write_text);
}

fn read_refusal(from: &mut Decoder<'_>) -> Option<Refusal> {
    Some(Refusal {
        param: from.option(|from| Some((from.size()?, from.option(Decoder::text)?)))?,
        reason: from.text()?,
        help: from.option(Decoder::text)?,
    })
}

fn write_record(to: &mut Encoder, record: &Record) {
    to.text(&record.name);
    to.option(record.alias.as_ref(), write_text);
    to.flag(record.unnamed);
    to.flag(record.is_union);
    to.number(record.size);
    to.number(record.align);
    to.option(record.packed.as_ref(), write_number);
    to.list(&record.fields, write_field);
    to.option(record.definition.as_ref(), write_definition);
}

fn read_record(from: &mut Decoder<'_>) -> Option<Record> {
    Some(Record {
        name: from.text()?,
        alias: from.option(Decoder::text)?,
        unnamed: from.flag()?,
        is_union: from.flag()?,
        size: from.number()?,
        align: from.number()?,
        packed: from.option(Decoder::number)?,
        fields: from.list(read_field)?,
        definition: from.option(read_definition)?,
    })
}

fn write_field(to: &mut Encoder, field: &Field) {
    to.text(&field.name);
    write_type(to, &field.ty);
    to.text(&field.c_type);
    to.number(field.offset);
    to.number(field.size);
    to.option(field.bits.as_ref(), |to, (first, width)| {
        to.number(*first);
        to.number((*width).into());
    });
}

fn read_field(from: &mut Decoder<'_>) -> Option<Field> {
    Some(Field {
        name: from.text()?,
        ty: read_type(from, 0)?,
        c_type: from.text()?,
        offset: from.number()?,
        size: from.number()?,
        bits: from.option(|from| Some((from.number()?, from.small()?)))?,
    })
}

fn write_enum(to: &mut Encoder, item: &Enum) {
    to.text(&item.name);
    write_scalar(to, item.repr);
    to.list(&item.values, |to, (name, value)| {
        to.text(name);
        to.wide(*value);
    });
    to.option(item.definition.as_ref(), write_definition);
}

fn read_enum(from: &mut Decoder<'_>) -> Option<Enum> {
    Some(Enum {
        name: from.text()?,
        repr: read_scalar(from)?,
        values: from.list(|from| Some((from.text()?, from.wide()?)))?,
        definition: from.option(read_definition)?,
    })
}

fn write_global(to: &mut Encoder, global: &Global) {
    to.text(&global.symbol);
    to.text(&global.name);
    to.number(global.size);
    to.number(match global.space {
        Space::Constant => 0,
        Space::Device => 1,
        Space::Managed => 2,
    });
    to.option(global.ty.as_ref(), write_type);
    to.option(global.c_type.as_ref(), write_text);
}

fn read_global(from: &mut Decoder<'_>) -> Option<Global> {
    Some(Global {
        symbol: from.text()?,
        name: from.text()?,
        size: from.number()?,
        space: match from.number()? {
            0 => Space::Constant,
            1 => Space::Device,
            2 => Space::Managed,
            _ => return None,
        },
        ty: from.option(|from| read_type(from, 0))?,
        c_type: from.option(Decoder::text)?,
    })
}

fn write_scalar(to: &mut Encoder, scalar: Scalar) {
    let number = SCALARS.iter().position(|known| *known == scalar);
    // One that is not in the table is read back as damage, so its file is read again every time.
    to.size(number.unwrap_or(SCALARS.len()));
}

fn read_scalar(from: &mut Decoder<'_>) -> Option<Scalar> {
    SCALARS.get(from.size()?).copied()
}

fn write_type(to: &mut Encoder, ty: &Type) {
    match ty {
        Type::Void => to.number(0),
        Type::Scalar(scalar) => {
            to.number(1);
            write_scalar(to, *scalar);
        }
        Type::Vector(vector) => {
            to.number(2);
            write_scalar(to, vector.element);
            to.number(vector.lanes.into());
            to.number(vector.align.into());
            to.flag(vector.dim3);
        }
        Type::Pointer(pointer) => {
            to.number(3);
            write_type(to, &pointer.pointee);
            to.flag(pointer.is_const);
            to.flag(pointer.is_volatile);
            to.flag(pointer.reference);
            to.flag(pointer.restrict);
        }
        Type::Array(of, count) => {
            to.number(4);
            write_type(to, of);
            to.number(*count);
        }
        Type::Record(id) => {
            to.number(5);
            to.size(id.0);
        }
        Type::Enum(id) => {
            to.number(6);
            to.size(id.0);
        }
        Type::Function => to.number(7),
        Type::Opaque(name) => {
            to.number(8);
            to.text(name);
        }
        Type::TensorMap { align } => {
            to.number(9);
            to.number(*align);
        }
    }
}

fn read_type(from: &mut Decoder<'_>, depth: u32) -> Option<Type> {
    if depth > MAX_DEPTH {
        return None;
    }
    Some(match from.number()? {
        0 => Type::Void,
        1 => Type::Scalar(read_scalar(from)?),
        2 => Type::Vector(Vector {
            element: read_scalar(from)?,
            lanes: from.number()?.try_into().ok()?,
            align: from.number()?.try_into().ok()?,
            dim3: from.flag()?,
        }),
        3 => Type::Pointer(Pointer {
            pointee: Box::new(read_type(from, depth + 1)?),
            is_const: from.flag()?,
            is_volatile: from.flag()?,
            reference: from.flag()?,
            restrict: from.flag()?,
        }),
        4 => Type::Array(Box::new(read_type(from, depth + 1)?), from.number()?),
        5 => Type::Record(RecordId(from.size()?)),
        6 => Type::Enum(EnumId(from.size()?)),
        7 => Type::Function,
        8 => Type::Opaque(from.text()?),
        9 => Type::TensorMap {
            align: from.number()?,
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::super::header_types::number_record;
    use super::*;

    fn everything() -> Signatures {
        let definition = Some(Definition {
            file: PathBuf::from("kernels/ü %.cu"),
            line: 7,
        });
        let scalars = SCALARS.iter().map(|scalar| Type::Scalar(*scalar));
        let others = [
            Type::Void,
            Type::Vector(Vector {
                element: Scalar::Float,
                lanes: 4,
                align: 16,
                dim3: false,
            }),
            Type::Pointer(Pointer {
                pointee: Box::new(Type::Array(Box::new(Type::Record(RecordId(0))), 3)),
                is_const: true,
                is_volatile: false,
                reference: true,
                restrict: false,
            }),
            Type::Enum(EnumId(2)),
            Type::Function,
            Type::Opaque("struct Unknown".to_owned()),
            Type::TensorMap { align: 128 },
        ];
        let params = scalars.chain(others).enumerate().map(|(index, ty)| Param {
            name: (index % 2 == 0).then(|| format!("p{index}")),
            ty,
            c_type: "int".to_owned(),
            size: 4,
            align: 1 << (index % 40),
            pack: index == 3,
        });
        let value = |ty| Some(TemplateValue { number: -5, ty });
        let args = [
            None,
            value(ValueType::Scalar(Scalar::Int)),
            value(ValueType::Enum {
                name: "Mode".to_owned(),
                enumerator: Some("Fast".to_owned()),
            }),
        ];
        Signatures {
            kernels: vec![Kernel {
                symbol: "_Z1k".to_owned(),
                name: "n::k<1>".to_owned(),
                namespaces: vec!["n".to_owned(), String::new()],
                base_name: "k".to_owned(),
                template_args: args
                    .map(|value| TemplateArg {
                        text: "x".to_owned(),
                        value,
                    })
                    .into(),
                params: params.collect(),
                max_threads: Some(256),
                definition: definition.clone(),
                entry: definition.clone(),
                in_toolkit_header: true,
                refusal: Some(Refusal {
                    param: Some((1, None)),
                    reason: "why".to_owned(),
                    help: Some("what".to_owned()),
                }),
            }],
            records: vec![Record {
                name: "R".to_owned(),
                alias: Some("ns::A".to_owned()),
                unnamed: false,
                is_union: true,
                size: 8,
                align: 4,
                packed: Some(2),
                fields: vec![Field {
                    name: "f".to_owned(),
                    ty: Type::Scalar(Scalar::UInt),
                    c_type: "unsigned".to_owned(),
                    offset: 4,
                    size: 4,
                    bits: Some((35, 3)),
                }],
                definition: None,
            }],
            enums: vec![Enum {
                name: "Mode".to_owned(),
                repr: Scalar::UChar,
                values: vec![("Fast".to_owned(), i128::MIN)],
                definition,
            }],
            globals: [Space::Constant, Space::Device, Space::Managed]
                .map(|space| Global {
                    symbol: "g".to_owned(),
                    name: "g".to_owned(),
                    size: u64::MAX,
                    space,
                    ty: (space == Space::Device).then_some(Type::Function),
                    c_type: None,
                })
                .into(),
        }
    }

    #[test]
    fn everything_comes_back_and_damage_does_not() {
        let all = everything();
        let mut encoder = Encoder::default();
        write(&mut encoder, &all);
        let bytes = encoder.finish();
        let whole = |bytes: &[u8]| {
            let mut from = Decoder::new(bytes);
            read(&mut from).filter(|_| from.is_empty())
        };
        assert_eq!(whole(&bytes), Some(all.clone()));
        // Published crates hold such bytes (`prebuilt/`). Who changes their form changes `FORMAT` in
        // `build/prebuilt/manifest.rs`, and then the hash here.
        let hash = crate::cache::ContentHash::of(&bytes).to_string();
        assert_eq!(hash, "73e0427e9653b93799b8d02fc681972d");
        for length in 0..bytes.len() {
            assert_eq!(whole(&bytes[..length]), None, "{length}");
        }
        // Any byte may be another: something else is read, or nothing, and nothing ends the program.
        for at in 0..bytes.len() {
            for flip in [1, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let _ = whole(&damaged);
            }
        }
    }

    #[test]
    fn every_scalar_of_the_headers_has_a_number() {
        for tag in [
            "__half",
            "__nv_bfloat16",
            "__nv_fp8_e4m3",
            "__nv_fp8_e5m2",
            "__nv_fp8_e8m0",
            "__nv_fp6_e2m3",
            "__nv_fp6_e3m2",
            "__nv_fp4_e2m1",
        ] {
            let scalar = number_record(tag).expect(tag);
            assert!(SCALARS.contains(&scalar), "{tag}");
        }
        // A new variant of `Scalar` does not compile in `Scalar::size`, which reminds of this table.
        assert!(SCALARS.iter().all(|scalar| scalar.size() <= 16));
    }
}
