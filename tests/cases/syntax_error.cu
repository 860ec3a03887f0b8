// What nvcc says is shown whole, with its place.
//@ arch: sm_80 sm_90
//@ error: compile-failed
//@ message: identifier "missing" is undefined
extern "C" __global__ void broken(float *x) { *x = missing; }
