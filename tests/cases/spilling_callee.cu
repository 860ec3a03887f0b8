// A function that is not inlined spills, not the kernel itself: the budget of the kernel must not miss it, while a
// kernel beside it that calls another one keeps to its own.
//@ arch: sm_75 sm_90 sm_120
//@ flags: -maxrregcount=40
//@ expect: calls spills>0
//@ expect: calls_light spills=0
//@ policy: spills = 0
//@ error: spills-over-budget
//@ message: counted with `heavy`, which it calls
__device__ __noinline__ float light(float x) { return x * x + 1; }
__device__ __noinline__ float heavy(const float *__restrict__ a, int k) {
    float r[96], sum = 0;
#pragma unroll
    for (int i = 0; i < 96; i++) r[i] = a[i * 32 + k];
#pragma unroll
    for (int i = 0; i < 96; i++) {
#pragma unroll
        for (int j = 0; j < 4; j++) r[i] = r[i] * r[(i + 17 * j + 5) % 96] + r[(i + 31) % 96];
    }
#pragma unroll
    for (int i = 0; i < 96; i++) sum += r[i];
    return sum;
}
extern "C" __global__ void calls(const float *__restrict__ a, float *out) { *out = heavy(a, threadIdx.x); }
extern "C" __global__ void calls_light(float *out) { *out = light(*out); }
