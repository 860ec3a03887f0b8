//! Unified functions and data: `.nv.uft.entry` and `.nv.udt.entry`.
//!
//! A function or variable with PTX's `.attribute(.unified(a, b))` is known by the pair of numbers in every module that a
//! program loads, and called or read through one table. A relocatable object lists its own in these sections, one entry of
//! 32 bytes each: u32 symbol, u32 1, u64 offset, u64 a, u64 b. Measured on ptxas 13.5 (`-c`, sm_90 to sm_120; earlier targets have no such attribute).

use crate::{Result, elf::Elf, reader::Reader};

/// A function or variable that is known by two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Unified {
    /// Index of its symbol.
    pub symbol: u32,
    /// The second word, 1 in every entry seen.
    pub word: u32,
    /// Offset in the table that the entry is for, in bytes: 0 before linking.
    pub offset: u64,
    /// The two numbers of `.unified(a, b)`.
    pub id: [u64; 2],
}

/// The entries of one section, in file order; after an error it ends.
#[derive(Debug, Clone)]
pub struct Entries<'a> {
    reader: Reader<'a>,
    section: &'static str,
}

/// The unified functions of a file; none when it has no such section.
///
/// # Errors
/// When the section lies outside the file.
pub fn functions<'a>(elf: &Elf<'a>) -> Result<Entries<'a>> {
    entries(elf, ".nv.uft.entry")
}

/// The unified variables of a file; none when it has no such section.
///
/// # Errors
/// When the section lies outside the file.
pub fn variables<'a>(elf: &Elf<'a>) -> Result<Entries<'a>> {
    entries(elf, ".nv.udt.entry")
}

fn entries<'a>(elf: &Elf<'a>, section: &'static str) -> Result<Entries<'a>> {
    let reader = match elf.section_named(section.as_bytes()) {
        Some(section) => elf.reader(&section)?,
        None => Reader::new(&[], 0),
    };
    Ok(Entries { reader, section })
}

impl Iterator for Entries<'_> {
    type Item = Result<Unified>;

    fn next(&mut self) -> Option<Self::Item> {
        let entry = self.reader.item(entry)?;
        Some(entry.map_err(|error| error.in_section(self.section)))
    }
}

fn entry(reader: &mut Reader<'_>) -> Result<Unified> {
    Ok(Unified {
        symbol: reader.u32()?,
        word: reader.u32()?,
        offset: reader.u64()?,
        id: [reader.u64()?, reader.u64()?],
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_has_thirty_two_bytes_and_half_of_one_is_an_error() {
        let mut bytes = Vec::new();
        bytes.extend([12_u32, 1].map(u32::to_le_bytes).concat());
        bytes.extend([64_u64, 7, u64::MAX].map(u64::to_le_bytes).concat());
        bytes.extend([0; 31]);
        let mut entries = Entries {
            reader: Reader::new(&bytes, 0x100),
            section: ".nv.uft.entry",
        };
        let first = entries.next().unwrap().unwrap();
        assert_eq!((first.symbol, first.word, first.offset), (12, 1, 64));
        assert_eq!(first.id, [7, u64::MAX]);
        let error = entries.next().unwrap().unwrap_err();
        assert_eq!(error.offset(), 0x138);
        assert_eq!(error.section(), Some(".nv.uft.entry"));
        assert!(entries.next().is_none());
    }
}
