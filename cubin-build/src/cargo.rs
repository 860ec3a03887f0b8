//! What a build script tells cargo: the only place that prints directives (cargo's book, "Build Scripts").
//!
//! A directive is one line of standard output, so a text of several lines becomes several directives and a path
//! with a line end, which no directive can carry, becomes a warning.

use std::{io::Write as _, path::Path};

use crate::lists::CollectText;
use cubin_core::escape::visible_lines;

/// Reruns the build script when a file, or anything below a directory, changes.
pub fn rerun_if_changed(path: &Path) {
    emit(&changed(path));
}

/// Reruns the build script when an environment variable changes.
pub fn rerun_if_env_changed(name: &str) {
    emit(&lines("rerun-if-env-changed", name));
}

/// Passes on how the crate is linked: `rustc-link-lib=static=moe`.
pub fn link(line: &str) {
    emit(&format!("cargo::{line}\n"));
}

/// Shows a warning once the build script has ended, one line per line of `text`.
pub fn warning(text: &str) {
    emit(&lines("warning", text));
}

/// Shows an error and makes the build fail, one line per line of `text`.
pub fn error(text: &str) {
    emit(&lines("error", text));
}

/// Says what is going on, one line per line of `text`: cargo shows it with `-vv` and keeps it in the build script's
/// `output` file.
pub fn progress(text: &str) {
    emit(&progress_lines(text));
}

/// No line begins like a directive.
fn progress_lines(text: &str) -> String {
    text.lines()
        .map(|line| {
            let line = visible_lines(line.trim_end_matches('\r'));
            format!("cubin-build: {line}\n")
        })
        .collect_text()
}

fn changed(path: &Path) -> String {
    // Lossy conversion would name another file; cargo itself reads the output as UTF-8.
    match path.to_str() {
        Some(text) if !text.contains(['\n', '\r']) => format!("cargo::rerun-if-changed={text}\n"),
        _ => lines(
            "warning",
            &format!(
                "cargo cannot watch {path:?} for changes: its name is not a single line of UTF-8"
            ),
        ),
    }
}

fn lines(key: &str, text: &str) -> String {
    text.lines()
        .map(|line| {
            let line = visible_lines(line.trim_end_matches('\r'));
            format!("cargo::{key}={line}\n")
        })
        .collect_text()
}

fn emit(directives: &str) {
    // Cargo has gone away when this fails; there is nobody left to tell.
    let _ = std::io::stdout().lock().write_all(directives.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_cannot_smuggle_in_a_directive() {
        assert_eq!(
            lines("warning", "one\r\ncargo::rustc-cfg=evil\n\rx"),
            "cargo::warning=one\ncargo::warning=cargo::rustc-cfg=evil\ncargo::warning=\\rx\n"
        );
        assert_eq!(lines("error", ""), "");
        assert_eq!(
            progress_lines("one\r\ncargo::rustc-cfg=evil\n\rx"),
            "cubin-build: one\ncubin-build: cargo::rustc-cfg=evil\ncubin-build: \\rx\n"
        );
    }

    #[test]
    fn a_path_that_is_no_line_becomes_a_warning() {
        assert_eq!(
            changed(Path::new("a b/ü.cu")),
            "cargo::rerun-if-changed=a b/ü.cu\n"
        );
        assert!(
            changed(Path::new("a\nb")).starts_with("cargo::warning=cargo cannot watch \"a\\nb\"")
        );
    }
}
