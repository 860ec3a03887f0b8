//! Symbols by index and in order, with extended section numbers resolved.

use alloc::format;

use super::{
    Elf, Place, StringTable, Symbol,
    raw::{self, SHN_LORESERVE, SHN_UNDEF, SHN_XINDEX},
};
use crate::{Error, Result};

impl<'a> Elf<'a> {
    /// Index of the symbol table's section; 0 when the file has none.
    #[must_use]
    pub fn symbol_table(&self) -> u32 {
        self.symbols.section
    }

    /// Number of symbols, symbol 0 included.
    #[inline]
    #[must_use]
    pub fn symbol_count(&self) -> u32 {
        let bytes = self.symbols.entries.len();
        let count = bytes
            .checked_div(self.header.class.symbol_size())
            .unwrap_or(0);
        u32::try_from(count).unwrap_or(u32::MAX)
    }

    /// The symbol of an index, extended section numbers resolved.
    ///
    /// # Errors
    /// When there is no such symbol, or when it has an extended section number and the file has no table of those.
    #[inline]
    pub fn symbol(&self, index: u32) -> Result<Symbol> {
        let size = self.header.class.symbol_size();
        let bytes = (index as usize)
            .checked_mul(size)
            .and_then(|at| self.symbols.entries.get(at..));
        let raw = bytes.and_then(|bytes| raw::symbol(self.header.class, bytes));
        let Some(raw) = raw else {
            return Err(self.no_symbol(index));
        };
        let place = match raw.section.into() {
            SHN_UNDEF => Place::Undefined,
            SHN_XINDEX => Place::Section(self.extended_index(index)?),
            SHN_LORESERVE.. => Place::Reserved(raw.section),
            section => Place::Section(section),
        };
        Ok(Symbol {
            index,
            name: raw.name,
            info: raw.info,
            other: raw.other,
            place,
            value: raw.value,
            size: raw.size,
        })
    }

    #[cold]
    fn no_symbol(&self, index: u32) -> Error {
        Error::malformed(
            format!(
                "symbol {index} is referred to, but the file has only {} symbols",
                self.symbol_count()
            ),
            self.symbols.offset,
        )
    }

    #[cold]
    fn extended_index(&self, index: u32) -> Result<u32> {
        let entry = self.symbols.extended.and_then(|table| {
            let at = (index as usize).checked_mul(4)?;
            table.get(at..)?.first_chunk::<4>()
        });
        match entry {
            Some(bytes) => Ok(u32::from_le_bytes(*bytes)),
            None => Err(Error::malformed(
                format!(
                    "symbol {index} has an extended section number, but the file has no entry for it in a SHT_SYMTAB_SHNDX section"
                ),
                self.symbols.offset,
            )),
        }
    }

    /// All symbols in file order, symbol 0 included.
    pub fn symbols(&self) -> impl Iterator<Item = Result<Symbol>> + '_ {
        (0..self.symbol_count()).map(|index| self.symbol(index))
    }

    /// The string table of symbol names.
    #[inline]
    #[must_use]
    pub fn symbol_names(&self) -> StringTable<'a> {
        self.symbols.names
    }

    /// The name of a symbol.
    ///
    /// # Errors
    /// When it lies outside the string table or is not terminated.
    #[inline]
    pub fn symbol_name(&self, symbol: &Symbol) -> Result<&'a [u8]> {
        self.symbols.names.get(symbol.name)
    }
}
