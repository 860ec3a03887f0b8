//! `cargo cubin baseline write`: accept today's violations, package by package.

use std::process::ExitCode;

use anyhow::{Context, bail};
use cubin_build::cache;

use crate::project::{self, Selection};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Record every figure that is over its budget today; from then on only a kernel that gets worse fails
    Write(Selection),
}

pub(crate) fn run(command: &Command) -> anyhow::Result<ExitCode> {
    let Command::Write(selection) = command;
    let reports = project::reports(selection)?;
    let mut written = 0;
    for report in &reports {
        let Some(baseline) = &report.baseline else {
            continue;
        };
        let changed = cache::write_if_changed(&baseline.path, baseline.text.as_bytes())
            .with_context(|| format!("cannot write {}", baseline.path.display()))?;
        let verb = if changed { "wrote" } else { "unchanged:" };
        println!(
            "{verb} {} ({} entries)",
            baseline.path.display(),
            baseline.entries
        );
        written += 1;
    }
    if written == 0 {
        bail!(
            "no cubin.toml here has a [baseline] table; add\n\n    [baseline]\n    file = \"cubin-baseline.toml\"\n\nand run this again"
        );
    }
    Ok(ExitCode::SUCCESS)
}
