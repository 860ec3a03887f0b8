//! The side files of the torture cases as nvcc 13.5 wrote them, so that reading is tested without a toolkit too.
//!
//! `BLESS=1` with a toolkit records them anew: paths made neutral, empty conditionals left out, nothing else changed.

use std::fs;
use std::path::{Path, PathBuf};

use cubin_build::env::Env;
use cubin_build::signature;
use cubin_core::Cubin;
use cubin_tests::recorded::file;
use cubin_tests::toolkit;
use cubin_tests::tools::same_as_recorded;

use crate::dump::{case, dump};
use crate::torture::{compile, source};

const CASES: [&str; 4] = ["small", "parameters", "parameters_2", "parameters_3"];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("golden/signatures/recorded")
}

/// Leaves out the `#if`…`#endif` pairs without content, which are a fifth of the file.
fn shorten(text: &str) -> String {
    let mut lines: Vec<&str> = Vec::new();
    for line in text.lines() {
        if line == "#endif" && lines.last().is_some_and(|last| last.starts_with("#if ")) {
            lines.pop();
        } else {
            lines.push(line);
        }
    }
    lines.join("\n") + "\n"
}

fn record(name: &str) {
    let toolkit = toolkit().expect("BLESS=1 needs a toolkit here");
    let source = source(&format!("record-{name}"), &case(name));
    let compiled = compile(&toolkit, &source, "sm_90");
    let neutral = |bytes: &[u8]| {
        String::from_utf8_lossy(bytes)
            .replace(&toolkit.root.display().to_string(), "/toolkit")
            .replace(
                &source.parent().expect("a folder").display().to_string(),
                "/src",
            )
    };
    fs::create_dir_all(folder()).expect("the folder");
    let write = |extension: &str, bytes: &[u8]| {
        fs::write(folder().join(format!("{name}.{extension}")), bytes).expect("a recording");
    };
    write("stub.c", neutral(&compiled.stub).as_bytes());
    write("gpu", shorten(&neutral(&compiled.gpu)).as_bytes());
    if name == "small" {
        write("cubin", &compiled.cubin);
    }
}

#[test]
fn recordings_read_as_before() {
    for name in CASES {
        if Env::process().peek("BLESS").is_some() {
            record(name);
        }
        let stub = file("signatures/recorded", &format!("{name}.stub.c"));
        let gpu = file("signatures/recorded", &format!("{name}.gpu"));
        let mut signatures = signature::read(&stub, gpu.as_slice(), &["/toolkit/include".into()])
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        if name == "small" {
            let cubin = file("signatures/recorded", "small.cubin");
            let cubin = Cubin::parse(&cubin).expect("a cubin");
            let functions = cubin.functions().expect("functions");
            let target = cubin.target().expect("a target");
            assert_eq!(signature::check(&mut signatures, &functions, target), []);
        }
        same_as_recorded(
            &format!("signatures/recorded/{name}.txt"),
            &dump(&signatures),
        );
    }
}
