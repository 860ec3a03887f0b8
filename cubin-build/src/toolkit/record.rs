//! What the wheels of an installed toolkit consist of, by their own `RECORD` files, and what has become of it.
//!
//! `RECORD` is a CSV file of a wheel's `dist-info` directory: path, `sha256=` with the digest in URL-safe base64 without
//! padding, size in bytes (Binary Distribution Format, PyPA specifications). Sizes are compared here; hashes are handed
//! on, since a build script has no use for a hash function.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{added, error::Error, found::Toolkit};
use crate::{lists::AddAll, sorted, words::counted};

/// A file that a wheel brought.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct Recorded {
    /// Absolute.
    pub path: PathBuf,
    /// The wheel, as its `dist-info` directory is called: `nvidia_cuda_nvcc-13.5.37`.
    pub wheel: String,
    /// Size in bytes, where recorded.
    pub size: Option<u64>,
    /// SHA-256 in URL-safe base64 without padding, where recorded.
    pub sha256: Option<String>,
}

/// What became of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Damage {
    /// It is not there.
    Missing,
    /// It cannot be read.
    Unreadable(String),
    /// It has another size.
    Size {
        /// Bytes, as recorded.
        recorded: u64,
        /// Bytes on disk.
        found: u64,
    },
}

impl Recorded {
    /// What can be told of the file without reading it; `None` when it is as recorded.
    pub fn damage(&self) -> Option<Damage> {
        match fs::metadata(&self.path) {
            Ok(meta) => self
                .size
                .filter(|size| *size != meta.len())
                .map(|recorded| Damage::Size {
                    recorded,
                    found: meta.len(),
                }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Some(Damage::Missing),
            Err(error) => Some(Damage::Unreadable(error.to_string())),
        }
    }
}

impl std::fmt::Display for Damage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Missing => f.write_str("is missing"),
            Self::Unreadable(why) => write!(f, "cannot be read: {why}"),
            Self::Size { recorded, found } => {
                write!(f, "has {} instead of {recorded}", counted(*found, "byte"))
            }
        }
    }
}

/// The files of a toolkit's wheels and of its components', by path. Empty for a toolkit that does not lie in the per-user cache.
///
/// # Errors
/// A `RECORD` is missing, or cannot be read.
pub fn recorded(toolkit: &Toolkit) -> Result<Vec<Recorded>, Error> {
    let home = toolkit.root.parent().and_then(Path::parent);
    let Some(home) = home.filter(|_| toolkit.is_immutable()) else {
        return Ok(Vec::new());
    };
    let io = |path: &Path| {
        let path = path.to_owned();
        move |error| Error::Io { path, error }
    };
    let mut files = Vec::new();
    let beside = added::homes(toolkit);
    for home in beside.iter().map(PathBuf::as_path).chain([home]) {
        for entry in fs::read_dir(home).map_err(io(home))?.flatten() {
            let name = entry.file_name();
            let Some(wheel) = name
                .to_str()
                .and_then(|name| name.strip_suffix(".dist-info"))
            else {
                continue;
            };
            let path = entry.path().join("RECORD");
            let text = fs::read_to_string(&path).map_err(io(&path))?;
            files.add_all(text.lines().filter_map(|line| read(line, home, wheel)));
        }
    }
    sorted::sort(&mut files);
    Ok(files)
}

fn read(line: &str, home: &Path, wheel: &str) -> Option<Recorded> {
    let (name, rest) = match line.strip_prefix('"') {
        // A quote within is doubled.
        Some(quoted) => {
            let (name, rest) = quoted.split_once("\",")?;
            (name.replace("\"\"", "\""), rest)
        }
        None => {
            let (name, rest) = line.split_once(',')?;
            (name.to_owned(), rest)
        }
    };
    let path = Path::new(&name);
    // What pip made of a wheel besides (`../../bin/tool`, an absolute path) lies elsewhere after `--target`.
    let plain = |part| matches!(part, std::path::Component::Normal(_));
    if !path.components().all(plain) {
        return None;
    }
    let (hash, size) = rest.split_once(',')?;
    Some(Recorded {
        path: home.join(path),
        wheel: wheel.to_owned(),
        size: size.trim().parse().ok(),
        sha256: hash.strip_prefix("sha256=").map(str::to_owned),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_the_lines_of_a_record() {
        let of = |line| read(line, Path::new("/t"), "w-1");
        let plain = of("nvidia/cu13/bin/nvcc,sha256=Fk3-_x,11032").expect("a file");
        assert_eq!(plain.path, Path::new("/t/nvidia/cu13/bin/nvcc"));
        assert_eq!(
            (plain.size, plain.sha256.as_deref()),
            (Some(11032), Some("Fk3-_x"))
        );
        let quoted = of("\"a,\"\"b\"\".h\",sha256=x,1").expect("a file");
        assert_eq!(quoted.path, Path::new("/t/a,\"b\".h"));
        let own = of("w-1.dist-info/RECORD,,").expect("a file");
        assert_eq!((own.size, own.sha256), (None, None));
        for elsewhere in ["../../bin/x,sha256=x,1", "/etc/passwd,sha256=x,1", "", "x"] {
            assert_eq!(of(elsewhere), None, "{elsewhere}");
        }
    }
}
