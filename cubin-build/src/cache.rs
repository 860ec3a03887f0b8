//! Files that outlive a build: written whole or not at all, and compared by content.
//!
//! Yields atomic writes, content hashes, and file stamps (size and time of last change) that are read once per
//! process. Does not know what the files mean.

use std::{
    ffi::OsString,
    fmt, fs, io,
    path::{Path, PathBuf},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
    time::UNIX_EPOCH,
};

use crate::{
    asked::{Asked, asked},
    sorted::Map,
    source::{MOST_BYTES, read_file},
};

/// Writes `bytes` to `path` when its content differs; true when something was written.
///
/// The bytes go to a temporary file in the same directory that is then renamed, so a reader, or a build that is
/// killed half way, sees the old content or the new, never a part. An unchanged file keeps its time stamp, so
/// that nothing that depends on it is rebuilt.
///
/// # Errors
/// Any I/O error; the temporary file is gone then and `path` is as it was.
pub fn write_if_changed(path: &Path, bytes: &[u8]) -> io::Result<bool> {
    if fs::read(path).is_ok_and(|old| old == bytes) {
        return Ok(false);
    }
    write(path, bytes)?;
    Ok(true)
}

/// As [`write_if_changed`], without looking at what is there.
///
/// # Errors
/// As [`write_if_changed`].
pub fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let temporary = temporary_beside(path);
    let result = fs::write(&temporary, bytes).and_then(|()| fs::rename(&temporary, path));
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// A name in the same directory that no other process or thread uses.
pub(crate) fn temporary_beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut name = OsString::from(".");
    name.push(path.file_name().unwrap_or_default());
    name.push(format!(
        ".{}.{}.tmp",
        std::process::id(),
        COUNT.fetch_add(1, Ordering::Relaxed)
    ));
    path.with_file_name(name)
}

/// A 128-bit hash of content, for telling versions of a file apart (not against an adversary).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ContentHash(u64, u64);

impl ContentHash {
    /// The hash of `bytes`: two multiplicative lanes over 8-byte words, the same on every machine and release.
    ///
    /// Eight bytes a step, since build scripts are compiled without optimisation.
    pub fn of(bytes: &[u8]) -> Self {
        let (mut low, mut high) = (0xcbf2_9ce4_8422_2325_u64, 0x9e37_79b9_7f4a_7c15_u64);
        let mut step = |word: u64| {
            low = (low ^ word).wrapping_mul(0x0000_0100_0000_01b3);
            low ^= low >> 32;
            high = (high ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
            high ^= high >> 29;
        };
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            step(u64::from_le_bytes(*word));
        }
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        step(u64::from_le_bytes(last));
        step(bytes.len() as u64);
        step(0);
        Self(low, high)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}{:016x}", self.1, self.0)
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Size and time of last change of a file: enough to tell that a tool or a system header was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    /// Bytes.
    pub size: u64,
    /// Nanoseconds since 1970.
    pub modified: u128,
}

impl Stamp {
    /// Reads the stamp of a file, through symbolic links.
    ///
    /// # Errors
    /// There is no such file, or it cannot be looked at.
    pub fn of(path: &Path) -> io::Result<Self> {
        let meta = fs::metadata(path)?;
        Ok(Self {
            size: meta.len(),
            modified: meta
                .modified()?
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_nanos()),
        })
    }
}

/// When a file was last changed, or put in its place: nanoseconds since 1970. A file that is copied or moved keeps its own
/// time of last change; where the system says when its entry changed, that counts, too.
///
/// # Errors
/// As [`Stamp::of`].
pub fn changed(path: &Path) -> io::Result<u128> {
    let modified = Stamp::of(path)?.modified;
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let meta = fs::metadata(path)?;
        let seconds = u128::try_from(meta.ctime()).unwrap_or(0);
        let rest = u128::try_from(meta.ctime_nsec()).unwrap_or(0);
        Ok(modified.max(seconds * 1_000_000_000 + rest))
    }
    #[cfg(not(unix))]
    Ok(modified)
}

impl fmt::Display for Stamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "size={} mtime={}", self.size, self.modified)
    }
}

/// Answers about files, each read once per process: every unit asks for the same headers.
#[derive(Debug, Default)]
pub struct Files {
    stamps: Mutex<Map<PathBuf, Option<Stamp>>>,
    hashes: Mutex<Map<PathBuf, Option<Content>>>,
}

/// What is remembered of a file that was read.
#[derive(Debug, Clone)]
pub struct Content {
    /// Of all its bytes.
    pub hash: ContentHash,
    /// What it asks about.
    pub asked: Asked,
}

impl Files {
    /// The stamp of a file; `None` when there is none.
    pub fn stamp(&self, path: &Path) -> Option<Stamp> {
        memo(&self.stamps, path, || Stamp::of(path).ok())
    }

