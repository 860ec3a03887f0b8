//! A toolkit: where its parts are, and what makes it another one.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use super::{error::Looked, layout::Layout, origin::Origin, version::Version};
use crate::{cache::Stamp, env, lists::AddAll, paths::normalize};

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
    pub(super) wheels: String,
    /// Headers of components that do not stand among the toolkit's own, to be searched last.
    pub(crate) includes: Vec<PathBuf>,
    /// What these components are: where, and which wheels.
    pub(super) added: Vec<String>,
    pub(super) layout: Layout,
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

    /// The CUDA runtime of host code, by its name without `lib` and extension: `cudart_static`, `cudart`.
    #[cfg(feature = "library")]
    pub fn runtime(&self, name: &str) -> Option<PathBuf> {
        if let Some(archive) = self.library(name) {
            return Some(archive);
        }
        // Without headers' packages there is the library with its version only.
        let beside = self.library(&format!("{name}_static"))?;
        let dir = beside.parent()?;
        let start = format!("lib{name}.so");
        let mut found: Vec<PathBuf> = Vec::new();
        for entry in std::fs::read_dir(dir).ok()?.flatten() {
            if entry.file_name().to_string_lossy().starts_with(&start) {
                found.push(entry.path());
            }
        }
        crate::sorted::sort(&mut found);
        found.into_iter().next()
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
            watched.add_all(self.layout.parts());
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
        lines.add_all(self.added.iter().cloned());
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::env::Env;

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
