//! Each type that a kernel can take, between two bytes: the argument of the wrapper, where the cubin has it, or why there is
//! no wrapper.

use std::{collections::BTreeMap, fmt::Write as _, fs, path::Path, process::Command};

use cubin_core::{Cubin, Function, Params, Sm};
use cubin_tests::{fake_driver, tools, user_crate};

use super::{Dialect, build, module, scratch, show};

/// The name of the kernel, the type with its attributes (`BV` is passed by value), and where there is a wrapper an argument
/// and its bytes, of which `..` are padding.
type Row = (
    &'static str,
    &'static str,
    Option<(&'static str, &'static str)>,
);

const TYPES: &[Row] = &[
    ("i1", "i1 zeroext", Some(("true", "01"))),
    ("i8_unsigned", "i8 zeroext", Some(("0xa1", "a1"))),
    ("i8_signed", "i8 signext", Some(("-2", "fe"))),
    ("i8", "i8", Some(("-3", "fd"))),
    ("i16", "i16", Some(("-0x1234", "cced"))),
    ("i24", "i24", None),
    ("i32", "i32", Some(("0x0403_0201", "01020304"))),
    ("i48", "i48", None),
    (
        "i64",
        "i64",
        Some(("0x0807_0605_0403_0201", "0102030405060708")),
    ),
    ("i96", "i96", None),
    (
        "i128",
        "i128",
        Some((
            "0x100f_0e0d_0c0b_0a09_0807_0605_0403_0201",
            "0102030405060708090a0b0c0d0e0f10",
        )),
    ),
    ("i256", "i256", None),
    ("half", "half", Some(("types::Half(0x3c01)", "013c"))),
    (
        "bfloat",
        "bfloat",
        Some(("types::BFloat16(0x3f81)", "813f")),
    ),
    ("float", "float", Some(("1.5", "0000c03f"))),
    ("double", "double", Some(("-2.5", "00000000000004c0"))),
    (
        "pointer",
        "P0<float>",
        Some((
            "&mut DeviceAddress::<f32>::new(ADDRESS)",
            "8077665544332211",
        )),
    ),
    (
        "global",
        "P1<float>",
        Some((
            "&mut DeviceAddress::<f32>::new(ADDRESS)",
            "8077665544332211",
        )),
    ),
    (
        "global_aligned",
        "P1<float> align 16 noalias readonly",
        Some(("&DeviceAddress::<f32>::new(ADDRESS)", "8077665544332211")),
    ),
    ("shared", "P3<float>", Some(("0x40", "4000000000000000"))),
    (
        "constant",
        "P4<float>",
        Some(("&DeviceAddress::<f32>::new(ADDRESS)", "8077665544332211")),
    ),
    ("local", "P5<float>", None),
    (
        "function",
        "FN[void (i32)]",
        Some(("&mut DeviceAddress::<u8>::new(ADDRESS)", "8077665544332211")),
    ),
    (
        "float2",
        "<2 x float>",
        Some(("types::Float2 { x: 1.0, y: 2.0 }", "0000803f00000040")),
    ),
    (
        "float4",
        "<4 x float>",
        Some((
            "types::Float4 { x: 1.0, y: 2.0, z: 3.0, w: 4.0 }",
            "0000803f000000400000404000008040",
        )),
    ),
    (
        "float3",
        "<3 x float>",
        Some((
            "m::F32x3 { lanes: [1.0, 2.0, 3.0, 4.0] }",
            "0000803f000000400000404000008040",
        )),
    ),
    (
        "half2",
        "<2 x half>",
        Some((
            "m::Halfx2 { lanes: [types::Half(0x1112), types::Half(0x1314)] }",
            "12111413",
        )),
    ),
    (
        "bfloat2",
        "<2 x bfloat>",
        Some((
            "m::BFloat16x2 { lanes: [types::BFloat16(0x1112), types::BFloat16(0x1314)] }",
            "12111413",
        )),
    ),
    (
        "char2",
        "<2 x i8>",
        Some(("types::Char2 { x: 1, y: -2 }", "01fe")),
    ),
    (
        "char4",
        "<4 x i8>",
        Some(("types::Char4 { x: 1, y: 2, z: 3, w: 4 }", "01020304")),
    ),
    ("bool2", "<2 x i1>", None),
    (
        "int8",
        "<8 x i32>",
        Some((
            "m::I32x8 { lanes: [1, 2, 3, 4, 5, 6, 7, 8] }",
            "0100000002000000030000000400000005000000060000000700000008000000",
        )),
    ),
    (
        "double2",
        "<2 x double>",
        Some((
            "types::Double2 { x: 1.0, y: 2.0 }",
            "000000000000f03f0000000000000040",
        )),
    ),
    (
        "array",
        "[3 x i32]",
        Some(("[1, 2, 3]", "010000000200000003000000")),
    ),
    ("bytes", "[5 x i8]", Some(("[1, 2, 3, 4, 5]", "0102030405"))),
    (
        "structure",
        "{ i8, i64, i16 }",
        Some((
            "m::Struct_i8_i64_i16 { m0: 1, m1: 2, m2: 3 }",
            "01..............02000000000000000300............",
        )),
    ),
    (
        "packed",
        "<{ i8, i64, i16 }>",
        Some((
            "m::Packed_i8_i64_i16 { m0: 1, m1: 2, m2: 3 }",
            "0102000000000000000300",
        )),
    ),
    (
        "nested",
        "%Outer",
        Some((
            "m::Outer { m0: 1, m1: m::Inner { m0: 2, m1: 1.0 }, m2: [3, 4] }",
            "01......0200....0000803f03000400",
        )),
    ),
    (
        "vector_inside",
        "{ i32, <4 x float> }",
        Some((
            "m::Struct_i32_4_x_float { m0: 7, m1: types::Float4 { x: 1.0, y: 2.0, z: 3.0, w: 4.0 } }",
            "07000000........................0000803f000000400000404000008040",
        )),
    ),
    ("empty", "{}", None),
    ("empty_array", "[0 x i32]", None),
    (
        "by_value",
        "BV<{ i8, i64, i16 }> align 8",
        Some((
            "m::Struct_i8_i64_i16 { m0: 1, m1: 2, m2: 3 }",
            "01..............02000000000000000300............",
        )),
    ),
    (
        "by_value_aligned",
        "BV<{ i8, i64, i16 }> align 16",
        Some((
            "std::array::from_fn(|at| at as u8)",
            "000102030405060708090a0b0c0d0e0f1011121314151617",
        )),
    ),
    (
        "by_value_named",
        "BV<%struct.Params> align 8",
        Some((
            "m::Params { m0: 1, m1: 2.0, m2: [3, 4, 5] }",
            "01000000........0000000000000040030000000400000005000000........",
        )),
    ),
    (
        "by_value_bytes",
        "BV<[5 x i8]>",
        Some(("[1, 2, 3, 4, 5]", "0102030405")),
    ),
    (
        "by_value_large",
        "BV<[8000 x i8]> align 8",
        Some(("&m::Bytes8000Align8 { value: [7; 8000] }", "07 x 8000")),
    ),
];

