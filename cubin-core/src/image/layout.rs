//! Where the sections of an image lie.

use core::fmt;

use crate::{
    Error, ErrorKind, Result,
    consts::SectionType,
    elf::{Elf, Section},
    limits::LOADER_IMAGE,
};

/// Every section starts at a multiple of this, or of its own larger alignment.
const SECTION_ALIGN: u64 = 128;

/// The image ends at a multiple of this, with as many zeros more for instruction prefetch.
pub(super) const PAGE: u64 = 4096;

/// `sh_flags` bit of sections that occupy memory.
const SHF_ALLOC: u64 = 2;

/// A section that the image holds.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadedSection<'a> {
    /// Index of the section in the file.
    pub section: u32,
    /// Bytes from the start of the image.
    pub offset: u64,
    /// Size in the image, in bytes.
    pub size: u64,
    /// Its bytes; empty for NOBITS, which are zeros.
    pub bytes: &'a [u8],
}

/// Its contents as a length.
impl fmt::Debug for LoadedSection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedSection")
            .field("section", &self.section)
            .field("offset", &self.offset)
            .field("size", &self.size)
            .field("len", &self.bytes.len())
            .finish()
    }
}

/// The sections of a file with their places in the image.
#[derive(Debug, Clone)]
pub(super) struct Layout<'a> {
    pub(super) elf: Elf<'a>,
    /// In section order.
    pub(super) sections: Vec<LoadedSection<'a>>,
    /// Where the last one ends.
    pub(super) end: u64,
}

impl<'a> Layout<'a> {
    /// The held sections with their places, and where the last one ends.
    pub(super) fn new(elf: &Elf<'a>) -> Result<Self> {
        let held = |section: &Section| {
            section.flags & SHF_ALLOC != 0
                && matches!(section.ty, SectionType::PROGBITS | SectionType::NOBITS)
                && !elf
                    .section_names()
                    .tail(section.name)
                    .starts_with(b".nv.shared.")
        };
        let mut sections = Vec::with_capacity(elf.sections().filter(held).count());
        let mut end = 0_u64;
        for section in elf.sections().filter(held) {
            let place = end
                .checked_next_multiple_of(section.align.max(SECTION_ALIGN))
                .and_then(|start| Some((start, start.checked_add(section.size)?)))
                .filter(|(_, end)| *end <= LOADER_IMAGE - PAGE);
            let Some((offset, next)) = place else {
                let error = Error::new(
                    ErrorKind::Limit,
                    format!(
                        "the image would be longer than {LOADER_IMAGE:#x} bytes, more than a GPU can address: this section has {:#x} bytes and alignment {:#x}",
                        section.size, section.align
                    ),
                    section.offset,
                );
                return Err(elf.place(error, &section));
            };
            end = next;
            sections.push(LoadedSection {
                section: section.index,
                offset,
                size: section.size,
                bytes: elf.data(&section)?,
            });
        }
        Ok(Self {
            elf: elf.clone(),
            sections,
            end,
        })
    }

    pub(super) fn held(&self, section: u32) -> Option<&LoadedSection<'a>> {
        let at = self
            .sections
            .binary_search_by_key(&section, |held| held.section)
            .ok()?;
        self.sections.get(at)
    }
}
