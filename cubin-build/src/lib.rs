//! Compiles CUDA kernels to cubins, checks them against a policy, and generates typed launch wrappers.
pub mod codegen;
pub mod diag;
pub mod signature;
pub mod source;
