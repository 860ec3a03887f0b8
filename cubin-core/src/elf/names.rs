//! String tables, and names out of them with bounds on what a scan can cost.

use alloc::{borrow::ToOwned, format};
use core::fmt;

use crate::{Error, ErrorKind, Result, limits};

/// A string table.
#[derive(Clone, Copy, Default)]
pub struct StringTable<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) offset: u64,
}

impl<'a> StringTable<'a> {
    /// All bytes from `at` to the table's end: enough to look at a prefix without scanning for the end of the name.
    #[inline]
    #[must_use]
    pub fn tail(&self, at: u32) -> &'a [u8] {
        self.bytes.get(at as usize..).unwrap_or_default()
    }

    /// The name at `at`, without its NUL.
    ///
    /// # Errors
    /// When `at` lies outside the table, or no NUL follows within the table and [`limits::NAME`] bytes.
    #[inline]
    pub fn get(&self, at: u32) -> Result<&'a [u8]> {
        // Sections without a name point at the first byte; files without any table have no name but this.
        if at == 0 && self.bytes.is_empty() {
            return Ok(&[]);
        }
        let tail = self.tail(at);
        let window = tail.get(..limits::NAME).unwrap_or(tail);
        match core::ffi::CStr::from_bytes_until_nul(window) {
            Ok(name) => Ok(name.to_bytes()),
            Err(_) => Err(self.bad_name(at, tail.len())),
        }
    }

    #[cold]
    fn bad_name(&self, at: u32, left: usize) -> Error {
        let offset = self.offset.saturating_add(u64::from(at));
        let size = self.bytes.len();
        // The bound is not the file's.
        let kind = if left >= limits::NAME {
            ErrorKind::Limit
        } else {
            ErrorKind::Malformed
        };
        Error::new(
            kind,
            if left == 0 {
                format!("name offset {at:#x} lies outside the string table of {size:#x} bytes")
            } else if left >= limits::NAME {
                format!(
                    "a name has no end within {} bytes, the most that is read",
                    limits::NAME
                )
            } else {
                "a name is not terminated before the string table ends".to_owned()
            },
            offset,
        )
    }

    /// Length of the table in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether the table has no bytes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }
}

/// Where it lies, not its bytes.
impl fmt::Debug for StringTable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StringTable")
            .field("offset", &self.offset)
            .field("len", &self.len())
            .finish()
    }
}

/// Names read in one pass, with a bound on the bytes scanned in all ([`limits::NAME_SCAN_FACTOR`]).
#[derive(Debug, Clone)]
pub struct Names<'a> {
    table: StringTable<'a>,
    left: usize,
}

impl<'a> Names<'a> {
    /// Names out of `table`, in a file of `file_length` bytes.
    #[inline]
    #[must_use]
    pub fn new(table: StringTable<'a>, file_length: usize) -> Self {
        Self {
            table,
            left: file_length
                .saturating_mul(limits::NAME_SCAN_FACTOR)
                .saturating_add(limits::NAME_SCAN_SLACK),
        }
    }

    /// The name at `at`, without its NUL.
    ///
    /// # Errors
    /// As [`StringTable::get`], and when the names read before already overlap beyond the bound.
    #[inline]
    pub fn get(&mut self, at: u32) -> Result<&'a [u8]> {
        let result = if self.left == 0 {
            Err(self.overlapping(at))
        } else {
            self.table.get(at)
        };
        // A scan that finds no end costs as much as one that does.
        let cost = result.as_ref().map_or(limits::NAME, |name| name.len());
        self.left = self.left.saturating_sub(cost);
        result
    }

    #[cold]
    fn overlapping(&self, at: u32) -> Error {
        Error::new(
            ErrorKind::Limit,
            format!(
                "the names of this file add up to more than {} times its length: they overlap as no tool writes them",
                limits::NAME_SCAN_FACTOR
            ),
            self.table.offset.saturating_add(u64::from(at)),
        )
    }
}

/// The whole name, or the part before the first byte that is not UTF-8.
///
/// NVIDIA's tools write ASCII names; this keeps a name of another origin readable without copying it.
#[inline]
#[must_use]
pub fn utf8_part(name: &[u8]) -> &str {
    match core::str::from_utf8(name) {
        Ok(name) => name,
        Err(error) => name
            .get(..error.valid_up_to())
            .and_then(|part| core::str::from_utf8(part).ok())
            .unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use super::{Names, StringTable};
    use crate::{ErrorKind, limits};

    #[test]
    fn what_is_wrong_with_a_name() {
        let long = [b'n'; limits::NAME];
        for (bytes, at, kind, message) in [
            (
                &b"ab"[..],
                0,
                ErrorKind::Malformed,
                "a name is not terminated before the string table ends",
            ),
            (
                b"ab\0",
                3,
                ErrorKind::Malformed,
                "name offset 0x3 lies outside the string table of 0x3 bytes",
            ),
            (
                &long[1..],
                0,
                ErrorKind::Malformed,
                "a name is not terminated",
            ),
            (&long, 0, ErrorKind::Limit, "a name has no end within"),
        ] {
            let table = StringTable {
                bytes,
                offset: 0x40,
            };
            let error = table.get(at).unwrap_err();
            assert_eq!(error.kind(), kind, "{error}");
            assert!(error.message().starts_with(message), "{error}");
            assert_eq!(error.offset(), 0x40 + u64::from(at));
        }
    }

    #[test]
    fn a_file_however_small_may_have_names() {
        let table = StringTable {
            bytes: b"\0ab\0",
            offset: 0,
        };
        let mut names = Names::new(table, 0);
        assert_eq!(
            (names.get(1), names.get(1)),
            (Ok(&b"ab"[..]), Ok(&b"ab"[..]))
        );
    }

    #[test]
    fn a_table_tells_its_place_and_length() {
        let table = StringTable {
            bytes: b"\0ab\0",
            offset: 0x40,
        };
        assert_eq!((table.len(), table.is_empty()), (4, false));
        assert!(StringTable::default().is_empty());
        assert_eq!(format!("{table:?}"), "StringTable { offset: 64, len: 4 }");
    }
}
