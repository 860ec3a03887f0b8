//! A stand-in for the CUDA driver library: answers the functions that cudarc and generated wrappers call,
//! and writes down what it is asked. Built by the test `codegen_driver` and the benchmark `launch` as
//! `libcuda.so`.
//!
//! Environment:
//! - `FAKE_DRIVER_LOG`: file that each call is appended to, one line each. Without it the driver is quiet: of a
//!   launch it does only what any driver must, which is to copy the arguments into a parameter block;
//! - `FAKE_DRIVER_PARAMS`: file with a line `symbol offset:size offset:size …` per kernel, as the cubin
//!   records them;
//! - `FAKE_DRIVER_DEVICE`: compute capability of the device, `9.0` by default;
//! - `FAKE_DRIVER_PTX`: status that loading PTX ends with, 0 by default.
//!
//! - `FAKE_DRIVER_LAUNCH_NS`: nanoseconds that a launch takes at least, if the driver is quiet.
//!
//! A launch is logged with the parameter block as a driver builds it: from each pointer, as many bytes as
//! the cubin records, put where the cubin records them. On a stream that is being captured it is kept as a node
//! of the graph instead, and logged when the graph is launched.
#![crate_type = "cdylib"]
#![allow(non_snake_case, clippy::missing_safety_doc)]

use std::{
    cell::UnsafeCell,
    collections::BTreeMap,
    ffi::{CStr, OsString, c_char, c_int, c_uint, c_void},
    fmt::Write as _,
    fs::OpenOptions,
    hint::black_box,
    io::Write as _,
    ptr,
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

type Status = c_int;
const OK: Status = 0;
const INVALID_VALUE: Status = 1;
const NOT_FOUND: Status = 500;
const CAPTURE_UNSUPPORTED: Status = 900;
const CAPTURE_ISOLATION: Status = 905;

static NEXT: AtomicUsize = AtomicUsize::new(0x1000);
static CURRENT: AtomicUsize = AtomicUsize::new(0);
/// What the handle of a kernel points to.
struct Function {
    symbol: String,
    slots: &'static Slots,
}

thread_local! {
    /// The parameter block of the last launch of a quiet driver.
    static BLOCK: UnsafeCell<[u8; BLOCK_BYTES]> = const { UnsafeCell::new([0; BLOCK_BYTES]) };
}
/// Kernels take at most 32,764 bytes.
const BLOCK_BYTES: usize = 32_768;
/// Device memory, by address: what was copied there.
static MEMORY: Mutex<BTreeMap<u64, Vec<u8>>> = Mutex::new(BTreeMap::new());
static GLOBALS: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

/// Streams that are being captured, and graphs: the lines that their launches log.
static CAPTURES: Mutex<BTreeMap<usize, Vec<String>>> = Mutex::new(BTreeMap::new());
static GRAPHS: Mutex<BTreeMap<usize, Vec<String>>> = Mutex::new(BTreeMap::new());

fn capturing(stream: *mut c_void) -> bool {
    CAPTURES.lock().unwrap().contains_key(&(stream as usize))
}

/// Logs a launch now, or when the graph runs that the stream is captured into.
fn submit(stream: *mut c_void, line: String) -> Status {
    match CAPTURES.lock().unwrap().get_mut(&(stream as usize)) {
        Some(nodes) => nodes.push(line),
        None => log(|| line),
    }
    OK
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

fn handle() -> usize {
    NEXT.fetch_add(0x1000, Ordering::Relaxed)
}

fn log_file() -> Option<&'static OsString> {
    static PATH: OnceLock<Option<OsString>> = OnceLock::new();
    PATH.get_or_init(|| std::env::var_os("FAKE_DRIVER_LOG"))
        .as_ref()
}

fn log(line: impl FnOnce() -> String) {
    let Some(path) = log_file() else {
        return;
    };
    if let Ok(mut file) = OpenOptions::new().create(true).append(true).open(path) {
        let _ = writeln!(file, "{}", line());
    }
}

type Slots = Vec<(usize, usize)>;

fn params(symbol: &str) -> Option<&'static Slots> {
    static TABLE: OnceLock<BTreeMap<String, Slots>> = OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let path = std::env::var_os("FAKE_DRIVER_PARAMS").unwrap_or_default();
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let mut table = BTreeMap::new();
        for line in text.lines() {
            let mut words = line.split_whitespace();
            let Some(symbol) = words.next() else { continue };
            let slots = words
                .filter_map(|word| word.split_once(':'))
                .filter_map(|(offset, size)| Some((offset.parse().ok()?, size.parse().ok()?)))
                .collect();
            table.insert(symbol.to_owned(), slots);
        }
        table
    });
    table.get(symbol)
}

