use super::*;

/// A container with one stored cubin entry for `sm`, 8-byte payload.
fn container(sm: u32, payload: &[u8; 8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    bytes.extend(FATBIN_MAGIC.to_le_bytes());
    bytes.extend([1, 0, 16, 0, 72, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend([2, 0, 1, 1, 64, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0]);
    bytes.extend([0; 12]);
    bytes.extend(sm.to_le_bytes());
    bytes.extend([0; 32]);
    bytes.extend(payload);
    bytes
}

#[test]
fn two_bytes_tell_where_something_may_begin() {
    let starts = [[0x7f, b'E'], [0x50, 0xed], [b'.', b'v']];
    for a in 0..=u8::MAX {
        for b in 0..=u8::MAX {
            assert_eq!(search::begins(a, b), starts.contains(&[a, b]), "{a} {b}");
        }
    }
}

/// A 64-bit host object with these sections and a table of names, laid out in order.
fn elf64(sections: &[(&str, &[u8])]) -> Vec<u8> {
    let mut names = vec![0_u8];
    let mut headers = vec![0_u8; 64];
    let mut data = vec![0_u8; 64];
    let mut header = |name: &str, kind: u32, offset: usize, size: usize, names: &mut Vec<u8>| {
        headers.extend((names.len() as u32).to_le_bytes());
        headers.extend(kind.to_le_bytes());
        headers.extend([0; 16]);
        headers.extend((offset as u64).to_le_bytes());
        headers.extend((size as u64).to_le_bytes());
        headers.extend([0; 24]);
        names.extend(name.as_bytes());
        names.push(0);
    };
    for (name, bytes) in sections {
        data.resize(data.len().next_multiple_of(8), 0);
        header(name, 1, data.len(), bytes.len(), &mut names);
        data.extend(*bytes);
    }
    let at = data.len();
    let size = names.len() + ".shstrtab".len() + 1;
    header(".shstrtab", 3, at, size, &mut names);
    data.extend(&names);
    data.resize(data.len().next_multiple_of(8), 0);
    let table = data.len() as u64;
    data.extend(&headers);
    let count = headers.len() as u16 / 64;
    data[..16].copy_from_slice(b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0");
    data[18..20].copy_from_slice(&62_u16.to_le_bytes());
    data[40..48].copy_from_slice(&table.to_le_bytes());
    data[58..60].copy_from_slice(&64_u16.to_le_bytes());
    data[60..62].copy_from_slice(&count.to_le_bytes());
    data[62..64].copy_from_slice(&(count - 1).to_le_bytes());
    data
}

/// A member of an archive, padded to an even length.
fn member(name: &str, data: &[u8]) -> Vec<u8> {
    let mut bytes = format!(
        "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`\n",
        0,
        0,
        0,
        644,
        data.len()
    )
    .into_bytes();
    bytes.extend(data);
    if data.len() % 2 == 1 {
        bytes.push(b'\n');
    }
    bytes
}

fn archive(members: &[Vec<u8>]) -> Vec<u8> {
    [b"!<arch>\n".to_vec(), members.concat()].concat()
}

/// What was found: `member(section) sm_NN@offset`, or the error.
fn found(data: &[u8]) -> Vec<String> {
    device_code(data)
        .map(|code| match code {
            Ok(code) => {
                let what = match &code.code {
                    Code::Cubin { bytes, .. } => format!("cubin of {} bytes", bytes.len()),
                    Code::Entry(entry) => entry.target().unwrap().to_string(),
                    Code::Ptx { bytes, .. } => {
                        format!("PTX ending in {:?}", char::from(*bytes.last().unwrap()))
                    }
                };
                let place = code.section.unwrap_or("-");
                let member = code.member.as_deref().unwrap_or("-");
                format!("{member}({place}) {what}")
            }
            Err(error) => format!("error: {error}"),
        })
        .collect()
}

#[test]
fn both_sections_of_a_host_object() {
    let executable = [container(80, b"12345678"), container(90, b"87654321")].concat();
    let relocatable = container(100, b"--------");
    let data = elf64(&[
        (".text", b"\x50\xed\x55\xba is an immediate here"),
        (".nv_fatbin", &executable),
        ("__nv_relfatbin", &relocatable),
        (".nv_fatbin2", b"not this one"),
    ]);
    assert_eq!(FileKind::of(&data), FileKind::HostElf);
    assert_eq!(
        found(&data),
        [
            "-(.nv_fatbin) sm_80",
            "-(.nv_fatbin) sm_90",
            "-(__nv_relfatbin) sm_100"
        ]
    );
    let first = device_code(&data).next().unwrap().unwrap();
    assert_eq!(first.cubin().unwrap().unwrap().as_ref(), b"12345678");
    let at = first.offset() as usize;
    assert_eq!(&data[at..at + 4], [2, 0, 1, 1]);
}

#[test]
fn an_object_without_fatbin_sections_is_searched() {
    let rodata = [vec![1; 24], container(75, b"embedded")].concat();
    let data = elf64(&[(".rodata", &rodata)]);
    assert_eq!(found(&data), ["-(.rodata) sm_75"]);
    let data = elf64(&[(".rodata", b"nothing")]);
    assert!(found(&data).is_empty());
}

/// A cubin of one section with this many bytes, by its headers.
fn cubin(bytes: usize) -> Vec<u8> {
    let mut data = elf64(&[(".text.k", &vec![7; bytes])]);
    data[18..20].copy_from_slice(&190_u16.to_le_bytes());
    data
}

const PTX: &[u8] = b".version 9.3\n// by hand\n.target sm_75\n.entry k() { ret; }\n";

#[test]
fn code_among_other_bytes_is_found_where_it_stands() {
    let (small, large) = (cubin(8), cubin(1000));
    // Not aligned, one after the other, with what only looks like device code between.
    let rodata = [
        b"\x7fELF\x02\x01 in a string, .version 1.0, and \x50\xed\x55\xba".to_vec(),
        small.clone(),
        large.clone(),
        b"\0".to_vec(),
        PTX.to_vec(),
        b"\0\x7fELF".to_vec(),
    ]
    .concat();
    let data = elf64(&[
        (".text", b"\0\0\0\0\x50\xed\x55\xba an immediate"),
        (".rodata", &rodata),
        (".nv_fatbin", &container(90, b"12345678")),
        (".data", &small),
    ]);
    assert_eq!(
        found(&data),
        [
            format!("-(.rodata) cubin of {} bytes", small.len()),
            format!("-(.rodata) cubin of {} bytes", large.len()),
            "-(.rodata) PTX ending in '}'".to_owned(),
            "-(.nv_fatbin) sm_90".to_owned(),
            format!("-(.data) cubin of {} bytes", small.len()),
        ]
    );
    let places: Vec<u64> = device_code(&data)
        .map(|code| code.unwrap().offset())
        .collect();
    assert_eq!(data[places[1] as usize..][..large.len()], large);
    assert!(data[places[2] as usize..].starts_with(PTX));
}

#[test]
fn every_place_in_a_block_is_searched() {
    let code = cubin(8);
    for before in 0..200 {
        let data = [vec![0x7f; before], code.clone(), vec![b'.'; 200 - before]].concat();
        assert_eq!(found(&data).len(), 1, "{before} bytes before");
    }
    for end in 0..code.len() {
        // Cut off: an error once the header is there, never a panic.
        let data = [b"MZ".as_slice(), &code[..end]].concat();
        let lines = found(&data);
        assert_eq!(lines.len(), usize::from(end >= 64), "{end}: {lines:?}");
    }
}

#[test]
fn headers_that_claim_the_same_sections_cost_no_more_than_their_bytes() {
    // Each would have 60,000 sections read, which overflow in the end.
    let mut header = [0_u8; 64];
    header[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    header[18..20].copy_from_slice(&190_u16.to_le_bytes());
    header[40] = 1;
    header[60..62].copy_from_slice(&60_000_u16.to_le_bytes());
    let data = [b"MZ".to_vec(), header.repeat(60_000)].concat();
    assert!(found(&data).len() <= 60_000);
}

#[test]
fn a_lost_section_table_is_an_error_and_the_code_is_still_read() {
    let fatbin = container(80, b"12345678");
    let mut data = elf64(&[(".nv_fatbin", &fatbin)]);
    let table = u64::from_le_bytes(data[40..48].try_into().unwrap()) as usize;
    data.truncate(table + 10);
    let lines = found(&data);
    assert!(lines[0].contains("section table"), "{lines:?}");
    assert_eq!(lines[1], "-(-) sm_80");
    // Stripped of its section table on purpose: no error.
    data[40..48].fill(0);
    assert_eq!(found(&data), ["-(-) sm_80"]);
}

#[test]
fn a_section_past_the_end_names_itself() {
    let fatbin = container(80, b"12345678");
    let mut data = elf64(&[(".nv_fatbin", &fatbin)]);
    let table = u64::from_le_bytes(data[40..48].try_into().unwrap()) as usize;
    let size_at = table + 64 + 32;
    data[size_at..size_at + 8].copy_from_slice(&u64::MAX.to_le_bytes());
    let lines = found(&data);
    assert!(lines[0].contains("pass the end of the file"), "{lines:?}");
    assert!(lines[0].contains("section .nv_fatbin"), "{lines:?}");
    assert_eq!(lines[1], "-(.nv_fatbin) sm_80");
}

#[test]
fn sections_over_the_same_bytes_are_read_once() {
    let fatbin = container(80, b"12345678");
    let mut data = elf64(&[(".nv_fatbin", &fatbin), ("__nv_relfatbin", &fatbin)]);
    let table = u64::from_le_bytes(data[40..48].try_into().unwrap()) as usize;
    let first: [u8; 8] = data[table + 64 + 24..][..8].try_into().unwrap();
    data[table + 128 + 24..][..8].copy_from_slice(&first);
    let lines = found(&data);
    assert!(lines[0].contains("shares bytes"), "{lines:?}");
    assert!(lines[1].ends_with(" sm_80"), "{lines:?}");
    // The bytes that the second header was taken from have no section now, and are searched.
    assert_eq!(lines[2], "-(-) sm_80");
    assert_eq!(lines.len(), 3);
}

#[test]
fn extended_numbering_of_host_objects() {
    let fatbin = container(80, b"12345678");
    let mut data = elf64(&[(".nv_fatbin", &fatbin)]);
    let table = u64::from_le_bytes(data[40..48].try_into().unwrap()) as usize;
    let (count, names) = (data[60], data[62]);
    data[60..64].copy_from_slice(&[0, 0, 0xff, 0xff]);
    data[table + 32] = count;
    data[table + 40] = names;
    assert_eq!(found(&data), ["-(.nv_fatbin) sm_80"]);
}

#[test]
fn a_32_bit_object() {
    let fatbin = container(52, b"12345678");
    let mut data = vec![0_u8; 52];
    data[..7].copy_from_slice(b"\x7fELF\x01\x01\x01");
    data[18] = 3;
    data.resize(56, 0);
    data.extend(&fatbin);
    let names = data.len() as u32;
    data.extend(b"\0.nv_fatbin\0");
    let table = data.len() as u32;
    data[32..36].copy_from_slice(&table.to_le_bytes());
    data[46..52].copy_from_slice(&[40, 0, 3, 0, 2, 0]);
    for (name, offset, size) in [(0_u32, 0, 0), (1, 56, fatbin.len() as u32), (0, names, 12)] {
        for word in [name, 1, 0, 0, offset, size, 0, 0, 0, 0] {
            data.extend(word.to_le_bytes());
        }
    }
    assert_eq!(found(&data), ["-(.nv_fatbin) sm_52"]);
}

#[test]
fn archives_name_their_members() {
    let object = elf64(&[("__nv_relfatbin", &container(90, b"12345678"))]);
    let mut cubin = b"\x7fELF\x02\x01\x01\x41\x08".to_vec();
    cubin.resize(64, 0);
    cubin[18] = 190;
    let bsd = [b"bsd name.o\0\0".to_vec(), object.clone()].concat();
    let data = archive(&[
        member("/", &[0; 4]),
        member("//", b"a_rather_long_name.o/\nanother_long_name.cubin/\n"),
        member("/0", &object),
        member("/22", &cubin),
        member("short.o/", &object),
        member("notes.txt/", b"odd"),
        member("#1/12", &bsd),
    ]);
    assert_eq!(FileKind::of(&data), FileKind::Archive);
    assert_eq!(
        found(&data),
        [
            "a_rather_long_name.o(__nv_relfatbin) sm_90",
            "another_long_name.cubin(-) cubin of 64 bytes",
            "short.o(__nv_relfatbin) sm_90",
            "bsd name.o(__nv_relfatbin) sm_90",
        ]
    );
    let names: Vec<String> = members(&data)
        .map(|member| member.unwrap().name.into_owned())
        .collect();
    // The tables of symbols and of long names are none.
    assert_eq!(
        names,
        [
            "a_rather_long_name.o",
            "another_long_name.cubin",
            "short.o",
            "notes.txt",
            "bsd name.o"
        ]
    );
    for member in members(&data) {
        let member = member.unwrap();
        let at = member.offset as usize;
        assert_eq!(&data[at..at + member.data.len()], member.data);
    }
}

#[test]
fn a_damaged_member_costs_only_itself() {
    let object = elf64(&[("__nv_relfatbin", &container(90, b"12345678"))]);
    let mut bad = member("bad.o/", &object);
    bad[48..58].copy_from_slice(b"9999999999");
    let data = archive(&[member("a.o/", &object), bad, member("b.o/", &object)]);
    let lines = found(&data);
    assert_eq!(lines[0], "a.o(__nv_relfatbin) sm_90");
    assert!(
        lines[1].contains("`bad.o/` of 9999999999 bytes"),
        "{lines:?}"
    );
    assert_eq!(lines.last().unwrap(), "b.o(__nv_relfatbin) sm_90");

    let mut broken = container(90, b"12345678");
    broken[20] = 1;
    let broken = elf64(&[("__nv_relfatbin", &broken)]);
    let data = archive(&[member("a.o/", &broken), member("b.o/", &object)]);
    let lines = found(&data);
    assert!(lines[0].starts_with("error: a.o: "), "{lines:?}");
    assert!(lines[0].contains("section __nv_relfatbin"), "{lines:?}");
    assert_eq!(lines.last().unwrap(), "b.o(__nv_relfatbin) sm_90");
}

#[test]
fn a_name_without_an_end_is_cut() {
    let object = elf64(&[("__nv_relfatbin", &container(90, b"12345678"))]);
    let data = archive(&[member("//", &[b'n'; 10_000]), member("/10", &object)]);
    let names: Vec<usize> = members(&data)
        .map(|member| member.unwrap().name.len())
        .collect();
    assert_eq!(names, [crate::limits::MEMBER_NAME]);
    assert_eq!(found(&data).len(), 1);
}

#[test]
fn thin_archives_say_what_to_do() {
    let lines = found(b"!<thin>\nrest");
    assert_eq!(lines.len(), 1);
    assert!(lines[0].contains("thin archive"), "{lines:?}");
}

#[test]
fn files_of_other_kinds() {
    assert_eq!(FileKind::of(b""), FileKind::Other);
    assert_eq!(FileKind::of(b"\x7fELF"), FileKind::HostElf);
    assert_eq!(FileKind::of(&cubin(8)), FileKind::Cubin);
    assert_eq!(FileKind::of(&cubin(8)[..19]), FileKind::HostElf);
    assert!(found(b"").is_empty());
    assert_eq!(
        found(b".version 8.0\n.target sm_90\n.entry k() { }\n"),
        ["-(-) PTX ending in '}'"]
    );
    assert!(found(b".version 8.0\nno target").is_empty());
    let fatbin = container(80, b"12345678");
    assert_eq!(FileKind::of(&fatbin), FileKind::Fatbin);
    assert_eq!(found(&fatbin), ["-(-) sm_80"]);
    // A Windows object: no ELF, searched.
    let windows = [b"MZ\x90\0\x03\0\0\0".to_vec(), fatbin].concat();
    assert_eq!(found(&windows), ["-(-) sm_80"]);
    // A big-endian object says so.
    assert!(found(b"\x7fELF\x02\x02\x01\0")[0].contains("byte order 2"));
}

#[test]
fn only_a_cubin_gives_one() {
    let fatbin = container(80, b"12345678");
    let mut ptx = fatbin.clone();
    ptx[16] = 1;
    let [cubin, ptx] = [&fatbin, &ptx].map(|data| {
        let code = device_code(data).next().unwrap().unwrap();
        code.cubin().map(|image| image.unwrap().into_owned())
    });
    assert_eq!(cubin.as_deref(), Some(&b"12345678"[..]));
    assert_eq!(ptx, None);
}

#[test]
fn a_container_is_passed_over_as_a_whole() {
    // A cubin within it is its entry, and none beside it.
    let inside = cubin(8);
    let mut fatbin = container(90, b"12345678");
    fatbin.truncate(80);
    fatbin.extend(&inside);
    let size = inside.len() as u64;
    fatbin[8..16].copy_from_slice(&(64 + size).to_le_bytes());
    fatbin[24..32].copy_from_slice(&size.to_le_bytes());
    let data = elf64(&[(".rodata", &fatbin)]);
    assert_eq!(found(&data), ["-(.rodata) sm_90"]);
}

/// A number that begins no fatbin is damage in a file of device code, and a number of its own in a program.
#[test]
fn the_magic_number_of_a_fatbin_alone() {
    let number = |rest: &[u8]| [&FATBIN_MAGIC.to_le_bytes(), rest].concat();
    let version = number(&[9, 0, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let size = number(&[1, 0, 8, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    let object = |bytes: &[u8]| [b"MZ\0\0\0\0\0\0", bytes].concat();
    assert!(found(&object(&version))[0].contains("version 9"));
    assert!(found(&object(&size))[0].contains("header size 8"));
    let program = |bytes: &[u8]| elf64(&[(".rodata", bytes)]);
    assert_eq!(found(&program(&version)), [""; 0]);
    assert!(found(&program(&size))[0].contains("header size 8"));
    // Where a section of nvcc says where fatbins are, there are no others.
    let fatbin = container(80, b"12345678");
    for number in [&version, &size] {
        let with = elf64(&[(".rodata", number), (".nv_fatbin", &fatbin)]);
        assert_eq!(found(&with), ["-(.nv_fatbin) sm_80"]);
    }
}

#[test]
fn a_cubin_among_other_bytes_may_count_its_sections_in_the_first() {
    let mut code = cubin(1000);
    let table = u64::from_le_bytes(code[40..48].try_into().unwrap()) as usize;
    code[table + 32] = code[60];
    code[60] = 0;
    let data = elf64(&[(".rodata", &code)]);
    assert_eq!(
        found(&data),
        [format!("-(.rodata) cubin of {} bytes", code.len())]
    );
}

#[test]
fn a_section_ends_before_the_byte_behind_it() {
    let section = |name, offset, size| sections::Section {
        name,
        offset,
        size,
        excluded: false,
    };
    let all = [section("a", 8, 8), section("b", 24, 8)];
    for (at, name) in [
        (7, None),
        (8, Some("a")),
        (15, Some("a")),
        (16, None),
        (24, Some("b")),
        (32, None),
    ] {
        let found = sections::holding(&all, at).map(|section| section.name);
        assert_eq!(found, name, "{at}");
    }
}

#[test]
fn sections_without_bytes_hold_nothing() {
    let mut data = elf64(&[
        (".bss", b"12345678"),
        (".data", b"12345678"),
        (".empty", b""),
    ]);
    let table = u64::from_le_bytes(data[40..48].try_into().unwrap()) as usize;
    data[table + 64 + 4] = 8;
    let names: Vec<&str> = sections::all(&data, 0)
        .unwrap()
        .iter()
        .map(|section| section.name)
        .collect();
    assert_eq!(names, [".data", ".shstrtab"]);
}

#[test]
fn a_section_table_that_lacks_headers_is_cut_off() {
    let mut data = elf64(&[(".nv_fatbin", &container(80, b"12345678"))]);
    // One more than the file holds.
    data[60] += 1;
    let lines = found(&data);
    assert!(
        lines[0].contains("has 4 entries by the header, the file holds 3"),
        "{lines:?}"
    );
    // Fewer than stand there are no fault.
    data[60] -= 1;
    data.extend([0; 64]);
    assert_eq!(found(&data), ["-(.nv_fatbin) sm_80"]);
}

#[test]
fn a_member_has_a_size_in_digits() {
    for (size, whole) in [("8", true), ("+8", false), ("", false), ("0x8", false)] {
        let mut bad = member("a.o/", b"12345678");
        bad[48..58].copy_from_slice(format!("{size:<10}").as_bytes());
        let data = archive(&[bad]);
        let first = members(&data).next().unwrap();
        assert_eq!(first.is_ok(), whole, "{size:?}: {first:?}");
    }
}

#[test]
fn members_are_shown_by_their_length() {
    let data = archive(&[member("a.o/", b"12345678")]);
    let mut all = members(&data);
    assert_eq!(format!("{all:?}"), "Members { offset: 8, len: 68, .. }");
    let member = all.next().unwrap().unwrap();
    assert_eq!(
        format!("{member:?}"),
        "Member { name: \"a.o\", offset: 68, len: 8 }"
    );
    assert_eq!(format!("{all:?}"), "Members { offset: 76, len: 0, .. }");
}

#[test]
fn a_cubin_among_other_bytes_ends_with_its_last_section() {
    let mut code = cubin(1000);
    let table = u64::from_le_bytes(code[40..48].try_into().unwrap()) as usize;
    // One that holds no bytes may be of any size; one that does stands behind the tables.
    code[table + 64 + 4] = 8;
    code[table + 64 + 36] = 1;
    let whole = |code: &[u8]| {
        let data = elf64(&[(".rodata", code), (".data", b"other")]);
        assert_eq!(
            found(&data),
            [format!("-(.rodata) cubin of {} bytes", code.len())]
        );
    };
    whole(&code);
    let names = table + 128;
    let (end, size) = (code.len() as u64, 40_u64);
    code[names + 24..names + 32].copy_from_slice(&end.to_le_bytes());
    code[names + 32..names + 40].copy_from_slice(&size.to_le_bytes());
    code.extend([0; 40]);
    whole(&code);
}
