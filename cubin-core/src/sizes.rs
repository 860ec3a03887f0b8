//! The size map: every byte of the file with exactly one label.
//!
//! Bytes that several sections share (the Mercury copies of sm_100 and above reuse those of their plain twins) count
//! once, for the plain section. Bytes that nothing covers are padding. The parts follow each other without gap, so
//! their sizes add up to the length of the file.
//!
//! ```
//! # fn main() -> cubin_core::Result<()> {
//! # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/saxpy.sm_90.cubin"));
//! let cubin = cubin_core::Cubin::parse(file)?;
//! let parts = cubin_core::sizes::parts(cubin.elf())?;
//! for (label, bytes) in cubin_core::sizes::totals(&parts) {
//!     println!("{label}: {bytes} bytes");
//! }
//! assert_eq!(parts.iter().map(|part| part.size).sum::<u64>(), file.len() as u64);
//! # Ok(())
//! # }
//! ```

use alloc::vec::Vec;
use core::fmt;

use crate::{
    Result,
    consts::{SectionName, SectionType},
    elf::{Elf, Names, Section, utf8_part},
};

/// What a part of the file is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Label {
    /// Machine code: `.text.<f>`.
    Code,
    /// Constant banks.
    Constants,
    /// Initial bytes of `__device__` variables.
    Globals,
    /// Attributes: `.nv.info`, `.nv.compat`.
    Attributes,
    /// Call graph, prototypes and relocation actions.
    CallGraph,
    /// Relocations.
    Relocations,
    /// Symbol tables.
    Symbols,
    /// Names of sections and symbols.
    Names,
    /// Notes.
    Notes,
    /// Debug information and line tables.
    Debug,
    /// The Mercury capsule: a second form of the code that the driver can finalise for other GPUs.
    Mercury,
    /// The ELF header.
    Header,
    /// The program header table.
    ProgramHeaders,
    /// The section header table.
    SectionHeaders,
    /// Sections of another kind.
    Other,
    /// Bytes that nothing covers: alignment.
    Padding,
}

impl Label {
    /// Every label, in the order of the reports.
    pub const ALL: [Self; 16] = [
        Self::Code,
        Self::Constants,
        Self::Globals,
        Self::Attributes,
        Self::CallGraph,
        Self::Relocations,
        Self::Symbols,
        Self::Names,
        Self::Notes,
        Self::Debug,
        Self::Mercury,
        Self::Header,
        Self::ProgramHeaders,
        Self::SectionHeaders,
        Self::Other,
        Self::Padding,
    ];

    /// The label as one word, for reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Constants => "constants",
            Self::Globals => "globals",
            Self::Attributes => "attributes",
            Self::CallGraph => "call-graph",
            Self::Relocations => "relocations",
            Self::Symbols => "symbols",
            Self::Names => "names",
            Self::Notes => "notes",
            Self::Debug => "debug",
            Self::Mercury => "mercury",
            Self::Header => "header",
            Self::ProgramHeaders => "program-headers",
            Self::SectionHeaders => "section-headers",
            Self::Other => "other",
            Self::Padding => "padding",
        }
    }
}

impl fmt::Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A run of bytes with one label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Part {
    /// First byte, from the start of the file.
    pub start: u64,
    /// Length in bytes, never 0.
    pub size: u64,
    /// What it is for.
    pub label: Label,
    /// The section it belongs to.
    pub section: Option<u32>,
}

/// What claims bytes, before overlaps are settled.
struct Claim {
    start: u64,
    end: u64,
    label: Label,
    section: Option<u32>,
}

/// Splits the file into parts, in file order and without gap.
///
/// # Errors
/// When a section has no readable name.
pub fn parts(elf: &Elf<'_>) -> Result<Vec<Part>> {
    let length = elf.bytes().len() as u64;
    let mut claims = claims(elf)?;
    // Plain sections come before their Mercury twins at the same place.
    claims
        .sort_unstable_by_key(|claim| (claim.start, claim.label == Label::Mercury, claim.section));
    let mut parts = Vec::new();
    let mut covered = 0_u64;
    let mut push = |start: u64, end: u64, label, section| {
        if let Some(size) = end.checked_sub(start).filter(|&size| size != 0) {
            parts.push(Part {
                start,
                size,
                label,
                section,
            });
        }
    };
    for claim in &claims {
        push(covered, claim.start.min(length), Label::Padding, None);
        let start = claim.start.max(covered);
        push(start, claim.end.min(length), claim.label, claim.section);
        covered = covered.max(claim.end.min(length));
    }
    push(covered, length, Label::Padding, None);
    Ok(parts)
}

