//! What is enforced of the NVVM IR specification, and what libnvvm makes of the rest: for both dialects the finding with its
//! place, or that it compiles.

use std::fmt::Write as _;

use cubin_tests::tools;

use super::{ANNOTATION, Dialect, LAYOUT, TRIPLE, VERSION, build, module, scratch, show};

const K: &str = "define void @k(P1<i32> %p) {\n  store i32 1, P1<i32> %p\n  ret void\n}\n";

/// Heads of modules: what is wrong, triple, data layout, version.
const HEADS: &[(&str, &str, &str, &str)] = &[
    ("baseline", TRIPLE, LAYOUT, "2 0"),
    ("no triple", "", LAYOUT, "2 0"),
    (
        "triple of x86-64",
        "x86_64-unknown-linux-gnu",
        LAYOUT,
        "2 0",
    ),
    ("triple for 32 bits", "nvptx-nvidia-cuda", LAYOUT, "2 0"),
    ("triple nvcl", "nvptx64-nvidia-nvcl", LAYOUT, "2 0"),
    ("triple gpulibs", "nvptx64-nvidia-gpulibs", LAYOUT, "2 0"),
    ("triple unknown", "nvptx64-unknown-unknown", LAYOUT, "2 0"),
    ("no data layout", TRIPLE, "", "2 0"),
    (
        "layout of specification 1.1",
        TRIPLE,
        "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-\
         v128:128:128-n16:32:64",
        "2 0",
    ),
    (
        "layout of LLVM 7 to 19",
        TRIPLE,
        "e-i64:64-i128:128-v16:16-v32:32-n16:32:64",
        "2 0",
    ),
    (
        "layout of LLVM 20 and rustc",
        TRIPLE,
        "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64",
        "2 0",
    ),
    (
        "layout for 32 bits",
        TRIPLE,
        "e-p:32:32:32-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-f32:32:32-f64:64:64-v16:16:16-v32:32:32-v64:64:64-\
         v128:128:128-n16:32:64",
        "2 0",
    ),
    (
        "layout of x86-64",
        TRIPLE,
        "e-m:e-p270:32:32-i64:64-i128:128-f80:128-n8:16:32:64-S128",
        "2 0",
    ),
    (
        "big-endian layout",
        TRIPLE,
        "E-p:64:64:64-i64:64:64-i128:128:128-n16:32:64",
        "2 0",
    ),
    ("no version", TRIPLE, LAYOUT, ""),
    ("version 1.0", TRIPLE, LAYOUT, "1 0"),
    ("version 1.1", TRIPLE, LAYOUT, "1 1"),
    ("version 1.11", TRIPLE, LAYOUT, "1 11"),
    ("version 2.1", TRIPLE, LAYOUT, "2 1"),
    ("version 3.0", TRIPLE, LAYOUT, "3 0"),
    ("version 2.0, debug 3.2", TRIPLE, LAYOUT, "2 0 3 2"),
    ("version 2.0, debug 9.0", TRIPLE, LAYOUT, "2 0 9 0"),
];

