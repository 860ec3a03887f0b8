//! Sources that are more than a `.cu` file: instances made on request, PTX, cubins, fatbins.

use std::{fs, path::Path};

use cubin_tests::tools;

const TEMPLATE: &str = "namespace ns { template <typename T, int N> __global__ void scale(T *x, T a) { x[threadIdx.x * N] *= a; } }\n";

/// Kernels whose symbols carry their types, and one whose symbol does not.
const MIXED: &str = "struct Pair { float a; int n; };
extern \"C\" __global__ void plain(int n, const float *x) { if (n < 0) *const_cast<float *>(x) = 0; }
__global__ void typed(float *y, double a, Pair by_value) { y[by_value.n] = (float)a * by_value.a; }
";

/// The signature of a wrapper, on one line.
fn signature(generated: &str, name: &str) -> String {
    let start = generated
        .find(&format!("fn {name}("))
        .unwrap_or_else(|| panic!("no wrapper {name} in:\n{generated}"));
    let end = generated[start..]
        .find(')')
        .map_or(generated.len(), |end| start + end);
    generated[start..end]
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
}

#[test]
fn instances_are_made_on_request() {
    let Some(project) = super::project("instantiate") else {
        return;
    };
    project.write("kernels/fill.cu", TEMPLATE);
    let request = |kernel: &str, more: &str| {
        project.write(
            "cubin.toml",
            &format!("[build]\narch = [\"sm_90\"]\n[[instantiate]]\nkernel = \"{kernel}\"\n{more}"),
        );
    };
    request(
        "ns::scale<float, 4>",
        "[[instantiate]]\nkernel = \"ns::scale<double, 8>\"\nfile = \"kernels/fill.cu\"\n",
    );
    project.build().succeeds();
    let generated = project.generated().expect("a generated file");
    assert!(
        signature(&generated, "scale_f32_4").contains("x: &mut impl runtime::Out<f32>, a: f32")
    );
    assert!(signature(&generated, "scale_f64_8").contains("a: f64"));
    // The place is that of the template, not of the file that cubin-build wrote.
    assert!(generated.contains("kernels/fill.cu:1"), "{generated}");
    project.build().succeeds().says("Fresh instantiate");

    request("nothing<float>", "");
    project
        .build()
        .fails()
        .says("cannot instantiate `nothing<float>`: no source has the word `nothing`");
    request("ns::scale<float>", "");
    project
        .build()
        .fails()
        .says(
            "[compile-failed] cannot instantiate `ns::scale<float>` in kernels/fill.cu for sm_90: ",
        )
        .says(" --> cubin.toml:4:10")
        .says("asked for here");
}

#[test]
fn a_source_that_is_not_there_is_shown_where_it_is_named() {
    let Some(project) = super::project("missing-source") else {
        return;
    };
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\nsources = [\"kernels/fill.cu\", \"kernels/*.cu\"]\n",
    );
    project
        .build()
        .fails()
        .says("kernels/*.cu for sm_90: cannot read the file")
        .says(" --> cubin.toml:3:31")
        .says("`dirs = [\"kernels\"]` takes every .cu file below a directory");
}

#[test]
fn a_source_of_an_unknown_kind_is_refused_where_it_is_named() {
    let Some(project) = super::project("unknown-kind") else {
        return;
    };
    let nvvm_line = "write `cubin-build = { version = \"0.1.0\", features = [\"nvvm\"] }` under [build-dependencies] in Cargo.toml";
    let text = "[build]\narch = [\"sm_90\"]\nsources = [\"kernels/fill.hip\"]\n";
    project.write("cubin.toml", text);
    project
        .build()
        .fails()
        .says("[config-invalid] `kernels/fill.hip` is not a source: `.hip` is none of the known extensions")
        .says("(known are .cu, .cc, .cpp, .cxx, .ptx, .cubin, .fatbin)")
        .says(" --> cubin.toml:3:12");
    project.write("cubin.toml", "[build]\narch = [\"sm_90\"]\n");
    project.write(
        "build.rs",
        "fn main() {\n    cubin_build::Builder::new().file(\"kernels/fill.ll\").build();\n}\n",
    );
    project
        .build()
        .fails()
        .says("[builder-invalid] `kernels/fill.ll` is not a source")
        .says("given to `Builder::file` in build.rs")
        .says("NVVM IR needs cubin-build's feature `nvvm`, which is off")
        .says(nvvm_line);
    // Nor is one passed by where nothing else lies.
    let kernel = fs::read_to_string(project.dir.join("kernels/fill.cu")).unwrap();
    fs::remove_file(project.dir.join("kernels/fill.cu")).unwrap();
    project.write("kernels/fill.bc", "BC");
    project.write(
        "build.rs",
        "fn main() {\n    cubin_build::Builder::new().build();\n}\n",
    );
    project
        .build()
        .fails()
        .says("[no-sources] no CUDA sources: nothing was named")
        .says("there is kernels/fill.bc")
        .says(nvvm_line);
    project.write("kernels/fill.ptx", ".version 8.3\n");
    project
        .build()
        .fails()
        .says("there is kernels/fill.bc, kernels/fill.ptx")
        .says(nvvm_line)
        .says("`sources = [\"kernels/fill.ptx\"]` under [build]");
    fs::remove_file(project.dir.join("kernels/fill.ptx")).unwrap();
    let text = "[build]\narch = [\"sm_90\"]\n\n[nvvm]\nnormalize = true\n";
    project.write("cubin.toml", text);
    project
        .build()
        .fails()
        .says("[config-invalid] `[nvvm]` needs cubin-build's feature `nvvm`, which is off")
        .says(" --> cubin.toml:4:2")
        .says(nvvm_line);
    project.write("cubin.toml", "[build]\narch = [\"sm_90\"]\n");
    // Of host code's extensions, nvcc has to be told that the file is CUDA C++.
    project.write("kernels/fill.cpp", &kernel);
    project.write(
        "build.rs",
        "fn main() {\n    cubin_build::Builder::new().file(\"kernels/fill.cpp\").build();\n}\n",
    );
    project.build().succeeds();
    assert_eq!(project.cubins(), ["fill.sm_90.cubin"]);
}

