// `n` and `a` in the wrong order.
use cudarc::driver::{CudaSlice, CudaStream, LaunchConfig};

mod kernels {
    include!("../../golden/codegen/kinds.rs");
}

use kernels::{kinds::Module, runtime::LaunchError};

fn launch(
    module: &Module,
    stream: &CudaStream,
    cfg: LaunchConfig,
    x: &CudaSlice<f32>,
    y: &mut CudaSlice<f32>,
) -> Result<(), LaunchError> {
    unsafe { module.saxpy(stream, cfg, 2.0, 1, x, y) }
}

fn main() {
    let _ = launch;
}
