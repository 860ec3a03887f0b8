//! `--json`: one line per function, in the schema of [`cubin_core::json`].

use std::io::{self, Write};

use cubin_core::{
    Cubin,
    json::{self, Facts, Found},
};

use super::pieces::{self, File, Piece, PieceKind};

/// Writes the lines of a file; whether there was one.
pub(super) fn write(
    file: &File<'_>,
    instructions: bool,
    errors: &mut Vec<String>,
    out: &mut impl Write,
) -> io::Result<bool> {
    let mut written = false;
    pieces::each(file, errors, |piece, errors| {
        let PieceKind::Cubin(bytes) = &piece.kind else {
            return Ok(());
        };
        match lines(file, &piece, bytes, instructions) {
            Ok(text) => {
                written |= !text.is_empty();
                out.write_all(text.as_bytes())
            }
            Err(error) => {
                errors.push(piece.error(&error));
                Ok(())
            }
        }
    })?;
    Ok(written)
}

/// All lines of a cubin, or none: half a cubin would look like a whole one.
fn lines(
    file: &File<'_>,
    piece: &Piece<'_>,
    bytes: &[u8],
    instructions: bool,
) -> cubin_core::Result<String> {
    let cubin = Cubin::parse(bytes)?;
    let functions = cubin.functions()?;
    let sha256 = sha256(bytes);
    let path = file.path.display().to_string();
    let found = Found {
        file: &path,
        member: piece.member.as_deref(),
        entry: piece.number,
        offset: piece.offset,
        section: piece.section,
        symbol: file.symbol(piece.offset),
        sha256: &sha256,
    };
    let codes = match cubin.isa() {
        Some(_) if instructions => cubin.codes(&functions)?,
        _ => None,
    };
    let mut codes = codes.into_iter().flatten();
    let mut text = String::new();
    // All are read: what a function says of its callers depends on the others.
    for (function, facts) in functions.iter().zip(Facts::of(&cubin, &functions)?) {
        let mut facts = facts?;
        facts.name.get_or_insert_with(|| facts.symbol.to_owned());
        facts.instructions = codes.next().map(|code| code.counts());
        if file.selection.takes_function(function) {
            json::write_function(&facts, Some(&found), &mut text)?;
            text.push('\n');
        }
    }
    Ok(text)
}

fn sha256(bytes: &[u8]) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(bytes)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}