    /// The content of a file as it is now, whatever was read before; `None` when it cannot be read.
    pub fn content_now(&self, path: &Path) -> Option<Content> {
        let mut hashes = self.hashes.lock().unwrap_or_else(PoisonError::into_inner);
        hashes.insert(path.to_owned(), read_content(path));
        hashes.get(path).cloned().flatten()
    }

    /// The content of a file; `None` when it cannot be read.
    pub fn content(&self, path: &Path) -> Option<Content> {
        memo(&self.hashes, path, || read_content(path))
    }
}

fn read_content(path: &Path) -> Option<Content> {
    let bytes = read_file(path, MOST_BYTES).ok()?;
    Some(Content {
        hash: ContentHash::of(&bytes),
        asked: asked(&bytes),
    })
}

fn memo<T: Clone>(map: &Mutex<Map<PathBuf, T>>, path: &Path, make: impl FnOnce() -> T) -> T {
    if let Some(known) = map.lock().unwrap_or_else(PoisonError::into_inner).get(path) {
        return known.clone();
    }
    let made = make();
    map.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .insert(path.to_owned(), made.clone());
    made
}

/// A path as one line of text that [`decode_path`] turns back: bytes that would break the line are percent-coded.
pub fn encode_path(path: &Path) -> String {
    let text = path.to_str();
    let bytes = path.as_os_str().as_encoded_bytes();
    let mut line = String::with_capacity(bytes.len());
    let keep = |c: char| !c.is_control() && c != '%';
    match text {
        Some(text) if text.chars().all(keep) => line.push_str(text),
        _ => {
            for &byte in bytes {
                if byte.is_ascii() && keep(char::from(byte)) {
                    line.push(char::from(byte));
                } else {
                    line.push_str(&format!("%{byte:02x}"));
                }
            }
        }
    }
    line
}

/// The path that [`encode_path`] wrote; `None` when the text is damaged.
pub fn decode_path(line: &str) -> Option<PathBuf> {
    if !line.contains('%') {
        return Some(PathBuf::from(line));
    }
    let mut bytes = Vec::with_capacity(line.len());
    let mut rest = line;
    while let Some((before, after)) = rest.split_once('%') {
        bytes.extend_from_slice(before.as_bytes());
        bytes.push(u8::from_str_radix(after.get(..2)?, 16).ok()?);
        rest = &after[2..];
    }
    bytes.extend_from_slice(rest.as_bytes());
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt as _;
        Some(PathBuf::from(OsString::from_vec(bytes)))
    }
    #[cfg(not(unix))]
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scratch(name: &str) -> PathBuf {
        let dir =
            std::env::temp_dir().join(format!("cubin-build-cache-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&dir);
        fs::create_dir_all(&dir).unwrap();
        dir
    }

    #[test]
    fn unchanged_content_is_not_touched() {
        let dir = scratch("unchanged");
        let path = dir.join("kernels.rs");
        assert!(write_if_changed(&path, b"one").unwrap());
        let stamp = Stamp::of(&path).unwrap();
        assert!(!write_if_changed(&path, b"one").unwrap());
        assert_eq!(Stamp::of(&path).unwrap(), stamp);
        assert!(write_if_changed(&path, b"two").unwrap());
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(
            fs::read_dir(&dir).unwrap().count(),
            1,
            "no temporary file stays"
        );
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_failed_write_leaves_nothing() {
        let dir = scratch("failed");
        let target = dir.join("directory");
        fs::create_dir(&target).unwrap();
        assert!(write_if_changed(&target, b"x").is_err());
        assert_eq!(fs::read_dir(&dir).unwrap().count(), 1);
        fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn hashes_differ_for_small_changes() {
        let texts: Vec<Vec<u8>> = (0..2000_usize)
            .map(|i| {
                let mut text = vec![0; i % 40];
                if let Some(byte) = text.get_mut(i / 40 % 40) {
                    *byte = (i / 40 + 1) as u8;
                }
                text
            })
            .collect();
        let texts: std::collections::BTreeSet<_> = texts.into_iter().collect();
        let hashes: std::collections::BTreeSet<String> = texts
            .iter()
            .map(|text| ContentHash::of(text).to_string())
            .collect();
        assert_eq!(hashes.len(), texts.len());
        assert_eq!(ContentHash::of(b"").to_string().len(), 32);
    }

    #[test]
    fn paths_survive_as_lines() {
        for path in ["plain/ü x.cu", "percent%20", "new\nline", "tab\t\u{85}"] {
            let line = encode_path(Path::new(path));
            assert_eq!(line.lines().count(), 1);
            assert_eq!(
                decode_path(&line).as_deref(),
                Some(Path::new(path)),
                "{line}"
            );
        }
        assert_eq!(decode_path("%zz"), None);
        assert_eq!(decode_path("%ü"), None);
        #[cfg(unix)]
        {
            use std::os::unix::ffi::OsStrExt as _;
            let path = Path::new(std::ffi::OsStr::from_bytes(b"\xff/a"));
            assert_eq!(decode_path(&encode_path(path)).as_deref(), Some(path));
        }
    }
}
