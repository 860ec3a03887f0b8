//! What to do about a kernel over its budget.

use crate::{
    config::{Glob, Key},
    diag::Diag,
    policy::{Budget, Facts},
    source::Spanned,
};

/// Registers that each of the four partitions of a multiprocessor has for the threads of one warp lane: 65,536 registers
/// over 4 partitions and 32 lanes, on every compute capability from 5.0 to 12.1 (CUDA Programming Guide, technical
/// specifications).
const LANE_REGISTERS: u32 = 512;
/// Warps are spread over this many partitions.
const PARTITIONS: u32 = 4;
/// Registers are handed out to warps in units of 256, that is 8 per thread (same table).
const REGISTER_UNIT: u32 = 8;
/// Most registers that one thread can address (same table).
const MOST_REGISTERS: u32 = 255;
/// Below this, ptxas raises the limit (ptxas 13.5: "adjusting per thread register count of 16 to lower bound of 24").
pub(super) const FEWEST_REGISTERS: u32 = 24;
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
pub(super) fn register_limit(threads: u32, blocks: u32) -> u32 {
    let per_partition = warps(threads).saturating_mul(blocks).div_ceil(PARTITIONS);
    let limit = LANE_REGISTERS / per_partition.max(1) / REGISTER_UNIT * REGISTER_UNIT;
    limit.min(MOST_REGISTERS)
}

/// The smallest second argument of `__launch_bounds__` that keeps a kernel at `budget` registers, if one does on every
/// GPU.
fn blocks_for(threads: u32, budget: u64) -> Option<u32> {
    let most = (RESIDENT_THREADS / 32 / warps(threads)).min(RESIDENT_BLOCKS);
    (1..=most).find(|blocks| u64::from(register_limit(threads, *blocks)) <= budget)
}

/// What helps against a violated budget, short of raising it.
pub(super) fn remedy(facts: &Facts, budget: &Budget<'_>) -> Option<String> {
    let text = match budget.key {
        Key::Registers => return fewer_registers(facts, budget.limit.value),
        Key::Stack => {
            "arrays that are indexed at run time, calls that are not inlined and spills live on the stack: \
             unroll the loops over them, or mark callees `__forceinline__`"
        }
        Key::Spills if facts.resources.registers >= MOST_REGISTERS - 1 => {
            "the kernel is at the limit of 255 registers per thread: keep fewer values alive, for example by smaller \
             tiles, or split it"
        }
        Key::Spills if facts.block_threads().is_some() => {
            "fewer threads in `__launch_bounds__`, or fewer blocks in its second argument, leave more registers to \
             each thread"
        }
        Key::Spills => {
            "look for what limits the registers (`-maxrregcount` in the flags, `__maxnreg__`), and for loops whose \
             unrolling keeps many values alive"
        }
        Key::Params => "put the large struct in `__constant__` or global memory and pass a pointer",
        Key::StaticShared => {
            "use smaller tiles, or dynamic shared memory (`extern __shared__`), which the launch sizes and this \
             budget does not count"
        }
    };
    Some(text.to_owned())
}

fn fewer_registers(facts: &Facts, budget: u64) -> Option<String> {
    let threads = facts.block_threads().unwrap_or(USUAL_BLOCK);
    if let Some(blocks) = blocks_for(threads, budget).filter(|blocks| *blocks > 1) {
        return Some(format!(
            "`__launch_bounds__({threads}, {blocks})` makes ptxas stay at {} registers, perhaps at the price of \
             spills",
            register_limit(threads, blocks)
        ));
    }
    (budget >= FEWEST_REGISTERS.into()).then(|| {
        format!(
            "`__maxnreg__({budget})` makes ptxas stay at {budget} registers, perhaps at the price of spills (CUDA \
             12.4 or newer)"
        )
    })
}

/// How to raise a budget for one kernel: in the rule that is already its own, or in a new one.
pub(super) fn raise(facts: &Facts, budget: &Budget<'_>, value: u64) -> String {
    let key = budget.key.name();
    if is_own(facts, budget.pattern) {
        return format!("raise `{key}` to {value} in the kernel's [[rule]]");
    }
    format!(
        "give the kernel a budget of its own in cubin.toml:\n[[rule]]\nkernel = {}\n{key} = {value}\nreason = \
         \"why this kernel may\"",
        toml_string(&facts.name)
    )
}

/// Adds the way out that is always there, which follows with "or" on a remedy that was found.
pub(super) fn or_else(diag: Diag, way_out: &str) -> Diag {
    match diag.help.is_empty() {
        true => diag.help(way_out),
        false => diag.help(format!("or {way_out}")),
    }
}

/// Whether a rule is already the kernel's own.
pub(super) fn is_own(facts: &Facts, pattern: Option<&Spanned<Glob>>) -> bool {
    pattern.is_some_and(|pattern| {
        let pattern = pattern.value.as_str();
        pattern == facts.name || pattern == facts.symbol
    })
}

/// How to accept for one kernel that a figure is not known.
pub(super) fn allow(facts: &Facts, budget: &Budget<'_>) -> String {
    // A further rule would not win against one for a target.
    if is_own(facts, budget.pattern) && !budget.table.archs.is_empty() {
        return "set `level = \"allow\"` in the kernel's [[rule]]".to_owned();
    }
    format!(
        "accept it for this kernel in cubin.toml:\n[[rule]]\nkernel = {}\n{} = {}\nlevel = \"allow\"\nreason = \
         \"why this kernel may\"",
        toml_string(&facts.name),
        budget.key.name(),
        budget.limit.value
    )
}

/// `text` as a basic TOML string, quotes included.
pub(crate) fn toml_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
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
            assert_eq!(
                register_limit(threads, blocks),
                registers,
                "{threads} {blocks}"
            );
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

    #[test]
    fn toml_strings() {
        assert_eq!(
            toml_string("a\"b\\c\n\u{1}<é>"),
            "\"a\\\"b\\\\c\\n\\u0001<é>\""
        );
    }
}
