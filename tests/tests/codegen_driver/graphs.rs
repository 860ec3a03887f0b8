//! Generated wrappers and CUDA graphs, against the fake driver: launches on a stream that is being captured become
//! nodes, and a node can be made by hand from a kernel's handle.
//!
//! This is the code that the documentation of `runtime::Launch` shows.

use std::{error::Error, ptr, sync::Arc};

use cubin_tests::fake_driver::block;
use cudarc::driver::{
    CudaStream, LaunchConfig,
    sys::{self, CUgraphInstantiate_flags, CUstreamCaptureMode},
};

use crate::kernels::{
    kinds::{Module, info},
    runtime::{self, DeviceAddress, Reason},
};

const CONFIG: LaunchConfig = LaunchConfig {
    grid_dim: (2, 1, 1),
    block_dim: (64, 1, 1),
    shared_mem_bytes: 0,
};
const MODE: CUstreamCaptureMode = CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;

fn under_fake_driver(name: &str, body: fn() -> Result<(), Box<dyn Error>>, check: fn(&[String])) {
    crate::under_fake_driver(name, "9.0", || body().expect("a driver"), check);
}

fn is_launch(line: &&String) -> bool {
    line.starts_with("launch saxpy ")
}

#[test]
fn a_captured_launch_runs_with_its_graph() {
    under_fake_driver(
        "graphs::a_captured_launch_runs_with_its_graph",
        || {
            let context = runtime::context(0)?;
            // SAFETY: one stream alone uses the slices.
            unsafe { context.disable_event_tracking() };
            let stream = context.new_stream()?;
            let module = Module::load(&context)?;
            module.preload()?;
            let x = stream.clone_htod(&[1.0_f32; 128])?;
            let mut y = stream.alloc_zeros::<f32>(128)?;
            stream.begin_capture(MODE)?;
            // SAFETY: nothing runs.
            unsafe { module.saxpy(&stream, CONFIG, 128, 2.0, &x, &mut y) }?;
            let graph = stream.end_capture(CUgraphInstantiate_flags(0))?;
            let graph = graph.expect("a graph");
            graph.launch()?;
            graph.launch()?;
            Ok(())
        },
        |log| {
            let at = |wanted: &str| log.iter().position(|line| line == wanted);
            let (begin, end) = (at("begin capture"), at("end capture of 1"));
            assert_eq!(end, begin.map(|begin| begin + 1), "{log:#?}");
            let launches: Vec<&String> = log.iter().filter(is_launch).collect();
            assert_eq!(launches.len(), 2, "{log:#?}");
            assert_eq!(launches[0], launches[1]);
            assert!(launches[0].contains("grid 2,1,1 block 64,1,1 shared 0"));
        },
    );
}

/// A capture cannot wait for events from outside of it. The driver crate keeps the refusal of the wait; the launch
/// reports it.
#[test]
fn slices_with_events_cannot_be_captured() {
    under_fake_driver(
        "graphs::slices_with_events_cannot_be_captured",
        || {
            let context = runtime::context(0)?;
            let stream = context.new_stream()?;
            let module = Module::load(&context)?;
            let x = context.default_stream().clone_htod(&[1.0_f32; 128])?;
            let mut y = stream.alloc_zeros::<f32>(128)?;
            stream.begin_capture(MODE)?;
            // SAFETY: nothing runs.
            let refused = unsafe { module.saxpy(&stream, CONFIG, 128, 2.0, &x, &mut y) };
            let error = refused.expect_err("a wait that was refused");
            let isolation = sys::CUresult::CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
            assert!(
                matches!(error.reason, Reason::Driver(driver) if driver.0 == isolation),
                "{error}"
            );
            assert!(error.to_string().contains("saxpy"), "{error}");
            stream.end_capture(CUgraphInstantiate_flags(0))?;
            Ok(())
        },
        |log| assert_eq!(log.iter().filter(is_launch).count(), 0, "{log:#?}"),
    );
}

#[test]
fn a_node_is_made_by_hand() {
    under_fake_driver(
        "graphs::a_node_is_made_by_hand",
        || {
            let context = runtime::context(0)?;
            let stream = context.default_stream();
            let module = Module::load(&context)?;
            let (n, a) = (128_i32, 2.0_f32);
            let x = DeviceAddress::<f32>::new(0x1111);
            let y = DeviceAddress::<f32>::new(0x2222);
            let mut arguments = [
                (&raw const n).cast_mut().cast(),
                (&raw const a).cast_mut().cast(),
                (&raw const x).cast_mut().cast(),
                (&raw const y).cast_mut().cast(),
            ];
            let node = sys::CUDA_KERNEL_NODE_PARAMS {
                func: module.cu_function(&info::SAXPY)?,
                gridDimX: 2,
                gridDimY: 1,
                gridDimZ: 1,
                blockDimX: 64,
                blockDimY: 1,
                blockDimZ: 1,
                sharedMemBytes: 0,
                kernelParams: arguments.as_mut_ptr(),
                extra: ptr::null_mut(),
                kern: ptr::null_mut(),
                ctx: ptr::null_mut(),
            };
            // SAFETY: the handles live until the graph is destroyed; the driver copies the arguments.
            unsafe { run_alone(&stream, &node) }
        },
        |log| {
            let at: Vec<Option<u8>> = block(log, "saxpy");
            let bytes: Vec<u8> = at.into_iter().flatten().collect();
            let mut wanted = Vec::new();
            wanted.extend(128_i32.to_le_bytes());
            wanted.extend(2.0_f32.to_le_bytes());
            wanted.extend(0x1111_u64.to_le_bytes());
            wanted.extend(0x2222_u64.to_le_bytes());
            assert_eq!(bytes, wanted);
        },
    );
}

/// Runs a graph of one node.
unsafe fn run_alone(
    stream: &Arc<CudaStream>,
    node: &sys::CUDA_KERNEL_NODE_PARAMS,
) -> Result<(), Box<dyn Error>> {
    stream.context().bind_to_thread()?;
    let (mut graph, mut executable) = (ptr::null_mut(), ptr::null_mut());
    let mut made = ptr::null_mut();
    // SAFETY: passed on to the caller.
    unsafe {
        sys::cuGraphCreate(&raw mut graph, 0).result()?;
        sys::cuGraphAddKernelNode_v2(&raw mut made, graph, ptr::null(), 0, node).result()?;
        sys::cuGraphInstantiateWithFlags(&raw mut executable, graph, 0).result()?;
        sys::cuGraphLaunch(executable, stream.cu_stream()).result()?;
        sys::cuGraphExecDestroy(executable).result()?;
        sys::cuGraphDestroy(graph).result()?;
    }
    Ok(())
}
