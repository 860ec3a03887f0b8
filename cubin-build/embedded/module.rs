//! A module on a device, and its kernels as they are needed.

use core::ffi::c_void;
use core::fmt;
use core::sync::atomic::AtomicU32;
use std::boxed::Box;
use std::ffi::CString;
use std::string::String;
use std::sync::{Arc, OnceLock};

use super::check::Limits;
use super::driver::sys::CUfunction_attribute_enum as Attribute;
use super::driver::{CudaContext, DriverError, result, sys};
use super::error::{LaunchError, Reason};
use super::image::{Format, Image, choose};
use super::kernel::{KernelInfo, ModuleInfo, Resources};
use super::load_error::LoadError;

/// A kernel that was looked up in its module.
pub(super) struct Kernel {
    pub(super) function: sys::CUfunction,
    /// The most threads per block by the driver's count, which includes registers.
    pub(super) max_threads: u32,
    /// The most threads per block that break no rule at all; zero where a launch must keep to more rules
    /// than limits.
    pub(super) plain_threads: u32,
    /// The least dynamic shared memory: a byte where the kernel uses any.
    pub(super) least_shared: u32,
    /// How much more than that may be used without asking for more; what was asked for counts.
    pub(super) plain_shared: AtomicU32,
}

// SAFETY: driver handles are valid on every thread.
unsafe impl Send for Kernel {}
unsafe impl Sync for Kernel {}

/// A module on a device: the image that was chosen, and its kernels as they are needed.
#[doc(hidden)]
pub struct LoadedModule {
    info: &'static ModuleInfo,
    module: sys::CUmodule,
    context: Arc<CudaContext>,
    image: &'static Image,
    limits: Limits,
    /// One for each kernel of `info`.
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
            .field("name", &self.info.name)
            .field("image", self.image)
            .finish_non_exhaustive()
    }
}

fn load_cubin(image: &'static Image) -> Result<sys::CUmodule, DriverError> {
    let bytes = image.bytes.as_ptr().cast();
    // SAFETY: a whole cubin or fatbin, which says itself where it ends.
    unsafe { result::module::load_data(bytes) }
}

/// Has the driver compile PTX for the device, and keeps what its compiler says.
fn load_ptx(
    module: &'static str,
    image: &'static Image,
    device: (u16, u16),
) -> Result<sys::CUmodule, LoadError> {
    let mut log = std::vec![0_u8; 8192];
    let mut options = [
        sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER,
        sys::CUjit_option::CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
    ];
    // A number stands in the place of a pointer, as the driver wants it.
    let size: *mut c_void = core::ptr::without_provenance_mut(log.len());
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), size];
    let mut handle = core::ptr::null_mut();
    let bytes = image.bytes.as_ptr().cast();
    // SAFETY: text that ends in a zero byte, or a whole fatbin; two options with two values; the buffer outlives the call.
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
                log: String::from_utf8_lossy(said).trim().into(),
            })
        }
    }
}

impl LoadedModule {
    /// Chooses the image for the device of `context` and loads it.
    ///
    /// # Errors
    /// When no image fits, or the driver refuses.
    pub fn load(
        info: &'static ModuleInfo,
        context: &Arc<CudaContext>,
        images: &'static [Image],
    ) -> Result<Self, LoadError> {
        let name = info.name;
        if images.is_empty() {
            return Err(LoadError::SignaturesOnly { module: name });
        }
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
        let module = match image.format {
            Format::Cubin => load_cubin(image).map_err(refused)?,
            Format::Ptx => load_ptx(name, image, device)?,
        };
        Ok(Self {
            info,
            module,
            context: Arc::clone(context),
            image,
            limits,
            kernels: (0..info.kernels).map(|_| OnceLock::new()).collect(),
        })
    }

