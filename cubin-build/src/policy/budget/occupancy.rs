//! `occupancy`: the least share of a multiprocessor's warps that must fit at once, with blocks of one size.
//!
//! Unlike the other budgets it is a floor, and its figure follows from others and the GPU: it is computed by
//! `cubin-core` from the limits of the compute capability.

use cubin_core::occupancy::{Block, Limiter, Limits, Occupancy, by_block_size, occupancy};

use super::{
    Figure, Limit, Subject, Unit, Unknown, Value, limit, registers,
    value::{TOLERANCE, percent},
};
use crate::{
    config::{keys::Doc, size},
    diag::codes,
    kernel::Facts,
    lists::{AddAll, CollectVec},
    words::texts,
};

pub(super) static FIGURE: Figure = Figure {
    name: "occupancy",
    unit: Unit::Share,
    counted: None,
    doc: Doc {
        value: "table of `block`, `min` and `dynamic-shared`",
        default: "no limit",
        meaning: "With blocks of `block` threads (1 to 1024, required), which ask for `dynamic-shared` bytes of dynamic \
                  shared memory (default 0), at least the share `min` (above 0, at most 1, required) of a \
                  multiprocessor's warps must fit at once.",
        example: "occupancy = { block = 256, min = 0.25, dynamic-shared = \"16 KiB\" }",
    },
    over: codes::OCCUPANCY_BELOW_BUDGET,
    unknown: Some(Unknown {
        code: codes::OCCUPANCY_UNKNOWN,
        what: "occupancy",
        is: "is not known",
        note: |_| {
            let known = texts(Limits::all(), &|limits| format!("sm_{}", limits.sm));
            format!("limits are known for {}", known.join(", "))
        },
        help: Some("restrict the budget to other targets with `arch` in its [[rule]]"),
    }),
    measure: |facts, limit| match OnTarget::new(facts, limit) {
        Some(on) => Value::Share(on.share()),
        None => Value::Unknown,
    },
    says: |subject| {
        let share = Unit::Share.display(subject.excess);
        let threads = limit_of(subject.limit).block;
        format!("reaches {share} occupancy with blocks of {threads} threads")
    },
    label,
    beside: |facts| {
        let threads = facts.block_threads()?;
        let bounds = format!("launch bounds {threads}");
        let Some(limits) = Limits::of(facts.target) else {
            return Some(bounds);
        };
        let share = occupancy(limits, &Block::of(&facts.resources, threads, 0)).ratio();
        let percent = percent(share);
        Some(format!(
            "{bounds}, occupancy {percent} at {threads} threads"
        ))
    },
    notes: |subject| {
        let on = OnTarget::new(subject.facts, subject.limit);
        on.map(|on| on.limits_text()).into_iter().collect_vec()
    },
    remedies: |subject| {
        let on = OnTarget::new(subject.facts, subject.limit);
        on.map(|on| remedies(&on)).unwrap_or_default()
    },
};

fn label(subject: &Subject<'_>) -> String {
    let limit = limit_of(subject.limit);
    let share = Unit::Share.display(subject.excess);
    let mut text = format!("occupancy {share} at {} threads", limit.block);
    if limit.dynamic_shared > 0 {
        // The picture goes on with the static part.
        let bytes = size::display(limit.dynamic_shared);
        text.push_str(&format!(", {bytes} of dynamic shared memory"));
    }
    if let Some(threads) = subject.facts.block_threads() {
        text.push_str(&format!(", launch bounds {threads}"));
    }
    text
}

/// What the table asks for; nothing for the limit of another figure.
fn limit_of(limit: &Limit) -> limit::Occupancy {
    match limit {
        Limit::Occupancy(limit) => *limit,
        _ => limit::Occupancy::default(),
    }
}

/// A kernel on a target, with the block of its budget.
struct OnTarget<'a> {
    facts: &'a Facts,
    limits: &'static Limits,
    limit: limit::Occupancy,
    block: Block,
    occupancy: Occupancy,
}

impl<'a> OnTarget<'a> {
    /// Nothing where the target's limits are not known.
    fn new(facts: &'a Facts, limit: &Limit) -> Option<Self> {
        let limits = Limits::of(facts.target)?;
        let limit = limit_of(limit);
        let block = Block::of(&facts.resources, limit.block, limit.dynamic_shared);
        Some(Self {
            facts,
            limits,
            limit,
            block,
            occupancy: occupancy(limits, &block),
        })
    }

    /// Whether the kernel declares that it is never launched with so many threads.
    fn too_large(&self) -> bool {
        self.facts
            .block_threads()
            .is_some_and(|most| most < self.block.threads)
    }

