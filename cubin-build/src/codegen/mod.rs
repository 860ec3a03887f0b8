//! From checked signatures and facts to one Rust file of typed launch wrappers.
//!
//! Reads [`Input`]: signatures as `signature` yields them, checked and merged over all targets, and what
//! `cubin-core` says of each kernel on each target. Yields [`Output`]: the text of a file for `include!`,
//! and findings as data. It opens no file, knows no budget, and prints nothing.
//!
//! The text depends on the input alone, holds no path of this machine, and compiles in edition 2021 and 2024. It is
//! written directly: a syntax tree and a pretty printer cost a user's clean build more CPU time than all other
//! dependencies together. What wrappers have in common is a crate of its own (`cubin-build/runtime`), whose modules are
//! embedded as they are, or named.
//!
//! What the generated file offers is documented in the file itself; a breaking change of it is a breaking
//! change of this crate.

mod backend;
mod diags;
mod docs;
mod families;
mod file;
mod generics;
#[cfg(feature = "library")]
mod host;
mod info;
mod input;
mod instances;
mod layout;
mod names;
mod parts;
mod placing;
mod plan;
mod planned;
mod records;
mod runtime;
mod scalars;
mod scope;
mod scopes;
mod toolkit_types;
mod variables;
mod write;

pub use input::{Backend, EmbeddedImage, Finding, HalfTypes, Input, Module, Output, Runtime};

#[cfg(feature = "library")]
pub use input::{HostFunction, HostModule};

use crate::sorted;

/// What a source's module is called in Rust, where no other has its name.
pub(crate) fn module_ident(name: &str) -> String {
    names::ident(name, names::NameKind::Source)
}

/// Writes the file.
#[must_use]
pub fn generate(input: &Input) -> Output {
    let plan = plan::plan(input);
    let text = file::write(&plan);
    let mut findings = plan.findings;
    sorted::sort(&mut findings);
    Output { text, findings }
}
