//! What an attribute record of `.nv.info` or `.nv.info.<f>` says: its payload by the layout of its code.
//!
//! [`Payload::of`] gives every record a form. Codes whose layout is not established, and codes that are not known at
//! all, keep their words or bytes. Layouts: measured on CUDA 11.7 to 13.5, compared with what cuobjdump prints.

mod lists;
mod records;

use crate::{
    Result,
    consts::{Eiattr, Language},
    nvinfo::{Attribute, Value},
};
use lists::words;
use records::{mbarrier, pair, register_at};

pub use lists::{Annotation, Annotations, IndirectBranch, IndirectBranches, Records, Words};
pub use records::{Mbarrier, ParamRecord, RegisterAt, dimensions, of_symbol};

/// The payload of an attribute record.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Payload<'a> {
    /// The record's presence is the value.
    Flag,
    /// One number whose meaning the code gives: a count, a bank, a mask, a size in bytes.
    Number(u32),
    /// CUDA_API_VERSION: the toolkit, ten times major plus minor.
    Toolkit(u32),
    /// LANGUAGE: what the module was written in.
    Language(Language),
    /// CRS_STACK_SIZE: bytes of the call, return and synchronisation stack; `None` when not known.
    StackBytes(Option<u32>),
    /// MAX_THREADS, REQNTID, CTA_PER_CLUSTER: x, y, z.
    Dimensions([u32; 3]),
    /// REGCOUNT, FRAME_SIZE, MIN_STACK_SIZE, MAX_STACK_SIZE and their like: a number of one function.
    OfSymbol {
        /// Symbol index of the function.
        symbol: u32,
        /// Registers, or bytes; 0xffffffff is "not statically known" for stack sizes.
        value: u32,
    },
    /// PARAM_CBANK: where the parameter block lies in constant bank 0.
    ParamBank {
        /// Symbol index of the section symbol of `.nv.constant0.<k>`.
        symbol: u32,
        /// Byte offset of the block in the bank.
        offset: u16,
        /// Bytes of the block.
        size: u16,
    },
    /// KPARAM_INFO and KPARAM_INFO_V2: one parameter.
    Param(ParamRecord),
    /// QUERY_NUMATTRIB: attribute counts of texture (unified, independent), sampler and surface query descriptors.
    QueryCounts([u8; 4]),
    /// SHARED_SCRATCH: shared memory that the compiler uses for itself.
    Scratch {
        /// First byte.
        start: u32,
        /// Bytes.
        size: u32,
    },
    /// EXTERNS: symbol indices of functions from outside the file.
    Symbols(Words<'a>),
    /// Byte offsets of instructions in the function's code.
    CodeOffsets(Words<'a>),
    /// COOP_GROUP_MASK_REGIDS: per instruction of COOP_GROUP_INSTR_OFFSETS the register with the member mask;
    /// 0xffffffff is the full warp.
    MaskRegisters(Words<'a>),
    /// AT_ENTRY_FRAGMENTS: fragment identifiers.
    Fragments(Words<'a>),
    /// ATOM16_EMUL_INSTR_REG_MAP: registers of emulated 16-bit atomics.
    RegisterMap(Records<'a, RegisterAt, 8>),
    /// MBARRIER_INSTR_OFFSETS: instructions that use an mbarrier.
    Mbarriers(Records<'a, Mbarrier, 16>),
    /// COROUTINE_RESUME_OFFSETS: (identifier, code offset).
    Coroutines(Records<'a, (u32, u32), 8>),
    /// INDIRECT_BRANCH_TARGETS: targets of each indirect branch.
    IndirectBranches(IndirectBranches<'a>),
    /// ANNOTATIONS: spill instructions and notes.
    Annotations(Annotations<'a>),
    /// INSTR_OFFSETS: code offsets of instructions of one kind.
    InstructionsOfKind {
        /// Number of the kind; the numbers are not established.
        kind: u32,
        /// Where they are.
        offsets: Words<'a>,
    },
    /// 32-bit words of a code whose layout is not established.
    Words(Words<'a>),
    /// Bytes of a blob, or of a code whose layout is not established.
    Bytes(&'a [u8]),
}

impl<'a> Payload<'a> {
    /// Reads the payload of a record of `.nv.info` or `.nv.info.<f>`.
    ///
    /// # Errors
    /// When the record of a code with an established layout is shorter than this, or no multiple of its entries.
    pub fn of(attribute: &Attribute<'a>) -> Result<Self> {
        let code = Eiattr(attribute.code);
        match (attribute.value, code) {
            (Value::Flag, _) => return Ok(Self::Flag),
            (_, Eiattr::CUDA_API_VERSION) => {
                return Ok(number(attribute, Self::Toolkit));
            }
            (_, Eiattr::LANGUAGE) => {
                return Ok(number(attribute, |value| Self::Language(Language(value))));
            }
            (_, Eiattr::CRS_STACK_SIZE) => {
                return Ok(number(attribute, |value| {
                    Self::StackBytes((value != u32::MAX).then_some(value))
                }));
            }
            (Value::Byte(value), _) => return Ok(Self::Number(value.into())),
            (Value::Half(value), _) => return Ok(Self::Number(value.into())),
            (Value::Bytes(_), _) => {}
        }
        let mut reader = attribute.reader();
        Ok(match code {
            Eiattr::MAX_THREADS | Eiattr::REQNTID | Eiattr::CTA_PER_CLUSTER => {
                Self::Dimensions(dimensions(attribute)?)
            }
            Eiattr::REGCOUNT
            | Eiattr::FRAME_SIZE
            | Eiattr::MIN_STACK_SIZE
            | Eiattr::MAX_STACK_SIZE
            | Eiattr::SAM_REGION_STACK_SIZE
            | Eiattr::LOAD_CACHE_REQUEST => {
                let (symbol, value) = of_symbol(attribute)?;
                Self::OfSymbol { symbol, value }
            }
            Eiattr::PARAM_CBANK => Self::ParamBank {
                symbol: reader.u32()?,
                offset: reader.u16()?,
                size: reader.u16()?,
            },
            Eiattr::KPARAM_INFO | Eiattr::KPARAM_INFO_V2 => {
                Self::Param(ParamRecord::read(attribute)?)
            }
            Eiattr::QUERY_NUMATTRIB => Self::QueryCounts(*reader.array()?),
            Eiattr::SHARED_SCRATCH => Self::Scratch {
                start: reader.u32()?,
                size: reader.u32()?,
            },
            Eiattr::EXTERNS => Self::Symbols(words(attribute, 0)?),
            Eiattr::COOP_GROUP_MASK_REGIDS => Self::MaskRegisters(words(attribute, 0)?),
            Eiattr::AT_ENTRY_FRAGMENTS => Self::Fragments(words(attribute, 0)?),
            Eiattr::ATOM16_EMUL_INSTR_REG_MAP => {
                Self::RegisterMap(Records::new(attribute, 0, register_at)?)
            }
            Eiattr::MBARRIER_INSTR_OFFSETS => {
                Self::Mbarriers(Records::new(attribute, 0, mbarrier)?)
            }
            Eiattr::COROUTINE_RESUME_OFFSETS => Self::Coroutines(Records::new(attribute, 0, pair)?),
            Eiattr::INDIRECT_BRANCH_TARGETS => {
                Self::IndirectBranches(IndirectBranches::new(attribute))
            }
            Eiattr::ANNOTATIONS => Self::Annotations(Annotations::new(attribute)),
            Eiattr::INSTR_OFFSETS => Self::InstructionsOfKind {
                kind: reader.u32()?,
                offsets: words(attribute, 4)?,
            },
            Eiattr::STATISTICS
            | Eiattr::PERF_STATISTICS
            | Eiattr::UCODE_SECTION_DATA
            | Eiattr::MERCURY_FINALIZER_OPTIONS
            | Eiattr::SYSCALLS_FALLBACK => Self::Bytes(attribute.bytes()),
            _ if code.is_code_offsets() => Self::CodeOffsets(words(attribute, 0)?),
            _ => match words(attribute, 0) {
                Ok(list) if list.len() == 1 => number(attribute, Self::Number),
                Ok(list) => Self::Words(list),
                Err(_) => Self::Bytes(attribute.bytes()),
            },
        })
    }
}

/// The form of a record that holds one number, or its bytes when it holds something else.
fn number<'a>(attribute: &Attribute<'a>, form: impl FnOnce(u32) -> Payload<'a>) -> Payload<'a> {
    attribute
        .number()
        .map_or(Payload::Bytes(attribute.bytes()), form)
}

#[cfg(test)]
mod tests;
