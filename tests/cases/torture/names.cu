// Names that Rust, its lints, or the generated file itself have for something else.
#include <cstdint>

// Types of the prelude, primitives, items of a generated module.
struct Option { int value; };
struct Vec { int x; bool is : 1; };
struct Result { int ok; };
struct String { int length; };
struct Copy { int n; };
struct u32 { int n; };
struct f32x { float f; };
struct Module { int n; };
struct Kernels { int n; };
struct KernelInfo { int n; };
struct runtime { int n; };
struct core { int n; };
struct info { int n; };
enum Some { SOME_ONE, self_ };
enum size_of { size_of_one };
// Enumerations are tuple structs, which no parameter or local may be called like.
enum mode { mode_fast, fn, Self };
enum stream { stream_one };
enum launch { launch_one };
enum f { f_one };
enum value { value_one };
enum bits { bits_one };
enum n { n_one };
union Either { int i; float f; };
struct Padded {
    mode mode : 3;
    enum value value : 4;
    alignas(16) enum f f;
    enum bits bits;
    int type, impl, self, Self, super, crate, _, __, match;
};
__global__ void types_of_the_prelude(Option a, Vec b, Result c, String d, Copy e, u32 f_, f32x g) {}
__global__ void types_of_the_file(Module a, Kernels b, KernelInfo c, runtime d, core e, info f_) {}
__global__ void enumerations(enum mode mode, enum stream stream, enum launch launch, enum f f, enum value value,
                             enum bits bits, enum n n, Some some, enum size_of size_of, Either either, Padded padded,
                             enum mode *ready, int params) {}

// Parameters.
__global__ void underscores(int _, int __, int _1, int x, int _x, int, int __x, float *_y, int _foo_) {}
__global__ void capitals(int N, int BLOCK, int aB, int ALL_CAPS, float *OUT) {}
__global__ void locals(int self, int Self, int stream, int config, int module, int launch, int ready, int params, int info,
                       float *runtime, int types, int foo, int baz, int quux) {}
__global__ void keywords(int as, int fn, int impl, int in, int let, int loop, int match, int mod, int move, int mut, int pub,
                         int ref, int super, int trait, int type, int unsafe, int use, int where, int async, int await,
                         int dyn, int abstract, int become, int box, int final, int macro, int override, int priv,
                         int unsized, int yield, int gen, int crate, int abi, int union_) {}
__global__ void letters(float α, float β, float λ, float Δt, float µ, float größe, float x², float *naïve, float имя) {}
struct Größe { float länge, x²; };
__global__ void members(Größe größe) {}

// Kernels.
#define KERNEL(name) __global__ void name(int n) {}
KERNEL(module) KERNEL(load) KERNEL(preload) KERNEL(image) KERNEL(cu_module) KERNEL(cu_function) KERNEL(choose)
KERNEL(args) KERNEL(globals) KERNEL(instances) KERNEL(self) KERNEL(super) KERNEL(crate) KERNEL(type)
KERNEL(match) KERNEL(loop) KERNEL(move) KERNEL(gen) KERNEL(Default) KERNEL(_) KERNEL(_1)
KERNEL(u8) KERNEL(i32) KERNEL(f64) KERNEL(usize) KERNEL(str) KERNEL(fmt) KERNEL(clone) KERNEL(drop)
KERNEL(eq) KERNEL(add) KERNEL(next) KERNEL(to_half) KERNEL(into_half) KERNEL(from_half) KERNEL(as_half) KERNEL(is_half)
KERNEL(len) KERNEL(is_empty) KERNEL(Ok) KERNEL(Err) KERNEL(None) KERNEL(Box)
// Names that differ in case alone.
KERNEL(twice) KERNEL(Twice) KERNEL(TWICE)
__global__ void f() {}

// Templates: generic parameters beside parameters of the same names; traits of the prelude.
template <int BLOCK> __global__ void scaled(const float *x, int N, float *y) {}
template __global__ void scaled<4>(const float *, int, float *);
template <typename Scalar> __global__ void typed(const Scalar *x, int T, Scalar N) {}
template __global__ void typed<float>(const float *, int, float);
template <int X, int Y> __global__ void tiled(int A, int B) {}
template __global__ void tiled<1, 2>(int, int);
template <typename X> __global__ void sized(X x) {}
template __global__ void sized<int>(int);
template <typename X> __global__ void send(X x) {}
template __global__ void send<int>(int);
template <typename X> __global__ void copied(X x, enum f f) {}
template __global__ void copied<int>(int, enum f);
template <mode M> __global__ void by_mode(int mode) {}
template __global__ void by_mode<mode_fast>(int);
template __global__ void by_mode<fn>(int);
template <stream types> __global__ void by_stream(int x) {}
template __global__ void by_stream<stream_one>(int);

// Namespaces.
#define SPACE(name) namespace name { __device__ int name; __global__ void inside(int name) {} }
SPACE(names) SPACE(types) SPACE(alloc) SPACE(Error) SPACE(u16) SPACE(i8) SPACE(f16) SPACE(r) SPACE(where) SPACE(Into)
SPACE(as_ref) SPACE(cudarc) SPACE(borrow) SPACE(Drop)

// Variables.
__device__ int deref, Self_, impl;
__constant__ int image__, PRELOAD_;
__managed__ int async;
