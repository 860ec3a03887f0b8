//! The generated file is in rustfmt's shape, whatever the names in it are.

mod codegen_support;

use std::{
    io::Write as _,
    process::{Command, Stdio},
};

use codegen_support::made::{kernel, number, param, scalar, with_kernels};
use cubin_build::{
    codegen::{Backend, HalfTypes, Image, Input, Module, generate},
    kernel::{Facts, Spills},
    signature::model::{
        Definition, Enum, EnumId, Field, Global, Param, Pointer, Record, RecordId, Scalar,
        Signatures, Space, TemplateArg, TemplateValue, Type, ValueType, Vector,
    },
};
use cubin_core::{Function, Sm};

#[test]
fn rustfmt_leaves_the_generated_file_alone() {
    let inputs = [
        codegen_support::both(),
        codegen_support::core(),
        codegen_support::ptx(),
    ];
    let editions = ["2021", "2024"];
    for (input, edition) in inputs
        .iter()
        .flat_map(|input| editions.map(|edition| (input, edition)))
    {
        assert_eq!(
            rustfmt(&generate(input).text, edition),
            "",
            "edition {edition}"
        );
    }
}

#[test]
fn rustfmt_leaves_generic_parameters_of_any_width_alone() {
    let mut kernels = Vec::new();
    for width in 1..50 {
        let n = || scalar("n", "int", Scalar::Int);
        // Numbers alone have a `where` clause; one type among them has none.
        let mut numbers = kernel(&"n".repeat(width), &["3", "4"], vec![n()]);
        numbers.template_args = vec![number(3, Scalar::Char), number(4, Scalar::ULong)];
        let mut mixed = kernel(&"m".repeat(width), &["float", "4"], vec![n()]);
        mixed.template_args[1] = number(4, Scalar::Int);
        let types = kernel(&"t".repeat(width), &["float", "double"], vec![n()]);
        kernels.extend([numbers, mixed, types]);
    }
    let mut input = with_kernels(kernels);
    for backend in [input.backend.clone(), Backend::Core] {
        input.backend = backend;
        let text = generate(&input).text;
        assert!(text.contains("<const A: ::core::ffi::c_char, const B: u64>"));
        assert_eq!(rustfmt(&text, "2024"), "");
    }
}

/// Where rustfmt first writes something else: the lines there, and those that it writes.
fn rustfmt(text: &str, edition: &str) -> String {
    // The formatted file rather than `--check`: rustfmt's own comparison takes memory by the square of the lines.
    let mut child = Command::new("rustfmt")
        .args(["--edition", edition, "--config", "max_width=100"])
        // Without the workspace's own settings.
        .current_dir(std::env::temp_dir())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("rustfmt, a component of every toolchain");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(text.as_bytes()).expect("rustfmt reads all");
    drop(stdin);
    let output = child.wait_with_output().expect("rustfmt ends");
    let errors = String::from_utf8_lossy(&output.stderr);
    let formatted = String::from_utf8_lossy(&output.stdout);
    if formatted == text {
        return errors.into_owned();
    }
    let same = text.lines().zip(formatted.lines());
    let same = same.take_while(|(own, other)| own == other).count();
    let from_there = |text: &str| {
        let lines: Vec<&str> = text.lines().skip(same.saturating_sub(2)).take(12).collect();
        lines.join("\n")
    };
    format!(
        "{errors}{}\n=> rustfmt:\n{}",
        from_there(text),
        from_there(&formatted)
    )
}

/// A name of `width` characters that starts with `start` and breaks nowhere.
fn name(start: &str, width: usize) -> String {
    let rest = width.saturating_sub(start.len());
    format!("{start}{}", "x".repeat(rest))
}

fn pointer(pointee: Type, is_const: bool) -> Type {
    Type::Pointer(Pointer {
        pointee: Box::new(pointee),
        is_const,
        is_volatile: false,
        reference: false,
        restrict: false,
    })
}

fn field(name: &str, ty: Type, offset: u64, size: u64) -> Field {
    Field {
        name: name.to_owned(),
        ty,
        c_type: format!("type of {name}"),
        offset,
        size,
        bits: None,
    }
}

