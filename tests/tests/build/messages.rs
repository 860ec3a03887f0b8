//! What the tools refuse, said with its place and its remedy.

use std::fs;

use cubin_tests::{Project, Run, recorded};

use crate::project;

/// A crate with one source.
fn with(name: &str, kernel: &str) -> Option<Project> {
    let project = project(name)?;
    project.write("kernels/fill.cu", kernel);
    Some(project)
}

fn one_error(run: Run) -> Run {
    let run = run.fails();
    assert_eq!(run.cargo_lines("error").len(), 1, "{}", run.stderr);
    run
}

#[test]
fn a_function_of_another_file_is_named_with_its_declaration() {
    let Some(project) = with(
        "cross-file",
        "#include \"far.cuh\"\n__device__ float helper(float);\n\
         extern \"C\" __global__ void use_helper(float *y) { y[0] = helper(y[1]); }\n",
    ) else {
        return;
    };
    project.write("kernels/far.cuh", "// helper(int)\n");
    project.write(
        "kernels/other.cu",
        "__device__ float helper(float x) { return x * 2; }\n\
         extern \"C\" __global__ void other(float *y) { y[0] = helper(y[1]); }\n",
    );
    one_error(project.build())
        .says("kernels/fill.cu:2:18: [compile-failed] kernels/fill.cu does not compile for sm_90: `helper(float)` is declared and called")
        .says("name both under [[link]]");

    // A member of a namespace, declared in a header over several lines.
    project.write(
        "kernels/far.cuh",
        "namespace ns {\n__device__ float\n  far(float, int *);\n}\n",
    );
    project.write(
        "kernels/fill.cu",
        "#include \"far.cuh\"\n__global__ void k(float *p) { *p = ns::far(*p, nullptr); }\n",
    );
    one_error(project.build()).says("kernels/far.cuh:3:3: [compile-failed] kernels/fill.cu does not compile for sm_90: `ns::far(float, int *)`");
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\n[[link]]\nname = \"both\"\nsources = [\"kernels/fill.cu\", \"kernels/other.cu\"]\n",
    );
    project.write("kernels/far.cuh", "__device__ float helper(float);\n");
    project.write(
        "kernels/fill.cu",
        "#include \"far.cuh\"\n__global__ void k(float *p) { *p = helper(*p); }\n",
    );
    project.build().succeeds();
}

#[test]
fn a_copy_of_an_extern_variable_is_told_of() {
    let Some(project) = with(
        "extern-constant",
        "extern __constant__ float lut[4];\nextern \"C\" __global__ void a(float *o) { o[0] = lut[1]; }\n",
    ) else {
        return;
    };
    project.write(
        "kernels/b.cu",
        "__constant__ float lut[4];\nextern \"C\" __global__ void b(float *o) { o[0] = lut[2]; }\n",
    );
    let run = project.build().succeeds().says(
        "kernels/fill.cu:1:1: [extern-copied] `lut` is declared `extern`, and this source has a variable of its own",
    );
    assert!(run.stderr.contains("[[link]]"), "{}", run.stderr);
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\n[[link]]\nname = \"both\"\nsources = [\"kernels/fill.cu\", \"kernels/b.cu\"]\n",
    );
    project.build().succeeds().does_not_say("extern-copied");
}

#[test]
fn host_functions_that_nobody_compiles_are_told_of() {
    let Some(project) = with(
        "host-launcher",
        "static __global__ void attn_kernel(const float *q, float *o, int n) { if (threadIdx.x < n) o[threadIdx.x] = q[threadIdx.x]; }\n\
         #ifdef FOR_HOST\nextern \"C\" void left_out(void) {}\n#endif\n\
         static int helper(void) { return 1; }\n\
         extern \"C\" void run_attn(const float *q, float *o, int n, void *stream)\n\
         { attn_kernel<<<helper(), 128, 0, (cudaStream_t)stream>>>(q, o, n); }\n",
    ) else {
        return;
    };
    let said =
        "kernels/fill.cu:6:1: [host-code-dropped] host code is not part of the build: `run_attn`";
    let run = project.build().succeeds().says(said);
    assert_eq!(
        run.stderr.matches("[host-code-dropped]").count(),
        1,
        "{}",
        run.stderr
    );
    // Nothing is compiled, and it is said again.
    project.write(
        "build.rs",
        &format!("{}// Runs again.\n", cubin_tests::BUILD),
    );
    project.build().succeeds().says(said);
    project.write(
        "kernels/fill.cu",
        "__global__ void k(int *p) { *p = 1; }\nint answer() { return 42; }\n",
    );
    project.build().succeeds().does_not_say("host-code-dropped");
}

