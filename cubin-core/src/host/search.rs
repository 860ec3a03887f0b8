//! Device code among other bytes: cubins and PTX that a program embeds by `include_bytes!` or `.incbin`, and fatbins
//! outside the sections of nvcc.
//!
//! One pass over the bytes. A block in which no pair of bytes begins any of the three is passed over without a branch
//! per byte, so that a library is searched about as fast as it is read.

use alloc::format;

use super::code::Code;
use crate::{
    Error, ErrorKind, Result,
    consts::{ElfMachine, FATBIN_MAGIC, SectionType},
    elf::{
        Class,
        raw::{self, ELFCLASS32, ELFCLASS64, ELFDATA2LSB, ELFMAG},
    },
    fatbin::{self, Container},
};

/// Bytes that are looked at together; a multiple of what vector instructions take.
const BLOCK: usize = 64;

/// Fatbins start at multiples of this.
const FATBIN_ALIGN: usize = 8;

/// Bytes of the smaller kind of section header.
const SECTION_HEADER: usize = Class::Elf32.section_header_size();

/// How PTX begins: ISA version first (PTX ISA, "PTX Module Directives").
const PTX_START: &[u8] = b".version ";

/// The directive that follows the version; what stands between are comments.
const PTX_TARGET: &[u8] = b".target sm_";

/// Bytes in which the target must follow the version: a licence or the compiler's notes may stand between.
const PTX_HEAD: usize = 4096;

/// What begins somewhere.
pub(super) enum Hit<'a> {
    /// A cubin or PTX.
    Code(Code<'a>),
    /// A container of several.
    Container(Container<'a>),
}

/// Iterator over what is found in `data`, whose first byte lies at `base` of the file.
#[derive(Clone)]
pub(super) struct Search<'a> {
    data: &'a [u8],
    base: u64,
    at: usize,
    /// Whether a magic number that begins no fatbin is an error, rather than a number among the program's own.
    strict: bool,
    /// Whether the bytes are of a host object, library or executable, whose own numbers may look like a fatbin's.
    program: bool,
    /// Section headers of cubins that may still be looked at: as many as the bytes have room for, however many headers
    /// of damaged cubins claim the same ones.
    headers: usize,
}

impl<'a> Search<'a> {
    pub(super) fn new(data: &'a [u8], base: u64, strict: bool, program: bool) -> Self {
        let headers = data.chunks_exact(SECTION_HEADER).len();
        Self {
            data,
            base,
            at: 0,
            strict,
            program,
            headers,
        }
    }

    /// What begins at `at`, with the place behind it.
    fn hit(&mut self, at: usize) -> Option<(Result<Hit<'a>>, usize)> {
        let rest = self.data.get(at..)?;
        let place = self.place(at);
        if rest.starts_with(ELFMAG) {
            let extent = cubin_extent(rest, &mut self.headers)?;
            let end = at.saturating_add(extent);
            return Some(match self.data.get(at..end) {
                Some(bytes) => {
                    let offset = place;
                    (Ok(Hit::Code(Code::Cubin { offset, bytes })), end)
                }
                None => {
                    let left = rest.len();
                    let what = format!("a cubin of {extent} bytes is cut off: {left} are left");
                    (Err(Error::truncated(what, place)), at.saturating_add(1))
                }
            });
        }
        if rest.starts_with(&FATBIN_MAGIC.to_le_bytes())
            && place.is_multiple_of(FATBIN_ALIGN as u64)
        {
            let mut containers = fatbin::containers(rest, place);
            return match containers.next()? {
                Ok(container) => {
                    let end = at.saturating_add(containers.consumed());
                    Some((Ok(Hit::Container(container)), end))
                }
                // Programs that read fatbins hold the number among their own code.
                Err(error) if self.program && error.kind() == ErrorKind::Unsupported => None,
                Err(error) if self.strict => Some((Err(error), at.saturating_add(FATBIN_ALIGN))),
                Err(_) => None,
            };
        }
        if rest.starts_with(PTX_START) && self.starts_text(at) {
            let bytes = ptx_text(rest)?;
            let code = Code::Ptx {
                offset: place,
                bytes,
            };
            return Some((Ok(Hit::Code(code)), at.saturating_add(bytes.len())));
        }
        None
    }

    /// Whether no text runs up to `at`: a compiler that prints PTX holds the directive in the middle of others.
    fn starts_text(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.data.get(before));
        before.is_none_or(|byte| matches!(byte, 0 | b'\n'))
    }

    fn place(&self, at: usize) -> u64 {
        self.base.saturating_add(at as u64)
    }
}

