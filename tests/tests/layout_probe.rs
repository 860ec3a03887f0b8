//! Records whose layout nvcc's side files leave open, through the builder and the real compiler: what its front end
//! answers becomes a wrapper, what it cannot answer a refusal that says so.

use std::fs;

use cubin_build::{Builder, builder::Output, diag::codes};
use cubin_tests::{tools, user_crate};

fn build(name: &str, source: &str) -> Option<Output> {
    cubin_tests::toolkit()?;
    let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), &format!("layout_probe/{name}"));
    fs::write(dir.join("open.cu"), source).expect("a source");
    let output = Builder::new()
        .root(&dir)
        .out_dir(dir.join("out"))
        .toolkit(cubin_tests::version())
        .file("open.cu")
        .arch("sm_90")
        .arch("sm_100")
        .try_build()
        .unwrap_or_else(|error| panic!("{error}"));
    Some(output)
}

/// The refusals, each with its notes.
fn refusals(output: &Output) -> Vec<String> {
    let refused = |code| code == codes::KERNEL_REFUSED;
    output
        .warnings
        .iter()
        .inspect(|diag| assert!(refused(diag.code), "{diag:?}"))
        .map(|diag| format!("{}\n{}", diag.message, diag.notes.join("\n")))
        .collect()
}

/// `Wide` and `Gap` are printed alike, and so are the two halves of `Mixed`: a guess has to be wrong for one of them.
/// The assertions are the compiler's word for the numbers that [`USE`] asks of the generated types.
const OPEN: &str = r#"
#include "cuda_runtime.h"
#define N 4
#define value nothing
struct Wide { __int128 x; float4 v; };
struct Gap { long long x; float4 v; };
static_assert(sizeof(Wide) == 32 && sizeof(Gap) == 32, "");
__global__ void wide(Wide a, Gap b, int after) {}

#pragma pack(push, 4)
struct Packed { char c; __int128 x; short s; };
#pragma pack(pop)
static_assert(sizeof(Packed) == 24 && alignof(Packed) == 4 && offsetof(Packed, s) == 20, "");
// As the last parameter: only the cubin contradicts the printed members.
__global__ void packed(int before, Packed p) {}

class Private {
    struct Inner { unsigned __int128 x; char c; };
    Inner in;
    __int128 q;
public:
    __host__ __device__ Private() {}
};
__global__ void hidden(Private p, int after) {}

struct Base { long long b; int t; };
struct Derived : Base { char c; __int128 x; };
static_assert(sizeof(Derived) == 48, "");
__global__ void derived(Derived d, int after) {}

template <class T, int K> struct Vec { T v[K]; const __int128 y[2][3]; };
__global__ void of_template(Vec<float, 3> v, int after) {}

namespace { struct Here { union { long long u; float f; }; char c; __int128 x; }; }
__global__ void anonymous(Here h, int after) {}

struct __align__(32) Outer { char c; Wide in[2]; };
__global__ void nested(Outer o, const Wide *p, int after) {}

// The toolkit's own, which is never printed.
__global__ void builtin(cudaDeviceProp p, cudaPointerAttributes a) {}
"#;

/// `offset_of!` and friends, on the user's side.
const USE: &str = r"
const _: () = {
    use core::mem::{align_of, offset_of, size_of};
    use of_open::open as k;
    assert!(size_of::<k::Wide>() == 32 && offset_of!(k::Wide, v) == 16);
    assert!(size_of::<k::Gap>() == 32 && offset_of!(k::Gap, v) == 16);
    assert!(size_of::<k::Packed>() == 24 && align_of::<k::Packed>() == 4);
    assert!(offset_of!(k::Packed, x) == 4 && offset_of!(k::Packed, s) == 20);
    assert!(size_of::<k::Derived>() == 48 && offset_of!(k::Derived, x) == 32);
    assert!(offset_of!(k::Derived, c) == 16);
    assert!(align_of::<k::Outer>() == 32 && offset_of!(k::Outer, r#in) == 16);
};
/// An `__int128` is one in Rust, and a `long long` is not.
#[must_use]
pub fn types(wide: &of_open::open::Wide, gap: &of_open::open::Gap) -> (i128, i64) {
    (wide.x, gap.x)
}
";

#[test]
fn what_the_compiler_answers_becomes_a_wrapper() {
    let Some(output) = build("open", OPEN) else {
        return;
    };
    assert_eq!(refusals(&output), [""; 0]);
    let code = fs::read_to_string(&output.generated).expect("the generated file");
    assert_eq!(tools::wrapped_symbols(&code).len(), 8, "{code}");
    for line in ["pub x: i128,", "pub x: u128,", "pub y: [[i128; 3]; 2],"] {
        assert!(code.contains(line), "no `{line}` in\n{code}");
    }
    let user = output.generated.with_file_name("user");
    user_crate::check(&user, &[("of_open".into(), output.generated)], USE);
}

/// Nothing can be asked about these, or only about others beside them.
const CLOSED: &str = r#"
struct Bits { int a : 3; __int128 x; };
__global__ void bits(Bits b, int after) {}
struct Ref { int &r; __int128 x; };
__global__ void reference(Ref r, int after) {}
struct Unnamed { struct { long long y; float4 v; } in; __int128 x; };
__global__ void unnamed(Unnamed u, int after) {}
struct Union { union { __int128 u; float f; }; char c; };
__global__ void in_union(Union u, int after) {}
struct Long { char c; long double x; };
__global__ void long_double(Long l, int after) {}
struct Plain { char c; __int128 x; };
__global__ void plain(Plain p, int after) {}
"#;

#[test]
fn what_cannot_be_asked_stays_refused_and_says_so() {
    let Some(output) = build("closed", CLOSED) else {
        return;
    };
    let found = refusals(&output);
    for (kernel, why) in [
        (
            "bits",
            "`Bits`, without success: it has bit fields, whose places cannot be asked for",
        ),
        (
            "reference",
            "`Ref`, without success: second operand of offsetof may not be a field with reference type",
        ),
        ("unnamed", "without success: it has no name to ask by"),
        (
            "in_union",
            "`Union`, without success: `u`, which lies in a member without a name, has 16 bytes and not 8",
        ),
        (
            "long_double",
            "`long double` has other sizes on the device than on the host",
        ),
    ] {
        let start = format!("no launch wrapper for `{kernel}`: ");
        assert!(
            found
                .iter()
                .any(|text| text.starts_with(&start) && text.contains(why)),
            "no {kernel}: {why} in\n{}",
            found.join("\n")
        );
    }
    assert_eq!(found.len(), 5, "{}", found.join("\n"));
    let code = fs::read_to_string(&output.generated).expect("the generated file");
    assert!(code.contains("fn plain("), "{code}");
}

#[test]
fn a_source_that_cannot_be_included_keeps_its_refusal() {
    let source = "\
#if __INCLUDE_LEVEL__ > 0
#error \"this is no header\"
#endif
struct Wide { __int128 x; float v; };
__global__ void wide(Wide a, int after) {}
__global__ void narrow(int *p) {}
";
    let Some(output) = build("guarded", source) else {
        return;
    };
    let found = refusals(&output);
    let [refusal] = found.as_slice() else {
        panic!("{found:?}");
    };
    assert!(
        refusal.starts_with("no launch wrapper for `wide`: "),
        "{refusal}"
    );
    assert!(
        refusal.contains(
            "the compiler was asked for the layout of `Wide`, without success: open.cu:2:2: error: #error \"this is no header\""
        ),
        "{refusal}"
    );
    let code = fs::read_to_string(&output.generated).expect("the generated file");
    assert!(code.contains("fn narrow("), "{code}");
}
