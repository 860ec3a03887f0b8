//! Findings as data. Checks make them, [`render`] alone turns them into text.

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

/// Which kind of finding; stable, kebab-case, documented.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub &'static str);

/// A finding.
#[derive(Debug, Clone, PartialEq, Eq)]
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
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there; may be empty.
    pub text: String,
    /// The subject of the finding, rather than the cause.
    pub primary: bool,
}
