// The template has no instance for this type.
use cudarc::driver::{CudaSlice, CudaStream, LaunchConfig};

mod kernels {
    include!("../../golden/codegen/kinds.rs");
}

use kernels::{kinds::Module, runtime::LaunchError};

fn launch(
    module: &Module,
    stream: &CudaStream,
    cfg: LaunchConfig,
    x: &CudaSlice<u8>,
    y: &mut CudaSlice<u8>,
) -> Result<(), LaunchError> {
    unsafe { module.geo().scale(stream, cfg, 1, 2_u8, x, y) }
}

fn main() {
    let _ = launch;
}
