//! Bytes of the files named on the command line, mapped rather than read.
//!
//! The only unsafe code of the crate: mapping a file is unsafe because another process may change it under us.

#![allow(unsafe_code)]

use std::{fs::File, path::Path};

use anyhow::Context;
use cubin_core::escape::visible;
use memmap2::Mmap;

/// A file's bytes.
pub(crate) enum Bytes {
    Mapped(Mmap),
    /// Files that cannot be mapped: empty ones, pipes.
    Read(Vec<u8>),
}

impl std::ops::Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Mapped(map) => map,
            Self::Read(bytes) => bytes,
        }
    }
}

/// Maps `path`, or reads it where it cannot be mapped. The error does not name the path.
pub(crate) fn open(path: &Path) -> anyhow::Result<Bytes> {
    let file = File::open(path).context("cannot open it")?;
    let meta = file.metadata().context("cannot read it")?;
    anyhow::ensure!(!meta.is_dir(), "it is a directory; name the files in it");
    if meta.is_file() && meta.len() > 0 {
        // SAFETY: the map is read-only and private to this process. If another process truncates the file while we
        // read it, the operating system ends us with SIGBUS: acceptable for a command that only looks.
        if let Ok(map) = unsafe { Mmap::map(&file) } {
            return Ok(Bytes::Mapped(map));
        }
    }
    Ok(Bytes::Read(std::fs::read(path).context("cannot read it")?))
}

/// The path for eyes: names of files hold whatever somebody made them of.
pub(crate) fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}
