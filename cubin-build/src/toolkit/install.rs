//! Installs a toolkit from NVIDIA's wheels on PyPI into a per-user cache.
//!
//! The wheels of each release are recorded here, with their hashes ([`super::wheels`]); pip and uv then take no other file,
//! whatever index they ask. For a release that is not recorded, the metapackage `cuda-toolkit` pins the exact version of
//! every part (the parts have version schemes of their own: CUDA 13.5 goes with `nvidia-cuda-cccl` 13.3), so the parts are
//! asked for through its extras. uv or pip does the download with the user's own settings (index, proxy, certificates). All
//! goes into a directory beside the final one that is renamed at the very end, so an interrupted installation leaves no
//! toolkit that half works; what it leaves is removed by the next one.

use std::{
    fs,
    path::{Path, PathBuf},
    time::Instant,
};

use super::{
    cached::{self, installed_as, missing_part, open, toolkits_dir},
    component::{Component, directory},
    error::Error,
    found::Toolkit,
    installer::{Installer, run, shown},
    layout::nvcc_below,
    lock::Lock,
    receipt::RECEIPT,
    said::version_of,
    version::{Version, Wanted},
    wheels,
};
use crate::{cache, env::Env, lists::CollectVec, sorted};

/// The compiler, its headers, and the two tools that show what is in a cubin. Releases before 13.2 have no extras for
/// those two; uv and pip then warn and go on.
pub(super) const EXTRAS: &str = "nvcc,crt,nvvm,cccl,cudart,cuobjdump,nvdisasm";
/// First release whose nvcc is on PyPI.
const FIRST_MAJOR: u32 = 13;
const STAGING: &str = ".installing-";

/// What is installed.
#[derive(Clone, Copy)]
pub(super) enum Part {
    /// The compiler with its headers.
    Toolkit(Wanted),
    /// A library beside the toolkit of that version.
    Component(&'static Component, Version),
}

impl Part {
    pub(super) fn wanted(self) -> Wanted {
        match self {
            Self::Toolkit(wanted) => wanted,
            Self::Component(_, version) => Wanted {
                major: version.major,
                minor: Some(version.minor),
                patch: None,
            },
        }
    }

    /// As [`wheels`] calls it.
    fn name(self) -> &'static str {
        match self {
            Self::Toolkit(_) => wheels::TOOLKIT,
            Self::Component(component, _) => component.name,
        }
    }

    /// Extras of the metapackage.
    pub(super) fn extras(self) -> &'static str {
        match self {
            Self::Toolkit(_) => EXTRAS,
            Self::Component(component, _) => component.name,
        }
    }

    /// Its directory, where it is there.
    fn installed(self, env: &Env, dir: &Path) -> Result<Option<PathBuf>, Error> {
        match self {
            Self::Toolkit(wanted) => {
                let found = installed_as(env, wanted)?;
                Ok(found.map(|toolkit| dir.join(toolkit.version.to_string())))
            }
            Self::Component(component, version) => {
                let home = dir.join(directory(version, component));
                let whole = component.headers(&home).is_some();
                Ok(Some(home).filter(|_| whole))
            }
        }
    }

    fn is_whole(self, env: &Env, home: &Path) -> bool {
        match self {
            Self::Toolkit(_) => open(env, home).is_some(),
            Self::Component(component, _) => component.headers(home).is_some(),
        }
    }
}

impl std::fmt::Display for Part {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Toolkit(wanted) => write!(f, "CUDA toolkit {wanted}"),
            Self::Component(component, version) => {
                write!(f, "{} of CUDA {version}", component.library)
            }
        }
    }
}

/// Installs a toolkit unless the cache holds one of that version already; `progress` is told what happens, one line
/// at a time.
///
/// # Errors
/// No pip, no network, no such version, no space: see [`Error`]. The cache is then as it was.
pub fn install(
    env: &Env,
    wanted: Wanted,
    progress: &mut dyn FnMut(&str),
) -> Result<Toolkit, Error> {
    ensure(env, wanted, progress)
}

/// Installs a toolkit in place of the one of that version that the cache may hold.
///
/// # Errors
/// As [`install()`]; what was there is then there still.
pub fn reinstall(
    env: &Env,
    wanted: Wanted,
    progress: &mut dyn FnMut(&str),
) -> Result<Toolkit, Error> {
    toolkit_in(env, wanted, true, progress)
}

pub(super) fn ensure(
    env: &Env,
    wanted: Wanted,
    progress: &mut dyn FnMut(&str),
) -> Result<Toolkit, Error> {
    if let Some(toolkit) = installed_as(env, wanted)? {
        return Ok(toolkit);
    }
    toolkit_in(env, wanted, false, progress)
}

