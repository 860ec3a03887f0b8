//! Cubins and PTX within a program, and which of them a device takes.

use core::fmt;

use super::target::{Suffix, Target};

/// What an image holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Machine code.
    Cubin,
    /// Text that the driver compiles for its device when it is loaded.
    Ptx,
}

/// A cubin or PTX within this program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Image {
    /// What it was compiled for; of PTX the virtual architecture: `sm_90` stands for `compute_90`.
    pub target: Target,
    /// What it holds.
    pub format: Format,
    /// The target whose [`Resources`](super::Resources) say what a launch must keep to: of a cubin its own,
    /// of PTX the one that it was assembled for when this program was built. PTX fixes launch bounds, cluster
    /// shapes and static shared memory; registers, stack and spills are up to the driver.
    pub assembled: Target,
    /// Name of the file it was read from when this program was built: its own, or the fatbin that holds it.
    pub file: &'static str,
    /// The file's bytes, aligned to 16; PTX ends in a zero byte, as drivers want it. Of a fatbin all images have the same: the
    /// driver chooses among them, by the same rule.
    pub bytes: &'static [u8],
}

impl Image {
    #[doc(hidden)]
    #[must_use]
    pub const fn cubin(target: Target, file: &'static str, bytes: &'static [u8]) -> Self {
        Self {
            target,
            format: Format::Cubin,
            assembled: target,
            file,
            bytes,
        }
    }

    #[doc(hidden)]
    #[must_use]
    pub const fn ptx(
        target: Target,
        assembled: Target,
        file: &'static str,
        bytes: &'static [u8],
    ) -> Self {
        Self {
            target,
            format: Format::Ptx,
            assembled,
            file,
            bytes,
        }
    }

    /// Whether it can be loaded on a device of compute capability `major.minor`.
    #[must_use]
    pub const fn runs_on(&self, device: (u16, u16)) -> bool {
        match self.format {
            Format::Cubin => self.target.runs_on(device),
            Format::Ptx => self.target.compiles_for(device),
        }
    }
}

/// `sm_90`, or `PTX compute_90`.
impl fmt::Display for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.format {
            Format::Cubin => write!(f, "{}", self.target),
            Format::Ptx => {
                let number = self.target.number;
                write!(f, "PTX compute_{number}{}", self.target.suffix.letter())
            }
        }
    }
}

impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Image")
            .field("target", &self.target)
            .field("format", &self.format)
            .field("assembled", &self.assembled)
            .field("file", &self.file)
            .field("bytes", &self.bytes.len())
            .finish()
    }
}

/// The image for a device of compute capability `major.minor`: the exact cubin, or else that of the closest
/// lower minor revision, the more special instruction set first; where no cubin runs, the newest PTX that
/// can be compiled for the device.
#[must_use]
pub fn choose(images: &'static [Image], device: (u16, u16)) -> Option<&'static Image> {
    let rank = |image: &&Image| {
        let special = match image.target.suffix {
            Suffix::None => 0,
            Suffix::Family => 1,
            Suffix::Accelerated => 2,
        };
        let cubin = matches!(image.format, Format::Cubin);
        (cubin, image.target.number, special)
    };
    let fits = |image: &&Image| image.runs_on(device);
    images.iter().filter(fits).max_by_key(rank)
}

/// Bytes at an address that the driver likes.
#[doc(hidden)]
#[repr(C, align(16))]
#[derive(Debug)]
pub struct Aligned<T: ?Sized>(pub T);
