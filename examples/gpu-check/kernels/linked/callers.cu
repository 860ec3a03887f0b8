// Kernels that call a device function of another source, and that launch a kernel.

/// Steps that the Collatz sequence of a number takes to 1, times the factor; in steps.cu.
__device__ int steps(unsigned int from);

/// Defined in steps.cu.
extern __constant__ int factor;

__global__ void sequences(int *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = steps(i + 1);
}

__global__ void child(int *out, int first) { out[first + threadIdx.x] += factor; }

// One block of 32 threads for every 32 values, each launched by a thread of its own.
__global__ void parent(int *out) { child<<<1, 32>>>(out, 32 * threadIdx.x); }
