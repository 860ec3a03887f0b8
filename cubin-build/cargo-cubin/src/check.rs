//! `cargo cubin check`: compile, judge, show; exit status 1 when a kernel is over budget.

use std::{
    io::{self, Write},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use cubin_build::{Level, cache, env::Env, words::counted};
use cubin_core::escape::visible;

use crate::{
    artifact::{self, Judged, Rules, Sidecars},
    facts::SpillBytes,
    files,
    formats::{Format, Found},
    project::{self, Selection},
    report::Report,
    terminal,
};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Judge the device code in these executables, libraries and objects instead of compiling the workspace
    #[arg(long = "artifact", value_name = "FILE", num_args = 1.., conflicts_with_all = ["packages", "cargo"])]
    artifacts: Vec<PathBuf>,
    /// With --artifact: the policy; without it the cubin.toml beside Cargo.toml, or in this directory
    #[arg(long, value_name = "PATH", requires = "artifacts")]
    config: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
    /// How findings are written; without it for people, and on GitHub Actions as annotations too
    #[arg(long, value_enum)]
    format: Option<Format>,
    /// Print the findings as one JSON object per line: `--format json`
    #[arg(long, conflicts_with = "format")]
    json: bool,
    /// Write the findings there, and show people the rest
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let on_github = Env::process()
        .peek("GITHUB_ACTIONS")
        .is_some_and(|value| value == "true");
    let format = match args.format {
        Some(format) => format,
        None if args.json => Format::Json,
        None if on_github => Format::Github,
        None => Format::Human,
    };
    if format == Format::Human && args.output.is_some() {
        bail!("`--output` is for programs: say in which `--format`, for example `--format sarif`");
    }
    let project::Reports { workspace, reports } = match &args.artifacts[..] {
        [] => project::reports(&args.selection)?,
        artifacts => of_artifacts(artifacts, args)?,
    };
    let text = format.write(&Found::new(&reports, &workspace))?;
    let mut out = anstream::stdout().lock();
    if let Some(path) = &args.output {
        cache::write_if_changed(path, text.as_bytes())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    // Beside a file, and beside annotations that nobody asked for, people see what happened.
    let for_people =
        format == Format::Human || args.output.is_some() || args.format.is_none() && !args.json;
    let errors: usize = reports.iter().map(|report| report.errors).sum();
    if for_people {
        people(&reports, &mut out)?;
    }
    if args.output.is_none() {
        out.write_all(text.as_bytes())?;
    }
    out.flush()?;
    Ok(if errors > 0 {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// Judges files by a cubin.toml.
fn of_artifacts(artifacts: &[PathBuf], args: &Args) -> anyhow::Result<project::Reports> {
    let config = match &args.config {
        Some(path) => path.clone(),
        None => project::policy_file(&args.selection)?,
    };
    let mut rules = Rules::read(&config)?;
    rules.expired = Level::Deny;
    let mut sidecars = Sidecars::default();
    let mut reports = Vec::new();
    for path in artifacts {
        let bytes = files::open(path).with_context(|| files::shown(path))?;
        sidecars.add_near(path);
        match artifact::judge(&rules, path, &bytes, &mut sidecars)? {
            Judged::Report(report) => reports.push(*report),
            Judged::Nothing(why) => bail!("{}: {why}", files::shown(path)),
        }
    }
    Ok(project::Reports {
        workspace: rules.dir,
        reports,
    })
}

fn people(reports: &[Report], out: &mut impl Write) -> io::Result<()> {
    for report in reports {
        table(report, out)?;
        let findings = terminal::findings(report);
        if !findings.is_empty() {
            writeln!(out, "{}", findings.trim_end())?;
        }
    }
    let kernels: usize = reports.iter().map(|report| report.kernels.len()).sum();
    let errors: usize = reports.iter().map(|report| report.errors).sum();
    let warnings: usize = reports.iter().map(|report| report.warnings).sum();
    writeln!(
        out,
        "{} checked: {}, {}",
        counted(kernels as u64, "kernel image"),
        counted(errors as u64, "error"),
        counted(warnings as u64, "warning")
    )
}

fn table(report: &Report, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}:", report.package)?;
    writeln!(
        out,
        "  {:<8} {:>9} {:>6} {:>6} {:>7} {:>6}  kernel",
        "target", "registers", "stack", "spills", "shared", "params"
    )?;
    let known =
        |value: Option<u64>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
    for facts in &report.kernels {
        writeln!(
            out,
            "  {:<8} {:>9} {:>6} {:>6} {:>7} {:>6}  {}",
            facts.target,
            facts.registers,
            known(facts.stack.map(u64::from)),
            known(facts.spill_bytes.map(SpillBytes::total)),
            facts.static_shared,
            known(facts.param_bytes.map(u64::from)),
            visible(facts.name()),
        )?;
    }
    writeln!(out)
}
