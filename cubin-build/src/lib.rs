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
//! The [`guide`] has chapters: from nothing to a launched kernel, targets, recipes for policies, CI, fleets, what to do when
//! something is wrong. Every key of `cubin.toml` stands in [`config`].
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
//! | `CUBIN_BUILD_POLICY` | `warn`: no violation of the policy fails the build, see [Editors](#editors); `deny`: what `cubin.toml` says, whatever its `[policy] level` |
//! | `CUBIN_BUILD_MODE` | `signatures`: wrappers without machine code, for an editor, see [Editors](#editors); `full`: all, as without it |
//! | `CUBIN_BUILD_PREBUILT` | when kernels are taken from `prebuilt/` instead of compiled: `without-toolkit`, `always` or `never`, see [Without a toolkit](#without-a-toolkit-published-crates-docsrs) |
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
//! # Editors
//!
//! A kernel over its budget fails the build: then there is no generated file, and an editor knows no wrapper any more, so
//! that it shows an error at every launch. With `CUBIN_BUILD_POLICY=warn` the findings are warnings and the wrappers are
//! there. Give it to the editor alone, and let the editor have a folder of its own for what it builds, since cargo runs the
//! build script again whenever the variable changes. rust-analyzer takes these settings, in VS Code's `settings.json` as in
//! the `initialization_options` of Zed or Neovim:
//!
//! ```json
//! { "rust-analyzer.cargo.extraEnv": { "CUBIN_BUILD_POLICY": "warn" }, "rust-analyzer.cargo.targetDir": true }
//! ```
//!
//! RustRover: Settings, Rust, *Environment variables*.
//!
//! An editor needs wrappers and no machine code. With `CUBIN_BUILD_MODE=signatures` nvcc's front end alone reads the sources,
//! which takes an eighth of the CPU time of a build of candle's kernels: modules, methods,
//! types and constants are those of a full build, mistakes in C++ are shown, and `Module::load` fails with
//! `LoadError::SignaturesOnly`, which says why. No kernel is judged, as nothing is known of what it uses; constants in `info`
//! have no resources. What the cubin would prove of signatures is not proved, so a wrapper that a full build refuses for a
//! mismatch may be there, and kernels that a library of a `[[link]]` brings are not. It needs CUDA 12 or later;
//! sources of PTX and NVVM IR are built whole. Give it to the editor alone, as above, with a folder of its own:
//!
//! ```json
//! { "rust-analyzer.cargo.extraEnv": { "CUBIN_BUILD_MODE": "signatures" }, "rust-analyzer.cargo.targetDir": true }
//! ```
//!
//! Zed takes the same in its `settings.json`:
//!
//! ```json
//! { "lsp": { "rust-analyzer": { "initialization_options": {
//!     "cargo": { "extraEnv": { "CUBIN_BUILD_MODE": "signatures" }, "targetDir": true } } } } }
//! ```
//!
//! RustRover: Settings, Rust, *Environment variables*. They are the project's: a run configuration that launches kernels
//! needs `CUBIN_BUILD_MODE=full` among its own.
//!
//! For everybody who works on the crate, `[policy] level = "warn"` in
//! `cubin.toml` says the same, and `CUBIN_BUILD_POLICY=deny` in CI takes it back.
//!
//! # Without a toolkit: published crates, docs.rs
//!
//! `cargo cubin prebuild` compiles the kernels and keeps all that a build needs of them in `prebuilt/`, beside `Cargo.toml`:
//! cubins, signatures, PTX where it is embedded, and a manifest with the hash of every source, header and file, and the
//! flags. Commit the folder, and every machine with cargo and rustc alone builds the crate: users of a published
//! library, docs.rs, an editor on a laptop without CUDA. What is generated has the same bytes as where it was compiled,
//! and the policy judges the kernels as it judges others.
//!
//! ```text
//! $ cargo cubin prebuild                # where there is a toolkit
//! $ git add prebuilt
//! $ cargo cubin prebuild --check        # in CI: compiles, and fails when `prebuilt/` is not what comes out
//! $ cargo package                       # holds all that is needed; with `include` in Cargo.toml, name "/prebuilt" there
//! ```
//!
//! | `use` under `[prebuilt]`, [`Builder::prebuilt`], `CUBIN_BUILD_PREBUILT` | when a build takes these files |
//! |---|---|
//! | `without-toolkit` (default) | no toolkit that fits is there, or no host compiler for it; nothing is then installed. And on docs.rs, which sets `DOCS_RS` |
//! | `always` | always; a toolkit is not even looked for |
//! | `never` | never |
//!
//! A build that takes them first holds sources, headers and flags against the manifest. What was edited since is named
//! (`prebuilt-stale`), and fails the build, so that machine code is always that of the sources beside it;
//! `stale = "warn"` under `[prebuilt]` goes on with the old kernels meanwhile. Line ends do not count, so git may change
//! them. Not seen are headers that lie elsewhere by an absolute path, which `cargo cubin prebuild` warns of, and a new one that would be
//! included instead of another: `--check` compiles, and sees all. Builders with other targets (`CUBIN_BUILD_ARCH`) take
//! those of them that were prebuilt.
//!
//! The files are not compressed: cargo packs crates anyway. They are read by all releases that are compatible with the one
//! that wrote them.
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
//! | `instructions` | budgets over what kernels' code is made of: `fp64`, `local-loads`, `tensor-core`, … |
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
    Backend, Builder, Error, HalfTypes, Link, Output, Prebuilt, Ptx, Runtime, Source,
};
pub use diag::{Code, Diag, Label, Level};
pub use kernel::{Facts, Spills};
pub use source::{SourceFile, Span};
pub use toolkit::{Origin, Toolkit, Version};
// `Facts` and others hold its types.
#[doc(no_inline)]
pub use cubin_core;
