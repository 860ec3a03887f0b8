//! Everything that a cubin tells: target, functions, variables, instructions, sizes, both views. Seeds: `tests/golden/cubins`.
#![no_main]

use std::fmt;

use cubin_core::{Cubin, json, sass, sizes, text};
use libfuzzer_sys::fuzz_target;

/// A writer that keeps nothing.
struct Sink;

impl fmt::Write for Sink {
    fn write_str(&mut self, _: &str) -> fmt::Result {
        Ok(())
    }
}

fuzz_target!(|data: &[u8]| {
    let Ok(cubin) = Cubin::parse(data) else {
        return;
    };
    let _ = (cubin.target(), cubin.toolkit(), cubin.variables());
    let functions = cubin.functions().unwrap_or_default();
    for function in &functions {
        let _ = (cubin.externs(function), cubin.spills(function));
    }
    for code in cubin.codes(&functions).ok().flatten().unwrap_or_default() {
        let all: sass::Mix = code.instructions().collect();
        assert_eq!(all, code.mix(), "both ways count the same");
        let _ = code.loops();
    }
    if let Ok(parts) = sizes::parts(cubin.elf()) {
        let sum: u64 = parts.iter().map(|part| part.size).sum();
        assert_eq!(sum, data.len() as u64, "every byte has one label");
    }
    let _ = text::write(&cubin, &mut Sink);
    let _ = json::write(&cubin, &mut Sink);
});
