//! The Rust definitions of the toolkit's own types.

use super::{
    input::HalfTypes,
    planned::Plan,
    scalars::{TENSOR_MAP, newtype_name, primitive, vector_c_name, vector_name},
    write::{Writer, number},
};
use crate::signature::model::{Scalar, Vector};

/// Writes the toolkit types that the file needs. `impls` yields what the backend wants of each type.
pub(super) fn write(out: &mut Writer, plan: &Plan<'_>, impls: &dyn Fn(&mut Writer, &str)) {
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
    if let Some(align) = plan.builtins.tensor_map {
        gap(out);
        write_tensor_map(out, align, impls);
    }
    if plan.builtins.functions {
        gap(out);
        out.doc("The address of a device function, which only device code can take.");
        out.line("#[repr(transparent)]");
        out.line("#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]");
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
        Scalar::Texture => (
            "`cudaTextureObject_t`: what `cuTexObjectCreate` gives",
            "u64",
        ),
        Scalar::Surface => (
            "`cudaSurfaceObject_t`: what `cuSurfObjectCreate` gives",
            "u64",
        ),
        _ => return,
    };
    out.doc(&match bits {
        "u64" => format!("{what}."),
        _ => format!("{what}, as bits."),
    });
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
    let size = vector.element.size();
    let align = u64::from(vector.align);
    let bytes = (size * u64::from(vector.lanes)).next_multiple_of(align.max(1));
    out.doc(&format!(
        "`{}`: {} of `{element}`, {bytes} bytes aligned to {align}.",
        vector_c_name(vector),
        match vector.lanes {
            1 => "a vector of one",
            2 => "two",
            3 => "three",
            _ => "four",
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
    let (bytes, align) = (number(i128::from(bytes)), number(i128::from(align)));
    out.line(format!("assert!(size_of::<{name}>() == {bytes});"));
    out.line(format!("assert!(align_of::<{name}>() == {align});"));
    out.close("};");
    impls(out, &name);
}

fn write_tensor_map(out: &mut Writer, align: u64, impls: &dyn Fn(&mut Writer, &str)) {
    out.doc("`CUtensorMap`: what the driver's `cuTensorMapEncode` functions fill in.");
    out.line(format!("#[repr(C, align({align}))]"));
    out.line("#[derive(Clone, Copy, Debug, PartialEq, Eq)]");
    out.open(format!("pub struct {TENSOR_MAP} {{"));
    out.doc("As the driver wrote it.");
    out.line("pub opaque: [u64; 16],");
    out.close("}");
    impls(out, TENSOR_MAP);
}
