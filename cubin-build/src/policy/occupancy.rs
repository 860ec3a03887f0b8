//! The occupancy budget: `occupancy = { block = 256, min = 0.25 }`.
//!
//! Unlike the other budgets it is a floor, and its figure follows from all the others and the GPU: it is computed by
//! `cubin-core` from the limits of the compute capability.

use crate::sorted;
use cubin_core::{
    arch::Sm,
    occupancy::{Block, Limiter, Limits, Occupancy, by_block_size, occupancy},
};

use super::{
    Facts,
    baseline::{Baseline, Figure, Recorded, Value},
    findings::{budget_label, reason, targets_text},
    help::{is_own, or_else, register_limit, toml_string},
    resolve::{OccupancyBudget, Selection},
};
use crate::{
    config,
    diag::{Diag, Level, codes},
};

/// Shares are decimal fractions in cubin.toml and fractions of 48 or 64 on the GPU.
const TOLERANCE: f64 = 1e-6;

/// Occupancy of the kernel with blocks of `threads` threads; `None` where the target's limits are not known.
pub(super) fn of(facts: &Facts, threads: u32, dynamic_shared: u64) -> Option<Occupancy> {
    let limits = Limits::of(facts.target)?;
    Some(occupancy(limits, &block(facts, threads, dynamic_shared)))
}

fn block(facts: &Facts, threads: u32, dynamic_shared: u64) -> Block {
    Block {
        threads,
        registers: facts.resources.registers,
        static_shared: facts.resources.static_shared,
        dynamic_shared,
        barriers: facts.resources.barriers.unwrap_or(0).into(),
    }
}

/// A share for people: `18.8 %`, `25 %`.
pub(super) fn percent(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

/// Tenths of a percent, rounded down: a kernel reaches what is written this way.
fn per_mille(share: f64) -> u64 {
    // A share is 0 to 1.
    (share * 1000.0 + TOLERANCE).floor() as u64
}

/// What the baseline records of the kernel under this budget; nothing when it keeps it.
pub(super) fn below(facts: &Facts, limit: &config::Occupancy) -> Option<Value> {
    let Some(on) = OnTarget::new(facts, limit) else {
        return Some(Value::Unknown);
    };
    (!on.keeps(limit)).then(|| Value::Known(per_mille(on.share())))
}

/// Findings for one kernel; `selections` are those of `on_targets`.
pub(super) fn check<'a>(
    on_targets: &[&'a Facts],
    selections: &[Selection<'a>],
    baseline: Option<&'a Baseline>,
    diags: &mut Vec<Diag>,
) {
    let mut low: Vec<LowOccupancy<'_>> = Vec::new();
    let mut unknown: Vec<UnknownOccupancy<'_>> = Vec::new();
    for (&facts, selection) in on_targets.iter().zip(selections) {
        let Some(budget) = selection.occupancy() else {
            continue;
        };
        let same = |other: &OccupancyBudget<'_>| {
            std::ptr::eq(other.limit, budget.limit) && other.level == budget.level
        };
        let limit = &budget.limit.value;
        let Some(now) = below(facts, limit) else {
            continue;
        };
        let baseline = baseline.filter(|_| budget.level > Level::Allow);
        if let Some(recorded) =
            baseline.and_then(|file| file.accepts(facts, Figure::Occupancy, now))
        {
            let accepted = AcceptedOccupancy {
                budget,
                facts,
                now,
                recorded,
            };
            diags.push(accepted.into());
            continue;
        }
        let Some(mut on) = OnTarget::new(facts, limit) else {
            match unknown.iter_mut().find(|found| same(&found.budget)) {
                Some(found) => found.on.push(facts),
                None => unknown.push(UnknownOccupancy {
                    budget,
                    on: vec![facts],
                }),
            }
            continue;
        };
        on.baseline =
            baseline.and_then(|file| file.get(&facts.name, facts.target, Figure::Occupancy));
        match low.iter_mut().find(|found| same(&found.budget)) {
            Some(found) => found.on.push(on),
            None => low.push(LowOccupancy {
                budget,
                on: vec![on],
            }),
        }
    }
    for finding in &mut low {
        sorted::sort_by(&mut finding.on, |a, b| a.share().total_cmp(&b.share()));
    }
    diags.extend(low.into_iter().map(Diag::from));
    diags.extend(unknown.into_iter().map(Diag::from));
}

/// A kernel on a target, with the block of its budget.
struct OnTarget<'a> {
    facts: &'a Facts,
    limits: &'static Limits,
    block: Block,
    occupancy: Occupancy,
    /// What the baseline allows, where it records the kernel.
    baseline: Option<&'a Recorded>,
}

impl<'a> OnTarget<'a> {
    /// Nothing where the target's limits are not known.
    fn new(facts: &'a Facts, limit: &config::Occupancy) -> Option<Self> {
        let limits = Limits::of(facts.target)?;
        let block = block(facts, limit.block, limit.dynamic_shared);
        Some(Self {
            facts,
            limits,
            block,
            occupancy: occupancy(limits, &block),
            baseline: None,
        })
    }

