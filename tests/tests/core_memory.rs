//! Peak heap of every view: at most three times the input and 64 KiB, on real and on crafted files.

use std::{
    fmt,
    time::{Duration, Instant},
};

use cubin_core::{Cubin, consts::EntryFlags, diff, fatbin, host, json, sizes, text};
use cubin_tests::{heap::Counting, recorded};

#[global_allocator]
static HEAP: Counting = Counting::new();

/// A writer that keeps nothing.
struct Sink;

impl fmt::Write for Sink {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}

/// Every view of a file. Errors are fine: the bounds hold for damaged files too.
fn views(data: &[u8]) -> Vec<(&'static str, bool)> {
    let Ok(cubin) = Cubin::parse(data) else {
        return vec![("parse", false)];
    };
    let mut outcome = Vec::new();
    let mut view = |name, run: &dyn Fn() -> bool| {
        let start = Instant::now();
        outcome.push((name, run()));
        // Far above what any file takes, far below what unbounded work would: not a measurement.
        let took = start.elapsed();
        assert!(took < Duration::from_secs(20), "{name} took {took:?}");
    };
    view("target", &|| cubin.target().is_ok());
    view("functions", &|| cubin.functions().is_ok());
    view("variables", &|| cubin.variables().is_ok());
    view("sizes", &|| sizes::parts(cubin.elf()).is_ok());
    view("text", &|| text::write(&cubin, &mut Sink).is_ok());
    view("json", &|| json::write(&cubin, &mut Sink).is_ok());
    // Relocatable objects and those that need the driver have none: an error there is no failure of the view.
    view("image", &|| {
        if let Ok(image) = cubin.image() {
            image.patches(0).count();
            image.kernels().count();
        }
        true
    });
    outcome
}

/// Runs the views and checks the peak.
fn check(name: &str, data: &[u8]) -> Vec<(&'static str, bool)> {
    let start = Instant::now();
    let (outcome, peak) = HEAP.peak(|| views(data));
    let bound = 3 * data.len() + 64 * 1024;
    eprintln!(
        "{name}: {} bytes, peak {peak}, {:.2} of the input, {:?}",
        data.len(),
        peak as f64 / data.len() as f64,
        start.elapsed()
    );
    assert!(peak <= bound, "{name}: peak heap {peak}, bound {bound}");
    // Far above what any file takes, far below what unbounded work would: not a measurement.
    assert!(
        start.elapsed() < Duration::from_secs(20),
        "{name}: too slow"
    );
    outcome
}

/// Makes a 64-bit new-layout cubin: sections are (name offset, type, flags, link, info, data offset, size).
struct Maker {
    bytes: Vec<u8>,
    sections: Vec<Shdr>,
}

#[derive(Clone, Copy, Default)]
struct Shdr {
    name: u32,
    ty: u32,
    flags: u64,
    offset: u64,
    size: u64,
    link: u32,
    info: u32,
    entsize: u64,
}

impl Maker {
    fn new() -> Self {
        Self {
            bytes: vec![0; 64],
            sections: vec![Shdr::default()],
        }
    }

    /// Appends bytes, and gives where they start.
    fn data(&mut self, bytes: &[u8]) -> (u64, u64) {
        let at = self.bytes.len() as u64;
        self.bytes.extend_from_slice(bytes);
        (at, bytes.len() as u64)
    }

    /// A string table.
    fn strings(&mut self, bytes: &[u8]) -> u32 {
        let (offset, size) = self.data(bytes);
        self.section(Shdr {
            ty: 3,
            offset,
            size,
            ..Shdr::default()
        })
    }

    /// A symbol table of functions: name, section.
    fn symbols(&mut self, names: u32, list: &[(u32, u16)]) {
        let mut bytes = vec![0; 24];
        for (name, section) in list {
            bytes.extend(name.to_le_bytes());
            bytes.extend([0x12, 0x10]);
            bytes.extend(section.to_le_bytes());
            bytes.extend([0; 16]);
        }
        let (offset, size) = self.data(&bytes);
        self.section(Shdr {
            ty: 2,
            offset,
            size,
            link: names,
            entsize: 24,
            ..Shdr::default()
        });
    }

