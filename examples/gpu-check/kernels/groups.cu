// Threads that wait for those of other blocks: the grid's in a cooperative launch, the cluster's from sm_90 on.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

// Every thread writes a square, and after all have, reads that of the opposite end of the grid.
__global__ void mirror(int *squares, int *out) {
    cg::grid_group grid = cg::this_grid();
    int i = int(grid.thread_rank()), n = int(grid.num_threads());
    squares[i] = i * i;
    grid.sync();
    out[i] = squares[n - 1 - i];
}

// Hidden where there are no clusters; the host's pass sees the kernels and makes the wrappers.
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// Every thread reads what its counterpart in the next block of the cluster put into that block's shared memory.
static __device__ void next_block(int *out) {
    __shared__ int own[64];
    cg::cluster_group cluster = cg::this_cluster();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    own[threadIdx.x] = i;
    cluster.sync();
    unsigned next = (cluster.block_rank() + 1) % cluster.num_blocks();
    out[i] = cluster.map_shared_rank(own, next)[threadIdx.x];
    cluster.sync();  // No block may end while another reads its memory.
}

// The cluster shape is compiled in.
__global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(64) ring_of_four(int *out) { next_block(out); }

// The launch gives the cluster shape.
__global__ void __launch_bounds__(64) ring(int *out) { next_block(out); }
#endif
