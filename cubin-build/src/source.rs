//! Text files that a diagnostic can point into, and places in them.

use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

/// A file read once; cheap to clone.
#[derive(Debug, Clone)]
pub struct SourceFile(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    text: String,
}

impl SourceFile {
    /// A file's text (invalid UTF-8 replaced by the caller) under the path that messages show.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self(Arc::new(Inner {
            path: path.into(),
            text: text.into(),
        }))
    }

    /// The path as messages show it: relative to the package where possible.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Byte range of line `line` (from 1) without its line end; empty at the end of the text when there is no such line.
    pub fn line_range(&self, line: u32) -> Range<usize> {
        let text = self.text();
        let mut start = 0;
        for _ in 1..line {
            match text[start..].find('\n') {
                Some(end) => start += end + 1,
                None => return text.len()..text.len(),
            }
        }
        let end = text[start..]
            .find('\n')
            .map_or(text.len(), |end| start + end);
        start..end.max(start)
    }

    /// 1-based line and column (in characters) of a byte offset.
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut end = offset.min(self.text().len());
        while !self.text().is_char_boundary(end) {
            end -= 1;
        }
        let before = &self.text()[..end];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (line, before[start..].chars().count() + 1)
    }
}

impl PartialEq for SourceFile {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || (self.path() == other.path() && self.text() == other.text())
    }
}

impl Eq for SourceFile {}

/// A byte range in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// Which file.
    pub file: SourceFile,
    /// Which bytes of its text.
    pub range: Range<usize>,
}
