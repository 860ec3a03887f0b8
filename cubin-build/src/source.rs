//! Text files that a diagnostic can point into, and places in them.

use crate::lists::CollectVec;
use std::{
    fs,
    io::{self, Read as _},
    ops::Range,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

/// Longest text that messages point into, in bytes: cubin.toml, baselines, sources and what their `#line` names.
const MOST_TEXT: u64 = 64 << 20;

/// Longest other file that is read, in bytes: a cubin, a fatbin, a header.
pub(crate) const MOST_BYTES: u64 = 4 << 30;

/// Opens a file. Pipes, devices and directories are refused before they are opened: there the wait for their end could be
/// one without end.
///
/// # Errors
/// When it is no regular file, or cannot be opened.
pub fn open_file(path: &Path) -> io::Result<fs::File> {
    let meta = fs::metadata(path)?;
    if meta.is_dir() {
        return Err(io::Error::other("it is a directory"));
    }
    if !meta.is_file() {
        return Err(io::Error::other("it is a pipe or a device, not a file"));
    }
    fs::File::open(path)
}

/// The bytes of a file that has at most `most`.
///
/// # Errors
/// When it is no regular file, is longer, or cannot be read.
pub fn read_file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let file = open_file(path)?;
    let mut bytes = Vec::new();
    let room = file.metadata()?.len().min(most);
    bytes.try_reserve_exact(usize::try_from(room).unwrap_or_default())?;
    // Files of the system may have no length and no end.
    file.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        let why = format!("it is longer than {most} bytes");
        return Err(io::Error::other(why));
    }
    Ok(bytes)
}

/// A file read once; cheap to clone.
#[derive(Debug, Clone)]
pub struct SourceFile(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    path: PathBuf,
    text: String,
    /// Offset of the first bytes that were no UTF-8 in the file, and are replaced in the text.
    replaced: Option<usize>,
    /// Offset of the first byte of each line, once a place was asked for.
    lines: OnceLock<Vec<usize>>,
}

impl SourceFile {
    /// A file's text (invalid UTF-8 replaced by the caller) under the path that messages show.
    pub fn new(path: impl Into<PathBuf>, text: impl Into<String>) -> Self {
        Self::with(path.into(), text.into(), None)
    }

    fn with(path: PathBuf, text: String, replaced: Option<usize>) -> Self {
        Self(Arc::new(Inner {
            path,
            text,
            replaced,
            lines: OnceLock::new(),
        }))
    }

    /// Reads the file at `path`, invalid UTF-8 replaced, and shows it as `shown` in messages.
    ///
    /// # Errors
    /// When it is no regular file, has more than 64 MiB, or cannot be read.
    pub fn read(path: &Path, shown: impl Into<PathBuf>) -> io::Result<Self> {
        let bytes = read_file(path, MOST_TEXT)?;
        let replaced = std::str::from_utf8(&bytes).err();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let replaced = replaced.map(|error| error.valid_up_to());
        Ok(Self::with(shown.into(), text, replaced))
    }

    /// Where the first bytes stand that were no UTF-8: their replacement, U+FFFD, in the text.
    #[must_use]
    pub fn not_utf8(&self) -> Option<Range<usize>> {
        let start = self.0.replaced?;
        Some(start..start + char::REPLACEMENT_CHARACTER.len_utf8())
    }

    /// The path as messages show it: relative to the package where possible.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Byte range of line `line` (from 1) without its line end; empty at the end of the text when there is no such line.
    #[must_use]
    pub fn line_range(&self, line: u32) -> Range<usize> {
        let text = self.text();
        let lines = self.lines();
        let index = (line as usize).saturating_sub(1);
        let Some(&start) = lines.get(index) else {
            return text.len()..text.len();
        };
        let end = lines.get(index + 1).map_or(text.len(), |next| next - 1);
        let line = &text[start..end];
        start..start + line.strip_suffix('\r').unwrap_or(line).len()
    }

    /// 1-based line and column (in characters) of a byte offset.
    #[must_use]
    pub fn line_column(&self, offset: usize) -> (usize, usize) {
        let mut end = offset.min(self.text().len());
        while !self.text().is_char_boundary(end) {
            end -= 1;
        }
        let lines = self.lines();
        let line = lines.partition_point(|start| *start <= end);
        let start = lines.get(line - 1).copied().unwrap_or(0);
        (line, self.text()[start..end].chars().count() + 1)
    }

