//! The ELF container: header, sections, names, symbols. The only file that names goblin.
//!
//! [`Elf::parse`] checks what nvlink checks (entry sizes, section table, program headers and section data inside the
//! file) and decodes nothing else: section headers, names and symbols are read from the bytes when asked for. Both
//! classes and both CUDA layouts are read; extended numbering is resolved, which goblin leaves to its caller.
//! It refuses to know what a section means: that is for the files above.
//!
//! goblin lends its ELF structures and constants. The fields are read here one by one, so that unaligned data and
//! big-endian hosts are served too; the compiler makes plain loads of them.

use core::fmt;

use goblin::elf::{
    header::{ELFCLASS32, ELFCLASS64, ELFDATA2LSB, ELFMAG, SIZEOF_IDENT},
    section_header::{SHF_EXECINSTR, SHN_UNDEF, SHN_XINDEX},
};
use goblin::{elf32, elf64};

mod names;
mod sections;
mod symbols;
mod types;

pub use names::{Names, StringTable, utf8_part};
pub use sections::Sections;
pub use types::{Class, Header, Layout, Place, Section, Symbol};

use crate::{
    Error, Result,
    consts::{ElfMachine, ElfType, OsAbi, SectionType},
    limits,
    reader::Reader,
};

/// A well-formed CUDA ELF object over borrowed bytes.
#[derive(Clone)]
pub struct Elf<'a> {
    data: &'a [u8],
    header: Header,
    /// The section header table, exactly `section_count` entries.
    table: &'a [u8],
    section_names: StringTable<'a>,
    symbols: SymbolTable<'a>,
    executable: u32,
}

/// The symbol table with what belongs to it; empty when the file has none.
#[derive(Clone, Copy, Default)]
struct SymbolTable<'a> {
    section: u32,
    entries: &'a [u8],
    offset: u64,
    names: StringTable<'a>,
    /// SHT_SYMTAB_SHNDX: u32 section index per symbol.
    extended: Option<&'a [u8]>,
}

/// The header and the length, not the bytes.
impl fmt::Debug for Elf<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Elf")
            .field("header", &self.header)
            .field("len", &self.data.len())
            .finish_non_exhaustive()
    }
}