fn toolkit_in(
    env: &Env,
    wanted: Wanted,
    anew: bool,
    progress: &mut dyn FnMut(&str),
) -> Result<Toolkit, Error> {
    let home = provide(env, Part::Toolkit(wanted), anew, progress)?;
    open(env, &home).ok_or_else(|| Error::Broken {
        wanted,
        why: format!("`{}` holds no nvcc", home.display()),
    })
}

/// Why nothing may be downloaded: cargo was told so, or is run so. A local index needs no network.
fn offline(env: &Env) -> Option<&'static str> {
    let set = |name: &str| {
        env.get(name)
            .is_some_and(|value| !value.is_empty() && value != "0")
    };
    if set("PIP_NO_INDEX") || set("UV_NO_INDEX") {
        return None;
    }
    let variable = env.get("CARGO_NET_OFFLINE");
    if variable.is_some_and(|value| value == "true" || value == "1") {
        return Some("CARGO_NET_OFFLINE is set");
    }
    // Cargo keeps the option to itself; it is the parent of every build script.
    let in_script = env.peek("OUT_DIR").is_some();
    (in_script && cargo_runs_offline())
        .then_some("cargo was started with `--offline` or `--frozen`")
}

#[cfg(target_os = "linux")]
fn cargo_runs_offline() -> bool {
    let parent = std::os::unix::process::parent_id();
    let Ok(line) = fs::read(format!("/proc/{parent}/cmdline")) else {
        return false;
    };
    let mut words = line.split(|byte| *byte == 0);
    let is_cargo = words.next().is_some_and(|program| {
        let name = program.rsplit(|byte| *byte == b'/').next();
        name == Some(b"cargo")
    });
    // What follows `--` is for the program that cargo runs.
    is_cargo
        && words
            .take_while(|word| *word != b"--")
            .any(|word| word == b"--offline" || word == b"--frozen")
}

#[cfg(not(target_os = "linux"))]
fn cargo_runs_offline() -> bool {
    false
}

/// Installs what is not there; with `anew` also what is. Yields its directory.
pub(super) fn provide(
    env: &Env,
    part: Part,
    anew: bool,
    progress: &mut dyn FnMut(&str),
) -> Result<PathBuf, Error> {
    let wanted = part.wanted();
    let dir = toolkits_dir(env).ok_or(Error::NoCacheDir)?;
    if let Some(why) = offline(env).filter(|_| !anew) {
        let there = part.installed(env, &dir)?;
        return there.ok_or_else(|| Error::Offline {
            what: part.to_string(),
            install: match part {
                Part::Toolkit(_) => wanted.to_string(),
                Part::Component(component, _) => format!("{wanted} --with {}", component.name),
            },
            package: match part {
                // Has releases of its own.
                Part::Component(
                    Component {
                        name: "cutlass", ..
                    },
                    _,
                ) => "nvidia-cutlass".to_owned(),
                _ => wheels::metapackage(wanted, part.extras()),
            },
            why,
        });
    }
    if wanted.major < FIRST_MAJOR {
        return Err(Error::NotOnPyPi(wanted));
    }
    let io = |path: &Path| {
        let path = path.to_owned();
        move |error| Error::Io { path, error }
    };
    fs::create_dir_all(&dir).map_err(io(&dir))?;
    cached::trust(env, &dir)?;
    let lock = dir.join(".lock");
    let _lock = Lock::acquire(&lock, &mut || {
        progress("waiting for another build that is installing a CUDA toolkit");
    })
    .map_err(io(&lock))?;
    // Another process may have done it meanwhile.
    if let Some(home) = part.installed(env, &dir)?.filter(|_| !anew) {
        return Ok(home);
    }
    sweep(&dir);
    let staging = Staging(dir.join(format!("{STAGING}{}", std::process::id())));
    let target = staging.0.join("toolkit");

    let installer = Installer::find(env)?;
    let pinned = wheels::pinned(wanted, part.name());
    let size = match part {
        Part::Toolkit(_) => " (about 130 MB to download, 350 MB on disk)",
        Part::Component(..) => "",
    };
    progress(&format!(
        "installing {part}{size} into {} with {}",
        dir.display(),
        installer.name()
    ));
    if pinned.is_none() {
        progress(&format!(
            "hashes of the wheels of {part} are not recorded in this version of cubin-build: what the index gives is taken"
        ));
    }
    let began = Instant::now();
    let filled = fill(
        env,
        part,
        pinned.as_deref(),
        &installer,
        &staging.0,
        progress,
    );
    let (version, index) = match filled {
        Ok(filled) => filled,
        Err(error) if anew => return Err(error),
        // A process that was stopped for long loses the lock, and what it had; whoever took over has done the work.
        Err(error) => return part.installed(env, &dir)?.ok_or(error),
    };
    let home = dir.join(match part {
        Part::Toolkit(_) => version.to_string(),
        Part::Component(component, version) => directory(version, component),
    });
    // A directory of that name that is not whole was left by hand, or damaged since.
    if home.exists() && (anew || !part.is_whole(env, &home)) {
        cached::retire(&dir, &home).map_err(io(&home))?;
    }
    if let Err(error) = fs::rename(&target, &home)
        && !part.is_whole(env, &home)
    {
        return Err(Error::Io { path: home, error });
    }
    let what = match part {
        Part::Toolkit(_) => format!("CUDA {version}"),
        Part::Component(..) => part.to_string(),
    };
    let how = match pinned {
        Some(_) => "with the recorded hashes",
        None => "without recorded hashes",
    };
    progress(&format!(
        "installed {what} ({}) in {:.0} s, {how}, from {index}",
        home.display(),
        began.elapsed().as_secs_f64()
    ));
    Ok(home)
}

