//! Source lines of machine code, from `.debug_line`, which `-lineinfo` and `-G` add.
//!
//! The programs are DWARF's (version 3, CUDA 13.5), read by gimli, with two things of NVIDIA's own. Every sequence starts at
//! address 0; which function it is of stands in a relocation. And the extended opcode 0x90 says, for the rows that follow,
//! which earlier row was the call by which their code came in: number of that row in its sequence (from 1, 0 for none) and
//! place of the callee's name in `.debug_str`. nvdisasm's `-gi` prints the same.

use std::{collections::HashMap, sync::Arc};

use gimli::{
    DebugLine, DebugLineOffset, EndianSlice, LineInstruction, LineProgramHeader, LineRow,
    LittleEndian, Reader as _, Relocate, RelocateReader,
};

use crate::{
    Cubin, Error, Result,
    elf::{Class, Place as SymbolPlace},
    reloc,
};

/// The extended opcode by which NVIDIA's tools say what was inlined where.
const INLINED_AT: u8 = 0x90;

/// Deepest chain of inlined calls that is told; a file whose rows name each other in a circle meets it.
pub const DEPTH: usize = 64;

/// Longest path that is shown, in characters: every path of a file would otherwise be copied for every line.
const PATH: usize = 4096;

type Slice<'a> = EndianSlice<'a, LittleEndian>;
type Input<'a> = RelocateReader<Slice<'a>, &'a Addresses>;

/// A place in a source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub struct SourceLine {
    /// As nvcc was told, mostly a whole path.
    pub file: Arc<str>,
    /// From 1; 0 for code that belongs to no line.
    pub line: u64,
}

/// From there to the next row code belongs to a line.
#[derive(Debug)]
struct Row {
    section: u64,
    offset: u64,
    place: Option<SourceLine>,
    /// Index of the row that is the call by which the code was inlined.
    caller: Option<usize>,
}

/// The lines of a cubin.
#[derive(Debug)]
pub struct Lines {
    /// In the order of the file, which callers are counted by.
    rows: Vec<Row>,
    /// Indices of rows by section and offset.
    order: Vec<usize>,
}

impl Lines {
    /// Reads `.debug_line`; `None` when the file has none, or one without lines (of PTX that names none).
    ///
    /// # Errors
    /// When the section, its relocations or a program in it are damaged.
    pub fn read(cubin: &Cubin<'_>) -> Result<Option<Self>> {
        let elf = cubin.elf();
        let Some(section) = elf.section_named(b".debug_line") else {
            return Ok(None);
        };
        let data = elf.data(&section)?;
        let addresses = Addresses::read(cubin, section.index)?;
        let input = RelocateReader::new(EndianSlice::new(data, LittleEndian), &addresses);
        let size = match elf.header().class {
            Class::Elf64 => 8,
            Class::Elf32 => 4,
        };
        let mut lines = Self {
            rows: Vec::new(),
            order: Vec::new(),
        };
        lines.units(input, data.len(), size).map_err(|error| {
            elf.place(
                Error::malformed(error.to_string(), section.offset),
                &section,
            )
        })?;
        if lines.rows.is_empty() {
            return Ok(None);
        }
        lines.order = (0..lines.rows.len()).collect();
        let rows = &lines.rows;
        // Stable: of two rows at one offset, the later holds.
        lines
            .order
            .sort_by_key(|row| rows.get(*row).map(|row| (row.section, row.offset)));
        Ok(Some(lines))
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows.len()
    }

    /// The row that an instruction belongs to, by the number of its code's section and its offset there: a number for
    /// [`places`](Self::places).
    #[must_use]
    pub fn row(&self, section: u32, offset: u64) -> Option<usize> {
        let key = (u64::from(section), offset);
        let behind = self.order.partition_point(|row| {
            self.rows
                .get(*row)
                .is_some_and(|row| (row.section, row.offset) <= key)
        });
        let row = *self.order.get(behind.checked_sub(1)?)?;
        self.rows.get(row)?.section.eq(&key.0).then_some(row)
    }

    /// The line of a row, and behind it the calls by which its code was inlined, innermost first; empty where none is
    /// known.
    #[must_use]
    pub fn places(&self, row: usize) -> Vec<SourceLine> {
        let mut row = self.rows.get(row);
        let mut chain = Vec::new();
        // Counted by rows, not by places: rows of a circle may have none.
        for _ in 0..DEPTH {
            let Some(Row { place, caller, .. }) = row else {
                break;
            };
            chain.extend(place.clone());
            row = caller.and_then(|caller| self.rows.get(caller));
        }
        chain
    }

