//! Bytes of the files named on the command line, mapped rather than read.
//!
//! The only unsafe code of the crate: mapping a file is unsafe because another process may change it under us.

#![allow(unsafe_code)]

use std::{
    fs::{self, File},
    io::Read as _,
    path::Path,
};

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

/// Most bytes that are read of what cannot be mapped: 1 GiB.
const MOST_READ: u64 = 1 << 30;

/// Maps `path`, or reads it where it cannot be mapped. The error does not name the path. Devices, which may have no end,
/// are refused.
pub(crate) fn open(path: &Path) -> anyhow::Result<Bytes> {
    let meta = fs::metadata(path).context("cannot open it")?;
    anyhow::ensure!(!meta.is_dir(), "it is a directory; name the files in it");
    anyhow::ensure!(!is_device(&meta), "it is a device, not a file");
    let file = File::open(path).context("cannot open it")?;
    if meta.is_file() && meta.len() > 0 {
        // SAFETY: the map is read-only and private to this process. If another process truncates the file while we
        // read it, the operating system ends us with SIGBUS: acceptable for a command that only looks.
        if let Ok(map) = unsafe { Mmap::map(&file) } {
            return Ok(Bytes::Mapped(map));
        }
    }
    let mut bytes = Vec::new();
    let mut all = file.take(MOST_READ + 1);
    all.read_to_end(&mut bytes).context("cannot read it")?;
    anyhow::ensure!(
        bytes.len() as u64 <= MOST_READ,
        "it gives more than {MOST_READ} bytes, and is no file that could be mapped"
    );
    Ok(Bytes::Read(bytes))
}

#[cfg(unix)]
fn is_device(meta: &fs::Metadata) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    let kind = meta.file_type();
    kind.is_char_device() || kind.is_block_device()
}

#[cfg(not(unix))]
fn is_device(_: &fs::Metadata) -> bool {
    false
}

/// The path for eyes: names of files hold whatever somebody made them of.
pub(crate) fn shown(path: &Path) -> String {
    visible(&path.to_string_lossy()).into_owned()
}
