//! Bad input and bad surroundings: a clear error with its place, and no half-written output.

use std::{fs, path::Path};

use cubin_build::env::Env;
use cubin_tests::recorded;

use crate::{FILL, project};

const NOTHING: [&str; 0] = [];

#[test]
fn without_a_toolkit_the_error_says_what_to_run() {
    let Some(mut project) = project("no-toolkit") else {
        return;
    };
    let empty = project.dir.join("empty");
    fs::create_dir_all(&empty).unwrap();
    project.unset("CUBIN_BUILD_TOOLKIT");
    project.set("CUBIN_BUILD_CACHE", &empty);
    // A version that no usual place of this machine has.
    project.write(
        "cubin.toml",
        "[toolkit]\nversion = \"99.1\"\n\n[build]\narch = [\"sm_90\"]\n",
    );
    let run = project
        .build()
        .fails()
        .says("[toolkit-not-found] no CUDA toolkit 99.1 found")
        .says("cargo cubin toolkit install 99.1")
        .says("PATH");
    assert_eq!(project.generated(), None);

    // The variable's value is in the message when it is what is wrong.
    drop(run);
    project.set("CUBIN_BUILD_TOOLKIT", &empty);
    project
        .build()
        .fails()
        .says("CUBIN_BUILD_TOOLKIT is set to `")
        .says("bin/nvcc");
}

#[cfg(target_os = "linux")]
#[test]
fn a_build_that_runs_offline_downloads_nothing() {
    let Some(mut project) = project("offline") else {
        return;
    };
    project.unset("CUBIN_BUILD_TOOLKIT");
    project.set("CUBIN_BUILD_CACHE", project.dir.join("empty"));
    project.write(
        "cubin.toml",
        "[toolkit]\nversion = \"13.5\"\ninstall = true\n\n[build]\narch = [\"sm_90\"]\n",
    );
    project
        .build()
        .fails()
        .says("CUDA toolkit 13.5 is not in the per-user cache")
        .says("CARGO_NET_OFFLINE is set")
        .says("cargo cubin toolkit install 13.5");
    project.unset("CARGO_NET_OFFLINE");
    let cargo = Env::process()
        .peek("CARGO")
        .unwrap_or_else(|| "cargo".into());
    project
        .run(Path::new(&cargo), &["build", "--offline"])
        .fails()
        .says("cargo was started with `--offline` or `--frozen`");
    assert!(!project.dir.join("empty").exists());
}

#[test]
fn every_source_that_does_not_compile_is_shown_whole() {
    let Some(project) = project("nvcc-errors") else {
        return;
    };
    project.write(
        "kernels/one.cu",
        "__global__ void one(int *p) {\n    *p = undefined_one;\n    *p = undefined_two;\n}\n",
    );
    project.write(
        "kernels/two.cu",
        "#include \"broken.cuh\"\n__global__ void two(int *p) { *p = 1; }\n",
    );
    project.write("kernels/broken.cuh", "\nint 3x;\n");
    let run = project.build().fails();
    let lines = run.cargo_lines("error");
    assert_eq!(lines.len(), 2, "{lines:?}");
    assert!(
        lines[1].starts_with("kernels/one.cu:2")
            && lines[1].contains("[compile-failed]")
            && lines[1].contains("identifier \"undefined_one\" is undefined"),
        "{lines:?}"
    );
    assert!(
        lines[0].starts_with("kernels/broken.cuh:2") && lines[0].contains("[compile-failed]"),
        "{lines:?}"
    );
    // Not only the first message of a file.
    let run = run
        .says("identifier \"undefined_two\" is undefined")
        .says("kernels/one.cu(3): error:");
    // The third source is among what was compiled, and not among what failed.
    assert!(!run.script_stderr().contains("fill.cu"), "{}", run.stderr);
    assert_eq!(project.generated(), None);
    assert_eq!(project.cubins(), NOTHING);

    project.write(
        "kernels/one.cu",
        "__global__ void one(int *p) { *p = 1; }\n",
    );
    project.write("kernels/broken.cuh", "");
    project.build().succeeds();
    assert_eq!(project.cubins().len(), 3);
}

#[test]
fn a_source_without_kernels_is_a_finding() {
    let Some(project) = project("no-kernels") else {
        return;
    };
    project.write(
        "kernels/template.cu",
        "template <typename T> __global__ void scale(T *p) { *p *= 2; }\n",
    );
    project
        .build()
        .fails()
        .says("[no-kernels] kernels/template.cu yields no kernel")
        .says("[[instantiate]]");

    fs::remove_dir_all(project.dir.join("kernels")).unwrap();
    project.build().fails().says("kernels");
    fs::create_dir(project.dir.join("kernels")).unwrap();
    project
        .build()
        .fails()
        .says("[no-sources] there is no .cu file below `kernels`");
}

