//! Relocations of an image, as far as they are known without its address.

use super::layout::{Layout, LoadedSection};
use crate::{
    Error, ErrorKind, Result,
    consts::RelocType,
    elf::{Place, Symbol},
    reloc::{self, Relocation},
};

/// Bytes that a relocation writes once the image's address is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Patch {
    /// Where, in bytes from the start of the image.
    pub offset: u64,
    bytes: [u8; 8],
    wide: bool,
}

impl Patch {
    /// What is written: 8 bytes for R_CUDA_64, 4 for the low and high forms.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        if self.wide {
            &self.bytes
        } else {
            self.bytes.first_chunk::<4>().map_or(&[], |four| four)
        }
    }
}

/// A relocation that waits for the image's address.
#[derive(Debug, Clone, Copy)]
pub(super) struct Pending {
    at: u64,
    wide: bool,
    high: bool,
    value: u64,
}

impl Pending {
    pub(super) fn at(self, base: u64) -> Patch {
        let value = base.wrapping_add(self.value);
        Patch {
            offset: self.at,
            bytes: if self.high { value >> 32 } else { value }.to_le_bytes(),
            wide: self.wide,
        }
    }
}

impl Layout<'_> {
    /// The relocations of held sections, as far as they are known without the base.
    pub(super) fn relocations(&self) -> impl Iterator<Item = Result<Pending>> + '_ {
        reloc::tables(&self.elf).flat_map(move |table| {
            let (table, error) = match table {
                Ok(table) => (Some(table), None),
                Err(error) => (None, Some(Err(error))),
            };
            let held = table.and_then(|table| Some((self.held(table.section.info)?, table)));
            let pending = held.into_iter().flat_map(move |(target, table)| {
                table.entries.map(move |entry| {
                    entry
                        .and_then(|entry| self.pending(&entry, target))
                        .map_err(|error| self.elf.place(error, &table.section))
                })
            });
            error.into_iter().chain(pending)
        })
    }

    /// Checks one relocation of `target`.
    fn pending(&self, entry: &Relocation, target: &LoadedSection<'_>) -> Result<Pending> {
        let error = |kind, what: String| Err(Error::new(kind, what, entry.file_offset));
        let (skip, width, high) = match entry.ty {
            RelocType::R_CUDA_64 => (0, 8, false),
            RelocType::R_CUDA_ABS32_LO_32 => (4, 4, false),
            RelocType::R_CUDA_ABS32_HI_32 => (4, 4, true),
            other => {
                return error(
                    ErrorKind::Unsupported,
                    format!(
                        "a relocation of type {other} cannot be loaded: only R_CUDA_64, R_CUDA_ABS32_LO_32 and R_CUDA_ABS32_HI_32 can; {}",
                        reason(other)
                    ),
                );
            }
        };
        let symbol = self.elf.symbol(entry.symbol)?;
        let home = match symbol.place {
            Place::Section(section) => self.held(section),
            Place::Undefined | Place::Reserved(_) => None,
        };
        // The end of a section is a place that a symbol may mark.
        if let Some(home) = home
            && symbol.value > home.size
        {
            return error(
                ErrorKind::Malformed,
                format!(
                    "a relocation names {}, at {:#x} of its section of {:#x} bytes: that is outside of it",
                    self.symbol_text(&symbol),
                    symbol.value,
                    home.size
                ),
            );
        }
        let Some(home) = home else {
            return error(
                ErrorKind::Unsupported,
                format!(
                    "a relocation names {}, which is not in the image{}",
                    self.symbol_text(&symbol),
                    match symbol.place {
                        Place::Undefined =>
                            ": the file does not define it, the driver or another object does",
                        _ => "",
                    }
                ),
            );
        };
        let in_section = entry.offset.checked_add(skip);
        let at = in_section
            .and_then(|at| at.checked_add(target.offset))
            .filter(|at| at.checked_add(width).is_some_and(|end| end <= self.end));
        let (Some(in_section), Some(at)) = (in_section, at) else {
            return error(
                ErrorKind::Malformed,
                format!(
                    "a relocation patches {width} bytes at {:#x} of its section, past the end of the laid-out sections",
                    entry.offset
                ),
            );
        };
        let addend = match entry.addend {
            Some(addend) => addend.cast_unsigned(),
            None => match in_place(target.bytes, in_section, width) {
                Some(addend) => addend,
                None => {
                    return error(
                        ErrorKind::Malformed,
                        format!(
                            "a relocation patches {width} bytes at {:#x}, past the end of its section of {:#x} bytes",
                            entry.offset,
                            target.bytes.len()
                        ),
                    );
                }
            },
        };
        Ok(Pending {
            at,
            wide: width == 8,
            high,
            value: home.offset.wrapping_add(symbol.value).wrapping_add(addend),
        })
    }

    #[cold]
    fn symbol_text(&self, symbol: &Symbol) -> String {
        match self.elf.symbol_name(symbol) {
            Ok(name) if !name.is_empty() => format!("`{}`", String::from_utf8_lossy(name)),
            _ => format!("symbol {}", symbol.index),
        }
    }
}

/// Why a relocation type that is left in executables cannot be loaded.
#[cold]
fn reason(ty: RelocType) -> &'static str {
    match ty {
        RelocType::R_CUDA_ABS47_34 | RelocType::R_CUDA_ABS55_16_34 => {
            "this one is a call to a function that was not inlined, which needs the driver"
        }
        _ => "let the driver load this file",
    }
}

/// The addend that a REL entry leaves in the bytes it patches: an unsigned number.
fn in_place(bytes: &[u8], at: u64, width: u64) -> Option<u64> {
    let rest = bytes.get(usize::try_from(at).ok()?..)?;
    match width {
        8 => rest.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)),
        _ => rest
            .first_chunk()
            .map(|bytes| u64::from(u32::from_le_bytes(*bytes))),
    }
}
