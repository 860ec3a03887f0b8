use super::*;

fn read(text: &str) -> Vec<Entry> {
    entries(text.as_bytes()).expect("PTX")
}

/// Which parameters are pointers into global memory.
fn pointers(body: &str) -> Vec<bool> {
    let text =
        format!(".visible .entry k(.param .u64 a, .param .u64 b, .param .u32 c)\n{{\n{body}\n}}\n");
    let read = read(&text);
    let params = read[0].params.iter();
    params.map(|param| param.pointee.is_some()).collect()
}

#[test]
fn the_head_of_a_kernel_says_it_all() {
    let text = "// .entry comment()\n.version 8.0\n.target sm_90\n\
        .global .align 4 .b8 table[8] = {1, 2, 3, 4, 5, 6, 7, 8};\n\
        .func f(.param .b32 x) { { } ret; }\n\
        .visible .entry declared(.param .u32 x);\n\
        .weak .entry\nk(\n  .param .align 8 .b8 k_param_0[24],\n  .param .u64 .ptr .global .align 0x10 out,\n\
        .param .f32 %f)\n.maxntid 128, 2\n.maxnreg 40 .pragma \"nounroll;{\";\n.minnctapersm 2\n\
        .explicitcluster .reqnctapercluster 2, 1, 1\n{\n  ret;\n}\n.entry none() { ret; }\n.entry bare { ret; }\n";
    let read = read(text);
    let names: Vec<&str> = read.iter().map(|entry| entry.symbol.as_str()).collect();
    assert_eq!(names, ["k", "none", "bare"]);
    let k = &read[0];
    assert_eq!(k.line, 7);
    let params = [
        Param {
            name: "k_param_0".to_owned(),
            class: Class::Bits,
            size: 1,
            align: Some(8),
            extent: Extent::Elements(24),
            pointee: None,
        },
        Param {
            name: "out".to_owned(),
            class: Class::Unsigned,
            size: 8,
            align: None,
            extent: Extent::One,
            pointee: Some(Pointee {
                space: Space::Global,
                align: Some(16),
            }),
        },
        Param {
            name: "%f".to_owned(),
            class: Class::Float,
            size: 4,
            ..Param::default()
        },
    ];
    assert_eq!(k.params, params);
    let directives = Directives {
        max_threads: Some([128, 2, 1]),
        max_registers: Some(40),
        min_blocks: Some(2),
        cluster: Some([2, 1, 1]),
        explicit_cluster: true,
        ..Directives::default()
    };
    assert_eq!(k.directives, directives);
    assert!(read[1].params.is_empty());
}

#[test]
fn an_address_of_global_memory_is_a_pointer() {
    let nothing = [false, false, false];
    assert_eq!(pointers("ld.param.u64 %rd1, [a]; ret;"), nothing);
    let a = [true, false, false];
    for body in [
        "ld.param.u64 %rd1, [a]; cvta.to.global.u64 %rd2, %rd1;",
        "ld.param.b64 %rd1, [a]; @%p1 st.global.f32 [%rd1+8], %f1;",
        "L1: ld.param.u64 %rd1, [a];\n{ .reg .b64 t; @!%p1 ld.global.nc.v2.f32 {%f1, %f2}, [%rd1]; }",
        "ld.param.s64 %rd1, [a]; atom.global.add.f32 %f1, [%rd1], %f2;",
    ] {
        assert_eq!(pointers(body), a, "{body}");
    }
    for body in [
        // Shared memory, another parameter, part of one, and a register that holds something else, too.
        "ld.param.u64 %rd1, [a]; cvta.to.shared.u64 %rd2, %rd1;",
        "ld.param.u64 %rd1, [a]; cvta.global.u64 %rd2, %rd1;",
        "ld.param.u64 %rd1, [a+4]; cvta.to.global.u64 %rd2, %rd1;",
        "ld.param.u32 %rd1, [c]; cvta.to.global.u64 %rd2, %rd1;",
        "ld.param.u64 %rd1, [a]; mov.u64 %rd1, %rd7; cvta.to.global.u64 %rd2, %rd1;",
        "ld.param.u64 %rd1, [a]; cvta.to.global.u64 %rd2, %rd1; ld.param.u64 %rd1, [b];",
        "ld.param.u64 %rd1, [a]; ld.global.v2.u64 {%rd1, %rd4}, [%rd9]; cvta.to.global.u64 %rd2, %rd1;",
    ] {
        assert_eq!(pointers(body), nothing, "{body}");
    }
}

#[test]
fn debug_information_names_the_kernels_own_line() {
    let text = ".visible .entry k(.param .u64 a)\n{\n\
        .loc 2 4 1, function_name $L__info_string0, inlined_at 1 20 5\nmov.u32 %r1, 1;\n\
        .loc 1 20 5\nret;\n.loc 1 21 1\n}\n\
        .visible .entry none() { ret; }\n.visible .entry lost() { .loc 9 1 1\nret; }\n\
        .file 1 \"/src/my kernels.rs\", 1, 2\n.file 2 \"inline.h\"\n";
    let read = read(text);
    assert_eq!(read[0].source, Some(("/src/my kernels.rs".to_owned(), 20)));
    assert_eq!((&read[1].source, &read[2].source), (&None, &None));
}

#[test]
fn what_is_not_known_stays_unknown() {
    let text =
        ".entry k(.param .e4m3 a, .param .u32 b[2][3], .param .v4 .f32 c, .param .u32) { ret; }";
    let read = read(text);
    let classes: Vec<Class> = read[0].params.iter().map(|param| param.class).collect();
    assert_eq!(classes[0], Class::Unknown);
    assert_eq!(read[0].params.len(), 4);
    for text in [
        ".entry",
        ".entry {",
        ".entry k",
        ".entry k(",
        ".entry k(.param .u32 x",
        ".entry k() {",
        ".entry k() { { }",
    ] {
        assert!(entries(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn entries_come_back() {
    let text = ".entry k(.param .align 8 .b8 a[24], .param .u64 .ptr .shared .align 4 b, .param .texref c, .param .f32 d[])\n\
        .reqntid 32 .maxclusterrank 8 { .loc 1 3 1\nret; }\n.file 1 \"a.cu\"\n";
    let read = read(text);
    let mut encoder = crate::codec::Encoder::default();
    crate::ptx::store::write(&mut encoder, &read);
    let bytes = encoder.finish();
    let back = |bytes: &[u8]| {
        let mut decoder = crate::codec::Decoder::new(bytes);
        let back = crate::ptx::store::read(&mut decoder)?;
        decoder.is_empty().then_some(back)
    };
    assert_eq!(back(&bytes), Some(read));
    for length in 0..bytes.len() {
        assert_eq!(back(&bytes[..length]), None, "{length}");
    }
}
