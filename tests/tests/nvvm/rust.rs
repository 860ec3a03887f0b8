//! A kernel that rustc compiled to NVVM IR.

use std::fs;

use super::{build, scratch, show};

/// `rustc 1.95 --target nvptx64-nvidia-cuda --emit=llvm-ir` of a kernel with two slices' worth of arguments.
const RUST: &str = include_str!("../../golden/nvvm/rust-kernel.ll");

#[test]
fn a_rust_kernel_is_compiled_once_it_is_normalised() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let dir = scratch("rust");
    let findings =
        build(&dir, RUST, &["sm_90", "sm_100"], "").expect_err("rustc's layout and no version");
    let shown = show(&findings);
    for part in [
        "its data layout is LLVM's",
        "it has no `!nvvmir.version`",
        "`normalize = true` under [nvvm]",
    ] {
        assert!(shown.contains(part), "{shown}");
    }
    let output = build(
        &dir,
        RUST,
        &["sm_90", "sm_100"],
        "[nvvm]\nnormalize = true\n",
    );
    let output = output.unwrap_or_else(|findings| panic!("{}", show(&findings)));
    let generated = fs::read_to_string(&output.generated).expect("the generated file");
    let words: Vec<&str> = generated.split_whitespace().collect();
    let words = words.join(" ");
    assert!(
        words.contains("n: i32, a: f32, p: &mut impl runtime::OutAny, p3: [i64; 3], p4: [i64; 3]"),
        "{generated}"
    );
}
