//! One entry of a container: header, strings, payload.

use alloc::{
    format,
    string::{String, ToString},
};
use core::fmt;

use super::bytes::{length, tail, u16_at, u32_at, u64_at, window};
use crate::{
    Error, ErrorKind, Result, Sm,
    arch::{FIRST_FAMILY, FIRST_SUFFIXED, Suffix},
    consts::{EntryFlags, EntryKind},
    limits::FATBIN_ENTRY_HEADER,
};

/// The smallest entry header; the size field says how many bytes there are (64 to 128 seen).
const MIN_HEADER: u32 = 64;

/// The only layout of entry headers seen, CUDA 10.2 to 13.5.
const VERSION: u16 = 0x0101;

/// How a payload is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Compression {
    /// As it is.
    Stored,
    /// An LZ4 block without frame.
    Lz4,
    /// A zstd frame.
    Zstd,
    /// By NVIDIA's own scheme, which is not public ([`EntryKind::NVVM_LTO`]).
    Private,
}

/// Device code for one target. Borrows the container's bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Entry<'a> {
    /// Offset of its header in the file.
    pub offset: u64,
    /// What it holds.
    pub kind: EntryKind,
    /// PTX: the ISA version, as (major, minor). Cubins: (1, ABI version). NVVM: the IR version.
    pub version: (u16, u16),
    /// SM number: real for cubins, virtual (`compute_NN`) for PTX.
    pub sm: u32,
    /// Flags.
    pub flags: EntryFlags,
    /// Hash of NVVM entries, else 0.
    pub hash: u64,
    /// The payload, compressed or not. A stored one keeps up to 7 bytes of padding, since no field gives its length;
    /// [`image`](Self::image) cuts it.
    pub payload: &'a [u8],
    /// Bytes after decompression; 0 when the payload is stored.
    pub uncompressed_size: u64,
    /// Source file, for `-lineinfo` and `-g` builds.
    pub identifier: Option<&'a [u8]>,
    /// Command-line options kept for ptxas (PTX) or nvlink (NVVM); empty when there were none, `None` when the entry has no
    /// place for them (PTX before CUDA 12).
    pub options: Option<&'a [u8]>,
    /// Copy of the cubin's `.nv.compat`, from sm_100 on.
    pub compat: Option<&'a [u8]>,
    /// Offset of the payload in the file.
    pub(super) payload_offset: u64,
}

/// The payload as a length.
impl fmt::Debug for Entry<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |bytes: Option<&[u8]>| bytes.map(|bytes| bytes.escape_ascii().to_string());
        f.debug_struct("Entry")
            .field("offset", &self.offset)
            .field("kind", &self.kind)
            .field("version", &self.version)
            .field("sm", &self.sm)
            .field("flags", &self.flags)
            .field("payload_offset", &self.payload_offset)
            .field("payload_len", &self.payload.len())
            .field("uncompressed_size", &self.uncompressed_size)
            .field("identifier", &text(self.identifier))
            .field("options", &text(self.options))
            .finish_non_exhaustive()
    }
}

impl Entry<'_> {
    /// The target, with its suffix; `None` when the number is no SM number.
    ///
    /// For PTX the number is that of the virtual architecture: `sm_90` here means `compute_90`.
    #[must_use]
    pub fn target(&self) -> Option<Sm> {
        let number = u16::try_from(self.sm).ok()?;
        // As in cubins, a letter that no target of the number has means nothing.
        let suffix = match (
            number >= FIRST_SUFFIXED && self.flags.has(EntryFlags::ACCELERATED),
            number >= FIRST_FAMILY && self.flags.has(EntryFlags::FAMILY),
        ) {
            (true, _) => Suffix::Accelerated,
            (false, true) => Suffix::Family,
            (false, false) => Suffix::None,
        };
        Some(Sm { number, suffix })
    }

    /// Whether it holds a cubin.
    #[must_use]
    pub fn is_cubin(&self) -> bool {
        matches!(self.kind, EntryKind::CUBIN | EntryKind::OLD_CUBIN)
    }

    /// How the payload is stored.
    ///
    /// # Errors
    /// When the flags name two schemes, or a compressed size stands without any.
    pub fn compression(&self) -> Result<Compression> {
        let lz4 = self.flags.has(EntryFlags::LZ4);
        let zstd = self.flags.has(EntryFlags::ZSTD);
        match (lz4, zstd) {
            (true, true) => {
                Err(self.error(ErrorKind::Malformed, "its flags say LZ4 and zstd at once"))
            }
            (false, false) if self.uncompressed_size != 0 => Err(self.error(
                ErrorKind::Unsupported,
                &format!(
                    "it is compressed, but its flags {:#x} name no scheme that is known",
                    self.flags.0
                ),
            )),
            // Only then is the size after decompression recorded.
            _ if self.uncompressed_size == 0 => Ok(Compression::Stored),
            _ if self.kind == EntryKind::NVVM_LTO => Ok(Compression::Private),
            (true, false) => Ok(Compression::Lz4),
            _ => Ok(Compression::Zstd),
        }
    }

    /// Offset of the payload in the file.
    #[must_use]
    pub fn payload_offset(&self) -> u64 {
        self.payload_offset
    }

    /// An error about this entry.
    #[cold]
    pub(super) fn error(&self, kind: ErrorKind, what: &str) -> Error {
        let target = match self.target() {
            Some(target) => target.to_string(),
            None => format!("SM number {}", self.sm),
        };
        Error::new(
            kind,
            format!("fatbin entry {} for {target}: {what}", self.kind),
            self.offset,
        )
    }
}

