//! A piece of device code, and where it stands.

use alloc::borrow::Cow;
use core::fmt;

use crate::{Result, fatbin::Entry};

/// Device code and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceCode<'a> {
    /// Member of the archive, when the file is one.
    pub member: Option<Cow<'a, str>>,
    /// Section of the host object, where it has one: `.nv_fatbin`, `__nv_relfatbin`, or any other, such as `.rodata`.
    pub section: Option<&'a str>,
    /// The code.
    pub code: Code<'a>,
}

/// What was found.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Code<'a> {
    /// A cubin that stands by itself.
    Cubin {
        /// Offset of its first byte in the file.
        offset: u64,
        /// The cubin and, inside an archive, nothing else.
        bytes: &'a [u8],
    },
    /// An entry of a fatbin.
    Entry(Entry<'a>),
    /// PTX that stands by itself.
    Ptx {
        /// Offset of its first byte in the file.
        offset: u64,
        /// The text, without the zero byte behind it. Where another text follows at once, some of that.
        bytes: &'a [u8],
    },
}

/// The bytes of a cubin as a length.
impl fmt::Debug for Code<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cubin { offset, bytes } => f
                .debug_struct("Cubin")
                .field("offset", offset)
                .field("len", &bytes.len())
                .finish(),
            Self::Entry(entry) => f.debug_tuple("Entry").field(entry).finish(),
            Self::Ptx { offset, bytes } => f
                .debug_struct("Ptx")
                .field("offset", offset)
                .field("len", &bytes.len())
                .finish(),
        }
    }
}

impl<'a> DeviceCode<'a> {
    /// Code whose place is not known yet.
    pub(super) fn of(code: Code<'a>) -> Self {
        Self {
            member: None,
            section: None,
            code,
        }
    }

    /// The bytes of a cubin, decompressed; `None` when this is PTX or IR.
    ///
    /// # Errors
    /// As [`Entry::image`].
    #[must_use]
    pub fn cubin(&self) -> Option<Result<Cow<'a, [u8]>>> {
        match &self.code {
            Code::Cubin { bytes, .. } => Some(Ok(Cow::Borrowed(bytes))),
            Code::Entry(entry) if entry.is_cubin() => Some(entry.image()),
            Code::Entry(_) | Code::Ptx { .. } => None,
        }
    }

    /// Offset of the code's header in the file.
    #[must_use]
    pub fn offset(&self) -> u64 {
        match &self.code {
            Code::Cubin { offset, .. } | Code::Ptx { offset, .. } => *offset,
            Code::Entry(entry) => entry.offset,
        }
    }
}
