// A relocatable object cannot be loaded, so the builder does not make one.
//@ arch: sm_90
//@ flags: -rdc=true
//@ error: builder-invalid
//@ message: `-rdc=true`
extern "C" __global__ void calls(float *out) { *out = 1; }
