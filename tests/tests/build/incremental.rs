//! What is compiled again after which change: as little as possible, and never too little.

use std::{
    fs,
    io::{BufRead as _, BufReader},
    process::Stdio,
};

use cubin_tests::{Project, Wrapper};

use crate::project;

/// A project whose compilations are counted.
pub(crate) fn counted(name: &str) -> Option<(Project, Wrapper)> {
    let mut project = project(name)?;
    let toolkit = cubin_tests::toolkit()?;
    let wrapper = Wrapper::new(&project.dir.join("toolkit"), &toolkit);
    project.set("CUBIN_BUILD_TOOLKIT", &wrapper.root);
    Some((project, wrapper))
}

pub(crate) const NOTHING: [&str; 0] = [];

#[test]
fn an_unchanged_crate_starts_nothing() {
    let Some((project, nvcc)) = counted("unchanged") else {
        return;
    };
    project.build().succeeds();
    assert_eq!(nvcc.compiled(), ["fill.cu sm_90"]);
    // Cargo does not even run the build script.
    project.build().succeeds().says("Fresh unchanged v0.0.0");
    assert_eq!(nvcc.calls(), NOTHING);

    // A newer time stamp makes it run, and find that the content is the same.
    project.write("kernels/fill.cu", crate::FILL);
    project.build().succeeds().says("Dirty unchanged v0.0.0");
    assert_eq!(nvcc.calls(), NOTHING);
    // The generated file was left alone, so nothing behind it is stale either.
    project.build().succeeds().says("Fresh unchanged v0.0.0");
}

#[test]
fn a_changed_header_compiles_what_includes_it() {
    let Some((project, nvcc)) = counted("header") else {
        return;
    };
    project.write("kernels/inner.cuh", "#define SCALE 2\n");
    project.write("kernels/common.cuh", "#include \"inner.cuh\"\n");
    let scale = "#include \"common.cuh\"\n__global__ void scale(int *p) { *p *= SCALE; }\n";
    project.write("kernels/scale.cu", scale);
    project.build().succeeds();
    assert_eq!(nvcc.compiled(), ["fill.cu sm_90", "scale.cu sm_90"]);
    let progress = || {
        let script = project.out_dir().with_file_name("output");
        let text = fs::read_to_string(script).unwrap();
        let lines = text
            .lines()
            .filter_map(|line| line.strip_prefix("cubin-build: "));
        let mut lines: Vec<String> = lines.map(str::to_owned).collect();
        // They come as they are done.
        lines.sort();
        lines
    };
    assert_eq!(
        progress(),
        [
            "compiled kernels/fill.cu for sm_90: there is no earlier result",
            "compiled kernels/scale.cu for sm_90: there is no earlier result"
        ]
    );
    let before = fs::read(project.out_dir().join("scale.sm_90.cubin")).unwrap();

    project.write("kernels/inner.cuh", "#define SCALE 3\n");
    project.build().succeeds();
    assert_eq!(nvcc.compiled(), ["scale.cu sm_90"]);
    assert_eq!(
        progress(),
        ["compiled kernels/scale.cu for sm_90: kernels/inner.cuh changed"]
    );
    let after = fs::read(project.out_dir().join("scale.sm_90.cubin")).unwrap();
    assert_ne!(before, after, "the new constant is in the cubin");
    project.build().succeeds().says("Fresh header v0.0.0");
}

#[test]
fn a_header_that_comes_first_in_the_search_is_seen() {
    let Some((project, nvcc)) = counted("shadowing") else {
        return;
    };
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\ninclude = [\"first\", \"second\"]\n",
    );
    project.write("first/other.cuh", "");
    project.write("second/scale.cuh", "#define SCALE 2\n");
    let scale = "#include \"scale.cuh\"\n__global__ void scale(int *p) { *p *= SCALE; }\n";
    project.write("kernels/scale.cu", scale);
    project.build().succeeds();
    nvcc.compiled();
    project.build().succeeds().says("Fresh shadowing v0.0.0");

    project.write("first/scale.cuh", "#define SCALE 3\n");
    project.build().succeeds();
    assert_eq!(nvcc.compiled(), ["scale.cu sm_90"]);
    project.build().succeeds().says("Fresh shadowing v0.0.0");

    fs::remove_file(project.dir.join("first/scale.cuh")).unwrap();
    project.build().succeeds();
    assert_eq!(nvcc.compiled(), ["scale.cu sm_90"]);
}

const FILL_SIZE: &str = "#ifndef SIZE\n#define SIZE 1\n#endif\n\
                         __global__ void fill(float *p) { p[threadIdx.x] = SIZE / p[0]; }\n";

