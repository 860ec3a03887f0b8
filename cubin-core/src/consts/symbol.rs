//! Symbol types, bindings, and the bits of `st_other`.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

open_set! {
    /// `st_info & 0xf`.
    SymbolType(u8), prefix "STT_" {
        /// None given.
        NOTYPE = 0;
        /// A variable in executables.
        OBJECT = 1;
        /// A kernel or a device function.
        FUNC = 2;
        /// A section.
        SECTION = 3;
        /// A source file.
        FILE = 4;
        /// A texture reference.
        CUDA_TEXTURE = 10;
        /// A sampler reference.
        CUDA_SAMPLER = 11;
        /// A surface reference.
        CUDA_SURFACE = 12;
        /// A variable in relocatable objects.
        CUDA_OBJECT = 13;
    }
}

open_set! {
    /// `st_info >> 4`.
    SymbolBinding(u8), prefix "STB_" {
        /// Static functions and variables.
        LOCAL = 0;
        /// `.visible`.
        GLOBAL = 1;
        /// `.weak`, for example implicit template instances.
        WEAK = 2;
    }
}

open_set! {
    /// ELF visibility: `st_other & 3`.
    Visibility(u8), prefix "" {
        /// As the binding says.
        DEFAULT = 0;
        /// Never visible outside.
        INTERNAL = 1;
        /// Not visible outside.
        HIDDEN = 2;
        /// Visible, not replaceable.
        PROTECTED = 3;
    }
}

open_set! {
    /// Memory space of a symbol: `st_other & 0xe0`.
    MemorySpace(u8), prefix "" {
        /// `__device__` variables.
        GLOBAL = 0x20;
        /// Shared memory.
        SHARED = 0x40;
        /// Local memory.
        LOCAL = 0x60;
        /// `__constant__` variables.
        CONSTANT = 0x80;
        /// Shared memory that the system reserves.
        RESERVED_SHARED = 0xa0;
    }
}

/// `st_other` of a symbol: ELF visibility in bits 0 and 1, CUDA's own bits above (`STO_CUDA_*`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SttOther(
    /// The value as the file holds it.
    pub u8,
);

impl SttOther {
    /// Bits 0 and 1: ELF visibility.
    pub const VISIBILITY: u8 = 0x03;
    /// Bit 2 on a function: unified function.
    pub const UNIFIED_FUNCTION: u8 = 0x04;
    /// Bit 2 on any other symbol: managed variable.
    pub const MANAGED: u8 = 0x04;
    /// Bit 3: obscure.
    pub const OBSCURE: u8 = 0x08;
    /// Bit 4 on a function: kernel entry.
    pub const ENTRY: u8 = 0x10;
    /// Bit 4 on any other symbol: unified object.
    pub const UNIFIED_OBJECT: u8 = 0x10;
    /// Bits 5 to 7: memory space.
    pub const SPACE: u8 = 0xe0;

    /// ELF visibility, a [`Visibility`].
    #[must_use]
    pub const fn visibility(self) -> u8 {
        self.0 & Self::VISIBILITY
    }

    /// Whether a function symbol can be launched.
    #[must_use]
    pub const fn entry(self) -> bool {
        self.0 & Self::ENTRY != 0
    }

    /// Whether the symbol is marked obscure.
    #[must_use]
    pub const fn obscure(self) -> bool {
        self.0 & Self::OBSCURE != 0
    }

    /// The names of CUDA's bits as cuobjdump prints them for a symbol of type `ty`: `ENTRY`, `GLOBAL|MANAGED`, `-`.
    pub fn names(self, ty: SymbolType) -> String {
        let (entry, unified) = match ty {
            SymbolType::FUNC => (Some("ENTRY"), Some("UNIFIED_FUNC")),
            SymbolType::OBJECT | SymbolType::CUDA_OBJECT => {
                (Some("UNIFIED_OBJECT"), Some("MANAGED"))
            }
            _ => (None, None),
        };
        let mut names = Vec::new();
        let mut unknown = 0;
        let space = self.space().and_then(MemorySpace::name);
        for (mask, name) in [
            (Self::SPACE, space),
            (Self::ENTRY, entry),
            (Self::UNIFIED_FUNCTION, unified),
            (Self::OBSCURE, Some("OBSCURE")),
        ] {
            match (self.0 & mask, name) {
                (0, _) => {}
                (_, Some(name)) => names.push(name.to_owned()),
                (bits, None) => unknown |= bits,
            }
        }
        if unknown != 0 {
            names.push(format!("UNKNOWN({unknown:#04x})"));
        }
        if names.is_empty() {
            return "-".to_owned();
        }
        names.join("|")
    }

    /// Memory space; `None` when the symbol names none.
    #[must_use]
    pub const fn space(self) -> Option<MemorySpace> {
        match self.0 & Self::SPACE {
            0 => None,
            space => Some(MemorySpace(space)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MemorySpace, SttOther, SymbolType, Visibility};

    #[test]
    fn bits_of_st_other() {
        let kernel = SttOther(0x10);
        assert!(kernel.entry() && !kernel.obscure());
        assert!(SttOther(0x08).obscure() && !SttOther(0x08).entry());
        assert_eq!(kernel.space(), None);
        assert_eq!(SttOther(0x83).space(), Some(MemorySpace::CONSTANT));
        assert_eq!(SttOther(0x83).visibility(), Visibility::PROTECTED.0);
        assert_eq!(
            SttOther(0xdc).names(SymbolType::FUNC),
            "ENTRY|UNIFIED_FUNC|OBSCURE|UNKNOWN(0xc0)"
        );
        assert_eq!(
            SttOther(0x74).names(SymbolType::OBJECT),
            "LOCAL|UNIFIED_OBJECT|MANAGED"
        );
        assert_eq!(SttOther(0x03).names(SymbolType::OBJECT), "-");
        assert_eq!(MemorySpace(0xc0).to_string(), "0xc0");
    }
}
