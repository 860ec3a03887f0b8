// Names that C++ keeps apart and Rust would not: as generic parameters have, as types have, differing in case alone.
// Recompile like kinds.cu.
enum Mode { Add, Mul };

// Numbers and parameters are both values in Rust; the second template's are `T` and `N`.
template <int X, int Y>
__global__ void product(int A, const float* B, float* T, Mode Mode) {
    *T = X * A + Y * *B + Mode;
}
template __global__ void product<4, 8>(int, const float*, float*, Mode);
template <typename R, int X>
__global__ void power(R N, R* T, int N_) {
    *T = N * X + N_;
}
template __global__ void power<float, 2>(float, float*, int);
template __global__ void power<double, 3>(double, double*, int);

extern "C" __global__ void copy(int* to, int from) { *to = from; }
extern "C" __global__ void Copy(float* to, float from) { *to = from; }

namespace field {
__constant__ unsigned P_M0 = 3;
__constant__ unsigned P_m0 = 5;
template <typename T, const T* Offset>
struct Point {
    struct Mem {
        T x, y;
    };
};
struct Fp {
    unsigned limb[2];
};
template <class P, class M>
__global__ void twice(M* points) {
    points->x.limb[0] += P_M0 * sizeof(P) + P_m0;
}
template __global__ void twice<Point<Fp, nullptr>, Point<Fp, nullptr>::Mem>(Point<Fp, nullptr>::Mem*);
}  // namespace field

// A name that is long and still whole.
template <bool Causal, bool Window, int Threads>
struct AttentionWithPositionalEncoding {};
template <typename Element, typename Index>
struct BatchDecodeParameters {
    const Element* keys;
    Index pages;
};
template <int Vector, int Tile, typename Variant, typename Parameters>
__global__ void batch_decode_with_paged_cache(const __grid_constant__ Parameters parameters) {
    const_cast<float*>(parameters.keys)[Vector] = Tile + sizeof(Variant) + parameters.pages;
}
template __global__ void batch_decode_with_paged_cache<8, 16, AttentionWithPositionalEncoding<true, false, 128>,
                                                       BatchDecodeParameters<float, int>>(
    const __grid_constant__ BatchDecodeParameters<float, int>);
