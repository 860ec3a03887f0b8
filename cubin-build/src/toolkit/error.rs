//! What can be wrong with the toolkit, and what to do about it, as data; `diags.rs` makes findings of it.

use std::{fmt, io, path::PathBuf};

use super::{
    component::Component,
    origin::Origin,
    version::{Version, Wanted},
};
use crate::lists::Figures;

/// No usable toolkit.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// No `nvcc` of the version asked for; also when there is none at all.
    NotFound {
        /// The version asked for.
        wanted: Option<Wanted>,
        /// Every place looked at, in order.
        looked: Vec<Looked>,
    },
    /// `CUBIN_BUILD_TOOLKIT` names something that is not a toolkit.
    Variable {
        /// Name of the variable.
        name: &'static str,
        /// Its value.
        value: PathBuf,
        /// What is wrong.
        why: String,
    },
    /// `CUBIN_BUILD_TOOLKIT` names a toolkit of another version than the project asks for.
    WrongVersion {
        /// The version asked for.
        wanted: Wanted,
        /// The version found.
        found: Version,
        /// The nvcc that has it.
        nvcc: PathBuf,
        /// How it was found.
        origin: Origin,
    },
    /// `install = true` without a version.
    VersionMissing,
    /// NVIDIA publishes no nvcc wheel of that version.
    NotOnPyPi(Wanted),
    /// No home or cache directory.
    NoCacheDir,
    /// The toolkit is not in the cache, and nothing may be downloaded.
    Offline {
        /// What is not there.
        what: String,
        /// Arguments of `cargo cubin toolkit install`.
        install: String,
        /// What pip downloads it by.
        package: String,
        /// What says so.
        why: &'static str,
    },
    /// Others could replace the programs in the cache.
    Untrusted {
        /// The directory that they can write to.
        path: PathBuf,
        /// Who.
        why: String,
    },
    /// Neither uv nor Python's pip is there.
    NoPip(Vec<String>),
    /// pip or uv failed.
    Pip {
        /// The version asked for.
        wanted: Wanted,
        /// The command that ran.
        command: String,
        /// How it ended.
        status: String,
        /// All that it printed.
        output: String,
    },
    /// What pip installed is not a toolkit that works.
    Broken {
        /// The version asked for.
        wanted: Wanted,
        /// What is wrong.
        why: String,
    },
    /// A component is asked for, is not there, and may not be installed.
    ComponentMissing(&'static Component, Version),
    /// The wheels of a component hold no such headers.
    ComponentBroken(&'static Component),
    /// A file of the cache could not be written or read.
    Io {
        /// Which file or directory.
        path: PathBuf,
        /// What failed.
        error: io::Error,
    },
}

/// A place where a toolkit was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looked {
    /// Which place, as a user knows it: `CUDA_PATH=/opt/cuda`.
    pub place: String,
    /// What was there.
    pub result: String,
}

impl Error {
    /// Facts that explain.
    #[must_use]
    pub fn note(&self) -> Option<String> {
        match self {
            Self::NotFound { looked, .. } => Some(table(looked)),
            Self::Pip { output, .. } => Some(format!("it printed\n{}", output.trim_end())),
            _ => None,
        }
    }

