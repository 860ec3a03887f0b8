//! C++ types as Rust type expressions, and the Rust definitions of the toolkit's own types.
//!
//! | C++ | Rust |
//! |---|---|
//! | `bool`, `char`, integers, `float`, `double` | the same size: `bool`, `c_char`, `i32`, `u64`, `usize`, `f32` … |
//! | `wchar_t`, `char8_t`, `char16_t`, `char32_t` | `i32`, `u8`, `u16`, `u32`: not `char`, which has invalid values |
//! | `__half`, `__nv_bfloat16`, 8-bit floats | transparent newtypes over their bits, or the `half` crate's |
//! | `float4`, `int2` … | structs with C's alignment |
//! | pointers and references in records | `DeviceAddress<T>` |
//! | `CUtensorMap` | 128 bytes with the header's alignment |

use super::{
    HalfTypes, names,
    names::Kind,
    plan::{Key, Plan, PlannedModule, TYPES},
    write::{Writer, number},
};
use crate::signature::model::{Param, Scalar, Type, Vector};

/// Writes types as seen from one module of the generated file.
#[derive(Clone, Copy)]
pub(super) struct Scope<'p> {
    pub(super) plan: &'p Plan<'p>,
    pub(super) module: &'p PlannedModule<'p>,
    /// The module that the text stands in, from the top of the file.
    pub(super) here: &'p [String],
}

impl Scope<'_> {
    /// The type as a value: in a field, behind a pointer, as a by-value parameter.
    pub(super) fn value(&self, ty: &Type) -> String {
        match ty {
            // Only behind pointers, where the element type is left open.
            Type::Void => "::core::ffi::c_void".to_owned(),
            Type::Scalar(scalar) => self.scalar(*scalar),
            Type::Vector(vector) => self.in_types(&vector_name(*vector)),
            Type::Pointer(pointer) => {
                format!("runtime::DeviceAddress<{}>", self.value(&pointer.pointee))
            }
            Type::Array(element, length) => {
                format!("[{}; {}]", self.value(element), number(i128::from(*length)))
            }
            Type::Record(id) => self.named(&Key::Record(*id)),
            Type::Enum(id) => self.named(&Key::Enum(*id)),
            Type::Opaque(name) => self.named(&Key::Opaque(name.clone())),
            Type::Function => self.in_types("DeviceFunction"),
            Type::TensorMap { align } => self.in_types(&tensor_map_name(*align)),
        }
    }

    /// Rust names of parameters, none twice, and none that an enumeration has: its constructor is a value, which Rust
    /// lets no parameter hide.
    pub(super) fn param_names(&self, params: &[Param]) -> Vec<String> {
        let enums = self.module.enums.values();
        let enums: Vec<String> = enums.map(|place| place.ident.clone()).collect();
        let mut names: Vec<String> = Vec::new();
        let mut in_pack = 0;
        for (ordinal, param) in params.iter().enumerate() {
            let name = match &param.name {
                Some(name) if param.pack => {
                    in_pack += 1;
                    format!("{name}_{}", in_pack - 1)
                }
                Some(name) => name.clone(),
                None => format!("p{ordinal}"),
            };
            let mut name = names::ident(&name, Kind::Value);
            while names.contains(&name) || enums.contains(&name) {
                name.push('_');
            }
            names.push(name);
        }
        names
    }

    fn scalar(&self, scalar: Scalar) -> String {
        if let Some(name) = primitive(scalar) {
            return name.to_owned();
        }
        match (scalar, self.plan.input.half) {
            (Scalar::Half, HalfTypes::HalfCrate) => "::half::f16".to_owned(),
            (Scalar::BFloat16, HalfTypes::HalfCrate) => "::half::bf16".to_owned(),
            _ => self.in_types(&newtype_name(scalar)),
        }
    }

    fn named(&self, key: &Key) -> String {
        match self.module.place(key) {
            Some(place) => self.path(&place.path, &place.ident),
            // Every reachable type has a place; a hole would be a compile error in the user's crate.
            None => "::core::ffi::c_void".to_owned(),
        }
    }

    fn in_types(&self, ident: &str) -> String {
        self.path(&[TYPES.to_owned()], ident)
    }

    /// The shortest path from here. Modules outside `types` import it by name.
    pub(super) fn path(&self, to: &[String], ident: &str) -> String {
        let here_in_types = self.here.first().is_some_and(|top| top == TYPES);
        let to_types = to.first().is_some_and(|top| top == TYPES);
        if to_types && !here_in_types {
            return format!("{}::{ident}", to.join("::"));
        }
        let common = self.here.iter().zip(to).take_while(|(a, b)| a == b).count();
        let mut path = "super::".repeat(self.here.len() - common);
        for part in &to[common..] {
            path.push_str(part);
            path.push_str("::");
        }
        path.push_str(ident);
        path
    }
}

