// The template has instances for this enumerator, but none with these other arguments.
use cudarc::driver::{CudaSlice, CudaStream, LaunchConfig};

mod kernels {
    include!("../../golden/codegen/both.rs");
}

use kernels::{
    families::{Module, instances::quant_type},
    runtime::LaunchError,
};

fn launch(
    module: &Module,
    stream: &CudaStream,
    cfg: LaunchConfig,
    x: &CudaSlice<u8>,
    y: &mut CudaSlice<f32>,
) -> Result<(), LaunchError> {
    unsafe { module.mul_mat::<{ quant_type::QUANT_TYPE_Q8_0 }, 48, true>(stream, cfg, x, y) }
}

fn main() {
    let _ = launch;
}
