//! Targets that share a virtual architecture: `virtual` in [build] and [[target]], `Builder::virtual_arch`.

use std::{fs, process::Command};

use super::incremental::{NOTHING, counted};

/// Code that tells for which architecture it was compiled.
const SOURCE: &str = "#include \"scale.cuh\"
extern \"C\" __global__ void k(int *p) { p[threadIdx.x] = __CUDA_ARCH__ * SCALE; }\n";

const TOML: &str = "[build]
arch = [\"sm_80\", \"sm_86\", \"sm_89\", \"sm_90a\"]
dirs = \"kernels\"
ptx = true
[[target]]
arch = \"sm_8?\"
virtual = \"compute_80\"
[generate]
backend = \"core\"
";

#[test]
fn targets_of_one_virtual_architecture_share_the_front_end() {
    let Some((project, tools)) = counted("virtual") else {
        return;
    };
    fs::remove_file(project.dir.join("kernels/fill.cu")).unwrap();
    project.write("kernels/scale.cuh", "#define SCALE 2\n");
    project.write("kernels/k.cu", SOURCE);
    project.write("cubin.toml", TOML);
    let include = "pub mod kernels { include!(concat!(env!(\"OUT_DIR\"), \"/kernels.rs\")); }\n";
    project.write("src/lib.rs", include);
    project.build().succeeds();
    let assembled = ["ptxas k sm_80", "ptxas k sm_86", "ptxas k sm_89"];
    let mut all = vec!["cicc k compute_80", "cicc k compute_90a"];
    all.extend(assembled);
    all.push("ptxas k sm_90a");
    assert_eq!(tools.steps(), all);
    // The newest target without a letter has PTX of what it was made of.
    assert!(project.out_dir().join("k.compute_80.ptx").is_file());

    // As nvcc makes them.
    for target in ["sm_80", "sm_86", "sm_89"] {
        let expected = project.dir.join("expected.cubin");
        let status = Command::new(&cubin_tests::toolkit().unwrap().nvcc)
            .args(["-cubin", "-std=c++17", "-Xptxas", "-v", "-gencode"])
            .arg(format!("arch=compute_80,code={target}"))
            .arg("-o")
            .arg(&expected)
            .arg("kernels/k.cu")
            .current_dir(&project.dir)
            .status();
        assert!(status.unwrap().success());
        let made = project.out_dir().join(format!("k.{target}.cubin"));
        let made = fs::read(made).unwrap();
        assert!(made == fs::read(&expected).unwrap(), "{target}");
    }

    // One target less, or another order, asks nothing of the front end; nor does one more.
    project.write(
        "cubin.toml",
        &TOML.replace("\"sm_80\", \"sm_86\"", "\"sm_86\""),
    );
    project.build().succeeds();
    assert_eq!(tools.steps(), NOTHING);
    project.write(
        "cubin.toml",
        &TOML.replace("\"sm_80\",", "\"sm_87\", \"sm_80\","),
    );
    project.build().succeeds();
    assert_eq!(tools.steps(), ["ptxas k sm_87"]);
    // A header with another value does.
    project.write("cubin.toml", TOML);
    project.write("kernels/scale.cuh", "#define SCALE 3\n");
    project.build().succeeds();
    assert_eq!(tools.steps(), all);
    // Each its own: that of sm_80 is the same.
    project.write(
        "cubin.toml",
        &TOML.replace("virtual = \"compute_80\"", "flags = \"-DX\""),
    );
    project.build().succeeds();
    let own = [
        "cicc k compute_86",
        "cicc k compute_89",
        "ptxas k sm_86",
        "ptxas k sm_89",
    ];
    assert_eq!(tools.steps(), own);
}

#[test]
fn what_cannot_be_shared_is_said() {
    let Some(mut project) = super::project("virtual-errors") else {
        return;
    };
    let build = |virtual_arch: &str, rest: &str| {
        format!("[build]\narch = [\"sm_75\", \"sm_90a\"]\n{virtual_arch}\n{rest}")
    };
    project.write("cubin.toml", &build("virtual = \"compute_80\"", ""));
    project
        .build()
        .fails()
        .says("target sm_75 is older than the virtual architecture compute_80")
        .says("cubin.toml:3:11")
        .says("write `compute_75`, or an older one, or take sm_75 out of `arch`");
    project.write("cubin.toml", &build("virtual = \"sm_80\"", ""));
    project
        .build()
        .fails()
        .says("`sm_80` is not a virtual architecture; expected for example `compute_90`")
        .says("did you mean `compute_80`?");
    let own = "[[target]]\narch = \"sm_9*\"\nvirtual = \"compute_90f\"\n";
    project.write("cubin.toml", &build("", own));
    project.build().fails().says("makes no PTX for compute_90f");
    let own = "[[target]]\narch = \"sm_9*\"\nvirtual = \"compute_81\"\n";
    project.write("cubin.toml", &build("", own));
    project
        .build()
        .fails()
        .says("makes no PTX for compute_81; it knows compute_75, compute_80")
        .says("virtual = \"compute_81\"");
    project.write("cubin.toml", &build("", "[[target]]\narch = \"sm_9*\"\n"));
    project
        .build()
        .fails()
        .says("this [[target]] says nothing of its targets");
    project.write(
        "cubin.toml",
        &build("virtual = \"compute_75\"\nptx = \"compute_90\"", "").replace("sm_90a", "sm_90"),
    );
    project
        .build()
        .fails()
        .says("the PTX of sm_90 is made for compute_75, not for compute_90")
        .says("write `ptx = \"compute_75\"`, or change `virtual`");
    // A GPU of the environment that is older has its own.
    project.write("cubin.toml", &build("virtual = \"compute_90\"", ""));
    project.set("CUBIN_BUILD_ARCH", "sm_75");
    project.build().succeeds();
    assert_eq!(project.cubins(), ["fill.sm_75.cubin"]);
}

/// Sources that are each instances of one kernel come to the same machine code.
#[test]
fn what_is_the_same_is_assembled_once() {
    let Some((project, tools)) = counted("same") else {
        return;
    };
    fs::remove_file(project.dir.join("kernels/fill.cu")).unwrap();
    for name in ["a", "b", "c"] {
        // Their texts differ, and their PTX does not.
        let text = format!("inline __device__ int {name}() {{ return 7; }}\n");
        let kernel = format!("__global__ void k(int *p) {{ *p = {name}(); }}\n");
        project.write(&format!("kernels/{name}.cu"), &format!("{text}{kernel}"));
    }
    let toml = |arch: &str| format!("[build]\narch = {arch}\ndirs = \"kernels\"\n");
    project.write("cubin.toml", &toml("\"sm_90\""));
    project.build().succeeds();
    let steps = tools.steps();
    let ran = |tool: &str| steps.iter().filter(|step| step.starts_with(tool)).count();
    assert_eq!((ran("cicc"), ran("ptxas")), (3, 1), "{steps:?}");
    let cubin = |name: &str| fs::read(project.out_dir().join(format!("{name}.sm_90.cubin")));
    assert!(
        cubin("a").unwrap() == cubin("b").unwrap() && cubin("c").unwrap() == cubin("b").unwrap()
    );
    // Each is a result of its own.
    project.write("kernels/b.cu", "__global__ void k(int *p) { *p = 8; }\n");
    project.build().succeeds();
    assert_eq!(tools.steps(), ["cicc b compute_90", "ptxas b sm_90"]);
    assert!(
        cubin("a").unwrap() == cubin("c").unwrap() && cubin("a").unwrap() != cubin("b").unwrap()
    );
    project.write("cubin.toml", &toml("\"sm_90\"\n#"));
    project.build().succeeds();
    assert_eq!(tools.steps(), NOTHING);
}
