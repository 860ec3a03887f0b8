//! Notices a file that is not there, once it is: the first `cubin.toml` of a package.
//!
//! Cargo takes a watched path that is missing for one that has changed, so the build script would run each time. But cargo
//! follows the links in a directory that it watches, and passes over those that lead nowhere. So it is given a directory
//! of ours that holds a link to the place where the file would be.

use std::path::{Path, PathBuf};

/// The directory to watch, below `out_dir`, for `file`; `None` where there are no such links.
#[cfg(unix)]
pub(super) fn watch(out_dir: &Path, file: &Path) -> Option<PathBuf> {
    use std::{
        fs,
        time::{Duration, SystemTime},
    };

    let dir = out_dir.join("absent");
    let link = dir.join(file.file_name()?);
    if fs::read_link(&link).is_ok_and(|to| to == file) {
        return Some(dir);
    }
    fs::create_dir_all(&dir).ok()?;
    let _ = fs::remove_file(&link);
    std::os::unix::fs::symlink(file, &link).ok()?;
    // A directory that is younger than the run of the build script would be a change, too.
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(24 * 60 * 60);
    fs::File::open(&dir).ok()?.set_modified(long_ago).ok()?;
    Some(dir)
}

#[cfg(not(unix))]
pub(super) fn watch(_: &Path, _: &Path) -> Option<PathBuf> {
    None
}
