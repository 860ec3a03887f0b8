//! `cargo cubin prebuild`: compiles, and keeps what a build needs in `prebuilt/` beside `Cargo.toml`; `--check` compares.
//!
//! The build script writes the files ([`cubin_build`] knows what they are), this command moves them to their place, and
//! only into packages of the workspace that are selected.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use cubin_build::{cache, words::counted};

use crate::{
    files::shown,
    project::{self, Reports, Selection},
    report::Report,
    terminal,
};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Write nothing; fail when `prebuilt/` is not what would be written: for CI
    #[arg(long)]
    check: bool,
    #[command(flatten)]
    selection: Selection,
}

/// Files by their path below the directory, `/` between folders.
type Files = BTreeMap<String, Vec<u8>>;

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let variables = [("CUBIN_BUILD_PREBUILT", "write")];
    project::with_reports(
        &args.selection,
        &variables,
        |Reports { reports, .. }| all(&reports, args.check),
    )
}

fn all(reports: &[Report], check: bool) -> anyhow::Result<ExitCode> {
    let mut good = true;
    let mut any = false;
    for report in reports {
        let Some(prebuilt) = &report.prebuilt else {
            continue;
        };
        // A dependency with kernels reports, too.
        if report.root.as_os_str().is_empty() || !prebuilt.to.starts_with(&report.root) {
            continue;
        }
        any = true;
        let findings = terminal::findings(report);
        if !findings.is_empty() {
            eprintln!("{}", findings.trim_end());
        }
        if report.errors > 0 {
            eprintln!(
                "{}: a build without a toolkit would fail like this; nothing is written",
                report.package
            );
            good = false;
            continue;
        }
        let made = read(&prebuilt.from)?;
        if check {
            good &= compare(report, &made, &prebuilt.to)?;
        } else {
            write(report, &made, &prebuilt.to)?;
        }
    }
    if !any {
        bail!(
            "nothing was compiled: the build scripts have no CUDA, PTX or NVVM sources, or use a cubin-build that cannot do this"
        );
    }
    Ok(if good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Everything below a directory, at most one folder deep.
fn read(dir: &Path) -> anyhow::Result<Files> {
    let mut files = Files::new();
    for path in entries(dir)? {
        if path.is_dir() {
            for inner in entries(&path)? {
                add(&mut files, dir, &inner)?;
            }
        } else {
            add(&mut files, dir, &path)?;
        }
    }
    Ok(files)
}

fn entries(dir: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let cannot = || format!("cannot read {}", shown(dir));
    let entries = fs::read_dir(dir).with_context(cannot)?;
    entries
        .map(|entry| Ok(entry.with_context(cannot)?.path()))
        .collect()
}

fn add(files: &mut Files, dir: &Path, path: &Path) -> anyhow::Result<()> {
    let name = path.strip_prefix(dir)?.to_string_lossy().replace('\\', "/");
    let bytes = fs::read(path).with_context(|| format!("cannot read {}", shown(path)))?;
    files.insert(name, bytes);
    Ok(())
}

/// Files in `to` that earlier kernels left: of the folders that are written, those that are not any more.
fn leftovers(made: &Files, to: &Path) -> anyhow::Result<BTreeSet<String>> {
    let folders = made.keys().filter_map(|name| name.split_once('/'));
    let manifests = made
        .keys()
        .filter_map(|name| name.strip_suffix(".manifest"));
    let folders: BTreeSet<&str> = folders.map(|(dir, _)| dir).chain(manifests).collect();
    let mut found = BTreeSet::new();
    for folder in folders {
        let dir = to.join(folder);
        if !dir.is_dir() {
            continue;
        }
        for path in entries(&dir)? {
            let ours = path
                .extension()
                .is_some_and(|end| ["cubin", "ptx", "facts"].iter().any(|ours| end == *ours));
            let file = path.file_name().unwrap_or_default().to_string_lossy();
            let name = format!("{folder}/{file}");
            if ours && !made.contains_key(&name) {
                found.insert(name);
            }
        }
    }
    Ok(found)
}

fn write(report: &Report, made: &Files, to: &Path) -> anyhow::Result<()> {
    let mut changed = 0_u64;
    let cannot = |path: &Path| format!("cannot write {}", shown(path));
    // The manifest last: until then it names the files that were there.
    let (manifests, others): (Vec<_>, Vec<_>) = made
        .iter()
        .partition(|(name, _)| name.ends_with(".manifest"));
    for (name, bytes) in others.into_iter().chain(manifests) {
        let path = to.join(name);
        if let Some(dir) = path.parent() {
            fs::create_dir_all(dir).with_context(|| cannot(dir))?;
        }
        let written = cache::write_if_changed(&path, bytes).with_context(|| cannot(&path))?;
        changed += u64::from(written);
    }
    let gone = leftovers(made, to)?;
    for name in &gone {
        let path = to.join(name);
        fs::remove_file(&path).with_context(|| format!("cannot remove {}", shown(&path)))?;
    }
    let bytes: usize = made.values().map(Vec::len).sum();
    println!(
        "{}: {} in {} ({} KiB), {changed} written, {} removed",
        report.package,
        counted(made.len() as u64, "file"),
        shown(to),
        bytes.div_ceil(1024),
        gone.len()
    );
    Ok(())
}

/// Whether the files are those that are there; says which are not.
fn compare(report: &Report, made: &Files, to: &Path) -> anyhow::Result<bool> {
    /// More are counted.
    const SHOWN: usize = 20;
    let mut differences = Vec::new();
    for (name, bytes) in made {
        let path = to.join(name);
        match fs::read(&path) {
            Ok(there) if same(name, &there, bytes) => {}
            Ok(there) => differences.push(difference(name, &there, bytes)),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                differences.push(format!("{name} is not there"));
            }
            Err(error) => differences.push(format!("{name} cannot be read: {error}")),
        }
    }
    let left = leftovers(made, to)?;
    differences.extend(
        left.iter()
            .map(|name| format!("{name} is of no kernel any more")),
    );
    if differences.is_empty() {
        println!("{}: {} is up to date", report.package, shown(to));
        return Ok(true);
    }
    eprintln!(
        "{}: {} is not what these sources give:",
        report.package,
        shown(to)
    );
    for difference in differences.iter().take(SHOWN) {
        eprintln!("  {difference}");
    }
    if differences.len() > SHOWN {
        eprintln!("  and {} more", differences.len() - SHOWN);
    }
    eprintln!("run `cargo cubin prebuild` and commit what it writes");
    Ok(false)
}

fn same(name: &str, there: &[u8], made: &[u8]) -> bool {
    // Git may have given the lines of text other ends.
    there == made || is_text(name) && text(there) == text(made)
}

fn is_text(name: &str) -> bool {
    name.ends_with(".manifest") || name.ends_with(".gitattributes")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).replace("\r\n", "\n")
}

fn difference(name: &str, there: &[u8], made: &[u8]) -> String {
    let toolkit = |bytes: &[u8]| {
        let text = text(bytes);
        let line = text.lines().find_map(|line| line.strip_prefix("toolkit "));
        line.map(str::to_owned)
    };
    if name.ends_with(".manifest")
        && let (Some(there), Some(here)) = (toolkit(there), toolkit(made))
        && there != here
    {
        return format!("{name} was made with CUDA {there}, and this machine has {here}");
    }
    format!("{name} differs")
}
