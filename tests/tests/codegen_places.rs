//! Where generated documentation says that kernels of included files are defined.
#![cfg(unix)]

use std::{fs, os::unix::fs::symlink, path::Path};

use cubin_build::Builder;

#[test]
fn paths_of_included_files_are_plain_where_that_is_the_same_file() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("codegen_places");
    let _ = fs::remove_dir_all(&root);
    fs::create_dir_all(root.join("kernels/a")).expect("a folder");
    fs::create_dir_all(root.join("elsewhere/deep")).expect("a folder");
    symlink("../elsewhere/deep", root.join("kernels/link")).expect("a link");
    let write = |name: &str, text: &str| fs::write(root.join(name), text).expect("a file");
    write("kernels/b.cuh", "__global__ void in_b() {}\n");
    write("elsewhere/c.cuh", "\n__global__ void in_c() {}\n");
    // By name alone this would be the other one.
    write("kernels/c.cuh", "// nothing\n");
    write("outside.cuh", "struct Outside { int n; };\n");
    write(
        "kernels/all.cu",
        "#include \"a/../b.cuh\"\n#include \"link/../c.cuh\"\n#include \"../outside.cuh\"\n\
         __global__ void in_all(Outside) {}\n",
    );
    let output = Builder::new()
        .root(&root)
        .out_dir(root.join("out"))
        .toolkit(cubin_tests::version())
        .file("kernels/all.cu")
        .arch("sm_80")
        .try_build()
        .unwrap_or_else(|error| panic!("{error}"));
    let text = fs::read_to_string(&output.generated).expect("the generated file");
    for place in [
        "Kernel `in_b`, defined at `kernels/b.cuh:1`.",
        "Kernel `in_c`, defined at `kernels/link/../c.cuh:2`.",
        "Kernel `in_all`, defined at `kernels/all.cu:4`.",
        "C++ struct `Outside`, 4 bytes, defined at `outside.cuh:1`.",
    ] {
        assert!(text.contains(place), "{place}\n{text}");
    }
    // The same in what is reported.
    let place = |name: &str| {
        let facts = output.kernels.iter().find(|facts| facts.name == name);
        let span = facts
            .and_then(|facts| facts.place.clone())
            .expect("a place");
        span.file.path().to_owned()
    };
    assert_eq!(place("in_b"), Path::new("kernels/b.cuh"));
    assert_eq!(place("in_c"), Path::new("kernels/link/../c.cuh"));
}
