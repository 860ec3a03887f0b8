//! Damaged cubins: every prefix, every byte changed, extreme numbers in every header field. Each is read through every
//! view; each view ends with a value or an error, never with a panic, and the size map keeps its promise.

use std::{fmt, fs, path::PathBuf};

use cubin_core::{Cubin, ErrorKind, json, sizes, text};

struct Sink;

impl fmt::Write for Sink {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}

/// Small fixtures, one per header dialect: both layouts, `a` and `f` targets, 32-bit, extended numbering, Mercury.
const FIXTURES: [&str; 5] = [
    "m32-11.8-sm_52",
    "one-11.7-75",
    "extended-numbering-2",
    "min-13.5-sm_90a",
    "min-13.5-sm_100f",
];

fn fixture(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("golden/cubins")
        .join(format!("{name}.cubin"));
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Reads everything; gives whether the file was accepted at all.
fn read(data: &[u8]) -> bool {
    let Ok(cubin) = Cubin::parse(data) else {
        return false;
    };
    text::write(&cubin, &mut Sink).expect("the text view writes errors and goes on");
    let _ = json::write(&cubin, &mut Sink);
    if let Ok(functions) = cubin.functions() {
        for function in &functions {
            let _ = cubin.raw_symbol(function);
        }
    }
    if let Ok(parts) = sizes::parts(cubin.elf()) {
        check_parts(&parts, data.len());
    }
    true
}

fn check_parts(parts: &[sizes::Part], length: usize) {
    let mut at = 0;
    for part in parts {
        assert_eq!(part.start, at, "the parts follow each other");
        assert_ne!(part.size, 0);
        at += part.size;
    }
    assert_eq!(at, length as u64, "the parts cover the file");
    let sum: u64 = sizes::totals(parts).iter().map(|(_, bytes)| bytes).sum();
    assert_eq!(sum, length as u64);
}

#[test]
fn every_byte_of_every_recorded_cubin_has_one_label() {
    let directory = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/cubins");
    let mut seen = 0;
    for entry in fs::read_dir(directory).expect("the recorded cubins") {
        let data = fs::read(entry.expect("an entry").path()).expect("a cubin");
        let cubin = Cubin::parse(&data).expect("a valid cubin");
        check_parts(&sizes::parts(cubin.elf()).expect("parts"), data.len());
        seen += 1;
    }
    assert!(seen >= 50);
}

#[test]
fn every_prefix() {
    for name in FIXTURES {
        let data = fixture(name);
        assert!(read(&data), "{name} is valid");
        for end in 0..data.len() {
            read(&data[..end]);
        }
    }
}

#[test]
fn every_byte_changed() {
    for name in FIXTURES {
        let mut data = fixture(name);
        let mut refused = 0;
        for at in 0..data.len() {
            let before = data[at];
            // All bits of one byte, one bit of the next.
            let change = if at % 2 == 0 { 0xff } else { 1 << (at / 2 % 8) };
            data[at] = before ^ change;
            refused += usize::from(!read(&data));
            data[at] = before;
        }
        assert!(refused > 0, "{name}: some changes must be noticed");
    }
}

/// Overwrites `width` bytes at `at` with a number.
fn put(data: &mut [u8], at: usize, width: usize, value: u64) {
    data[at..at + width].copy_from_slice(&value.to_le_bytes()[..width]);
}

#[test]
fn extreme_numbers_in_header_fields() {
    for name in FIXTURES {
        let data = fixture(name);
        let wide = data[4] == 2;
        let number = |at: usize, width: usize| {
            let mut bytes = [0; 8];
            bytes[..width].copy_from_slice(&data[at..at + width]);
            usize::try_from(u64::from_le_bytes(bytes)).expect("a small number")
        };
        let (table, header, entry) = if wide {
            (number(40, 8), 64, 64)
        } else {
            (number(32, 4), 52, 40)
        };
        let fields = (16..header).chain(table..data.len().min(table + 16 * entry));
        for at in fields.step_by(2) {
            for width in [2, 4, 8] {
                // Fields lie at multiples of their width; 2-byte fields only in the file header.
                if at + width > data.len() || at % width != 0 || (width == 2 && at >= header) {
                    continue;
                }
                for value in [
                    0,
                    1,
                    u64::MAX,
                    u64::MAX >> 1,
                    1 << 63,
                    (1 << 31) - 1,
                    0xff00,
                    data.len() as u64,
                ] {
                    let mut changed = data.clone();
                    put(&mut changed, at, width, value);
                    read(&changed);
                }
            }
        }
    }
}

#[test]
fn messages_say_what_where_and_what_next() {
    let data = fixture("min-13.5-sm_90a");
    let error = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut data = data.clone();
        change(&mut data);
        Cubin::parse(&data).expect_err("a damaged file").to_string()
    };
    for (change, expected) in [
        (
            &(|data: &mut Vec<u8>| data.truncate(8)) as &dyn Fn(&mut Vec<u8>),
            "not a cubin: the file has 8 bytes, fewer than an ELF header (offset 0x0)",
        ),
        (
            &|data| data.truncate(63),
            "not a cubin: the file has 63 bytes, fewer than an ELF header (offset 0x0)",
        ),
        (
            &|data| data[4] = 3,
            "EI_CLASS is 3, expected 1 (32-bit) or 2 (64-bit) (offset 0x4)",
        ),
        (
            &|data| data[5] = 2,
            "EI_DATA is 2, expected 1: cubins are little-endian (offset 0x5)",
        ),
        (
            &|data| data[0] = b'M',
            "not a cubin: the file does not start with the ELF magic 7f 45 4c 46 (offset 0x0)",
        ),
        (
            &|data| put(data, 18, 2, 62),
            "not a cubin: e_machine is 62, expected 190 (CUDA); in host objects read the device code inside (offset 0x12)",
        ),
        (
            &|data| {
                let table = u64::from_le_bytes(data[40..48].try_into().expect("e_shoff"));
                let names = u16::from_le_bytes([data[62], data[63]]);
                put(data, table as usize + usize::from(names) * 64 + 4, 4, 1);
            },
            "section 1 is used as a string table, but its type is 0x1, not SHT_STRTAB (section #1, offset 0x40)",
        ),
        (
            &|data| put(data, 40, 8, 0x3f),
            "e_shoff is 0x3f, inside of the file header of 0x40 bytes (offset 0x28)",
        ),
        (
            &|data| put(data, 58, 2, 40),
            "e_shentsize is 40, expected 64 (offset 0x3a)",
        ),
        (
            &|data| put(data, 54, 2, 32),
            "e_phentsize is 32, expected 56 (offset 0x36)",
        ),
    ] {
        assert_eq!(error(change), expected);
    }
    // A cut file names the table or the section that is missing.
    let cut = error(&|data| data.truncate(data.len() - 100));
    assert!(
        cut.contains("the file is cut off or damaged") || cut.contains("do not fit"),
        "{cut}"
    );
}

