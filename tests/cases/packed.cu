// Records packed more tightly than C++ would.
//@ arch: sm_80 sm_90
//@ expect: one params=24
//@ expect: two params=16
//@ expect: inside params=24
//@ wrapper: one(odd: One, out: &mut Out<f64>)
//@ wrapper: two(odd: Two, out: &mut Out<f64>)
//@ wrapper: inside(odd: Inside, out: &mut Out<f64>)
#pragma pack(push, 1)
struct One { char tag; double value; };
#pragma pack(pop)
#pragma pack(push, 2)
struct Two { char tag; int value; char last; };
#pragma pack(pop)
struct Inside { Two two; double value; };
extern "C" __global__ void one(One odd, double *out) { *out = odd.value + odd.tag; }
extern "C" __global__ void two(Two odd, double *out) { *out = odd.value + odd.tag; }
extern "C" __global__ void inside(Inside odd, double *out) { *out = odd.value + odd.two.tag; }
