//! `CUBIN_BUILD_MODE=signatures`: the wrappers of a full build, made by nvcc's front end alone.

use cubin_tests::Project;

use crate::incremental::counted;

/// What a crate can name, and how: every public item with its types, without what is known of machine code.
fn offered(project: &Project) -> Vec<String> {
    let text = project.generated().expect("a generated file");
    let own = text.split("pub mod runtime").next().unwrap_or(&text);
    let items = own.lines().map(str::trim).filter(|line| {
        line.starts_with("pub ") || line.starts_with("const _") || line.starts_with("assert!")
    });
    items.map(str::to_owned).collect()
}

const LIBRARY: &str = "\
pub mod kernels {
    include!(concat!(env!(\"OUT_DIR\"), \"/kernels.rs\"));
}

/// Fails to compile where a wrapper is missing, or has other types.
pub fn arguments(at: kernels::runtime::DeviceAddress<i32>) -> kernels::fill::args::fill {
    kernels::fill::args::fill { p: at, value: 3 }
}

/// The layout of a record.
pub const RANGE: usize = size_of::<kernels::types::Range>();
";

#[test]
fn wrappers_without_machine_code_are_those_of_a_full_build() {
    let Some((mut project, nvcc)) = counted("signatures") else {
        return;
    };
    let record = "struct Range { int first; long long last; };\n";
    project.write("kernels/range.cuh", record);
    project.write(
        "kernels/scale.cu",
        "#include \"range.cuh\"
__constant__ float factors[4];
template <class T, int N> __global__ void scale(T *at, Range range) { at[range.first] *= N * factors[0]; }
template __global__ void scale<float, 2>(float *, Range);
template __global__ void scale<double, 4>(double *, Range);
#if __CUDA_ARCH__ >= 900
__global__ void newer(Range *range) { range->last = 1; }
#endif
",
    );
    project.write(
        "kernels/other.cu",
        "#include \"range.cuh\"\n__global__ void other(Range range, int *at) { *at = range.first; }\n",
    );
    project.write(
        "solver/step.cu",
        "__device__ float helper(float);\nextern \"C\" __global__ void step(float *x) { *x = helper(*x); }\n",
    );
    project.write(
        "solver/helper.cu",
        "__device__ __noinline__ float helper(float x) { return x + 1; }\n",
    );
    let policy = "[build]\narch = [\"sm_80\", \"sm_90\"]\nptx = true\n\n[[link]]\nname = \"solver\"\ndirs = [\"solver\"]\n\n\
                  [generate]\nbackend = \"core\"\n\n[defaults]\nregisters = 1\n\n[[rule]]\nkernel = \"nothing\"\nstack = 0\n";
    project.write("cubin.toml", policy);
    project.write("src/lib.rs", LIBRARY);

    project.set("CUBIN_BUILD_MODE", "signatures");
    // What kernels use is not known, so no budget and no rule is judged.
    let warnings = project.build().succeeds().cargo_lines("warning");
    assert_eq!(warnings, [""; 0]);
    let steps = nvcc.steps();
    // A record with a gap is asked of the front end, as always.
    let of = |tool: &str| steps.iter().filter(|step| step.starts_with(tool)).count();
    assert_eq!(
        (of("cicc "), of("ptxas "), of("nvlink ")),
        (10, 0, 0),
        "{steps:#?}"
    );
    assert_eq!(project.cubins(), [""; 0]);
    let alone = offered(&project);
    assert!(
        alone.iter().any(|line| line.contains("fn image(")),
        "{alone:#?}"
    );

    project.set("CUBIN_BUILD_MODE", "full");
    project.build().fails().says("[registers-over-budget]");
    project.write(
        "cubin.toml",
        &policy.replace("registers = 1", "registers = 64"),
    );
    project.build().succeeds().says("[unmatched-rule]");
    assert_eq!(project.cubins().len(), 2 * 4);
    assert_eq!(offered(&project), alone);
    assert!(!nvcc.steps().is_empty());

    // Each has its own results: going to and fro compiles nothing.
    project.set("CUBIN_BUILD_MODE", "signatures");
    project.build().succeeds();
    assert_eq!(nvcc.steps(), [""; 0]);
    project.unset("CUBIN_BUILD_MODE");
    project.build().succeeds();
    assert_eq!(nvcc.steps(), [""; 0]);
    assert_eq!(project.cubins().len(), 2 * 4);

    // Mistakes in C++ are told as always.
    project.set("CUBIN_BUILD_MODE", "signatures");
    project.write(
        "kernels/other.cu",
        "__global__ void other(Ranges range) {}\n",
    );
    project.build().fails().says("Ranges");
    project.set("CUBIN_BUILD_MODE", "wrappers");
    project
        .build()
        .fails()
        .says("[environment-invalid] `wrappers` does not say what a build makes");
}