/// Toolkits 8.0 to 9.1 set the bit of accelerated targets in files of targets that have no such variant.
#[test]
fn a_suffix_is_shown_only_where_there_is_such_a_target() {
    for (name, number, expected) in [
        ("basic-11.8-sm_52", 52, "sm_52"),
        ("basic-11.8-sm_52", 90, "sm_90a"),
    ] {
        let mut data = fixture(name);
        let flags = u32::from_le_bytes(data[48..52].try_into().expect("e_flags"));
        let flags = (flags & !0xff) | number | 1 << 11;
        put(&mut data, 48, 4, flags.into());
        let cubin = Cubin::parse(&data).expect("a valid cubin");
        assert_eq!(cubin.target().expect("a target").to_string(), expected);
    }
}

/// The kind tells what to try next, so each has a case.
#[test]
fn kinds_of_errors() {
    let cubin = fixture("min-13.5-sm_90a");
    let kind = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut data = cubin.clone();
        change(&mut data);
        Cubin::parse(&data).expect_err("a damaged file").kind()
    };
    assert_eq!(kind(&|data| data[0] = b'M'), ErrorKind::WrongFormat);
    assert_eq!(kind(&|data| data.truncate(8)), ErrorKind::WrongFormat);
    assert_eq!(
        kind(&|data| put(data, 18, 2, 62)),
        ErrorKind::WrongFormat,
        "x86-64"
    );
    assert_eq!(kind(&|data| data.truncate(200)), ErrorKind::Truncated);
    assert_eq!(kind(&|data| put(data, 58, 2, 40)), ErrorKind::Malformed);
    assert_eq!(
        kind(&|data| data[7] = 9),
        ErrorKind::Unsupported,
        "EI_OSABI"
    );

    let read = Cubin::parse(&cubin).expect("a valid cubin");
    let section = read.elf().section(99_999).expect_err("no such section");
    assert_eq!(section.kind(), ErrorKind::Malformed);

    struct Full;
    impl std::fmt::Write for Full {
        fn write_str(&mut self, _: &str) -> std::fmt::Result {
            Err(std::fmt::Error)
        }
    }
    let full = text::write(&read, &mut Full).expect_err("a writer that takes nothing");
    assert_eq!(full.kind(), ErrorKind::Output);

    // Without a magic number, and with one but nothing behind it.
    let fatbin = |bytes: &[u8]| {
        let first = cubin_core::fatbin::containers(bytes, 0).next();
        first.expect("an item").expect_err("damage").kind()
    };
    assert_eq!(fatbin(b"no fatbin"), ErrorKind::WrongFormat);
    assert_eq!(fatbin(&[0x50, 0xed, 0x55, 0xba]), ErrorKind::Truncated);
    let name = cubin_core::elf::StringTable::default().get(5);
    assert_eq!(name.expect_err("no such name").kind(), ErrorKind::Malformed);
}

#[test]
fn an_extended_section_number_without_its_table_is_an_error() {
    let data = fixture("extended-numbering-2");
    let cubin = Cubin::parse(&data).expect("a valid cubin");
    assert_eq!(cubin.functions().expect("functions").len(), 1);
    // Make the table a section of another type.
    let elf = cubin.elf();
    let table = elf
        .sections()
        .find(|section| section.ty.0 == 18)
        .expect("SHT_SYMTAB_SHNDX");
    let at = elf.header().section_headers as usize + table.index as usize * 64 + 4;
    let mut damaged = data.clone();
    put(&mut damaged, at, 4, 1);
    let error = Cubin::parse(&damaged)
        .expect("the container is still well-formed")
        .functions()
        .expect_err("the symbol cannot be placed");
    assert!(error.to_string().contains("SHT_SYMTAB_SHNDX"), "{error}");
}

#[test]
fn of_two_tables_of_extended_section_numbers_the_first_counts() {
    let data = fixture("extended-numbering-2");
    let cubin = Cubin::parse(&data).expect("a valid cubin");
    let elf = cubin.elf();
    let frame = elf.section_named(b".debug_frame").expect("a section");
    let at = elf.header().section_headers as usize + frame.index as usize * 64 + 4;
    let mut damaged = data.clone();
    put(&mut damaged, at, 4, 18);
    let functions = Cubin::parse(&damaged).expect("a cubin").functions();
    // Its words are no numbers of sections.
    assert!(functions.is_err(), "{functions:?}");
}
