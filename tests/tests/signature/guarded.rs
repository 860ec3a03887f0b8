//! `__int128` members, which nvcc's files print as `long long`: what may not be believed.

use std::process::Command;

use cubin_build::signature;
use cubin_build::signature::model::{Signatures, Type};
use cubin_build::signature::probe::{Verdict, apply_verdicts, probe_source, read_probe_output};
use cubin_tests::toolkit;

use crate::dump::case;
use crate::torture::{checked, compile, source};

#[test]
fn records_that_may_hold_128_bit_members_become_opaque() {
    let Some(toolkit) = toolkit() else { return };
    let name = "parameters_3";
    let compiled = compile(&toolkit, &source("guarded", &case(name)), "sm_90");
    let mut signatures = checked(&toolkit, "guarded", "sm_90", &compiled);
    let includes = [toolkit.root.join("include")];
    let text = compiled.preprocessed(name);
    let facts = signature::scan_preprocessed(text.as_slice(), &includes).expect("readable");
    assert!(facts.int128);
    signature::guard(&mut signatures, facts);
    let kernel = signatures
        .kernels
        .iter()
        .find(|kernel| kernel.base_name == "k_i128")
        .expect("k_i128");
    let Some(Type::Pointer(pointer)) = kernel.params.last().map(|param| &param.ty) else {
        panic!("a pointer is the last parameter");
    };
    assert_eq!(*pointer.pointee, Type::Opaque("I128One".into()));
}

#[test]
fn the_compiler_proves_what_its_files_leave_open() {
    let Some(toolkit) = toolkit() else { return };
    let name = "parameters_3";
    let source = source("probed", &case(name));
    let compiled = compile(&toolkit, &source, "sm_90");
    let mut signatures = checked(&toolkit, "probed", "sm_90", &compiled);
    let kernel = |signatures: &Signatures, name: &str| {
        let found = signatures
            .kernels
            .iter()
            .find(|kernel| kernel.base_name == name);
        found.expect("the kernel").clone()
    };
    assert!(kernel(&signatures, "k_gap").refusal.is_some());
    let text = probe_source(&format!("{name}.cu"), &signatures).expect("something in doubt");
    let folder = source.parent().expect("a folder");
    std::fs::write(folder.join("probe.cu"), &text).expect("the probe");
    let output = Command::new(&toolkit.nvcc)
        .args([
            "-std=c++17",
            "-arch=sm_90",
            "--extended-lambda",
            "-w",
            "-ptx",
        ])
        .args(["-fdevice-syntax-only", "-o", "probe.ptx", "probe.cu"])
        .current_dir(folder)
        .output()
        .expect("nvcc runs");
    let messages = String::from_utf8_lossy(&output.stderr);
    let verdicts = read_probe_output(&signatures, &messages, output.status.success());
    let of = |name: &str| {
        verdicts
            .iter()
            .find(|verdict| signatures.records[verdict.record().0].name == name)
            .unwrap_or_else(|| panic!("no verdict on {name}: {verdicts:?}\n{messages}"))
    };
    assert!(
        matches!(of("LLMid"), Verdict::Proved(_)),
        "{verdicts:?}\n{messages}"
    );
    assert!(
        matches!(of("I128Mid"), Verdict::Wrong(..)),
        "{verdicts:?}\n{messages}"
    );
    apply_verdicts(&mut signatures, &verdicts);
    assert_eq!(kernel(&signatures, "k_gap").refusal, None);
    assert!(kernel(&signatures, "k_i128").refusal.is_some());
}

#[test]
fn the_toolkits_own_128_bit_integers_do_not_count() {
    let Some(toolkit) = toolkit() else { return };
    let compiled = compile(&toolkit, &source("unguarded", &case("small")), "sm_90");
    let includes = [toolkit.root.join("include")];
    let text = compiled.preprocessed("small");
    let facts = signature::scan_preprocessed(text.as_slice(), &includes).expect("readable");
    assert!(!facts.int128);
}
