//! Modules, their kernels and their variables, as the table of parameters lists them.

use std::{
    collections::BTreeMap,
    ffi::{CStr, c_char, c_int, c_uint, c_void},
    ptr,
    sync::{Mutex, OnceLock},
};

use crate::{
    log::log,
    memory::MEMORY,
    state::handle,
    status::{INVALID_VALUE, NOT_FOUND, OK, Status},
};

/// Offset and size of each parameter.
pub(crate) type Slots = Vec<(usize, usize)>;

/// What the handle of a kernel points to.
pub(crate) struct Function {
    pub(crate) symbol: String,
    pub(crate) slots: &'static Slots,
}

static GLOBALS: Mutex<BTreeMap<String, u64>> = Mutex::new(BTreeMap::new());

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

/// What a fatbin begins with.
const FATBIN: &[u8; 4] = b"\x50\xed\x55\xba";

/// The kernel that `cuModuleGetFunction` gave this handle for.
pub(crate) unsafe fn function<'a>(handle: *mut c_void) -> &'a Function {
    // SAFETY: made by `cuModuleGetFunction`, and never freed.
    unsafe { &*handle.cast() }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn cuModuleLoadData(
    module: *mut *mut c_void,
    image: *const c_void,
) -> Status {
    let magic = unsafe { image.cast::<[u8; 4]>().read() };
    let what = match &magic {
        b"\x7fELF" => "ELF",
        FATBIN => "fatbin",
        _ => "?",
    };
    log(|| format!("load {what}"));
    let status = std::env::var("FAKE_DRIVER_ELF").map_or(0, |status| status.parse().unwrap_or(0));
    if status != 0 {
        return status;
    }
    unsafe { *module = handle() as *mut c_void };
    OK
}

/// Takes PTX, or a fatbin of which it is compiled, with a buffer for errors as the only option.
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
    let magic = unsafe { image.cast::<[u8; 4]>().read() };
    if magic == *FATBIN {
        log(|| "load PTX of a fatbin".to_owned());
        unsafe { *module = handle() as *mut c_void };
        return OK;
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
    let answer = match attribute {
        0 => 512, // threads per block: those whose registers fit
        4 => 121, // registers per thread, of which eight at a time are given out
        _ => 0,
    };
    unsafe { *value = answer };
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
