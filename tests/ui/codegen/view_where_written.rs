// A shared view gives no write access, not even through a mutable reference.
use cudarc::driver::{CudaSlice, CudaStream, CudaView, LaunchConfig};

mod kernels {
    include!("../../golden/codegen/kinds.rs");
}

use kernels::{kinds::Module, runtime::LaunchError};

fn launch(
    module: &Module,
    stream: &CudaStream,
    cfg: LaunchConfig,
    x: &CudaSlice<f32>,
    y: &mut CudaView<'_, f32>,
) -> Result<(), LaunchError> {
    unsafe { module.saxpy(stream, cfg, 1, 2.0, x, y) }
}

fn main() {
    let _ = launch;
}
