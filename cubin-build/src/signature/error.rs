//! What can be wrong with the files that nvcc leaves.

use std::fmt;

/// One of the two files cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    /// The kind of file.
    pub file: SideFile,
    /// Line, from 1.
    pub line: u32,
    /// What is wrong, as a predicate: "ends inside a comment".
    pub message: String,
}

/// A file that nvcc keeps beside the PTX.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SideFile {
    /// `X.cudafe1.stub.c`
    Stub,
    /// `X.cudafe1.gpu`
    Gpu,
}

impl Error {
    pub(super) fn stub(line: u32, message: impl Into<String>) -> Self {
        Self {
            file: SideFile::Stub,
            line,
            message: message.into(),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let file = match self.file {
            SideFile::Stub => ".cudafe1.stub.c",
            SideFile::Gpu => ".cudafe1.gpu",
        };
        write!(
            f,
            "nvcc's {file} file {}, at line {}; if nvcc is newer than this crate, its format may have changed",
            self.message, self.line
        )
    }
}

impl std::error::Error for Error {}
