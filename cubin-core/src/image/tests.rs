use super::*;

const PROGBITS: u32 = 1;
const NOBITS: u32 = 8;
const INFO: u32 = 0x7000_0000;
const CODE: u64 = 6;
const ALLOC: u64 = 2;

/// A section as the file's table tells it; its index is its position plus 1.
#[derive(Clone)]
struct Part {
    name: &'static str,
    ty: u32,
    flags: u64,
    size: u64,
    info: u32,
    align: u64,
    entsize: u64,
    bytes: Vec<u8>,
}

fn part(name: &'static str, ty: u32, flags: u64, bytes: &[u8]) -> Part {
    Part {
        name,
        ty,
        flags,
        size: bytes.len() as u64,
        info: 0,
        align: 1,
        entsize: 0,
        bytes: bytes.to_vec(),
    }
}

fn nobits(name: &'static str, size: u64) -> Part {
    Part {
        size,
        ..part(name, NOBITS, ALLOC | 1, &[])
    }
}

/// A relocation: offset, type, symbol, addend.
type Entry = (u64, u32, u32, i64);

fn relocations(name: &'static str, target: u32, entries: &[Entry], explicit: bool) -> Part {
    let mut bytes = Vec::new();
    for (offset, ty, symbol, addend) in entries {
        bytes.extend(offset.to_le_bytes());
        bytes.extend(ty.to_le_bytes());
        bytes.extend(symbol.to_le_bytes());
        if explicit {
            bytes.extend(addend.to_le_bytes());
        }
    }
    Part {
        info: target,
        entsize: if explicit { 24 } else { 16 },
        ..part(name, if explicit { 4 } else { 9 }, 0, &bytes)
    }
}

/// A symbol: name, section index (0 undefined, 0xfff1 absolute), value.
type Sym = (&'static str, u16, u64);

fn elf(parts: &[Part], symbols: &[Sym]) -> Vec<u8> {
    let mut parts = parts.to_vec();
    let (mut table, mut strings) = (vec![0; 24], vec![0]);
    for (name, section, value) in symbols {
        table.extend((strings.len() as u32).to_le_bytes());
        table.extend([0x12, 0]);
        table.extend(section.to_le_bytes());
        table.extend(value.to_le_bytes());
        table.extend([0; 8]);
        strings.extend(name.as_bytes());
        strings.push(0);
    }
    let strtab = parts.len() as u32 + 2;
    parts.push(Part {
        entsize: 24,
        ..part(".symtab", 2, 0, &table)
    });
    parts.push(part(".strtab", 3, 0, &strings));
    let mut names = vec![0];
    let mut places = Vec::new();
    for name in parts.iter().map(|part| part.name).chain([".shstrtab"]) {
        places.push(names.len() as u32);
        names.extend(name.as_bytes());
        names.push(0);
    }
    parts.push(part(".shstrtab", 3, 0, &names));
    let mut file = vec![0; 64];
    let mut headers = vec![0; 64];
    for (part, name) in parts.iter().zip(places) {
        headers.extend(name.to_le_bytes());
        headers.extend(part.ty.to_le_bytes());
        headers.extend(part.flags.to_le_bytes());
        headers.extend([0; 8]);
        headers.extend((file.len() as u64).to_le_bytes());
        headers.extend(part.size.to_le_bytes());
        let link = if part.ty == 2 { strtab } else { 0 };
        headers.extend(link.to_le_bytes());
        headers.extend(part.info.to_le_bytes());
        headers.extend(part.align.to_le_bytes());
        headers.extend(part.entsize.to_le_bytes());
        file.extend(&part.bytes);
    }
    let table = file.len() as u64;
    let count = headers.len() as u16 / 64;
    file.extend(headers);
    file[..9].copy_from_slice(b"\x7fELF\x02\x01\x01\x41\x08");
    file[16..20].copy_from_slice(&[2, 0, 190, 0]);
    file[20] = 1;
    file[40..48].copy_from_slice(&table.to_le_bytes());
    file[48..52].copy_from_slice(&0x0600_5a04_u32.to_le_bytes());
    file[58..64].copy_from_slice(&[64, 0, count as u8, (count >> 8) as u8, count as u8 - 1, 0]);
    file
}

fn image(file: &[u8]) -> Result<Image<'_>> {
    Cubin::parse(file)?.image()
}

