//! A finding as text: the picture with source lines, and the one line that cargo shows.
//!
//! The only file that names the renderer. It decides how a finding looks, never whether it is shown.

use std::{borrow::Cow, ops::Range};

use annotate_snippets::{
    Annotation, AnnotationKind, Element, Level as Title, Origin, Renderer, Snippet,
    renderer::DecorStyle,
};
use cubin_core::escape::{is_unseen, visible, visible_lines};

use super::{Diag, Label, Level, codes};
use crate::{
    lists::{CollectVec, Figures},
    source::SourceFile,
};

/// Columns of the picture. Fixed: the text must not depend on the terminal it is made in.
const WIDTH: usize = 140;

/// The finding as rustc would draw it, with ANSI colours only when `colour` is set. Ends without a line end.
#[must_use]
pub fn render(diag: &Diag, colour: bool) -> String {
    let title = match diag.level {
        Level::Deny => Title::ERROR,
        Level::Warn => Title::WARNING,
        Level::Allow => Title::NOTE,
    };
    let notes = diag
        .notes
        .iter()
        .map(|note| Title::NOTE.message(visible_lines(note)));
    let help = diag
        .help
        .iter()
        .map(|help| Title::HELP.message(visible_lines(help)));
    let group = title
        .primary_title(visible(&diag.message))
        .id(diag.code.0)
        .elements(places(diag))
        .elements(notes)
        .elements(help);
    let renderer = if colour {
        Renderer::styled()
    } else {
        Renderer::plain()
    };
    renderer
        .decor_style(DecorStyle::Ascii)
        .term_width(WIDTH)
        .render(&[group])
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
    visible(&line).into_owned()
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
    Some(format!("  help: {}", visible(help)))
}

/// One snippet per file, in the order in which the labels name the files, the subject's first.
fn places(diag: &Diag) -> Vec<Element<'_>> {
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
        .into_iter()
        .map(|(file, labels)| snippet(file, &labels))
        .collect_vec()
}

fn snippet<'a>(file: &'a SourceFile, labels: &[&'a Label]) -> Element<'a> {
    let path = file.path().to_string_lossy();
    let path = visible(&path).into_owned();
    let text = file.text();
    if text.is_empty() {
        return Origin::path(path).into();
    }
    // Only the lines from the first label to the last: the renderer works through all of the text it is given.
    let ranges: Vec<Range<usize>> = labels
        .iter()
        .map(|label| fitting(text, &label.span.range))
        .collect_vec();
    let first = ranges
        .iter()
        .map(|range| range.start)
        .smallest()
        .unwrap_or(0);
    let last = ranges.iter().map(|range| range.end).largest().unwrap_or(0);
    let start = text[..first].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[last..].find('\n').map_or(text.len(), |at| last + at);
    let (line, _) = file.line_column(start);
    let annotations = ranges.into_iter().zip(labels).map(|(range, label)| {
        let place = |offset: usize| drawable(&text[start..offset]).len();
        annotation(place(range.start)..place(range.end), label)
    });
    Snippet::source(drawable(&text[start..end]))
        .line_start(line)
        .path(path)
        .annotations(annotations)
        .into()
}

/// Lines of a source as they are drawn: the renderer shows ASCII's control characters by pictures of its own, and leaves
/// others as they are. One character for one, so that columns stay.
fn drawable(text: &str) -> Cow<'_, str> {
    let acts = |character: char| is_unseen(character) && !character.is_ascii();
    if !text.contains(acts) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace(acts, "\u{fffd}"))
}

fn annotation<'a>(range: Range<usize>, label: &'a Label) -> Annotation<'a> {
    let kind = if label.primary {
        AnnotationKind::Primary
    } else {
        AnnotationKind::Context
    };
    let text = Some(visible(&label.text)).filter(|text| !text.is_empty());
    kind.span(range).label(text)
}

/// The range moved to character boundaries inside the text: the renderer panics on any other.
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
