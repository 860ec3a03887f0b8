// The depth of recursion is not known, so neither is the stack.
//@ arch: sm_75 sm_90 sm_120
//@ expect: fibonacci stack=unknown params=12
//@ policy: stack = 0
//@ error: stack-unknown
//@ message: the driver gives each thread 1 KiB of stack
static __device__ __noinline__ int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) * 3; }
extern "C" __global__ void fibonacci(int *out, int n) { *out = fib(n); }
