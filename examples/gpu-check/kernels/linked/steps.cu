// A device function and a constant that kernels of another source use.

__constant__ int factor = 1;

__device__ __noinline__ int steps(unsigned int from) {
    int count = 0;
    for (; from != 1; from = from % 2 ? 3 * from + 1 : from / 2) count += factor;
    return count;
}
