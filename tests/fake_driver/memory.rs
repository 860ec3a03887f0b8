//! Device memory: allocated, copied to, copied from.

use std::{
    collections::BTreeMap,
    ffi::{c_uint, c_void},
    ptr,
    sync::Mutex,
};

use crate::{
    log::log,
    state::handle,
    status::{INVALID_VALUE, OK, Status},
};

/// Device memory, by address: what was copied there.
pub(crate) static MEMORY: Mutex<BTreeMap<u64, Vec<u8>>> = Mutex::new(BTreeMap::new());

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAlloc_v2(address: *mut u64, bytes: usize) -> Status {
    let at = handle() as u64;
    MEMORY.lock().unwrap().insert(at, vec![0; bytes]);
    unsafe { *address = at };
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocManaged(
    address: *mut u64,
    bytes: usize,
    _flags: c_uint,
) -> Status {
    unsafe { cuMemAlloc_v2(address, bytes) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemAllocAsync(
    address: *mut u64,
    bytes: usize,
    _stream: *mut c_void,
) -> Status {
    unsafe { cuMemAlloc_v2(address, bytes) }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemFree_v2(_address: u64) -> Status {
    OK
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemFreeAsync(_address: u64, _stream: *mut c_void) -> Status {
    OK
}

#[unsafe(no_mangle)]
pub extern "C" fn cuMemsetD8Async(
    _address: u64,
    _value: u8,
    _bytes: usize,
    _stream: *mut c_void,
) -> Status {
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyHtoDAsync_v2(
    address: u64,
    from: *const c_void,
    bytes: usize,
    _stream: *mut c_void,
) -> Status {
    let mut memory = MEMORY.lock().unwrap();
    let Some(target) = memory
        .get_mut(&address)
        .filter(|target| target.len() >= bytes)
    else {
        return INVALID_VALUE;
    };
    unsafe { ptr::copy_nonoverlapping(from.cast(), target.as_mut_ptr(), bytes) };
    let hex: String = target[..bytes]
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect();
    log(|| format!("copy in {hex}"));
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuMemcpyDtoHAsync_v2(
    to: *mut c_void,
    address: u64,
    bytes: usize,
    _stream: *mut c_void,
) -> Status {
    let memory = MEMORY.lock().unwrap();
    let Some(source) = memory.get(&address).filter(|source| source.len() >= bytes) else {
        return INVALID_VALUE;
    };
    unsafe { ptr::copy_nonoverlapping(source.as_ptr(), to.cast(), bytes) };
    log(|| format!("copy out {bytes}"));
    OK
}
