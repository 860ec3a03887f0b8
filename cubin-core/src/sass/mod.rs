//! Machine code (SASS) instruction by instruction: what each is, what it moves, whether it stands in a loop.
//!
//! NVIDIA documents the mnemonics and not the bits. Which bits are which mnemonic was measured for 21 targets from sm_50
//! to sm_121 by asking nvdisasm (12.4 for sm_50 to sm_72, 13.5 for sm_75 and later), of 16.7 million instructions of real
//! cubins and of made-up words; `tests/sass` has the table, the script that makes it and what tests compare. From sm_70 on bits 0 to
//! 11 of an instruction decide the mnemonic, on sm_100 and later in 25 cases one to three further bits; before, bits 51 to
//! 63.
//!
//! Bits that nvdisasm was never seen to name are [`Class::Unknown`]: nothing is guessed, not from other targets either.
//! A target that is not in the table has no [`Isa`]. Counts are static: how often an instruction is executed is not in
//! the file.
//!
//! ```
//! use cubin_core::{Cubin, sass::{Class, Space}};
//!
//! # fn main() -> cubin_core::Result<()> {
//! # let file = include_bytes!(concat!(env!("CARGO_MANIFEST_DIR"), "/examples/saxpy.sm_90.cubin"));
//! let cubin = Cubin::parse(file)?;
//! let kernels = cubin.kernels()?;
//! let saxpy = kernels.iter().find(|kernel| kernel.symbol == "saxpy").expect("saxpy");
//! let Some(code) = cubin.code(saxpy)? else {
//!     panic!("the instructions of {} are not known", cubin.target()?);
//! };
//! let mix = code.mix();
//! // y[i] = a * x[i] + y[i]
//! assert_eq!((mix.count(Class::Fp32), mix.fp64()), (1, 0));
//! assert_eq!((mix.loads(Space::Global), mix.stores(Space::Global)), (2, 1));
//! let first = code.instructions().next().expect("an instruction");
//! assert_eq!(first.mnemonic.map(|mnemonic| mnemonic.name()), Some("LDC"));
//! assert!(code.loops().is_some_and(|loops| loops.is_empty()));
//! # Ok(())
//! # }
//! ```

mod class;
mod code;
mod counts;
mod instruction;
mod isa;
mod loops;
mod mix;
mod mnemonic;
mod tables;

pub use class::{Access, Class, Space};
pub use code::{Code, Instructions};
pub use counts::Counts;
pub use instruction::Instruction;
pub use isa::Isa;
pub use loops::Loops;
pub use mix::Mix;
pub use mnemonic::Mnemonic;

use crate::{Cubin, Error, Function, Result};

impl<'a> Cubin<'a> {
    /// The instruction set of the file's target; `None` for a target whose instructions are not known.
    #[must_use]
    pub fn isa(&self) -> Option<&'static Isa> {
        Isa::of(self.flags().sm)
    }

    /// The machine code of a function; `None` where the file has no [`isa`](Self::isa) that is known.
    ///
    /// `function` must be of this file, which is not checked. A damaged file can give many functions the same bytes: who
    /// reads all of a file takes [`codes`](Self::codes).
    ///
    /// # Errors
    /// When the section lies outside the file, or its length is no multiple of what instructions take.
    pub fn code(&self, function: &Function<'_>) -> Result<Option<Code<'a>>> {
        let Some(isa) = self.isa() else {
            return Ok(None);
        };
        let section = self.elf().section(function.section)?;
        let bytes = self.elf().data(&section)?;
        Code::at(isa, bytes, section.offset)
            .map(Some)
            .map_err(|error| self.elf().place(error, &section))
    }

    /// The machine code of each of `functions`, in their order; `None` where the file has no [`isa`](Self::isa) that is
    /// known.
    ///
    /// # Errors
    /// As [`code`](Self::code), and when the functions together are longer than the file: they overlap as no tool writes
    /// them, and to read each would take time out of all proportion.
    pub fn codes(&self, functions: &[Function<'_>]) -> Result<Option<Vec<Code<'a>>>> {
        if self.isa().is_none() {
            return Ok(None);
        }
        let mut left = self.elf().bytes().len();
        let mut codes = Vec::with_capacity(functions.len());
        for function in functions {
            if let Some(code) = self.code(function)? {
                left = left
                    .checked_sub(code.bytes().len())
                    .ok_or_else(overlapping)?;
                codes.push(code);
            }
        }
        Ok(Some(codes))
    }
}

#[cold]
fn overlapping() -> Error {
    Error::malformed(
        "the sections with code together are longer than the file: they overlap as no tool writes them",
        0,
    )
}