#[test]
fn parameters_that_are_too_large_are_told_of_in_the_title() {
    let Some(project) = with(
        "huge-parameter",
        "struct Huge { double d[4200]; };\n\
         extern \"C\" __global__ void huge(Huge s, double *o) { o[0] = s.d[threadIdx.x]; }\n",
    ) else {
        return;
    };
    one_error(project.build())
        .says("kernels/fill.cu:2:1: [compile-failed] kernels/fill.cu does not compile for sm_90: Formal parameter space overflowed (33608 bytes required, max 32764 bytes allowed) in function huge")
        .says("pass a pointer to the record");
}

#[test]
fn ptx_for_another_target_names_its_own() {
    let Some(project) = project("ptx-newer-target") else {
        return;
    };
    let text = |version: &str, target: &str| {
        format!(
            "// made by hand\n.version {version}\n.target {target}\n.address_size 64\n.visible .entry nothing(.param .u64 p)\n{{ ret; }}\n"
        )
    };
    project.write("kernels/v.ptx", &text("9.0", "sm_100a"));
    let toml = |more: &str| {
        project.write(
            "cubin.toml",
            &format!(
                "[build]\narch = [\"sm_75\", \"sm_90\"]\nsources = [\"kernels/v.ptx\"]\n{more}"
            ),
        );
    };
    toml("");
    one_error(project.build())
        .says("kernels/v.ptx:3:1: [compile-failed] kernels/v.ptx does not compile for sm_75, sm_90: its `.target` is sm_100a, which can be assembled for sm_100a itself only")
        .says("[[source]] with `path = \"kernels/v.ptx\"` and `arch = [\"sm_100a\"]`");
    toml("[[source]]\npath = \"kernels/v.ptx\"\narch = [\"sm_100a\"]\n");
    project.build().succeeds();

    project.write("kernels/v.ptx", &text("9.0", "sm_80"));
    toml("");
    one_error(project.build())
        .says("does not compile for sm_75: its `.target` is sm_80, which can be assembled for sm_80 and newer targets only");
    project.write("kernels/v.ptx", &text("99.1", "sm_75"));
    one_error(project.build())
        .says("kernels/v.ptx:2:1: [compile-failed]")
        .says("a newer toolkit made it");
}

