//! Installs a toolkit from NVIDIA's wheels on PyPI into a per-user cache.
//!
//! The metapackage `cuda-toolkit` pins the exact version of every part (the parts have version schemes of their own:
//! CUDA 13.5 goes with `nvidia-cuda-cccl` 13.3), so the parts are asked for through its extras. uv or pip does the
//! download with the user's own settings (index, proxy, certificates). All goes into a directory beside the final
//! one that is renamed at the very end, so an interrupted installation leaves no toolkit that half works; what it
//! leaves is removed by the next one.
//!
use std::{
    ffi::OsString,
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::{
    Error, Toolkit, Version, Wanted,
    cached::{self, RECEIPT, installed_as, missing_part, open, toolkits_dir},
    discover::nvcc_below,
    lock::Lock,
    version_of,
};
use crate::{cache, env::Env, lists::CollectVec, sorted};

/// The compiler, its headers, and the two tools that show what is in a cubin. Releases before 13.2 have no extras for
/// those two; uv and pip then warn and go on.
pub(super) const EXTRAS: &str = "nvcc,crt,nvvm,cccl,cudart,cuobjdump,nvdisasm";
/// First release whose nvcc is on PyPI.
const FIRST_MAJOR: u32 = 13;
const STAGING: &str = ".installing-";
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
    into_cache(env, wanted, true, progress)
}

pub(super) fn ensure(
    env: &Env,
    wanted: Wanted,
    progress: &mut dyn FnMut(&str),
) -> Result<Toolkit, Error> {
    if let Some(toolkit) = installed_as(env, wanted)? {
        return Ok(toolkit);
    }
    if let Some(why) = offline(env) {
        return Err(Error::Offline { wanted, why });
    }
    into_cache(env, wanted, false, progress)
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

/// Installs, in place of a toolkit of the same version where `anew` says so.
fn into_cache(
    env: &Env,
    wanted: Wanted,
    anew: bool,
    progress: &mut dyn FnMut(&str),
) -> Result<Toolkit, Error> {
    if wanted.major < FIRST_MAJOR {
        return Err(Error::NotOnPyPi(wanted));
    }
    let dir = toolkits_dir(env).ok_or(Error::NoCacheDir)?;
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
    if let Some(toolkit) = installed_as(env, wanted)?.filter(|_| !anew) {
        return Ok(toolkit);
    }
    sweep(&dir);
    let staging = Staging(dir.join(format!("{STAGING}{}", std::process::id())));
    let target = staging.0.join("toolkit");

    let installer = Installer::find(env)?;
    progress(&format!(
        "installing the CUDA {wanted} toolkit (about 130 MB to download, 350 MB on disk) into {} with {}",
        dir.display(),
        installer.name()
    ));
    let began = Instant::now();
    let filled = fill(env, wanted, &installer, &staging.0, progress);
    let (version, index) = match filled {
        Ok(filled) => filled,
        Err(error) if anew => return Err(error),
        // A process that was stopped for long loses the lock, and what it had; whoever took over has done the work.
        Err(error) => return installed_as(env, wanted)?.ok_or(error),
    };
    let home = dir.join(version.to_string());
    // A directory of that name without a working toolkit was left by hand, or damaged since.
    if home.exists() && (anew || open(env, &home).is_none()) {
        cached::retire(&dir, &home).map_err(io(&home))?;
    }
    if let Err(error) = fs::rename(&target, &home)
        && open(env, &home).is_none()
    {
        return Err(Error::Io { path: home, error });
    }
    let toolkit = open(env, &home).ok_or_else(|| Error::Broken {
        wanted,
        why: format!("`{}` holds no nvcc", home.display()),
    })?;
    progress(&format!(
        "installed {toolkit} in {:.0} s from {index}",
        began.elapsed().as_secs_f64()
    ));
    Ok(toolkit)
}

/// Installs into `staging/toolkit` and makes sure that it works; yields also the index that the wheels came from.
fn fill(
    env: &Env,
    wanted: Wanted,
    installer: &Installer,
    staging: &Path,
    progress: &mut dyn FnMut(&str),
) -> Result<(Version, String), Error> {
    let target = staging.join("toolkit");
    let temporary = staging.join("tmp");
    for path in [&target, &temporary] {
        fs::create_dir_all(path).map_err(|error| Error::Io {
            path: path.clone(),
            error,
        })?;
    }
    let mut command = installer.command(env, wanted, &target);
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
    let version = verify(env, wanted, &target)?;
    let receipt = target.join(RECEIPT);
    cache::write(&receipt, wheels_in(&target).as_bytes()).map_err(|error| Error::Io {
        path: receipt,
        error,
    })?;
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

enum Installer {
    Uv(PathBuf),
    Pip(Vec<OsString>),
}

impl Installer {
    /// uv when it is there (it downloads in parallel), else the pip of a Python.
    fn find(env: &Env) -> Result<Self, Error> {
        let mut tried = vec!["uv".to_owned()];
        if let Some(uv) = env.find_program("uv")
            && answers(env, &[uv.clone().into()], "--version")
        {
            return Ok(Self::Uv(uv));
        }
        let pythons: &[&[&str]] = &[
            &["python3", "-m", "pip"],
            &["python", "-m", "pip"],
            &["py", "-3", "-m", "pip"],
            &["pip3"],
            &["pip"],
        ];
        for words in pythons {
            let [program, arguments @ ..] = words else {
                continue;
            };
            if *program == "py" && !cfg!(windows) {
                continue;
            }
            tried.push(words.join(" "));
            let Some(program) = env.find_program(program) else {
                continue;
            };
            let mut prefix = vec![program.into_os_string()];
            prefix.extend(arguments.iter().map(OsString::from));
            if answers(env, &prefix, "--version") {
                return Ok(Self::Pip(prefix));
            }
        }
        Err(Error::NoPip(tried))
    }

    fn name(&self) -> &'static str {
        match self {
            Self::Uv(_) => "uv",
            Self::Pip(_) => "pip",
        }
    }

    /// The index that it asked, without passwords.
    fn index(&self, env: &Env, output: &str) -> String {
        // pip names the index unless it is PyPI alone, and hides passwords itself.
        let said = output
            .lines()
            .find_map(|line| line.trim().strip_prefix("Looking in indexes: "));
        if let Some(said) = said {
            return said.trim().to_owned();
        }
        let variables: &[&str] = match self {
            Self::Uv(_) => &["UV_DEFAULT_INDEX", "UV_INDEX_URL"],
            Self::Pip(_) => &[],
        };
        let set = variables.iter().find_map(|name| env.get(name));
        match set {
            Some(url) => without_password(&url.to_string_lossy()),
            None => "PyPI".to_owned(),
        }
    }

    fn command(&self, env: &Env, wanted: Wanted, target: &Path) -> Command {
        let mut command = match self {
            Self::Uv(uv) => {
                let mut command = env.command(uv);
                command.args(["pip", "install", "--no-progress", "--only-binary", ":all:"]);
                command
            }
            Self::Pip(prefix) => {
                let mut command = prefixed(env, prefix);
                command.args([
                    "install",
                    "--no-input",
                    "--disable-pip-version-check",
                    "--no-warn-script-location",
                ]);
                // Bytecode of helper scripts is of no use to a compiler.
                command.args([
                    "--progress-bar",
                    "off",
                    "--no-compile",
                    "--only-binary",
                    ":all:",
                ]);
                // Settings of the user that contradict `--target`.
                command
                    .env_remove("PIP_PREFIX")
                    .env_remove("PIP_NO_DEPS")
                    .env("PIP_USER", "0")
                    .env("PIP_REQUIRE_VIRTUALENV", "0");
                command
            }
        };
        command.arg("--target").arg(target);
        let metapackage = match wanted.minor {
            Some(minor) => format!("cuda-toolkit[{EXTRAS}]=={}.{minor}.*", wanted.major),
            None => format!("cuda-toolkit[{EXTRAS}]=={}.*", wanted.major),
        };
        command.arg(metapackage);
        if wanted.patch.is_some() {
            command.arg(format!("nvidia-cuda-nvcc=={wanted}"));
        }
        command
    }
}

/// `https://user:secret@host/simple` as `https://****@host/simple`.
fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let end = rest.find('/').unwrap_or(rest.len());
    match rest[..end].rfind('@') {
        Some(at) => format!("{scheme}://****{}", &rest[at..]),
        None => url.to_owned(),
    }
}

