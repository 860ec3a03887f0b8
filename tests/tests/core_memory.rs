//! Peak heap of every view: at most three times the input and 64 KiB, on real and on crafted files.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    fmt, fs,
    path::PathBuf,
    sync::atomic::{AtomicUsize, Ordering},
    time::{Duration, Instant},
};

use cubin_core::{Cubin, host, json, sizes, text};

/// Counts what is allocated and keeps the highest sum.
struct Counting;

static NOW: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

fn grown(bytes: usize) {
    let now = NOW.fetch_add(bytes, Ordering::Relaxed) + bytes;
    PEAK.fetch_max(now, Ordering::Relaxed);
}

// SAFETY: every call goes to the system's allocator unchanged; the counters touch no memory of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        grown(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // Old and new block may exist side by side while the contents move.
        grown(size);
        NOW.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `realloc`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

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
        eprintln!(
            "  {name}: {took:?}, peak so far {}",
            PEAK.load(Ordering::Relaxed)
        );
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
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let start = Instant::now();
    let outcome = views(data);
    let peak = PEAK.load(Ordering::Relaxed) - before;
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
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/cubins");
    let mut seen = 0;
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        let data = fs::read(&path).unwrap();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        for (view, fine) in check(&name, &data) {
            assert!(fine, "{name}: {view} failed");
        }
        seen += 1;
    }
    assert!(seen >= 50);
}

fn a_string_table_of_nuls() {
    // 16 MB: every byte is the end of an empty name. A reader that lists all strings takes 47 times the file.
    let mut maker = Maker::new();
    let (offset, size) = maker.data(&vec![0; 16 << 20]);
    let names = maker.section(Shdr {
        ty: 3,
        offset,
        size,
        ..Shdr::default()
    });
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
        let (offset, size) = maker.data(&name);
        let names = maker.section(Shdr {
            ty: 3,
            offset,
            size,
            ..Shdr::default()
        });
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

/// Symbol table entries of functions: name, section.
fn symbols(list: &[(u32, u16)]) -> Vec<u8> {
    let mut bytes = vec![0; 24];
    for (name, section) in list {
        bytes.extend(name.to_le_bytes());
        bytes.extend([0x12, 0x10]);
        bytes.extend(section.to_le_bytes());
        bytes.extend([0; 16]);
    }
    bytes
}

/// `count` kernels that share every name and every byte they can share: the densest file there is.
fn dense(count: u16, constants: bool, names_at: usize) -> Vec<u8> {
    let mut maker = Maker::new();
    let mut strings = b"\0.text.k\0.nv.constant0.k\0k\0.nv.info.k\0".to_vec();
    let long = strings.len();
    strings.extend(std::iter::repeat_n(b'y', names_at));
    strings.push(0);
    let (offset, size) = maker.data(&strings);
    let names = maker.section(Shdr {
        ty: 3,
        offset,
        size,
        ..Shdr::default()
    });
    let step = if constants { 2 } else { 1 };
    let name = if names_at == 0 { 25 } else { long as u32 };
    let list: Vec<_> = (0..count).map(|index| (name, 3 + index * step)).collect();
    let (offset, size) = maker.data(&symbols(&list));
    maker.section(Shdr {
        ty: 2,
        offset,
        size,
        link: names,
        entsize: 24,
        ..Shdr::default()
    });
    for index in 0..count {
        let text = maker.section(Shdr {
            name: 1,
            ty: 1,
            flags: 6,
            info: u32::from(index) + 1,
            ..Shdr::default()
        });
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

fn attribute_sections_that_share_their_bytes() {
    // 2 MB of parameter records that 5,000 kernels claim as their own.
    let mut maker = Maker::new();
    let (offset, size) = maker.data(b"\0.text.k\0.nv.constant0.k\0k\0.nv.info.k\0");
    let names = maker.section(Shdr {
        ty: 3,
        offset,
        size,
        ..Shdr::default()
    });
    let list: Vec<_> = (0..5_000).map(|index| (25, 3 + index * 2)).collect();
    let (offset, size) = maker.data(&symbols(&list));
    maker.section(Shdr {
        ty: 2,
        offset,
        size,
        link: names,
        entsize: 24,
        ..Shdr::default()
    });
    let mut record = vec![4, 0x17, 12, 0];
    record.extend([0; 12]);
    let (offset, size) = maker.data(&record.repeat(128 * 1024));
    for index in 0..5_000 {
        let text = maker.section(Shdr {
            name: 1,
            ty: 1,
            flags: 6,
            info: index + 1,
            ..Shdr::default()
        });
        maker.section(Shdr {
            name: 27,
            ty: 0x7000_0000,
            offset,
            size,
            info: text,
            ..Shdr::default()
        });
    }
    let outcome = check("shared attributes", &maker.finish(names, 90));
    assert!(outcome.contains(&("functions", false)), "{outcome:?}");
}

fn an_ordinal_that_asks_for_much_memory() {
    // One parameter record with ordinal 65,535 in each of many kernels.
    let mut maker = Maker::new();
    let (offset, size) = maker.data(b"\0.text.k\0.nv.constant0.k\0k\0.nv.info.k\0");
    let names = maker.section(Shdr {
        ty: 3,
        offset,
        size,
        ..Shdr::default()
    });
    let list: Vec<_> = (0..1000).map(|index| (25, 3 + index * 2)).collect();
    let (offset, size) = maker.data(&symbols(&list));
    maker.section(Shdr {
        ty: 2,
        offset,
        size,
        link: names,
        entsize: 24,
        ..Shdr::default()
    });
    for index in 0..1000 {
        let mut record = vec![4, 0x17, 12, 0, 0, 0, 0, 0, 0xff, 0xff];
        record.extend([0; 6]);
        let (offset, size) = maker.data(&record);
        let text = maker.section(Shdr {
            name: 1,
            ty: 1,
            flags: 6,
            info: index + 1,
            ..Shdr::default()
        });
        maker.section(Shdr {
            name: 27,
            ty: 0x7000_0000,
            offset,
            size,
            info: text,
            ..Shdr::default()
        });
    }
    let outcome = check("large ordinals", &maker.finish(names, 90));
    assert!(outcome.contains(&("functions", true)), "{outcome:?}");
}

/// One test: tests of a binary run side by side and would count each other's memory.
/// Peak heap of a walk over the device code in `data`, nothing unpacked.
fn host_peak(data: &[u8]) -> usize {
    let before = NOW.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let found = host::device_code(data).count();
    let peak = PEAK.load(Ordering::Relaxed) - before;
    eprintln!("{} bytes, {found} found, peak {peak}", data.len());
    peak
}

fn host_files_and_fatbins() {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/fatbins");
    for entry in fs::read_dir(directory).unwrap() {
        let data = fs::read(entry.unwrap().path()).unwrap();
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

#[test]
fn peak_heap_is_bounded() {
    host_files_and_fatbins();
    recorded_cubins();
    a_string_table_of_nuls();
    sections_that_share_one_unterminated_name();
    files_made_of_nothing_but_kernels();
    attribute_sections_that_share_their_bytes();
    an_ordinal_that_asks_for_much_memory();
}
