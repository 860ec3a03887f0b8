//! The toolkit's own types and their Rust counterparts: names, sizes, signs.

use crate::lists::CollectText;
use crate::signature::model::{Scalar, Vector};

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
        | Scalar::Byte(_)
        | Scalar::Texture
        | Scalar::Surface => return None,
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
        _ => {
            let name = vector_name(vector).to_lowercase();
            match name.split_once("align") {
                Some((plain, align)) => format!("{plain}_{align}a"),
                None => name,
            }
        }
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

/// Name of a number or handle without a Rust primitive.
pub(super) fn newtype_name(scalar: Scalar) -> String {
    match scalar {
        Scalar::Half => "Half".to_owned(),
        Scalar::BFloat16 => "BFloat16".to_owned(),
        Scalar::Fp8E4M3 => "Fp8E4M3".to_owned(),
        Scalar::Fp8E5M2 => "Fp8E5M2".to_owned(),
        Scalar::Fp8E8M0 => "Fp8E8M0".to_owned(),
        Scalar::Texture => "TextureObject".to_owned(),
        Scalar::Surface => "SurfaceObject".to_owned(),
        // `__nv_fp4_e2m1` is `Fp4E2M1`.
        Scalar::Byte(name) => name
            .trim_start_matches("__nv_")
            .split('_')
            .map(|word| {
                let (first, rest) = word.split_at(word.len().min(1));
                format!("{}{}", first.to_uppercase(), rest.replace('m', "M"))
            })
            .collect_text(),
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
        "TextureObject",
        "SurfaceObject",
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
    let size = vector.element.size();
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

/// `CUtensorMap`. It is aligned to 64 bytes in CUDA 12 and to 128 since 13; the name is the same, so that one crate builds
/// with both.
pub(super) const TENSOR_MAP: &str = "TensorMap";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn vectors_are_called_as_in_cpp() {
        let vector = |element, lanes, align| Vector {
            element,
            lanes,
            align,
            dim3: false,
        };
        for (vector, cpp, rust) in [
            (vector(Scalar::Float, 4, 16), "float4", "Float4"),
            (vector(Scalar::UChar, 3, 1), "uchar3", "UChar3"),
            (vector(Scalar::Double, 4, 16), "double4", "Double4"),
            (
                vector(Scalar::Double, 4, 32),
                "double4_32a",
                "Double4Align32",
            ),
            (vector(Scalar::ULongLong, 2, 16), "ulonglong2", "ULongLong2"),
            (
                vector(Scalar::BFloat16, 2, 4),
                "__nv_bfloat162",
                "BFloat16x2",
            ),
        ] {
            assert_eq!(vector_c_name(vector), cpp);
            assert_eq!(vector_name(vector), rust);
        }
    }
}
