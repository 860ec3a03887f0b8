//! Launches a kernel that was written in Rust, and checks what it computes, when there is a GPU.

use std::{error::Error, process::ExitCode, sync::Arc};

use cudarc::driver::{CudaContext, LaunchConfig};

/// One module per source, each with a typed method per kernel.
pub mod kernels {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

use kernels::{runtime, saxpy};

fn main() -> ExitCode {
    for kernel in saxpy::Module::KERNELS {
        for resources in kernel.per_target() {
            println!(
                "{} for {}: {} registers",
                kernel.name, resources.target, resources.registers
            );
        }
    }
    let context = match runtime::context(0) {
        Ok(context) => context,
        Err(error) => {
            println!("\nNot launched: {error}");
            return ExitCode::SUCCESS;
        }
    };
    match launch(&context) {
        Ok(()) => {
            println!("\nLaunched: all results are right.");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("\nerror: {error}");
            ExitCode::FAILURE
        }
    }
}

fn launch(context: &Arc<CudaContext>) -> Result<(), Box<dyn Error>> {
    const N: u32 = 1000;
    let stream = context.default_stream();
    let module = saxpy::Module::load(context)?;
    let x = stream.clone_htod(&vec![1.0_f32; N as usize])?;
    let mut y = stream.clone_htod(&vec![2.0_f32; N as usize])?;
    let launch = LaunchConfig {
        grid_dim: (N.div_ceil(256), 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };
    // SAFETY: x and y have N elements each, and nothing else uses them.
    unsafe { module.saxpy(&stream, launch, N, 3.0, &x, &mut y)? };
    let y = stream.clone_dtoh(&y)?;
    match y.iter().position(|value| *value != 5.0) {
        None => Ok(()),
        Some(at) => Err(format!("element {at} is {}, not 5", y[at]).into()),
    }
}
