// Budgets over instructions: an accidental double is found at its line, also where a function was inlined.
//@ arch: sm_75 sm_90 sm_120
//@ flags: -lineinfo
//@ policy: fp64 = 0
//@ policy: fp64-in-loops = 0
//@ policy: local-loads = 0
//@ policy: unvectorised-global = "50%"
//@ policy: atomics = 0
//@ policy: instructions = 512
//@ expect: scaled stack=0
//@ expect: sorted stack>=256
//@ error: fp64-over-budget
//@ error: fp64-in-loops-over-budget
//@ error: local-loads-over-budget
//@ error: unvectorised-global-over-budget
//@ error: atomics-over-budget
//@ error: instructions-over-budget
//@ message: kernel `scaled` has
//@ message:     return x * 1.1;
//@ message: kernel `sorted` has
//@ message: from local memory
//@ message: kernel `unrolled` has
//@ message: kernel `counted` has 2 atomic instructions on sm_75 (1 on sm_90 and sm_120), budget is 0
//@ message: kernel `counted` moves at most 4 bytes by 1 of 1 global load or store (100 %)
__device__ __forceinline__ float by(float x) {
    return x * 1.1;
}
extern "C" __global__ void scaled(float2 *x, int n) {
#pragma unroll 1
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        float2 pair = x[i];
        pair.x = by(pair.x);
        x[i] = pair;
    }
}
extern "C" __global__ void sorted(float4 *keys) {
    float local[64];
    for (int i = 0; i < 64; ++i) {
        float key = keys[i].x;
        int j = i;
        for (; j > 0 && local[j - 1] > key; --j) local[j] = local[j - 1];
        local[j] = key;
    }
    for (int i = 0; i < 64; ++i) keys[i] = make_float4(local[i], 0, 0, 0);
}
extern "C" __global__ void counted(const int *x, int *sum) { atomicAdd(sum, x[threadIdx.x]); }
extern "C" __global__ void unrolled(float4 *x) {
#pragma unroll
    for (int i = 0; i < 512; i++) x[i * 3].x = x[i * 5].y * x[i * 7].z + 1;
}