fn error(file: &[u8]) -> String {
    image(file).unwrap_err().to_string()
}

/// A bank (section 1), code (2), shared memory (3), an undefined, an absolute and an outside symbol.
fn cubin(entries: &[Entry], explicit: bool, code: &[u8]) -> Vec<u8> {
    elf(
        &[
            part(".nv.constant0.k", PROGBITS, ALLOC, &[1; 12]),
            part(".text.k", PROGBITS, CODE, code),
            nobits(".nv.shared.k", 16),
            relocations(".rela.text.k", 2, entries, explicit),
        ],
        &[
            ("k", 2, 0x10),
            ("c", 1, 4),
            ("vprintf", 0, 0),
            ("a", 0xfff1, 9),
            ("s", 3, 0),
        ],
    )
}

fn patches(file: &[u8], base: u64) -> Vec<(u64, Vec<u8>)> {
    image(file)
        .unwrap()
        .patches(base)
        .map(|patch| (patch.offset, patch.bytes().to_vec()))
        .collect()
}

#[test]
fn sections_follow_each_other_at_128_bytes() {
    let file = elf(
        &[
            part(".text.a", PROGBITS, CODE, &[0x5a; 130]),
            part(".debug_frame", PROGBITS, 0, &[9; 50]),
            nobits(".nv.shared.a", 0x8000),
            nobits(".nv.shared.reserved.0", 0),
            Part {
                align: 512,
                ..part(".nv.global.init", PROGBITS, ALLOC | 1, &[7; 4])
            },
            nobits(".nv.global", 0x2000),
            part(".nv.constant3", 0x7000_0067, ALLOC, &[3; 8]),
        ],
        &[],
    );
    let image = image(&file).unwrap();
    let places: Vec<(u32, u64, u64)> = image
        .sections()
        .iter()
        .map(|held| (held.section, held.offset, held.size))
        .collect();
    // The last one has a CUDA type: only relocatable objects hold those.
    assert_eq!(places, [(1, 0, 130), (5, 512, 4), (6, 640, 0x2000)]);
    assert_eq!(image.end(), 640 + 0x2000);
    assert_eq!(image.length(), 4 * 4096);
    let mut memory = vec![0xee; image.length() as usize];
    image.write(&mut memory, 0).unwrap();
    assert_eq!(memory[..130], [0x5a; 130]);
    assert_eq!(memory[512..516], [7; 4]);
    assert!(memory[516..].iter().all(|byte| *byte == 0));
    assert!(image.write(&mut [0; 16], 0).is_err());
}

#[test]
fn a_whole_page_takes_two_and_nothing_takes_one() {
    let file = elf(&[part(".text.a", PROGBITS, CODE, &[1; 4096])], &[]);
    assert_eq!(image(&file).unwrap().length(), 8192);
    let file = elf(&[part(".debug_frame", PROGBITS, 0, &[1; 4])], &[]);
    assert_eq!(image(&file).unwrap().length(), 4096);
}

#[test]
fn patches_of_the_three_types() {
    // The bank ends at 12, so the code starts at 128.
    let entries = [
        (0, 0x02, 1, 0x100),
        (8, 0x38, 2, -4),
        (12, 0x39, 1, 0),
        (16, 0x02, 2, i64::MIN),
    ];
    let base = 0x7fff_ffff_ff00;
    let file = cubin(&entries, true, &[0x5a; 24]);
    assert_eq!(
        patches(&file, base),
        [
            (128, 0x8000_0000_0090_u64.to_le_bytes().to_vec()),
            (140, 0xffff_ff00_u32.to_le_bytes().to_vec()),
            (144, 0x7fff_u32.to_le_bytes().to_vec()),
            (144, 0x8000_7fff_ffff_ff04_u64.to_le_bytes().to_vec()),
        ]
    );
}

