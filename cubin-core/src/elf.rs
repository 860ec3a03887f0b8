//! The ELF container: header, sections, names, symbols.
//!
//! [`Elf::parse`] checks what nvlink checks (entry sizes, section table, program headers and section data inside the
//! file) and decodes nothing else: section headers, names and symbols are read from the bytes when asked for. Both
//! classes and both CUDA layouts are read; extended numbering is resolved, which goblin leaves to its caller.
//! It refuses to know what a section means: that is for the files above.
//!
//! The bytes are decoded by goblin's ELF structures; `elf/raw.rs` is the only file that knows them.

use alloc::{format, string::ToString};
use core::fmt;

mod names;
pub(crate) mod raw;
mod sections;
mod symbols;
mod types;

pub use names::{Names, StringTable, utf8_part};
pub use sections::Sections;
pub use types::{Class, Header, Layout, Place, Section, Symbol};

use raw::{
    ELFCLASS32, ELFCLASS64, ELFDATA2LSB, ELFMAG, FileHeader, SHF_EXECINSTR, SHN_UNDEF, SHN_XINDEX,
};

use crate::{
    Error, ErrorKind, Result,
    consts::{ElfMachine, OsAbi, SectionType},
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
            let wanted = self.header.class.symbol_size();
            if section.entsize != wanted as u64 {
                return Err(Error::malformed(
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
        // NVIDIA's tools refuse such a file; names out of code or data would mean nothing.
        if section.ty != SectionType::STRTAB {
            return Err(self.place(
                Error::malformed(
                    format!(
                        "section {index} is used as a string table, but its type is {:#x}, not SHT_STRTAB",
                        section.ty.0
                    ),
                    section.offset,
                ),
                &section,
            ));
        }
        Ok(StringTable {
            bytes: self.data(&section)?,
            offset: section.offset,
        })
    }

    #[cold]
    fn outside(&self, section: &Section) -> Error {
        let error = Error::truncated(
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
        let size = self.header.class.section_header_size();
        let bytes = (index as usize)
            .checked_mul(size)
            .and_then(|at| self.table.get(at..));
        match bytes.and_then(|bytes| raw::section(self.header.class, bytes, index)) {
            Some(section) => Ok(section),
            None => Err(Error::malformed(
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
fn slice(data: &[u8], offset: u64, size: u64) -> Option<&[u8]> {
    let start = usize::try_from(offset).ok()?;
    let end = start.checked_add(usize::try_from(size).ok()?)?;
    data.get(start..end)
}

/// What does not depend on the class: that it is a little-endian ELF file, of which class, and its ABI.
fn read_ident(data: &[u8]) -> Result<(Class, OsAbi, u8)> {
    let Some(ident) = data.first_chunk::<{ size_of::<raw::Ident>() }>() else {
        return Err(cut_header(data));
    };
    let [_, _, _, _, class, encoding, _, os_abi, abi_version, ..] = *ident;
    if !ident.starts_with(ELFMAG) {
        return Err(Error::new(
            ErrorKind::WrongFormat,
            "not a cubin: the file does not start with the ELF magic 7f 45 4c 46",
            0,
        ));
    }
    let class = match class {
        ELFCLASS32 => Class::Elf32,
        ELFCLASS64 => Class::Elf64,
        other => {
            return Err(Error::malformed(
                format!("EI_CLASS is {other}, expected 1 (32-bit) or 2 (64-bit)"),
                4,
            ));
        }
    };
    if encoding != ELFDATA2LSB {
        return Err(Error::unsupported(
            format!("EI_DATA is {encoding}, expected 1: cubins are little-endian"),
            5,
        ));
    }
    Ok((class, OsAbi(os_abi), abi_version))
}

#[cold]
fn cut_header(data: &[u8]) -> Error {
    Error::new(
        ErrorKind::WrongFormat,
        format!(
            "not a cubin: the file has {} bytes, fewer than an ELF header",
            data.len()
        ),
        0,
    )
}

fn read_header(data: &[u8]) -> Result<Header> {
    let (class, os_abi, abi_version) = read_ident(data)?;
    let raw = raw::header(class, data).ok_or_else(|| cut_header(data))?;
    if raw.machine != ElfMachine::CUDA {
        return Err(Error::new(
            ErrorKind::WrongFormat,
            format!(
                "not a cubin: e_machine is {}, expected {} (CUDA); in host objects read the device code inside",
                raw.machine.0,
                ElfMachine::CUDA.0
            ),
            18,
        ));
    }
    let layout = match os_abi {
        OsAbi::CUDA => Layout::Old,
        OsAbi::CUDA_V2 => Layout::New,
        OsAbi(other) => {
            return Err(Error::unsupported(
                format!(
                    "EI_OSABI is {other:#x}, expected 0x33 or 0x41: this CUDA object has a layout that is not known"
                ),
                7,
            ));
        }
    };
    check_tables(data, class, &raw)?;
    Ok(Header {
        class,
        layout,
        abi_version,
        kind: raw.kind,
        version: raw.version,
        flags: raw.flags,
        header_size: raw.header_size,
        program_headers: raw.program_headers,
        program_header_count: raw.program_header_count,
        section_headers: raw.section_headers,
        section_count: raw.section_count.into(),
        names_index: raw.names_index.into(),
    })
}

/// Entry sizes of both tables, and that the program headers lie inside the file; the section headers are checked where
/// they are read.
fn check_tables(data: &[u8], class: Class, raw: &FileHeader) -> Result<()> {
    // Both fields have two bytes; e_phentsize stands five fields before the end of the header, e_shentsize three.
    let end = class.header_size() as u64;
    if raw.program_header_count != 0 {
        let size = class.program_header_size();
        if usize::from(raw.program_header_size) != size {
            return Err(Error::malformed(
                format!(
                    "e_phentsize is {}, expected {size}",
                    raw.program_header_size
                ),
                end.saturating_sub(10),
            ));
        }
        let bytes = (size as u64).saturating_mul(raw.program_header_count.into());
        if slice(data, raw.program_headers, bytes).is_none() {
            return Err(Error::truncated(
                format!(
                    "{} program headers from {:#x} do not fit into the file of {:#x} bytes",
                    raw.program_header_count,
                    raw.program_headers,
                    data.len()
                ),
                raw.program_headers,
            ));
        }
    }
    // NVIDIA's tools take no such file for one with device code.
    if (1..end).contains(&raw.section_headers) {
        return Err(Error::malformed(
            format!(
                "e_shoff is {:#x}, inside of the file header of {end:#x} bytes",
                raw.section_headers
            ),
            match class {
                Class::Elf32 => 32,
                Class::Elf64 => 40,
            },
        ));
    }
    let size = class.section_header_size();
    if raw.section_headers != 0 && usize::from(raw.section_header_size) != size {
        return Err(Error::malformed(
            format!(
                "e_shentsize is {}, expected {size}",
                raw.section_header_size
            ),
            end.saturating_sub(6),
        ));
    }
    Ok(())
}

/// The section header table, and the two numbers that section 0 holds when they do not fit the header.
fn section_table<'a>(data: &'a [u8], header: &mut Header) -> Result<&'a [u8]> {
    if header.section_headers == 0 {
        if header.section_count != 0 {
            return Err(Error::malformed(
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
    let size = header.class.section_header_size() as u64;
    let first = slice(data, header.section_headers, size)
        .and_then(|bytes| raw::section(header.class, bytes, 0))
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
    Error::truncated(
        format!(
            "the section table ({} headers from {:#x}) does not fit into the file of {:#x} bytes: the file is cut off or damaged",
            header.section_count,
            header.section_headers,
            data.len()
        ),
        header.section_headers,
    )
}