    /// What to do; each is a way of its own.
    #[must_use]
    pub fn help(&self) -> Vec<String> {
        let one = match self {
            Self::NotFound { wanted, .. } => return install_help(*wanted),
            Self::Variable { .. } => {
                "set it to the root directory of a CUDA toolkit (the one that holds bin/nvcc), or unset it".to_owned()
            }
            Self::WrongVersion { wanted, origin, .. } => {
                let variable = match origin {
                    Origin::Variable(name) => name,
                    _ => "CUBIN_BUILD_TOOLKIT",
                };
                format!("point {variable} to a toolkit {wanted}, or change `version` under [toolkit] in cubin.toml")
            }
            Self::VersionMissing => "write `version = \"13.5\"` beside `install = true` under [toolkit]".to_owned(),
            Self::NotOnPyPi(wanted) => format!(
                "ask for 13.0 or later, or install {wanted} from NVIDIA's site and set CUBIN_BUILD_TOOLKIT to it"
            ),
            Self::NoCacheDir => "set CUBIN_BUILD_CACHE to a directory that can be written".to_owned(),
            Self::Offline { install, package, .. } => {
                return vec![
                    format!("run `cargo cubin toolkit install {install}` once while there is a network"),
                    format!(
                        "or, on a machine with a network: `pip download --dest wheels \"{package}\"`, copy `wheels`, and build with \
                         PIP_NO_INDEX=1 and PIP_FIND_LINKS=wheels"
                    ),
                ];
            }
            Self::ComponentMissing(component, version) => {
                return vec![
                    format!(
                        "run `cargo cubin toolkit install {version} --with {}`, or let the build do it: `install = true` under \
                         [toolkit] in cubin.toml",
                        component.name
                    ),
                    format!("or take `{}` out of `components` and name a directory that holds it with `include`", component.name),
                ];
            }
            Self::ComponentBroken(_) => return Vec::new(),
            Self::Untrusted { .. } => "`chmod go-w` it, or set CUBIN_BUILD_CACHE to a directory of your own; \
                                       CUBIN_BUILD_SHARED_CACHE=1 allows a cache that is shared on purpose"
                .to_owned(),
            Self::NoPip(_) => "install Python 3 with pip (Debian and Ubuntu: `apt install python3-pip`), or uv \
                               (https://docs.astral.sh/uv)"
                .to_owned(),
            Self::Pip { output, wanted, .. } => pip_help(output, *wanted),
            Self::Io { .. } => "CUBIN_BUILD_CACHE chooses another directory for toolkits".to_owned(),
            Self::Broken { .. } => return Vec::new(),
        };
        vec![one]
    }

    /// What is wrong, in one sentence.
    fn headline(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFound { wanted, .. } => match wanted {
                Some(wanted) => write!(f, "no CUDA toolkit {wanted} found"),
                None => f.write_str("no CUDA toolkit found (no `nvcc`)"),
            },
            Self::Variable { name, value, why } => {
                write!(f, "{name} is set to `{}`, but {why}", value.display())
            }
            Self::WrongVersion {
                wanted,
                found,
                nvcc,
                origin,
            } => write!(
                f,
                "the project asks for CUDA toolkit {wanted}, but `{}` ({origin}) is {found}",
                nvcc.display(),
            ),
            Self::VersionMissing => f.write_str(
                "cubin.toml asks to install the CUDA toolkit, but does not say which version",
            ),
            Self::NotOnPyPi(wanted) => write!(
                f,
                "CUDA toolkit {wanted} cannot be installed: NVIDIA publishes nvcc on PyPI from 13.0 on"
            ),
            Self::NoCacheDir => f.write_str(
                "there is no directory to install the CUDA toolkit into: none of CUBIN_BUILD_CACHE, XDG_CACHE_HOME \
                 and HOME (on Windows LOCALAPPDATA) is set",
            ),
            Self::Offline { what, why, .. } => write!(
                f,
                "{what} is not in the per-user cache, and cannot be downloaded: {why}"
            ),
            Self::ComponentMissing(component, version) => write!(
                f,
                "`components` asks for {}, which is not there for CUDA {version}",
                component.library
            ),
            Self::ComponentBroken(component) => write!(
                f,
                "the wheels of {} were installed, but hold none of its headers, and were removed again",
                component.library
            ),
            Self::Untrusted { path, why } => write!(
                f,
                "the cache of toolkits in `{}` is not used: {why}, and could replace the compiler",
                path.display()
            ),
            Self::NoPip(tried) => write!(
                f,
                "neither uv nor pip is there to install the CUDA toolkit with (tried {})",
                tried.join(", ")
            ),
            Self::Pip {
                wanted,
                command,
                status,
                ..
            } => write!(
                f,
                "installing CUDA toolkit {wanted} failed: `{command}` ended with {status}"
            ),
            Self::Broken { wanted, why } => write!(
                f,
                "the wheels of CUDA toolkit {wanted} were installed, but do not work, and were removed again: {why}"
            ),
            Self::Io { path, error } => write!(f, "cannot use `{}`: {error}", path.display()),
        }
    }
}

/// [`Error::headline`] as text.
pub(super) struct Headline<'e>(pub(super) &'e Error);

impl fmt::Display for Headline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.headline(f)
    }
}

/// All of it, for a terminal: the sentence, what explains it, and what to do.
impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.headline(f)?;
        if let Some(note) = self.note() {
            write!(f, "\n{note}")?;
        }
        for help in self.help() {
            write!(f, "\nhelp: {help}")?;
        }
        Ok(())
    }
}

