use super::*;
use crate::{
    consts::{EntryFlags, EntryKind},
    limits,
};

/// An entry with a 64-byte header around `payload`, padded to 8.
fn entry(kind: u16, sm: u32, flags: u64, payload: &[u8]) -> Vec<u8> {
    let padded = payload.len().next_multiple_of(8);
    let mut bytes = Vec::new();
    bytes.extend(kind.to_le_bytes());
    bytes.extend(0x0101_u16.to_le_bytes());
    bytes.extend(64_u32.to_le_bytes());
    bytes.extend((padded as u64).to_le_bytes());
    bytes.extend(0_u32.to_le_bytes());
    bytes.extend(0_u32.to_le_bytes());
    bytes.extend(8_u16.to_le_bytes());
    bytes.extend(1_u16.to_le_bytes());
    bytes.extend(sm.to_le_bytes());
    bytes.extend([0; 8]);
    bytes.extend(flags.to_le_bytes());
    bytes.extend([0; 16]);
    bytes.extend(payload);
    bytes.resize(64 + padded, 0);
    bytes
}

/// `entry` packed: its compressed and uncompressed sizes set.
fn packed(mut bytes: Vec<u8>, compressed: u32, uncompressed: u64) -> Vec<u8> {
    bytes[16..20].copy_from_slice(&compressed.to_le_bytes());
    bytes[56..64].copy_from_slice(&uncompressed.to_le_bytes());
    bytes
}

fn container(entries: &[Vec<u8>]) -> Vec<u8> {
    let payload = entries.concat();
    let mut bytes = Vec::new();
    bytes.extend(FATBIN_MAGIC.to_le_bytes());
    bytes.extend(1_u16.to_le_bytes());
    bytes.extend(16_u16.to_le_bytes());
    bytes.extend((payload.len() as u64).to_le_bytes());
    bytes.extend(payload);
    bytes
}

fn read(data: &[u8]) -> Vec<Result<(u32, Vec<u8>), String>> {
    entries(data, 0)
        .map(|entry| match entry {
            Ok(entry) => Ok((entry.sm, entry.payload.to_vec())),
            Err(error) => Err(error.to_string()),
        })
        .collect()
}

#[test]
fn a_longer_container_header_is_skipped_and_a_shorter_one_refused() {
    let of = |size: u16| {
        let mut data = container(&[entry(2, 80, 0x11, b"cubin 80")]);
        data[6..8].copy_from_slice(&size.to_le_bytes());
        let more = usize::from(size.saturating_sub(16));
        data.splice(16..16, vec![0; more]);
        data
    };
    for size in [16, 24, 40] {
        assert_eq!(read(&of(size)), [Ok((80, b"cubin 80".to_vec()))], "{size}");
    }
    let refused = read(&of(8));
    assert!(
        matches!(refused.as_slice(), [Err(error), ..] if error.contains("header size 8 is impossible")),
        "{refused:?}"
    );
}

#[test]
fn a_container_header_ends_within_the_file() {
    let mut empty = container(&[]);
    assert_eq!(read(&empty), []);
    // A header that takes all there is, and one that would take more.
    empty.resize(24, 0);
    for (size, refused) in [(24, false), (32, true)] {
        empty[6..8].copy_from_slice(&u16::to_le_bytes(size));
        let found = read(&empty);
        let error = found.first().and_then(|first| first.as_ref().err());
        let impossible = error.is_some_and(|error| error.contains("is impossible"));
        assert_eq!(impossible, refused, "{found:?}");
    }
}

#[test]
fn zeros_behind_the_entries_are_padding() {
    let data = container(&[entry(2, 80, 0, b"cubin 80"), vec![0; 72]]);
    assert_eq!(read(&data), [Ok((80, b"cubin 80".to_vec()))]);
}

