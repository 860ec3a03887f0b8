//! How a kernel is launched: what can be known is checked first, then the driver is asked.

use core::ffi::c_void;
use core::sync::atomic::Ordering;
use std::sync::Arc;

use super::arguments::Arguments;
use super::check::{Limits, Shape, product};
use super::clusters;
use super::device;
use super::driver::sys::CUdevice_attribute_enum as DeviceAttribute;
use super::driver::sys::CUfunction_attribute_enum as Attribute;
use super::driver::{CudaStream, DriverError, result, sys};
use super::error::{LaunchError, Reason, RegisterFile};
use super::kernel::{KernelInfo, Resources};
use super::module::{Kernel, LoadedModule};

#[doc(no_inline)]
pub use super::driver::LaunchConfig;

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
/// # Safety
/// What every wrapper, an `unsafe fn`, asks of its caller. With these arguments and this launch configuration the
/// kernel must not access memory out of bounds, must not write through pointers that C++ declares `const`, and must
/// find the memory behind every pointer initialized as it expects. It must not race with other work on the same
/// memory. A [`DeviceAddress`](super::DeviceAddress), and addresses within structs, must stay valid until the kernel
/// has finished.
///
/// # Errors
/// What every wrapper gives. When the launch breaks a limit of the device or of the kernel, which is found before the
/// driver is called, or the driver refuses: [`Reason`] says which. Errors of the kernel itself show at a later
/// synchronization.
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

/// Launches `info`, a kernel of `module`.
///
/// # Safety
/// There must be one argument per parameter of the kernel, each of the parameter's type; and see
/// [`Launch`](Launch#safety).
///
/// # Errors
/// See [`Launch`](Launch#errors).
// What is inlined here and below keeps a launch at the cost of one written by hand.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn launch<'a, A: Arguments<'a>>(
    module: &'a LoadedModule,
    info: &'static KernelInfo,
    stream: &'a CudaStream,
    launch: impl Into<Launch>,
    arguments: A,
) -> Result<(), LaunchError> {
    let ready = prepare(module, info, stream, launch)?;
    // SAFETY: passed on to the caller.
    unsafe { arguments.launch(ready) }
}

/// Checks a launch, as far as can be known before the driver is asked.
///
/// # Errors
/// See [`Launch`](Launch#errors).
#[doc(hidden)]
#[inline(always)]
pub fn prepare<'a>(
    module: &'a LoadedModule,
    info: &'static KernelInfo,
    stream: &'a CudaStream,
    launch: impl Into<Launch>,
) -> Result<Prepared<'a>, LaunchError> {
    let launch = launch.into();
    let kernel = match module.plain_kernel(info, stream, &launch) {
        Some(kernel) => kernel,
        // A copy: its address would keep the launch itself in memory on the common path too.
        None => module.checked_kernel(info, stream, &launch.shape())?,
    };
    Ok(Prepared {
        kernel,
        info,
        stream,
        launch,
    })
}

impl LoadedModule {
    /// The kernel, where a few comparisons show that nothing is wrong with the launch; so it is with nearly
    /// every one.
    #[inline(always)]
    fn plain_kernel(
        &self,
        info: &KernelInfo,
        stream: &CudaStream,
        launch: &Launch,
    ) -> Option<&Kernel> {
        let kernel = self.known(info)?;
        let plain = Arc::ptr_eq(stream.context(), self.context())
            && !launch.cooperative
            && launch.cluster.is_none()
            && kernel.is_plain(self.limits(), &launch.config);
        plain.then_some(kernel)
    }

    /// Holds a launch against every rule.
    #[cold]
    #[inline(never)]
    fn checked_kernel(
        &self,
        info: &KernelInfo,
        stream: &CudaStream,
        shape: &Shape,
    ) -> Result<&Kernel, LaunchError> {
        match self.check(info, stream, shape) {
            Ok(kernel) => Ok(kernel),
            Err(reason) => Err(info.error(reason)),
        }
    }

