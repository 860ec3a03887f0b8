// Memory from the device's heap.
//@ arch: sm_80 sm_90
//@ expect: grow params=16
extern "C" __global__ void grow(float **slot, size_t n) {
    float *p = static_cast<float *>(malloc(n));
    if (p) p[0] = 1;
    if (*slot) ::free(*slot);
    *slot = p;
}
