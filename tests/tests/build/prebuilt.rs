//! Machine code that is given to a build: what can be loaded, on which targets, and what nvlink would lose.

use std::fs;

use cubin_build::toolkit::Toolkit;
use cubin_tests::{Project, tools};

/// Alone it has 24 registers; what it calls needs ten times as many.
const HEAVY: &str = "\
__device__ __noinline__ float helper(float x) { return x * 2; }
extern \"C\" __global__ void calls(float *x) { *x = helper(*x); }
";
const SCRIPT: &str =
    "fn main() { cubin_build::Builder::new().file(\"made/heavy.cubin\").build(); }\n";

/// Compiles `made/heavy.cu` in a project with nothing else.
fn make(project: &Project, toolkit: &Toolkit, file: &str, arguments: &[&str]) {
    project.write("made/heavy.cu", HEAVY);
    let arguments = [arguments, &["-o", file, "heavy.cu"]].concat();
    tools::tool(toolkit, "nvcc", &arguments, &project.dir.join("made"));
}

fn project(name: &str) -> Option<(Project, Toolkit)> {
    Some((super::project(name)?, cubin_tests::toolkit()?))
}

fn targets(project: &Project, arch: &str) {
    project.write("cubin.toml", &format!("[build]\narch = [{arch}]\n"));
}

#[test]
fn relocatable_code_is_refused_outside_of_a_link() {
    let Some((mut project, toolkit)) = project("relocatable") else {
        return;
    };
    let (cubin, fatbin) = (["-cubin", "-rdc=true", "-arch=sm_90"], "-fatbin");
    make(&project, &toolkit, "heavy.cubin", &cubin);
    project.write("build.rs", SCRIPT);
    project
        .build()
        .fails()
        .says("[cubin-relocatable] made/heavy.cubin is relocatable code for sm_90")
        .says("`libraries` of a [[link]]");
    assert_eq!(project.generated(), None);

    let arguments = [fatbin, "-rdc=true", "-arch=sm_90", "--compress-mode=none"];
    make(&project, &toolkit, "heavy.fatbin", &arguments);
    project.write("build.rs", &SCRIPT.replace(".cubin", ".fatbin"));
    project
        .build()
        .fails()
        .says("[cubin-relocatable] made/heavy.fatbin is relocatable code");

    // A source that the environment makes one.
    project.write(
        "build.rs",
        "fn main() { cubin_build::Builder::new().dir(\"kernels\").build(); }\n",
    );
    project.set("NVCC_APPEND_FLAGS", "-rdc=true");
    project
        .build()
        .fails()
        .says("[cubin-relocatable] kernels/fill.cu is relocatable code for sm_90")
        .says("NVCC_APPEND_FLAGS");
    assert_eq!(project.generated(), None);
}

#[test]
fn targets_that_a_prebuilt_cubin_does_not_run_on_are_named() {
    let Some((project, toolkit)) = project("unserved") else {
        return;
    };
    make(
        &project,
        &toolkit,
        "heavy.cubin",
        &["-cubin", "-arch=sm_90"],
    );
    project.write("build.rs", SCRIPT);
    targets(&project, "\"sm_80\", \"sm_120\"");
    project.build().fails().says(
        "error[target-unserved]: no image of made/heavy.cubin runs on sm_80 or sm_120; it holds sm_90",
    );
    targets(&project, "\"sm_80\", \"sm_90a\"");
    project
        .build()
        .succeeds()
        .says("no image of made/heavy.cubin runs on sm_80; it holds sm_90");
    // A later minor revision takes it.
    make(
        &project,
        &toolkit,
        "heavy.cubin",
        &["-cubin", "-arch=sm_80"],
    );
    targets(&project, "\"sm_80\", \"sm_89\"");
    project.build().succeeds().does_not_say("target-unserved");
    make(
        &project,
        &toolkit,
        "heavy.cubin",
        &["-cubin", "-arch=sm_89"],
    );
    project
        .build()
        .succeeds()
        .says("no image of made/heavy.cubin runs on sm_80; it holds sm_89");
}

