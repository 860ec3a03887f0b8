//! The functions of an image, with what the file records of each.

use std::collections::HashMap;

use super::layout::Layout;
use crate::{
    Error, ErrorKind, Result,
    consts::{Eiattr, Eifmt},
    elf::{Elf, Names, Place, Section, utf8_part},
    reader::Reader,
};

/// A constant bank of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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
#[non_exhaustive]
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

/// The functions of an image, and the constant banks of the module.
#[derive(Debug, Clone, Default)]
pub(super) struct Kernels<'a> {
    /// In section order.
    records: Vec<Record<'a>>,
    module_banks: Banks,
}

impl<'a> Kernels<'a> {
    pub(super) fn all(&self) -> impl Iterator<Item = Kernel<'a>> + '_ {
        self.records.iter().map(|record| self.complete(record))
    }

    /// The last function of this name.
    pub(super) fn last(&self, name: &str) -> Option<Kernel<'a>> {
        let found = self.records.iter().rfind(|record| record.name == name);
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

    /// One pass over the sections, in order: a later section or record overrides an earlier one.
    pub(super) fn read(layout: &Layout<'a>) -> Result<Self> {
        let elf = &layout.elf;
        let mut found = Self::default();
        let mut names = Names::new(elf.section_names(), elf.bytes().len());
        let mut by_name = HashMap::new();
        let is_text = |section: &Section| {
            elf.section_names()
                .tail(section.name)
                .starts_with(b".text.")
        };
        let count = elf.sections().filter(is_text).count();
        found
            .records
            .reserve_exact(count.min(layout.sections.len()));
        for held in &layout.sections {
            let section = elf.section(held.section)?;
            if !is_text(&section) {
                continue;
            }
            let name = names.get(section.name)?;
            let name = name.strip_prefix(b".text.").unwrap_or(name);
            by_name.insert(name, found.records.len());
            found.records.push(Record {
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
            let owner = |suffix: &[u8]| found.owner(&section, suffix, &by_name);
            if let Some(suffix) = name.strip_prefix(b".nv.shared.") {
                if let Some(record) = owner(suffix).and_then(|at| found.records.get_mut(at)) {
                    record.shared = section.size;
                }
            } else if let Some(rest) = name.strip_prefix(b".nv.constant") {
                let (Some(held), Some((index, suffix))) = (layout.held(section.index), bank(rest))
                else {
                    continue;
                };
                let bank = Bank {
                    index,
                    offset: held.offset,
                    bytes: held.size,
                };
                match suffix {
                    None => found.module_banks.set(section.index, bank),
                    Some(suffix) => {
                        if let Some(record) = owner(suffix).and_then(|at| found.records.get_mut(at))
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
                    elf.place(Error::new(ErrorKind::Limit, what, section.offset), &section)
                })?;
                found
                    .read_attributes(elf, &section, owner, &by_name, &mut symbols)
                    .map_err(|error| elf.place(error, &section))?;
            }
        }
        Ok(found)
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
            .records
            .binary_search_by_key(&section.info, |record| record.section)
            .ok();
        told.filter(|at| {
            self.records
                .get(*at)
                .is_some_and(|record| record.name.as_bytes() == suffix)
        })
        .or_else(|| by_name.get(suffix).copied())
    }

    /// The records of `.nv.info` (`owner` is `None`) or of `.nv.info.<f>`.
    fn read_attributes(
        &mut self,
        elf: &Elf<'a>,
        section: &Section,
        owner: Option<usize>,
        by_name: &HashMap<&[u8], usize>,
        symbols: &mut Names<'a>,
    ) -> Result<()> {
        let mut reader = elf.reader(section)?;
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
                return Err(Error::malformed(
                    format!("attribute {code} has {} bytes, needs 8", payload.len()),
                    place,
                ));
            }
            let symbol = payload.u32()?;
            let owner = match owner {
                Some(owner) => Some(owner),
                None => self.function(elf, symbol, symbols, by_name)?,
            };
            let Some(record) = owner.and_then(|owner| self.records.get_mut(owner)) else {
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
        elf: &Elf<'a>,
        symbol: u32,
        names: &mut Names<'a>,
        by_name: &HashMap<&[u8], usize>,
    ) -> Result<Option<usize>> {
        if symbol >= elf.symbol_count() {
            return Ok(None);
        }
        let symbol = elf.symbol(symbol)?;
        if let Place::Section(section) = symbol.place {
            let found = self
                .records
                .binary_search_by_key(&section, |record| record.section);
            if let Ok(at) = found {
                return Ok(Some(at));
            }
        }
        Ok(by_name.get(names.get(symbol.name)?).copied())
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