#[test]
fn what_may_be_an_entry_behind_a_damaged_one() {
    let good = entry(2, 80, 0, b"12345678");
    assert!(super::entry::plausible(&good));
    for (at, byte, what) in [
        (2, 9, "another version"),
        (4, 68, "a header of no multiple of 8 bytes"),
        (4, 32, "a header that is too small"),
        (8, 0, "no payload"),
        (15, 1, "a payload past the end"),
    ] {
        let mut other = good.clone();
        other.extend([0; 8]);
        other[at] = byte;
        assert!(!super::entry::plausible(&other), "{what}");
    }
}

#[test]
fn bytes_are_shown_as_lengths() {
    let data = container(&[entry(2, 80, 0, b"cubin 80")]);
    let found = containers(&data, 0x1000).next().unwrap().unwrap();
    let shown = format!("{found:?}");
    assert_eq!(
        shown,
        "Container { offset: 4096, version: 1, declared: 72, len: 72, .. }"
    );
    let mut all = containers(&data, 0x1000);
    assert_eq!(
        format!("{all:?}"),
        "Containers { offset: 4096, len: 88, .. }"
    );
    all.next();
    assert_eq!(
        format!("{all:?}"),
        "Containers { offset: 4184, len: 0, .. }"
    );
    let mut entries = found.entries();
    assert_eq!(
        format!("{entries:?}"),
        "Entries { offset: 4112, len: 72, .. }"
    );
    entries.next();
    assert_eq!(
        format!("{entries:?}"),
        "Entries { offset: 4184, len: 0, .. }"
    );
}

#[test]
fn several_containers_in_a_row() {
    let first = container(&[entry(2, 80, 0x11, b"cubin 80"), entry(1, 90, 0x11, b"ptx")]);
    let second = container(&[entry(2, 100, 0x10_0011, b"100a")]);
    let data = [first, vec![0; 16], second, vec![0; 3]].concat();
    let found: Vec<Entry<'_>> = entries(&data, 0x1000).map(Result::unwrap).collect();
    let targets: Vec<String> = found
        .iter()
        .map(|entry| format!("{} {}", entry.kind, entry.target().unwrap()))
        .collect();
    assert_eq!(targets, ["CUBIN sm_80", "PTX sm_90", "CUBIN sm_100a"]);
    assert_eq!(found[0].offset, 0x1010);
    assert_eq!(found[0].payload_offset(), 0x1050);
    assert_eq!(found[1].ptx().unwrap(), "ptx");
    assert_eq!(found[0].version, (1, 8));
}

#[test]
fn unknown_kinds_are_data() {
    let data = container(&[entry(0x40, 75, 0, b"new"), entry(2, 75, 0, b"old")]);
    let found: Vec<Entry<'_>> = entries(&data, 0).map(Result::unwrap).collect();
    assert_eq!(found[0].kind, EntryKind(0x40));
    assert_eq!(found.len(), 2);
}

#[test]
fn a_damaged_entry_costs_only_itself() {
    let good = || entry(2, 80, 0, b"same");
    // A payload size past the end: the next entry is found by its looks.
    let mut long = entry(2, 90, 0, b"lost");
    long[8..16].copy_from_slice(&u64::MAX.to_le_bytes());
    // A header that is too small.
    let mut small = entry(2, 90, 0, b"lost");
    small[4..8].copy_from_slice(&8_u32.to_le_bytes());
    // A version that is unknown: its sizes still lead on.
    let mut version = entry(2, 90, 0, b"lost");
    version[2] = 9;
    // An identifier outside the header.
    let mut identifier = entry(2, 90, 0, b"lost");
    identifier[32..40].copy_from_slice(&[60, 0, 0, 0, 5, 0, 0, 0]);
    for (damaged, words) in [
        (long, "passes the end"),
        (small, "impossible"),
        (version, "version 0x109"),
        (identifier, "identifier"),
    ] {
        let data = container(&[good(), damaged, good()]);
        let found = read(&data);
        assert_eq!(found.len(), 3, "{found:?}");
        assert_eq!(found[0], found[2]);
        let error = found[1].as_ref().unwrap_err();
        assert!(error.contains(words), "{error}");
        assert!(error.contains("offset 0x58"), "{error}");
    }
}

