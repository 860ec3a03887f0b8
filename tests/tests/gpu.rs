//! `examples/gpu-check` builds, and checks its kernels on the GPU of this machine or says that there is none.

use std::process::Command;

use cubin_tests::toolkit;

/// The checks of the example, in the order that it runs them.
const CHECKS: &[&str] = &[
    "saxpy",
    "struct",
    "template",
    "template-numbers",
    "large-parameter",
    "constant-memory",
    "device-variable",
    "managed-variable",
    "dynamic-shared-memory",
    "cooperative",
    "cluster",
    "cluster-of-launch",
    "launch-checks",
    "occupancy",
    "streams",
    "graph",
    "linked",
    "launched-by-a-kernel",
];

#[test]
fn all_numbers_are_right_or_there_is_no_gpu() {
    if toolkit().is_none() {
        return;
    }
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline", "--package", "gpu-check"])
        // The workspace's own target directory: most is built already.
        .args(["--target-dir", concat!(env!("CARGO_TARGET_TMPDIR"), "/..")])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .expect("cargo runs");
    let stdout = String::from_utf8_lossy(&output.stdout);
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{stdout}{stderr}");
    let lines: Vec<&str> = stdout.lines().collect();
    if let [line] = lines[..] {
        assert!(line.starts_with("no GPU: "), "{stdout}");
        eprintln!("nothing was launched: {line}");
        return;
    }
    let (device, results) = lines
        .split_first()
        .expect("the device and a line per check");
    assert_eq!(results.len(), CHECKS.len(), "{stdout}");
    for (line, name) in results.iter().zip(CHECKS) {
        // Only what a device lacks may be skipped.
        let skipped = name.starts_with("cluster") && line.starts_with(&format!("skipped {name}: "));
        assert!(*line == format!("ok {name}") || skipped, "{stdout}");
    }
    eprintln!("launched on {device}:\n{}", results.join("\n"));
}
