//! The intrinsic functions of chapter 13 of the NVVM IR specification: what each reader makes of them.

use super::{ANNOTATION, module, rules::record};

/// Address spaces by the names that conversions have.
const SPACES: [(&str, u32); 4] = [("global", 1), ("shared", 3), ("constant", 4), ("local", 5)];

/// Name, declaration, and calls in a kernel with the parameter `P1<i32> %p`.
fn intrinsics() -> Vec<(String, String, String)> {
    let mut all = Vec::new();
    let mut add =
        |name: String, declaration: String, body: String| all.push((name, declaration, body));
    for space in [0, 1, 3] {
        let name = format!("atomic.load.add.f32.p{space}f32");
        add(
            name.clone(),
            format!("declare float @llvm.nvvm.{name}(P{space}<float>, float)\n"),
            format!("  %x = call float @llvm.nvvm.{name}(P{space}<float> null, float 1.0)\n"),
        );
        for what in ["inc", "dec"] {
            let name = format!("atomic.load.{what}.32.p{space}i32");
            add(
                name.clone(),
                format!("declare i32 @llvm.nvvm.{name}(P{space}<i32>, i32)\n"),
                format!("  %x = call i32 @llvm.nvvm.{name}(P{space}<i32> null, i32 1)\n"),
            );
        }
    }
    for what in ["popc", "and", "or"] {
        add(
            format!("barrier0.{what}"),
            format!("declare i32 @llvm.nvvm.barrier0.{what}(i32)\n"),
            format!(
                "  %x = call i32 @llvm.nvvm.barrier0.{what}(i32 1)\n  store i32 %x, P1<i32> %p\n"
            ),
        );
    }
    for what in ["cta", "gl", "sys"] {
        add(
            format!("membar.{what}"),
            format!("declare void @llvm.nvvm.membar.{what}()\n"),
            format!("  call void @llvm.nvvm.membar.{what}()\n"),
        );
    }
    for (space, number) in SPACES {
        let name = format!("ptr.{space}.to.gen.p0i32.p{number}i32");
        add(
            name.clone(),
            format!("declare P0<i32> @llvm.nvvm.{name}(P{number}<i32>)\n"),
            format!(
                "  %x = call P0<i32> @llvm.nvvm.{name}(P{number}<i32> null)\n  store volatile i32 1, P0<i32> %x\n"
            ),
        );
        let name = format!("ptr.gen.to.{space}.p{number}i32.p0i32");
        add(
            name.clone(),
            format!("declare P{number}<i32> @llvm.nvvm.{name}(P0<i32>)\n"),
            format!(
                "  %x = call P{number}<i32> @llvm.nvvm.{name}(P0<i32> null)\n  %v = load volatile i32, P{number}<i32> %x\n"
            ),
        );
    }
    for register in ["tid.x", "ntid.y", "ctaid.z", "nctaid.x", "warpsize"] {
        add(
            format!("read.ptx.sreg.{register}"),
            format!("declare i32 @llvm.nvvm.read.ptx.sreg.{register}()\n"),
            format!(
                "  %x = call i32 @llvm.nvvm.read.ptx.sreg.{register}()\n  store i32 %x, P1<i32> %p\n"
            ),
        );
    }
    add(
        "bswap.i16".to_owned(),
        "declare i16 @llvm.bswap.i16(i16)\n".to_owned(),
        "  %x = call i16 @llvm.bswap.i16(i16 3)\n".to_owned(),
    );
    add(
        "objectsize.i64.p0i8".to_owned(),
        "declare i64 @llvm.objectsize.i64.p0i8(P0<i8>, i1, i1, i1)\n".to_owned(),
        "  %x = call i64 @llvm.objectsize.i64.p0i8(P0<i8> null, i1 false, i1 false, i1 false)\n"
            .to_owned(),
    );
    all
}

#[test]
fn every_intrinsic_of_the_specification_compiles_or_is_refused_with_its_place() {
    let all = intrinsics();
    assert!(all.len() >= 29, "{}", all.len());
    let mut cases: Vec<(String, String)> = all
        .into_iter()
        .map(|(name, declaration, body)| {
            let kernel =
                format!("{declaration}define void @k(P1<i32> %p) {{\n{body}  ret void\n}}\n");
            (name, module(&kernel, ANNOTATION))
        })
        .collect();
    let texture = "@t = addrspace(1) global i64 0\ndeclare i64 @llvm.nvvm.texsurf.handle.p1i64(metadata, P1<i64>)\n\
                   define void @k(P1<i32> %p) {\n  %h = call i64 @llvm.nvvm.texsurf.handle.p1i64(metadata P1<i64> @t, P1<i64> @t)\n  \
                   %x = trunc i64 %h to i32\n  store i32 %x, P1<i32> %p\n  ret void\n}\n";
    let annotations = "!nvvm.annotations = !{!0, !1}\n!0 = !{FN[void (P1<i32>)] @k, !\"kernel\", i32 1}\n\
                       !1 = !{P1<i64> @t, !\"texture\", i32 1}\n";
    cases.push((
        "texsurf.handle.p1i64".to_owned(),
        module(texture, annotations),
    ));
    record("intrinsics", &cases);
}
