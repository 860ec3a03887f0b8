// `__half` and `__nv_bfloat16` are different types.
use cudarc::driver::{CudaSlice, CudaStream, LaunchConfig};

mod kernels {
    include!("../../golden/codegen/kinds.rs");
}

use kernels::{kinds::Module, runtime::LaunchError, types};

fn launch(
    module: &Module,
    stream: &CudaStream,
    cfg: LaunchConfig,
    x: &CudaSlice<types::BFloat16>,
    y: &mut CudaSlice<types::Half>,
    k: types::Half,
) -> Result<(), LaunchError> {
    unsafe { module.geo().scale_f16(stream, cfg, 1, k, x, y) }
}

fn main() {
    let _ = launch;
}