    fn keeps(&self, limit: &config::Occupancy) -> bool {
        self.share() + TOLERANCE >= limit.min
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

    /// Occupancy if the block took something else.
    fn with(&self, block: Block) -> f64 {
        occupancy(self.limits, &block).ratio()
    }
}

/// Too few warps of a kernel fit on a multiprocessor, on one target or several.
struct LowOccupancy<'a> {
    budget: OccupancyBudget<'a>,
    /// The targets on which that is so, worst first; never empty.
    on: Vec<OnTarget<'a>>,
}

impl From<LowOccupancy<'_>> for Diag {
    fn from(finding: LowOccupancy<'_>) -> Self {
        let LowOccupancy { budget, on } = finding;
        let worst = &on[0];
        let limit = &budget.limit.value;
        let threads = limit.block;
        let name = &worst.facts.name;
        let as_bad: Vec<Sm> = on
            .iter()
            .filter(|other| other.share() == worst.share())
            .map(|other| other.facts.target)
            .collect();
        let mut message = format!(
            "kernel `{name}` reaches {} occupancy with blocks of {threads} threads on {}",
            percent(worst.share()),
            targets_text(&as_bad)
        );
        let others: Vec<String> = on[as_bad.len()..]
            .iter()
            .map(|other| format!("{} on {}", percent(other.share()), other.facts.target))
            .collect();
        if !others.is_empty() {
            message.push_str(&format!(" ({})", others.join(", ")));
        }
        message.push_str(&format!(", budget is {}", percent(limit.min)));
        if let Some(recorded) = worst.baseline {
            let recorded = Figure::Occupancy.display(recorded.value);
            message.push_str(&format!(", baseline is {recorded}"));
        }
        let mut diag = Self::new(codes::OCCUPANCY_BELOW_BUDGET, budget.level, message)
            .kernel(name)
            .at_place(worst.facts.place.as_ref(), figures(worst));
        diag = budget_label(diag, &budget.limit.span, budget.table, budget.pattern);
        if let Some(span) = worst.baseline.and_then(|recorded| recorded.span.clone()) {
            diag = diag.because(span, "no worse than this was accepted");
        }
        diag = diag.note(limits_text(worst));
        diag = reason(diag, budget.table);
        for help in remedies(worst, limit) {
            diag = diag.help(help);
        }
        or_else(diag, &lower(worst, &budget))
    }
}

/// What the picture says at the kernel's name.
fn figures(on: &OnTarget<'_>) -> String {
    let mut text = format!(
        "{} registers, {} bytes of shared memory per block",
        on.block.registers,
        on.block
            .static_shared
            .saturating_add(on.block.dynamic_shared)
    );
    if let Some(threads) = on.facts.block_threads() {
        text.push_str(&format!(", launch bounds {threads}"));
    }
    text
}

