//! cubin.toml as data: what the user asks for, with the place of every value that a message may point at.
//!
//! Reads the text of the file and yields a [`Config`] and everything that is wrong with it, all at once. Judges no
//! kernel (`policy` does), opens no file, and knows no default: what is absent is `None` or empty, so that whoever
//! uses it can tell what was asked for.
//!
//! ```toml
//! [toolkit]
//! version = "13.5"            # or "13.5.37"
//! install = true              # fetch it when it is missing
//!
//! [build]
//! arch = ["sm_80", "sm_90a"]  # targets, taken exactly as written
//! sources = ["kernels/a.cu"]  # files; paths are relative to this file
//! dirs = ["kernels"]          # every .cu file below
//! exclude = ["*_dummy.cu"]    # but none of these: a path relative to this file, or a file name; `*` and `?` match
//! include = ["include"]
//! define = { TILE = 32, FAST = true }   # or ["TILE=32", "FAST"]
//! flags = ["--use_fast_math"]
//! std = "c++17"
//! lineinfo = true
//! ptx = true                  # embed PTX of the newest target, for GPUs newer than all; or "compute_80", or several
//!
//! [generate]
//! backend = "cudarc"          # or "core"
//! half = "newtype"            # or "half"
//! file = "kernels.rs"
//!
//! [defaults]
//! registers = 128             # per thread
//! stack = 0                   # bytes per thread
//! spills = 0                  # bytes of spill stores and loads
//! params = "4 KiB"            # bytes: an integer, or a string with B, kB, MB, GB, KiB, MiB or GiB
//! static-shared = "48 KiB"    # bytes per block
//!
//! [[rule]]
//! kernel = "gemm<*>"          # pattern or array of patterns over the C++ name, or the symbol
//! arch = "sm_90*"             # pattern or array of patterns
//! registers = 168
//! occupancy = { block = 256, min = 0.25 }   # and dynamic-shared = "16 KiB", if the launch asks for some
//! level = "warn"              # allow, warn or deny; alone it also speaks of a kernel that gets no wrapper
//! reason = "wgmma accumulators"
//!
//! [baseline]
//! file = "cubin-baseline.toml"
//!
//! [[instantiate]]             # makes an instance of a template
//! kernel = "scale<float>"
//! file = "kernels/scale.cu"
//!
//! [[link]]                    # relocatable code: sources that nvlink makes one cubin of, and one module
//! name = "solver"
//! sources = ["solver/step.cu", "solver/residual.cu"]
//! dirs = ["solver/common"]    # every .cu file below
//! libraries = ["cudadevrt"]   # a library of the toolkit, or the path of an archive, object or cubin
//!
//! [[kernel]]                  # parameter types of a kernel without C++ source
//! symbol = "saxpy"
//! params = ["u32", "f32", "*const f32", "*mut f32"]
//! ```

pub mod budget;
pub mod glob;
mod nearest;
mod problem;
mod ptx;
pub(crate) mod read;
mod rules;
pub mod size;
mod tables;

use cubin_core::arch::Sm;

use crate::{
    diag::Diag,
    source::{SourceFile, Span, Spanned},
};
pub use budget::{Budgets, Key, Occupancy, Rule};
pub use glob::Glob;
pub(crate) use nearest::nearest;
pub(crate) use ptx::virtual_architecture;
pub(crate) use tables::is_identifier;
pub use tables::reserved_flag;

/// Everything cubin.toml says. The default is an empty file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Config {
    /// `[toolkit]`
    pub toolkit: Toolkit,
    /// `[build]`
    pub build: Build,
    /// `[generate]`
    pub generate: Generate,
    /// `[defaults]`
    pub defaults: Rule,
    /// Every `[[rule]]` in the order of the file.
    pub rules: Vec<Rule>,
    /// `[baseline] file`, relative to cubin.toml.
    pub baseline: Option<Spanned<String>>,
    /// Every `[[instantiate]]`.
    pub instantiate: Vec<Instantiate>,
    /// Every `[[link]]`.
    pub links: Vec<Link>,
    /// Every `[[kernel]]`.
    pub kernels: Vec<DeclaredKernel>,
}

