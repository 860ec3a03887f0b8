//! A finding as text: the picture with source lines, and the one line that cargo shows.
//!
//! The only file that names the renderer. It decides how a finding looks, never whether it is shown.

use std::{
    io::{self, Write},
    ops::Range,
};

use codespan_reporting::{
    diagnostic::{Diagnostic, Label as Mark, LabelStyle, Severity},
    files::{self, Files},
    term::{Chars, Config, WriteStyle, emit_to_write_style},
};

use super::{Diag, Label, Level, codes};
use crate::source::SourceFile;

/// Columns of source code in the picture. Fixed: the text must not depend on the terminal it is made in.
const WIDTH: usize = 140;

/// Columns that stay before a label where a line that is longer is cut.
const BEFORE: usize = 20;

/// What stands for the part of a line that is left out.
const CUT: &str = "...";

/// The finding much as rustc would draw it, with ANSI colours only when `colour` is set. Ends without a line end.
#[must_use]
pub fn render(diag: &Diag, colour: bool) -> String {
    let severity = match diag.level {
        Level::Deny => Severity::Error,
        Level::Warn => Severity::Warning,
        Level::Allow => Severity::Note,
    };
    let mut picture = Diagnostic::new(severity)
        .with_code(diag.code.0)
        .with_message(clean(&diag.message));
    let mut excerpts = Excerpts(Vec::new());
    for (file, labels) in by_file(diag) {
        let (excerpt, ranges) = Excerpt::new(file, &labels);
        for (range, label) in ranges.into_iter().zip(labels) {
            let style = if label.primary {
                LabelStyle::Primary
            } else {
                LabelStyle::Secondary
            };
            let mark = Mark::new(style, excerpts.0.len(), range);
            picture.labels.push(mark.with_message(clean(&label.text)));
        }
        excerpts.0.push(excerpt);
    }
    for (kind, texts) in [("note", &diag.notes), ("help", &diag.help)] {
        for text in texts {
            // Lines below the first stand under its text, behind the word.
            let text = clean(text).replace('\n', "\n      ");
            picture.notes.push(format!("{kind}: {text}"));
        }
    }
    let config = Config {
        chars: Chars::ascii(),
        ..Config::default()
    };
    let mut page = Page {
        text: Vec::new(),
        colour,
    };
    // Ranges lie in their excerpts and the page is memory: nothing of it fails. If it did, the sentence is what counts.
    if emit_to_write_style(&mut page, &config, &excerpts, &picture).is_err() {
        return format!("{}: {}", diag.level.name(), summary_line(diag));
    }
    String::from_utf8_lossy(&page.text).trim_end().to_owned()
}

/// Code, message and place on one line, for `cargo::error=` and `cargo::warning=`:
/// `kernels/gemm.cu:41:17: [registers-over-budget] kernel ...`.
#[must_use]
pub fn summary_line(diag: &Diag) -> String {
    let mut line = String::new();
    if let Some(place) = diag.place() {
        let (row, column) = place.start();
        line = format!("{}:{row}:{column}: ", place.file.path().display());
    }
    line.push_str(&format!("[{}] {}", diag.code, diag.message));
    // A directive is one line: what a tool or a file name smuggled in must not start another.
    line.replace(|c: char| c.is_control(), " ")
}

/// What to do, on one line, for the `cargo::warning=` after that of the finding: cargo shows nothing else of a build
/// script that succeeds. The first help that is one line; `None` where there is none, and for budgets, which somebody
/// chose to be warned of.
#[must_use]
pub fn help_line(diag: &Diag) -> Option<String> {
    if codes::find(diag.code.0).is_some_and(|entry| entry.topic == codes::Topic::Budget) {
        return None;
    }
    let help = diag.help.iter().find(|help| !help.contains('\n'))?;
    Some(format!("  help: {help}").replace(|c: char| c.is_control(), " "))
}

/// Control characters made visible, lines kept: the text may quote a file or a tool.
fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        out.push(if c == '\n' { c } else { visible(c) });
    }
    out
}

