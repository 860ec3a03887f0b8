//! What the machine code of kernels is made of, for the budgets that ask.

use std::path::{Path, PathBuf};

use cubin_core::{
    Cubin, Function, Sm,
    lines::Lines,
    sass::{Class, Code, Instruction, Mix, Space},
};

use super::calls::Calls;
use crate::{
    kernel::{CodeLine, Counted, Instructions},
    lists::CollectVec,
    sorted::{self, Map},
    toolkit::Toolkit,
};

/// Lines that are kept of each kind: messages show fewer.
const MOST_LINES: usize = 4;

/// Before, loops are not known.
const LOOPS_FROM: u16 = 70;

type Counts = [u64; Counted::COUNT];

/// One function's share.
#[derive(Default)]
struct Own {
    /// Without lines.
    total: Instructions,
    /// By row of the line table; none for code that belongs to no line.
    rows: Map<Option<usize>, Counts>,
}

impl Own {
    fn of(function: &Function<'_>, code: &Code<'_>, target: Sm, lines: Option<&Lines>) -> Self {
        let mut own = Self::default();
        let loops = code.loops();
        let total = &mut own.total;
        total.more_in_loops = target.number < LOOPS_FROM
            || loops.as_ref().is_some_and(|loops| loops.is_lower_bound());
        for instruction in code.instructions().filter(|one| one.class.executes()) {
            let in_loop = loops
                .as_ref()
                .is_some_and(|loops| loops.contains(instruction.offset));
            let counts = kinds(&instruction, in_loop);
            let is_unknown_width = is_global(&instruction) && bytes(&instruction).is_none();
            total.unknown += u64::from(instruction.class == Class::Unknown);
            total.unknown_width += u64::from(is_unknown_width);
            // What a called function does in the loop is not found.
            total.more_in_loops |= in_loop && is_call(&instruction);
            add(&mut total.counts, &counts);
            if let Some(lines) = lines {
                let row = lines.row(function.section, instruction.offset);
                add(own.rows.or_default(row), &counts);
            }
        }
        own
    }
}

/// The instructions of a cubin.
pub(super) struct Counter<'a> {
    /// Of each function, by symbol index; none for a target whose instructions are not known.
    functions: Option<Map<u32, Own>>,
    calls: Calls,
    lines: Option<Lines>,
    no_lines: Option<String>,
    toolkit: Option<&'a Toolkit>,
}

