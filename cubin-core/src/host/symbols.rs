//! Symbols of host files that name data: what a byte array with a cubin in it is called.

use alloc::vec::Vec;

use super::{FileKind, members, sections};
use crate::{
    consts::{ElfType, SectionType, SymbolType},
    elf::{Section, raw},
};

/// A dynamic symbol table, which cubins have none of.
const DYNSYM: SectionType = SectionType(11);
/// Smaller than any cubin: such symbols name something else.
const LEAST: u64 = 128;
/// Sections up to here are read for their places: files with more have one per function, and no data of interest in those.
const MOST_SECTIONS: usize = 1 << 20;

/// The symbols that name data in a host object, library, executable or archive, by place.
///
/// ```
/// # fn main() -> std::io::Result<()> {
/// let program = std::fs::read(std::env::current_exe()?)?;
/// let symbols = cubin_core::host::Symbols::read(&program);
/// assert_eq!(symbols.at(u64::MAX), None);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Symbols<'a> {
    /// First byte, byte behind the last, name; by first byte.
    all: Vec<(u64, u64, &'a str)>,
}

impl<'a> Symbols<'a> {
    /// Reads the symbol tables of a file. What is damaged, or stripped, names nothing.
    #[must_use]
    pub fn read(data: &'a [u8]) -> Self {
        let mut all = Vec::new();
        match FileKind::of(data) {
            FileKind::HostElf => add(data, 0, &mut all),
            FileKind::Archive => {
                for member in members(data).flatten() {
                    if FileKind::of(member.data) == FileKind::HostElf {
                        add(member.data, member.offset, &mut all);
                    }
                }
            }
            _ => {}
        }
        all.sort_unstable();
        Self { all }
    }

    /// The symbol whose data the byte at `offset` of the file belongs to.
    #[must_use]
    pub fn at(&self, offset: u64) -> Option<&'a str> {
        let behind = self.all.partition_point(|(start, ..)| *start <= offset);
        let (_, end, name) = self.all.get(behind.checked_sub(1)?)?;
        (offset < *end).then_some(name)
    }
}

/// Adds the symbols of an ELF file at `base` of the whole.
fn add<'a>(data: &'a [u8], base: u64, all: &mut Vec<(u64, u64, &'a str)>) {
    let Ok(Some(table)) = sections::table(data, base) else {
        return;
    };
    let places: Vec<Section> = table.headers().take(MOST_SECTIONS).collect();
    // No object has more than one full table; a damaged file could name the same bytes 60,000 times.
    let own = |ty| places.iter().find(|section| section.ty == ty);
    let Some(symbols) = own(SectionType::SYMTAB).or_else(|| own(DYNSYM)) else {
        return;
    };
    let names = places.get(symbols.link as usize);
    let (Some(entries), Some(names)) = (bytes(data, symbols), names.and_then(|it| bytes(data, it)))
    else {
        return;
    };
    // In objects a value counts from the section, in what is linked it is an address.
    let relocatable = raw::header(table.class, data).is_some_and(|it| it.kind == ElfType::REL);
    let symbols = entries.chunks_exact(table.class.symbol_size());
    for symbol in symbols.filter_map(|entry| raw::symbol(table.class, entry)) {
        let is_data = SymbolType(symbol.info & 0xf) == SymbolType::OBJECT && symbol.size >= LEAST;
        let section = places.get(usize::from(symbol.section));
        let section = section.filter(|section| is_data && section.ty != SectionType::NOBITS);
        let start = section.and_then(|section| {
            let address = if relocatable { 0 } else { section.addr };
            let at = symbol.value.checked_sub(address)?;
            at.checked_add(section.offset)?.checked_add(base)
        });
        let name = sections::name_in(names, symbol.name);
        if let (Some(start), false) = (start, name.is_empty()) {
            all.push((start, start.saturating_add(symbol.size), name));
        }
    }
}

fn bytes<'a>(data: &'a [u8], section: &Section) -> Option<&'a [u8]> {
    let start = usize::try_from(section.offset).ok()?;
    let end = start.checked_add(usize::try_from(section.size).ok()?)?;
    data.get(start..end)
}
