//! Recorded files with damage of several bytes at a time, which `core_robust` does not do: extreme numbers in fields of
//! any width, section headers that claim each other's places, bytes of one file in another, stretches cut, moved, doubled.
//! Every public view reads each; none panics, none holds more memory than it may.
//!
//! The damage follows from a number that is counted up, so that every run is the same; a failure tells the number.

use std::fmt;

use cubin_core::{
    Cubin, Result, attr, callgraph, compat, consts, diff,
    elf::Names,
    fatbin, host, json, limits, nvinfo,
    occupancy::{self, Block, Limits},
    reloc, sass, sizes, text,
};
use cubin_tests::{heap::Counting, recorded};

#[global_allocator]
static HEAP: Counting = Counting::new();

/// Bytes that are read in all of one recorded file, damaged again and again: large files come up less often.
const BUDGET: usize = 400_000;

/// Most bytes of an unpacked image.
const LIMIT: u64 = 1 << 18;

/// Numbers at which sums overflow, tables end, and special values start.
const EXTREMES: [u64; 16] = [
    0,
    1,
    2,
    0x7f,
    0xff,
    0x7fff,
    0xff00,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ff00,
    0xffff_ffff,
    1 << 48,
    i64::MAX as u64,
    u64::MAX - 0xff,
    u64::MAX,
];

/// SplitMix64: small, and well mixed from any seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Less than `end`, which is not 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % end as u64) as usize
    }

    fn extreme(&mut self, length: usize) -> u64 {
        match self.below(EXTREMES.len() + 2) {
            0 => length as u64,
            1 => self.next(),
            at => EXTREMES[at - 2],
        }
    }

    /// Start and end of a short stretch of `length` bytes.
    fn stretch(&mut self, length: usize) -> (usize, usize) {
        let start = self.below(length);
        let size = 1 + self.below(64);
        (start, length.min(start + size))
    }
}

/// Place and length of the section header table of a 64-bit ELF file, as its header says.
fn table(data: &[u8]) -> Option<(usize, usize)> {
    let word = |at: usize| Some(u64::from_le_bytes(*data.get(at..)?.first_chunk()?));
    let start = usize::try_from(word(40)?).ok()?;
    let count = u16::from_le_bytes(*data.get(60..)?.first_chunk()?);
    let length = usize::from(count) * 64;
    let wide = data.starts_with(b"\x7fELF\x02") && length > 0;
    (wide && start.checked_add(length)? <= data.len()).then_some((start, length))
}

/// One to four damages.
fn damage(data: &mut Vec<u8>, other: &[u8], random: &mut Random) {
    for _ in 0..=random.below(4) {
        if data.is_empty() {
            return;
        }
        let length = data.len();
        match (random.below(10), table(data)) {
            (0, _) => {
                let at = random.below(length);
                data[at] ^= 1 << random.below(8);
            }
            (1, _) => data.truncate(random.below(length)),
            (2, _) => {
                let (start, end) = random.stretch(length);
                data.drain(start..end);
            }
            (3, _) => {
                let (start, end) = random.stretch(length);
                let again = data[start..end].to_vec();
                data.splice(end..end, again);
            }
            (4, _) => {
                let (start, end) = random.stretch(other.len());
                let at = random.below(length);
                let end = end.min(start + length - at);
                data[at..at + end - start].copy_from_slice(&other[start..end]);
            }
            (5, _) => {
                let (start, end) = random.stretch(length);
                let to = random.below(length - (end - start) + 1);
                data.copy_within(start..end, to);
            }
            // A field of a section header takes an extreme number, or what the same field of another one holds.
            (6..8, Some((start, size))) => {
                let field = random.below(16) * 4;
                let mut header = || start + random.below(size / 64) * 64 + field;
                let (from, to) = (header(), header());
                if random.below(2) == 0 {
                    data.copy_within(from..from + 4, to);
                } else {
                    let value = random.extreme(length);
                    data[to..to + 4].copy_from_slice(&value.to_le_bytes()[..4]);
                }
            }
            _ => {
                let width = [1, 2, 4, 8][random.below(4)];
                let value = random.extreme(length).to_le_bytes();
                let at = random.below(length) / width * width;
                let end = length.min(at + width);
                data[at..end].copy_from_slice(&value[..end - at]);
            }
        }
    }
}

