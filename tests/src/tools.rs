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
    run(&program(toolkit, name), args, dir)
}

/// A program of the toolkit; one that shows cubins may be that of the toolkit that tests are written for, which reads those
/// of older ones: the wheels of 13.0 and 13.1 have none.
///
/// # Panics
/// When the toolkit has no such tool.
pub fn program(toolkit: &Toolkit, name: &str) -> PathBuf {
    let own = toolkit.tool(name);
    let shows = ["cuobjdump", "nvdisasm"].contains(&name);
    own.or_else(|| {
        if shows {
            crate::toolkit::reader(name)
        } else {
            None
        }
    })
    .unwrap_or_else(|| panic!("{toolkit} has no {name}"))
}

/// Runs `program` in `dir` and gives back what it wrote to stdout.
///
/// # Panics
/// When it cannot be started or fails.
pub fn run(program: &Path, args: &[&str], dir: &Path) -> String {
    let mut command = Command::new(program);
    if program.file_stem().is_some_and(|name| name == "nvcc") {
        command.args(crate::ccbin());
    }
    let output = command
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

/// Compares `text` with `tests/golden/<name>`, or writes it there under `BLESS=1`.
///
/// # Panics
/// When they differ, or the recording cannot be read or written.
pub fn same_as_recorded(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("golden")
        .join(name);
    let bless = cubin_build::env::Env::process().peek("BLESS").is_some();
    if bless {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder for recordings");
        fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        return;
    }
    let recorded = fs::read_to_string(&path).unwrap_or_default();
    if recorded == text {
        return;
    }
    let lines = |text: &str| {
        text.lines()
            .map(str::to_owned)
            .collect::<std::collections::BTreeSet<_>>()
    };
    let (old, new) = (lines(&recorded), lines(text));
    let gone: Vec<String> = old
        .difference(&new)
        .map(|line| format!("- {line}"))
        .collect();
    let come: Vec<String> = new
        .difference(&old)
        .map(|line| format!("+ {line}"))
        .collect();
    panic!(
        "golden/{name} differs; BLESS=1 rewrites it, then review the change\n{}\n{}",
        gone.join("\n"),
        come.join("\n")
    );
}

/// Symbols of the kernels for which a generated file has facts, and so a wrapper.
pub fn wrapped_symbols(generated: &str) -> std::collections::BTreeSet<String> {
    let mut symbols = std::collections::BTreeSet::new();
    for table in generated.split("MODULE.kernels([").skip(1) {
        let rows = table.lines().skip(1);
        let rows = rows.take_while(|line| line.trim() != "]);");
        symbols.extend(rows.filter_map(|row| {
            let symbol = row.trim().strip_prefix("(\"")?.split('"').next()?;
            Some(symbol.to_owned())
        }));
    }
    symbols
}
