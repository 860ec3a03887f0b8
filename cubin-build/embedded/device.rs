//! What the device of a context allows.

use super::check::Limits;
use super::clusters;
use super::driver::sys::CUdevice_attribute_enum as Attribute;
use super::driver::{CudaContext, DriverError};

impl Limits {
    /// Asks the driver, once per module.
    pub(super) fn new(context: &CudaContext) -> Result<Self, DriverError> {
        let get = |attribute| number(context, attribute);
        Ok(Self {
            grid: (
                get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X)?,
                get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y)?,
                get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)?,
            ),
            block: (
                get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X)?,
                get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y)?,
                get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)?,
            ),
            threads: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK)?,
            shared: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK)?.into(),
            shared_optin: get(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?
                .into(),
            cooperative: get(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? != 0,
            clusters: clusters::supported(context)?,
        })
    }
}

/// An attribute of the device, none of which is negative.
pub(super) fn number(context: &CudaContext, attribute: Attribute) -> Result<u32, DriverError> {
    let value = context.attribute(attribute)?;
    Ok(u32::try_from(value).unwrap_or(0))
}