#[test]
fn a_fatbin_serves_a_target_with_the_closest_image() {
    let Some((project, toolkit)) = project("unserved-fatbin") else {
        return;
    };
    let mut arguments = vec!["-fatbin", "--compress-mode=none"];
    for pair in [
        "arch=compute_80,code=sm_80",
        "arch=compute_86,code=sm_86",
        "arch=compute_90,code=[sm_90,compute_90]",
    ] {
        arguments.extend(["-gencode", pair]);
    }
    make(&project, &toolkit, "heavy.fatbin", &arguments);
    project.write("build.rs", &SCRIPT.replace(".cubin", ".fatbin"));
    // What a driver takes on 8.9, 8.7 and 8.0; each once, and nothing that no target wants.
    targets(&project, "\"sm_80\", \"sm_87\", \"sm_89\"");
    project.build().succeeds().does_not_say("warning");
    assert_eq!(project.cubins(), ["heavy.sm_80.cubin", "heavy.sm_86.cubin"]);
    targets(&project, "\"sm_89\"");
    project.build().succeeds().does_not_say("warning");
    assert_eq!(project.cubins(), ["heavy.sm_86.cubin"]);

    targets(&project, "\"sm_75\", \"sm_90\", \"sm_120\"");
    project
        .build()
        .succeeds()
        .says("no image of made/heavy.fatbin runs on sm_75 or sm_120; it holds sm_90");
    // PTX that is embedded serves what comes later.
    targets(
        &project,
        "\"sm_75\", \"sm_90\", \"sm_120\"]\nptx = [\"compute_90\"",
    );
    project
        .build()
        .succeeds()
        .says("no image of made/heavy.fatbin runs on sm_75; it holds sm_90");
    targets(&project, "\"sm_75\"");
    project
        .build()
        .fails()
        .says("made/heavy.fatbin has no cubin for sm_75; it holds sm_80, sm_86, sm_90");
}

/// A crate whose one linked module takes the library `made/heavy.EXTENSION`.
fn linked(project: &Project, library: &str) {
    project.write(
        "kernels/fill.cu",
        "extern \"C\" __global__ void fill(int *p) { *p = 1; }\n",
    );
    project.write(
        "cubin.toml",
        &format!(
            "[build]\narch = [\"sm_90\"]\n[[link]]\nname = \"both\"\nsources = [\"kernels/fill.cu\"]\nlibraries = [\"{library}\"]\n"
        ),
    );
}

