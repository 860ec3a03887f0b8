//! `prebuild`, and builds that take what it kept: without a toolkit, a host compiler or a network.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cubin_build::env::Env;
use cubin_tests::{Project, Run};

/// The kernels of `examples/saxpy`, a template without instances, two linked sources and a source that is PTX.
const POLICY: &str = "\
[toolkit]
version = \"13.5\"
install = true

[build]
arch = [\"sm_80\", \"sm_90\"]
dirs = [\"kernels\"]
sources = [\"made/add.ptx\"]
include = [\"include\"]
define = { TILE = 32 }
ptx = true

[defaults]
spills = 0

[[instantiate]]
kernel = \"fill<float>\"

[[link]]
name = \"solver\"
sources = [\"solver/step.cu\", \"solver/helper.cu\"]

[generate]
backend = \"core\"
";

const LIBRARY: &str = "\
//! A library with kernels.

/// The kernels.
pub mod kernels {
    include!(concat!(env!(\"OUT_DIR\"), \"/kernels.rs\"));
}
";

const PTX: &str = "\
.version 7.0
.target sm_80
.address_size 64
.visible .entry add(.param .u64 .ptr .global .align 4 at, .param .u32 value)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<2>;
    ld.param.u64 %rd1, [at];
    ld.param.u32 %r1, [value];
    st.global.u32 [%rd1], %r1;
    ret;
}
";

/// A library, not built yet.
fn library(name: &str) -> Option<Project> {
    let toolkit = cubin_tests::toolkit()?;
    let project = Project::new(env!("CARGO_TARGET_TMPDIR"), name, &toolkit);
    let example = cubin_tests::workspace().join("examples/saxpy/kernels");
    for kernels in ["saxpy.cu", "reduce.cu"] {
        let text = fs::read_to_string(example.join(kernels)).expect("kernels of the example");
        project.write(&format!("kernels/{kernels}"), &text);
    }
    project.write(
        "kernels/fill.cu",
        "#include <scale.cuh>
namespace { struct Range { int first, last; }; }
template <class T> __global__ void fill(T *at, T value, Range range) {
    int i = range.first + threadIdx.x;
    if (i < range.last) at[i] = scaled(value) + TILE;
}
",
    );
    project.write(
        "include/scale.cuh",
        "#pragma once\ntemplate <class T> __device__ T scaled(T value) { return value * 2; }\n",
    );
    project.write(
        "solver/step.cu",
        "__device__ float helper(float);\nextern \"C\" __global__ void step(float *x) { *x = helper(*x); }\n",
    );
    project.write(
        "solver/helper.cu",
        "__device__ __noinline__ float helper(float x) { return x + 1; }\n",
    );
    project.write("made/add.ptx", PTX);
    project.write("cubin.toml", POLICY);
    project.write("src/lib.rs", LIBRARY);
    Some(project)
}

fn cubin(project: &Project, args: &[&str]) -> Run {
    let all: Vec<&str> = std::iter::once("cubin")
        .chain(args.iter().copied())
        .collect();
    project.run(Path::new(crate::PROGRAM), &all)
}

/// Gives all commands of a project an environment in which there is cargo and rustc, and nothing else: no compiler of C++,
/// no toolkit, no cache of toolkits, no programs that install one.
fn empty_environment(project: &mut Project) {
    let bin = project.dir.join("bin");
    fs::create_dir_all(&bin).expect("a folder");
    // rustc links by cc, a name that no search for a compiler of C++ knows.
    for program in ["cargo", "rustc", "rustdoc", "cc", "ld"] {
        let real = on_path(program).unwrap_or_else(|| panic!("{program} on PATH"));
        let _ = fs::remove_file(bin.join(program));
        #[cfg(unix)]
        std::os::unix::fs::symlink(real, bin.join(program)).expect("a link");
    }
    // rustup finds its toolchain, cargo its crates.
    let home = Env::process()
        .peek("HOME")
        .map(PathBuf::from)
        .unwrap_or_default();
    for (name, folder) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        project.set(
            name,
            Env::process()
                .peek(name)
                .unwrap_or_else(|| home.join(folder).into()),
        );
    }
    project.set("PATH", bin);
    project.set("HOME", project.dir.join("home"));
    project.set("CUBIN_BUILD_CACHE", project.dir.join("no-cache"));
    project.unset("CUBIN_BUILD_TOOLKIT");
}

fn on_path(program: &str) -> Option<PathBuf> {
    let path = Env::process().peek("PATH")?;
    let mut all = std::env::split_paths(&path).map(|dir| dir.join(program));
    all.find(|path| path.is_file())
}

/// A copy of what a package holds, as whoever downloads it has it.
fn downloaded(project: &Project, name: &str) -> Option<Project> {
    let toolkit = cubin_tests::toolkit()?;
    let copy = Project::new(env!("CARGO_TARGET_TMPDIR"), name, &toolkit);
    let list = project.cargo(&["package", "--list", "--allow-dirty", "--offline"]);
    let list = Run::new(&{ list }.output().expect("cargo"))
        .succeeds()
        .stdout;
    for file in list.lines().filter(|file| !file.starts_with("Cargo")) {
        let to = copy.dir.join(file);
        fs::create_dir_all(to.parent().expect("a folder")).expect("a folder");
        fs::copy(project.dir.join(file), to).unwrap_or_else(|error| panic!("{file}: {error}"));
    }
    Some(copy)
}

/// The generated file, and everything that lies beside it to be embedded.
fn results(project: &Project) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(project.out_dir()).expect("OUT_DIR") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if [".rs", ".cubin", ".ptx"]
            .iter()
            .any(|end| name.ends_with(end))
        {
            found.push((name.into_owned(), fs::read(&path).expect("a result")));
        }
    }
    found.sort();
    found
}

fn change(project: &Project, path: &str, from: &str, to: &str) {
    let text = fs::read_to_string(project.dir.join(path)).expect("a file");
    assert!(text.contains(from), "no `{from}` in {path}");
    project.write(path, &text.replace(from, to));
}

#[cfg(target_os = "linux")]
#[test]
fn a_library_with_prebuilt_kernels_needs_cargo_and_rustc_only() {
    let Some(project) = library("cli-prebuild") else {
        return;
    };
    project.build().succeeds();
    let compiled = results(&project);
    let names: Vec<&str> = compiled.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names.len(), 1 + 2 * 5 + 4, "{names:?}");

    let run = cubin(&project, &["prebuild"]).succeeds();
    assert!(run.stdout.contains("cli-prebuild: "), "{}", run.stdout);
    assert!(run.stdout.contains("0 removed"), "{}", run.stdout);
    let manifest = project.dir.join("prebuilt/kernels.manifest");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    for line in [
        "cubin-build prebuilt 1\n",
        "\nfile include/scale.cuh ",
        "\nfile made/add.ptx ",
        "\nlinked solver sm_80 options=",
        "\nunit kernels/fill.cu sm_90 options=",
        " instance:fill<float>\n",
    ] {
        assert!(text.contains(line), "no `{line}` in:\n{text}");
    }
    let here = project.dir.to_string_lossy();
    for (path, bytes) in files_below(&project.dir.join("prebuilt")) {
        let text = String::from_utf8_lossy(&bytes);
        assert!(
            !text.contains(&*here),
            "{} names this machine",
            path.display()
        );
    }
    let run = cubin(&project, &["prebuild", "--check"]).succeeds();
    assert!(run.stdout.contains(" is up to date"), "{}", run.stdout);

    let mut copy = downloaded(&project, "cli-prebuilt").expect("a toolkit");
    empty_environment(&mut copy);
    copy.build().succeeds().does_not_say("[prebuilt-");
    for ((name, was), (_, is)) in compiled.iter().zip(&results(&copy)) {
        assert!(was == is, "{name} is not as it was compiled");
    }
    assert_eq!(compiled.len(), results(&copy).len());

    copy.set("DOCS_RS", "1");
    copy.set("RUSTDOCFLAGS", "-Dwarnings");
    let doc = copy.cargo(&["doc", "--no-deps"]);
    Run::new(&{ doc }.output().expect("cargo")).succeeds();
    copy.unset("DOCS_RS");

    // The policy judges them, although nothing was compiled.
    change(&copy, "cubin.toml", "spills = 0", "registers = 4");
    copy.build().fails().says("[registers-over-budget]");
    change(&copy, "cubin.toml", "registers = 4", "spills = 0");

    // What git does to line ends on Windows is no change; an edit is.
    let saxpy = fs::read_to_string(copy.dir.join("kernels/saxpy.cu")).expect("a source");
    copy.write("kernels/saxpy.cu", &saxpy.replace('\n', "\r\n"));
    copy.build().succeeds();
    copy.write("kernels/saxpy.cu", &format!("{saxpy}\n// edited\n"));
    copy.write("include/scale.cuh", "// another\n");
    copy.build()
        .fails()
        .says("[prebuilt-stale] the prebuilt kernels are not those of these sources: `include/scale.cuh`, `kernels/saxpy.cu` changed")
        .says("run `cargo cubin prebuild` where there is a toolkit");
    copy.write(
        "cubin.toml",
        &format!("{POLICY}[prebuilt]\nstale = \"warn\"\n"),
    );
    copy.build().succeeds().says("[prebuilt-stale]");
}

fn files_below(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(dir).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_below(&path));
        } else {
            let bytes = fs::read(&path).expect("a file");
            found.push((path, bytes));
        }
    }
    found
}

