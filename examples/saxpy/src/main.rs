//! Prints what the kernels use, then launches them and checks the results when there is a GPU.

use std::{error::Error, process::ExitCode, sync::Arc};

use cudarc::driver::{CudaContext, LaunchConfig};

/// One module per `.cu` file, each with a typed method per kernel.
pub mod kernels {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

use kernels::{reduce, runtime, saxpy};

fn main() -> ExitCode {
    print_resources();
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

/// The facts are constants: they need no GPU and no driver.
fn print_resources() {
    println!(
        "{:<16} {:<8} {:>9} {:>6} {:>7} {:>7}",
        "kernel", "target", "registers", "stack", "spills", "shared"
    );
    for kernel in saxpy::Module::KERNELS.iter().chain(reduce::Module::KERNELS) {
        for resources in kernel.per_target() {
            let known = |value: Option<u32>| {
                value.map_or_else(|| "?".to_owned(), |value| value.to_string())
            };
            println!(
                "{:<16} {:<8} {:>9} {:>6} {:>7} {:>7}",
                kernel.name,
                resources.target.to_string(),
                resources.registers,
                known(resources.stack),
                resources.spills.map_or_else(
                    || "?".to_owned(),
                    |(stores, loads)| (stores + loads).to_string()
                ),
                resources.static_shared,
            );
        }
    }
}

fn launch(context: &Arc<CudaContext>) -> Result<(), Box<dyn Error>> {
    const N: usize = 1 << 20;
    let n = i32::try_from(N)?;
    let stream = context.default_stream();
    let elements = LaunchConfig {
        grid_dim: (N.div_ceil(256) as u32, 1, 1),
        block_dim: (256, 1, 1),
        shared_mem_bytes: 0,
    };

    let module = saxpy::Module::load(context)?;
    let x = stream.clone_htod(&vec![1.0_f32; N])?;
    let mut y = stream.clone_htod(&vec![2.0_f32; N])?;
    // SAFETY: x and y have n elements each, and nothing else uses them.
    unsafe { module.saxpy(&stream, elements, n, 3.0, &x, &mut y)? };
    expect("saxpy", &stream.clone_dtoh(&y)?, 3.0 * 1.0 + 2.0)?;

    let by_value = saxpy::Axpby { a: 2.0, b: 10.0, n };
    // SAFETY: as above; the struct says how many elements there are.
    unsafe { module.axpby(&stream, elements, by_value, &x, &mut y)? };
    expect("axpby", &stream.clone_dtoh(&y)?, 2.0 * 1.0 + 10.0 * 5.0)?;

    let mut wide = stream.clone_htod(&vec![1.5_f64; N])?;
    // SAFETY: `wide` has n elements.
    unsafe { module.scale_f64(&stream, elements, &mut wide, 4.0, n)? };
    expect("scale<double>", &stream.clone_dtoh(&wide)?, 6.0)?;

    let sums = reduce::Module::load(context)?;
    let mut partial = stream.alloc_zeros::<f32>(N / 256)?;
    // SAFETY: one sum per block.
    unsafe { sums.block_sum(&stream, elements, &x, &mut partial, n)? };
    expect("block_sum", &stream.clone_dtoh(&partial)?, 256.0)
}

/// Every element must be exactly `wanted`: the numbers are small enough for that.
fn expect<T: PartialEq + std::fmt::Debug>(
    kernel: &str,
    values: &[T],
    wanted: T,
) -> Result<(), Box<dyn Error>> {
    match values.iter().position(|value| *value != wanted) {
        None => Ok(()),
        Some(index) => Err(format!(
            "{kernel}: element {index} is {:?}, expected {wanted:?}",
            values[index]
        )
        .into()),
    }
}
