//! Running NVIDIA's tools in tests.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use cubin_build::toolkit::Toolkit;

/// Runs a tool of the toolkit in `dir` and gives back what it wrote to stdout.
///
/// # Panics
/// When the toolkit has no such tool, or it cannot be started or fails.
pub fn tool(toolkit: &Toolkit, name: &str, args: &[&str], dir: &Path) -> String {
    let program = toolkit
        .tool(name)
        .unwrap_or_else(|| panic!("{toolkit} has no {name}"));
    run(&program, args, dir)
}

/// Runs `program` in `dir` and gives back what it wrote to stdout.
///
/// # Panics
/// When it cannot be started or fails.
pub fn run(program: &Path, args: &[&str], dir: &Path) -> String {
    let output = Command::new(program)
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    assert!(
        output.status.success(),
        "{} {args:?} failed: {}\n{}{}",
        program.display(),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// An empty folder below `target`, named after the test.
///
/// # Panics
/// When it cannot be made.
pub fn scratch(tmp: &str, name: &str) -> PathBuf {
    let dir = Path::new(tmp).join(name);
    if dir.exists() {
        fs::remove_dir_all(&dir).expect("an old scratch folder goes");
    }
    fs::create_dir_all(&dir).expect("a scratch folder");
    dir
}
