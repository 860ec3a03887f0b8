//! A finding as one line of JSON, for editors, CI annotations and tests.
//!
//! `{"code","level","message","kernel","labels":[{"file","line","column","end_line","end_column","text","primary"}],
//! "notes":[],"help":[]}`. Lines and columns count from 1, columns in characters; the end is behind the last
//! character. `level` is `allow`, `warn` or `deny`. Members may be added, none is removed within a major version.

use std::fmt::Write;

use cubin_core::json::Object;

use super::{Diag, Label};

/// One line, without a line end.
pub fn to_json(diag: &Diag) -> String {
    let mut text = String::new();
    // A string takes everything.
    let _ = write(diag, &mut text);
    text
}

/// Writes a finding as one object.
///
/// # Errors
/// When `out` does not take more.
pub(crate) fn write(diag: &Diag, out: &mut dyn Write) -> cubin_core::Result<()> {
    let mut object = Object::open(out)?;
    object.string("code", diag.code.0)?;
    object.string("level", diag.level.name())?;
    object.string("message", &diag.message)?;
    object.optional_string("kernel", diag.kernel.as_deref())?;
    object.array("labels", &diag.labels, write_label)?;
    object.strings("notes", &diag.notes)?;
    object.strings("help", &diag.help)?;
    object.close()
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

fn write_label(out: &mut dyn Write, label: &Label) -> cubin_core::Result<()> {
    let (line, column) = label.span.start();
    let (end_line, end_column) = label.span.end();
    let mut object = Object::open(out)?;
    object.string("file", &label.span.file.path().to_string_lossy())?;
    object.number("line", &line)?;
    object.number("column", &column)?;
    object.number("end_line", &end_line)?;
    object.number("end_column", &end_column)?;
    object.string("text", &label.text)?;
    object.number("primary", &label.primary)?;
    object.close()
}