/// Definitions before the kernel `k`, its body, and the name of the case.
const BODIES: &[(&str, &str, &str)] = &[
    (
        "sine",
        "declare float @llvm.sin.f32(float)\n",
        "  %l = load i32, P1<i32> %p\n  %f = sitofp i32 %l to float\n  %x = call float @llvm.sin.f32(float %f)\n  %i = fptosi float %x to i32\n  store volatile i32 %i, P1<i32> %p\n",
    ),
    (
        "cosine",
        "declare float @llvm.cos.f32(float)\n",
        "  %l = load i32, P1<i32> %p\n  %f = sitofp i32 %l to float\n  %x = call float @llvm.cos.f32(float %f)\n  %i = fptosi float %x to i32\n  store volatile i32 %i, P1<i32> %p\n",
    ),
    (
        "exponential",
        "declare float @llvm.exp.f32(float)\n",
        "  %l = load i32, P1<i32> %p\n  %f = sitofp i32 %l to float\n  %x = call float @llvm.exp.f32(float %f)\n  %i = fptosi float %x to i32\n  store volatile i32 %i, P1<i32> %p\n",
    ),
    (
        "power",
        "declare float @llvm.pow.f32(float, float)\n",
        "  %l = load i32, P1<i32> %p\n  %f = sitofp i32 %l to float\n  %x = call float @llvm.pow.f32(float %f, float %f)\n  %i = fptosi float %x to i32\n  store volatile i32 %i, P1<i32> %p\n",
    ),
    (
        "sine of a constant",
        "declare float @llvm.sin.f32(float)\n",
        "  %x = call float @llvm.sin.f32(float 1.0)\n  %i = fptosi float %x to i32\n  store volatile i32 %i, P1<i32> %p\n",
    ),
    (
        "power with an integer",
        "declare float @llvm.powi.f32(float, i32)\n",
        "  %l = load i32, P1<i32> %p\n  %f = sitofp i32 %l to float\n  %x = call float @llvm.powi.f32(float %f, i32 %l)\n  %i = fptosi float %x to i32\n  store volatile i32 %i, P1<i32> %p\n",
    ),
    (
        "sine of libdevice",
        "declare float @__nv_sinf(float)\n",
        "  %l = load i32, P1<i32> %p\n  %f = sitofp i32 %l to float\n  %x = call float @__nv_sinf(float %f)\n  %i = fptosi float %x to i32\n  store volatile i32 %i, P1<i32> %p\n",
    ),
    (
        "trap",
        "declare void @llvm.trap()\n",
        "  call void @llvm.trap()\n",
    ),
    (
        "addition with overflow",
        "declare {i32,i1} @llvm.uadd.with.overflow.i32(i32,i32)\n",
        "  %x = call {i32,i1} @llvm.uadd.with.overflow.i32(i32 1, i32 2)\n  %y = extractvalue {i32,i1} %x, 0\n  store i32 %y, P1<i32> %p\n",
    ),
    (
        "unknown intrinsic",
        "declare void @llvm.foo()\n",
        "  call void @llvm.foo()\n",
    ),
    (
        "unknown intrinsic of NVIDIA's",
        "declare void @llvm.nvvm.foo()\n",
        "  call void @llvm.nvvm.foo()\n",
    ),
    (
        "barrier",
        "declare void @llvm.nvvm.barrier0()\n",
        "  call void @llvm.nvvm.barrier0()\n",
    ),
    (
        "atomic load",
        "",
        "  %v = load atomic i32, P1<i32> %p seq_cst, align 4\n",
    ),
    (
        "atomic store",
        "",
        "  store atomic i32 1, P1<i32> %p seq_cst, align 4\n",
    ),
    ("fence", "", "  fence seq_cst\n"),
    (
        "compare and exchange 32 bits",
        "",
        "  %v = cmpxchg P1<i32> %p, i32 0, i32 1 seq_cst seq_cst\n",
    ),
    (
        "atomic addition",
        "",
        "  %v = atomicrmw add P1<i32> %p, i32 1 seq_cst\n",
    ),
    (
        "compare and exchange 8 bits",
        "",
        "  %q = addrspacecast P1<i32> %p to P0<i8>\n  %v = cmpxchg P0<i8> %q, i8 0, i8 1 seq_cst seq_cst\n",
    ),
    (
        "atomic nand",
        "",
        "  %v = atomicrmw nand P1<i32> %p, i32 1 seq_cst\n",
    ),
    (
        "thread-local variable",
        "@tl = thread_local global i32 0\n",
        "",
    ),
    (
        "section",
        "@gs = addrspace(1) global i32 0, section \"foo\"\n",
        "",
    ),
    (
        "alloca of a variable size",
        "",
        "  %n = load i32, P1<i32> %p\n  %a = alloca i32, i32 %n\n  store volatile i32 1, P0<i32> %a\n",
    ),
    (
        "quadruple precision",
        "",
        "  %a = alloca fp128\n  store fp128 0xL00000000000000000000000000000000, P0<fp128> %a\n",
    ),
    (
        "extended precision of x86",
        "",
        "  %a = alloca x86_fp80\n  store x86_fp80 0xK00000000000000000000, P0<x86_fp80> %a\n",
    ),
    (
        "arithmetic of 256 bits",
        "",
        "  %l = load i32, P1<i32> %p\n  %a = zext i32 %l to i256\n  %b = mul i256 %a, %a\n  %c = trunc i256 %b to i32\n  store volatile i32 %c, P1<i32> %p\n",
    ),
    (
        "indirect branch",
        "",
        "  indirectbr P0<i8> blockaddress(@k, %l), [label %l]\nl:\n",
    ),
    (
        "constructors",
        "define internal void @ctor() {\n  ret void\n}\n@llvm.global_ctors = appending global [1 x { i32, FN[void ()], P0<i8> }] [{ i32, FN[void ()], P0<i8> } { i32 65535, FN[void ()] @ctor, P0<i8> null }]\n",
        "",
    ),
    (
        "assembly of the module",
        "module asm \".global .b32 foo;\"\n",
        "",
    ),
    (
        "assembly with an unknown constraint",
        "",
        "  %x = call i64 asm \"mov.u64 $0, 1;\", \"=q\"()\n",
    ),
    (
        "arguments of any number",
        "declare void @llvm.va_start(P0<i8>)\n",
        "  %a = alloca i8\n  call void @llvm.va_start(P0<i8> %a)\n",
    ),
    (
        "half precision",
        "",
        "  %a = fptrunc float 1.0 to half\n  %b = fadd half %a, %a\n  %c = fpext half %b to float\n  %i = fptosi float %c to i32\n  store volatile i32 %i, P1<i32> %p\n",
    ),
    (
        "arithmetic of 128 bits",
        "",
        "  %l = load i32, P1<i32> %p\n  %a = zext i32 %l to i128\n  %b = mul i128 %a, %a\n  %c = trunc i128 %b to i32\n  store volatile i32 %c, P1<i32> %p\n",
    ),
    (
        "assembly",
        "",
        "  call void asm sideeffect \"bar.sync 0;\", \"\"()\n",
    ),
    (
        "function of nobody's",
        "declare void @ext()\n",
        "  call void @ext()\n",
    ),
    ("syntax error", "", "  store i32 oops\n"),
    ("type error", "", "  %x = add i32 1.0, 2\n"),
    (
        "invoke",
        "declare void @e()\n",
        "  invoke void @e() to label %a unwind label %b\na:\n  ret void\nb:\n  %l = landingpad {P0<i8>,i32} cleanup\n",
    ),
    (
        "invoke with a personality",
        "declare void @e()\ndeclare i32 @personality(...)\n",
        "PERSONALITY  invoke void @e() to label %a unwind label %b\na:\n  ret void\nb:\n  %l = landingpad {P0<i8>,i32} cleanup\n",
    ),
    (
        "variable in address space 2",
        "@g = addrspace(2) global i32 0\n",
        "",
    ),
    (
        "variable in address space 5",
        "@g = addrspace(5) global i32 0\n",
        "",
    ),
    (
        "variable in address space 7",
        "@g = addrspace(7) global i32 0\n",
        "",
    ),
    (
        "variable in the generic address space",
        "@g = global i32 0\n",
        "",
    ),
    (
        "variable in address space 101",
        "@g = addrspace(101) global i32 0\n",
        "",
    ),
    (
        "variable with a dot in its name",
        "@a.b = addrspace(1) global i32 0\n",
        "",
    ),
];