impl<'a> Elf<'a> {
    /// Checks the header, the section table, the program headers and the place of every section's data.
    ///
    /// # Errors
    /// When `data` is no little-endian CUDA ELF object, or when one of those lies outside the file.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        let mut header = read_header(data)?;
        let table = section_table(data, &mut header)?;
        let mut elf = Self {
            data,
            header,
            table,
            section_names: StringTable::default(),
            symbols: SymbolTable::default(),
            executable: 0,
        };
        elf.check_sections()?;
        Ok(elf)
    }

    /// One pass over the section headers: bounds of the data, and where names and symbols are.
    fn check_sections(&mut self) -> Result<()> {
        let length = self.data.len() as u64;
        let mut symtab = None;
        let mut extended = None;
        let mut executable = 0_u32;
        for section in self.sections() {
            let end = section.offset.checked_add(section.size);
            if end.is_none_or(|end| end > length)
                && section.ty != SectionType::NULL
                && !section.ty.no_bits()
            {
                return Err(self.outside(&section));
            }
            if section.flags & u64::from(SHF_EXECINSTR) != 0 {
                executable = executable.wrapping_add(1);
            }
            match section.ty {
                // The symbol table is found by its type: `sh_link` of `.nv.info` is stale in files of CUDA 12.1 and 12.2.
                SectionType::SYMTAB if symtab.is_none() => symtab = Some(section),
                SectionType::SYMTAB_SHNDX if extended.is_none() => extended = Some(section),
                _ => {}
            }
        }
        self.executable = executable;
        if self.header.names_index != SHN_UNDEF {
            self.section_names = self.string_table(self.header.names_index)?;
        }
        if let Some(section) = symtab {
            let wanted = symbol_size(self.header.class);
            if section.entsize != wanted as u64 {
                return Err(Error::new(
                    format!(
                        "the symbol table has entries of {} bytes, expected {wanted}",
                        section.entsize
                    ),
                    section.offset,
                )
                .in_section(".symtab"));
            }
            self.symbols = SymbolTable {
                section: section.index,
                entries: self.data(&section)?,
                offset: section.offset,
                names: self.string_table(section.link)?,
                extended: match extended {
                    Some(table) if table.link == section.index => Some(self.data(&table)?),
                    _ => None,
                },
            };
        }
        Ok(())
    }

    fn string_table(&self, index: u32) -> Result<StringTable<'a>> {
        let section = self.section(index)?;
        Ok(StringTable {
            bytes: self.data(&section)?,
            offset: section.offset,
        })
    }

    #[cold]
    fn outside(&self, section: &Section) -> Error {
        let error = Error::new(
            format!(
                "section {} covers {:#x} bytes from {:#x}, beyond the end of the file at {:#x}: the file is cut off or damaged",
                section.index,
                section.size,
                section.offset,
                self.data.len()
            ),
            section.offset,
        );
        self.place(error, section)
    }

    /// Adds the name of `section` to an error: as much of it as a message needs, its number when it has none.
    #[cold]
    #[must_use]
    pub(crate) fn place(&self, error: Error, section: &Section) -> Error {
        let tail = self.section_names.tail(section.name);
        let window = tail.get(..limits::NAME_IN_ERROR).unwrap_or(tail);
        let end = window.iter().position(|&byte| byte == 0);
        match window.get(..end.unwrap_or(window.len())) {
            Some(name) if !name.is_empty() => error.in_section(name.escape_ascii().to_string()),
            _ => error.in_section(format!("#{}", section.index)),
        }
    }

    /// The whole file.
    #[inline]
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.data
    }

    /// The file header.
    #[inline]
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Number of sections, section 0 included.
    #[inline]
    #[must_use]
    pub fn section_count(&self) -> u32 {
        self.header.section_count
    }

    /// Number of sections with machine code (`SHF_EXECINSTR`).
    #[inline]
    #[must_use]
    pub fn executable_sections(&self) -> u32 {
        self.executable
    }

    /// The section header of an index.
    ///
    /// # Errors
    /// When there is no such section.
    #[inline]
    pub fn section(&self, index: u32) -> Result<Section> {
        let size = section_size(self.header.class);
        let bytes = (index as usize)
            .checked_mul(size)
            .and_then(|at| self.table.get(at..));
        match bytes.and_then(|bytes| decode_section(self.header.class, bytes, index)) {
            Some(section) => Ok(section),
            None => Err(Error::new(
                format!(
                    "section {index} is referred to, but the file has only {} sections",
                    self.header.section_count
                ),
                self.header.section_headers,
            )),
        }
    }

    /// All section headers in file order, section 0 included.
    #[inline]
    #[must_use]
    pub fn sections(&self) -> Sections<'a> {
        Sections::new(self.header.class, self.table)
    }

    /// The first section whose name is exactly `name`.
    #[must_use]
    pub fn section_named(&self, name: &[u8]) -> Option<Section> {
        self.sections().find(|section| self.is_named(section, name))
    }

    /// Whether the name of `section` is exactly `name`; compares no more bytes than that name has.
    #[inline]
    #[must_use]
    pub fn is_named(&self, section: &Section, name: &[u8]) -> bool {
        self.section_names
            .tail(section.name)
            .strip_prefix(name)
            .is_some_and(|rest| rest.first() == Some(&0))
    }

    /// The string table of section names.
    #[inline]
    #[must_use]
    pub fn section_names(&self) -> StringTable<'a> {
        self.section_names
    }

    /// The name of a section.
    ///
    /// # Errors
    /// When it lies outside the string table or is not terminated.
    #[inline]
    pub fn section_name(&self, section: &Section) -> Result<&'a [u8]> {
        self.section_names.get(section.name)
    }

    /// The bytes of a section; empty for section types without bytes in the file.
    ///
    /// # Errors
    /// When they lie outside the file.
    #[inline]
    pub fn data(&self, section: &Section) -> Result<&'a [u8]> {
        if section.ty.no_bits() || section.ty == SectionType::NULL {
            return Ok(&[]);
        }
        slice(self.data, section.offset, section.size).ok_or_else(|| self.outside(section))
    }

    /// A cursor over the bytes of a section.
    ///
    /// # Errors
    /// As [`data`](Self::data).
    #[inline]
    pub fn reader(&self, section: &Section) -> Result<Reader<'a>> {
        Ok(Reader::new(self.data(section)?, section.offset))
    }
}

#[inline]
fn section_size(class: Class) -> usize {
    match class {
        Class::Elf32 => elf32::section_header::SIZEOF_SHDR,
        Class::Elf64 => elf64::section_header::SIZEOF_SHDR,
    }
}

#[inline]
fn symbol_size(class: Class) -> usize {
    match class {
        Class::Elf32 => elf32::sym::SIZEOF_SYM,
        Class::Elf64 => elf64::sym::SIZEOF_SYM,
    }
}

fn program_header_size(class: Class) -> usize {
    match class {
        Class::Elf32 => elf32::program_header::SIZEOF_PHDR,
        Class::Elf64 => elf64::program_header::SIZEOF_PHDR,
    }
}

