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
mod layout;
mod patches;

use crate::{Cubin, Error, ErrorKind, Result, elf::Elf, limits::LOADER_IMAGE};
use kernels::Kernels;
use layout::{Layout, PAGE};

pub use kernels::{Bank, Kernel};
pub use layout::LoadedSection;
pub use patches::Patch;

/// The image of a cubin. Borrows the file's bytes.
#[derive(Debug, Clone)]
pub struct Image<'a> {
    layout: Layout<'a>,
    kernels: Kernels<'a>,
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
        let layout = Layout::new(elf)?;
        for patch in layout.relocations() {
            patch?;
        }
        let kernels = Kernels::read(&layout)?;
        Ok(Self { layout, kernels })
    }

    /// Length in bytes: the laid-out sections up to a multiple of 4 KiB, and 4 KiB more.
    #[must_use]
    pub fn length(&self) -> u64 {
        // `end` is at most LOADER_IMAGE - PAGE.
        self.layout
            .end
            .checked_next_multiple_of(PAGE)
            .and_then(|end| end.checked_add(PAGE))
            .unwrap_or(LOADER_IMAGE)
    }

    /// End of the last section, in bytes from the start of the image; zeros follow.
    #[must_use]
    pub fn end(&self) -> u64 {
        self.layout.end
    }

    /// The sections it holds, in section order.
    #[must_use]
    pub fn sections(&self) -> &[LoadedSection<'a>] {
        &self.layout.sections
    }

    /// What the relocations write over an image at the address `base`, in relocation order. A later patch overwrites an
    /// earlier one where they share bytes.
    pub fn patches(&self, base: u64) -> impl Iterator<Item = Patch> + '_ {
        // `new` has seen that none fails.
        self.layout
            .relocations()
            .filter_map(Result::ok)
            .map(move |pending| pending.at(base))
    }

    /// Every function with code in the image, in section order: kernels, and device functions with a section of their own.
    pub fn kernels(&self) -> impl Iterator<Item = Kernel<'a>> + '_ {
        self.kernels.all()
    }

    /// The last function of this name.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<Kernel<'a>> {
        self.kernels.last(name)
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
        for section in &self.layout.sections {
            put(memory, section.offset, section.bytes);
        }
        for patch in self.patches(base) {
            put(memory, patch.offset, patch.bytes());
        }
        Ok(())
    }
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