/// Whole definitions with their metadata.
const KERNELS: &[(&str, &str, &str)] = &[
    (
        "kernel by its calling convention",
        "define ptx_kernel void @k(P1<i32> %p) {\n  ret void\n}\n",
        "",
    ),
    ("no kernel", K, ""),
    ("no function", "", ""),
    (
        "kernel with a result",
        "define i32 @k(P1<i32> %p) {\n  ret i32 0\n}\n",
        "!nvvm.annotations = !{!0}\n!0 = !{FN[i32 (P1<i32>)] @k, !\"kernel\", i32 1}\n",
    ),
    (
        "kernel with further arguments",
        "define void @k(i32 %a, ...) {\n  ret void\n}\n",
        "!nvvm.annotations = !{!0}\n!0 = !{FN[void (i32, ...)] @k, !\"kernel\", i32 1}\n",
    ),
    (
        "dot in a kernel's name",
        "define void @a.b(P1<i32> %p) {\n  ret void\n}\n",
        "!nvvm.annotations = !{!0}\n!0 = !{FN[void (P1<i32>)] @a.b, !\"kernel\", i32 1}\n",
    ),
    (
        "dash in a kernel's name",
        "define void @\"a-b\"(P1<i32> %p) {\n  ret void\n}\n",
        "!nvvm.annotations = !{!0}\n!0 = !{FN[void (P1<i32>)] @\"a-b\", !\"kernel\", i32 1}\n",
    ),
    (
        "internal kernel",
        "define internal void @k(P1<i32> %p) {\n  ret void\n}\n",
        ANNOTATION,
    ),
    (
        "linkonce_odr kernel",
        "define linkonce_odr void @k(P1<i32> %p) {\n  ret void\n}\n",
        ANNOTATION,
    ),
    (
        "weak kernel",
        "define weak void @k(P1<i32> %p) {\n  ret void\n}\n",
        ANNOTATION,
    ),
    (
        "pointer into address space 2",
        "define void @k(P2<i32> %p) {\n  ret void\n}\n",
        "!nvvm.annotations = !{!0}\n!0 = !{FN[void (P2<i32>)] @k, !\"kernel\", i32 1}\n",
    ),
    (
        "pointer into address space 9",
        "define void @k(P9<i32> %p) {\n  ret void\n}\n",
        "!nvvm.annotations = !{!0}\n!0 = !{FN[void (P9<i32>)] @k, !\"kernel\", i32 1}\n",
    ),
    (
        "store to constant memory",
        "define void @k(P4<i32> %p) {\n  store i32 1, P4<i32> %p\n  ret void\n}\n",
        "!nvvm.annotations = !{!0}\n!0 = !{FN[void (P4<i32>)] @k, !\"kernel\", i32 1}\n",
    ),
    (
        "property without a number",
        K,
        "!nvvm.annotations = !{!0}\n!0 = !{FN[void (P1<i32>)] @k, !\"kernel\", i32 1, !\"maxntidx\", !\"x\"}\n",
    ),
    (
        "maxntid and reqntid",
        K,
        "!nvvm.annotations = !{!0}\n!0 = !{FN[void (P1<i32>)] @k, !\"kernel\", i32 1, !\"maxntidx\", i32 64, !\"reqntidx\", i32 128}\n",
    ),
    (
        "maxntid twice",
        K,
        "!nvvm.annotations = !{!0, !1}\n!0 = !{FN[void (P1<i32>)] @k, !\"kernel\", i32 1, !\"maxntidx\", i32 64}\n!1 = !{FN[void (P1<i32>)] @k, !\"maxntidx\", i32 128}\n",
    ),
    (
        "maxntid of more than a block has",
        K,
        "!nvvm.annotations = !{!0}\n!0 = !{FN[void (P1<i32>)] @k, !\"kernel\", i32 1, !\"maxntidx\", i32 2048}\n",
    ),
    (
        "unknown property",
        K,
        "!nvvm.annotations = !{!0}\n!0 = !{FN[void (P1<i32>)] @k, !\"kernel\", i32 1, !\"bogusprop\", i32 64}\n",
    ),
    (
        "misspelt property",
        K,
        "!nvvm.annotations = !{!0}\n!0 = !{FN[void (P1<i32>)] @k, !\"kernel\", i32 1, !\"maxntdix\", i32 64}\n",
    ),
    (
        "load of LLVM 3",
        "define void @k(P1<i32> %p) {\n  %v = load P1<i32> %p\n  ret void\n}\n",
        ANNOTATION,
    ),
    (
        "syntax of LLVM 3",
        "define void @k(i32* %p) {\n  %v = load i32* %p\n  ret void\n}\n",
        "!nvvm.annotations = !{!0}\n!0 = metadata !{void (i32*)* @k, metadata !\"kernel\", i32 1}\n",
    ),
];

