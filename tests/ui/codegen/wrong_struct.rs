// A struct of another kernel.
use cudarc::driver::{CudaSlice, CudaStream, LaunchConfig};

mod kernels {
    include!("../../golden/codegen/kinds.rs");
}

use kernels::{kinds::Module, runtime::LaunchError};

fn launch(
    module: &Module,
    stream: &CudaStream,
    cfg: LaunchConfig,
    value: &kernels::kinds::Shape,
    out: &mut CudaSlice<f32>,
) -> Result<(), LaunchError> {
    unsafe { module.big(stream, cfg, value, out) }
}

fn main() {
    let _ = launch;
}
