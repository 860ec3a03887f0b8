// Whether the compiler used the tensor cores.
//@ arch: sm_75 sm_90 sm_120
//@ policy: tensor-core = { min = 1 }
//@ expect: matrix stack=0
//@ error: tensor-core-below-budget
//@ message: kernel `plain` has 0 tensor core instructions on sm_75, sm_90 and sm_120, budget is at least 1
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void matrix(const __half *a, const __half *b, float *c) {
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    wmma::load_matrix_sync(left, a, 16);
    wmma::load_matrix_sync(right, b, 16);
    wmma::mma_sync(sum, left, right, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}
extern "C" __global__ void plain(float *c) { c[threadIdx.x] *= 2.0f; }
