//! What generated launch wrappers run on: facts about kernels, checks of launches, images, device memory as arguments,
//! errors.
//!
//! The build dependency `cubin-build` writes wrappers for CUDA kernels. By default each file that it writes holds the
//! modules of this crate, so that nothing else is to be depended on. With `runtime = "crate"` below `[generate]` in
//! `cubin.toml`, or `Builder::runtime(Runtime::Crate)`, it names this crate instead, so that several crates share its
//! types: a function of one takes the `Launch` or the `DeviceAddress` that another one made.
//!
//! ```toml
//! [dependencies]
//! cubin-runtime = { version = "0.1", features = ["cudarc"] }
//! cudarc = { version = "0.19", default-features = false, features = ["std", "driver", "dynamic-loading", "cuda-12080"] }
//! ```
//!
//! # Features
//!
//! | feature | what it adds |
//! |---|---|
//! | `cudarc` | launches through the `cudarc` crate, 0.17 to 0.19, whose features your own dependency chooses: `std`, `driver`, one way of linking, one CUDA version |
//! | `clusters` | launches in clusters, for which `cudarc` must have bindings of CUDA 12.0 or later; on by default |
//!
//! Without features it depends on nothing, and serves the backend `core`.
//!
//! What is hidden from this documentation is for generated files alone and may change in any release: the version of
//! this crate must be that of `cubin-build`.

#![cfg_attr(feature = "cudarc", doc = "")]
#![cfg_attr(feature = "cudarc", doc = include_str!("guide.md"))]
#![warn(missing_debug_implementations)]
// As the generated file that holds these modules allows them.
#![allow(clippy::inline_always, clippy::undocumented_unsafe_blocks)]

#[cfg(feature = "cudarc")]
use ::cudarc::driver;
#[cfg(not(feature = "cudarc"))]
#[path = "no_driver.rs"]
mod driver;

mod address;
mod bits;
mod check;
mod error;
mod image;
mod kernel;
mod row;
mod target;
mod variable;

pub use address::*;
pub use bits::*;
pub use check::*;
pub use error::*;
pub use image::*;
pub use kernel::*;
pub use target::*;
pub use variable::*;

#[cfg(feature = "cudarc")]
mod arguments;
#[cfg(all(feature = "cudarc", feature = "clusters"))]
mod clusters;
#[cfg(all(feature = "cudarc", not(feature = "clusters")))]
#[path = "no_clusters.rs"]
mod clusters;
#[cfg(feature = "cudarc")]
mod context;
#[cfg(feature = "cudarc")]
mod device;
#[cfg(feature = "cudarc")]
mod global;
#[cfg(feature = "cudarc")]
mod launch;
#[cfg(feature = "cudarc")]
mod load_error;
#[cfg(feature = "cudarc")]
mod memory;
#[cfg(feature = "cudarc")]
mod module;

#[cfg(feature = "cudarc")]
pub use {arguments::*, context::*, global::*, launch::*, load_error::*, memory::*, module::*};

/// Everything, as files generated for the backend `cudarc` name it: where the feature is missing, the compiler says so
/// once.
#[cfg(feature = "cudarc")]
pub mod cudarc {
    #[doc(no_inline)]
    pub use super::*;
}
