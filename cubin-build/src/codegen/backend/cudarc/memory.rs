    /// Device memory of any element type that a kernel may read (`const void *`).
    ///
    /// # Safety
    /// The address must belong to the context of `stream` and stay valid until the guard is dropped
    /// and the work submitted to `stream` before that has finished.
    #[diagnostic::on_unimplemented(
        message = "`{Self}` is no device memory that a kernel can read",
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
        message = "`{Self}` is no device memory that a kernel can write",
        label = "expected `&mut` of a device slice, a mutable view of one, or a `DeviceAddress`"
    )]
    pub unsafe trait OutAny {
        /// What records the use of the memory when dropped; `()` where nothing orders the uses.
        type GuardMut<'a>
        where
            Self: 'a;

        /// Makes `stream` wait for earlier reads and writes and yields the address.
        fn bind_mut<'a>(
            &'a mut self,
            stream: &'a CudaStream,
        ) -> (sys::CUdeviceptr, Self::GuardMut<'a>);
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

    // SAFETY: the slices and views of the driver crate know their memory and its element type, and
    // order its uses between streams.
    unsafe impl<T> InAny for CudaSlice<T> {
        type Guard<'a>
            = SyncOnDrop<'a>
        where
            Self: 'a;

        fn bind<'a>(&'a self, stream: &'a CudaStream) -> (sys::CUdeviceptr, SyncOnDrop<'a>) {
            self.device_ptr(stream)
        }
    }
    unsafe impl<T> In<T> for CudaSlice<T> {}
    unsafe impl<T> OutAny for CudaSlice<T> {
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
    unsafe impl<T> Out<T> for CudaSlice<T> {}
    unsafe impl<T> InAny for CudaView<'_, T> {
        type Guard<'a>
            = SyncOnDrop<'a>
        where
            Self: 'a;

        fn bind<'a>(&'a self, stream: &'a CudaStream) -> (sys::CUdeviceptr, SyncOnDrop<'a>) {
            self.device_ptr(stream)
        }
    }
    unsafe impl<T> In<T> for CudaView<'_, T> {}
    unsafe impl<T> InAny for CudaViewMut<'_, T> {
        type Guard<'a>
            = SyncOnDrop<'a>
        where
            Self: 'a;

        fn bind<'a>(&'a self, stream: &'a CudaStream) -> (sys::CUdeviceptr, SyncOnDrop<'a>) {
            self.device_ptr(stream)
        }
    }
    unsafe impl<T> In<T> for CudaViewMut<'_, T> {}
    unsafe impl<T> OutAny for CudaViewMut<'_, T> {
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
    unsafe impl<T> Out<T> for CudaViewMut<'_, T> {}
    unsafe impl<T> InAny for UnifiedSlice<T> {
        type Guard<'a>
            = SyncOnDrop<'a>
        where
            Self: 'a;

        fn bind<'a>(&'a self, stream: &'a CudaStream) -> (sys::CUdeviceptr, SyncOnDrop<'a>) {
            self.device_ptr(stream)
        }
    }
    unsafe impl<T> In<T> for UnifiedSlice<T> {}
    unsafe impl<T> OutAny for UnifiedSlice<T> {
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
    unsafe impl<T> Out<T> for UnifiedSlice<T> {}
    unsafe impl<T> InAny for UnifiedView<'_, T> {
        type Guard<'a>
            = SyncOnDrop<'a>
        where
            Self: 'a;

        fn bind<'a>(&'a self, stream: &'a CudaStream) -> (sys::CUdeviceptr, SyncOnDrop<'a>) {
            self.device_ptr(stream)
        }
    }
    unsafe impl<T> In<T> for UnifiedView<'_, T> {}
    unsafe impl<T> InAny for UnifiedViewMut<'_, T> {
        type Guard<'a>
            = SyncOnDrop<'a>
        where
            Self: 'a;

        fn bind<'a>(&'a self, stream: &'a CudaStream) -> (sys::CUdeviceptr, SyncOnDrop<'a>) {
            self.device_ptr(stream)
        }
    }
    unsafe impl<T> In<T> for UnifiedViewMut<'_, T> {}
    unsafe impl<T> OutAny for UnifiedViewMut<'_, T> {
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
    unsafe impl<T> In<T> for DeviceAddress<T> {}
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
    unsafe impl<T> Out<T> for DeviceAddress<T> {}
    // SAFETY: eight bytes without padding, the same on host and device; zero is the null address.
    unsafe impl<T> DeviceRepr for DeviceAddress<T> {}
    unsafe impl<T> ValidAsZeroBits for DeviceAddress<T> {}
