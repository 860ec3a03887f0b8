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

/// Every `.cubin` below the folder named by `CUBIN_TEST_CORPUS`, for a run over more files than the repository keeps.
/// Empty without that variable.
///
/// # Panics
/// When the folder cannot be read or holds none.
pub fn corpus() -> Vec<(String, Vec<u8>)> {
    let Some(root) = std::env::var_os("CUBIN_TEST_CORPUS") else {
        return Vec::new();
    };
    let mut found = Vec::new();
    let mut pending = vec![std::path::PathBuf::from(root)];
    while let Some(dir) = pending.pop() {
        for entry in fs::read_dir(&dir).unwrap_or_else(|error| panic!("{}: {error}", dir.display()))
        {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else if path
                .extension()
                .is_some_and(|extension| extension == "cubin")
            {
                let data = fs::read(&path).expect("a readable file");
                found.push((path.display().to_string(), data));
            }
        }
    }
    found.sort();
    assert!(
        !found.is_empty(),
        "CUBIN_TEST_CORPUS names a folder without cubins"
    );
    found
}
