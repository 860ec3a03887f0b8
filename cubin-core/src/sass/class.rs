//! Classes of instructions, and the memory that loads and stores name.

/// What an instruction is for. Every instruction of a function is of exactly one class.
///
/// The class follows from the mnemonic, but for the last three.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Class {
    /// Arithmetic and comparison in double precision. What else works in it (conversions, `MUFU.RCP64H`, `DMMA`, atomics)
    /// is of another class: see [`Instruction::fp64`](super::Instruction::fp64).
    Fp64,
    /// Arithmetic, comparison and selection in single precision.
    Fp32,
    /// Arithmetic and comparison in half precision, BF16 and packed FP8.
    Half,
    /// Integer and bit arithmetic, predicates included.
    Integer,
    /// Conversion between number formats, rounding included.
    Conversion,
    /// `MUFU`: reciprocal, square root, exponential, logarithm, sine, cosine, hyperbolic tangent.
    Special,
    /// Matrix multiplication on tensor cores: `HMMA`, `IMMA`, `DMMA`, `HGMMA`, `UTCHMMA` and their kin.
    Tensor,
    /// What feeds and orders tensor cores: tensor memory, transposition of fragments, fences.
    TensorData,
    /// Moves and selections, special registers, permutation of bytes.
    Move,
    /// Work that all threads of a warp share, on the uniform data path (sm_75 and later).
    Uniform,
    /// Loads; [`Instruction::access`](super::Instruction::access) has the memory and the width.
    Load,
    /// Stores; as loads.
    Store,
    /// Asynchronous copies, bulk and tensor copies (`cp.async`, `cp.async.bulk`, TMA) with their reductions and prefetches.
    AsyncCopy,
    /// Atomics and reductions in memory, on surfaces too.
    Atomic,
    /// Textures and surfaces.
    Texture,
    /// Barriers, fences, waits, control of caches.
    Barrier,
    /// Shuffles, votes, matches and reductions within a warp.
    Shuffle,
    /// Branches, exits, and where threads that went apart meet again.
    Branch,
    /// Calls and returns.
    Call,
    /// Traps, debugging, graphics.
    Other,
    /// `NOP` within the code.
    Nop,
    /// Never executed: its predicate is `!PT`. The assembler writes such instructions to order others.
    Never,
    /// The branch to itself and the `NOP`s that fill a section behind its last instruction.
    Padding,
    /// Bits that are no known instruction of the target.
    Unknown,
}

impl Class {
    /// Every class.
    pub const ALL: [Self; 24] = [
        Self::Fp64,
        Self::Fp32,
        Self::Half,
        Self::Integer,
        Self::Conversion,
        Self::Special,
        Self::Tensor,
        Self::TensorData,
        Self::Move,
        Self::Uniform,
        Self::Load,
        Self::Store,
        Self::AsyncCopy,
        Self::Atomic,
        Self::Texture,
        Self::Barrier,
        Self::Shuffle,
        Self::Branch,
        Self::Call,
        Self::Other,
        Self::Nop,
        Self::Never,
        Self::Padding,
        Self::Unknown,
    ];

    /// A word for tables and JSON, in lower case without blanks.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fp64 => "fp64",
            Self::Fp32 => "fp32",
            Self::Half => "half",
            Self::Integer => "integer",
            Self::Conversion => "conversion",
            Self::Special => "special",
            Self::Tensor => "tensor",
            Self::TensorData => "tensor_data",
            Self::Move => "move",
            Self::Uniform => "uniform",
            Self::Load => "load",
            Self::Store => "store",
            Self::AsyncCopy => "async_copy",
            Self::Atomic => "atomic",
            Self::Texture => "texture",
            Self::Barrier => "barrier",
            Self::Shuffle => "shuffle",
            Self::Branch => "branch",
            Self::Call => "call",
            Self::Other => "other",
            Self::Nop => "nop",
            Self::Never => "never",
            Self::Padding => "padding",
            Self::Unknown => "unknown",
        }
    }

    /// Whether a thread that comes by executes it: everything but [`Never`](Self::Never) and [`Padding`](Self::Padding).
    #[must_use]
    pub const fn executes(self) -> bool {
        !matches!(self, Self::Never | Self::Padding)
    }
}

impl core::fmt::Display for Class {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

/// The memory that a load or a store names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
#[repr(u8)]
pub enum Space {
    /// Device memory.
    Global,
    /// Shared memory of the block or the cluster.
    Shared,
    /// Memory of the thread: stack, spilled registers.
    Local,
    /// Constant banks, kernel parameters included. Operands of other instructions that name a bank are no loads.
    Constant,
    /// Whatever the address points at.
    Generic,
}

impl Space {
    /// Every space.
    pub const ALL: [Self; 5] = [
        Self::Global,
        Self::Shared,
        Self::Local,
        Self::Constant,
        Self::Generic,
    ];

    /// A word for tables and JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Global => "global",
            Self::Shared => "shared",
            Self::Local => "local",
            Self::Constant => "constant",
            Self::Generic => "generic",
        }
    }
}

impl core::fmt::Display for Space {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}

/// What a load or a store moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Access {
    /// Which memory.
    pub space: Space,
    /// A store; otherwise a load.
    pub store: bool,
    /// Bytes per thread: 1, 2, 4, 8, 16 or 32. For matrix loads and stores (`LDSM`, `STSM`) what a thread's registers take.
    /// `None` where it is not known which bits say it.
    pub bytes: Option<u8>,
}
