//! The cubins of a file one by one, whatever the file is.

use std::{borrow::Cow, cell::OnceCell, path::Path};

use cubin_core::{
    consts::EntryKind,
    escape::visible,
    fatbin::{Budget, Entry},
    host::{self, Code, DeviceCode, FileKind, Symbols},
};

use super::selection::{Arch, Selection};
use crate::files;

/// Device code of a file, ready to be shown.
pub(crate) struct Piece<'a> {
    /// Where it stands: the path, `lib.a(gemm.o)` for members of archives, and `, entry 2` for entries of containers.
    pub(crate) place: String,
    /// Member of the archive, when the file is one.
    pub(crate) member: Option<Cow<'a, str>>,
    /// Section of the host object, where sections told.
    pub(crate) section: Option<&'a str>,
    /// Number of the entry in the file, from 1, all kinds of entries counted; none for a cubin by itself.
    pub(crate) number: Option<u32>,
    /// Where the entry or the cubin starts in the file.
    pub(crate) offset: u64,
    /// The container's entry, unless the file is a cubin by itself.
    pub(crate) entry: Option<Entry<'a>>,
    pub(crate) kind: PieceKind<'a>,
}

impl Piece<'_> {
    /// An error in this piece, with the member's name where there is one.
    pub(crate) fn error(&self, error: &cubin_core::Error) -> String {
        in_member(self.member.as_deref(), error)
    }
}

pub(crate) enum PieceKind<'a> {
    /// Its bytes, decompressed.
    Cubin(Cow<'a, [u8]>),
    /// Text or IR that the driver or the linker compiles; it has no functions to show yet.
    Other(EntryKind, Option<Arch>),
}

/// A file to look into, and which part of it.
pub(crate) struct File<'a> {
    pub(crate) path: &'a Path,
    /// The whole of it.
    pub(crate) bytes: &'a [u8],
    pub(crate) selection: &'a Selection,
    /// Read when the first device code is found.
    symbols: OnceCell<Symbols<'a>>,
}

impl<'a> File<'a> {
    pub(crate) fn new(path: &'a Path, bytes: &'a [u8], selection: &'a Selection) -> Self {
        Self {
            path,
            bytes,
            selection,
            symbols: OnceCell::new(),
        }
    }

    /// The symbol of the file that names what stands at `offset`.
    pub(crate) fn symbol(&self, offset: u64) -> Option<&'a str> {
        self.symbols
            .get_or_init(|| Symbols::read(self.bytes))
            .at(offset)
    }
}

/// What was met on a walk through a file.
pub(crate) struct Met {
    /// What the entries may still be unpacked to.
    budget: Budget,
    /// Entries of containers.
    entries: u32,
    /// There was device code that the selection takes.
    taken: bool,
    /// What there was else.
    others: Vec<Arch>,
}

impl Met {
    pub(crate) fn new(file: &File<'_>) -> Self {
        Self {
            budget: Budget::new(file.bytes.len()),
            entries: 0,
            taken: false,
            others: Vec::new(),
        }
    }

    /// Why nothing was shown, if so.
    pub(crate) fn nothing(&mut self, file: &File<'_>) -> Option<String> {
        match (self.taken, self.entries, self.others.len()) {
            (true, ..) => None,
            (_, 0, 0) => Some(nothing(file.bytes)),
            _ => Some(file.selection.missed(self.entries, &mut self.others)),
        }
    }
}

/// Calls `show` for each selected piece of a file, and adds to `errors` what cannot be read, also what `show` cannot; that
/// there is none is an error too.
pub(crate) fn each<'a>(
    file: &File<'a>,
    errors: &mut Vec<String>,
    mut show: impl FnMut(Piece<'a>, &mut Vec<String>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    let before = errors.len();
    let mut met = Met::new(file);
    each_in(file, file.bytes, &mut met, errors, &mut show)?;
    if errors.len() == before {
        errors.extend(met.nothing(file));
    }
    Ok(())
}

/// As [`each`], for `part` of a file; adds to what was met in the parts before.
pub(crate) fn each_in<'a>(
    file: &File<'a>,
    part: &'a [u8],
    met: &mut Met,
    errors: &mut Vec<String>,
    show: &mut impl FnMut(Piece<'a>, &mut Vec<String>) -> std::io::Result<()>,
) -> std::io::Result<()> {
    for code in host::device_code(part) {
        let code = match code {
            Ok(code) => code,
            Err(error) => {
                errors.push(error.to_string());
                continue;
            }
        };
        let number = matches!(code.code, Code::Entry(_)).then(|| {
            met.entries = met.entries.saturating_add(1);
            met.entries
        });
        if !file.selection.takes(&code, number) {
            met.others.extend(Arch::of(&code));
            continue;
        }
        met.taken = true;
        match piece(file.path, code, number, &mut met.budget) {
            Ok(piece) => show(piece, errors)?,
            Err(error) => errors.push(error),
        }
    }
    Ok(())
}

fn piece<'a>(
    path: &Path,
    code: DeviceCode<'a>,
    number: Option<u32>,
    budget: &mut Budget,
) -> Result<Piece<'a>, String> {
    let offset = code.offset();
    let mut place = match &code.member {
        Some(member) => format!("{}({})", files::shown(path), visible(member)),
        None => files::shown(path),
    };
    if let Some(number) = number {
        place.push_str(&format!(", entry {number}"));
    }
    let arch = || Arch::of(&code);
    let (entry, kind) = match code.code {
        Code::Cubin { bytes, .. } => (None, PieceKind::Cubin(Cow::Borrowed(bytes))),
        Code::Entry(entry) if entry.is_cubin() => {
            let image = budget
                .image(&entry)
                .map_err(|error| in_member(code.member.as_deref(), &error))?;
            (Some(entry), PieceKind::Cubin(image))
        }
        Code::Entry(entry) => (Some(entry), PieceKind::Other(entry.kind, arch())),
        Code::Ptx { .. } => (None, PieceKind::Other(EntryKind::PTX, arch())),
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
fn nothing(bytes: &[u8]) -> String {
    match FileKind::of(bytes) {
        FileKind::HostElf | FileKind::Archive => {
            "it holds no device code: no cubin, no fatbin and no PTX, in any section".to_owned()
        }
        _ if bytes.is_empty() => "the file is empty".to_owned(),
        _ => "it is neither a cubin nor a file that holds one (fatbin, host object, archive, library, executable)"
            .to_owned(),
    }
}
