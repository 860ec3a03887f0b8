//! Attribute records: the contents of `.nv.info`, `.nv.info.<f>` and `.nv.compat`.
//!
//! A section is a plain sequence of records without header or count. This file yields each record with its code, its
//! value and its place in the file; it refuses to know what a code means. Unknown codes are records like any other.

use alloc::format;

use crate::{Error, Result, reader::Reader};

/// One attribute record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Attribute<'a> {
    /// Which attribute (EIATTR number in `.nv.info`).
    pub code: u8,
    /// Value in the form the record has; the form belongs to the record, not to the code.
    pub value: Value<'a>,
    /// Where the record starts, in bytes from the start of the file.
    pub offset: u64,
}

/// The four record formats (EIFMT).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value<'a> {
    /// Format 1, NVAL: the record's presence is the value.
    Flag,
    /// Format 2, BVAL.
    Byte(u8),
    /// Format 3, HVAL.
    Half(u16),
    /// Format 4, SVAL: as many bytes as its 16-bit length says.
    Bytes(&'a [u8]),
}

impl<'a> Attribute<'a> {
    /// The bytes of an SVAL record; empty for the other formats.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        match self.value {
            Value::Bytes(bytes) => bytes,
            _ => &[],
        }
    }

    /// The first `N` bytes of an SVAL record.
    ///
    /// # Errors
    /// When the record is shorter, or has another format.
    #[inline]
    pub fn array<const N: usize>(&self) -> Result<&'a [u8; N]> {
        match self.bytes().first_chunk() {
            Some(bytes) => Ok(bytes),
            None => self.reader().array(),
        }
    }

    /// A cursor over [`bytes`](Self::bytes).
    #[inline]
    #[must_use]
    pub fn reader(&self) -> Reader<'a> {
        Reader::new(self.bytes(), self.offset.saturating_add(4))
    }

    /// The value as a number: of a byte, a half or an SVAL record of exactly four bytes.
    #[inline]
    #[must_use]
    pub fn number(&self) -> Option<u32> {
        match self.value {
            Value::Flag => None,
            Value::Byte(value) => Some(value.into()),
            Value::Half(value) => Some(value.into()),
            Value::Bytes(bytes) => Some(u32::from_le_bytes(bytes.try_into().ok()?)),
        }
    }
}

/// The records of one section, in file order.
///
/// After an error it ends: where a record of unknown form stops, nobody knows.
#[derive(Debug, Clone)]
pub struct Attributes<'a> {
    reader: Reader<'a>,
}

impl<'a> Attributes<'a> {
    /// Records in the bytes that `reader` has left.
    #[inline]
    #[must_use]
    pub fn new(reader: Reader<'a>) -> Self {
        Self { reader }
    }
}

impl<'a> Iterator for Attributes<'a> {
    type Item = Result<Attribute<'a>>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        self.reader.item(record)
    }
}

#[inline]
fn record<'a>(reader: &mut Reader<'a>) -> Result<Attribute<'a>> {
    let offset = reader.offset();
    let &[format, code, low, high] = reader.array::<4>()?;
    let value = match format {
        1 => Value::Flag,
        2 => Value::Byte(low),
        3 => Value::Half(u16::from_le_bytes([low, high])),
        4 => Value::Bytes(reader.bytes(u16::from_le_bytes([low, high]).into())?),
        other => return Err(unknown_format(other, code, offset)),
    };
    Ok(Attribute {
        code,
        value,
        offset,
    })
}

#[cold]
fn unknown_format(format: u8, code: u8, offset: u64) -> Error {
    Error::malformed(
        format!(
            "attribute {code:#04x} has format {format}, expected 1 to 4: the section is damaged or newer than this reader"
        ),
        offset,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Vec<Result<Attribute<'_>>> {
        Attributes::new(Reader::new(bytes, 0x40)).collect()
    }

    #[test]
    fn reads_the_four_formats() {
        let bytes = [
            1, 0x04, 0, 0, // CTAIDZ_USED
            2, 0x4c, 3, 0, // NUM_BARRIERS
            3, 0x1b, 0xff, 1, // MAXREG_COUNT
            4, 0x37, 4, 0, 0x87, 0, 0, 0, // CUDA_API_VERSION
            4, 0xee, 0, 0, // an unknown code without data
        ];
        let records: Vec<_> = read(&bytes).into_iter().map(Result::unwrap).collect();
        let seen: Vec<_> = records
            .iter()
            .map(|record| (record.code, record.value, record.offset))
            .collect();
        assert_eq!(
            seen,
            [
                (0x04, Value::Flag, 0x40),
                (0x4c, Value::Byte(3), 0x44),
                (0x1b, Value::Half(0x1ff), 0x48),
                (0x37, Value::Bytes(&[0x87, 0, 0, 0]), 0x4c),
                (0xee, Value::Bytes(&[]), 0x54),
            ]
        );
        let numbers: Vec<_> = records.iter().map(Attribute::number).collect();
        assert_eq!(numbers, [None, Some(3), Some(0x1ff), Some(135), None]);
    }

    #[test]
    fn an_error_comes_once_and_ends_the_list() {
        for (bytes, offset, words) in [
            (&[1, 4, 0][..], 0x40, "4 bytes expected, 3 left"),
            (&[4, 5, 12, 0, 1, 2][..], 0x44, "12 bytes expected, 2 left"),
            (&[9, 5, 0, 0, 1, 4, 0, 0][..], 0x40, "has format 9"),
        ] {
            let records = read(bytes);
            assert_eq!(records.len(), 1);
            let error = records[0].as_ref().unwrap_err();
            assert_eq!(error.offset(), offset);
            assert!(error.message().contains(words), "{error}");
        }
    }
}