struct Sink;

impl fmt::Write for Sink {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}

/// Runs a view that may hold `bytes` and 64 KiB.
fn view(name: &str, bytes: usize, run: impl FnOnce()) {
    let ((), peak) = HEAP.peak(run);
    let bound = bytes + 64 * 1024;
    assert!(peak <= bound, "{name}: peak heap {peak}, bound {bound}");
}

/// Every view of a cubin; gives whether it is one still. `original` is the file before the damage.
fn read_cubin(data: &[u8], original: &[u8]) -> bool {
    let Ok(cubin) = Cubin::parse(data) else {
        return false;
    };
    let elf = cubin.elf();
    let bytes = 3 * data.len();
    view("facts", bytes, || {
        let _ = (cubin.kind(), cubin.flags(), cubin.target());
        let _ = (cubin.toolkit(), cubin.virtual_sm(), cubin.cuda_info());
        cubin.tools().for_each(drop);
    });
    view("containers", bytes, || {
        let mut names = Names::new(elf.section_names(), data.len());
        for section in elf.sections() {
            let _ = names.get(section.name).map(consts_of);
            let _ = elf.data(&section);
            if let Some(entries) = reloc::entries(elf, &section) {
                entries.for_each(drop);
            }
        }
        elf.symbols().for_each(|symbol| {
            let _ = symbol.map(|symbol| elf.symbol_name(&symbol).is_ok());
        });
    });
    view("records", bytes, || {
        for section in elf.sections().take(64) {
            let Ok(reader) = elf.reader(&section) else {
                continue;
            };
            // Whatever the section is: these readers know nothing of sections.
            for attribute in nvinfo::Attributes::new(reader).flatten() {
                let _ = attr::Payload::of(&attribute);
                let _ = attr::ParamRecord::read(&attribute);
                let _ = compat::finalizer_version(&attribute);
                attr::Annotations::new(&attribute).for_each(drop);
            }
        }
        let _ = compat::records(elf).map(|records| records.count());
    });
    view("calls", bytes, || {
        let _ = callgraph::calls(elf).map(|calls| calls.count());
        let _ = callgraph::prototypes(elf).map(|prototypes| prototypes.count());
        let _ = callgraph::rel_actions(elf)
            .map(|actions| actions.map(|actions| actions.descriptors().count()));
        let _ = callgraph::recursive(elf);
    });
    view("functions", bytes, || {
        let _ = read_functions(&cubin);
    });
    view("instructions", bytes, || {
        if let Ok(functions) = cubin.functions()
            && let Ok(Some(codes)) = cubin.codes(&functions)
        {
            for code in codes {
                let loops = code.loops();
                let looped = code.instructions().filter(|one| {
                    loops
                        .as_ref()
                        .is_some_and(|loops| loops.contains(one.offset))
                });
                let mut looped: sass::Mix = looped.collect();
                looped += &code.mix();
            }
        }
    });
    view("variables", bytes, || drop(cubin.variables()));
    view("sizes", bytes, || {
        if let Ok(parts) = sizes::parts(elf) {
            let sum: u64 = parts.iter().map(|part| part.size).sum();
            assert_eq!(sum, data.len() as u64, "every byte has one label");
        }
    });
    view("image", bytes, || read_image(&cubin));
    view("text", bytes, || {
        text::write(&cubin, &mut Sink).expect("the text view writes errors and goes on");
    });
    view("json", bytes + DEMANGLER, || {
        let _ = json::write(&cubin, &mut Sink);
    });
    let original = Cubin::parse(original).expect("a recorded cubin");
    view("diff", bytes + 3 * original.elf().bytes().len(), || {
        let _ = diff::cubins(&original, &cubin).map(|diff| diff.is_empty());
    });
    true
}

