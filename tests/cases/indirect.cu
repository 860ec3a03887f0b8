// Calls through a table: the stack is the deepest of every function whose address is taken.
//@ arch: sm_75 sm_90 sm_100a
//@ expect: apply params=20 stack=24
static __device__ __noinline__ float twice(float x) { return 2 * x; }
static __device__ __noinline__ float third(float x) { return x / 3; }
typedef float (*Op)(float);
__device__ Op table[2] = {twice, third};
extern "C" __global__ void apply(float *out, const float *in, int op) {
    out[threadIdx.x] = table[op](in[threadIdx.x]);
}
