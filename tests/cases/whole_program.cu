// The plain case, for every generation of the cubin format.
//@ arch: sm_75 sm_80 sm_90 sm_90a sm_100 sm_100a sm_103 sm_120 sm_121
//@ expect: saxpy registers<=24 stack=0 spills=0 static-shared=0 params=24 barriers=0 max-threads=none
//@ wrapper: saxpy(n: i32, a: f32, x: &In<f32>, y: &mut Out<f32>)
extern "C" __global__ void saxpy(int n, float a, const float *x, float *y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
