//! `--text`: everything known of each cubin, as `cubin_core::text` writes it.

use std::io::{self, Write};

use cubin_core::{Cubin, text};

use super::pieces::{self, File, PieceKind};

pub(super) fn write(
    file: &File<'_>,
    errors: &mut Vec<String>,
    out: &mut impl Write,
) -> io::Result<()> {
    pieces::each(file, errors, |piece, errors| {
        let PieceKind::Cubin(bytes) = &piece.kind else {
            return Ok(());
        };
        let mut shown = String::new();
        match Cubin::parse(bytes).and_then(|cubin| text::write(&cubin, &mut shown)) {
            Ok(()) => writeln!(out, "{}\n{shown}", piece.place),
            Err(error) => {
                errors.push(piece.error(&error));
                Ok(())
            }
        }
    })
}