/// The Rust primitive with the same values and size.
pub(super) fn primitive(scalar: Scalar) -> Option<&'static str> {
    Some(match scalar {
        Scalar::Bool => "bool",
        Scalar::Char => "::core::ffi::c_char",
        Scalar::SChar => "i8",
        Scalar::UChar | Scalar::Char8 => "u8",
        Scalar::Short => "i16",
        Scalar::UShort | Scalar::Char16 => "u16",
        Scalar::Int | Scalar::WChar => "i32",
        Scalar::UInt | Scalar::Char32 => "u32",
        Scalar::Long | Scalar::LongLong => "i64",
        Scalar::ULong | Scalar::ULongLong | Scalar::NullPtr => "u64",
        Scalar::SizeT => "usize",
        Scalar::PtrDiff => "isize",
        Scalar::Int128 => "i128",
        Scalar::UInt128 => "u128",
        Scalar::Float => "f32",
        Scalar::Double => "f64",
        Scalar::Half
        | Scalar::BFloat16
        | Scalar::Fp8E4M3
        | Scalar::Fp8E5M2
        | Scalar::Fp8E8M0
        | Scalar::Byte(_) => return None,
    })
}

/// Whether two C++ types are one in Rust.
pub(super) fn same_primitive(a: Scalar, b: Scalar) -> bool {
    primitive(a).is_some() && primitive(a) == primitive(b)
}

/// `float4`, `__half2`: the name in C++.
pub(super) fn vector_c_name(vector: Vector) -> String {
    match (vector.element, vector.dim3) {
        (_, true) => "dim3".to_owned(),
        (Scalar::Half, _) => format!("__half{}", vector.lanes),
        (Scalar::BFloat16, _) => format!("__nv_bfloat16{}", vector.lanes),
        _ => vector_name(vector).to_lowercase(),
    }
}

/// Size in bytes, which is also the alignment.
pub(super) fn scalar_size(scalar: Scalar) -> u64 {
    match scalar {
        Scalar::Bool
        | Scalar::Char
        | Scalar::SChar
        | Scalar::UChar
        | Scalar::Char8
        | Scalar::Fp8E4M3
        | Scalar::Fp8E5M2
        | Scalar::Fp8E8M0
        | Scalar::Byte(_) => 1,
        Scalar::Short | Scalar::UShort | Scalar::Char16 | Scalar::Half | Scalar::BFloat16 => 2,
        Scalar::Int | Scalar::UInt | Scalar::WChar | Scalar::Char32 | Scalar::Float => 4,
        Scalar::Long
        | Scalar::ULong
        | Scalar::LongLong
        | Scalar::ULongLong
        | Scalar::SizeT
        | Scalar::PtrDiff
        | Scalar::Double
        | Scalar::NullPtr => 8,
        Scalar::Int128 | Scalar::UInt128 => 16,
    }
}

/// Whether a scalar is a signed integer.
pub(super) fn is_signed(scalar: Scalar) -> bool {
    matches!(
        scalar,
        Scalar::Char
            | Scalar::SChar
            | Scalar::Short
            | Scalar::Int
            | Scalar::Long
            | Scalar::LongLong
            | Scalar::PtrDiff
            | Scalar::Int128
            | Scalar::WChar
    )
}