#[test]
fn a_target_that_is_none_is_named() {
    let Some(project) = project("targets") else {
        return;
    };
    for (arch, message) in [
        ("\"sm_999\"", "[target-unsupported]"),
        ("\"native\"", "[config-invalid]"),
        ("\"90\"", "[config-invalid]"),
    ] {
        project.write("cubin.toml", &format!("[build]\narch = [{arch}]\n"));
        project.build().fails().says(message);
    }
    project.write("cubin.toml", "");
    project.build().fails().says("no target").says("nvidia-smi");
}

#[test]
fn flags_from_the_environment_cannot_change_the_target_unseen() {
    let Some(mut project) = project("append-flags") else {
        return;
    };
    project.set("NVCC_APPEND_FLAGS", "-arch=sm_80");
    project
        .build()
        .fails()
        .says("[target-mismatch] the cubin of kernels/fill.cu is for sm_80, not for sm_90")
        .says("NVCC_APPEND_FLAGS");
    assert_eq!(project.generated(), None);

    // A harmless one is part of the build and of its fingerprint.
    project.set("NVCC_APPEND_FLAGS", "--use_fast_math");
    let run = project.build().succeeds();
    assert!(
        run.cargo_lines("warning")
            .iter()
            .any(|line| line.contains("NVCC_APPEND_FLAGS is set to `--use_fast_math`")),
        "{}",
        run.stderr
    );
}

#[test]
fn prebuilt_cubins_are_checked_like_compiled_ones() {
    let Some(project) = project("prebuilt") else {
        return;
    };
    project.write(
        "build.rs",
        "fn main() {\n    cubin_build::Builder::new().file(\"prebuilt/k.cubin\").build();\n}\n",
    );
    project
        .build()
        .fails()
        .says("[io-error] cannot read prebuilt/k.cubin");

    let cubin = recorded::file("cubins", "one-13.5-75.cubin");
    let path = project.dir.join("prebuilt/k.cubin");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    for (bytes, text) in [
        (
            &b"not a cubin at all"[..],
            "[cubin-unreadable] prebuilt/k.cubin",
        ),
        (
            &cubin[..cubin.len() / 2],
            "[cubin-unreadable] prebuilt/k.cubin",
        ),
        (&[][..], "[cubin-unreadable] prebuilt/k.cubin"),
    ] {
        fs::write(&path, bytes).unwrap();
        project.build().fails().says(text);
        assert_eq!(project.generated(), None);
    }
    fs::write(&path, &cubin).unwrap();
    project.write("cubin.toml", "[build]\narch = [\"sm_75\"]\n");
    project.build().succeeds();
    assert_eq!(project.cubins(), ["k.sm_75.cubin"]);
}

#[test]
fn an_output_that_cannot_be_written_is_an_error() {
    let Some(project) = project("unwritable") else {
        return;
    };
    // A file where the directory should be; a mode would not stop the administrator.
    project.write(
        "build.rs",
        "fn main() {\n    cubin_build::Builder::new().dir(\"kernels\").out_dir(\"occupied/out\").build();\n}\n",
    );
    project.write("occupied", "");
    project
        .build()
        .fails()
        .says("[output-unwritable]")
        .says("occupied/out");
    assert_eq!(fs::read(project.dir.join("occupied")).unwrap(), b"");

    // A directory where the generated file should be.
    project.write(
        "build.rs",
        "fn main() {\n    cubin_build::Builder::new().dir(\"kernels\").out_dir(\"results\").build();\n}\n",
    );
    fs::create_dir_all(project.dir.join("results/kernels.rs")).unwrap();
    project
        .build()
        .fails()
        .says("[output-unwritable]")
        .says("kernels.rs");
    let left: Vec<String> = fs::read_dir(project.dir.join("results"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".tmp"))
        .collect();
    assert_eq!(left, NOTHING);
}

#[test]
fn a_path_with_spaces_and_other_letters_works() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let project = cubin_tests::Project::in_folder(
        env!("CARGO_TARGET_TMPDIR"),
        "build with spaces/größe 大",
        "spaces",
        &toolkit,
    );
    project.write("kernels/über füllung.cu", FILL);
    project.write(
        "kernels/a b/sum.cu",
        "#include \"c d.cuh\"\n__global__ void sum(int *p) { *p += N; }\n",
    );
    project.write("kernels/a b/c d.cuh", "#define N 4\n");
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\n[defaults]\nregisters = 4\n",
    );
    project
        .build()
        .fails()
        .says("kernels/a b/sum.cu:2:17: [registers-over-budget]")
        .says("kernels/über füllung.cu:1:28: [registers-over-budget]");
    project.write("cubin.toml", "[build]\narch = [\"sm_90\"]\n");
    project.build().succeeds();
    project.build().succeeds().says("Fresh spaces");
    project.write("kernels/a b/c d.cuh", "#define N 5\n");
    project.build().succeeds().says("Dirty spaces");
    assert_eq!(project.cubins().len(), 2);
}

