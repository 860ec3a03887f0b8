//! Judges kernels: what cubin.toml allows ([`crate::config`]) against what was measured ([`Facts`]).
//!
//! What can be limited is a table of files, [`budget`]. Which limit holds for a kernel on a target is decided in
//! [`resolve`]; `excess` finds what breaks its limit; [`check()`] weighs that against the [`baseline`], which keeps what
//! was already over budget when a code base adopted its policy, and yields `findings`; `diags` puts those in words.
//! Pure functions: nothing here opens a file, reads a cubin or prints.
//!
//! [`Facts`]: crate::kernel::Facts

pub mod baseline;
pub mod budget;
mod check;
mod diags;
mod excess;
mod findings;
mod help;
pub mod resolve;
mod uses;

pub use baseline::{Baseline, baseline_from};
pub use check::{check, check_artifact, expired, expires, soften};
pub use resolve::{Budget, Policy, Which};
pub use uses::{Use, Uses};

/// Whether any budget of `config` is over instructions.
#[cfg(feature = "instructions")]
pub(crate) fn counts_instructions(config: &crate::config::Config) -> bool {
    let mut budgets = config.tables().flat_map(|table| table.budgets.iter());
    budgets.any(|(key, _)| key.figure().counted.is_some())
}
