//! The entry point: a cubin over borrowed bytes.

use alloc::vec::Vec;

#[cfg(feature = "reloc")]
use crate::reloc;
use crate::{
    Function, Result, Sm,
    arch::{self, Flags, Suffix},
    compat,
    consts::{Compat, ElfType, NoteType},
    elf::{Elf, Layout},
    functions,
    note::{CudaInfo, Note, Notes, Tool},
    nvinfo::{Attributes, Value},
    variable::{self, Variable},
};
#[cfg(feature = "views")]
use crate::{
    cuobjdump::{self, Cuobjdump},
    uses::{self, References, Spills},
};

/// What kind of object the file is, by `e_type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    /// Made with `-c` or `-rdc=true`; the figures of its functions are not final until it is linked.
    Relocatable,
    /// A loadable cubin: whole program, or linked by nvlink.
    Executable,
    /// Made with `-ewp`: loadable and linkable.
    ExtensibleWholeProgram,
    /// Another `e_type`.
    Other(u16),
}

/// A cubin. Borrows the file's bytes.
#[derive(Debug, Clone)]
pub struct Cubin<'a> {
    elf: Elf<'a>,
}

impl<'a> Cubin<'a> {
    /// Checks the header and the section table.
    ///
    /// # Errors
    /// When `data` is no well-formed CUDA ELF object.
    pub fn parse(data: &'a [u8]) -> Result<Self> {
        Ok(Self {
            elf: Elf::parse(data)?,
        })
    }

