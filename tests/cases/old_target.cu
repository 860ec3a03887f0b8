// A target that the toolkit has dropped.
//@ arch: sm_35
//@ error: target-unsupported
extern "C" __global__ void nothing() {}
