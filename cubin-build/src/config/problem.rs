//! What can be wrong with cubin.toml: one struct per finding, each turned into a [`Diag`] by one `From`.

use super::nearest::nearest;
use crate::{
    diag::{Code, Diag, codes},
    source::Span,
};

/// The text is no TOML.
pub(super) struct Syntax {
    /// What the TOML parser says.
    pub message: String,
    pub span: Span,
}

impl From<Syntax> for Diag {
    fn from(problem: Syntax) -> Self {
        let file = problem.span.file.path().display().to_string();
        let line = Span::line(&problem.span.file, problem.span.start().0 as u32);
        let conflict = ["<<<<<<<", "=======", ">>>>>>>"]
            .iter()
            .any(|marker| line.text().starts_with(marker));
        if conflict {
            return Self::error(
                codes::CONFIG_SYNTAX,
                format!("{file} is not valid TOML: it holds a merge conflict"),
            )
            .at(line, "marker of the conflict");
        }
        Self::error(
            codes::CONFIG_SYNTAX,
            format!("{file} is not valid TOML: {}", problem.message),
        )
        .at(problem.span, "")
    }
}

/// A key that its table does not have.
pub(super) struct UnknownKey<'a> {
    pub key: &'a str,
    pub span: Span,
    /// The table as messages name it, brackets included; empty for the top of the file.
    pub table: &'a str,
    /// What the table has.
    pub known: &'a [&'a str],
    /// Another table that has this key.
    pub elsewhere: Option<&'a str>,
}

impl From<UnknownKey<'_>> for Diag {
    fn from(problem: UnknownKey<'_>) -> Self {
        let UnknownKey { key, table, .. } = problem;
        let key = &if key.contains(char::is_control) {
            key.escape_debug().to_string()
        } else {
            key.to_owned()
        };
        let message = if table.is_empty() {
            format!("unknown table or key `{key}`")
        } else {
            format!("unknown key `{key}` in {table}")
        };
        let diag = Self::error(codes::UNKNOWN_KEY, message).at(problem.span, "");
        if let Some(near) = nearest(key, problem.known.iter().copied()) {
            return diag.help(format!("did you mean `{near}`?"));
        }
        if let Some(elsewhere) = problem.elsewhere {
            return diag.help(format!("`{key}` belongs in {elsewhere}"));
        }
        diag.help(format!("known here: {}", list(problem.known)))
    }
}

/// A value of another type than its key takes.
pub(super) struct WrongType<'a> {
    pub code: Code,
    /// `registers` in [defaults]
    pub subject: &'a str,
    /// "an integer"
    pub expected: &'a str,
    /// "a string"
    pub found: &'a str,
    pub span: Span,
    pub help: Option<String>,
}

impl From<WrongType<'_>> for Diag {
    fn from(problem: WrongType<'_>) -> Self {
        let message = format!(
            "{} must be {}, this is {}",
            problem.subject, problem.expected, problem.found
        );
        let diag = Self::error(problem.code, message)
            .at(problem.span, format!("expected {}", problem.expected));
        match problem.help {
            Some(help) => diag.help(help),
            None => diag,
        }
    }
}

/// A value of the right type that means nothing.
pub(super) struct BadValue {
    pub code: Code,
    /// The whole message.
    pub message: String,
    pub span: Span,
    pub help: Option<String>,
}

impl From<BadValue> for Diag {
    fn from(problem: BadValue) -> Self {
        let diag = Self::error(problem.code, problem.message).at(problem.span, "");
        match problem.help {
            Some(help) => diag.help(help),
            None => diag,
        }
    }
}

/// A table without a key that it needs.
pub(super) struct Missing<'a> {
    pub code: Code,
    pub table: &'a str,
    pub key: &'a str,
    pub span: Span,
    /// A line that would do.
    pub example: &'a str,
}

impl From<Missing<'_>> for Diag {
    fn from(problem: Missing<'_>) -> Self {
        let message = format!("{} needs `{}`", problem.table, problem.key);
        Self::error(problem.code, message)
            .at(problem.span, "")
            .help(format!("for example `{}`", problem.example))
    }
}

/// A value listed twice where each may stand once.
pub(super) struct Duplicate<'a> {
    pub code: Code,
    /// "target `sm_80`"
    pub what: &'a str,
    pub span: Span,
    pub first: Span,
}

impl From<Duplicate<'_>> for Diag {
    fn from(problem: Duplicate<'_>) -> Self {
        Self::error(problem.code, format!("{} is listed twice", problem.what))
            .at(problem.span, "listed again here")
            .because(problem.first, "first here")
    }
}

/// The file has more problems than are worth showing at once.
pub(super) struct TooMany {
    pub file: String,
    pub left_out: usize,
}

impl From<TooMany> for Diag {
    fn from(problem: TooMany) -> Self {
        let TooMany { file, left_out } = problem;
        Self::error(
            codes::CONFIG_INVALID,
            format!("{file} has {left_out} more problems that are not shown"),
        )
    }
}

/// `a`, `b` and `c`, quoted.
fn list(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match quoted.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => quoted.concat(),
    }
}
