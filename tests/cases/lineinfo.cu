// Line tables change no figure.
//@ arch: sm_80 sm_100
//@ flags: -lineinfo
//@ expect: scale registers<=16 stack=0 spills=0 params=16
//@ wrapper: scale(data: &mut Out<f64>, by: f64)
extern "C" __global__ void scale(double *data, double by) { data[threadIdx.x] *= by; }
