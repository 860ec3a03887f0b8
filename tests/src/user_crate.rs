//! A crate as users have them, around generated files: compiled by clippy with every warning an error.

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Checks a crate in `dir` that includes every (module, generated file), followed by `more` Rust code.
///
/// Uses the workspace's lock file and no network. rustc alone checks where clippy is not installed.
///
/// # Panics
/// When the crate does not compile without a warning.
pub fn check(dir: &Path, files: &[(String, PathBuf)], more: &str) {
    prepare(dir, files, more);
    let clippy = cargo(dir, &["clippy", "--version"]).status.success();
    if !clippy {
        eprintln!("clippy is not installed: checked by rustc alone");
    }
    let output = cargo(dir, &[if clippy { "clippy" } else { "check" }, "--offline"]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

/// Checks the same crate, and builds a program in it whose `main.rs` has the text `main` and sees the crate as `user`.
///
/// # Panics
/// When one of them does not compile.
pub fn program(dir: &Path, files: &[(String, PathBuf)], main: &str) -> PathBuf {
    check(dir, files, "");
    fs::write(dir.join("src/main.rs"), main).expect("a source");
    let output = cargo(dir, &["build", "--offline"]);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let name = format!("user{}", std::env::consts::EXE_SUFFIX);
    dir.join("target/debug").join(name)
}

fn cargo(dir: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO"))
        .args(args)
        .env("CARGO_TARGET_DIR", dir.join("target"))
        .current_dir(dir)
        .output()
        .expect("cargo runs")
}

fn prepare(dir: &Path, files: &[(String, PathBuf)], more: &str) {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let read = |path: PathBuf| {
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    // The very dependency that the workspace tests with.
    let own = read(workspace.join("tests/Cargo.toml"));
    let cudarc = own
        .lines()
        // Among the dev-dependencies: the benchmark has an optional one of its own.
        .find(|line| line.starts_with("cudarc = ") && line.contains("\"dynamic-loading\""))
        .expect("cudarc among the tests' dependencies");
    let manifest = format!(
        "[package]\nname = \"user\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n{cudarc}\n\n[workspace]\n"
    );
    let mut library = String::from(
        "//! Includes what the builder generated.\n\
         #![deny(warnings, missing_docs, missing_debug_implementations, rust_2018_idioms)]\n\
         #![warn(clippy::pedantic, clippy::undocumented_unsafe_blocks)]\n\
         #![warn(unused_qualifications, unused_results, unused_lifetimes, trivial_casts)]\n",
    );
    for (name, path) in files {
        write!(
            library,
            "\n/// Kernels.\npub mod {name} {{\n    include!({path:?});\n}}\n"
        )
        .expect("a string");
    }
    library.push_str(more);
    fs::create_dir_all(dir.join("src")).expect("a scratch folder");
    fs::write(dir.join("Cargo.toml"), manifest).expect("a manifest");
    fs::write(dir.join("Cargo.lock"), read(workspace.join("Cargo.lock"))).expect("a lock file");
    fs::write(dir.join("src/lib.rs"), library).expect("a source");
    // What another run left.
    let _ = fs::remove_file(dir.join("src/main.rs"));
}
