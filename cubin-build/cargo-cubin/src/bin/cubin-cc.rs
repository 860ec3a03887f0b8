//! `cubin-cc`, a linker driver for rustc that judges the device code of what it linked.
//!
//! rustc takes the flavour of a linker from its name: `cc` at the end makes it a driver such as gcc.

#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    cargo_cubin::linker()
}
