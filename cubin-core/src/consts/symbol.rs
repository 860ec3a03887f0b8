//! Symbol types, bindings, and the bits of `st_other`.

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

    /// ELF visibility, 0 to 3 (default, internal, hidden, protected).
    pub const fn visibility(self) -> u8 {
        self.0 & Self::VISIBILITY
    }

    /// Whether a function symbol can be launched.
    pub const fn entry(self) -> bool {
        self.0 & Self::ENTRY != 0
    }

    /// Whether the symbol is marked obscure.
    pub const fn obscure(self) -> bool {
        self.0 & Self::OBSCURE != 0
    }

    /// Memory space; `None` when the symbol names none.
    pub const fn space(self) -> Option<MemorySpace> {
        match self.0 & Self::SPACE {
            0 => None,
            space => Some(MemorySpace(space)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MemorySpace, SttOther};

    #[test]
    fn bits_of_st_other() {
        let kernel = SttOther(0x10);
        assert!(kernel.entry() && !kernel.obscure());
        assert_eq!(kernel.space(), None);
        assert_eq!(SttOther(0x83).space(), Some(MemorySpace::CONSTANT));
        assert_eq!(SttOther(0x83).visibility(), 3);
        assert_eq!(MemorySpace(0xc0).to_string(), "0xc0");
    }
}
