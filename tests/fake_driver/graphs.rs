//! Graphs, and streams that are being captured into them: a launch becomes a node, and is logged when the graph is
//! launched.

use std::{
    collections::BTreeMap,
    ffi::{c_int, c_uint, c_void},
    sync::Mutex,
};

use crate::{
    launch::block,
    log::log,
    modules::function,
    state::handle,
    status::{INVALID_VALUE, OK, Status},
};

/// Streams that are being captured, and graphs: the lines that their launches log.
static CAPTURES: Mutex<BTreeMap<usize, Vec<String>>> = Mutex::new(BTreeMap::new());

static GRAPHS: Mutex<BTreeMap<usize, Vec<String>>> = Mutex::new(BTreeMap::new());

pub(crate) fn capturing(stream: *mut c_void) -> bool {
    CAPTURES.lock().unwrap().contains_key(&(stream as usize))
}

/// Logs a launch now, or when the graph runs that the stream is captured into.
pub(crate) fn submit(stream: *mut c_void, line: String) -> Status {
    match CAPTURES.lock().unwrap().get_mut(&(stream as usize)) {
        Some(nodes) => nodes.push(line),
        None => log(|| line),
    }
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
    let function = unsafe { function(params.function) };
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