#[test]
fn addends_in_place_are_unsigned_and_come_from_the_file() {
    let mut code = [0; 24];
    code[0..8].copy_from_slice(&0x1_0000_0000_u64.to_le_bytes());
    code[12..16].copy_from_slice(&0xffff_ffff_u32.to_le_bytes());
    // The second one patches what the third one takes its addend from.
    let entries = [(0, 0x02, 2, 0), (8, 0x38, 2, 0), (8, 0x39, 2, 0)];
    let file = cubin(&entries, false, &code);
    assert_eq!(
        patches(&file, 0),
        [
            (128, 0x1_0000_0004_u64.to_le_bytes().to_vec()),
            (140, 3_u32.to_le_bytes().to_vec()),
            (140, 1_u32.to_le_bytes().to_vec()),
        ]
    );
}

#[test]
fn each_relocation_error_says_which() {
    let code = [0x5a; 24];
    for (entry, explicit, words) in [
        (
            (0, 0x3a, 1, 0),
            true,
            "type R_CUDA_ABS47_34 cannot be loaded",
        ),
        (
            (0, 0x4b, 1, 0),
            true,
            "a call to a function that was not inlined",
        ),
        ((0, 0x999, 1, 0), true, "type 0x999"),
        (
            (0, 0x02, 3, 0),
            true,
            "`vprintf`, which is not in the image: the file does not define it",
        ),
        ((0, 0x02, 4, 0), true, "`a`, which is not in the image"),
        ((0, 0x02, 5, 0), true, "`s`, which is not in the image"),
        ((0, 0x02, 60, 0), true, "symbol 60 is referred to"),
        (
            (0, 0x02, 0, 0),
            true,
            "names symbol 0, which is not in the image",
        ),
        (
            (17, 0x02, 1, 0),
            true,
            "8 bytes at 0x11 of its section, past the end of the laid-out sections",
        ),
        ((17, 0x38, 1, 0), true, "4 bytes at 0x11"),
        (
            (u64::MAX, 0x38, 1, 0),
            true,
            "past the end of the laid-out sections",
        ),
        (
            (u64::MAX, 0x02, 1, 0),
            false,
            "past the end of the laid-out sections",
        ),
    ] {
        let error = error(&cubin(&[entry], explicit, &code));
        assert!(error.contains(words), "{entry:?}: {error}");
        assert!(error.contains("section .rela.text.k"), "{error}");
    }
}

#[test]
fn a_symbol_outside_its_section_is_an_error() {
    let with = |value| {
        elf(
            &[
                part(".text.k", PROGBITS, CODE, &[0; 16]),
                part(".nv.global.init", PROGBITS, ALLOC, &[1; 8]),
                relocations(".rela.text.k", 1, &[(0, 0x02, 1, 0)], true),
            ],
            &[("x", 2, value)],
        )
    };
    // The end of the section at 128 is still a place in it.
    assert_eq!(patches(&with(8), 0), [(0, 136_u64.to_le_bytes().to_vec())]);
    for value in [9, u64::MAX] {
        let error = error(&with(value));
        let words = format!("names `x`, at {value:#x} of its section of 0x8 bytes");
        assert!(error.contains(&words), "{error}");
    }
}

#[test]
fn a_field_past_its_section_but_inside_the_image() {
    let with = |explicit| {
        elf(
            &[
                part(".text.k", PROGBITS, CODE, &[0; 16]),
                part(".nv.global.init", PROGBITS, ALLOC, &[1; 8]),
                relocations(".rel.text.k", 1, &[(12, 0x02, 1, 0)], explicit),
            ],
            &[("k", 1, 0)],
        )
    };
    // With an addend of its own, it patches what lies behind its section; without, there is no addend to read.
    assert_eq!(patches(&with(true), 1)[0].0, 12);
    let error = error(&with(false));
    assert!(
        error.contains("past the end of its section of 0x10 bytes"),
        "{error}"
    );
}

#[test]
fn relocations_of_sections_outside_the_image_do_not_count() {
    let file = elf(
        &[
            part(".text.k", PROGBITS, CODE, &[0; 16]),
            part(".debug_frame", PROGBITS, 0, &[0; 16]),
            relocations(".rela.debug_frame", 2, &[(0, 0x01, 9, 0)], true),
            Part {
                entsize: 7,
                ..relocations(".rela.debug_line", 2, &[], true)
            },
        ],
        &[],
    );
    assert!(patches(&file, 0).is_empty());
}

