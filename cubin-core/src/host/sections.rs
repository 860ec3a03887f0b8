//! Just enough of host ELF files to find named sections: both classes, little-endian, any machine.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};
use core::ops::Range;

use crate::{
    Error, Result,
    consts::{ElfMachine, SectionType},
    elf::{
        Class,
        raw::{self, ELFCLASS32, ELFCLASS64, ELFDATA2LSB, SHF_EXCLUDE, SHN_XINDEX},
        utf8_part,
    },
};

/// Bytes of a name that are looked at: 60,000 names without an end would be read to the end of the file each.
const LONGEST_NAME: usize = 512;

/// A section that holds bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Section<'a> {
    pub(super) name: &'a str,
    pub(super) offset: u64,
    pub(super) size: u64,
    /// The linker leaves it out: bitcode that Rust's objects carry holds all constants once more.
    pub(super) excluded: bool,
}

impl Section<'_> {
    /// Its bytes in the file `data`; `None` where they pass the end.
    pub(super) fn range(&self, data: &[u8]) -> Option<Range<usize>> {
        let start = usize::try_from(self.offset).ok()?;
        let end = start.checked_add(usize::try_from(self.size).ok()?)?;
        (end <= data.len()).then_some(start..end)
    }
}

/// `e_machine`, when there are that many bytes.
pub(super) fn machine(data: &[u8]) -> Option<ElfMachine> {
    u16_at(data, 18).map(ElfMachine)
}

/// The section headers of a file, as they stand.
pub(super) struct Table<'a> {
    pub(super) class: Class,
    headers: core::slice::ChunksExact<'a, u8>,
    count: u64,
    /// Their names, each with a zero behind it.
    names: &'a [u8],
}

impl<'a> Table<'a> {
    /// Every header, in order: their position is their index.
    pub(super) fn headers(&self) -> impl Iterator<Item = crate::elf::Section> + use<'a> {
        let class = self.class;
        let count = usize::try_from(self.count).unwrap_or(usize::MAX);
        let headers = self.headers.clone().take(count);
        // Only the fields are of interest here, so no index is given.
        headers.filter_map(move |bytes| raw::section(class, bytes, 0))
    }

    fn name(&self, section: &crate::elf::Section) -> &'a str {
        name_in(self.names, section.name)
    }
}

/// The name at `at` in a table of names; empty where it lies outside.
pub(super) fn name_in(table: &[u8], at: u32) -> &str {
    let at = usize::try_from(at).ok();
    name_at(at.and_then(|at| table.get(at..)).unwrap_or_default())
}

/// The section table of `data`; `None` when there is none.
///
/// `base` is where `data` starts in the whole file.
pub(super) fn table(data: &[u8], base: u64) -> Result<Option<Table<'_>>> {
    let cut = |what: String| Error::truncated(what, base);
    let class = match (data.get(4), data.get(5)) {
        (Some(&ELFCLASS64), Some(&ELFDATA2LSB)) => Class::Elf64,
        (Some(&ELFCLASS32), Some(&ELFDATA2LSB)) => Class::Elf32,
        (Some(class), Some(order)) => {
            return Err(Error::unsupported(
                format!(
                    "an ELF file of class {class}, byte order {order}: only little-endian hosts run CUDA"
                ),
                base,
            ));
        }
        _ => {
            return Err(cut(format!(
                "an ELF file of {} bytes is cut off",
                data.len()
            )));
        }
    };
    let header =
        raw::header(class, data).ok_or_else(|| cut("the ELF header is cut off".to_owned()))?;
    let table = header.section_headers;
    if table == 0 {
        return Ok(None);
    }
    let size = class.section_header_size();
    if usize::from(header.section_header_size) != size {
        return Err(Error::malformed(
            format!(
                "the ELF header says {} bytes per section header, {size} are right",
                header.section_header_size
            ),
            base,
        ));
    }
    let rest = usize::try_from(table)
        .ok()
        .and_then(|table| data.get(table..))
        .ok_or_else(|| {
            cut(format!(
                "the section table at {table} lies past the end of the file, which has {} bytes; is it cut off?",
                data.len()
            ))
        })?;
    // Only the fields are of interest here, so no index is given.
    let section = |bytes| raw::section(class, bytes, 0);
    let headers = rest.chunks_exact(size);
    let first = headers
        .clone()
        .next()
        .and_then(section)
        .ok_or_else(|| cut("the section table is cut off".to_owned()))?;
    // Extended numbering: more than 65,279 sections put count and string table into section 0.
    let count = match header.section_count {
        0 => first.size,
        count => u64::from(count),
    };
    let strings = match header.names_index.into() {
        SHN_XINDEX => first.link,
        strings => strings,
    };
    let have = headers.len() as u64;
    if count > have {
        return Err(cut(format!(
            "the section table has {count} entries by the header, the file holds {have}; is it cut off?"
        )));
    }
    let table = headers
        .clone()
        .nth(strings as usize)
        .and_then(section)
        .ok_or_else(|| {
            let what = format!("section {strings}, the table of section names, does not exist");
            Error::malformed(what, base)
        })?;
    let table = usize::try_from(table.offset)
        .ok()
        .and_then(|start| data.get(start..))
        .ok_or_else(
            || cut("the table of section names lies past the end of the file".to_owned()),
        )?;
    Ok(Some(Table {
        class,
        headers,
        count,
        names: table,
    }))
}

/// The sections of `data` that hold bytes, by offset; none when there is no section table.
///
/// `base` is where `data` starts in the whole file.
pub(super) fn all(data: &[u8], base: u64) -> Result<Vec<Section<'_>>> {
    let mut found = Vec::new();
    let Some(table) = table(data, base)? else {
        return Ok(found);
    };
    for header in table.headers() {
        if header.ty != SectionType::NOBITS && header.size != 0 {
            found.push(Section {
                name: table.name(&header),
                offset: header.offset,
                size: header.size,
                excluded: header.flags & u64::from(SHF_EXCLUDE) != 0,
            });
        }
    }
    found.sort_by_key(|section| section.offset);
    Ok(found)
}

/// The name at the start of `table`, cut where it has no end.
fn name_at(table: &[u8]) -> &str {
    let name = table.get(..LONGEST_NAME).unwrap_or(table);
    let name = name.split(|byte| *byte == 0).next();
    utf8_part(name.unwrap_or_default())
}

/// Of sorted sections, the one that the byte at `at` stands in.
pub(super) fn holding<'s, 'a>(sections: &'s [Section<'a>], at: u64) -> Option<&'s Section<'a>> {
    let behind = sections.partition_point(|section| section.offset <= at);
    let section = sections.get(behind.checked_sub(1)?)?;
    let distance = at.checked_sub(section.offset)?;
    (distance < section.size).then_some(section)
}

fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    let bytes = data.get(at..)?.first_chunk()?;
    Some(u16::from_le_bytes(*bytes))
}