#[test]
fn a_cut_container_reports_its_end() {
    let data = container(&[entry(2, 80, 0, b"kept"), entry(2, 90, 0, b"cut off.")]);
    let whole_entries = &data[..16 + 72];
    let found = read(whole_entries);
    assert_eq!(found[0], Ok((80, b"kept\0\0\0\0".to_vec())));
    assert!(found[1].as_ref().unwrap_err().contains("72 more bytes"));
    assert_eq!(found.len(), 2);

    let found = read(&data[..data.len() - 4]);
    assert_eq!(found[0], Ok((80, b"kept\0\0\0\0".to_vec())));
    assert!(found[1].as_ref().unwrap_err().contains("passes the end"));
}

#[test]
fn a_lying_length_does_not_swallow_the_next_container() {
    let mut first = container(&[entry(2, 80, 0, b"first")]);
    first[8..16].copy_from_slice(&(u64::MAX - 3).to_le_bytes());
    let data = [first, container(&[entry(2, 90, 0, b"second")])].concat();
    let found = read(&data);
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(found[0].as_ref().unwrap().0, 80);
    assert!(found[1].is_err());
    assert_eq!(found[2].as_ref().unwrap().0, 90);
}

#[test]
fn false_hits_and_foreign_bytes_are_errors_for_their_place() {
    let real = container(&[entry(2, 80, 0, b"real")]);
    let mut false_hit = FATBIN_MAGIC.to_le_bytes().to_vec();
    false_hit.extend([0xff; 12]);
    let data = [false_hit.clone(), real.clone()].concat();
    let found = read(&data);
    // The hit itself, then its second half, which is no container either.
    assert!(found[0].as_ref().unwrap_err().contains("version 65535"));
    assert_eq!(found.last().unwrap().as_ref().unwrap().0, 80);

    let foreign = [b"not a fatbin at all, really.....".to_vec(), real].concat();
    assert!(read(&foreign)[0].as_ref().unwrap_err().contains("magic"));
    // A scan takes foreign bytes for granted.
    let scanned: Vec<bool> = scan(&foreign, 0).map(|hit| hit.is_ok()).collect();
    assert_eq!(scanned, [true]);
    assert!(read(b"").is_empty());
    assert_eq!(scan(b"short", 0).count(), 0);
}

#[test]
fn strings_of_the_option_block() {
    let mut bytes = entry(1, 90, 0x11, b"ptx");
    // A header of 96 bytes: option block at 64, string of 10 bytes at 72.
    let payload = bytes.split_off(64);
    bytes[4..8].copy_from_slice(&96_u32.to_le_bytes());
    bytes[20..24].copy_from_slice(&64_u32.to_le_bytes());
    bytes.extend([72, 0, 0, 0, 16, 0, 0, 0]);
    bytes.extend(b"--compile-only  \0\0\0\0\0\0\0\0");
    bytes.extend(payload);
    let data = container(&[bytes.clone()]);
    let found = entries(&data, 0).next().unwrap().unwrap();
    assert_eq!(found.options, Some(&b"--compile-only  "[..]));
    assert_eq!(found.compat, None);
    // With the flag, the same place holds compatibility data behind an empty string.
    bytes[40..48].copy_from_slice(&0x100_0011_u64.to_le_bytes());
    let data = container(&[bytes.clone()]);
    let found = entries(&data, 0).next().unwrap().unwrap();
    assert_eq!(found.options, None);
    assert_eq!(found.compat, Some(&b"-compile-only  \0"[..]));
    // The block itself outside the header.
    bytes[20..24].copy_from_slice(&92_u32.to_le_bytes());
    let data = container(&[bytes]);
    let error = entries(&data, 0).next().unwrap().unwrap_err().to_string();
    assert!(error.contains("option block"), "{error}");
}