#[cfg(target_os = "linux")]
#[test]
fn prebuilt_kernels_that_do_not_fit_are_told_of() {
    let Some(mut project) = library("cli-prebuilt-wrong") else {
        return;
    };
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\ndirs = [\"kernels\"]\ninclude = [\"include\"]\ndefine = { TILE = 32 }\n",
    );
    project.write("src/lib.rs", "");
    fs::remove_file(project.dir.join("kernels/fill.cu")).expect("removed");
    cubin(&project, &["prebuild"]).succeeds();
    let toolkit = cubin_tests::toolkit().expect("a toolkit").nvcc;
    let policy = fs::read_to_string(project.dir.join("cubin.toml")).expect("a policy");

    // With a toolkit they are not looked at, unless something says so.
    project.write(
        "kernels/saxpy.cu",
        "extern \"C\" __global__ void saxpy() {}\n",
    );
    project.build().succeeds();
    project.set("CUBIN_BUILD_PREBUILT", "always");
    project.build().fails().says("[prebuilt-stale]");
    project.set("CUBIN_BUILD_PREBUILT", "sometimes");
    project
        .build()
        .fails()
        .says("[environment-invalid] `sometimes` does not say when prebuilt kernels are used");
    project.unset("CUBIN_BUILD_PREBUILT");
    let run = cubin(&project, &["prebuild", "--check"]);
    assert_eq!(run.status, Some(1), "{}", run.stdout);
    for part in [
        "is not what these sources give",
        "  kernels.manifest differs\n",
        ".sm_90.cubin differs\n",
        "run `cargo cubin prebuild` and commit",
    ] {
        assert!(run.stderr.contains(part), "no `{part}` in {}", run.stderr);
    }
    cubin(&project, &["prebuild"]).succeeds();
    cubin(&project, &["prebuild", "--check"]).succeeds();

    empty_environment(&mut project);
    project.build().succeeds();
    project.set("CUBIN_BUILD_PREBUILT", "never");
    project.build().fails().says("[toolkit-not-found]");
    project.unset("CUBIN_BUILD_PREBUILT");

    project.write(
        "cubin.toml",
        &policy.replace("TILE = 32", "TILE = 64, FAST = true"),
    );
    let shown = project.build().fails().script_stderr();
    for part in [
        "error[prebuilt-stale]: the prebuilt kernels are not those of these sources: it is compiled in another way",
        "`-DTILE=64` `-DFAST` now, and was with `-DTILE=32`",
    ] {
        assert!(shown.contains(part), "no `{part}` in {shown}");
    }
    project.write(
        "cubin.toml",
        &policy.replace("\"sm_90\"", "\"sm_90\", \"sm_100\""),
    );
    project
        .build()
        .fails()
        .says("[prebuilt-missing] there is no prebuilt machine code of kernels/")
        .says(" for sm_100");
    project.write(
        "cubin.toml",
        &policy.replace("[build]", "[build]\nptx = true"),
    );
    project
        .build()
        .fails()
        .says("[prebuilt-missing] the PTX of ");
    project.write("cubin.toml", &policy);

    let manifest = project.dir.join("prebuilt/kernels.manifest");
    let text = fs::read_to_string(&manifest).expect("a manifest");
    for (wrong, says) in [
        (
            text.replace("prebuilt 1", "prebuilt 9"),
            "has format 9, and this cubin-build reads format 1",
        ),
        (
            text.replace("\nfile ", "\n<<<<<<< HEAD\nfile "),
            "two versions of the manifest were not merged",
        ),
        (
            text.replace(" facts=", " fact="),
            "this line is not understood",
        ),
        (text[..text.len() / 4].to_owned(), "is damaged"),
        (String::new(), "this is no manifest of prebuilt kernels"),
    ] {
        fs::write(&manifest, wrong).expect("written");
        project
            .build()
            .fails()
            .says("[prebuilt-damaged]")
            .says(says);
    }
    fs::write(&manifest, text).expect("written");
    let files = files_below(&project.dir.join("prebuilt/kernels"));
    let (cubin, bytes) = files
        .iter()
        .find(|(path, _)| path.extension().is_some_and(|end| end == "cubin"))
        .expect("a cubin");
    let mut other = bytes.clone();
    other[100] ^= 1;
    fs::write(cubin, other).expect("written");
    project
        .build()
        .fails()
        .says("[prebuilt-damaged]")
        .says("its content is not that of the manifest");
    fs::remove_file(cubin).expect("removed");
    project.build().fails().says("[prebuilt-damaged]");
    fs::write(cubin, bytes).expect("written");
    project.build().succeeds();

    // No manifest at all.
    fs::remove_dir_all(project.dir.join("prebuilt")).expect("removed");
    project.build().fails().says("[toolkit-not-found]");
    project.set("CUBIN_BUILD_PREBUILT", "always");
    project
        .build()
        .fails()
        .says("[prebuilt-missing] there are no prebuilt kernels: prebuilt/kernels.manifest does not exist");
    assert!(toolkit.is_file());
}

