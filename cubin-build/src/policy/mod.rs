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

use cubin_core::{
    arch::Sm,
    kernel::{Function, Params},
};

use crate::{config::Key, source::Span};
pub use baseline::{Baseline, baseline_from};
pub use check::check;
pub use resolve::{Budget, OccupancyBudget, Policy};

/// What is known of one kernel on one target.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Facts {
    /// Qualified C++ name with template arguments, without parameter types: `ns::scale<float>`.
    pub name: String,
    /// Symbol in the cubin.
    pub symbol: String,
    /// What it was compiled for, exactly as asked for.
    pub target: Sm,
    /// Registers per thread.
    pub registers: u32,
    /// Stack bytes per thread; `None` when not statically known.
    pub stack: Option<u32>,
    /// Spilled bytes as ptxas printed them, those of functions that it calls included; `None` for a cubin compiled
    /// elsewhere.
    pub spills: Option<Spills>,
    /// C++ names of the functions that it calls and that spill: those that were not inlined.
    pub spilling_callees: Vec<String>,
    /// Bytes of the parameter block; `None` when not recorded.
    pub params: Option<u32>,
    /// Static shared memory in bytes per block, without what the system reserves.
    pub static_shared: u64,
    /// Named barriers, which bound occupancy from compute capability 9.0 on; `None` when not recorded.
    pub barriers: Option<u8>,
    /// `__launch_bounds__`: most threads per block, x times y times z.
    pub max_threads: Option<u32>,
    /// The kernel's name at its definition.
    pub place: Option<Span>,
}

/// Bytes that ptxas moves between registers and local memory because it ran out of registers, per thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spills {
    /// Bytes of spill stores.
    pub stores: u32,
    /// Bytes of spill loads.
    pub loads: u32,
}

impl Spills {
    /// Stores and loads together: what the `spills` budget limits.
    pub fn total(self) -> u64 {
        u64::from(self.stores) + u64::from(self.loads)
    }
}

impl Facts {
    /// What the cubin for `target` records of a kernel whose C++ name is `name`.
    ///
    /// What a cubin does not record, the spilled bytes and the place in the source, is not known until it is set.
    pub fn new(name: impl Into<String>, target: Sm, function: &Function<'_>) -> Self {
        let resources = &function.resources;
        Self {
            name: name.into(),
            symbol: function.symbol.to_owned(),
            target,
            registers: resources.registers,
            stack: resources.stack,
            spills: None,
            spilling_callees: Vec::new(),
            params: match function.params {
                Params::NotRecorded => None,
                Params::Recorded { size, .. } => Some(size),
            },
            static_shared: resources.static_shared,
            barriers: resources.barriers,
            max_threads: function
                .launch
                .max_threads
                .map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z)),
            place: None,
        }
    }

    /// The figure that a budget limits; `None` when it is not known.
    pub fn value(&self, key: Key) -> Option<u64> {
        match key {
            Key::Registers => Some(self.registers.into()),
            Key::Stack => self.stack.map(Into::into),
            Key::Spills => self.spills.map(Spills::total),
            Key::Params => self.params.map(Into::into),
            Key::StaticShared => Some(self.static_shared),
        }
    }
}
