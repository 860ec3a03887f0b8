//! `cargo cubin inspect FILE...`: what the functions of cubins use.

use std::{
    collections::BTreeMap,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::Context;
use cubin_core::{Cubin, Function, Params};
use serde::Serialize;

use crate::files;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// .cubin files, and files that contain cubins: .fatbin, .o, .a, .so, executables
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// One JSON object per function and line
    #[arg(long)]
    json: bool,
}

/// One line of `--json`. The field names are a promise: additions only.
#[derive(Serialize)]
struct Line<'a> {
    file: String,
    /// Of the cubin, not of the file that holds it.
    sha256: &'a str,
    target: String,
    toolkit: Option<String>,
    function: &'a str,
    name: String,
    kernel: bool,
    registers: u32,
    stack: Option<u32>,
    spill_instructions: Option<u32>,
    static_shared: u64,
    reserved_shared: u64,
    local: u64,
    constant: BTreeMap<u8, u64>,
    barriers: Option<u8>,
    code_bytes: u64,
    params: Option<Vec<LineParam>>,
    max_threads: Option<[u32; 3]>,
    cuobjdump: LineCuobjdump,
}

#[derive(Serialize)]
struct LineParam {
    ordinal: u16,
    offset: u32,
    size: u32,
}

/// What `cuobjdump -res-usage` prints; `stack` is null where it prints UNKNOWN.
#[derive(Serialize)]
struct LineCuobjdump {
    reg: u32,
    stack: Option<u32>,
    shared: u64,
    local: u64,
    r#const: BTreeMap<u8, u64>,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    let mut failed = false;
    for path in &args.files {
        let result = inspect(path, args, &mut out);
        if let Err(error) = result {
            if crate::is_broken_pipe(&error) {
                return Err(error);
            }
            // One unreadable file must not hide the others.
            out.flush()?;
            eprintln!("error: {error:#}");
            failed = true;
        }
    }
    out.flush()?;
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn inspect(path: &Path, args: &Args, out: &mut impl std::io::Write) -> anyhow::Result<()> {
    let bytes = files::open(path)?;
    let cubin = Cubin::parse(&bytes).with_context(|| format!("cannot read {}", path.display()))?;
    let place = || format!("cannot read {}", path.display());
    let functions = cubin.functions().with_context(place)?;
    let target = cubin.target().with_context(place)?.to_string();
    let toolkit = cubin.toolkit().with_context(place)?.map(|(major, minor)| format!("{major}.{minor}"));
    if args.json {
        let sha256 = sha256(&bytes);
        for function in &functions {
            let line = line(path, &sha256, &target, toolkit.as_deref(), function);
            serde_json::to_writer(&mut *out, &line)?;
            writeln!(out)?;
        }
    } else {
        table(path, &target, toolkit.as_deref(), &functions, out)?;
    }
    Ok(())
}

fn line<'a>(
    path: &Path,
    sha256: &'a str,
    target: &str,
    toolkit: Option<&str>,
    function: &Function<'a>,
) -> Line<'a> {
    let resources = &function.resources;
    let params = match &function.params {
        Params::NotRecorded => None,
        Params::Recorded { params, .. } => {
            let param = |param: &cubin_core::Param| LineParam {
                ordinal: param.ordinal,
                offset: param.offset,
                size: param.size,
            };
            Some(params.iter().map(param).collect())
        }
    };
    Line {
        file: path.display().to_string(),
        sha256,
        target: target.to_owned(),
        toolkit: toolkit.map(str::to_owned),
        function: function.symbol,
        name: demangle(function.symbol),
        kernel: function.kernel,
        registers: resources.registers,
        stack: resources.stack,
        spill_instructions: resources.spill_instructions,
        static_shared: resources.static_shared,
        reserved_shared: resources.reserved_shared,
        local: resources.local,
        constant: resources.constant.iter().copied().collect(),
        barriers: resources.barriers,
        code_bytes: resources.code_bytes,
        params,
        max_threads: function.launch.max_threads,
        cuobjdump: LineCuobjdump {
            reg: function.cuobjdump.reg,
            stack: function.cuobjdump.stack,
            shared: function.cuobjdump.shared,
            local: function.cuobjdump.local,
            r#const: function.resources.constant.iter().copied().collect(),
        },
    }
}

fn demangle(symbol: &str) -> String {
    symbol.to_owned()
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A human's view: one row per function, unknown figures as `?`.
fn table(
    path: &Path,
    target: &str,
    toolkit: Option<&str>,
    functions: &[Function<'_>],
    out: &mut impl std::io::Write,
) -> std::io::Result<()> {
    let toolkit = toolkit.map(|version| format!(", CUDA {version}")).unwrap_or_default();
    writeln!(out, "{} ({target}{toolkit})", path.display())?;
    if functions.is_empty() {
        return writeln!(out, "  no functions\n");
    }
    let heads = ["registers", "stack", "spills", "shared", "params", "barriers", "code"];
    let mut rows = vec![heads.map(str::to_owned)];
    for function in functions {
        let known = |value: Option<u32>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
        let resources = &function.resources;
        rows.push([
            resources.registers.to_string(),
            known(resources.stack),
            known(resources.spill_instructions),
            resources.static_shared.to_string(),
            match &function.params {
                Params::NotRecorded => "?".to_owned(),
                Params::Recorded { size, .. } => size.to_string(),
            },
            known(resources.barriers.map(u32::from)),
            resources.code_bytes.to_string(),
        ]);
    }
    let widths: Vec<usize> =
        (0..heads.len()).map(|column| rows.iter().map(|row| row[column].len()).max().unwrap_or(0)).collect();
    let names = std::iter::once("function".to_owned()).chain(functions.iter().map(|function| {
        let kind = if function.kernel { "" } else { " (device function)" };
        format!("{}{kind}", demangle(function.symbol))
    }));
    for (row, name) in rows.iter().zip(names) {
        write!(out, " ")?;
        for (cell, width) in row.iter().zip(&widths) {
            write!(out, " {cell:>width$}")?;
        }
        writeln!(out, "  {name}")?;
    }
    writeln!(out)
}
