// An object that is still to be linked: calls to functions elsewhere, no stack that is known, device functions of
// their own.
//@ arch: sm_75 sm_80 sm_90 sm_100 sm_120
//@ nvcc: -rdc=true
//@ expect: calls params=16 stack=unknown
extern "C" __device__ float elsewhere(float);
extern "C" __device__ __noinline__ float near(float x) { return x * x + elsewhere(x); }
extern "C" __global__ void calls(float *out, const float *in) { *out = elsewhere(*in) + near(*in); }
