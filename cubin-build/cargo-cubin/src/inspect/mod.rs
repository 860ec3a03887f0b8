//! `cargo cubin inspect FILE...`: what the functions of cubins use.
//!
//! Reads cubins by themselves and inside fatbins, host objects, static archives, libraries and executables. One file
//! per way to show them; none of them judges.

mod cuobjdump;
mod instructions;
mod json;
mod names;
pub(crate) mod pieces;
pub(crate) mod selection;
mod table;
mod text;

use std::{
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use cubin_core::escape::visible;

use self::{pieces::File, selection::Selection};
use crate::{facts::Facts, files};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// .cubin files, and files that contain cubins: .fatbin, .o, .a, .so, executables
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    view: View,
    #[command(flatten)]
    selection: Selection,
    /// How many instructions of each kind each function has, and how many of them stand in loops
    #[arg(long, conflicts_with_all = ["like_cuobjdump", "text"])]
    instructions: bool,
    /// With --instructions: a row for each line of the source, where -lineinfo told
    #[arg(long, requires = "instructions", conflicts_with = "json")]
    lines: bool,
}

#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct View {
    /// One JSON object per function and line; the keys are documented at <https://docs.rs/cubin-core/latest/cubin_core/json/>
    #[arg(long)]
    json: bool,
    /// Exactly what `cuobjdump -res-usage` prints, also for files that it refuses
    #[arg(long)]
    like_cuobjdump: bool,
    /// Everything that is known of each cubin: sections, symbols, attributes, every byte's label
    #[arg(long)]
    text: bool,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut out = BufWriter::new(std::io::stdout().lock());
    let mut shown = Shown::default();
    let mut failed = false;
    for path in &args.files {
        for error in inspect(path, args, &mut shown, &mut out)? {
            // In the order in which a terminal shows both streams; one unreadable file must not hide the others.
            out.flush()?;
            eprintln!("error: {}: {}", files::shown(path), visible(&error));
            failed = true;
        }
    }
    if shown.table && args.instructions {
        instructions::legend(&mut out)?;
    } else if shown.table {
        table::legend(&mut out)?;
    }
    out.flush()?;
    Ok(if failed {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// What was written so far.
#[derive(Default)]
struct Shown {
    /// At least one table with rows: its heads need explaining.
    table: bool,
}

/// Shows one file; the result is what could not be read of it. `Err` only when `out` takes no more.
fn inspect(
    path: &Path,
    args: &Args,
    shown: &mut Shown,
    out: &mut impl Write,
) -> anyhow::Result<Vec<String>> {
    let bytes = match files::open(path) {
        Ok(bytes) => bytes,
        Err(error) => return Ok(vec![format!("{error:#}")]),
    };
    let file = File::new(path, &bytes, &args.selection);
    let mut errors = Vec::new();
    let view = &args.view;
    let any = if view.like_cuobjdump {
        cuobjdump::write(&file, &mut errors, out)?;
        true
    } else if view.text {
        text::write(&file, &mut errors, out)?;
        true
    } else if view.json {
        json::write(&file, args.instructions, &mut errors, out)?
    } else if args.instructions {
        let rows = instructions::write(&file, args.lines, &mut errors, out)?;
        shown.table |= rows;
        rows
    } else {
        let rows = table::write(&file, &mut errors, out)?;
        shown.table |= rows;
        rows
    };
    if !any && errors.is_empty() {
        errors.extend(args.selection.no_function());
    }
    Ok(errors)
}

/// What `--json --instructions` says of one file, as values. All of it or none: whoever compares would miss the rest.
pub(crate) fn facts(path: &Path, bytes: &[u8]) -> anyhow::Result<Vec<Facts>> {
    let selection = Selection::default();
    let file = File::new(path, bytes, &selection);
    let mut errors = Vec::new();
    let mut text = Vec::new();
    json::write(&file, true, &mut errors, &mut text)?;
    if let Some(error) = errors.first() {
        bail!("{}: {}", files::shown(path), visible(error));
    }
    Facts::lines(&text).with_context(|| files::shown(path))
}

/// Whether a file holds anything for a GPU; one that cannot be read may.
pub(crate) fn holds_device_code(bytes: &[u8]) -> bool {
    cubin_core::host::device_code(bytes).next().is_some()
}