/// Bytes per label, of those that occur, in the order of [`Label::ALL`].
#[must_use]
pub fn totals(parts: &[Part]) -> Vec<(Label, u64)> {
    Label::ALL
        .iter()
        .filter_map(|&label| {
            let sum = parts
                .iter()
                .filter(|part| part.label == label)
                .fold(0_u64, |sum, part| sum.saturating_add(part.size));
            (sum != 0).then_some((label, sum))
        })
        .collect()
}

fn claims(elf: &Elf<'_>) -> Result<Vec<Claim>> {
    let header = elf.header();
    let mut claims = Vec::with_capacity((elf.section_count() as usize).saturating_add(3));
    let mut claim = |start: u64, size: u64, label, section| {
        if size != 0 {
            claims.push(Claim {
                start,
                end: start.saturating_add(size),
                label,
                section,
            });
        }
    };
    let class = header.class;
    claim(0, class.header_size() as u64, Label::Header, None);
    claim(
        header.program_headers,
        u64::from(header.program_header_count).saturating_mul(class.program_header_size() as u64),
        Label::ProgramHeaders,
        None,
    );
    claim(
        header.section_headers,
        u64::from(header.section_count).saturating_mul(class.section_header_size() as u64),
        Label::SectionHeaders,
        None,
    );
    let mut names = Names::new(elf.section_names(), elf.bytes().len());
    for section in elf.sections() {
        if section.ty == SectionType::NULL || section.ty.no_bits() || section.size == 0 {
            continue;
        }
        let name = names.get(section.name)?;
        claim(
            section.offset,
            section.size,
            label(&section, utf8_part(name)),
            Some(section.index),
        );
    }
    Ok(claims)
}

/// What a section is for: by its name, and by its type where it has a common name or none.
#[must_use]
pub fn label(section: &Section, name: &str) -> Label {
    let by_name = match SectionName::parse(name) {
        SectionName::Text(_) => Label::Code,
        SectionName::ModuleInfo | SectionName::Info(_) | SectionName::Compat => Label::Attributes,
        SectionName::ModuleConstant(_) | SectionName::Constant(..) => Label::Constants,
        SectionName::Global | SectionName::GlobalInit => Label::Globals,
        SectionName::Callgraph | SectionName::Prototype | SectionName::RelAction => {
            Label::CallGraph
        }
        SectionName::Tkinfo | SectionName::Cuinfo => Label::Notes,
        SectionName::Rel(_) | SectionName::Rela(_) => Label::Relocations,
        SectionName::Debug(_) => Label::Debug,
        name if name.is_mercury() => Label::Mercury,
        _ => Label::Other,
    };
    if by_name != Label::Other {
        return by_name;
    }
    match section.ty {
        SectionType::STRTAB => Label::Names,
        SectionType::SYMTAB | SectionType::SYMTAB_SHNDX => Label::Symbols,
        SectionType::REL | SectionType::RELA | SectionType::CUDA_RESOLVED_RELA => {
            Label::Relocations
        }
        SectionType::NOTE => Label::Notes,
        ty if ty.is_mercury() => Label::Mercury,
        ty if ty.constant_bank().is_some() => Label::Constants,
        _ => Label::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elf::{Class, raw};

    fn of(ty: SectionType, name: &str) -> Label {
        let section = raw::section(Class::Elf64, &[0; 64], 0).expect("a header");
        label(&Section { ty, ..section }, name)
    }

    #[test]
    fn a_name_is_enough() {
        for (name, label) in [
            (".text.k", Label::Code),
            (".nv.info", Label::Attributes),
            (".nv.info.k", Label::Attributes),
            (".nv.constant0.k", Label::Constants),
            (".nv.constant3", Label::Constants),
            (".nv.global.init", Label::Globals),
            (".nv.callgraph", Label::CallGraph),
            (".note.nv.tkinfo", Label::Notes),
            (".rela.text.k", Label::Relocations),
            (".rel.text.k", Label::Relocations),
            (".debug_line", Label::Debug),
            (".nv.merc.rela.text.k", Label::Mercury),
            (".unknown", Label::Other),
        ] {
            assert_eq!(of(SectionType::PROGBITS, name), label, "{name}");
        }
    }

    #[test]
    fn so_is_a_type() {
        for (ty, label) in [
            (SectionType::STRTAB, Label::Names),
            (SectionType::SYMTAB, Label::Symbols),
            (SectionType::SYMTAB_SHNDX, Label::Symbols),
            (SectionType::REL, Label::Relocations),
            (SectionType::RELA, Label::Relocations),
            (SectionType::CUDA_RESOLVED_RELA, Label::Relocations),
            (SectionType::NOTE, Label::Notes),
            (SectionType::MERCURY_RELA, Label::Mercury),
            (SectionType::CUDA_CONSTANT_B3, Label::Constants),
            (SectionType::PROGBITS, Label::Other),
        ] {
            assert_eq!(of(ty, ".unknown"), label, "{ty:?}");
        }
    }
}
