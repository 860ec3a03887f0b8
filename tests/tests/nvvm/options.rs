//! What `[nvvm]` says reaches libnvvm, libnvvm is found in every layout, and a finding is a picture of the module.

use std::{fs, path::Path};

use super::{ANNOTATION, Dialect, build, module, scratch, show};

/// Something for each option: a product and a sum, a quotient, a root.
const BODY: &str = "declare float @llvm.nvvm.sqrt.f(float)\n\
    define void @k(P1<i32> %p) {\n  %q = bitcast P1<i32> %p to P1<float>\n  %a = load float, P1<float> %q\n  %m = fmul float %a, %a\n  \
    %s = fadd float %m, %a\n  %d = fdiv float %s, %a\n  %r = call float @llvm.nvvm.sqrt.f(float %d)\n  store float %r, P1<float> %q\n  \
    ret void\n}\n";

/// The PTX that libnvvm made last.
fn ptx(dir: &Path) -> String {
    let mut folders = vec![dir.join("out")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|end| end == "ptx") {
                return fs::read_to_string(&path).expect("PTX");
            }
        }
    }
    panic!("no PTX below {}", dir.display())
}

#[test]
fn every_option_reaches_libnvvm() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let dir = scratch("options");
    for dialect in Dialect::ALL {
        let text = dialect.write(&module(BODY, ANNOTATION));
        let [_, target] = dialect.targets();
        let compiled = |options: &str| {
            let built = build(&dir, &text, &[target], &format!("[nvvm]\n{options}\n"));
            built.unwrap_or_else(|findings| panic!("{options}: {}", show(&findings)));
            ptx(&dir)
        };
        let usual = compiled("");
        for word in ["fma.rn.f32", "div.rn.f32", "sqrt.rn.f32"] {
            assert!(usual.contains(word), "{word}: {usual}");
        }
        for (options, has, lacks) in [
            ("fma = false", "add.rn.f32", "fma.rn.f32"),
            ("ftz = true", ".ftz.f32", "div.rn.f32"),
            ("prec-div = false", "div.full.f32", "div.rn.f32"),
            ("prec-sqrt = false", "sqrt.approx.f32", "sqrt.rn.f32"),
            (
                "fma = true\nftz = false\nprec-div = true\nprec-sqrt = true\nopt = 3",
                "fma.rn.f32",
                ".ftz",
            ),
        ] {
            let ptx = compiled(options);
            assert!(
                ptx.contains(has) && !ptx.contains(lacks),
                "{options}: {ptx}"
            );
        }
        assert_ne!(compiled("opt = 0"), usual);
    }
}

#[test]
fn libdevice_is_added_where_it_is_called() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let dir = scratch("libdevice");
    let calls = "declare float @__nv_sinf(float)\ndefine void @k(P1<i32> %p) {\n  %x = call float @__nv_sinf(float 1.5)\n  \
                 %q = bitcast P1<i32> %p to P1<float>\n  store float %x, P1<float> %q\n  ret void\n}\n";
    let text = Dialect::Typed.write(&module(calls, ANNOTATION));
    for (config, works) in [
        ("", true),
        ("[nvvm]\nlibdevice = true\n", true),
        ("[nvvm]\nlibdevice = false\n", false),
    ] {
        match build(&dir, &text, &["sm_90"], config) {
            Ok(_) => assert!(works, "{config}"),
            Err(findings) => {
                let shown = show(&findings);
                assert!(!works, "{shown}");
                assert!(
                    shown.contains("Unresolved extern function '__nv_sinf'"),
                    "{shown}"
                );
            }
        }
    }
}

/// NVIDIA's wheels, its installers, and distributions: the newest of several, and libraries before links.
#[test]
fn libnvvm_is_found_in_every_layout() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let multiarch = format!("lib/{}-linux-gnu/libnvvm.so.4", std::env::consts::ARCH);
    for (name, files) in [
        ("wheel", &["lib/libnvvm.so.4"][..]),
        (
            "installer",
            &["nvvm/lib64/libnvvm.so.4.0.0", "nvvm/lib64/libnvvm.so"],
        ),
        ("lib64", &["lib64/libnvvm.so.4"]),
        ("distribution", &[multiarch.as_str()]),
        ("several", &["lib/libnvvm.so.4", "lib/libnvvm.so.3"]),
    ] {
        let root = scratch("layouts").join(name);
        for file in files {
            let path = root.join(file);
            fs::create_dir_all(path.parent().expect("a folder")).expect("a scratch folder");
            fs::write(path, "").expect("a file");
        }
        let mut other = toolkit.clone();
        other.root.clone_from(&root);
        assert_eq!(other.libnvvm(), Some(root.join(files[0])), "{name}");
    }
}

/// What libnvvm says of a place is shown as a picture of the module, as rustc shows its own.
#[test]
fn findings_are_pictures_of_the_module() {
    if cubin_tests::toolkit().is_none() {
        return;
    }
    let dir = scratch("pictures");
    for (line, picture) in [
        (
            "  store i32 oops",
            "error[compile-failed]: m.ll does not compile for sm_90: expected value token\n --> m.ll:5:13\n  |\n5 |   store i32 oops\n  |             ^^^^\n",
        ),
        (
            "  fence seq_cst",
            "error[compile-failed]: m.ll does not compile for sm_90: function `k`: Illegal instruction: fence\n --> m.ll:5:3\n  |\n5 |   fence seq_cst\n  |   ^^^^^\n",
        ),
    ] {
        let kernel = format!("define void @k(P1<i32> %p) {{\n{line}\n  ret void\n}}\n");
        let text = Dialect::Typed.write(&module(&kernel, ANNOTATION));
        fs::write(dir.join("m.ll"), text).expect("a source");
        let built = cubin_build::Builder::new()
            .root(&dir)
            .out_dir(dir.join("out"))
            .toolkit(cubin_tests::TOOLKIT)
            .file("m.ll")
            .arch("sm_90")
            .try_build();
        let error = built.expect_err("a mistake").to_string();
        assert!(error.contains(picture), "{error}");
    }
}
