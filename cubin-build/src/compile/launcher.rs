//! A program that is put before the compilers: sccache, or another that keeps or distributes what they make.
//!
//! It stands before cicc and ptxas and not before nvcc: sccache 0.16 takes `nvcc -cubin --keep`, ends with success and leaves
//! nothing. What comes out is the same with and without it, so no record names it.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    env::{self, Env},
    lists::CollectVec,
    toolkit::Toolkit,
};

/// The variable that names it, with arguments behind it where it needs some.
pub(crate) const LAUNCHER: &str = "CUBIN_BUILD_LAUNCHER";

/// The launcher of a build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Launcher {
    program: PathBuf,
    arguments: Vec<OsString>,
}

impl Launcher {
    /// What [`LAUNCHER`] names, else what stood before nvcc in `NVCC`.
    ///
    /// # Errors
    /// What was written names no program.
    pub(crate) fn find(env: &Env, toolkit: Option<&Toolkit>) -> Result<Option<Self>, String> {
        // It changes nothing that comes out, so cargo need not watch it.
        if let Some(value) = env.peek(LAUNCHER) {
            let whole = PathBuf::from(&value);
            if env::is_executable(&whole) && whole.components().count() > 1 {
                let program = std::path::absolute(&whole).unwrap_or(whole);
                let arguments = Vec::new();
                return Ok(Some(Self { program, arguments }));
            }
            let words = value.to_string_lossy();
            let words = words.split_whitespace().map(str::to_owned).collect_vec();
            return Self::of(env, &words).map(Some);
        }
        let words = toolkit.map_or(&[][..], |toolkit| &toolkit.launcher);
        if words.is_empty() {
            return Ok(None);
        }
        Self::of(env, words).map(Some)
    }

    fn of(env: &Env, words: &[String]) -> Result<Self, String> {
        let name = words.first().map_or("", String::as_str);
        let path = Path::new(name);
        let program = match path.components().count() {
            1 => env.find_program(name),
            _ => Some(path.to_owned()).filter(|path| env::is_executable(path)),
        };
        let arguments = words.iter().skip(1).map(OsString::from).collect_vec();
        // It is run in other directories.
        match program.and_then(|program| std::path::absolute(program).ok()) {
            Some(program) => Ok(Self { program, arguments }),
            None => Err(name.to_owned()),
        }
    }

    /// A command with the launcher before its program, in the same environment. Files in `dir`, where the command is then to
    /// run, are named without it: sccache takes the names of what cicc writes for a part of what decides.
    pub(super) fn before(&self, env: &Env, command: &Command, dir: &Path) -> Command {
        let mut launched = env.command(&self.program);
        launched.args(&self.arguments).arg(command.get_program());
        for word in command.get_args() {
            let inside = Path::new(word).strip_prefix(dir);
            launched.arg(inside.map_or(word, Path::as_os_str));
        }
        for (name, value) in command.get_envs() {
            match value {
                Some(value) => launched.env(name, value),
                None => launched.env_remove(name),
            };
        }
        // A server that the launcher starts outlives the build, and has its files and sockets there.
        match env.peek("TMPDIR") {
            Some(dir) => launched.env("TMPDIR", dir),
            None => launched.env_remove("TMPDIR"),
        };
        launched
    }
}
