//! What a kernel's machine code is made of, as far as budgets ask: plain numbers, whoever read the code.

use std::path::PathBuf;

use crate::source::Span;

/// What is counted of instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counted {
    /// All that a thread that comes by executes.
    All,
    /// Those that compute or convert in double precision.
    Fp64,
    /// Those of them that stand in a loop.
    Fp64InLoops,
    /// Loads from local memory.
    LocalLoads,
    /// Loads from and stores to global memory.
    Global,
    /// Those of them that move at most 4 bytes per thread.
    NarrowGlobal,
    /// Matrix multiplications on tensor cores.
    Tensor,
    /// Atomics and reductions in memory.
    Atomics,
}

impl Counted {
    /// How many there are.
    pub const COUNT: usize = 8;
}

/// The instructions of a kernel and of the functions that it calls, counted. Static: how often one is executed is not in
/// the code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Instructions {
    /// By [`Counted`].
    pub counts: [u64; Counted::COUNT],
    /// Instructions whose bits are not known, which may be of any kind.
    pub unknown: u64,
    /// Loads from and stores to global memory of which it is not known how many bytes they move.
    pub unknown_width: u64,
    /// Whether more may stand in loops than was found: a loop calls a function, a branch goes to a computed address, or
    /// loops are not known on the target (before sm_70).
    pub more_in_loops: bool,
    /// Where they come from, in the order of the cubin's line table: for each kind the lines with most of it. Empty without `-lineinfo`.
    pub lines: Vec<CodeLine>,
    /// Why the source lines in the cubin cannot be read.
    pub no_lines: Option<String>,
}

/// A line of a source, with what of a kernel's code comes from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeLine {
    /// As the cubin names it, mostly a whole path.
    pub file: PathBuf,
    /// From 1.
    pub line: u32,
    /// By [`Counted`].
    pub counts: [u64; Counted::COUNT],
    /// The line's text, where the file can be read.
    pub place: Option<Span>,
}

impl Instructions {
    /// How many of a kind there are.
    pub const fn count(&self, what: Counted) -> u64 {
        self.counts[what as usize]
    }
}

impl CodeLine {
    /// How many of a kind come from the line.
    pub const fn count(&self, what: Counted) -> u64 {
        self.counts[what as usize]
    }
}
