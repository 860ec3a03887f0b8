//! NVIDIA's toolkit: where it is, which version, and how to get one.
//!
//! # Which toolkit is used
//!
//! The first of these that holds an `nvcc` of the version asked for:
//!
//! 1. `CUBIN_BUILD_TOOLKIT`: a toolkit's root directory, or an `nvcc`. Nothing else is tried when it is set: a
//!    wrong value or another version is an error.
//! 2. When the project asks for it (`[toolkit] install = true` in cubin.toml): the toolkit installed in the
//!    per-user cache, installed first when it is not there ([`install()`]). Everybody who builds the project then
//!    uses the same compiler, whatever is on the machine.
//! 3. `CUDA_PATH`, then `CUDA_HOME`: a toolkit's root directory.
//! 4. `NVCC`: an `nvcc`, or the name of one on `PATH`; with a launcher before it, `sccache nvcc`.
//! 5. `nvcc` on `PATH`.
//! 6. The usual places: `/usr/local/cuda-13.5` (when 13.5 is asked for), `/usr/local/cuda`, `/usr/local/cuda-*`
//!    (newest first), `/opt/cuda`, `/usr/lib/nvidia-cuda-toolkit`; on Windows
//!    `%ProgramFiles%\NVIDIA GPU Computing Toolkit\CUDA\v*`.
//! 7. Toolkits that `cargo cubin toolkit install` put into the per-user cache, newest first.
//!
//! From 3 on, a place without `nvcc` or with a version that was not asked for is passed over; when nothing fits,
//! the error lists all that was looked at. A variable without an `nvcc` behind it is in [`Toolkit::unusable`], for a
//! warning. The cache is `CUBIN_BUILD_CACHE`, else `XDG_CACHE_HOME/cubin-build`, else
//! `~/.cache/cubin-build` (`LOCALAPPDATA\cubin-build` on Windows).
//!
//! `nvcc --version` and `nvcc --dryrun` run once: their answers are kept in [`ToolkitRequest::memo`], with the size and
//! time of last change of the nvcc that gave them and, behind a wrapper, of the one that does the work.
//!
//! Yields paths, versions and an identity for fingerprints; does not know what is compiled.

mod added;
mod cached;
mod component;
mod diags;
mod discover;
mod error;
mod host;
mod install;
mod installer;
mod layout;
mod lock;
mod memo;
mod record;
mod version;
mod wheels;

use std::{
    fmt,
    path::{Path, PathBuf},
};

pub(crate) use self::diags::{damaged, unusable};
use self::layout::Layout;
pub use self::{
    added::install_component,
    cached::{cache_dir, installed, remove},
    component::{COMPONENTS, Component},
    discover::{find, find_with},
    error::{Error, Looked, NoHostCompiler},
    host::{HostCompiler, host_compiler},
    install::{install, reinstall},
    record::{Damage, Recorded, recorded},
    version::{ParseVersionError, Version, Wanted},
};
use crate::{
    cache::Stamp,
    env::{self, Env},
    paths::normalize,
};

/// What a project asks of the toolkit.
#[derive(Debug, Clone)]
pub struct ToolkitRequest {
    /// Which version; `None` takes the first toolkit found.
    pub version: Option<Wanted>,
    /// Install `version` into the per-user cache when it is not there.
    pub install: bool,
    /// Libraries whose headers are to be there, each installed when it is not and `install` says so.
    pub components: Vec<&'static Component>,
    /// File that keeps what nvcc said about its version, so that the next build need not ask again.
    pub memo: Option<PathBuf>,
    /// Root directories tried after `PATH`, in order.
    pub usual_places: Vec<PathBuf>,
}

impl Default for ToolkitRequest {
    fn default() -> Self {
        Self {
            version: None,
            install: false,
            components: Vec::new(),
            memo: None,
            usual_places: discover::usual_places(),
        }
    }
}

/// A toolkit that was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Toolkit {
    /// Directory that holds `bin`, `include` and `nvvm`; for a distribution's package `/usr/lib/nvidia-cuda-toolkit`.
    /// Behind a wrapper that of the nvcc that it runs.
    pub root: PathBuf,
    /// The compiler driver, as it is run; perhaps a wrapper.
    pub nvcc: PathBuf,
    /// What `nvcc --version` says.
    pub version: Version,
    /// How it was found.
    pub origin: Origin,
    /// Variables that were to name a toolkit and name none, with what is wrong.
    pub unusable: Vec<Looked>,
    /// What stood before nvcc in `NVCC`: `sccache`, in words.
    pub(crate) launcher: Vec<String>,
    /// What the wheels of an installed toolkit are, from its receipt; empty for others.
    wheels: String,
    /// Headers of components that do not stand among the toolkit's own, to be searched last.
    pub(crate) includes: Vec<PathBuf>,
    /// What these components are: where, and which wheels.
    added: Vec<String>,
    layout: Layout,
}

