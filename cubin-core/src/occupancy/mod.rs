//! Occupancy: how many blocks and warps of a kernel one multiprocessor holds at a time, and what limits them.
//!
//! Computes from a kernel's figures and the [`Limits`] of a compute capability what NVIDIA's `cuda_occupancy.h` computes,
//! with the largest shared-memory carveout and the opt-in for large dynamic shared memory; compared with it over a grid of
//! block sizes, registers, shared memory and barriers. Clusters are not looked at: their blocks must also fit into one
//! cluster of multiprocessors, which depends on the product.
//!
//! ```
//! use cubin_core::{Sm, occupancy::{Block, Limits, occupancy}};
//!
//! let limits = Limits::of(Sm::new(90)).expect("9.0 is in the table");
//! let block = Block { threads: 256, registers: 128, ..Block::default() };
//! let found = occupancy(limits, &block);
//! assert_eq!((found.blocks, found.warps, found.ratio()), (2, 16, 0.25));
//! ```

mod limits;

pub use limits::Limits;

use core::fmt;

use crate::Resources;

/// What one block takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Block {
    /// Threads per block.
    pub threads: u32,
    /// Registers per thread.
    pub registers: u32,
    /// Static shared memory in bytes, without the part that the system reserves.
    pub static_shared: u64,
    /// Dynamic shared memory in bytes, an argument of the launch.
    pub dynamic_shared: u64,
    /// Named barriers.
    pub barriers: u32,
}

impl Block {
    /// A block of `threads` threads of a kernel, with `dynamic_shared` bytes of dynamic shared memory.
    ///
    /// The registers are those at launch; a kernel that uses `setmaxnreg` redistributes them later.
    #[must_use]
    pub fn of(resources: &Resources, threads: u32, dynamic_shared: u64) -> Self {
        Self {
            threads,
            registers: resources.registers,
            static_shared: resources.static_shared,
            dynamic_shared,
            barriers: resources.barriers.unwrap_or(0).into(),
        }
    }
}

/// What bounds the number of resident blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Limiter {
    /// Warp slots, or more threads than a block can have.
    Warps,
    /// Registers per multiprocessor, block or thread.
    Registers,
    /// Shared memory per multiprocessor or block.
    SharedMemory,
    /// Block slots.
    Blocks,
    /// Named barriers.
    Barriers,
}

impl fmt::Display for Limiter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Warps => "warps",
            Self::Registers => "registers",
            Self::SharedMemory => "shared memory",
            Self::Blocks => "blocks",
            Self::Barriers => "barriers",
        })
    }
}

/// Blocks of one kernel that a multiprocessor holds at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Occupancy {
    /// Resident blocks; 0 when the block cannot run at all.
    pub blocks: u32,
    /// Resident warps.
    pub warps: u32,
    /// Warps that the multiprocessor could hold.
    pub max_warps: u32,
    /// Blocks that the warp slots allow; 0 when the block has more threads than a block can have.
    pub by_warps: u32,
    /// Blocks that the registers allow; `None` when the kernel uses none.
    pub by_registers: Option<u32>,
    /// Blocks that shared memory allows; `None` when none is taken.
    pub by_shared: Option<u32>,
    /// Blocks that the block slots allow.
    pub by_blocks: u32,
    /// Blocks that the named barriers allow; `None` when they do not count.
    pub by_barriers: Option<u32>,
    /// Registers handed out to one block.
    pub block_registers: u64,
    /// Shared memory handed out to one block in bytes, with the reserved part.
    pub block_shared: u64,
}

impl Occupancy {
    /// Resident warps as a part of those that the multiprocessor could hold, 0 to 1.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        f64::from(self.warps) / f64::from(self.max_warps.max(1))
    }

    /// Everything that allows no more blocks than there are, in a fixed order; never empty.
    pub fn limiters(&self) -> impl Iterator<Item = Limiter> {
        let blocks = Some(self.blocks);
        [
            (Limiter::Warps, Some(self.by_warps)),
            (Limiter::Registers, self.by_registers),
            (Limiter::SharedMemory, self.by_shared),
            (Limiter::Blocks, Some(self.by_blocks)),
            (Limiter::Barriers, self.by_barriers),
        ]
        .into_iter()
        .filter_map(move |(limiter, allowed)| (allowed == blocks).then_some(limiter))
    }
}

