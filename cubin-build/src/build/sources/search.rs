//! Looks for sources in directories.

use std::path::{Path, PathBuf};

use walkdir::WalkDir;

use super::exclude::Excludes;
use crate::{
    compile::{Language, SourceKind},
    paths,
};

/// What all searches of a build share.
pub(super) struct Search<'a> {
    /// The package's directory.
    pub(super) root: &'a Path,
    pub(super) excludes: Excludes<'a>,
    /// Files and directories that were consulted.
    pub(super) watched: Vec<PathBuf>,
    /// Machine code, PTX and NVVM IR beside the sources, which nobody named.
    pub(super) others: Vec<PathBuf>,
}

/// What lies below a directory.
pub(super) struct Below {
    /// There was no `.cu` file at all.
    pub(super) empty: bool,
    /// Machine code, PTX and NVVM IR, which is taken only where it is named, relative to the package where possible.
    pub(super) others: Vec<PathBuf>,
    /// Those that are not left out.
    pub(super) files: Vec<PathBuf>,
}

impl Search<'_> {
    /// The `.cu` files below `dir`, sorted; the error is what the system says.
    pub(super) fn below(&mut self, dir: &Path) -> Result<Below, String> {
        self.watched.push(dir.to_owned());
        let (mut files, others) = files(self.root, dir).map_err(|error| error.to_string())?;
        let empty = files.is_empty();
        files.retain(|path| !self.excludes.exclude(&paths::shown(self.root, path)));
        Ok(Below {
            empty,
            others,
            files,
        })
    }
}

/// Whether a file could be named; NVVM IR also where the feature for it is off, as that is then what is missing.
fn is_other(path: &Path) -> bool {
    match SourceKind::of(path) {
        Ok(SourceKind::Text(language)) => language != Language::Cuda,
        Ok(SourceKind::Prebuilt(_)) => true,
        Err(unknown) => unknown.is_nvvm(),
    }
}

/// The `.cu` files, and the others that could be named.
fn files(root: &Path, dir: &Path) -> Result<(Vec<PathBuf>, Vec<PathBuf>), walkdir::Error> {
    let base = root.join(dir);
    let (mut files, mut others) = (Vec::new(), Vec::new());
    for entry in WalkDir::new(&base).follow_links(true).sort_by_file_name() {
        let entry = entry?;
        if !entry.file_type().is_file() {
            continue;
        }
        let inside = entry.path().strip_prefix(&base).unwrap_or(entry.path());
        if SourceKind::is_cu(entry.path()) {
            files.push(dir.join(inside));
        } else if is_other(entry.path()) {
            others.push(dir.join(inside));
        }
    }
    Ok((files, others))
}
