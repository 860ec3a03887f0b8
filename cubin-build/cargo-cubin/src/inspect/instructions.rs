//! `--instructions`: how many instructions of each kind stand in a function, and with `--lines` in each line of its source.
//!
//! One table per cubin, one row per function. Counts are static; whether an instruction stands in a loop is not how often it
//! runs.

use std::{
    collections::BTreeMap,
    io::{self, Write},
};

use cubin_core::{
    Cubin, Function,
    escape::visible,
    sass::{Class, Code, Instruction, Loops, Mix, Space},
};

use super::{
    names::name_of,
    pieces::{self, File, Piece, PieceKind},
    selection::Selection,
    table::title,
};

const HEADS: [&str; 15] = [
    "total", "loop", "fp64", "fp32", "half", "int", "tensor", "special", "global", "shared",
    "local", "atomic", "barrier", "other", "unknown",
];

/// Explains the heads, once, below the last table.
pub(super) fn legend(out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "Instructions in the code, not how often they run; without padding and those whose predicate is never true.\n\
         loop: in a loop (N+: at least, as a branch goes to a computed address; ?: not known before sm_70).\n\
         fp64: all that computes or converts in double precision; matrix instructions (tensor), conversions (other) and\n\
         atomics among it stand in their own columns too.\n\
         global, shared, local: loads and stores; special: reciprocal, root, exponential, sine; tensor: matrix instructions."
    )
}

/// Writes the tables of a file; whether there was a row.
pub(super) fn write(
    file: &File<'_>,
    lines: bool,
    errors: &mut Vec<String>,
    out: &mut impl Write,
) -> io::Result<bool> {
    let mut rows = false;
    pieces::each(file, errors, |piece, errors| {
        let PieceKind::Cubin(bytes) = &piece.kind else {
            return Ok(());
        };
        match cubin(file.selection, &piece, bytes, lines, errors) {
            Ok((text, some)) => {
                rows |= some;
                out.write_all(text.as_bytes())
            }
            Err(error) => {
                errors.push(piece.error(&error));
                Ok(())
            }
        }
    })?;
    Ok(rows)
}

/// One row: its figures, and what they are of.
type Row = ([String; HEADS.len()], String);

fn cubin(
    selection: &Selection,
    piece: &Piece<'_>,
    bytes: &[u8],
    lines: bool,
    errors: &mut Vec<String>,
) -> cubin_core::Result<(String, bool)> {
    let cubin = Cubin::parse(bytes)?;
    let mut functions = cubin.functions()?;
    functions.retain(|function| selection.takes_function(function));
    if functions.is_empty() && selection.by_name() {
        return Ok((String::new(), false));
    }
    let mut text = title(piece, &cubin, bytes.len())?;
    let Some(codes) = cubin.codes(&functions)? else {
        text.push_str("  the instructions of this target are not known\n\n");
        return Ok((text, false));
    };
    if functions.is_empty() {
        text.push_str("  no functions\n\n");
        return Ok((text, false));
    }
    let sources = lines.then(|| Sources::read(&cubin));
    if let Some(Err(error)) = &sources {
        errors.push(format!("{}: {error}", piece.place));
    }
    let sources = sources.and_then(Result::ok).flatten();
    if lines && sources.is_none() {
        text.push_str("  no source lines: nvcc writes them with -lineinfo\n");
    }
    let mut rows: Vec<Row> = vec![(HEADS.map(str::to_owned), "function".to_owned())];
    for (function, code) in functions.iter().zip(&codes) {
        let counts = code.counts();
        let kind = if function.kernel { "" } else { "dev " };
        let name = format!("{kind}{}", name_of(function.symbol));
        rows.push((
            figures(&counts.all, counts.in_loops, counts.lower_bound),
            name,
        ));
        if let Some(sources) = &sources {
            rows.extend(by_line(sources, function, code));
        }
    }
    align(&rows, &mut text);
    Ok((text, true))
}

