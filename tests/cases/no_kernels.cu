// A template that nothing instantiates leaves an empty cubin.
//@ arch: sm_90
//@ error: no-kernels
template <class T> __global__ void scale(T *data, T by) { data[threadIdx.x] *= by; }
