//! Types of NVIDIA's headers that a launch knows by name: small number types, vectors, and the records that nvcc
//! builds in and never prints.
//!
//! From `vector_types.h`, `driver_types.h`, `cuda_fp16.h`, `cuda_bf16.h`, `cuda_fp8.h`, `cuda_fp6.h` and
//! `cuda_fp4.h` of CUDA 13.5. A size given here is compared with the printed record where there is one.

use super::ctype::Builtin;
use super::model::{Scalar, Vector};

/// Scalars the toolkit declares as records, by tag.
pub(super) fn number_record(tag: &str) -> Option<Scalar> {
    Some(match tag {
        "__half" => Scalar::Half,
        "__nv_bfloat16" => Scalar::BFloat16,
        "__nv_fp8_e4m3" => Scalar::Fp8E4M3,
        "__nv_fp8_e5m2" => Scalar::Fp8E5M2,
        "__nv_fp8_e8m0" => Scalar::Fp8E8M0,
        "__nv_fp6_e2m3" => Scalar::Byte("__nv_fp6_e2m3"),
        "__nv_fp6_e3m2" => Scalar::Byte("__nv_fp6_e3m2"),
        "__nv_fp4_e2m1" => Scalar::Byte("__nv_fp4_e2m1"),
        _ => return None,
    })
}

/// A vector type that nvcc builds in and never prints: `float4`, `uchar2`, `double4_32a`, `dim3`.
pub(super) fn vector_record(tag: &str) -> Option<Vector> {
    match tag {
        "dim3" => {
            return Some(Vector {
                element: Scalar::UInt,
                lanes: 3,
                align: 4,
                dim3: true,
            });
        }
        "__half2" | "__nv_bfloat162" => {
            let element = if tag == "__half2" {
                Scalar::Half
            } else {
                Scalar::BFloat16
            };
            return Some(Vector {
                element,
                lanes: 2,
                align: 4,
                dim3: false,
            });
        }
        _ => {}
    }
    let (plain, forced) = match tag.rsplit_once('_') {
        Some((plain, "16a")) => (plain, Some(16)),
        Some((plain, "32a")) => (plain, Some(32)),
        _ => (tag, None),
    };
    let lanes = match plain.as_bytes().last()? {
        digit @ b'1'..=b'4' => digit - b'0',
        _ => return None,
    };
    let element = match plain.get(..plain.len() - 1)? {
        "char" => Scalar::SChar,
        "uchar" => Scalar::UChar,
        "short" => Scalar::Short,
        "ushort" => Scalar::UShort,
        "int" => Scalar::Int,
        "uint" => Scalar::UInt,
        "long" => Scalar::Long,
        "ulong" => Scalar::ULong,
        "longlong" => Scalar::LongLong,
        "ulonglong" => Scalar::ULongLong,
        "float" => Scalar::Float,
        "double" => Scalar::Double,
        _ => return None,
    };
    // Only the four-component vectors of 8-byte elements have variants.
    let size = u8::try_from(element.size()).ok()?;
    if forced.is_some() && (lanes != 4 || size != 8) {
        return None;
    }
    let natural = match lanes {
        2 => 2 * size,
        4 => (4 * size).min(16),
        _ => size,
    };
    Some(Vector {
        element,
        lanes,
        align: forced.unwrap_or(natural),
        dim3: false,
    })
}

/// Records of the runtime headers that nvcc builds in and never prints: member names, types, offsets.
pub(super) fn toolkit_record(tag: &str) -> Option<&'static [(&'static str, Builtin, bool)]> {
    // (name, type, pointer)
    Some(match tag {
        "cudaExtent" => &[
            ("width", Builtin::ULong, false),
            ("height", Builtin::ULong, false),
            ("depth", Builtin::ULong, false),
        ],
        "cudaPos" => &[
            ("x", Builtin::ULong, false),
            ("y", Builtin::ULong, false),
            ("z", Builtin::ULong, false),
        ],
        "cudaPitchedPtr" => &[
            ("ptr", Builtin::Void, true),
            ("pitch", Builtin::ULong, false),
            ("xsize", Builtin::ULong, false),
            ("ysize", Builtin::ULong, false),
        ],
        _ => return None,
    })
}
