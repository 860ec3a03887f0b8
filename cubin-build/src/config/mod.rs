//! cubin.toml as data: what the user asks for, with the place of every value that a message may point at.
//!
//! Reads the text of the file and yields a [`Config`] and everything that is wrong with it, all at once. Judges no
//! kernel (`policy` does), opens no file, and knows no default: what is absent is `None` or empty, so that whoever
//! uses it can tell what was asked for.
//!
//! # Workspaces
//!
//! What holds for every crate of a workspace stands in a `cubin.toml` beside the workspace's Cargo.toml, or in that Cargo.toml:
//!
//! ```toml
//! [workspace.metadata.cubin.build]
//! arch = ["sm_80", "sm_90"]
//!
//! [workspace.metadata.cubin.defaults]
//! registers = 128
//!
//! [[workspace.metadata.cubin.rule]]
//! source = "crates/legacy/*"
//! level = "warn"
//! ```
//!
//! Members inherit `[toolkit]`, `[build] arch`, `[defaults]`, every `[[rule]]` and `[policy]`; what a crate is made of stands in
//! the crate. It is as if these tables stood above those of the member's own cubin.toml: that goes before them key by key,
//! and of all rules the one that describes a kernel most closely decides, wherever it stands. Where the workspace has both,
//! its file goes before its Cargo.toml. In patterns with `/`, `source` begins at the workspace's directory. `cargo cubin policy
//! --explain KERNEL` names the file of each table. A package that cargo unpacked from a registry, vendored or packaged has no
//! workspace.
//!
#![doc = include_str!("reference.md")]

pub(crate) mod budget;
pub(crate) mod diags;
mod generate;
pub mod glob;
pub mod keys;
mod library;
pub mod model;
pub(crate) mod nearest;
mod nvvm;
mod prebuilt;
mod problem;
pub(crate) mod read;
mod rules;
mod selected;
pub mod size;
mod tables;
mod targets;
mod toolkit;
mod values;
mod workspace;

use crate::{diag::Diag, source::SourceFile};
pub use crate::{
    options::{Backend, HalfTypes, Runtime},
    policy::budget::{Banks, Key, Limit, Occupancy},
};
pub use budget::{Budgets, Rule};
pub use glob::Glob;
pub use keys::Doc;
pub use model::{
    Build, Config, DeclaredKernel, Define, Generate, Instantiate, Library, Link, Prebuilt, Ptx,
    SourceOptions, TargetOptions, Toolkit,
};
pub(crate) use nearest::nearest;
pub use tables::{TableDoc, documented};
pub(crate) use targets::{compute, virtual_architecture};
#[doc(hidden)]
pub use values::POLICY_LEVELS;
pub(crate) use values::is_identifier;

impl Config {
    /// Reads the text of a cubin.toml.
    ///
    /// Returns what could be understood together with every problem, in the order of the file. All problems are
    /// errors, so a build that goes on with the rest must not succeed in the end.
    pub fn parse(file: &SourceFile) -> (Self, Vec<Diag>) {
        let (config, problems) = tables::parse(file);
        let diags = diags::diags(file, problems, &tables::place_of);
        (config, diags)
    }

    /// Reads `[workspace.metadata.cubin]` of a Cargo.toml, as [`parse`](Self::parse) does a cubin.toml.
    pub fn parse_metadata(manifest: &SourceFile) -> (Self, Vec<Diag>) {
        let (config, problems) = workspace::parse(manifest);
        let diags = diags::diags(manifest, problems, &tables::place_of);
        (config, diags)
    }
}