/// A row for each line of the source that has code in a function.
fn by_line(sources: &Sources, function: &Function<'_>, code: &Code<'_>) -> Vec<Row> {
    let loops = code.loops();
    let lower_bound = loops.as_ref().is_some_and(Loops::is_lower_bound);
    let mut rows: BTreeMap<Option<usize>, (u64, Mix, Mix)> = BTreeMap::new();
    for instruction in code.instructions().filter(|one| one.class.executes()) {
        let row = sources.row(function, &instruction);
        let (_, mix, looped) = rows
            .entry(row)
            .or_insert_with(|| (instruction.offset, Mix::default(), Mix::default()));
        mix.add(&instruction);
        if loops
            .as_ref()
            .is_some_and(|loops| loops.contains(instruction.offset))
        {
            looped.add(&instruction);
        }
    }
    // Code of one line can stand in several places.
    let mut lines: BTreeMap<String, (u64, Mix, Mix)> = BTreeMap::new();
    for (row, (offset, mix, looped)) in rows {
        let (first, all, all_looped) = lines
            .entry(sources.places(row))
            .or_insert_with(|| (offset, Mix::default(), Mix::default()));
        *first = offset.min(*first);
        *all += &mix;
        *all_looped += &looped;
    }
    let mut lines: Vec<_> = lines.into_iter().collect();
    // By the first instruction of each.
    lines.sort_by_key(|(_, (offset, ..))| *offset);
    let row = |(place, (_, mix, looped)): (String, (u64, Mix, Mix))| {
        let looped = loops.as_ref().map(|_| looped);
        (figures(&mix, looped, lower_bound), format!("  {place}"))
    };
    lines.into_iter().map(row).collect()
}

/// The columns of a mix; `looped` is that of the instructions that stand in loops, where these are known.
fn figures(mix: &Mix, looped: Option<Mix>, lower_bound: bool) -> [String; HEADS.len()] {
    let of = |classes: &[Class]| -> u64 { classes.iter().map(|class| mix.count(*class)).sum() };
    let memory = |space| mix.loads(space) + mix.stores(space);
    let columns = [
        mix.fp64(),
        of(&[Class::Fp32]),
        of(&[Class::Half]),
        of(&[Class::Integer]),
        of(&[Class::Tensor]),
        of(&[Class::Special]),
        memory(Space::Global),
        memory(Space::Shared),
        memory(Space::Local),
        of(&[Class::Atomic]),
        of(&[Class::Barrier]),
    ];
    let shown = of(&[
        Class::Fp64,
        Class::Fp32,
        Class::Half,
        Class::Integer,
        Class::Tensor,
        Class::Special,
        Class::Atomic,
        Class::Barrier,
        Class::Unknown,
    ]) + memory(Space::Global)
        + memory(Space::Shared)
        + memory(Space::Local);
    let total = mix.instructions();
    let in_loops = looped.map_or_else(
        || "?".to_owned(),
        |looped| {
            let more = if lower_bound { "+" } else { "" };
            format!("{}{more}", looped.instructions())
        },
    );
    let mut cells = vec![total.to_string(), in_loops];
    cells.extend(columns.map(|count| count.to_string()));
    cells.push(total.saturating_sub(shown).to_string());
    cells.push(mix.count(Class::Unknown).to_string());
    let mut cells = cells.into_iter();
    std::array::from_fn(|_| cells.next().unwrap_or_default())
}

fn align(rows: &[Row], text: &mut String) {
    let mut widths = [0; HEADS.len()];
    for (cells, _) in rows {
        for (width, cell) in widths.iter_mut().zip(cells) {
            *width = cell.len().max(*width);
        }
    }
    for (cells, name) in rows {
        text.push(' ');
        for (cell, width) in cells.iter().zip(widths) {
            text.push_str(&format!(" {cell:>width$}"));
        }
        text.push_str(&format!("  {name}\n"));
    }
    text.push('\n');
}

#[cfg(feature = "lines")]
struct Sources(cubin_core::lines::Lines);

#[cfg(feature = "lines")]
impl Sources {
    fn read(cubin: &Cubin<'_>) -> Result<Option<Self>, String> {
        let lines = cubin_core::lines::Lines::read(cubin);
        Ok(lines.map_err(|error| error.to_string())?.map(Self))
    }

    fn row(&self, function: &Function<'_>, instruction: &Instruction) -> Option<usize> {
        self.0.row(function.section, instruction.offset)
    }

    /// `gemm.cu:31`, and behind it the calls by which the line came here.
    fn places(&self, row: Option<usize>) -> String {
        let chain = row.map(|row| self.0.places(row)).unwrap_or_default();
        let mut places = chain
            .iter()
            .map(|place| format!("{}:{}", visible(&place.file), place.line));
        let Some(first) = places.next() else {
            return "no line".to_owned();
        };
        places.fold(first, |text, place| format!("{text}, inlined at {place}"))
    }
}

#[cfg(not(feature = "lines"))]
struct Sources;

#[cfg(not(feature = "lines"))]
impl Sources {
    fn read(_: &Cubin<'_>) -> Result<Option<Self>, String> {
        Err("this cargo-cubin was built without the feature `lines`".to_owned())
    }

    fn row(&self, _: &Function<'_>, _: &Instruction) -> Option<usize> {
        None
    }

    fn places(&self, _: Option<usize>) -> String {
        String::new()
    }
}
