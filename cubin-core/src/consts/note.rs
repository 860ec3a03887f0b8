//! Notes and `.nv.compat` records.

/// Owner of both CUDA notes, NUL included: 12 bytes.
pub const NOTE_OWNER: &[u8; 12] = b"NVIDIA Corp\0";

open_set! {
    /// `n_type` of a note whose owner is [`NOTE_OWNER`].
    NoteType(u32), prefix "NT_CUDA_" {
        /// `.note.nv.cuinfo` (13.0 and later: version 2, virtual SM, toolkit) and `.note.nv.cuver` (12.8 and 12.9).
        CUINFO = 1000;
        /// `.note.nv.tkinfo`: one entry per tool that took part, with its name, version, branch and command line.
        TKINFO = 2000;
    }
}

open_set! {
    /// Code of a `.nv.compat` record; the record formats are those of `.nv.info` ([`Eifmt`](super::Eifmt)).
    ///
    /// Present for sm_90 and above from 13.0, for sm_100 and above in 12.8 and 12.9.
    Compat(u8), prefix "EICOMPAT_ATTR_" {
        /// Sentinel, not observed.
        ERROR = 0;
        /// Padding, not observed.
        PAD = 1;
        /// BVAL: 1; 2 for some sm_120 modules.
        ISA_CLASS = 2;
        /// BVAL 0.
        INST_TENSORMAP_V1 = 3;
        /// Not observed.
        INST_TCGEN05_MMA_DEPRECATED = 4;
        /// BVAL 5; 12.8 to 13.0 all targets, later only sm_100a.
        INST_TCGEN05_MMA = 5;
        /// BVAL 1; 12.8 to 13.0.
        ENABLE_OPPORTUNISTIC_FINALIZATION = 6;
        /// HVAL 0x0101; the tools drop the name from 13.4 on.
        MERCURY_ISA_MAJOR_MINOR_VERSION = 7;
        /// Not observed.
        MERCURY_ISA_PATCH_VERSION = 8;
        /// BVAL 1 for `a` targets, else 0; the first record from 13.0 on. The tools reject any other value.
        CUDA_ACCELERATOR_TARGET = 9;
        /// Not observed.
        CUDA_DRIVER_VERSION = 10;
        /// SVAL of 8 bytes: a bit mask that depends on target, toolkit and code; 13.0 and later.
        CAN_FASTPATH_FINALIZE = 11;
        /// BVAL 0; 13.4 and later.
        CUDA_INTERNAL_TARGET = 12;
        /// HVAL: version in 6, 4 and 6 bits (major, minor, patch): 0x0440 is 1.1.0; 13.4 and later. Code 13 has no name.
        FINALIZER_VERSION = 14;
        /// Not observed.
        MIN_FINALIZER_VERSION_FOR_MVC = 15;
    }
}

#[cfg(test)]
mod tests {
    use super::{Compat, NoteType};

    #[test]
    fn code_13_is_data_without_a_name() {
        assert_eq!(Compat(13).name(), None);
        assert_eq!(Compat(13).to_string(), "0xd");
        assert_eq!(Compat(14).to_string(), "EICOMPAT_ATTR_FINALIZER_VERSION");
        assert_eq!(NoteType(2000), NoteType::TKINFO);
    }
}