impl Toolkit {
    /// A program of the toolkit (`ptxas`, `cuobjdump`, `nvlink`, `nvdisasm`, `cicc`), when it is there.
    pub fn tool(&self, name: &str) -> Option<PathBuf> {
        // Whoever wraps nvcc may wrap more.
        let beside = self.nvcc.parent().map(Path::to_owned);
        // Debian's and Ubuntu's nvcc lies in /usr/lib/nvidia-cuda-toolkit/bin, its tools in /usr/bin.
        let shared = self.layout.here.ancestors().nth(3);
        let shared = shared.map(|usr| usr.join("bin"));
        beside
            .into_iter()
            .chain(self.layout.path.iter().cloned())
            .chain(self.layout.programs.iter().cloned())
            .chain([self.root.join("bin")])
            .chain(shared)
            .find_map(|dir| env::program_in(&dir, name))
    }

    /// A static library of device code, by its name without `lib` and `.a`: `cudadevrt`.
    pub fn library(&self, name: &str) -> Option<PathBuf> {
        let file = format!("lib{name}.a");
        // Wheels and conda, NVIDIA's installers, distributions.
        let machine = format!("targets/{}-linux/lib", std::env::consts::ARCH);
        let multiarch = format!("lib/{}-linux-gnu", std::env::consts::ARCH);
        let known = ["lib", "lib64", &machine, &multiarch].map(|dir| self.root.join(dir));
        known
            .iter()
            .chain(&self.layout.libraries)
            .map(|dir| dir.join(&file))
            .find(|path| path.is_file())
    }

    /// The compiler of NVVM IR as a library, in NVIDIA's wheels (`lib/libnvvm.so.4`), installers (`nvvm/lib64`) and
    /// distributions.
    #[cfg(feature = "nvvm")]
    pub fn libnvvm(&self) -> Option<PathBuf> {
        let multiarch = format!("lib/{}-linux-gnu", std::env::consts::ARCH);
        let known = [
            "lib",
            "lib64",
            "nvvm/lib64",
            "nvvm/lib",
            "nvvm/bin",
            "bin",
            &multiarch,
        ];
        let known = known.map(|dir| self.root.join(dir));
        // The newest of several: libnvvm.so.4 before libnvvm.so.3, and plain links last.
        let is_library = |name: &str| {
            name.starts_with("libnvvm.so")
                || name.starts_with("libnvvm") && name.ends_with(".dylib")
                || name.starts_with("nvvm64") && name.ends_with(".dll")
        };
        known.iter().chain(&self.layout.libraries).find_map(|dir| {
            let entries = std::fs::read_dir(dir).ok()?;
            let names = entries.flatten().map(|entry| entry.path());
            let named = |path: &PathBuf| path.file_name()?.to_str().map(is_library);
            names.filter(|path| named(path) == Some(true)).max()
        })
    }

    /// The library of device functions, as bitcode.
    #[cfg(feature = "nvvm")]
    pub fn libdevice(&self) -> Option<PathBuf> {
        Some(self.layout.libdevice.clone()).filter(|path| path.is_file())
    }

    /// Where the toolkit's own headers lie: directories, and single files where a directory also holds others'.
    /// What they define is NVIDIA's.
    pub fn headers(&self) -> &[PathBuf] {
        &self.layout.headers
    }

    /// Whether a file is one of the toolkit's headers, rather than of the project or the system; for a toolkit that
    /// was installed here, any of its files.
    ///
    /// The path may hold `..` and `.`, as nvcc writes it: `…/bin/../include/cuda_runtime.h`.
    pub fn owns(&self, path: &Path) -> bool {
        let path = normalize(path);
        let whole = self.is_immutable() && path.starts_with(&self.root);
        whole || self.layout.headers.iter().any(|dir| path.starts_with(dir))
    }

    /// Programs whose change is another toolkit: nvcc, and the one behind it where it is a wrapper.
    pub fn watched(&self) -> Vec<PathBuf> {
        let mut watched = vec![self.nvcc.clone()];
        if !self.is_immutable() {
            watched.extend(self.layout.parts());
            watched.dedup();
        }
        watched
    }

    /// Whether the toolkit's content is fixed by [`Toolkit::identity`], so that its headers need no look.
    pub fn is_immutable(&self) -> bool {
        !self.wheels.is_empty()
    }

