//! What to compile, and how.

use std::path::{Path, PathBuf};

use cubin_core::Sm;

use super::source_kind::Language;
use crate::{options::Nvvm, toolkit::Toolkit};

/// How to compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Options {
    /// Value of nvcc's `-std`; not given to nvcc when a flag sets it already. Default `c++17`.
    pub std: Option<String>,
    /// Directories for `#include`, in the order that they are searched; relative to [`CompileRequest::root`].
    pub includes: Vec<PathBuf>,
    /// Macros, with or without a value.
    pub defines: Vec<(String, Option<String>)>,
    /// Any other nvcc flags, one word each.
    pub flags: Vec<String>,
    /// Flags for one target alone, after the common ones and before those of a source.
    pub target_flags: Vec<(Sm, Vec<String>)>,
    /// The virtual architecture that a target's PTX is made for (`compute_80` as `sm_80`), where it is not the target's own:
    /// targets of one share preprocessing and cicc, and code sees the `__CUDA_ARCH__` of it.
    pub virtual_archs: Vec<(Sm, Sm)>,
    /// Value of nvcc's `-ccbin`: the host compiler or its directory.
    pub ccbin: Option<PathBuf>,
    /// How modules of NVVM IR are compiled.
    pub nvvm: Nvvm,
    /// Runs nvcc's front end alone: what sources declare is known afterwards, and there is no machine code of CUDA C++.
    pub front_end_only: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            std: Some("c++17".to_owned()),
            includes: Vec::new(),
            defines: Vec::new(),
            flags: Vec::new(),
            target_flags: Vec::new(),
            virtual_archs: Vec::new(),
            ccbin: None,
            nvvm: Nvvm::default(),
            front_end_only: false,
        }
    }
}

impl Options {
    /// The virtual architecture that was chosen for a target.
    pub(super) fn virtual_arch(&self, target: Sm) -> Option<Sm> {
        let mut chosen = self.virtual_archs.iter();
        chosen.find(|(of, _)| *of == target).map(|(_, arch)| *arch)
    }
}

/// A file to compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Source {
    /// The file, as messages show it; relative to [`CompileRequest::root`].
    pub path: PathBuf,
    /// What it is written in.
    pub language: Language,
    /// Flags for this file alone, after the common ones.
    pub flags: Vec<String>,
    /// Value of nvcc's `-std` for this file alone.
    pub std: Option<String>,
    /// Directories for `#include` of this file alone, which are searched before the common ones.
    pub includes: Vec<PathBuf>,
    /// Targets of this file alone, instead of [`CompileRequest::targets`].
    pub targets: Option<Vec<Sm>>,
    /// Whether it is compiled to relocatable code (nvcc's `-rdc=true`), for [`link`](super::link()).
    pub relocatable: bool,
    /// Whether its host code is compiled too, for a static library.
    pub host: bool,
}

impl Source {
    /// A source that is a program of its own, without flags of its own.
    pub fn new(path: impl Into<PathBuf>, language: Language) -> Self {
        Self {
            path: path.into(),
            language,
            flags: Vec::new(),
            std: None,
            includes: Vec::new(),
            targets: None,
            relocatable: false,
            host: false,
        }
    }

    /// What it is compiled for; `common` are the targets of the request.
    pub fn targets<'t>(&'t self, common: &'t [Sm]) -> &'t [Sm] {
        self.targets.as_deref().unwrap_or(common)
    }

    /// Whether both are compiled in the same way.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.flags == other.flags
            && self.std == other.std
            && self.includes == other.includes
            && self.targets == other.targets
    }

    /// CUDA C++, whatever the file is called.
    pub fn cuda(path: impl Into<PathBuf>) -> Self {
        Self::new(path, Language::Cuda)
    }
}

/// What to compile.
#[derive(Debug, Clone)]
pub struct CompileRequest<'a> {
    /// The compiler.
    pub toolkit: &'a Toolkit,
    /// The package's directory: nvcc runs there, and relative paths start there.
    pub root: &'a Path,
    /// Where results go (`OUT_DIR`); absolute.
    pub out_dir: &'a Path,
    /// The files.
    pub sources: &'a [Source],
    /// The targets of all sources that have none of their own, each compiled to exactly as written.
    pub targets: &'a [Sm],
    /// How.
    pub options: &'a Options,
}
