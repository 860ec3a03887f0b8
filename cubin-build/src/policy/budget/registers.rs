//! `registers`: registers per thread.

use super::{Figure, Subject, Unit, Value, nothing};
use crate::{config::keys::Doc, diag::codes, lists::CollectVec, words::counted};

pub(super) static FIGURE: Figure = Figure {
    name: "registers",
    unit: Unit::Count,
    counted: None,
    doc: Doc {
        value: "count per thread",
        default: "no limit",
        meaning: "Most registers per thread.",
        example: "registers = 128",
    },
    over: codes::REGISTERS_OVER_BUDGET,
    unknown: None,
    measure: |facts, _| Value::Number(facts.resources.registers.into()),
    says: |subject| {
        let registers = counted(subject.excess.number(), "register");
        format!("uses {registers} per thread")
    },
    label: |subject| counted(subject.excess.number(), "register"),
    beside: |facts| {
        let registers = facts.resources.registers;
        (registers > 0).then(|| counted(registers.into(), "register"))
    },
    notes: nothing,
    remedies: |subject| fewer(subject).into_iter().collect_vec(),
};

/// Registers that each of the four partitions of a multiprocessor has for the threads of one warp lane: 65,536 registers
/// over 4 partitions and 32 lanes, on every compute capability from 5.0 to 12.1 (CUDA Programming Guide, technical
/// specifications).
const LANE_REGISTERS: u32 = 512;
/// Warps are spread over this many partitions.
const PARTITIONS: u32 = 4;
/// Registers are handed out to warps in units of 256, that is 8 per thread (same table).
const UNIT: u32 = 8;
/// Most registers that one thread can address (same table).
pub(super) const MOST: u32 = 255;
/// Below this, ptxas raises the limit (ptxas 13.5: "adjusting per thread register count of 16 to lower bound of 24").
pub(super) const FEWEST: u32 = 24;
/// Threads and blocks that fit on a multiprocessor of every compute capability: 7.5 has the fewest. Asked for more,
/// ptxas ignores the second launch bound ("Value of minnctapersm ... is out of range").
const RESIDENT_THREADS: u32 = 1024;
const RESIDENT_BLOCKS: u32 = 16;
/// Block size of the suggestion for a kernel that declares none.
const USUAL_BLOCK: u32 = 256;

/// Warps of a block; a block has 1 to 1024 threads.
fn warps(threads: u32) -> u32 {
    threads.clamp(1, 1024).div_ceil(32)
}

/// The most registers that ptxas uses under `__launch_bounds__(threads, blocks)`, so that `blocks` blocks fit.
///
/// Measured with ptxas 13.5 for sm_80, sm_90 and sm_120; it counts warps per partition.
pub(super) fn limit(threads: u32, blocks: u32) -> u32 {
    let per_partition = warps(threads).saturating_mul(blocks).div_ceil(PARTITIONS);
    let limit = LANE_REGISTERS / per_partition.max(1) / UNIT * UNIT;
    limit.min(MOST)
}

/// The smallest second argument of `__launch_bounds__` that keeps a kernel at `budget` registers, if one does on every
/// GPU.
fn blocks_for(threads: u32, budget: u64) -> Option<u32> {
    let most = (RESIDENT_THREADS / 32 / warps(threads)).min(RESIDENT_BLOCKS);
    (1..=most).find(|blocks| u64::from(limit(threads, *blocks)) <= budget)
}

fn fewer(subject: &Subject<'_>) -> Option<String> {
    let super::Limit::Most(budget) = *subject.limit else {
        return None;
    };
    let threads = subject.facts.block_threads().unwrap_or(USUAL_BLOCK);
    if let Some(blocks) = blocks_for(threads, budget).filter(|blocks| *blocks > 1) {
        return Some(format!(
            "`__launch_bounds__({threads}, {blocks})` makes ptxas stay at {} registers, perhaps at the price of \
             spills",
            limit(threads, blocks)
        ));
    }
    (budget >= FEWEST.into()).then(|| {
        format!(
            "`__maxnreg__({budget})` makes ptxas stay at {budget} registers, perhaps at the price of spills (CUDA \
             12.4 or newer)"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn register_limits_are_those_of_ptxas() {
        for (threads, blocks, registers) in [
            (96, 4, 168),
            (96, 10, 64),
            (100, 7, 72),
            (160, 6, 64),
            (224, 3, 80),
            (256, 2, 128),
            (256, 3, 80),
            (256, 4, 64),
            (320, 2, 96),
            (512, 2, 64),
            (1024, 1, 64),
        ] {
            assert_eq!(limit(threads, blocks), registers, "{threads} {blocks}");
        }
    }

    #[test]
    fn smallest_second_launch_bound() {
        assert_eq!(blocks_for(256, 128), Some(2));
        assert_eq!(blocks_for(256, 127), Some(3));
        assert_eq!(blocks_for(256, 63), None);
        assert_eq!(blocks_for(320, 168), Some(1));
        assert_eq!(blocks_for(320, 167), Some(2));
        assert_eq!(blocks_for(32, 128), Some(13));
        assert_eq!(blocks_for(32, 127), None);
        assert_eq!(blocks_for(0, 10), None);
        assert_eq!(blocks_for(u32::MAX, 10), None);
    }
}
