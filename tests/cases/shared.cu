// Static shared memory is counted; what the launch gives is not, and neither is what the system reserves.
//@ arch: sm_75 sm_80 sm_90 sm_120
//@ expect: fixed static-shared=4096 barriers=1
//@ expect: dynamic static-shared=0 barriers=1
//@ expect: both static-shared=512 barriers=1
//@ policy: static-shared = "2 KiB"
//@ error: static-shared-over-budget
extern __shared__ float pool[];
extern "C" __global__ void fixed(float *x, int n) {
    __shared__ float s[1024];
    s[threadIdx.x] = x[n];
    __syncthreads();
    x[0] = s[n];
}
extern "C" __global__ void dynamic(float *x, int n) {
    pool[threadIdx.x] = x[n];
    __syncthreads();
    x[0] = pool[n];
}
extern "C" __global__ void both(float *x, int n) {
    __shared__ double s[64];
    pool[threadIdx.x] = x[n];
    s[threadIdx.x] = x[n + 1];
    __syncthreads();
    x[0] = pool[n] + s[n];
}
