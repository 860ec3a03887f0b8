// Memory that no argument points to: module variables, dynamic shared memory.

/// Of the powers of x, ascending.
__constant__ float coefficients[4];

/// Threads that evaluated the polynomial.
__device__ unsigned long long evaluations;

/// Sum of what `advance` was given; managed memory, which the driver moves to where it is used.
__managed__ int progress = 5;

__global__ void advance(int by) { atomicAdd(&progress, by); }

__global__ void polynomial(const float *__restrict__ x, float *__restrict__ y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.0f;
    for (int power = 3; power >= 0; power--) sum = sum * x[i] + coefficients[power];
    y[i] = sum;
    atomicAdd(&evaluations, 1ULL);
}

// Reverses n values per block through n * 4 bytes of dynamic shared memory.
__global__ void reverse(const int *__restrict__ in, int *__restrict__ out, int n) {
    extern __shared__ int values[];
    int first = blockIdx.x * n;
    for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = in[first + i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) out[first + i] = values[n - 1 - i];
}
