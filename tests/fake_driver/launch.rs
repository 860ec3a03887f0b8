//! Launches: the arguments are copied to where the cubin records them, as any driver must.

use std::{
    cell::UnsafeCell,
    ffi::{c_uint, c_void},
    fmt::Write as _,
    hint::black_box,
    ptr,
    sync::OnceLock,
    time::{Duration, Instant},
};

use crate::{
    graphs::submit,
    log::log_file,
    modules::{Function, function},
    status::{INVALID_VALUE, OK, Status},
};

/// Kernels take at most 32,764 bytes.
const BLOCK_BYTES: usize = 32_768;

thread_local! {
    /// The parameter block of the last launch of a quiet driver.
    static BLOCK: UnsafeCell<[u8; BLOCK_BYTES]> = const { UnsafeCell::new([0; BLOCK_BYTES]) };
}

/// All that a quiet driver does at a launch.
unsafe fn quiet_launch(function: &Function, pointers: *mut *mut c_void) -> Status {
    static LEAST: OnceLock<Option<Duration>> = OnceLock::new();
    let least = LEAST.get_or_init(|| {
        let text = std::env::var("FAKE_DRIVER_LAUNCH_NS").ok()?;
        text.parse().ok().map(Duration::from_nanos)
    });
    let start = least.map(|_| Instant::now());
    // SAFETY: passed on to the caller.
    unsafe { copy_arguments(function, pointers) };
    if let (Some(least), Some(start)) = (least, start) {
        while start.elapsed() < *least {}
    }
    OK
}

/// Copies the arguments to where the cubin records them, and keeps the block until the next launch.
unsafe fn copy_arguments(function: &Function, pointers: *mut *mut c_void) {
    BLOCK.with(|block| {
        let block = block.get().cast::<u8>();
        for (index, &(offset, size)) in function.slots.iter().enumerate() {
            // SAFETY: the caller passed one pointer per parameter, each to `size` bytes; a cubin's parameters
            // lie within the largest block.
            unsafe {
                let from = (*pointers.add(index)).cast::<u8>();
                ptr::copy_nonoverlapping(from, block.add(offset), size);
            }
        }
        black_box(block);
    });
}

/// The parameter block of a launch, in hexadecimal; bytes that no parameter covers are `..`.
pub(crate) unsafe fn block(function: &Function, pointers: *mut *mut c_void) -> String {
    let slots = function.slots;
    let end = slots
        .iter()
        .map(|(offset, size)| offset + size)
        .max()
        .unwrap_or(0);
    let mut bytes: Vec<Option<u8>> = vec![None; end];
    for (index, (offset, size)) in slots.iter().enumerate() {
        for at in 0..*size {
            // SAFETY: the caller passed one pointer per parameter, each to `size` bytes.
            let byte = unsafe { (*pointers.add(index)).cast::<u8>().add(at).read() };
            bytes[offset + at] = Some(byte);
        }
    }
    let mut text = String::new();
    for byte in bytes {
        match byte {
            Some(byte) => {
                let _ = write!(text, "{byte:02x}");
            }
            None => text.push_str(".."),
        }
    }
    text
}

/// A launch of any kind. Unless the driver is quiet, it is logged as `line` of the kernel's symbol, with the parameter
/// block.
unsafe fn launch(
    kernel: *mut c_void,
    stream: *mut c_void,
    pointers: *mut *mut c_void,
    line: impl FnOnce(&str) -> String,
) -> Status {
    // SAFETY: passed on to the caller.
    let function = unsafe { function(kernel) };
    if log_file().is_none() {
        // SAFETY: passed on to the caller.
        return unsafe { quiet_launch(function, pointers) };
    }
    // SAFETY: passed on to the caller.
    let block = unsafe { block(function, pointers) };
    submit(stream, format!("{} params {block}", line(&function.symbol)))
}

/// `CUlaunchConfig`
#[repr(C)]
pub struct Config {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    stream: *mut c_void,
    attributes: *const Attribute,
    count: c_uint,
}

/// `CUlaunchAttribute`: 4 bytes of id, 4 of padding, 64 of value.
#[repr(C)]
pub struct Attribute {
    id: c_uint,
    padding: [u8; 4],
    value: [c_uint; 16],
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernel(
    function: *mut c_void,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: *mut c_void,
    pointers: *mut *mut c_void,
    extra: *mut *mut c_void,
) -> Status {
    if !extra.is_null() {
        return INVALID_VALUE;
    }
    let line = |symbol: &str| {
        format!("launch {symbol} grid {gx},{gy},{gz} block {bx},{by},{bz} shared {shared}")
    };
    unsafe { launch(function, stream, pointers, line) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchCooperativeKernel(
    function: *mut c_void,
    gx: c_uint,
    gy: c_uint,
    gz: c_uint,
    bx: c_uint,
    by: c_uint,
    bz: c_uint,
    shared: c_uint,
    stream: *mut c_void,
    pointers: *mut *mut c_void,
) -> Status {
    let line = |symbol: &str| {
        format!("cooperative {symbol} grid {gx},{gy},{gz} block {bx},{by},{bz} shared {shared}")
    };
    unsafe { launch(function, stream, pointers, line) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuLaunchKernelEx(
    config: *const Config,
    function: *mut c_void,
    pointers: *mut *mut c_void,
    _extra: *mut *mut c_void,
) -> Status {
    let config = unsafe { &*config };
    let line = |symbol: &str| {
        let mut line = format!(
            "launch {symbol} grid {:?} block {:?} shared {}",
            config.grid, config.block, config.shared
        );
        for index in 0..config.count as usize {
            let attribute = unsafe { &*config.attributes.add(index) };
            let [x, y, z, ..] = attribute.value;
            let _ = match attribute.id {
                4 => write!(line, " cluster {x},{y},{z}"),
                2 => write!(line, " cooperative {x}"),
                other => write!(line, " attribute {other}"),
            };
        }
        line
    };
    unsafe { launch(function, config.stream, pointers, line) }
}
