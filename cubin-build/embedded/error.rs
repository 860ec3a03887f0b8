//! Why a kernel cannot be launched.

use core::fmt;

use super::kernel::KernelInfo;
use super::target::Target;

#[doc(no_inline)]
pub use super::driver::DriverError;

/// Why a kernel cannot be launched. All but the driver's own refusals is found before the
/// launch is handed to the driver.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct LaunchError {
    /// C++ name of the kernel.
    pub kernel: &'static str,
    /// What is wrong.
    pub reason: Reason,
}

/// What is wrong with a launch.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The kernel is not in the image that was loaded.
    NotInImage(Target),
    /// The kernel belongs to another module than this one.
    OtherModule(&'static str),
    /// The stream belongs to another context than the module.
    OtherContext,
    /// The grid has a zero or too large dimension.
    Grid {
        /// Blocks along x, y and z.
        grid: (u32, u32, u32),
        /// What the device allows.
        limit: (u32, u32, u32),
    },
    /// The block has a zero or too large dimension.
    Block {
        /// Threads along x, y and z.
        block: (u32, u32, u32),
        /// What the device allows.
        limit: (u32, u32, u32),
    },
    /// More threads per block than the kernel's launch bounds or the device allow.
    Threads {
        /// Threads per block.
        threads: u64,
        /// The most that both allow.
        limit: u32,
    },
    /// The registers of all threads of the block are more than the device has for them.
    Registers {
        /// Threads per block.
        threads: u64,
        /// Registers per thread, by the driver's count.
        registers: u32,
        /// What they do not fit into.
        available: RegisterFile,
        /// The most threads per block with which the kernel fits, by the driver's count.
        limit: u32,
    },
    /// The kernel was compiled for exactly one block shape.
    RequiredBlock {
        /// Threads along x, y and z.
        block: (u32, u32, u32),
        /// The shape it was compiled for.
        required: [u32; 3],
    },
    /// More shared memory than the device has for a block.
    SharedMemory {
        /// Bytes of dynamic shared memory asked for.
        dynamic: u32,
        /// Bytes that the kernel itself declares.
        fixed: u64,
        /// Bytes that the device allows per block.
        limit: u64,
    },
    /// The kernel uses dynamic shared memory (`extern __shared__`), and the launch gives it none.
    NoDynamicShared,
    /// The device cannot launch cooperatively.
    Cooperative,
    /// The device cannot launch clusters.
    NoClusters,
    /// The kernel needs a cluster shape, or another one.
    RequiredCluster {
        /// The shape asked for.
        cluster: Option<(u32, u32, u32)>,
        /// The shape it was compiled for; absent when it only needs to be given one.
        required: Option<[u32; 3]>,
    },
    /// The cluster has a zero dimension or too many blocks.
    Cluster {
        /// Blocks along x, y and z.
        cluster: (u32, u32, u32),
        /// The most blocks per cluster.
        limit: u32,
    },
    /// The grid is not a multiple of the cluster.
    ClusterGrid {
        /// Blocks along x, y and z.
        grid: (u32, u32, u32),
        /// Blocks per cluster along x, y and z.
        cluster: (u32, u32, u32),
    },
    /// The driver refused.
    Driver(DriverError),
}

/// Where the registers of a block must fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegisterFile {
    /// What one block may have: so many registers.
    Block(u32),
    /// What a multiprocessor has: so many registers, given out by whole warps from several parts, so that some stay
    /// unused.
    Multiprocessor(u32),
}

impl RegisterFile {
    /// What the registers of a block do not fit into, if that is so: registers per thread are given out by eights, and
    /// those of a multiprocessor to whole warps, by each of its four schedulers (two on sm_60) from its own part.
    #[doc(hidden)]
    #[must_use]
    pub fn exceeded_by(
        threads: u64,
        registers: u32,
        per_block: u32,
        per_multiprocessor: u32,
    ) -> Option<Self> {
        let registers = u64::from(registers).max(1).next_multiple_of(8);
        let part = u64::from(per_multiprocessor) / 4;
        let warps = 4 * (part / (registers * 32));
        if threads.saturating_mul(registers) > u64::from(per_block) {
            Some(Self::Block(per_block))
        } else if threads.div_ceil(32) > warps {
            Some(Self::Multiprocessor(per_multiprocessor))
        } else {
            None
        }
    }
}

impl fmt::Display for RegisterFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Block(count) => write!(f, "the device has {count} registers for a block"),
            Self::Multiprocessor(count) => write!(
                f,
                "a multiprocessor has {count} registers and gives them out by warps"
            ),
        }
    }
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cannot launch `{}`: {}", self.kernel, self.reason)
    }
}

/// The same text as [`Display`](fmt::Display): it is what a `main` that returns the error prints.
impl fmt::Debug for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for LaunchError {}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotInImage(target) => write!(f, "the kernel was not compiled for {target}"),
            Self::OtherModule(module) => write!(f, "module `{module}` has no such kernel"),
            Self::OtherContext => f.write_str("the stream belongs to another context"),
            Self::Grid { grid, limit } => {
                write!(f, "grid {grid:?}, the device allows 1 to {limit:?}")
            }
            Self::Block { block, limit } => {
                write!(f, "block {block:?}, the device allows 1 to {limit:?}")
            }
            Self::Threads { threads, limit } => {
                write!(f, "{threads} threads per block, the kernel allows {limit}")
            }
            Self::Registers {
                threads,
                registers,
                available,
                limit,
            } => write!(
                f,
                "{threads} threads per block with {registers} registers each, {available}: the kernel fits with at most {limit} threads"
            ),
            Self::RequiredBlock { block, required } => {
                write!(f, "block {block:?}, compiled for exactly {required:?}")
            }
            Self::SharedMemory {
                dynamic,
                fixed,
                limit,
            } => write!(
                f,
                "{dynamic} bytes of dynamic and {fixed} of static shared memory, the device allows {limit} per block"
            ),
            Self::NoDynamicShared => f.write_str(
                "the kernel uses dynamic shared memory (`extern __shared__`), the launch gives it 0 bytes",
            ),
            Self::Cooperative => f.write_str("the device has no cooperative launch"),
            Self::NoClusters => f.write_str("the device has no thread block clusters"),
            Self::RequiredCluster { cluster, required } => match (cluster, required) {
                (_, None) => f.write_str("the launch must give a cluster shape"),
                (_, Some(required)) => {
                    write!(f, "cluster {cluster:?}, compiled for exactly {required:?}")
                }
            },
            Self::Cluster { cluster, limit } => {
                write!(f, "cluster {cluster:?} has too many blocks, the limit is {limit}")
            }
            Self::ClusterGrid { grid, cluster } => {
                write!(f, "grid {grid:?} is not a multiple of cluster {cluster:?}")
            }
            Self::Driver(error) => write!(f, "{error}"),
        }
    }
}

impl KernelInfo {
    #[cold]
    pub(super) fn error(&self, reason: Reason) -> LaunchError {
        LaunchError {
            kernel: self.name,
            reason,
        }
    }
}