    fn share(&self) -> f64 {
        if self.too_large() {
            return 0.0;
        }
        self.occupancy.ratio()
    }

    /// Whether the budget would be met if the block took something else.
    fn enough(&self, block: Block) -> bool {
        occupancy(self.limits, &block).ratio() + TOLERANCE >= self.limit.min
    }

    fn limited_by(&self, wanted: Limiter) -> bool {
        !self.too_large() && self.occupancy.limiters().any(|limiter| limiter == wanted)
    }

    fn shared(&self) -> u64 {
        self.block
            .static_shared
            .saturating_add(self.block.dynamic_shared)
    }

    /// What fits, and what allows no more.
    fn limits_text(&self) -> String {
        let target = self.facts.target;
        let Occupancy {
            blocks,
            warps,
            max_warps,
            ..
        } = self.occupancy;
        if self.too_large() {
            let most = self.facts.block_threads().unwrap_or(0);
            let threads = self.block.threads;
            return format!("`__launch_bounds__({most})` forbids blocks of {threads} threads");
        }
        let limiters: Vec<String> = self
            .occupancy
            .limiters()
            .map(|limiter| limiter.to_string())
            .collect_vec();
        let fit = match blocks {
            0 => "no block fits".to_owned(),
            1 => format!("1 block fits, {warps} of {max_warps} warps"),
            _ => format!("{blocks} blocks fit, {warps} of {max_warps} warps"),
        };
        format!(
            "on a multiprocessor of {target} {fit}; the limit is {}",
            limiters.join(" and ")
        )
    }
}

/// Which smaller figure, or which other block size, would reach the budget.
fn remedies(on: &OnTarget<'_>) -> Vec<String> {
    let mut remedies = Vec::new();
    if on.limited_by(Limiter::Registers) {
        let registers = (1..on.block.registers).rev().find(|registers| {
            on.enough(Block {
                registers: *registers,
                ..on.block
            })
        });
        remedies.add_all(registers.map(|registers| fewer_registers(on, registers)));
    }
    if on.limited_by(Limiter::SharedMemory) {
        let reaches = |static_shared| {
            on.enough(Block {
                static_shared,
                dynamic_shared: 0,
                ..on.block
            })
        };
        let bytes = largest(on.shared(), &reaches);
        remedies.add_all(bytes.map(|bytes| {
            let bytes = size::display(bytes);
            format!("with {bytes} of shared memory per block or less it would be reached")
        }));
    }
    let most = on.facts.block_threads().unwrap_or(u32::MAX);
    let other = by_block_size(on.limits, on.block)
        .filter(|(threads, reached)| {
            *threads <= most && reached.ratio() + TOLERANCE >= on.limit.min
        })
        .min_by_key(|(threads, _)| (threads.abs_diff(on.limit.block), *threads));
    if let Some((threads, reached)) = other {
        let reached = percent(reached.ratio());
        remedies.push(format!("blocks of {threads} threads would reach {reached}"));
    }
    remedies
}

/// The launch bounds that say what the budget says, where ptxas can follow them.
fn fewer_registers(on: &OnTarget<'_>, registers: u32) -> String {
    let warps = on.block.threads.div_ceil(32).max(1);
    let needed = (on.limit.min * f64::from(on.occupancy.max_warps) - TOLERANCE) / f64::from(warps);
    // At most 64 warps: the number is small and not negative.
    let blocks = needed.ceil().max(1.0) as u32;
    let threads = on.block.threads;
    let bounds = registers::limit(threads, blocks);
    if bounds <= registers && bounds >= registers::FEWEST {
        let fit = if blocks == 1 {
            "1 block fits".to_owned()
        } else {
            format!("{blocks} blocks fit")
        };
        return format!(
            "`__launch_bounds__({threads}, {blocks})` makes ptxas stay at {bounds} registers, so that {fit}, perhaps \
             at the price of spills"
        );
    }
    format!("with {registers} registers per thread or fewer it would be reached")
}

/// The largest number up to `most` for which `holds`, which holds for every number below one for which it does.
fn largest(most: u64, holds: &dyn Fn(u64) -> bool) -> Option<u64> {
    if !holds(0) {
        return None;
    }
    let (mut good, mut bad) = (0, most.saturating_add(1));
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if holds(middle) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Some(good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_number() {
        assert_eq!(largest(100, &|n| n <= 37), Some(37));
        assert_eq!(largest(100, &|_| true), Some(100));
        assert_eq!(largest(100, &|_| false), None);
        assert_eq!(largest(0, &|_| true), Some(0));
        assert_eq!(largest(u64::MAX, &|n| n < 5), Some(4));
    }
}
