// Instances of a template, overloads, namespaces, and types of several widths.
//@ arch: sm_80 sm_100
//@ expect: math::scale<float> params=16
//@ expect: math::scale<double> params=24
//@ wrapper: scale_f32(data: &mut Out<f32>, n: i32, by: f32)
//@ wrapper: scale_f64(data: &mut Out<f64>, n: i32, by: f64)
//@ wrapper: scale_f16(data: &mut Out<types::Half>, n: i32, by: types::Half)
//@ wrapper: mix(flag: bool, small: i8, wide: i64, quad: types::Float4, count: usize)
#include <cuda_fp16.h>
namespace math {
template <class T> __global__ void scale(T *data, int n, T by) {
    if (threadIdx.x < n) data[threadIdx.x] = data[threadIdx.x] * by;
}
template __global__ void scale<float>(float *, int, float);
template __global__ void scale<double>(double *, int, double);
template __global__ void scale<__half>(__half *, int, __half);
}
__global__ void mix(bool flag, signed char small, long long wide, float4 quad, size_t count) {}
