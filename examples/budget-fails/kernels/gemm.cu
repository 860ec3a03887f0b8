// Each thread keeps an 8 x 8 tile of the product in registers.

template <typename T>
__global__ void gemm(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, int n) {
    const int row = (blockIdx.y * blockDim.y + threadIdx.y) * 8;
    const int col = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
    T tile[8][8] = {};
    for (int k = 0; k < n; ++k) {
        T left[8], right[8];
#pragma unroll
        for (int i = 0; i < 8; ++i) left[i] = a[(row + i) * n + k];
#pragma unroll
        for (int j = 0; j < 8; ++j) right[j] = b[k * n + col + j];
#pragma unroll
        for (int i = 0; i < 8; ++i)
#pragma unroll
            for (int j = 0; j < 8; ++j) tile[i][j] += left[i] * right[j];
    }
#pragma unroll
    for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) c[(row + i) * n + col + j] = tile[i][j];
}
template __global__ void gemm<float>(const float *, const float *, float *, int);

// Sorts 64 keys per thread in local memory: the index is not known at compile time, so the array has an address.
extern "C" __global__ void insertion_sort(float *keys) {
    float local[64];
    float *mine = keys + (blockIdx.x * blockDim.x + threadIdx.x) * 64;
    for (int i = 0; i < 64; ++i) {
        float key = mine[i];
        int j = i;
        for (; j > 0 && local[j - 1] > key; --j) local[j] = local[j - 1];
        local[j] = key;
    }
    for (int i = 0; i < 64; ++i) mine[i] = local[i];
}