#[test]
fn two_builders_share_a_build_script() {
    let Some(project) = project("two-builders") else {
        return;
    };
    project.write(
        "other/fill.cu",
        "__global__ void other(int *p) { *p = 1; }\n",
    );
    project.write(
        "build.rs",
        "fn main() {\n    cubin_build::Builder::new().dir(\"kernels\").build();\n    \
         cubin_build::Builder::new().dir(\"other\").out_file(\"other.rs\").build();\n}\n",
    );
    project.build().succeeds();
    assert!(project.generated().unwrap().contains("fill"));
    let other = fs::read_to_string(project.out_dir().join("other.rs")).unwrap();
    assert!(other.contains("pub unsafe fn other"), "{other}");
    // Two sources of one name, each with a cubin of its own.
    assert_eq!(project.cubins().len(), 2, "{:?}", project.cubins());
    project.build().succeeds().says("Fresh two-builders");

    project.write(
        "other/fill.cu",
        "__global__ void renamed(int *p) { *p = 1; }\n",
    );
    project.build().succeeds();
    let other = fs::read_to_string(project.out_dir().join("other.rs")).unwrap();
    assert!(other.contains("pub unsafe fn renamed"), "{other}");
    assert_eq!(project.cubins().len(), 2, "{:?}", project.cubins());
}

#[test]
fn what_build_rs_passes_is_not_blamed_on_the_file() {
    let Some(mut project) = project("builder-arguments") else {
        return;
    };
    let nothing_else = |run: cubin_tests::Run| {
        let (errors, stderr) = (run.cargo_lines("error"), run.script_stderr());
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert!(!stderr.contains("problem in cubin.toml"), "{stderr}");
        stderr
    };
    for (call, message, method) in [
        (
            ".flag(\"-dc\")",
            "nvcc flag `-dc` cannot be used",
            "`Builder::flag`",
        ),
        (
            ".arch(\"native\")",
            "`native` is not a target",
            "`Builder::arch`",
        ),
        (
            ".include(\"none\")",
            "include directory `none`",
            "`Builder::include`",
        ),
        (".toolkit(\"new\")", "`new`", "`Builder::toolkit`"),
        (
            ".instantiate(\"kernels/none.cu\", \"k<int>\")",
            "cannot instantiate `k<int>`",
            "`Builder::instantiate`",
        ),
        (
            ".ptx(\"sm_90\")",
            "`sm_90` is not a virtual architecture",
            "`Builder::ptx`",
        ),
        (
            ".ptx(\"compute_75\")",
            "PTX for compute_75 is made with the cubin for sm_75, which is not a target",
            "`Builder::ptx`",
        ),
        (
            ".out_file(\"a/b.rs\")",
            "`a/b.rs` is not a file name",
            "`Builder::out_file`",
        ),
    ] {
        project.write(
            "build.rs",
            &format!(
                "fn main() {{ cubin_build::Builder::new().dir(\"kernels\"){call}.build(); }}\n"
            ),
        );
        let stderr = nothing_else(project.build().fails());
        for part in [
            "error[builder-invalid]: ",
            message,
            method,
            "error: 1 problem in build.rs",
        ] {
            assert!(stderr.contains(part), "{call}: no `{part}` in {stderr}");
        }
    }

    project.write(
        "build.rs",
        "fn main() { cubin_build::Builder::new().dir(\"kernels\").build(); }\n",
    );
    project.set("CUBIN_BUILD_ARCH", "sm_90,native");
    let stderr = nothing_else(project.build().fails());
    for part in [
        "error[environment-invalid]: `native` is not a target",
        "from the environment variable CUBIN_BUILD_ARCH",
        "error: 1 problem with an environment variable",
    ] {
        assert!(stderr.contains(part), "no `{part}` in {stderr}");
    }

    // What the file says is still the file's.
    project.unset("CUBIN_BUILD_ARCH");
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\nflags = [\"-dc\"]\n",
    );
    let stderr = project.build().fails().script_stderr();
    for part in [
        "error[config-invalid]: ",
        "cubin.toml:3:10",
        "error: 1 problem in cubin.toml",
    ] {
        assert!(stderr.contains(part), "no `{part}` in {stderr}");
    }
}
