// User constants and immediate values in constant banks of their own.
//@ arch: sm_75 sm_80 sm_90 sm_103
//@ expect: weighted params=12 stack=0
__constant__ float weights[300];
extern "C" __global__ void weighted(float *x, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += weights[i] * x[i];
    x[threadIdx.x] = sum * 1.2345678901234;
}
