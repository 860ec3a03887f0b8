//! Kernels and device functions in the user's terms.

/// A function of a cubin that has code of its own: a kernel (entry point) or a separate device function.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Function<'a> {
    /// The symbol, mangled as in the file.
    pub symbol: &'a str,
    /// Index of its `.text` section: the key, since names repeat in valid files.
    pub section: u32,
    /// Whether it can be launched (`st_other & 0x10`).
    pub kernel: bool,
    /// What it needs of a multiprocessor.
    pub resources: Resources,
    /// Kernel parameters; [`Params::NotRecorded`] for device functions.
    pub params: Params,
    /// Limits on the block that the source declared.
    pub launch: LaunchBounds,
    /// What `cuobjdump -res-usage` prints for the same function, misleading values included.
    pub cuobjdump: Cuobjdump,
}

/// What a function needs, per thread or per block.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Resources {
    /// Registers per thread.
    pub registers: u32,
    /// Stack bytes per thread, calls included; `None` when not statically known (recursion, `alloca`, not linked yet).
    pub stack: Option<u32>,
    /// Stack frame bytes of the function alone, where recorded.
    pub frame: Option<u32>,
    /// Spill store and reload instructions; `None` when the toolkit (before 12.6) does not record them. A lower bound.
    pub spill_instructions: Option<u32>,
    /// Static shared memory in bytes per block, without [`reserved_shared`](Self::reserved_shared).
    pub static_shared: u64,
    /// Shared memory bytes per block that the system reserves (1,024 from sm_90 on when the section exists).
    pub reserved_shared: u64,
    /// Size of `.nv.local.<f>` in bytes.
    pub local: u64,
    /// (bank, bytes) of each constant bank of this function, in section order.
    pub constant: Vec<(u8, u64)>,
    /// Named barriers used; `None` when not recorded.
    pub barriers: Option<u8>,
    /// Size of the machine code in bytes.
    pub code_bytes: u64,
}

/// What the cubin says of a kernel's parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Params {
    /// The file has no record to tell from.
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
pub struct Param {
    /// Position in the parameter list, from 0.
    pub ordinal: u16,
    /// Byte offset from the base of the parameter block.
    pub offset: u32,
    /// Size in bytes.
    pub size: u32,
    /// log2 of the alignment of what a pointer parameter points to, where recorded.
    pub pointee_align_log2: u8,
    /// Memory space of what a pointer parameter points to: 0 not declared, 1 local, 2 shared, 3 constant, 4 global, 5 generic.
    pub pointee_space: u8,
}

/// Block and cluster limits that the source declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
    /// Register cap in force when the kernel was compiled.
    pub max_registers: Option<u32>,
}

/// The figures of `cuobjdump -res-usage`, by its own rules.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cuobjdump {
    /// REG
    pub reg: u32,
    /// STACK; `None` prints as UNKNOWN.
    pub stack: Option<u32>,
    /// SHARED
    pub shared: u64,
    /// LOCAL
    pub local: u64,
    /// CONSTANT[bank], in section order.
    pub constant: Vec<(u8, u64)>,
}