/// Name of a number type without a Rust primitive.
fn newtype_name(scalar: Scalar) -> String {
    match scalar {
        Scalar::Half => "Half".to_owned(),
        Scalar::BFloat16 => "BFloat16".to_owned(),
        Scalar::Fp8E4M3 => "Fp8E4M3".to_owned(),
        Scalar::Fp8E5M2 => "Fp8E5M2".to_owned(),
        Scalar::Fp8E8M0 => "Fp8E8M0".to_owned(),
        // `__nv_fp4_e2m1` is `Fp4E2M1`.
        Scalar::Byte(name) => name
            .trim_start_matches("__nv_")
            .split('_')
            .map(|word| {
                let (first, rest) = word.split_at(word.len().min(1));
                format!("{}{}", first.to_uppercase(), rest.replace('m', "M"))
            })
            .collect(),
        _ => String::new(),
    }
}

/// Whether an identifier is one of the toolkit's types in [`TYPES`].
pub(super) fn is_builtin(ident: &str) -> bool {
    const STEMS: &[&str] = &[
        "Half",
        "BFloat16",
        "Fp8",
        "Fp6",
        "Fp4",
        "TensorMap",
        "DeviceFunction",
        "Dim3",
        "Char",
        "UChar",
        "Short",
        "UShort",
        "Int",
        "UInt",
        "Long",
        "ULong",
        "LongLong",
        "ULongLong",
        "Float",
        "Double",
    ];
    let rest = STEMS.iter().filter_map(|stem| ident.strip_prefix(stem));
    rest.into_iter().any(|rest| {
        rest.is_empty()
            || rest.starts_with(|next: char| next.is_ascii_digit() || next == 'E' || next == 'x')
    })
}

/// `float4` is `Float4`, `__half2` is `Half2`, `__nv_bfloat162` is `BFloat16x2`, `double4_32a` is
/// `Double4Align32`.
pub(super) fn vector_name(vector: Vector) -> String {
    if vector.dim3 {
        return "Dim3".to_owned();
    }
    let element = match vector.element {
        Scalar::Char | Scalar::SChar => "Char",
        Scalar::UChar => "UChar",
        Scalar::Short => "Short",
        Scalar::UShort => "UShort",
        Scalar::Int => "Int",
        Scalar::UInt => "UInt",
        Scalar::Long => "Long",
        Scalar::ULong => "ULong",
        Scalar::LongLong => "LongLong",
        Scalar::ULongLong => "ULongLong",
        Scalar::Float => "Float",
        Scalar::Double => "Double",
        other => &newtype_name(other),
    };
    let lanes = u64::from(vector.lanes);
    let separator = if element.ends_with(|last: char| last.is_ascii_digit()) {
        "x"
    } else {
        ""
    };
    let size = scalar_size(vector.element);
    let usual = match lanes {
        2 => size * 2,
        4 => (size * 4).min(16),
        _ => size,
    };
    let align = u64::from(vector.align);
    if align == usual {
        format!("{element}{separator}{lanes}")
    } else {
        format!("{element}{separator}{lanes}Align{align}")
    }
}

fn tensor_map_name(align: u64) -> String {
    // 128 since CUDA 13; files of both ages in one crate get both types.
    if align == 128 {
        "TensorMap".to_owned()
    } else {
        format!("TensorMapAlign{align}")
    }
}

/// Writes the toolkit types that the file needs. `impls` yields what the backend wants of each type.
pub(super) fn write_builtins(out: &mut Writer, plan: &Plan<'_>, impls: &dyn Fn(&mut Writer, &str)) {
    let mut first = true;
    let mut gap = |out: &mut Writer| {
        if !std::mem::take(&mut first) {
            out.line("");
        }
    };
    for &scalar in &plan.builtins.scalars {
        let in_crate = plan.input.half == HalfTypes::HalfCrate
            && matches!(scalar, Scalar::Half | Scalar::BFloat16);
        if primitive(scalar).is_some() || in_crate {
            continue;
        }
        gap(out);
        write_newtype(out, scalar, impls);
    }
    for &vector in &plan.builtins.vectors {
        gap(out);
        write_vector(out, plan, vector, impls);
    }
    for &align in &plan.builtins.tensor_maps {
        gap(out);
        write_tensor_map(out, align, impls);
    }
    if plan.builtins.functions {
        gap(out);
        out.doc("The address of a device function, which only device code can take.");
        out.line("#[repr(transparent)]");
        out.line("#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]");
        out.line("pub struct DeviceFunction(pub u64);");
        impls(out, "DeviceFunction");
    }
}