    /// The container: header, sections, symbols.
    #[must_use]
    pub fn elf(&self) -> &Elf<'a> {
        &self.elf
    }

    /// Whether the file is relocatable, executable or both.
    #[must_use]
    pub fn kind(&self) -> ObjectKind {
        match self.elf.header().kind {
            ElfType::REL => ObjectKind::Relocatable,
            ElfType::EXEC => ObjectKind::Executable,
            ElfType::CUDA_EWP => ObjectKind::ExtensibleWholeProgram,
            ElfType(other) => ObjectKind::Other(other),
        }
    }

    /// What `e_flags` says.
    #[must_use]
    pub fn flags(&self) -> Flags {
        Flags::of(self.elf.header())
    }

    /// The exact target as far as the file records it: number, and `a`; `f` from the recorded command line.
    ///
    /// `a` comes from `e_flags` or, from 13.0 on, from `.nv.compat`. `f` is no field of the file: the command line kept
    /// in `.note.nv.tkinfo` (12.8 and later, new layout) tells it, nvlink's where the file was linked. cuobjdump prints
    /// such files without the `f`.
    ///
    /// # Errors
    /// When `.nv.compat` or `.note.nv.tkinfo` is damaged.
    pub fn target(&self) -> Result<Sm> {
        let flags = self.flags();
        let number = flags.sm;
        // Toolkits 8.0 to 9.1 set the same bit of `e_flags` in some files of targets that have no such variant.
        let accelerated = number >= arch::FIRST_SUFFIXED
            && (flags.accelerated || self.accelerated_by_compat()?);
        let suffix = if accelerated {
            Suffix::Accelerated
        } else if number >= arch::FIRST_FAMILY && self.family_by_command_line(number)? {
            Suffix::Family
        } else {
            Suffix::None
        };
        Ok(Sm { number, suffix })
    }

    fn accelerated_by_compat(&self) -> Result<bool> {
        if self.elf.header().layout == Layout::Old {
            return Ok(false);
        }
        let value = compat::value(&self.elf, Compat::CUDA_ACCELERATOR_TARGET)?;
        Ok(value == Some(Value::Byte(1)))
    }

    fn family_by_command_line(&self, number: u16) -> Result<bool> {
        // The first tool is the one that wrote this file; the others made its inputs.
        let tool = self.tools().next().transpose()?;
        Ok(tool
            .and_then(|tool| tool.arch()?.parse::<Sm>().ok())
            .is_some_and(|sm| sm.number == number && sm.suffix == Suffix::Family))
    }

    /// The tools that took part in making the file, the one that wrote it first; none in the old layout.
    ///
    /// Yields an error for an entry of `.note.nv.tkinfo` that is damaged.
    pub fn tools(&self) -> impl Iterator<Item = Result<Tool<'a>>> + use<'a> {
        self.notes(b".note.nv.tkinfo")
            .filter(|note| {
                note.as_ref()
                    .map_or(true, |note| note.ty == NoteType::TKINFO)
            })
            .map(|note| note.and_then(|note| Tool::read(&note)))
            .map(|tool| tool.map_err(|error| error.in_section(".note.nv.tkinfo")))
    }

    fn notes(&self, name: &[u8]) -> impl Iterator<Item = Result<Note<'a>>> + use<'a> {
        let notes = self
            .elf
            .section_named(name)
            .and_then(|section| self.elf.reader(&section).ok())
            .map(Notes::new);
        notes.into_iter().flatten()
    }

    /// The contents of `.note.nv.cuinfo` (13.0 and later) or `.note.nv.cuver` (12.8 and 12.9).
    ///
    /// # Errors
    /// When the note is damaged.
    pub fn cuda_info(&self) -> Result<Option<CudaInfo>> {
        for name in [".note.nv.cuinfo", ".note.nv.cuver"] {
            for note in self.notes(name.as_bytes()) {
                let info = note.and_then(|note| {
                    (note.ty == NoteType::CUINFO)
                        .then(|| CudaInfo::read(&note))
                        .transpose()
                });
                if let Some(info) = info.map_err(|error| error.in_section(name))? {
                    return Ok(Some(info));
                }
            }
        }
        Ok(None)
    }

    /// The PTX `.target` number that the code was compiled from: 80 for `compute_80`. No suffix is kept.
    ///
    /// # Errors
    /// When `.note.nv.cuinfo` is damaged.
    pub fn virtual_sm(&self) -> Result<Option<u16>> {
        match self.flags().virtual_sm {
            Some(number) => Ok(Some(number)),
            None => Ok(self.cuda_info()?.map(|info| info.virtual_sm)),
        }
    }

    /// The CUDA toolkit that wrote the file, as (major, minor).
    ///
    /// `e_version` in the old layout; `.note.nv.cuinfo` or, for 12.8 and 12.9, `.note.nv.tkinfo` in the new one. `None`
    /// when the file does not say it.
    ///
    /// # Errors
    /// When a record that it depends on is damaged.
    pub fn toolkit(&self) -> Result<Option<(u16, u16)>> {
        let header = self.elf.header();
        if header.layout == Layout::Old {
            return Ok(u16::try_from(header.version).ok().and_then(split_version));
        }
        if let Some(version) = self.cuda_info()?.and_then(|info| info.toolkit) {
            return Ok(split_version(version));
        }
        let tool = self.tools().next().transpose()?;
        Ok(tool.and_then(|tool| tool.toolkit()))
    }

    /// Every function with its own `.text` section, in section order.
    ///
    /// # Errors
    /// At the first damaged record.
    pub fn functions(&self) -> Result<Vec<Function<'a>>> {
        functions::read(&self.elf, self.toolkit_number())
    }

    /// The toolkit where the header says it; elsewhere every kernel says it itself.
    fn toolkit_number(&self) -> Option<u32> {
        let header = self.elf.header();
        match header.layout {
            Layout::Old => Some(header.version),
            // No toolkit before 12.8 writes the new layout.
            Layout::New => Some(128),
        }
    }

    /// Only the functions that can be launched.
    ///
    /// # Errors
    /// As [`functions`](Self::functions).
    pub fn kernels(&self) -> Result<Vec<Function<'a>>> {
        let mut functions = self.functions()?;
        functions.retain(|function| function.kernel);
        Ok(functions)
    }

    /// The symbol of a function as bytes, should it not be UTF-8.
    ///
    /// `function` must be of this file. That is not checked: for one of another file the result is the name of whatever
    /// symbol has the same index here.
    ///
    /// # Errors
    /// When this file has no symbol of that index, or its name lies outside the string table.
    pub fn raw_symbol(&self, function: &Function<'_>) -> Result<&'a [u8]> {
        self.elf
            .symbol_name(&self.elf.symbol(function.symbol_index)?)
    }

    /// The attribute records of a function (`.nv.info.<f>`), unknown codes included; none when it has no such section.
    ///
    /// `function` must be of this file, which is not checked.
    ///
    /// # Errors
    /// When this file has no section of the index that `function` gives, which happens with one of another file only.
    /// Damaged records are errors of the iterator.
    pub fn attributes(&self, function: &Function<'_>) -> Result<Attributes<'a>> {
        functions::attributes(&self.elf, function)
    }

    /// Names of the functions that a function needs from outside the file: `vprintf`, `malloc`, `__assertfail`.
    ///
    /// # Errors
    /// When a record is damaged.
    pub fn externs(&self, function: &Function<'_>) -> Result<Vec<&'a str>> {
        functions::externs(&self.elf, function)
    }

    /// Spill instructions of a function with the bytes they move; `None` before CUDA 12.6, which does not record them,
    /// and below sm_70, whose instructions are encoded otherwise. A lower bound: see [`Spills`].
    ///
    /// # Errors
    /// When a record is damaged.
    #[cfg(feature = "views")]
    pub fn spills(&self, function: &Function<'_>) -> Result<Option<Spills>> {
        uses::spills(&self.elf, function)
    }

    /// Texture, surface and sampler references of each of the functions that [`functions`](Self::functions) gave; an
    /// empty list when the file has none at all, as all code since CUDA 12.
    ///
    /// # Errors
    /// When a relocation is damaged.
    #[cfg(feature = "views")]
    pub fn references(&self, functions: &[Function<'_>]) -> Result<Vec<References>> {
        uses::references(&self.elf, functions)
    }

    /// What `cuobjdump -res-usage` prints of each of the functions that [`functions`](Self::functions) or
    /// [`kernels`](Self::kernels) gave, misleading values included: in their order, by one pass over the file's records.
    ///
    /// # Errors
    /// When a record is damaged.
    #[cfg(feature = "views")]
    pub fn cuobjdump(&self, functions: &[Function<'_>]) -> Result<Vec<Cuobjdump>> {
        cuobjdump::read(&self.elf, functions)
    }

    /// Every relocation section with its entries, in section order; Mercury's own are left out.
    ///
    /// Yields an error when the sections overlap, and ends; a damaged section's own iterator yields its error.
    #[cfg(feature = "reloc")]
    pub fn relocations(&self) -> impl Iterator<Item = Result<reloc::Table<'a>>> {
        reloc::tables(&self.elf)
    }

    /// The `__device__` and `__constant__` variables, in symbol order.
    ///
    /// # Errors
    /// When a symbol is damaged, or a variable's initial bytes lie outside its section.
    pub fn variables(&self) -> Result<Vec<Variable<'a>>> {
        variable::variables(&self.elf)
    }
}

/// 135 is 13.5, as NVIDIA writes versions.
fn split_version(version: u16) -> Option<(u16, u16)> {
    (version >= 10).then_some((version / 10, version % 10))
}
