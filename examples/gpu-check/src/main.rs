//! Launches kernels of every kind through their typed wrappers and checks each number that they write.
//!
//! Prints a line per check. Exits with 1 when a check fails. Without a GPU it says so and exits with 0, or with 1
//! when run with `--require-gpu`.

mod checks;

/// One module per `.cu` file, and one for those that are linked.
pub mod kernels {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

use std::{error::Error, process::ExitCode, sync::Arc};

use cudarc::driver::{CudaContext, CudaStream, sys::CUresult};

use kernels::{
    arguments, groups, memory,
    runtime::{self, LoadError},
};

/// A device with the modules that most checks use loaded.
struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    arguments: arguments::Module,
    memory: memory::Module,
    groups: groups::Module,
}

impl Gpu {
    fn open() -> Result<Self, LoadError> {
        let context = runtime::context(0)?;
        Ok(Self {
            stream: context.default_stream(),
            arguments: arguments::Module::load(&context)?,
            memory: memory::Module::load(&context)?,
            groups: groups::Module::load(&context)?,
            context,
        })
    }
}

/// How a check ended that did not fail.
enum Outcome {
    Right,
    /// The device lacks what is checked.
    Skipped(String),
}

fn main() -> ExitCode {
    let required = match arguments() {
        Ok(required) => required,
        Err(problem) => {
            eprintln!("error: {problem}");
            return ExitCode::from(2);
        }
    };
    let gpu = match Gpu::open() {
        Ok(gpu) => gpu,
        Err(error) if is_absence(&error) => {
            println!("no GPU: {error}");
            return if required {
                ExitCode::FAILURE
            } else {
                ExitCode::SUCCESS
            };
        }
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    match run(&gpu) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(failed) => {
            eprintln!("error: {failed} of {} checks failed", checks::ALL.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Whether a GPU is required.
fn arguments() -> Result<bool, String> {
    let mut required = false;
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "--require-gpu" => required = true,
            other => {
                return Err(format!(
                    "unknown argument `{other}`; there is --require-gpu"
                ));
            }
        }
    }
    Ok(required)
}

/// Whether there is no driver, no device, or none that the kernels were compiled for. Anything else that the driver
/// says is a failure: a broken installation must not look like a machine without a GPU.
fn is_absence(error: &LoadError) -> bool {
    match error {
        LoadError::NoDriver | LoadError::NoImage { .. } => true,
        LoadError::Driver { error, .. } => matches!(
            error.0,
            CUresult::CUDA_ERROR_NO_DEVICE | CUresult::CUDA_ERROR_STUB_LIBRARY
        ),
        _ => false,
    }
}

/// Runs all checks, whatever becomes of each; the number of those that failed.
fn run(gpu: &Gpu) -> Result<usize, Box<dyn Error>> {
    let (major, minor) = gpu.context.compute_capability()?;
    println!(
        "{}, compute capability {major}.{minor}: runs the images for {}",
        gpu.context.name()?,
        gpu.arguments.image().target
    );
    let mut failed = 0;
    for (name, check) in checks::ALL {
        match check(gpu) {
            Ok(Outcome::Right) => println!("ok {name}"),
            Ok(Outcome::Skipped(reason)) => println!("skipped {name}: {reason}"),
            Err(error) => {
                println!("failed {name}: {error}");
                failed += 1;
            }
        }
    }
    Ok(failed)
}
