//! The generated file: as recorded, and deterministic. `BLESS=1` rewrites the recording,
//! which `codegen_compile` compiles.

mod codegen_support;

use std::{
    fs,
    path::{Path, PathBuf},
};

use codegen_support::made::{input, kernel, number, param, scalar, with_kernels};
use cubin_build::{
    codegen::{Backend, HalfTypes, Input, generate},
    signature::model::{
        Definition, Global, Record, RecordId, Refusal, Scalar, Signatures, Space, TemplateArg,
        TemplateValue, Type, ValueType,
    },
};

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("golden/codegen")
        .join(name)
}

#[test]
fn generated_files_are_as_recorded() {
    let inputs = [
        ("kinds.rs", codegen_support::kinds()),
        ("both.rs", codegen_support::both()),
        ("core.rs", codegen_support::core()),
        ("ptx.rs", codegen_support::ptx()),
    ];
    for (name, input) in inputs {
        let output = generate(&input);
        assert_eq!(output.findings, []);
        let path = golden(name);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &output.text).expect("a writable recording");
        }
        let recorded = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            recorded == output.text,
            "{} differs from what the generator writes now; look at `git diff` after BLESS=1 cargo test -p cubin-tests --test codegen",
            path.display()
        );
    }
}

#[test]
fn order_of_modules_does_not_matter() {
    let mut input = codegen_support::both();
    let forward = generate(&input);
    input.modules.reverse();
    assert_eq!(forward, generate(&input));
}

#[test]
fn names_that_differ_in_case_alone_stay_apart() {
    let variable = |name: &str| Global {
        symbol: name.to_owned(),
        name: name.to_owned(),
        c_type: None,
        ty: None,
        space: Space::Constant,
        size: 4,
    };
    let output = generate(&input(Signatures {
        kernels: vec![
            kernel("copy", &[], vec![]),
            kernel("Copy", &[], vec![]),
            kernel("fill", &[], vec![]),
        ],
        globals: vec![
            variable("P_M0"),
            variable("P_m0"),
            variable("q"),
            variable("match"),
            variable("Match"),
        ],
        ..Signatures::default()
    }));
    assert_eq!(output.findings, []);
    for text in [
        "pub unsafe fn copy(",
        "pub const copy: KernelInfo",
        "pub unsafe fn Copy(",
        "pub const Copy: KernelInfo",
        "pub const FILL: KernelInfo",
        "pub const P_M0: runtime::Variable",
        "pub const P_m0: runtime::Variable",
        "pub const Q: runtime::Variable",
        "pub const r#match: runtime::Variable",
        "pub const Match: runtime::Variable",
    ] {
        assert!(output.text.contains(text), "{text}");
    }
}

#[test]
fn namespaces_tell_kernels_of_one_name_apart() {
    let by_value = |ty: &str| param("v", ty, Type::Scalar(Scalar::Int));
    let output = generate(&with_kernels(vec![
        kernel("rec", &["n1::P"], vec![by_value("n1::P")]),
        kernel("rec", &["n2::P"], vec![by_value("n2::P")]),
        kernel("rec", &["n2::Q"], vec![by_value("n2::Q")]),
        kernel("deep", &["n1::V<n1::P, 4>"], vec![]),
        kernel("deep", &["n1::V<n2::P, 4>"], vec![]),
        kernel("plain", &[], vec![by_value("n1::P"), by_value("int")]),
        kernel("plain", &[], vec![by_value("n2::P"), by_value("int")]),
    ]));
    assert_eq!(output.findings, []);
    for name in [
        "rec_n1_P(",
        "rec_n2_P(",
        "rec_Q(",
        "deep_n1_V_n1_P_4(",
        "deep_n1_V_n2_P_4(",
        "plain_n1_P_i32(",
        "plain_n2_P_i32(",
    ] {
        assert!(
            output.text.contains(&format!("pub unsafe fn {name}")),
            "{name}"
        );
    }
}

