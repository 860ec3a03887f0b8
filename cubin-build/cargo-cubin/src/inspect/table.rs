//! The human view: one table per cubin, one row per function; unknown figures as `?`.

use std::io::{self, Write};

use cubin_core::{Cubin, Function, Params, cubin::ObjectKind};

use super::{
    names::name_of,
    pieces::{self, File, Piece, PieceKind},
    selection::Selection,
};

const HEADS: [&str; 7] = [
    "registers",
    "stack",
    "spills",
    "shared",
    "params",
    "barriers",
    "code",
];

/// Explains the heads, once, below the last table.
pub(super) fn legend(out: &mut impl Write) -> io::Result<()> {
    writeln!(
        out,
        "registers, stack, spills per thread; shared, params per launch; code per function. Bytes, but for registers\n\
         and barriers (counts) and spills (instructions); shared is static and without what the system reserves.\n\
         +: dynamic shared memory may come on top; a cubin never says for certain that a kernel uses some.\n\
         ?: the file does not say. dev: a device function, not a kernel."
    )
}

/// Writes the tables of a file; whether there was a row.
pub(super) fn write(
    file: &File<'_>,
    errors: &mut Vec<String>,
    out: &mut impl Write,
) -> io::Result<bool> {
    let mut rows = false;
    pieces::each(file, errors, |piece, errors| match &piece.kind {
        PieceKind::Cubin(bytes) => match cubin(file.selection, &piece, bytes) {
            Ok((text, some)) => {
                rows |= some;
                out.write_all(text.as_bytes())
            }
            Err(error) => {
                errors.push(piece.error(&error));
                Ok(())
            }
        },
        // It holds functions, but not as machine code.
        PieceKind::Other(..) if file.selection.by_name() => Ok(()),
        PieceKind::Other(kind, arch) => {
            let target = arch.map(|arch| arch.to_string());
            let target = target.unwrap_or_else(|| "an unknown target".to_owned());
            writeln!(out, "{}: {kind} for {target}\n", piece.place)
        }
    })?;
    Ok(rows)
}

fn cubin(
    selection: &Selection,
    piece: &Piece<'_>,
    bytes: &[u8],
) -> cubin_core::Result<(String, bool)> {
    let cubin = Cubin::parse(bytes)?;
    let mut functions = cubin.functions()?;
    functions.retain(|function| selection.takes_function(function));
    if functions.is_empty() && selection.by_name() {
        return Ok((String::new(), false));
    }
    let mut text = title(piece, &cubin, bytes.len())?;
    if functions.is_empty() {
        text.push_str("  no functions\n\n");
        return Ok((text, false));
    }
    let rows: Vec<[String; HEADS.len()]> = std::iter::once(HEADS.map(str::to_owned))
        .chain(functions.iter().map(row))
        .collect();
    let mut widths = [0; HEADS.len()];
    for row in &rows {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = cell.len().max(*width);
        }
    }
    let kinds =
        std::iter::once(("", "function".to_owned())).chain(functions.iter().map(|function| {
            (
                if function.kernel { "" } else { "dev " },
                name_of(function.symbol),
            )
        }));
    for (row, (kind, name)) in rows.iter().zip(kinds) {
        text.push(' ');
        for (cell, width) in row.iter().zip(widths) {
            text.push_str(&format!(" {cell:>width$}"));
        }
        text.push_str(&format!("  {kind}{name}\n"));
    }
    text.push('\n');
    Ok((text, true))
}

/// The line above a cubin's table.
pub(super) fn title(
    piece: &Piece<'_>,
    cubin: &Cubin<'_>,
    length: usize,
) -> cubin_core::Result<String> {
    let mut text = format!("{}: {}", piece.place, cubin.target()?);
    if let Some((major, minor)) = cubin.toolkit()? {
        text.push_str(&format!(", CUDA {major}.{minor}"));
    }
    text.push_str(&format!(", {}", size(length as u64)));
    match cubin.kind() {
        ObjectKind::Relocatable => text.push_str(", relocatable: figures are final after linking"),
        ObjectKind::ExtensibleWholeProgram => text.push_str(", extensible whole program"),
        ObjectKind::Executable | ObjectKind::Other(_) => {}
    }
    text.push('\n');
    Ok(text)
}

fn row(function: &Function<'_>) -> [String; HEADS.len()] {
    let known =
        |value: Option<u32>| value.map_or_else(|| "?".to_owned(), |value| value.to_string());
    let resources = &function.resources;
    let params = match &function.params {
        Params::Recorded { size, .. } => size.to_string(),
        Params::NotRecorded if function.kernel => "?".to_owned(),
        Params::NotRecorded => "-".to_owned(),
    };
    [
        resources.registers.to_string(),
        known(resources.stack.bytes()),
        known(resources.spill_instructions),
        match resources.dynamic_shared {
            None if function.kernel => format!("{}+", resources.static_shared),
            _ => resources.static_shared.to_string(),
        },
        params,
        known(resources.barriers.map(u32::from)),
        resources.code_bytes.to_string(),
    ]
}

/// Bytes for people: `5168 B`, `1.2 MiB`.
pub(crate) fn size(bytes: u64) -> String {
    const KIB: f64 = 1024.0;
    #[expect(clippy::cast_precision_loss, reason = "shown with one digit")]
    let value = bytes as f64;
    match bytes {
        0..10_240 => format!("{bytes} B"),
        10_240..1_048_576 => format!("{:.1} KiB", value / KIB),
        _ => format!("{:.1} MiB", value / KIB / KIB),
    }
}
