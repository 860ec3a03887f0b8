//! The real `cargo cubin`, run as a user runs it. Recorded outputs lie in `tests/golden`; `BLESS=1` rewrites them.

mod artifact;
mod candle;
mod ci;
mod diff;
mod escapes;
mod formats;
mod inspect;
mod instructions;
mod linker;
mod machine;
mod made;
mod page;
mod policy;
mod prebuild;
mod project;
mod selection;
mod timings;
mod top;

use std::{
    path::{Path, PathBuf},
    process::Command,
};

/// The program under test.
const PROGRAM: &str = env!("CARGO_BIN_EXE_cargo-cubin");

/// How the command ended and what it printed.
struct Run {
    status: Option<i32>,
    stdout: String,
    stderr: String,
}

/// The command as cargo starts it: `cargo-cubin cubin ...`.
fn command(args: &[&str]) -> Command {
    let mut command = Command::new(PROGRAM);
    command.arg("cubin").args(args).current_dir(golden());
    command
}

/// Runs the command in the folder of recordings.
fn cubin(args: &[&str]) -> Run {
    run(&mut command(args))
}

fn run(command: &mut Command) -> Run {
    let output = command.output().expect("the program starts");
    Run {
        status: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

impl Run {
    #[track_caller]
    fn ends_with(self, status: i32) -> Self {
        assert_eq!(
            self.status,
            Some(status),
            "{}\n{}",
            self.stdout,
            self.stderr
        );
        self
    }

    #[track_caller]
    fn says(self, text: &str) -> Self {
        assert!(
            self.stderr.contains(text),
            "no `{text}` in:\n{}",
            self.stderr
        );
        self
    }

    #[track_caller]
    fn prints(self, text: &str) -> Self {
        assert!(
            self.stdout.contains(text),
            "no `{text}` in:\n{}",
            self.stdout
        );
        self
    }
}

fn golden() -> PathBuf {
    cubin_tests::workspace().join("tests/golden")
}

/// An empty scratch directory.
fn scratch(name: &str) -> PathBuf {
    let tmp = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cli");
    cubin_tests::tools::scratch(&tmp.to_string_lossy(), name)
}
