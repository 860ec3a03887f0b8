//! The toolkit at hand as users have it: behind a wrapper script, below a home directory, in a folder with an apostrophe,
//! with another host compiler. `tests/toolkits.sh` runs this with toolkits of other series.
#![cfg(unix)]

use std::{
    fs,
    os::unix::fs::{MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use cubin_build::{env::Env, toolkit::Toolkit};
use cubin_tests::Project;

const FILL: &str = "#include \"step.cuh\"\n\
    extern \"C\" __global__ void fill(int *p, int value) { p[threadIdx.x] = value; }\n\
    template __global__ void step<float>(float *);\n";
const STEP: &str = "template <typename T> __global__ void step(T *p) { *p += 1; }\n";

/// A crate in a folder of its own that finds its toolkit by the environment.
fn project(name: &str, folder: &str, toolkit: &Toolkit) -> Project {
    let folder = format!("toolkits/{folder}");
    let mut project = Project::in_folder(env!("CARGO_TARGET_TMPDIR"), &folder, name, toolkit);
    project.unset("CUBIN_BUILD_TOOLKIT");
    project.write("kernels/fill.cu", FILL);
    project.write("kernels/step.cuh", STEP);
    project.write("cubin.toml", "[build]\narch = [\"sm_80\"]\n");
    // nvcc 11.8 takes no newer g++.
    if let Some(compiler) = Env::process().peek("NVCC_CCBIN") {
        project.set("NVCC_CCBIN", compiler);
    }
    project
}

fn script(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Both kernels have wrappers, and nothing was warned of.
fn has_wrappers(project: &Project) {
    let generated = project.generated().expect("a generated file");
    for name in ["pub unsafe fn fill(", "fn step"] {
        assert!(generated.contains(name), "no `{name}` in:\n{generated}");
    }
}

#[test]
fn a_wrapper_in_a_home_directory_hides_no_kernel_and_keeps_its_pin() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let mut project = project("of-home", "home", &toolkit);
    let home = project.dir.parent().unwrap().to_owned();
    let nvcc = toolkit.nvcc.display();
    script(
        &home.join("bin/nvcc"),
        &format!("#!/bin/sh\nexec '{nvcc}' \"$@\"\n"),
    );
    // cargo itself must not look there.
    let env = Env::process();
    let real = PathBuf::from(env.peek("HOME").expect("a home directory"));
    for (name, dir) in [("CARGO_HOME", ".cargo"), ("RUSTUP_HOME", ".rustup")] {
        let known = env.peek(name).map(PathBuf::from);
        project.set(name, known.unwrap_or_else(|| real.join(dir)));
    }
    project.set("HOME", &home);
    project.set("CUDA_HOME", &home);
    project.build().succeeds().does_not_say("warning");
    has_wrappers(&project);

    // The version is that of the nvcc behind it.
    let pinned = |version: &str| {
        let text = format!("[toolkit]\nversion = \"{version}\"\n[build]\narch = [\"sm_80\"]\n");
        project.write("cubin.toml", &text);
        project.build()
    };
    pinned(&toolkit.version.to_string()).succeeds();
    pinned("10.2")
        .fails()
        .says("[toolkit-not-found] no CUDA toolkit 10.2 found")
        .says(&format!("is CUDA {}", toolkit.version));
}

#[test]
fn a_variable_that_leads_nowhere_is_told_of() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let mut project = project("of-nowhere", "nowhere", &toolkit);
    project.set("CUDA_PATH", "/no/such/place");
    project.set("NVCC", &toolkit.nvcc);
    let run = project.build().succeeds();
    assert_eq!(
        run.cargo_lines("warning")[0],
        "[toolkit-variable] `CUDA_PATH=/no/such/place` names no CUDA toolkit: no such directory"
    );
    has_wrappers(&project);
}

#[test]
fn paths_with_an_apostrophe_work() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    // Wheels and installers have all of it below one root.
    if !toolkit.root.join("bin").is_dir() || !toolkit.root.join("include").is_dir() {
        eprintln!("skipped: {toolkit} has no root of its own");
        return;
    }
    let mut project = project("of-apostrophe", "it's here", &toolkit);
    let root = project.dir.parent().unwrap().join("it's cuda");
    let _ = fs::remove_dir_all(&root);
    copy(&toolkit.root, &root);
    project.set("CUDA_PATH", &root);
    project.build().succeeds().does_not_say("warning");
    has_wrappers(&project);
    let header = root.join("include/cuda_runtime.h");
    let output = fs::read_to_string(project.out_dir().parent().unwrap().join("output")).unwrap();
    assert!(
        output.contains(&header.parent().unwrap().display().to_string())
            || output.contains(&root.join("bin/nvcc").display().to_string()),
        "the copy was not used:\n{output}"
    );
    fs::remove_dir_all(&root).unwrap();
}

/// By hard links where they can be, without the files that were downloaded for it.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (from, to) = (entry.path(), to.join(entry.file_name()));
        if entry.file_name() == ".download" {
            continue;
        }
        let meta = fs::metadata(&from).unwrap();
        if meta.is_dir() {
            copy(&from, &to);
        } else if fs::hard_link(fs::canonicalize(&from).unwrap(), &to).is_err() {
            fs::copy(&from, &to).unwrap();
        }
        assert!(meta.is_dir() || meta.size() == fs::metadata(&to).unwrap().size());
    }
}

#[test]
fn the_host_compiler_that_is_named_is_the_one_that_runs() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let mut project = project("of-ccbin", "ccbin", &toolkit);
    let real = Env::process().peek("NVCC_CCBIN");
    let real = real.map_or("g++".to_owned(), |name| name.to_string_lossy().into_owned());
    let log = project.dir.join("calls.txt");
    let compiler = project.dir.join("my-g++");
    script(
        &compiler,
        &format!(
            "#!/bin/sh\necho \"$@\" >> '{}'\nexec {real} \"$@\"\n",
            log.display()
        ),
    );
    project.set("CUBIN_BUILD_TOOLKIT", &toolkit.nvcc);
    let preprocessed = || {
        let calls = fs::read_to_string(&log).unwrap_or_default();
        let _ = fs::remove_file(&log);
        calls.lines().any(|line| line.contains("fill.cu"))
    };
    project.set("NVCC_CCBIN", &compiler);
    project.build().succeeds();
    assert!(preprocessed(), "NVCC_CCBIN was not used");
    // By the build script.
    project.set("NVCC_CCBIN", "/no/such/compiler");
    project.write(
        "build.rs",
        &format!(
            "fn main() {{ cubin_build::Builder::new().dir(\"kernels\").host_compiler({compiler:?}).build(); }}\n"
        ),
    );
    project.build().succeeds();
    assert!(preprocessed(), "Builder::host_compiler was not used");
}

/// What users of Debian's and Ubuntu's packages set.
#[test]
fn the_root_of_a_distributions_package_is_a_toolkit() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    if !toolkit.root.ends_with("nvidia-cuda-toolkit") {
        eprintln!("skipped: {toolkit} is not a distribution's package");
        return;
    }
    for variable in ["CUDA_HOME", "CUDA_PATH"] {
        let mut project = project("of-distribution", "distribution", &toolkit);
        project.set(variable, &toolkit.root);
        project.build().succeeds().does_not_say("warning");
        has_wrappers(&project);
    }
}
