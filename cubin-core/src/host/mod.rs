//! Device code inside host files: objects, static archives, shared libraries, executables.
//!
//! nvcc puts fatbins into the sections `.nv_fatbin` (executable device code) and `__nv_relfatbin` (relocatable, for
//! `-rdc=true`) of host objects. [`device_code`] takes any file (also a `.cubin` or a `.fatbin` itself) and yields every
//! cubin, PTX text and IR in it, in file order. Where sections cannot tell (no ELF, no section table, or no such
//! section), the bytes are searched for the container's magic number. Host code, symbols and the
//! wrappers in `.nvFatBinSegment` are not looked into.
//!
//! ```
//! # fn show(library: &[u8]) {
//! for code in cubin_core::host::device_code(library) {
//!     match code.map(|code| code.cubin()) {
//!         Ok(Some(Ok(cubin))) => println!("a cubin of {} bytes", cubin.len()),
//!         Ok(None) => println!("PTX or IR"),
//!         Ok(Some(Err(error))) | Err(error) => println!("damaged: {error}"),
//!     }
//! }
//! # }
//! ```

mod ar;
mod sections;

pub use ar::{Member, members};

use std::{borrow::Cow, fmt};

use crate::{
    Error, Result,
    consts::{ElfMachine, FATBIN_MAGIC},
    fatbin::{self, Entry},
};

/// Sections that hold fatbins.
const FATBIN_SECTIONS: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];

/// What a file is, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FileKind {
    /// An ELF object for the GPU.
    Cubin,
    /// A fatbin container.
    Fatbin,
    /// An ELF object, library or executable for the host.
    HostElf,
    /// A static archive.
    Archive,
    /// Anything else: PTX text, a Windows or macOS file, no device code at all.
    Other,
}

impl FileKind {
    /// Looks at the first bytes of `data`.
    #[must_use]
    pub fn of(data: &[u8]) -> Self {
        if data.starts_with(b"\x7fELF") {
            return match sections::machine(data) {
                Some(ElfMachine::CUDA) => Self::Cubin,
                _ => Self::HostElf,
            };
        }
        if data.starts_with(&FATBIN_MAGIC.to_le_bytes()) {
            return Self::Fatbin;
        }
        if ar::is_archive(data) {
            return Self::Archive;
        }
        Self::Other
    }
}

/// Device code and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceCode<'a> {
    /// Member of the archive, when the file is one.
    pub member: Option<Cow<'a, str>>,
    /// Section of the host object, when sections told.
    pub section: Option<&'static str>,
    /// The code.
    pub code: Code<'a>,
}

/// What was found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Code<'a> {
    /// A cubin that stands by itself.
    Cubin {
        /// Offset of its first byte in the file.
        offset: u64,
        /// The cubin and, inside an archive, nothing else.
        bytes: &'a [u8],
    },
    /// An entry of a fatbin.
    Entry(Entry<'a>),
}

/// The bytes of a cubin as a length.
impl fmt::Debug for Code<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cubin { offset, bytes } => f
                .debug_struct("Cubin")
                .field("offset", offset)
                .field("len", &bytes.len())
                .finish(),
            Self::Entry(entry) => f.debug_tuple("Entry").field(entry).finish(),
        }
    }
}

impl<'a> DeviceCode<'a> {
    /// The bytes of a cubin, decompressed; `None` when this is PTX or IR.
    ///
    /// # Errors
    /// As [`Entry::image`].
    #[must_use]
    pub fn cubin(&self) -> Option<Result<Cow<'a, [u8]>>> {
        match &self.code {
            Code::Cubin { bytes, .. } => Some(Ok(Cow::Borrowed(bytes))),
            Code::Entry(entry) if entry.is_cubin() => Some(entry.image()),
            Code::Entry(_) => None,
        }
    }

    /// Offset of the code's header in the file.
    #[must_use]
    pub fn offset(&self) -> u64 {
        match &self.code {
            Code::Cubin { offset, .. } => *offset,
            Code::Entry(entry) => entry.offset,
        }
    }
}

/// All device code in `data`, a whole file of any kind, in file order.
///
/// Each damaged part is one error; what stands beside and behind it is still read. A file without device code yields
/// nothing.
pub fn device_code(data: &[u8]) -> impl Iterator<Item = Result<DeviceCode<'_>>> {
    let archive = FileKind::of(data) == FileKind::Archive;
    let members = archive.then(|| members(data)).into_iter().flatten();
    let alone = (!archive).then_some(Ok(Member {
        name: Cow::Borrowed(""),
        offset: 0,
        data,
    }));
    alone.into_iter().chain(members).flat_map(move |member| {
        let (member, broken) = match member {
            Ok(member) => (Some(member), None),
            Err(error) => (None, Some(Err(error))),
        };
        broken
            .into_iter()
            .chain(member.into_iter().flat_map(move |member| {
                let name = archive.then(|| member.name.clone());
                object(member.data, member.offset).map(move |found| name_place(found, &name))
            }))
    })
}

