// Every way to pass an argument: scalars and pointers, a struct, a template parameter, 6 KB by value.

// Scalars and pointers. The launch bounds are there to be broken.
extern "C" __global__ void __launch_bounds__(256)
saxpy(int n, float a, const float *__restrict__ x, float *__restrict__ y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

/// Members of several alignments, with padding between them.
struct Affine {
    unsigned char negate;
    double scale;
    short n;
    float3 offset;
};

// A struct by value: every member takes part in the result.
__global__ void affine(Affine by, const float3 *points, float3 *out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= by.n) return;
    float scale = float(by.negate ? -by.scale : by.scale);
    float3 point = points[i];
    out[i] = make_float3(scale * point.x + by.offset.x, scale * point.y + by.offset.y, scale * point.z + by.offset.z);
}

// A template: the instances are methods, and one generic method.
template <typename T>
__global__ void scale(T *data, T factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= factor;
}
template __global__ void scale<float>(float *, float, int);
template __global__ void scale<double>(double *, double, int);

enum class Window { Sum, Largest };

// A template over a type, a number and an enumerator: the last two are const generics in Rust.
template <typename T, int Width, Window Kind>
__global__ void window(const T *__restrict__ in, T *__restrict__ out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    T found = in[i];
    for (int k = i + 1; k < i + Width && k < n; k++) found = Kind == Window::Sum ? found + in[k] : max(found, in[k]);
    out[i] = found;
}
template __global__ void window<int, 4, Window::Sum>(const int *, int *, int);
template __global__ void window<int, 4, Window::Largest>(const int *, int *, int);
template __global__ void window<float, 2, Window::Sum>(const float *, float *, int);

/// 6000 bytes of numbers and 4 of how many results there are.
struct Table {
    float values[1500];
    int n;
};

// More parameters than the 4 KB of old.
__global__ void lookup(Table table, const int *__restrict__ indices, float *__restrict__ out) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < table.n) out[i] = table.values[indices[i]];
}
