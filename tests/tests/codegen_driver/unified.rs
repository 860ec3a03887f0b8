//! Unified memory as an argument, against the fake driver: it arrives like any other memory, and memory that the
//! device must not touch stops the launch, also where no stream waits for another.

use cudarc::driver::sys::CUresult;

use crate::{
    config,
    kernels::{
        kinds::Module,
        runtime::{self, Reason},
    },
    under_fake_driver,
};

/// Launches `saxpy` on memory that is attached to every stream, or to the host alone.
fn launch(attach_global: bool) -> Result<(), runtime::LaunchError> {
    let context = runtime::context(0).expect("the fake driver");
    let stream = context.default_stream();
    assert!(!context.is_managing_stream_synchronization());
    let module = Module::load(&context).expect("an image");
    // SAFETY: nothing reads what is not initialized.
    let x = unsafe { context.alloc_unified::<f32>(32, attach_global) }.expect("memory");
    let mut y = stream.alloc_zeros::<f32>(32).expect("memory");
    // SAFETY: nothing runs.
    unsafe { module.saxpy(&stream, config(1, 32), 32, 2.0, &x, &mut y) }
}

fn launches(log: &[String]) -> usize {
    log.iter()
        .filter(|line| line.starts_with("launch "))
        .count()
}

#[test]
fn memory_of_all_streams_is_an_argument() {
    under_fake_driver(
        "unified::memory_of_all_streams_is_an_argument",
        "9.0",
        || launch(true).expect("a launch"),
        |log| assert_eq!(launches(log), 1, "{log:#?}"),
    );
}

#[test]
fn memory_of_the_host_stops_the_launch() {
    under_fake_driver(
        "unified::memory_of_the_host_stops_the_launch",
        "9.0",
        || {
            let error = launch(false).expect_err("memory that the device must not touch");
            let refused = CUresult::CUDA_ERROR_NOT_PERMITTED;
            assert!(
                matches!(error.reason, Reason::Driver(driver) if driver.0 == refused),
                "{error}"
            );
        },
        |log| assert_eq!(launches(log), 0, "{log:#?}"),
    );
}
