//! Records and tables that NVIDIA's tools write on request only, in cubins made here.

use std::{fs, path::Path};

use cubin_build::toolkit::Toolkit;
use cubin_core::{
    Cubin,
    attr::Payload,
    consts::{Eiattr, PointeeSpace, SectionType},
    nvinfo::{Attributes, Value},
    text, unified,
};
use cubin_tests::tools;

const KERNEL: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 p) { .reg .u64 q; ld.param.u64 q, [p]; st.global.u64 [q], q; ret; }
";

/// A buffer that is filled as far as a caller says: what ptxas guards.
const BUFFER: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .func (.param .b32 r) f(.param .b64 s, .param .b32 n) {
    .local .align 16 .b8 buffer[256];
    .reg .u64 q, b; .reg .u32 x, left; .reg .pred p;
    ld.param.u64 q, [s];
    ld.param.u32 left, [n];
    mov.u64 b, buffer;
    cvta.local.u64 b, b;
L:  ld.u8 x, [q];
    st.u8 [b], x;
    add.u64 b, b, 1; add.u64 q, q, 1; sub.u32 left, left, 1;
    setp.ne.u32 p, left, 0;
    @p bra L;
    ld.u8 x, [b+-3];
    st.param.b32 [r], x;
    ret;
}
";

const UNIFIED: &str = "\
.version 9.0
.target sm_90
.address_size 64
.visible .func .attribute(.unified(0x11223344, 0x55667788)) (.reg .u32 r) uf(.reg .u32 a) { add.u32 r, a, 1; ret; }
.visible .global .attribute(.unified(7, 9)) .u32 ud = 5;
.visible .entry k(.param .u64 p) {
    .reg .u64 q; .reg .u32 x;
    ld.param.u64 q, [p];
    ld.global.u32 x, [ud];
    call (x), uf, (x);
    st.global.u32 [q], x;
    ret;
}
";

/// What ptxas makes of PTX.
fn assemble(toolkit: &Toolkit, name: &str, ptx: &str, options: &[&str]) -> Vec<u8> {
    let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), &format!("attributes-{name}"));
    fs::write(dir.join("k.ptx"), ptx).expect("PTX");
    let arguments = [options, &["-o", "k.cubin", "k.ptx"]].concat();
    tools::tool(toolkit, "ptxas", &arguments, &dir);
    fs::read(Path::new(&dir).join("k.cubin")).expect("a cubin")
}

/// The records of a code in all sections of attributes, with the type of the section.
fn records<'a>(cubin: &Cubin<'a>, code: Eiattr) -> Vec<(SectionType, Value<'a>)> {
    let elf = cubin.elf();
    let wanted = [SectionType::CUDA_INFO, SectionType::MERCURY_INFO];
    let sections = elf
        .sections()
        .filter(|section| wanted.contains(&section.ty));
    sections
        .flat_map(|section| {
            let records = Attributes::new(elf.reader(&section).expect("attributes"));
            records.map(move |record| (section.ty, record.expect("a record")))
        })
        .filter(|(_, record)| record.code == code.0)
        .map(|(ty, record)| (ty, record.value))
        .collect()
}

