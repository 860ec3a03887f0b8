// One of each common kind: scalars, pointers, a struct by value, an enum, a template, a half, a constant.
#include <cuda_fp16.h>

namespace app {
enum class Mode : unsigned char { Add, Mul = 4 };
struct Affine {
    float scale;
    float shift;
    Mode mode;
    const int *index;
};
template <class T>
__global__ void apply(Affine f, const T *__restrict__ in, T *out, unsigned n) {
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = T(float(in[f.index[i]]) * f.scale + f.shift);
}
template __global__ void apply<float>(Affine, const float *, float *, unsigned);
template __global__ void apply<__half>(Affine, const __half *, __half *, unsigned);
}

__constant__ float bias[4];

extern "C" __global__ void __launch_bounds__(256) saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i] + bias[i & 3];
}
