//! Budgets: one file for each, and the table of them.
//!
//! A file says what cubin.toml calls the budget, what it measures, and how messages speak of it. How limits are read,
//! compared, written and ratcheted follows from the unit ([`Unit`]), so a budget of a known unit is one file here, its
//! two lines in this one (the module and the entry of the table), and the paragraphs on its codes in `diag/codes.rs`.

use crate::{
    config::keys::Doc,
    diag::Code,
    kernel::{Counted, Facts},
};

mod atomics;
mod barriers;
mod code;
mod code_size;
mod constant;
mod externs;
mod fp64;
mod fp64_in_loops;
mod functions;
mod instructions;
mod limit;
mod local;
mod local_loads;
pub(super) mod occupancy;
mod params;
mod read;
pub(super) mod registers;
mod spills;
mod stack;
mod static_shared;
mod tensor_core;
mod unvectorised_global;
mod value;

pub use limit::{Banks, Limit, Occupancy};
pub use value::{Unit, Value};

macro_rules! budgets {
    ($($(#[$doc:meta])+ $key:ident: $file:ident,)+) => {
        /// What a budget limits, in the order of messages and of the baseline file.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Key {
            $($(#[$doc])+ $key,)+
        }

        impl Key {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$key,)+];

            /// What is known of it.
            pub const fn figure(self) -> &'static Figure {
                match self {
                    $(Self::$key => &$file::FIGURE,)+
                }
            }
        }
    };
}

budgets! {
    /// Registers per thread.
    Registers: registers,
    /// Bytes of stack per thread.
    Stack: stack,
    /// Bytes of spill stores plus spill loads, as ptxas counts them.
    Spills: spills,
    /// Bytes of local memory that the cubin reserves apart from the stack.
    Local: local,
    /// Bytes of kernel parameters.
    Params: params,
    /// Bytes of constant banks.
    Constant: constant,
    /// Bytes of static shared memory per block, without those that the system reserves.
    StaticShared: static_shared,
    /// Named barriers per block.
    Barriers: barriers,
    /// Bytes of machine code.
    CodeSize: code_size,
    /// Instructions.
    Instructions: instructions,
    /// Instructions in double precision.
    Fp64: fp64,
    /// Instructions in double precision that stand in loops.
    Fp64InLoops: fp64_in_loops,
    /// Loads from local memory.
    LocalLoads: local_loads,
    /// Share of the loads from and stores to global memory that move at most 4 bytes per thread.
    UnvectorisedGlobal: unvectorised_global,
    /// Atomics and reductions in memory.
    Atomics: atomics,
    /// Least number of matrix multiplications on tensor cores.
    TensorCore: tensor_core,
    /// Functions outside the cubin that are called.
    Externs: externs,
    /// Least share of a multiprocessor's threads.
    Occupancy: occupancy,
}

impl Key {
    /// As cubin.toml and the baseline file spell it.
    pub const fn name(self) -> &'static str {
        self.figure().name
    }

    /// The budget of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|key| key.name() == name)
    }
}

/// A figure of a kernel that a budget limits.
pub struct Figure {
    /// As cubin.toml and the baseline file spell it.
    pub name: &'static str,
    /// What it counts.
    pub unit: Unit,
    /// What of the machine code it counts, and the word for one; nothing for what the cubin's records tell.
    pub counted: Option<(Counted, &'static str)>,
    /// What the reference of cubin.toml says of it.
    pub doc: Doc,
    /// Code of a kernel that breaks the budget.
    pub over: Code,
    /// What to say where the figure is not known; nothing for what every cubin tells.
    pub unknown: Option<Unknown>,
    /// The figure of a kernel, as far as the limit bears on it.
    pub measure: fn(&Facts, &Limit) -> Value,
    /// What a kernel that breaks the budget does, as a sentence goes on behind its name.
    pub says: fn(&Subject<'_>) -> String,
    /// The figure in a few words, at the kernel's name in the picture.
    pub label: fn(&Subject<'_>) -> String,
    /// The same where another figure is the subject; nothing where it would be no news.
    pub beside: fn(&Facts) -> Option<String>,
    /// What explains the figure.
    pub notes: fn(&Subject<'_>) -> Vec<String>,
    /// What helps, short of another limit.
    pub remedies: fn(&Subject<'_>) -> Vec<String>,
}

/// A kernel with a budget that it breaks.
#[derive(Clone, Copy)]
pub struct Subject<'a> {
    /// The kernel on a target.
    pub facts: &'a Facts,
    /// The budget.
    pub limit: &'a Limit,
    /// What of the figure breaks it.
    pub excess: &'a Value,
}

/// What to say of a figure that is not known: `{what} of kernel {name} {is} on {targets}`.
#[derive(Clone, Copy)]
pub struct Unknown {
    /// Code of a kernel with the budget.
    pub code: Code,
    /// The figure.
    pub what: &'static str,
    /// That it is not known.
    pub is: &'static str,
    /// Why, of the kernel with the budget.
    pub note: fn(&Facts) -> String,
    /// What to do, where a rule of the kernel's own is not the way.
    pub help: Option<&'static str>,
}

/// What a thread has when nobody can say how much it needs. The default is the driver's (CUDA C++ Programming Guide,
/// "Call Stack"; `cuCtxGetLimit`).
pub(super) const STACK_LIMIT: &str = "the driver gives each thread 1 KiB of stack; a program raises that before the \
     launch by `cuCtxSetLimit` with `CU_LIMIT_STACK_SIZE` (`CudaContext::set_limit` in cudarc)";

/// For figures that are no news beside another.
fn silent(_: &Facts) -> Option<String> {
    None
}

/// For figures that explain themselves.
fn nothing(_: &Subject<'_>) -> Vec<String> {
    Vec::new()
}
