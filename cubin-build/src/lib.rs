//! CUDA kernels in a Rust crate: compiled to cubins, checked against a policy, launched through typed wrappers.
//!
//! ```no_run
//! // build.rs
//! fn main() {
//!     cubin_build::Builder::new().dir("kernels").build();
//! }
//! ```
//!
//! ```toml
//! # cubin.toml, beside Cargo.toml
//! [toolkit]
//! version = "13.5"
//! install = true                # no CUDA on the machine? NVIDIA's wheels go into a per-user cache, once
//!
//! [build]
//! arch = ["sm_80", "sm_90a"]    # exactly as written: sm_90 never becomes sm_90a
//!
//! [defaults]                    # budgets: a kernel above one fails the build
//! registers = 128               # per thread
//! spills = 0                    # bytes of spill stores and loads
//! ```
//!
//! ```ignore
//! // src/lib.rs
//! pub mod kernels { include!(concat!(env!("OUT_DIR"), "/kernels.rs")); }
//!
//! let module = kernels::saxpy::Module::load(&context)?;           // the image for this GPU
//! unsafe { module.saxpy(&stream, config, n, 2.0, &x, &mut y)? };  // a wrong type, number or order does not compile
//! ```
//!
//! The [`guide`] has chapters: from nothing to a launched kernel, targets, recipes for policies, editors, builds
//! without a toolkit, CI, fleets, what to do when something is wrong. Every key of `cubin.toml` stands in [`config`].
//!
//! # What happens
//!
//! 1. A CUDA toolkit is found or installed ([`toolkit`] says where it is looked for).
//! 2. Each source is compiled for each target by nvcc, in parallel under cargo's job limit, and only when something
//!    that it depends on has changed: its text, any header, a flag, the toolkit, the host compiler.
//! 3. The cubins are read, and each kernel's signature, taken from the files that nvcc's front end leaves, is proved
//!    against the cubin's own parameter records. What cannot be proved gets no wrapper, and a warning
//!    that says why.
//! 4. Every kernel is judged by `cubin.toml` ([`config`]); everything that is wrong is shown at once ([`diag`]).
//! 5. When all is well, the wrappers are written. When anything is not, nothing is.
//!
//! # What generated code offers
//!
//! | item | what it is |
//! |---|---|
//! | `image(device)` | a function of each source's module: the bytes for a device, for code that loads them and looks kernels up by name |
//! | `Module::load`, `preload` | the image for the device of a context, loaded; all its kernels looked up at once |
//! | `module.kernel(&stream, launch, args…)` | one method for each kernel; `launch` is a `LaunchConfig`, or a `Launch` for cooperative launches and clusters |
//! | `module.variable()` | a `Global` for each module variable, with `write`, `read` and `address` |
//! | `info::KERNEL`, `globals::VARIABLE` | facts as constants: symbol, parameters, resources per target; type, size, memory |
//! | `Module::IMAGES`, `KERNELS`, `GLOBALS`, `runtime::choose` | all that is embedded, and which image a device takes |
//! | `args::kernel` | with [`Backend::Core`], instead of launches: a struct of arguments that yields `kernelParams` |
//! | `runtime` | what all of it runs on: launch checks, errors, memory as arguments |
//!
//! The [documentation of `cubin-runtime`](https://docs.rs/cubin-runtime), the crate that `runtime` is made of, shows each
//! by an example. A file holds its modules, unless [`Builder::runtime`] says that the crate is to be named, so that
//! several crates share its types.
//!
//! # Environment
//!
//! Every variable that is read makes cargo run the build script again when it changes.
//!
//! | variable | what it does |
//! |---|---|
//! | `CUBIN_BUILD_TOOLKIT` | the toolkit's root directory or its nvcc; goes before everything else |
//! | `CUDA_PATH`, `CUDA_HOME`, `NVCC`, `PATH` | where a toolkit is looked for, see [`toolkit`] |
//! | `CUBIN_BUILD_CACHE` | where toolkits are installed; default `XDG_CACHE_HOME/cubin-build`, then `~/.cache/cubin-build` |
//! | `CUBIN_BUILD_SHARED_CACHE` | `1` allows a cache of toolkits that other users can write to, who could then replace the compiler |
//! | `CARGO_NET_OFFLINE` | `true`, as well as cargo's `--offline` (on Linux): no toolkit is downloaded, unless `PIP_NO_INDEX` or `UV_NO_INDEX` says that none needs the network |
//! | `CUBIN_BUILD_ARCH` | targets that replace those of `build.rs` and `cubin.toml`, comma-separated: one target makes a quick build; PTX of the others is left out; sources with targets of their own keep those for the same GPUs, or all |
//! | `CUBIN_BUILD_POLICY` | `warn`: no violation of the policy fails the build, see [editors](guide::editors); `deny`: what `cubin.toml` says, whatever its `[policy] level` |
//! | `CUBIN_BUILD_MODE` | `signatures`: wrappers without machine code, for an editor, see [editors](guide::editors); `full`: all, as without it |
//! | `CUBIN_BUILD_PREBUILT` | when kernels are taken from `prebuilt/` instead of compiled: `without-toolkit`, `always` or `never`, see [without a toolkit](guide::prebuilt) |
//! | `DOCS_RS` | set on docs.rs, where there is no toolkit: kernels are taken from `prebuilt/` |
//! | `CUBIN_BUILD_TIMEOUT` | seconds after which one run of a tool is ended, with all that it started; without it a note says that one takes long |
//! | `CUBIN_BUILD_LAUNCHER` | a program that is put before cicc and ptxas, with arguments where it needs some: `sccache`. So a build takes from a cache, also another machine's, what was compiled before |
//! | `NVCC_CCBIN` | the host compiler |
//! | `NVCC_PREPEND_FLAGS`, `NVCC_APPEND_FLAGS` | nvcc itself reads them; they are part of what a compilation depends on |
//! | `CPATH`, `CPLUS_INCLUDE_PATH`, `GCC_EXEC_PREFIX`, `COMPILER_PATH` | the host compiler reads them; likewise |
//! | `CUBIN_BUILD_PROGRESS` | set by `cargo cubin`: a file at whose end long builds say what runs, how much is left and for about how long; `cargo build -vv` shows the same lines |
//! | `SOURCE_DATE_EPOCH` | seconds since 1970: the day that `expires` in `cubin.toml` is held against, instead of today; read only where a table expires |
//! | `CUBIN_BUILD_REPORT` | set by `cargo cubin`: write a report and do not fail for a policy violation |
//! | `CARGO_TERM_COLOR`, `CLICOLOR_FORCE` | colour in messages, only when asked for |
//!
//! # Several crates, several builders
//!
//! Every builder of a build script needs a generated file of its own: [`Builder::out_file`]. A `cubin.toml` may be shared:
//! [`Builder::config`]; paths in it are relative to it. Outside Unix systems, touch `build.rs` once when the *first*
//! `cubin.toml` is added to a crate that had none.
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `fatbin` | compressed entries of `.fatbin` sources |
//! | `library` | static libraries of sources with host code: `[[library]]`, [`Builder::library`] |
//! | `instructions` | budgets over what kernels' code is made of: `fp64`, `local-loads`, `tensor-core`, … |
//! | `nvvm` | modules of NVVM IR, `.ll` and `.bc`, as sources |
//!
//! The command `cargo cubin` is a package of its own: `cargo install cargo-cubin`.
//!
//! # Versions
//!
//! What stays until the next breaking release: what this page lists, with all that it takes and gives; the codes of
//! [`diag::codes`], the keys of `cubin.toml`, the environment above, and what generated code offers. Types that will grow
//! are `#[non_exhaustive]`; those of [`cubin_core`] keep that crate's promise.
//!
//! ```no_run
//! use cubin_build::{Builder, Facts, Output};
//!
//! let output: Output = Builder::new().dir("kernels").try_build()?;
//! let widest: Option<&Facts> = output.kernels.iter().max_by_key(|facts| facts.resources.registers);
//! # Ok::<(), cubin_build::Error>(())
//! ```
//!
//! [`config`] and [`toolkit`] are listed for what they say of keys and of where a toolkit is looked for: of their items only
//! those that this page lists are promised. All other modules are public because `cargo cubin` and the tests of this project
//! use them, are not listed, and may change in any release.

