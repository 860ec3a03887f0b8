// A register cap that 64 live values cannot keep: the rest is spilled.
//@ arch: sm_80 sm_90 sm_121
//@ flags: -maxrregcount=32
//@ expect: crowded registers<=32 spills>0 stack>0 params=20
//@ policy: spills = 0
//@ error: spills-over-budget
extern "C" __global__ void crowded(float *out, const float *in, int n) {
    float v[64];
#pragma unroll
    for (int i = 0; i < 64; ++i) v[i] = in[i * 32 + threadIdx.x];
    for (int k = 0; k < n; ++k) {
#pragma unroll
        for (int i = 0; i < 64; ++i) v[i] = v[i] * v[(i + 7) % 64] + v[(i * 5) % 64];
    }
#pragma unroll
    for (int i = 0; i < 64; ++i) out[i * 32 + threadIdx.x] = v[i];
}