/// Every construct of a generated file, under names of `width` characters.
fn module(width: usize) -> Module {
    let long = |start: &str| name(start, width);
    let int = || Type::Scalar(Scalar::Int);
    let record = |name: String, size, align, fields| Record {
        name,
        unnamed: false,
        is_union: false,
        size,
        align,
        packed: None,
        fields,
        definition: None,
    };
    let scope = long("n");
    let inner = format!("{scope}::{}", long("i"));
    let bits = |name: String, bit, width, scalar| Field {
        bits: Some((bit, width)),
        ..field(&name, Type::Scalar(scalar), bit / 8, 4)
    };
    let records = vec![
        record(
            long("Plain"),
            8,
            4,
            vec![field(&long("a"), int(), 0, 4), field("b", int(), 4, 4)],
        ),
        record(
            format!("{scope}::{}", long("Padded")),
            32,
            16,
            vec![
                field(&long("a"), int(), 0, 4),
                field(&long("b"), Type::Record(RecordId(0)), 16, 8),
                field(&long("p"), pointer(Type::Record(RecordId(0)), true), 24, 8),
            ],
        ),
        record(
            format!("{inner}::{}", long("Bits")),
            16,
            8,
            vec![
                bits(long("flag"), 0, 1, Scalar::Bool),
                bits(long("small"), 1, 3, Scalar::Int),
                bits(long("wide"), 4, 20, Scalar::UInt),
                field(
                    &long("z"),
                    Type::Array(Box::new(Type::Enum(EnumId(0))), 2),
                    4,
                    8,
                ),
            ],
        ),
        Record {
            is_union: true,
            ..record(
                long("Union"),
                8,
                8,
                vec![
                    field(&long("u"), Type::Scalar(Scalar::Double), 0, 8),
                    field(&long("v"), Type::Array(Box::new(int()), 2), 0, 8),
                ],
            )
        },
        // Members that no Rust struct puts there.
        record(
            long("Bytes"),
            8,
            4,
            vec![field(&long("a"), int(), 0, 4), field("b", int(), 2, 4)],
        ),
        record(
            long("Large"),
            4096,
            4,
            vec![field(
                &long("all"),
                Type::Array(Box::new(int()), 1024),
                0,
                4096,
            )],
        ),
        record(
            format!("{inner}::{}", long("Vec")),
            8,
            8,
            vec![field("v", Type::Scalar(Scalar::Double), 0, 8)],
        ),
    ];
    let enums = vec![Enum {
        name: format!("{scope}::{}", long("E")),
        repr: Scalar::Int,
        values: vec![(long("FIRST"), -1), (long("SECOND"), 1_000_000)],
        definition: None,
    }];
    let of_record = |id| Type::Record(RecordId(id));
    let params = || {
        vec![
            scalar(&long("n"), "int", Scalar::Int),
            param(
                &long("x"),
                "const float *",
                pointer(Type::Scalar(Scalar::Float), true),
            ),
            param(&long("y"), "void *", pointer(Type::Void, false)),
            param(&long("s"), "S", of_record(0)),
            param(&long("t"), "S *", pointer(of_record(2), false)),
            param("short", "V", of_record(1)),
            Param {
                size: 4096,
                ..param(&long("l"), "L", of_record(5))
            },
            param("u", "U", of_record(3)),
            param("b", "B", of_record(4)),
            param("e", "E", Type::Enum(EnumId(0))),
            param(
                "o",
                "O *",
                pointer(Type::Opaque(format!("{scope}::{}", long("Opaque"))), true),
            ),
            param("m", "CUtensorMap", Type::TensorMap { align: 128 }),
            param("f", "void (*)()", Type::Function),
            param("h", "__half", Type::Scalar(Scalar::Half)),
            param(
                "w",
                "float4",
                Type::Vector(Vector {
                    element: Scalar::Float,
                    lanes: 4,
                    align: 16,
                    dim3: false,
                }),
            ),
        ]
    };
    let enumerator = |name: &str, number| TemplateArg {
        text: name.to_owned(),
        value: Some(TemplateValue {
            number,
            ty: ValueType::Enum {
                name: enums[0].name.clone(),
                enumerator: Some(name.to_owned()),
            },
        }),
    };
    let value = |ty: &str, scalar| {
        let value = || param("v", ty, Type::Scalar(scalar));
        vec![value(), param(&long("out"), ty, pointer(value().ty, false))]
    };
    let mut kernels = Vec::new();
    for namespaces in [vec![], vec![scope.clone()], vec![scope.clone(), long("i")]] {
        let mut all = vec![
            kernel(&long("k"), &[], vec![]),
            kernel(&long("one"), &[], vec![scalar("n", "int", Scalar::Int)]),
            kernel(&long("all"), &[], params()),
        ];
        let types = [("float", Scalar::Float), ("double", Scalar::Double)];
        all.extend(types.map(|(ty, scalar)| kernel(&long("t"), &[ty], value(ty, scalar))));
        for (ty, scalar) in types {
            let mut mixed = kernel(&long("m"), &[ty, "4"], value(ty, scalar));
            mixed.template_args[1] = number(4, Scalar::Int);
            let pair = kernel(&long("p"), &[ty, "char"], value(ty, scalar));
            let shown = format!("{inner}::{}", long("Vec"));
            let mut record = kernel(&long("r"), &[&shown, ty], value(ty, scalar));
            record.params.push(param("r", &shown, of_record(6)));
            all.extend([mixed, pair, record]);
        }
        for (name, value) in [("FIRST", -1), ("SECOND", 1_000_000)] {
            let shown = format!("{scope}::{}", long(name));
            let mut numbers = kernel(&long("e"), &[&shown, "3"], vec![]);
            numbers.template_args = vec![enumerator(&shown, value), number(3, Scalar::ULong)];
            // The type of a parameter follows from the number.
            let ty = if value < 0 {
                of_record(0)
            } else {
                of_record(6)
            };
            numbers.params.push(param(&long("d"), "D", ty));
            all.push(numbers);
        }
        for kernel in &mut all {
            kernel.namespaces.clone_from(&namespaces);
            kernel.name = format!(
                "{}{}",
                namespaces
                    .iter()
                    .map(|n| format!("{n}::"))
                    .collect::<String>(),
                kernel.name
            );
            kernel.symbol = format!("{}{}", kernel.symbol, namespaces.len());
            kernel.definition = Some(Definition {
                file: format!("kernels/{}.cuh", long("file")).into(),
                line: 7,
            });
        }
        kernels.extend(all);
    }
    let globals = [String::new(), format!("{scope}::"), format!("{inner}::")];
    let globals = globals.iter().flat_map(|scope| {
        let global = |name: String, ty: Option<Type>, size| Global {
            symbol: name.clone(),
            name: format!("{scope}{name}"),
            size,
            space: Space::Device,
            c_type: ty.is_some().then(|| format!("type of {name}")),
            ty,
        };
        [
            global(long("g"), Some(of_record(1)), 32),
            global(
                long("h"),
                Some(Type::Array(Box::new(of_record(6)), 100_000)),
                800_000,
            ),
            global(long("j"), None, 7),
            global(long("q"), Some(pointer(of_record(2), false)), 8),
        ]
    });
    let mut facts = Facts::new("", Sm::new(90), &Function::default());
    let resources = &mut facts.resources;
    resources.registers = 255;
    resources.spill_instructions = Some(3);
    resources.stack = cubin_core::Stack::Known(100_000);
    resources.static_shared = 49_152;
    resources.code_bytes = 1_000_000;
    resources.barriers = Some(1);
    facts.launch.max_threads = Some([1024, 1, 1]);
    facts.spills = Some(Spills {
        stores: 12_345,
        loads: 67,
    });
    let facts = kernels.iter().map(|kernel| {
        let targets = [(Sm::new(90), facts.clone())];
        (kernel.symbol.clone(), targets.into_iter().collect())
    });
    let stem = long("unit");
    let image = |target: &str, assembled_for| Image {
        target: Sm::new(90),
        file: format!("{stem}.{target}"),
        assembled_for,
    };
    Module {
        name: stem.clone(),
        source: format!("kernels/{stem}.cu"),
        images: vec![
            image("sm_90.cubin", None),
            image("compute_90.ptx", Some(Sm::new(90))),
        ],
        facts: facts.collect(),
        signatures: Signatures {
            globals: globals.collect(),
            kernels,
            records,
            enums,
        },
    }
}

#[test]
fn rustfmt_leaves_names_of_any_width_alone() {
    // Names of more than 200 characters are cut.
    let widths = (6..=90).chain([120, 199, 200, 201, 300]);
    let mut input = Input {
        modules: widths.map(module).collect(),
        ..with_kernels(Vec::new())
    };
    for (backend, half, edition) in [
        (Backend::default(), HalfTypes::Generated, "2024"),
        (Backend::Core, HalfTypes::HalfCrate, "2021"),
    ] {
        (input.backend, input.half) = (backend, half);
        let output = generate(&input);
        assert_eq!(output.findings, []);
        assert_eq!(rustfmt(&output.text, edition), "");
    }
}

#[test]
fn rustfmt_is_told_to_skip_only_what_does_not_fit() {
    for backend in [Backend::default(), Backend::Core] {
        let input = Input {
            modules: (1..=16).map(module).collect(),
            backend,
            ..with_kernels(Vec::new())
        };
        let text = generate(&input).text;
        let items = text.matches("pub ").count();
        let skipped = text.matches("#[rustfmt::skip]").count();
        assert!(skipped * 60 < items, "{skipped} of {items} items");
    }
}
