//! What an attribute record of `.nv.info` or `.nv.info.<f>` says: its payload by the layout of its code.
//!
//! [`Payload::of`] gives every record a form. Codes whose layout is not established, and codes that are not known at
//! all, keep their words or bytes. Source of the layouts: CUBIN_FORMAT sections 5.1, 5.2 and 5.4.

use crate::{
    Error, Result,
    consts::{AnnotationKind, Eiattr, Language, ParamSpace, PointeeSpace},
    nvinfo::{Attribute, Value},
    reader::Reader,
};

/// The payload of an attribute record.
#[derive(Debug, Clone, PartialEq, Eq)]
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

/// A list of records of `N` bytes each.
#[derive(Debug, Clone, Copy)]
pub struct Records<'a, T, const N: usize> {
    bytes: &'a [u8],
    decode: fn(&[u8; N]) -> T,
}

/// A list of 32-bit numbers.
pub type Words<'a> = Records<'a, u32, 4>;

impl<'a, T, const N: usize> Records<'a, T, N> {
    /// The records in `attribute`'s bytes from `skip` on.
    fn new(attribute: &Attribute<'a>, skip: usize, decode: fn(&[u8; N]) -> T) -> Result<Self> {
        let bytes = attribute.bytes().get(skip..).unwrap_or_default();
        match bytes.len().checked_rem(N) {
            Some(0) => Ok(Self { bytes, decode }),
            _ => Err(Error::new(
                format!(
                    "{} holds {} bytes, expected a multiple of {N}",
                    Eiattr(attribute.code),
                    bytes.len()
                ),
                attribute.offset,
            )),
        }
    }
}

impl<T, const N: usize> PartialEq for Records<'_, T, N> {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl<T, const N: usize> Eq for Records<'_, T, N> {}

impl<T, const N: usize> Iterator for Records<'_, T, N> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        let (record, rest) = self.bytes.split_first_chunk::<N>()?;
        self.bytes = rest;
        Some((self.decode)(record))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.bytes.len().checked_div(N).unwrap_or(0);
        (count, Some(count))
    }
}

impl<T, const N: usize> ExactSizeIterator for Records<'_, T, N> {}

fn words<'a>(attribute: &Attribute<'a>, skip: usize) -> Result<Words<'a>> {
    Records::new(attribute, skip, |bytes| u32::from_le_bytes(*bytes))
}

/// One kernel parameter as its record has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ParamRecord {
    /// Symbol index of a texture, sampler or surface parameter; 0 otherwise.
    pub symbol: u32,
    /// Position in the parameter list, from 0.
    pub ordinal: u16,
    /// Byte offset in the parameter block; 0xffff for textures, samplers and surfaces.
    pub offset: u16,
    /// Size in bytes.
    pub size: u32,
    /// log2 of the alignment of what a pointer points to; 0 when not declared.
    pub pointee_align_log2: u8,
    /// Memory space of what a pointer points to.
    pub pointee_space: PointeeSpace,
    /// Bank number; 0x1f in every record seen. `None` in KPARAM_INFO_V2, which has no such field.
    pub bank: Option<u8>,
    /// Where the parameter is passed.
    pub space: ParamSpace,
}

impl ParamRecord {
    /// Reads a KPARAM_INFO or KPARAM_INFO_V2 record.
    ///
    /// # Errors
    /// When the record is shorter than its 12 bytes.
    #[inline]
    pub fn read(attribute: &Attribute<'_>) -> Result<Self> {
        let &[a, b, c, d, e, f, g, h, last @ ..] = attribute.array::<12>()?;
        let symbol = u32::from_le_bytes([a, b, c, d]);
        let ordinal = u16::from_le_bytes([e, f]);
        let offset = u16::from_le_bytes([g, h]);
        if Eiattr(attribute.code) == Eiattr::KPARAM_INFO_V2 {
            let [low, high, align, space] = last;
            return Ok(Self {
                symbol,
                ordinal,
                offset,
                size: u16::from_le_bytes([low, high]).into(),
                pointee_align_log2: align,
                pointee_space: PointeeSpace(space),
                bank: None,
                space: ParamSpace::CONSTANT_BANK,
            });
        }
        let word = u32::from_le_bytes(last);
        Ok(Self {
            symbol,
            ordinal,
            offset,
            size: word >> 18,
            pointee_align_log2: (word & 0xff) as u8,
            pointee_space: PointeeSpace(((word >> 8) & 0xf) as u8),
            bank: Some(((word >> 12) & 0x1f) as u8),
            space: ParamSpace(((word >> 17) & 1) as u8),
        })
    }
}