#[test]
fn what_nvlink_would_leave_out_is_an_error_that_names_it() {
    let Some((mut project, toolkit)) = project("link-lost") else {
        return;
    };
    let dir = project.dir.join("made");
    let rdc = ["-rdc=true", "-arch=sm_90"];
    let whole = ["-arch=sm_90"];
    // Without PTX, which nvlink would make code of.
    let other = ["-rdc=true", "-gencode=arch=compute_80,code=sm_80"];
    let says = |project: &Project, library: &str, text: &str| {
        linked(project, &format!("made/{library}"));
        project.build().fails().says(&format!(
            "[link-input] `both` cannot be linked for sm_90: made/{library} {text}"
        ));
        assert_eq!(project.generated(), None, "{library}");
    };
    let not_linked = "a whole program, which nvlink leaves out: make it with `-rdc=true`";

    make(
        &project,
        &toolkit,
        "heavy.cubin",
        &[&whole[..], &["-cubin"]].concat(),
    );
    says(&project, "heavy.cubin", &format!("is {not_linked}"));
    make(
        &project,
        &toolkit,
        "heavy.o",
        &[&whole[..], &["-c"]].concat(),
    );
    says(&project, "heavy.o", &format!("holds {not_linked}"));
    tools::run("ar".as_ref(), &["rc", "libheavy.a", "heavy.o"], &dir);
    says(
        &project,
        "libheavy.a",
        &format!("holds, in its member heavy.o, {not_linked}"),
    );

    make(
        &project,
        &toolkit,
        "heavy.cubin",
        &[&other[..], &["-cubin"]].concat(),
    );
    says(
        &project,
        "heavy.cubin",
        "holds no code for sm_90, only for sm_80",
    );
    make(
        &project,
        &toolkit,
        "heavy.o",
        &[&other[..], &["-c"]].concat(),
    );
    says(
        &project,
        "heavy.o",
        "holds no code for sm_90, only for sm_80",
    );

    make(
        &project,
        &toolkit,
        "heavy.cubin",
        &[&rdc[..], &["-cubin"]].concat(),
    );
    fs::remove_file(dir.join("libheavy.a")).unwrap();
    tools::run("ar".as_ref(), &["rc", "libheavy.a", "heavy.cubin"], &dir);
    says(
        &project,
        "libheavy.a",
        "holds the cubin heavy.cubin, which nvlink leaves out",
    );
    let good = fs::read(dir.join("heavy.cubin")).unwrap();
    fs::write(dir.join("heavy.cubin"), &good[..good.len() / 2]).unwrap();
    says(&project, "heavy.cubin", "cannot be read:");
    // e_shentsize, and the byte order.
    for (at, value) in [(58, 63), (5, 2)] {
        let mut bad = good.clone();
        bad[at] = value;
        fs::write(dir.join("heavy.cubin"), bad).unwrap();
        says(&project, "heavy.cubin", "cannot be read:");
    }
    fs::write(dir.join("host.c"), "int host(void) { return 1; }\n").unwrap();
    tools::run("gcc".as_ref(), &["-c", "host.c"], &dir);
    says(&project, "host.o", "holds no device code");

    // All is well, in every form.
    make(&project, &toolkit, "heavy.o", &[&rdc[..], &["-c"]].concat());
    fs::remove_file(dir.join("libheavy.a")).unwrap();
    tools::run("ar".as_ref(), &["rc", "libheavy.a", "heavy.o"], &dir);
    fs::write(dir.join("heavy.cubin"), good).unwrap();
    for library in ["heavy.cubin", "heavy.o", "libheavy.a"] {
        linked(&project, &format!("made/{library}"));
        project.build().succeeds().does_not_say("warning");
        let generated = project.generated().expect("a generated file");
        assert!(
            generated.contains("fn calls(") && generated.contains("fn fill("),
            "{library}"
        );
    }

    // A source that the environment makes a whole program.
    project.set("NVCC_APPEND_FLAGS", "-rdc=false");
    project.build().fails().says(&format!(
        "[link-input] `both` cannot be linked for sm_90: kernels/fill.cu is {not_linked}"
    ));
}

/// An entry of a fatbin that claims to be packed (zstd): header, then eight bytes. Its number is no target, so that it must be
/// unpacked to know it, as entries of old fatbins.
fn claims(unpacked: u64) -> Vec<u8> {
    let mut entry = Vec::new();
    entry.extend(2_u16.to_le_bytes());
    entry.extend(0x0101_u16.to_le_bytes());
    entry.extend(64_u32.to_le_bytes());
    entry.extend(8_u64.to_le_bytes());
    entry.extend(8_u32.to_le_bytes());
    entry.resize(28, 0);
    entry.extend(0x1_0000_u32.to_le_bytes());
    entry.resize(40, 0);
    entry.extend(0x8000_u64.to_le_bytes());
    entry.resize(56, 0);
    entry.extend(unpacked.to_le_bytes());
    entry.extend(b"12345678");
    entry
}

#[test]
fn the_entries_of_a_fatbin_are_unpacked_within_a_budget() {
    let Some((project, _)) = project("bomb") else {
        return;
    };
    let entries = [claims(40 << 20), claims(40 << 20)].concat();
    let mut fatbin = 0xba55_ed50_u32.to_le_bytes().to_vec();
    fatbin.extend(1_u16.to_le_bytes());
    fatbin.extend(16_u16.to_le_bytes());
    fatbin.extend((entries.len() as u64).to_le_bytes());
    fatbin.extend(entries);
    fs::create_dir_all(project.dir.join("made")).expect("a folder");
    fs::write(project.dir.join("made/heavy.fatbin"), fatbin).expect("a file");
    project.write("build.rs", &SCRIPT.replace(".cubin", ".fatbin"));
    project
        .build()
        .fails()
        .says("are left of what the entries of this file may have together");
}
