// Every kind of parameter that the generator knows, for the golden file beside this source.
// Recompile with: nvcc -std=c++17 -arch=sm_80 -cubin kinds.cu -o kinds.sm_80.cubin (and sm_90a).
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cstdint>

struct Shape {
    int n;
    uint8_t flags;
    double scale;
};

namespace geo {
struct alignas(16) Ray {
    float3 origin;
    float3 direction;
    float t;
};
enum class Mode : uint8_t { Nearest = 0, Linear = 1, type = 7 };
template <typename T, int N>
struct Vec {
    T v[N];
};
}  // namespace geo

struct Aligned {
    char tag;
    alignas(16) int value;
    char last;
};

#pragma pack(push, 1)
struct Packed {
    char a;
    int b;
    short c;
};
#pragma pack(pop)

struct Bits {
    unsigned kind : 3;
    int level : 5;
    bool on : 1;
    unsigned long long wide : 40;
    int after;
};

union Number {
    int i;
    float f;
    char bytes[8];
};

struct Empty {};

struct Node {
    Node* next;
    const float* values;
    Number number;
    geo::Mode mode;
    Shape shapes[2];
};

struct Big {
    float values[1500];
};

enum Level { Low = -1, High = 4 };

extern "C" __global__ void saxpy(int n, float a, const float* __restrict__ x, float* __restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

extern "C" __global__ void scalars(bool b, char c, signed char sc, unsigned char uc, short s, unsigned short us,
                                   int i, unsigned u, long l, unsigned long ul, long long ll,
                                   unsigned long long ull, size_t size, float f, double d, wchar_t w, char16_t c16,
                                   char32_t c32, __int128 big, double* out) {
    *out = b + c + sc + uc + s + us + i + u + l + ul + ll + ull + size + f + d + w + c16 + c32 + (double)big;
}

extern "C" __global__ void halves(__half h, __nv_bfloat16 b, __nv_fp8_e4m3 e4, __nv_fp8_e5m2 e5, __half2 h2,
                                  __nv_bfloat162 b2, const __half* in, __nv_bfloat16* out) {
    *out = __float2bfloat16(__half2float(h) + __bfloat162float(b) + float(e4) + float(e5) + __low2float(h2) +
                            __bfloat162float(b2.x) + __half2float(*in));
}

extern "C" __global__ void vectors(char3 c3, uchar4 c4, short2 s2, int3 i3, float2 f2, float3 f3, float4 f4,
                                   double2 d2, ulonglong2 u2, dim3 grid, float4* out) {
    *out = make_float4(c3.x + c4.w + s2.y, i3.z + f2.x, f3.y + f4.w + d2.y, u2.y + grid.z);
}

extern "C" __global__ void records(Shape shape, geo::Ray ray, Aligned aligned, Packed packed, Bits bits,
                                   Number number, Empty empty, Node node, geo::Vec<float, 4> vec, float* out) {
    *out = shape.scale + ray.t + aligned.value + packed.b + bits.level + number.i + node.shapes[1].n + vec.v[3];
}

extern "C" __global__ void big(Big params, float* out) { *out = params.values[threadIdx.x]; }

extern "C" __global__ void enums(Level level, geo::Mode mode, int* out) { *out = int(level) + int(mode); }

extern "C" __global__ void pointers(void* any, const void* any_const, float** table, float (*rows)[4],
                                    volatile int* flag, Shape* shapes, struct Hidden* hidden, int& counter) {
    *flag = rows[0][1] + shapes->n + (any != any_const) + (hidden != nullptr) + counter + *table[0];
}

extern "C" __global__ void nothing() {}

extern "C" __global__ void keywords(int type, int self, int stream, int launch, int params, int ready, int* match) {
    *match = type + self + stream + launch + params + ready;
}

extern "C" __global__ void __launch_bounds__(128) load(float* out) { *out = 1; }

namespace geo {
template <typename T>
__global__ void scale(int n, T factor, const T* in, T* out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[i] * factor;
}
template __global__ void scale<float>(int, float, const float*, float*);
template __global__ void scale<double>(int, double, const double*, double*);
template __global__ void scale<__half>(int, __half, const __half*, __half*);

template <typename T, int N>
__global__ void reduce(const T* in, T* out) {
    T sum = 0;
    for (int i = 0; i < N; i++) sum += in[i];
    *out = sum;
}
template __global__ void reduce<float, 8>(const float*, float*);
template __global__ void reduce<int, 8>(const int*, int*);
}  // namespace geo

__global__ void copy(int n, int* out) { *out = n; }
__global__ void copy(float n, float* out) { *out = n; }

extern "C" __global__ void unnamed(int, float, int* out) { *out = 1; }

template <typename... Ts>
__global__ void pack(int* out, Ts... values) {
    *out = (values + ...);
}
template __global__ void pack<int, float>(int*, int, float);
