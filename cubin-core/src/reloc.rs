//! Relocations: the entries of SHT_REL and SHT_RELA sections, raw.
//!
//! Yields where each entry writes, of which type it is and which symbol it names; what the bits of a type mean is data of
//! [`RelocType`]. Both classes are read. Mercury's own relocation sections (`.nv.merc.rela.*`) have another type and are
//! not read. Nothing is applied here: module `image` does that.
//!
//! Layout: System V ABI; addend rules of CUDA 11.7 to 13.5.

use alloc::format;

use crate::{
    Error, ErrorKind, Result,
    consts::{RelocType, SectionType},
    elf::{Class, Elf, Section, raw},
    reader::Reader,
};

/// One entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Relocation {
    /// `r_offset`: bytes from the start of the section that is patched.
    pub offset: u64,
    /// Which bits are written, and what.
    pub ty: RelocType,
    /// Index of the symbol.
    pub symbol: u32,
    /// The addend of a RELA entry; bytes in place must not be added. `None` for REL: the bytes in place are the addend.
    pub addend: Option<i64>,
    /// Offset of the entry in the file.
    pub file_offset: u64,
}

/// The entries of one section, in file order. After an error it ends.
#[derive(Debug, Clone)]
pub struct Relocations<'a> {
    reader: Reader<'a>,
    class: Class,
    explicit: bool,
    /// Why the entries cannot be read: the first and only item.
    damage: Option<Error>,
}

/// The entries of `section`; `None` when it is no relocation section. The section they patch is `section.info`.
///
/// Yields an error when the entry size is wrong or the last entry is cut off.
#[must_use]
pub fn entries<'a>(elf: &Elf<'a>, section: &Section) -> Option<Relocations<'a>> {
    let explicit = match section.ty {
        SectionType::REL => false,
        SectionType::RELA => true,
        _ => return None,
    };
    let class = elf.header().class;
    let size = class.relocation_size(explicit);
    let reader = if section.entsize == size as u64 {
        elf.reader(section)
    } else {
        let what = format!(
            "relocation entries have {} bytes here, expected {size}",
            section.entsize
        );
        Err(elf.place(Error::malformed(what, section.offset), section))
    };
    let (reader, damage) = match reader {
        Ok(reader) => (reader, None),
        Err(error) => (Reader::new(&[], section.offset), Some(error)),
    };
    Some(Relocations {
        reader,
        class,
        explicit,
        damage,
    })
}

/// A relocation section with its entries.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Table<'a> {
    /// Its header; `section.info` is the index of the section that is patched.
    pub section: Section,
    /// Its entries.
    pub entries: Relocations<'a>,
}

/// Every relocation section, in section order; Mercury's own are left out. Yields an error when sections overlap, and ends.
pub fn tables<'a>(elf: &Elf<'a>) -> impl Iterator<Item = Result<Table<'a>>> {
    // Without this bound, 60,000 headers over the same entries would have them read 60,000 times.
    let mut left = Some(elf.bytes().len() as u64);
    elf.sections()
        .filter_map(|section| Some((section, entries(elf, &section)?)))
        .map_while(move |(section, entries)| {
            left = left?.checked_sub(section.size);
            Some(match left {
                Some(_) => Ok(Table { section, entries }),
                None => {
                    let what = "the relocation sections together are longer than the file: they overlap as no tool writes them";
                    Err(elf.place(Error::new(ErrorKind::Limit, what, section.offset), &section))
                }
            })
        })
}

impl Relocations<'_> {
    #[inline]
    fn entry(&mut self) -> Result<Relocation> {
        let file_offset = self.reader.offset();
        let size = self.class.relocation_size(self.explicit);
        let bytes = self.reader.bytes(size)?;
        let Some(raw) = raw::relocation(self.class, self.explicit, bytes) else {
            // Not reached: there are as many bytes as the structure has.
            return Err(Error::truncated("a relocation is cut off", file_offset));
        };
        Ok(Relocation {
            offset: raw.offset,
            ty: raw.ty,
            symbol: raw.symbol,
            addend: raw.addend,
            file_offset,
        })
    }
}

impl Iterator for Relocations<'_> {
    type Item = Result<Relocation>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_empty() {
            return self.damage.take().map(Err);
        }
        let entry = self.entry();
        if entry.is_err() {
            self.reader.clear();
        }
        Some(entry)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8], class: Class, explicit: bool) -> Vec<Result<Relocation>> {
        Relocations {
            reader: Reader::new(bytes, 0x100),
            class,
            explicit,
            damage: None,
        }
        .collect()
    }

    #[test]
    fn both_forms_of_both_classes() {
        let mut wide = Vec::new();
        wide.extend(0x20_u64.to_le_bytes());
        wide.extend(0x38_u32.to_le_bytes());
        wide.extend(7_u32.to_le_bytes());
        wide.extend((-8_i64).to_le_bytes());
        let entry = read(&wide, Class::Elf64, true)[0].clone().unwrap();
        assert_eq!(
            entry,
            Relocation {
                offset: 0x20,
                ty: RelocType::R_CUDA_ABS32_LO_32,
                symbol: 7,
                addend: Some(-8),
                file_offset: 0x100
            }
        );
        let entry = read(&wide[..16], Class::Elf64, false)[0].clone().unwrap();
        assert_eq!(entry.addend, None);

        let narrow = [0x20, 0, 0, 0, 2, 7, 0, 0, 0xf8, 0xff, 0xff, 0xff];
        let entry = read(&narrow, Class::Elf32, true)[0].clone().unwrap();
        assert_eq!(
            (entry.ty, entry.symbol, entry.addend),
            (RelocType::R_CUDA_64, 7, Some(-8))
        );
    }

    #[test]
    fn a_cut_entry_is_one_error() {
        let entries = read(&[0; 40], Class::Elf64, true);
        assert_eq!(entries.len(), 2);
        assert_eq!(entries[1].as_ref().unwrap_err().offset(), 0x118);
    }
}
