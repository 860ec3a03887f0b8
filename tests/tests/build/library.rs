//! Static libraries: host code that launches kernels, called from Rust.

use std::fs;

use cubin_tests::{Project, Run};

use crate::incremental::{NOTHING, counted};

const SCALE: &str = "\
#pragma once
struct Shape { int rows, cols; };
enum Mode : unsigned char { Plain, Causal };
template <typename T> __global__ void scale(T *x, T a, Shape s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < s.rows * s.cols) x[i] *= a;
}
";
const ATTN: &str = "\
#include <cstdint>
#include \"scale.cuh\"
static __constant__ float table[4];
namespace { __global__ void hidden(float *o) { o[0] = table[1]; } }
__global__ void attn(const float *q, float *o, int n) { if (threadIdx.x < n) o[threadIdx.x] = q[threadIdx.x]; }

extern \"C\" int run_attn(const float *q, float *o, int n, cudaStream_t stream) {
    attn<<<1, 128, 0, stream>>>(q, o, n);
    hidden<<<1, 1, 0, stream>>>(o);
    scale<float><<<1, 128, 0, stream>>>(o, 2.0f, Shape{1, n});
    return cudaGetLastError();
}
extern \"C\" {
    Mode causal(Mode m, const Mode *all, int64_t big, const uint8_t *bytes, int (&row)[3],
                void (*done)(int, void *), bool fast) { return m; }
    void by_value(Shape s) {}
    void many(int n, ...) {}
    long double wide() noexcept { return 1; }
}
namespace deep { extern \"C\" unsigned match(float4 *v, Shape *s, char c, unsigned) { return 7; } }
extern \"C\" void later(int x);
void later(int x) {}
int cxx(int x) { return x; }
static int own() { return 1; }
extern \"C\" __device__ int on_device(int x) { return x; }
";
const MORE: &str = "#include \"scale.cuh\"\n\
    extern \"C\" void run_more(double *x) noexcept { scale<double><<<1, 128>>>(x, 2.0, Shape{1, 1}); }\n";
/// Without a kernel, and without the header.
const PLAIN: &str = "extern \"C\" int answer(void) { return 42; }\n";
const CONFIG: &str = "\
[build]
arch = [\"sm_80\", \"sm_90a\"]
[generate]
backend = \"core\"
[[library]]
name = \"host\"
sources = [\"host/attn.cu\", \"host/more.cu\", \"host/plain.cu\"]
";
const MAIN: &str = "\
mod kernels { include!(concat!(env!(\"OUT_DIR\"), \"/kernels.rs\")); }
fn main() {
    let q = std::ptr::null();
    let o = std::ptr::null_mut();
    let status = unsafe { kernels::host::run_attn(q, o, 4, std::ptr::null_mut()) };
    println!(\"launched: {}\", status == 0);
    println!(\"answer {}\", unsafe { kernels::host::answer() });
    println!(\"match {}\", unsafe { kernels::host::r#match(std::ptr::null_mut(), std::ptr::null_mut(), 1, 2) });
    let kernels = kernels::attn::Module::KERNELS.len() + kernels::more::Module::KERNELS.len();
    println!(\"kernels {kernels}\");
}
";

/// Makes it a program with a static library; the build script says `kernels` is a directory of sources too.
fn launchers(project: &Project) {
    let manifest = fs::read_to_string(project.dir.join("Cargo.toml")).unwrap();
    let manifest = manifest.replace(" }\n", ", features = [\"library\"] }\n");
    project.write("Cargo.toml", &manifest);
    fs::remove_file(project.dir.join("src/lib.rs")).unwrap();
    for (path, text) in [
        ("cubin.toml", CONFIG),
        ("host/scale.cuh", SCALE),
        ("host/attn.cu", ATTN),
        ("host/more.cu", MORE),
        ("host/plain.cu", PLAIN),
        ("src/main.rs", MAIN),
    ] {
        project.write(path, text);
    }
}

/// The module of the library in the generated file.
fn declarations(project: &Project) -> String {
    let generated = project.generated().expect("a generated file");
    let start = generated.find("/// Host functions of").expect("a library");
    let end = generated[start..].find("\n}\n").expect("an end");
    generated[start..start + end].to_owned()
}

/// The sources whose host code was compiled since the last question.
fn host_code(calls: &[String]) -> Vec<&str> {
    let made = calls.iter().filter(|call| call.starts_with("cudafe++ "));
    let mut names: Vec<&str> = made
        .filter_map(|call| call.strip_suffix(".cpp4.ii")?.rsplit('/').next())
        .collect();
    names.sort_unstable();
    names
}

fn findings(run: &Run) -> Vec<String> {
    let lines = run.cargo_lines("warning").into_iter();
    lines.filter(|line| line.contains(": [")).collect()
}

#[test]
fn launchers_are_compiled_declared_linked_and_run() {
    let Some((mut project, nvcc)) = counted("library") else {
        return;
    };
    launchers(&project);
    // Whatever GPU there is: the program gets as far as the runtime's own answer.
    project.set("CUDA_VISIBLE_DEVICES", "-1");
    let run = project.build().succeeds();
    assert_eq!(host_code(&nvcc.calls()), ["attn", "more", "plain"]);
    let refused = "[host-function-refused] host function";
    assert_eq!(
        findings(&run),
        [
            format!(
                "host/attn.cu:16:5: {refused} `by_value` gets no declaration: parameter 1 is `Shape` by value, whose layout nobody has proved; a pointer to it can be passed"
            ),
            format!(
                "host/attn.cu:17:5: {refused} `many` gets no declaration: it takes a variable number of arguments"
            ),
            format!(
                "host/attn.cu:18:5: {refused} `wide` gets no declaration: it returns `long double`, which Rust does not have"
            ),
        ]
    );
    let declared = declarations(&project);
    let functions: Vec<&str> = declared
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("pub fn "))
        .collect();
    assert_eq!(
        functions,
        [
            "run_attn(q: *const f32, o: *mut f32, n: i32, stream: *mut ::core::ffi::c_void) -> i32;",
            "causal(m: u8, all: *const u8, big: i64, bytes: *const u8, row: *mut [i32; 3], done: Option<unsafe extern \"C\" fn(i32, *mut ::core::ffi::c_void)>, fast: bool) -> u8;",
            "r#match(v: *mut ::core::ffi::c_void, s: *mut ::core::ffi::c_void, c: ::core::ffi::c_char, arg3: u32) -> u32;",
            "later(x: i32);",
            "run_more(x: *mut f64);",
            "answer() -> i32;",
        ]
    );
    for text in [
        "/// - `void by_value(Shape s)`: parameter 1 is `Shape` by value",
        "/// - `void many(int n, ...)`: it takes a variable number of arguments",
        "/// `int run_attn(const float *q, float *o, int n, cudaStream_t stream)`, `host/attn.cu:7`",
    ] {
        assert!(declared.contains(text), "no `{text}` in {declared}");
    }
    // A source with kernels has its wrappers, one without has no module.
    let cubins = project.cubins();
    assert!(
        cubins.contains(&"attn.sm_90a.cubin".to_owned()),
        "{cubins:?}"
    );
    assert!(
        !cubins.iter().any(|name| name.starts_with("plain")),
        "{cubins:?}"
    );
    let run = project.cargo(&["run", "-q"]).output().expect("cargo");
    let run = Run::new(&run).succeeds();
    assert_eq!(
        run.stdout,
        "launched: false\nanswer 42\nmatch 7\nkernels 4\n"
    );
}

#[test]
fn host_code_is_compiled_again_only_where_something_changed() {
    let Some((project, nvcc)) = counted("library-again") else {
        return;
    };
    launchers(&project);
    project.build().succeeds();
    nvcc.calls();
    let archive = project.out_dir().join("libhost.a");
    let first = fs::read(&archive).unwrap();

    // The build script runs, and nothing else.
    project.write("host/more.cu", MORE);
    project
        .build()
        .succeeds()
        .says("Dirty library-again v0.0.0");
    assert_eq!(nvcc.calls(), NOTHING);
    // A comment reaches no object.
    project.write("host/scale.cuh", &format!("{SCALE}// a comment\n"));
    project.build().succeeds();
    assert_eq!(host_code(&nvcc.calls()), NOTHING);
    // Device code of a header's users, and their host code; `plain.cu` does not include it.
    project.write("host/scale.cuh", &SCALE.replace("*= a", "+= a"));
    project.build().succeeds();
    assert_eq!(host_code(&nvcc.calls()), ["attn", "more"]);
    let second = fs::read(&archive).unwrap();
    assert!(first != second, "the archive has the new device code");
    // Host code alone: no device code is compiled.
    project.write("host/plain.cu", &PLAIN.replace("42", "43"));
    project.build().succeeds();
    let calls = nvcc.calls();
    assert_eq!(host_code(&calls), ["plain"]);
    assert!(
        !calls.iter().any(|call| call.starts_with("ptxas ")),
        "{calls:#?}"
    );
    // What is gone is made again of what is there.
    fs::remove_file(&archive).unwrap();
    project.write("host/plain.cu", &PLAIN.replace("42", "43"));
    project.build().succeeds();
    assert_eq!(nvcc.calls(), NOTHING);
    assert!(archive.is_file());
    // As it was, the archive is as it was.
    project.write("host/plain.cu", PLAIN);
    project.write("host/scale.cuh", SCALE);
    project.build().succeeds();
    assert!(fs::read(&archive).unwrap() == first, "the same bytes");
}

#[test]
fn a_kernel_over_budget_is_never_linked() {
    let Some((project, _)) = counted("library-budget") else {
        return;
    };
    launchers(&project);
    project.write(
        "cubin.toml",
        &format!("{CONFIG}[defaults]\nregisters = 6\n"),
    );
    let run = project.build().fails();
    let shown = run.script_stderr();
    for text in [
        "error[registers-over-budget]: kernel `scale<float>` uses",
        "--> host/scale.cuh:4:39",
        "- budget set here, from [defaults]",
    ] {
        assert!(shown.contains(text), "no `{text}` in {shown}");
    }
    assert!(!project.out_dir().join("libhost.a").exists());
    project.write("cubin.toml", CONFIG);
    project.build().succeeds();
    assert!(project.out_dir().join("libhost.a").exists());
}

#[test]
fn the_runtime_is_the_one_that_is_asked_for() {
    let Some((project, _)) = counted("library-runtime") else {
        return;
    };
    launchers(&project);
    project.write("host/attn.cu", "extern \"C\" int run(void) { return 1; }\n");
    project.write(
        "host/more.cu",
        "extern \"C\" int more(void) { return 2; }\n",
    );
    project.write("src/main.rs", "fn main() {}\n");
    let linked = || -> Vec<String> {
        let told = fs::read_to_string(project.out_dir().with_file_name("output")).unwrap();
        let lines = told
            .lines()
            .filter_map(|line| line.strip_prefix("cargo::rustc-link-lib="));
        lines.map(str::to_owned).collect()
    };
    project.build().succeeds();
    assert_eq!(
        linked(),
        [
            "static=host",
            "static:-bundle=cudart_static",
            "dylib=stdc++",
            "dylib=rt",
            "dylib=dl",
            "dylib=pthread"
        ]
    );
    project.write("cubin.toml", &format!("{CONFIG}cudart = \"none\"\n"));
    project.build().succeeds();
    assert_eq!(linked(), ["static=host", "dylib=stdc++"]);
    project.write("cubin.toml", &format!("{CONFIG}cudart = \"shared\"\n"));
    project.build().succeeds();
    let [_, runtime, _] = &linked()[..] else {
        panic!("{:?}", linked());
    };
    // Wheels have no file without the version.
    assert!(
        runtime == "dylib=cudart" || runtime.starts_with("dylib:+verbatim=libcudart.so"),
        "{runtime}"
    );
}

#[test]
fn mistakes_are_shown_at_their_place() {
    let Some((project, nvcc)) = counted("library-mistakes") else {
        return;
    };
    launchers(&project);
    let says = |tables: &str, expected: &[&str]| {
        project.write(
            "cubin.toml",
            &format!("[build]\narch = [\"sm_80\"]\n{tables}"),
        );
        let shown = project.build().fails().script_stderr();
        for text in expected {
            assert!(shown.contains(text), "no `{text}` in {shown}");
        }
        assert_eq!(host_code(&nvcc.calls()), NOTHING);
    };
    says(
        "[[library]]\nname = \"one\"\nsources = [\"host/attn.cu\"]\n\
         [[library]]\nname = \"two\"\nsources = [\"host/attn.cu\"]\n",
        &[
            "error[config-invalid]: host/attn.cu is in two libraries, `one` and `two`",
            "cubin.toml:7:8",
        ],
    );
    says(
        "[[library]]\nname = \"one\"\nsources = [\"host/util.ptx\"]\n",
        &[
            "error[config-invalid]: `host/util.ptx` cannot be a source of library `one`: it is not CUDA C++",
            "PTX, NVVM IR and machine code have no host code",
        ],
    );
    says(
        "[[library]]\nname = \"one\"\ndirs = [\"src\"]\n",
        &["error[config-invalid]: there is no .cu file below `src`"],
    );
    says(
        "[[link]]\nname = \"both\"\nsources = [\"host/attn.cu\"]\n\
         [[library]]\nname = \"one\"\nsources = [\"host/attn.cu\"]\n",
        &["error[config-invalid]: host/attn.cu is in library `one`, and in a linked module"],
    );
    // Host code that does not compile is shown as any other.
    let broken =
        "extern \"C\" int run(void) {\n#ifndef __CUDA_ARCH__\n    return nothing;\n#endif\n}\n";
    project.write("host/plain.cu", broken);
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_80\"]\n[[library]]\nname = \"one\"\nsources = [\"host/plain.cu\"]\n",
    );
    let shown = project.build().fails().script_stderr();
    for text in [
        "error[compile-failed]: host/plain.cu does not compile for sm_80: identifier \"nothing\" is undefined",
        "--> host/plain.cu:3",
    ] {
        assert!(shown.contains(text), "no `{text}` in {shown}");
    }
    // Without the feature the key is known, and says what it needs.
    let manifest = fs::read_to_string(project.dir.join("Cargo.toml")).unwrap();
    project.write(
        "Cargo.toml",
        &manifest.replace(", features = [\"library\"]", ""),
    );
    let shown = project.build().fails().script_stderr();
    for text in [
        "error[config-invalid]: static library `one` needs the feature `library` of cubin-build",
        "features = [\"library\"]",
    ] {
        assert!(shown.contains(text), "no `{text}` in {shown}");
    }
}
