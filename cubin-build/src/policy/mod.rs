//! Judges kernels: what cubin.toml allows ([`crate::config`]) against what was measured ([`Facts`]).
//!
//! Which limit holds for a kernel on a target is decided in [`resolve`]; [`check()`] yields findings as data;
//! [`baseline`] keeps what was already over budget when a code base adopted its policy. Pure functions: nothing here
//! opens a file, reads a cubin or prints.

pub mod baseline;
mod check;
mod findings;
mod help;
mod occupancy;
pub mod resolve;

use crate::{
    config::Key,
    kernel::{Facts, Spills},
};
pub use baseline::{Baseline, baseline_from};
pub use check::check;
pub use resolve::{Budget, OccupancyBudget, Policy};

/// The figure of a kernel that a budget limits; `None` when it is not known.
pub fn value(facts: &Facts, key: Key) -> Option<u64> {
    match key {
        Key::Registers => Some(facts.resources.registers.into()),
        Key::Stack => facts.resources.stack.bytes().map(Into::into),
        Key::Spills => facts.spills.map(Spills::total),
        Key::Params => facts.params_size().map(Into::into),
        Key::StaticShared => Some(facts.resources.static_shared),
    }
}
