//! Reads the cubins that NVIDIA's tools write: from bytes to kernels.
//!
//! A *cubin* is a little-endian ELF object that holds GPU machine code (SASS). This crate borrows the
//! bytes, parses nothing that is not asked for, opens no file, runs no program and never panics:
//! damaged input is an [`Error`] that names the section and the offset; unknown records are data.
#![forbid(unsafe_code)]
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

pub mod arch;
pub mod attr;
pub mod callgraph;
pub mod compat;
pub mod consts;
pub mod cubin;
#[cfg(feature = "demangle")]
pub mod demangle;
#[cfg(feature = "views")]
pub mod diff;
pub mod elf;
pub mod error;
pub mod fatbin;
mod functions;
#[cfg(feature = "views")]
pub mod host;
#[cfg(feature = "views")]
pub mod image;
#[cfg(feature = "views")]
pub mod json;
pub mod kernel;
pub mod limits;
pub mod note;
pub mod nvinfo;
pub mod occupancy;
pub mod reader;
pub mod reloc;
#[cfg(feature = "views")]
pub mod sizes;
#[cfg(feature = "views")]
pub mod text;
pub mod uses;
pub mod variable;

pub use arch::Sm;
pub use cubin::Cubin;
pub use error::{Error, Result};
pub use kernel::{Function, LaunchBounds, Param, Params, Resources};
