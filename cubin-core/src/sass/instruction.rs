//! One instruction.

use super::{
    class::{Access, Class},
    mnemonic::Mnemonic,
};

/// One instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Instruction {
    /// Bytes from the start of the function's section.
    pub offset: u64,
    /// Its bits, lowest first: 128 of them from sm_70 on, before 64.
    pub word: u128,
    /// What it does; `None` when its bits are no known instruction of the target.
    pub mnemonic: Option<Mnemonic>,
    /// What it is for.
    pub class: Class,
    /// Whether it reads, makes or converts numbers in double precision, whichever its class.
    pub fp64: bool,
    /// What it moves, for loads and stores.
    pub access: Option<Access>,
}
