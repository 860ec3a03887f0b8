//! `cargo cubin check`: compile, judge, show; exit status 1 when a kernel is over budget.

use std::{io::Write as _, process::ExitCode};

use cubin_core::escape::{visible, visible_json};

use cubin_build::words::counted;

use crate::{
    project::{self, Selection},
    report::{KernelRow, Report, SpillBytes},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    selection: Selection,
    /// Print the findings as one JSON object per line
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let reports = project::reports(&args.selection)?;
    let mut out = std::io::stdout().lock();
    for report in &reports {
        if args.json {
            for finding in &report.findings {
                writeln!(out, "{}", visible_json(&serde_json::to_string(finding)?))?;
            }
            continue;
        }
        table(report, &mut out)?;
        if !report.rendered.is_empty() {
            writeln!(out, "{}", report.rendered.trim_end())?;
        }
    }
    let errors: usize = reports.iter().map(|report| report.errors).sum();
    let warnings: usize = reports.iter().map(|report| report.warnings).sum();
    if !args.json {
        let kernels: usize = reports.iter().map(|report| report.kernels.len()).sum();
        writeln!(
            out,
            "{} checked: {}, {}",
            counted(kernels as u64, "kernel image"),
            counted(errors as u64, "error"),
            counted(warnings as u64, "warning")
        )?;
    }
    Ok(if errors > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn table(report: &Report, out: &mut impl std::io::Write) -> std::io::Result<()> {
    writeln!(out, "{}:", report.package)?;
    writeln!(
        out,
        "  {:<8} {:>9} {:>6} {:>6} {:>7} {:>6}  kernel",
        "target", "registers", "stack", "spills", "shared", "params"
    )?;
    let known =
        |value: Option<u64>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
    for KernelRow {
        name,
        target,
        registers,
        stack,
        spill_bytes,
        static_shared,
        param_bytes,
    } in &report.kernels
    {
        writeln!(
            out,
            "  {target:<8} {registers:>9} {:>6} {:>6} {static_shared:>7} {:>6}  {}",
            known(stack.map(u64::from)),
            known(spill_bytes.map(SpillBytes::total)),
            known(param_bytes.map(u64::from)),
            visible(name),
        )?;
    }
    writeln!(out)
}
