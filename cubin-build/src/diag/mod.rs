//! Findings as data. Checks make them, [`mod@render`] alone turns them into a picture and [`json`] into JSON.
//!
//! This module knows nothing of kernels, budgets or tools: what is found, and how bad it is, is decided by whoever
//! makes a [`Diag`]. Every kind of finding has a [`Code`] in [`codes`].

pub mod codes;
#[doc(hidden)]
pub mod json;
#[doc(hidden)]
pub mod render;
#[doc(hidden)]
pub mod sink;

pub use render::{help_line, render, summary_line};
#[doc(hidden)]
pub use sink::Sink;

use std::fmt;

use crate::source::Span;

/// How much a finding matters; ordered from least to most.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Known and accepted; not shown.
    Allow,
    /// Shown, the build goes on.
    Warn,
    /// Shown, the build fails.
    Deny,
}

impl Level {
    /// The word that cubin.toml uses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Warn => "warn",
            Self::Deny => "deny",
        }
    }
}

/// Which kind of finding; stable, kebab-case, documented in [`codes`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub &'static str);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diag {
    /// Which kind of finding.
    pub code: Code,
    /// How much it matters here.
    pub level: Level,
    /// One sentence: what, where, figures.
    pub message: String,
    /// Places; the first primary one leads the picture.
    pub labels: Vec<Label>,
    /// Facts that explain (`= note:`).
    pub notes: Vec<String>,
    /// What to do (`= help:`).
    pub help: Vec<String>,
    /// C++ name of the kernel that the finding is about; findings are grouped by it.
    pub kernel: Option<String>,
}

/// A place in a file with a few words.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there; may be empty.
    pub text: String,
    /// The subject of the finding, rather than the cause.
    pub primary: bool,
}

impl Diag {
    /// A finding without places yet.
    pub fn new(code: Code, level: Level, message: impl Into<String>) -> Self {
        Self {
            code,
            level,
            message: message.into(),
            labels: Vec::new(),
            notes: Vec::new(),
            help: Vec::new(),
            kernel: None,
        }
    }

    /// A finding that fails the build.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Level::Deny, message)
    }

    /// A finding that lets the build go on.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, Level::Warn, message)
    }

    /// Adds the place of the subject.
    #[must_use]
    pub fn at(self, span: Span, text: impl Into<String>) -> Self {
        self.label(span, text, true)
    }

    /// Adds the place of a cause.
    #[must_use]
    pub fn because(self, span: Span, text: impl Into<String>) -> Self {
        self.label(span, text, false)
    }

    /// Adds the place of the subject where it is known.
    #[must_use]
    pub fn at_place(self, span: Option<&Span>, text: impl Into<String>) -> Self {
        match span {
            Some(span) => self.at(span.clone(), text),
            None => self,
        }
    }

    /// Adds a fact that explains.
    #[must_use]
    pub fn note(mut self, text: impl Into<String>) -> Self {
        self.notes.push(text.into());
        self
    }

    /// Adds something to do.
    #[must_use]
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }

    /// Names the kernel that it is about.
    #[must_use]
    pub fn kernel(mut self, name: impl Into<String>) -> Self {
        self.kernel = Some(name.into());
        self
    }

    /// The place that leads the picture: the first primary label, else the first label.
    #[must_use]
    pub fn place(&self) -> Option<&Span> {
        self.labels
            .iter()
            .find(|label| label.primary)
            .or_else(|| self.labels.first())
            .map(|label| &label.span)
    }

    fn label(mut self, span: Span, text: impl Into<String>, primary: bool) -> Self {
        self.labels.push(Label {
            span,
            text: text.into(),
            primary,
        });
        self
    }
}
