//! From checked signatures and facts to one Rust file of typed launch wrappers.
//!
//! Reads [`Input`]: signatures as `signature` yields them, checked and merged over all targets, and what
//! `cubin-core` says of each kernel on each target. Yields [`Output`]: the text of a file for `include!`,
//! and findings as data. It opens no file, knows no budget, and prints nothing.
//!
//! The text depends on the input alone, holds no path of this machine, compiles in edition 2021 and 2024,
//! and is what `rustfmt` would make of it. Text is written directly: a syntax tree and a pretty printer
//! cost a user's clean build more CPU time than all other dependencies together.
//!
//! What the generated file offers is documented in the file itself; a breaking change of it is a breaking
//! change of this crate.

mod backend;
mod diags;
mod docs;
mod expr;
mod families;
mod generics;
mod info;
mod instances;
mod layout;
mod names;
mod placing;
mod plan;
mod records;
mod types;
mod variables;
mod write;

use crate::sorted::{self, Map};
use cubin_core::Sm;

pub use crate::options::{Backend, HalfTypes};
use crate::{kernel::Facts, signature::model::Signatures};

/// Everything that one generated file is made from.
#[derive(Debug, Clone, PartialEq)]
pub struct Input {
    /// One per source file; written in order of name.
    pub modules: Vec<Module>,
    /// Which driver binding the wrappers call.
    pub backend: Backend,
    /// How `__half` and `__nv_bfloat16` appear.
    pub half: HalfTypes,
}

/// One source file.
#[derive(Debug, Clone, PartialEq)]
pub struct Module {
    /// Stem of the source file.
    pub name: String,
    /// Path of the source relative to the package, with `/`.
    pub source: String,
    /// The cubins and the PTX, which lie beside the generated file.
    pub images: Vec<Image>,
    /// Merged over all targets.
    pub signatures: Signatures,
    /// By kernel symbol, then target.
    pub facts: Map<String, Map<Sm, Facts>>,
}

/// A cubin or PTX to embed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Image {
    /// What it was compiled for; of PTX the virtual architecture: `sm_90` stands for `compute_90`.
    pub target: Sm,
    /// Name of the file beside the generated one: `saxpy.sm_90.cubin`, `saxpy.compute_90.ptx`.
    pub file: String,
    /// Of PTX, the target that it was assembled for, whose facts say what a launch must keep to. `None` for a cubin.
    pub assembled_for: Option<Sm>,
}

/// The generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// Rust source for `include!`.
    pub text: String,
    /// What could not be written as it should be.
    pub findings: Vec<Finding>,
}

/// Something that the user should know.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Finding {
    /// Two things in one module would get the same Rust name; the second one is left out.
    NameCollision {
        /// Module (stem of the source file); empty when two source files have the same name.
        module: String,
        /// The Rust name, with the modules it lies in.
        name: String,
        /// C++ name of what has it, and of what is left out.
        items: [String; 2],
    },
    /// A kernel has no wrapper because of a type that the generator cannot express.
    Unsupported {
        /// Module (stem of the source file).
        module: String,
        /// C++ name of the kernel.
        kernel: String,
        /// Why.
        reason: String,
    },
}

/// Writes the file.
#[must_use]
pub fn generate(input: &Input) -> Output {
    let plan = plan::Plan::new(input);
    let text = backend::write_file(&plan);
    let mut findings = plan.findings;
    sorted::sort(&mut findings);
    Output { text, findings }
}
