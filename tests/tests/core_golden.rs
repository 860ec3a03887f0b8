//! The text view of every recorded cubin, compared with what is checked in. `BLESS=1` rewrites the recordings.

use std::{fs, path::PathBuf};

use cubin_core::{Cubin, text};

fn golden(directory: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("golden")
        .join(directory)
}

/// The recorded cubins, by name.
fn cubins() -> Vec<(String, Vec<u8>)> {
    let mut cubins: Vec<_> = fs::read_dir(golden("cubins"))
        .expect("the recorded cubins")
        .map(|entry| entry.expect("an entry").path())
        .map(|path| {
            let name = path.file_stem().expect("a name").to_string_lossy().into();
            (name, fs::read(&path).expect("a cubin"))
        })
        .collect();
    cubins.sort();
    cubins
}

#[test]
fn the_text_view_says_what_is_recorded() {
    let bless = std::env::var_os("BLESS").is_some();
    let mut wrong = Vec::new();
    let mut seen = 0;
    for (name, data) in cubins() {
        let mut now = String::new();
        let cubin = Cubin::parse(&data).unwrap_or_else(|error| panic!("{name}: {error}"));
        text::write(&cubin, &mut now).expect("a string takes everything");
        let path = golden("text").join(format!("{name}.txt"));
        if bless {
            fs::create_dir_all(golden("text")).expect("a directory");
            fs::write(&path, &now).expect("a recording");
        }
        let before = fs::read_to_string(&path).unwrap_or_default();
        if let Some(line) = first_difference(&before, &now) {
            wrong.push(format!("{name}: line {line}"));
        }
        // A valid file has nothing that cannot be read.
        assert!(!now.contains("\n  ! "), "{name} has an unreadable part");
        seen += 1;
    }
    assert!(seen >= 50, "only {seen} recorded cubins found");
    assert!(
        wrong.is_empty(),
        "the text view changed; look at it, then run again with BLESS=1:\n{}",
        wrong.join("\n")
    );
}

fn first_difference(before: &str, now: &str) -> Option<usize> {
    if before == now {
        return None;
    }
    let same = before
        .lines()
        .zip(now.lines())
        .take_while(|(before, now)| before == now)
        .count();
    Some(same + 1)
}
