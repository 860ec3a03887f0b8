//! What a multiprocessor has, per compute capability.

use crate::Sm;

/// KiB as the sources write it.
const KIB: u32 = 1024;

/// Resources of one multiprocessor, and the granularity in which they are handed out.
///
/// Sources: "Technical Specifications per Compute Capability" of the CUDA Programming Guide (12.8 to 13.4) for threads,
/// warps, blocks, registers and shared memory; the header `cuda/__device/arch_traits.h` of CUDA 13.5 for the same figures
/// and the reserved shared memory; `cuda_occupancy.h` of CUDA 13.5 for blocks, granularities, partitions and barriers.
/// Where they disagree the row says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Limits {
    /// Ten times the major compute capability plus the minor one.
    pub sm: u16,
    /// Resident threads per multiprocessor.
    pub threads: u32,
    /// Resident warps per multiprocessor.
    pub warps: u32,
    /// Resident blocks per multiprocessor.
    pub blocks: u32,
    /// 32-bit registers per multiprocessor.
    pub registers: u32,
    /// Shared memory per multiprocessor in bytes, the largest carveout.
    pub shared: u32,
    /// Threads per block.
    pub block_threads: u32,
    /// 32-bit registers per block.
    pub block_registers: u32,
    /// Shared memory per block in bytes without opt-in; the most that static shared memory can have.
    pub block_shared: u32,
    /// Dynamic and static shared memory per block in bytes with `cudaFuncAttributeMaxDynamicSharedMemorySize`.
    pub block_shared_optin: u32,
    /// Shared memory in bytes that the system takes from every block.
    pub block_shared_reserved: u32,
    /// Registers per thread.
    pub thread_registers: u32,
    /// Threads per warp.
    pub warp_threads: u32,
    /// Registers are handed out to a warp in multiples of this.
    pub register_unit: u32,
    /// Shared memory is handed out to a block in multiples of this, in bytes.
    pub shared_unit: u32,
    /// Parts of a multiprocessor with registers of their own.
    pub partitions: u32,
    /// Named barriers per multiprocessor; `None` where they do not limit the number of blocks (before 9.0).
    pub barriers: Option<u32>,
}

impl Limits {
    /// The limits of a target; its suffix changes nothing. `None` for a compute capability that is not in the table: no
    /// figure is guessed.
    #[must_use]
    pub fn of(sm: Sm) -> Option<&'static Self> {
        TABLE.iter().find(|limits| limits.sm == sm.number)
    }

    /// Every compute capability in the table, lowest first.
    #[must_use]
    pub fn all() -> &'static [Self] {
        TABLE
    }
}

/// What differs between compute capabilities.
struct Row {
    sm: u16,
    warps: u32,
    blocks: u32,
    shared_kib: u32,
    /// Named barriers per resident block slot; 0 where they are not counted.
    barriers_per_block: u32,
}

const fn limits(row: Row) -> Limits {
    let reserved = if row.sm >= 80 { KIB } else { 0 };
    let shared = row.shared_kib.saturating_mul(KIB);
    Limits {
        sm: row.sm,
        threads: row.warps.saturating_mul(32),
        warps: row.warps,
        blocks: row.blocks,
        registers: 64 * KIB,
        shared,
        block_threads: 1024,
        block_registers: 64 * KIB,
        block_shared: 48 * KIB,
        block_shared_optin: shared.saturating_sub(reserved),
        block_shared_reserved: reserved,
        thread_registers: 255,
        warp_threads: 32,
        register_unit: 256,
        shared_unit: if row.sm >= 80 { 128 } else { 256 },
        partitions: 4,
        barriers: match row.barriers_per_block {
            0 => None,
            per_block => Some(row.blocks.saturating_mul(per_block)),
        },
    }
}

const fn row(sm: u16, warps: u32, blocks: u32, shared_kib: u32, barriers_per_block: u32) -> Limits {
    limits(Row {
        sm,
        warps,
        blocks,
        shared_kib,
        barriers_per_block,
    })
}

/// Columns: compute capability, warps, blocks, KiB of shared memory, named barriers per block.
const TABLE: &[Limits] = &[
    row(75, 32, 16, 64, 0),
    row(80, 64, 32, 164, 0),
    row(86, 48, 16, 100, 0),
    row(87, 48, 16, 164, 0),
    // Not in the Programming Guide; arch_traits.h gives it the figures of 8.6.
    row(88, 48, 16, 100, 0),
    row(89, 48, 24, 100, 0),
    row(90, 64, 32, 228, 2),
    row(100, 64, 32, 228, 2),
    // The name of 11.0 in CUDA 12.8 and 12.9; blocks and barriers from cuda_occupancy.h, the rest as 11.0.
    row(101, 48, 24, 228, 1),
    row(103, 64, 32, 228, 1),
    // Shared memory from the guide of 13.4 and cuda_occupancy.h; arch_traits.h of 13.5 still gives it the 228 KiB of 10.0.
    row(107, 32, 16, 328, 1),
    row(110, 48, 24, 228, 1),
    row(120, 48, 24, 100, 1),
    row(121, 48, 24, 100, 1),
];
