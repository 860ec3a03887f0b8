//! NVIDIA's toolkit: where it is, which version, and how to get one.
//!
//! # Which toolkit is used
//!
//! The first of these that holds an `nvcc` of the version asked for:
//!
//! 1. `CUBIN_BUILD_TOOLKIT`: a toolkit's root directory, or an `nvcc`. Nothing else is tried when it is set: a
//!    wrong value or another version is an error.
//! 2. When the project asks for it (`[toolkit] install = true` in cubin.toml): the toolkit installed in the
//!    per-user cache, installed first when it is not there ([`install()`]). Everybody who builds the project then
//!    uses the same compiler, whatever is on the machine.
//! 3. `CUDA_PATH`, then `CUDA_HOME`: a toolkit's root directory.
//! 4. `NVCC`: an `nvcc`, or the name of one on `PATH`; with a launcher before it, `sccache nvcc`.
//! 5. `nvcc` on `PATH`.
//! 6. The usual places: `/usr/local/cuda-13.5` (when 13.5 is asked for), `/usr/local/cuda`, `/usr/local/cuda-*`
//!    (newest first), `/opt/cuda`, `/usr/lib/nvidia-cuda-toolkit`; on Windows
//!    `%ProgramFiles%\NVIDIA GPU Computing Toolkit\CUDA\v*`.
//! 7. Toolkits that `cargo cubin toolkit install` put into the per-user cache, newest first.
//!
//! From 3 on, a place without `nvcc` or with a version that was not asked for is passed over; when nothing fits,
//! the error lists all that was looked at. A variable without an `nvcc` behind it is in [`Toolkit::unusable`], for a
//! warning. The cache is `CUBIN_BUILD_CACHE`, else `XDG_CACHE_HOME/cubin-build`, else
//! `~/.cache/cubin-build` (`LOCALAPPDATA\cubin-build` on Windows).
//!
//! `nvcc --version` and `nvcc --dryrun` run once: their answers are kept in [`ToolkitRequest::memo`], with the size and
//! time of last change of the nvcc that gave them and, behind a wrapper, of the one that does the work.
//!
//! Yields paths, versions and an identity for fingerprints; does not know what is compiled.

mod added;
mod cached;
mod component;
mod diags;
mod discover;
mod error;
mod flags;
mod found;
mod host;
mod install;
mod installer;
mod layout;
mod lock;
mod memo;
mod origin;
mod receipt;
mod record;
mod request;
mod said;
mod version;
mod wheels;

pub use self::{
    added::{components, install_component},
    cached::{cache_dir, installed, remove},
    component::{COMPONENTS, Component},
    discover::{find, find_with},
    error::{Error, Looked, NoHostCompiler},
    found::Toolkit,
    host::{HostCompiler, host_compiler},
    install::{install, reinstall},
    origin::Origin,
    record::{Damage, Recorded, recorded},
    request::ToolkitRequest,
    version::{ParseVersionError, Version, Wanted},
};
pub(crate) use self::{
    diags::{damaged, unusable},
    discover::present,
};
