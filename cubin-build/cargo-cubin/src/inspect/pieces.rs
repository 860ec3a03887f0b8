//! The cubins of a file one by one, whatever the file is.

use std::{borrow::Cow, path::Path};

use cubin_core::{
    consts::EntryKind,
    escape::visible,
    fatbin::Entry,
    host::{self, Code, DeviceCode, FileKind},
};

use crate::files;

/// Device code of a file, ready to be shown.
pub(super) struct Piece<'a> {
    /// Where it stands in the file: `lib.a(gemm.o)` for members of archives, the path alone otherwise.
    pub(super) place: String,
    /// Member of the archive, when the file is one.
    pub(super) member: Option<Cow<'a, str>>,
    /// Section of the host object, where sections told.
    pub(super) section: Option<&'a str>,
    /// Number of the entry in the file, from 1, all kinds of entries counted; none for a cubin by itself.
    pub(super) number: Option<u32>,
    /// Where the entry or the cubin starts in the file.
    pub(super) offset: u64,
    /// The container's entry, unless the file is a cubin by itself.
    pub(super) entry: Option<Entry<'a>>,
    pub(super) kind: PieceKind<'a>,
}

impl Piece<'_> {
    /// An error in this piece, with the member's name where there is one.
    pub(super) fn error(&self, error: &cubin_core::Error) -> String {
        in_member(self.member.as_deref(), error)
    }
}

pub(super) enum PieceKind<'a> {
    /// Its bytes, decompressed.
    Cubin(Cow<'a, [u8]>),
    /// Text or IR that the driver or the linker compiles; it has no functions to show yet.
    Other(EntryKind),
}

/// Calls `show` for each piece of `bytes`, a whole file, and adds to `errors` what cannot be read, also what `show`
/// cannot; that there is no device code at all is an error too.
pub(super) fn each<'a>(
    path: &Path,
    bytes: &'a [u8],
    errors: &mut Vec<String>,
    mut show: impl FnMut(Piece<'a>, &mut Vec<String>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let before = errors.len();
    let found = each_in(path, bytes, errors, &mut show)?;
    if !found && errors.len() == before {
        errors.push(nothing(bytes));
    }
    Ok(())
}

/// As [`each`], for a part of a file; whether there was any device code.
pub(super) fn each_in<'a>(
    path: &Path,
    bytes: &'a [u8],
    errors: &mut Vec<String>,
    show: &mut impl FnMut(Piece<'a>, &mut Vec<String>) -> std::io::Result<()>,
) -> std::io::Result<bool> {
    let mut found = false;
    let mut entries = 0_u32;
    for code in host::device_code(bytes) {
        match code {
            Ok(code) => {
                found = true;
                let number = matches!(code.code, Code::Entry(_)).then(|| {
                    entries = entries.saturating_add(1);
                    entries
                });
                match piece(path, code, number) {
                    Ok(piece) => show(piece, errors)?,
                    Err(error) => errors.push(error),
                }
            }
            Err(error) => errors.push(error.to_string()),
        }
    }
    Ok(found)
}

fn piece<'a>(path: &Path, code: DeviceCode<'a>, number: Option<u32>) -> Result<Piece<'a>, String> {
    let offset = code.offset();
    let place = match &code.member {
        Some(member) => format!("{}({})", files::shown(path), visible(member)),
        None => files::shown(path),
    };
    let (entry, kind) = match code.code {
        Code::Cubin { bytes, .. } => (None, PieceKind::Cubin(Cow::Borrowed(bytes))),
        Code::Entry(entry) if entry.is_cubin() => {
            let image = entry
                .image()
                .map_err(|error| in_member(code.member.as_deref(), &error))?;
            (Some(entry), PieceKind::Cubin(image))
        }
        Code::Entry(entry) => (Some(entry), PieceKind::Other(entry.kind)),
        Code::Ptx { .. } => (None, PieceKind::Other(EntryKind::PTX)),
    };
    Ok(Piece {
        place,
        member: code.member,
        section: code.section,
        number,
        offset,
        entry,
        kind,
    })
}

fn in_member(member: Option<&str>, error: &cubin_core::Error) -> String {
    match member {
        Some(member) => format!("{member}: {error}"),
        None => error.to_string(),
    }
}

/// Why a file shows nothing.
pub(super) fn nothing(bytes: &[u8]) -> String {
    match FileKind::of(bytes) {
        FileKind::HostElf | FileKind::Archive => {
            "it holds no device code: no cubin, no fatbin and no PTX, in any section".to_owned()
        }
        _ if bytes.is_empty() => "the file is empty".to_owned(),
        _ => "it is neither a cubin nor a file that holds one (fatbin, host object, archive, library, executable)"
            .to_owned(),
    }
}
