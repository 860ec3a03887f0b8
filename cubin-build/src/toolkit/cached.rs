//! The toolkits in the per-user cache: what is there, whether it may be trusted, and taking it away again.
//!
//! ```text
//! <cache>/toolkits/13.5.37/cubin-build-wheels.txt      the receipt: one `name version` per line
//!                          nvidia/cu13/{bin,include,lib,nvvm}
//!                          *.dist-info/RECORD          what each wheel consists of
//! ```

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use super::{
    error::Error,
    found::Toolkit,
    layout::{Layout, nvcc_below},
    lock::Lock,
    origin::Origin,
    receipt::receipt_of,
    version::{Version, Wanted},
};
use crate::{
    env::{Env, program_in},
    lists::CollectVec,
    sorted,
};

/// What is about to be removed has this name before its version, so that no build finds half of it.
const REMOVING: &str = ".removing-";
/// Set to `1`, it allows a cache that other users can write to.
#[cfg(unix)]
const SHARED: &str = "CUBIN_BUILD_SHARED_CACHE";
/// Parts without which a toolkit is not complete.
const PARTS: [&str; 3] = [
    "include/cuda_runtime.h",
    "include/cccl/cuda/std/version",
    "nvvm/libdevice/libdevice.10.bc",
];

/// The per-user cache directory: `CUBIN_BUILD_CACHE`, else `XDG_CACHE_HOME/cubin-build`, else `~/.cache/cubin-build`
/// (`LOCALAPPDATA\cubin-build` on Windows).
pub fn cache_dir(env: &Env) -> Option<PathBuf> {
    if let Some(dir) = env.get("CUBIN_BUILD_CACHE") {
        return Some(PathBuf::from(dir));
    }
    if cfg!(windows) {
        return Some(PathBuf::from(env.get("LOCALAPPDATA")?).join("cubin-build"));
    }
    // The specification of XDG_CACHE_HOME says to ignore a relative path.
    let xdg = env.get("XDG_CACHE_HOME").map(PathBuf::from);
    if let Some(dir) = xdg.filter(|dir| dir.is_absolute()) {
        return Some(dir.join("cubin-build"));
    }
    Some(PathBuf::from(env.get("HOME")?).join(".cache/cubin-build"))
}

pub(super) fn toolkits_dir(env: &Env) -> Option<PathBuf> {
    Some(cache_dir(env)?.join("toolkits"))
}

/// The toolkits in the per-user cache, oldest version first. Runs nothing.
///
/// # Errors
/// The cache is there but cannot be read, or others can write to it.
pub fn installed(env: &Env) -> Result<Vec<Toolkit>, Error> {
    let Some(dir) = toolkits_dir(env) else {
        return Ok(Vec::new());
    };
    let entries = match fs::read_dir(&dir) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::Io { path: dir, error }),
    };
    trust(env, &dir)?;
    let mut found: Vec<Toolkit> = entries
        .flatten()
        .filter_map(|entry| open(env, &entry.path()))
        .collect_vec();
    sorted::sort_by_key(&mut found, |toolkit| toolkit.version);
    Ok(found)
}

pub(super) fn installed_as(env: &Env, wanted: Wanted) -> Result<Option<Toolkit>, Error> {
    let found = installed(env)?;
    Ok(found
        .into_iter()
        .rev()
        .find(|toolkit| wanted.matches(toolkit.version)))
}

/// A directory of the cache as a toolkit: it has a version for a name, a receipt, and is whole.
pub(super) fn open(env: &Env, home: &Path) -> Option<Toolkit> {
    let version: Version = home.file_name()?.to_str()?.parse().ok()?;
    let home = fs::canonicalize(home).ok()?;
    let nvcc = nvcc_below(&home)?;
    let root = nvcc.parent()?.parent()?.to_owned();
    let wheels = receipt_of(&root)?;
    if missing_part(&root).is_some() {
        return None;
    }
    Some(Toolkit {
        layout: Layout::usual(env, &root.join("bin")),
        root,
        nvcc,
        version,
        origin: Origin::Installed,
        unusable: Vec::new(),
        launcher: Vec::new(),
        includes: Vec::new(),
        added: Vec::new(),
        wheels,
    })
}

