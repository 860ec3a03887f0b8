// What a kernel calls outside the cubin, itself, through functions that are not inlined, through recursion and through
// pointers: ptxas lists it for the kernel.
//@ arch: sm_75 sm_90 sm_100 sm_120
//@ expect: direct externs=vprintf
//@ expect: deep externs=vprintf
//@ expect: recurses externs=vprintf
//@ expect: chooses externs=vprintf
//@ expect: checks externs=__assertfail
//@ expect: allocates externs=free,malloc
//@ expect: silent externs=none
//@ policy: externs = ["printf", "assert", "malloc"]
//@ error: externs-forbidden
//@ message: kernel `direct` calls `printf` on sm_75, sm_90, sm_100 and sm_120, budget forbids `printf`
//@ message: kernel `deep` calls `printf`
//@ message: kernel `recurses` calls `printf`
//@ message: kernel `chooses` calls `printf`
//@ message: kernel `checks` calls `assert`
//@ message: `__assertfail` stands for `assert` in the cubin
//@ message: kernel `allocates` calls `malloc` on
#include <cassert>
#include <cstdio>
__device__ __noinline__ int log_it(int x) {
    printf("%d\n", x);
    return x;
}
__device__ __noinline__ int deeper(int x) { return x > 3 ? log_it(x) + 1 : x; }
__device__ __noinline__ int again(int x) { return x < 2 ? log_it(x) : again(x - 1) + again(x - 2); }
__device__ __noinline__ int quiet(int x) { return x * 3; }
extern "C" __global__ void direct(int n) {
    if (n < 0) printf("negative\n");
}
extern "C" __global__ void deep(int *x) { x[0] = deeper(x[1]); }
extern "C" __global__ void recurses(int *x) { x[0] = again(x[1]); }
extern "C" __global__ void chooses(int *x, int n) {
    int (*function)(int) = n ? log_it : quiet;
    x[0] = function(x[1]);
}
extern "C" __global__ void checks(int n) { assert(n > 0); }
extern "C" __global__ void allocates(int **x, int n) {
    x[0] = new int[n];
    delete[] x[1];
}
extern "C" __global__ void silent(int *x) { x[0] = quiet(x[1]); }