/// Kernels `k0`, `k1`, … that take one record each, by value.
fn with_records(names: &[&str]) -> Input {
    let record = |name: &&str| Record {
        name: (*name).to_owned(),
        alias: None,
        unnamed: false,
        is_union: false,
        size: 1,
        align: 1,
        packed: None,
        fields: Vec::new(),
        definition: None,
    };
    let kernels = (0..names.len()).map(|id| {
        let value = param("value", names[id], Type::Record(RecordId(id)));
        kernel(&format!("k{id}"), &[], vec![value])
    });
    input(Signatures {
        kernels: kernels.collect(),
        records: names.iter().map(record).collect(),
        ..Signatures::default()
    })
}

#[test]
fn types_are_told_apart_by_const_by_namespaces_and_by_a_hash() {
    let output = generate(&with_records(&[
        "View<float>",
        "View<const float>",
        "View<n1::P>",
        "View<n2::P>",
        "S",
        "(anonymous namespace)::S",
        "Q",
    ]));
    assert_eq!(output.findings, []);
    for text in [
        "value: View_f32,",
        "value: View_const_f32,",
        "value: View_n1_P,",
        "value: View_n2_P,",
        "value: S_d60c1322,",
        "value: S_59e9ba1f,",
        "value: Q,",
    ] {
        assert!(output.text.contains(text), "{text}");
    }
}

#[test]
fn types_of_one_name_are_told_apart_all_the_same() {
    let output = generate(&with_records(&["S", "S"]));
    assert_eq!(output.findings, []);
    let defined = output
        .text
        .lines()
        .filter(|line| line.contains("pub struct S_"));
    let defined: std::collections::BTreeSet<&str> = defined.collect();
    assert_eq!(defined.len(), 2, "{defined:?}");
    for kernel in ["k0", "k1"] {
        assert!(output.text.contains(&format!("pub unsafe fn {kernel}(")));
    }
}

#[test]
fn types_that_only_template_arguments_have_are_defined() {
    let with = |argument: &str| kernel("gemm", &[argument], vec![scalar("n", "int", Scalar::Int)]);
    let output = generate(&with_kernels(vec![with("__nv_bfloat16"), with("__half")]));
    assert_eq!(output.findings, []);
    for text in [
        "impl Gemm for types::BFloat16",
        "pub struct BFloat16",
        "impl Gemm for types::Half",
        "pub struct Half",
    ] {
        assert!(output.text.contains(text), "{text}");
    }
}

#[test]
fn kernels_of_one_rust_name_end_in_a_hash() {
    let output = generate(&with_kernels(vec![
        kernel("fill", &["volatile int"], vec![]),
        kernel("fill", &["int"], vec![]),
        kernel("fill", &["const int"], vec![]),
    ]));
    assert_eq!(output.findings, []);
    assert!(output.text.contains("pub unsafe fn fill_const_i32("));
    assert_eq!(output.text.matches("pub unsafe fn fill_i32_").count(), 2);
}

#[test]
fn sources_of_one_name_have_a_module_each() {
    let mut input = codegen_support::kinds();
    let mut second = input.modules[0].clone();
    second.name = "kinds-".to_owned();
    second.source = "more/kinds-.cu".to_owned();
    let mut third = second.clone();
    third.name = "kinds_".to_owned();
    third.source = "more/kinds_.cu".to_owned();
    input.modules.extend([second, third]);
    let output = generate(&input);
    assert_eq!(output.findings, []);
    let modules = output
        .text
        .lines()
        .filter(|line| line.starts_with("pub mod kinds"));
    let modules: Vec<&str> = modules.collect();
    let [plain, hashed, natural] = modules.as_slice() else {
        panic!("{modules:?}");
    };
    assert_eq!((*plain, *natural), ("pub mod kinds {", "pub mod kinds_ {"));
    assert!(hashed.starts_with("pub mod kinds__"), "{hashed}");
}