/// What fits, and what allows no more.
fn limits_text(on: &OnTarget<'_>) -> String {
    let target = on.facts.target;
    let Occupancy {
        blocks,
        warps,
        max_warps,
        ..
    } = on.occupancy;
    if on.too_large() {
        let most = on.facts.block_threads().unwrap_or(0);
        return format!(
            "`__launch_bounds__({most})` forbids blocks of {} threads",
            on.block.threads
        );
    }
    let limiters: Vec<String> = on
        .occupancy
        .limiters()
        .map(|limiter| limiter.to_string())
        .collect();
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

/// Which smaller figure, or which other block size, would reach the budget.
fn remedies(on: &OnTarget<'_>, limit: &config::Occupancy) -> Vec<String> {
    let enough = |block: Block| on.with(block) + TOLERANCE >= limit.min;
    let limited_by = |wanted: Limiter| on.occupancy.limiters().any(|limiter| limiter == wanted);
    let mut remedies = Vec::new();
    if !on.too_large() && limited_by(Limiter::Registers) {
        let registers = (1..on.block.registers).rev().find(|registers| {
            enough(Block {
                registers: *registers,
                ..on.block
            })
        });
        if let Some(registers) = registers {
            remedies.push(fewer_registers(on, limit, registers));
        }
    }
    let shared = on
        .block
        .static_shared
        .saturating_add(on.block.dynamic_shared);
    if !on.too_large() && limited_by(Limiter::SharedMemory) {
        let reaches = |static_shared| {
            enough(Block {
                static_shared,
                dynamic_shared: 0,
                ..on.block
            })
        };
        if let Some(bytes) = largest(shared, reaches) {
            remedies.push(format!(
                "with {} of shared memory per block or less it would be reached",
                config::size::display(bytes)
            ));
        }
    }
    let most = on.facts.block_threads().unwrap_or(u32::MAX);
    let other = by_block_size(on.limits, on.block)
        .filter(|(threads, reached)| *threads <= most && reached.ratio() + TOLERANCE >= limit.min)
        .min_by_key(|(threads, _)| (threads.abs_diff(limit.block), *threads));
    if let Some((threads, reached)) = other {
        remedies.push(format!(
            "blocks of {threads} threads would reach {}",
            percent(reached.ratio())
        ));
    }
    remedies
}

/// The launch bounds that say what the budget says, where ptxas can follow them.
fn fewer_registers(on: &OnTarget<'_>, limit: &config::Occupancy, registers: u32) -> String {
    let warps = on.block.threads.div_ceil(32).max(1);
    let needed = (limit.min * f64::from(on.occupancy.max_warps) - TOLERANCE) / f64::from(warps);
    // At most 64 warps: the number is small and not negative.
    let blocks = needed.ceil().max(1.0) as u32;
    let threads = on.block.threads;
    let bounds = register_limit(threads, blocks);
    if bounds <= registers && bounds >= super::help::FEWEST_REGISTERS {
        return format!(
            "`__launch_bounds__({threads}, {blocks})` makes ptxas stay at {bounds} registers, so that {blocks} blocks \
             fit, perhaps at the price of spills"
        );
    }
    format!("with {registers} registers per thread or fewer it would be reached")
}

/// The largest number up to `most` for which `holds`, which holds for every number below one for which it does.
fn largest(most: u64, holds: impl Fn(u64) -> bool) -> Option<u64> {
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

/// How to ask for less of one kernel.
fn lower(on: &OnTarget<'_>, budget: &OccupancyBudget<'_>) -> String {
    let limit = &budget.limit.value;
    let min = per_mille(on.share()) as f64 / 1000.0;
    if is_own(on.facts, budget.pattern) {
        return match min > 0.0 {
            true => format!("lower `min` to {min} in the kernel's [[rule]]"),
            false => "set `level = \"allow\"` in the kernel's [[rule]]".to_owned(),
        };
    }
    let table = format!("[[rule]]\nkernel = {}\n", toml_string(&on.facts.name));
    let dynamic = match limit.dynamic_shared {
        0 => String::new(),
        bytes => format!(", dynamic-shared = {bytes}"),
    };
    let why = "reason = \"why this kernel may\"";
    if min <= 0.0 {
        return format!(
            "accept it for this kernel in cubin.toml:\n{table}occupancy = {{ block = {}, min = {}{dynamic} }}\nlevel \
             = \"allow\"\n{why}",
            limit.block, limit.min
        );
    }
    format!(
        "give the kernel a budget of its own in cubin.toml:\n{table}occupancy = {{ block = {}, min = {min}{dynamic} \
         }}\n{why}",
        limit.block
    )
}

/// A kernel is below its budget and no worse than the baseline records.
struct AcceptedOccupancy<'a> {
    budget: OccupancyBudget<'a>,
    facts: &'a Facts,
    now: Value,
    recorded: &'a Recorded,
}

impl From<AcceptedOccupancy<'_>> for Diag {
    fn from(finding: AcceptedOccupancy<'_>) -> Self {
        let facts = finding.facts;
        let limit = &finding.budget.limit.value;
        let message = format!(
            "kernel `{}` has {} occupancy with blocks of {} threads on {}, budget is {}, baseline is {}",
            facts.name,
            Figure::Occupancy.display(finding.now),
            limit.block,
            facts.target,
            percent(limit.min),
            Figure::Occupancy.display(finding.recorded.value)
        );
        Self::new(codes::BASELINE_ACCEPTED, Level::Allow, message)
            .kernel(&facts.name)
            .at_place(facts.place.as_ref(), "")
    }
}

/// A kernel has an occupancy budget on a target of which nothing is known.
struct UnknownOccupancy<'a> {
    budget: OccupancyBudget<'a>,
    /// The targets; never empty.
    on: Vec<&'a Facts>,
}

impl From<UnknownOccupancy<'_>> for Diag {
    fn from(finding: UnknownOccupancy<'_>) -> Self {
        let UnknownOccupancy { budget, on } = finding;
        let facts = on[0];
        let targets: Vec<Sm> = on.iter().map(|facts| facts.target).collect();
        let known: Vec<String> = Limits::all()
            .iter()
            .map(|limits| format!("sm_{}", limits.sm))
            .collect();
        let diag = Self::new(
            codes::OCCUPANCY_UNKNOWN,
            budget.level,
            format!(
                "occupancy of kernel `{}` is not known on {}, budget is {}",
                facts.name,
                targets_text(&targets),
                percent(budget.limit.value.min)
            ),
        )
        .kernel(&facts.name)
        .at_place(facts.place.as_ref(), "");
        let diag = budget_label(diag, &budget.limit.span, budget.table, budget.pattern)
            .note(format!("limits are known for {}", known.join(", ")));
        reason(diag, budget.table)
            .help("restrict the budget to other targets with `arch` in its [[rule]]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percents() {
        assert_eq!(percent(0.1875), "18.8 %");
        assert_eq!(percent(0.25), "25 %");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(1.0), "100 %");
    }

    #[test]
    fn largest_number() {
        assert_eq!(largest(100, |n| n <= 37), Some(37));
        assert_eq!(largest(100, |_| true), Some(100));
        assert_eq!(largest(100, |_| false), None);
        assert_eq!(largest(0, |_| true), Some(0));
        assert_eq!(largest(u64::MAX, |n| n < 5), Some(4));
    }
}