fn cases() -> Vec<(String, String)> {
    let mut cases = Vec::new();
    for (name, triple, layout, version) in HEADS {
        let mut text = String::new();
        for (key, value) in [("datalayout", layout), ("triple", triple)] {
            if !value.is_empty() {
                writeln!(text, "target {key} = \"{value}\"").expect("text");
            }
        }
        text.push_str(&format!("\n{K}\n{ANNOTATION}"));
        if !version.is_empty() {
            let numbers: Vec<String> = version
                .split(' ')
                .map(|number| format!("i32 {number}"))
                .collect();
            let numbers = numbers.join(", ");
            writeln!(text, "!nvvmir.version = !{{!1000}}\n!1000 = !{{{numbers}}}").expect("text");
        }
        cases.push(((*name).to_owned(), text));
    }
    for (name, before, body) in BODIES {
        let (attribute, body) = match body.strip_prefix("PERSONALITY") {
            Some(body) => ("personality FN[i32 (...)] @personality ", body),
            None => ("", *body),
        };
        let kernel =
            format!("{before}define void @k(P1<i32> %p) {attribute}{{\n{body}  ret void\n}}\n");
        cases.push(((*name).to_owned(), module(&kernel, ANNOTATION)));
    }
    for (name, definitions, metadata) in KERNELS {
        cases.push(((*name).to_owned(), module(definitions, metadata)));
    }
    assert!(VERSION.contains("i32 2"));
    cases
}

