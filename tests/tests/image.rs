//! The loader image against a second implementation of its rules, written without care for speed or damaged files, over
//! every recorded cubin, and over the corpus when `CUBIN_TEST_CORPUS` names it.

use std::collections::BTreeMap;

use cubin_core::{Cubin, image::Image};
use cubin_tests::recorded;

/// An ELF file of either class, fields by name.
struct File<'a> {
    data: &'a [u8],
    wide: bool,
    sections: Vec<Section>,
    symbols: Vec<Symbol>,
}

#[derive(Clone)]
struct Section {
    name: String,
    ty: u64,
    flags: u64,
    offset: usize,
    size: u64,
    link: usize,
    info: usize,
    align: u64,
}

struct Symbol {
    name: String,
    section: usize,
    value: u64,
}

fn number(data: &[u8], at: usize, width: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes[..width].copy_from_slice(&data[at..at + width]);
    u64::from_le_bytes(bytes)
}

fn string(data: &[u8], at: usize) -> String {
    let end = data[at..]
        .iter()
        .position(|byte| *byte == 0)
        .expect("a NUL");
    String::from_utf8_lossy(&data[at..at + end]).into_owned()
}

impl<'a> File<'a> {
    fn read(data: &'a [u8]) -> Self {
        let wide = data[4] == 2;
        let word = if wide { 8 } else { 4 };
        // Where the classes put the same fields.
        let (table_at, count_at, entry) = if wide { (40, 60, 64) } else { (32, 48, 40) };
        let table = number(data, table_at, word) as usize;
        let section = |index: usize, names: usize| {
            let at = table + index * entry;
            let after = at + 8 + 4 * word;
            Section {
                name: string(data, names + number(data, at, 4) as usize),
                ty: number(data, at + 4, 4),
                flags: number(data, at + 8, word),
                offset: number(data, at + 8 + 2 * word, word) as usize,
                size: number(data, at + 8 + 3 * word, word),
                link: number(data, after, 4) as usize,
                info: number(data, after + 4, 4) as usize,
                align: number(data, after + 8, word),
            }
        };
        let first = section(0, 0);
        let count = match number(data, count_at, 2) as usize {
            0 => first.size as usize,
            count => count,
        };
        let names = match number(data, count_at + 2, 2) as usize {
            0xffff => first.link,
            names => names,
        };
        let names = section(names, 0).offset;
        let sections: Vec<Section> = (0..count).map(|index| section(index, names)).collect();
        let symtab = sections.iter().find(|section| section.ty == 2);
        let extended = sections.iter().find(|section| section.ty == 18);
        let (entry, section_at, value_at) = if wide { (24, 6, 8) } else { (16, 14, 4) };
        let symbols = symtab.map_or(Vec::new(), |symtab| {
            let strings = sections[symtab.link].offset;
            (0..symtab.size as usize / entry)
                .map(|index| {
                    let at = symtab.offset + index * entry;
                    let section = match number(data, at + section_at, 2) as usize {
                        0xffff => {
                            let extended = extended.expect("a table of section numbers");
                            number(data, extended.offset + index * 4, 4) as usize
                        }
                        section => section,
                    };
                    Symbol {
                        name: string(data, strings + number(data, at, 4) as usize),
                        section,
                        value: number(data, at + value_at, word),
                    }
                })
                .collect()
        });
        Self {
            data,
            wide,
            sections,
            symbols,
        }
    }

    /// Offset, type, symbol and addend of one relocation.
    fn relocation(&self, entry: &[u8]) -> (u64, u64, usize, Option<u64>) {
        if self.wide {
            let addend = (entry.len() == 24).then(|| number(entry, 16, 8));
            let symbol = number(entry, 12, 4) as usize;
            return (number(entry, 0, 8), number(entry, 8, 4), symbol, addend);
        }
        let addend = (entry.len() == 12).then(|| i64::from(number(entry, 8, 4) as i32) as u64);
        let info = number(entry, 4, 4);
        (
            number(entry, 0, 4),
            info & 0xff,
            (info >> 8) as usize,
            addend,
        )
    }

