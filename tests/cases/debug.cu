// Debug code: more registers, a stack frame, DWARF sections, a call where there was none.
//@ arch: sm_75 sm_90 sm_120
//@ flags: -G
//@ expect: square registers<=64 params=20
//@ wrapper: square(out: &mut Out<f32>, r#in: &In<f32>, n: u32)
static __device__ __noinline__ float squared(float x) { return x * x; }
extern "C" __global__ void square(float *out, const float *in, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = squared(in[i]);
}