/// Puts the member's name to what was found in it.
fn name_place<'a>(
    found: Result<DeviceCode<'a>>,
    member: &Option<Cow<'a, str>>,
) -> Result<DeviceCode<'a>> {
    match (found, member) {
        (Ok(code), _) => Ok(DeviceCode {
            member: member.clone(),
            ..code
        }),
        (Err(error), Some(member)) => {
            let message = format!("{member}: {}", error.message());
            Err(error.reworded(message))
        }
        (Err(error), None) => Err(error),
    }
}

/// Bytes to search for containers.
struct Region<'a> {
    section: Option<&'static str>,
    data: &'a [u8],
    base: u64,
}

/// Device code of one file that is no archive, at `base` of the whole.
fn object(data: &[u8], base: u64) -> impl Iterator<Item = Result<DeviceCode<'_>>> {
    let kind = FileKind::of(data);
    let alone = (kind == FileKind::Cubin).then_some(Ok(DeviceCode {
        member: None,
        section: None,
        code: Code::Cubin {
            offset: base,
            bytes: data,
        },
    }));
    let (found, lost) = match kind {
        FileKind::HostElf => match sections::find(data, base, &FATBIN_SECTIONS) {
            Ok(found) => (found, None),
            Err(error) => (Vec::new(), Some(Err(error))),
        },
        _ => (Vec::new(), None),
    };
    let told = found
        .iter()
        .any(|section| bytes_of(data, section).is_some());
    let everything = (kind != FileKind::Cubin && !told).then_some(Ok(Region {
        section: None,
        data,
        base,
    }));
    let regions = lost
        .into_iter()
        .chain(section_regions(data, base, found))
        .chain(everything);
    alone
        .into_iter()
        .chain(regions.flat_map(|region| match region {
            Ok(region) => Either::Left(entries(region)),
            Err(error) => Either::Right(core::iter::once(Err(error))),
        }))
}

/// The bytes of each section, no byte twice: 60,000 headers over the same bytes would be read 60,000 times.
fn section_regions(
    data: &[u8],
    base: u64,
    mut found: Vec<sections::Section>,
) -> impl Iterator<Item = Result<Region<'_>>> {
    found.retain(|section| section.size != 0);
    found.sort_by_key(|section| (section.offset, section.size));
    let mut read_to = 0;
    found.into_iter().map(move |section| {
        let place = base.saturating_add(section.offset);
        let Some(bytes) = bytes_of(data, &section) else {
            let what = format!(
                "the section's {} bytes pass the end of the file, which has {}; is the file cut off?",
                section.size,
                data.len()
            );
            return Err(Error::truncated(what, place).in_section(section.name));
        };
        if section.offset < read_to {
            let what = "the section shares bytes with another fatbin section: the section table is damaged";
            return Err(Error::malformed(what, place).in_section(section.name));
        }
        read_to = section.offset.saturating_add(section.size);
        Ok(Region {
            section: Some(section.name),
            data: bytes,
            base: place,
        })
    })
}

fn bytes_of<'a>(data: &'a [u8], section: &sections::Section) -> Option<&'a [u8]> {
    let start = usize::try_from(section.offset).ok()?;
    let end = start.checked_add(usize::try_from(section.size).ok()?)?;
    data.get(start..end)
}

fn entries(region: Region<'_>) -> impl Iterator<Item = Result<DeviceCode<'_>>> {
    let Region {
        section,
        data,
        base,
    } = region;
    // A section, or a file that starts as a fatbin, holds containers only; elsewhere other bytes stand between.
    let only = section.is_some() || FileKind::of(data) == FileKind::Fatbin;
    let containers = if only {
        fatbin::containers(data, base)
    } else {
        fatbin::scan(data, base)
    };
    containers
        .entries()
        .map(move |entry| match (entry, section) {
            (Ok(entry), section) => Ok(DeviceCode {
                member: None,
                section,
                code: Code::Entry(entry),
            }),
            (Err(error), Some(section)) => Err(error.in_section(section)),
            (Err(error), None) => Err(error),
        })
}

/// One of two iterators over the same items.
enum Either<L, R> {
    Left(L),
    Right(R),
}

impl<T, L: Iterator<Item = T>, R: Iterator<Item = T>> Iterator for Either<L, R> {
    type Item = T;

    fn next(&mut self) -> Option<T> {
        match self {
            Self::Left(left) => left.next(),
            Self::Right(right) => right.next(),
        }
    }
}

#[cfg(test)]
mod tests;
