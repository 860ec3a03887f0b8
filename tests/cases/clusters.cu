// Thread block clusters: a shape in the source, and a kernel that takes any.
//@ arch: sm_90 sm_90a sm_100 sm_120
//@ expect: pairs cluster=2x1x1 params=12
//@ expect: any cluster=none
extern "C" __global__ void __cluster_dims__(2, 1, 1) pairs(unsigned *x, int n) {
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    x[n] = rank;
}
extern "C" __global__ void any(unsigned *x) { *x = 1; }
