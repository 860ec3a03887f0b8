//! `cargo cubin`: looks into cubins, checks a workspace's kernels, keeps baselines, installs toolkits.
//!
//! One file per subcommand. This file alone prints an error and chooses the exit status: 0 done, 1 findings or a
//! failure, 2 wrong use. A closed pipe ends it silently.
//!
//! A library only for the two programs of this package: `cargo-cubin`, and `cubin-cc`, which links. Nothing of it is
//! promised to others.

// Mapping files is the only exception (`files`).
#![deny(unsafe_code)]

mod artifact;
mod baseline;
mod build;
mod check;
mod diff;
mod doctor;
mod explain;
mod facts;
mod files;
mod formats;
mod inspect;
mod linker;
mod new;
mod options;
mod page;
mod policy;
mod prebuild;
mod progress;
mod project;
mod report;
mod shell;
mod terminal;
mod timings;
mod toolkit;
mod top;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};
use cubin_core::escape::visible_lines;

/// Compile CUDA kernels to cubins, check them against a policy, look into cubins.
#[derive(Debug, Parser)]
#[command(name = "cargo cubin", bin_name = "cargo cubin", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    /// When colours are written; `NO_COLOR` and `CLICOLOR_FORCE` are understood too
    #[arg(long, global = true, value_name = "WHEN", default_value_t = clap::ColorChoice::Auto)]
    color: clap::ColorChoice,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Show what the kernels in cubins, fatbins, objects, archives, libraries and executables use
    Inspect(inspect::Args),
    /// Compile the kernels of this workspace and check them against cubin.toml
    Check(check::Args),
    /// Build as cargo does, and judge the device code in all that is linked
    Build(build::Args),
    /// Run a program whose device code keeps to the policy
    Run(build::Args),
    /// Run tests whose device code keeps to the policy
    Test(build::Args),
    /// Show what a change did to kernels: worse, better, new, gone, renamed
    Diff(diff::Args),
    /// Show what each rule of cubin.toml decides, which decide nothing, which have expired; explain a kernel's budgets
    Policy(policy::Args),
    /// Show the kernels with the least occupancy, what limits it, and what a little less would buy
    Top(top::Args),
    /// Write one page for reviewers: kernels against budgets, occupancy, instructions, what changed
    Report(page::Args),
    /// Accept today's violations, or record every kernel, so that only what gets worse fails
    #[command(subcommand)]
    Baseline(baseline::Command),
    /// Keep compiled kernels in `prebuilt/`, for machines without a toolkit, docs.rs and published crates
    Prebuild(prebuild::Args),
    /// Install and find CUDA toolkits
    #[command(subcommand)]
    Toolkit(toolkit::Command),
    /// Say what this machine has: toolkit, host compiler, driver
    Doctor,
    /// Show how long each step of the last build took
    Timings(timings::Args),
    /// Explain a diagnostic code
    Explain(explain::Args),
    /// Make a package with a kernel, a policy, a launch and tests
    New(new::Args),
    /// Print a script that completes this command in a shell
    Completions(shell::Completions),
    /// Write manual pages
    Man(shell::Man),
}

/// `cargo cubin`.
#[must_use]
pub fn command() -> ExitCode {
    // Cargo runs `cargo-cubin cubin ...`; the binary also works under its own name.
    let mut arguments: Vec<_> = std::env::args_os().collect();
    if arguments.get(1).is_some_and(|first| first == "cubin") {
        arguments.remove(1);
    }
    // What follows `--` is for the program that is run: clap would take the `--` away.
    let rest = build::Kind::of(arguments.get(1)).map(|_| build::split(&mut arguments));
    let rest = rest.unwrap_or_default();
    let cli = Cli::parse_from(arguments);
    let colours = match cli.color {
        clap::ColorChoice::Auto => anstream::ColorChoice::Auto,
        clap::ColorChoice::Always => anstream::ColorChoice::Always,
        clap::ColorChoice::Never => anstream::ColorChoice::Never,
    };
    colours.write_global();
    let result = match cli.command {
        Command::Inspect(args) => inspect::run(&args),
        Command::Check(args) => check::run(&args),
        Command::Build(args) => build::run(build::Kind::Build, &args, &rest),
        Command::Run(args) => build::run(build::Kind::Run, &args, &rest),
        Command::Test(args) => build::run(build::Kind::Test, &args, &rest),
        Command::Diff(args) => diff::run(&args),
        Command::Policy(args) => policy::run(&args),
        Command::Top(args) => top::run(&args),
        Command::Report(args) => page::run(&args),
        Command::Baseline(command) => baseline::run(&command),
        Command::Prebuild(args) => prebuild::run(&args),
        Command::Toolkit(command) => toolkit::run(&command),
        Command::Doctor => doctor::run(),
        Command::Timings(args) => timings::run(&args),
        Command::Explain(args) => explain::run(&args),
        Command::New(args) => new::run(&args),
        Command::Completions(args) => shell::completions(&args, Cli::command()),
        Command::Man(args) => shell::man(&args, Cli::command()),
    };
    ended(result)
}

/// `cubin-cc`: links, and judges what was linked.
#[must_use]
pub fn linker() -> ExitCode {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    ended(linker::run(&arguments))
}

/// The exit status; an error is printed.
fn ended(result: anyhow::Result<ExitCode>) -> ExitCode {
    match result {
        Ok(code) => code,
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", visible_lines(&format!("{error:#}")));
            ExitCode::FAILURE
        }
    }
}

/// Whether the reader of our output went away, as `| head` does.
fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause
            .downcast_ref::<std::io::Error>()
            .is_some_and(|io| io.kind() == std::io::ErrorKind::BrokenPipe)
    })
}