    fn bytes(&self, section: &Section) -> &'a [u8] {
        &self.data[section.offset..section.offset + section.size as usize]
    }

    /// Image offsets by section index, and the end.
    fn layout(&self) -> (BTreeMap<usize, u64>, u64) {
        let mut places = BTreeMap::new();
        let mut end = 0_u64;
        for (index, section) in self.sections.iter().enumerate() {
            let memory = section.flags & 2 != 0 && (section.ty == 1 || section.ty == 8);
            if memory && !section.name.starts_with(".nv.shared.") {
                let align = section.align.max(128);
                let start = end.div_ceil(align) * align;
                places.insert(index, start);
                end = start + section.size;
            }
        }
        (places, end)
    }

    /// The whole image at `base`, or why it cannot be loaded.
    fn image(&self, base: u64) -> Result<Vec<u8>, String> {
        let (places, end) = self.layout();
        let mut image = vec![0; (end.div_ceil(4096) * 4096 + 4096) as usize];
        for (index, place) in &places {
            let section = &self.sections[*index];
            if section.ty == 1 {
                let at = *place as usize;
                image[at..at + section.size as usize].copy_from_slice(self.bytes(section));
            }
        }
        let clean = image.clone();
        for section in &self.sections {
            let rela = section.ty == 4;
            if !rela && section.ty != 9 {
                continue;
            }
            let Some(place) = places.get(&section.info) else {
                continue;
            };
            let size = match (self.wide, rela) {
                (true, true) => 24,
                (true, false) => 16,
                (false, true) => 12,
                (false, false) => 8,
            };
            for entry in self.bytes(section).chunks(size) {
                let (offset, ty, symbol, addend) = self.relocation(entry);
                let (skip, width, shift) = match ty {
                    0x02 => (0, 8, 0),
                    0x38 => (4, 4, 0),
                    0x39 => (4, 4, 32),
                    _ => return Err("cannot be loaded".to_owned()),
                };
                let symbol = &self.symbols[symbol];
                let Some(home) = places.get(&symbol.section) else {
                    return Err(format!("`{}`, which is not in the image", symbol.name));
                };
                let at = (place + offset) as usize + skip;
                let addend = addend.unwrap_or_else(|| number(&clean, at, width));
                let value = base
                    .wrapping_add(*home)
                    .wrapping_add(symbol.value)
                    .wrapping_add(addend);
                image[at..at + width].copy_from_slice(&(value >> shift).to_le_bytes()[..width]);
            }
        }
        Ok(image)
    }

    /// name, code, code bytes, registers, stack, shared, parameter offset and size, banks by number.
    fn kernels(&self) -> Vec<String> {
        let (places, _) = self.layout();
        let mut lines = Vec::new();
        for (index, section) in self.sections.iter().enumerate() {
            let (Some(name), Some(code)) =
                (section.name.strip_prefix(".text."), places.get(&index))
            else {
                continue;
            };
            let size_of = |name: String| {
                let found = self.sections.iter().rfind(|section| section.name == name);
                found.map_or(0, |section| section.size)
            };
            let words = |name: String, code: u8| -> Vec<(u64, u64)> {
                let mut found = Vec::new();
                for section in self.sections.iter().filter(|section| section.name == name) {
                    let mut rest = self.bytes(section);
                    while !rest.is_empty() {
                        let size = match rest[0] {
                            4 => 4 + number(rest, 2, 2) as usize,
                            _ => 4,
                        };
                        if rest[1] == code && size >= 12 {
                            found.push((number(rest, 4, 4), number(rest, 8, 4)));
                        }
                        rest = &rest[size..];
                    }
                }
                found
            };
            let last_for = |code: u8| {
                let records = words(".nv.info".to_owned(), code);
                let mine = records.iter().rev().find(|(symbol, _)| {
                    let symbol = &self.symbols[*symbol as usize];
                    symbol.section == index
                });
                mine.map_or(0, |(_, value)| *value)
            };
            let params = words(format!(".nv.info.{name}"), 0x0a);
            let params = params.last().map_or(0, |(_, value)| *value);
            let mut banks = BTreeMap::new();
            for (index, section) in self.sections.iter().enumerate() {
                let Some(rest) = section.name.strip_prefix(".nv.constant") else {
                    continue;
                };
                let (number, of) = rest.split_once('.').unwrap_or((rest, name));
                if let (Ok(number), true, Some(place)) =
                    (number.parse::<u8>(), of == name, places.get(&index))
                {
                    banks.insert(number, (*place, section.size));
                }
            }
            lines.push(format!(
                "{name} {code:#x} {:#x} {} {} {} {:#x} {} {banks:?}",
                section.size,
                last_for(0x2f),
                last_for(0x12),
                size_of(format!(".nv.shared.{name}")),
                params & 0xffff,
                params >> 16,
            ));
        }
        lines
    }
}

