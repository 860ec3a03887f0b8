//! The guide: chapters for people, where the pages of the items are for looking up.
//!
//! | chapter | |
//! |---|---|
//! | [`start`] | from nothing to a launched kernel |
//! | [`targets`] | which GPUs run it: targets, PTX, linked modules |
//! | [`policy`] | recipes for budgets and rules |
//! | [`crate::config`] | every key of `cubin.toml` |
//! | [generated code](https://docs.rs/cubin-runtime) | loading, launching, variables, errors, by examples |
//! | [`editors`] | wrappers while a kernel is over its budget, and without machine code |
//! | [`prebuilt`] | published crates, docs.rs, machines without a toolkit |
//! | [`fleets`] | fast builds, alone and in a fleet |
//! | [`ci`] | GitHub, GitLab, Docker, without a network |
//! | [`troubleshooting`] | by code, and at run time |

#[doc = include_str!("guide/start.md")]
pub mod start {}

#[doc = include_str!("guide/targets.md")]
pub mod targets {}

#[doc = include_str!("guide/policy.md")]
pub mod policy {}

#[doc = include_str!("guide/editors.md")]
pub mod editors {}

#[doc = include_str!("guide/prebuilt.md")]
pub mod prebuilt {}

#[doc = include_str!("guide/fleets.md")]
pub mod fleets {}

#[doc = include_str!("guide/ci.md")]
pub mod ci {}

#[doc = include_str!("guide/troubleshooting.md")]
pub mod troubleshooting {}