#[test]
fn types_of_one_size_keep_their_instances_apart() {
    let instance =
        |argument: &str, ty| kernel("add", &[argument], vec![scalar("value", argument, ty)]);
    let output = generate(&with_kernels(vec![
        instance("long", Scalar::Long),
        instance("long long", Scalar::LongLong),
        instance("float", Scalar::Float),
    ]));
    assert_eq!(output.findings, []);
    for name in [
        "add_i64(",
        "add_longlong(",
        "add_f32(",
        "add<T: instances::Add>(",
    ] {
        assert!(
            output.text.contains(&format!("pub unsafe fn {name}")),
            "{name}"
        );
    }
    // Both are `i64` in Rust: only `float` can be told from its type.
    assert!(output.text.contains("impl Add for f32"));
    assert!(!output.text.contains("impl Add for i64"));
}

#[test]
fn a_new_kernel_renames_no_other() {
    let first = kernel("scale", &["float"], vec![scalar("n", "int", Scalar::Int)]);
    let second = kernel("scale", &["double"], vec![scalar("n", "int", Scalar::Int)]);
    let third = kernel(
        "ns::scale",
        &["float"],
        vec![scalar("n", "int", Scalar::Int)],
    );
    let names = |text: &str| -> Vec<String> {
        let lines = text
            .lines()
            .filter_map(|line| line.trim().strip_prefix("pub unsafe fn "));
        lines
            .map(|line| line.split('(').next().unwrap_or_default().to_owned())
            .collect()
    };
    let before = names(&generate(&with_kernels(vec![first.clone()])).text);
    let mut third = third;
    third.namespaces = vec!["ns".to_owned()];
    let after = names(&generate(&with_kernels(vec![second, third, first])).text);
    assert!(
        before.iter().all(|name| after.contains(name)),
        "{before:?} {after:?}"
    );
}

/// The wrappers of the recorded `families.cu`, had its enumeration been declared otherwise.
fn wrappers_with(declared: &[(&str, &str)], number_of_q8_0: &str) -> Vec<String> {
    let file = |name: &str| {
        let bytes =
            cubin_tests::recorded::file("codegen", &format!("families.sm_80.cudafe1.{name}"));
        String::from_utf8(bytes).expect("text")
    };
    let mut gpu = file("gpu");
    let start = gpu.find("enum quant_type {").expect("the enumeration");
    let end = start + gpu[start..].find("};").expect("its end");
    let values = declared
        .iter()
        .map(|(name, value)| format!("{name}{value}"));
    let values: Vec<String> = values.collect();
    gpu.replace_range(
        start..end,
        &format!("enum quant_type {{{}", values.join(",\n")),
    );
    let stub = file("stub.c").replace("::quant_type)8", &format!("::quant_type){number_of_q8_0}"));
    let signatures =
        cubin_build::signature::read(stub.as_bytes(), gpu.as_bytes(), &[]).expect("readable files");
    let text = generate(&input(signatures)).text;
    let lines = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub unsafe fn "));
    let names = lines.map(|line| line.split(['(', '<']).next().unwrap_or_default().to_owned());
    names.collect()
}

#[test]
fn a_new_enumerator_renames_no_kernel() {
    let f32 = ("QUANT_TYPE_F32", "");
    let q2_k = ("QUANT_TYPE_Q2_K", " = 10");
    let last = ("QUANT_TYPE_LAST", " = 10");
    let before = wrappers_with(&[f32, ("QUANT_TYPE_Q8_0", " = 8"), q2_k, last], "8");
    for name in [
        "mul_mat_quant_type_q8_0_48_false",
        "mul_mat_quant_type_5_48_false",
    ] {
        assert!(before.iter().any(|known| known == name), "{before:#?}");
    }
    // Another order, new ones before and behind, another name for a number that has one.
    let reordered = [
        ("QUANT_TYPE_NEW", " = 7"),
        q2_k,
        last,
        ("QUANT_TYPE_COUNT", ""),
        ("QUANT_TYPE_F32", " = 0"),
        ("QUANT_TYPE_Q8_0", " = 8"),
        ("QUANT_TYPE_ALSO_Q8_0", " = 8"),
    ];
    assert_eq!(wrappers_with(&reordered, "8"), before);
    // The number behind an enumerator changes: the kernel keeps its name.
    assert_eq!(
        wrappers_with(&[f32, ("QUANT_TYPE_Q8_0", " = 9"), q2_k, last], "9"),
        before
    );
}

