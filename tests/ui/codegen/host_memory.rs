// Host memory is not device memory.
use cudarc::driver::{CudaSlice, CudaStream, LaunchConfig};

mod kernels {
    include!("../../golden/codegen/kinds.rs");
}

use kernels::{kinds::Module, runtime::LaunchError};

fn launch(
    module: &Module,
    stream: &CudaStream,
    cfg: LaunchConfig,
    x: &[f32],
    y: &mut CudaSlice<f32>,
) -> Result<(), LaunchError> {
    unsafe { module.saxpy(stream, cfg, 1, 2.0, &x, y) }
}

fn main() {
    let _ = launch;
}
