//! Files that NVIDIA's tools wrote, kept in `tests/golden`.

use std::{fs, path::Path};

/// (name, bytes) of every file in `tests/golden/<folder>`, by name.
///
/// # Panics
/// When the folder is missing or empty: a test over nothing proves nothing.
pub fn files(folder: &str) -> Vec<(String, Vec<u8>)> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("golden")
        .join(folder);
    let mut found: Vec<(String, Vec<u8>)> = fs::read_dir(&dir)
        .unwrap_or_else(|error| panic!("{}: {error}", dir.display()))
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.is_file())
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy();
            (name.into_owned(), fs::read(&path).expect("a readable file"))
        })
        .collect();
    found.sort();
    assert!(!found.is_empty(), "{} holds no files", dir.display());
    found
}

/// The file `name` of `tests/golden/<folder>`.
///
/// # Panics
/// When it cannot be read.
pub fn file(folder: &str, name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("golden")
        .join(folder)
        .join(name);
    fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
