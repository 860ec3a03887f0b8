//! What a loader uploads of a cubin, and what it writes over it.
//!
//! The *image* is one stretch of device memory: the allocated sections of the file one behind the other, then zeros that
//! instruction prefetch may run into. Relocations become [`Patch`]es once the image's address is known. For each
//! kernel the image says where its code and constant banks lie and what a launch needs. The rules are those of a loader
//! that is in use (CUBIN_FORMAT section 10), not of NVIDIA's driver, which nobody has documented; a file that they do not
//! cover (calls to `printf` or `malloc`, real calls, targets below sm_70) is an error that says why.
//!
//! Reads executables. Relocatable objects have no final addresses: link them first.
//!
//! ```
//! # fn upload(file: &[u8], base: u64) -> cubin_core::Result<Vec<u8>> {
//! let image = cubin_core::Cubin::parse(file)?.image()?;
//! let mut memory = vec![0; image.length() as usize];
//! image.write(&mut memory, base)?;
//! for kernel in image.kernels() {
//!     println!("{} starts at {:#x}", kernel.name, base + kernel.code);
//! }
//! # Ok(memory)
//! # }
//! ```

use std::collections::HashMap;

use crate::{
    Cubin, Error, Result,
    consts::{Eiattr, Eifmt, RelocType, SectionType},
    elf::{Elf, Names, Place, Section, Symbol, utf8_part},
    limits::LOADER_IMAGE,
    reader::Reader,
    reloc::{self, Relocation},
};

/// Every section starts at a multiple of this, or of its own larger alignment.
const SECTION_ALIGN: u64 = 128;

/// The image ends at a multiple of this, with as many zeros more for instruction prefetch.
const PAGE: u64 = 4096;

/// `sh_flags` bit of sections that occupy memory.
const SHF_ALLOC: u64 = 2;

/// A section that the image holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Held<'a> {
    /// Index of the section in the file.
    pub section: u32,
    /// Bytes from the start of the image.
    pub offset: u64,
    /// Size in the image, in bytes.
    pub size: u64,
    /// Its bytes; empty for NOBITS, which are zeros.
    pub bytes: &'a [u8],
}

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
    pub fn bytes(&self) -> &[u8] {
        match self.wide {
            true => &self.bytes,
            false => self.bytes.first_chunk::<4>().map_or(&[], |four| four),
        }
    }
}

/// A constant bank of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bank {
    /// Its number.
    pub index: u8,
    /// Where its contents start, in bytes from the start of the image.
    pub offset: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

/// What a launch of a function needs from the image. A figure is 0 when the file has no record of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kernel<'a> {
    /// What follows `.text.` in its section's name.
    pub name: &'a str,
    /// Index of its `.text` section.
    pub section: u32,
    /// First instruction, in bytes from the start of the image.
    pub code: u64,
    /// Size of its code in bytes.
    pub code_bytes: u64,
    /// Registers per thread: the last REGCOUNT record of `.nv.info` for a symbol in its section.
    pub registers: u32,
    /// Stack bytes per thread: the last MIN_STACK_SIZE record, 0xffffffff when not statically known. For a budget use
    /// [`Resources::stack`](crate::Resources::stack), which knows that the last record can be wrong.
    pub stack: u32,
    /// Size of `.nv.shared.<f>`, in bytes per block.
    pub shared: u64,
    /// Where the parameters start in bank 0, in bytes.
    pub params_offset: u16,
    /// Size of the parameters in bytes.
    pub params_bytes: u16,
    /// Its constant banks, those of the module included: the last section of each number, in order of first appearance.
    pub banks: Vec<Bank>,
}

/// The image of a cubin. Borrows the file's bytes.
#[derive(Debug, Clone)]
pub struct Image<'a> {
    elf: Elf<'a>,
    /// In section order.
    sections: Vec<Held<'a>>,
    end: u64,
    kernels: Vec<Record<'a>>,
    module_banks: Banks,
}

