//! Lists within a record: entries of one size, and entries that tell their own.

use alloc::format;
use core::fmt;

use crate::{
    Error, Result,
    consts::{AnnotationKind, Eiattr},
    nvinfo::Attribute,
    reader::Reader,
};

/// A list of records of `N` bytes each.
#[derive(Clone, Copy)]
pub struct Records<'a, T, const N: usize> {
    bytes: &'a [u8],
    decode: fn(&[u8; N]) -> T,
}

/// A list of 32-bit numbers.
pub type Words<'a> = Records<'a, u32, 4>;

impl<'a, T, const N: usize> Records<'a, T, N> {
    /// The records in `attribute`'s bytes from `skip` on.
    pub(super) fn new(
        attribute: &Attribute<'a>,
        skip: usize,
        decode: fn(&[u8; N]) -> T,
    ) -> Result<Self> {
        let bytes = attribute.bytes().get(skip..).unwrap_or_default();
        match bytes.len().checked_rem(N) {
            Some(0) => Ok(Self { bytes, decode }),
            _ => Err(Error::malformed(
                format!(
                    "{} holds {} bytes, expected a multiple of {N}",
                    Eiattr(attribute.code),
                    bytes.len()
                ),
                attribute.offset,
            )),
        }
    }
}

/// The records, not the bytes.
impl<T: Copy + fmt::Debug, const N: usize> fmt::Debug for Records<'_, T, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

impl<T, const N: usize> PartialEq for Records<'_, T, N> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl<T, const N: usize> Eq for Records<'_, T, N> {}

impl<T, const N: usize> Iterator for Records<'_, T, N> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let (record, rest) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = rest;
        Some((self.decode)(record))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.bytes.len().checked_div(N).unwrap_or(0);
        (count, Some(count))
    }
}

impl<T, const N: usize> ExactSizeIterator for Records<'_, T, N> {}

/// A list of 32-bit numbers in `attribute`'s bytes from `skip` on.
pub(super) fn words<'a>(attribute: &Attribute<'a>, skip: usize) -> Result<Words<'a>> {
    Records::new(attribute, skip, |bytes| u32::from_le_bytes(*bytes))
}

/// Indirect branches with their targets; after an error it ends.
#[derive(Clone, Copy)]
pub struct IndirectBranches<'a> {
    reader: Reader<'a>,
}

/// One indirect branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct IndirectBranch<'a> {
    /// Byte offset of the branch in the function's code.
    pub offset: u32,
    /// 0 in every record seen.
    pub reserved: u32,
    /// Byte offsets it may go to.
    pub targets: Words<'a>,
}

impl fmt::Debug for IndirectBranches<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

impl PartialEq for IndirectBranches<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.reader.rest() == other.reader.rest()
    }
}

impl Eq for IndirectBranches<'_> {}

impl<'a> Iterator for IndirectBranches<'a> {
    type Item = Result<IndirectBranch<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.reader.item(branch)
    }
}

fn branch<'a>(reader: &mut Reader<'a>) -> Result<IndirectBranch<'a>> {
    let offset = reader.u32()?;
    let reserved = reader.u32()?;
    let count = reader.u32()? as usize;
    Ok(IndirectBranch {
        offset,
        reserved,
        targets: Records {
            bytes: reader.bytes(count.saturating_mul(4))?,
            decode: |bytes| u32::from_le_bytes(*bytes),
        },
    })
}

impl<'a> IndirectBranches<'a> {
    /// The entries of a record.
    #[inline]
    #[must_use]
    pub fn new(attribute: &Attribute<'a>) -> Self {
        Self {
            reader: attribute.reader(),
        }
    }
}

/// The entries of an ANNOTATIONS record.
///
/// Its length field has 16 bits, and longer lists are cut modulo 65,536 bytes: an incomplete last entry is how such a
/// list ends, not an error.
#[derive(Clone, Copy)]
pub struct Annotations<'a> {
    reader: Reader<'a>,
}

/// One annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Annotation<'a> {
    /// Byte offset of a spill store or reload in the function's code. CUDA 12.6 and later.
    Spill(u32),
    /// A note on one instruction (`ptxas -annotate`).
    Instruction {
        /// Byte offset of the instruction in the function's code.
        offset: u32,
        /// The note.
        text: &'a [u8],
    },
    /// A note on the function (`ptxas -annotate`), for example its instruction and register counts.
    Function(&'a [u8]),
    /// A kind that is not known, with all that follows it.
    Unknown(AnnotationKind, &'a [u8]),
}

impl<'a> Annotations<'a> {
    /// The entries of a record.
    #[inline]
    #[must_use]
    pub fn new(attribute: &Attribute<'a>) -> Self {
        Self {
            reader: attribute.reader(),
        }
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = self.reader.u32().ok()? as usize;
        let text = self.reader.bytes(length.min(self.reader.len())).ok()?;
        let padding = length.wrapping_neg() & 3;
        self.reader.bytes(padding.min(self.reader.len())).ok()?;
        let end = text.iter().position(|&byte| byte == 0);
        text.get(..end.unwrap_or(text.len()))
    }
}

impl fmt::Debug for Annotations<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(*self).finish()
    }
}

impl PartialEq for Annotations<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.reader.rest() == other.reader.rest()
    }
}

impl Eq for Annotations<'_> {}

impl<'a> Iterator for Annotations<'a> {
    type Item = Annotation<'a>;

    #[inline]
    fn next(&mut self) -> Option<Annotation<'a>> {
        // The shortest entry has two words.
        if self.reader.len() < 8 {
            return None;
        }
        let kind = AnnotationKind(self.reader.u32().ok()?);
        Some(match kind {
            AnnotationKind::SPILL => Annotation::Spill(self.reader.u32().ok()?),
            AnnotationKind::INSTRUCTION_NOTE => Annotation::Instruction {
                offset: self.reader.u32().ok()?,
                text: self.text()?,
            },
            AnnotationKind::FUNCTION_NOTE => Annotation::Function(self.text()?),
            _ => {
                let rest = self.reader.rest();
                self.reader.clear();
                Annotation::Unknown(kind, rest)
            }
        })
    }
}
