//! The environment: the one place that reads it.
//!
//! Yields variables, programs found on `PATH`, and commands that run in this environment; remembers the name of
//! every variable asked for, so that a build script can print `cargo::rerun-if-env-changed` for exactly those.
//! Does not know what any variable means.

use crate::lists::CollectVec;
use std::{
    ffi::{OsStr, OsString},
    fmt,
    path::{Path, PathBuf},
    process::Command,
    sync::{Mutex, PoisonError},
};

use crate::sorted::{Map, Set};

/// An environment that remembers what it was asked for.
pub struct Env {
    source: Source,
    consulted: Mutex<Set<String>>,
}

enum Source {
    Process,
    Map(Map<OsString, OsString>),
}

impl Env {
    /// The environment of this process.
    pub fn process() -> Self {
        Self::new(Source::Process)
    }

    /// A fixed environment; commands made by [`Env::command`] see it and nothing else.
    pub fn from_map<K: Into<OsString>, V: Into<OsString>>(
        variables: impl IntoIterator<Item = (K, V)>,
    ) -> Self {
        Self::new(Source::Map(
            variables
                .into_iter()
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        ))
    }

    fn new(source: Source) -> Self {
        Self {
            source,
            consulted: Mutex::new(Set::new()),
        }
    }

    /// The value of a variable, remembered as consulted. Unset and empty are the same: `None`.
    pub fn get(&self, name: &str) -> Option<OsString> {
        self.note(name);
        self.peek(name)
    }

    /// As [`Env::get`], but not remembered: for what cannot change a build's result (the number of jobs, `OUT_DIR`).
    pub fn peek(&self, name: &str) -> Option<OsString> {
        let value = match &self.source {
            #[expect(clippy::disallowed_methods, reason = "the one place that reads it")]
            Source::Process => std::env::var_os(name),
            Source::Map(map) => map.get(OsStr::new(name)).cloned(),
        };
        value.filter(|value| !value.is_empty())
    }

    /// Remembers a variable that a program we start reads by itself.
    pub fn note(&self, name: &str) {
        let mut consulted = self
            .consulted
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if !consulted.contains(name) {
            consulted.insert(name.to_owned());
        }
    }

    /// Names of all variables asked for so far, sorted.
    pub fn consulted(&self) -> Vec<String> {
        self.consulted
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .cloned()
            .collect_vec()
    }

    /// Whether this is the environment of the process itself.
    pub fn is_process(&self) -> bool {
        matches!(self.source, Source::Process)
    }

    /// A command that runs in this environment.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new(program);
        if let Source::Map(map) = &self.source {
            command.env_clear().envs(map);
        }
        command
    }

    /// The first program of that name on `PATH` (on Windows also with `.exe`), which is remembered as consulted.
    pub fn find_program(&self, name: &str) -> Option<PathBuf> {
        self.note("PATH");
        self.peek_program(name)
    }

    /// As [`Env::find_program`], but `PATH` is not remembered.
    pub fn peek_program(&self, name: &str) -> Option<PathBuf> {
        let path = self.peek("PATH")?;
        std::env::split_paths(&path)
            .filter(|dir| !dir.as_os_str().is_empty())
            .find_map(|dir| program_in(&dir, name))
    }
}

impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Env")
            .field("process", &self.is_process())
            .field("consulted", &self.consulted())
            .finish()
    }
}

/// The program `name` in `dir`, when there is an executable file of that name.
pub fn program_in(dir: &Path, name: &str) -> Option<PathBuf> {
    let path = dir.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    is_executable(&path).then_some(path)
}

/// Whether `path` is a file that the system would run.
pub fn is_executable(path: &Path) -> bool {
    let Ok(meta) = path.metadata() else {
        return false;
    };
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        meta.is_file() && meta.permissions().mode() & 0o111 != 0
    }
    #[cfg(not(unix))]
    meta.is_file()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn remembers_what_was_asked_and_nothing_else() {
        let env = Env::from_map([("CUDA_PATH", "/cuda"), ("EMPTY", "")]);
        assert_eq!(env.get("CUDA_PATH"), Some("/cuda".into()));
        assert_eq!(env.get("NVCC"), None);
        assert_eq!(env.get("EMPTY"), None, "empty counts as unset");
        env.note("CPATH");
        assert_eq!(env.peek("OUT_DIR"), None);
        assert_eq!(env.consulted(), ["CPATH", "CUDA_PATH", "EMPTY", "NVCC"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_command_sees_only_the_given_map() {
        let env = Env::from_map([("GREETING", "hello")]);
        let output = env
            .command("/bin/sh")
            .args(["-c", "echo $GREETING$HOME"])
            .output()
            .unwrap();
        assert_eq!(output.stdout, b"hello\n");
    }
}
