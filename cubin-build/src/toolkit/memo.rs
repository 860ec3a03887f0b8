//! What nvcc said about its version, kept between builds: `size mtime version path` per line.

use std::{fs, path::Path};

use super::Version;
use crate::cache::{self, Stamp};

/// The version that was kept for exactly this nvcc.
pub(super) fn recall(memo: &Path, nvcc: &Path, stamp: Stamp) -> Option<Version> {
    let text = fs::read_to_string(memo).ok()?;
    let key = key(nvcc, stamp);
    text.lines()
        .find_map(|line| line.strip_prefix(&key)?.strip_prefix(" => ")?.parse().ok())
}

/// Keeps a version. A memo that cannot be written costs the next build one `nvcc --version`, nothing else.
pub(super) fn keep(memo: &Path, nvcc: &Path, stamp: Stamp, version: Version) {
    let own = format!("{} ", cache::encode_path(nvcc));
    let old = fs::read_to_string(memo).unwrap_or_default();
    let mut text: String = old
        .lines()
        .filter(|line| !line.starts_with(&own))
        .map(|line| format!("{line}\n"))
        .collect();
    text.push_str(&format!("{} => {version}\n", key(nvcc, stamp)));
    if let Some(dir) = memo.parent() {
        let _ = fs::create_dir_all(dir);
    }
    let _ = cache::write(memo, text.as_bytes());
}

fn key(nvcc: &Path, stamp: Stamp) -> String {
    format!("{} {stamp}", cache::encode_path(nvcc))
}
