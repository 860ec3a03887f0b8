// Templates whose arguments are types and numbers, for the generic functions; enumerators as template arguments;
// managed variables.
// Recompile like kinds.cu.
#include <cuda_fp16.h>

enum quant_type { QUANT_TYPE_F32 = 0, QUANT_TYPE_Q8_0 = 8, QUANT_TYPE_Q2_K = 10, QUANT_TYPE_LAST = 10 };
namespace geo {
enum class Op : unsigned char { Sum, FastMax = 3 };
template <typename T, int N>
struct Vec {
    T v[N];
};
}  // namespace geo
struct Tag {};

// A type that no parameter shows, and a number.
template <typename T, int N>
__global__ void sum(const T* in, T* out) {
    T total = 0;
    for (int i = 0; i < N; i++) total += in[i];
    *out = total;
}
template __global__ void sum<float, 8>(const float*, float*);
template __global__ void sum<float, 16>(const float*, float*);
template __global__ void sum<int, -1>(const int*, int*);
template __global__ void sum<__half, 8>(const __half*, __half*);

// Numbers alone.
template <int X, unsigned Y>
__global__ void tile(float scale, float* out) {
    out[threadIdx.x] = scale * X * Y;
}
template __global__ void tile<16, 16>(float, float*);
template __global__ void tile<32, 4000000000>(float, float*);

// Enumerators: an unscoped one, another name for the same number, a number without a name; and a truth value.
template <quant_type Type, int Columns, bool Check>
__global__ void mul_mat(const void* x, float* y) {
    *y = Type + Columns + Check + (x != nullptr);
}
template __global__ void mul_mat<QUANT_TYPE_Q8_0, 48, false>(const void*, float*);
template __global__ void mul_mat<QUANT_TYPE_Q2_K, 48, false>(const void*, float*);
template __global__ void mul_mat<QUANT_TYPE_Q2_K, 48, true>(const void*, float*);
template __global__ void mul_mat<quant_type(5), 48, false>(const void*, float*);

namespace geo {
// A number before the type.
template <Op Which, typename T>
__global__ void reduce(int n, T start, T* out) {
    *out = start + T(int(Which) + n);
}
template __global__ void reduce<Op::Sum, float>(int, float, float*);
template __global__ void reduce<Op::FastMax, int>(int, int, int*);

// Types that depend on the number.
template <typename T, int N>
__global__ void spread(Vec<T, N> from, T (&table)[N], T* out) {
    *out = from.v[N - 1] + table[0];
}
template __global__ void spread<float, 2>(Vec<float, 2>, float (&)[2], float*);
template __global__ void spread<double, 3>(Vec<double, 3>, double (&)[3], double*);
}  // namespace geo

// Every integer type; a name longer than a line.
template <long long A, char B, short C, unsigned long D, unsigned long long E, signed char F, unsigned char G>
__global__ void all_the_integer_types(int* out) {
    *out = A + B + C + D + E + F + G;
}
template __global__ void all_the_integer_types<-5000000000, 'x', 3, 4, 18446744073709551615u, -6, 7>(int*);

// Several types and a number.
template <typename In, typename Out, bool Round>
__global__ void convert(int n, const In* in, Out* out) {
    if (n > int(threadIdx.x)) *out = Out(*in) + Round;
}
template __global__ void convert<float, int, true>(int, const float*, int*);
template __global__ void convert<int, float, false>(int, const int*, float*);

// A type that no parameter shows.
template <typename T, int N>
__global__ void clear(int n, float* out) {
    if (n > N) *out = T(N);
}
template __global__ void clear<float, 1>(int, float*);
template __global__ void clear<short, 2>(int, float*);

// Numbers of two types, a type that Rust has no name for, and a template: named wrappers only.
template <auto Value>
__global__ void any_value(int* out) {
    *out = int(Value);
}
template __global__ void any_value<3>(int*);
template __global__ void any_value<'c'>(int*);
template <typename Policy, int N>
__global__ void policy(int* out) {
    *out = sizeof(Policy) + N;
}
template __global__ void policy<Tag, 4>(int*);
template <typename T>
struct Twice {
    static constexpr int value = 2 * sizeof(T);
};
template <template <typename> class Trait, typename T>
__global__ void trait(T* out) {
    *out = Trait<T>::value;
}
template __global__ void trait<Twice, float>(float*);

__managed__ int progress = 5;
namespace geo {
__managed__ Vec<float, 2> bounds;
}
extern "C" __global__ void advance() { progress += int(geo::bounds.v[1]); }

/// 8 KiB of `float`, 16 KiB of `double`.
template <typename T>
struct Wide {
    T values[2048];
};
template <typename T>
__global__ void wide(int at, Wide<T> all, T* out) {
    *out = all.values[at];
}
template __global__ void wide<float>(int, Wide<float>, float*);
template __global__ void wide<double>(int, Wide<double>, double*);
