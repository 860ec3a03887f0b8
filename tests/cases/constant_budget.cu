// Bank 3 holds the `__constant__` variables of the file, for kernels that read them and for those that do not; bank 0
// begins with what the driver puts there.
//@ arch: sm_75 sm_80 sm_90 sm_103
//@ expect: weighted constant3=1200 constant0>352
//@ expect: other constant3=1200
//@ policy: constant = { 0 = "4 KiB", 3 = 1199, other = "1 KiB" }
//@ error: constant-over-budget
//@ message: kernel `weighted` has 1200 bytes of constant bank 3 on sm_75, sm_80, sm_90 and sm_103, budget is 1199 bytes
//@ message: kernel `other` has 1200 bytes of constant bank 3
__constant__ float weights[300];
extern "C" __global__ void weighted(float *x, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += weights[i] * x[i];
    x[threadIdx.x] = sum;
}
extern "C" __global__ void other(float *x) { *x = 1; }