#![forbid(unsafe_code)]
// A build script is a whole program, and is shown as one.
#![allow(clippy::needless_doctest_main)]

#[cfg(feature = "artifact")]
#[doc(hidden)]
pub mod artifact {
    //! Judging what is linked, for `cargo cubin check --artifact` and the linker wrapper.

    pub use crate::{
        build::{Consulted, Layers, linked_kernels, read_policy},
        report::kernel_json,
    };
}
mod asked;
mod build;
pub mod builder;
#[doc(hidden)]
pub mod cache;
#[doc(hidden)]
pub mod cargo;
mod codec;
#[doc(hidden)]
pub mod codegen;
#[doc(hidden)]
pub mod compile;
pub mod config;
#[doc(hidden)]
pub mod date;
pub mod diag;
#[doc(hidden)]
pub mod dryrun;
#[doc(hidden)]
pub mod env;
#[cfg(any(doc, doctest))]
pub mod guide;
#[doc(hidden)]
pub mod jobs;
pub mod kernel;
mod lists;
mod lock;
#[cfg(feature = "nvvm")]
#[doc(hidden)]
pub mod nvvm;
#[doc(hidden)]
pub mod options;
mod paths;
#[doc(hidden)]
pub mod policy;
#[doc(hidden)]
pub mod ptx;
mod report;
#[doc(hidden)]
pub mod signature;
#[doc(hidden)]
pub mod sorted;
pub mod source;
pub mod toolkit;
#[doc(hidden)]
pub mod words;

pub use builder::{
    Backend, Builder, Cudart, Error, HalfTypes, Library, Link, Output, Prebuilt, Ptx, Runtime,
    Source, StaticLibrary,
};
pub use diag::{Code, Diag, Label, Level};
pub use kernel::{Facts, Spills};
pub use source::{SourceFile, Span};
pub use toolkit::{Origin, Toolkit, Version};
// `Facts` and others hold its types.
#[doc(no_inline)]
pub use cubin_core;
