//! `cargo cubin baseline`: `write` accepts today's violations, package by package; `record` and `check` keep every kernel.

use std::process::ExitCode;

use anyhow::{Context, bail};
use cubin_build::cache;

use crate::{
    diff::recorded::{self, CheckArgs, RecordArgs},
    project::{self, Selection},
};

#[derive(Debug, clap::Subcommand)]
pub(crate) enum Command {
    /// Record every figure that is over its budget today; from then on only a kernel that gets worse fails
    Write(Selection),
    /// Record every kernel of the workspace, its figures and parameters, for `baseline check`
    Record(RecordArgs),
    /// Fail when a kernel is worse than recorded or takes other parameters; ask to record anew when it got better
    Check(CheckArgs),
}

pub(crate) fn run(command: &Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Write(selection) => write(selection),
        Command::Record(args) => recorded::record(args),
        Command::Check(args) => recorded::check(args),
    }
}

fn write(selection: &Selection) -> anyhow::Result<ExitCode> {
    let reports = project::reports(selection)?.reports;
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
