//! The one error type of the crate: what is wrong and of which kind, in which section, at which byte of the file.

use alloc::{boxed::Box, string::String};
use core::fmt;

/// Shorthand for results of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// What sort of fault an error is: enough to decide what to try next.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bytes are something else than what was asked for: no ELF file, not for CUDA, not a fatbin, an entry without
    /// PTX. Another reader of this crate may take them; [`host`](crate::host) finds device code in any file.
    WrongFormat,
    /// Something ends before it should, as in a file that was not copied whole: get the file again. Damage elsewhere can
    /// look the same.
    Truncated,
    /// The bytes contradict themselves or the format: the file is damaged, or no tool of NVIDIA's wrote it.
    Malformed,
    /// The file may be sound, but this crate, or this build of it, does not read such: a version or encoding that is not
    /// known, a compressed entry without the feature `fatbin`, a relocation that only the driver can apply.
    Unsupported,
    /// A bound of [`limits`](crate::limits), or one that the caller gave, would be passed.
    Limit,
    /// What the caller gave to write into does not take the result: a writer that fails, memory of another length.
    Output,
}

/// Why a file cannot be read, with the place.
///
/// One pointer wide, so that a `Result` of a small value stays small on the paths that succeed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error(Box<Inner>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Inner {
    kind: ErrorKind,
    message: String,
    section: Option<String>,
    offset: u64,
}

impl Error {
    /// An error at `offset` bytes from the start of the file.
    #[cold]
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>, offset: u64) -> Self {
        Self(Box::new(Inner {
            kind,
            message: message.into(),
            section: None,
            offset,
        }))
    }

    /// [`new`](Self::new) for what is damaged.
    #[cold]
    pub(crate) fn malformed(message: impl Into<String>, offset: u64) -> Self {
        Self::new(ErrorKind::Malformed, message, offset)
    }

    /// [`new`](Self::new) for what ends too early.
    #[cold]
    pub(crate) fn truncated(message: impl Into<String>, offset: u64) -> Self {
        Self::new(ErrorKind::Truncated, message, offset)
    }

    /// [`new`](Self::new) for what is not read.
    #[cold]
    pub(crate) fn unsupported(message: impl Into<String>, offset: u64) -> Self {
        Self::new(ErrorKind::Unsupported, message, offset)
    }

    /// The same error with another message.
    #[must_use]
    #[cold]
    #[cfg(feature = "host")]
    pub(crate) fn reworded(mut self, message: String) -> Self {
        self.0.message = message;
        self
    }

    /// Names the section the error lies in; a name given before, nearer to the fault, stays.
    #[must_use]
    #[cold]
    pub(crate) fn in_section(mut self, name: impl Into<String>) -> Self {
        self.0.section.get_or_insert_with(|| name.into());
        self
    }

    /// What sort of fault it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
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
            kind: _,
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

impl core::error::Error for Error {}
