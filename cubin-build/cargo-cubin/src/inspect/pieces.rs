//! The cubins of a file one by one, whatever the file is.

use std::{borrow::Cow, path::Path};

use cubin_core::{
    Cubin,
    consts::EntryKind,
    elf::{Class, Elf},
    fatbin::Entry,
    host::{self, Code, DeviceCode, FileKind},
};

/// Device code of a file, ready to be shown.
pub(super) struct Piece<'a> {
    /// Where it stands in the file: `lib.a(gemm.o)` for members of archives, the path alone otherwise.
    pub(super) place: String,
    /// Member of the archive, when the file is one.
    pub(super) member: Option<Cow<'a, str>>,
    /// Section of the host object, where sections told.
    pub(super) section: Option<&'static str>,
    /// The container's entry, unless the file is a cubin by itself.
    pub(super) entry: Option<Entry<'a>>,
    pub(super) kind: Kind<'a>,
}

impl Piece<'_> {
    /// An error in this piece, with the member's name where there is one.
    pub(super) fn error(&self, error: &cubin_core::Error) -> String {
        in_member(self.member.as_deref(), error)
    }
}

pub(super) enum Kind<'a> {
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
    for code in host::device_code(bytes) {
        match code {
            Ok(code) => {
                found = true;
                match piece(path, code) {
                    Ok(piece) => show(piece, errors)?,
                    Err(error) => errors.push(error),
                }
            }
            Err(error) => errors.push(error.to_string()),
        }
    }
    Ok(found)
}

fn piece<'a>(path: &Path, code: DeviceCode<'a>) -> Result<Piece<'a>, String> {
    let place = match &code.member {
        Some(member) => format!("{}({member})", path.display()),
        None => path.display().to_string(),
    };
    let (entry, kind) = match code.code {
        Code::Cubin { bytes, .. } => (None, Kind::Cubin(Cow::Borrowed(bytes))),
        Code::Entry(entry) if entry.is_cubin() => {
            let image = entry
                .image()
                .map_err(|error| in_member(code.member.as_deref(), &error))?;
            let image = match image {
                Cow::Borrowed(bytes) => Cow::Borrowed(without_padding(bytes)),
                owned @ Cow::Owned(_) => owned,
            };
            (Some(entry), Kind::Cubin(image))
        }
        Code::Entry(entry) => (Some(entry), Kind::Other(entry.kind)),
    };
    Ok(Piece {
        place,
        member: code.member,
        section: code.section,
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

/// A stored cubin ends where its tables end; a container pads it with up to 7 zeros and no field says how many.
fn without_padding(bytes: &[u8]) -> &[u8] {
    let Ok(cubin) = Cubin::parse(bytes) else {
        return bytes;
    };
    let end = end_of(cubin.elf());
    let Some((cubin, padding)) = usize::try_from(end)
        .ok()
        .and_then(|end| bytes.split_at_checked(end))
    else {
        return bytes;
    };
    if padding.len() < 8 && padding.iter().all(|byte| *byte == 0) {
        cubin
    } else {
        bytes
    }
}

/// The end of the last byte that the headers know of.
fn end_of(elf: &Elf<'_>) -> u64 {
    let header = elf.header();
    let (section, program) = match header.class {
        Class::Elf64 => (64, 56),
        Class::Elf32 => (40, 32),
    };
    let sections = header
        .section_headers
        .saturating_add(u64::from(header.section_count).saturating_mul(section));
    let programs = header
        .program_headers
        .saturating_add(u64::from(header.program_header_count).saturating_mul(program));
    let length = elf.bytes().len() as u64;
    // Sections without bytes in the file may reach past its end.
    let contents = elf
        .sections()
        .map(|section| section.offset.saturating_add(section.size))
        .filter(|end| *end <= length)
        .max();
    sections.max(programs).max(contents.unwrap_or(0))
}

/// Why a file shows nothing.
pub(super) fn nothing(bytes: &[u8]) -> String {
    match FileKind::of(bytes) {
        FileKind::HostElf | FileKind::Archive => {
            "it holds no device code: no fatbin in `.nv_fatbin`, in `__nv_relfatbin` or anywhere else".to_owned()
        }
        _ if bytes.is_empty() => "the file is empty".to_owned(),
        _ => "it is neither a cubin nor a file that holds one (fatbin, host object, archive, library, executable)"
            .to_owned(),
    }
}
