// Registers that move between warps at run time: only for targets with an `a`.
//@ arch: sm_90a sm_100a
//@ expect: specialised registers<=168 max-threads=384 params=12
extern "C" __global__ void __launch_bounds__(384, 1) specialised(float *x, int n) {
    if (threadIdx.x < 128) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
        x[threadIdx.x] = n;
    } else {
        asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
        x[threadIdx.x] *= n;
    }
}
