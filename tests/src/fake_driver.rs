//! Builds the stand-in for the driver library, `fake_driver/cuda.rs`, and tells it what the recorded cubins of
//! `golden/codegen` hold.

use std::{fmt::Write as _, fs, path::Path, process::Command};

use cubin_core::{Cubin, Params};

use crate::recorded;

/// Compiles it to `libcuda.so` in `folder`, with these further arguments of rustc.
pub fn build(folder: &Path, arguments: &[&str]) {
    fs::create_dir_all(folder).expect("a writable folder");
    let library = folder.join("libcuda.so");
    let built = folder.join(format!("libcuda.{}.so", std::process::id()));
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("fake_driver/cuda.rs");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let status = Command::new(rustc)
        .args(["--edition", "2024", "--crate-name", "cuda", "-o"])
        .arg(&built)
        .args(arguments)
        .arg(&source)
        .status()
        .expect("rustc, which built this");
    assert!(status.success(), "the fake driver does not compile");
    fs::rename(built, library).expect("a writable folder");
}

/// What the cubins record of each kernel's parameters, and of each variable its size.
#[must_use]
pub fn param_table(target: &str) -> String {
    let mut table = String::new();
    for stem in ["families", "kinds", "more"] {
        let bytes = recorded::file("codegen", &format!("{stem}.{target}.cubin"));
        let cubin = Cubin::parse(&bytes).expect("a recorded cubin");
        for kernel in cubin.kernels().expect("readable kernels") {
            table.push_str(kernel.symbol);
            if let Params::Recorded { params, .. } = &kernel.params {
                for param in params {
                    let _ = write!(table, " {}:{}", param.offset, param.size);
                }
            }
            table.push('\n');
        }
        for variable in cubin.variables().expect("readable variables") {
            let _ = writeln!(table, "global:{} 0:{}", variable.symbol, variable.size);
        }
    }
    table
}
