// Local memory is the stack, whatever takes it: an array that is indexed at run time, or one in a called function.
//@ arch: sm_75 sm_90 sm_120
//@ expect: indexed stack>=256
//@ expect: calls stack>=256
//@ expect: plain stack=0
//@ policy: local = 0
//@ error: local-over-budget
//@ message: kernel `indexed` takes
//@ message: kernel `calls` takes
//@ message: of local memory per thread on
extern "C" __global__ void indexed(int *x, int n) {
    int table[64];
    for (int i = 0; i < n; i++) table[(i * n) & 63] = x[i];
    x[0] = table[n & 63];
}
__device__ __noinline__ int look_up(const int *x, int n) {
    int table[64];
    for (int i = 0; i < n; i++) table[(i * n) & 63] = x[i];
    return table[n & 63];
}
extern "C" __global__ void calls(int *x, int n) { x[0] = look_up(x, n); }
extern "C" __global__ void plain(int *x) { x[0] = 1; }
