//! A finding as one line of JSON, for editors, CI annotations and tests.
//!
//! `{"code","level","message","kernel","labels":[{"file","line","column","end_line","end_column","text","primary"}],
//! "notes":[],"help":[]}`. Lines and columns count from 1, columns in characters; the end is behind the last
//! character. `level` is `allow`, `warn` or `deny`. Members may be added, none is removed within a major version.

use super::{Diag, Label};
use crate::json::{Object, array, string};

/// One line, without a line end.
pub fn to_json(diag: &Diag) -> String {
    Object::new()
        .string("code", diag.code.0)
        .string("level", diag.level.name())
        .string("message", &diag.message)
        .raw(
            "kernel",
            diag.kernel.as_deref().map_or("null".into(), string),
        )
        .raw("labels", array(diag.labels.iter().map(label)))
        .raw("notes", array(diag.notes.iter().map(|note| string(note))))
        .raw("help", array(diag.help.iter().map(|help| string(help))))
        .finish()
}

/// One finding per line, each line ended.
pub fn to_json_lines<'a>(diags: impl IntoIterator<Item = &'a Diag>) -> String {
    let mut out = String::new();
    for diag in diags {
        out.push_str(&to_json(diag));
        out.push('\n');
    }
    out
}

fn label(label: &Label) -> String {
    let (line, column) = label.span.start();
    let (end_line, end_column) = label.span.end();
    Object::new()
        .string("file", &label.span.file.path().to_string_lossy())
        .number("line", line as u64)
        .number("column", column as u64)
        .number("end_line", end_line as u64)
        .number("end_column", end_column as u64)
        .string("text", &label.text)
        .bool("primary", label.primary)
        .finish()
}
