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
    /// module.preload()?;                              // looking a kernel up may load code
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
        #[inline(always)]
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

    /// Checks a launch, as far as can be known before the driver is asked.
    // What is inlined here and below keeps a launch at the cost of one written by hand.
    #[inline(always)]
    pub(super) fn prepare<'a>(
        module: &'a LoadedModule,
        index: usize,
        info: &'static KernelInfo,
        stream: &'a CudaStream,
        launch: Launch,
    ) -> Result<Prepared<'a>, LaunchError> {
        let kernel = match module.plain_kernel(index, stream, &launch) {
            Some(kernel) => kernel,
            // A copy: its address would keep the launch itself in memory on the common path too.
            None => checked_kernel(module, index, info, stream, &launch.shape())?,
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
        shape: &Shape,
    ) -> Result<&'a Kernel, LaunchError> {
        let fail = |reason| Err(info.error(reason));
        let Some(resources) = info.resources(module.image.assembled) else {
            return fail(Reason::NotInImage(module.image.assembled));
        };
        if !Arc::ptr_eq(stream.context(), &module.context) && **stream.context() != *module.context
        {
            return fail(Reason::OtherContext);
        }
        if let Err(reason) = module.limits.check(resources, shape) {
            return fail(reason);
        }
        let kernel = match module.kernel(index, info) {
            Ok(kernel) => kernel,
            Err(error) => return fail(Reason::Driver(error)),
        };
        let threads = product(shape.block);
        if threads > u64::from(kernel.max_threads) {
            return fail(Reason::Threads {
                threads,
                limit: kernel.max_threads,
            });
        }
        match kernel.ask_for_shared(module, resources, shape.shared) {
            Ok(()) => Ok(kernel),
            Err(error) => fail(Reason::Driver(error)),
        }
    }

    impl LoadedModule {
        /// The kernel, where a few comparisons show that nothing is wrong with the launch; so it is with nearly
        /// every one.
        #[inline(always)]
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

    /// A launch that passed its checks.
    pub(super) struct Prepared<'a> {
        kernel: &'a Kernel,
        info: &'static KernelInfo,
        stream: &'a CudaStream,
        launch: Launch,
    }

    impl Prepared<'_> {
        /// Hands the launch to the driver.
        ///
        /// # Safety
        /// `params` must hold one pointer per kernel parameter, each to a value of the parameter's type.
        #[inline(always)]
        pub(super) unsafe fn launch(self, params: &mut [*mut c_void]) -> Result<(), LaunchError> {
            let (function, stream) = (self.kernel.function, self.stream.cu_stream());
            // Makes the context current. It also tells what went wrong while the arguments were bound (a wait, or
            // access to unified memory that is attached to another stream), which the context keeps.
            let mut result = self.stream.context().bind_to_thread();
            if result.is_ok() {
                result = if self.launch.cooperative || self.launch.cluster.is_some() {
                    // SAFETY: the handles are alive, and the caller vouches for the parameters.
                    unsafe { submit_together(function, stream, self.launch, params) }
                } else {
                    // SAFETY: as above.
                    unsafe { submit(function, stream, self.launch.config, params) }
                };
            }
            match result {
                Ok(()) => Ok(()),
                Err(error) => Err(self.info.error(Reason::Driver(error))),
            }
        }
    }

    #[inline(always)]
    unsafe fn submit(
        function: sys::CUfunction,
        stream: sys::CUstream,
        config: LaunchConfig,
        params: &mut [*mut c_void],
    ) -> Result<(), DriverError> {
        let (grid, block) = (config.grid_dim, config.block_dim);
        // SAFETY: passed on to the caller.
        unsafe {
            sys::cuLaunchKernel(
                function,
                grid.0,
                grid.1,
                grid.2,
                block.0,
                block.1,
                block.2,
                config.shared_mem_bytes,
                stream,
                params.as_mut_ptr(),
                ::core::ptr::null_mut(),
            )
        }
        .result()
    }

    /// A launch in clusters, or of blocks that are resident all at once.
    #[cold]
    #[inline(never)]
    unsafe fn submit_together(
        function: sys::CUfunction,
        stream: sys::CUstream,
        launch: Launch,
        params: &mut [*mut c_void],
    ) -> Result<(), DriverError> {
        //@if clusters
        if let Some(cluster) = launch.cluster {
            // SAFETY: passed on to the caller.
            return unsafe { submit_cluster(function, stream, launch, cluster, params) };
        }
        //@end
        let (grid, block) = (launch.config.grid_dim, launch.config.block_dim);
        // SAFETY: passed on to the caller.
        unsafe {
            sys::cuLaunchCooperativeKernel(
                function,
                grid.0,
                grid.1,
                grid.2,
                block.0,
                block.1,
                block.2,
                launch.config.shared_mem_bytes,
                stream,
                params.as_mut_ptr(),
            )
        }
        .result()
    }
    //@if clusters

    unsafe fn submit_cluster(
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
        let none = ::core::ptr::null_mut();
        // SAFETY: the handles are alive, and the caller vouches for the parameters.
        unsafe { sys::cuLaunchKernelEx(&raw const config, function, params.as_mut_ptr(), none) }
            .result()
    }
    //@end
