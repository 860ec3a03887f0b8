//! PTX beside the cubins: what is embedded, when it is written again, and that ptxas takes it for a newer GPU.

use std::{fs, path::Path, time::SystemTime};

use cubin_tests::{Project, tools};

const BUILD_WITH_MIXED: &str =
    "fn main() { cubin_build::Builder::new().file(\"mixed.ptx\").file(\"many.fatbin\").build(); }";

fn ptx_files(project: &Project) -> Vec<String> {
    let entries = fs::read_dir(project.out_dir()).expect("OUT_DIR");
    let mut names: Vec<String> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .map(|name| name.to_string_lossy().into_owned())
        .filter(|name| name.ends_with(".ptx"))
        .collect();
    names.sort();
    names
}

fn modified(path: &Path) -> SystemTime {
    let meta = fs::metadata(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    meta.modified().expect("a time")
}

/// Asserts that a file holds text with one zero byte, at its end, and that ptxas assembles it for `target`.
fn assembles(project: &Project, name: &str, target: &str) {
    let bytes = fs::read(project.out_dir().join(name)).expect("the PTX");
    let (last, text) = bytes.split_last().expect("a zero byte");
    assert_eq!((*last, text.contains(&0)), (0, false), "{name}");
    fs::write(project.dir.join("embedded.ptx"), text).expect("a scratch file");
    let toolkit = cubin_tests::toolkit().expect("it compiled the project");
    let arch = format!("-arch={target}");
    let arguments = [&arch, "-o", "embedded.cubin", "embedded.ptx"];
    tools::tool(&toolkit, "ptxas", &arguments, &project.dir);
}

#[test]
fn ptx_of_the_newest_target_is_embedded_and_kept() {
    let Some(project) = super::project("with-ptx") else {
        return;
    };
    let arch = "[build]\narch = [\"sm_80\", \"sm_90\", \"sm_90a\"]\n";
    project.write("cubin.toml", arch);
    project.write(
        "src/lib.rs",
        "pub const GENERATED: &str = include_str!(concat!(env!(\"OUT_DIR\"), \"/kernels.rs\"));\n",
    );
    project.build().succeeds();
    assert!(ptx_files(&project).is_empty());
    let out = project.out_dir();
    let cubin = modified(&out.join("fill.sm_90.cubin"));

    project.write("cubin.toml", &format!("{arch}ptx = true\n"));
    project.build().succeeds();
    assert_eq!(ptx_files(&project), ["fill.compute_90.ptx"]);
    assembles(&project, "fill.compute_90.ptx", "sm_100");
    let generated = project.generated().expect("a generated file");
    for part in [
        "with PTX for `compute_90`.",
        "include_bytes!(\"fill.compute_90.ptx\")",
        "runtime::Target::new(90),\n                    runtime::Target::new(90),",
    ] {
        let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(
            flat(&generated).contains(&flat(part)),
            "{part}: {generated}"
        );
    }
    // Nothing was compiled for it, and nothing is written when nothing changed.
    assert_eq!(modified(&out.join("fill.sm_90.cubin")), cubin);
    let ptx = modified(&out.join("fill.compute_90.ptx"));
    let rust = modified(&out.join("kernels.rs"));
    project.write("kernels/fill.cu", super::FILL);
    project.build().succeeds().says("Dirty with-ptx v0.0.0");
    assert_eq!(modified(&out.join("fill.compute_90.ptx")), ptx);
    assert_eq!(modified(&out.join("kernels.rs")), rust);
    project.build().succeeds().says("Fresh with-ptx v0.0.0");

    project.write(
        "cubin.toml",
        &format!("{arch}ptx = \"compute_80\"\n[[instantiate]]\nkernel = \"scale<float>\"\n"),
    );
    project.write(
        "kernels/scale.cu",
        "template <typename T> __global__ void scale(T *x, T a) { x[threadIdx.x] *= a; }\n",
    );
    project.build().succeeds();
    assert_eq!(
        ptx_files(&project),
        ["fill.compute_80.ptx", "scale.compute_80.ptx"]
    );
    assembles(&project, "scale.compute_80.ptx", "sm_120");
    project.write("cubin.toml", &format!("{arch}ptx = [\"compute_75\"]\n"));
    project
        .build()
        .fails()
        .says("cubin.toml:3:8: [config-invalid] PTX for compute_75 is made with the cubin for sm_75, which is not a target");
    fs::remove_file(project.dir.join("kernels/scale.cu")).expect("the template");
    project.write("cubin.toml", "[build]\narch = [\"sm_90a\"]\nptx = true\n");
    project
        .build()
        .fails()
        .says("there is no target whose PTX other GPUs could use");
    project.write("cubin.toml", arch);
    project.build().succeeds();
    assert!(ptx_files(&project).is_empty());
}

#[test]
fn the_environment_may_take_the_target_of_ptx_away() {
    let Some(mut project) = super::project("ptx-quick") else {
        return;
    };
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_80\", \"sm_90\"]\nptx = [\"compute_90\"]\n",
    );
    project.set("CUBIN_BUILD_ARCH", "sm_80");
    project.build().succeeds();
    assert!(ptx_files(&project).is_empty());
    project.write(
        "build.rs",
        "fn main() { cubin_build::Builder::new().dir(\"kernels\").ptx(\"compute_80\").build(); }",
    );
    project.build().succeeds();
    assert_eq!(ptx_files(&project), ["fill.compute_80.ptx"]);
}