impl<'a> Counter<'a> {
    /// # Errors
    /// The cubin's code or its call graph is damaged. Damaged source lines are no error: messages do without.
    pub(super) fn new(
        cubin: &Cubin<'_>,
        functions: &[Function<'_>],
        target: Sm,
        toolkit: Option<&'a Toolkit>,
    ) -> cubin_core::Result<Self> {
        let (lines, no_lines) = match Lines::read(cubin) {
            Ok(lines) => (lines, None),
            Err(error) => (None, Some(error.to_string())),
        };
        let codes = cubin.codes(functions)?;
        let functions = codes.map(|codes| {
            let mut counted = Map::new();
            for (function, code) in functions.iter().zip(&codes) {
                let own = Own::of(function, code, target, lines.as_ref());
                counted.insert(function.symbol_index, own);
            }
            counted
        });
        Ok(Self {
            functions,
            calls: Calls::read(cubin)?,
            lines,
            no_lines,
            toolkit,
        })
    }

    /// Those of a kernel and of the functions that it calls.
    pub(super) fn of(&self, kernel: &Function<'_>) -> Option<Instructions> {
        let functions = self.functions.as_ref()?;
        let mut found = Instructions::default();
        let mut rows: Map<Option<usize>, Counts> = Map::new();
        let mut called = self.calls.reached(kernel.symbol_index);
        called.push(kernel.symbol_index);
        for own in called.iter().filter_map(|symbol| functions.get(symbol)) {
            add(&mut found.counts, &own.total.counts);
            found.unknown += own.total.unknown;
            found.unknown_width += own.total.unknown_width;
            found.more_in_loops |= own.total.more_in_loops;
            for (row, counts) in &own.rows {
                add(rows.or_default(*row), counts);
            }
        }
        found.no_lines.clone_from(&self.no_lines);
        found.lines = self.lines(&rows);
        Some(found)
    }

    /// The lines with most of each kind.
    fn lines(&self, rows: &Map<Option<usize>, Counts>) -> Vec<CodeLine> {
        let Some(lines) = &self.lines else {
            return Vec::new();
        };
        // Code of one line may stand in several rows.
        let mut by_line: Map<(PathBuf, u32), Counts> = Map::new();
        let mut order = Vec::new();
        for (row, counts) in rows {
            let Some(line) = row.and_then(|row| self.own_line(lines, row)) else {
                continue;
            };
            if by_line.get(&line).is_none() {
                order.push(line.clone());
            }
            add(by_line.or_default(line), counts);
        }
        let mut kept = vec![false; order.len()];
        for kind in 0..Counted::COUNT {
            let count = |at: &usize| by_line.get(&order[*at]).map_or(0, |counts| counts[kind]);
            let mut most: Vec<usize> = (0..order.len()).filter(|at| count(at) > 0).collect_vec();
            sorted::sort_by(&mut most, |a, b| count(b).cmp(&count(a)));
            for at in most.iter().take(MOST_LINES) {
                kept[*at] = true;
            }
        }
        let mut found = Vec::new();
        for (line, _) in order.into_iter().zip(kept).filter(|(_, kept)| *kept) {
            let counts = by_line.get(&line).copied().unwrap_or_default();
            let (file, line) = line;
            found.push(CodeLine {
                file,
                line,
                counts,
                place: None,
            });
        }
        found
    }

    /// The innermost line that is not the toolkit's: what a user can change.
    fn own_line(&self, lines: &Lines, row: usize) -> Option<(PathBuf, u32)> {
        let chain = lines.places(row);
        let is_own = |file: &str| {
            !self
                .toolkit
                .is_some_and(|toolkit| toolkit.owns(Path::new(file)))
        };
        let own = chain.iter().find(|place| is_own(&place.file));
        let place = own.or(chain.last())?;
        // 0 is code that no line asked for.
        let line = u32::try_from(place.line).ok().filter(|line| *line > 0)?;
        Some((PathBuf::from(&*place.file), line))
    }
}

fn add(counts: &mut Counts, more: &Counts) {
    for (count, more) in counts.iter_mut().zip(more) {
        *count += more;
    }
}

/// What an instruction counts as.
fn kinds(instruction: &Instruction, in_loop: bool) -> Counts {
    let mut mix = Mix::default();
    mix.add(instruction);
    let mut counts = [0; Counted::COUNT];
    let mut set = |what: Counted, count: u64| counts[what as usize] = count;
    set(Counted::All, 1);
    set(Counted::Fp64, mix.fp64());
    set(Counted::Fp64InLoops, if in_loop { mix.fp64() } else { 0 });
    set(Counted::LocalLoads, mix.loads(Space::Local));
    set(Counted::Tensor, mix.count(Class::Tensor));
    set(Counted::Atomics, mix.count(Class::Atomic));
    if is_global(instruction) {
        set(Counted::Global, 1);
        let narrow = bytes(instruction).is_some_and(|bytes| bytes <= 4);
        set(Counted::NarrowGlobal, narrow.into());
    }
    counts
}

fn is_global(instruction: &Instruction) -> bool {
    instruction
        .access
        .is_some_and(|access| access.space == Space::Global)
}

fn bytes(instruction: &Instruction) -> Option<u8> {
    instruction.access?.bytes
}

fn is_call(instruction: &Instruction) -> bool {
    let name = instruction.mnemonic.map_or("", |mnemonic| mnemonic.name());
    name.starts_with("CALL")
}