/// How a parameter of the type is written in the definition, and in the kernel's type.
fn written(dialect: Dialect, ty: &str) -> (String, String) {
    match ty
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
    }
}

/// Types that have names.
const NAMED: &str = "%Inner = type { i16, float }\n%Outer = type { i8, %Inner, [2 x i16] }\n\
                     %struct.Params = type { i32, double, [3 x i32] }\n";

fn definition(dialect: Dialect, name: &str, ty: &str) -> String {
    let (declared, _) = written(dialect, ty);
    format!("define void @k_{name}(i8 %first, {declared} %x, i8 %last) {{\n  ret void\n}}\n")
}

/// Which functions are kernels.
fn metadata(dialect: Dialect, kernels: &[(&str, &str)]) -> String {
    let mut text = String::new();
    let nodes: Vec<String> = (0..kernels.len()).map(|node| format!("!{node}")).collect();
    writeln!(text, "!nvvm.annotations = !{{{}}}", nodes.join(", ")).expect("text");
    for (node, (name, ty)) in kernels.iter().enumerate() {
        let (_, of_function) = written(dialect, ty);
        writeln!(
            text,
            "!{node} = !{{FN[void (i8, {of_function}, i8)] @k_{name}, !\"kernel\", i32 1}}"
        )
        .expect("text");
    }
    text
}

