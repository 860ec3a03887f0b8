//! Reads the cubins that NVIDIA's tools write: from bytes to kernels.
//!
//! A *cubin* is a little-endian ELF object that holds GPU machine code (SASS). This crate borrows the
//! bytes, parses nothing that is not asked for, opens no file, runs no program and never panics:
//! damaged input is an [`Error`] that names the section and the offset; unknown records are data.
//!
//! ```
//! use cubin_core::{Cubin, Params, Sm, Stack};
//!
//! # fn main() -> cubin_core::Result<()> {
//! // saxpy(int n, float a, const float *x, float *y), compiled with -arch=sm_90 by CUDA 13.5
//! let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/saxpy.sm_90.cubin"));
//! let cubin = Cubin::parse(file)?;
//! assert_eq!(cubin.target()?, Sm::new(90));
//! assert_eq!(cubin.toolkit()?, Some((13, 5)));
//!
//! let kernels = cubin.kernels()?;
//! let saxpy = kernels.iter().find(|kernel| kernel.symbol == "saxpy").expect("saxpy");
//! assert_eq!((saxpy.resources.registers, saxpy.resources.stack), (10, Stack::Known(0)));
//! let Params::Recorded { base, params, .. } = &saxpy.params else { panic!("parameters") };
//! let offsets: Vec<u32> = params.iter().map(|param| param.offset).collect();
//! assert_eq!((*base, offsets), (0x210, vec![0, 4, 8, 16]));
//! # Ok(())
//! # }
//! ```
//!
//! # Where to look
//!
//! | wanted | where |
//! |---|---|
//! | target, toolkit, tools that made the file | [`Cubin`] |
//! | kernels with resources, parameters, launch bounds | [`Cubin::kernels`], [`kernel`] |
//! | functions from outside | [`Cubin::externs`] |
//! | spills, texture references, what cuobjdump prints | `Cubin::spills`, `uses`, `Cuobjdump` (`views`) |
//! | `__device__`, `__constant__`, `__managed__` variables | [`Cubin::variables`], [`variable`] |
//! | occupancy on a compute capability | [`occupancy`](mod@occupancy) |
//! | every attribute record as it stands | [`nvinfo`], [`attr`], [`compat`], [`note`] |
//! | sections, symbols, call graph | [`elf`], [`callgraph`] |
//! | unified functions and data | `unified` (`views`) |
//! | relocations | `reloc` (`reloc`, in `image`, `lines` and `views`) |
//! | numbers with the names of NVIDIA's tools | [`consts`] |
//! | entries of a fatbin | [`fatbin`] |
//! | device code in host objects, archives, libraries, executables | `host` (`host`, in `views`) |
//! | what a loader uploads, and its relocations | `image` (`image`) |
//! | instructions: classes, widths, loops | `sass` (`sass`) |
//! | the facts of functions as JSON | `json` (`json`) |
//! | text, two builds compared, what every byte is for | `text`, `diff`, `sizes` (`views`) |
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `image` (default) | the module `image`: what a loader uploads; `reloc` |
//! | `json` | the module `json`: facts of functions in a versioned schema |
//! | `host` | the module `host`, for what a build links |
//! | `reloc` | the module `reloc`: relocations |
//! | `views` (default) | `host`, `reloc`, the modules `diff`, `sizes`, `text`, `unified`, `uses`, `json` with a whole file, what cuobjdump prints, who can recurse |
//! | `fatbin` | decompression of LZ4 and zstd entries by [`fatbin::Entry::image`]; without it such an entry is an error |
//! | `zstd` | `fatbin` with the C library for zstd: four to five times as fast, and a zstd entry takes no more memory than its image; the Rust decoder takes up to three times that |
//! | `sass` | the module `sass`: what the instructions of sm_50 to sm_121 are |
//! | `lines` | the module `lines`: the source lines that they come from, read by gimli |
//! | `demangle` | the module `demangle`: C++ names of symbols |
//!
//! Without any, the crate has three dependencies: goblin, whose ELF structures decode the bytes, and what goblin needs. No type of
//! a dependency is in this interface.
//!
//! # Where the facts come from
//!
//! NVIDIA publishes no specification of cubins. What the documentation calls *seen* or *measured* was read from cubins of
//! every toolkit from 11.7 to 13.5 for sm_35 to sm_121; layouts of records were compared with what NVIDIA's `cuobjdump` and
//! `nvlink` make of the same bytes, and tests repeat the comparison.
//!
//! # Without the standard library
//!
//! The crate is `no_std` and needs an allocator, unless one of the features `fatbin`, `image`, `lines` or `sass` is on:
//! `default-features = false`, with `views` (or parts of it) and `demangle` where they are wanted.
//!
//! # Versions
//!
//! Records and lists of kinds that grow with CUDA are `#[non_exhaustive]`: a field or a kind more is no breaking change.
//! A value without a name is a value: numbers of the file are types of [`consts`] that hold any value.
#![cfg_attr(docsrs, feature(doc_cfg))]
// Tables that are made when first asked for, and decoders and maps of the standard library, are the features'.
#![cfg_attr(
    not(any(
        test,
        feature = "fatbin",
        feature = "image",
        feature = "lines",
        feature = "sass"
    )),
    no_std
)]
#![forbid(unsafe_code)]
#![warn(clippy::must_use_candidate, missing_debug_implementations)]
#![cfg_attr(
    not(test),
    deny(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::indexing_slicing,
        clippy::arithmetic_side_effects,
        clippy::panic
    )
)]

extern crate alloc;

pub mod arch;
pub mod attr;
pub mod callgraph;
pub mod compat;
pub mod consts;
pub mod cubin;
#[cfg(feature = "views")]
mod cuobjdump;
#[cfg(feature = "demangle")]
pub mod demangle;
#[cfg(feature = "views")]
pub mod diff;
pub mod elf;
pub mod error;
pub mod escape;
pub mod fatbin;
mod functions;
#[cfg(feature = "host")]
pub mod host;
#[cfg(feature = "image")]
pub mod image;
#[cfg(feature = "json")]
pub mod json;
pub mod kernel;
pub mod limits;
#[cfg(feature = "lines")]
pub mod lines;
pub mod note;
pub mod nvinfo;
pub mod occupancy;
pub mod reader;
#[cfg(feature = "reloc")]
pub mod reloc;
#[cfg(feature = "sass")]
pub mod sass;
#[cfg(feature = "views")]
pub mod sizes;
#[cfg(feature = "views")]
pub mod text;
#[cfg(feature = "views")]
pub mod unified;
#[cfg(feature = "views")]
pub mod uses;
pub mod variable;

pub use arch::Sm;
pub use cubin::Cubin;
#[cfg(feature = "views")]
pub use cuobjdump::Cuobjdump;
pub use error::{Error, ErrorKind, Result};
pub use kernel::{Function, LaunchBounds, Param, Params, Resources, Stack};

/// The examples of the readme compile.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
