//! A bounds-checked little-endian cursor that knows where in the file it stands.
//!
//! It has no indexing and no way to panic: every read gives a value or an [`Error`] with the absolute offset.

use alloc::format;
use core::fmt;

use crate::{Error, Result};

/// Reads little-endian values from a window of a file, front to back.
#[derive(Clone, Copy)]
pub struct Reader<'a> {
    rest: &'a [u8],
    /// Absolute offset of the end of the window, saturated: where it stands is this minus what is left.
    end: u64,
}

impl<'a> Reader<'a> {
    /// A cursor over `window`, whose first byte is byte `offset` of the file.
    #[inline]
    #[must_use]
    pub fn new(window: &'a [u8], offset: u64) -> Self {
        Self {
            rest: window,
            end: offset.saturating_add(window.len() as u64),
        }
    }

    /// Absolute offset of the next byte.
    #[inline]
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.end.saturating_sub(self.rest.len() as u64)
    }

    /// Bytes left.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.rest.len()
    }

    /// Whether all bytes are read.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// What is left, without moving.
    #[inline]
    #[must_use]
    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    /// Drops what is left, so that no further read succeeds.
    #[inline]
    pub fn clear(&mut self) {
        self.end = self.offset();
        self.rest = &[];
    }

    /// The next of a list of records, by `read`; `None` at the end. After an error nothing is left: where a damaged record
    /// ends, nobody knows.
    #[inline]
    pub(crate) fn item<T>(
        &mut self,
        read: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Option<Result<T>> {
        if self.is_empty() {
            return None;
        }
        let item = read(self);
        if item.is_err() {
            self.clear();
        }
        Some(item)
    }

    /// The next `N` bytes.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline]
    pub fn array<const N: usize>(&mut self) -> Result<&'a [u8; N]> {
        match self.rest.split_first_chunk::<N>() {
            Some((chunk, rest)) => {
                self.rest = rest;
                Ok(chunk)
            }
            None => Err(self.truncated(N as u64)),
        }
    }

    /// The next `count` bytes.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline]
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8]> {
        match self.rest.split_at_checked(count) {
            Some((bytes, rest)) => {
                self.rest = rest;
                Ok(bytes)
            }
            None => Err(self.truncated(count as u64)),
        }
    }

    /// The next byte.
    ///
    /// # Errors
    /// When none is left.
    #[inline]
    pub fn u8(&mut self) -> Result<u8> {
        self.array().map(|&[byte]| byte)
    }

    /// The next 2 bytes as a number.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline]
    pub fn u16(&mut self) -> Result<u16> {
        self.array().map(|bytes| u16::from_le_bytes(*bytes))
    }

    /// The next 4 bytes as a number.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline]
    pub fn u32(&mut self) -> Result<u32> {
        self.array().map(|bytes| u32::from_le_bytes(*bytes))
    }

    /// The next 8 bytes as a number.
    ///
    /// # Errors
    /// When fewer are left.
    #[inline]
    pub fn u64(&mut self) -> Result<u64> {
        self.array().map(|bytes| u64::from_le_bytes(*bytes))
    }

    #[cold]
    fn truncated(&self, wanted: u64) -> Error {
        Error::truncated(
            format!(
                "{wanted} bytes expected, {} left: the data is cut off or damaged",
                self.rest.len()
            ),
            self.offset(),
        )
    }
}

/// Where it stands and how much is left, not the bytes: they can be a whole file.
impl fmt::Debug for Reader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reader")
            .field("offset", &self.offset())
            .field("len", &self.len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_little_endian_and_tells_the_offset() {
        let mut reader = Reader::new(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15], 100);
        assert_eq!(reader.u8().unwrap(), 1);
        assert_eq!(reader.u16().unwrap(), 0x0302);
        assert_eq!(reader.u32().unwrap(), 0x0706_0504);
        assert_eq!(reader.offset(), 107);
        assert_eq!(reader.u64().unwrap(), 0x0f0e_0d0c_0b0a_0908);
        assert!(reader.is_empty());
        assert_eq!(reader.offset(), 115);
    }

    #[test]
    fn a_short_read_is_an_error_with_the_place_and_moves_nothing() {
        let mut reader = Reader::new(&[1, 2, 3], 16);
        let error = reader.u32().unwrap_err();
        assert_eq!(error.offset(), 16);
        assert_eq!(
            error.to_string(),
            "4 bytes expected, 3 left: the data is cut off or damaged (offset 0x10)"
        );
        assert_eq!(reader.bytes(3).unwrap(), [1, 2, 3]);
        assert_eq!(reader.u8().unwrap_err().offset(), 19);
    }

    #[test]
    fn debug_output_is_short() {
        let reader = Reader::new(&[7; 4096], 64);
        assert_eq!(format!("{reader:?}"), "Reader { offset: 64, len: 4096 }");
    }

    #[test]
    fn clear_keeps_the_place() {
        let mut reader = Reader::new(&[0; 8], 4);
        reader.u16().unwrap();
        reader.clear();
        assert!(reader.is_empty());
        assert_eq!(reader.offset(), 6);
    }

    #[test]
    fn an_offset_near_the_end_of_the_number_range_does_not_overflow() {
        let reader = Reader::new(&[0; 8], u64::MAX - 2);
        assert_eq!(reader.offset(), u64::MAX - 8);
    }
}