    /// Code of a kernel.
    fn text(&mut self, symbol: u32) -> u32 {
        self.section(Shdr {
            name: 1,
            ty: 1,
            flags: 6,
            info: symbol,
            ..Shdr::default()
        })
    }

    /// `.nv.info.<k>` of the kernel whose code is section `text`.
    fn attributes(&mut self, text: u32, (offset, size): (u64, u64)) {
        self.section(Shdr {
            name: 27,
            ty: 0x7000_0000,
            offset,
            size,
            info: text,
            ..Shdr::default()
        });
    }

    fn section(&mut self, section: Shdr) -> u32 {
        self.sections.push(section);
        u32::try_from(self.sections.len() - 1).unwrap()
    }

    fn finish(mut self, names: u32, sm: u32) -> Vec<u8> {
        let table = self.bytes.len() as u64;
        let count = self.sections.len();
        if count >= 0xff00 {
            self.sections[0].size = count as u64;
        }
        for section in &self.sections {
            for word in [section.name, section.ty] {
                self.bytes.extend(word.to_le_bytes());
            }
            for word in [section.flags, 0, section.offset, section.size] {
                self.bytes.extend(word.to_le_bytes());
            }
            for word in [section.link, section.info] {
                self.bytes.extend(word.to_le_bytes());
            }
            for word in [1, section.entsize] {
                self.bytes.extend(word.to_le_bytes());
            }
        }
        let mut header = vec![0x7f, b'E', b'L', b'F', 2, 1, 1, 0x41, 8];
        header.resize(16, 0);
        header.extend(2_u16.to_le_bytes());
        header.extend(190_u16.to_le_bytes());
        header.extend(1_u32.to_le_bytes());
        header.extend([0; 16]);
        header.extend(table.to_le_bytes());
        header.extend((sm << 8 | 4).to_le_bytes());
        header.extend(64_u16.to_le_bytes());
        header.extend([0; 4]);
        header.extend(64_u16.to_le_bytes());
        let short = if count >= 0xff00 { 0 } else { count };
        header.extend(u16::try_from(short).unwrap().to_le_bytes());
        header.extend(u16::try_from(names).unwrap().to_le_bytes());
        self.bytes[..64].copy_from_slice(&header);
        self.bytes
    }
}

fn recorded_cubins() {
    let files = recorded::files("cubins");
    assert!(files.len() >= 50);
    for (name, data) in files {
        for (view, fine) in check(&name, &data) {
            assert!(fine, "{name}: {view} failed");
        }
    }
}

fn a_string_table_of_nuls() {
    // 16 MB: every byte is the end of an empty name. A reader that lists all strings takes 47 times the file.
    let mut maker = Maker::new();
    let names = maker.strings(&vec![0; 16 << 20]);
    for (view, fine) in check("string table of NULs", &maker.finish(names, 90)) {
        assert!(fine, "{view} failed");
    }
}

fn sections_that_share_one_unterminated_name() {
    for terminated in [false, true] {
        let mut maker = Maker::new();
        let mut name = vec![b'x'; 4 << 20];
        if terminated {
            name.push(0);
        }
        let names = maker.strings(&name);
        for _ in 0..60_000 {
            maker.section(Shdr {
                name: 1,
                ty: 1,
                ..Shdr::default()
            });
        }
        let data = maker.finish(names, 90);
        let outcome = check("60,000 sections with one name", &data);
        // Names that nobody needs are not read: resources are still found.
        assert!(outcome.contains(&("functions", true)), "{outcome:?}");
    }
}

/// `count` kernels that share every name and every byte they can share: the densest file there is.
fn dense(count: u16, constants: bool, names_at: usize) -> Vec<u8> {
    let mut maker = Maker::new();
    let mut strings = b"\0.text.k\0.nv.constant0.k\0k\0.nv.info.k\0".to_vec();
    let long = strings.len();
    strings.extend(std::iter::repeat_n(b'y', names_at));
    strings.push(0);
    let names = maker.strings(&strings);
    let step = if constants { 2 } else { 1 };
    let name = if names_at == 0 { 25 } else { long as u32 };
    let list: Vec<_> = (0..count).map(|index| (name, 3 + index * step)).collect();
    maker.symbols(names, &list);
    for index in 0..count {
        let text = maker.text(u32::from(index) + 1);
        if constants {
            maker.section(Shdr {
                name: 9,
                ty: 1,
                info: text,
                ..Shdr::default()
            });
        }
    }
    maker.finish(names, 90)
}

