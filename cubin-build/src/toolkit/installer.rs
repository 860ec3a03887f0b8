//! pip or uv: which there is, how it is called, and what it says while it works.

use std::{
    ffi::OsString,
    fs,
    io::{self, Read as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::error::Error;
use crate::{
    env::Env,
    lists::{AddAll, CollectVec},
};

pub(super) enum Installer {
    Uv(PathBuf),
    Pip(Vec<OsString>),
}

impl Installer {
    /// uv when it is there (it downloads in parallel), else the pip of a Python.
    pub(super) fn find(env: &Env) -> Result<Self, Error> {
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
            prefix.add_all(arguments.iter().map(OsString::from));
            if answers(env, &prefix, "--version") {
                return Ok(Self::Pip(prefix));
            }
        }
        Err(Error::NoPip(tried))
    }

    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Uv(_) => "uv",
            Self::Pip(_) => "pip",
        }
    }

    /// The index that it asked, without passwords.
    pub(super) fn index(&self, env: &Env, output: &str) -> String {
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

    pub(super) fn command(&self, env: &Env, target: &Path) -> Command {
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

pub(super) fn shown(command: &Command) -> String {
    std::iter::once(command.get_program())
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect_vec()
        .join(" ")
}

/// Runs the installer, telling every few seconds how far it is; returns all that it printed.
pub(super) fn run(
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
