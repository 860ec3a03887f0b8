//! Compiles CUDA kernels to cubins, checks them against a policy, and generates typed launch wrappers.
pub mod builder;
pub mod cache;
pub mod cargo;
pub mod codegen;
pub mod compile;
pub mod config;
pub mod diag;
pub mod env;
pub mod jobs;
pub mod json;
pub mod policy;
mod report;
pub mod signature;
pub mod source;
pub mod toolkit;

pub use builder::{Backend, Builder, HalfTypes};
