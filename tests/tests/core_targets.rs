//! A cubin of every toolkit from 8.0 on shows the target that it was made for, which exists.
//!
//! `golden/headers.tsv` holds each different ELF header (without the places of its tables) of 4,433 cubins in wheels of those
//! toolkits, with the number that the fatbin around it has, which another program wrote; for 12.2 and 12.3 what ptxas of
//! NVIDIA's wheels was told. Later ones stand whole in `golden/cubins` and `golden/targets`, named after toolkit and target. There is no toolkit
//! 12.7. Target and toolkit are read from nothing else in files before 12.8.

use std::collections::BTreeSet;

use cubin_core::{Cubin, Sm};
use cubin_tests::recorded;

/// Every release.
const TOOLKITS: &[(u16, u16)] = &[
    (8, 0),
    (9, 0),
    (9, 1),
    (9, 2),
    (10, 0),
    (10, 1),
    (10, 2),
    (11, 0),
    (11, 1),
    (11, 2),
    (11, 3),
    (11, 4),
    (11, 5),
    (11, 6),
    (11, 7),
    (11, 8),
    (12, 0),
    (12, 1),
    (12, 2),
    (12, 3),
    (12, 4),
    (12, 5),
    (12, 6),
    (12, 8),
    (12, 9),
    (13, 0),
    (13, 1),
    (13, 2),
    (13, 3),
    (13, 4),
    (13, 5),
];

/// Numbers of compute capabilities that NVIDIA's compilers have had since 8.0.
const NUMBERS: &[u16] = &[
    20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 88, 89, 90, 100, 101,
    103, 107, 110, 120, 121,
];

fn exists(target: Sm) -> bool {
    let letters = target
        .to_string()
        .ends_with(|last: char| last.is_ascii_alphabetic());
    let known = match target.number {
        90 => !target.to_string().ends_with('f'),
        number => number > 90 || !letters,
    };
    NUMBERS.contains(&target.number) && known
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    let byte = |pair: &[u8]| {
        let text = std::str::from_utf8(pair).expect("ASCII");
        u8::from_str_radix(text, 16).expect("hexadecimal")
    };
    digits.map(byte).collect()
}

fn toolkit(text: &str) -> Option<(u16, u16)> {
    let (major, minor) = text.split_once('.')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[test]
fn a_cubin_of_every_toolkit_shows_an_existing_target() {
    let mut seen = BTreeSet::new();
    let text = String::from_utf8(recorded::file("", "headers.tsv")).expect("text");
    for row in text.lines() {
        let columns: Vec<&str> = row.split('\t').collect();
        let [made_by, number, header, _] = columns[..] else {
            panic!("{row:?}");
        };
        let data = bytes(header);
        let cubin = Cubin::parse(&data).unwrap_or_else(|error| panic!("{row}: {error}"));
        let target = cubin.target().expect("a target");
        assert_eq!(target.to_string(), format!("sm_{number}"), "{row}");
        assert!(exists(target), "{row}: {target}");
        assert_eq!(
            cubin.toolkit().expect("a toolkit"),
            toolkit(made_by),
            "{row}"
        );
        seen.extend(toolkit(made_by));
    }
    let whole = recorded::files("cubins").into_iter();
    for (name, data) in whole.chain(recorded::files("targets")) {
        let cubin = Cubin::parse(&data).unwrap_or_else(|error| panic!("{name}: {error}"));
        let target = cubin.target().expect("a target");
        assert!(exists(target), "{name}: {target}");
        // source-toolkit-target; some leave out `sm_`, some all of it.
        let mut parts = name.trim_end_matches(".cubin").split('-').skip(1);
        if let Some(made_by) = parts.next().and_then(toolkit) {
            assert_eq!(cubin.toolkit().expect("a toolkit"), Some(made_by), "{name}");
            seen.insert(made_by);
            if let Some(named) = parts.next() {
                let named = named.trim_start_matches("sm_");
                assert_eq!(target.to_string(), format!("sm_{named}"), "{name}");
            }
        }
    }
    let missing: Vec<_> = TOOLKITS
        .iter()
        .filter(|made| !seen.contains(made))
        .collect();
    assert!(missing.is_empty(), "no cubin of {missing:?}");
}
