//! goblin's ELF structures, copied out of the file's bytes: the only file that names goblin.
//!
//! [`Plain::copy_from_bytes`] takes bytes of any alignment; goblin's own `from_bytes` panics where they are not aligned.
//! A copy has the byte order of the file, little-endian: `to_le` turns a number around on big-endian hosts (it is its own
//! inverse) and is nothing on all others. Both classes name their fields alike, so one macro maps both.

use goblin::{elf::header::SIZEOF_IDENT, elf32, elf64};
use plain::Plain;

use super::{Class, Section};
#[cfg(feature = "reloc")]
use crate::consts::RelocType;
use crate::consts::{ElfMachine, ElfType, SectionType, SttOther};

#[cfg(feature = "host")]
pub(crate) use goblin::elf::section_header::SHF_EXCLUDE;
pub(crate) use goblin::elf::{
    header::{ELFCLASS32, ELFCLASS64, ELFDATA2LSB, ELFMAG},
    section_header::{SHF_EXECINSTR, SHN_LORESERVE, SHN_UNDEF, SHN_XINDEX},
};

/// The start of every ELF file: magic, class, byte order, ABI.
pub(crate) type Ident = [u8; SIZEOF_IDENT];

/// The file header as it stands, both classes alike: nothing is checked or resolved.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FileHeader {
    pub(crate) kind: ElfType,
    pub(crate) machine: ElfMachine,
    pub(crate) version: u32,
    pub(crate) program_headers: u64,
    pub(crate) section_headers: u64,
    pub(crate) flags: u32,
    pub(crate) header_size: u16,
    pub(crate) program_header_size: u16,
    pub(crate) program_header_count: u16,
    pub(crate) section_header_size: u16,
    pub(crate) section_count: u16,
    pub(crate) names_index: u16,
}

/// A symbol as it stands, both classes alike.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawSymbol {
    pub(crate) name: u32,
    pub(crate) info: u8,
    pub(crate) other: SttOther,
    /// `st_shndx`, extended numbering not resolved.
    pub(crate) section: u16,
    pub(crate) value: u64,
    pub(crate) size: u64,
}

/// A relocation as it stands, both classes and both forms alike.
#[cfg(feature = "reloc")]
#[derive(Debug, Clone, Copy)]
pub(crate) struct RawRelocation {
    pub(crate) offset: u64,
    pub(crate) ty: RelocType,
    pub(crate) symbol: u32,
    pub(crate) addend: Option<i64>,
}

/// Bytes of the structures of a class.
impl Class {
    /// Of the file header.
    pub(crate) const fn header_size(self) -> usize {
        match self {
            Self::Elf32 => elf32::header::SIZEOF_EHDR,
            Self::Elf64 => elf64::header::SIZEOF_EHDR,
        }
    }

    /// Of a program header.
    pub(crate) const fn program_header_size(self) -> usize {
        match self {
            Self::Elf32 => elf32::program_header::SIZEOF_PHDR,
            Self::Elf64 => elf64::program_header::SIZEOF_PHDR,
        }
    }

    /// Of a section header.
    #[inline]
    pub(crate) const fn section_header_size(self) -> usize {
        match self {
            Self::Elf32 => elf32::section_header::SIZEOF_SHDR,
            Self::Elf64 => elf64::section_header::SIZEOF_SHDR,
        }
    }

    /// Of a symbol.
    #[inline]
    pub(crate) const fn symbol_size(self) -> usize {
        match self {
            Self::Elf32 => elf32::sym::SIZEOF_SYM,
            Self::Elf64 => elf64::sym::SIZEOF_SYM,
        }
    }

    /// Of a relocation, with an addend or without.
    #[cfg(feature = "reloc")]
    pub(crate) const fn relocation_size(self, addend: bool) -> usize {
        match (self, addend) {
            (Self::Elf32, false) => size_of::<elf32::reloc::Rel>(),
            (Self::Elf32, true) => size_of::<elf32::reloc::Rela>(),
            (Self::Elf64, false) => size_of::<elf64::reloc::Rel>(),
            (Self::Elf64, true) => size_of::<elf64::reloc::Rela>(),
        }
    }
}

/// The first bytes as a structure; `None` when there are too few.
#[inline(always)]
fn copy<T: Plain + Default>(bytes: &[u8]) -> Option<T> {
    let mut value = T::default();
    value.copy_from_bytes(bytes).ok()?;
    Some(value)
}

