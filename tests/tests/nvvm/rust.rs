//! A kernel that rustc compiled to NVVM IR.

use std::{fs, path::Path, process::Command};

use cubin_tests::fake_driver;

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
    // With debug information: signedness, elements, and where the kernel stands.
    let debug = include_str!("../../../examples/rust-kernel/kernels/saxpy.ll");
    let output = build(
        &dir,
        debug,
        &["sm_90", "sm_100"],
        "[nvvm]\nnormalize = true\n",
    );
    let output = output.unwrap_or_else(|findings| panic!("{}", show(&findings)));
    let generated = fs::read_to_string(&output.generated).expect("the generated file");
    let words: Vec<&str> = generated.split_whitespace().collect();
    let words = words.join(" ");
    assert!(
        words.contains("n: u32, a: f32, x: &impl runtime::In<f32>, y: &mut impl runtime::Out<f32>"),
        "{generated}"
    );
    assert!(
        words.contains("Kernel `saxpy`, defined at `kernels/saxpy.rs:"),
        "{generated}"
    );
}

/// `examples/rust-kernel`, whose kernel was written in Rust: what its wrapper passes lies where each cubin has it.
#[test]
fn the_example_launches_a_rust_kernel() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let target = concat!(env!("CARGO_TARGET_TMPDIR"), "/..");
    let output = Command::new(env!("CARGO"))
        .args(["build", "--offline", "--package", "rust-kernel"])
        // The workspace's own target directory: most is built already.
        .args(["--target-dir", target])
        .current_dir(cubin_tests::workspace())
        .output()
        .expect("cargo runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let program = format!("debug/rust-kernel{}", std::env::consts::EXE_SUFFIX);
    let program = Path::new(target).join(program);
    let folder = scratch("rust-example");
    fake_driver::build(&folder, &[]);
    for device in ["8.6", "9.0", "12.0"] {
        let (log, list) = (folder.join("log"), folder.join("params"));
        let _ = fs::remove_file(&log);
        // Count, factor, and two addresses.
        fs::write(&list, "saxpy 0:4 4:4 8:8 16:8\n").expect("the table");
        let output = Command::new(&program)
            .env("LD_LIBRARY_PATH", &folder)
            .env("FAKE_DRIVER_LOG", &log)
            .env("FAKE_DRIVER_PARAMS", &list)
            .env("FAKE_DRIVER_DEVICE", device)
            .output()
            .expect("the example");
        // Nothing computed anything: the example says so.
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("error: element 0 is 2, not 5"), "{said}");
        let log = fs::read_to_string(&log).expect("a log");
        let lines: Vec<String> = log.lines().map(str::to_owned).collect();
        assert!(
            log.contains("launch saxpy grid 4,1,1 block 256,1,1"),
            "{log}"
        );
        let block: Option<Vec<u8>> = fake_driver::block(&lines, "saxpy").into_iter().collect();
        let block = block.expect("no gap");
        assert_eq!(block[..4], 1000_u32.to_le_bytes(), "{device}");
        assert_eq!(block[4..8], 3.0_f32.to_le_bytes(), "{device}");
        assert_ne!(block[8..16], block[16..24], "{device}");
    }
}