/// A register at an instruction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RegisterAt {
    /// Byte offset of the instruction in the function's code.
    pub offset: u32,
    /// Register number.
    pub register: u16,
    /// 0 in every record seen.
    pub reserved: u16,
}

fn register_at(bytes: &[u8; 8]) -> RegisterAt {
    let [a, b, c, d, e, f, g, h] = *bytes;
    RegisterAt {
        offset: u32::from_le_bytes([a, b, c, d]),
        register: u16::from_le_bytes([e, f]),
        reserved: u16::from_le_bytes([g, h]),
    }
}

/// An instruction that uses an mbarrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Mbarrier {
    /// Byte offset of the instruction in the function's code.
    pub offset: u32,
    /// Register with the address; 0xff when there is none.
    pub register: u32,
    /// Constant part of the address.
    pub constant: u32,
    /// Four bytes: stride and flags, two whose meaning is not established, and the kind.
    pub tail: [u8; 4],
}

fn mbarrier(bytes: &[u8; 16]) -> Mbarrier {
    let [a, b, c, d, e, f, g, h, i, j, k, l, tail @ ..] = *bytes;
    Mbarrier {
        offset: u32::from_le_bytes([a, b, c, d]),
        register: u32::from_le_bytes([e, f, g, h]),
        constant: u32::from_le_bytes([i, j, k, l]),
        tail,
    }
}

#[inline]
fn pair(bytes: &[u8; 8]) -> (u32, u32) {
    let [a, b, c, d, e, f, g, h] = *bytes;
    (
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes([e, f, g, h]),
    )
}

/// Indirect branches with their targets; after an error it ends.
#[derive(Debug, Clone, Copy)]
pub struct IndirectBranches<'a> {
    reader: Reader<'a>,
}

/// One indirect branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndirectBranch<'a> {
    /// Byte offset of the branch in the function's code.
    pub offset: u32,
    /// 0 in every record seen.
    pub reserved: u32,
    /// Byte offsets it may go to.
    pub targets: Words<'a>,
}

impl PartialEq for IndirectBranches<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.reader.rest() == other.reader.rest()
    }
}

impl Eq for IndirectBranches<'_> {}

impl<'a> Iterator for IndirectBranches<'a> {
    type Item = Result<IndirectBranch<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_empty() {
            return None;
        }
        let branch = self.branch();
        if branch.is_err() {
            self.reader.clear();
        }
        Some(branch)
    }
}

impl<'a> IndirectBranches<'a> {
    fn branch(&mut self) -> Result<IndirectBranch<'a>> {
        let offset = self.reader.u32()?;
        let reserved = self.reader.u32()?;
        let count = self.reader.u32()? as usize;
        Ok(IndirectBranch {
            offset,
            reserved,
            targets: Records {
                bytes: self.reader.bytes(count.saturating_mul(4))?,
                decode: |bytes| u32::from_le_bytes(*bytes),
            },
        })
    }
}

/// The entries of an ANNOTATIONS record.
///
/// Its length field has 16 bits, and longer lists are cut modulo 65,536 bytes: an incomplete last entry is how such a
/// list ends, not an error.
#[derive(Debug, Clone, Copy)]
pub struct Annotations<'a> {
    reader: Reader<'a>,
}