/// How many blocks like `block` a multiprocessor with `limits` holds at a time.
pub fn occupancy(limits: &Limits, block: &Block) -> Occupancy {
    let warps = block.threads.div_ceil(limits.warp_threads.max(1));
    let by_warps = if block.threads <= limits.block_threads {
        limits.warps.checked_div(warps).unwrap_or(0)
    } else {
        0
    };
    let (by_registers, block_registers) = registers(limits, block, warps);
    let (by_shared, block_shared) = shared(limits, block);
    let by_barriers = limits
        .barriers
        .and_then(|barriers| barriers.checked_div(block.barriers));
    let blocks = [by_registers, by_shared, by_barriers]
        .into_iter()
        .flatten()
        .chain([limits.blocks])
        .fold(by_warps, u32::min);
    Occupancy {
        blocks,
        warps: blocks.saturating_mul(warps),
        max_warps: limits.warps,
        by_warps,
        by_registers,
        by_shared,
        by_blocks: limits.blocks,
        by_barriers,
        block_registers,
        block_shared,
    }
}

/// The occupancy of a kernel for each block of whole warps, smallest first: what a block size would give.
pub fn by_block_size(
    limits: &'static Limits,
    block: Block,
) -> impl Iterator<Item = (u32, Occupancy)> {
    let warp = limits.warp_threads.max(1);
    (warp..=limits.block_threads)
        .step_by(warp as usize)
        .map(move |threads| (threads, occupancy(limits, &Block { threads, ..block })))
}

/// Blocks that the registers allow, and the registers of one.
fn registers(limits: &Limits, block: &Block, warps: u32) -> (Option<u32>, u64) {
    let per_warp = u64::from(block.registers)
        .saturating_mul(limits.warp_threads.into())
        .checked_next_multiple_of(limits.register_unit.into())
        .unwrap_or(u64::MAX);
    let taken = per_warp.saturating_mul(warps.into());
    // The hardware checks as if every partition took part: warps count in multiples of the partitions.
    let partitions = u64::from(limits.partitions.max(1));
    let assumed = u64::from(warps)
        .checked_next_multiple_of(partitions)
        .map_or(u64::MAX, |warps| per_warp.saturating_mul(warps));
    let per_block = u64::from(limits.block_registers);
    if assumed > per_block || block.registers > limits.thread_registers {
        return (Some(0), taken);
    }
    let per_partition = u64::from(limits.registers).checked_div(partitions);
    let resident = per_partition
        .and_then(|registers| registers.checked_div(per_warp))
        .map(|warps| warps.saturating_mul(partitions))
        .and_then(|resident| resident.checked_div(warps.into()));
    (resident.map(saturate), taken)
}

/// Blocks that shared memory allows, and the bytes of one.
fn shared(limits: &Limits, block: &Block) -> (Option<u32>, u64) {
    let reserved = u64::from(limits.block_shared_reserved);
    let asked = block
        .static_shared
        .saturating_add(block.dynamic_shared)
        .saturating_add(reserved);
    let taken = asked
        .checked_next_multiple_of(limits.shared_unit.into())
        .unwrap_or(u64::MAX);
    // What a block has without opting in, 48 KiB, is less on all of them.
    if taken > u64::from(limits.block_shared_optin).saturating_add(reserved) {
        return (Some(0), taken);
    }
    let resident = u64::from(limits.shared).checked_div(taken);
    (resident.map(saturate), taken)
}

