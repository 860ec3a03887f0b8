//! Records of a fixed layout.

use crate::{
    Result,
    consts::{Eiattr, ParamSpace, PointeeSpace},
    nvinfo::Attribute,
};

/// One kernel parameter as its record has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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
#[non_exhaustive]
pub struct RegisterAt {
    /// Byte offset of the instruction in the function's code.
    pub offset: u32,
    /// Register number.
    pub register: u16,
    /// 0 in every record seen.
    pub reserved: u16,
}

pub(super) fn register_at(bytes: &[u8; 8]) -> RegisterAt {
    let [a, b, c, d, e, f, g, h] = *bytes;
    RegisterAt {
        offset: u32::from_le_bytes([a, b, c, d]),
        register: u16::from_le_bytes([e, f]),
        reserved: u16::from_le_bytes([g, h]),
    }
}

/// An instruction that uses an mbarrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
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

pub(super) fn mbarrier(bytes: &[u8; 16]) -> Mbarrier {
    let [a, b, c, d, e, f, g, h, i, j, k, l, tail @ ..] = *bytes;
    Mbarrier {
        offset: u32::from_le_bytes([a, b, c, d]),
        register: u32::from_le_bytes([e, f, g, h]),
        constant: u32::from_le_bytes([i, j, k, l]),
        tail,
    }
}

/// Two 32-bit numbers.
#[inline]
pub(super) fn pair(bytes: &[u8; 8]) -> (u32, u32) {
    let [a, b, c, d, e, f, g, h] = *bytes;
    (
        u32::from_le_bytes([a, b, c, d]),
        u32::from_le_bytes([e, f, g, h]),
    )
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
