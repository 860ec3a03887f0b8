// y = a * x + y, three ways.

/// What axpby does to each pair of elements.
struct Axpby {
    float a;
    float b;
    int n;
};

// Scalars and pointers.
extern "C" __global__ void saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

// A struct by value.
__global__ void __launch_bounds__(256) axpby(Axpby p, const float *__restrict__ x, float *__restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n) y[i] = p.a * x[i] + p.b * y[i];
}

// A template: each explicit instance becomes a method of its own.
template <typename T>
__global__ void scale(T *data, T factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}
template __global__ void scale<float>(float *, float, int);
template __global__ void scale<double>(double *, double, int);