    fn lines(&self) -> &[usize] {
        self.0.lines.get_or_init(|| {
            let ends = self.text().match_indices('\n').map(|(at, _)| at + 1);
            std::iter::once(0).chain(ends).collect_vec()
        })
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

impl Span {
    /// Bytes `range` of `file`.
    #[must_use]
    pub fn new(file: &SourceFile, range: Range<usize>) -> Self {
        Self {
            file: file.clone(),
            range,
        }
    }

    /// Line `line` (from 1) without the white space around it.
    #[must_use]
    pub fn line(file: &SourceFile, line: u32) -> Self {
        let range = file.line_range(line);
        let text = &file.text()[range.clone()];
        let start = range.start + (text.len() - text.trim_start().len());
        Self::new(file, start..start.max(range.start + text.trim_end().len()))
    }

    /// The text it covers; empty when the range does not fit the file.
    #[must_use]
    pub fn text(&self) -> &str {
        self.file.text().get(self.range.clone()).unwrap_or("")
    }

    /// 1-based line and column (in characters) of its start.
    #[must_use]
    pub fn start(&self) -> (usize, usize) {
        self.file.line_column(self.range.start)
    }

    /// 1-based line and column (in characters) of the first character behind it.
    #[must_use]
    pub fn end(&self) -> (usize, usize) {
        self.file.line_column(self.range.end)
    }
}

/// A value and the place that set it, so that a message can point there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Where it stands.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// `value`, set at `span`.
    pub const fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// How many lines below the one that the compiler names are searched for a kernel's name:
/// attributes, return type and name often stand on lines of their own.
const NAME_LINES: u32 = 8;

/// Where the kernel `base_name` is named in its definition, which the compiler says begins or stands at
/// line `line` (from 1) of `file`.
///
/// The name itself where it is found there, followed by `(` if possible, at most a few lines below and not past
/// the body's brace. A kernel whose name a macro pastes together is nowhere: then the whole line is returned.
#[must_use]
pub fn locate_name(file: &SourceFile, line: u32, base_name: &str) -> Span {
    if base_name.is_empty() {
        return Span::line(file, line);
    }
    for number in line..line.saturating_add(NAME_LINES) {
        let range = file.line_range(number);
        let text = &file.text()[range.clone()];
        if let Some(at) = find_word(text, base_name) {
            let start = range.start + at;
            return Span::new(file, start..start + base_name.len());
        }
        if text.contains(['{', ';']) || range.end == file.text().len() {
            break;
        }
    }
    Span::line(file, line)
}

/// Where line `line` (from 1) of `file` has `name` with `(` behind it.
#[must_use]
pub fn locate_call(file: &SourceFile, line: u32, name: &str) -> Option<Span> {
    let range = file.line_range(line);
    let text = &file.text()[range.clone()];
    let at = find_word(text, name)?;
    let behind = text[at + name.len()..].trim_start();
    let start = range.start + at;
    behind
        .starts_with('(')
        .then(|| Span::new(file, start..start + name.len()))
}

/// Byte offset of `word` in `text` as a whole identifier: the first that `(` follows, else the first.
fn find_word(text: &str, word: &str) -> Option<usize> {
    let code = text.split("//").next().unwrap_or(text);
    let part_of_identifier = |c: char| c.is_alphanumeric() || c == '_';
    let mut first = None;
    for (at, _) in code.match_indices(word) {
        let before = code[..at].chars().next_back();
        let mut after = code[at + word.len()..].chars();
        if before.is_some_and(part_of_identifier)
            || after.clone().next().is_some_and(part_of_identifier)
        {
            continue;
        }
        if after.find(|c| !c.is_whitespace()) == Some('(') {
            return Some(at);
        }
        first = first.or(Some(at));
    }
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str, line: u32, name: &str) -> ((usize, usize), String) {
        let file = SourceFile::new("k.cu", text);
        let span = locate_name(&file, line, name);
        (span.start(), span.text().to_owned())
    }

    #[test]
    fn name_on_its_line() {
        let text = "template <class gemm_t>\n__global__ void gemm(gemm_t gemm) {}\n";
        assert_eq!(named(text, 2, "gemm"), ((2, 17), "gemm".into()));
        assert_eq!(named(text, 1, "gemm"), ((2, 17), "gemm".into()));
    }

    #[test]
    fn name_below_its_line() {
        let text =
            "__global__ void\r\n  __launch_bounds__(256)\r\n  gemm // the gemm(\r\n(int n)\r\n{}";
        assert_eq!(named(text, 1, "gemm"), ((3, 3), "gemm".into()));
    }

    #[test]
    fn name_made_by_a_macro() {
        let text = "\n  KERNEL(exp, float)  \nvoid exp_float();\n";
        assert_eq!(
            named(text, 2, "exp_double"),
            ((2, 3), "KERNEL(exp, float)".into())
        );
        assert_eq!(named(text, 2, "exp"), ((2, 10), "exp".into()));
    }

    #[test]
    fn a_name_behind_the_body_is_another() {
        let text = "MAKE(a) {\n}\nvoid b();\n";
        assert_eq!(named(text, 1, "b").0, (1, 1));
    }

    #[test]
    fn lines_that_do_not_exist() {
        for text in ["", "a", "a\n", "\u{e9}\r\n"] {
            for line in [0, 1, 2, 3, u32::MAX] {
                let _ = named(text, line, "gemm");
                let _ = named(text, line, "");
            }
        }
        let file = SourceFile::new("k.cu", "a\r\n\u{e9}b");
        assert_eq!(file.line_range(1), 0..1);
        assert_eq!(file.line_column(5), (2, 2));
        assert_eq!(file.line_column(4), (2, 1));
        assert_eq!(file.line_column(99), (2, 3));
    }
}
