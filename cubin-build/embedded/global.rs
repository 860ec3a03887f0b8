//! Variables of a loaded module.

use core::mem::MaybeUninit;

use super::address::DeviceAddress;
use super::driver::{CudaStream, DriverError, result};
use super::load_error::LoadError;
use super::module::{LoadedModule, c_name};
use super::variable::Variable;

/// A variable of a loaded module.
#[derive(Debug)]
pub struct Global<'m, T> {
    module: &'m LoadedModule,
    address: DeviceAddress<T>,
}

impl<'m, T: Copy> Global<'m, T> {
    /// Looks the variable up, and compares its size.
    ///
    /// # Errors
    /// When the image does not hold the variable, it has another size, or the driver refuses.
    #[doc(hidden)]
    pub fn find(module: &'m LoadedModule, variable: &Variable<T>) -> Result<Self, LoadError> {
        let symbol = variable.info().symbol;
        let refused = |error| LoadError::Driver {
            module: symbol,
            error,
        };
        module.context().bind_to_thread().map_err(refused)?;
        let name = c_name(symbol).map_err(refused)?;
        // SAFETY: the module is loaded.
        let found = unsafe { result::module::get_global(module.module(), name) };
        let (address, actual) = found.map_err(refused)?;
        match variable.at(address, actual) {
            Some(address) => Ok(Self { module, address }),
            None => Err(LoadError::GlobalSize {
                symbol,
                expected: size_of::<T>(),
                actual,
            }),
        }
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
        self.module.context().bind_to_thread()?;
        let source = core::slice::from_ref(value);
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
        self.module.context().bind_to_thread()?;
        let mut value = MaybeUninit::<T>::uninit();
        let target = core::slice::from_mut(&mut value);
        // SAFETY: the variable has the size of `value`, which lives until the copy is done.
        unsafe { result::memcpy_dtoh_async(target, self.address.raw(), stream.cu_stream()) }?;
        stream.synchronize()?;
        // SAFETY: all bytes were copied, and the caller vouches for the value.
        Ok(unsafe { value.assume_init() })
    }
}
