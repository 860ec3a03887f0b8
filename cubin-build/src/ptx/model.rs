//! What PTX declares of a kernel, as data.

/// A kernel that PTX defines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entry {
    /// Its symbol.
    pub symbol: String,
    /// Line of its `.entry`, from 1.
    pub line: u32,
    /// In order.
    pub params: Vec<Param>,
    /// What it demands of a launch.
    pub directives: Directives,
    /// File and line that its debug information begins with, where there is some.
    pub source: Option<(String, u32)>,
}

/// A kernel's parameter.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Param {
    /// As PTX names it.
    pub name: String,
    /// What one element is.
    pub class: Class,
    /// Bytes of one element.
    pub size: u64,
    /// `.align`, where it is given.
    pub align: Option<u64>,
    /// How many elements it has.
    pub extent: Extent,
    /// What it points to: `.ptr`, or that the kernel uses it as an address of global memory.
    pub pointee: Option<Pointee>,
}

impl Param {
    /// Bytes of the whole; `None` where the text does not say it.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        match (self.class, self.extent) {
            (Class::Unknown | Class::Texture, _) | (_, Extent::Open) => None,
            (_, Extent::One) => Some(self.size),
            (_, Extent::Elements(count)) => self.size.checked_mul(count),
        }
    }

    /// In bytes: that of `.align`, but no less than the element's own, as ptxas has it.
    #[must_use]
    pub fn alignment(&self) -> u64 {
        self.align.unwrap_or(1).max(self.size).max(1)
    }
}

/// What kind of type a parameter has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Class {
    /// `.u8` to `.u64`. nvcc has it for every integer, signed or not.
    Unsigned,
    /// `.s8` to `.s64`
    Signed,
    /// `.f16` to `.f64`
    Float,
    /// `.b8` to `.b128`
    Bits,
    /// `.texref`, `.samplerref`, `.surfref`
    Texture,
    /// None of the known ones.
    #[default]
    Unknown,
}

/// Whether a parameter is an array.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Extent {
    /// It is none.
    #[default]
    One,
    /// `[24]`
    Elements(u64),
    /// `[]`
    Open,
}

/// What a pointer points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointee {
    /// Where that lies.
    pub space: Space,
    /// Its alignment in bytes, where it is given.
    pub align: Option<u64>,
}

/// The memory that a pointer leads into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// Any: a generic address.
    Generic,
    /// Global memory, what buffers lie in.
    Global,
    /// Constant memory.
    Constant,
    /// Shared memory: an offset into a block's own.
    Shared,
    /// Local memory: a thread's own.
    Local,
}

/// What a kernel demands of a launch and of ptxas.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Directives {
    /// `.maxntid`: threads of a block along each axis, at most.
    pub max_threads: Option<[u32; 3]>,
    /// `.reqntid`: exactly.
    pub required_threads: Option<[u32; 3]>,
    /// `.maxnreg`: registers, at most.
    pub max_registers: Option<u32>,
    /// `.minnctapersm`: blocks on a multiprocessor, at least.
    pub min_blocks: Option<u32>,
    /// `.reqnctapercluster`: blocks of a cluster along each axis.
    pub cluster: Option<[u32; 3]>,
    /// `.explicitcluster`: launched with a cluster alone.
    pub explicit_cluster: bool,
    /// `.maxclusterrank`: blocks of a cluster, at most.
    pub max_cluster_rank: Option<u32>,
}
