//! Streams and events. Nothing runs, so they only order what is logged.

use std::ffi::{c_uint, c_void};

use crate::{
    graphs::capturing,
    log::log,
    state::handle,
    status::{CAPTURE_ISOLATION, CAPTURE_UNSUPPORTED, OK, Status},
};

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamCreate(stream: *mut *mut c_void, _flags: c_uint) -> Status {
    unsafe { *stream = handle() as *mut c_void };
    OK
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamDestroy_v2(_stream: *mut c_void) -> Status {
    OK
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamSynchronize(stream: *mut c_void) -> Status {
    if capturing(stream) {
        return CAPTURE_UNSUPPORTED;
    }
    log(|| "synchronize".to_owned());
    OK
}

#[unsafe(no_mangle)]
pub extern "C" fn cuStreamWaitEvent(
    stream: *mut c_void,
    event: *mut c_void,
    _flags: c_uint,
) -> Status {
    // No event of these tests is recorded within the capture.
    if capturing(stream) {
        return CAPTURE_ISOLATION;
    }
    log(|| format!("wait {:x}", event as usize));
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuEventCreate(event: *mut *mut c_void, _flags: c_uint) -> Status {
    unsafe { *event = handle() as *mut c_void };
    OK
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventDestroy_v2(_event: *mut c_void) -> Status {
    OK
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventSynchronize(_event: *mut c_void) -> Status {
    OK
}

#[unsafe(no_mangle)]
pub extern "C" fn cuEventRecord(event: *mut c_void, _stream: *mut c_void) -> Status {
    log(|| format!("record {:x}", event as usize));
    OK
}