/// What the compilers say of one type.
fn each(recorded: &mut String, (name, ty, _): &Row) {
    writeln!(recorded, "## {ty}").expect("text");
    let dir = scratch("params/each");
    for dialect in Dialect::ALL {
        let what = dialect.name();
        let definitions = NAMED.to_owned() + &definition(dialect, name, ty);
        let text = dialect.write(&module(&definitions, &metadata(dialect, &[(name, ty)])));
        let output = match build(&dir, &text, &dialect.targets(), "") {
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
        let places = output.cubins.iter().map(|path| {
            let found = params(path);
            let [_, (offset, size), _] = found.values().next().expect("a kernel").as_slice() else {
                panic!("three parameters")
            };
            format!("{size} bytes at {offset}")
        });
        let places: Vec<String> = places.collect();
        writeln!(
            recorded,
            "{what}: {argument}; {}\n{}",
            places.join(", "),
            show(&output.warnings)
        )
        .expect("text");
    }
}

/// Offset and size of each parameter of each kernel.
fn params(cubin: &Path) -> BTreeMap<String, Vec<(usize, usize)>> {
    let data = fs::read(cubin).expect("a cubin");
    let cubin = Cubin::parse(&data).expect("a cubin");
    let kernels = cubin.kernels().expect("kernels");
    let of = |kernel: &Function<'_>| {
        let Params::Recorded { params, .. } = &kernel.params else {
            panic!("no parameters")
        };
        let places = params
            .iter()
            .map(|param| (param.offset as usize, param.size as usize));
        (kernel.symbol.to_owned(), places.collect())
    };
    kernels.iter().map(of).collect()
}

/// A program that launches every kernel of both modules on the device that the driver has.
fn launches(rows: &[&Row]) -> String {
    let mut text = String::from(
        "//! Launches all kernels of a module.\n\nconst ADDRESS: u64 = 0x1122_3344_5566_7780;\n\n\
         fn main() {\n    match std::env::args().nth(1).as_deref() {\n        Some(\"typed\") => typed(),\n        _ => opaque(),\n    }\n}\n",
    );
    for dialect in Dialect::ALL {
        let what = dialect.name();
        write!(
            text,
            "\nfn {what}() {{\n    use user::{what}::{{m, runtime::{{self, DeviceAddress}}, types}};\n    \
             let context = runtime::context(0).expect(\"the fake driver\");\n    let stream = context.default_stream();\n    \
             let module = m::Module::load(&context).expect(\"an image\");\n    \
             let launch = || runtime::LaunchConfig {{ grid_dim: (1, 1, 1), block_dim: (1, 1, 1), shared_mem_bytes: 0 }};\n"
        )
        .expect("text");
        for (name, ty, value) in rows {
            if let Some((argument, _)) = value
                && exists(dialect, ty)
            {
                writeln!(
                    text,
                    "    // SAFETY: nothing runs.\n    unsafe {{ module.k_{name}(&stream, launch(), 11, {argument}, 13) }}.expect(\"{name}\");"
                )
                .expect("text");
            }
        }
        text.push_str("}\n");
    }
    text
}

/// Whether the module of a dialect has a kernel with the type: `bfloat` takes a module to the newer reader, whatever its
/// pointers are like.
fn exists(dialect: Dialect, ty: &str) -> bool {
    dialect == Dialect::Opaque || !ty.contains("bfloat")
}

