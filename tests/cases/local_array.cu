// An array with computed indices cannot live in registers.
//@ arch: sm_75 sm_90 sm_121
//@ expect: histogram stack=512 spills=0
//@ policy: stack = 0
//@ error: stack-over-budget
extern "C" __global__ void histogram(int *out, const int *in, int n) {
    int bins[128];
    for (int i = 0; i < 128; ++i) bins[i] = in[i * 3];
    for (int i = 0; i < n; ++i) bins[in[i] & 127]++;
    out[threadIdx.x] = bins[threadIdx.x & 127] + bins[n & 127];
}
