// Loops of every kind, for tests/tests/sass.rs: what stands in one, and what does not.

extern "C" __global__ void straight(float *p) { p[threadIdx.x] *= 2.0f; }
extern "C" __global__ void counted(float *p, int n) { 
    float s = 0;
    for (int i = 0; i < n; ++i) s += p[i] * s;
    p[0] = s;
}
extern "C" __global__ void nested(double *p, int n) {
    double s = 0;
    #pragma unroll 1
    for (int i = 0; i < n; ++i) {
        #pragma unroll 1
        for (int j = 0; j < i; ++j)
            if (p[j] > 1.0) s += p[i * n + j] / p[j];
    }
    p[0] = s;
}
extern "C" __global__ void early(int *p, int n) {
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
        if (p[i] == 7) {
            p[0] = i;
            return;
        }
        __syncthreads();
    }
    // Once, after the loop.
    p[1] = sqrt((double)p[2]);
}
extern "C" __global__ void switched(int *p, int n) {
    #pragma unroll 1
    for (int i = 0; i < n; ++i) {
        switch (p[i]) {
            case 0: p[1] = 3; break;
            case 1: p[2] *= 5; break;
            case 2: p[3] /= p[4]; break;
            case 3: p[5] ^= 1; break;
            case 4: p[6] = p[7]; break;
            case 5: p[8] += 4; break;
            case 6: p[9] = __popc(p[10]); break;
            case 7: p[11]++; break;
            case 8: p[12] = 1; break;
        }
    }
}
__device__ __noinline__ float helper(float x, int n) {
    for (int i = 0; i < n; ++i) x = x * x + 1;
    return x;
}
extern "C" __global__ void called(float *p, int n) { p[0] = helper(p[1], n); }
extern "C" __global__ void spins(volatile int *p) {
    while (*p == 0) {
    }
    p[1] = 1;
}
extern "C" __global__ void forever() {
    // Without it, a loop that does nothing may be taken out.
    while (1) asm volatile("");
}