#[test]
fn every_type_has_its_argument() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let mut recorded = String::new();
    for row in TYPES {
        each(&mut recorded, row);
    }
    tools::same_as_recorded("nvvm/params.txt", &recorded);
}

/// For both dialects and four targets: what is passed lies where the cubin has the parameter.
#[test]
fn every_argument_reaches_the_bytes_that_the_cubin_records() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let rows: Vec<&Row> = TYPES.iter().filter(|(.., value)| value.is_some()).collect();
    let mut files = Vec::new();
    let mut cubins = Vec::new();
    for dialect in Dialect::ALL {
        let of_dialect = rows.iter().filter(|(_, ty, _)| exists(dialect, ty));
        let kernels: Vec<(&str, &str)> = of_dialect.map(|(name, ty, _)| (*name, *ty)).collect();
        let definitions: String = kernels
            .iter()
            .map(|(name, ty)| definition(dialect, name, ty))
            .collect();
        let definitions = NAMED.to_owned() + &definitions;
        let text = dialect.write(&module(&definitions, &metadata(dialect, &kernels)));
        let dir = scratch(&format!("params/all-{}", dialect.name()));
        let output = build(&dir, &text, &dialect.targets(), "");
        let output = output.unwrap_or_else(|findings| panic!("{}", show(&findings)));
        assert!(output.warnings.is_empty(), "{}", show(&output.warnings));
        files.push((dialect.name().to_owned(), output.generated));
        cubins.push((dialect, output.cubins));
    }
    let program = user_crate::program(&scratch("params/user"), &files, &launches(&rows));
    let driver = scratch("params/driver");
    fake_driver::build(&driver, &[]);
    for (dialect, cubins) in cubins {
        for path in cubins {
            let places = params(&path);
            let target = path.file_stem().expect("a name").to_string_lossy();
            let target: Sm = target.trim_start_matches("m.").parse().expect("a target");
            let device = format!("{}.{}", target.number / 10, target.number % 10);
            let mut table = String::new();
            for (kernel, params) in &places {
                table.push_str(kernel);
                for (offset, size) in params {
                    write!(table, " {offset}:{size}").expect("text");
                }
                table.push('\n');
            }
            let (log, list) = (driver.join("log"), driver.join("params"));
            fs::write(&list, table).expect("the table");
            let _ = fs::remove_file(&log);
            let output = Command::new(&program)
                .arg(dialect.name())
                .env("LD_LIBRARY_PATH", &driver)
                .env("FAKE_DRIVER_LOG", &log)
                .env("FAKE_DRIVER_PARAMS", &list)
                .env("FAKE_DRIVER_DEVICE", device)
                .output()
                .expect("the program");
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{target}: {said}");
            let log = fs::read_to_string(&log).expect("a log");
            let log: Vec<String> = log.lines().map(str::to_owned).collect();
            for (name, ty, value) in &rows {
                let Some((_, bytes)) = value.filter(|_| exists(dialect, ty)) else {
                    continue;
                };
                let kernel = format!("k_{name}");
                let block = fake_driver::block(&log, &kernel);
                let [first, x, last] = places[&kernel].as_slice() else {
                    panic!("three parameters")
                };
                let bytes = match bytes.split_once(" x ") {
                    Some((byte, count)) => byte.repeat(count.parse().expect("a count")),
                    None => bytes.to_owned(),
                };
                for (what, (offset, size), bytes) in [
                    ("first", first, "0b"),
                    ("x", x, &bytes),
                    ("last", last, "0d"),
                ] {
                    assert_eq!(bytes.len(), size * 2, "{name} for {target}: {what}");
                    let mut found = String::new();
                    for (at, wanted) in bytes.as_bytes().chunks(2).enumerate() {
                        let byte = block[offset + at].expect("a byte of a parameter");
                        match wanted {
                            b".." => found.push_str(".."),
                            _ => write!(found, "{byte:02x}").expect("text"),
                        }
                    }
                    assert_eq!(found, bytes, "{name} for {target}: {what}");
                }
            }
        }
    }
}
