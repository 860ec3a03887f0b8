//! Types keep the names that their users know, and what cannot be typed exactly is refused.

/// As glm declares them: templates that everybody uses by other names.
const VECTORS: &str = "\
namespace glm {
enum qualifier { highp, mediump, lowp, defaultp = highp };
template <int L, typename T, qualifier Q = defaultp> struct vec;
template <typename T, qualifier Q> struct vec<3, T, Q> {
    union { T x, r, s; };
    union { T y, g, t; };
    union { T z, b, p; };
};
template <int C, int R, typename T, qualifier Q = defaultp> struct mat;
template <typename T, qualifier Q> struct mat<4, 4, T, Q> { vec<3, T, Q> value[4]; };
typedef vec<3, float, defaultp> vec3;
typedef vec<3, float, highp> highp_vec3;
typedef highp_vec3 position;
using mat4 = mat<4, 4, float, defaultp>;
}
typedef glm::vec3 V;
__global__ void move_by(glm::vec3 by, const glm::mat4 m, V *x, glm::highp_vec3 y, glm::position z) {
    x[threadIdx.x].x += by.x + m.value[0].y + y.z + z.z;
}
";

const HANDLES: &str = "\
struct Bundle { cudaTextureObject_t tex[2]; cudaSurfaceObject_t out; unsigned long long seed; };
__global__ void sample(cudaTextureObject_t tex, const cudaSurfaceObject_t surf, unsigned long long seed, Bundle all,
                       const cudaTextureObject_t *many, float *out) {
    float v = tex2D<float>(tex, 0.5f, 0.5f) + tex2D<float>(all.tex[1], 0, 0) + tex2D<float>(many[0], 0, 0);
    surf2Dwrite(v, surf, threadIdx.x * 4, 0);
    out[threadIdx.x] = v + seed + all.seed;
}
__global__ void other(unsigned long long tex, unsigned long long surf, float *out) { out[0] = tex + surf; }
";

const MEMBERS: &str = "\
#include <cstdint>
struct P { int a, b; void f(); };
typedef int P::*Pointer;
template <class T> struct Box { T v; };
struct HasPmd { int n; int P::*pm; };
struct HasTypedef { Pointer pm; };
struct HasPmf { void (P::*pm)(); };
struct Numbers { int64_t wide; long long wider; long plain, other; };
__global__ void in_record(HasPmd h, P *p, int *o) { o[0] = p->*(h.pm); }
__global__ void by_typedef(HasTypedef h, P *p, int *o) { o[0] = p->*(h.pm); }
__global__ void in_template(Box<int P::*> h, P *p, int *o) { o[0] = p->*(h.v); }
__global__ void of_function(HasPmf h, int *o) { o[0] = sizeof(h); }
__global__ void itself(int P::*pm, P *p, int *o) { o[0] = p->*pm; }
template <class T> __global__ void deduced(T pm, P *p, int *o) { o[0] = p->*pm; }
template __global__ void deduced<int P::*>(int P::*, P *, int *);
__global__ void numbers(Numbers n, int *o) { o[0] = n.wide + n.wider + n.plain + n.other; }
";

const CLOSURES: &str = "\
template <class F> __global__ void apply(F f, int *o) { o[0] = f(o[1]); }
void host(int *o, int y) {
    apply<<<1, 1>>>([] __device__(int x) { return x + 1; }, o);
    apply<<<1, 1>>>([=] __device__(int x) { return x + y; }, o);
}
";

const ENUMS: &str = "\
namespace n { enum class Mode : unsigned char { Fast, Slow = 7 }; }
enum Plain { PLAIN_A = 3, PLAIN_B };
template <n::Mode M, Plain P> __global__ void k(int *o) { o[0] = (int)M + P; }
template __global__ void k<n::Mode::Slow, PLAIN_B>(int *);
__global__ void by_value(n::Mode m, Plain p, int *o) { o[0] = (int)m + p; }
";

const LIB: &str = "\
#![allow(dead_code)]
mod kernels { include!(concat!(env!(\"OUT_DIR\"), \"/kernels.rs\")); }
";

#[test]
fn names_that_users_know_survive() {
    let Some(project) = super::project("typed") else {
        return;
    };
    project.write("src/lib.rs", LIB);
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\nflags = [\"--extended-lambda\"]\n[generate]\nbackend = \"core\"\n",
    );
    for (name, text) in [
        ("vectors", VECTORS),
        ("handles", HANDLES),
        ("members", MEMBERS),
        ("closures", CLOSURES),
        ("enums", ENUMS),
    ] {
        project.write(&format!("kernels/{name}.cu"), text);
    }
    let run = project.build().succeeds();
    let refused: Vec<String> = run
        .cargo_lines("warning")
        .into_iter()
        .filter(|line| line.contains("[kernel-refused]"))
        .collect();
    let generated = project.generated().expect("a generated file");
    let flat = generated.split_whitespace().collect::<Vec<_>>().join(" ");
    for text in [
        // An instance of a template by the name that its namespace has for it, the shortest of several.
        "C++ struct `glm::vec3`, which is `glm::vec<3, float, (glm::qualifier)0>`, 12 bytes",
        "pub struct vec3 { /// `float`, at byte 0. pub x: f32, /// `float`, at byte 4. pub y: f32, /// `float`, at byte 8. pub z: f32, }",
        "pub struct mat4 { /// `glm::vec<3, float, (glm::qualifier)0>[4]`, at byte 0. pub value: [vec3; 4], }",
        // Handles, in parameters, members, arrays and behind pointers.
        "pub struct TextureObject(pub u64);",
        "pub struct SurfaceObject(pub u64);",
        "/// `cudaTextureObject_t` pub tex: types::TextureObject,",
        "pub surf: types::SurfaceObject,",
        "pub many: runtime::DeviceAddress<types::TextureObject>,",
        "pub tex: [types::TextureObject; 2],",
        "pub out: types::SurfaceObject,",
        "pub tex: u64,",
        // The closure without captures.
        "pub struct host_lambda_1",
        // Enumerators.
        "pub const PLAIN_B: i32 = 4;",
        "pub const Slow: i32 = 7;",
        "k_mode_slow_plain_b",
        "pub struct by_value",
        "pub const PLAIN_A: Self",
        "pub struct numbers",
    ] {
        assert!(flat.contains(text), "no `{text}` in {generated}");
    }
    for (kernel, why) in [
        ("in_record", "may have a pointer to a member"),
        ("by_typedef", "may have a pointer to a member"),
        ("in_template", "may have a pointer to a member"),
        (
            "of_function",
            "a pointer to a member has no counterpart in Rust",
        ),
        ("itself", "a pointer to a member has no counterpart in Rust"),
        (
            "deduced",
            "a pointer to a member has no counterpart in Rust",
        ),
        ("apply", "the closure type of a lambda"),
    ] {
        let said = |line: &&String| line.contains(&format!("`{kernel}")) && line.contains(why);
        assert_eq!(
            refused.iter().filter(said).count(),
            1,
            "{kernel}: {refused:#?}"
        );
    }
    assert_eq!(refused.len(), 7, "{refused:#?}");
}
