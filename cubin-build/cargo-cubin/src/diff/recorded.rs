//! `cargo cubin baseline record` and `check`: every kernel as somebody accepted it, against every kernel as it is.

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context as _;
use cubin_build::cache;

use super::{
    allow::{Allowance, Allowances},
    compare::{self, Diff, Status},
    revision,
    show::Shown,
    snapshot::Snapshot,
};
use crate::{
    files::shown,
    project::{self, Selection},
};

/// The file beside the workspace's `Cargo.toml`.
pub(crate) const FILE: &str = "cubin-kernels.jsonl";

#[derive(Debug, clap::Args)]
pub(crate) struct RecordArgs {
    /// The file; `cubin-kernels.jsonl` beside the workspace's Cargo.toml otherwise
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    /// What `baseline check` shall call no worse yet: `registers=+2`, `code-size=+5%`; kept in the file
    #[arg(long, value_name = "FIGURE=+N")]
    allow: Vec<Allowance>,
    #[command(flatten)]
    selection: Selection,
}

#[derive(Debug, clap::Args)]
pub(crate) struct CheckArgs {
    /// The file; `cubin-kernels.jsonl` beside the workspace's Cargo.toml otherwise
    #[arg(long, value_name = "FILE")]
    file: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
}

/// Writes every kernel's figures and parameters.
pub(crate) fn record(args: &RecordArgs) -> anyhow::Result<ExitCode> {
    let path = file(args.file.as_deref(), &args.selection)?;
    let before = match fs::read_to_string(&path) {
        Ok(text) => Some(Snapshot::parse(&text).with_context(|| shown(&path))?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", shown(&path))),
    };
    let mut allowed = Allowances::default();
    if let Some(before) = &before {
        allowed = before.allowed.clone();
    }
    allowed.extend(&args.allow);
    let now = revision::current(&args.selection)?;
    let mut snapshot = Snapshot::of(&now, allowed);
    // Kernels of packages that were left out this time stay as they are.
    if let Some(before) = before.filter(|_| args.selection.names_packages()) {
        snapshot.keep_others(before);
    }
    let changed = cache::write_if_changed(&path, snapshot.text()?.as_bytes())
        .with_context(|| format!("cannot write {}", shown(&path)))?;
    let verb = if changed { "wrote" } else { "unchanged:" };
    println!("{verb} {} ({} kernel images)", shown(&path), snapshot.len());
    Ok(ExitCode::SUCCESS)
}

/// Fails when a kernel is worse than recorded, or must be launched otherwise.
pub(crate) fn check(args: &CheckArgs) -> anyhow::Result<ExitCode> {
    let path = file(args.file.as_deref(), &args.selection)?;
    let text = fs::read_to_string(&path).with_context(|| {
        format!(
            "cannot read {}; `cargo cubin baseline record` makes it",
            shown(&path)
        )
    })?;
    let mut before = Snapshot::parse(&text).with_context(|| shown(&path))?;
    let allowed = before.allowed.clone();
    let now = revision::current(&args.selection)?;
    before.retain_what_is_built(&now);
    let old = before.side(shown(&path));
    let new = Snapshot::of(&now, Allowances::default()).side(now.title);
    let diff = compare::compare(&old, &new, &allowed);
    let shown = Shown {
        old: &old,
        new: &new,
        diff: &diff,
        instructions: false,
    };
    let mut out = std::io::stdout().lock();
    out.write_all(shown.table().as_bytes())?;
    let fails = diff
        .rows
        .iter()
        .any(|row| row.is(Status::Worse) || row.is(Status::Signature));
    if let Some(advice) = advice(&diff) {
        writeln!(out, "{advice}")?;
    }
    out.flush()?;
    Ok(if fails {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// What to do about it.
fn advice(diff: &Diff) -> Option<String> {
    let record = "`cargo cubin baseline record`";
    let any = |status| diff.rows.iter().any(|row| row.is(status));
    if any(Status::Worse) || any(Status::Signature) {
        return Some(format!("help: if this is meant, accept it with {record}"));
    }
    if any(Status::Better) {
        return Some(format!(
            "help: kernels got better: run {record}, so that a step back fails"
        ));
    }
    let moved = any(Status::New) || any(Status::Gone) || any(Status::Renamed);
    moved.then(|| format!("help: run {record}, so that it lists the kernels there are"))
}

fn file(named: Option<&Path>, selection: &Selection) -> anyhow::Result<PathBuf> {
    match named {
        Some(path) => Ok(path.to_owned()),
        None => Ok(project::workspace(selection)?.root.join(FILE)),
    }
}
