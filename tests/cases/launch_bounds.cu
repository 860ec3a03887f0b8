// Bounds are recorded, and make ptxas keep to 65,536 / (2 * 512) registers.
//@ arch: sm_80 sm_90 sm_103
//@ expect: bounded registers<=64 max-threads=512 params=12
//@ expect: exact max-threads=none required-threads=none
//@ policy: registers = 1
//@ error: registers-over-budget
extern "C" __global__ void __launch_bounds__(512, 2) bounded(float *x, int n) { x[n] = 1; }
extern "C" __global__ void exact(float *x) { *x = 2; }