    /// One program behind the other.
    fn units(&mut self, input: Input<'_>, length: usize, address: u8) -> gimli::Result<()> {
        let section = DebugLine::from(input);
        let mut at = 0;
        while at < length {
            let mut program = section.program(DebugLineOffset(at), address, None, None)?;
            let header = program.header().clone();
            self.unit(&header, &mut program)?;
            let unit = header.unit_length();
            at = at.saturating_add(unit).saturating_add(4);
        }
        Ok(())
    }

    fn unit<'a>(
        &mut self,
        header: &LineProgramHeader<Input<'a>>,
        program: &mut gimli::IncompleteLineProgram<Input<'a>>,
    ) -> gimli::Result<()> {
        let mut first = self.rows.len();
        let mut files: HashMap<u64, Option<Arc<str>>> = HashMap::new();
        let mut caller = None;
        let mut row = LineRow::new(header);
        let mut instructions = header.instructions();
        while let Some(instruction) = instructions.next_instruction(header)? {
            if let LineInstruction::UnknownExtended(opcode, mut operands) = instruction.clone()
                && opcode.0 == INLINED_AT
            {
                let number = operands.read_uleb128()?;
                caller = usize::try_from(number)
                    .ok()
                    .and_then(|number| first.checked_add(number.checked_sub(1)?));
                continue;
            }
            if !row.execute(instruction, program)? {
                continue;
            }
            let index = row.file_index();
            let file = files.entry(index).or_insert_with(|| file(header, index));
            let place = file.clone().map(|file| SourceLine {
                file,
                line: row.line().map_or(0, std::num::NonZero::get),
            });
            let address = row.address();
            self.rows.push(Row {
                section: address >> SECTION,
                offset: address & (u64::MAX >> (64 - SECTION)),
                place: place.filter(|_| !row.end_sequence()),
                caller: caller.filter(|_| !row.end_sequence()),
            });
            if row.end_sequence() {
                caller = None;
                first = self.rows.len();
            }
            row.reset(header);
        }
        Ok(())
    }
}

/// The path of a file as the program's tables give it.
fn file(header: &LineProgramHeader<Input<'_>>, index: u64) -> Option<Arc<str>> {
    let entry = header.file(index)?;
    let text = |value: gimli::AttributeValue<Input<'_>>| -> Option<String> {
        let gimli::AttributeValue::String(bytes) = value else {
            return None;
        };
        Some(bytes.to_string_lossy().ok()?.into_owned())
    };
    let name = text(entry.path_name())?;
    let directory = entry.directory(header).and_then(text);
    let path = join(&directory.unwrap_or_default(), name);
    Some(path.chars().take(PATH).collect::<String>().into())
}

/// A file's name within its directory; an absolute name stands for itself.
fn join(directory: &str, name: String) -> String {
    if directory.is_empty() || name.starts_with('/') {
        return name;
    }
    format!("{}/{name}", directory.trim_end_matches('/'))
}

/// Bits of an address below the number of the section that it lies in: no section has so many bytes.
const SECTION: u32 = 40;

/// Where the addresses in `.debug_line` lie: by their place in the section, number of the code's section and offset in it.
#[derive(Debug, Default)]
struct Addresses(HashMap<usize, u64>);

impl Addresses {
    fn read(cubin: &Cubin<'_>, debug_line: u32) -> Result<Self> {
        let elf = cubin.elf();
        let mut found = Self::default();
        for section in elf.sections().filter(|section| section.info == debug_line) {
            for entry in reloc::entries(elf, &section).into_iter().flatten() {
                let entry = entry?;
                let symbol = elf.symbol(entry.symbol)?;
                if let (SymbolPlace::Section(section), Ok(at)) =
                    (symbol.place, usize::try_from(entry.offset))
                {
                    let offset = symbol
                        .value
                        .saturating_add_signed(entry.addend.unwrap_or(0));
                    let section = u64::from(section) << SECTION;
                    found.0.insert(at, section.saturating_add(offset));
                }
            }
        }
        Ok(found)
    }
}

impl Relocate for &Addresses {
    fn relocate_address(&self, offset: usize, value: u64) -> gimli::Result<u64> {
        let base = self.0.get(&offset).copied().unwrap_or(0);
        Ok(base.saturating_add(value))
    }

    fn relocate_offset(&self, _: usize, value: usize) -> gimli::Result<usize> {
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn a_path_is_the_name_in_its_directory() {
        for (directory, name, path) in [
            ("/src", "k.cu", "/src/k.cu"),
            ("/src/", "k.cu", "/src/k.cu"),
            ("kernels", "k.cu", "kernels/k.cu"),
            ("", "k.cu", "k.cu"),
            ("/src", "/usr/include/math.h", "/usr/include/math.h"),
            ("", "/k.cu", "/k.cu"),
        ] {
            assert_eq!(join(directory, name.to_owned()), path);
        }
    }
}