/// The JSON view names functions in C++: the demangler's tree and its text have bounds of their own.
const DEMANGLER: usize = limits::DEMANGLED;

fn consts_of(name: &[u8]) {
    let name = cubin_core::elf::utf8_part(name);
    let _ = consts::SectionName::parse(name);
}

fn read_functions(cubin: &Cubin<'_>) -> Result<()> {
    let functions = cubin.functions()?;
    let limits = Limits::all().last().expect("a device");
    for function in &functions {
        let _ = cubin.raw_symbol(function);
        let _ = cubin.attributes(function).map(Iterator::count);
        let _ = (cubin.externs(function), cubin.spills(function));
        let block = Block::of(&function.resources, 256, 1024);
        let found = occupancy::occupancy(limits, &block);
        assert!(found.warps <= found.max_warps);
    }
    let _ = cubin.references(&functions);
    Ok(())
}

fn read_image(cubin: &Cubin<'_>) {
    let Ok(image) = cubin.image() else {
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

/// Every view of whatever holds device code; gives whether any was found.
fn read_host(data: &[u8], original: &[u8]) -> bool {
    let _ = host::FileKind::of(data);
    view("members", data.len(), || host::members(data).for_each(drop));
    view("containers", 0, || {
        for container in fatbin::scan(data, 0).flatten() {
            container.entries().for_each(drop);
        }
    });
    view("entries", 0, || fatbin::entries(data, 0).for_each(drop));
    view("device code", 3 * data.len(), || {
        host::device_code(data).for_each(drop);
    });
    let mut found = false;
    for code in host::device_code(data).flatten() {
        found = true;
        let host::Code::Entry(entry) = &code.code else {
            continue;
        };
        let _ = (entry.target(), entry.compression());
        let unpacking = (LIMIT + limits::ZSTD_WINDOW) as usize + DECODER;
        view("unpacked", unpacking, || {
            if let Ok(image) = entry.image_within(LIMIT) {
                assert!(image.len() as u64 <= LIMIT.max(data.len() as u64));
            }
            let _ = entry.ptx_within(LIMIT);
        });
        if let Ok(image) = entry.image_within(LIMIT)
            && entry.is_cubin()
        {
            read_cubin(&image, original);
        }
    }
    found
}

/// Tables and buffers of the zstd decoder, whatever the frame.
const DECODER: usize = 1 << 20;

/// Tells which file a panic came from.
struct Case<'a>(&'a str, u64);

impl Drop for Case<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{} with damage number {}", self.0, self.1);
        }
    }
}

fn each(files: &[(String, Vec<u8>)], read: impl Fn(&[u8], &[u8]) -> bool) {
    let (mut number, mut accepted) = (0, 0);
    for (at, (name, original)) in files.iter().enumerate() {
        let other = &files[(at + 1) % files.len()].1;
        for _ in 0..(BUDGET / original.len()).max(1) {
            number += 1;
            let mut data = original.clone();
            damage(&mut data, other, &mut Random(number));
            let case = Case(name, number);
            accepted += u64::from(read(&data, original));
            drop(case);
        }
    }
    eprintln!("{number} damaged files, {accepted} still accepted");
    // Neither is all damage seen at the door, nor none.
    assert!(number > 500 && (number / 4..number).contains(&accepted));
}

/// One test: tests of a binary run side by side and would count each other's memory.
#[test]
fn no_view_panics_or_holds_much_memory() {
    let cubins = recorded::files("cubins");
    let smallest = cubins.iter().min_by_key(|(_, data)| data.len());
    let smallest = &smallest.expect("cubins").1;
    let hosts = recorded::files("fatbins");
    each(&cubins, read_cubin);
    each(&hosts, |data, _| read_host(data, smallest));
}