/// The file header of a class at the start of `bytes`; `None` when it is cut off.
pub(crate) fn header(class: Class, bytes: &[u8]) -> Option<FileHeader> {
    macro_rules! header {
        ($raw:expr) => {{
            let raw = $raw;
            FileHeader {
                kind: ElfType(raw.e_type.to_le()),
                machine: ElfMachine(raw.e_machine.to_le()),
                version: raw.e_version.to_le(),
                program_headers: raw.e_phoff.to_le().into(),
                section_headers: raw.e_shoff.to_le().into(),
                flags: raw.e_flags.to_le(),
                header_size: raw.e_ehsize.to_le(),
                program_header_size: raw.e_phentsize.to_le(),
                program_header_count: raw.e_phnum.to_le(),
                section_header_size: raw.e_shentsize.to_le(),
                section_count: raw.e_shnum.to_le(),
                names_index: raw.e_shstrndx.to_le(),
            }
        }};
    }
    Some(match class {
        Class::Elf32 => header!(copy::<elf32::header::Header>(bytes)?),
        Class::Elf64 => header!(copy::<elf64::header::Header>(bytes)?),
    })
}

/// The section header at the start of `bytes`, which becomes the one of `index`; `None` when it is cut off.
#[inline]
pub(crate) fn section(class: Class, bytes: &[u8], index: u32) -> Option<Section> {
    macro_rules! section {
        ($raw:expr) => {{
            let raw = $raw;
            Section {
                index,
                name: raw.sh_name.to_le(),
                ty: SectionType(raw.sh_type.to_le()),
                flags: raw.sh_flags.to_le().into(),
                addr: raw.sh_addr.to_le().into(),
                offset: raw.sh_offset.to_le().into(),
                size: raw.sh_size.to_le().into(),
                link: raw.sh_link.to_le(),
                info: raw.sh_info.to_le(),
                align: raw.sh_addralign.to_le().into(),
                entsize: raw.sh_entsize.to_le().into(),
            }
        }};
    }
    Some(match class {
        Class::Elf32 => section!(copy::<elf32::section_header::SectionHeader>(bytes)?),
        Class::Elf64 => section!(copy::<elf64::section_header::SectionHeader>(bytes)?),
    })
}

/// The symbol at the start of `bytes`; `None` when it is cut off.
#[inline]
pub(crate) fn symbol(class: Class, bytes: &[u8]) -> Option<RawSymbol> {
    macro_rules! symbol {
        ($raw:expr) => {{
            let raw = $raw;
            RawSymbol {
                name: raw.st_name.to_le(),
                info: raw.st_info,
                other: SttOther(raw.st_other),
                section: raw.st_shndx.to_le(),
                value: raw.st_value.to_le().into(),
                size: raw.st_size.to_le().into(),
            }
        }};
    }
    Some(match class {
        Class::Elf32 => symbol!(copy::<elf32::sym::Sym>(bytes)?),
        Class::Elf64 => symbol!(copy::<elf64::sym::Sym>(bytes)?),
    })
}

