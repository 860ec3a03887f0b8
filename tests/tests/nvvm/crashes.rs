//! Inputs that libnvvm crashes on end its process and nothing else.

use super::{ANNOTATION, Dialect, build, module, scratch, show};

/// What none of our rules finds first.
const K: &str = "define void @k(P1<i32> %p) {\n  store i32 1, P1<i32> %p\n  ret void\n}\n";

#[test]
fn a_crash_is_a_finding_and_the_next_build_works() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let dir = scratch("crashes");
    // A compile that makes the worker.
    let good = Dialect::Opaque.write(&module(K, ANNOTATION));
    build(&dir, &good, &["sm_100"], "").unwrap_or_else(|findings| panic!("{}", show(&findings)));
    let programs = walk(&dir.join("out"));
    let worker = programs.iter().find(|path| {
        path.file_name()
            .is_some_and(|name| name.to_string_lossy().starts_with("worker-"))
    });
    let worker = worker.expect("the program that runs libnvvm");
    let library = toolkit.libnvvm().expect("libnvvm");
    // Our rules find these first, so they go to the worker directly: each ends it by a signal, after the step it names.
    let kernel = |params: &str, body: &str| {
        module(
            &format!("define ptx_kernel void @k({params}) {{\n{body}  ret void\n}}\n"),
            "",
        )
    };
    let store = |space: u32| {
        let body = format!("  store i32 1, ptr addrspace({space}) %p\n");
        kernel(&format!("ptr addrspace({space}) %p"), &body)
    };
    let annotated = good.replace("i32 1}", "i32 1, !\"maxntidx\", !\"x\"}");
    let bits = |bits: u32| kernel(&format!("i8 %a, i{bits} %x, i8 %b"), "");
    let cases = [
        (
            "no data layout",
            good.replace("target datalayout", "; target datalayout"),
            "compute_100",
            "verify",
        ),
        ("address space 2", store(2), "compute_100", "compile"),
        ("address space 9", store(9), "compute_100", "compile"),
        ("96 bits", bits(96), "compute_100", "compile"),
        ("96 bits, LLVM 7", bits(96), "compute_90", "compile"),
        ("256 bits, LLVM 7", bits(256), "compute_90", "compile"),
        (
            "a property without a number",
            annotated,
            "compute_100",
            "verify",
        ),
    ];
    for (what, text, target, step) in cases {
        let module = dir.join("crash.ll");
        std::fs::write(&module, text).expect("a module");
        let output = std::process::Command::new(worker)
            .args([library.as_os_str(), "compile".as_ref(), module.as_os_str()])
            .args(["crash.ll", "crash.ptx", "--"])
            .arg(format!("-arch={target}"))
            .current_dir(&dir)
            .output()
            .expect("the worker starts");
        let said = String::from_utf8_lossy(&output.stdout);
        let last = said.lines().rfind(|line| line.starts_with("step "));
        assert_eq!(output.status.code(), None, "{what}: {said}");
        assert_eq!(last, Some(format!("step {step}").as_str()), "{what}");
    }
    // One that no rule of ours knows.
    let unknown = good.replace("i32 1}", "i32 1, !\"align\", !\"x\"}");
    let findings = build(&dir, &unknown, &["sm_100"], "").expect_err("a crash");
    let shown = show(&findings);
    assert!(
        shown.contains("compile-failed: m.ll for sm_100: libnvvm crashed (signal: "),
        "{shown}"
    );
    assert!(shown.contains("; its step was `verify`)"), "{shown}");
    assert!(
        shown.contains("help: that is a defect of the library"),
        "{shown}"
    );
    build(&dir, &good, &["sm_100"], "").unwrap_or_else(|findings| panic!("{}", show(&findings)));
}

fn walk(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).expect("a folder").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(walk(&path));
        } else {
            found.push(path);
        }
    }
    found
}