/// The first part of a toolkit that is not there.
pub(super) fn missing_part(root: &Path) -> Option<&'static str> {
    if program_in(&root.join("bin"), "ptxas").is_none() {
        return Some("ptxas");
    }
    PARTS.into_iter().find(|part| !root.join(part).exists())
}

/// Takes every toolkit of that version out of the cache, damaged ones too; yields the directories that are gone.
/// Builds that use one at this moment fail.
///
/// # Errors
/// There is no cache, others can write to it, or a directory cannot be removed.
pub fn remove(env: &Env, wanted: Wanted) -> Result<Vec<PathBuf>, Error> {
    let dir = toolkits_dir(env).ok_or(Error::NoCacheDir)?;
    let io = |path: &Path| {
        let path = path.to_owned();
        move |error| Error::Io { path, error }
    };
    if !dir.is_dir() {
        return Ok(Vec::new());
    }
    trust(env, &dir)?;
    let lock = dir.join(".lock");
    let _lock = Lock::acquire(&lock, &mut || {}).map_err(io(&lock))?;
    let mut gone = Vec::new();
    let entries = fs::read_dir(&dir).map_err(io(&dir))?;
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_name().and_then(|name| name.to_str());
        // Components go with it.
        let version = name.map(|name| name.split_once('-').map_or(name, |(version, _)| version));
        let version: Option<Version> = version.and_then(|version| version.parse().ok());
        if version.is_some_and(|version| wanted.matches(version)) {
            retire(&dir, &path).map_err(io(&path))?;
            gone.push(path);
        }
    }
    sorted::sort(&mut gone);
    Ok(gone)
}

/// Removes a directory of the cache so that nobody finds a part of it. The lock is held.
pub(super) fn retire(dir: &Path, home: &Path) -> io::Result<()> {
    let mut name = std::ffi::OsString::from(format!("{REMOVING}{}-", std::process::id()));
    name.push(home.file_name().unwrap_or_default());
    let aside = dir.join(name);
    fs::rename(home, &aside)?;
    fs::remove_dir_all(&aside)
}

/// Whether the directory was on its way out when its process was killed.
pub(super) fn is_retired(name: &str) -> bool {
    name.starts_with(REMOVING)
}

/// The cache holds programs that every build runs, so nobody else may be able to replace them.
///
/// A directory may belong to the user whose home it is, or to root. Its group may write to it where it is the group of
/// the home directory: a group of that user's own on the distributions that have a umask of 002.
///
/// # Errors
/// [`Error::Untrusted`] where others can write, unless `CUBIN_BUILD_SHARED_CACHE=1` allows it.
#[cfg(unix)]
pub(super) fn trust(env: &Env, dir: &Path) -> Result<(), Error> {
    use std::os::unix::fs::MetadataExt as _;
    const OTHERS: u32 = 0o002;
    const GROUP: u32 = 0o020;
    if env.get(SHARED).is_some_and(|value| value == "1") {
        return Ok(());
    }
    let home = env.get("HOME").and_then(|home| fs::metadata(home).ok());
    let parent = dir.parent().into_iter();
    for path in parent.chain([dir]) {
        let Ok(meta) = fs::metadata(path) else {
            continue;
        };
        let untrusted = |why: String| {
            Err(Error::Untrusted {
                path: path.to_owned(),
                why,
            })
        };
        if meta.mode() & OTHERS != 0 {
            return untrusted("every user of this machine can write to it".to_owned());
        }
        let Some(home) = &home else { continue };
        if meta.mode() & GROUP != 0 && meta.gid() != home.gid() {
            return untrusted(format!(
                "the members of group {} can write to it",
                meta.gid()
            ));
        }
        if meta.uid() != home.uid() && meta.uid() != 0 {
            return untrusted(format!("it belongs to user {}", meta.uid()));
        }
    }
    Ok(())
}

/// Who may write where is not known without the system's own calls.
#[cfg(not(unix))]
pub(super) fn trust(_env: &Env, _dir: &Path) -> Result<(), Error> {
    Ok(())
}
