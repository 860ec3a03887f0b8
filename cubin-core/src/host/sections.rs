//! Just enough of host ELF files to find named sections: both classes, little-endian, any machine.

use crate::consts::{ElfMachine, SectionType};

/// A section found by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Section {
    pub(super) name: &'static str,
    pub(super) offset: u64,
    pub(super) size: u64,
}

/// Where the fields of one ELF class lie.
struct Layout {
    wide: bool,
    /// Offset of `e_shoff`.
    shoff: usize,
    /// Offset of `e_shentsize`; `e_shnum` and `e_shstrndx` follow.
    shentsize: usize,
    /// Bytes of a section header.
    entry: usize,
    /// Offset of `sh_offset` in it; `sh_size` and `sh_link` follow.
    sh_offset: usize,
}

const ELF64: Layout = Layout {
    wide: true,
    shoff: 40,
    shentsize: 58,
    entry: 64,
    sh_offset: 24,
};

const ELF32: Layout = Layout {
    wide: false,
    shoff: 32,
    shentsize: 46,
    entry: 40,
    sh_offset: 16,
};

struct Header {
    name: u32,
    kind: SectionType,
    offset: u64,
    size: u64,
    link: u32,
}

impl Layout {
    fn word(&self, data: &[u8], at: usize) -> Option<u64> {
        let rest = data.get(at..)?;
        match self.wide {
            true => rest.first_chunk().map(|bytes| u64::from_le_bytes(*bytes)),
            false => rest
                .first_chunk()
                .map(|bytes| u64::from(u32::from_le_bytes(*bytes))),
        }
    }

    fn header(&self, data: &[u8]) -> Option<Header> {
        let width = if self.wide { 8 } else { 4_usize };
        let size_at = self.sh_offset.checked_add(width)?;
        Some(Header {
            name: u32_at(data, 0)?,
            kind: SectionType(u32_at(data, 4)?),
            offset: self.word(data, self.sh_offset)?,
            size: self.word(data, size_at)?,
            link: u32_at(data, size_at.checked_add(width)?)?,
        })
    }
}

/// `e_machine`, when there are that many bytes.
pub(super) fn machine(data: &[u8]) -> Option<ElfMachine> {
    u16_at(data, 18).map(ElfMachine)
}

/// The sections of `data` that bear one of `names` and hold bytes, in section order; none when there is no section table.
pub(super) fn find(data: &[u8], names: &[&'static str]) -> Result<Vec<Section>, String> {
    let layout = match (data.get(4), data.get(5)) {
        (Some(2), Some(1)) => &ELF64,
        (Some(1), Some(1)) => &ELF32,
        (Some(class), Some(order)) => {
            return Err(format!(
                "an ELF file of class {class}, byte order {order}: only little-endian hosts run CUDA"
            ));
        }
        _ => return Err(format!("an ELF file of {} bytes is cut off", data.len())),
    };
    let cut = || "the ELF header is cut off".to_owned();
    let table = layout.word(data, layout.shoff).ok_or_else(cut)?;
    let field = |skip: usize| u16_at(data, layout.shentsize.saturating_add(skip));
    let entry_size = field(0).ok_or_else(cut)?;
    let count = field(2).ok_or_else(cut)?;
    let strings = field(4).ok_or_else(cut)?;
    if table == 0 {
        return Ok(Vec::new());
    }
    if usize::from(entry_size) != layout.entry {
        return Err(format!(
            "the ELF header says {entry_size} bytes per section header, {} are right",
            layout.entry
        ));
    }
    let rest = usize::try_from(table)
        .ok()
        .and_then(|table| data.get(table..))
        .ok_or_else(|| {
            format!(
                "the section table at {table} lies past the end of the file, which has {} bytes; is it cut off?",
                data.len()
            )
        })?;
    let mut headers = rest.chunks_exact(layout.entry);
    let first = headers
        .clone()
        .next()
        .and_then(|bytes| layout.header(bytes))
        .ok_or("the section table is cut off")?;
    // Extended numbering: more than 65,279 sections put count and string table into section 0.
    let count = match count {
        0 => first.size,
        count => u64::from(count),
    };
    let strings = match strings {
        0xffff => first.link,
        strings => u32::from(strings),
    };
    let have = headers.len() as u64;
    if count > have {
        return Err(format!(
            "the section table has {count} entries by the header, the file holds {have}; is it cut off?"
        ));
    }
    let table = headers
        .clone()
        .nth(strings as usize)
        .and_then(|bytes| layout.header(bytes))
        .ok_or_else(|| format!("section {strings}, the table of section names, does not exist"))?;
    let start = usize::try_from(table.offset).map_err(|_| cut())?;
    let table = data
        .get(start..)
        .ok_or("the table of section names lies past the end of the file")?;
    let mut found = Vec::new();
    for header in headers
        .by_ref()
        .take(usize::try_from(count).unwrap_or(usize::MAX))
        .filter_map(|bytes| layout.header(bytes))
    {
        let name = usize::try_from(header.name)
            .ok()
            .and_then(|at| table.get(at..))
            .unwrap_or_default();
        let matched = names.iter().find(|wanted| {
            name.strip_prefix(wanted.as_bytes())
                .is_some_and(|rest| rest.first() == Some(&0))
        });
        if let Some(name) = matched
            && header.kind != SectionType::NOBITS
        {
            found.push(Section {
                name,
                offset: header.offset,
                size: header.size,
            });
        }
    }
    Ok(found)
}

fn u16_at(data: &[u8], at: usize) -> Option<u16> {
    let bytes = data.get(at..)?.first_chunk()?;
    Some(u16::from_le_bytes(*bytes))
}

fn u32_at(data: &[u8], at: usize) -> Option<u32> {
    let bytes = data.get(at..)?.first_chunk()?;
    Some(u32::from_le_bytes(*bytes))
}
