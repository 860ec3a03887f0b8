// Memory from the stack, in an amount that is known at run time only.
//@ arch: sm_80 sm_90 sm_100
//@ expect: reversed stack=unknown params=20
#include <alloca.h>
extern "C" __global__ void reversed(int *out, const int *in, int n) {
    int *copy = static_cast<int *>(alloca(n * sizeof(int)));
    for (int i = 0; i < n; ++i) copy[i] = in[i];
    for (int i = 0; i < n; ++i) out[i] = copy[n - 1 - i];
}
