//! `--json`: one line per function, in the schema of [`cubin_core::json`].

use std::{
    io::{self, Write},
    path::Path,
};

use cubin_core::{
    Cubin,
    json::{self, Facts, Found},
};

use super::pieces::{self, Piece, PieceKind};

pub(super) fn write(
    path: &Path,
    bytes: &[u8],
    instructions: bool,
    errors: &mut Vec<String>,
    out: &mut impl Write,
) -> io::Result<()> {
    let file = path.display().to_string();
    pieces::each(path, bytes, errors, |piece, errors| {
        let PieceKind::Cubin(bytes) = &piece.kind else {
            return Ok(());
        };
        match lines(&file, &piece, bytes, instructions) {
            Ok(text) => out.write_all(text.as_bytes()),
            Err(error) => {
                errors.push(piece.error(&error));
                Ok(())
            }
        }
    })
}

/// All lines of a cubin, or none: half a cubin would look like a whole one.
fn lines(
    file: &str,
    piece: &Piece<'_>,
    bytes: &[u8],
    instructions: bool,
) -> cubin_core::Result<String> {
    let cubin = Cubin::parse(bytes)?;
    let functions = cubin.functions()?;
    let sha256 = sha256(bytes);
    let found = Found {
        file,
        member: piece.member.as_deref(),
        entry: piece.number,
        offset: piece.offset,
        section: piece.section,
        sha256: &sha256,
    };
    let codes = match cubin.isa() {
        Some(_) if instructions => cubin.codes(&functions)?,
        _ => None,
    };
    let mut codes = codes.into_iter().flatten();
    let mut text = String::new();
    for facts in Facts::of(&cubin, &functions)? {
        let mut facts = facts?;
        facts.name.get_or_insert_with(|| facts.symbol.to_owned());
        facts.instructions = codes.next().map(|code| code.counts());
        json::write_function(&facts, Some(&found), &mut text)?;
        text.push('\n');
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
