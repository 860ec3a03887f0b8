// The arguments of printf lie on the stack, and the kernel calls into the driver.
//@ arch: sm_75 sm_90 sm_100
//@ expect: shout stack>0 params=4
//@ wrapper: shout(n: i32)
#include <cstdio>
extern "C" __global__ void shout(int n) { printf("%d %f\n", n, n * 0.5); }