/// The character, or its picture where it would move the cursor or turn the text around.
fn visible(c: char) -> char {
    match c {
        '\t' => c,
        '\u{0}'..='\u{1f}' => char::from_u32(u32::from(c) + 0x2400).unwrap_or('\u{fffd}'),
        '\u{7f}' => '\u{2421}',
        '\u{80}'..='\u{9f}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        c => c,
    }
}

/// The labels per file, in the order in which they name the files, the subject's first.
fn by_file(diag: &Diag) -> Vec<(&SourceFile, Vec<&Label>)> {
    let mut files: Vec<(&SourceFile, Vec<&Label>)> = Vec::new();
    let primary = diag.labels.iter().filter(|label| label.primary);
    let others = diag.labels.iter().filter(|label| !label.primary);
    for label in primary.chain(others) {
        match files.iter_mut().find(|(file, _)| *file == &label.span.file) {
            Some((_, labels)) => labels.push(label),
            None => files.push((&label.span.file, vec![label])),
        }
    }
    files
}

/// The lines of a file from its first label to its last, as they are shown.
struct Excerpt {
    path: String,
    text: String,
    /// Number of the first line.
    first: usize,
    lines: Vec<Line>,
}

/// A line of an [`Excerpt`].
struct Line {
    /// Where it starts in the excerpt's text.
    start: usize,
    /// How many columns more than shown stand before what is shown.
    hidden: usize,
}

impl Excerpt {
    /// What is shown of `file`, and the ranges of the labels in it.
    fn new(file: &SourceFile, labels: &[&Label]) -> (Self, Vec<Range<usize>>) {
        let text = file.text();
        let mut ranges = Vec::with_capacity(labels.len());
        let (mut start, mut end) = (text.len(), 0);
        for label in labels {
            let range = fitting(text, &label.span.range);
            start = start.min(range.start);
            end = end.max(range.end);
            ranges.push(range);
        }
        start = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        end = text[end..].find('\n').map_or(text.len(), |at| end + at);
        let mut excerpt = Self {
            path: clean(&file.path().to_string_lossy()),
            text: String::new(),
            first: file.line_column(start).0,
            lines: Vec::new(),
        };
        let mut shown = ranges.clone();
        for line in text[start..end].split('\n') {
            excerpt.push(start, line, &ranges, &mut shown);
            start += line.len() + 1;
        }
        (excerpt, shown)
    }

    /// Adds the line that starts at `start` in the file, and says where those ends of `ranges` are that lie in it.
    fn push(
        &mut self,
        start: usize,
        line: &str,
        ranges: &[Range<usize>],
        shown: &mut [Range<usize>],
    ) {
        // The offset behind the line is its line end, where a label may start and end.
        let within = |at: usize| (start..=start + line.len()).contains(&at);
        let column = |at: usize| line[..at - start].chars().count();
        let line_columns = line.strip_suffix('\r').unwrap_or(line).chars().count();
        let (mut from, mut to) = (0, line_columns);
        if line_columns > WIDTH {
            let starts = ranges.iter().map(|range| range.start);
            let first = starts.filter(|at| within(*at)).map(column).min();
            from = first.unwrap_or(0).saturating_sub(BEFORE);
            if from <= CUT.len() {
                from = 0;
            }
            to = line_columns.min(from + WIDTH);
        }
        let line_start = self.text.len();
        if from > 0 {
            self.text.push_str(CUT);
        }
        let shown_from = self.text.len();
        let mut offsets = Vec::with_capacity(to - from + 1);
        for c in line.chars().take(to).skip(from) {
            offsets.push(self.text.len());
            self.text.push(visible(c));
        }
        offsets.push(self.text.len());
        let place = |at: usize| offsets[column(at).clamp(from, to) - from];
        for (range, shown) in ranges.iter().zip(shown) {
            if within(range.start) {
                shown.start = place(range.start);
            }
            if within(range.end) {
                shown.end = place(range.end);
            }
        }
        if to < line_columns {
            self.text.push_str(CUT);
        }
        self.text.push('\n');
        self.lines.push(Line {
            start: line_start,
            hidden: from - (shown_from - line_start),
        });
    }
}

