//! Budgets and rules as cubin.toml states them. What they mean for a kernel is decided in `policy`.

use super::{glob::Glob, size};
use crate::{
    diag::Level,
    source::{Span, Spanned},
};

/// What a budget limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// Registers per thread.
    Registers,
    /// Bytes of stack per thread.
    Stack,
    /// Bytes of spill stores plus spill loads, as ptxas counts them.
    Spills,
    /// Bytes of kernel parameters.
    Params,
    /// Bytes of static shared memory per block, without those that the system reserves.
    StaticShared,
}

impl Key {
    /// All, in the order of messages.
    pub const ALL: [Self; 5] = [
        Self::Registers,
        Self::Stack,
        Self::Spills,
        Self::Params,
        Self::StaticShared,
    ];

    /// As cubin.toml and the baseline file spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Registers => "registers",
            Self::Stack => "stack",
            Self::Spills => "spills",
            Self::Params => "params",
            Self::StaticShared => "static-shared",
        }
    }

    /// The value with its unit: `128`, `4096 bytes (4 KiB)`.
    pub fn display(self, value: u64) -> String {
        match self {
            Self::Registers => value.to_string(),
            _ => size::display(value),
        }
    }
}

/// `occupancy = { block = 256, min = 0.25 }`: with blocks of this size, at least this share of the threads that a
/// multiprocessor can hold must fit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Occupancy {
    /// Threads per block, 1 to 1024.
    pub block: u32,
    /// Least share of the multiprocessor's threads, above 0 and at most 1.
    pub min: f64,
    /// Bytes of dynamic shared memory per block that the launch will ask for.
    pub dynamic_shared: u64,
}

/// The limits of one table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Budgets {
    values: [Option<Spanned<u64>>; Key::ALL.len()],
    /// Least occupancy.
    pub occupancy: Option<Spanned<Occupancy>>,
}

impl Budgets {
    /// The limit for `key`, if the table sets one.
    pub fn get(&self, key: Key) -> Option<&Spanned<u64>> {
        self.values[key as usize].as_ref()
    }

    /// Sets the limit for `key`.
    pub fn set(&mut self, key: Key, value: Spanned<u64>) {
        self.values[key as usize] = Some(value);
    }

    /// Whether the table limits nothing.
    pub fn is_empty(&self) -> bool {
        self.values.iter().all(Option::is_none) && self.occupancy.is_none()
    }
}

/// One `[[rule]]`, or `[defaults]`, which selects every kernel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rule {
    /// Which kernels, by C++ name or symbol; empty for all.
    pub kernels: Vec<Spanned<Glob>>,
    /// Which targets; empty for all.
    pub archs: Vec<Spanned<Glob>>,
    /// What it limits.
    pub budgets: Budgets,
    /// How much a violation matters.
    pub level: Option<Spanned<Level>>,
    /// Why, in the words of whoever wrote it; quoted in messages.
    pub reason: Option<Spanned<String>>,
    /// The table's header; none for defaults that are not in the file.
    pub span: Option<Span>,
}
