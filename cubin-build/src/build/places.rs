//! Where kernels stand in the sources.

use std::path::{Path, PathBuf};

use crate::{
    paths,
    signature::model::Signatures,
    sorted::{Map, Set},
    source::{self, SourceFile, Span},
};

/// Most headers that are searched for a declaration.
const MOST_HEADERS: usize = 200;

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

    /// Where a function is first named with parentheses behind it, in the order that the compiler reads: in `source`, and
    /// in the headers that it includes between quotes.
    pub(super) fn declaration(
        &mut self,
        source: &Path,
        name: &str,
        includes: &[PathBuf],
    ) -> Option<Span> {
        let mut seen = Set::new();
        self.declared(source, name, includes, &mut seen)
    }

    fn declared(
        &mut self,
        path: &Path,
        name: &str,
        includes: &[PathBuf],
        seen: &mut Set<PathBuf>,
    ) -> Option<Span> {
        if seen.contains(path) || seen.len() >= MOST_HEADERS {
            return None;
        }
        seen.insert(path.to_owned());
        let file = self.file(path)?;
        for (index, line) in file.text().lines().enumerate() {
            let included = line.trim_start().strip_prefix('#').map(str::trim_start);
            let included = included.and_then(|line| line.strip_prefix("include"));
            let included = included.and_then(|line| line.trim_start().strip_prefix('"'));
            if let Some((header, _)) = included.and_then(|line| line.split_once('"')) {
                let beside = path.parent().map(|dir| dir.join(header));
                let searched = includes.iter().map(|dir| dir.join(header));
                let all = beside.into_iter().chain(searched);
                let mut headers = all.filter(|header| self.root.join(header).is_file());
                if let Some(header) = headers.next()
                    && let Some(found) = self.declared(&header, name, includes, seen)
                {
                    return Some(found);
                }
            } else if let Some(span) = source::locate_call(&file, index as u32 + 1, name) {
                return Some(span);
            }
        }
        None
    }

    /// The `.target` of PTX: its place and what it names.
    pub(super) fn ptx_target(&mut self, path: &Path) -> Option<(Span, String)> {
        let file = self.file(path)?;
        let mut lines = file.text().lines().enumerate();
        lines.find_map(|(index, line)| {
            let names = line.trim_start().strip_prefix(".target")?.trim_start();
            let end = names.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let name = &names[..end.unwrap_or(names.len())];
            Some((Span::line(&file, index as u32 + 1), name.to_owned()))
        })
    }

    /// The word at a column of a line, both from 1; the whole line where there is none.
    pub(super) fn word(&mut self, path: &Path, line: u32, column: u32) -> Option<Span> {
        let whole = self.line(path, line)?;
        let range = whole.file.line_range(line);
        let text = whole.file.text().get(range.clone())?;
        let before = text.char_indices().nth(column.saturating_sub(1) as usize);
        let Some((start, _)) = before else {
            return Some(whole);
        };
        let rest = text.get(start..)?;
        let ends = |c: char| c.is_whitespace() || ",()".contains(c);
        let length = rest.find(ends).unwrap_or(rest.len()).max(1);
        let start = range.start + start;
        Some(Span::new(
            &whole.file,
            start..(start + length).min(range.end),
        ))
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