#[test]
fn every_rule_has_its_finding_with_its_place() {
    record("rules", &cases());
}

/// Holds what becomes of each case, in both dialects for two targets each, to a record.
pub(super) fn record(name: &str, cases: &[(String, String)]) {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let dir = scratch(name);
    let mut text = String::new();
    for (name, case) in cases {
        writeln!(text, "## {name}").expect("text");
        for dialect in Dialect::ALL {
            let targets = dialect.targets();
            let what = dialect.name();
            match build(&dir, &dialect.write(case), &targets, "") {
                Ok(output) => {
                    writeln!(text, "{what}: compiles\n{}", show(&output.warnings)).expect("text");
                }
                Err(findings) => writeln!(text, "{what}:\n{}", show(&findings)).expect("text"),
            }
        }
    }
    tools::same_as_recorded(&format!("nvvm/{name}.txt"), &text);
}

/// Which reader takes what, also where it is not the target's own.
#[test]
fn each_dialect_gets_its_reader() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let dir = scratch("dialects");
    let all = ["sm_75", "sm_90", "sm_90a", "sm_100", "sm_120"];
    let text = module(K, ANNOTATION);
    for dialect in Dialect::ALL {
        let built = build(&dir, &dialect.write(&text), &all, "");
        let output = built.unwrap_or_else(|findings| panic!("{}", show(&findings)));
        assert_eq!(output.cubins.len(), all.len());
    }
    // The newer reader for all: typed pointers are upgraded.
    let on = "[nvvm]\nlatest = true\n";
    for dialect in Dialect::ALL {
        let built = build(&dir, &dialect.write(&text), &all, on);
        assert!(built.is_ok(), "{}", show(&built.expect_err("findings")));
    }
    // The older reader alone.
    let off = "[nvvm]\nlatest = false\n";
    assert!(build(&dir, &Dialect::Typed.write(&text), &["sm_90"], off).is_ok());
    let findings = build(
        &dir,
        &Dialect::Opaque.write(&text),
        &["sm_90", "sm_100"],
        off,
    )
    .expect_err("opaque");
    let shown = show(&findings);
    assert!(
        shown.contains("nvvm-invalid: m.ll cannot be compiled for sm_90: `ptr` is read by"),
        "{shown}"
    );
    assert!(shown.contains("at 4:16 `ptr`"), "{shown}");
    // A type that only the newer reader knows takes it there.
    let bfloat = module(
        "define void @k(bfloat %a, P1<bfloat> %p) {\n  store bfloat %a, P1<bfloat> %p\n  ret void\n}\n",
        "!nvvm.annotations = !{!0}\n!0 = !{FN[void (bfloat, P1<bfloat>)] @k, !\"kernel\", i32 1}\n",
    );
    for dialect in Dialect::ALL {
        let built = build(&dir, &dialect.write(&bfloat), &["sm_90", "sm_100"], "");
        assert!(built.is_ok(), "{}", show(&built.expect_err("findings")));
    }
}
