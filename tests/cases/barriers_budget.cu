// Barriers are counted up to the highest number, and all 16 where the number is only known at run time.
//@ arch: sm_75 sm_80 sm_90 sm_100a
//@ expect: one barriers=1
//@ expect: five barriers=5
//@ expect: any barriers=16
//@ policy: barriers = 1
//@ error: barriers-over-budget
//@ message: kernel `five` uses 5 barriers per block on sm_75, sm_80, sm_90 and sm_100a, budget is 1
//@ message: kernel `any` uses 16 barriers per block
extern "C" __global__ void one(float *x) {
    x[threadIdx.x] = 1;
    __syncthreads();
    x[0] = x[threadIdx.x ^ 1];
}
extern "C" __global__ void five(float *x) {
    if (threadIdx.x < 32) {
        x[0] = 1;
        asm volatile("bar.arrive 4, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 4, 64;" ::: "memory");
        x[1] = x[0];
    }
}
extern "C" __global__ void any(float *x, int barrier) {
    asm volatile("bar.sync %0, 64;" ::"r"(barrier) : "memory");
    x[0] = 1;
}
