//! The ELF header: machine, object kinds, the two ABIs, and the bits of `e_flags`.

open_set! {
    /// `e_machine`.
    ElfMachine(u16), prefix "EM_" {
        /// Every cubin.
        CUDA = 190;
        /// Host objects on x86-64 that carry device code.
        X86_64 = 62;
        /// Host objects on Arm that carry device code.
        AARCH64 = 183;
    }
}

open_set! {
    /// `e_type`.
    ElfType(u16), prefix "ET_" {
        /// Relocatable: `-c`, `-rdc=true`. Needs nvlink before a driver can load it.
        REL = 1;
        /// Executable: what the driver loads.
        EXEC = 2;
        /// Shared object; only host files.
        DYN = 3;
        /// Extensible whole program: `ptxas -ewp`.
        CUDA_EWP = 0xff00;
    }
}

open_set! {
    /// `EI_OSABI`: decides how `e_flags` and `e_version` are read. Never decide by the SM number.
    OsAbi(u8), prefix "ELFOSABI_" {
        /// Old layout: everything up to CUDA 12.6; 12.8 and 12.9 for targets up to sm_90a.
        CUDA = 0x33;
        /// New layout: 12.8 and 12.9 for sm_100 and above, every target from 13.0.
        CUDA_V2 = 0x41;
    }
}

open_set! {
    /// `EI_ABIVERSION`, paired with [`OsAbi`].
    AbiVersion(u8), prefix "ELFABIVERSION_CUDA_" {
        /// With [`OsAbi::CUDA`].
        V1 = 7;
        /// With [`OsAbi::CUDA_V2`].
        V2 = 8;
    }
}

/// Bits of `e_flags` in both layouts.
pub mod eflags {
    /// Old layout, bits 0 to 7: real SM number.
    pub const V1_SM_MASK: u32 = 0xff;
    /// Old layout, bit 8: unified texture mode (set by default).
    pub const V1_TEXMODE_UNIFIED: u32 = 0x100;
    /// Old layout, bit 9: independent texture mode.
    pub const V1_TEXMODE_INDEPENDENT: u32 = 0x200;
    /// Old layout, bit 10: 64-bit addresses.
    pub const V1_64BIT_ADDRESS: u32 = 0x400;
    /// Old layout, bit 11: accelerated target (`sm_90a`).
    pub const V1_ACCELERATED: u32 = 0x800;
    /// Old layout, bit 12: software flag that dump tools call `SW_1729687_v2`.
    pub const V1_SW_1729687_V2: u32 = 0x1000;
    /// Old layout, bit 14: Mercury object. Not seen in ptxas output.
    pub const V1_MERCURY: u32 = 0x4000;
    /// Old layout, bit 31: link-time-optimisation object. Not seen in ptxas output.
    pub const V1_LTO: u32 = 0x8000_0000;
    /// Old layout, bits 16 to 23: virtual SM number (the PTX `.target`).
    pub const V1_VIRTUAL_SM_SHIFT: u32 = 16;

    /// New layout, bit 0: link-time-optimisation object.
    pub const V2_LTO: u32 = 0x1;
    /// New layout, bit 1: the object carries a Mercury capsule (set for sm_100 and above).
    pub const V2_MERCURY_CAPSULE: u32 = 0x2;
    /// New layout, bit 2: plain machine code (set below sm_100).
    pub const V2_SASS: u32 = 0x4;
    /// New layout, bit 3: accelerated target, only written by 12.8 and 12.9; later see
    /// [`Compat::CUDA_ACCELERATOR_TARGET`](crate::consts::Compat::CUDA_ACCELERATOR_TARGET).
    pub const V2_ACCELERATED: u32 = 0x8;
    /// New layout, bits 8 to 15: real SM number.
    pub const V2_SM_SHIFT: u32 = 8;
    /// New layout, bits 24 to 31: section index of `.note.nv.cuinfo` or `.note.nv.cuver`. Not flags.
    pub const V2_CUINFO_SECTION_SHIFT: u32 = 24;
}

#[cfg(test)]
mod tests {
    use super::{ElfMachine, ElfType};

    #[test]
    fn names_and_unknown_values_print() {
        assert_eq!(ElfMachine::CUDA.to_string(), "EM_CUDA");
        assert_eq!(ElfType::CUDA_EWP.name(), Some("ET_CUDA_EWP"));
        assert_eq!(ElfType(0xfe00).to_string(), "0xfe00");
    }
}
