//! The host C++ compiler that nvcc preprocesses with.
//!
//! nvcc itself runs `gcc` from `PATH` (on Windows `cl`), or what `-ccbin` or `NVCC_CCBIN` name, and without one fails
//! with a message that does not say so. Only the place and the stamp of the compiler are looked at; it is not run.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use super::{error::NoHostCompiler, flags::ccbin_in_variables, found::Toolkit, origin::Origin};
use crate::{
    cache::Stamp,
    env::{self, Env},
    lists::CollectVec,
};

/// Names tried on `PATH` in order; the first is what nvcc takes by itself.
const NAMES: &[&str] = if cfg!(windows) {
    &["cl"]
} else {
    &["gcc", "g++", "clang++", "c++"]
};

/// The host compiler that a build uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostCompiler {
    /// The program.
    pub program: PathBuf,
    /// Value for nvcc's `-ccbin`; `None` when nvcc finds the same compiler by itself.
    pub ccbin: Option<PathBuf>,
    /// Variables that the compiler needs (Windows: `INCLUDE`, `LIB`, `PATH` outside a developer prompt).
    pub variables: Vec<(OsString, OsString)>,
}

impl HostCompiler {
    /// A line that differs when the compiler was replaced.
    pub fn identity(&self) -> String {
        let stamp =
            Stamp::of(&self.program).map_or("unreadable".to_owned(), |stamp| stamp.to_string());
        format!("{} {stamp}", self.program.display())
    }
}

/// Finds the host compiler: `ccbin` (a program or the directory of one) when given, else what `-ccbin` names in
/// `NVCC_APPEND_FLAGS` or `NVCC_PREPEND_FLAGS` (conda's packages set the latter), else `NVCC_CCBIN`, else the first of
/// gcc, g++, clang++ and c++ on `PATH`. A toolkit may bring its own, see [`Toolkit::host_compiler`].
///
/// # Errors
/// There is none.
pub fn host_compiler(env: &Env, ccbin: Option<&Path>) -> Result<HostCompiler, NoHostCompiler> {
    search(env, ccbin, &[], true)
}

impl Toolkit {
    /// As [`host_compiler`], but a `gcc` beside the toolkit's programs comes before `PATH`: Debian's and Ubuntu's
    /// packages have one there that runs the newest compiler that their nvcc accepts.
    ///
    /// # Errors
    /// There is none.
    pub fn host_compiler(
        &self,
        env: &Env,
        ccbin: Option<&Path>,
    ) -> Result<HostCompiler, NoHostCompiler> {
        // A toolkit that is installed or named stays the same whatever PATH is, and PATH differs between a terminal and an
        // editor: each would build anew what the other has built. Another host compiler is seen when the build runs next.
        let by_path = matches!(self.origin, Origin::Path | Origin::Usual);
        search(env, ccbin, &self.layout.path, by_path)
    }
}

fn search(
    env: &Env,
    ccbin: Option<&Path>,
    own: &[PathBuf],
    by_path: bool,
) -> Result<HostCompiler, NoHostCompiler> {
    if let Some(ccbin) = ccbin {
        return named(env, ccbin, format!("`{}` (-ccbin)", ccbin.display()), true);
    }
    if let Some(value) = ccbin_in_variables(env) {
        // Quoted values are not taken apart here; what nvcc cannot find it will name itself.
        let program = match named(env, &value, String::new(), false) {
            Ok(found) => found.program,
            Err(_) => value,
        };
        return Ok(HostCompiler {
            program,
            ccbin: None,
            variables: Vec::new(),
        });
    }
    if let Some(value) = env.get("NVCC_CCBIN") {
        // nvcc 11.8 and 12.4 do not read it.
        let value = PathBuf::from(value);
        let asked = format!("`{}` (NVCC_CCBIN)", value.display());
        return named(env, &value, asked, true);
    }
    for dir in own {
        // nvcc puts them before PATH, and looks for this name alone.
        if let Some(program) = env::program_in(dir, NAMES[0]) {
            return Ok(HostCompiler {
                program,
                ccbin: None,
                variables: Vec::new(),
            });
        }
    }
    for (index, name) in NAMES.iter().enumerate() {
        if by_path {
            env.note("PATH");
        }
        if let Some(program) = env.peek_program(name) {
            let ccbin = (index > 0).then(|| program.clone());
            return Ok(HostCompiler {
                program,
                ccbin,
                variables: Vec::new(),
            });
        }
    }
    #[cfg(windows)]
    if let Some(found) = visual_studio() {
        return Ok(found);
    }
    Err(NoHostCompiler {
        asked: None,
        tried: NAMES.iter().map(|name| (*name).to_owned()).collect_vec(),
    })
}

fn named(
    env: &Env,
    value: &Path,
    asked: String,
    pass: bool,
) -> Result<HostCompiler, NoHostCompiler> {
    let program = if value.is_dir() {
        NAMES.iter().find_map(|name| env::program_in(value, name))
    } else if value.components().count() == 1 {
        value.to_str().and_then(|name| env.find_program(name))
    } else {
        Some(value.to_owned()).filter(|program| env::is_executable(program))
    };
    match program {
        Some(program) => Ok(HostCompiler {
            program,
            ccbin: pass.then(|| value.to_owned()),
            variables: Vec::new(),
        }),
        None => Err(NoHostCompiler {
            asked: Some(asked),
            tried: Vec::new(),
        }),
    }
}

/// Visual Studio's compiler, which is on `PATH` only in a developer prompt.
#[cfg(windows)]
fn visual_studio() -> Option<HostCompiler> {
    let target = if cfg!(target_arch = "aarch64") {
        "aarch64-pc-windows-msvc"
    } else {
        "x86_64-pc-windows-msvc"
    };
    let tool = cc::windows_registry::find_tool(target, "cl.exe")?;
    Some(HostCompiler {
        program: tool.path().to_owned(),
        ccbin: Some(tool.path().to_owned()),
        variables: tool
            .to_command()
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .collect_vec(),
    })
}
