// Instructions of every class, for tests/tests/sass.rs.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <stdio.h>

using namespace nvcuda;

extern "C" __global__ void doubles(double *d, float *f, long long *i, int n) {
    double x = d[threadIdx.x];
    for (int k = 0; k < n; ++k) x = fma(x, x, d[k]) / sqrt(d[k + 1]) + fmin(x, d[k]);
    f[0] = (float)x + (float)rint(x);
    i[0] = (long long)x + (x > d[3] ? 2 : 1);
    d[1] = (double)i[1] + (double)f[1] + (double)n + exp(x);
    atomicAdd(d + 2, x);
}

extern "C" __global__ void floats(float *f, int *i, unsigned long long *u) {
    float x = f[threadIdx.x];
    f[0] = __sinf(x) + __cosf(x) + __expf(x) + __logf(x) + rsqrtf(x) + sqrtf(x) + tanhf(x) + 1.0f / x + fmaxf(x, f[1]);
    i[0] = (int)x + __float2int_rd(x) + (int)(signed char)x;
    u[0] = (unsigned long long)f[3];
    f[2] = (float)i[1] + (float)u[1] + rintf(x);
    f[4] = sinf(f[5]);
}

extern "C" __global__ void halves(__half2 *h, __nv_bfloat162 *b, float *f) {
    __half2 x = h[0], y = h[1];
    h[2] = __hfma2(x, y, __hadd2(x, y));
    h[3] = __hmul2(x, y);
    h[4] = __hgt2(x, y);
#if __CUDA_ARCH__ >= 800
    b[2] = __hfma2(b[0], b[1], b[0]);
#endif
    f[0] = __half2float(__low2half(x));
    h[5] = __float2half2_rn(f[1]);
    atomicAdd(h + 6, x);
}

extern "C" __global__ void integers(int *p, unsigned *u, long long *l, int n) {
    int x = p[threadIdx.x];
    p[0] = x * n + __popc(x) + __clz(x) + __brev(x) + abs(x) + min(x, n) + (x / n) + (x % 7);
    u[0] = __umulhi(u[1], u[2]) ^ __funnelshift_l(u[1], u[2], 5) | __byte_perm(u[3], u[4], 0x1234);
    l[0] = l[1] * l[2] + (l[3] >> n);
    p[1] = __dp4a(p[2], p[3], p[4]) + __vabsdiffu4(u[5], u[6]);
}

template <class T> __device__ void copy(T *p, int n) { p[threadIdx.x] = p[threadIdx.x + n]; }
extern "C" __global__ void widths(char *p, int n) {
    copy((signed char *)p, n);
    copy((unsigned char *)p + 16, n);
    copy((short *)p + 16, n);
    copy((unsigned short *)p + 32, n);
    copy((int *)p + 32, n);
    copy((long long *)p + 32, n);
    copy((int4 *)p + 32, n);
}

extern "C" __global__ void memories(float4 *p, int n) {
    __shared__ float4 tile[128];
    __shared__ unsigned char small[128];
    float local[64];
    for (int i = 0; i < 64; ++i) local[(i * n) & 63] = p[i].x;
    tile[threadIdx.x] = p[threadIdx.x];
    small[threadIdx.x] = n;
    __syncthreads();
    p[0] = tile[n];
    p[1].x = local[n & 63] + small[n];
    __threadfence();
}

extern "C" __global__ void warps(int *p, unsigned long long *u) {
    int x = p[threadIdx.x];
    x += __shfl_xor_sync(~0u, x, 1) + __ballot_sync(~0u, x > 3) + __any_sync(~0u, x);
    p[0] = x + __match_any_sync(~0u, x);
#if __CUDA_ARCH__ >= 800
    p[1] = __reduce_add_sync(~0u, x);
    unsigned shared;
    __shared__ int tile[32];
    shared = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;\ncp.async.wait_all;" ::"r"(shared), "l"(p));
    p[2] = tile[x & 31];
#endif
    __shared__ int counter;
    atomicAdd(&counter, x);
    atomicCAS(u, 1ull, 2ull);
    p[3] = atomicExch(p + 4, x) + counter;
    __nanosleep(20);
    __syncwarp();
}

extern "C" __global__ void matrices(__half *a, float *c, signed char *s, int *o) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.0f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, a + 256, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
    wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::row_major> sa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::col_major> sb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, int> sc;
    wmma::fill_fragment(sc, 0);
    wmma::load_matrix_sync(sa, s, 16);
    wmma::load_matrix_sync(sb, s + 256, 16);
    wmma::mma_sync(sc, sa, sb, sc);
    wmma::store_matrix_sync(o, sc, 16, wmma::mem_row_major);
    __shared__ __half tile[1024];
    tile[threadIdx.x] = a[threadIdx.x];
    __syncwarp();
    unsigned r[4], at = (unsigned)__cvta_generic_to_shared(tile + threadIdx.x * 8);
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r[0]) : "r"(at));
    o[0] = r[0];
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(at));
    o[1] = r[0] + r[1];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(at));
    o[2] = r[0] + r[1] + r[2] + r[3];
#if __CUDA_ARCH__ >= 800
    wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> da;
    wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> db;
    wmma::fragment<wmma::accumulator, 8, 8, 4, double> dc;
    wmma::fill_fragment(dc, 0.0);
    wmma::load_matrix_sync(da, (double *)c, 8);
    wmma::load_matrix_sync(db, (double *)c + 64, 8);
    wmma::mma_sync(dc, da, db, dc);
    wmma::store_matrix_sync((double *)c, dc, 8, wmma::mem_row_major);
#endif
}

extern "C" __global__ void textures(cudaTextureObject_t t, cudaSurfaceObject_t s, float *f) {
    f[0] = tex2D<float>(t, f[1], f[2]) + tex1Dfetch<float>(t, 3) + tex2DLod<float>(t, f[1], f[2], 1.0f);
    surf2Dwrite(f[3], s, 4, 5);
    f[4] = surf2Dread<float>(s, 8, 9);
}

typedef int (*Step)(int);
__device__ __noinline__ int twice(int x) { return x < 2 ? x : twice(x - 1) + 2; }
__device__ __noinline__ int once(int x) { return x + 1; }
__device__ Step steps[] = {twice, once};
extern "C" __global__ void calls(int *p) {
    p[0] = steps[p[1] & 1](p[2]);
    if (p[3] < 0) printf("%d\n", p[3]);
    if (p[4] < 0) __trap();
}
