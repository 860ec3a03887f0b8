//! Typed addresses in device memory.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::marker::PhantomData;

/// An address in device memory, typed by what it points to; eight bytes, as in C++.
///
/// As an argument it stands for any pointer, null included. Nothing orders uses of raw addresses
/// between streams: that is up to the caller.
#[repr(transparent)]
pub struct DeviceAddress<T>(u64, PhantomData<fn() -> T>);

impl<T> DeviceAddress<T> {
    /// The null pointer.
    #[must_use]
    pub const fn null() -> Self {
        Self::new(0)
    }

    /// An address that the driver gave.
    #[must_use]
    pub const fn new(address: u64) -> Self {
        Self(address, PhantomData)
    }

    /// The address as a number.
    #[must_use]
    pub const fn raw(self) -> u64 {
        self.0
    }

    /// The same address with another element type.
    #[must_use]
    pub const fn cast<U>(self) -> DeviceAddress<U> {
        DeviceAddress::new(self.0)
    }
}

impl<T> Clone for DeviceAddress<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DeviceAddress<T> {}

impl<T> PartialEq for DeviceAddress<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for DeviceAddress<T> {}

impl<T> Hash for DeviceAddress<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl<T> Default for DeviceAddress<T> {
    fn default() -> Self {
        Self::null()
    }
}

impl<T> fmt::Debug for DeviceAddress<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}
