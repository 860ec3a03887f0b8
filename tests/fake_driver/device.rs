//! The only device, and what it can do.

use std::ffi::{c_int, c_uint};

use crate::status::{OK, Status};

fn device() -> (c_int, c_int) {
    let text = std::env::var("FAKE_DRIVER_DEVICE").unwrap_or_else(|_| "9.0".to_owned());
    let (major, minor) = text.split_once('.').unwrap_or(("9", "0"));
    (major.parse().unwrap_or(9), minor.parse().unwrap_or(0))
}

#[unsafe(no_mangle)]
pub extern "C" fn cuInit(_flags: c_uint) -> Status {
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGet(device: *mut c_int, ordinal: c_int) -> Status {
    unsafe { *device = ordinal };
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetCount(count: *mut c_int) -> Status {
    unsafe { *count = 1 };
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuDeviceGetAttribute(
    value: *mut c_int,
    attribute: c_int,
    _device: c_int,
) -> Status {
    let (major, minor) = device();
    let answer = match attribute {
        1 => 1024,          // threads per block
        2 | 3 => 1024,      // block x, y
        4 => 64,            // block z
        5 => 2_147_483_647, // grid x
        6 | 7 => 65_535,    // grid y, z
        8 => 49_152,        // shared memory per block
        12 => 65_536,       // registers per block
        82 => 65_536,       // registers per multiprocessor
        75 => major,
        83 => 1, // managed memory; without concurrent access, which is 89
        76 => minor,
        95 => 1,                     // cooperative launch
        97 if major >= 9 => 232_448, // shared memory per block after opting in
        97 => 101_376,
        120 => c_int::from(major >= 9), // clusters
        _ => 0,
    };
    unsafe { *value = answer };
    OK
}
