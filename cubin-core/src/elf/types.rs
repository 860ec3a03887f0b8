//! Header, section and symbol as both classes and both layouts share them.

use crate::consts::{ElfType, SectionType, SttOther, SymbolBinding, SymbolType};

/// Word size of the object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// ELF32, from `-m 32` builds of CUDA 11 and 12.0.
    Elf32,
    /// ELF64.
    Elf64,
}

/// Which of NVIDIA's two header layouts the file has, by `EI_OSABI`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Layout {
    /// `EI_OSABI` 0x33, `EI_ABIVERSION` 7.
    Old,
    /// `EI_OSABI` 0x41, `EI_ABIVERSION` 8.
    New,
}

/// The file header, both classes alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// Word size.
    pub class: Class,
    /// Which bits of `flags` and which version field count.
    pub layout: Layout,
    /// `EI_ABIVERSION`.
    pub abi_version: u8,
    /// `e_type`: relocatable, executable, extensible whole program.
    pub kind: ElfType,
    /// `e_version`: ten times the toolkit's major version plus the minor one (old layout), 1 (new layout).
    pub version: u32,
    /// `e_flags`.
    pub flags: u32,
    /// `e_ehsize`: bytes of this header.
    pub header_size: u16,
    /// Offset of the program header table in the file.
    pub program_headers: u64,
    /// Number of program headers.
    pub program_header_count: u16,
    /// Offset of the section header table in the file.
    pub section_headers: u64,
    /// Number of section headers, extended numbering resolved.
    pub section_count: u32,
    /// Index of the section-name string table, extended numbering resolved.
    pub names_index: u32,
}

/// One section header, both classes alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Section {
    /// Position in the section table.
    pub index: u32,
    /// `sh_name`: offset of the name in the section-name string table.
    pub name: u32,
    /// `sh_type`.
    pub ty: SectionType,
    /// `sh_flags`.
    pub flags: u64,
    /// `sh_addr`.
    pub addr: u64,
    /// `sh_offset`: where the data starts in the file.
    pub offset: u64,
    /// `sh_size` in bytes.
    pub size: u64,
    /// `sh_link`.
    pub link: u32,
    /// `sh_info`.
    pub info: u32,
    /// `sh_addralign`.
    pub align: u64,
    /// `sh_entsize` in bytes.
    pub entsize: u64,
}

/// Where a symbol is defined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// Nowhere in this file.
    Undefined,
    /// In the section of this index, extended numbering resolved.
    Section(u32),
    /// One of the reserved values, 0xff00 to 0xfffe (0xfff1: an absolute value).
    Reserved(u16),
}

/// One symbol, both classes alike.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Symbol {
    /// Position in the symbol table.
    pub index: u32,
    /// `st_name`: offset of the name in the string table.
    pub name: u32,
    /// `st_info`: binding and type.
    pub info: u8,
    /// `st_other`: visibility and CUDA's bits.
    pub other: SttOther,
    /// `st_shndx`.
    pub place: Place,
    /// `st_value`.
    pub value: u64,
    /// `st_size` in bytes.
    pub size: u64,
}

impl Symbol {
    /// Type: object, function, section, or one of CUDA's own.
    #[inline]
    #[must_use]
    pub fn ty(&self) -> SymbolType {
        SymbolType(self.info & 0xf)
    }

    /// Binding: local, global, weak.
    #[inline]
    #[must_use]
    pub fn binding(&self) -> SymbolBinding {
        SymbolBinding(self.info >> 4)
    }
}
