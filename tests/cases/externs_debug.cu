// Without optimisation every function has code of its own; what it calls counts for the kernel all the same.
//@ arch: sm_75 sm_90 sm_120
//@ flags: -G
//@ expect: deep externs=vprintf
//@ expect: silent externs=none
//@ policy: externs = "*"
//@ error: externs-forbidden
//@ message: kernel `deep` calls `printf` on sm_75, sm_90 and sm_120, budget forbids `*`
#include <cstdio>
__device__ int log_it(int x) { return printf("%d\n", x); }
__device__ int deeper(int x) { return x > 3 ? log_it(x) + 1 : x; }
__device__ int quiet(int x) { return x * 3; }
extern "C" __global__ void deep(int *x) { x[0] = deeper(x[1]); }
extern "C" __global__ void silent(int *x) { x[0] = quiet(x[1]); }
