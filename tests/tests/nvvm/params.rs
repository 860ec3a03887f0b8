//! Each type that a kernel can take, between two bytes: the argument of the wrapper, where the cubin has it, or why there is
//! no wrapper.

use std::{fmt::Write as _, fs};

use cubin_core::{Cubin, Params};
use cubin_tests::{tools, user_crate};

use super::{Dialect, build, module, scratch, show};

/// Types, with attributes behind; `BV` is passed by value.
const TYPES: &[(&str, &str)] = &[
    ("i1", "i1 zeroext"),
    ("i8_unsigned", "i8 zeroext"),
    ("i8_signed", "i8 signext"),
    ("i8", "i8"),
    ("i16", "i16"),
    ("i24", "i24"),
    ("i32", "i32"),
    ("i48", "i48"),
    ("i64", "i64"),
    ("i96", "i96"),
    ("i128", "i128"),
    ("i256", "i256"),
    ("half", "half"),
    ("float", "float"),
    ("double", "double"),
    ("pointer", "P0<float>"),
    ("global", "P1<float>"),
    ("global_aligned", "P1<float> align 16 noalias readonly"),
    ("shared", "P3<float>"),
    ("constant", "P4<float>"),
    ("local", "P5<float>"),
    ("function", "FN[void (i32)]"),
    ("float2", "<2 x float>"),
    ("float4", "<4 x float>"),
    ("float3", "<3 x float>"),
    ("half2", "<2 x half>"),
    ("char2", "<2 x i8>"),
    ("char4", "<4 x i8>"),
    ("bool2", "<2 x i1>"),
    ("int8", "<8 x i32>"),
    ("double2", "<2 x double>"),
    ("array", "[3 x i32]"),
    ("bytes", "[5 x i8]"),
    ("structure", "{ i8, i64, i16 }"),
    ("packed", "<{ i8, i64, i16 }>"),
    ("nested", "%Outer"),
    ("vector_inside", "{ i32, <4 x float> }"),
    ("empty", "{}"),
    ("empty_array", "[0 x i32]"),
    ("by_value", "BV<{ i8, i64, i16 }> align 8"),
    ("by_value_aligned", "BV<{ i8, i64, i16 }> align 16"),
    ("by_value_named", "BV<%struct.Params> align 8"),
    ("by_value_bytes", "BV<[5 x i8]>"),
    ("by_value_large", "BV<[8000 x i8]> align 8"),
];

fn text(dialect: Dialect, name: &str, ty: &str) -> String {
    let (declared, of_function) = match ty
        .strip_prefix("BV<")
        .and_then(|rest| rest.rsplit_once('>'))
    {
        Some((inner, rest)) if dialect == Dialect::Typed => {
            (format!("{inner}* byval{rest}"), format!("{inner}*"))
        }
        Some((inner, rest)) => (format!("ptr byval({inner}){rest}"), "ptr".to_owned()),
        None => {
            let plain = [" zeroext", " signext", " align"]
                .iter()
                .find_map(|attribute| ty.split_once(attribute))
                .map_or(ty, |(plain, _)| plain);
            (ty.to_owned(), plain.to_owned())
        }
    };
    let definitions = format!(
        "%Inner = type {{ i16, float }}\n%Outer = type {{ i8, %Inner, [2 x i16] }}\n\
         %struct.Params = type {{ i32, double, [3 x i32] }}\n\
         define void @k_{name}(i8 %first, {declared} %x, i8 %last) {{\n  ret void\n}}\n"
    );
    let metadata = format!(
        "!nvvm.annotations = !{{!0}}\n!0 = !{{FN[void (i8, {of_function}, i8)] @k_{name}, !\"kernel\", i32 1}}\n"
    );
    dialect.write(&module(&definitions, &metadata))
}

#[test]
fn every_type_has_its_argument_and_its_bytes() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let mut recorded = String::new();
    let mut files = Vec::new();
    for (name, ty) in TYPES {
        writeln!(recorded, "## {ty}").expect("text");
        for dialect in Dialect::ALL {
            let what = dialect.name();
            // Each in a folder of its own, so that all generated files are there at the end.
            let dir = scratch(&format!("params/{name}-{what}"));
            let output = match build(&dir, &text(dialect, name, ty), &dialect.targets(), "") {
                Ok(output) => output,
                Err(findings) => {
                    writeln!(recorded, "{what}:\n{}", show(&findings)).expect("text");
                    continue;
                }
            };
            let generated = fs::read_to_string(&output.generated).expect("the generated file");
            let argument = generated.split("first: ").nth(1).and_then(|rest| {
                let (_, rest) = rest.split_once("x: ")?;
                rest.split("last: ").next()
            });
            let argument = argument.unwrap_or("none").trim().trim_end_matches(',');
            let mut places = Vec::new();
            for path in &output.cubins {
                let data = fs::read(path).expect("a cubin");
                let cubin = Cubin::parse(&data).expect("a cubin");
                let kernels = cubin.kernels().expect("kernels");
                let Params::Recorded { params, .. } = &kernels[0].params else {
                    panic!("no parameters")
                };
                places.push(format!("{} bytes at {}", params[1].size, params[1].offset));
            }
            writeln!(
                recorded,
                "{what}: {argument}; {}\n{}",
                places.join(", "),
                show(&output.warnings)
            )
            .expect("text");
            files.push((format!("{name}_{what}"), output.generated));
        }
    }
    tools::same_as_recorded("nvvm/params.txt", &recorded);
    // What is generated holds its own sizes and offsets to those of the cubin.
    user_crate::check(&scratch("params/user"), &files, "");
}
