// A parameter aligned to 128 bytes (64 before CUDA 13), under one name: its offset depends on where the target's parameters begin.
// The module has a method `load` already.
//@ arch: sm_90a sm_100a sm_120
//@ expect sm_90a since 13.0: load params=252
//@ expect sm_90a before 13.0: load params=188
//@ expect sm_100a: load params=140
//@ expect sm_120: load params=140
//@ wrapper: load_(map: types::TensorMap, out: &mut Out<f32>, n: i32)
#include <cuda.h>
extern "C" __global__ void load(const __grid_constant__ CUtensorMap map, float *out, int n) {
    out[n] = reinterpret_cast<const unsigned long long *>(&map)[n];
}
