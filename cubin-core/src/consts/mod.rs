//! Every number of the format that has a name, and the name.
//!
//! Each set is a newtype over the raw integer with one constant per known value; one table feeds the constants,
//! [`name`](SectionType::name) and `Display`. The sets are open: a value without a name is data, printed as hex, never
//! an error. Names are those that NVIDIA's `cuobjdump`, `nvdisasm` and `ptxas` print. This module knows numbers and
//! bit fields only; it reads no bytes.
//!
//! Source of every value: dumps of NVIDIA's tools (cuobjdump 11.8 to 13.5, nvdisasm 12.4 and 13.5) over cubins with one
//! field varied, the name tables inside ptxas 11.7 to 13.5, and 1,455 cubins written by those versions.

/// Declares an open set of named values: constants, `KNOWN`, `name()`, `Display`, from one table.
macro_rules! open_set {
    (
        $(#[$doc:meta])*
        $set:ident($raw:ty), prefix $prefix:literal {
            $( $(#[$entry_doc:meta])* $konst:ident = $value:expr; )*
        }
    ) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $set(
            /// The value as the file holds it.
            pub $raw,
        );

        impl $set {
            $( $(#[$entry_doc])* pub const $konst: Self = Self($value); )*

            /// Every value that has a name, in table order.
            pub const KNOWN: &'static [Self] = &[$(Self::$konst),*];

            /// The name that NVIDIA's tools print, when the value has one.
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $( Self::$konst => Some(concat!($prefix, stringify!($konst))), )*
                    _ => None,
                }
            }
        }

        impl core::fmt::Display for $set {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self.name() {
                    Some(name) => f.pad(name),
                    None => write!(f, "{:#x}", self.0),
                }
            }
        }
    };
}

mod callgraph;
mod eiattr;
mod fatbin;
mod header;
mod note;
#[cfg(feature = "reloc")]
mod reloc;
mod section;
mod symbol;

pub use callgraph::{CallgraphMark, RelAction, RelActionBits, RelActionKind};
pub use eiattr::{AnnotationKind, Eiattr, Eifmt, Language, ParamSpace, PointeeSpace};
pub use fatbin::{EntryFlags, EntryKind, FATBIN_MAGIC, FATBIN_WRAPPER_MAGIC};
pub use header::{AbiVersion, ElfMachine, ElfType, OsAbi, eflags};
pub use note::{Compat, NOTE_OWNER, NoteType};
#[cfg(feature = "reloc")]
pub use reloc::{Field, Quantity, RelocType};
pub use section::{SectionName, SectionType, prefix};
pub use symbol::{MemorySpace, SttOther, SymbolBinding, SymbolType, Visibility};