#[test]
fn an_instance_without_a_counterpart_in_rust_is_left_to_its_own_wrapper() {
    let instance = |ty: &str, value: TemplateArg| {
        let mut kernel = kernel(
            "step",
            &[ty, &value.text],
            vec![scalar("n", "int", Scalar::Int)],
        );
        kernel.template_args[1] = value;
        kernel
    };
    let output = generate(&with_kernels(vec![
        instance("float", number(1, Scalar::Int)),
        instance("Policy", number(2, Scalar::Int)),
        instance("long", number(3, Scalar::Int)),
        instance("long long", number(3, Scalar::Int)),
        instance("long long", number(4, Scalar::Int)),
    ]));
    assert_eq!(output.findings, []);
    for name in [
        "step_f32_1(",
        "step_Policy_2(",
        "step_i64_3(",
        "step_longlong_3(",
    ] {
        assert!(
            output.text.contains(&format!("pub unsafe fn {name}")),
            "{name}"
        );
    }
    let instances: Vec<&str> = output
        .text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("impl Step"))
        .collect();
    assert_eq!(instances, ["<1> for f32 {", "<4> for i64 {"]);
    // Numbers of two types (`template <auto>`) have no one const generic.
    let output = generate(&with_kernels(vec![
        instance("float", number(1, Scalar::Int)),
        instance("float", number(2, Scalar::Char)),
    ]));
    assert!(!output.text.contains("trait Step"));
    assert!(output.text.contains("pub unsafe fn step_f32_2("));
}

#[test]
fn no_path_of_this_machine_is_written() {
    let mut one = kernel("one", &[], vec![]);
    one.definition = Some(Definition {
        file: "/home/user/project/kernels/unit.cu".into(),
        line: 7,
    });
    let text = generate(&with_kernels(vec![one])).text;
    assert!(text.contains("defined at `unit.cu:7`"));
    assert!(!text.contains("/home"));
}

#[test]
fn refused_and_toolkit_kernels_have_no_wrapper() {
    let mut refused = kernel("refused", &[], vec![]);
    refused.refusal = Some(Refusal {
        param: None,
        reason: "its layout is not known".to_owned(),
        help: None,
    });
    let mut toolkit = kernel("toolkit", &[], vec![]);
    toolkit.in_toolkit_header = true;
    let output = generate(&with_kernels(vec![refused, toolkit]));
    assert_eq!(output.findings, []);
    assert!(
        !output.text.contains("pub unsafe fn refused")
            && !output.text.contains("pub unsafe fn toolkit")
    );
    assert!(
        output
            .text
            .contains("/// - `refused`: its layout is not known")
    );
    assert!(!output.text.contains("toolkit`"));
}

#[test]
fn half_types_can_be_those_of_the_half_crate() {
    let mut input = codegen_support::kinds();
    input.half = HalfTypes::HalfCrate;
    let text = generate(&input).text;
    assert!(text.contains("h: ::half::f16,"));
    assert!(text.contains("out: &mut impl runtime::Out<::half::bf16>,"));
    assert!(!text.contains("pub struct Half("));
}

#[test]
fn the_driver_crate_can_have_another_path() {
    let mut input = codegen_support::kinds();
    input.backend = Backend::Cudarc {
        path: "crate::gpu::cudarc".to_owned(),
    };
    let text = generate(&input).text;
    let named: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|line| !line.starts_with("//") && line.contains("cudarc"))
        .collect();
    assert_eq!(named.len(), 1, "{named:#?}");
    assert!(named[0].starts_with("use crate::gpu::cudarc::driver; // Cargo.toml: cudarc = {"));
}

