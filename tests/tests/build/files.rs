//! Files that are none: to read pipes and devices could take for ever.

use std::fs;

use cubin_tests::{Project, tools};

const NOT_A_FILE: &str = "it is a pipe or a device, not a file";

fn pipe(project: &Project, path: &str) {
    let full = project.dir.join(path);
    let _ = fs::remove_file(&full);
    tools::run("mkfifo".as_ref(), &[path], &project.dir);
}

#[test]
fn pipes_and_devices_are_refused() {
    let Some(project) = super::project("pipes") else {
        return;
    };
    pipe(&project, "cubin.toml");
    project
        .build()
        .fails()
        .says(&format!("cannot read cubin.toml: {NOT_A_FILE}"));
    fs::remove_file(project.dir.join("cubin.toml")).unwrap();

    // A place in an endless file is no place, and that file no input.
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\n[defaults]\nregisters = 1\n",
    );
    project.write(
        "kernels/fill.cu",
        "#line 7 \"/dev/zero\"\nextern \"C\" __global__ void fill(int *p, int value) { p[threadIdx.x] = value; }\n",
    );
    project
        .build()
        .fails()
        .says("[registers-over-budget] kernel `fill`");
    project.write("kernels/fill.cu", super::FILL);

    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\n[baseline]\nfile = \"baseline.toml\"\n",
    );
    pipe(&project, "baseline.toml");
    project.build().fails().says(&format!(
        "cannot read the baseline baseline.toml: {NOT_A_FILE}"
    ));

    project.write("cubin.toml", "[build]\narch = [\"sm_90\"]\n");
    pipe(&project, "kernels/fill.cu");
    let script = |file: &str| {
        let text =
            format!("fn main() {{ cubin_build::Builder::new().file(\"{file}\").build(); }}\n");
        project.write("build.rs", &text);
    };
    script("kernels/fill.cu");
    project
        .build()
        .fails()
        .says("cannot read the file: it is a pipe or a device, not a file");
    pipe(&project, "made.cubin");
    script("made.cubin");
    project
        .build()
        .fails()
        .says(&format!("cannot read made.cubin: {NOT_A_FILE}"));
}
