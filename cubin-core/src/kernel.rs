//! Kernels and device functions in the user's terms.

use alloc::vec::Vec;

use crate::consts::PointeeSpace;

/// A function of a cubin that has code of its own: a kernel (entry point) or a separate device function.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Function<'a> {
    /// The symbol, mangled as in the file.
    ///
    /// NVIDIA's tools write ASCII names. Should another tool have written a name that is not UTF-8, this is the part
    /// before the first bad byte, and [`Cubin::raw_symbol`](crate::Cubin::raw_symbol) has all bytes: compare the two
    /// lengths where it matters.
    pub symbol: &'a str,
    /// Index of its symbol in the symbol table.
    pub symbol_index: u32,
    /// Index of its `.text` section: the key, since names repeat in valid files.
    pub section: u32,
    /// Index of its `.nv.info.<f>` section with the attribute records, where there is one.
    pub attributes: Option<u32>,
    /// Whether it can be launched (`st_other & 0x10`).
    pub kernel: bool,
    /// What it needs of a multiprocessor.
    pub resources: Resources,
    /// Kernel parameters; [`Params::NotRecorded`] for device functions.
    pub params: Params,
    /// Limits on the block that the source declared.
    pub launch: LaunchBounds,
}

/// What a function needs, per thread or per block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Resources {
    /// Registers per thread: REGCOUNT, which for kernels of relocatable objects is not final (nvlink raises it to what
    /// the callees need); the high byte of the section's `sh_info` where there is no such record.
    pub registers: u32,
    /// Stack per thread, that of called functions included.
    pub stack: Stack,
    /// Stack frame bytes of the function alone (FRAME_SIZE), where recorded.
    pub frame: Option<u32>,
    /// Spill store and reload instructions; `None` when the toolkit (before 12.6) does not record them.
    ///
    /// A lower bound: registers that called functions save are not counted, and the list is cut modulo 65,536 bytes
    /// (8,192 or more instructions count too few). `ptxas -v` is the authority.
    pub spill_instructions: Option<u32>,
    /// Static shared memory in bytes per block, without [`reserved_shared`](Self::reserved_shared).
    pub static_shared: u64,
    /// Shared memory bytes per block that the system reserves: 1,024 from sm_90 on in linked cubins when
    /// `.nv.shared.<f>` exists, whose size includes them.
    pub reserved_shared: u64,
    /// Whether the kernel, or a function that it calls, uses dynamic shared memory (`extern __shared__`). `Some(false)`
    /// where a cubin tells: a linked one of CUDA 11.8 or later, in which the kernel has no `.nv.shared.<f>`. Else `None`:
    /// that section exists for every kernel of a file with an `extern __shared__` variable (ptxas 11.8 to 13.5), so a
    /// cubin never says that a kernel uses some. PTX does: `cubin-build` sets `Some(true)` where it compiled the kernel.
    pub dynamic_shared: Option<bool>,
    /// Size of `.nv.local.<f>` in bytes.
    pub local: u64,
    /// (bank, bytes) of each constant bank of this function, in section order.
    pub constant: Vec<(u8, u64)>,
    /// Named barriers used: bits 20 to 26 of the `.text` section's flags (old layout) or NUM_BARRIERS (new layout, where
    /// a function without barriers has no record); `None` when the file has no place that would say it.
    pub barriers: Option<u8>,
    /// Size of the machine code in bytes, padding and local copies of called functions included.
    pub code_bytes: u64,
}

/// What the cubin says of a function's stack: bytes per thread, those of the functions that it calls included.
///
/// The largest MIN_STACK_SIZE record counts: CUDA 12.4 and 12.5 write two that contradict each other, the last one
/// wrong. 12.9 writes 0 for kernels with `alloca`, which cannot be told apart from a true 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Stack {
    /// The file, which is linked, has no record of it.
    #[default]
    NotRecorded,
    /// The file is relocatable: nvlink adds the stack of called functions, so what it records, if anything, is not
    /// final.
    NotLinked,
    /// The file says that the size is not statically known: recursion, `alloca`, or an indirect call of these.
    Unbounded,
    /// Bytes per thread.
    Known(u32),
}

impl Stack {
    /// Bytes per thread, where they are known.
    #[inline]
    #[must_use]
    pub const fn bytes(self) -> Option<u32> {
        match self {
            Self::Known(bytes) => Some(bytes),
            Self::NotRecorded | Self::NotLinked | Self::Unbounded => None,
        }
    }

    /// Whether the file says that the size is not statically known.
    #[inline]
    #[must_use]
    pub const fn is_unbounded(self) -> bool {
        matches!(self, Self::Unbounded)
    }
}

/// What the cubin says of a kernel's parameters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Params {
    /// The file has no record to tell from.
    #[default]
    NotRecorded,
    /// The parameters; empty when the kernel takes none.
    Recorded {
        /// Byte offset of the parameter block in constant bank 0 (0x210 on sm_90); 0 when there are no parameters.
        base: u32,
        /// Bytes of the whole block.
        size: u32,
        /// By ordinal.
        params: Vec<Param>,
    },
}

/// One kernel parameter, from KPARAM_INFO or KPARAM_INFO_V2.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Param {
    /// Position in the parameter list, from 0.
    pub ordinal: u16,
    /// Byte offset from the base of the parameter block.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// log2 of the alignment of what a pointer parameter points to, where recorded.
    pub pointee_align_log2: u8,
    /// Memory space of what a pointer parameter points to.
    pub pointee_space: PointeeSpace,
}

impl Param {
    /// A parameter of `size` bytes at `offset`, of which no pointee is recorded.
    #[must_use]
    pub const fn new(ordinal: u16, offset: u32, size: u32) -> Self {
        Self {
            ordinal,
            offset,
            size,
            pointee_align_log2: 0,
            pointee_space: PointeeSpace::UNSPECIFIED,
        }
    }
}

/// Block and cluster limits that the source declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct LaunchBounds {
    /// `__launch_bounds__` first argument, as x, y, z.
    pub max_threads: Option<[u32; 3]>,
    /// Exact block shape (`.reqntid`).
    pub required_threads: Option<[u32; 3]>,
    /// Cluster shape (`__cluster_dims__`).
    pub cluster: Option<[u32; 3]>,
    /// A cluster launch is required.
    pub explicit_cluster: bool,
    /// Largest cluster size (third argument of `__launch_bounds__`).
    pub max_cluster_rank: Option<u32>,
    /// Register cap in force when the kernel was compiled (MAXREG_COUNT); `None` when there was none (255).
    pub max_registers: Option<u32>,
}
