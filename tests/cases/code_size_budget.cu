// Unrolled loops make code; a loop that stays one does not.
//@ arch: sm_75 sm_90 sm_120
//@ expect: unrolled code-size>8192
//@ expect: rolled code-size<8192
//@ policy: code-size = "8 KiB"
//@ error: code-size-over-budget
//@ message: kernel `unrolled` has
//@ message: of machine code on
//@ message: `#pragma unroll 1` keeps a loop as one
extern "C" __global__ void unrolled(float *x) {
#pragma unroll
    for (int i = 0; i < 512; i++) x[i * 3] = x[i * 5] * x[i * 7] + 1;
}
extern "C" __global__ void rolled(float *x) {
#pragma unroll 1
    for (int i = 0; i < 512; i++) x[i * 3] = x[i * 5] * x[i * 7] + 1;
}