/// The range moved to character boundaries inside the text.
fn fitting(text: &str, range: &Range<usize>) -> Range<usize> {
    let boundary = |offset: usize| {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    };
    let start = boundary(range.start);
    start..boundary(range.end).max(start)
}

/// What the renderer asks of the files of one picture.
struct Excerpts(Vec<Excerpt>);

impl Excerpts {
    fn get(&self, id: usize) -> Result<&Excerpt, files::Error> {
        self.0.get(id).ok_or(files::Error::FileMissing)
    }
}

impl<'a> Files<'a> for Excerpts {
    type FileId = usize;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: usize) -> Result<&'a str, files::Error> {
        Ok(&self.get(id)?.path)
    }

    fn source(&'a self, id: usize) -> Result<&'a str, files::Error> {
        Ok(&self.get(id)?.text)
    }

    fn line_index(&'a self, id: usize, at: usize) -> Result<usize, files::Error> {
        let lines = &self.get(id)?.lines;
        Ok(lines.partition_point(|line| line.start <= at).max(1) - 1)
    }

    fn line_number(&'a self, id: usize, index: usize) -> Result<usize, files::Error> {
        Ok(self.get(id)?.first + index)
    }

    fn column_number(&'a self, id: usize, index: usize, at: usize) -> Result<usize, files::Error> {
        let excerpt = self.get(id)?;
        let start = self.line_range(id, index)?.start;
        let columns = excerpt.text[start..at].chars().count();
        Ok(excerpt.lines[index].hidden + columns + 1)
    }

    fn line_range(&'a self, id: usize, index: usize) -> Result<Range<usize>, files::Error> {
        let excerpt = self.get(id)?;
        let max = excerpt.lines.len();
        let line = excerpt.lines.get(index);
        let line = line.ok_or(files::Error::LineTooLarge { given: index, max })?;
        let next = excerpt.lines.get(index + 1);
        Ok(line.start..next.map_or(excerpt.text.len(), |next| next.start))
    }
}

/// The picture as text, with rustc's colours where they are asked for.
struct Page {
    text: Vec<u8>,
    colour: bool,
}

impl Page {
    /// Sets a graphic rendition (ECMA-48, SGR).
    fn set(&mut self, rendition: &str) -> io::Result<()> {
        if self.colour {
            write!(self.text, "\x1b[{rendition}m")?;
        }
        Ok(())
    }
}

const RESET: &str = "0";
const BOLD: &str = "1";
/// Bold and bright.
const RED: &str = "1;91";
const YELLOW: &str = "1;93";
const GREEN: &str = "1;92";
const BLUE: &str = "1;94";

const fn colour_of(severity: Severity) -> &'static str {
    match severity {
        Severity::Bug | Severity::Error => RED,
        Severity::Warning => YELLOW,
        Severity::Note | Severity::Help => GREEN,
    }
}

impl Write for Page {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.text.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl WriteStyle for Page {
    fn set_header(&mut self, severity: Severity) -> io::Result<()> {
        self.set(colour_of(severity))
    }

    fn set_header_message(&mut self) -> io::Result<()> {
        self.set(BOLD)
    }

    fn set_line_number(&mut self) -> io::Result<()> {
        self.set(BLUE)
    }

    fn set_note_bullet(&mut self) -> io::Result<()> {
        self.set(BLUE)
    }

    fn set_source_border(&mut self) -> io::Result<()> {
        self.set(BLUE)
    }

    fn set_label(&mut self, severity: Severity, style: LabelStyle) -> io::Result<()> {
        match style {
            LabelStyle::Primary => self.set(colour_of(severity)),
            LabelStyle::Secondary => self.set(BLUE),
        }
    }

    fn reset(&mut self) -> io::Result<()> {
        self.set(RESET)
    }
}
