/// What all modules of this file share: device memory arguments, launch configuration, facts about
/// kernels, and errors.
#[allow(dead_code, unreachable_pub)]
#[allow(clippy::inline_always)]
pub mod runtime {
    use ::core::ffi::c_void;
    use ::core::fmt;
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

    /// A device address as an argument, and the guard that records its use when dropped; none where nothing
    /// orders the uses.
    pub type Bound<'a> = (sys::CUdeviceptr, Option<SyncOnDrop<'a>>);

    #[inline]
    fn guarded((address, guard): (sys::CUdeviceptr, SyncOnDrop<'_>)) -> Bound<'_> {
        (address, Some(guard))
    }

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
        /// Makes `stream` wait for earlier writes and yields the address.
        fn bind<'a>(&'a self, stream: &'a CudaStream) -> Bound<'a>;
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
        /// Makes `stream` wait for earlier reads and writes and yields the address.
        fn bind_mut<'a>(&'a mut self, stream: &'a CudaStream) -> Bound<'a>;
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
        fn bind<'a>(&'a self, stream: &'a CudaStream) -> Bound<'a> {
            guarded(self.device_ptr(stream))
        }
    }
    unsafe impl<T> In<T> for CudaSlice<T> {}
    unsafe impl<T> OutAny for CudaSlice<T> {
        fn bind_mut<'a>(&'a mut self, stream: &'a CudaStream) -> Bound<'a> {
            guarded(self.device_ptr_mut(stream))
        }
    }
    unsafe impl<T> Out<T> for CudaSlice<T> {}
    unsafe impl<T> InAny for CudaView<'_, T> {
        fn bind<'a>(&'a self, stream: &'a CudaStream) -> Bound<'a> {
            guarded(self.device_ptr(stream))
        }
    }
    unsafe impl<T> In<T> for CudaView<'_, T> {}
    unsafe impl<T> InAny for CudaViewMut<'_, T> {
        fn bind<'a>(&'a self, stream: &'a CudaStream) -> Bound<'a> {
            guarded(self.device_ptr(stream))
        }
    }
    unsafe impl<T> In<T> for CudaViewMut<'_, T> {}
    unsafe impl<T> OutAny for CudaViewMut<'_, T> {
        fn bind_mut<'a>(&'a mut self, stream: &'a CudaStream) -> Bound<'a> {
            guarded(self.device_ptr_mut(stream))
        }
    }
    unsafe impl<T> Out<T> for CudaViewMut<'_, T> {}
    unsafe impl<T> InAny for UnifiedSlice<T> {
        fn bind<'a>(&'a self, stream: &'a CudaStream) -> Bound<'a> {
            guarded(self.device_ptr(stream))
        }
    }
    unsafe impl<T> In<T> for UnifiedSlice<T> {}
    unsafe impl<T> OutAny for UnifiedSlice<T> {
        fn bind_mut<'a>(&'a mut self, stream: &'a CudaStream) -> Bound<'a> {
            guarded(self.device_ptr_mut(stream))
        }
    }
    unsafe impl<T> Out<T> for UnifiedSlice<T> {}
    unsafe impl<T> InAny for UnifiedView<'_, T> {
        fn bind<'a>(&'a self, stream: &'a CudaStream) -> Bound<'a> {
            guarded(self.device_ptr(stream))
        }
    }
    unsafe impl<T> In<T> for UnifiedView<'_, T> {}
    unsafe impl<T> InAny for UnifiedViewMut<'_, T> {
        fn bind<'a>(&'a self, stream: &'a CudaStream) -> Bound<'a> {
            guarded(self.device_ptr(stream))
        }
    }
    unsafe impl<T> In<T> for UnifiedViewMut<'_, T> {}
    unsafe impl<T> OutAny for UnifiedViewMut<'_, T> {
        fn bind_mut<'a>(&'a mut self, stream: &'a CudaStream) -> Bound<'a> {
            guarded(self.device_ptr_mut(stream))
        }
    }
    unsafe impl<T> Out<T> for UnifiedViewMut<'_, T> {}
    // SAFETY: a wrapper call is unsafe, and its caller vouches for raw addresses.
    unsafe impl<T> InAny for DeviceAddress<T> {
        #[inline]
        fn bind<'a>(&'a self, _stream: &'a CudaStream) -> Bound<'a> {
            (self.raw(), None)
        }
    }
    unsafe impl<T> In<T> for DeviceAddress<T> {}
    unsafe impl<T> OutAny for DeviceAddress<T> {
        #[inline]
        fn bind_mut<'a>(&'a mut self, _stream: &'a CudaStream) -> Bound<'a> {
            (self.raw(), None)
        }
    }
    unsafe impl<T> Out<T> for DeviceAddress<T> {}
    // SAFETY: eight bytes without padding, the same on host and device; zero is the null address.
    unsafe impl<T> DeviceRepr for DeviceAddress<T> {}
    unsafe impl<T> ValidAsZeroBits for DeviceAddress<T> {}

    /// How to launch: the driver crate's [`LaunchConfig`], and what it has no field for.
    ///
    /// Every wrapper takes `impl Into<Launch>`, so a plain `LaunchConfig` will do.
    ///
    /// ```ignore
    /// module.reduce(&stream, config, &x, &mut y)?;                                  // plain
    /// module.reduce(&stream, Launch::cooperative(config), &x, &mut y)?;             // grid-wide sync
    /// module.reduce(&stream, Launch::clustered(config, (2, 1, 1)), &x, &mut y)?;    // clusters of two
    /// ```
    ///
    /// # Graphs
    /// Launches on a stream that is being captured become nodes of the graph. Uses of memory must not be
    /// tracked by events then, since a capture cannot wait for events from outside of it:
    ///
    /// ```ignore
    /// unsafe { context.disable_event_tracking() };    // before the slices are allocated
    /// stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL)?;
    /// unsafe { module.saxpy(&stream, config, n, 2.0, &x, &mut y)? };
    /// let graph = stream.end_capture(flags)?;
    /// ```
    ///
    /// A node made by hand takes the kernel's handle and one pointer per argument:
    ///
    /// ```ignore
    /// let mut arguments = [(&raw const n).cast_mut().cast(), (&raw const x).cast_mut().cast()];
    /// let node = CUDA_KERNEL_NODE_PARAMS {
    ///     func: module.cu_function(&saxpy::info::SAXPY)?,
    ///     kernelParams: arguments.as_mut_ptr(),
    ///     ..dimensions
    /// };
    /// ```
    #[derive(Clone, Copy, Debug)]
    pub struct Launch {
        /// Grid, block and dynamic shared memory.
        pub config: LaunchConfig,
        /// All blocks must be resident at once, so that they can synchronize with each other.
        pub cooperative: bool,
        /// Blocks per cluster along x, y and z, for kernels that do not fix it at compile time.
        pub cluster: Option<(u32, u32, u32)>,
    }

    impl Launch {
        /// A cooperative launch.
        #[must_use]
        pub const fn cooperative(config: LaunchConfig) -> Self {
            Self {
                config,
                cooperative: true,
                cluster: None,
            }
        }

        /// A launch in clusters of `cluster` blocks along x, y and z.
        #[must_use]
        pub const fn clustered(config: LaunchConfig, cluster: (u32, u32, u32)) -> Self {
            Self {
                config,
                cooperative: false,
                cluster: Some(cluster),
            }
        }
    }

    impl Launch {
        fn shape(&self) -> Shape {
            Shape {
                grid: self.config.grid_dim,
                block: self.config.block_dim,
                shared: self.config.shared_mem_bytes,
                cooperative: self.cooperative,
                cluster: self.cluster,
            }
        }
    }

    impl From<LaunchConfig> for Launch {
        fn from(config: LaunchConfig) -> Self {
            Self {
                config,
                cooperative: false,
                cluster: None,
            }
        }
    }

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
    unsafe fn is_culib_present() -> bool {
        true
    }

    /// Whether the CUDA driver library can be loaded.
    #[must_use]
    #[allow(unused_imports, clippy::wildcard_imports)]
    pub fn driver_present() -> bool {
        // Where the driver crate loads the library at run time, its own function takes precedence.
        use ::cudarc::driver::sys::*;
        // SAFETY: loads and closes the driver library, nothing else.
        unsafe { is_culib_present() }
    }

    /// Why a module cannot be loaded.
    #[derive(Clone, Debug, PartialEq, Eq)]
    #[non_exhaustive]
    pub enum LoadError {
        /// No CUDA driver library is installed.
        NoDriver,
        /// No embedded image runs on the device.
        NoImage {
            /// The module.
            module: &'static str,
            /// Compute capability of the device.
            device: (u16, u16),
            /// What is embedded.
            images: &'static [Image],
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

    impl fmt::Display for LoadError {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            match self {
                Self::NoDriver => {
                    f.write_str("no CUDA driver library is installed (libcuda.so, nvcuda.dll)")
                }
                Self::NoImage {
                    module,
                    device: (major, minor),
                    images,
                } => {
                    write!(
                        f,
                        "module `{module}` holds no image for compute capability {major}.{minor}; embedded:"
                    )?;
                    for (index, image) in images.iter().enumerate() {
                        let comma = if index == 0 { "" } else { "," };
                        write!(f, "{comma} {}", image.target)?;
                    }
                    Ok(())
                }
                Self::GlobalSize {
                    symbol,
                    expected,
                    actual,
                } => {
                    write!(f, "variable `{symbol}`: {actual} bytes, not {expected}")
                }
                Self::Driver { module, error } => write!(f, "cannot load `{module}`: {error}"),
            }
        }
    }

    impl ::core::error::Error for LoadError {}

    impl Limits {
        /// Asks the driver, once per module.
        fn new(context: &CudaContext) -> Result<Self, DriverError> {
            let get = |attribute| {
                context
                    .attribute(attribute)
                    .map(|value| u32::try_from(value).unwrap_or(0))
            };
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
                shared_optin: get(
                    Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
                )?
                .into(),
                cooperative: get(Attribute::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH)? != 0,
                //@if clusters
                clusters: get(Attribute::CU_DEVICE_ATTRIBUTE_CLUSTER_LAUNCH)? != 0,
                //@else
                clusters: false,
                //@end
            })
        }
    }

    /// A kernel that was looked up in its module.
    struct Kernel {
        function: sys::CUfunction,
        /// The most threads per block by the driver's count, which includes registers.
        max_threads: u32,
        /// The most threads per block that break no rule at all; zero where a launch must keep to more rules
        /// than limits.
        plain_threads: u32,
        /// The most dynamic shared memory that may be used without asking for more; what was asked for counts.
        plain_shared: AtomicU32,
    }

    // SAFETY: driver handles are valid on every thread.
    unsafe impl Send for Kernel {}
    unsafe impl Sync for Kernel {}

    /// A module on a device: the image that was chosen, and its kernels as they are needed.
    pub(super) struct LoadedModule {
        name: &'static str,
        module: sys::CUmodule,
        context: Arc<CudaContext>,
        image: &'static Image,
        limits: Limits,
        kernels: Box<[OnceLock<Kernel>]>,
    }

    // SAFETY: driver handles are valid on every thread.
    unsafe impl Send for LoadedModule {}
    unsafe impl Sync for LoadedModule {}

    impl Drop for LoadedModule {
        fn drop(&mut self) {
            let bound = self.context.bind_to_thread();
            // SAFETY: nothing that borrows the module is left.
            let unloaded = bound.and_then(|()| unsafe { result::module::unload(self.module) });
            self.context.record_err(unloaded);
        }
    }

    impl fmt::Debug for LoadedModule {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("LoadedModule")
                .field("name", &self.name)
                .field("image", &self.image.target)
                .finish_non_exhaustive()
        }
    }

    impl LoadedModule {
        /// Chooses the image for the device of `context` and loads it.
        pub(super) fn load(
            name: &'static str,
            context: &Arc<CudaContext>,
            images: &'static [Image],
            kernels: usize,
        ) -> Result<Self, LoadError> {
            let refused = |error| LoadError::Driver {
                module: name,
                error,
            };
            let (major, minor) = context.compute_capability().map_err(refused)?;
            let device = (
                u16::try_from(major).unwrap_or(0),
                u16::try_from(minor).unwrap_or(0),
            );
            let image = choose(images, device).ok_or(LoadError::NoImage {
                module: name,
                device,
                images,
            })?;
            let limits = Limits::new(context).map_err(refused)?;
            context.bind_to_thread().map_err(refused)?;
            let bytes = image.bytes.as_ptr().cast();
            // SAFETY: a whole cubin, which says itself where it ends.
            let module = unsafe { result::module::load_data(bytes) }.map_err(refused)?;
            Ok(Self {
                name,
                module,
                context: Arc::clone(context),
                image,
                limits,
                kernels: (0..kernels).map(|_| OnceLock::new()).collect(),
            })
        }

        /// The image that was chosen.
        pub(super) fn image(&self) -> &'static Image {
            self.image
        }

        /// The driver's handle.
        pub(super) fn module(&self) -> sys::CUmodule {
            self.module
        }

        /// Looks up a kernel, once.
        fn kernel(&self, index: usize, info: &'static KernelInfo) -> Result<&Kernel, DriverError> {
            if let Some(kernel) = self.kernels[index].get() {
                return Ok(kernel);
            }
            self.context.bind_to_thread()?;
            // SAFETY: the module is loaded.
            let function =
                unsafe { result::module::get_function(self.module, name(info.symbol)?) }?;
            let threads = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
            // SAFETY: the function is of a loaded module.
            let threads = unsafe { result::function::get_function_attribute(function, threads) }?;
            let max_threads = u32::try_from(threads).unwrap_or(0);
            let (plain_threads, plain_shared) = self.plain(info).unwrap_or((0, 0));
            Ok(self.kernels[index].get_or_init(|| Kernel {
                function,
                max_threads,
                plain_threads: plain_threads.min(max_threads),
                plain_shared: AtomicU32::new(plain_shared),
            }))
        }

        /// Threads per block and bytes of dynamic shared memory up to which nothing but the device's limits on
        /// dimensions can forbid a launch.
        fn plain(&self, info: &KernelInfo) -> Option<(u32, u32)> {
            let resources = info.resources(self.image.target)?;
            if resources.required_threads.is_some()
                || resources.cluster.is_some()
                || resources.explicit_cluster
            {
                return None;
            }
            let threads = resources.max_threads_total().min(self.limits.threads);
            let shared = self.limits.shared.checked_sub(resources.static_shared)?;
            Some((threads, u32::try_from(shared).unwrap_or(u32::MAX)))
        }

        /// Looks up every kernel that the image holds.
        pub(super) fn preload(
            &self,
            kernels: &'static [&'static KernelInfo],
        ) -> Result<(), LoadError> {
            for (index, info) in kernels.iter().enumerate() {
                if info.resources(self.image.target).is_some() {
                    self.kernel(index, info)
                        .map_err(|error| LoadError::Driver {
                            module: info.name,
                            error,
                        })?;
                }
            }
            Ok(())
        }

        /// The driver's handle of a kernel.
        pub(super) fn function(
            &self,
            kernels: &'static [&'static KernelInfo],
            wanted: &KernelInfo,
        ) -> Result<sys::CUfunction, LaunchError> {
            let mut all = kernels.iter().copied().enumerate();
            let found = all.find(|(_, info)| info.symbol == wanted.symbol);
            let Some((index, info)) = found else {
                return Err(wanted.error(Reason::OtherModule(self.name)));
            };
            if info.resources(self.image.target).is_none() {
                return Err(info.error(Reason::NotInImage(self.image.target)));
            }
            match self.kernel(index, info) {
                Ok(kernel) => Ok(kernel.function),
                Err(error) => Err(info.error(Reason::Driver(error))),
            }
        }
    }

    /// A name as the driver takes it.
    fn name(symbol: &str) -> Result<CString, DriverError> {
        let invalid = |_| DriverError(sys::CUresult::CUDA_ERROR_INVALID_VALUE);
        CString::new(symbol).map_err(invalid)
    }

    /// Checks a launch, as far as can be known before the driver is asked.
    // What is inlined here and below keeps a launch at the cost of one written by hand.
    #[inline(always)]
    pub(super) fn prepare<'a>(
        module: &'a LoadedModule,
        index: usize,
        info: &'static KernelInfo,
        stream: &'a CudaStream,
        launch: &'a Launch,
    ) -> Result<Prepared<'a>, LaunchError> {
        let kernel = match module.plain_kernel(index, stream, launch) {
            Some(kernel) => kernel,
            None => checked_kernel(module, index, info, stream, launch)?,
        };
        Ok(Prepared {
            kernel,
            info,
            stream,
            launch,
        })
    }

    /// Holds a launch against every rule.
    #[cold]
    #[inline(never)]
    fn checked_kernel<'a>(
        module: &'a LoadedModule,
        index: usize,
        info: &'static KernelInfo,
        stream: &CudaStream,
        launch: &Launch,
    ) -> Result<&'a Kernel, LaunchError> {
        let fail = |reason| Err(info.error(reason));
        let Some(resources) = info.resources(module.image.target) else {
            return fail(Reason::NotInImage(module.image.target));
        };
        if !Arc::ptr_eq(stream.context(), &module.context) && **stream.context() != *module.context
        {
            return fail(Reason::OtherContext);
        }
        if let Err(reason) = module.limits.check(resources, &launch.shape()) {
            return fail(reason);
        }
        let kernel = match module.kernel(index, info) {
            Ok(kernel) => kernel,
            Err(error) => return fail(Reason::Driver(error)),
        };
        let threads = product(launch.config.block_dim);
        if threads > u64::from(kernel.max_threads) {
            return fail(Reason::Threads {
                threads,
                limit: kernel.max_threads,
            });
        }
        match kernel.ask_for_shared(module, resources, launch.config.shared_mem_bytes) {
            Ok(()) => Ok(kernel),
            Err(error) => fail(Reason::Driver(error)),
        }
    }

    impl LoadedModule {
        /// The kernel, where a few comparisons show that nothing is wrong with the launch; so it is with nearly
        /// every one.
        #[inline]
        fn plain_kernel(
            &self,
            index: usize,
            stream: &CudaStream,
            launch: &Launch,
        ) -> Option<&Kernel> {
            let kernel = self.kernels[index].get()?;
            let plain = Arc::ptr_eq(stream.context(), &self.context)
                && !launch.cooperative
                && launch.cluster.is_none()
                && kernel.is_plain(&self.limits, &launch.config);
            plain.then_some(kernel)
        }
    }

    impl Kernel {
        /// Whether a launch that is neither cooperative nor in clusters keeps to all rules; `false` where that
        /// takes a closer look.
        #[inline(always)]
        fn is_plain(&self, limits: &Limits, config: &LaunchConfig) -> bool {
            // Zero becomes the largest number.
            let within = |value: u32, limit: u32| value.wrapping_sub(1) < limit;
            let (grid, block) = (config.grid_dim, config.block_dim);
            // Cannot overflow where each dimension is within its limit.
            let threads = (u64::from(block.0) * u64::from(block.1)).wrapping_mul(block.2.into());
            // No branch per comparison: all of them hold, as a rule.
            within(grid.0, limits.grid.0)
                & within(grid.1, limits.grid.1)
                & within(grid.2, limits.grid.2)
                & within(block.0, limits.block.0)
                & within(block.1, limits.block.1)
                & within(block.2, limits.block.2)
                & (threads <= u64::from(self.plain_threads))
                & (config.shared_mem_bytes <= self.plain_shared.load(Ordering::Relaxed))
        }

        /// Asks for large shared memory where needed.
        fn ask_for_shared(
            &self,
            module: &LoadedModule,
            resources: &Resources,
            dynamic: u32,
        ) -> Result<(), DriverError> {
            let limits = &module.limits;
            if u64::from(dynamic) + resources.static_shared <= limits.shared
                || dynamic <= self.plain_shared.load(Ordering::Relaxed)
            {
                return Ok(());
            }
            // All that the device has, once: two threads asking for different amounts cannot then
            // undo each other's request.
            let most = limits.shared_optin.saturating_sub(resources.static_shared);
            let most = i32::try_from(most).unwrap_or(i32::MAX);
            let attribute =
                sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            module.context.bind_to_thread()?;
            // SAFETY: the function is of a loaded module.
            unsafe { result::function::set_function_attribute(self.function, attribute, most) }?;
            self.plain_shared
                .store(most.unsigned_abs(), Ordering::Relaxed);
            Ok(())
        }
    }

    /// Blocks per multiprocessor.
    pub(super) fn active_blocks_per_sm(
        module: &LoadedModule,
        function: sys::CUfunction,
        info: &KernelInfo,
        threads: u32,
        shared: u32,
    ) -> Result<u32, LaunchError> {
        let shared = usize::try_from(shared).unwrap_or(usize::MAX);
        let threads = i32::try_from(threads).unwrap_or(i32::MAX);
        let mut blocks = 0;
        let result = module.context.bind_to_thread().and_then(|()| {
            let blocks = &raw mut blocks;
            // SAFETY: the function is of a loaded module; the result outlives the call.
            unsafe {
                sys::cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared)
            }
            .result()
        });
        match result {
            Ok(()) => Ok(u32::try_from(blocks).unwrap_or(0)),
            Err(error) => Err(info.error(Reason::Driver(error))),
        }
    }

    /// The block size with the best occupancy.
    pub(super) fn suggested_block_size(
        module: &LoadedModule,
        function: sys::CUfunction,
        info: &KernelInfo,
        shared: u32,
    ) -> Result<(u32, u32), LaunchError> {
        let shared = usize::try_from(shared).unwrap_or(usize::MAX);
        let (mut blocks, mut threads) = (0, 0);
        let result = module.context.bind_to_thread().and_then(|()| {
            let (blocks, threads) = (&raw mut blocks, &raw mut threads);
            // SAFETY: the function is of a loaded module; both results outlive the call.
            unsafe {
                sys::cuOccupancyMaxPotentialBlockSize(blocks, threads, function, None, shared, 0)
            }
            .result()
        });
        let positive = |value| u32::try_from(value).unwrap_or(0);
        match result {
            Ok(()) => Ok((positive(blocks), positive(threads))),
            Err(error) => Err(info.error(Reason::Driver(error))),
        }
    }

    /// A `__constant__` or `__device__` variable of a loaded module.
    #[derive(Debug)]
    pub struct Global<'m, T> {
        module: &'m LoadedModule,
        address: DeviceAddress<T>,
    }

    impl<'m, T: Copy> Global<'m, T> {
        /// Looks the variable up, and compares its size.
        pub(super) fn find(
            module: &'m LoadedModule,
            symbol: &'static str,
        ) -> Result<Self, LoadError> {
            let refused = |error| LoadError::Driver {
                module: symbol,
                error,
            };
            module.context.bind_to_thread().map_err(refused)?;
            let name = name(symbol).map_err(refused)?;
            // SAFETY: the module is loaded.
            let found = unsafe { result::module::get_global(module.module, name) };
            let (address, actual) = found.map_err(refused)?;
            if actual != size_of::<T>() {
                return Err(LoadError::GlobalSize {
                    symbol,
                    expected: size_of::<T>(),
                    actual,
                });
            }
            Ok(Self {
                module,
                address: DeviceAddress::new(address),
            })
        }

        /// Where the variable lies, for kernels that take a pointer to it.
        #[must_use]
        pub fn address(&self) -> DeviceAddress<T> {
            self.address
        }

        /// Copies `value` to the device, in the order of `stream`, and waits for it.
        ///
        /// # Errors
        /// When the driver refuses.
        ///
        /// # Safety
        /// No work on another stream may use the variable meanwhile.
        pub unsafe fn write(&self, stream: &CudaStream, value: &T) -> Result<(), DriverError> {
            self.module.context.bind_to_thread()?;
            let source = ::core::slice::from_ref(value);
            // SAFETY: the variable has the size of `value`, which lives until the copy is done.
            unsafe { result::memcpy_htod_async(self.address.raw(), source, stream.cu_stream()) }?;
            stream.synchronize()
        }

        /// Copies the variable from the device, in the order of `stream`, and waits for it.
        ///
        /// # Errors
        /// When the driver refuses.
        ///
        /// # Safety
        /// No work on another stream may write the variable meanwhile, and what the device wrote must
        /// be a value of the type.
        pub unsafe fn read(&self, stream: &CudaStream) -> Result<T, DriverError> {
            self.module.context.bind_to_thread()?;
            let mut value = ::core::mem::MaybeUninit::<T>::uninit();
            let target = ::core::slice::from_mut(&mut value);
            // SAFETY: the variable has the size of `value`, which lives until the copy is done.
            unsafe { result::memcpy_dtoh_async(target, self.address.raw(), stream.cu_stream()) }?;
            stream.synchronize()?;
            // SAFETY: all bytes were copied, and the caller vouches for the value.
            Ok(unsafe { value.assume_init() })
        }
    }

    /// A launch that passed its checks.
    pub(super) struct Prepared<'a> {
        kernel: &'a Kernel,
        info: &'static KernelInfo,
        stream: &'a CudaStream,
        launch: &'a Launch,
    }

    impl Prepared<'_> {
        /// Hands the launch to the driver.
        ///
        /// # Safety
        /// `params` must hold one pointer per kernel parameter, each to a value of the parameter's type.
        #[inline(always)]
        pub(super) unsafe fn launch(&self, params: &mut [*mut c_void]) -> Result<(), LaunchError> {
            // Makes the context current. It also tells what went wrong while the stream was told to wait for
            // the arguments, which the context keeps.
            let mut result = self.stream.context().bind_to_thread();
            if result.is_ok() {
                // SAFETY: passed on to the caller.
                result = unsafe { self.submit(params) };
            }
            result.map_err(|error| self.info.error(Reason::Driver(error)))
        }

        #[inline(always)]
        unsafe fn submit(&self, params: &mut [*mut c_void]) -> Result<(), DriverError> {
            if self.launch.cooperative || self.launch.cluster.is_some() {
                // SAFETY: passed on to the caller.
                return unsafe { self.submit_together(params) };
            }
            let LaunchConfig {
                grid_dim: grid,
                block_dim: block,
                shared_mem_bytes: shared,
            } = self.launch.config;
            // SAFETY: the handles are alive, and the caller vouches for the parameters.
            unsafe {
                sys::cuLaunchKernel(
                    self.kernel.function,
                    grid.0,
                    grid.1,
                    grid.2,
                    block.0,
                    block.1,
                    block.2,
                    shared,
                    self.stream.cu_stream(),
                    params.as_mut_ptr(),
                    ::core::ptr::null_mut(),
                )
            }
            .result()
        }

        /// A launch in clusters, or of blocks that are resident all at once.
        #[cold]
        #[inline(never)]
        unsafe fn submit_together(&self, params: &mut [*mut c_void]) -> Result<(), DriverError> {
            //@if clusters
            if let Some(cluster) = self.launch.cluster {
                // SAFETY: passed on to the caller.
                return unsafe { self.submit_cluster(cluster, params) };
            }
            //@end
            let LaunchConfig {
                grid_dim: grid,
                block_dim: block,
                shared_mem_bytes: shared,
            } = self.launch.config;
            // SAFETY: the handles are alive, and the caller vouches for the parameters.
            unsafe {
                sys::cuLaunchCooperativeKernel(
                    self.kernel.function,
                    grid.0,
                    grid.1,
                    grid.2,
                    block.0,
                    block.1,
                    block.2,
                    shared,
                    self.stream.cu_stream(),
                    params.as_mut_ptr(),
                )
            }
            .result()
        }
        //@if clusters

        unsafe fn submit_cluster(
            &self,
            (x, y, z): (u32, u32, u32),
            params: &mut [*mut c_void],
        ) -> Result<(), DriverError> {
            let function = self.kernel.function;
            if x * y * z > 8 {
                let large = sys::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED;
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
            if self.launch.cooperative {
                attributes[1].id = sys::CUlaunchAttributeID::CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
                attributes[1].value = sys::CUlaunchAttributeValue { cooperative: 1 };
                count = 2;
            }
            let LaunchConfig {
                grid_dim: grid,
                block_dim: block,
                shared_mem_bytes: shared,
            } = self.launch.config;
            let config = sys::CUlaunchConfig {
                gridDimX: grid.0,
                gridDimY: grid.1,
                gridDimZ: grid.2,
                blockDimX: block.0,
                blockDimY: block.1,
                blockDimZ: block.2,
                sharedMemBytes: shared,
                hStream: self.stream.cu_stream(),
                attrs: attributes.as_mut_ptr(),
                numAttrs: count,
            };
            let none = ::core::ptr::null_mut();
            // SAFETY: the handles are alive, and the caller vouches for the parameters.
            unsafe { sys::cuLaunchKernelEx(&raw const config, function, params.as_mut_ptr(), none) }
                .result()
        }
        //@end
    }
}
