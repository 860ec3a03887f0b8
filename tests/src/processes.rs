//! The processes of this machine, for tests of what goes on after its build has ended.

use std::{
    fs, thread,
    time::{Duration, Instant},
};

/// Process numbers and command lines of all whose command line, or the folder that they are in, has `name` in it; those
/// that have ended and wait for their parents are none.
///
/// # Panics
/// Where there is no `/proc`.
pub fn with(name: &str) -> Vec<(u32, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").expect("/proc").flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else {
            continue;
        };
        let words = fs::read(entry.path().join("cmdline")).unwrap_or_default();
        let words = String::from_utf8_lossy(&words).replace('\0', " ");
        let state = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        let folder = fs::read_link(entry.path().join("cwd")).unwrap_or_default();
        let named = words.contains(name) || folder.to_string_lossy().contains(name);
        if named && !state.contains(") Z ") && id != std::process::id() {
            found.push((id, words));
        }
    }
    found
}

/// Waits until it is so.
///
/// # Panics
/// With `what`, when it is not within this time.
#[track_caller]
pub fn until(what: &str, limit: Duration, is: impl Fn() -> bool) {
    let start = Instant::now();
    while !is() {
        assert!(start.elapsed() < limit, "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}
