//! What is said of kernels whose source is PTX, and where.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cubin_build::{Builder, Output};

/// A kernel that nobody can launch; one with debug information of a file here; one of a file elsewhere.
const TEXT: &str = ".version 8.3\n.target sm_75\n.address_size 64\n\
    .visible .entry lonely(.param .u32 n, .param .u64 .ptr .local scratch)\n{ ret; }\n\
    .visible .entry own(.param .u64 .ptr .global out, .param .f32 a)\n{\n.loc 1 3 1\nret;\n}\n\
    .visible .entry others(.param .f32 items[2])\n{\n.loc 2 7 1\nret;\n}\n\
    .file 1 \"kernels/own.rs\"\n.file 2 \"/nowhere/others.rs\"\n";

fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("typed_ptx_findings")
        .join(name);
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(dir.join("kernels")).expect("a scratch folder");
    fs::write(dir.join("kernels/k.ptx"), TEXT).expect("a source");
    fs::write(dir.join("kernels/own.rs"), "//\n//\nfn own() {}\n").expect("a source");
    dir
}

/// Findings without colours.
fn build(dir: &Path, config: &str) -> Result<Output, String> {
    fs::write(dir.join("cubin.toml"), config).expect("cubin.toml");
    let out_dir = dir.join("out");
    fs::create_dir_all(&out_dir).expect("a scratch folder");
    let builder = Builder::new()
        .root(dir)
        .out_dir(out_dir)
        .toolkit(cubin_tests::TOOLKIT)
        .file("kernels/k.ptx")
        .arch("sm_90");
    builder.try_build().map_err(|error| error.to_string())
}

#[test]
fn a_kernel_that_cannot_be_launched_is_named_with_its_place() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let dir = scratch("refused");
    let output = build(&dir, "").expect("it builds");
    let [warning] = output.warnings.as_slice() else {
        panic!("{:?}", output.warnings)
    };
    assert_eq!(
        warning.message,
        "no launch wrapper for `lonely`: parameter 1 (`.u64 .ptr .local`) points into a thread's own local memory, \
         which no host has an address of"
    );
    assert_eq!(warning.code.0, "kernel-refused");
    assert_eq!(warning.help, ["pass a pointer to global memory"]);
    let place = warning.place().expect("a place");
    assert_eq!(place.file.path(), Path::new("kernels/k.ptx"));
    assert_eq!((place.start().0, place.text()), (4, "lonely"));

    let generated = fs::read_to_string(&output.generated).expect("the generated file");
    // Debug information names the source of the PTX; directories of other machines are left out.
    assert!(generated.contains("`kernels/own.rs:3`"), "{generated}");
    assert!(generated.contains("`others.rs:7`"), "{generated}");
    assert!(
        generated.contains(".entry own(.param .u64 .ptr .global out, .param .f32 a)"),
        "{generated}"
    );
    assert!(
        generated.contains(".entry others(.param .f32 items[2])"),
        "{generated}"
    );
}

#[test]
fn declared_types_go_before_those_of_the_text() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let dir = scratch("declared");
    let config = "[[kernel]]\nsymbol = \"own\"\nparams = [\"*mut f32\", \"_\"]\n\n\
                  [[kernel]]\nsymbol = \"lonely\"\nparams = [\"i32\", \"u64\"]\n";
    let output = build(&dir, config).expect("it builds");
    assert!(output.warnings.is_empty(), "{:?}", output.warnings);
    let generated = fs::read_to_string(&output.generated).expect("the generated file");
    let own = super::parameters(&generated, "own");
    assert_eq!(own, "out: &mut impl runtime::Out<f32>, a: f32");
    assert_eq!(
        super::parameters(&generated, "lonely"),
        "n: i32, scratch: u64"
    );

    for params in [
        "[\"*mut f32\", \"f64\"]",
        "[\"*mut f32\"]",
        "[\"*mut f32\", \"quad\"]",
    ] {
        let config = format!("[[kernel]]\nsymbol = \"own\"\nparams = {params}\n");
        let error = build(&dir, &config).expect_err(params);
        assert!(
            error.contains("the declared parameters of `own` do not fit"),
            "{error}"
        );
    }
}
