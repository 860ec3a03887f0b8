use std::io::Cursor;

use super::*;

/// As nvcc 13.5 made it of this source:
///
/// ```cuda
/// extern __shared__ float smem[];
/// __device__ __noinline__ float direct(int i) { return smem[i] * 2; }
/// __device__ __noinline__ float through(int i) { return direct(i + 1) + 1; }
/// __device__ __noinline__ float plain(int i) { return i * 2.5f; }
/// typedef float (*fn)(int);
/// __global__ void body(float *o) { smem[threadIdx.x] = 1; __syncthreads(); o[0] = smem[3]; }
/// __global__ void call(float *o) { o[0] = through((int)o[1]); }
/// __global__ void none(float *o) { __shared__ float t[32]; … o[0] = t[3] + plain((int)o[2]); … printf("x %f\n", o[0]); }
/// __device__ fn table[2] = { plain, through };
/// __global__ void pointer(float *o, int i) { o[0] = table[i](i); }
/// ```
const WHOLE: &str = include_str!("whole.ptx");

fn read(text: &str, relocatable: bool) -> SharedUse {
    SharedUse::read(|| Ok(Cursor::new(text.as_bytes())), relocatable).expect("PTX")
}

/// One byte at a time: pieces end anywhere.
struct Slow<'t>(&'t [u8]);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let Some((first, rest)) = self.0.split_first() else {
            return Ok(0);
        };
        buffer[0] = *first;
        self.0 = rest;
        Ok(1)
    }
}

#[test]
fn bodies_callees_and_pointers_tell() {
    let found = read(WHOLE, false);
    let uses = |kernel| uses_dynamic_shared(kernel, &[&found], false);
    assert_eq!(uses("_Z4bodyPf"), Some(true));
    assert_eq!(uses("_Z4callPf"), Some(true), "through two functions");
    assert_eq!(
        uses("_Z4nonePf"),
        Some(false),
        "static memory is another matter"
    );
    assert_eq!(
        uses("_Z7pointerPfi"),
        None,
        "whom it calls is decided at run time"
    );
    let slow = SharedUse::read(|| Ok(Slow(WHOLE.as_bytes())), false);
    assert_eq!(slow.expect("PTX"), found);
}

#[test]
fn without_such_a_symbol_nothing_is_kept() {
    let text = WHOLE.replace(".extern .shared .align 16 .b8 smem[];\n", "");
    let found = read(&text, false);
    assert_eq!(found, SharedUse::default());
    // Not even a call through a pointer leads to one.
    assert_eq!(
        uses_dynamic_shared("_Z7pointerPfi", &[&found], false),
        Some(false)
    );
}

#[test]
fn functions_of_other_units_are_followed() {
    let caller = read(
        ".version 9.5\n.target sm_80\n.address_size 64\n.extern .func  (.param .b32 func_retval0) _Z5outeri\n(\n\
         \t.param .b32 _Z5outeri_param_0\n)\n;\n.visible .entry _Z1kPf(\n\t.param .u64 _Z1kPf_param_0\n)\n{\n\
         \tcall.uni (retval0), \n\t_Z5outeri, \n\t(\n\tparam0\n\t);\n\tret;\n}\n.visible .entry alone()\n{\n\tret;\n}\n",
        true,
    );
    let user = read(
        ".extern .shared .align 4 .b8 smem[];\n.visible .func _Z5outeri()\n{\n\tmov.u32 \t%r3, smem;\n\tret;\n}\n",
        true,
    );
    let other = read(".visible .func _Z5outeri()\n{\n\tret;\n}\n", true);
    assert_eq!(
        uses_dynamic_shared("_Z1kPf", &[&caller, &user], false),
        Some(true)
    );
    assert_eq!(
        uses_dynamic_shared("_Z1kPf", &[&caller, &other], false),
        Some(false)
    );
    assert_eq!(
        uses_dynamic_shared("alone", &[&caller, &user], true),
        Some(false)
    );
    // Libraries and what they bring are not known.
    assert_eq!(uses_dynamic_shared("_Z1kPf", &[&caller], true), None);
    assert_eq!(uses_dynamic_shared("of_library", &[&caller], true), None);
}

#[test]
fn a_launch_is_not_a_call() {
    let text = ".extern .shared .b8 smem[];\n.entry parent()\n{\n mov.u64 %rd1, child;\n ret;\n}\n\
                .entry child()\n{\n st.shared.u32 [smem], 0;\n ret;\n}\n";
    let found = read(text, false);
    assert_eq!(uses_dynamic_shared("parent", &[&found], false), Some(false));
    assert_eq!(uses_dynamic_shared("child", &[&found], false), Some(true));
}

#[test]
fn comments_strings_and_blocks_are_passed_over() {
    let text = "/* .extern .shared .b8 a[]; */\n// .extern .shared .b8 b[];\n.file 1 \"x; .extern .shared .b8 c[];\"\n\
                .section .debug_str\n{\n.b8 123 // }\n}\n.extern\t.shared .align 16 .b8 d[16];\n\
                .entry k()\n{\n .pragma \"d }\";\n // d\n { mov.u32 %r1, e; }\n ret;\n}\n";
    let found = read(text, false);
    assert_eq!(found, SharedUse::default());
    let named = text.replace("%r1, e", "%r1, d");
    assert_eq!(
        uses_dynamic_shared("k", &[&read(&named, false)], false),
        Some(true)
    );
}

#[test]
fn damaged_text_is_an_error_and_every_prefix_ends() {
    for text in [
        ".extern .shared .b8 s[];\n.entry k()\n{\n mov",
        ".global .u32 x[2] = {1,",
    ] {
        let read = SharedUse::read(|| Ok(Cursor::new(text.as_bytes())), false);
        let error = read.expect_err(text);
        assert!(error.to_string().contains("ends inside"), "{error}");
    }
    let long = format!(".entry {}()\n{{\n}}\n", "x".repeat((1 << 16) + 1));
    assert!(SharedUse::read(|| Ok(Cursor::new(long.as_bytes())), true).is_err());
    for length in (0..WHOLE.len()).step_by(13) {
        let text = &WHOLE.as_bytes()[..length];
        let _ = SharedUse::read(|| Ok(Cursor::new(text)), true);
    }
}
