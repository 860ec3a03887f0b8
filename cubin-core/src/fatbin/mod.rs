//! Fatbins: containers that hold device code for several targets.
//!
//! Reads `.fatbin` files and the containers that host objects embed, several in a row, and yields each entry: a cubin,
//! PTX text or NVVM IR, with its target, flags and strings. [`Entry::image`] decompresses (feature `fatbin`).
//! A damaged entry is one error; the entries behind it are still read. What an entry holds is not looked into here.
//!
//! Layout: measured on containers of CUDA 10.2 to 13.5. A container is a 16-byte header (u32 magic
//! 0xba55ed50, u16 version 1, u16 header size, u64 payload length) and entries back to back.
//!
//! ```
//! # fn list(fatbin: &[u8]) {
//! for entry in cubin_core::fatbin::entries(fatbin, 0) {
//!     match entry {
//!         Ok(entry) => println!("{} of {} bytes, {:?}", entry.kind, entry.payload.len(), entry.target()),
//!         Err(error) => println!("damaged: {error}"),
//!     }
//! }
//! # }
//! ```

use alloc::format;

mod bytes;
mod decompress;
mod entry;

pub use decompress::Budget;
pub use entry::{Compression, Entry};

use core::fmt;

use crate::{
    Error, ErrorKind, Result,
    consts::{EntryKind, FATBIN_MAGIC},
};
use bytes::{length, tail, u16_at, u64_at, window};

/// Bytes of a container's header.
const CONTAINER_HEADER: u64 = 16;

/// The only version of containers seen, CUDA 10.2 to 13.5.
const CONTAINER_VERSION: u16 = 1;

/// Containers and their entries start at multiples of this.
const ALIGN: u64 = 8;

/// One container.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Container<'a> {
    /// Offset of its header in the file.
    pub offset: u64,
    /// Version of the container's layout, 1.
    pub version: u16,
    /// Bytes of its payload, as the header says.
    pub declared: u64,
    /// The payload as far as the file holds it.
    payload: &'a [u8],
    /// Offset of the payload in the file.
    start: u64,
}

/// The payload as a length.
impl fmt::Debug for Container<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Container")
            .field("offset", &self.offset)
            .field("version", &self.version)
            .field("declared", &self.declared)
            .field("len", &self.payload.len())
            .finish_non_exhaustive()
    }
}

impl<'a> Container<'a> {
    /// The entries in file order, with an error for each damaged one.
    #[must_use]
    pub fn entries(&self) -> Entries<'a> {
        Entries {
            payload: self.payload,
            start: self.start,
            at: 0,
            missing: self.declared.saturating_sub(length(self.payload)),
        }
    }
}

/// Every entry of every container in `data`, whose first byte lies at `base` of the file.
///
/// `data` is a `.fatbin` file (`base` 0) or a section that holds containers. Bytes that are no container are an error,
/// once per stretch; zeros between containers are padding.
pub fn entries(data: &[u8], base: u64) -> impl Iterator<Item = Result<Entry<'_>>> {
    containers(data, base).entries()
}

/// Either the entries of a container or the reason that there are none.
enum Fallible<'a> {
    Entries(Entries<'a>),
    Error(Option<Error>),
}

impl<'a> Iterator for Fallible<'a> {
    type Item = Result<Entry<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        match self {
            Self::Entries(entries) => entries.next(),
            Self::Error(error) => error.take().map(Err),
        }
    }
}

/// The containers in `data`, whose first byte lies at `base` of the file; see [`entries`].
#[must_use]
pub fn containers(data: &[u8], base: u64) -> Containers<'_> {
    Containers {
        data,
        base,
        at: 0,
        scan: false,
    }
}

/// The containers anywhere in `data`, for files whose sections cannot be told (stripped, or no ELF).
///
/// Looks at multiples of 8 bytes for the magic number. A hit that is no container is an error for that place only.
#[must_use]
pub fn scan(data: &[u8], base: u64) -> Containers<'_> {
    Containers {
        data,
        base,
        at: 0,
        scan: true,
    }
}

/// Iterator over containers; made by [`containers`] and [`scan`].
#[derive(Clone)]
pub struct Containers<'a> {
    data: &'a [u8],
    base: u64,
    at: u64,
    /// Bytes between containers are somebody else's, not damage.
    scan: bool,
}

impl fmt::Debug for Containers<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Containers")
            .field("offset", &self.base.saturating_add(self.at))
            .field("len", &tail(self.data, self.at).len())
            .finish_non_exhaustive()
    }
}

impl<'a> Iterator for Containers<'a> {
    type Item = Result<Container<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = tail(self.data, self.at);
        let hit = find_magic(rest).map(|distance| self.at.saturating_add(distance));
        let gap_end = hit.unwrap_or(length(self.data));
        let gap = window(self.data, self.at, gap_end);
        let gap_start = self.at;
        self.at = gap_end;
        if !self.scan && gap.iter().any(|byte| *byte != 0) {
            return Some(Err(Error::new(
                ErrorKind::WrongFormat,
                format!(
                    "{} bytes are not a fatbin: a container starts with the magic number {FATBIN_MAGIC:#x}",
                    gap.len()
                ),
                self.base.saturating_add(gap_start),
            )));
        }
        let hit = hit?;
        Some(self.container(hit))
    }
}

