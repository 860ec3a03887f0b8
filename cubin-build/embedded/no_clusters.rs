//! Stands in for launches in clusters where no kernel was compiled for a device that has them, so that a driver crate
//! with the bindings of an older CUDA will do.

use core::ffi::c_void;

use super::driver::{CudaContext, DriverError, sys};
use super::launch::Launch;

/// Whether the device launches clusters: not this program.
// As the function that it stands in for.
#[allow(clippy::unnecessary_wraps)]
pub(super) fn supported(_: &CudaContext) -> Result<bool, DriverError> {
    Ok(false)
}

/// Refuses; the launch was refused before.
///
/// # Safety
/// None needed; the signature is that of the function that it stands in for.
pub(super) unsafe fn submit(
    _: sys::CUfunction,
    _: sys::CUstream,
    _: Launch,
    _: (u32, u32, u32),
    _: &mut [*mut c_void],
) -> Result<(), DriverError> {
    Err(DriverError(sys::CUresult::CUDA_ERROR_NOT_SUPPORTED))
}
