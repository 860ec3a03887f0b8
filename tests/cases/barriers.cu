// Named barriers: the highest number that is used, plus one.
//@ arch: sm_75 sm_80 sm_90 sm_100a
//@ expect: handshake barriers=5
//@ expect: lonely barriers=0
extern "C" __global__ void handshake(float *x) {
    if (threadIdx.x < 32) {
        x[0] = 1;
        asm volatile("bar.arrive 4, 64;" ::: "memory");
    } else {
        asm volatile("bar.sync 4, 64;" ::: "memory");
        x[1] = x[0];
    }
}
extern "C" __global__ void lonely(float *x) { *x = 1; }