/// A kernel without the banks of the module. Small, so that a file of many tiny sections costs little.
#[derive(Debug, Clone)]
struct Record<'a> {
    name: &'a str,
    code: u64,
    code_bytes: u64,
    shared: u64,
    section: u32,
    registers: u32,
    stack: u32,
    params_offset: u16,
    params_bytes: u16,
    own_banks: Banks,
}

/// Banks with the section each came from, and the first section of the same number.
#[derive(Debug, Clone, Default)]
struct Banks(Vec<(u32, u32, Bank)>);

impl Banks {
    fn set(&mut self, section: u32, bank: Bank) {
        match self.0.iter_mut().find(|(.., old)| old.index == bank.index) {
            Some((_, last, old)) => (*last, *old) = (section, bank),
            None => {
                // Most functions have one or two.
                self.0.reserve_exact(1);
                self.0.push((section, section, bank));
            }
        }
    }
}

impl<'a> Cubin<'a> {
    /// What a loader uploads of this cubin.
    ///
    /// # Errors
    /// When the image would be longer than [`LOADER_IMAGE`]; when a relocation is of another type than R_CUDA_64,
    /// R_CUDA_ABS32_LO_32 and R_CUDA_ABS32_HI_32, names a symbol that is not in the image, or patches bytes past the
    /// laid-out sections or, without an addend of its own, past its section; when an attribute passes the end of its
    /// section, or REGCOUNT, MIN_STACK_SIZE or PARAM_CBANK has less than 8 bytes.
    pub fn image(&self) -> Result<Image<'a>> {
        Image::new(self.elf())
    }
}

impl<'a> Image<'a> {
    /// Lays out `elf`.
    ///
    /// # Errors
    /// As [`Cubin::image`].
    pub fn new(elf: &Elf<'a>) -> Result<Self> {
        let (sections, end) = lay_out(elf)?;
        let mut image = Self {
            elf: elf.clone(),
            sections,
            end,
            kernels: Vec::new(),
            module_banks: Banks::default(),
        };
        for patch in image.relocations() {
            patch?;
        }
        image.read_kernels()?;
        Ok(image)
    }

    /// Length in bytes: the laid-out sections up to a multiple of 4 KiB, and 4 KiB more.
    pub fn length(&self) -> u64 {
        // `end` is at most LOADER_IMAGE - PAGE.
        self.end
            .checked_next_multiple_of(PAGE)
            .and_then(|end| end.checked_add(PAGE))
            .unwrap_or(LOADER_IMAGE)
    }

    /// End of the last section, in bytes from the start of the image; zeros follow.
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The sections it holds, in section order.
    pub fn sections(&self) -> &[Held<'a>] {
        &self.sections
    }

