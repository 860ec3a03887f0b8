//! The arguments of a launch as one value, so that a wrapper's body does little more than name them.

use core::ffi::c_void;

use super::check::param;
use super::driver::{CudaStream, sys};
use super::error::LaunchError;
use super::launch::Prepared;
use super::memory::{InAny, OutAny};

/// An argument: `&` of a value, or memory.
#[doc(hidden)]
pub trait Argument<'a> {
    /// What must live until the launch is submitted.
    type Bound: Pointer;

    /// Orders the use of memory on `stream`.
    fn bind(self, stream: &'a CudaStream) -> Self::Bound;
}

/// What the driver gets of a bound argument.
#[doc(hidden)]
pub trait Pointer {
    /// Where the argument's value lies.
    fn pointer(&self) -> *mut c_void;
}

/// A value.
impl<'a, T> Argument<'a> for &'a T {
    type Bound = &'a T;

    #[inline(always)]
    fn bind(self, _: &'a CudaStream) -> &'a T {
        self
    }
}

impl<T> Pointer for &T {
    #[inline(always)]
    fn pointer(&self) -> *mut c_void {
        param(*self)
    }
}

/// Memory that the kernel reads.
#[doc(hidden)]
#[derive(Debug)]
pub struct Reads<'a, M>(pub &'a M);

/// Memory that the kernel writes.
#[doc(hidden)]
#[derive(Debug)]
pub struct Writes<'a, M>(pub &'a mut M);

/// The address of memory, and what records its use when dropped.
#[doc(hidden)]
#[derive(Debug)]
pub struct Used<G> {
    address: sys::CUdeviceptr,
    _guard: G,
}

impl<G> Pointer for Used<G> {
    #[inline(always)]
    fn pointer(&self) -> *mut c_void {
        param(&self.address)
    }
}

impl<'a, M: InAny> Argument<'a> for Reads<'a, M> {
    type Bound = Used<M::Guard<'a>>;

    #[inline(always)]
    fn bind(self, stream: &'a CudaStream) -> Self::Bound {
        let (address, guard) = self.0.bind(stream);
        Used {
            address,
            _guard: guard,
        }
    }
}

impl<'a, M: OutAny> Argument<'a> for Writes<'a, M> {
    type Bound = Used<M::GuardMut<'a>>;

    #[inline(always)]
    fn bind(self, stream: &'a CudaStream) -> Self::Bound {
        let (address, guard) = self.0.bind_mut(stream);
        Used {
            address,
            _guard: guard,
        }
    }
}

/// All arguments of a launch, in the order of the parameters.
#[doc(hidden)]
pub trait Arguments<'a> {
    /// Binds the arguments and hands the launch to the driver.
    ///
    /// # Safety
    /// There must be one argument per parameter of the kernel, each of the parameter's type.
    unsafe fn launch(self, ready: Prepared<'a>) -> Result<(), LaunchError>;
}

macro_rules! arguments {
    ($($name:ident)*) => {
        impl<'a, $($name: Argument<'a>),*> Arguments<'a> for ($($name,)*) {
            // Type parameters and locals share their names. Without arguments there is no stream to bind them to.
            #[allow(non_snake_case, unused_variables, clippy::many_single_char_names)]
            #[inline(always)]
            unsafe fn launch(self, ready: Prepared<'a>) -> Result<(), LaunchError> {
                let ($($name,)*) = self;
                let stream = ready.stream();
                $(let $name = $name.bind(stream);)*
                let mut params = [$($name.pointer()),*];
                // SAFETY: one pointer per argument; the caller vouches for their types.
                unsafe { ready.launch(&mut params) }
            }
        }
    };
}

/// Implements the trait for all tuples up to this one.
macro_rules! up_to {
    ([$($before:ident)*]) => {
        arguments!($($before)*);
    };
    ([$($before:ident)*] $next:ident $($more:ident)*) => {
        arguments!($($before)*);
        up_to!([$($before)* $next] $($more)*);
    };
}
up_to!([] A B C D E F G H I J K L M N O P);
