//! The machine code of one function, instruction by instruction.

use super::{class::Class, instruction::Instruction, isa::Isa, mnemonic::Mnemonic};
use crate::{Error, Result};

/// The machine code of one function: its whole section, functions that stand inside it and padding included.
#[derive(Debug, Clone, Copy)]
pub struct Code<'a> {
    isa: &'static Isa,
    bytes: &'a [u8],
    /// Where the padding starts.
    end: usize,
}

impl<'a> Code<'a> {
    /// The code in `bytes`, which start where a section starts.
    ///
    /// # Errors
    /// When the length is no multiple of what instructions take. The offset of the error is that within `bytes`.
    pub fn new(isa: &'static Isa, bytes: &'a [u8]) -> Result<Self> {
        Self::at(isa, bytes, 0)
    }

    /// [`new`](Self::new) for bytes that start at `offset` of the file.
    pub(super) fn at(isa: &'static Isa, bytes: &'a [u8], offset: u64) -> Result<Self> {
        let size = isa.instruction_bytes();
        let rest = bytes.len().checked_rem(size).unwrap_or(0);
        if rest != 0 {
            let whole = bytes.len().saturating_sub(rest) as u64;
            return Err(Error::truncated(
                format!(
                    "{} bytes of code are not a whole number of instructions of {size} bytes: the section is cut off, or holds no code of sm_{}",
                    bytes.len(),
                    isa.sm()
                ),
                offset.saturating_add(whole),
            ));
        }
        let mut code = Self {
            isa,
            bytes,
            end: bytes.len(),
        };
        code.end = code.padding();
        Ok(code)
    }

    /// The instruction set.
    #[must_use]
    pub fn isa(&self) -> &'static Isa {
        self.isa
    }

    /// All bytes, padding included.
    #[must_use]
    pub fn bytes(&self) -> &'a [u8] {
        self.bytes
    }

    /// The bytes before the padding.
    #[must_use]
    pub fn body(&self) -> &'a [u8] {
        self.bytes.get(..self.end).unwrap_or(self.bytes)
    }

    /// Its instructions in the order of their offsets, padding included; no control words.
    #[must_use]
    pub fn instructions(&self) -> Instructions<'a> {
        Instructions { code: *self, at: 0 }
    }

    /// Where the padding starts: the last instruction that branches to itself, when only `NOP`s follow it, or those alone.
    ///
    /// Every one of 19,068 code sections (sm_50 to sm_121) ends like that.
    fn padding(&self) -> usize {
        let size = self.isa.instruction_bytes();
        let mut end = self.bytes.len();
        let mut at = self.bytes.len();
        while let Some(before) = at.checked_sub(size) {
            at = before;
            let Some(word) = word(self.isa, self.bytes, at) else {
                continue;
            };
            if self.isa.entry(word).mnemonic == Some(Mnemonic::NOP) {
                end = at;
            } else if is_self_branch(self.isa, word) {
                return at;
            } else {
                break;
            }
        }
        end
    }
}

/// Whether it always branches to itself, as the constant words that end a section do.
fn is_self_branch(isa: &Isa, word: u128) -> bool {
    match isa.sm() {
        // The second form stands behind a control word, and branches to that.
        ..70 => matches!(word, 0xe240_0fff_ff87_000f | 0xe240_0fff_ff07_000f),
        70..90 => word as u64 == 0xffff_fff0_0000_7947,
        _ => word as u64 == 0xffff_fffc_00fc_7947,
    }
}

/// The bits of the instruction at an offset; `None` past the end and for control words.
#[inline]
pub(super) fn word(isa: &Isa, bytes: &[u8], at: usize) -> Option<u128> {
    let rest = bytes.get(at..)?;
    if isa.instruction_bytes() == 16 {
        return rest.first_chunk().map(|word| u128::from_le_bytes(*word));
    }
    if is_control(at) {
        return None;
    }
    rest.first_chunk()
        .map(|word| u64::from_le_bytes(*word).into())
}

/// Whether the word at an offset, before sm_70, holds control bits for the three behind it.
#[inline]
const fn is_control(at: usize) -> bool {
    at & 31 == 0
}

/// The instructions of a function; made by [`Code::instructions`].
#[derive(Debug, Clone)]
pub struct Instructions<'a> {
    code: Code<'a>,
    at: usize,
}

impl Iterator for Instructions<'_> {
    type Item = Instruction;

    #[inline]
    fn next(&mut self) -> Option<Instruction> {
        let Code { isa, bytes, end } = self.code;
        let size = isa.instruction_bytes();
        if size == 8 && is_control(self.at) {
            self.at = self.at.checked_add(size)?;
        }
        let word = word(isa, bytes, self.at)?;
        let mut instruction = isa.instruction(self.at as u64, word);
        if self.at >= end {
            instruction.class = Class::Padding;
        }
        self.at = self.at.checked_add(size)?;
        Some(instruction)
    }
}

impl core::iter::FusedIterator for Instructions<'_> {}
