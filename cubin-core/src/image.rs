//! What a loader uploads of a cubin, and what it writes over it.
//!
//! The *image* is one stretch of device memory: the allocated sections of the file one behind the other, then zeros that
//! instruction prefetch may run into. Relocations become [`Patch`]es once the image's address is known. For each
//! kernel the image says where its code and constant banks lie and what a launch needs. The rules are those of a loader
//! that is in use, not of NVIDIA's driver, which nobody has documented; a file that they do not
//! cover (calls to `printf` or `malloc`, real calls, targets below sm_70) is an error that says why.
//!
//! Reads executables. Relocatable objects have no final addresses: link them first.
//!
//! ```
//! # fn main() -> cubin_core::Result<()> {
//! # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/saxpy.sm_90.cubin"));
//! let image = cubin_core::Cubin::parse(file)?.image()?;
//! // An address that the device gave for `image.length()` bytes.
//! let base = 0x7f00_0000_0000;
//! let mut memory = vec![0; image.length() as usize];
//! image.write(&mut memory, base)?;
//! let saxpy = image.kernel("saxpy").expect("the kernel");
//! println!("saxpy starts at {:#x} and takes {} registers", base + saxpy.code, saxpy.registers);
//! # assert_eq!(saxpy.registers, 10);
//! # Ok(())
//! # }
//! ```

mod kernels;
mod patches;

use core::fmt;

use crate::{
    Cubin, Error, ErrorKind, Result,
    consts::SectionType,
    elf::{Elf, Section},
    limits::LOADER_IMAGE,
};
use kernels::{Banks, Record};

pub use patches::Patch;

/// Every section starts at a multiple of this, or of its own larger alignment.
const SECTION_ALIGN: u64 = 128;

/// The image ends at a multiple of this, with as many zeros more for instruction prefetch.
const PAGE: u64 = 4096;

/// `sh_flags` bit of sections that occupy memory.
const SHF_ALLOC: u64 = 2;

/// A section that the image holds.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct LoadedSection<'a> {
    /// Index of the section in the file.
    pub section: u32,
    /// Bytes from the start of the image.
    pub offset: u64,
    /// Size in the image, in bytes.
    pub size: u64,
    /// Its bytes; empty for NOBITS, which are zeros.
    pub bytes: &'a [u8],
}

/// Its contents as a length.
impl fmt::Debug for LoadedSection<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LoadedSection")
            .field("section", &self.section)
            .field("offset", &self.offset)
            .field("size", &self.size)
            .field("len", &self.bytes.len())
            .finish()
    }
}

/// A constant bank of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Bank {
    /// Its number.
    pub index: u8,
    /// Where its contents start, in bytes from the start of the image.
    pub offset: u64,
    /// Its size in bytes.
    pub bytes: u64,
}

/// What a launch of a function needs from the image. A figure is 0 when the file has no record of it.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Kernel<'a> {
    /// What follows `.text.` in its section's name.
    pub name: &'a str,
    /// Index of its `.text` section.
    pub section: u32,
    /// First instruction, in bytes from the start of the image.
    pub code: u64,
    /// Size of its code in bytes.
    pub code_bytes: u64,
    /// Registers per thread: the last REGCOUNT record of `.nv.info` for a symbol in its section.
    pub registers: u32,
    /// Stack bytes per thread: the last MIN_STACK_SIZE record, 0xffffffff when not statically known. For a budget use
    /// [`Resources::stack`](crate::Resources::stack), which knows that the last record can be wrong.
    pub stack: u32,
    /// Size of `.nv.shared.<f>`, in bytes per block.
    pub shared: u64,
    /// Where the parameters start in bank 0, in bytes.
    pub params_offset: u16,
    /// Size of the parameters in bytes.
    pub params_bytes: u16,
    /// Its constant banks, those of the module included: the last section of each number, in order of first appearance.
    pub banks: Vec<Bank>,
}

/// The image of a cubin. Borrows the file's bytes.
#[derive(Debug, Clone)]
pub struct Image<'a> {
    elf: Elf<'a>,
    /// In section order.
    sections: Vec<LoadedSection<'a>>,
    end: u64,
    kernels: Vec<Record<'a>>,
    module_banks: Banks,
}

impl<'a> Cubin<'a> {
    /// What a loader uploads of this cubin.
    ///
    /// # Errors
    /// When the image would be longer than [`LOADER_IMAGE`]; when a relocation is of another type than R_CUDA_64,
    /// R_CUDA_ABS32_LO_32 and R_CUDA_ABS32_HI_32, names a symbol that is not in the image or lies outside its section, or patches bytes past the
    /// laid-out sections or, without an addend of its own, past its section; when an attribute passes the end of its
    /// section, or REGCOUNT, MIN_STACK_SIZE or PARAM_CBANK has less than 8 bytes.
    pub fn image(&self) -> Result<Image<'a>> {
        Image::new(self.elf())
    }
}