#[test]
fn damaged_relocation_sections_are_errors() {
    let good = relocations(".rela.text.k", 1, &[(0, 0x02, 1, 0)], true);
    let with = |parts: &[Part]| {
        let mut all = vec![part(".text.k", PROGBITS, CODE, &[0; 16])];
        all.extend_from_slice(parts);
        elf(&all, &[("k", 1, 0)])
    };
    let wrong = Part {
        entsize: 16,
        ..good.clone()
    };
    let error = error(&with(&[wrong]));
    assert!(error.contains("have 16 bytes here, expected 24"), "{error}");
    let mut cut = good;
    cut.bytes.truncate(20);
    cut.size = 20;
    let error = self::error(&with(&[cut]));
    assert!(error.contains("24 bytes expected, 20 left"), "{error}");
}

#[test]
fn relocation_sections_over_the_same_bytes_are_refused() {
    let entries = vec![(0, 0x02, 1, 0); 200];
    let mut parts = vec![part(".text.k", PROGBITS, CODE, &[0; 16])];
    parts.push(relocations(".rela.text.k", 1, &entries, true));
    parts.push(relocations(".rela.text.k", 1, &[], true));
    let mut file = elf(&parts, &[("k", 1, 0)]);
    // The second section covers what the first one does.
    let table = u64::from_le_bytes(file[40..48].try_into().unwrap()) as usize;
    let place: [u8; 16] = file[table + 2 * 64 + 24..][..16].try_into().unwrap();
    file[table + 3 * 64 + 24..][..16].copy_from_slice(&place);
    let error = error(&file);
    assert!(error.contains("they overlap"), "{error}");
}

#[test]
fn images_past_49_bits_are_refused() {
    let with = |size, align| {
        let global = Part {
            align,
            ..nobits(".nv.global", size)
        };
        elf(&[part(".text.k", PROGBITS, CODE, &[0; 16]), global], &[])
    };
    let file = with(LOADER_IMAGE - PAGE - 128, 1);
    assert_eq!(image(&file).unwrap().length(), LOADER_IMAGE);
    for (size, align) in [
        (LOADER_IMAGE - PAGE - 127, 1),
        (u64::MAX, 1),
        (1, 1 << 63),
        (1, u64::MAX),
    ] {
        let error = error(&with(size, align));
        assert!(error.contains("longer than 0x2000000000000"), "{error}");
        assert!(error.contains("section .nv.global"), "{error}");
    }
}

/// An attribute of format SVAL.
fn attribute(code: u8, words: &[u32]) -> Vec<u8> {
    let mut bytes = vec![4, code, words.len() as u8 * 4, 0];
    bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    bytes
}

#[test]
fn kernels_with_their_records_and_banks() {
    let info = [
        // A flag and an unknown format: four bytes each.
        vec![1, 4, 0, 0, 9, 9, 9, 9],
        attribute(0x2f, &[1, 24]),
        attribute(0x2f, &[2, 99]),
        attribute(0x2f, &[1, 32]),
        attribute(0x12, &[3, 64]),
        attribute(0x12, &[900, 7]),
    ]
    .concat();
    let own = attribute(0x0a, &[1, 0x1c_0210]);
    let file = elf(
        &[
            part(".nv.info", INFO, 0, &info),
            part(".nv.info.k", INFO, 0, &own),
            part(".nv.constant3", PROGBITS, ALLOC, &[3; 8]),
            part(".text.k", PROGBITS, CODE, &[0; 16]),
            part(".nv.constant0.k", PROGBITS, ALLOC, &[0; 4]),
            part(".text.k10", PROGBITS, CODE, &[0; 32]),
            part(".nv.constant0.k10", PROGBITS, ALLOC, &[0; 5]),
            part(".nv.constant3.k", PROGBITS, ALLOC, &[0; 6]),
            part(".nv.constant.optimizer.k", PROGBITS, ALLOC, &[0; 6]),
            nobits(".nv.shared.k", 2048),
            part(".text.dead", PROGBITS, 0, &[0; 16]),
        ],
        // A local function inside k's section counts as k; a symbol elsewhere counts by its name.
        &[("k", 4, 0), ("gone", 0, 0), ("k10", 0, 0)],
    );
    let image = image(&file).unwrap();
    let kernels: Vec<Kernel<'_>> = image.kernels().collect();
    assert_eq!(kernels.len(), 2);
    let bank = |index, offset, bytes| Bank {
        index,
        offset,
        bytes,
    };
    assert_eq!(
        kernels[0],
        Kernel {
            name: "k",
            section: 4,
            code: 128,
            code_bytes: 16,
            registers: 32,
            stack: 0,
            shared: 2048,
            params_offset: 0x210,
            params_bytes: 0x1c,
            banks: vec![bank(3, 640, 6), bank(0, 256, 4)],
        }
    );
    assert_eq!(image.kernel("k10").as_ref(), Some(&kernels[1]));
    assert_eq!(kernels[1].banks, [bank(3, 0, 8), bank(0, 512, 5)]);
    assert_eq!(kernels[1].stack, 64);
    assert_eq!(image.kernel("dead"), None);
}

