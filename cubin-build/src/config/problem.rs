//! What can be wrong with a file in TOML, as data. [`super::diags`] says it in words.

use crate::{diag::Code, source::Span};

/// A problem and the place by which it is put in order.
#[derive(Debug)]
pub(crate) struct Problem {
    pub(super) span: Span,
    pub(super) what: What,
}

/// What is wrong.
#[derive(Debug)]
pub(super) enum What {
    /// The text is not TOML; what the parser says.
    Syntax(String),
    /// A key that its table does not have.
    UnknownKey {
        key: String,
        /// The table as messages name it, brackets included; empty for the top of the file.
        table: String,
        /// What the table has.
        known: Vec<&'static str>,
    },
    /// A value of another type than its key takes.
    WrongType {
        code: Code,
        /// `registers` in [defaults]
        subject: String,
        /// "an integer"
        expected: String,
        /// "a string"
        found: &'static str,
        help: Option<String>,
    },
    /// A value of the right type that means nothing.
    BadValue {
        code: Code,
        /// The whole message.
        message: String,
        help: Option<String>,
    },
    /// A table without a key that it needs.
    Missing {
        code: Code,
        table: String,
        key: &'static str,
        /// A line that would do.
        example: &'static str,
    },
    /// A value listed twice where each may stand once.
    Duplicate {
        code: Code,
        /// "target `sm_80`"
        what: String,
        first: Span,
    },
}
