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
                .field("image", self.image)
                .finish_non_exhaustive()
        }
    }

    fn load_cubin(image: &'static Image) -> Result<sys::CUmodule, DriverError> {
        let bytes = image.bytes.as_ptr().cast();
        // SAFETY: a whole cubin, which says itself where it ends.
        unsafe { result::module::load_data(bytes) }
    }

    //@if ptx
    /// Has the driver compile PTX for the device, and keeps what its compiler says.
    fn load_ptx(
        module: &'static str,
        image: &'static Image,
        device: (u16, u16),
    ) -> Result<sys::CUmodule, LoadError> {
        let mut log = ::std::vec![0_u8; 8192];
        let mut options = [
            sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
            sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
        ];
        // A number stands in the place of a pointer, as the driver wants it.
        let size: *mut c_void = ::core::ptr::without_provenance_mut(log.len());
        let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), size];
        let mut handle = ::core::ptr::null_mut();
        let bytes = image.bytes.as_ptr().cast();
        // SAFETY: text that ends in a zero byte; two options with two values; the buffer outlives the call.
        let loaded = unsafe {
            sys::cuModuleLoadDataEx(
                &raw mut handle,
                bytes,
                2,
                options.as_mut_ptr(),
                values.as_mut_ptr(),
            )
        };
        match loaded.result() {
            Ok(()) => Ok(handle),
            Err(error) => {
                let said = log.split(|&byte| byte == 0).next().unwrap_or_default();
                Err(LoadError::Ptx {
                    module,
                    image,
                    device,
                    error,
                    log: String::from_utf8_lossy(said).trim().to_owned(),
                })
            }
        }
    }

    //@end
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
            //@if ptx
            let module = match image.format {
                Format::Cubin => load_cubin(image).map_err(refused)?,
                Format::Ptx => load_ptx(name, image, device)?,
            };
            //@else
            let module = load_cubin(image).map_err(refused)?;
            //@end
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
            let resources = info.resources(self.image.assembled)?;
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
                if info.resources(self.image.assembled).is_none() {
                    continue;
                }
                if let Err(error) = self.kernel(index, info) {
                    return Err(LoadError::Driver {
                        module: info.name,
                        error,
                    });
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
            if info.resources(self.image.assembled).is_none() {
                return Err(info.error(Reason::NotInImage(self.image.assembled)));
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
