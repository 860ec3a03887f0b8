//! Why a size is not known, as data: names are those of nvcc's files until a sentence is made of it.

use super::ctype::Builtin;
use crate::words::counted;

/// A reason why a size is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Unknown {
    /// The name of a record, an enumeration or a typedef that the files do not define.
    NotPrinted {
        name: String,
        /// A record, which the front end can be asked about.
        is_record: bool,
    },
    /// A builtin type whose size differs, or that has none.
    Builtin(Builtin),
    /// A function type.
    Function,
    /// Types within types beyond all reason.
    TooDeep,
    /// An array of so many elements.
    TooManyElements(u64),
    /// Something about the record, or the enumeration, of this tag.
    Of(String, Defect),
}

/// What is wrong with a record or an enumeration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Defect {
    ContainsItself,
    TooLarge,
    WideBitField,
    /// `#pragma pack` with aligned members or bit fields.
    MixedPack,
    /// Bytes of explicit padding at its end that its members do not explain.
    Padding(u64),
    /// Bytes at its end that are not printed.
    Unprinted(u64),
    /// The part of a base class without its tail padding.
    BasePart,
    /// An enumerator that is not a number.
    NotNumbers,
    /// What the compiler answered cannot be.
    Contradiction,
    /// It has another size for a member than the printed type has.
    MemberSize {
        member: String,
        offset: u64,
        size: u64,
        printed: u64,
    },
    /// It puts a member beyond the record's end.
    MemberBeyond {
        member: String,
        offset: u64,
        end: u64,
    },
}

impl Unknown {
    /// Something about a tag.
    pub(super) fn of(tag: &str, defect: Defect) -> Self {
        Self::Of(tag.to_owned(), defect)
    }

    /// Whether the compiler's front end could tell.
    pub(super) fn askable(&self) -> bool {
        match self {
            Self::NotPrinted { is_record, .. } => *is_record,
            Self::Of(_, defect) => matches!(
                defect,
                Defect::MixedPack | Defect::Padding(_) | Defect::Unprinted(_)
            ),
            _ => false,
        }
    }

    /// As a clause; `readable` gives the C++ name of a tag or typedef.
    pub(super) fn clause(&self, readable: &dyn Fn(&str) -> String) -> String {
        match self {
            Self::NotPrinted { name, .. } => {
                format!("`{}` is not printed by the compiler", readable(name))
            }
            Self::Builtin(Builtin::LongDouble) => {
                "`long double` has other sizes on the device than on the host".to_owned()
            }
            Self::Builtin(Builtin::Void) => "`void` has no size".to_owned(),
            Self::Builtin(other) => format!("`{}` has no agreed layout", other.name()),
            Self::Function => "a function has no size".to_owned(),
            Self::TooDeep => "its definition is nested too deeply".to_owned(),
            Self::TooManyElements(count) => format!("an array of {count} elements is too large"),
            Self::Of(tag, defect) => defect.clause(&readable(tag)),
        }
    }
}

impl Defect {
    fn clause(&self, name: &str) -> String {
        match self {
            Self::ContainsItself => format!("`{name}` contains itself"),
            Self::TooLarge => format!("`{name}` is too large"),
            Self::WideBitField => format!("`{name}` has a bit field wider than its type"),
            Self::MixedPack => {
                format!("`{name}` mixes `#pragma pack` with aligned members or bit fields")
            }
            Self::Padding(bytes) => format!(
                "`{name}` ends in {} of padding, more than its printed members explain; one may be an `__int128`",
                counted(*bytes, "byte")
            ),
            Self::Unprinted(bytes) => format!(
                "`{name}` has {} at its end that the compiler does not print, as when a member is an `__int128`",
                counted(*bytes, "byte")
            ),
            Self::BasePart => format!(
                "`{name}` is the part of a base class that leaves its tail padding to derived classes"
            ),
            Self::NotNumbers => format!("`{name}` has values that are not plain numbers"),
            Self::Contradiction => {
                format!("the compiler's answers about `{name}` contradict each other")
            }
            Self::MemberSize {
                member,
                offset,
                size,
                printed,
            } => format!(
                "the compiler puts `{name}::{member}` at byte {offset} with {size} bytes, but prints a type of \
                 {printed} bytes"
            ),
            Self::MemberBeyond {
                member,
                offset,
                end,
            } => format!(
                "the compiler puts `{name}::{member}` at byte {offset}, beyond the end of `{name}` at {end}"
            ),
        }
    }
}