fn device() -> (c_int, c_int) {
    let text = std::env::var("FAKE_DRIVER_DEVICE").unwrap_or_else(|_| "9.0".to_owned());
    let (major, minor) = text.split_once('.').unwrap_or(("9", "0"));
    (major.parse().unwrap_or(9), minor.parse().unwrap_or(0))
}

/// The kernel that `cuModuleGetFunction` gave this handle for.
unsafe fn function<'a>(handle: *mut c_void) -> &'a Function {
    // SAFETY: made by `cuModuleGetFunction`, and never freed.
    unsafe { &*handle.cast() }
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
unsafe fn block(function: &Function, pointers: *mut *mut c_void) -> String {
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

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadData(
    module: *mut *mut c_void,
    image: *const c_void,
) -> Status {
    let magic = unsafe { image.cast::<[u8; 4]>().read() };
    log(|| format!("load {}", if magic == *b"\x7fELF" { "ELF" } else { "?" }));
    unsafe { *module = handle() as *mut c_void };
    OK
}

/// Takes PTX alone, with a buffer for errors as the only option.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadDataEx(
    module: *mut *mut c_void,
    image: *const c_void,
    count: c_uint,
    options: *const c_int,
    values: *const *mut c_void,
) -> Status {
    // 5: the buffer; 6: its size.
    if count != 2 || unsafe { [*options, *options.add(1)] } != [5, 6] {
        return INVALID_VALUE;
    }
    let text = unsafe { CStr::from_ptr(image.cast()) }.to_string_lossy();
    let target = text.lines().find(|line| line.starts_with(".target"));
    log(|| {
        let lines = text.lines().count();
        format!(
            "load PTX {} of {lines} lines",
            target.unwrap_or("without target")
        )
    });
    let status = std::env::var("FAKE_DRIVER_PTX").map_or(0, |status| status.parse().unwrap_or(0));
    if status != 0 {
        let message = b"ptxas application ptx input, line 9; fatal   : Unsupported .version 9.5";
        let (buffer, size) = unsafe { ((*values).cast::<u8>(), *values.add(1) as usize) };
        assert!(message.len() < size, "room for the message and a zero");
        unsafe { ptr::copy_nonoverlapping(message.as_ptr(), buffer, message.len()) };
        return status;
    }
    unsafe { *module = handle() as *mut c_void };
    OK
}

#[unsafe(no_mangle)]
pub extern "C" fn cuModuleUnload(_module: *mut c_void) -> Status {
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetFunction(
    function: *mut *mut c_void,
    _module: *mut c_void,
    name: *const c_char,
) -> Status {
    let name = unsafe { CStr::from_ptr(name) }
        .to_string_lossy()
        .into_owned();
    let Some(slots) = params(&name) else {
        return NOT_FOUND;
    };
    log(|| format!("function {name}"));
    let new = Box::new(Function {
        symbol: name,
        slots,
    });
    unsafe { *function = Box::into_raw(new).cast() };
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleGetGlobal_v2(
    address: *mut u64,
    bytes: *mut usize,
    _module: *mut c_void,
    name: *const c_char,
) -> Status {
    let name = unsafe { CStr::from_ptr(name) }
        .to_string_lossy()
        .into_owned();
    // Sizes are listed like parameters, as `global:<symbol> 0:<size>`.
    let Some(slots) = params(&format!("global:{name}")) else {
        return NOT_FOUND;
    };
    let size = slots.first().map_or(0, |slot| slot.1);
    let mut globals = GLOBALS.lock().unwrap();
    let at = *globals.entry(name).or_insert_with(|| handle() as u64);
    MEMORY
        .lock()
        .unwrap()
        .entry(at)
        .or_insert_with(|| vec![0; size]);
    unsafe {
        *address = at;
        *bytes = size;
    }
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncGetAttribute(
    value: *mut c_int,
    attribute: c_int,
    _function: *mut c_void,
) -> Status {
    // 0: threads per block.
    unsafe { *value = if attribute == 0 { 512 } else { 0 } };
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuFuncSetAttribute(
    function: *mut c_void,
    attribute: c_int,
    value: c_int,
) -> Status {
    let symbol = unsafe { &self::function(function).symbol };
    log(|| format!("attribute {symbol} {attribute}={value}"));
    OK
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
    let function = unsafe { self::function(function) };
    if log_file().is_none() {
        return unsafe { quiet_launch(function, pointers) };
    }
    let symbol = &function.symbol;
    let block = unsafe { block(function, pointers) };
    submit(
        stream,
        format!(
            "launch {symbol} grid {gx},{gy},{gz} block {bx},{by},{bz} shared {shared} params {block}"
        ),
    )
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
    let function = unsafe { self::function(function) };
    if log_file().is_none() {
        return unsafe { quiet_launch(function, pointers) };
    }
    let symbol = &function.symbol;
    let block = unsafe { block(function, pointers) };
    submit(
        stream,
        format!(
            "cooperative {symbol} grid {gx},{gy},{gz} block {bx},{by},{bz} shared {shared} params {block}"
        ),
    )
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
pub unsafe extern "C" fn cuLaunchKernelEx(
    config: *const Config,
    function: *mut c_void,
    pointers: *mut *mut c_void,
    _extra: *mut *mut c_void,
) -> Status {
    let config = unsafe { &*config };
    let function = unsafe { self::function(function) };
    if log_file().is_none() {
        return unsafe { quiet_launch(function, pointers) };
    }
    let symbol = &function.symbol;
    let block = unsafe { block(function, pointers) };
    let mut attributes = String::new();
    for index in 0..config.count as usize {
        let attribute = unsafe { &*config.attributes.add(index) };
        let [x, y, z, ..] = attribute.value;
        match attribute.id {
            4 => {
                let _ = write!(attributes, " cluster {x},{y},{z}");
            }
            2 => {
                let _ = write!(attributes, " cooperative {x}");
            }
            other => {
                let _ = write!(attributes, " attribute {other}");
            }
        }
    }
    submit(
        config.stream,
        format!(
            "launch {symbol} grid {:?} block {:?} shared {}{attributes} params {block}",
            config.grid, config.block, config.shared
        ),
    )
}

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
pub extern "C" fn cuStreamBeginCapture_v2(stream: *mut c_void, _mode: c_int) -> Status {
    log(|| "begin capture".to_owned());
    CAPTURES.lock().unwrap().insert(stream as usize, Vec::new());
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuStreamEndCapture(
    stream: *mut c_void,
    graph: *mut *mut c_void,
) -> Status {
    let Some(nodes) = CAPTURES.lock().unwrap().remove(&(stream as usize)) else {
        return INVALID_VALUE;
    };
    log(|| format!("end capture of {}", nodes.len()));
    let new = handle();
    GRAPHS.lock().unwrap().insert(new, nodes);
    unsafe { *graph = new as *mut c_void };
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphCreate(graph: *mut *mut c_void, _flags: c_uint) -> Status {
    let new = handle();
    GRAPHS.lock().unwrap().insert(new, Vec::new());
    unsafe { *graph = new as *mut c_void };
    OK
}

/// `CUDA_KERNEL_NODE_PARAMS_v2`
#[repr(C)]
pub struct KernelNode {
    function: *mut c_void,
    grid: [c_uint; 3],
    block: [c_uint; 3],
    shared: c_uint,
    pointers: *mut *mut c_void,
    extra: *mut *mut c_void,
    kernel: *mut c_void,
    context: *mut c_void,
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphAddKernelNode_v2(
    node: *mut *mut c_void,
    graph: *mut c_void,
    _dependencies: *const *mut c_void,
    _count: usize,
    params: *const KernelNode,
) -> Status {
    let params = unsafe { &*params };
    let function = unsafe { self::function(params.function) };
    let block = unsafe { block(function, params.pointers) };
    let symbol = &function.symbol;
    let line = format!(
        "launch {symbol} grid {:?} block {:?} shared {} params {block}",
        params.grid, params.block, params.shared
    );
    match GRAPHS.lock().unwrap().get_mut(&(graph as usize)) {
        Some(nodes) => nodes.push(line),
        None => return INVALID_VALUE,
    }
    unsafe { *node = handle() as *mut c_void };
    OK
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuGraphInstantiateWithFlags(
    executable: *mut *mut c_void,
    graph: *mut c_void,
    _flags: u64,
) -> Status {
    unsafe { *executable = graph };
    OK
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphLaunch(executable: *mut c_void, _stream: *mut c_void) -> Status {
    match GRAPHS.lock().unwrap().get(&(executable as usize)) {
        Some(nodes) => {
            for node in nodes {
                log(|| node.clone());
            }
            OK
        }
        None => INVALID_VALUE,
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphExecDestroy(_executable: *mut c_void) -> Status {
    OK
}

#[unsafe(no_mangle)]
pub extern "C" fn cuGraphDestroy(graph: *mut c_void) -> Status {
    GRAPHS.lock().unwrap().remove(&(graph as usize));
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