#[test]
fn machine_code_needs_no_toolkit_and_is_typed_as_far_as_known() {
    let Some(mut project) = super::project("prebuilt") else {
        return;
    };
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    // Nothing is compiled, so nothing is looked for.
    project.set("CUBIN_BUILD_TOOLKIT", "/nowhere");
    let dir = project.dir.clone();
    project.write("mixed.cu", MIXED);
    let nvcc = |arguments: &[&str]| tools::tool(&toolkit, "nvcc", arguments, &dir);
    nvcc(&[
        "-std=c++17",
        "-arch=sm_90",
        "-cubin",
        "-o",
        "one.cubin",
        "mixed.cu",
    ]);
    let targets = [
        "-gencode",
        "arch=compute_90,code=sm_90",
        "-gencode",
        "arch=compute_100,code=sm_100",
    ];
    nvcc(
        &[
            &[
                "-std=c++17",
                "-fatbin",
                "--compress-mode=none",
                "-o",
                "many.fatbin",
                "mixed.cu",
            ][..],
            &targets,
        ]
        .concat(),
    );
    project.write(
        "build.rs",
        "fn main() { cubin_build::Builder::new().file(\"one.cubin\").file(\"many.fatbin\").build(); }",
    );
    let declare = |params: &str| {
        project.write(
            "cubin.toml",
            &format!("[build]\narch = [\"sm_90\", \"sm_100\"]\n[[kernel]]\nsymbol = \"plain\"\nparams = {params}\n"),
        );
    };
    declare("[\"i32\", \"*const f32\"]");
    project.build().succeeds();
    assert_eq!(
        project.cubins(),
        ["many.sm_100.cubin", "many.sm_90.cubin", "one.sm_90.cubin"]
    );
    let generated = project.generated().expect("a generated file");
    let plain = signature(&generated, "plain");
    assert!(
        plain.contains("p0: i32, p1: &impl runtime::In<f32>"),
        "{plain}"
    );
    let typed = signature(&generated, "typed");
    assert!(
        typed.contains("p0: &mut impl runtime::Out<f32>, p1: f64, p2: [u8; 8]"),
        "{typed}"
    );
    assert!(generated.contains("8 bytes of unknown type"));

    declare("[\"i64\", \"*const f32\"]");
    project
        .build()
        .fails()
        .says("cubin.toml:5:11: [signature-mismatch]")
        .says("`i64` has 8 bytes, but the cubin records 4 for parameter 0");
}

#[test]
fn ptx_is_assembled_without_the_front_end() {
    let Some(project) = super::project("ptx") else {
        return;
    };
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    project.write("mixed.cu", MIXED);
    let arguments = [
        "-std=c++17",
        "-arch=sm_80",
        "-ptx",
        "-o",
        "mixed.ptx",
        "mixed.cu",
    ];
    tools::tool(&toolkit, "nvcc", &arguments, Path::new(&project.dir));
    project.write(
        "build.rs",
        "fn main() { cubin_build::Builder::new().file(\"mixed.ptx\").build(); }",
    );
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_80\", \"sm_90\"]\n[defaults]\nspills = 0\n",
    );
    project.build().succeeds();
    let generated = project.generated().expect("a generated file");
    assert!(signature(&generated, "typed").contains("p1: f64"));
    assert_eq!(project.cubins(), ["mixed.sm_80.cubin", "mixed.sm_90.cubin"]);
    project.write("mixed.ptx", ".version 7.0\n.target sm_80\nnonsense\n");
    project
        .build()
        .fails()
        .says("[compile-failed]")
        .says("mixed.ptx");
}

