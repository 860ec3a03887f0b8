//! Launches in clusters, which the driver has since CUDA 12.0.

use core::ffi::c_void;

use super::device;
use super::driver::sys::CUdevice_attribute_enum as Attribute;
use super::driver::{CudaContext, DriverError, result, sys};
use super::launch::Launch;

/// Whether the device launches clusters.
pub(super) fn supported(context: &CudaContext) -> Result<bool, DriverError> {
    let supported = device::number(context, Attribute::CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)?;
    Ok(supported != 0)
}

/// A launch in clusters.
///
/// # Safety
/// The handles must be alive, and `params` must hold one pointer per kernel parameter, each to a value of its type.
pub(super) unsafe fn submit(
    function: sys::CUfunction,
    stream: sys::CUstream,
    launch: Launch,
    (x, y, z): (u32, u32, u32),
    params: &mut [*mut c_void],
) -> Result<(), DriverError> {
    if x * y * z > 8 {
        let large =
            sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
        // SAFETY: the function is of a loaded module.
        unsafe { result::function::set_function_attribute(function, large, 1) }?;
    }
    let mut attributes = [sys::CUlaunchAttribute {
        id: sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
        pad: [0; 4],
        value: sys::CUlaunchAttributeValue {
            clusterDim: sys::CUlaunchAttributeValue_union__bindgen_ty_1 { x, y, z },
        },
    }; 2];
    let mut count = 1;
    if launch.cooperative {
        attributes[1].id = sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attributes[1].value = sys::CUlaunchAttributeValue { cooperative: 1 };
        count = 2;
    }
    let (grid, block) = (launch.config.grid_dim, launch.config.block_dim);
    let config = sys::CUlaunchConfig {
        gridDimX: grid.0,
        gridDimY: grid.1,
        gridDimZ: grid.2,
        blockDimX: block.0,
        blockDimY: block.1,
        blockDimZ: block.2,
        sharedMemBytes: launch.config.shared_mem_bytes,
        hStream: stream,
        attrs: attributes.as_mut_ptr(),
        numAttrs: count,
    };
    let none = core::ptr::null_mut();
    // SAFETY: the handles are alive, and the caller vouches for the parameters.
    unsafe { sys::cuLaunchKernelEx(&raw const config, function, params.as_mut_ptr(), none) }
        .result()
}