    /// What the relocations write over an image at the address `base`, in relocation order. A later patch overwrites an
    /// earlier one where they share bytes.
    pub fn patches(&self, base: u64) -> impl Iterator<Item = Patch> + '_ {
        // `new` has seen that none fails.
        self.relocations()
            .filter_map(Result::ok)
            .map(move |pending| pending.at(base))
    }

    /// Every function with code in the image, in section order: kernels, and device functions with a section of their own.
    pub fn kernels(&self) -> impl Iterator<Item = Kernel<'a>> + '_ {
        self.kernels.iter().map(|record| self.complete(record))
    }

    /// The last function of this name.
    pub fn kernel(&self, name: &str) -> Option<Kernel<'a>> {
        let found = self.kernels.iter().rfind(|record| record.name == name);
        found.map(|record| self.complete(record))
    }

    fn complete(&self, record: &Record<'a>) -> Kernel<'a> {
        Kernel {
            name: record.name,
            section: record.section,
            code: record.code,
            code_bytes: record.code_bytes,
            registers: record.registers,
            stack: record.stack,
            shared: record.shared,
            params_offset: record.params_offset,
            params_bytes: record.params_bytes,
            banks: merge(&self.module_banks, &record.own_banks),
        }
    }

    /// Writes the image for the address `base` into `memory`, zeros included.
    ///
    /// # Errors
    /// When `memory` is not [`length`](Self::length) bytes long.
    pub fn write(&self, memory: &mut [u8], base: u64) -> Result<()> {
        if memory.len() as u64 != self.length() {
            return Err(Error::new(
                format!(
                    "the image takes {} bytes, the memory given has {}",
                    self.length(),
                    memory.len()
                ),
                0,
            ));
        }
        memory.fill(0);
        for section in &self.sections {
            put(memory, section.offset, section.bytes);
        }
        for patch in self.patches(base) {
            put(memory, patch.offset, patch.bytes());
        }
        Ok(())
    }

    fn held(&self, section: u32) -> Option<&Held<'a>> {
        let at = self
            .sections
            .binary_search_by_key(&section, |held| held.section)
            .ok()?;
        self.sections.get(at)
    }

    /// The relocations of held sections, as far as they are known without the base.
    fn relocations(&self) -> impl Iterator<Item = Result<Pending>> + '_ {
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
    fn pending(&self, entry: &Relocation, target: &Held<'_>) -> Result<Pending> {
        let error = |what: String| Err(Error::new(what, entry.place));
        let (skip, width, high) = match entry.ty {
            RelocType::R_CUDA_64 => (0, 8, false),
            RelocType::R_CUDA_ABS32_LO_32 => (4, 4, false),
            RelocType::R_CUDA_ABS32_HI_32 => (4, 4, true),
            other => {
                return error(format!(
                    "a relocation of type {other} cannot be loaded: only R_CUDA_64, R_CUDA_ABS32_LO_32 and R_CUDA_ABS32_HI_32 can; {}",
                    reason(other)
                ));
            }
        };
        let symbol = self.elf.symbol(entry.symbol)?;
        let home = match symbol.place {
            Place::Section(section) => self.held(section),
            Place::Undefined | Place::Reserved(_) => None,
        };
        let Some(home) = home else {
            return error(format!(
                "a relocation names {}, which is not in the image{}",
                self.symbol_text(&symbol),
                match symbol.place {
                    Place::Undefined =>
                        ": the file does not define it, the driver or another object does",
                    _ => "",
                }
            ));
        };
        let in_section = entry.offset.checked_add(skip);
        let at = in_section
            .and_then(|at| at.checked_add(target.offset))
            .filter(|at| at.checked_add(width).is_some_and(|end| end <= self.end));
        let (Some(in_section), Some(at)) = (in_section, at) else {
            return error(format!(
                "a relocation patches {width} bytes at {:#x} of its section, past the end of the laid-out sections",
                entry.offset
            ));
        };
        let addend = match entry.addend {
            Some(addend) => addend.cast_unsigned(),
            None => match in_place(target.bytes, in_section, width) {
                Some(addend) => addend,
                None => {
                    return error(format!(
                        "a relocation patches {width} bytes at {:#x}, past the end of its section of {:#x} bytes",
                        entry.offset,
                        target.bytes.len()
                    ));
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

    /// One pass over the sections, in order: a later section or record overrides an earlier one.
    fn read_kernels(&mut self) -> Result<()> {
        let elf = self.elf.clone();
        let mut names = Names::new(elf.section_names(), elf.bytes().len());
        let mut by_name = HashMap::new();
        let is_text = |section: &Section| {
            elf.section_names()
                .tail(section.name)
                .starts_with(b".text.")
        };
        let count = elf.sections().filter(is_text).count();
        self.kernels.reserve_exact(count.min(self.sections.len()));
        for held in &self.sections {
            let section = elf.section(held.section)?;
            if !is_text(&section) {
                continue;
            }
            let name = names.get(section.name)?;
            let name = name.strip_prefix(b".text.").unwrap_or(name);
            by_name.insert(name, self.kernels.len());
            self.kernels.push(Record {
                name: utf8_part(name),
                code: held.offset,
                code_bytes: held.size,
                shared: 0,
                section: held.section,
                registers: 0,
                stack: 0,
                params_offset: 0,
                params_bytes: 0,
                own_banks: Banks::default(),
            });
        }
        let mut symbols = Names::new(elf.symbol_names(), elf.bytes().len());
        // Overlapping attribute sections would be read over and over: together they cannot be longer than the file.
        let mut left = elf.bytes().len() as u64;
        for section in elf.sections() {
            if !elf.section_names().tail(section.name).starts_with(b".nv.") {
                continue;
            }
            let name = names.get(section.name)?;
            let owner = |suffix: &[u8]| self.owner(&section, suffix, &by_name);
            if let Some(suffix) = name.strip_prefix(b".nv.shared.") {
                if let Some(record) = owner(suffix).and_then(|at| self.kernels.get_mut(at)) {
                    record.shared = section.size;
                }
            } else if let Some(rest) = name.strip_prefix(b".nv.constant") {
                let (Some(held), Some((index, suffix))) = (self.held(section.index), bank(rest))
                else {
                    continue;
                };
                let bank = Bank {
                    index,
                    offset: held.offset,
                    bytes: held.size,
                };
                match suffix {
                    None => self.module_banks.set(section.index, bank),
                    Some(suffix) => {
                        if let Some(record) = owner(suffix).and_then(|at| self.kernels.get_mut(at))
                        {
                            record.own_banks.set(section.index, bank);
                        }
                    }
                }
            } else if let Some(suffix) = name.strip_prefix(b".nv.info") {
                let owner = match suffix.strip_prefix(b".") {
                    Some(suffix) => match owner(suffix) {
                        Some(owner) => Some(owner),
                        // Attributes of a function that is not in the image.
                        None => continue,
                    },
                    None if suffix.is_empty() => None,
                    None => continue,
                };
                left = left.checked_sub(section.size).ok_or_else(|| {
                    let what = "the attribute sections together are longer than the file: they overlap as no tool writes them";
                    elf.place(Error::new(what, section.offset), &section)
                })?;
                self.read_attributes(&section, owner, &by_name, &mut symbols)
                    .map_err(|error| elf.place(error, &section))?;
            }
        }
        Ok(())
    }

    /// Position of the kernel that `section`, whose name ends in `suffix`, belongs to: by `sh_info`, which tells kernels of
    /// one name apart, else by name.
    fn owner(
        &self,
        section: &Section,
        suffix: &[u8],
        by_name: &HashMap<&[u8], usize>,
    ) -> Option<usize> {
        let told = self
            .kernels
            .binary_search_by_key(&section.info, |record| record.section)
            .ok();
        told.filter(|at| {
            self.kernels
                .get(*at)
                .is_some_and(|record| record.name.as_bytes() == suffix)
        })
        .or_else(|| by_name.get(suffix).copied())
    }

    /// The records of `.nv.info` (`owner` is `None`) or of `.nv.info.<f>`.
    fn read_attributes(
        &mut self,
        section: &Section,
        owner: Option<usize>,
        by_name: &HashMap<&[u8], usize>,
        symbols: &mut Names<'a>,
    ) -> Result<()> {
        let mut reader = self.elf.reader(section)?;
        while !reader.is_empty() {
            let place = reader.offset();
            let &[format, code, low, high] = reader.array::<4>()?;
            let code = Eiattr(code);
            // Only this format has bytes behind its header.
            let payload = match Eifmt(format) {
                Eifmt::SVAL => reader.bytes(u16::from_le_bytes([low, high]).into())?,
                _ => &[],
            };
            let read = match owner {
                None => matches!(code, Eiattr::REGCOUNT | Eiattr::MIN_STACK_SIZE),
                Some(_) => code == Eiattr::PARAM_CBANK,
            };
            if !read {
                continue;
            }
            let mut payload = Reader::new(payload, place.saturating_add(4));
            if payload.len() < 8 {
                return Err(Error::new(
                    format!("attribute {code} has {} bytes, needs 8", payload.len()),
                    place,
                ));
            }
            let symbol = payload.u32()?;
            let owner = match owner {
                Some(owner) => Some(owner),
                None => self.function(symbol, symbols, by_name)?,
            };
            let Some(record) = owner.and_then(|owner| self.kernels.get_mut(owner)) else {
                continue;
            };
            match code {
                Eiattr::REGCOUNT => record.registers = payload.u32()?,
                Eiattr::MIN_STACK_SIZE => record.stack = payload.u32()?,
                _ => {
                    record.params_offset = payload.u16()?;
                    record.params_bytes = payload.u16()?;
                }
            }
        }
        Ok(())
    }

    /// The kernel that an attribute means by a symbol: the one whose code holds the symbol, else the one of its name.
    fn function(
        &self,
        symbol: u32,
        names: &mut Names<'a>,
        by_name: &HashMap<&[u8], usize>,
    ) -> Result<Option<usize>> {
        if symbol >= self.elf.symbol_count() {
            return Ok(None);
        }
        let symbol = self.elf.symbol(symbol)?;
        if let Place::Section(section) = symbol.place {
            let found = self
                .kernels
                .binary_search_by_key(&section, |record| record.section);
            if let Ok(at) = found {
                return Ok(Some(at));
            }
        }
        Ok(by_name.get(names.get(symbol.name)?).copied())
    }
}

/// A relocation that waits for the image's address.
#[derive(Debug, Clone, Copy)]
struct Pending {
    at: u64,
    wide: bool,
    high: bool,
    value: u64,
}

impl Pending {
    fn at(self, base: u64) -> Patch {
        let value = base.wrapping_add(self.value);
        Patch {
            offset: self.at,
            bytes: if self.high { value >> 32 } else { value }.to_le_bytes(),
            wide: self.wide,
        }
    }
}

/// The held sections with their places, and where the last one ends.
fn lay_out<'a>(elf: &Elf<'a>) -> Result<(Vec<Held<'a>>, u64)> {
    let held = |section: &Section| {
        section.flags & SHF_ALLOC != 0
            && matches!(section.ty, SectionType::PROGBITS | SectionType::NOBITS)
            && !elf
                .section_names()
                .tail(section.name)
                .starts_with(b".nv.shared.")
    };
    let mut sections = Vec::with_capacity(elf.sections().filter(held).count());
    let mut end = 0_u64;
    for section in elf.sections().filter(held) {
        let place = end
            .checked_next_multiple_of(section.align.max(SECTION_ALIGN))
            .and_then(|start| Some((start, start.checked_add(section.size)?)))
            .filter(|(_, end)| *end <= LOADER_IMAGE - PAGE);
        let Some((offset, next)) = place else {
            let error = Error::new(
                format!(
                    "the image would be longer than {LOADER_IMAGE:#x} bytes, more than a GPU can address: this section has {:#x} bytes and alignment {:#x}",
                    section.size, section.align
                ),
                section.offset,
            );
            return Err(elf.place(error, &section));
        };
        end = next;
        sections.push(Held {
            section: section.index,
            offset,
            size: section.size,
            bytes: elf.data(&section)?,
        });
    }
    Ok((sections, end))
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

/// Number and function of a constant bank, from what follows `.nv.constant` in the section's name.
fn bank(rest: &[u8]) -> Option<(u8, Option<&[u8]>)> {
    let dot = rest.iter().position(|byte| *byte == b'.');
    let (digits, suffix) = match dot {
        Some(dot) => (rest.get(..dot)?, Some(rest.get(dot..)?.strip_prefix(b".")?)),
        None => (rest, None),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return None;
    }
    let index = core::str::from_utf8(digits).ok()?.parse().ok()?;
    Some((index, suffix))
}

/// Banks of the module and of a kernel: the last section of each number wins, in order of first appearance.
fn merge(module: &Banks, own: &Banks) -> Vec<Bank> {
    let mut merged: Vec<(u32, u32, Bank)> = module.0.clone();
    for &(first, last, bank) in &own.0 {
        match merged.iter_mut().find(|(.., old)| old.index == bank.index) {
            Some(old) => {
                old.0 = old.0.min(first);
                if last > old.1 {
                    (old.1, old.2) = (last, bank);
                }
            }
            None => merged.push((first, last, bank)),
        }
    }
    merged.sort_by_key(|(first, ..)| *first);
    merged.into_iter().map(|(.., bank)| bank).collect()
}

fn put(memory: &mut [u8], offset: u64, bytes: &[u8]) {
    let target = usize::try_from(offset)
        .ok()
        .and_then(|start| memory.get_mut(start..))
        .and_then(|rest| rest.get_mut(..bytes.len()));
    if let Some(target) = target {
        target.copy_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests;