/// One annotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Annotation<'a> {
    /// Byte offset of a spill store or reload in the function's code. CUDA 12.6 and later.
    Spill(u32),
    /// A note on one instruction (`ptxas -annotate`).
    Instruction {
        /// Byte offset of the instruction in the function's code.
        offset: u32,
        /// The note.
        text: &'a [u8],
    },
    /// A note on the function (`ptxas -annotate`), for example its instruction and register counts.
    Function(&'a [u8]),
    /// A kind that is not known, with all that follows it.
    Unknown(AnnotationKind, &'a [u8]),
}

impl<'a> Annotations<'a> {
    /// The entries of a record.
    #[inline]
    pub fn new(attribute: &Attribute<'a>) -> Self {
        Self {
            reader: attribute.reader(),
        }
    }

    fn text(&mut self) -> Option<&'a [u8]> {
        let length = self.reader.u32().ok()? as usize;
        let text = self.reader.bytes(length.min(self.reader.len())).ok()?;
        let padding = length.wrapping_neg() & 3;
        self.reader.bytes(padding.min(self.reader.len())).ok()?;
        let end = text.iter().position(|&byte| byte == 0);
        text.get(..end.unwrap_or(text.len()))
    }
}

impl PartialEq for Annotations<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.reader.rest() == other.reader.rest()
    }
}

impl Eq for Annotations<'_> {}

impl<'a> Iterator for Annotations<'a> {
    type Item = Annotation<'a>;

    #[inline]
    fn next(&mut self) -> Option<Annotation<'a>> {
        // The shortest entry has two words.
        if self.reader.len() < 8 {
            return None;
        }
        let kind = AnnotationKind(self.reader.u32().ok()?);
        Some(match kind {
            AnnotationKind::SPILL => Annotation::Spill(self.reader.u32().ok()?),
            AnnotationKind::INSTRUCTION_NOTE => Annotation::Instruction {
                offset: self.reader.u32().ok()?,
                text: self.text()?,
            },
            AnnotationKind::FUNCTION_NOTE => Annotation::Function(self.text()?),
            _ => {
                let rest = self.reader.rest();
                self.reader.clear();
                Annotation::Unknown(kind, rest)
            }
        })
    }
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
            Eiattr::INDIRECT_BRANCH_TARGETS => Self::IndirectBranches(IndirectBranches { reader }),
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

/// Reads three 32-bit numbers: x, y, z.
///
/// # Errors
/// When the record is shorter than its 12 bytes.
#[inline]
pub fn dimensions(attribute: &Attribute<'_>) -> Result<[u32; 3]> {
    let &[a, b, c, d, e, f, g, h, i, j, k, l] = attribute.array::<12>()?;
    Ok([
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes([e, f, g, h]),
        u32::from_le_bytes([i, j, k, l]),
    ])
}

