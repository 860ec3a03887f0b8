//! The one error type of the crate: what is wrong, in which section, at which byte of the file.

use core::fmt;

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why a file cannot be read, with the place.
///
/// One pointer wide, so that a `Result` of a small value stays small on the paths that succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    message: String,
    section: Option<String>,
    offset: u64,
}

impl Error {
    /// An error at `offset` bytes from the start of the file.
    #[cold]
    pub fn new(message: impl Into<String>, offset: u64) -> Self {
        Self(Box::new(Inner {
            message: message.into(),
            section: None,
            offset,
        }))
    }

    /// Names the section the error lies in; a name given before, nearer to the fault, stays.
    #[must_use]
    #[cold]
    pub fn in_section(mut self, name: impl Into<String>) -> Self {
        self.0.section.get_or_insert_with(|| name.into());
        self
    }

    /// What happened and what to do, without the place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// The section the error lies in, where known.
    #[must_use]
    pub fn section(&self) -> Option<&str> {
        self.0.section.as_deref()
    }

    /// Byte offset from the start of the file.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.0.offset
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner {
            message,
            section,
            offset,
        } = &*self.0;
        match section {
            Some(section) => write!(f, "{message} (section {section}, offset {offset:#x})"),
            None => write!(f, "{message} (offset {offset:#x})"),
        }
    }
}

impl std::error::Error for Error {}
