//! Device memory as an argument: which types may stand for which pointer of a kernel.

use super::address::DeviceAddress;
use super::driver::sys;
use super::driver::{CudaSlice, CudaView, CudaViewMut, DevicePtr, DevicePtrMut, SyncOnDrop};
use super::driver::{UnifiedSlice, UnifiedView, UnifiedViewMut};

#[doc(no_inline)]
pub use super::driver::{CudaStream, DeviceRepr, ValidAsZeroBits};

/// Device memory of any element type that a kernel may read (`const void *`).
///
/// # Safety
/// The address must belong to the context of `stream` and stay valid until the guard is dropped
/// and the work submitted to `stream` before that has finished.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory that a kernel can read",
    label = "expected `&` of a device slice, a view of one, or a `DeviceAddress`"
)]
pub unsafe trait InAny {
    /// What records the use of the memory when dropped; `()` where nothing orders the uses.
    type Guard<'a>
    where
        Self: 'a;

    /// Makes `stream` wait for earlier writes and yields the address.
    fn bind<'a>(&'a self, stream: &'a CudaStream) -> (sys::CUdeviceptr, Self::Guard<'a>);
}

/// Device memory of any element type that a kernel may write (`void *`).
///
/// # Safety
/// As for [`InAny`]; besides, nothing else may use the memory meanwhile.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not device memory that a kernel can write",
    label = "expected `&mut` of a device slice, a mutable view of one, or a `DeviceAddress`"
)]
pub unsafe trait OutAny {
    /// What records the use of the memory when dropped; `()` where nothing orders the uses.
    type GuardMut<'a>
    where
        Self: 'a;

    /// Makes `stream` wait for earlier reads and writes and yields the address.
    fn bind_mut<'a>(&'a mut self, stream: &'a CudaStream)
    -> (sys::CUdeviceptr, Self::GuardMut<'a>);
}

/// Device memory of elements `T` that a kernel may read (`const T *`).
///
/// # Safety
/// The memory must hold elements of type `T`.
#[diagnostic::on_unimplemented(
    message = "the kernel reads elements of type `{T}` here, and `{Self}` does not hold them",
    label = "expected `&` of a device slice of `{T}`, a view of one, or a `DeviceAddress<{T}>`"
)]
pub unsafe trait In<T>: InAny {}

/// Device memory of elements `T` that a kernel may write (`T *`).
///
/// # Safety
/// The memory must hold elements of type `T`.
#[diagnostic::on_unimplemented(
    message = "the kernel writes elements of type `{T}` here, and `{Self}` does not give write access to them",
    label = "expected `&mut` of a device slice of `{T}`, a mutable view of one, or a `DeviceAddress<{T}>`"
)]
pub unsafe trait Out<T>: OutAny {}

/// Binds slices and views as the driver crate does, which orders the uses of their memory between streams.
// One `impl` for all that has the crate's traits is not possible: a type may have them for several element types.
macro_rules! bind_ordered {
    (reads: $($memory:ty),*) => {$(
        // SAFETY: the driver crate knows the memory, and its guard records the use.
        unsafe impl<T> InAny for $memory {
            type Guard<'a>
                = SyncOnDrop<'a>
            where
                Self: 'a;

            fn bind<'a>(&'a self, stream: &'a CudaStream) -> (sys::CUdeviceptr, SyncOnDrop<'a>) {
                self.device_ptr(stream)
            }
        }
    )*};
    (writes: $($memory:ty),*) => {$(
        // SAFETY: as above; besides, the memory is borrowed for this use alone.
        unsafe impl<T> OutAny for $memory {
            type GuardMut<'a>
                = SyncOnDrop<'a>
            where
                Self: 'a;

            fn bind_mut<'a>(
                &'a mut self,
                stream: &'a CudaStream,
            ) -> (sys::CUdeviceptr, SyncOnDrop<'a>) {
                self.device_ptr_mut(stream)
            }
        }
    )*};
}
bind_ordered!(reads: CudaSlice<T>, CudaView<'_, T>, CudaViewMut<'_, T>);
bind_ordered!(reads: UnifiedSlice<T>, UnifiedView<'_, T>, UnifiedViewMut<'_, T>);
bind_ordered!(writes: CudaSlice<T>, CudaViewMut<'_, T>, UnifiedSlice<T>, UnifiedViewMut<'_, T>);

// SAFETY: slices and views know the type of their elements.
unsafe impl<T> In<T> for CudaSlice<T> {}
unsafe impl<T> In<T> for CudaView<'_, T> {}
unsafe impl<T> In<T> for CudaViewMut<'_, T> {}
unsafe impl<T> In<T> for UnifiedSlice<T> {}
unsafe impl<T> In<T> for UnifiedView<'_, T> {}
unsafe impl<T> In<T> for UnifiedViewMut<'_, T> {}
unsafe impl<T> Out<T> for CudaSlice<T> {}
unsafe impl<T> Out<T> for CudaViewMut<'_, T> {}
unsafe impl<T> Out<T> for UnifiedSlice<T> {}
unsafe impl<T> Out<T> for UnifiedViewMut<'_, T> {}

// SAFETY: a wrapper call is unsafe, and its caller vouches for raw addresses.
unsafe impl<T> InAny for DeviceAddress<T> {
    type Guard<'a>
        = ()
    where
        Self: 'a;

    #[inline]
    fn bind<'a>(&'a self, _stream: &'a CudaStream) -> (sys::CUdeviceptr, ()) {
        (self.raw(), ())
    }
}
unsafe impl<T> OutAny for DeviceAddress<T> {
    type GuardMut<'a>
        = ()
    where
        Self: 'a;

    #[inline]
    fn bind_mut<'a>(&'a mut self, _stream: &'a CudaStream) -> (sys::CUdeviceptr, ()) {
        (self.raw(), ())
    }
}
unsafe impl<T> In<T> for DeviceAddress<T> {}
unsafe impl<T> Out<T> for DeviceAddress<T> {}
// SAFETY: eight bytes without padding, the same on host and device; zero is the null address.
unsafe impl<T> DeviceRepr for DeviceAddress<T> {}
unsafe impl<T> ValidAsZeroBits for DeviceAddress<T> {}