/// `[toolkit]`: which CUDA toolkit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Toolkit {
    /// Two or three numbers: `13.5` is any `13.5.x`.
    pub version: Option<Spanned<String>>,
    /// Whether it may be installed when it is missing.
    pub install: Option<Spanned<bool>>,
}

/// `[build]`: what is compiled, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Build {
    /// Targets, without repetition.
    pub arch: Vec<Spanned<Sm>>,
    /// Source files.
    pub sources: Vec<Spanned<String>>,
    /// Directories whose `.cu` files are sources.
    pub dirs: Vec<Spanned<String>>,
    /// Patterns of files below `dirs` that are no sources.
    pub exclude: Vec<Spanned<String>>,
    /// `-I`
    pub include: Vec<Spanned<String>>,
    /// `-D`
    pub define: Vec<Spanned<Define>>,
    /// Further arguments of nvcc; none of those that cubin-build sets itself.
    pub flags: Vec<Spanned<String>>,
    /// `c++17`
    pub std: Option<Spanned<String>>,
    /// `-lineinfo`
    pub lineinfo: Option<Spanned<bool>>,
    /// Which PTX is embedded beside the cubins.
    pub ptx: Option<Spanned<Ptx>>,
}

/// `ptx` in `[build]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ptx {
    /// `false`
    None,
    /// `true`: that of the newest target without a suffix.
    Newest,
    /// Virtual architectures by number, without repetition: `sm_90` stands for `compute_90`. None has a suffix.
    Of(Vec<Spanned<Sm>>),
}

/// A macro for the preprocessor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Define {
    /// Its name.
    pub name: String,
    /// Its value; nvcc defines it as 1 when there is none.
    pub value: Option<String>,
}

/// `[generate]`: what the generated Rust code looks like.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Generate {
    /// Which driver binding it launches through.
    pub backend: Option<Spanned<Backend>>,
    /// Which Rust types stand for `__half` and `__nv_bfloat16`.
    pub half: Option<Spanned<Half>>,
    /// Name of the generated file in the output directory.
    pub file: Option<Spanned<String>>,
}

/// The driver binding of the generated code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// The cudarc crate.
    Cudarc,
    /// No crate at all: names, images, resources and parameter arrays.
    Core,
}

/// The Rust types of half-precision parameters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Half {
    /// Transparent newtypes over `u16`, generated.
    Newtype,
    /// `f16` and `bf16` of the half crate.
    Half,
}

/// One `[[instantiate]]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instantiate {
    /// The instance in C++: `scale<float>`.
    pub kernel: Spanned<String>,
    /// The source that defines the template.
    pub file: Option<Spanned<String>>,
}

/// One `[[link]]`: sources that become one cubin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    /// Name of the module; a Rust identifier.
    pub name: Spanned<String>,
    /// Source files.
    pub sources: Vec<Spanned<String>>,
    /// Directories whose `.cu` files are sources.
    pub dirs: Vec<Spanned<String>>,
    /// Names of libraries of the toolkit, or paths of archives, objects and cubins.
    pub libraries: Vec<Spanned<String>>,
}

/// One `[[kernel]]`: what no C++ source says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredKernel {
    /// Symbol in the cubin.
    pub symbol: Spanned<String>,
    /// Rust types of its parameters, in order.
    pub params: Vec<Spanned<String>>,
    /// Where `params` stands; none when the table does not have it.
    pub params_span: Option<Span>,
}

impl Config {
    /// Reads the text of a cubin.toml.
    ///
    /// Returns what could be understood together with every problem, in the order of the file. All problems are
    /// errors, so a build that goes on with the rest must not succeed in the end.
    pub fn parse(file: &SourceFile) -> (Self, Vec<Diag>) {
        tables::parse(file)
    }
}