    fn check(
        &self,
        info: &KernelInfo,
        stream: &CudaStream,
        shape: &Shape,
    ) -> Result<&Kernel, Reason> {
        let resources = self.resources(info)?;
        let other = !Arc::ptr_eq(stream.context(), self.context());
        if other && **stream.context() != **self.context() {
            return Err(Reason::OtherContext);
        }
        self.limits().check(&resources, shape)?;
        let kernel = self.kernel(info).map_err(Reason::Driver)?;
        let threads = product(shape.block);
        if threads > u64::from(kernel.max_threads) {
            return Err(kernel.too_many_threads(self, threads));
        }
        let asked = kernel.ask_for_shared(self, &resources, shape.shared);
        asked.map_err(Reason::Driver)?;
        Ok(kernel)
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
        // Too little becomes the largest number here too.
        let shared = config.shared_mem_bytes.wrapping_sub(self.least_shared);
        // No branch per comparison: all of them hold, as a rule.
        within(grid.0, limits.grid.0)
            & within(grid.1, limits.grid.1)
            & within(grid.2, limits.grid.2)
            & within(block.0, limits.block.0)
            & within(block.1, limits.block.1)
            & within(block.2, limits.block.2)
            & (threads <= u64::from(self.plain_threads))
            & (shared <= self.plain_shared.load(Ordering::Relaxed))
    }

    /// Why a block of so many threads cannot run, which its source and the device allow.
    fn too_many_threads(&self, module: &LoadedModule, threads: u64) -> Reason {
        let limit = self.max_threads;
        // By the driver's count, since it compiles PTX itself.
        let count = module.attribute(self, Attribute::CU_FUNC_ATTRIBUTE_NUM_REGS);
        let most = |attribute| device::number(module.context(), attribute);
        let per_block = most(DeviceAttribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK);
        let all = most(DeviceAttribute::CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
        let (Ok(registers), Ok(per_block), Ok(all)) = (count, per_block, all) else {
            return Reason::Threads { threads, limit };
        };
        match RegisterFile::exceeded_by(threads, registers, per_block, all) {
            Some(available) => Reason::Registers {
                threads,
                registers,
                available,
                limit,
            },
            None => Reason::Threads { threads, limit },
        }
    }

    /// Asks for large shared memory where needed.
    fn ask_for_shared(
        &self,
        module: &LoadedModule,
        resources: &Resources,
        dynamic: u32,
    ) -> Result<(), DriverError> {
        let limits = module.limits();
        if u64::from(dynamic) + resources.static_shared <= limits.shared
            || dynamic.saturating_sub(self.least_shared)
                <= self.plain_shared.load(Ordering::Relaxed)
        {
            return Ok(());
        }
        // All that the device has, once: two threads asking for different amounts cannot then
        // undo each other's request.
        let most = limits.shared_optin.saturating_sub(resources.static_shared);
        let most = i32::try_from(most).unwrap_or(i32::MAX);
        let attribute = Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
        module.context().bind_to_thread()?;
        // SAFETY: the function is of a loaded module.
        unsafe { result::function::set_function_attribute(self.function, attribute, most) }?;
        self.plain_shared.store(
            most.unsigned_abs().saturating_sub(self.least_shared),
            Ordering::Relaxed,
        );
        Ok(())
    }
}

/// A launch that passed its checks.
#[doc(hidden)]
#[allow(missing_debug_implementations)]
pub struct Prepared<'a> {
    kernel: &'a Kernel,
    info: &'static KernelInfo,
    stream: &'a CudaStream,
    launch: Launch,
}

impl<'a> Prepared<'a> {
    /// The stream that it is for.
    #[inline(always)]
    pub(super) fn stream(&self) -> &'a CudaStream {
        self.stream
    }

    /// Hands the launch to the driver.
    ///
    /// # Safety
    /// `params` must hold one pointer per kernel parameter, each to a value of the parameter's type.
    ///
    /// # Errors
    /// When the driver refuses.
    #[inline(always)]
    pub unsafe fn launch(self, params: &mut [*mut c_void]) -> Result<(), LaunchError> {
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
            core::ptr::null_mut(),
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
    if let Some(cluster) = launch.cluster {
        // SAFETY: passed on to the caller.
        return unsafe { clusters::submit(function, stream, launch, cluster, params) };
    }
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
