#include <cuda_fp16.h>
#include <cuda_bf16.h>
#include <cuda_fp8.h>
#include <cuda_fp6.h>
#include <cuda_fp4.h>
#include <cuda.h>
#include <cstdint>
#include <cstddef>
struct Em {};
struct EmArr { Em e[3]; int x; };
struct EmLast { int x; Em e; };
struct EmOnly { Em e; };
struct EmTwo { Em a; Em b; };
struct Der : Em { Em e; };
struct DerInt : EmOnly { int x; };
union UPad { double d; char c[9]; };
struct HasUPad { UPad u; char c; };
struct I128Mid { __int128 x; float4 v; };
struct LLMid { long long x; float4 v; };
struct I128Last { float4 v; __int128 x; };
struct LLLast { float4 v; long long x; };
struct I128One { __int128 x; };
namespace ns { typedef int myint; using P = const float*; struct In { myint a; P p; }; template<class T> struct W { T t; typedef T type; }; enum Color : unsigned char { RED=1, GREEN=200 }; enum class Mode { A, B=-3 }; }
struct Node { Node* next; ns::W<Node*> w; ns::In in; };
typedef const float* cfp;
typedef float arr4[4];
__constant__ float coeffs[16];
__device__ int counter = 3;
namespace ns { __constant__ In cin; __device__ W<double> wd; static __device__ int hidden; }
extern __shared__ float sm[];
__global__ void k_em(Em a, EmArr b, EmLast c, EmOnly d, EmTwo e, Der f, DerInt g, int last) {}
__global__ void k_upad(UPad u, HasUPad h, int x) {}
__global__ void k_i128(I128Mid a, LLMid b, I128Last c, LLLast d, I128One e, const I128One* p) {}
__global__ void k_td(ns::myint a, ns::P b, ns::In c, ns::W<ns::In> d, ns::W<float>::type e, cfp f, arr4 g, const arr4* h, Node* n, ns::Color col, ns::Mode m, const ns::Mode* pm) { counter = ns::hidden + (int)coeffs[a] + ns::cin.a; }
__global__ void k_fp(__half_raw hr, __nv_fp8_e8m0 e8, __nv_fp6_e2m3 f6, __nv_fp6_e3m2 f63, __nv_fp4_e2m1 f4, __nv_fp8x2_e4m3 x2, __nv_fp8x4_e5m2 x4, __nv_fp4x4_e2m1 f44, const __nv_fp8x2_e4m3* px2) {}
__global__ void k_misc(double4_16a a, double4_32a b, longlong4_32a c, cudaExtent e, cudaPos p, cudaPitchedPtr pp, std::byte by, std::nullptr_t n, wchar_t w, double3 d3, const dim3* pd, uint3 u3, uchar1 uc1, signed char* scp, std::byte* bp, bool* bo, const bool cb) {}
template<class T, bool B, char C, unsigned long N, ns::Mode M, int* P, template<class> class TT> __global__ void k_targs(TT<T> x) {}
__device__ int glob;
template __global__ void k_targs<const float*, true, 'x', 7, ns::Mode::B, &glob, ns::W>(ns::W<const float*>);
template<class F> __global__ void k_fnp(F f, void (*g)(int, ns::In), int (*const arr)[3], ns::W<void(*)(int)> w) {}
template __global__ void k_fnp<int(*)(float, ns::In)>(int(*)(float, ns::In), void (*)(int, ns::In), int(*const)[3], ns::W<void(*)(int)>);
void loc() { struct Local { int a; float b; }; }
namespace { struct AN { int a; }; template<class T> struct AT { T t; }; __global__ void k_anon(AN a, AT<AN> b, AT<float>* c) {} }
void use() { k_anon<<<1,1>>>(AN{}, AT<AN>{}, nullptr); }
__global__ void k_unnamed(int, float, ns::In, const float*, CUtensorMap const* t) {}
extern "C" { namespace ns { __global__ void k_extc_ns(In a, Node b) {} } }
__global__ void k_vol(volatile float* v, const volatile int* cv, float* const* const* ppp, float* __restrict__ const r, const float* __restrict__ cr, const int (&ar)[4], const float4& cf4) {}
template<class T> __device__ T dvar = T(1); 
__global__ void k_usev(float* o) { o[0] = dvar<float>; }
class Outer { public: struct Inner { int x; }; template<class T> struct TI { T t; }; static int s; private: Inner m; TI<short> t; };
__global__ void k_outer(Outer o, Outer::Inner i, Outer::TI<ns::W<int>> ti) {}
// The same text in nvcc's files, with and without a 128-bit member: refused until the probe has proved it.
__global__ void k_gap(LLMid a, int after) {}

// Layouts beyond the first file: packing within packing, aligned typedefs, unions of empties, deep anonymous members.
#pragma pack(push, 4)
struct P4 { char a; double b; short c; struct { char d; long long e; } f; };
#pragma pack(push, 1)
struct P1in4 { char a; P4 b; int c; };
#pragma pack(pop)
struct P4again { char a; long b; P1in4 c; };
#pragma pack(pop)
struct PackedBits { char a; unsigned b : 5; unsigned c : 30; unsigned long long d : 40; char e; } __attribute__((packed));
struct HalfPacked { char a; int b __attribute__((packed)); short c; };
typedef float float_a16 __attribute__((aligned(16)));
struct AlignedTypedef { char a; float_a16 b; char c; };
union UEmpty { Em e; int x; };
struct DeepAnon { int a; union { struct { char b; union { short c; char d[3]; }; }; double e; }; char f; };
struct Multi : Em, EmOnly, HasUPad, Node { char tail; };
struct BitMix { char a; int b : 4; int c : 12; short d; bool e : 1; unsigned char f : 7; long g : 33; unsigned : 0; char h; };
enum Signed { NEG = -1, POS = 1 };
enum Wide : long long { WIDE = 1 };
struct Enums { Signed a; Wide b; ns::Color c; ns::Mode d[3]; };
struct Ptrs { const float *const *a; int (*b)[3]; void (*c[2])(int); const volatile char *d; Ptrs *self; const Em &e; };
struct NonPod { NonPod() {} int a; char b; };
struct Reuse1 : NonPod { char c; };
struct Reuse2 : Reuse1 { char d; short e; };
__global__ void k_packs(P4 a, P1in4 b, P4again c, PackedBits d, HalfPacked e, AlignedTypedef f, int after) {}
__global__ void k_more(UEmpty a, DeepAnon b, Multi c, BitMix d, Enums e, Ptrs f, Reuse1 g, Reuse2 h, int after) {}
__global__ void k_enums(Signed a, Wide b, const Wide *c, Signed *d) {}
__managed__ int managed_counter;