#[inline]
fn slice(data: &[u8], offset: u64, size: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    data.get(start..end)
}

#[inline]
fn decode_section(class: Class, bytes: &[u8], index: u32) -> Option<Section> {
    match class {
        Class::Elf64 => {
            let bytes: &[u8; elf64::section_header::SIZEOF_SHDR] = bytes.first_chunk()?;
            let raw = section64(bytes).ok()?;
            Some(Section {
                index,
                name: raw.sh_name,
                ty: SectionType(raw.sh_type),
                flags: raw.sh_flags,
                addr: raw.sh_addr,
                offset: raw.sh_offset,
                size: raw.sh_size,
                link: raw.sh_link,
                info: raw.sh_info,
                align: raw.sh_addralign,
                entsize: raw.sh_entsize,
            })
        }
        Class::Elf32 => {
            let bytes: &[u8; elf32::section_header::SIZEOF_SHDR] = bytes.first_chunk()?;
            let raw = section32(bytes).ok()?;
            Some(Section {
                index,
                name: raw.sh_name,
                ty: SectionType(raw.sh_type),
                flags: raw.sh_flags.into(),
                addr: raw.sh_addr.into(),
                offset: raw.sh_offset.into(),
                size: raw.sh_size.into(),
                link: raw.sh_link,
                info: raw.sh_info,
                align: raw.sh_addralign.into(),
                entsize: raw.sh_entsize.into(),
            })
        }
    }
}

#[inline]
fn section64(bytes: &[u8]) -> Result<elf64::section_header::SectionHeader> {
    let mut reader = Reader::new(bytes, 0);
    Ok(elf64::section_header::SectionHeader {
        sh_name: reader.u32()?,
        sh_type: reader.u32()?,
        sh_flags: reader.u64()?,
        sh_addr: reader.u64()?,
        sh_offset: reader.u64()?,
        sh_size: reader.u64()?,
        sh_link: reader.u32()?,
        sh_info: reader.u32()?,
        sh_addralign: reader.u64()?,
        sh_entsize: reader.u64()?,
    })
}

#[inline]
fn section32(bytes: &[u8]) -> Result<elf32::section_header::SectionHeader> {
    let mut reader = Reader::new(bytes, 0);
    Ok(elf32::section_header::SectionHeader {
        sh_name: reader.u32()?,
        sh_type: reader.u32()?,
        sh_flags: reader.u32()?,
        sh_addr: reader.u32()?,
        sh_offset: reader.u32()?,
        sh_size: reader.u32()?,
        sh_link: reader.u32()?,
        sh_info: reader.u32()?,
        sh_addralign: reader.u32()?,
        sh_entsize: reader.u32()?,
    })
}

#[inline]
fn decode_symbol(class: Class, bytes: &[u8]) -> Option<elf64::sym::Sym> {
    match class {
        Class::Elf64 => {
            let bytes: &[u8; elf64::sym::SIZEOF_SYM] = bytes.first_chunk()?;
            let mut reader = Reader::new(bytes, 0);
            symbol64(&mut reader).ok()
        }
        Class::Elf32 => {
            let bytes: &[u8; elf32::sym::SIZEOF_SYM] = bytes.first_chunk()?;
            let mut reader = Reader::new(bytes, 0);
            symbol32(&mut reader).ok()
        }
    }
}

#[inline]
fn symbol64(reader: &mut Reader<'_>) -> Result<elf64::sym::Sym> {
    Ok(elf64::sym::Sym {
        st_name: reader.u32()?,
        st_info: reader.u8()?,
        st_other: reader.u8()?,
        st_shndx: reader.u16()?,
        st_value: reader.u64()?,
        st_size: reader.u64()?,
    })
}

/// ELF32 orders the fields differently.
#[inline]
fn symbol32(reader: &mut Reader<'_>) -> Result<elf64::sym::Sym> {
    let st_name = reader.u32()?;
    let st_value = reader.u32()?.into();
    let st_size = reader.u32()?.into();
    Ok(elf64::sym::Sym {
        st_name,
        st_info: reader.u8()?,
        st_other: reader.u8()?,
        st_shndx: reader.u16()?,
        st_value,
        st_size,
    })
}

