//! What a build script asks for, as data.

use std::path::PathBuf;

use crate::options::{Backend, Cudart, HalfTypes, Prebuilt, Runtime};

/// All that a [`Builder`](crate::Builder) was told.
#[derive(Debug, Clone, Default)]
pub(crate) struct BuildRequest {
    pub(crate) root: Option<PathBuf>,
    pub(crate) out_dir: Option<PathBuf>,
    pub(crate) config: Option<PathBuf>,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) file_flags: Vec<(PathBuf, Vec<String>)>,
    pub(crate) dirs: Vec<PathBuf>,
    pub(crate) excludes: Vec<String>,
    pub(crate) instances: Vec<(PathBuf, String)>,
    pub(crate) links: Vec<Link>,
    pub(crate) libraries: Vec<Library>,
    pub(crate) own: Vec<Source>,
    pub(crate) archs: Vec<String>,
    pub(crate) virtual_arch: Option<String>,
    pub(crate) ptx: Vec<Ptx>,
    pub(crate) includes: Vec<PathBuf>,
    pub(crate) defines: Vec<(String, Option<String>)>,
    pub(crate) flags: Vec<String>,
    pub(crate) std: Option<String>,
    pub(crate) host_compiler: Option<PathBuf>,
    pub(crate) toolkit: Option<String>,
    pub(crate) install: Option<bool>,
    pub(crate) backend: Option<Backend>,
    pub(crate) half: Option<HalfTypes>,
    pub(crate) runtime: Option<Runtime>,
    pub(crate) out_file: Option<String>,
    pub(crate) prebuilt: Option<Prebuilt>,
}

/// Sources that are compiled to relocatable code and linked into one cubin, for [`Builder::link`](crate::Builder::link); the same as
/// `[[link]]` in `cubin.toml`.
///
/// ```no_run
/// use cubin_build::{Builder, Link};
///
/// Builder::new()
///     .link(Link::new("solver").file("solver/step.cu").file("solver/residual.cu").library("cudadevrt"))
///     .build();
/// ```
#[derive(Debug, Clone)]
#[must_use = "give it to `Builder::link`"]
pub struct Link {
    pub(crate) name: String,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) dirs: Vec<PathBuf>,
    pub(crate) libraries: Vec<String>,
}

impl Link {
    /// A linked module without sources. The name becomes that of the generated module and of its cubins.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            files: Vec::new(),
            dirs: Vec::new(),
            libraries: Vec::new(),
        }
    }

    /// Adds a `.cu` file. It need not be a source otherwise; if it is, it has no module of its own.
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.push(path.into());
        self
    }

    /// Adds every `.cu` file below a directory, those in its subdirectories included.
    pub fn dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.dirs.push(path.into());
        self
    }

    /// Adds a library: by its name one of the toolkit (`cudadevrt`, which kernels that launch kernels need), else the
    /// path of an archive, an object or a relocatable cubin.
    pub fn library(mut self, library: impl Into<String>) -> Self {
        self.libraries.push(library.into());
        self
    }
}

/// Sources whose host code becomes a static library, for [`Builder::library`](crate::Builder::library); the same as `[[library]]` in
/// `cubin.toml`. Needs the feature `library`.
///
/// ```no_run
/// use cubin_build::{Builder, Library};
///
/// Builder::new()
///     .library(Library::new("moe").file("src/moe/moe_gguf.cu").dir("src/mmq_gguf"))
///     .build();
/// ```
#[derive(Debug, Clone)]
#[must_use = "give it to `Builder::library`"]
pub struct Library {
    pub(crate) name: String,
    pub(crate) files: Vec<PathBuf>,
    pub(crate) dirs: Vec<PathBuf>,
    pub(crate) cudart: Cudart,
}

impl Library {
    /// A library without sources. The name becomes that of the archive and of the module with its functions.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            files: Vec::new(),
            dirs: Vec::new(),
            cudart: Cudart::default(),
        }
    }

    /// Adds a `.cu` file. It need not be a source otherwise; its kernels are judged and get wrappers in either case.
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.push(path.into());
        self
    }

    /// Adds every `.cu` file below a directory, those in its subdirectories included.
    pub fn dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.dirs.push(path.into());
        self
    }

    /// The CUDA runtime that it is linked with. Default [`Cudart::Static`].
    pub fn cudart(mut self, cudart: Cudart) -> Self {
        self.cudart = cudart;
        self
    }
}

/// How some of the sources are compiled, for [`Builder::source`](crate::Builder::source); the same as `[[source]]` in
/// `cubin.toml`.
///
/// ```no_run
/// use cubin_build::{Builder, Source};
///
/// Builder::new()
///     .dir("kernels")
///     .source(Source::new("kernels/hopper/*.cu").arch("sm_90a").std("c++20"))
///     .build();
/// ```
#[derive(Debug, Clone)]
#[must_use = "give it to `Builder::source`"]
pub struct Source {
    pub(crate) path: String,
    pub(crate) archs: Vec<String>,
    pub(crate) flags: Vec<String>,
    pub(crate) std: Option<String>,
    pub(crate) includes: Vec<PathBuf>,
}

impl Source {
    /// The sources that this pattern matches: one without `/` is compared with a file's name, any other with its path from
    /// the package's directory; `*` stands for any characters, `/` included, `?` for one. A file that is named, and the
    /// `.cu` files that a pattern matches below a folder that it names, are sources by that.
    pub fn new(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            archs: Vec::new(),
            flags: Vec::new(),
            std: None,
            includes: Vec::new(),
        }
    }

    /// Adds a target; these sources then have no others than those given here.
    pub fn arch(mut self, target: impl Into<String>) -> Self {
        self.archs.push(target.into());
        self
    }

    /// Adds an argument for nvcc, after all others.
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.flags.push(flag.into());
        self
    }

    /// The C++ dialect.
    pub fn std(mut self, dialect: impl Into<String>) -> Self {
        self.std = Some(dialect.into());
        self
    }

    /// Adds a directory for `#include`, which is searched before those of all sources.
    pub fn include(mut self, dir: impl Into<PathBuf>) -> Self {
        self.includes.push(dir.into());
        self
    }
}

/// Which PTX is embedded beside the cubins; see [`Builder::ptx`](crate::Builder::ptx).
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Ptx {
    /// None: only GPUs that a cubin runs on can be used.
    None,
    /// That of the newest target without a suffix: `compute_90` of `sm_80`, `sm_90` and `sm_90a`.
    Newest,
    /// That of one target, by the name of its virtual architecture: `compute_80`.
    Of(String),
}

impl From<bool> for Ptx {
    fn from(embed: bool) -> Self {
        if embed { Self::Newest } else { Self::None }
    }
}

impl From<&str> for Ptx {
    fn from(name: &str) -> Self {
        Self::Of(name.to_owned())
    }
}

impl From<String> for Ptx {
    fn from(name: String) -> Self {
        Self::Of(name)
    }
}