/// Where an entry's parts lie, as far as its header can be trusted.
struct Extent {
    header: u32,
    padded: u64,
    total: u64,
}

/// Sizes of the entry at the start of `data`, which lies at `offset` of the file.
fn extent(data: &[u8], offset: u64) -> Result<Extent> {
    let (Some(header), Some(padded), Some(_)) =
        (u32_at(data, 4), u64_at(data, 8), u64_at(data, 56))
    else {
        let left = data.len();
        return Err(Error::truncated(
            format!("a fatbin entry header needs {MIN_HEADER} bytes, {left} are left"),
            offset,
        ));
    };
    if !(MIN_HEADER..=FATBIN_ENTRY_HEADER).contains(&header) {
        return Err(Error::malformed(
            format!(
                "a fatbin entry header of {header} bytes is impossible: at least {MIN_HEADER}, at most {FATBIN_ENTRY_HEADER}"
            ),
            offset,
        ));
    }
    let total = u64::from(header)
        .checked_add(padded)
        .filter(|total| *total <= length(data));
    match total {
        Some(total) => Ok(Extent {
            header,
            padded,
            total,
        }),
        None => Err(Error::truncated(
            format!(
                "a fatbin entry of {header} and {padded} bytes passes the end of its container, which has {} left",
                data.len()
            ),
            offset,
        )),
    }
}

/// Whether an entry seems to start here: used to find the next one behind a damaged one.
pub(super) fn plausible(data: &[u8]) -> bool {
    u16_at(data, 2) == Some(VERSION)
        && u32_at(data, 4).is_some_and(|header| header % 8 == 0)
        && extent(data, 0).is_ok_and(|extent| extent.padded != 0)
}

/// The entry at the start of `data`, which lies at `offset` of the file, and the distance to the next one when known.
pub(super) fn parse(data: &[u8], offset: u64) -> (Result<Entry<'_>>, Option<u64>) {
    match extent(data, offset) {
        Ok(extent) => (fields(data, offset, &extent), Some(extent.total)),
        Err(error) => (Err(error), None),
    }
}

fn fields<'a>(data: &'a [u8], offset: u64, extent: &Extent) -> Result<Entry<'a>> {
    let header_size = u64::from(extent.header);
    let header = window(data, 0, header_size);
    let wrong = |what: String| Error::malformed(what, offset);
    // `extent` has seen 64 bytes: no read below fails.
    let word = |at| u32_at(header, at).unwrap_or_default();
    let half = |at| u16_at(header, at).unwrap_or_default();
    let long = |at| u64_at(header, at).unwrap_or_default();

    let kind = EntryKind(half(0));
    if half(2) != VERSION {
        return Err(Error::unsupported(
            format!(
                "fatbin entry version {:#x} is unknown, only {VERSION:#x} is",
                half(2)
            ),
            offset,
        ));
    }
    let compressed = u64::from(word(16));
    if compressed > extent.padded {
        return Err(wrong(format!(
            "fatbin entry {kind} says {compressed} compressed bytes, but holds {}",
            extent.padded
        )));
    }
    let flags = EntryFlags(long(40));
    let string = |at: u32, len: u32, what: &str| match (at, len) {
        (0, _) | (_, 0) => Ok(None),
        (at, len) => {
            let at = u64::from(at);
            at.checked_add(u64::from(len))
                .filter(|end| *end <= header_size)
                .map(|end| Some(window(header, at, end)))
                .ok_or_else(|| {
                    wrong(format!(
                        "fatbin entry {kind}: its {what} ({len} bytes at {at}) passes its header of {header_size} bytes"
                    ))
                })
        }
    };
    let identifier = string(word(32), word(36), "identifier")?;
    let block = u64::from(word(20));
    let (mut options, mut compat) = (None, None);
    if block != 0 {
        let (Some(at), Some(len)) = (u32_at(header, block), u32_at(tail(header, block), 4)) else {
            return Err(wrong(format!(
                "fatbin entry {kind}: its option block at {block} passes its header of {header_size} bytes"
            )));
        };
        if flags.has(EntryFlags::COMPAT) {
            // An empty option string, a single NUL, stands before the records.
            compat = string(at.saturating_add(1), len, "compatibility data")?;
        } else {
            // A place without bytes says: compiled without options.
            options = string(at, len, "option string")?.or((at != 0).then_some(&[]));
        }
    }
    let payload_size = match compressed {
        0 => extent.padded,
        size => size,
    };
    Ok(Entry {
        offset,
        kind,
        version: (half(26), half(24)),
        sm: word(28),
        flags,
        hash: long(48),
        payload: window(data, header_size, header_size.saturating_add(payload_size)),
        uncompressed_size: long(56),
        identifier,
        options,
        compat,
        payload_offset: offset.saturating_add(header_size),
    })
}
