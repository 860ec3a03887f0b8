//! Spilled bytes decoded from the instructions, against what `ptxas -v` counts while it writes the same cubin; barriers
//! on the way.

use std::{path::Path, process::Command};

use cubin_core::Cubin;
use cubin_tests::{oracle, toolkit, tools};

/// Three kernels: one that spills when held to few registers, with a barrier; two that never do.
const SOURCE: &str = r"
__global__ void spills(const float* __restrict__ a, float* o) {
  float r[96];
  #pragma unroll
  for (int i = 0; i < 96; i++) r[i] = a[i * 32 + threadIdx.x];
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < 96; i++) {
    #pragma unroll
    for (int j = 0; j < 4; j++) r[i] = r[i] * r[(i + 17 * j + 5) % 96] + r[(i + 31) % 96];
  }
  #pragma unroll
  for (int i = 0; i < 96; i++) o[i * 32 + threadIdx.x] = r[i];
}
__global__ void wide(const double4* a, double4* o) {
  double4 r[24];
  #pragma unroll
  for (int i = 0; i < 24; i++) r[i] = a[i * 32 + threadIdx.x];
  __syncthreads();
  #pragma unroll
  for (int i = 0; i < 24; i++) { r[i].x *= r[(i + 7) % 24].y; r[i].z += r[(i + 11) % 24].w; }
  #pragma unroll
  for (int i = 0; i < 24; i++) o[i * 32 + threadIdx.x] = r[i];
}
__global__ void none(float* o) { o[threadIdx.x] *= 2; }
";

#[test]
fn spilled_bytes_are_those_of_ptxas() {
    let Some(toolkit) = toolkit() else {
        return;
    };
    let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), "core_spills");
    std::fs::write(dir.join("s.cu"), SOURCE).expect("a source");
    let ptxas = toolkit.tool("ptxas").expect("ptxas");
    let nvcc = toolkit.tool("nvcc").expect("nvcc");
    let mut spilled = 0;
    tools::run(
        &nvcc,
        &["-ptx", "-arch", "compute_75", "-o", "s.ptx", "s.cu"],
        &dir,
    );
    for target in ["sm_75", "sm_80", "sm_90", "sm_100", "sm_120"] {
        for mode in [&[][..], &["-c"], &["-lineinfo"]] {
            let (bytes, log) = assemble(&ptxas, &dir, target, mode);
            let said = oracle::ptxas_verbose(&log);
            let cubin = Cubin::parse(&bytes).expect("a cubin");
            for kernel in cubin.kernels().expect("kernels") {
                let at = format!("{target} {mode:?} {}", kernel.symbol);
                let said = said.get(kernel.symbol).unwrap_or_else(|| panic!("{at}"));
                let spills = cubin.spills(&kernel).expect("spills").expect("recorded");
                assert_eq!(
                    (u64::from(spills.store_bytes), u64::from(spills.load_bytes)),
                    (said.stores, said.loads),
                    "{at}"
                );
                let count = kernel.resources.spill_instructions;
                assert_eq!(count, Some(spills.stores + spills.loads), "{at}");
                assert_eq!(spills.other, 0, "{at}");
                let registers = u64::from(kernel.resources.registers);
                assert_eq!(Some(registers), said.registers, "{at}");
                let barriers = u8::from(kernel.symbol != "_Z4nonePf");
                assert_eq!(kernel.resources.barriers, Some(barriers), "{at}");
                spilled += usize::from(said.stores > 0);
            }
        }
    }
    assert!(spilled >= 15, "only {spilled} kernels spilled");
}

/// Runs ptxas with few registers; gives the cubin and what ptxas printed.
fn assemble(ptxas: &Path, dir: &Path, target: &str, mode: &[&str]) -> (Vec<u8>, String) {
    let output = Command::new(ptxas)
        .args(["-v", "-maxrregcount", "32", "-arch", target])
        .args(mode)
        .args(["s.ptx", "-o", "s.cubin"])
        .current_dir(dir)
        .output()
        .expect("ptxas runs");
    let log = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{log}");
    (std::fs::read(dir.join("s.cubin")).expect("a cubin"), log)
}
