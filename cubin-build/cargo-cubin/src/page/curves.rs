//! Occupancy against block size, as the page draws it. Kernels that take the same of a multiprocessor share a curve.

use std::collections::HashMap;

use cubin_core::occupancy::{Block, Limiter, Limits, by_block_size};
use serde::Serialize;

/// One curve.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct Curve {
    /// Warps that a multiprocessor could hold.
    max_warps: u32,
    /// Threads of the first block, and what each next one has more.
    step: u32,
    /// Resident warps by block size.
    warps: Vec<u32>,
    /// What limits them, as bits: the places of [`LIMITERS`].
    limits: Vec<u8>,
}

/// What can limit, in the order of the bits.
pub(super) const LIMITERS: [Limiter; 5] = [
    Limiter::Warps,
    Limiter::Registers,
    Limiter::SharedMemory,
    Limiter::Blocks,
    Limiter::Barriers,
];

/// All curves of a page.
#[derive(Default)]
pub(super) struct Curves {
    all: Vec<Curve>,
    known: HashMap<(u16, Block), usize>,
}

impl Curves {
    /// The place of the curve of a kernel; the block's threads do not count.
    pub(super) fn of(&mut self, limits: &'static Limits, block: Block) -> usize {
        let block = Block {
            threads: 0,
            ..block
        };
        let next = self.all.len();
        let at = *self.known.entry((limits.sm, block)).or_insert(next);
        if at == next {
            self.all.push(Curve::new(limits, block));
        }
        at
    }

    pub(super) fn into_all(self) -> Vec<Curve> {
        self.all
    }
}

impl Curve {
    fn new(limits: &'static Limits, block: Block) -> Self {
        let mut curve = Self {
            max_warps: limits.warps,
            step: limits.warp_threads,
            warps: Vec::new(),
            limits: Vec::new(),
        };
        for (_, occupancy) in by_block_size(limits, block) {
            let mut bits = 0;
            for limiter in occupancy.limiters() {
                let at = LIMITERS.iter().position(|one| *one == limiter);
                bits |= at.map_or(0, |at| 1_u8 << at);
            }
            curve.warps.push(occupancy.warps);
            curve.limits.push(bits);
        }
        curve
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_computed_once_and_is_that_of_the_occupancy() {
        let hopper = Limits::of(cubin_core::Sm::new(90)).expect("limits");
        let block = Block {
            threads: 256,
            registers: 66,
            ..Block::default()
        };
        let mut curves = Curves::default();
        let first = curves.of(hopper, block);
        let other = Block {
            threads: 64,
            ..block
        };
        assert_eq!(curves.of(hopper, other), first);
        let ampere = Limits::of(cubin_core::Sm::new(80)).expect("limits");
        assert_eq!(curves.of(ampere, block), 1);
        let all = curves.into_all();
        let curve = &all[first];
        assert_eq!(
            (curve.max_warps, curve.step, curve.warps.len()),
            (64, 32, 32)
        );
        // 72 registers each: three blocks of 256 threads.
        assert_eq!((curve.warps[7], curve.limits[7]), (24, 1 << 1));
        // A block of one warp: 28 by registers, and 32 slots.
        assert_eq!((curve.warps[0], curve.limits[0]), (28, 1 << 1));
    }
}