impl<'a> Containers<'a> {
    /// How many bytes have been read.
    #[cfg(feature = "host")]
    pub(crate) fn consumed(&self) -> usize {
        usize::try_from(self.at).unwrap_or(usize::MAX)
    }

    /// The entries of all containers, with an error for each damaged container or entry.
    pub fn entries(self) -> impl Iterator<Item = Result<Entry<'a>>> {
        self.flat_map(|container| match container {
            Ok(container) => Fallible::Entries(container.entries()),
            Err(error) => Fallible::Error(Some(error)),
        })
    }

    /// Reads the container at `hit`, where the magic number stands, and moves behind it.
    fn container(&mut self, hit: u64) -> Result<Container<'a>> {
        let offset = self.base.saturating_add(hit);
        // After an error, look for the next magic number.
        self.at = hit.saturating_add(ALIGN);
        let header = tail(self.data, hit);
        let (Some(version), Some(size), Some(declared)) =
            (u16_at(header, 4), u16_at(header, 6), u64_at(header, 8))
        else {
            return Err(Error::truncated(
                format!(
                    "a fatbin header needs {CONTAINER_HEADER} bytes, {} are left",
                    header.len()
                ),
                offset,
            ));
        };
        if version != CONTAINER_VERSION {
            return Err(Error::unsupported(
                format!(
                    "fatbin version {version} is unknown, only {CONTAINER_VERSION} is; \
                     or these bytes only look like a fatbin"
                ),
                offset,
            ));
        }
        if u64::from(size) < CONTAINER_HEADER || u64::from(size) > length(header) {
            return Err(Error::malformed(
                format!("fatbin header size {size} is impossible, {CONTAINER_HEADER} is usual"),
                offset,
            ));
        }
        let start = hit.saturating_add(u64::from(size));
        let end = start
            .checked_add(declared)
            .filter(|end| *end <= length(self.data));
        // A length that passes the end is reported by the entries; it must not swallow containers that follow.
        let end = end.unwrap_or_else(|| {
            find_magic(tail(self.data, start))
                .map_or(length(self.data), |next| start.saturating_add(next))
        });
        self.at = end;
        Ok(Container {
            offset,
            version,
            declared,
            payload: window(self.data, start, end),
            start: self.base.saturating_add(start),
        })
    }
}

/// Iterator over the entries of one container.
#[derive(Clone)]
pub struct Entries<'a> {
    payload: &'a [u8],
    start: u64,
    at: u64,
    /// Bytes that the header promises and the file lacks.
    missing: u64,
}

impl fmt::Debug for Entries<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entries")
            .field("offset", &self.start.saturating_add(self.at))
            .field("len", &tail(self.payload, self.at).len())
            .finish_non_exhaustive()
    }
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<Entry<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        let rest = tail(self.payload, self.at);
        let offset = self.start.saturating_add(self.at);
        if rest.iter().all(|byte| *byte == 0) {
            self.at = length(self.payload);
            return self.report_missing(offset);
        }
        let (entry, size) = entry::parse(rest, offset);
        let advance = match size {
            Some(size) => size,
            // Its sizes cannot be right: go on at the next place that looks like an entry.
            None => resume(rest),
        };
        self.at = self.at.saturating_add(advance);
        Some(entry)
    }
}

impl<'a> Entries<'a> {
    /// The last error of a container whose length passes the end of the data.
    fn report_missing(&mut self, offset: u64) -> Option<Result<Entry<'a>>> {
        let missing = core::mem::take(&mut self.missing);
        (missing != 0).then(|| {
            Err(Error::truncated(
                format!(
                    "the fatbin is cut off: its header promises {missing} more bytes than there are"
                ),
                offset,
            ))
        })
    }
}

/// Distance from a damaged entry at the start of `rest` to the next place that is an entry by its looks, else to the end.
fn resume(rest: &[u8]) -> u64 {
    let end = length(rest);
    (ALIGN..end)
        .step_by(ALIGN as usize)
        .find(|at| {
            let candidate = tail(rest, *at);
            let kind = u16_at(candidate, 0).and_then(|kind| EntryKind(kind).name());
            kind.is_some() && entry::plausible(candidate)
        })
        .unwrap_or(end)
}

/// Distance to the next magic number at a multiple of 8 bytes.
fn find_magic(data: &[u8]) -> Option<u64> {
    let magic = FATBIN_MAGIC.to_le_bytes();
    let position = data
        .chunks(ALIGN as usize)
        .position(|chunk| chunk.starts_with(&magic))?;
    u64::try_from(position).ok()?.checked_mul(ALIGN)
}

#[cfg(test)]
mod tests;
