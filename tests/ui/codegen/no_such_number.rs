// The template has instances for this type, but none for this number.
use cudarc::driver::{CudaSlice, CudaStream, LaunchConfig};

mod kernels {
    include!("../../golden/codegen/both.rs");
}

use kernels::{families::Module, runtime::LaunchError};

fn launch(
    module: &Module,
    stream: &CudaStream,
    cfg: LaunchConfig,
    x: &CudaSlice<f32>,
    y: &mut CudaSlice<f32>,
) -> Result<(), LaunchError> {
    unsafe { module.sum::<_, 9>(stream, cfg, x, y)? };
    unsafe { module.tile::<16, 32>(stream, cfg, 1.0, y) }
}

fn main() {
    let _ = launch;
}