#[test]
fn ptx_of_other_sources_is_embedded() {
    let Some(project) = super::project("ptx-sources") else {
        return;
    };
    let toolkit = cubin_tests::toolkit().expect("just asked");
    let nvcc = |arguments: &[&str]| tools::tool(&toolkit, "nvcc", arguments, &project.dir);
    nvcc(&["-arch=sm_80", "-ptx", "-o", "mixed.ptx", "kernels/fill.cu"]);
    nvcc(&[
        "-fatbin",
        "--compress-mode=none",
        "-gencode",
        "arch=compute_90,code=[sm_90,compute_90]",
        "-o",
        "many.fatbin",
        "kernels/fill.cu",
    ]);
    project.write("build.rs", BUILD_WITH_MIXED);
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_86\", \"sm_90\"]\nptx = true\n[[kernel]]\nsymbol = \"fill\"\nparams = [\"*mut i32\", \"i32\"]\n",
    );
    project.build().succeeds();
    // The text of a .ptx source is for the architecture that it names itself.
    assert_eq!(
        ptx_files(&project),
        ["many.compute_90.ptx", "mixed.compute_80.ptx"]
    );
    assembles(&project, "many.compute_90.ptx", "sm_100");
    assembles(&project, "mixed.compute_80.ptx", "sm_89");
}

#[test]
fn a_fatbin_without_the_ptx_that_is_asked_for_is_a_warning() {
    let Some(project) = super::project("ptx-missing") else {
        return;
    };
    let toolkit = cubin_tests::toolkit().expect("just asked");
    let fatbin = |codes: &[&str]| {
        let mut arguments = vec!["-fatbin", "--compress-mode=none", "-o", "many.fatbin"];
        for code in codes {
            arguments.extend(["-gencode", code]);
        }
        arguments.push("kernels/fill.cu");
        tools::tool(&toolkit, "nvcc", &arguments, &project.dir);
    };
    fatbin(&[
        "arch=compute_80,code=[sm_80,compute_80]",
        "arch=compute_90,code=sm_90",
    ]);
    project.write(
        "build.rs",
        "fn main() { cubin_build::Builder::new().file(\"many.fatbin\").build(); }",
    );
    let kernel = "[[kernel]]\nsymbol = \"fill\"\nparams = [\"*mut i32\", \"i32\"]\n";
    let config = |ptx: &str| format!("[build]\narch = [\"sm_80\", \"sm_90\"]\n{ptx}\n{kernel}");
    project.write("cubin.toml", &config("ptx = true"));
    project
        .build()
        .succeeds()
        .says("[ptx-missing] many.fatbin has no PTX for compute_90 beside a cubin; it holds PTX for compute_80")
        .says("help: make it again with `-gencode arch=compute_90,code=[sm_90,compute_90]`");
    assert!(ptx_files(&project).is_empty());

    // What it has, or nothing, is no reason to warn.
    for (ptx, files) in [("ptx = \"compute_80\"", 1), ("", 0)] {
        project.write("cubin.toml", &config(ptx));
        project.build().succeeds().does_not_say("[ptx-missing]");
        assert_eq!(ptx_files(&project).len(), files, "{ptx}");
    }
    fatbin(&["arch=compute_90,code=sm_90"]);
    project.write("cubin.toml", &config("ptx = true"));
    project
        .build()
        .succeeds()
        .says("beside a cubin; it holds no PTX at all");
}
