//! cubin.toml as data: what the user asks for, with the place of every value that a message may point at.
//!
//! Reads the text of the file and yields a [`Config`] and everything that is wrong with it, all at once. Judges no
//! kernel (`policy` does), opens no file, and knows no default: what is absent is `None` or empty, so that whoever
//! uses it can tell what was asked for.
//!
#![doc = include_str!("reference.md")]

pub(crate) mod budget;
pub(crate) mod diags;
pub mod glob;
pub mod keys;
pub mod model;
pub(crate) mod nearest;
mod nvvm;
mod problem;
pub(crate) mod read;
mod rules;
mod selected;
pub mod size;
mod tables;
mod targets;
mod toolkit;
mod values;

use crate::{diag::Diag, source::SourceFile};
pub use crate::{
    options::{Backend, HalfTypes, Runtime},
    policy::budget::{Banks, Key, Limit, Occupancy},
};
pub use budget::{Budgets, Rule};
pub use glob::Glob;
pub use keys::Doc;
pub use model::{
    Build, Config, DeclaredKernel, Define, Generate, Instantiate, Link, Ptx, SourceOptions,
    TargetOptions, Toolkit,
};
pub(crate) use nearest::nearest;
#[doc(hidden)]
pub use tables::POLICY_LEVELS;
pub use tables::{TableDoc, documented};
pub(crate) use targets::{compute, virtual_architecture};
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
}