fn prefixed(env: &Env, prefix: &[OsString]) -> Command {
    let mut words = prefix.iter();
    let mut command = env.command(words.next().map(OsString::as_os_str).unwrap_or_default());
    command.args(words);
    command
}

fn answers(env: &Env, prefix: &[OsString], argument: &str) -> bool {
    prefixed(env, prefix)
        .arg(argument)
        .stdin(Stdio::null())
        .output()
        .is_ok_and(|output| output.status.success())
}

fn shown(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect_vec()
        .join(" ")
}

/// Runs the installer, telling every few seconds how far it is; returns all that it printed.
fn run(
    command: &mut Command,
    staging: &Path,
    progress: &mut dyn FnMut(&str),
) -> io::Result<(std::process::ExitStatus, String)> {
    const REPORT: Duration = Duration::from_secs(5);
    /// A reader that has woken this thread may take a moment to end.
    const READERS: Duration = Duration::from_millis(100);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let waiting = thread::current();
    let mut readers = Vec::new();
    let out = child
        .stdout
        .take()
        .map(|pipe| Box::new(pipe) as Box<dyn io::Read + Send>);
    let err = child
        .stderr
        .take()
        .map(|pipe| Box::new(pipe) as Box<dyn io::Read + Send>);
    for mut pipe in [out, err].into_iter().flatten() {
        let waiting = waiting.clone();
        readers.push(thread::spawn(move || {
            let mut text = Vec::new();
            let result = pipe.read_to_end(&mut text);
            waiting.unpark();
            result.map(|_| text)
        }));
    }
    let mut reported = Instant::now();
    let began = reported;
    // A reader wakes this thread when its pipe is closed.
    while readers.iter().any(|reader| !reader.is_finished()) {
        thread::park_timeout(READERS);
        if reported.elapsed() >= REPORT {
            reported = Instant::now();
            progress(&format!(
                "  {:.0} s, {} MB written",
                began.elapsed().as_secs_f64(),
                size_of_tree(staging) / 1_000_000
            ));
        }
    }
    let status = child.wait()?;
    let mut output = String::new();
    for reader in readers {
        if let Ok(Ok(text)) = reader.join() {
            output.push_str(&String::from_utf8_lossy(&text));
        }
    }
    Ok((status, output))
}

fn size_of_tree(dir: &Path) -> u64 {
    fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => size_of_tree(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_password_is_shown() {
        for (url, shown) in [
            ("https://pypi.org/simple", "https://pypi.org/simple"),
            (
                "https://u:p@host:8080/simple",
                "https://****@host:8080/simple",
            ),
            ("https://u:p@ss@host/a@b", "https://****@host/a@b"),
            ("wheels", "wheels"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }
}