impl<'a> Iterator for Search<'a> {
    type Item = Result<Hit<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let at = candidate(self.data, self.at)?;
            if let Some((hit, end)) = self.hit(at) {
                self.at = end.max(at.saturating_add(1));
                return Some(hit);
            }
            self.at = at.saturating_add(1);
        }
    }
}

/// The next place from `at` on where one of the three may begin, by its first two bytes.
fn candidate(data: &[u8], at: usize) -> Option<usize> {
    let mut at = at;
    loop {
        let rest = data.get(at..)?;
        let block = rest.get(..BLOCK.saturating_add(1)).unwrap_or(rest);
        let (first, second) = (block, block.get(1..)?);
        let mut any = false;
        for (a, b) in first.iter().zip(second) {
            any |= begins(*a, *b);
        }
        if any {
            let mut pairs = first.iter().zip(second);
            let place = pairs.position(|(a, b)| begins(*a, *b))?;
            return at.checked_add(place);
        }
        if second.is_empty() {
            return None;
        }
        at = at.checked_add(second.len())?;
    }
}

/// Without branches, so that a block of pairs becomes a few vector instructions.
#[inline(always)]
pub(super) fn begins(a: u8, b: u8) -> bool {
    let [fatbin_0, fatbin_1, ..] = FATBIN_MAGIC.to_le_bytes();
    let [elf_0, elf_1, ..] = *ELFMAG;
    ((a == elf_0) & (b == elf_1))
        | ((a == fatbin_0) & (b == fatbin_1))
        | ((a == b'.') & (b == b'v'))
}

/// Bytes of the ELF file for the GPU at the start of `data`: up to the end of its tables and sections, of which some may
/// lie past the end of `data`. `None` where there is none, or where `allowed` section headers have been looked at.
fn cubin_extent(data: &[u8], allowed: &mut usize) -> Option<usize> {
    let class = match (data.get(4)?, data.get(5)?) {
        (&ELFCLASS64, &ELFDATA2LSB) => Class::Elf64,
        (&ELFCLASS32, &ELFDATA2LSB) => Class::Elf32,
        _ => return None,
    };
    let header = raw::header(class, data)?;
    if header.machine != ElfMachine::CUDA {
        return None;
    }
    let (section_size, program_size) = (class.section_header_size(), class.program_header_size());
    let table = usize::try_from(header.section_headers).unwrap_or(usize::MAX);
    let headers = data.get(table..).unwrap_or_default();
    let headers = headers.chunks_exact(section_size);
    let mut count = u64::from(header.section_count);
    if count == 0 && table != 0 {
        // Extended numbering: the count stands in section 0.
        let first = headers.clone().next();
        count = first.and_then(|bytes| raw::section(class, bytes, 0))?.size;
    }
    let end_of = |start: u64, size: usize, count: u64| {
        let bytes = count.saturating_mul(size as u64);
        start.saturating_add(bytes)
    };
    let programs = header.program_header_count.into();
    let mut end = (class.header_size() as u64)
        .max(end_of(header.section_headers, section_size, count))
        .max(end_of(header.program_headers, program_size, programs));
    // Those that are cut off lie below the end of the table, which is past the end of the data too.
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    for bytes in headers.take(count) {
        *allowed = allowed.checked_sub(1)?;
        let section = raw::section(class, bytes, 0)?;
        if section.ty != SectionType::NOBITS {
            end = end.max(section.offset.saturating_add(section.size));
        }
    }
    Some(usize::try_from(end).unwrap_or(usize::MAX))
}

/// The PTX at the start of `data`, up to where its text ends: the zero byte that the driver wants, or what is no text.
fn ptx_text(data: &[u8]) -> Option<&[u8]> {
    let head = data.get(..PTX_HEAD).unwrap_or(data);
    let is_target = |window: &[u8]| window == PTX_TARGET;
    if !head.windows(PTX_TARGET.len()).any(is_target) {
        return None;
    }
    let is_text = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r' | b' '..=b'~' | 0x80..);
    let end = data.iter().position(|byte| !is_text(byte));
    let text = data.get(..end.unwrap_or(data.len()))?;
    // Where another text follows at once, as Rust's do, the last statement is the end.
    let last = text.iter().rposition(|byte| matches!(byte, b'}' | b';'));
    Some(last.and_then(|last| text.get(..=last)).unwrap_or(text))
}
