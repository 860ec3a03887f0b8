//! `cargo cubin completions SHELL` and `cargo cubin man DIRECTORY`: what a shell and `man` know of this command.

use std::{
    io::{self, Write as _},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use clap_complete::Shell;
use cubin_build::cache;

use crate::files::shown;

#[derive(Debug, clap::Args)]
pub(crate) struct Completions {
    /// The shell whose script is printed
    shell: Shell,
}

#[derive(Debug, clap::Args)]
pub(crate) struct Man {
    /// Where the pages are written
    #[arg(value_name = "DIRECTORY")]
    dir: PathBuf,
}

/// Prints a script that completes `cargo-cubin`, which shells run for `cargo cubin`.
pub(crate) fn completions(
    args: &Completions,
    mut command: clap::Command,
) -> anyhow::Result<ExitCode> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut command, "cargo-cubin", &mut text);
    io::stdout().lock().write_all(&text)?;
    Ok(ExitCode::SUCCESS)
}

/// Writes a page for the command and one for each subcommand.
pub(crate) fn man(args: &Man, command: clap::Command) -> anyhow::Result<ExitCode> {
    std::fs::create_dir_all(&args.dir)
        .with_context(|| format!("cannot create {}", shown(&args.dir)))?;
    let mut command = command;
    command.build();
    pages(&args.dir, &command, "cargo-cubin")?;
    Ok(ExitCode::SUCCESS)
}

fn pages(dir: &Path, command: &clap::Command, name: &str) -> anyhow::Result<()> {
    let own = command
        .clone()
        .display_name(name)
        .bin_name(name.replace('-', " "));
    let mut text = Vec::new();
    clap_mangen::Man::new(own).render(&mut text)?;
    let path = dir.join(format!("{name}.1"));
    cache::write_if_changed(&path, &text)
        .with_context(|| format!("cannot write {}", shown(&path)))?;
    for sub in command
        .get_subcommands()
        .filter(|sub| sub.get_name() != "help")
    {
        pages(dir, sub, &format!("{name}-{}", sub.get_name()))?;
    }
    Ok(())
}
