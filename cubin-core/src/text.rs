//! The text view: everything known about a file, for people and for golden tests.
//!
//! One line per fact, in file order, without anything that depends on the machine. What cannot be read is written as
//! the error it gives, in its place, and the rest goes on: a damaged file is what this view is looked at for.
//!
//! ```
//! # fn main() -> cubin_core::Result<()> {
//! # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/saxpy.sm_90.cubin"));
//! let mut text = String::new();
//! cubin_core::text::write(&cubin_core::Cubin::parse(file)?, &mut text)?;
//! assert!(text.contains("\nkernel saxpy\n"));
//! # Ok(())
//! # }
//! ```

use alloc::string::String;

mod attributes;
mod calls;
mod file;
mod functions;

use core::fmt::{Display, Write};

use crate::{Cubin, Error, ErrorKind, Result};

/// Writes everything that is known about a cubin.
///
/// # Errors
/// Only when `out` does not take more; damaged records are written as their errors.
pub fn write(cubin: &Cubin<'_>, out: &mut dyn Write) -> Result<()> {
    let mut text = Text { out };
    text.header(cubin)?;
    text.tools(cubin)?;
    text.compat(cubin)?;
    text.sections(cubin.elf())?;
    text.symbols(cubin.elf())?;
    text.relocations(cubin.elf())?;
    text.attributes(cubin.elf())?;
    text.functions(cubin)?;
    text.variables(cubin)?;
    text.calls(cubin.elf())?;
    text.sizes(cubin.elf())
}

struct Text<'w> {
    out: &'w mut dyn Write,
}

/// One line.
macro_rules! line {
    ($text:expr, $($format:tt)*) => {
        writeln!($text.out, $($format)*).map_err(full)
    };
}
use line;

#[cold]
fn full(_: core::fmt::Error) -> Error {
    Error::new(
        ErrorKind::Output,
        "the view could not be written: the writer takes no more",
        0,
    )
}

impl Text<'_> {
    fn error(&mut self, error: &Error) -> Result<()> {
        line!(self, "  ! {error}")
    }
}

/// Text of the file with everything but printable ASCII escaped, so that a name cannot fake another line.
fn escaped(text: &[u8]) -> impl Display + '_ {
    text.escape_ascii()
}

fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().saturating_mul(2));
    for byte in bytes {
        // Writing to a `String` does not fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}
