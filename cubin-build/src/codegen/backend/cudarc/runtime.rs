/// What all modules of this file share: device memory arguments, launch configuration, facts about
/// kernels, and errors.
#[allow(dead_code, unreachable_pub)]
#[allow(clippy::inline_always, clippy::nursery)]
// One comment stands for implementations that follow each other.
#[allow(clippy::undocumented_unsafe_blocks)]
pub mod runtime {
    use ::core::ffi::c_void;
    use ::core::fmt;
    use ::core::hash::{Hash, Hasher};
    use ::core::marker::PhantomData;
    use ::core::sync::atomic::{AtomicU32, Ordering};
    use ::cudarc::driver::result;
    use ::cudarc::driver::sys;
    use ::cudarc::driver::sys::CUdevice_attribute_enum as Attribute;
    use ::cudarc::driver::{CudaContext, CudaStream, DriverError};
    use ::cudarc::driver::{CudaSlice, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, SyncOnDrop};
    use ::cudarc::driver::{DeviceRepr, LaunchConfig, ValidAsZeroBits};
    use ::cudarc::driver::{UnifiedSlice, UnifiedView, UnifiedViewMut};
    use ::std::ffi::CString;
    use ::std::sync::{Arc, OnceLock};

    //@include facts
    //@include checks
    //@include variables
    //@include memory
    //@include launch
    //@include error
    //@include module
    //@include global
}
