// The parameters lie in bank 0, the addresses of a `switch` in bank 2: a limit for any bank that is not named.
//@ arch: sm_75 sm_90 sm_120
//@ expect: large constant0>=4000 params=4008
//@ expect: chooses constant2>0
//@ policy: constant = { 2 = 8, other = 2048 }
//@ error: constant-over-budget
//@ message: of constant bank 0 on
//@ message: of constant bank 2 on
//@ message: put the large parameter in `__constant__` or global memory and pass a pointer
struct Large { float values[1000]; };
extern "C" __global__ void large(Large by_value, float *out) { *out = by_value.values[threadIdx.x]; }
extern "C" __global__ void chooses(int *x, int n) {
    switch (n) {
    case 0: x[0] = 1; __syncthreads(); break;
    case 1: x[1] = x[5]; break;
    case 2: x[2] = x[7] * 3; break;
    case 3: x[n] = x[n * n]; __threadfence(); break;
    case 4: x[3] = x[n + 1];
    case 5: x[n * 3] = 4;
    case 6: x[7] = x[x[3]]; break;
    case 7: x[44] = 1; break;
    case 8: x[n * n] = 4;
    }
}
