//! Bodies of structs, unions and enums as they are printed, and the names that a file defines.

use super::ctype::{QType, TagKind};
use super::lexer::Position;
use crate::sorted::Map;

/// A struct or union as printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawRecord {
    pub kind: TagKind,
    pub fields: Vec<RawField>,
    /// From attributes, 0 for none.
    pub align: u64,
    /// The packed attribute.
    pub packed: bool,
    /// `#pragma pack(n)` in force at the definition, 0 for none.
    pub pack: u64,
    pub place: Position,
}

/// A member as printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawField {
    /// Absent for an anonymous struct or union and for an unnamed bit field.
    pub name: Option<String>,
    pub ty: QType,
    /// Width of a bit field.
    pub bits: Option<u64>,
    /// From attributes, 0 for none.
    pub align: u64,
    pub packed: bool,
}

/// An enumeration as printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawEnum {
    /// Empty when a value could not be read.
    pub values: Vec<(String, i128)>,
    /// All values were understood.
    pub exact: bool,
    pub place: Position,
}

/// Names that a file has defined.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// With the alignment attribute, 0 for none.
    pub typedefs: Map<String, (QType, u64)>,
    pub records: Map<String, RawRecord>,
    pub enums: Map<String, RawEnum>,
    pub anonymous: u32,
}

/// Tag of a record that the file prints without one.
pub(super) const ANONYMOUS: &str = "<unnamed ";
