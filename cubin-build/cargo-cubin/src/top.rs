//! `cargo cubin top`: the kernels with the least occupancy, what limits it, and what a little less would buy.
//!
//! The figures are those of `cuda_occupancy.h` ([`cubin_core::occupancy`]): resident warps by the block that the source
//! declares, or by one that was asked for.

use std::{
    io::{BufWriter, Write as _},
    path::PathBuf,
    process::ExitCode,
};

use anyhow::{Context as _, bail};
use cubin_core::{
    escape::visible,
    occupancy::{Block, Limits, Occupancy, occupancy},
};

use crate::{
    facts::{Facts, SpillBytes, USUAL_BLOCK},
    files, inspect,
    project::{self, Selection},
};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Files with cubins; the kernels of the workspace otherwise
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Threads per block, instead of those that the source declares (256 where it declares none)
    #[arg(long, value_name = "THREADS", value_parser = clap::value_parser!(u32).range(1..=1024))]
    block: Option<u32>,
    /// Bytes of dynamic shared memory per block
    #[arg(long, value_name = "BYTES", default_value_t = 0)]
    dynamic_shared: u64,
    /// So many kernels; 0 is all
    #[arg(short, long, default_value_t = 20)]
    number: usize,
    /// One JSON object per line
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    selection: Selection,
}

pub(crate) fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut rows = Vec::new();
    let mut unknown = 0;
    for facts in kernels(args)? {
        match Row::new(facts, args) {
            Some(row) => rows.push(row),
            None => unknown += 1,
        }
    }
    rows.sort_by_cached_key(Row::rank);
    let all = rows.len();
    if args.number > 0 {
        rows.truncate(args.number);
    }
    let mut out = BufWriter::new(std::io::stdout().lock());
    if args.json {
        for row in &rows {
            writeln!(out, "{}", row.json())?;
        }
        out.flush()?;
        return Ok(ExitCode::SUCCESS);
    }
    writeln!(
        out,
        "{:<9} {:>9} {:>5} {:>9} {:>6} {:>7}  {:<28} kernel",
        "target", "occupancy", "block", "registers", "spills", "shared", "limited by"
    )?;
    for row in &rows {
        row.write(&mut out)?;
    }
    if rows.len() < all {
        writeln!(out, "and {} more: `--number 0` shows all", all - rows.len())?;
    }
    if unknown > 0 {
        let plural = if unknown == 1 { "" } else { "s" };
        writeln!(
            out,
            "{unknown} kernel{plural} for targets whose limits are not known"
        )?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

fn kernels(args: &Args) -> anyhow::Result<Vec<Facts>> {
    let mut all = Vec::new();
    if args.files.is_empty() {
        for report in project::reports(&args.selection)?.reports {
            all.extend(report.kernels);
        }
    }
    for path in &args.files {
        let bytes = files::open(path).with_context(|| files::shown(path))?;
        all.extend(inspect::facts(path, &bytes)?);
    }
    all.retain(|facts| facts.kernel);
    if all.is_empty() {
        let names: Vec<String> = args.files.iter().map(|path| files::shown(path)).collect();
        bail!("no kernel in {}", names.join(", "));
    }
    Ok(all)
}

/// A kernel on a target.
struct Row {
    facts: Facts,
    limits: &'static Limits,
    block: Block,
    occupancy: Occupancy,
    gain: Option<Gain>,
}

/// What a little less of a resource would buy.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Gain {
    /// What there must be less of.
    pub(crate) what: &'static str,
    /// By so much.
    pub(crate) less: u64,
    /// Resident warps then.
    pub(crate) warps: u32,
}

impl Row {
    /// `None` where the target's limits are not known.
    fn new(facts: Facts, args: &Args) -> Option<Self> {
        let limits = facts.limits()?;
        let threads = args.block.or_else(|| facts.declared_block());
        let mut block = facts.block(threads.unwrap_or(USUAL_BLOCK));
        block.dynamic_shared = args.dynamic_shared;
        let occupancy = occupancy(limits, &block);
        Some(Self {
            gain: gain(limits, &block),
            facts,
            limits,
            block,
            occupancy,
        })
    }

    /// The least occupancy first, then what could gain most, then what takes most.
    fn rank(
        &self,
    ) -> (
        u64,
        std::cmp::Reverse<u32>,
        std::cmp::Reverse<u32>,
        String,
        String,
    ) {
        let gained = self.gain.as_ref().map_or(0, |gain| gain.warps);
        (
            self.share(),
            std::cmp::Reverse(gained),
            std::cmp::Reverse(self.block.registers),
            self.facts.name().to_owned(),
            self.facts.target.clone(),
        )
    }

