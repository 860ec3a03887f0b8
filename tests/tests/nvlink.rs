//! Device code linked from two objects: what nvlink writes, held against cuobjdump.

use std::fs;

use cubin_core::{Cubin, Stack, cubin::ObjectKind};
use cubin_tests::{oracle, tools};

/// A kernel that calls into the other object, with a stack frame of its own.
const CALLER: &str = "
extern __device__ float weigh(const float *values, int n);
__device__ int calls;
extern \"C\" __global__ void __launch_bounds__(128) sum(const float *values, float *out, int n) {
    float local[8];
    for (int i = 0; i < 8; ++i) local[(i * n) % 8] = values[i];
    atomicAdd(&calls, 1);
    *out = weigh(local, n);
}
extern \"C\" __global__ void leaf(int *p) { *p = 1; }
";

const CALLEE: &str = "
__constant__ float weights[8];
__device__ __noinline__ float weigh(const float *values, int n) {
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += values[i] * weights[i % 8];
    return sum;
}
";

#[test]
fn linked_cubins_equal_what_cuobjdump_prints() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), "nvlink");
    fs::write(dir.join("caller.cu"), CALLER).expect("a writable scratch folder");
    fs::write(dir.join("callee.cu"), CALLEE).expect("a writable scratch folder");
    let mut differences = Vec::new();
    for target in ["sm_75", "sm_90", "sm_90a", "sm_100"] {
        let arch = format!("-arch={target}");
        let names = ["caller", "callee"].map(|stem| {
            let (source, cubin) = (format!("{stem}.cu"), format!("{stem}-{target}.cubin"));
            let arguments = [
                "-std=c++17",
                &arch,
                "-rdc=true",
                "-cubin",
                "-o",
                &cubin,
                &source,
            ];
            tools::tool(&toolkit, "nvcc", &arguments, &dir);
            cubin
        });
        let linked = format!("linked-{target}.cubin");
        let arguments = [&*arch, &*names[0], &*names[1], "-o", &*linked];
        tools::tool(&toolkit, "nvlink", &arguments, &dir);
        for name in names.iter().chain([&linked]) {
            let path = dir.join(name);
            let bytes = fs::read(&path).expect("a cubin");
            let shown = oracle::cuobjdump(&toolkit, &path);
            oracle::compare(name, &bytes, &shown, &mut differences);
        }
        let object = fs::read(dir.join(&names[0])).expect("a cubin");
        let whole = fs::read(dir.join(&linked)).expect("a cubin");
        let (object, whole) = (
            Cubin::parse(&object).expect("an object"),
            Cubin::parse(&whole).expect("a linked cubin"),
        );
        assert_eq!(object.kind(), ObjectKind::Relocatable, "{target}");
        assert_eq!(whole.kind(), ObjectKind::Executable, "{target}");
        // What the callee needs is known only after linking.
        let stack = |cubin: &Cubin<'_>| {
            let kernels = cubin.kernels().expect("kernels");
            let sum = kernels
                .iter()
                .find(|kernel| kernel.symbol == "sum")
                .expect("the kernel `sum`");
            sum.resources.stack
        };
        assert_eq!(stack(&object), Stack::NotLinked, "{target}");
        assert!(
            stack(&whole).bytes().is_some_and(|bytes| bytes >= 32),
            "{target}: {:?}",
            stack(&whole)
        );
    }
    assert!(differences.is_empty(), "{}", differences.join("\n"));
}
