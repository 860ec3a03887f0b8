//! Broken files never panic and never take long: every prefix, bytes changed, removed and doubled.

use cubin_build::{
    config::Config,
    diag::{json, render},
    policy::{Baseline, check},
    source::SourceFile,
};
use cubin_core::Stack;

use crate::support::kernel;

const CONFIG: &str = r#"[toolkit]
version = "13.5"
install = true
[build]
arch = ["sm_80", "sm_90a"]
define = { TILE = 32, FAST = true }
flags = ["-lineinfo"]
[defaults]
registers = 128
params = "4 KiB"
constant = { 0 = "1 KiB", other = 3 }
externs = ["printf", "cuda*"]
[[rule]]
kernel = ["gemm<*>", "_Z?*"]
arch = "sm_9*"
stack = 0
occupancy = { block = 256, min = 0.25 }
level = "warn"
[baseline]
file = "b.toml"
[[kernel]]
symbol = "s"
params = ["u32"]
"#;

const BASELINE: &str = "format = 1\n[kernel.\"gemm<float>\".sm_80]\nregisters = 168\nstack = \"unknown\"\n\
     constant = { 0 = 900 }\nexterns = [\"printf\"]\n";

/// Reads `text` as both files; also judges by it and draws what was found where `draw` is set, which takes longest.
fn read(text: &str, draw: bool) {
    let file = SourceFile::new("cubin.toml", text);
    let (config, problems) = Config::parse(&file);
    let (baseline, more) = Baseline::parse(&file);
    for diag in problems.iter().chain(&more) {
        let _ = json::to_json(diag);
        if !draw {
            continue;
        }
        let _ = render(diag, false);
    }
    let mut gemm = kernel("gemm<float>", 4, "sm_90a");
    gemm.resources.stack = Stack::Unbounded;
    gemm.resources.registers = 200;
    gemm.resources.constant = vec![(0, 1200)];
    gemm.externs = vec!["malloc".to_owned(), "vprintf".to_owned()];
    for diag in check(&config, Some(&baseline), &[gemm]) {
        let _ = (json::to_json(&diag), draw.then(|| render(&diag, false)));
    }
}

#[test]
fn mutated_files() {
    for text in [CONFIG, BASELINE] {
        for at in 0..=text.len() {
            read(&text[..at], true);
            let removed = format!("{}{}", &text[..at], text.get(at + 1..).unwrap_or(""));
            read(&removed, at % 8 == 0);
            for insert in [
                "\"",
                "[",
                "]",
                "=",
                "\n",
                "{",
                "é",
                "\0",
                ".",
                "-",
                "9999999999999999999999",
            ] {
                let inserted = format!("{}{insert}{}", &text[..at], &text[at..]);
                read(&inserted, at % 16 == 0);
            }
        }
    }
}

#[test]
fn hostile_files() {
    for text in [
        "[".repeat(100_000),
        "a=[".repeat(30_000),
        "a={b=".repeat(30_000),
        "a.".repeat(30_000),
        "x = 1\n".repeat(100_000),
        "[[rule]]\n".repeat(100_000),
        format!("[build]\narch = [{}]", "\"sm_1\",".repeat(100_000)),
        format!("{} = 1", "k".repeat(200_000)),
    ] {
        let file = SourceFile::new("cubin.toml", text);
        let (_, problems) = Config::parse(&file);
        assert!(!problems.is_empty());
        assert!(problems.len() <= 51, "{}", problems.len());
        for diag in problems {
            assert!(json::to_json(&diag).len() < 2_000_000);
        }
    }
}