#[test]
fn codes_that_are_written_on_request() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let plain = assemble(&toolkit, "plain", KERNEL, &["-arch", "sm_90"]);
    let plain = Cubin::parse(&plain).expect("a cubin");
    for code in [
        Eiattr::TOOLS_PATCH_FUNC,
        Eiattr::STACK_CANARY_TRAP_OFFSETS,
        Eiattr::STUB_FUNCTION_KIND,
        Eiattr::MERCURY_FINALIZER_OPTIONS,
    ] {
        assert_eq!(records(&plain, code), [], "{code}");
    }

    let patch = ".version 9.0\n.target sm_90\n.address_size 64\n\
        .visible .func patch(.reg .u64 p) { st.global.u64 [p], p; ret; }\n";
    let options = ["-arch", "sm_90", "-astoolspatch", "-c"];
    let tools = assemble(&toolkit, "tools", patch, &options);
    let tools = Cubin::parse(&tools).expect("a cubin");
    let flag = (SectionType::CUDA_INFO, Value::Flag);
    assert_eq!(records(&tools, Eiattr::TOOLS_PATCH_FUNC), [flag]);

    let options = ["-arch", "sm_90", "-c", "-device-stack-protector=true"];
    let guarded = assemble(&toolkit, "guarded", BUFFER, &options);
    let guarded = Cubin::parse(&guarded).expect("a cubin");
    let found = records(&guarded, Eiattr::STACK_CANARY_TRAP_OFFSETS);
    let [(SectionType::CUDA_INFO, Value::Bytes(offsets))] = found[..] else {
        panic!("{found:?}");
    };
    let code = guarded.functions().expect("functions")[0]
        .resources
        .code_bytes;
    for offset in offsets.chunks(4) {
        let offset = u32::from_le_bytes(offset.try_into().expect("whole words"));
        assert!(offset % 16 == 0 && u64::from(offset) < code);
    }

    let unified = assemble(&toolkit, "kinds", UNIFIED, &["-arch", "sm_90", "-c"]);
    let unified = Cubin::parse(&unified).expect("a cubin");
    let stub = (SectionType::CUDA_INFO, Value::Half(1));
    assert_eq!(records(&unified, Eiattr::STUB_FUNCTION_KIND), [stub]);

    let mercury = assemble(&toolkit, "mercury", KERNEL, &["-arch", "sm_100"]);
    let mercury = Cubin::parse(&mercury).expect("a cubin");
    let found = records(&mercury, Eiattr::MERCURY_FINALIZER_OPTIONS);
    assert!(!found.is_empty());
    for (section, value) in found {
        assert_eq!(section, SectionType::MERCURY_INFO);
        assert!(matches!(value, Value::Bytes(bytes) if bytes.len() == 32));
    }
}

#[test]
fn a_pointer_to_constant_memory_is_recorded_differently() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let ptx = ".version 9.0\n.target sm_75\n.address_size 64\n\
        .visible .entry k(.param .u64 .ptr .const .align 4 p) { ret; }\n";
    for (target, expected) in [
        ("sm_75", PointeeSpace::CONST),
        ("sm_90", PointeeSpace::GLOBAL),
        ("sm_120", PointeeSpace::GLOBAL),
    ] {
        let cubin = assemble(&toolkit, "const", ptx, &["-arch", target]);
        let cubin = Cubin::parse(&cubin).expect("a cubin");
        let elf = cubin.elf();
        let spaces: Vec<PointeeSpace> = elf
            .sections()
            .filter(|section| section.ty == SectionType::CUDA_INFO)
            .flat_map(|section| Attributes::new(elf.reader(&section).expect("attributes")))
            .filter_map(|record| match Payload::of(&record.expect("a record")) {
                Ok(Payload::Param(param)) => Some(param.pointee_space),
                _ => None,
            })
            .collect();
        assert_eq!(spaces, [expected], "{target}");
    }
}

#[test]
fn unified_functions_and_variables_are_listed() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    for target in ["sm_90", "sm_100", "sm_120"] {
        let file = assemble(&toolkit, "unified", UNIFIED, &["-arch", target, "-c"]);
        let cubin = Cubin::parse(&file).expect("a cubin");
        let elf = cubin.elf();
        let one = |entries: cubin_core::Result<unified::Entries<'_>>| {
            let entries: Vec<_> = entries.expect("a section").collect();
            let [Ok(entry)] = entries[..] else {
                panic!("{entries:?}");
            };
            let symbol = elf.symbol(entry.symbol).expect("its symbol");
            let name = elf.symbol_name(&symbol).expect("its name").to_vec();
            (String::from_utf8(name).expect("UTF-8"), entry)
        };
        let (name, function) = one(unified::functions(elf));
        assert_eq!(
            (name.as_str(), function.word, function.offset),
            ("uf", 1, 0)
        );
        assert_eq!(function.id, [0x1122_3344, 0x5566_7788]);
        let (name, variable) = one(unified::variables(elf));
        assert_eq!(
            (name.as_str(), variable.word, variable.id),
            ("ud", 1, [7, 9])
        );

        let mut shown = String::new();
        text::write(&cubin, &mut shown).expect("room");
        for (what, entry, id) in [
            ("function", function, "0x11223344 0x55667788"),
            ("variable", variable, "0x7 0x9"),
        ] {
            let line = format!("\nunified {what} {} word 1 at 0x0 id {id}\n", entry.symbol);
            assert!(shown.contains(&line), "{target}: {line}");
        }
    }
    let plain = assemble(&toolkit, "no-unified", KERNEL, &["-arch", "sm_90", "-c"]);
    let plain = Cubin::parse(&plain).expect("a cubin");
    assert_eq!(unified::functions(plain.elf()).expect("none").count(), 0);
    assert_eq!(unified::variables(plain.elf()).expect("none").count(), 0);
}
