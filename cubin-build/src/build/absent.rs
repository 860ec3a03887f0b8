//! Notices files that are not there, once they are: the first `cubin.toml` of a package, or of its workspace.
//!
//! Cargo takes a watched path that is missing for one that has changed, so the build script would run each time. But cargo
//! follows the links in a directory that it watches, and passes over those that lead nowhere. So it is given a directory
//! of ours that holds a link to each place where such a file would be.

use std::path::{Path, PathBuf};

/// The directory to watch, below `out_dir`, for `files`; `None` where there are none, or no such links.
#[cfg(unix)]
pub(super) fn watch(out_dir: &Path, files: &[PathBuf]) -> Option<PathBuf> {
    use std::{
        fs,
        time::{Duration, SystemTime},
    };

    if files.is_empty() {
        return None;
    }
    let dir = out_dir.join("absent");
    let mut changed = false;
    for (index, file) in files.iter().enumerate() {
        let link = dir.join(index.to_string());
        if fs::read_link(&link).is_ok_and(|to| to == *file) {
            continue;
        }
        fs::create_dir_all(&dir).ok()?;
        let _ = fs::remove_file(&link);
        std::os::unix::fs::symlink(file, &link).ok()?;
        changed = true;
    }
    // Of a file that is there now: it is watched by itself.
    for index in files.len().. {
        if fs::remove_file(dir.join(index.to_string())).is_err() {
            break;
        }
        changed = true;
    }
    if changed {
        // A directory that is younger than the run of the build script would be a change, too.
        let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(24 * 60 * 60);
        fs::File::open(&dir).ok()?.set_modified(long_ago).ok()?;
    }
    Some(dir)
}

#[cfg(not(unix))]
pub(super) fn watch(_: &Path, _: &[PathBuf]) -> Option<PathBuf> {
    None
}
