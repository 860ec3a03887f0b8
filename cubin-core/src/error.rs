//! The one error type of the crate: what is wrong, in which section, at which byte of the file.

use core::fmt;

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Why a file cannot be read, with the place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    message: String,
    section: Option<String>,
    offset: u64,
}

impl Error {
    /// An error at `offset` bytes from the start of the file.
    #[cold]
    pub fn new(message: impl Into<String>, offset: u64) -> Self {
        Self {
            message: message.into(),
            section: None,
            offset,
        }
    }

    /// Names the section the error lies in.
    #[must_use]
    pub fn in_section(mut self, name: impl Into<String>) -> Self {
        self.section = Some(name.into());
        self
    }

    /// Byte offset from the start of the file.
    pub fn offset(&self) -> u64 {
        self.offset
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.section {
            Some(section) => write!(
                f,
                "{} (section {section}, offset {:#x})",
                self.message, self.offset
            ),
            None => write!(f, "{} (offset {:#x})", self.message, self.offset),
        }
    }
}

impl std::error::Error for Error {}