fn kernel_lines(image: &Image<'_>) -> Vec<String> {
    image
        .kernels()
        .map(|kernel| {
            let banks: BTreeMap<u8, (u64, u64)> = kernel
                .banks
                .iter()
                .map(|bank| (bank.index, (bank.offset, bank.bytes)))
                .collect();
            assert_eq!(banks.len(), kernel.banks.len());
            format!(
                "{} {:#x} {:#x} {} {} {} {:#x} {} {banks:?}",
                kernel.name,
                kernel.code,
                kernel.code_bytes,
                kernel.registers,
                kernel.stack,
                kernel.shared,
                kernel.params_offset,
                kernel.params_bytes,
            )
        })
        .collect()
}

/// Compares one file; whether it loads, and how many patches it has.
fn compare(name: &str, data: &[u8]) -> Option<usize> {
    let file = File::read(data);
    let cubin = Cubin::parse(data).unwrap_or_else(|error| panic!("{name}: {error}"));
    match (cubin.image(), file.image(0)) {
        (Ok(image), Ok(_)) => {
            for base in [0, 0x7f12_3456_7000, 1 << 48, u64::MAX - 4095] {
                let mut memory = vec![0xee; image.length() as usize];
                image
                    .write(&mut memory, base)
                    .expect("memory of the right length");
                assert_eq!(Ok(memory), file.image(base), "{name} at {base:#x}");
            }
            assert_eq!(kernel_lines(&image), file.kernels(), "{name}");
            Some(image.patches(0).count())
        }
        (Err(error), Err(reason)) => {
            let error = error.to_string();
            assert!(error.contains(&reason), "{name}: {error} but {reason}");
            None
        }
        (ours, theirs) => panic!(
            "{name}: {:?} but {:?}",
            ours.map(|image| image.length())
                .map_err(|error| error.to_string()),
            theirs.map(|image| image.len())
        ),
    }
}

#[test]
fn recorded_cubins_equal_the_second_implementation() {
    let (mut loaded, mut patched, mut refused) = (0, 0, 0);
    let patches = recorded::files("image");
    let patches = patches
        .into_iter()
        .filter(|(name, _)| name.ends_with(".cubin"));
    for (name, data) in recorded::files("cubins")
        .into_iter()
        .chain(patches)
        .chain(recorded::corpus())
    {
        match compare(&name, &data) {
            Some(0) => loaded += 1,
            Some(_) => patched += 1,
            None => refused += 1,
        }
    }
    eprintln!("{loaded} without patches, {patched} with, {refused} refused");
    // Simple kernels; address tables and initialised pointers; calls of printf and real calls.
    assert!(loaded > 10 && patched > 0 && refused > 10);
}

#[test]
fn what_cannot_be_loaded_says_why() {
    let reason = |name: &str| {
        let data = recorded::file("cubins", name);
        let cubin = Cubin::parse(&data).expect("a cubin");
        cubin
            .image()
            .expect_err("a cubin that needs the driver")
            .to_string()
    };
    for (name, words) in [
        (
            "basic-13.5-sm_75.cubin",
            "`vprintf`, which is not in the image",
        ),
        ("basic-13.5-sm_121a.cubin", "section .rela"),
        ("basic-11.8-sm_52.cubin", "cannot be loaded"),
    ] {
        let text = reason(name);
        assert!(text.contains(words), "{name}: {text}");
    }
}

#[test]
fn every_changed_byte_ends_in_bounds() {
    for name in [
        "min-13.5-sm_90.cubin",
        "one-12.4-75.cubin",
        "min-13.5-sm_100a.cubin",
    ] {
        let data = recorded::file("cubins", name);
        let mut changed = data.clone();
        for at in 0..data.len() {
            for value in [0x00, 0xff, data[at] ^ 0x01, data[at] ^ 0x80] {
                changed[at] = value;
                walk(&changed);
            }
            changed[at] = data[at];
        }
        for end in 0..data.len() {
            walk(&data[..end]);
        }
    }
}

fn walk(data: &[u8]) {
    let Ok(Ok(image)) = Cubin::parse(data).map(|cubin| cubin.image()) else {
        return;
    };
    for patch in image.patches(0x7000_0000_0000) {
        assert!(patch.offset + patch.bytes().len() as u64 <= image.end());
    }
    for kernel in image.kernels() {
        assert!(kernel.code + kernel.code_bytes <= image.end());
        for bank in &kernel.banks {
            assert!(bank.offset + bank.bytes <= image.end());
        }
    }
}