fn files_made_of_nothing_but_kernels() {
    for (constants, name) in [(false, 0), (true, 0)] {
        let data = dense(8_000, constants, name);
        let outcome = check("8,000 kernels", &data);
        assert!(outcome.contains(&("functions", true)), "{outcome:?}");
        assert_eq!(
            Cubin::parse(&data).unwrap().functions().unwrap().len(),
            8_000
        );
    }
    // All of them with one name of 60,000 bytes: refused when the names add up to far more than the file.
    let data = dense(8_000, false, 60_000);
    let outcome = check("8,000 kernels with one long name", &data);
    assert!(outcome.contains(&("functions", false)), "{outcome:?}");
}

/// Names and symbols of `count` kernels, each with a section of code and one of attributes.
fn with_attributes(count: u16) -> (Maker, u32) {
    let mut maker = Maker::new();
    let names = maker.strings(b"\0.text.k\0.nv.constant0.k\0k\0.nv.info.k\0");
    let list: Vec<_> = (0..count).map(|index| (25, 3 + index * 2)).collect();
    maker.symbols(names, &list);
    (maker, names)
}

fn attribute_sections_that_share_their_bytes() {
    // 2 MB of parameter records that 5,000 kernels claim as their own.
    let (mut maker, names) = with_attributes(5_000);
    let mut record = vec![4, 0x17, 12, 0];
    record.extend([0; 12]);
    let records = maker.data(&record.repeat(128 * 1024));
    for index in 0..5_000 {
        let text = maker.text(index + 1);
        maker.attributes(text, records);
    }
    let outcome = check("shared attributes", &maker.finish(names, 90));
    assert!(outcome.contains(&("functions", false)), "{outcome:?}");
}

fn an_ordinal_that_asks_for_much_memory() {
    // One parameter record with ordinal 65,535 in each of many kernels.
    let (mut maker, names) = with_attributes(1000);
    for index in 0..1000 {
        let mut record = vec![4, 0x17, 12, 0, 0, 0, 0, 0, 0xff, 0xff];
        record.extend([0; 6]);
        let record = maker.data(&record);
        let text = maker.text(index + 1);
        maker.attributes(text, record);
    }
    let outcome = check("large ordinals", &maker.finish(names, 90));
    assert!(outcome.contains(&("functions", true)), "{outcome:?}");
}

/// Peak heap of a walk over the device code in `data`, nothing unpacked.
fn host_peak(data: &[u8]) -> usize {
    let (found, peak) = HEAP.peak(|| host::device_code(data).count());
    eprintln!("{} bytes, {found} found, peak {peak}", data.len());
    peak
}

fn host_files_and_fatbins() {
    for (_, data) in recorded::files("fatbins") {
        assert!(host_peak(&data) <= 3 * data.len() + 64 * 1024);
    }
    // Nothing but magic numbers: an error each, one at a time.
    let magic = 0xba55_ed50_u64.to_le_bytes().repeat(1 << 18);
    assert!(host_peak(&magic) <= 64 * 1024);
    let object = [b"MZ".as_slice(), &[0; 6], &magic].concat();
    assert!(host_peak(&object) <= 64 * 1024);
    // Nothing but headers of archive members that are too long.
    let mut archive = b"!<arch>\n".to_vec();
    for _ in 0..10_000 {
        archive.extend(format!("{:<48}{:<10}`\n", "x.o/", 999_999_999).bytes());
    }
    assert!(host_peak(&archive) <= 64 * 1024);
}