fn saturate(count: u64) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sm;

    fn on(sm: u16, block: Block) -> Occupancy {
        occupancy(Limits::of(Sm::new(sm)).unwrap(), &block)
    }

    fn limiters(occupancy: &Occupancy) -> Vec<String> {
        occupancy
            .limiters()
            .map(|limiter| limiter.to_string())
            .collect()
    }

    #[test]
    fn the_table_is_sorted_and_knows_no_guess() {
        assert!(Limits::all().is_sorted_by_key(|limits| limits.sm));
        assert!(Limits::of("sm_90a".parse().unwrap()).is_some());
        assert!(Limits::of(Sm::new(70)).is_none());
        assert!(Limits::of(Sm::new(130)).is_none());
        let hopper = Limits::of(Sm::new(90)).unwrap();
        assert_eq!(hopper.threads, 2048);
        assert_eq!(hopper.block_shared_optin, 227 * 1024);
        assert_eq!(hopper.block_shared, 49_152);
        assert_eq!(Limits::of(Sm::new(75)).unwrap().block_shared_reserved, 0);
    }

    #[test]
    fn registers_limit_the_design_example() {
        // 168 registers, 320 threads on sm_90a: one block of 10 warps, rounded to 12 in the check of the hardware.
        let found = on(
            90,
            Block {
                threads: 320,
                registers: 168,
                ..Block::default()
            },
        );
        assert_eq!((found.blocks, found.warps), (1, 10));
        assert_eq!(limiters(&found), ["registers"]);
        assert_eq!(found.block_registers, 10 * 168 * 32);
        assert!((found.ratio() - 0.15625).abs() < 1e-9);
    }

    #[test]
    fn each_limiter_alone() {
        let block = Block {
            threads: 128,
            registers: 16,
            ..Block::default()
        };
        assert_eq!(limiters(&on(90, block)), ["warps"]);
        let small = Block {
            threads: 32,
            ..block
        };
        assert_eq!(limiters(&on(86, small)), ["blocks"]);
        let shared = Block {
            dynamic_shared: 100 * 1024,
            ..block
        };
        let found = on(90, shared);
        assert_eq!((found.blocks, found.block_shared), (2, 101 * 1024));
        assert_eq!(limiters(&found), ["shared memory"]);
        let barriers = Block {
            threads: 32,
            barriers: 16,
            ..block
        };
        assert_eq!(limiters(&on(90, barriers)), ["barriers"]);
        assert_eq!(on(80, barriers).by_barriers, None);
    }

    #[test]
    fn what_cannot_run_has_no_blocks_and_says_why() {
        let block = Block {
            threads: 1025,
            registers: 16,
            ..Block::default()
        };
        assert_eq!(limiters(&on(90, block)), ["warps"]);
        let registers = Block {
            threads: 1024,
            registers: 72,
            ..block
        };
        assert_eq!(limiters(&on(90, registers)), ["registers"]);
        let shared = Block {
            threads: 32,
            dynamic_shared: 228 * 1024,
            ..block
        };
        assert_eq!(limiters(&on(90, shared)), ["shared memory"]);
        let huge = Block {
            threads: u32::MAX,
            registers: u32::MAX,
            static_shared: u64::MAX,
            dynamic_shared: u64::MAX,
            barriers: u32::MAX,
        };
        assert_eq!(on(90, huge).blocks, 0);
        assert_eq!(on(90, Block::default()).blocks, 0);
    }

    #[test]
    fn a_thread_has_at_most_255_registers() {
        for (registers, blocks) in [(255, 8), (256, 0)] {
            let block = Block {
                threads: 32,
                registers,
                ..Block::default()
            };
            assert_eq!(on(90, block).blocks, blocks, "{registers}");
        }
    }

    #[test]
    fn block_sizes_of_a_kernel() {
        let block = Block {
            registers: 64,
            ..Block::default()
        };
        let sizes: Vec<(u32, u32)> = by_block_size(Limits::of(Sm::new(80)).unwrap(), block)
            .map(|(threads, occupancy)| (threads, occupancy.warps))
            .collect();
        assert_eq!(sizes.len(), 32);
        assert_eq!(sizes[0], (32, 32));
        assert_eq!(sizes[31], (1024, 32));
    }
}