    /// Lines that differ when the toolkit differs: version, place and, unless installed by us, stamps of its parts.
    pub fn identity(&self) -> Vec<String> {
        let mut lines = vec![format!("{} {}", self.version, self.root.display())];
        lines.extend(self.added.iter().cloned());
        if self.is_immutable() {
            lines.push(self.wheels.clone());
            return lines;
        }
        let tools = ["ptxas", "nvlink", "cicc"].into_iter();
        let parts = [self.nvcc.clone()]
            .into_iter()
            .chain(self.layout.parts())
            .chain(tools.filter_map(|name| self.tool(name)))
            .chain([self.layout.libdevice.clone()]);
        for part in parts {
            if let Ok(stamp) = Stamp::of(&part) {
                lines.push(format!("{} {stamp}", part.display()));
            }
        }
        lines
    }
}

/// How a toolkit was found.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// An environment variable names it.
    Variable(&'static str),
    /// In the per-user cache, put there by [`install()`].
    Installed,
    /// `nvcc` is on `PATH`.
    Path,
    /// In one of the usual places.
    Usual,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(f, "named by {name}"),
            Self::Installed => f.write_str("installed in the per-user cache"),
            Self::Path => f.write_str("found on PATH"),
            Self::Usual => f.write_str("found in a usual place"),
        }
    }
}

impl fmt::Display for Toolkit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "CUDA {} ({}, {})",
            self.version,
            self.nvcc.display(),
            self.origin
        )
    }
}

/// What nvcc says of itself.
#[derive(Debug, Clone)]
struct Known {
    version: Version,
    layout: Layout,
}

/// The version and the layout of a toolkit by its nvcc: from the memo, else by asking it.
fn ask(env: &Env, nvcc: &Path, memo: Option<&Path>) -> Result<Known, String> {
    let memo = memo.and_then(|memo| Some((memo, memo::key(env, nvcc)?)));
    if let Some((memo, key)) = &memo
        && let Some(known) = memo::recall(memo, key)
    {
        return Ok(known);
    }
    let version = version_of(env, nvcc)?;
    let here = nvcc.parent().unwrap_or(nvcc);
    let direct = here.join("nvcc.profile").exists();
    let installed = direct && here.parent().and_then(cached::receipt_of).is_some();
    let asked = if installed {
        None
    } else {
        Layout::ask(env, nvcc)
    };
    // Where no host compiler is, the next build may have one, and a wrapper hides where the parts are.
    let certain = asked.is_some() || direct;
    let layout = asked.unwrap_or_else(|| Layout::usual(env, here));
    let known = Known { version, layout };
    if let Some((memo, key)) = &memo
        && certain
    {
        memo::keep(memo, nvcc, key, &known);
    }
    Ok(known)
}

/// What `nvcc --version` says.
fn version_of(env: &Env, nvcc: &Path) -> Result<Version, String> {
    let output = env
        .command(nvcc)
        .arg("--version")
        .output()
        .map_err(|error| error.to_string())?;
    let text = String::from_utf8_lossy(&output.stdout);
    let version = Version::from_nvcc(&text).filter(|_| output.status.success());
    version.ok_or_else(|| {
        let all = format!("{text}{}", String::from_utf8_lossy(&output.stderr));
        let all = match all.trim() {
            "" => "and printed nothing".to_owned(),
            all => format!("and printed:\n{all}"),
        };
        format!("`--version` ended with {} {all}", output.status)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toolkit(root: &str) -> Toolkit {
        let env = Env::from_map([("HOME", "/home/me")]);
        let here = Path::new(root).join("bin");
        Toolkit {
            root: root.into(),
            nvcc: here.join("nvcc"),
            version: "13.5.37".parse().unwrap(),
            origin: Origin::Path,
            unusable: Vec::new(),
            launcher: Vec::new(),
            wheels: String::new(),
            includes: Vec::new(),
            added: Vec::new(),
            layout: Layout::usual(&env, &here),
        }
    }

    #[test]
    fn knows_its_own_headers() {
        let cuda = toolkit("/usr/local/cuda-13.5");
        assert!(cuda.owns(Path::new(
            "/usr/local/cuda-13.5/bin/../include/cuda_runtime.h"
        )));
        assert!(!cuda.owns(Path::new("/usr/local/cuda-13.50/include/cuda.h")));
        assert!(!cuda.owns(Path::new("/usr/local/cuda-13.5/samples/common.cuh")));
        assert!(!cuda.owns(Path::new("kernels/common.cuh")));
        assert!(!toolkit("/usr").owns(Path::new("/usr/include/mine.cuh")));
        assert!(!toolkit("/home/me").owns(Path::new("/home/me/project/kernels/a.cu")));
    }
}
