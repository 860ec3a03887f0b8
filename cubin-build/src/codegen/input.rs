//! What the generator takes and gives, as data.

#[cfg(feature = "library")]
use std::path::PathBuf;

use cubin_core::Sm;

pub use crate::options::{Backend, HalfTypes, Runtime};
#[cfg(feature = "library")]
use crate::signature::host::HostType;
use crate::{kernel::Facts, signature::model::Signatures, sorted::Map};

/// Everything that one generated file is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// One per source file; written in order of name.
    pub modules: Vec<Module>,
    /// The static libraries with host functions.
    #[cfg(feature = "library")]
    pub host: Vec<HostModule>,
    /// Which driver binding the wrappers call.
    pub backend: Backend,
    /// How `__half` and `__nv_bfloat16` appear.
    pub half: HalfTypes,
    /// Where what the wrappers run on stands.
    pub runtime: Runtime,
}

/// One source file.
#[derive(Debug, Clone, PartialEq)]
pub struct Module {
    /// Stem of the source file.
    pub name: String,
    /// Path of the source relative to the package, with `/`.
    pub source: String,
    /// The cubins and the PTX, which lie beside the generated file.
    pub images: Vec<EmbeddedImage>,
    /// The fatbin that holds all of them, which then is what the program has.
    pub fatbin: Option<String>,
    /// Merged over all targets.
    pub signatures: Signatures,
    /// By kernel symbol, then target.
    pub facts: Map<String, Map<Sm, Facts>>,
}

/// The host functions of one static library.
#[cfg(feature = "library")]
#[derive(Debug, Clone, PartialEq)]
pub struct HostModule {
    /// Name of the library.
    pub name: String,
    /// Its sources, relative to the package.
    pub sources: Vec<String>,
    /// By place.
    pub functions: Vec<HostFunction>,
    /// Declarations in C++ of functions that get none in Rust, and why.
    pub refused: Vec<(String, String)>,
}

/// A host function with C linkage.
#[cfg(feature = "library")]
#[derive(Debug, Clone, PartialEq)]
pub struct HostFunction {
    /// Its symbol.
    pub name: String,
    /// Its declaration in C++.
    pub text: String,
    /// The file that defines it.
    pub file: PathBuf,
    /// The line, from 1.
    pub line: u32,
    /// Names of its parameters, where they have some.
    pub names: Vec<Option<String>>,
    /// Its type.
    pub ty: HostType,
}

/// A cubin or PTX to embed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmbeddedImage {
    /// What it was compiled for; of PTX the virtual architecture: `sm_90` stands for `compute_90`.
    pub target: Sm,
    /// Name of the file beside the generated one: `saxpy.sm_90.cubin`, `saxpy.compute_90.ptx`.
    pub file: String,
    /// Of PTX, the target that it was assembled for, whose facts say what a launch must keep to. `None` for a cubin.
    pub assembled_for: Option<Sm>,
}

/// The generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Rust source for `include!`.
    pub text: String,
    /// What could not be written as it should be.
    pub findings: Vec<Finding>,
}

/// Something that the user should know.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// A kernel has no wrapper because of a type that the generator cannot express.
    Unsupported {
        /// Module (stem of the source file).
        module: String,
        /// C++ name of the kernel.
        kernel: String,
        /// Why.
        reason: String,
    },
}
