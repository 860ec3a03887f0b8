//! Facts about module variables.

use core::fmt;
use core::marker::PhantomData;

use super::address::DeviceAddress;

/// The memory of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// `__constant__`: kernels only read it.
    Constant,
    /// `__device__`
    Device,
    /// `__managed__`: its address is one of managed memory, which host code may use as well while no
    /// kernel runs.
    Managed,
}

/// What is known of a variable from its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GlobalInfo {
    /// Name in the machine code, as `cuModuleGetGlobal` takes it.
    pub symbol: &'static str,
    /// Name in C++.
    pub name: &'static str,
    /// C++ type; empty when it is not known.
    pub c_type: &'static str,
    /// Bytes.
    pub size: u64,
    /// Alignment of the type in bytes; 1 when it is not known.
    pub align: u64,
    /// Where it lies.
    pub space: Space,
}

/// A variable with its type: bytes when that is not known.
pub struct Variable<T> {
    info: GlobalInfo,
    ty: PhantomData<fn() -> T>,
}

impl<T: Copy> Variable<T> {
    /// # Panics
    /// When the type has another size than the variable, which a generated file finds when it is compiled.
    #[doc(hidden)]
    #[must_use]
    pub const fn new(info: GlobalInfo) -> Self {
        assert!(info.size == size_of::<T>() as u64);
        Self {
            info,
            ty: PhantomData,
        }
    }

    /// What is known of the variable.
    #[must_use]
    pub const fn info(&self) -> &GlobalInfo {
        &self.info
    }

    /// The variable at the address and of the size that `cuModuleGetGlobal` gives for its symbol; nothing
    /// when the size is another one.
    #[must_use]
    pub fn at(&self, address: u64, size: usize) -> Option<DeviceAddress<T>> {
        (size as u64 == self.info.size).then(|| DeviceAddress::new(address))
    }
}

impl<T> Clone for Variable<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Variable<T> {}

impl<T> fmt::Debug for Variable<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.info.fmt(f)
    }
}
