//! `cargo cubin diff`: what a change did to the kernels.
//!
//! [`read`] and [`revision`] read what is compared ([`kernels`]), [`compare`] pairs kernels and finds what differs,
//! [`figures`] lists by what and which way is better, [`allow`] how much worse is allowed, [`show`] writes it;
//! [`snapshot`] is the file that `cargo cubin baseline record` writes, [`recorded`] its commands; [`since`] compares for
//! the report's page. Nothing here knows
//! budgets: `check` judges by these.

mod allow;
mod compare;
mod figures;
mod kernels;
mod read;
pub(crate) mod recorded;
mod revision;
mod show;
pub(crate) mod since;
mod snapshot;

use std::{io::Write as _, path::PathBuf, process::ExitCode};

use anyhow::{Context as _, bail};
use clap::ValueEnum;
use cubin_build::cache;

use self::{
    allow::{Allowance, Allowances},
    compare::Status,
    kernels::Side,
    show::Shown,
};
use crate::project::Selection;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// OLD and NEW: files with cubins (.cubin, .fatbin, .o, .a, .so, executables), directories of them, what
    /// `inspect --json` printed, or a baseline. OLD alone is compared with the workspace
    #[arg(value_name = "OLD NEW", num_args = 0..=2)]
    paths: Vec<PathBuf>,
    /// Build this git revision and compare it with the working tree, or two: `main..HEAD`
    #[arg(long, value_name = "REVISION")]
    rev: Option<String>,
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// All classes of instructions, not only those of which more is worse
    #[arg(long)]
    instructions: bool,
    /// End with exit status 1 when a kernel is one of these: `worse,signature`
    #[arg(long, value_enum, value_delimiter = ',', value_name = "WHAT")]
    fail_on: Vec<FailOn>,
    /// What is no worse yet: `registers=+2`, `code-size=+5%`, `all=+1%`; may be given several times
    #[arg(long, value_name = "FIGURE=+N")]
    allow: Vec<Allowance>,
    /// Write there instead of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    selection: Selection,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// For a terminal
    Table,
    /// For a comment on a pull request: short, what got worse first, the rest folded
    Markdown,
    /// One document
    Json,
}

/// What can end with exit status 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailOn {
    /// Less occupancy; more registers, stack, spills, shared memory, double precision, local memory; no tensor cores
    Worse,
    /// Other parameters
    Signature,
    Gone,
    New,
    Better,
    Renamed,
    /// Any difference
    Any,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let (old, new) = sides(args)?;
    let mut allowed = Allowances::default();
    allowed.extend(&args.allow);
    let diff = compare::compare(&old, &new, &allowed);
    let shown = Shown {
        old: &old,
        new: &new,
        diff: &diff,
        instructions: args.instructions,
    };
    let text = match args.format {
        Format::Table => shown.table(),
        Format::Markdown => shown.markdown(),
        Format::Json => shown.json()?,
    };
    match &args.output {
        Some(path) => {
            cache::write_if_changed(path, text.as_bytes())
                .with_context(|| format!("cannot write {}", path.display()))?;
        }
        None => {
            let mut out = std::io::stdout().lock();
            out.write_all(text.as_bytes())?;
            out.flush()?;
        }
    }
    let fails = diff.rows.iter().any(|row| {
        args.fail_on.iter().any(|what| match what {
            FailOn::Any => true,
            FailOn::Worse => row.is(Status::Worse),
            FailOn::Signature => row.is(Status::Signature),
            FailOn::Gone => row.is(Status::Gone),
            FailOn::New => row.is(Status::New),
            FailOn::Better => row.is(Status::Better),
            FailOn::Renamed => row.is(Status::Renamed),
        })
    });
    Ok(if fails {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

fn sides(args: &Args) -> anyhow::Result<(Side, Side)> {
    match (&args.rev, args.paths.as_slice()) {
        (None, [old, new]) => Ok((read::side(old)?, read::side(new)?)),
        (None, [old]) => Ok((read::side(old)?, revision::current(&args.selection)?)),
        (None, _) => bail!("name OLD and NEW, or a git revision: `cargo cubin diff --rev main`"),
        (Some(rev), []) => {
            let (old, new) = match rev.split_once("..") {
                Some((old, new)) => (old, Some(new)),
                None => (rev.as_str(), None),
            };
            let old = revision::at(&args.selection, old)?;
            let new = match new {
                None | Some("") => revision::current(&args.selection)?,
                Some(new) => revision::at(&args.selection, new)?,
            };
            Ok((old, new))
        }
        (Some(rev), _) => bail!("`--rev {rev}` takes no files: it builds both sides"),
    }
}