/// The examples of this repository, of which one links a library of the toolkit that no machine without it has.
#[test]
fn the_examples_are_the_same_from_prebuilt_files() {
    for name in ["saxpy", "gpu-check"] {
        let Some(toolkit) = cubin_tests::toolkit() else {
            return;
        };
        let package = format!("cli-prebuilt-{name}");
        let mut project = Project::new(env!("CARGO_TARGET_TMPDIR"), &package, &toolkit);
        let example = cubin_tests::workspace().join("examples").join(name);
        let mut files = files_below(&example.join("kernels"));
        let policy = example.join("cubin.toml");
        files.push((policy.clone(), fs::read(policy).expect("a policy")));
        for (path, bytes) in files {
            let to = path.strip_prefix(&example).expect("below the example");
            project.write(&to.to_string_lossy(), &String::from_utf8_lossy(&bytes));
        }
        let run = cubin(&project, &["prebuild"]).succeeds();
        assert!(run.stdout.contains(" written, 0 removed"), "{}", run.stdout);
        project.build().succeeds();
        let compiled = results(&project);
        assert!(compiled.len() > 4, "{name} has no kernels");
        for (file, _) in &compiled {
            fs::remove_file(project.out_dir().join(file)).expect("removed");
        }
        project.set("CUBIN_BUILD_PREBUILT", "always");
        project.set("CUBIN_BUILD_TOOLKIT", "/no/such/toolkit");
        project.build().succeeds();
        let taken = results(&project);
        assert_eq!(compiled.len(), taken.len(), "{name}");
        for ((file, was), (_, is)) in compiled.iter().zip(&taken) {
            assert!(was == is, "{name}: {file} is not as it was compiled");
        }
    }
}
