//! Device code inside host files: objects, static archives, shared libraries, executables.
//!
//! nvcc puts fatbins into the sections `.nv_fatbin` (executable device code) and `__nv_relfatbin` (relocatable, for
//! `-rdc=true`) of host objects. Programs that load modules themselves, Rust's among them, embed cubins, fatbins and PTX
//! as plain bytes, mostly in `.rodata`. [`device_code`] takes any file (also a `.cubin` or a `.fatbin` itself) and yields
//! every cubin, PTX text and IR in it, in file order: sections of nvcc are read entry by entry, all other bytes are
//! searched. Host code and the wrappers in `.nvFatBinSegment` are not looked into, nor is what no linker takes, the
//! metadata and the bitcode (`lib.rmeta`, `.llvmbc`) of Rust libraries: what they hold of constants stands beside them too.
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
mod code;
mod search;
mod sections;
#[cfg(feature = "views")]
mod symbols;

pub use ar::{Member, members};
pub use code::{Code, DeviceCode};
#[cfg(feature = "views")]
pub use symbols::Symbols;

use alloc::{borrow::Cow, format, vec::Vec};
use core::ops::Range;

use search::Hit;

use crate::{
    Error, Result,
    consts::{ElfMachine, FATBIN_MAGIC},
    fatbin,
};

/// Sections of host objects in which nvcc puts fatbins: executable device code, and relocatable code for a later link.
pub const FATBIN_SECTIONS: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];

/// Member of Rust libraries that no linker reads.
const RUST_METADATA: &str = "lib.rmeta";

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

/// All device code in `data`, a whole file of any kind, in file order.
///
/// Each damaged part is one error; what stands beside and behind it is still read. A file without device code yields
/// nothing.
pub fn device_code(data: &[u8]) -> impl Iterator<Item = Result<DeviceCode<'_>>> {
    let archive = FileKind::of(data) == FileKind::Archive;
    let members = archive.then(|| members(data)).into_iter().flatten();
    let members =
        members.filter(|member| !matches!(member, Ok(member) if member.name == RUST_METADATA));
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

/// Bytes to search for device code.
struct Region<'a> {
    /// Of nvcc, which holds fatbins and nothing else.
    section: Option<&'a str>,
    data: &'a [u8],
    base: u64,
}

/// Device code of one file that is no archive, at `base` of the whole.
fn object(data: &[u8], base: u64) -> impl Iterator<Item = Result<DeviceCode<'_>>> {
    let kind = FileKind::of(data);
    let alone = Code::Cubin {
        offset: base,
        bytes: data,
    };
    let alone = (kind == FileKind::Cubin).then(|| Ok(DeviceCode::of(alone)));
    let (sections, lost) = match kind {
        FileKind::HostElf => match sections::all(data, base) {
            Ok(sections) => (sections, None),
            Err(error) => (Vec::new(), Some(Err(error))),
        },
        _ => (Vec::new(), None),
    };
    let (regions, damaged) = match kind {
        FileKind::Cubin => (Vec::new(), Vec::new()),
        _ => regions(data, base, &sections),
    };
    // Where sections tell, a number that only looks like a fatbin is no damage.
    let strict = regions.iter().all(|region| region.section.is_none());
    let found = regions.into_iter().flat_map(move |region| {
        let only = region.section.is_some() || kind == FileKind::Fatbin;
        if only {
            Either::Left(entries(&region))
        } else {
            Either::Right(search(&region, strict, kind == FileKind::HostElf))
        }
    });
    let found = found.map(move |found| found.map(|code| in_section(code, base, &sections)));
    let damaged = lost.into_iter().chain(damaged.into_iter().map(Err));
    alone.into_iter().chain(damaged).chain(found)
}

/// The bytes of each section of nvcc, those between without what the linker leaves out, and an error for each such section
/// that has none of its own. No byte stands in two: 60,000 headers over the same bytes would be read 60,000 times.
fn regions<'a>(
    data: &'a [u8],
    base: u64,
    sections: &[sections::Section<'a>],
) -> (Vec<Region<'a>>, Vec<Error>) {
    let of_nvcc = |section: &sections::Section<'_>| FATBIN_SECTIONS.contains(&section.name);
    let (mut regions, mut damaged) = (Vec::new(), Vec::new());
    let mut read_to = 0;
    for section in sections {
        if !of_nvcc(section) && !section.excluded {
            continue;
        }
        let place = base.saturating_add(section.offset);
        let Some(range) = section.range(data) else {
            let what = format!(
                "the section's {} bytes pass the end of the file, which has {}; is the file cut off?",
                section.size,
                data.len()
            );
            damaged.push(Error::truncated(what, place).in_section(section.name));
            continue;
        };
        if range.start < read_to {
            let what = "the section shares bytes with another one: the section table is damaged";
            damaged.push(Error::malformed(what, place).in_section(section.name));
            continue;
        }
        regions.push(region(data, base, read_to..range.start, None));
        read_to = range.end;
        if of_nvcc(section) {
            regions.push(region(data, base, range, Some(section.name)));
        }
    }
    regions.push(region(data, base, read_to..data.len(), None));
    regions.retain(|region| !region.data.is_empty());
    (regions, damaged)
}

fn region<'a>(
    data: &'a [u8],
    base: u64,
    range: Range<usize>,
    section: Option<&'a str>,
) -> Region<'a> {
    Region {
        section,
        base: base.saturating_add(range.start as u64),
        data: data.get(range).unwrap_or_default(),
    }
}

/// What stands in a section of nvcc, or in a file that starts as a fatbin.
fn entries<'a>(region: &Region<'a>) -> impl Iterator<Item = Result<DeviceCode<'a>>> + use<'a> {
    let section = region.section;
    fatbin::entries(region.data, region.base).map(move |entry| match (entry, section) {
        (Ok(entry), _) => Ok(DeviceCode::of(Code::Entry(entry))),
        (Err(error), Some(section)) => Err(error.in_section(section)),
        (Err(error), None) => Err(error),
    })
}

/// What stands among other bytes.
fn search<'a>(
    region: &Region<'a>,
    strict: bool,
    program: bool,
) -> impl Iterator<Item = Result<DeviceCode<'a>>> + use<'a> {
    let hits = search::Search::new(region.data, region.base, strict, program);
    hits.flat_map(|hit| {
        let (code, entries) = match hit {
            Ok(Hit::Code(code)) => (Some(Ok(code)), None),
            Ok(Hit::Container(container)) => (None, Some(container.entries())),
            Err(error) => (Some(Err(error)), None),
        };
        let entries = entries.into_iter().flatten();
        let entries = entries.map(|entry| entry.map(Code::Entry));
        code.into_iter().chain(entries)
    })
    .map(|code| code.map(DeviceCode::of))
}

/// Tells the section of the host file that code stands in.
fn in_section<'a>(
    code: DeviceCode<'a>,
    base: u64,
    sections: &[sections::Section<'a>],
) -> DeviceCode<'a> {
    let at = code.offset().saturating_sub(base);
    let section = sections::holding(sections, at);
    DeviceCode {
        section: section.map(|section| section.name),
        ..code
    }
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
