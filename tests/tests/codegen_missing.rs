//! A generated file in a crate that lacks what it needs: one error, whose text names the line for `Cargo.toml`.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// What the compiler says of a crate with these dependencies that includes a recorded file.
fn check(name: &str, dependencies: &str, file: &str) -> String {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("missing")
        .join(name);
    fs::create_dir_all(dir.join("src")).expect("a scratch folder");
    let manifest = format!(
        "[package]\nname = \"user\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{dependencies}\n\n[workspace]\n"
    );
    let file = workspace().join("tests/golden/codegen").join(file);
    let library = format!("pub mod kernels {{\n    include!({file:?});\n}}\n");
    fs::write(dir.join("Cargo.toml"), manifest).expect("a manifest");
    fs::copy(workspace().join("Cargo.lock"), dir.join("Cargo.lock")).expect("a lock file");
    fs::write(dir.join("src/lib.rs"), library).expect("a source");
    let output = Command::new(env!("CARGO"))
        .args(["check", "--offline", "--quiet", "--color=never"])
        .env("CARGO_TARGET_DIR", dir.join("target"))
        .current_dir(&dir)
        .output()
        .expect("cargo runs");
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!output.status.success(), "it compiles");
    text
}

/// Asserts that there is one error of the compiler, and that it says all of `wanted`.
#[track_caller]
fn one_error(text: &str, wanted: &[&str]) {
    let errors = text
        .lines()
        .filter(|line| line.starts_with("error") && !line.starts_with("error: could not compile"));
    assert_eq!(errors.count(), 1, "{text}");
    for wanted in wanted {
        assert!(text.contains(wanted), "{wanted}\n{text}");
    }
}

/// What a user adds.
const CUDARC: &str = "// Cargo.toml: cudarc = { version = \"0.19\", features = [\"cuda-12080\"] }";

#[test]
fn without_cudarc_one_error_names_the_dependency() {
    let text = check("cudarc", "", "kinds.rs");
    one_error(&text, &["`cudarc`", CUDARC]);
}

#[test]
fn without_the_driver_feature_one_error_names_it() {
    let without = "cudarc = { version = \"0.19.10\", default-features = false, features = [\"std\", \"dynamic-loading\", \"cuda-12080\"] }";
    let text = check("driver", without, "kinds.rs");
    one_error(&text, &["`cudarc::driver`", CUDARC, "feature = \"driver\""]);
}

#[test]
fn without_the_runtime_crate_one_error_names_the_dependency() {
    let text = check("runtime", "", "both.rs");
    let line = "// Cargo.toml: cubin-runtime = { version = \"0.1.0\", features = [\"cudarc\"] }";
    one_error(&text, &["`cubin_runtime`", line]);
}

#[test]
fn without_the_runtime_crates_feature_one_error_names_it() {
    let path = workspace().join("cubin-build/runtime");
    let without = format!("cubin-runtime = {{ path = {path:?} }}");
    let text = check("feature", &without, "both.rs");
    one_error(&text, &["`cubin_runtime::cudarc`", "feature = \"cudarc\""]);
}
