// What one file alone cannot show: types shared with kinds.cu, module variables, template families, kernels
// of one target, cluster and block shapes, tensor maps.
// Recompile like kinds.cu.
#include <cuda.h>
#include <cuda_fp16.h>
#include <cstdint>

struct Shape {
    int n;
    uint8_t flags;
    double scale;
};

namespace geo {
template <typename T, int N>
struct Vec {
    T v[N];
};
}  // namespace geo

struct Mixed {
    int kind;
    union {
        float f;
        int i;
    };
    struct {
        short a, b;
    } pair;
};

__constant__ float coefficients[16];
__constant__ Shape shape;
__device__ unsigned long long counter;
namespace geo {
__device__ Vec<float, 4> origin;
}

extern "C" __global__ void use_shared(Shape s, geo::Vec<float, 4> v, Mixed m, float* out) {
    *out = s.n + v.v[0] + m.f + m.pair.b + coefficients[3] + shape.n + geo::origin.v[1];
    atomicAdd(&counter, 1ULL);
}

template <typename T>
__global__ void fill(int n, T value, T* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = value;
}
template __global__ void fill<float>(int, float, float*);
template __global__ void fill<int>(int, int, int*);
template __global__ void fill<__half>(int, __half, __half*);

template <typename In, typename Out>
__global__ void cast(int n, const In* in, Out* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = Out(float(in[i]));
}
template __global__ void cast<float, double>(int, const float*, double*);
template __global__ void cast<double, float>(int, const double*, float*);

template <typename T>
__global__ void gather(geo::Vec<T, 4> from, T* out) {
    *out = from.v[threadIdx.x];
}
template __global__ void gather<float>(geo::Vec<float, 4>, float*);
template __global__ void gather<double>(geo::Vec<double, 4>, double*);

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
extern "C" __global__ void __cluster_dims__(2, 1, 1) clustered(float* out) { *out = 2; }
extern "C" __global__ void tensor(const __grid_constant__ CUtensorMap map, float* out) {
    *out = reinterpret_cast<const char*>(&map)[5];
}
#endif
extern "C" __global__ void __launch_bounds__(64) shared_memory(float* out) {
    __shared__ float tile[1024];
    extern __shared__ float more[];
    tile[threadIdx.x] = more[threadIdx.x];
    __syncthreads();
    *out = tile[63 - threadIdx.x];
}