#[test]
fn an_enumeration_may_be_two_types_of_constants() {
    let instance = |name: &str, number: i128| {
        let text = format!("Mode::M{number}");
        let mut kernel = kernel(name, &[&text], vec![scalar("n", "int", Scalar::Int)]);
        kernel.template_args[0].value = Some(TemplateValue {
            number,
            ty: ValueType::Enum {
                name: "Mode".to_owned(),
                enumerator: Some(text),
            },
        });
        kernel
    };
    let large = 5_000_000_000;
    let text = generate(&with_kernels(vec![
        instance("small", 1),
        instance("large", 1),
        instance("large", large),
    ]))
    .text;
    for part in [
        "pub trait Small<const N: i32>",
        "impl Small<{ mode::M1 }> for () {",
        "impl Large<{ mode_::M5000000000 }> for () {",
        "note = \"`Mode::M1` is 1 and `Mode::M5000000000` is 5000000000: constants in `instances::mode_`\",",
        "note = \"it is instantiated for `<Mode::M1>` and `<Mode::M5000000000>`\",",
        "/// | `small<Mode::M1>` | `<{ mode::M1 }>` | [`small_mode_m1`](Self::small_mode_m1) |",
        "pub const M1: i32 = 1;",
        "pub const M1: i64 = 1;",
    ] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn a_namespace_is_documented_by_what_it_holds() {
    let in_namespace = |name: &str| {
        let mut kernel = kernel(name, &[], vec![]);
        kernel.namespaces = name.rsplit("::").skip(1).map(str::to_owned).collect();
        kernel.namespaces.reverse();
        kernel
    };
    let variable = |name: &str| Global {
        symbol: name.replace("::", "_"),
        name: name.to_owned(),
        size: 4,
        space: Space::Device,
        ty: Some(Type::Scalar(Scalar::Int)),
        c_type: Some("int".to_owned()),
    };
    let text = generate(&input(Signatures {
        kernels: vec![in_namespace("k::one"), in_namespace("both::k::one")],
        globals: vec![variable("v::x"), variable("both::x")],
        ..Signatures::default()
    }))
    .text;
    for line in [
        "/// The kernels and variables of `kernels/unit.cu`, loaded into a context.",
        "/// The kernels of C++ namespace `k`.",
        "/// The variables of C++ namespace `v`.",
        "/// The kernels and variables of C++ namespace `both`.",
        "/// The variables of this namespace.",
    ] {
        assert!(text.lines().any(|own| own.trim() == line), "{line}");
    }
}

#[test]
fn templates_without_a_generic_function_are_listed_with_the_reason() {
    let n = || scalar("n", "int", Scalar::Int);
    let mut auto = [
        kernel("any", &["1"], vec![]),
        kernel("any", &["'c'"], vec![]),
    ];
    auto[0].template_args = vec![number(1, Scalar::Int)];
    auto[1].template_args = vec![number(99, Scalar::Char)];
    let mut pack = kernel("pack", &["int"], vec![n()]);
    pack.params[0].pack = true;
    let text = generate(&with_kernels(vec![
        kernel("arity", &["float"], vec![n()]),
        kernel("arity", &["float", "double"], vec![n()]),
        kernel("known", &["float"], vec![n()]),
        kernel("policy", &["Tag"], vec![n()]),
        kernel("taken", &["float"], vec![n()]),
        kernel("taken", &[], vec![n()]),
        auto[0].clone(),
        auto[1].clone(),
        pack,
    ]))
    .text;
    let listed: Vec<&str> = text
        .lines()
        .skip_while(|line| !line.starts_with("/// Templates whose instances"))
        .take_while(|line| line.starts_with("///"))
        .collect();
    assert_eq!(
        listed,
        [
            "/// Templates whose instances have wrappers by name alone, and no generic one:",
            "///",
            "/// - `any`: an argument is of several types or kinds: another template of this name, or `auto`",
            "/// - `arity`: templates of this name differ in how many arguments or parameters they have",
            "/// - `pack`: a parameter pack is any number of parameters, which no Rust function has",
            "/// - `policy`: Rust has no name for its arguments, or one name for several of them",
            "/// - `taken`: its name in Rust is that of `taken`",
        ]
    );
    assert!(text.contains("pub unsafe fn known<"));
}
