//! Damaged side files: any answer will do, but no panic and no endless reading.

use cubin_build::signature;
use cubin_tests::recorded::file;

const DIR: &str = "signatures/recorded";
/// What breaks C text best.
const BYTES: [u8; 12] = [
    0, b'(', b')', b'{', b'}', b'"', b'*', b'<', b'\n', b'#', b';', 0xff,
];

fn files(name: &str) -> (Vec<u8>, Vec<u8>) {
    (
        file(DIR, &format!("{name}.stub.c")),
        file(DIR, &format!("{name}.gpu")),
    )
}

/// The small files without line markers, which are half of the text and all alike.
fn bare() -> (Vec<u8>, Vec<u8>) {
    let (stub, gpu) = files("small");
    let bare = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes);
        let lines: Vec<&str> = text
            .lines()
            .filter(|line| {
                !line.starts_with('#')
                    && !line.contains("___device__")
                    && !line.contains("sm_selector5sm_")
            })
            .collect();
        lines.join("\n").into_bytes()
    };
    (bare(&stub), bare(&gpu))
}

#[test]
fn every_prefix_of_the_small_files() {
    let (stub, gpu) = bare();
    for end in 0..stub.len() {
        let _ = signature::read(&stub[..end], gpu.as_slice(), &[]);
    }
    for end in 0..gpu.len() {
        if let Ok(signatures) = signature::read(&stub, &gpu[..end], &[]) {
            let whole = signatures
                .kernels
                .iter()
                .filter(|kernel| kernel.refusal.is_none())
                .count();
            assert!(whole <= 3);
        }
    }
}

#[test]
fn bytes_of_the_small_files_changed() {
    let (stub, gpu) = bare();
    for at in (0..stub.len()).step_by(3) {
        let mut damaged = stub.clone();
        damaged[at] = BYTES[at % BYTES.len()];
        let _ = signature::read(&damaged, gpu.as_slice(), &[]);
    }
    for at in (0..gpu.len()).step_by(2) {
        let mut damaged = gpu.clone();
        damaged[at] = BYTES[at % BYTES.len()];
        let _ = signature::read(&stub, damaged.as_slice(), &[]);
    }
}

#[test]
fn some_bytes_of_the_large_files_changed() {
    for name in ["parameters", "parameters_2", "parameters_3"] {
        let (stub, gpu) = files(name);
        for round in 0..20 {
            let mut damaged = (stub.clone(), gpu.clone());
            for step in 0..4 {
                let at = (round * 7919 + step * 104_729) % damaged.0.len();
                damaged.0[at] = BYTES[(round + step) % BYTES.len()];
                let at = (round * 15_485_863 + step * 7919) % damaged.1.len();
                damaged.1[at] = BYTES[(round + step * 5) % BYTES.len()];
            }
            let _ = signature::read(&damaged.0, gpu.as_slice(), &[]);
            let _ = signature::read(&stub, damaged.1.as_slice(), &[]);
            let end = gpu.len() * round / 20;
            let _ = signature::read(&stub, &gpu[..end], &[]);
        }
    }
}

#[test]
fn hostile_types_end() {
    let register = "__cudaRegisterEntry(h, ((void (*)(struct A))k), k, (-1));";
    let chain: String = (0..20_000)
        .map(|n| {
            format!(
                "struct S{n} {{ struct S{} a; struct S{} *b; }};\n",
                n + 1,
                n + 1
            )
        })
        .collect();
    let texts = [
        "struct A { struct A a; };\n__global__ void k(struct A p){}".to_owned(),
        "struct A { struct B b; }; struct B { struct A a; };\n__global__ void k(struct A p){}"
            .to_owned(),
        "typedef t t; typedef u v; typedef v u; struct A { u x; t y; };\n__global__ void k(struct A p){}"
            .to_owned(),
        format!("{chain}struct A {{ struct S0 *a; }};\n__global__ void k(struct A p){{}}"),
        format!("{chain}struct A {{ struct S0 a; }};\n__global__ void k(struct A p){{}}"),
        format!(
            "struct A {{ int a{}; }};\n__global__ void k(struct A p){{}}",
            "[4294967295]".repeat(8)
        ),
        "struct A { int a[18446744073709551615]; int b: 200; };\n__global__ void k(struct A p){}"
            .to_owned(),
        "struct A { int a __attribute__((__aligned__(3))); };\n__global__ void k(struct A p){}"
            .to_owned(),
    ];
    for text in &texts {
        let signatures =
            signature::read(register.as_bytes(), text.as_bytes(), &[]).expect("readable");
        assert_eq!(signatures.kernels.len(), 1);
    }
    let signatures = signature::read(register.as_bytes(), texts[0].as_bytes(), &[]);
    let refusal = signatures.expect("readable").kernels[0].refusal.clone();
    assert!(refusal.is_some_and(|refusal| refusal.reason.contains("contains itself")));
}
