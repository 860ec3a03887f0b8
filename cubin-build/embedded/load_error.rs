//! Why a module cannot be loaded.

use core::fmt;
use std::string::String;

use super::driver::{DriverError, sys};
use super::image::Image;

/// Why a module cannot be loaded.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum LoadError {
    /// No CUDA driver library is installed.
    NoDriver,
    /// The wrappers were generated without machine code: in an editor, by `CUBIN_BUILD_MODE=signatures`.
    SignaturesOnly {
        /// The module.
        module: &'static str,
    },
    /// No embedded image runs on the device.
    NoImage {
        /// The module.
        module: &'static str,
        /// Compute capability of the device.
        device: (u16, u16),
        /// What is embedded.
        images: &'static [Image],
    },
    /// The driver could not compile the embedded PTX for the device, which no embedded cubin runs on.
    Ptx {
        /// The module.
        module: &'static str,
        /// The PTX.
        image: &'static Image,
        /// Compute capability of the device.
        device: (u16, u16),
        /// What the driver said.
        error: DriverError,
        /// What its compiler said; empty when it was not reached.
        log: String,
    },
    /// A variable has another size than its type.
    GlobalSize {
        /// The variable.
        symbol: &'static str,
        /// Bytes of its type.
        expected: usize,
        /// Bytes on the device.
        actual: usize,
    },
    /// The driver refused.
    Driver {
        /// The module, kernel or variable.
        module: &'static str,
        /// What it said.
        error: DriverError,
    },
}

/// The drivers that NVIDIA's release notes name for "minor version compatibility" on Linux: they load the cubins of every
/// toolkit of a major version.
const TOO_OLD: &str = "; is the driver older than the toolkit that made the cubins? Those of CUDA 13 need driver 580 or \
     newer, of CUDA 12 driver 525, of CUDA 11 driver 450 (`nvidia-smi` shows the version)";

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoDriver => {
                f.write_str("no CUDA driver library is installed (libcuda.so, nvcuda.dll)")
            }
            Self::SignaturesOnly { module } => write!(
                f,
                "module `{module}` has no machine code: this program was built with CUBIN_BUILD_MODE=signatures, \
                 which an editor sets to know the wrappers alone. Build it without the variable to run it"
            ),
            Self::NoImage {
                module,
                device: (major, minor),
                images,
            } => {
                write!(
                    f,
                    "module `{module}` holds no image for compute capability {major}.{minor}"
                )?;
                for (index, image) in images.iter().enumerate() {
                    let before = if index == 0 { "; embedded:" } else { "," };
                    write!(f, "{before} {image}")?;
                }
                Ok(())
            }
            Self::Ptx {
                module,
                image,
                device: (major, minor),
                error,
                log,
            } => {
                let cause = match error.0 {
                    sys::CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => {
                        "the driver is older than the PTX: install a newer driver"
                    }
                    sys::CUresult::CUDA_ERROR_JIT_COMPILER_NOT_FOUND => {
                        "its compiler (libnvidia-ptxjitcompiler.so) is missing: install the whole driver"
                    }
                    sys::CUresult::CUDA_ERROR_JIT_COMPILATION_DISABLED => {
                        "its compiler is turned off: unset CUDA_DISABLE_PTX_JIT"
                    }
                    _ => "its compiler refused",
                };
                write!(
                    f,
                    "cannot load `{module}`: the driver did not compile {image} for compute capability {major}.{minor}: {error}; {cause}. A cubin needs no compiler: add sm_{major}{minor} to `arch`"
                )?;
                if log.is_empty() {
                    return Ok(());
                }
                write!(f, "\n{log}")
            }
            Self::GlobalSize {
                symbol,
                expected,
                actual,
            } => {
                write!(f, "variable `{symbol}`: {actual} bytes, not {expected}")
            }
            Self::Driver { module, error } => {
                write!(f, "cannot load `{module}`: {error}")?;
                match error.0 {
                    sys::CUresult::CUDA_ERROR_INVALID_IMAGE
                    | sys::CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU
                    | sys::CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => f.write_str(TOO_OLD),
                    _ => Ok(()),
                }
            }
        }
    }
}

/// The same text as [`Display`](fmt::Display): it is what a `main` that returns the error prints.
impl fmt::Debug for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for LoadError {}
