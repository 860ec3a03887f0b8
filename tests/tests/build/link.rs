//! Relocatable sources that nvlink makes one cubin of.

use cubin_tests::{Project, Run, tools};

use crate::incremental::{NOTHING, counted};

const STEP: &str = "\
#include \"shared.cuh\"
__device__ float helper(float x, int n);
extern __constant__ float table[16];
extern __device__ int counter;
static __device__ int mine = 3;
namespace { __global__ void hidden(int *p) { p[0] = mine; } }
__global__ void step(Params p, const float *x, float *y) {
    y[threadIdx.x] = helper(x[threadIdx.x] * p.a, p.n) + table[threadIdx.x & 15];
    atomicAdd(&counter, 1);
}
template __global__ void scale<float>(float *, float);
void use() { hidden<<<1, 1>>>(nullptr); }
";
const REST: &str = "\
#include \"shared.cuh\"
__device__ int counter = 7;
__constant__ float table[16];
static __device__ int mine = 4;
namespace { __global__ void hidden(int *p) { p[1] = mine; } }
__device__ __noinline__ float helper(float x, int n) {
    for (int i = 0; i < n; i++) x = sqrtf(x + i + mine);
    return x;
}
namespace out { __global__ void residual(Params p, float *y) { y[0] = helper(p.a, p.n); } }
template __global__ void scale<float>(float *, float);
template __global__ void scale<double>(double *, double);
void use_too() { hidden<<<1, 1>>>(nullptr); }
";
const SHARED: &str = "\
struct Params { float a; int n; };
template <typename T> __global__ void scale(T *x, T a) { x[threadIdx.x] *= a; }
";
const CONFIG: &str = "\
[build]
arch = [\"sm_90\", \"sm_100\"]
[[link]]
name = \"solver\"
sources = [\"kernels/step.cu\", \"kernels/rest.cu\"]
";
const LIB: &str = "\
#![allow(dead_code)]
mod kernels { include!(concat!(env!(\"OUT_DIR\"), \"/kernels.rs\")); }
pub fn symbols() -> Vec<&'static str> { kernels::solver::Module::KERNELS.iter().map(|kernel| kernel.symbol).collect() }
";

/// The functions that launch `hidden`, without which the compiler would drop it, are the only thing to warn of.
fn only_host_code(run: &Run) {
    let warnings = run.cargo_lines("warning");
    // The others say what to do.
    let found = || warnings.iter().filter(|line| line.contains(": ["));
    assert!(found().count() > 0, "{warnings:#?}");
    assert!(
        found().all(|line| line.contains("[host-code-dropped]")),
        "{warnings:#?}"
    );
}

fn solver(project: &Project) {
    project.write("kernels/shared.cuh", SHARED);
    project.write("kernels/step.cu", STEP);
    project.write("kernels/rest.cu", REST);
    project.write("cubin.toml", CONFIG);
}

/// Asserts that each text is in the generated file, whatever its line breaks.
fn has(generated: &str, texts: &[&str]) {
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let all = flat(generated);
    for text in texts {
        assert!(all.contains(&flat(text)), "no `{text}` in {generated}");
    }
}

#[test]
fn linked_sources_are_one_module_and_are_linked_again_when_one_changes() {
    let Some((project, nvcc)) = counted("linked") else {
        return;
    };
    solver(&project);
    let linked = || -> Vec<String> {
        let calls = nvcc.calls();
        let links = calls.iter().filter(|call| call.starts_with("nvlink "));
        let target = |call: &String| call.split_whitespace().nth(1).map(str::to_owned);
        let mut targets: Vec<String> = links.filter_map(target).collect();
        targets.sort();
        targets
    };
    only_host_code(&project.build().succeeds());
    assert_eq!(linked(), ["-arch=sm_100", "-arch=sm_90"]);
    // What stands alone keeps its own module and is compiled as a whole program.
    let cubins = [
        "fill.sm_100.cubin",
        "fill.sm_90.cubin",
        "solver.sm_100.cubin",
        "solver.sm_90.cubin",
    ];
    assert_eq!(project.cubins(), cubins);
    let generated = project.generated().expect("a generated file");
    has(
        &generated,
        &[
            "pub mod fill {",
            "pub mod solver {",
            "pub unsafe fn step(",
            "pub mod out {",
            "pub unsafe fn residual(",
            "pub unsafe fn scale_f32(",
            "pub unsafe fn scale_f64(",
            "pub struct Params {",
            "kernels/step.cu, kernels/rest.cu",
            // A variable of another source.
            "pub fn table(&self",
            "pub fn counter(&self",
            // What both sources have for themselves.
            "/// `step.cu` alone. pub mod step_cu {",
            "/// `rest.cu` alone. pub mod rest_cu {",
            "/// The kernels and variables of `step.cu` alone.",
            "/// C++ namespace `out`. pub mod out {",
        ],
    );
    assert_eq!(generated.matches("pub struct Params {").count(), 1);
    assert_eq!(generated.matches("pub unsafe fn scale_f32(").count(), 1);
    assert_eq!(generated.matches("pub unsafe fn hidden(").count(), 2);

    // The script runs, and starts nothing.
    project.write("kernels/step.cu", STEP);
    project.build().succeeds().says("Dirty linked v0.0.0");
    assert_eq!(nvcc.calls(), NOTHING);
    assert_eq!(project.generated().as_ref(), Some(&generated));

    // One source changes: it alone is compiled, and all is linked.
    project.write("kernels/rest.cu", &REST.replace("= 7", "= 8"));
    project.build().succeeds();
    let calls = nvcc.calls();
    let count = |tool: &str| calls.iter().filter(|call| call.starts_with(tool)).count();
    assert_eq!((count("nvlink "), count("nvcc ")), (2, 0), "{calls:?}");
    let of_steps = |call: &&String| call.starts_with("cicc ") || call.starts_with("ptxas ");
    let steps: Vec<&String> = calls.iter().filter(of_steps).collect();
    assert_eq!(steps.len(), 4, "{calls:?}");
    assert!(
        steps.iter().all(|call| call.contains("/rest.")),
        "{calls:?}"
    );

    // A source less is a symbol less.
    project.write("cubin.toml", &CONFIG.replace(", \"kernels/rest.cu\"", ""));
    project
        .build()
        .fails()
        .says("[compile-failed] `solver` cannot be linked for sm_90, sm_100: Undefined reference to 'helper' in 'kernels/step.cu'")
        .says("Undefined reference to 'table' in 'kernels/step.cu'")
        .says("name the source that defines it in the same [[link]]");
}

#[test]
fn budgets_are_those_of_the_linked_kernel() {
    let Some((project, _)) = counted("linked-budget") else {
        return;
    };
    solver(&project);
    // Alone it needs 24 registers; linked, those of the function that it calls as well.
    project.write(
        "cubin.toml",
        &format!("{CONFIG}[[rule]]\nkernel = \"step\"\nregisters = 40\n"),
    );
    project
        .build()
        .fails()
        .says("[registers-over-budget] kernel `step` uses")
        .says("kernels/step.cu:7:17");

    // The function that spills is in the other file.
    let heavy =
        std::fs::read_to_string(cubin_tests::workspace().join("tests/cases/spilling_callee.cu"));
    let heavy = heavy.expect("the case");
    let (function, _) = heavy.split_once("extern \"C\"").expect("its kernels");
    project.write("kernels/rest.cu", function);
    project.write(
        "kernels/step.cu",
        "__device__ float heavy(const float *a, int k);\n__device__ float light(float x);\n\
         __global__ void step(const float *a, float *out) { *out = heavy(a, threadIdx.x); }\n\
         __global__ void calm(float *out) { *out = light(*out); }\n",
    );
    let config = CONFIG.replace("[[link]]", "flags = [\"-maxrregcount=40\"]\n[[link]]");
    project.write("cubin.toml", &format!("{config}[defaults]\nspills = 0\n"));
    project
        .build()
        .fails()
        .says("[spills-over-budget] kernel `step` spills")
        .says("counted with `heavy`, which it calls")
        .does_not_say("kernel `calm`");
}

#[test]
fn calls_that_only_the_linker_sees_are_forbidden_too() {
    let Some((project, _)) = counted("linked-externs") else {
        return;
    };
    project.write(
        "kernels/step.cu",
        "__device__ int log_it(int x);\n__device__ int table_of(int x);\n__device__ int (*hooks[2])(int) = {table_of, \
         log_it};\n\
         __global__ void step(int *x) { x[0] = log_it(x[1]); }\n\
         __global__ void hooked(int *x, int n) { x[0] = hooks[n & 1](x[1]); }\n\
         __global__ void calm(int *x) { x[0] = table_of(x[1]); }\n",
    );
    // Two calls deep, in the other file.
    project.write(
        "kernels/rest.cu",
        "#include <cstdio>\n__device__ __noinline__ int show(int x) { return printf(\"%d\\n\", x); }\n\
         __device__ __noinline__ int log_it(int x) { return x > 3 ? show(x) : x; }\n\
         __device__ __noinline__ int table_of(int x) { return x * 3; }\n",
    );
    let budget = "[defaults]\nexterns = \"printf\"\nconstant = { 3 = 0 }\n";
    project.write("cubin.toml", &format!("{CONFIG}{budget}"));
    project
        .build()
        .fails()
        .says("[externs-forbidden] kernel `step` calls `printf` on sm_90 and sm_100, budget forbids `printf`")
        .says("[externs-forbidden] kernel `hooked` calls `printf`")
        .does_not_say("kernel `calm`")
        .does_not_say("constant-over-budget");
}

#[test]
fn kernels_that_launch_kernels_are_linked_with_the_device_runtime() {
    let Some(project) = super::project("linked-runtime") else {
        return;
    };
    project.write(
        "kernels/parent.cu",
        "__global__ void child(int *p) { p[threadIdx.x] += 1; }\n__global__ void parent(int *p) { child<<<1, 32>>>(p); }\n",
    );
    project
        .build()
        .fails()
        .says("name the source under [[link]] in cubin.toml, with `libraries = [\"cudadevrt\"]`");
    let config = "[build]\narch = [\"sm_90\"]\n[[link]]\nname = \"family\"\nsources = [\"kernels/parent.cu\"]\n";
    project.write("cubin.toml", config);
    project
        .build()
        .fails()
        .says("`family` cannot be linked for sm_90: Undefined reference to")
        .says("need `cudadevrt`");
    project.write(
        "cubin.toml",
        &format!("{config}libraries = [\"cudadevrt\"]\n"),
    );
    project.build().succeeds().does_not_say("warning");
    let generated = project.generated().expect("a generated file");
    has(
        &generated,
        &["pub unsafe fn parent(", "pub unsafe fn child("],
    );
    // The runtime's own kernels are none of the user's.
    assert_eq!(generated.matches("memset").count(), 0);
    project.write(
        "cubin.toml",
        &format!("{config}libraries = [\"cudart_nothing\"]\n"),
    );
    project
        .build()
        .fails()
        .says("cubin.toml:6:14: [config-invalid]")
        .says("has no library `cudart_nothing`");
}

#[test]
fn objects_without_source_are_linked_too() {
    let Some(project) = super::project("linked-objects") else {
        return;
    };
    let toolkit = cubin_tests::toolkit().expect("just asked");
    project.write(
        "lib/helper.cu",
        "__device__ float helper(float x) { return x * 2; }\nextern \"C\" __global__ void other(float *x, int n) { *x = n; }\n",
    );
    let arguments = [
        "-arch=sm_90",
        "-rdc=true",
        "-cubin",
        "-o",
        "helper.cubin",
        "helper.cu",
    ];
    tools::tool(&toolkit, "nvcc", &arguments, &project.dir.join("lib"));
    project.write(
        "kernels/caller.cu",
        "__device__ float helper(float x);\n__global__ void caller(float *x) { *x = helper(*x); }\n",
    );
    project.write(
        "build.rs",
        "fn main() {
            let link = cubin_build::Link::new(\"both\").file(\"kernels/caller.cu\").library(\"lib/helper.cubin\");
            cubin_build::Builder::new().link(link).build();
        }",
    );
    let config = "[build]\narch = [\"sm_90\"]\n[[kernel]]\nsymbol = \"other\"\nparams = [\"*mut f32\", \"i32\"]\n";
    project.write("cubin.toml", config);
    project.build().succeeds().does_not_say("warning");
    assert_eq!(project.cubins(), ["both.sm_90.cubin", "fill.sm_90.cubin"]);
    let generated = project.generated().expect("a generated file");
    has(
        &generated,
        &["pub unsafe fn caller(", "pub unsafe fn other("],
    );

    // Paths in cubin.toml start at the file.
    project.write(
        "build.rs",
        "fn main() { cubin_build::Builder::new().config(\"lib/gpu.toml\").build(); }",
    );
    let link = "[[link]]\nname = \"both\"\nsources = [\"../kernels/caller.cu\"]\nlibraries = [\"helper.cubin\"]\n";
    project.write("lib/gpu.toml", &format!("{config}{link}"));
    project.build().succeeds().does_not_say("warning");
    assert_eq!(project.generated(), Some(generated));
}

#[test]
fn mistakes_in_a_link_are_shown_where_they_stand() {
    let Some(project) = super::project("linked-wrong") else {
        return;
    };
    solver(&project);
    let config = |text: &str| {
        project.write(
            "cubin.toml",
            &format!("[build]\narch = [\"sm_90\"]\n{text}"),
        );
    };
    for (text, message) in [
        (
            "[[link]]\nsources = [\"kernels/step.cu\"]\n",
            "cubin.toml:3:1: [config-invalid]",
        ),
        (
            "[[link]]\nname = \"a b\"\nsources = [\"kernels/step.cu\"]\n",
            "`a b` is not the name of a module",
        ),
        ("[[link]]\nname = \"a\"\n", "`sources`"),
        (
            "[[link]]\nname = \"a\"\nsources = [\"kernels/none.cu\"]\n",
            "kernels/none.cu",
        ),
        (
            "[[link]]\nname = \"a\"\nsources = [\"a.cubin\"]\n",
            "is not CUDA C++",
        ),
        ("[[link]]\nname = \"a\"\ndirs = [\"nowhere\"]\n", "nowhere"),
        (
            "[[link]]\nname = \"a\"\nsources = [\"kernels/step.cu\"]\nlibraries = [\"x/liby.a\"]\n",
            "cubin.toml:6:14: [config-invalid] library `x/liby.a` is not there",
        ),
        (
            "[[link]]\nname = \"a\"\nsources = [\"kernels/step.cu\"]\n[[link]]\nname = \"a\"\nsources = [\"kernels/rest.cu\"]\n",
            "linked module `a`",
        ),
        (
            "[[link]]\nname = \"a\"\nsources = [\"kernels/step.cu\", \"kernels/rest.cu\"]\n[[link]]\nname = \"b\"\nsources = [\"kernels/rest.cu\"]\n",
            "kernels/rest.cu is in two linked modules, `a` and `b`",
        ),
    ] {
        config(text);
        project.build().fails().says(message);
    }
    // There is no PTX to link.
    project.write(
        "cubin.toml",
        &CONFIG.replace("[[link]]", "ptx = true\n[[link]]"),
    );
    project
        .build()
        .succeeds()
        .says("[ptx-missing] no PTX is embedded for `solver`");
}

#[test]
fn files_of_one_name_are_told_apart_by_their_folders() {
    let Some(project) = super::project("linked-alike") else {
        return;
    };
    for folder in ["one", "two"] {
        let text = "static __device__ int mine;\nstatic __global__ void hidden(int *p) { *p = mine; }\nvoid use() { hidden<<<1, 1>>>(nullptr); }\n";
        project.write(&format!("{folder}/part.cu"), text);
    }
    project.write("two/part_old.cu", "#error not any more\n");
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\nexclude = [\"*_old.cu\"]\n[[link]]\nname = \"both\"\ndirs = [\"one\", \"two\"]\n",
    );
    only_host_code(&project.build().succeeds());
    let generated = project.generated().expect("a generated file");
    has(
        &generated,
        &[
            "/// The kernels and variables of `one/part.cu` alone.",
            "pub mod one_part_cu {",
            "pub mod two_part_cu {",
        ],
    );
}

#[test]
fn the_generated_module_compiles() {
    let Some(project) = super::project("linked-compiles") else {
        return;
    };
    solver(&project);
    project.write(
        "cubin.toml",
        &format!("{CONFIG}[generate]\nbackend = \"core\"\n"),
    );
    project.write("src/lib.rs", LIB);
    only_host_code(&project.build().succeeds());
}
