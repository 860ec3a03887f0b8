//! Launches a kernel, where there is a GPU.

use std::error::Error;

use cudarc::driver::LaunchConfig;

/// A module per `.cu` file, with a typed method per kernel.
pub mod kernels {
    include!(concat!(env!("OUT_DIR"), "/kernels.rs"));
}

use kernels::{runtime, saxpy};

fn main() -> Result<(), Box<dyn Error>> {
    let x = [1.0, 2.0, 3.0];
    let mut y = [10.0, 20.0, 30.0];
    add_scaled(2.0, &x, &mut y)?;
    println!("{y:?}");
    Ok(())
}

/// Adds `a` times each number of `x` to those of `y`, on the first GPU.
fn add_scaled(a: f32, x: &[f32], y: &mut [f32]) -> Result<(), Box<dyn Error>> {
    assert_eq!(x.len(), y.len(), "x and y have the same length");
    let n = u32::try_from(x.len())?;
    let context = runtime::context(0)?;
    let stream = context.default_stream();
    let module = saxpy::Module::load(&context)?;
    let x = stream.clone_htod(x)?;
    let mut sum = stream.clone_htod(y)?;
    let config = LaunchConfig::for_num_elems(n);
    // SAFETY: both slices have n elements, and nothing else uses them.
    unsafe { module.saxpy(&stream, config, n.try_into()?, a, &x, &mut sum)? };
    stream.memcpy_dtoh(&sum, y)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is known of a kernel needs no GPU.
    #[test]
    fn the_kernel_is_compiled_for_every_target() {
        let kernel = &saxpy::info::SAXPY;
        assert_eq!(kernel.per_target().count(), 2);
        let params: Vec<&str> = kernel.params().map(|param| param.name).collect();
        assert_eq!(params, ["n", "a", "x", "y"]);
    }

    #[test]
    fn sums_are_right() {
        let mut y = [1.0; 1000];
        match add_scaled(3.0, &[2.0; 1000], &mut y) {
            Ok(()) => assert_eq!(y, [7.0; 1000]),
            Err(error) => eprintln!("not launched: {error}"),
        }
    }
}
