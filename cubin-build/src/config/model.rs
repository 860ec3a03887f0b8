//! What cubin.toml says, as data.

use cubin_core::arch::Sm;

use super::{budget::Rule, glob::Glob};
use crate::{
    diag::Level,
    options::{self, Backend, Compress, Cudart, Embed, HalfTypes, Nvvm, Runtime},
    source::{Span, Spanned},
    toolkit::Component,
};

/// Everything cubin.toml says. The default is an empty file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Config {
    /// `[toolkit]`
    pub toolkit: Toolkit,
    /// `[build]`
    pub build: Build,
    /// Every `[[source]]`.
    pub source_options: Vec<SourceOptions>,
    /// Every `[[target]]`.
    pub target_options: Vec<TargetOptions>,
    /// `[generate]`
    pub generate: Generate,
    /// `[prebuilt]`
    pub prebuilt: Prebuilt,
    /// `[defaults]`
    pub defaults: Rule,
    /// `[defaults]` of the workspace, those that stand furthest above first.
    pub above: Vec<Rule>,
    /// Every `[[rule]]` in the order of the file, behind those of the workspace.
    pub rules: Vec<Rule>,
    /// The package's directory as seen from the workspace's, where that has rules: its patterns of paths begin there.
    pub member: String,
    /// `[policy] level`: the most that a violation of the policy may be.
    pub policy: Option<Spanned<Level>>,
    /// `[baseline] file`, relative to cubin.toml.
    pub baseline: Option<Spanned<String>>,
    /// `[baseline] signatures`: whether the file locks what kernels take.
    pub signatures: Option<Spanned<bool>>,
    /// Every `[[instantiate]]`.
    pub instantiate: Vec<Instantiate>,
    /// Every `[[link]]`.
    pub links: Vec<Link>,
    /// Every `[[library]]`.
    pub libraries: Vec<Library>,
    /// `[nvvm]`
    pub nvvm: Nvvm,
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
    /// Libraries beside the compiler whose headers kernels include.
    pub components: Vec<Spanned<&'static Component>>,
}

/// `[prebuilt]`: when kernels are taken as `cargo cubin prebuild` kept them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Prebuilt {
    /// `use`
    pub when: Option<Spanned<options::Prebuilt>>,
    /// What it is when they are those of other sources.
    pub stale: Option<Spanned<Level>>,
}

/// `[build]`: what is compiled, and how.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Build {
    /// Targets, without repetition.
    pub arch: Vec<Spanned<Sm>>,
    /// The virtual architecture that the PTX of all targets is made for, by its number and suffix.
    pub virtual_arch: Option<Spanned<Sm>>,
    /// Source files.
    pub sources: Vec<Spanned<String>>,
    /// Directories whose `.cu` files are sources.
    pub dirs: Vec<Spanned<String>>,
    /// Patterns of files below `dirs` that are not sources.
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

/// One `[[source]]`: how some of the sources are compiled.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceOptions {
    /// Patterns of the sources.
    pub path: Vec<Spanned<Glob>>,
    /// Targets instead of those of `[build]`; none where the table has no `arch`.
    pub arch: Vec<Spanned<Sm>>,
    /// Further arguments of nvcc.
    pub flags: Vec<Spanned<String>>,
    /// `c++20`
    pub std: Option<Spanned<String>>,
    /// `--split-compile`
    pub split_compile: Option<Spanned<u64>>,
    /// `-I`
    pub include: Vec<Spanned<String>>,
}

/// One `[[target]]`: how all sources are compiled for some targets.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TargetOptions {
    /// Patterns of the targets.
    pub arch: Vec<Spanned<Glob>>,
    /// The virtual architecture that their PTX is made for, by its number and suffix.
    pub virtual_arch: Option<Spanned<Sm>>,
    /// Further arguments of nvcc.
    pub flags: Vec<Spanned<String>>,
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
    pub half: Option<Spanned<HalfTypes>>,
    /// Where what the wrappers run on stands.
    pub runtime: Option<Spanned<Runtime>>,
    /// How machine code lies in the program.
    pub embed: Option<Spanned<Embed>>,
    /// How fatbins are compressed.
    pub compress: Option<Spanned<Compress>>,
    /// Name of the generated file in the output directory.
    pub file: Option<Spanned<String>>,
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

/// One `[[library]]`: sources whose host code becomes a static library.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Library {
    /// Its name, and that of the module with its functions; a Rust identifier.
    pub name: Spanned<String>,
    /// Source files.
    pub sources: Vec<Spanned<String>>,
    /// Directories whose `.cu` files are sources.
    pub dirs: Vec<Spanned<String>>,
    /// The runtime that it is linked with.
    pub cudart: Option<Spanned<Cudart>>,
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