fn read_header(data: &[u8]) -> Result<Header> {
    let mut reader = Reader::new(data, 0);
    let ident: &[u8; SIZEOF_IDENT] = reader
        .array()
        .map_err(|_| Error::new("no cubin: the file is shorter than an ELF header", 0))?;
    let [_, _, _, _, class, encoding, _, os_abi, abi_version, ..] = *ident;
    if !ident.starts_with(ELFMAG) {
        return Err(Error::new(
            "no cubin: the file does not start with the ELF magic 7f 45 4c 46",
            0,
        ));
    }
    let class = match class {
        ELFCLASS32 => Class::Elf32,
        ELFCLASS64 => Class::Elf64,
        other => {
            return Err(Error::new(
                format!("EI_CLASS is {other}, expected 1 (32-bit) or 2 (64-bit)"),
                4,
            ));
        }
    };
    if encoding != ELFDATA2LSB {
        return Err(Error::new(
            format!("EI_DATA is {encoding}, expected 1: cubins are little-endian"),
            5,
        ));
    }
    let word = |reader: &mut Reader<'_>| match class {
        Class::Elf32 => reader.u32().map(u64::from),
        Class::Elf64 => reader.u64(),
    };
    let kind = ElfType(reader.u16()?);
    let machine = ElfMachine(reader.u16()?);
    if machine != ElfMachine::CUDA {
        return Err(Error::new(
            format!(
                "no cubin: e_machine is {}, expected {} (CUDA); in host objects read the device code inside",
                machine.0,
                ElfMachine::CUDA.0
            ),
            18,
        ));
    }
    let layout = match OsAbi(os_abi) {
        OsAbi::CUDA => Layout::Old,
        OsAbi::CUDA_V2 => Layout::New,
        OsAbi(other) => {
            return Err(Error::new(
                format!(
                    "EI_OSABI is {other:#x}, expected 0x33 or 0x41: this CUDA object has a layout that is not known"
                ),
                7,
            ));
        }
    };
    let version = reader.u32()?;
    let _entry = word(&mut reader)?;
    let program_headers = word(&mut reader)?;
    let section_headers = word(&mut reader)?;
    let flags = reader.u32()?;
    let header_size = reader.u16()?;
    let program_header_entry = reader.u16()?;
    let program_header_count = reader.u16()?;
    let sizes_at = reader.offset();
    let section_entry = reader.u16()?;
    let section_count = reader.u16()?;
    let names_index = reader.u16()?;

    if program_header_count != 0 {
        let size = program_header_size(class);
        if usize::from(program_header_entry) != size {
            return Err(Error::new(
                format!("e_phentsize is {program_header_entry}, expected {size}"),
                sizes_at.saturating_sub(4),
            ));
        }
        let bytes = (size as u64).saturating_mul(program_header_count.into());
        if slice(data, program_headers, bytes).is_none() {
            return Err(Error::new(
                format!(
                    "{program_header_count} program headers from {program_headers:#x} do not fit into the file of {:#x} bytes",
                    data.len()
                ),
                program_headers,
            ));
        }
    }
    if section_headers != 0 && usize::from(section_entry) != section_size(class) {
        return Err(Error::new(
            format!(
                "e_shentsize is {section_entry}, expected {}",
                section_size(class)
            ),
            sizes_at,
        ));
    }
    Ok(Header {
        class,
        layout,
        abi_version,
        kind,
        version,
        flags,
        header_size,
        program_headers,
        program_header_count,
        section_headers,
        section_count: section_count.into(),
        names_index: names_index.into(),
    })
}

/// The section header table, and the two numbers that section 0 holds when they do not fit the header.
fn section_table<'a>(data: &'a [u8], header: &mut Header) -> Result<&'a [u8]> {
    if header.section_headers == 0 {
        if header.section_count != 0 {
            return Err(Error::new(
                format!(
                    "{} sections are announced, but e_shoff is 0",
                    header.section_count
                ),
                0,
            ));
        }
        header.names_index = SHN_UNDEF;
        return Ok(&[]);
    }
    let size = section_size(header.class) as u64;
    let first = slice(data, header.section_headers, size)
        .and_then(|bytes| decode_section(header.class, bytes, 0))
        .ok_or_else(|| no_table(data, header))?;
    if header.section_count == 0 {
        header.section_count = u32::try_from(first.size).map_err(|_| no_table(data, header))?;
    }
    if header.names_index == SHN_XINDEX {
        header.names_index = first.link;
    }
    size.checked_mul(header.section_count.into())
        .and_then(|bytes| slice(data, header.section_headers, bytes))
        .ok_or_else(|| no_table(data, header))
}

#[cold]
fn no_table(data: &[u8], header: &Header) -> Error {
    Error::new(
        format!(
            "the section table ({} headers from {:#x}) does not fit into the file of {:#x} bytes: the file is cut off or damaged",
            header.section_count,
            header.section_headers,
            data.len()
        ),
        header.section_headers,
    )
}