/// Reads the two 32-bit numbers of a record about one function: symbol index and value.
///
/// # Errors
/// When the record is shorter than its 8 bytes.
#[inline]
pub fn of_symbol(attribute: &Attribute<'_>) -> Result<(u32, u32)> {
    attribute.array::<8>().map(pair)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::nvinfo::Attributes;

    fn record(bytes: &[u8]) -> Attribute<'_> {
        Attributes::new(Reader::new(bytes, 0x100))
            .next()
            .unwrap()
            .unwrap()
    }

    fn sval(code: Eiattr, words: &[u32]) -> Vec<u8> {
        let length = u16::try_from(words.len() * 4).unwrap().to_le_bytes();
        let mut bytes = vec![4, code.0, length[0], length[1]];
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes
    }

    #[test]
    fn numbers_come_in_any_format() {
        for bytes in [
            &[2, 0x3f, 8, 0][..],
            &[3, 0x3f, 8, 0],
            &[4, 0x3f, 4, 0, 8, 0, 0, 0],
        ] {
            assert_eq!(Payload::of(&record(bytes)).unwrap(), Payload::Number(8));
        }
        assert_eq!(
            Payload::of(&record(&sval(Eiattr::CRS_STACK_SIZE, &[u32::MAX]))).unwrap(),
            Payload::StackBytes(None)
        );
        assert_eq!(
            Payload::of(&record(&sval(Eiattr::LANGUAGE, &[5]))).unwrap(),
            Payload::Language(Language::CUDA_CPP)
        );
    }

    #[test]
    fn both_parameter_forms() {
        // size 24, bank 0x1f, global space, pointee aligned to 16
        let word = (24 << 18) | (0x1f << 12) | (4 << 8) | 4;
        let first = sval(Eiattr::KPARAM_INFO, &[0, (8 << 16) | 2, word]);
        let Payload::Param(first) = Payload::of(&record(&first)).unwrap() else {
            panic!("no parameter");
        };
        assert_eq!((first.ordinal, first.offset, first.size), (2, 8, 24));
        assert_eq!(first.pointee_space, PointeeSpace::GLOBAL);
        assert_eq!((first.pointee_align_log2, first.bank), (4, Some(0x1f)));

        let second = sval(Eiattr::KPARAM_INFO_V2, &[0, (0x100 << 16) | 1, 0x0405_7f00]);
        let Payload::Param(second) = Payload::of(&record(&second)).unwrap() else {
            panic!("no parameter");
        };
        assert_eq!(
            (second.ordinal, second.offset, second.size),
            (1, 0x100, 0x7f00)
        );
        assert_eq!(second.pointee_space, PointeeSpace::GLOBAL);
        assert_eq!((second.pointee_align_log2, second.bank), (5, None));
    }

    #[test]
    fn indirect_branches_are_groups_of_their_own_length() {
        let bytes = sval(
            Eiattr::INDIRECT_BRANCH_TARGETS,
            &[0x40, 0, 2, 0x80, 0x90, 0x60, 0, 0],
        );
        let Payload::IndirectBranches(branches) = Payload::of(&record(&bytes)).unwrap() else {
            panic!("no branches");
        };
        let read: Vec<_> = branches
            .map(|branch| branch.unwrap())
            .map(|branch| (branch.offset, branch.targets.collect::<Vec<_>>()))
            .collect();
        assert_eq!(read, [(0x40, vec![0x80, 0x90]), (0x60, vec![])]);

        let cut = sval(Eiattr::INDIRECT_BRANCH_TARGETS, &[0x40, 0, 2, 0x80]);
        let Payload::IndirectBranches(branches) = Payload::of(&record(&cut)).unwrap() else {
            panic!("no branches");
        };
        let read: Vec<_> = branches.collect();
        assert_eq!(read.len(), 1);
        assert!(read[0].is_err());
    }

    #[test]
    fn annotations_of_all_kinds_and_a_cut_end() {
        let bytes = sval(
            Eiattr::ANNOTATIONS,
            &[
                1,
                0x10,
                2,
                0x20,
                3,
                u32::from_le_bytes(*b"abc\0"),
                3,
                6,
                u32::from_le_bytes(*b"hell"),
                u32::from_le_bytes(*b"o\0\0\0"),
                1,
            ],
        );
        let record = record(&bytes);
        let read: Vec<_> = Annotations::new(&record).collect();
        assert_eq!(
            read,
            [
                Annotation::Spill(0x10),
                Annotation::Instruction {
                    offset: 0x20,
                    text: b"abc"
                },
                Annotation::Function(b"hello"),
            ]
        );
    }

    #[test]
    fn short_and_unknown_records() {
        let short = sval(Eiattr::REGCOUNT, &[7]);
        assert_eq!(Payload::of(&record(&short)).unwrap_err().offset(), 0x104);
        let odd = [4, Eiattr::EXTERNS.0, 3, 0, 1, 2, 3];
        assert!(Payload::of(&record(&odd)).is_err());
        let unknown = [4, 0xee, 3, 0, 1, 2, 3];
        assert_eq!(
            Payload::of(&record(&unknown)).unwrap(),
            Payload::Bytes(&[1, 2, 3])
        );
        let words = sval(Eiattr(0xee), &[1, 2]);
        let Payload::Words(list) = Payload::of(&record(&words)).unwrap() else {
            panic!("no words");
        };
        assert_eq!(list.collect::<Vec<_>>(), [1, 2]);
    }
}
