//! Variables of the module: `__device__` and `__constant__`.
//!
//! They are the object symbols of `.nv.global`, `.nv.global.init` and `.nv.constant<n>` without a function. The section
//! tells the memory space: executables leave the space bits of `st_other` at 0. Compiler-made variables (string
//! literals, `printf` formats) are among them; their names start with `$` or name an internal namespace.

use alloc::vec::Vec;

use crate::{
    Result,
    consts::{SymbolBinding, SymbolType},
    elf::{Elf, Names, Place, Section, utf8_part},
};

/// Where a variable lives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Space {
    /// `__device__`: global memory.
    Global,
    /// `__constant__`: the constant bank of this number (3 in every cubin seen).
    Constant(u8),
}

/// A variable of the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Variable<'a> {
    /// The symbol, mangled as in the file (for names that are not UTF-8 see [`Function::symbol`](crate::Function)).
    pub symbol: &'a str,
    /// Index of the symbol.
    pub symbol_index: u32,
    /// Where it lives.
    pub space: Space,
    /// Local, global or weak. Whole-program builds make every variable local.
    pub binding: SymbolBinding,
    /// `__managed__`.
    pub managed: bool,
    /// Index of the section it lies in.
    pub section: u32,
    /// Byte offset in this section.
    pub offset: u64,
    /// Size in bytes.
    pub size: u64,
    /// Initial bytes; `None` when it starts as zeros without bytes in the file.
    pub initial: Option<&'a [u8]>,
}

/// Reads every variable of the module, in symbol order.
///
/// # Errors
/// When a symbol is damaged, or a variable's initial bytes lie outside its section.
pub fn variables<'a>(elf: &Elf<'a>) -> Result<Vec<Variable<'a>>> {
    let mut names = Names::new(elf.symbol_names(), elf.bytes().len());
    let sections: Vec<_> = elf
        .sections()
        .filter_map(|section| Some((section, space(elf, &section)?)))
        .collect();
    let mut variables = Vec::new();
    if sections.is_empty() {
        return Ok(variables);
    }
    for symbol in elf.symbols() {
        let symbol = symbol?;
        let Place::Section(index) = symbol.place else {
            continue;
        };
        if !matches!(symbol.ty(), SymbolType::OBJECT | SymbolType::CUDA_OBJECT) {
            continue;
        }
        let Ok(at) = sections.binary_search_by_key(&index, |(section, _)| section.index) else {
            continue;
        };
        let Some((section, space)) = sections.get(at) else {
            continue;
        };
        variables.push(Variable {
            symbol: utf8_part(names.get(symbol.name)?),
            symbol_index: symbol.index,
            space: *space,
            binding: symbol.binding(),
            managed: symbol.other.0 & crate::consts::SttOther::MANAGED != 0,
            section: index,
            offset: symbol.value,
            size: symbol.size,
            initial: initial(elf, section, symbol.value, symbol.size)?,
        });
    }
    Ok(variables)
}

fn space(elf: &Elf<'_>, section: &Section) -> Option<Space> {
    if elf.is_named(section, b".nv.global") || elf.is_named(section, b".nv.global.init") {
        return Some(Space::Global);
    }
    let name = elf
        .section_names()
        .tail(section.name)
        .strip_prefix(b".nv.constant")?;
    bank(name).map(Space::Constant)
}

/// The number behind `.nv.constant`, up to the end of the name.
fn bank(name: &[u8]) -> Option<u8> {
    match *name {
        [digit @ b'0'..=b'9', 0, ..] => Some(digit & 0xf),
        [tens @ b'1'..=b'9', digit @ b'0'..=b'9', 0, ..] => {
            Some((tens & 0xf).wrapping_mul(10).wrapping_add(digit & 0xf))
        }
        _ => None,
    }
}

fn initial<'a>(
    elf: &Elf<'a>,
    section: &Section,
    offset: u64,
    size: u64,
) -> Result<Option<&'a [u8]>> {
    if section.ty.no_bits() {
        return Ok(None);
    }
    let mut reader = elf.reader(section)?;
    let count = |number| usize::try_from(number).unwrap_or(usize::MAX);
    reader
        .bytes(count(offset))
        .and_then(|_| reader.bytes(count(size)))
        .map(Some)
        .map_err(|error| elf.place(error, section))
}

#[cfg(test)]
mod tests {
    use super::bank;

    #[test]
    fn banks_have_one_digit_or_two() {
        for (name, number) in [
            (b"0\0".as_slice(), Some(0)),
            (b"3\0.text", Some(3)),
            (b"9\0", Some(9)),
            (b"10\0", Some(10)),
            (b"17\0x", Some(17)),
            (b"0.k\0", None),
            (b"03\0", None),
            (b"123\0", None),
            (b"3", None),
        ] {
            assert_eq!(bank(name), number, "{name:?}");
        }
    }
}