/// Peak heap of unpacking a zstd entry, as a multiple of its image: the image itself, and what the decoder keeps of the frame,
/// which is all of it in frames of one segment as NVIDIA's are. Its buffer is a power of two.
fn zstd_entries() {
    for blocks in [100, 129, 250] {
        let size = blocks as u64 * (128 << 10);
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
        frame.extend((size as u32).to_le_bytes());
        for block in 0..blocks {
            // A run of one byte.
            let header = u32::from(block + 1 == blocks) | 1 << 1 | (128 << 10) << 3;
            frame.extend(&header.to_le_bytes()[..3]);
            frame.push(block as u8);
        }
        let mut entry = vec![0; 64];
        entry[..8].copy_from_slice(&[2, 0, 1, 1, 64, 0, 0, 0]);
        let padded = frame.len().next_multiple_of(8);
        entry[8..16].copy_from_slice(&(padded as u64).to_le_bytes());
        entry[16..20].copy_from_slice(&(frame.len() as u32).to_le_bytes());
        entry[28] = 90;
        entry[40..48].copy_from_slice(&EntryFlags::ZSTD.to_le_bytes());
        entry[56..64].copy_from_slice(&size.to_le_bytes());
        entry.extend(&frame);
        entry.resize(64 + padded, 0);
        let mut data = vec![0x50, 0xed, 0x55, 0xba, 1, 0, 16, 0];
        data.extend((entry.len() as u64).to_le_bytes());
        data.extend(entry);
        let entry = fatbin::entries(&data, 0).next().unwrap().unwrap();
        let (image, peak) = HEAP.peak(|| entry.image().unwrap().len());
        assert_eq!(image as u64, size);
        let factor = peak as f64 / image as f64;
        eprintln!("a zstd entry of {image} bytes: peak {peak}, {factor:.2} of the image");
        assert!(factor <= 3.1, "peak heap {peak}");
    }
}

/// Peak heap of a comparison beside what it yields, as a multiple of both files.
fn difference(name: &str, before: &[u8], after: &[u8]) -> usize {
    let compare = || {
        let (before, after) = (Cubin::parse(before).unwrap(), Cubin::parse(after).unwrap());
        let diff = diff::cubins(&before, &after).unwrap();
        let lists = diff.changed.iter().map(|one| one.changes.capacity());
        let changes = lists.sum::<usize>() * size_of::<diff::Change>();
        let result = changes + diff.changed.capacity() * size_of::<diff::Changed<'_>>();
        (diff.changed.len(), result)
    };
    let ((changed, result), peak) = HEAP.peak(compare);
    let peak = peak.saturating_sub(result);
    let input = before.len() + after.len();
    eprintln!(
        "{name}: {changed} changed, peak {peak}, {:.2} of the input",
        peak as f64 / input as f64
    );
    assert!(peak <= 3 * input + 64 * 1024, "{name}: peak heap {peak}");
    changed
}

fn comparisons() {
    for (name, data) in recorded::files("cubins") {
        assert_eq!(difference(&name, &data, &data), 0);
    }
    for constants in [false, true] {
        let before = dense(8_000, constants, 0);
        assert_eq!(difference("the same kernels", &before, &before), 0);
        // Other code, constants and figures for every one: what they share is longer.
        let after = longer(&before);
        assert_eq!(difference("other kernels", &before, &after), 8_000);
    }
}

/// A file of [`dense`] kernels whose sections of code have 16 bytes.
fn longer(data: &[u8]) -> Vec<u8> {
    let mut data = data.to_vec();
    let table = u64::from_le_bytes(data[40..48].try_into().unwrap()) as usize;
    for section in data[table..].chunks_exact_mut(64) {
        // Executable.
        if section[8] & 4 != 0 {
            section[32] = 16;
        }
    }
    data
}

/// One test: tests of a binary run side by side and would count each other's memory.
#[test]
fn peak_heap_is_bounded() {
    host_files_and_fatbins();
    zstd_entries();
    recorded_cubins();
    comparisons();
    a_string_table_of_nuls();
    sections_that_share_one_unterminated_name();
    files_made_of_nothing_but_kernels();
    attribute_sections_that_share_their_bytes();
    an_ordinal_that_asks_for_much_memory();
}