impl<'a> Image<'a> {
    /// Lays out `elf`.
    ///
    /// # Errors
    /// As [`Cubin::image`].
    pub fn new(elf: &Elf<'a>) -> Result<Self> {
        let (sections, end) = lay_out(elf)?;
        let mut image = Self {
            elf: elf.clone(),
            sections,
            end,
            kernels: Vec::new(),
            module_banks: Banks::default(),
        };
        for patch in image.relocations() {
            patch?;
        }
        image.read_kernels()?;
        Ok(image)
    }

    /// Length in bytes: the laid-out sections up to a multiple of 4 KiB, and 4 KiB more.
    #[must_use]
    pub fn length(&self) -> u64 {
        // `end` is at most LOADER_IMAGE - PAGE.
        self.end
            .checked_next_multiple_of(PAGE)
            .and_then(|end| end.checked_add(PAGE))
            .unwrap_or(LOADER_IMAGE)
    }

    /// End of the last section, in bytes from the start of the image; zeros follow.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.end
    }

    /// The sections it holds, in section order.
    #[must_use]
    pub fn sections(&self) -> &[LoadedSection<'a>] {
        &self.sections
    }

    /// What the relocations write over an image at the address `base`, in relocation order. A later patch overwrites an
    /// earlier one where they share bytes.
    pub fn patches(&self, base: u64) -> impl Iterator<Item = Patch> + '_ {
        // `new` has seen that none fails.
        self.relocations()
            .filter_map(Result::ok)
            .map(move |pending| pending.at(base))
    }

    /// Every function with code in the image, in section order: kernels, and device functions with a section of their own.
    pub fn kernels(&self) -> impl Iterator<Item = Kernel<'a>> + '_ {
        self.kernels.iter().map(|record| self.complete(record))
    }

    /// The last function of this name.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<Kernel<'a>> {
        let found = self.kernels.iter().rfind(|record| record.name == name);
        found.map(|record| self.complete(record))
    }

    /// Writes the image for the address `base` into `memory`, zeros included.
    ///
    /// # Errors
    /// When `memory` is not [`length`](Self::length) bytes long.
    pub fn write(&self, memory: &mut [u8], base: u64) -> Result<()> {
        if memory.len() as u64 != self.length() {
            return Err(Error::new(
                ErrorKind::Output,
                format!(
                    "the image takes {} bytes, the memory given has {}",
                    self.length(),
                    memory.len()
                ),
                0,
            ));
        }
        memory.fill(0);
        for section in &self.sections {
            put(memory, section.offset, section.bytes);
        }
        for patch in self.patches(base) {
            put(memory, patch.offset, patch.bytes());
        }
        Ok(())
    }

    fn held(&self, section: u32) -> Option<&LoadedSection<'a>> {
        let at = self
            .sections
            .binary_search_by_key(&section, |held| held.section)
            .ok()?;
        self.sections.get(at)
    }
}

/// The held sections with their places, and where the last one ends.
fn lay_out<'a>(elf: &Elf<'a>) -> Result<(Vec<LoadedSection<'a>>, u64)> {
    let held = |section: &Section| {
        section.flags & SHF_ALLOC != 0
            && matches!(section.ty, SectionType::PROGBITS | SectionType::NOBITS)
            && !elf
                .section_names()
                .tail(section.name)
                .starts_with(b".nv.shared.")
    };
    let mut sections = Vec::with_capacity(elf.sections().filter(held).count());
    let mut end = 0_u64;
    for section in elf.sections().filter(held) {
        let place = end
            .checked_next_multiple_of(section.align.max(SECTION_ALIGN))
            .and_then(|start| Some((start, start.checked_add(section.size)?)))
            .filter(|(_, end)| *end <= LOADER_IMAGE - PAGE);
        let Some((offset, next)) = place else {
            let error = Error::new(
                ErrorKind::Limit,
                format!(
                    "the image would be longer than {LOADER_IMAGE:#x} bytes, more than a GPU can address: this section has {:#x} bytes and alignment {:#x}",
                    section.size, section.align
                ),
                section.offset,
            );
            return Err(elf.place(error, &section));
        };
        end = next;
        sections.push(LoadedSection {
            section: section.index,
            offset,
            size: section.size,
            bytes: elf.data(&section)?,
        });
    }
    Ok((sections, end))
}

fn put(memory: &mut [u8], offset: u64, bytes: &[u8]) {
    let target = usize::try_from(offset)
        .ok()
        .and_then(|start| memory.get_mut(start..))
        .and_then(|rest| rest.get_mut(..bytes.len()));
    if let Some(target) = target {
        target.copy_from_slice(bytes);
    }
}

#[cfg(test)]
mod tests;
