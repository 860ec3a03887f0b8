//! Section headers in order.

use core::fmt;

use super::{Class, Section, raw};

/// Section headers in file order; made by [`Elf::sections`](super::Elf::sections).
#[derive(Clone)]
pub struct Sections<'a> {
    class: Class,
    rest: &'a [u8],
    index: u32,
}

impl<'a> Sections<'a> {
    /// The entries of a section table.
    #[inline]
    pub(super) fn new(class: Class, table: &'a [u8]) -> Self {
        Self {
            class,
            rest: table,
            index: 0,
        }
    }
}

impl fmt::Debug for Sections<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.clone()).finish()
    }
}

impl Iterator for Sections<'_> {
    type Item = Section;

    #[inline]
    fn next(&mut self) -> Option<Section> {
        let (entry, rest) = self
            .rest
            .split_at_checked(self.class.section_header_size())?;
        let section = raw::section(self.class, entry, self.index)?;
        self.rest = rest;
        self.index = self.index.wrapping_add(1);
        Some(section)
    }
}