#[test]
fn a_flag_that_is_refused_is_shown_where_it_is_written() {
    let Some(mut project) = project("flags") else {
        return;
    };
    // One mistake, though two sources are given it.
    project.write(
        "kernels/more.cu",
        "__global__ void more(int *p) { *p = 1; }\n",
    );
    let toml = |lines: &str| {
        project.write(
            "cubin.toml",
            &format!("[build]\narch = [\"sm_90\"]\n{lines}\n"),
        );
    };
    for (lines, place, message, help) in [
        (
            "flags = [\"-O3 --use_fast_math\"]",
            "3:10",
            "a flag with a blank is two flags: `-O3 --use_fast_math`",
            "write \"-O3\", \"--use_fast_math\"",
        ),
        (
            "flags = [\"-std=c++20\"]",
            "3:10",
            "flag `-std=c++20` is set by cubin-build itself",
            "write `std = \"c++20\"` in [build]",
        ),
        (
            "flags = [\"-G\", \"--use-fast-math\"]",
            "3:16",
            "nvcc refuses `--use-fast-math`: Unknown option '--use-fast-math'",
            "did you mean `--use_fast_math`?",
        ),
        (
            "flags = [\"-Wall\"]",
            "3:10",
            "nvcc refuses `-Wall`: Unknown option '-Wall'",
            "\"-Xcompiler=-Wall\"",
        ),
        (
            "flags = [\"--maxrregcount=many\"]",
            "3:10",
            "nvcc refuses `--maxrregcount=many`: 'many': expected a number",
            "",
        ),
        (
            "flags = [\"-Xcompiler=-no-such-option\"]",
            "3:10",
            "the host compiler refuses `-Xcompiler=-no-such-option`: unrecognized command-line option '-no-such-option'",
            "",
        ),
        (
            "flags = [\"-Xptxas\", \"-no-such-option\"]",
            "3:21",
            "ptxas refuses `-no-such-option`: Unknown option 'no-such-option'",
            "",
        ),
        (
            "std = \"c++99\"",
            "3:7",
            "nvcc refuses `c++99`: Value 'c++99' is not defined for option 'std'",
            " knows c++03, c++11, c++14, c++17, c++20",
        ),
        (
            "[[source]]\npath = \"more.cu\"\nflags = [\"--fnord\"]",
            "5:10",
            "nvcc refuses `--fnord`: Unknown option '--fnord'",
            "",
        ),
    ] {
        toml(lines);
        let run = one_error(project.build());
        run.says(&format!("cubin.toml:{place}: [config-invalid] {message}"))
            .says(help);
        assert_eq!(project.generated(), None);
    }

    toml("");
    project.set("NVCC_APPEND_FLAGS", "-G --no-such-flag");
    one_error(project.build())
        .says("[environment-invalid] nvcc refuses `--no-such-flag`")
        .says("from the environment variable NVCC_APPEND_FLAGS");
    project.unset("NVCC_APPEND_FLAGS");
    project.write(
        "build.rs",
        "fn main() { cubin_build::Builder::new().dir(\"kernels\").flag(\"--fnord\").build(); }\n",
    );
    one_error(project.build())
        .says("[builder-invalid] nvcc refuses `--fnord`")
        .says("given to `Builder::flag` in build.rs");
}

#[test]
fn a_directory_of_machine_code_says_how_to_name_it() {
    let Some(project) = project("only-cubins") else {
        return;
    };
    fs::remove_dir_all(project.dir.join("kernels")).unwrap();
    fs::create_dir(project.dir.join("kernels")).unwrap();
    let cubin = recorded::file("cubins", "one-13.5-75.cubin");
    for name in ["a", "b"] {
        fs::write(project.dir.join(format!("kernels/{name}.cubin")), &cubin).unwrap();
    }
    let said = "there is kernels/a.cubin, kernels/b.cubin";
    let help = "`.file(\"kernels/a.cubin\")` in build.rs, or `sources = [\"kernels/a.cubin\"]`";
    project
        .build()
        .fails()
        .says("[no-sources] there is no .cu file below `kernels`")
        .says(said)
        .says(help)
        .does_not_say("check the path");
    // Nothing is named at all.
    project.write(
        "build.rs",
        "fn main() { cubin_build::Builder::new().build(); }\n",
    );
    project
        .build()
        .fails()
        .says("[no-sources] no CUDA sources")
        .says(said)
        .says(help);
}

#[cfg(unix)]
#[test]
fn the_first_cubin_toml_of_a_package_is_noticed() {
    let Some(project) = project("first-config") else {
        return;
    };
    fs::remove_file(project.dir.join("cubin.toml")).unwrap();
    project.write(
        "build.rs",
        "fn main() { cubin_build::Builder::new().dir(\"kernels\").arch(\"sm_90\").build(); }\n",
    );
    project.build().succeeds();
    project.build().succeeds().says("Fresh first-config");
    project.write(
        "src/lib.rs",
        "// Another source of the crate is no reason.\n",
    );
    let run = project.build().succeeds();
    assert!(
        !run.stderr.contains("build-script-build`"),
        "{}",
        run.stderr
    );
    project.write("cubin.toml", "[defaults]\nregisters = 1\n");
    project.build().fails().says("[registers-over-budget]");
    project.write("cubin.toml", "");
    project.build().succeeds();
    project.build().succeeds().says("Fresh first-config");
    // It goes, and comes back.
    fs::remove_file(project.dir.join("cubin.toml")).unwrap();
    project.build().succeeds();
    project.build().succeeds().says("Fresh first-config");
    project.write("cubin.toml", "[defaults]\nregisters = 1\n");
    project.build().fails().says("[registers-over-budget]");
}
