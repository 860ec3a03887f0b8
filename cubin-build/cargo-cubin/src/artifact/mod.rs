//! Kernels of executables, libraries and objects, judged by cubin.toml: what is really linked, wherever it came from.
//!
//! Every cubin of a file is looked up among those that builds of cubin-build left (`sidecar`), which say where its kernels
//! stand in the sources. Others are judged by what they say themselves. One that stands in a file twice counts once.

mod diags;
mod judge;
mod rules;
mod sidecar;

pub(crate) use self::{
    judge::{Judged, judge},
    rules::Rules,
    sidecar::Sidecars,
};