/// The relocation at the start of `bytes`, with an addend of its own or without; `None` when it is cut off.
#[cfg(feature = "reloc")]
#[inline]
pub(crate) fn relocation(class: Class, addend: bool, bytes: &[u8]) -> Option<RawRelocation> {
    macro_rules! relocation {
        ($elf:ident) => {{
            // The form without an addend is the start of the one with it.
            let raw = copy::<$elf::reloc::Rel>(bytes)?;
            let info = raw.r_info.to_le();
            RawRelocation {
                offset: raw.r_offset.to_le().into(),
                ty: RelocType($elf::reloc::r_type(info)),
                symbol: $elf::reloc::r_sym(info),
                addend: if addend {
                    let raw = copy::<$elf::reloc::Rela>(bytes)?;
                    Some(raw.r_addend.to_le().into())
                } else {
                    None
                },
            }
        }};
    }
    Some(match class {
        Class::Elf32 => relocation!(elf32),
        Class::Elf64 => relocation!(elf64),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes 1, 2, 3 and so on, so that each field has a value of its own, at every alignment.
    fn at_every_alignment(size: usize, check: impl Fn(&[u8])) {
        for shift in 0..8 {
            let bytes: Vec<u8> = (0..shift + size)
                .map(|at| {
                    if at < shift {
                        0
                    } else {
                        u8::try_from(at - shift + 1).unwrap()
                    }
                })
                .collect();
            check(&bytes[shift..]);
        }
    }

    #[test]
    fn headers_of_both_classes_are_copied_from_any_alignment() {
        at_every_alignment(Class::Elf64.header_size(), |bytes| {
            let header = header(Class::Elf64, bytes).unwrap();
            assert_eq!((header.kind.0, header.machine.0), (0x1211, 0x1413));
            assert_eq!(header.version, 0x1817_1615);
            assert_eq!(header.program_headers, 0x2827_2625_2423_2221);
            assert_eq!(header.section_headers, 0x302f_2e2d_2c2b_2a29);
            assert_eq!((header.flags, header.header_size), (0x3433_3231, 0x3635));
            assert_eq!(
                (header.program_header_size, header.program_header_count),
                (0x3837, 0x3a39)
            );
            assert_eq!(
                (header.section_header_size, header.section_count),
                (0x3c3b, 0x3e3d)
            );
            assert_eq!(header.names_index, 0x403f);
            assert!(super::header(Class::Elf64, &bytes[1..]).is_none());
        });
        at_every_alignment(Class::Elf32.header_size(), |bytes| {
            let header = header(Class::Elf32, bytes).unwrap();
            assert_eq!(header.program_headers, 0x201f_1e1d);
            assert_eq!(header.section_headers, 0x2423_2221);
            assert_eq!(header.names_index, 0x3433);
            assert!(super::header(Class::Elf32, &bytes[1..]).is_none());
        });
    }

    #[test]
    fn sections_of_both_classes_are_copied_from_any_alignment() {
        at_every_alignment(Class::Elf64.section_header_size(), |bytes| {
            let section = section(Class::Elf64, bytes, 7).unwrap();
            assert_eq!((section.index, section.name), (7, 0x0403_0201));
            assert_eq!(section.ty.0, 0x0807_0605);
            assert_eq!(section.flags, 0x100f_0e0d_0c0b_0a09);
            assert_eq!(section.addr, 0x1817_1615_1413_1211);
            assert_eq!(section.offset, 0x201f_1e1d_1c1b_1a19);
            assert_eq!(section.size, 0x2827_2625_2423_2221);
            assert_eq!((section.link, section.info), (0x2c2b_2a29, 0x302f_2e2d));
            assert_eq!(section.align, 0x3837_3635_3433_3231);
            assert_eq!(section.entsize, 0x403f_3e3d_3c3b_3a39);
            assert!(super::section(Class::Elf64, &bytes[1..], 7).is_none());
        });
        at_every_alignment(Class::Elf32.section_header_size(), |bytes| {
            let section = section(Class::Elf32, bytes, 7).unwrap();
            assert_eq!((section.flags, section.addr), (0x0c0b_0a09, 0x100f_0e0d));
            assert_eq!((section.offset, section.size), (0x1413_1211, 0x1817_1615));
            assert_eq!((section.align, section.entsize), (0x2423_2221, 0x2827_2625));
            assert!(super::section(Class::Elf32, &bytes[1..], 7).is_none());
        });
    }

    #[test]
    fn symbols_of_both_classes_are_copied_from_any_alignment() {
        at_every_alignment(Class::Elf64.symbol_size(), |bytes| {
            let symbol = symbol(Class::Elf64, bytes).unwrap();
            assert_eq!((symbol.name, symbol.info), (0x0403_0201, 5));
            assert_eq!((symbol.other.0, symbol.section), (6, 0x0807));
            assert_eq!(symbol.value, 0x100f_0e0d_0c0b_0a09);
            assert_eq!(symbol.size, 0x1817_1615_1413_1211);
            assert!(super::symbol(Class::Elf64, &bytes[1..]).is_none());
        });
        // ELF32 orders the fields differently.
        at_every_alignment(Class::Elf32.symbol_size(), |bytes| {
            let symbol = symbol(Class::Elf32, bytes).unwrap();
            assert_eq!((symbol.value, symbol.size), (0x0807_0605, 0x0c0b_0a09));
            assert_eq!((symbol.info, symbol.other.0), (13, 14));
            assert_eq!(symbol.section, 0x100f);
            assert!(super::symbol(Class::Elf32, &bytes[1..]).is_none());
        });
    }

    #[cfg(feature = "reloc")]
    #[test]
    fn relocations_of_both_classes_are_copied_from_any_alignment() {
        at_every_alignment(Class::Elf64.relocation_size(true), |bytes| {
            let entry = relocation(Class::Elf64, true, bytes).unwrap();
            assert_eq!(entry.offset, 0x0807_0605_0403_0201);
            assert_eq!((entry.ty.0, entry.symbol), (0x0c0b_0a09, 0x100f_0e0d));
            assert_eq!(entry.addend, Some(0x1817_1615_1413_1211));
            assert!(relocation(Class::Elf64, true, &bytes[1..]).is_none());
            let entry = relocation(Class::Elf64, false, &bytes[..16]).unwrap();
            assert_eq!((entry.symbol, entry.addend), (0x100f_0e0d, None));
        });
        at_every_alignment(Class::Elf32.relocation_size(true), |bytes| {
            let entry = relocation(Class::Elf32, true, bytes).unwrap();
            assert_eq!((entry.ty.0, entry.symbol), (5, 0x0008_0706));
            assert_eq!(entry.addend, Some(0x0c0b_0a09));
            assert!(relocation(Class::Elf32, true, &bytes[1..]).is_none());
        });
    }
}
