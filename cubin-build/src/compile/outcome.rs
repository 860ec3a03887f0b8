//! What a compilation yields.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use cubin_core::Sm;

use super::{error::Failure, inputs::Headers, message::Message};
use crate::{cache::ContentHash, kernel::Spills, sorted::Map};

/// A compiled source for one target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unit {
    /// The source as given.
    pub source: PathBuf,
    /// The target as given.
    pub target: Sm,
    /// The cubin.
    pub cubin: PathBuf,
    /// What nvcc's front end left; `None` when the source is PTX.
    pub side_files: Option<SideFiles>,
    /// The PTX that the cubin was assembled from: a result, or the source itself.
    pub ptx: PathBuf,
    /// Bytes of spill stores and loads per function (by symbol), as ptxas counts them, without those of functions that
    /// it calls.
    pub spills: Map<String, Spills>,
    /// Device functions that were not inlined, with their spills, by the kernel that has this copy of them. Empty for
    /// relocatable code, where all kernels share one.
    pub callees: Map<String, Vec<(String, Spills)>>,
    /// Bytes of the stack frame of each function that has one, by symbol, as ptxas prints them. In a whole program also the
    /// largest among the functions that a kernel has copies of, by the kernel's.
    pub frames: Map<String, u64>,
    /// Every file of the project that went in, the source first; as the preprocessor names it (relative paths start at
    /// [`CompileRequest::root`](super::CompileRequest::root)).
    pub dependencies: Vec<PathBuf>,
    /// What the tools said, without errors; the same whether it was compiled now or earlier.
    pub messages: Vec<Message>,
    /// Why it was compiled now; `None` when the earlier result still holds.
    pub recompiled: Option<String>,
    /// Of all that the results depend on, and of what they are: another one after every compilation.
    pub identity: ContentHash,
    /// Headers of system and toolkit that went in.
    pub(super) headers: Arc<Headers>,
    /// Directories whose new files could be included instead of those that were.
    pub(super) shadowing: Vec<PathBuf>,
}

/// The files of nvcc's front end that signatures are read from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SideFiles {
    /// `X.cudafe1.stub.c`
    pub stub: PathBuf,
    /// `X.cudafe1.gpu`
    pub gpu: PathBuf,
}

/// A unit that was compiled elsewhere.
#[derive(Debug)]
pub(crate) struct PrebuiltUnit {
    pub(crate) source: PathBuf,
    pub(crate) target: Sm,
    pub(crate) cubin: PathBuf,
    pub(crate) ptx: PathBuf,
    pub(crate) spills: Map<String, Spills>,
    pub(crate) callees: Map<String, Vec<(String, Spills)>>,
    pub(crate) frames: Map<String, u64>,
    pub(crate) identity: ContentHash,
}

impl Unit {
    /// A unit that no compiler made here: nothing is known of the files that went in.
    pub(crate) fn prebuilt(unit: PrebuiltUnit) -> Self {
        Self {
            source: unit.source,
            target: unit.target,
            cubin: unit.cubin,
            side_files: None,
            ptx: unit.ptx,
            spills: unit.spills,
            callees: unit.callees,
            frames: unit.frames,
            dependencies: Vec::new(),
            messages: Vec::new(),
            recompiled: None,
            identity: unit.identity,
            headers: Arc::default(),
            shadowing: Vec::new(),
        }
    }

    /// Every file that went in, outside the toolkit: [`Unit::dependencies`], then headers of the system.
    pub fn files(&self) -> impl Iterator<Item = &PathBuf> {
        self.dependencies.iter().chain(&self.headers.system)
    }

    /// The files that tools made of it.
    pub fn results(&self) -> impl Iterator<Item = &Path> {
        let sides = self.side_files.iter();
        let sides = sides.flat_map(|sides| [sides.stub.as_path(), sides.gpu.as_path()]);
        sides.chain([self.cubin.as_path()])
    }

    /// Whether a compiler ran for it in this build.
    pub fn compiled(&self) -> bool {
        self.recompiled.is_some()
    }
}

/// An object made of a source and its units.
#[cfg(feature = "library")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// The source as given.
    pub source: PathBuf,
    /// The object.
    pub path: PathBuf,
    /// The functions with C linkage that it defines for others.
    pub functions: Vec<HostFunction>,
    /// What the tools said, without errors; the same whether it was made now or earlier.
    pub messages: Vec<Message>,
    /// Why it was made now; `None` when the earlier result still holds.
    pub remade: Option<String>,
    /// Every file of the project that went in.
    pub(super) dependencies: Vec<PathBuf>,
}

/// A function of the host that others can call by its name.
#[cfg(feature = "library")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostFunction {
    /// Its symbol.
    pub name: String,
    /// Its declaration in C++.
    pub text: String,
    /// The file that defines it, as line markers name it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// Names of its parameters, where they have some.
    pub params: Vec<Option<String>>,
    /// The symbol of a function that takes a pointer to it; else why there is none.
    pub mangled: Result<String, String>,
}

/// What came of a request.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// The units that compiled, by source in the order given, then by target.
    pub units: Vec<Unit>,
    /// The objects with host code, by source in the order given.
    #[cfg(feature = "library")]
    pub objects: Vec<Object>,
    /// The sources that did not, each once with all targets that failed the same way.
    pub failures: Vec<Failure>,
    /// Things a user should know that concern no single file.
    pub notes: Vec<String>,
}

/// What cargo should watch, so that it runs the build script again when any of it changes.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Watch {
    /// Files and directories, sorted.
    pub paths: Vec<PathBuf>,
    /// Environment variables, sorted.
    pub variables: Vec<String>,
}
