//! What is compared, from the paths of the command line: files with device code, directories of them, JSON lines of
//! `inspect`, snapshots, baselines.

use std::path::Path;

use anyhow::{Context as _, bail};
use cubin_build::{
    policy::{Baseline, budget::Value},
    source::SourceFile,
};

use super::{
    figures::{FIGURES, Figure, UNBOUNDED},
    kernels::{Kernel, Side},
    snapshot::{self, Snapshot},
};
use crate::{facts::Facts, files, inspect};

/// Reads a path that was named on the command line.
pub(super) fn side(path: &Path) -> anyhow::Result<Side> {
    let title = files::shown(path);
    if path.is_dir() {
        return directory(path, title);
    }
    let bytes = files::open(path).with_context(|| title.clone())?;
    if path
        .extension()
        .is_some_and(|extension| extension == "toml")
    {
        let text = std::str::from_utf8(&bytes).with_context(|| title.clone())?;
        return baseline(path, title, text);
    }
    if snapshot::is(&bytes) {
        let text = std::str::from_utf8(&bytes).with_context(|| title.clone())?;
        let snapshot = Snapshot::parse(text).with_context(|| title.clone())?;
        return Ok(snapshot.side(title));
    }
    let facts = if bytes.first() == Some(&b'{') {
        Facts::lines(&bytes).with_context(|| title.clone())?
    } else {
        inspect::facts(path, &bytes)?
    };
    Ok(Side::of(title, facts))
}

/// All files below a directory that are made to hold device code.
fn directory(path: &Path, title: String) -> anyhow::Result<Side> {
    let mut facts = Vec::new();
    for entry in walkdir::WalkDir::new(path).sort_by_file_name() {
        let entry = entry?;
        let extension = entry.path().extension().and_then(|text| text.to_str());
        let holds = matches!(
            extension,
            Some("cubin" | "fatbin" | "o" | "obj" | "a" | "lib" | "rlib" | "so" | "dll" | "exe")
        );
        if !entry.file_type().is_file() || !holds {
            continue;
        }
        let bytes = files::open(entry.path()).with_context(|| files::shown(entry.path()))?;
        // Most objects and libraries hold none.
        if inspect::holds_device_code(&bytes) {
            facts.extend(inspect::facts(entry.path(), &bytes)?);
        }
    }
    if facts.is_empty() {
        bail!("{title}: no file below it holds a cubin");
    }
    Ok(Side::of(title, facts))
}

fn baseline(path: &Path, title: String, text: &str) -> anyhow::Result<Side> {
    let file = SourceFile::new(path, text.to_owned());
    let (baseline, problems) = Baseline::parse(&file);
    if let Some(problem) = problems.first() {
        bail!("{title} is no baseline: {}", problem.message);
    }
    let mut kernels: Vec<Kernel> = Vec::new();
    for (name, target, key, recorded) in baseline.iter() {
        let target = target.to_string();
        let last = kernels.last();
        if last.is_none_or(|last| (last.name.as_str(), &last.target) != (name, &target)) {
            kernels.push(Kernel {
                package: None,
                name: name.to_owned(),
                plain: name.to_owned(),
                symbol: None,
                types: None,
                target,
                params: None,
                figures: vec![None; FIGURES.len()],
            });
        }
        let at = Figure::named(key.name()).map(Figure::position);
        if let (Some(at), Some(kernel)) = (at, kernels.last_mut()) {
            kernel.figures[at] = match recorded.value {
                Value::Number(number) => Some(number),
                Value::Unknown if key.name() == "stack" => Some(UNBOUNDED),
                _ => None,
            };
        }
    }
    Ok(Side {
        title,
        kernels,
        partial: true,
    })
}
