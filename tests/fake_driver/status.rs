//! What every function of the driver ends with, and its texts.

use std::ffi::{c_char, c_int};

pub(crate) type Status = c_int;

pub(crate) const OK: Status = 0;
pub(crate) const INVALID_VALUE: Status = 1;
pub(crate) const NOT_FOUND: Status = 500;
pub(crate) const CAPTURE_UNSUPPORTED: Status = 900;
pub(crate) const CAPTURE_ISOLATION: Status = 905;

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorString(_status: Status, text: *mut *const c_char) -> Status {
    unsafe { *text = c"error of the fake driver".as_ptr() };
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGetErrorName(_status: Status, text: *mut *const c_char) -> Status {
    unsafe { *text = c"FAKE_ERROR".as_ptr() };
    OK
}