#[test]
fn short_and_cut_attributes_are_errors() {
    let with = |name, bytes: &[u8]| {
        elf(
            &[
                part(".text.k", PROGBITS, CODE, &[0; 16]),
                part(name, INFO, 0, bytes),
            ],
            &[("k", 1, 0)],
        )
    };
    for (name, bytes, words) in [
        (
            ".nv.info",
            attribute(0x2f, &[1]),
            "EIATTR_REGCOUNT has 4 bytes, needs 8",
        ),
        (
            ".nv.info",
            attribute(0x12, &[]),
            "EIATTR_MIN_STACK_SIZE has 0 bytes",
        ),
        (
            ".nv.info.k",
            attribute(0x0a, &[1]),
            "EIATTR_PARAM_CBANK has 4 bytes",
        ),
        (
            ".nv.info",
            vec![3, 0x2f, 0, 0],
            "EIATTR_REGCOUNT has 0 bytes",
        ),
        (
            ".nv.info",
            vec![4, 0x37, 8, 0, 1, 2],
            "8 bytes expected, 2 left",
        ),
        (".nv.info.k", vec![4, 0x37], "4 bytes expected, 2 left"),
    ] {
        let error = error(&with(name, &bytes));
        assert!(error.contains(words), "{error}");
        assert!(error.contains(&format!("section {name}")), "{error}");
    }
    // Attributes of a function that is not there, and codes of the other kind of section, are not read.
    assert!(image(&with(".nv.info.other", &attribute(0x0a, &[1]))).is_ok());
    assert!(image(&with(".nv.info.k", &attribute(0x2f, &[1]))).is_ok());
}

#[test]
fn kernels_of_one_name_are_kept_apart_by_section() {
    let code = |size| part(".text.k", PROGBITS, CODE, &vec![0; size]);
    let own = |section, value| Part {
        info: section,
        ..part(".nv.info.k", INFO, 0, &attribute(0x0a, &[1, value]))
    };
    let file = elf(&[code(16), code(32), own(1, 0x10), own(2, 0x20)], &[]);
    let image = image(&file).unwrap();
    let offsets: Vec<u16> = image.kernels().map(|kernel| kernel.params_offset).collect();
    assert_eq!(offsets, [0x10, 0x20]);
}

#[test]
fn sections_that_only_begin_like_attributes_or_banks_are_none() {
    let file = elf(
        &[
            part(".text.k", PROGBITS, CODE, &[0; 16]),
            part(".nv.info", INFO, 0, &attribute(0x2f, &[1, 24])),
            part(".nv.infos", INFO, 0, &attribute(0x2f, &[1, 99])),
            part(".nv.constant0.k", PROGBITS, ALLOC, &[0; 4]),
            part(".nv.constant.k", PROGBITS, ALLOC, &[0; 4]),
            part(".nv.constant+1.k", PROGBITS, ALLOC, &[0; 4]),
            part(".nv.constant2x.k", PROGBITS, ALLOC, &[0; 4]),
        ],
        &[("k", 1, 0)],
    );
    let image = image(&file).unwrap();
    let kernel = image.kernel("k").unwrap();
    assert_eq!(kernel.registers, 24);
    let banks: Vec<u8> = kernel.banks.iter().map(|bank| bank.index).collect();
    assert_eq!(banks, [0]);
    let shown = format!("{:?}", image.sections()[0]);
    assert_eq!(
        shown,
        "LoadedSection { section: 1, offset: 0, size: 16, len: 16 }"
    );
}