    /// The image that was chosen.
    #[must_use]
    pub fn image(&self) -> &'static Image {
        self.image
    }

    /// The driver's handle.
    #[must_use]
    pub fn module(&self) -> sys::CUmodule {
        self.module
    }

    #[inline]
    pub(super) fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    #[inline]
    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Where a kernel of this module is kept once it was looked up; nothing for one of another module.
    #[inline(always)]
    fn slot(&self, info: &KernelInfo) -> Option<&OnceLock<Kernel>> {
        if !core::ptr::eq(info.module, self.info) {
            return None;
        }
        // SAFETY: each kernel of a module has an index below the module's number of kernels, which is that of slots.
        Some(unsafe { self.kernels.get_unchecked(info.index) })
    }

    /// A kernel of this module that was looked up before.
    #[inline(always)]
    pub(super) fn known(&self, info: &KernelInfo) -> Option<&Kernel> {
        self.slot(info)?.get()
    }

    /// What a kernel needs in the image that was loaded.
    pub(super) fn resources(&self, info: &KernelInfo) -> Result<Resources, Reason> {
        if !core::ptr::eq(info.module, self.info) {
            return Err(Reason::OtherModule(self.info.name));
        }
        let target = self.image.assembled;
        info.resources(target).ok_or(Reason::NotInImage(target))
    }

    /// Looks up a kernel of this module, once.
    pub(super) fn kernel(&self, info: &KernelInfo) -> Result<&Kernel, DriverError> {
        let Some(slot) = self.slot(info) else {
            return Err(DriverError(sys::CUresult::CUDA_ERROR_NOT_FOUND));
        };
        if let Some(kernel) = slot.get() {
            return Ok(kernel);
        }
        self.context.bind_to_thread()?;
        // SAFETY: the module is loaded.
        let function = unsafe { result::module::get_function(self.module, c_name(info.symbol)?) }?;
        let threads = Attribute::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
        // SAFETY: the function is of a loaded module.
        let threads = unsafe { result::function::get_function_attribute(function, threads) }?;
        let mut kernel = Kernel {
            function,
            max_threads: u32::try_from(threads).unwrap_or(0),
            plain_threads: 0,
            least_shared: 0,
            plain_shared: AtomicU32::new(0),
        };
        if let Ok(resources) = self.resources(info) {
            self.set_plain(&mut kernel, &resources);
        }
        Ok(slot.get_or_init(|| kernel))
    }

    /// Sets up to what nothing but the device's limits on dimensions can forbid a launch.
    fn set_plain(&self, kernel: &mut Kernel, resources: &Resources) {
        kernel.least_shared = u32::from(resources.dynamic_shared == Some(true));
        if resources.required_threads.is_some()
            || resources.cluster.is_some()
            || resources.explicit_cluster
        {
            return;
        }
        let taken = resources.static_shared + u64::from(kernel.least_shared);
        let Some(shared) = self.limits.shared.checked_sub(taken) else {
            return;
        };
        let threads = resources.max_threads_total().min(self.limits.threads);
        kernel.plain_threads = threads.min(kernel.max_threads);
        kernel.plain_shared = AtomicU32::new(u32::try_from(shared).unwrap_or(u32::MAX));
    }

    /// Looks up those of `kernels` that the image holds.
    ///
    /// # Errors
    /// When the driver refuses.
    pub fn preload(&self, kernels: &'static [KernelInfo]) -> Result<(), LoadError> {
        for info in kernels {
            if self.resources(info).is_err() {
                continue;
            }
            if let Err(error) = self.kernel(info) {
                return Err(LoadError::Driver {
                    module: info.name,
                    error,
                });
            }
        }
        Ok(())
    }

    fn checked(&self, info: &KernelInfo) -> Result<&Kernel, LaunchError> {
        let found = match self.resources(info) {
            Ok(_) => self.kernel(info).map_err(Reason::Driver),
            Err(reason) => Err(reason),
        };
        found.map_err(|reason| info.error(reason))
    }

    /// The driver's handle of a kernel.
    ///
    /// # Errors
    /// When the kernel is of another module, the image does not hold it, or the driver refuses.
    pub fn function(&self, info: &KernelInfo) -> Result<sys::CUfunction, LaunchError> {
        Ok(self.checked(info)?.function)
    }

    /// What the driver knows of a kernel, none of which is negative.
    pub(super) fn attribute(
        &self,
        kernel: &Kernel,
        attribute: Attribute,
    ) -> Result<u32, DriverError> {
        self.context.bind_to_thread()?;
        // SAFETY: the function is of a loaded module.
        let value =
            unsafe { result::function::get_function_attribute(kernel.function, attribute) }?;
        Ok(u32::try_from(value).unwrap_or(0))
    }

    /// Blocks of a kernel per multiprocessor.
    ///
    /// # Errors
    /// When the image does not hold the kernel, or the driver refuses.
    pub fn active_blocks_per_sm(
        &self,
        info: &KernelInfo,
        threads: u32,
        shared: u32,
    ) -> Result<u32, LaunchError> {
        let function = self.function(info)?;
        let shared = usize::try_from(shared).unwrap_or(usize::MAX);
        let threads = i32::try_from(threads).unwrap_or(i32::MAX);
        let mut blocks = 0;
        let result = self.context.bind_to_thread().and_then(|()| {
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

    /// The block size with the best occupancy of a kernel, and the fewest blocks that fill the device with it.
    ///
    /// # Errors
    /// When the image does not hold the kernel, or the driver refuses.
    pub fn suggested_block_size(
        &self,
        info: &KernelInfo,
        shared: u32,
    ) -> Result<(u32, u32), LaunchError> {
        let function = self.function(info)?;
        let shared = usize::try_from(shared).unwrap_or(usize::MAX);
        let (mut blocks, mut threads) = (0, 0);
        let result = self.context.bind_to_thread().and_then(|()| {
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
}

/// A name as the driver takes it.
pub(super) fn c_name(symbol: &str) -> Result<CString, DriverError> {
    let invalid = |_| DriverError(sys::CUresult::CUDA_ERROR_INVALID_VALUE);
    CString::new(symbol).map_err(invalid)
}