fn write_newtype(out: &mut Writer, scalar: Scalar, impls: &dyn Fn(&mut Writer, &str)) {
    let name = newtype_name(scalar);
    let (what, bits) = match scalar {
        Scalar::Half => ("`__half`: IEEE 754 binary16", "u16"),
        Scalar::BFloat16 => (
            "`__nv_bfloat16`: the upper half of an IEEE 754 binary32",
            "u16",
        ),
        Scalar::Fp8E4M3 => ("`__nv_fp8_e4m3`: 4 exponent and 3 mantissa bits", "u8"),
        Scalar::Fp8E5M2 => ("`__nv_fp8_e5m2`: 5 exponent and 2 mantissa bits", "u8"),
        Scalar::Fp8E8M0 => ("`__nv_fp8_e8m0`: 8 exponent bits, a power of two", "u8"),
        Scalar::Byte(c_name) => (&*format!("`{c_name}`, one byte of storage"), "u8"),
        _ => return,
    };
    out.doc(&format!("{what}, as bits."));
    out.line("#[repr(transparent)]");
    out.line("#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]");
    out.line(format!("pub struct {name}(pub {bits});"));
    impls(out, &name);
}

fn write_vector(
    out: &mut Writer,
    plan: &Plan<'_>,
    vector: Vector,
    impls: &dyn Fn(&mut Writer, &str),
) {
    let name = vector_name(vector);
    let element = match (vector.element, plan.input.half) {
        (Scalar::Half, HalfTypes::HalfCrate) => "::half::f16".to_owned(),
        (Scalar::BFloat16, HalfTypes::HalfCrate) => "::half::bf16".to_owned(),
        // CUDA's `char` vectors hold `signed char`.
        (Scalar::Char, _) => "i8".to_owned(),
        (scalar, _) => primitive(scalar).map_or_else(|| newtype_name(scalar), str::to_owned),
    };
    let size = scalar_size(vector.element);
    let align = u64::from(vector.align);
    let bytes = (size * u64::from(vector.lanes)).next_multiple_of(align.max(1));
    out.doc(&format!(
        "{} of `{element}`, {bytes} bytes aligned to {align}.",
        match vector.lanes {
            1 => "A vector of one".to_owned(),
            lanes => format!("{lanes}"),
        }
    ));
    out.line(if align > size {
        format!("#[repr(C, align({align}))]")
    } else {
        "#[repr(C)]".to_owned()
    });
    out.line("#[derive(Clone, Copy, Debug, Default, PartialEq)]");
    out.open(format!("pub struct {name} {{"));
    let lanes = usize::from(vector.lanes.min(4));
    for lane in &["x", "y", "z", "w"][..lanes] {
        out.doc(&format!("Component {lane}."));
        out.line(format!("pub {lane}: {element},"));
    }
    out.close("}");
    out.line("");
    out.open("const _: () = {");
    out.assert_equal(&format!("size_of::<{name}>()"), &number(i128::from(bytes)));
    out.assert_equal(&format!("align_of::<{name}>()"), &number(i128::from(align)));
    out.close("};");
    impls(out, &name);
}

fn write_tensor_map(out: &mut Writer, align: u64, impls: &dyn Fn(&mut Writer, &str)) {
    let name = tensor_map_name(align);
    out.doc("`CUtensorMap`: what the driver's `cuTensorMapEncode` functions fill in.");
    out.line(format!("#[repr(C, align({align}))]"));
    out.line("#[derive(Clone, Copy, Debug, PartialEq, Eq)]");
    out.open(format!("pub struct {name} {{"));
    out.doc("As the driver wrote it.");
    out.line("pub opaque: [u64; 16],");
    out.close("}");
    impls(out, &name);
}