#[test]
fn schemes_that_contradict_are_errors() {
    let both = EntryFlags::LZ4 | EntryFlags::ZSTD;
    for (kind, flags, words) in [
        (2, both, "at once"),
        (2, 0, "no scheme"),
        (8, EntryFlags::ZSTD, "not public"),
    ] {
        let data = container(&[packed(entry(kind, 80, flags, b"12345678"), 7, 100)]);
        let found = entries(&data, 0).next().unwrap().unwrap();
        let error = found.image().unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn claims_above_the_limit_are_refused_without_allocation() {
    for flags in [EntryFlags::LZ4, EntryFlags::ZSTD] {
        let data = container(&[packed(entry(2, 80, flags, b"12345678"), 8, u64::MAX)]);
        let found = entries(&data, 0).next().unwrap().unwrap();
        let error = found.image().unwrap_err().to_string();
        assert!(error.contains("limit"), "{error}");
        assert!(error.contains("CUBIN for sm_80"), "{error}");
    }
}

#[test]
fn a_letter_that_no_target_of_the_number_has_is_not_shown() {
    let both = EntryFlags::ACCELERATED | EntryFlags::FAMILY;
    for (sm, flags, expected) in [
        (60, EntryFlags::ACCELERATED, "sm_60"),
        (89, both, "sm_89"),
        (90, EntryFlags::ACCELERATED, "sm_90a"),
        (90, EntryFlags::FAMILY, "sm_90"),
        (100, EntryFlags::FAMILY, "sm_100f"),
        (100, both, "sm_100a"),
        (120, 0, "sm_120"),
    ] {
        let data = container(&[entry(2, sm, flags, b"12345678")]);
        let found = entries(&data, 0).next().unwrap().unwrap();
        assert_eq!(found.target().unwrap().to_string(), expected);
    }
}

/// An entry that claims so many bytes.
fn claims(bytes: u64) -> Vec<u8> {
    packed(entry(2, 80, EntryFlags::ZSTD, b"12345678"), 8, bytes)
}

#[test]
fn an_entry_gives_at_most_a_multiple_of_its_size() {
    let bound = 8 * limits::FATBIN_RATIO + limits::FATBIN_SLACK;
    for (bytes, limited) in [(bound, false), (bound + 1, true)] {
        let data = container(&[claims(bytes)]);
        let found = entries(&data, 0).next().unwrap().unwrap();
        for error in [
            found.image().unwrap_err(),
            Budget::new(usize::MAX).image(&found).unwrap_err(),
        ] {
            assert_eq!(error.kind() == ErrorKind::Limit, limited, "{error}");
        }
    }
}

#[test]
fn the_entries_of_a_file_share_a_budget() {
    let half = limits::FATBIN_SLACK / 2;
    let stored = entry(2, 80, 0, &[7; 16]);
    let data = container(&[
        claims(half),
        claims(half),
        stored,
        claims(1 << 20),
        claims(u64::MAX),
    ]);
    let mut budget = Budget::new(data.len());
    let kinds: Vec<Option<ErrorKind>> = entries(&data, 0)
        .map(|entry| {
            budget
                .image(&entry.unwrap())
                .err()
                .map(|error| error.kind())
        })
        .collect();
    let wrong = if cfg!(feature = "fatbin") {
        ErrorKind::Malformed
    } else {
        ErrorKind::Unsupported
    };
    let limit = Some(ErrorKind::Limit);
    assert_eq!(kinds, [Some(wrong), Some(wrong), None, limit, limit]);
}

#[test]
fn a_budget_may_be_used_up() {
    let length = container(&[claims(0), claims(0), claims(0)]).len();
    let all = length as u64 * limits::FATBIN_RATIO + limits::FATBIN_SLACK;
    let half = all / 2;
    let data = container(&[claims(half), claims(all - half), claims(1)]);
    let mut budget = Budget::new(length);
    let limited: Vec<bool> = entries(&data, 0)
        .map(|entry| {
            let error = budget.image(&entry.unwrap()).unwrap_err();
            error.kind() == ErrorKind::Limit
        })
        .collect();
    assert_eq!(limited, [false, false, true]);
}

#[cfg(feature = "fatbin")]
mod packed {
    use super::*;

    fn image(flags: u64, payload: &[u8], uncompressed: u64) -> Result<Vec<u8>> {
        let len = payload.len() as u32;
        let data = container(&[super::packed(
            entry(2, 80, flags, payload),
            len,
            uncompressed,
        )]);
        let entry = entries(&data, 0).next().unwrap().unwrap();
        entry.image().map(|image| image.into_owned())
    }

    /// One literal run of 3, then a match of `count + 4` at distance 3.
    fn lz4(count: u8) -> Vec<u8> {
        vec![
            0x30 | count.min(14),
            b'a',
            b'b',
            b'c',
            3,
            0,
            0x50,
            1,
            2,
            3,
            4,
            5,
        ]
    }

    #[test]
    fn lz4_blocks() {
        assert_eq!(
            image(EntryFlags::LZ4, &lz4(2), 14).unwrap(),
            b"abcabcabc\x01\x02\x03\x04\x05"
        );
        let error = image(EntryFlags::LZ4, &lz4(2), 15).unwrap_err().to_string();
        assert!(error.contains("its header says 15"), "{error}");
        let error = image(EntryFlags::LZ4, &lz4(2), 13).unwrap_err().to_string();
        assert!(error.contains("damaged"), "{error}");
        let error = image(EntryFlags::LZ4, &lz4(2), 1 << 24)
            .unwrap_err()
            .to_string();
        assert!(error.contains("at most 3060"), "{error}");
        let error = image(EntryFlags::LZ4, &lz4(2), 3060)
            .unwrap_err()
            .to_string();
        assert!(error.contains("its header says 3060"), "{error}");
    }

    /// A frame of run-length blocks: 4 bytes for 128 KiB each.
    fn bomb(blocks: usize, window_descriptor: u8) -> Vec<u8> {
        let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0x00, window_descriptor];
        for block in 0..blocks {
            let last = u32::from(block + 1 == blocks);
            let header = last | 1 << 1 | (128 << 10) << 3;
            frame.extend(&header.to_le_bytes()[..3]);
            frame.push(0x5a);
        }
        frame
    }

    #[test]
    fn zstd_frames() {
        let size = 3 * (128 << 10);
        let frame = bomb(3, 0x58);
        assert_eq!(
            image(EntryFlags::ZSTD, &frame, size).unwrap(),
            vec![0x5a; size as usize]
        );
        let error = image(EntryFlags::ZSTD, &frame, size - 1)
            .unwrap_err()
            .to_string();
        assert!(error.contains("its header says 393215"), "{error}");
        let error = image(EntryFlags::ZSTD, &frame[..14], 1)
            .unwrap_err()
            .to_string();
        assert!(error.contains("damaged"), "{error}");
    }

    #[test]
    fn a_frame_of_several_steps_is_read_to_its_end() {
        let size = 40 * (128 << 10);
        let read = image(EntryFlags::ZSTD, &bomb(40, 0x58), size).unwrap();
        assert!(read.len() as u64 == size && read.iter().all(|byte| *byte == 0x5a));
    }

    #[test]
    fn a_frame_that_gives_more_than_its_header_says_is_stopped() {
        // 4 GiB in 128 KiB of input, declared as 1,000 bytes.
        let error = image(EntryFlags::ZSTD, &bomb(32 << 10, 0x58), 1000)
            .unwrap_err()
            .to_string();
        assert!(error.contains("its header says 1000"), "{error}");
        // What stands behind the excess is not looked at: a block of a type that is none.
        let mut frame = bomb(64, 0x58);
        let last = frame.len() - 4;
        frame[last] &= !1;
        frame.extend([7, 0, 0]);
        let error = image(EntryFlags::ZSTD, &frame, 1000)
            .unwrap_err()
            .to_string();
        assert!(error.contains("its header says 1000"), "{error}");
        // A window of 2 TiB.
        let error = image(EntryFlags::ZSTD, &bomb(1, 0xf8), 1000)
            .unwrap_err()
            .to_string();
        assert!(error.contains("damaged"), "{error}");
    }
}