/// Every place looked at, one per line.
fn table(looked: &[Looked]) -> String {
    let width = |looked: &Looked| looked.place.chars().count();
    let width = looked.iter().map(width).largest().unwrap_or(0);
    let mut text = "looked at, in this order".to_owned();
    for Looked { place, result } in looked {
        text.push_str(&format!("\n  {place:width$}  {result}"));
    }
    text
}

fn install_help(wanted: Option<Wanted>) -> Vec<String> {
    let version = wanted.map_or("13.5".to_owned(), |wanted| wanted.to_string());
    if wanted.is_some_and(|wanted| wanted.major < 13) {
        return vec![format!(
            "install CUDA toolkit {version} from NVIDIA's site and set CUBIN_BUILD_TOOLKIT to its root directory"
        )];
    }
    vec![
        format!(
            "run `cargo cubin toolkit install {version}`, or let the build do it: cubin.toml with\n\
             \x20     [toolkit]\n\
             \x20     version = \"{version}\"\n\
             \x20     install = true"
        ),
        "or set CUBIN_BUILD_TOOLKIT to the root directory of a toolkit that you have".to_owned(),
    ]
}

/// What to do about pip's failure, by what it printed.
fn pip_help(output: &str, wanted: Wanted) -> String {
    let has = |words: &[&str]| words.iter().any(|word| output.contains(word));
    if has(&["DO NOT MATCH THE HASHES", "Hash mismatch"]) {
        return "the package index gave another file than the one that NVIDIA published and that is recorded here: ask PyPI itself \
                (without PIP_INDEX_URL and UV_DEFAULT_INDEX), or find out who changed it"
            .to_owned();
    }
    if has(&["No space left", "os error 28"]) {
        return "free about 700 MB, or set CUBIN_BUILD_CACHE to a larger disk".to_owned();
    }
    if has(&[
        "NameResolutionError",
        "name resolution",
        "Failed to establish a new connection",
        "ConnectTimeout",
        "Read timed out",
        "Network is unreachable",
        "Connection refused",
        "ProxyError",
        "dns error",
        "error sending request",
        "Failed to fetch",
    ]) {
        return "PyPI could not be reached: check the network and the proxy (pip and uv use their usual settings), then build again"
            .to_owned();
    }
    if has(&[
        "SSLError",
        "CERTIFICATE_VERIFY_FAILED",
        "invalid peer certificate",
    ]) {
        return "the certificate of the package index was not accepted: give pip or uv the certificates of your network (PIP_CERT, SSL_CERT_FILE)"
            .to_owned();
    }
    if has(&["(from versions: none)"]) {
        return "the package index offered nothing that fits this machine: check the network and pip's index settings, \
                and update pip if it is old; NVIDIA has wheels for Linux (x86_64, aarch64) and Windows"
            .to_owned();
    }
    if has(&[
        "No matching distribution",
        "No solution found",
        "no version of",
    ]) {
        return format!(
            "there is no toolkit {wanted} for this machine on the package index (the message lists what there is); ask for another version in cubin.toml"
        );
    }
    "the message above is pip's own; nothing was left behind".to_owned()
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io { error, .. } => Some(error),
            _ => None,
        }
    }
}

/// nvcc needs a host C++ compiler to preprocess with, and there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NoHostCompiler {
    /// What was asked for, when a variable or an option names it.
    pub asked: Option<String>,
    /// What was tried.
    pub tried: Vec<String>,
}

impl NoHostCompiler {
    /// What to do.
    #[must_use]
    pub fn help(&self) -> &'static str {
        if cfg!(windows) {
            "install the Visual Studio Build Tools with \"Desktop development with C++\", or set NVCC_CCBIN to cl.exe"
        } else if cfg!(target_os = "linux") {
            "install g++ (Debian and Ubuntu: `apt install g++`; Fedora: `dnf install gcc-c++`; Arch: `pacman -S gcc`), \
             or set NVCC_CCBIN to a compiler"
        } else {
            "install g++ or clang++, or set NVCC_CCBIN to a compiler"
        }
    }
}

impl fmt::Display for NoHostCompiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.asked {
            Some(asked) => write!(f, "the host compiler {asked} is not there"),
            None => write!(
                f,
                "no host C++ compiler found, and nvcc preprocesses with one (tried {} on PATH)",
                self.tried.join(", ")
            ),
        }
    }
}

impl std::error::Error for NoHostCompiler {}
