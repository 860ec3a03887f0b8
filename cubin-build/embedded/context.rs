//! A device is opened, without a panic where there is none.

use std::sync::Arc;

use super::load_error::LoadError;

#[doc(no_inline)]
pub use super::driver::{CudaContext, sys};

/// Opens the device with this ordinal.
///
/// [`CudaContext::new`] panics on a machine without a driver; this function does not.
///
/// # Errors
/// When no driver is installed, or the driver refuses.
pub fn context(ordinal: usize) -> Result<Arc<CudaContext>, LoadError> {
    if !driver_present() {
        return Err(LoadError::NoDriver);
    }
    CudaContext::new(ordinal).map_err(|error| LoadError::Driver {
        module: "the CUDA context",
        error,
    })
}

/// Answers for builds that link the driver library: it is there, or the program would not run.
///
/// # Safety
/// None needed; the signature is that of the function in [`sys`] that it stands in for.
#[allow(dead_code)]
unsafe fn is_culib_present() -> bool {
    true
}

/// Whether the CUDA driver library can be loaded.
#[must_use]
#[allow(unused_imports, clippy::wildcard_imports)]
pub fn driver_present() -> bool {
    // Where the driver crate loads the library at run time, its own function takes precedence.
    use super::driver::sys::*;
    // SAFETY: loads and closes the driver library, nothing else.
    unsafe { is_culib_present() }
}