#[test]
fn a_found_file_without_kernels_is_left_out_and_excluded_ones_are_not_compiled() {
    let Some(project) = super::project("without-kernels") else {
        return;
    };
    project.write("kernels/host.cu", "int answer() { return 42; }\n");
    project.write("kernels/old/broken.cu", "#error not for this toolkit\n");
    project.write("kernels/fill_dummy.cu", "#error a stub\n");
    let toml = |exclude: &str| {
        let text =
            format!("[build]\narch = [\"sm_90\"]\ndirs = [\"kernels\"]\nexclude = {exclude}\n");
        project.write("cubin.toml", &text);
    };
    toml("[\"kernels/old/*\", \"*_dummy.cu\", \"*_dumy.cu\"]");
    project
        .build()
        .succeeds()
        .says("[no-kernels] kernels/host.cu yields no kernel for sm_90, so it is left out; `exclude = [\"host.cu\"]`")
        .says("cubin.toml:4:43: [unmatched-rule] `*_dumy.cu` in `exclude` is the pattern of no .cu file");
    let generated = project.generated().expect("a generated file");
    assert!(generated.contains("pub mod fill {"));
    assert!(!generated.contains("pub mod host"), "{generated}");
    assert_eq!(project.cubins().len(), 1);

    toml("[\"kernels/old/*\", \"*_dummy.cu\", \"host.cu\"]");
    project.build().succeeds().does_not_say("warning");

    // Who names a file means it.
    let text = "[build]\narch = [\"sm_90\"]\nsources = [\"kernels/host.cu\"]\n";
    project.write("cubin.toml", text);
    project
        .build()
        .fails()
        .says("[no-kernels] kernels/host.cu yields no kernel for sm_90");
}

#[test]
fn a_source_may_have_kernels_for_some_targets_only() {
    let Some(project) = super::project("some-targets") else {
        return;
    };
    project.write("cubin.toml", "[build]\narch = [\"sm_80\", \"sm_90\"]\n");
    project.write(
        "kernels/fill.cu",
        "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900\n\
         __global__ void fill(int *p, int value) { p[threadIdx.x] = value; }\n#endif\n",
    );
    project.build().succeeds().does_not_say("warning");
    let generated = project.generated().expect("a generated file");
    assert!(generated.contains("pub unsafe fn fill("));
    assert_eq!(project.cubins().len(), 2);
}

#[test]
fn types_of_thrust_are_the_same_on_every_target() {
    let Some(project) = super::project("thrust") else {
        return;
    };
    project.write("cubin.toml", "[build]\narch = [\"sm_80\", \"sm_90\"]\n");
    project.write(
        "kernels/turn.cu",
        "#define CUB_IGNORE_NAMESPACE_MAGIC_ERROR\n#include <thrust/complex.h>\n#include <cuda/std/array>\n\
         __global__ void turn(thrust::complex<float> by, cuda::std::array<int, 2> at, thrust::complex<float> *p) \
         { p[at[0]] *= by; }\n",
    );
    project.build().succeeds().does_not_say("warning");
    let generated = project.generated().expect("a generated file");
    let turn = signature(&generated, "turn");
    assert!(turn.contains("by: thrust::complex_f32, at: cuda::std_::array_i32_2, p: &mut impl runtime::Out<thrust::complex_f32>"), "{turn}");
    assert_eq!(generated.matches("pub unsafe fn turn").count(), 1);
}

#[test]
fn internal_symbols_are_the_same_on_all_targets_and_after_every_compilation() {
    let Some(project) = super::project("internal") else {
        return;
    };
    // Nothing here has external linkage, so nvcc alone would put its process's number into the symbol.
    project.write(
        "kernels/fill.cu",
        "namespace { __device__ int count; struct Local { float f; }; }\n\
         template <typename T> __global__ void tally(T *p) { *p = T(); count++; }\n\
         template __global__ void tally<float>(float *);\n\
         template __global__ void tally<Local>(Local *);\n",
    );
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_80\", \"sm_90\"]\n[generate]\nbackend = \"core\"\n",
    );
    project.build().succeeds().does_not_say("warning");
    let generated = project.generated().expect("a generated file");
    assert_eq!(generated.matches("pub const COUNT:").count(), 1);
    assert_eq!(generated.matches("pub struct tally_Local").count(), 1);
    assert!(generated.contains("_GLOBAL__N_"), "{generated}");
    let units = project.out_dir().join("kernels/cubin-build/units");
    fs::remove_dir_all(&units).expect("the units");
    project.write(
        "build.rs",
        "fn main() { cubin_build::Builder::new().dir(\"kernels\").build(); }\n// Runs again.\n",
    );
    project.build().succeeds();
    assert_eq!(project.generated(), Some(generated));
}
