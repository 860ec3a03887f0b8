//! NVVM IR (`.ll`, `.bc`): what a module says, and which rules libnvvm and ptxas hold it to.
//!
//! | file | what it knows |
//! |---|---|
//! | `lex`, `read`, `module`, `types` | the text of a module, and what is of interest of it |
//! | `rules` | what libnvvm refuses, drops or crashes on, found first, with its place |
//! | `normal` | what makes a module of another front end acceptable |
//! | `log` | what libnvvm says, with the place in the text that it is about |
//! | `ask` | what libnvvm says of itself |
//! | `worker/` | the program that runs libnvvm; a text here, compiled where it is needed (`compile/nvvm.rs`) |
//!
//! Types of wrappers come from the text of a `.ll` file: exact, with members and elements; signedness from `zeroext`,
//! `signext` and debug information. Bitcode (`.bc`) is read by libnvvm alone, so its kernels have what their PTX says, and
//! `params` of a `[[kernel]]` in cubin.toml says more:
//!
//! | IR | Rust for `.bc` |
//! |---|---|
//! | `i1`, `i8`; `i16`; `i32`; `i64` | `u8`; `u16`; `u32`; `u64` |
//! | `float`, `double` | `f32`, `f64` |
//! | pointers, generic and to global memory | a slice of any element (`impl OutAny`) |
//! | pointers to constant memory | a slice that is only read (`impl InAny`) |
//! | pointers to shared memory | `u64`: an offset |
//! | `half`, `bfloat`, `i128`, vectors, arrays, structs, `byval` | bytes of that size and alignment (`Bytes16Align16`) |
//!
//! Names are `p0`, `p1`, …, since PTX has others. So that types are the same on all targets, bitcode is read by the newer
//! reader everywhere, unless that refuses it or `latest = false`; the older one's PTX does not tell pointers from numbers.
//!
//! Two readers are behind it: LLVM 7 below `compute_100`, with pointers that say what they point to, and a current LLVM
//! from there on, and everywhere with `-nvvm-latest` (measured with 13.5; the NVVM IR specification describes neither).

mod ask;
pub mod diags;
mod lex;
pub mod log;
mod module;
mod normal;
mod read;
pub mod rules;
mod types;

pub use ask::{Versions, ask, compiler};
pub use module::{Function, Module, Operand, Param, Property};
pub use normal::normalized;
pub use read::read;
pub use types::{Layout, Named, Type};

use cubin_core::Sm;

/// The text of the program that runs libnvvm.
pub const WORKER: &str = include_str!("worker/main.rs");

/// Whether modules for a target are read by a current LLVM without being asked for.
#[must_use]
pub fn has_newer_reader(target: Sm) -> bool {
    target.number >= 100
}

/// Whether the bytes are LLVM's bitcode, plain or wrapped.
#[must_use]
pub fn is_bitcode(bytes: &[u8]) -> bool {
    bytes.starts_with(b"BC\xc0\xde") || bytes.starts_with(&[0xde, 0xc0, 0x17, 0x0b])
}