#[test]
fn a_changed_target_define_or_flag_compiles_again() {
    let Some((project, nvcc)) = counted("options") else {
        return;
    };
    project.write("kernels/fill.cu", FILL_SIZE);
    project.build().succeeds();
    nvcc.compiled();

    // One more target compiles that one only; the other one stays.
    project.write("cubin.toml", "[build]\narch = [\"sm_90\", \"sm_80\"]\n");
    project.build().succeeds();
    assert_eq!(nvcc.compiled(), ["fill.cu sm_80"]);
    assert_eq!(project.cubins(), ["fill.sm_80.cubin", "fill.sm_90.cubin"]);

    project.write("cubin.toml", "[build]\narch = [\"sm_80\"]\n");
    project.build().succeeds();
    assert_eq!(nvcc.compiled(), NOTHING);
    assert_eq!(project.cubins(), ["fill.sm_80.cubin"]);

    // A step runs when what it reads is another text: what no kernel asks about ends before cicc, and what makes the same
    // PTX before ptxas.
    let (cicc, both) = (
        ["cicc fill compute_80"],
        ["cicc fill compute_80", "ptxas fill sm_80"],
    );
    for (line, expected) in [
        ("define = [\"SIZE=4\"]", &both[..]),
        ("define = [\"SIZE=8\"]", &both),
        ("define = [\"SIZE=8\", \"OTHER\"]", &[]),
        ("flags = [\"--use_fast_math\"]", &both),
        ("flags = [\"--use_fast_math\"] # a comment", &[]),
        ("flags = [\"--use_fast_math\"]\nstd = \"c++20\"", &cicc),
        ("lineinfo = true", &both),
    ] {
        project.write(
            "cubin.toml",
            &format!("[build]\narch = [\"sm_80\"]\n{line}\n"),
        );
        project.build().succeeds();
        assert_eq!(nvcc.steps(), expected, "{line}");
    }
}

#[test]
fn another_toolkit_compiles_again() {
    let Some((mut project, first)) = counted("toolkits") else {
        return;
    };
    let toolkit = cubin_tests::toolkit().unwrap();
    let second = Wrapper::new(&project.dir.join("second"), &toolkit);
    project.build().succeeds();
    assert_eq!(first.compiled().len(), 1);
    project.set("CUBIN_BUILD_TOOLKIT", &second.root);
    project.build().succeeds();
    assert_eq!(first.compiled(), NOTHING);
    assert_eq!(second.compiled(), ["fill.cu sm_90"]);

    // A toolkit that was replaced in its place is another one too.
    let second = Wrapper::new(&project.dir.join("second"), &toolkit);
    project.build().succeeds();
    assert_eq!(second.compiled(), ["fill.cu sm_90"]);

    // And one that PATH finds.
    project.unset("CUBIN_BUILD_TOOLKIT");
    let path = cubin_build::env::Env::process().peek("PATH").unwrap();
    let dirs = std::iter::once(first.root.join("bin")).chain(std::env::split_paths(&path));
    project.set("PATH", std::env::join_paths(dirs).unwrap());
    project.build().succeeds();
    assert_eq!(first.compiled(), ["fill.cu sm_90"]);
}

#[test]
fn a_removed_source_takes_its_cubin_and_module_along() {
    let Some((project, nvcc)) = counted("removed") else {
        return;
    };
    project.write(
        "kernels/gone.cu",
        "__global__ void gone(int *p) { *p = 1; }\n",
    );
    project.build().succeeds();
    assert_eq!(project.cubins(), ["fill.sm_90.cubin", "gone.sm_90.cubin"]);
    assert!(project.generated().unwrap().contains("pub mod gone"));
    nvcc.compiled();

    fs::remove_file(project.dir.join("kernels/gone.cu")).unwrap();
    project.build().succeeds();
    assert_eq!(nvcc.compiled(), NOTHING);
    assert_eq!(project.cubins(), ["fill.sm_90.cubin"]);
    assert!(!project.generated().unwrap().contains("gone"));

    // A new file is found as well.
    project.write(
        "kernels/deeper/new.cu",
        "__global__ void fresh(int *p) { *p = 1; }\n",
    );
    project.build().succeeds();
    assert_eq!(nvcc.compiled(), ["new.cu sm_90"]);
    assert_eq!(project.cubins(), ["fill.sm_90.cubin", "new.sm_90.cubin"]);
}

#[test]
fn what_is_compiled_is_told_as_soon_as_it_is() {
    let Some((project, nvcc)) = counted("told") else {
        return;
    };
    let toolkit = cubin_tests::toolkit().unwrap();
    // ptxas waits for a file where it works on this source, a minute at most.
    let slow = "__global__ void slow(int *p) { *p = 1; }\n";
    project.write("kernels/slow.cu", slow);
    let script = format!(
        "#!/bin/sh\ncase \"$*\" in *slow.ptx*) n=0; while [ ! -e '{0}/go' ]; do n=$((n + 1)); [ $n -lt 1200 ] || exit 1; \
         sleep 0.05; done;; esac\nexec '{1}/bin/ptxas' \"$@\"\n",
        project.dir.display(),
        toolkit.root.display()
    );
    fs::write(nvcc.root.join("driver/bin/ptxas"), script).unwrap();
    project.write("go", "");
    project.build().succeeds();
    fs::remove_file(project.dir.join("go")).unwrap();
    let out = project.dir.join("out");
    let mut script = project.script(&out);
    let script = script.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut script = script.spawn().unwrap();
    let mut lines = BufReader::new(script.stdout.take().unwrap()).lines();
    let mut told = || {
        let mut lines = lines.by_ref().map(Result::unwrap);
        lines.find(|line| line.starts_with("cubin-build: compiled"))
    };
    let line = |name: &str| {
        format!("cubin-build: compiled kernels/{name}.cu for sm_90: there is no earlier result")
    };
    assert_eq!(told(), Some(line("fill")));
    project.write("go", "");
    assert_eq!(told(), Some(line("slow")));
    assert_eq!(told(), None);
    assert!(script.wait().unwrap().success());
}
