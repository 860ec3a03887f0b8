// Calls through a table: the stack is the deepest of every function whose address is taken.
//@ arch: sm_75 sm_90 sm_100a
//@ expect: apply params=20
//@ expect since 12.6: apply stack=24
// ptxas 12.4 records 0, beside a frame of 16 bytes in one of them.
//@ expect sm_90 since 12.4 before 12.5: apply stack=unknown
//@ expect sm_90 before 12.4: apply stack=24
//@ expect sm_75 before 12.6: apply stack=24
static __device__ __noinline__ float twice(float x) { return 2 * x; }
static __device__ __noinline__ float third(float x) { return x / 3; }
typedef float (*Op)(float);
__device__ Op table[2] = {twice, third};
extern "C" __global__ void apply(float *out, const float *in, int op) {
    out[threadIdx.x] = table[op](in[threadIdx.x]);
}