/// Installs into `staging/toolkit` and makes sure that it works; yields also the index that the wheels came from.
fn fill(
    env: &Env,
    part: Part,
    pinned: Option<&str>,
    installer: &Installer,
    staging: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<(Version, String), Error> {
    let wanted = part.wanted();
    let target = staging.join("toolkit");
    let temporary = staging.join("tmp");
    let io = |path: &Path| {
        let path = path.to_owned();
        move |error| Error::Io { path, error }
    };
    for path in [&target, &temporary] {
        fs::create_dir_all(path).map_err(io(path))?;
    }
    let mut command = installer.command(env, &target);
    match pinned {
        Some(pinned) => {
            let file = staging.join("requirements.txt");
            fs::write(&file, pinned).map_err(io(&file))?;
            command
                .args(["--no-deps", "--require-hashes", "-r"])
                .arg(file);
        }
        None => {
            command.arg(wheels::metapackage(wanted, part.extras()));
            if wanted.patch.is_some() {
                command.arg(format!("nvidia-cuda-nvcc=={wanted}"));
            }
        }
    }
    command
        .env("TMPDIR", &temporary)
        .env("TEMP", &temporary)
        .env("TMP", &temporary);
    let line = shown(&command);
    let failed = |status: String, output: String| Error::Pip {
        wanted,
        command: line.clone(),
        status,
        output,
    };
    let (status, output) = run(&mut command, staging, progress)
        .map_err(|error| failed("an error".to_owned(), error.to_string()))?;
    if !status.success() {
        return Err(failed(status.to_string(), output));
    }
    let receipt = target.join(RECEIPT);
    cache::write(&receipt, wheels_in(&target).as_bytes()).map_err(io(&receipt))?;
    let version = match part {
        Part::Toolkit(wanted) => verify(env, wanted, &target)?,
        Part::Component(component, version) => {
            let broken = || Error::ComponentBroken(component);
            component.headers(&target).ok_or_else(broken)?;
            version
        }
    };
    Ok((version, installer.index(env, &output)))
}

/// `name version` of every wheel, sorted, from the names of their `dist-info` directories.
fn wheels_in(target: &Path) -> String {
    let mut wheels: Vec<String> = fs::read_dir(target)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let name = entry.file_name();
            let name = name.to_str()?.strip_suffix(".dist-info")?;
            Some(format!("{}\n", name.replacen('-', " ", 1)))
        })
        .collect_vec();
    sorted::sort(&mut wheels);
    wheels.concat()
}

/// What was installed must be whole and run here.
fn verify(env: &Env, wanted: Wanted, target: &Path) -> Result<Version, Error> {
    let broken = |why: String| Error::Broken { wanted, why };
    let nvcc =
        nvcc_below(target).ok_or_else(|| broken("they hold no nvcc for this system".to_owned()))?;
    let version = version_of(env, &nvcc).map_err(|why| broken(format!("nvcc {why}")))?;
    if !wanted.matches(version) {
        return Err(broken(format!("nvcc says that it is {version}")));
    }
    let root = nvcc.parent().and_then(Path::parent).unwrap_or(target);
    match missing_part(root) {
        Some(part) => Err(broken(format!("`{part}` is missing"))),
        None => Ok(version),
    }
}

/// Removes what killed installations left. The lock is held, so none of them is alive.
fn sweep(dir: &Path) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with(STAGING) || cached::is_retired(&name) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Where an installation grows; removed whatever happens.
struct Staging(PathBuf);

impl Drop for Staging {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
