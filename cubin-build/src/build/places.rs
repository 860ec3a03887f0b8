//! Where kernels stand in the sources.

use std::path::{Path, PathBuf};

use crate::{
    paths,
    signature::model::Signatures,
    sorted::Map,
    source::{self, SourceFile, Span},
};

/// The files that messages point into, each read once.
pub(super) struct Places {
    root: PathBuf,
    files: Map<PathBuf, Option<SourceFile>>,
}

impl Places {
    /// None is read yet; relative paths start at `root`.
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            files: Map::new(),
        }
    }

    /// The file under the name that messages show, when it can be read.
    fn file(&mut self, path: &Path) -> Option<SourceFile> {
        let root = &self.root;
        self.files
            .or_insert_with(path.to_owned(), || {
                SourceFile::read(&root.join(path), paths::shown(root, path)).ok()
            })
            .clone()
    }

    /// A line of a file, from 1.
    pub(super) fn line(&mut self, path: &Path, line: u32) -> Option<Span> {
        Some(Span::line(&self.file(path)?, line))
    }

    /// The kernel's name at its definition.
    pub(super) fn kernel(&mut self, signatures: &Signatures, symbol: &str) -> Option<Span> {
        let mut kernels = signatures.kernels.iter();
        let kernel = kernels.find(|kernel| kernel.symbol == symbol)?;
        // What debug information of PTX names may be on another machine.
        let places = [&kernel.definition, &kernel.entry];
        places.into_iter().flatten().find_map(|definition| {
            let file = self.file(&definition.file)?;
            let (line, name) = (definition.line, &kernel.base_name);
            Some(source::locate_name(&file, line, name))
        })
    }
}