    /// Thousandths.
    fn share(&self) -> u64 {
        let warps = u64::from(self.occupancy.warps).saturating_mul(1000);
        warps
            .checked_div(self.limits.warps.into())
            .unwrap_or_default()
    }

    fn limited_by(&self) -> Vec<String> {
        let limiters = self.occupancy.limiters();
        limiters.map(|limiter| limiter.to_string()).collect()
    }

    fn write(&self, out: &mut impl std::io::Write) -> std::io::Result<()> {
        let share = self.share();
        let spills = self.facts.spill_bytes.map(SpillBytes::total);
        writeln!(
            out,
            "{:<9} {:>7}.{} {:>5} {:>9} {:>6} {:>7}  {:<28} {}",
            self.facts.target,
            share / 10,
            share % 10,
            self.block.threads,
            self.block.registers,
            spills.map_or_else(|| "?".to_owned(), |bytes| bytes.to_string()),
            self.facts.static_shared,
            self.limited_by().join(", "),
            visible(self.facts.name()),
        )?;
        if let Some(gain) = &self.gain {
            let percent = u64::from(gain.warps).saturating_mul(1000);
            let percent = percent
                .checked_div(self.limits.warps.into())
                .unwrap_or_default();
            writeln!(
                out,
                "{:<9} {:>7}.{} with {} {} less",
                "",
                percent / 10,
                percent % 10,
                gain.less,
                gain.what,
            )?;
        }
        Ok(())
    }

    fn json(&self) -> String {
        let gain = self.gain.as_ref().map(
            |gain| serde_json::json!({ "less": gain.less, "of": gain.what, "warps": gain.warps }),
        );
        let row = serde_json::json!({
            "name": self.facts.name(),
            "function": self.facts.function,
            "target": self.facts.target,
            "block": self.block.threads,
            "warps": self.occupancy.warps,
            "max_warps": self.limits.warps,
            "limited_by": self.limited_by(),
            "registers": self.block.registers,
            "static_shared": self.facts.static_shared,
            "dynamic_shared": self.block.dynamic_shared,
            "gain": gain,
        });
        cubin_core::escape::visible_json(&row.to_string()).into_owned()
    }
}

/// The least step that makes more warps resident: fewer registers, or less shared memory.
pub(crate) fn gain(limits: &Limits, block: &Block) -> Option<Gain> {
    let now = occupancy(limits, block).warps;
    let with = |block: &Block| occupancy(limits, block).warps;
    let registers = (1..block.registers).find_map(|less| {
        let warps = with(&Block {
            registers: block.registers - less,
            ..*block
        });
        (warps > now).then_some(Gain {
            what: "registers",
            less: less.into(),
            warps,
        })
    });
    if registers.is_some() {
        return registers;
    }
    let shared = block.static_shared.saturating_add(block.dynamic_shared);
    let left = |less: u64| {
        let left = shared.saturating_sub(less);
        with(&Block {
            static_shared: left,
            dynamic_shared: 0,
            ..*block
        })
    };
    // Less shared memory never means fewer warps, so the least step is found by halving.
    if shared == 0 || left(shared) <= now {
        return None;
    }
    let (mut too_little, mut enough) = (0, shared);
    while enough - too_little > 1 {
        let middle = too_little + (enough - too_little) / 2;
        if left(middle) > now {
            enough = middle;
        } else {
            too_little = middle;
        }
    }
    Some(Gain {
        what: "bytes of shared memory",
        less: enough,
        warps: left(enough),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hopper() -> &'static Limits {
        Limits::of(cubin_core::Sm::new(90)).expect("limits")
    }

    #[test]
    fn the_least_step_that_buys_warps() {
        let block = Block {
            threads: 256,
            registers: 66,
            static_shared: 0,
            dynamic_shared: 0,
            barriers: 0,
        };
        // 65 to 72 registers are 72 each: three blocks. 64 allow four.
        let found = gain(hopper(), &block);
        let expected = Gain {
            what: "registers",
            less: 2,
            warps: 32,
        };
        assert_eq!(found, Some(expected));
        let full = Block {
            registers: 32,
            ..block
        };
        assert_eq!(gain(hopper(), &full), None);
        let shared = Block {
            registers: 32,
            static_shared: 40_000,
            ..block
        };
        let found = gain(hopper(), &shared).expect("a gain");
        assert_eq!(found.what, "bytes of shared memory");
        let with = |less| {
            let block = Block {
                static_shared: 40_000 - less,
                ..shared
            };
            occupancy(hopper(), &block).warps
        };
        assert!(with(found.less) > with(found.less - 1));
        assert_eq!(with(found.less), found.warps);
    }
}
