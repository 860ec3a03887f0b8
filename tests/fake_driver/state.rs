//! Handles, and the context that is current.

use std::{
    ffi::{c_int, c_void},
    sync::atomic::{AtomicUsize, Ordering},
};

use crate::status::{OK, Status};

static NEXT: AtomicUsize = AtomicUsize::new(0x1000);

static CURRENT: AtomicUsize = AtomicUsize::new(0);

pub(crate) fn handle() -> usize {
    NEXT.fetch_add(0x1000, Ordering::Relaxed)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDevicePrimaryCtxRetain(
    context: *mut *mut c_void,
    _device: c_int,
) -> Status {
    unsafe { *context = handle() as *mut c_void };
    OK
}

#[unsafe(no_mangle)]
pub extern "C" fn cuDevicePrimaryCtxRelease_v2(_device: c_int) -> Status {
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuCtxGetCurrent(context: *mut *mut c_void) -> Status {
    unsafe { *context = CURRENT.load(Ordering::Relaxed) as *mut c_void };
    OK
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSetCurrent(context: *mut c_void) -> Status {
    CURRENT.store(context as usize, Ordering::Relaxed);
    OK
}

#[unsafe(no_mangle)]
pub extern "C" fn cuCtxSynchronize() -> Status {
    OK
}
