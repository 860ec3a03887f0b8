//! Attributes of `.nv.info` and `.nv.info.<f>`: record formats, codes, and the numbers inside their payloads.

open_set! {
    /// Format of a record: its first byte. It belongs to the record, not to the code.
    ///
    /// All four formats take at least 4 bytes: format, code, then two bytes that the format explains.
    Eifmt(u8), prefix "EIFMT_" {
        /// No value; two unused bytes follow the code.
        NVAL = 1;
        /// A u8 value and a padding byte follow the code.
        BVAL = 2;
        /// A u16 value follows the code.
        HVAL = 3;
        /// A u16 length follows the code, then as many bytes (a multiple of 4 in every record seen).
        SVAL = 4;
    }
}

open_set! {
    /// Code of a record: its second byte.
    ///
    /// "Since" is the first ptxas whose name table has the code; 11.7 is the oldest looked at. "Observed" gives the
    /// toolkits and targets that wrote it in 1,455 measured cubins; the payload of a code not observed is a reading of
    /// the decoder or of the name. Codes 0x60 and 0x6e have no name.
    Eiattr(u8), prefix "EIATTR_" {
        /// Sentinel. Since CUDA 11.7 or earlier. Not observed.
        ERROR = 0x00;
        /// Padding. Since CUDA 11.7 or earlier. Not observed.
        PAD = 0x01;
        /// u32 words, meaning not established. Since CUDA 11.7 or earlier. Not observed.
        IMAGE_SLOT = 0x02;
        /// u32 words. Since CUDA 11.7 or earlier. Not observed.
        JUMPTABLE_RELOCS = 0x03;
        /// Flag: kernel reads ctaid.z. Written as NVAL. Since CUDA 11.7 or earlier. Observed: CUDA 12.4 to 13.5 on
        /// sm_75 to 80.
        CTAIDZ_USED = 0x04;
        /// 3 × u32: x,y,z of the maximum block (`.maxntid`, `__launch_bounds__` first argument). Written as SVAL of
        /// 12 bytes. Since CUDA 11.7 or earlier. Observed: CUDA 11.7 to 13.5 on sm_35 to 121.
        MAX_THREADS = 0x05;
        /// u32 words. Since CUDA 11.7 or earlier. Not observed.
        IMAGE_OFFSET = 0x06;
        /// u32 words. Since CUDA 11.7 or earlier. Not observed.
        IMAGE_SIZE = 0x07;
        /// u32 words. Since CUDA 11.7 or earlier. Not observed.
        TEXTURE_NORMALIZED = 0x08;
        /// u32 words. Since CUDA 11.7 or earlier. Not observed.
        SAMPLER_INIT = 0x09;
        /// u32 symbol index of the `.nv.constant0.<k>` section symbol, u16 offset, u16 size of the parameter block
        /// in bank 0. Written as SVAL of 8 bytes. Since CUDA 11.7 or earlier. Observed: CUDA 11.7 to 13.5 on sm_35
        /// to 121.
        PARAM_CBANK = 0x0a;
        /// u32 words. Since CUDA 11.7 or earlier. Not observed.
        SMEM_PARAM_OFFSETS = 0x0b;
        /// u32 words. Since CUDA 11.7 or earlier. Not observed.
        CBANK_PARAM_OFFSETS = 0x0c;
        /// u32 words. Since CUDA 11.7 or earlier. Not observed.
        SYNC_STACK = 0x0d;
        /// u32 words. Since CUDA 11.7 or earlier. Not observed.
        TEXID_SAMPID_MAP = 0x0e;
        /// u32 symbol index each: functions the kernel needs from outside (e.g. `vprintf`, `malloc`). Written as
        /// SVAL of 4n bytes. Since CUDA 11.7 or earlier. Observed: CUDA 11.7 to 13.5 on sm_35 to 121.
        EXTERNS = 0x0f;
        /// 3 × u32: exact block (`.reqntid`). Written as SVAL of 12 bytes. Since CUDA 11.7 or earlier. Observed:
        /// CUDA 13.5 on sm_90.
        REQNTID = 0x10;
        /// {u32 symbol, u32 bytes}: stack frame of that function alone. Written as SVAL of 8 bytes. Since CUDA 11.7
        /// or earlier. Observed: CUDA 11.7 to 13.5 on sm_35 to 121.
        FRAME_SIZE = 0x11;
        /// {u32 symbol, u32 bytes}: cumulative stack, 0xffffffff = not statically known; whole-program and linked
        /// cubins only. Written as SVAL of 8 bytes. Since CUDA 11.7 or earlier. Observed: CUDA 11.7 to 13.5 on
        /// sm_35 to 121.
        MIN_STACK_SIZE = 0x12;
        /// u32 words. Since CUDA 11.7 or earlier. Not observed.
        SAMPLER_FORCE_UNNORMALIZED = 0x13;
        /// u32 words. Since CUDA 11.7 or earlier. Not observed.
        BINDLESS_IMAGE_OFFSETS = 0x14;
        /// u8 bank. Written as BVAL. Since CUDA 11.7 or earlier. Observed: CUDA 11.8 on sm_52.
        BINDLESS_TEXTURE_BANK = 0x15;
        /// u8 bank. Written as BVAL. Since CUDA 11.7 or earlier. Observed: CUDA 11.8 on sm_52.
        BINDLESS_SURFACE_BANK = 0x16;
        /// 12-byte parameter record. Written as SVAL of 12 bytes. Since CUDA 11.7 or earlier. Observed: CUDA 11.7
        /// to 13.5 on sm_35 to 121.
        KPARAM_INFO = 0x17;
        /// Payload not established. Since CUDA 11.7 or earlier. Not observed.
        SMEM_PARAM_SIZE = 0x18;
        /// u16: total parameter bytes. Written as HVAL. Since CUDA 11.7 or earlier. Observed: CUDA 11.7 to 13.5 on
        /// sm_35 to 121.
        CBANK_PARAM_SIZE = 0x19;
        /// 4 × u8: attribute counts of texture (unified / independent), sampler and surface query descriptors.
        /// Since CUDA 11.7 or earlier. Not observed.
        QUERY_NUMATTRIB = 0x1a;
        /// u16: register cap in force, 255 = none (from maxrregcount, `.maxnreg`, launch bounds). Written as HVAL.
        /// Since CUDA 11.7 or earlier. Observed: CUDA 11.7 to 13.5 on sm_35 to 121.
        MAXREG_COUNT = 0x1b;
        /// u32 code offset each: EXIT instructions. Written as SVAL of 4n bytes. Since CUDA 11.7 or earlier.
        /// Observed: CUDA 11.7 to 13.5 on sm_35 to 121.
        EXIT_INSTR_OFFSETS = 0x1c;
        /// u32 code offset each: reads of ctaid. Written as SVAL of 4 bytes. Since CUDA 11.7 or earlier. Observed:
        /// CUDA 11.7 to 12.9 on sm_35 to 61.
        S2RCTAID_INSTR_OFFSETS = 0x1d;
        /// u32 bytes of call/return/sync stack, 0xffffffff = unknown. Written as SVAL of 4 bytes. Since CUDA 11.7
        /// or earlier. Observed: CUDA 11.7 to 13.5 on sm_35 to 121.
        CRS_STACK_SIZE = 0x1e;
        /// Flag (dynamic parallelism). Since CUDA 11.7 or earlier. Not observed.
        NEED_CNP_WRAPPER = 0x1f;
        /// Flag (dynamic parallelism). Since CUDA 11.7 or earlier. Not observed.
        NEED_CNP_PATCH = 0x20;
        /// Flag. Since CUDA 11.7 or earlier. Not observed.
        EXPLICIT_CACHING = 0x21;
        /// Flag. Since CUDA 11.7 or earlier. Not observed.
        ISTYPEP_USED = 0x22;
        /// {u32 symbol, u32 bytes}: always 0 in every cubin seen. Written as SVAL of 8 bytes. Since CUDA 11.7 or
        /// earlier. Observed: CUDA 11.7 to 13.5 on sm_35 to 121.
        MAX_STACK_SIZE = 0x23;
        /// Flag. Since CUDA 11.7 or earlier. Not observed.
        SUQ_USED = 0x24;
        /// u32 code offset each. Written as SVAL of 4n bytes. Since CUDA 11.7 or earlier. Observed: CUDA 11.7 to
        /// 11.8 on sm_35 to 37.
        LD_CACHEMOD_INSTR_OFFSETS = 0x25;
        /// {u32 symbol, u32}. Since CUDA 11.7 or earlier. Not observed.
        LOAD_CACHE_REQUEST = 0x26;
        /// u32 code offset each. Since CUDA 11.7 or earlier. Not observed.
        ATOM_SYS_INSTR_OFFSETS = 0x27;
        /// u32 code offset each: warp-collective instructions. Written as SVAL of 4n bytes. Since CUDA 11.7 or
        /// earlier. Observed: CUDA 12.4 to 13.5 on sm_75 to 100.
        COOP_GROUP_INSTR_OFFSETS = 0x28;
        /// u32 each, one per COOP_GROUP_INSTR_OFFSETS entry: register holding the member mask, 0xffffffff = full
        /// warp. Written as SVAL of 4n bytes. Since CUDA 11.7 or earlier. Observed: CUDA 12.4 to 13.5 on sm_75 to
        /// 100.
        COOP_GROUP_MASK_REGIDS = 0x29;
        /// Flag (hardware workaround). Written as NVAL. Since CUDA 11.7 or earlier, name dropped after 13.3.
        /// Observed: CUDA 11.7 to 12.9 on sm_50 to 61.
        SW1850030_WAR = 0x2a;
        /// Flag: uses tensor-core WMMA. Written as NVAL. Since CUDA 11.7 or earlier. Observed: CUDA 12.4 to 13.5 on
        /// sm_75 to 100.
        WMMA_USED = 0x2b;
        /// Flag (linked with pre-Volta object). Since CUDA 11.7 or earlier. Not observed.
        HAS_PRE_V10_OBJECT = 0x2c;
        /// u32 code offset each. Since CUDA 11.7 or earlier. Not observed.
        ATOMF16_EMUL_INSTR_OFFSETS = 0x2d;
        /// {u32 code offset, u16 register, u16 0} each. Written as SVAL of 32 bytes. Since CUDA 11.7 or earlier.
        /// Observed: CUDA 12.4 to 13.5 on sm_75 to 100.
        ATOM16_EMUL_INSTR_REG_MAP = 0x2e;
        /// {u32 symbol, u32 registers per thread}. Written as SVAL of 8 bytes. Since CUDA 11.7 or earlier.
        /// Observed: CUDA 11.7 to 13.5 on sm_35 to 121.
        REGCOUNT = 0x2f;
        /// Flag (hardware workaround). Written as NVAL. Since CUDA 11.7 or earlier, name dropped after 13.3.
        /// Observed: CUDA 11.7 to 12.9 on sm_50 to 61.
        SW2393858_WAR = 0x30;
        /// u32 code offset each. Written as SVAL of 4n bytes. Since CUDA 11.7 or earlier. Observed: CUDA 11.7 to
        /// 13.5 on sm_70 to 100.
        INT_WARP_WIDE_INSTR_OFFSETS = 0x31;
        /// {u32 start, u32 size}: shared-memory scratch. Since CUDA 11.7 or earlier. Not observed.
        SHARED_SCRATCH = 0x32;
        /// Statistics blob (not emitted by default). Since CUDA 11.7 or earlier. Not observed.
        STATISTICS = 0x33;
        /// Variable groups {u32 branch offset, u32 0, u32 n, n × u32 target offset}. Written as SVAL of 4n bytes.
        /// Since CUDA 11.7 or earlier. Observed: CUDA 11.7 to 13.5 on sm_50 to 100.
        INDIRECT_BRANCH_TARGETS = 0x34;
        /// Flag (hardware workaround). Written as NVAL. Since CUDA 11.7 or earlier, name dropped after 13.3.
        /// Observed: CUDA 11.7 to 13.5 on sm_80 to 88.
        SW2861232_WAR = 0x35;
        /// u32 workaround mask. Written as SVAL of 4 bytes. Since CUDA 11.7 or earlier. Observed: CUDA 11.7 to 13.5
        /// on sm_70 to 121.
        SW_WAR = 0x36;
        /// u32: toolkit major × 10+minor (117 … 135). Written as SVAL of 4 bytes. Since CUDA 11.7 or earlier.
        /// Observed: CUDA 11.7 to 13.5 on sm_35 to 121.
        CUDA_API_VERSION = 0x37;
        /// u16 count. Written as HVAL. Since CUDA 11.7 or earlier. Observed: CUDA 12.4 to 13.5 on sm_90 to 100.
        NUM_MBARRIERS = 0x38;
        /// 16 bytes each {u32 code offset, u32 register (0xff none), u32 constant offset, u8 stride/flags, u8, u8,
        /// u8 kind}. Written as SVAL of 4n bytes. Since CUDA 11.7 or earlier. Observed: CUDA 12.4 to 13.5 on sm_90
        /// to 100.
        MBARRIER_INSTR_OFFSETS = 0x39;
        /// {u32 id, u32 code offset} each. Since CUDA 11.7 or earlier. Not observed.
        COROUTINE_RESUME_OFFSETS = 0x3a;
        /// {u32 symbol, u32 bytes}. Since CUDA 11.7 or earlier. Not observed.
        SAM_REGION_STACK_SIZE = 0x3b;
        /// Per-register-target performance estimate pairs. Since CUDA 11.7 or earlier. Not observed.
        PER_REG_TARGET_PERF_STATS = 0x3c;
        /// 3 × u32 cluster dimensions. Written as SVAL of 12 bytes. Since CUDA 11.8. Observed: CUDA 12.4 to 13.5 on
        /// sm_90 to 100.
        CTA_PER_CLUSTER = 0x3d;
        /// Flag: cluster launch required. Written as NVAL. Since CUDA 11.8. Observed: CUDA 12.4 to 13.5 on sm_90 to
        /// 100.
        EXPLICIT_CLUSTER = 0x3e;
        /// u32 maximum cluster size. Written as SVAL of 4 bytes. Since CUDA 11.8. Observed: CUDA 12.4 to 13.5 on
        /// sm_90 to 100.
        MAX_CLUSTER_RANK = 0x3f;
        /// u32 words. Since CUDA 11.8. Not observed.
        INSTR_REG_MAP = 0x40;
        /// Flag: uses the reserved shared region. Written as NVAL. Since CUDA 12.0. Observed: CUDA 12.8 to 13.5 on
        /// sm_90 to 110.
        RESERVED_SMEM_USED = 0x41;
        /// u32 words. Since CUDA 12.0. Not observed.
        RESERVED_SMEM_0_SIZE = 0x42;
        /// Blob. Since CUDA 12.0. Not observed.
        UCODE_SECTION_DATA = 0x43;
        /// u32 words. Since CUDA 12.0. Not observed.
        UNUSED_LOAD_BYTE_OFFSET = 0x44;
        /// 12-byte parameter record. Written as SVAL of 12 bytes. Since CUDA 12.1. Observed: CUDA 12.4 to 13.5 on
        /// sm_75 to 100.
        KPARAM_INFO_V2 = 0x45;
        /// u32 code offset each: driver system calls (malloc, free, printf …). Written as SVAL of 4n bytes. Since
        /// CUDA 12.1. Observed: CUDA 12.4 to 13.5 on sm_50 to 121.
        SYSCALL_OFFSETS = 0x46;
        /// u32 code offset each. Since CUDA 12.1, name dropped after 13.3. Not observed.
        SW_WAR_MEMBAR_SYS_INSTR_OFFSETS = 0x47;
        /// Graphics. Since CUDA 12.2. Not observed.
        GRAPHICS_GLOBAL_CBANK = 0x48;
        /// Graphics. Since CUDA 12.2. Not observed.
        SHADER_TYPE = 0x49;
        /// u8. Written as BVAL. Since CUDA 12.3. Observed: CUDA 12.8 to 13.5 on sm_100 to 121.
        VRC_CTA_INIT_COUNT = 0x4a;
        /// Flag: tools patch function. Since CUDA 12.3. Observed: CUDA 13.5 with `ptxas -astoolspatch`.
        TOOLS_PATCH_FUNC = 0x4b;
        /// u8: named barriers used (1 for `__syncthreads`, up to 16). Written as BVAL. Since CUDA 12.3. Observed:
        /// CUDA 12.8 to 13.5 on sm_75 to 121.
        NUM_BARRIERS = 0x4c;
        /// Flag: independent texture mode. Since CUDA 12.3. Not observed.
        TEXMODE_INDEPENDENT = 0x4d;
        /// Blob (not emitted by default). Since CUDA 12.3. Not observed.
        PERF_STATISTICS = 0x4e;
        /// u32 fragment id each. Written as SVAL of 4 bytes. Since CUDA 12.4. Observed: CUDA 13.5 on sm_100.
        AT_ENTRY_FRAGMENTS = 0x4f;
        /// u16 mask. Written as HVAL. Since CUDA 12.4. Observed: CUDA 12.4 to 13.5 on sm_90 to 121.
        SPARSE_MMA_MASK = 0x50;
        /// Flag: single-CTA tcgen05. Written as NVAL. Since CUDA 12.5. Observed: CUDA 13.5 on sm_100.
        TCGEN05_1CTA_USED = 0x51;
        /// Flag: two-CTA tcgen05. Written as NVAL. Since CUDA 12.5. Observed: CUDA 13.5 on sm_100.
        TCGEN05_2CTA_USED = 0x52;
        /// Flag, stored in the module section, no symbol index (debug and `--make-errors-visible-at-exit`). Written
        /// as NVAL. Since CUDA 12.5. Observed: CUDA 12.5 to 13.5 on sm_70 to 121.
        GEN_ERRBAR_AT_EXIT = 0x53;
        /// Flag: kernel uses `setmaxnreg`. Written as NVAL. Since CUDA 12.5. Observed: CUDA 13.5 on sm_90.
        REG_RECONFIG = 0x54;
        /// Annotation list. Written as SVAL of 4n bytes. Since CUDA 12.5. Observed: CUDA 12.6 to 13.5 on sm_50 to
        /// 121.
        ANNOTATIONS = 0x55;
        /// Slot of SANITIZE (u16) in CUDA 12.5 to 12.8, unused since. Not observed.
        SANITIZE_OLD = 0x56;
        /// u32 code offset each. Since CUDA 12.6. Observed: CUDA 13.5 with `ptxas -device-stack-protector=true`.
        STACK_CANARY_TRAP_OFFSETS = 0x57;
        /// Written as HVAL. Since CUDA 12.6. Observed: CUDA 13.5 for functions with `.attribute(.unified(...))`.
        STUB_FUNCTION_KIND = 0x58;
        /// u32 code offset each. Since CUDA 12.8. Not observed.
        LOCAL_CTA_ASYNC_STORE_OFFSETS = 0x59;
        /// Option blob, only in `.nv.merc.nv.info.*`. Since CUDA 12.8, name dropped after 13.3.
        /// Observed: in Mercury info of CUDA 13.5.
        MERCURY_FINALIZER_OPTIONS = 0x5a;
        /// Flag (`.blocksareclusters`). Written as NVAL. Since CUDA 12.9. Observed: CUDA 13.5 on sm_90.
        BLOCKS_ARE_CLUSTERS = 0x5b;
        /// u16 sanitizer kind (1 = memcheck). Written as HVAL. Since CUDA 12.9. Observed: CUDA 13.5 on sm_90.
        SANITIZE = 0x5c;
        /// Blob. Since CUDA 13.0. Not observed.
        SYSCALLS_FALLBACK = 0x5d;
        /// u32 words. Since CUDA 13.0. Not observed.
        CUDA_REQ = 0x5e;
        /// u16 minor.major packed as 0x0101; 0 below sm_90. Written as HVAL. Since CUDA 13.0, name dropped after
        /// 13.3. Observed: CUDA 13.0 to 13.5 on sm_75 to 121.
        MERCURY_ISA_VERSION = 0x5f;
        /// Ray tracing. Since CUDA 13.1. Not observed.
        RTCORE_ENTRY = 0x61;
        /// Flag: cluster launch control. Written as NVAL. Since CUDA 13.2. Observed: CUDA 13.5 on sm_100.
        CLUSTER_LAUNCH_CONTROL_USED = 0x62;
        /// Payload not established. Since CUDA 13.2. Not observed.
        LAUNCH_PRE_REG_ALLOC = 0x63;
        /// Payload not established. Since CUDA 13.2. Not observed.
        MIN_PER_CTA_MEMORY_SIZE = 0x64;
        /// u32 code offset each. Since CUDA 13.2. Not observed.
        IGNOREOOB_CP_ASYNC_BULK_INSTR_OFFSETS = 0x65;
        /// u32 source language: 1 SASS, 2 NVSAL, 3 PTX, 4 NVVM, 5 CUDA C++, 6 CUDA C++ Tile, 7 TileIR, 8 cuTile, 9
        /// Fortran, 10 OptiX. Written as SVAL of 4 bytes. Since CUDA 13.2. Observed: CUDA 13.2 to 13.5 on sm_75 to
        /// 121.
        LANGUAGE = 0x66;
        /// named only in 13.3; u8. Written as BVAL. Since CUDA 13.3, name dropped after 13.3. Observed: CUDA 13.4
        /// to 13.5 on sm_107.
        WAR5829587_NEEDED = 0x67;
        /// Payload not established. Since CUDA 13.3. Not observed.
        GRID_ATTRIBUTES = 0x68;
        /// Payload not established. Since CUDA 13.3. Not observed.
        STACK_OFFSET = 0x69;
        /// Payload not established. Since CUDA 13.3. Not observed.
        RT_LIVESTATE_SASS_MAP = 0x6a;
        /// u16. Written as HVAL. Since CUDA 13.2. Observed: CUDA 13.2 to 13.5 on sm_90 to 121.
        NVSAL_SW_WAR = 0x6b;
        /// {u32 instruction kind, u32 code offset …}. Since CUDA 13.4. Not observed.
        INSTR_OFFSETS = 0x6c;
        /// u8: programmatic early exit used. Written as BVAL. Since CUDA 13.4. Observed: CUDA 13.4 to 13.5 on sm_90
        /// to 121.
        PREEXIT_USED = 0x6d;
    }
}

impl Eiattr {
    /// Whether the payload is a list of u32 code offsets, one instruction each.
    #[must_use]
    pub const fn is_code_offsets(self) -> bool {
        matches!(
            self,
            Self::EXIT_INSTR_OFFSETS
                | Self::S2RCTAID_INSTR_OFFSETS
                | Self::LD_CACHEMOD_INSTR_OFFSETS
                | Self::ATOM_SYS_INSTR_OFFSETS
                | Self::COOP_GROUP_INSTR_OFFSETS
                | Self::ATOMF16_EMUL_INSTR_OFFSETS
                | Self::INT_WARP_WIDE_INSTR_OFFSETS
                | Self::SYSCALL_OFFSETS
                | Self::SW_WAR_MEMBAR_SYS_INSTR_OFFSETS
                | Self::STACK_CANARY_TRAP_OFFSETS
                | Self::LOCAL_CTA_ASYNC_STORE_OFFSETS
                | Self::IGNOREOOB_CP_ASYNC_BULK_INSTR_OFFSETS
        )
    }
}

open_set! {
    /// Kind of an entry of [`Eiattr::ANNOTATIONS`].
    AnnotationKind(u32), prefix "" {
        /// u32 code offset follows: one spill store or reload.
        SPILL = 1;
        /// u32 code offset, u32 length, text follow (`ptxas -annotate`).
        INSTRUCTION_NOTE = 2;
        /// u32 length, text with NUL, padding to 4 follow (`ptxas -annotate`).
        FUNCTION_NOTE = 3;
    }
}

open_set! {
    /// Value of [`Eiattr::LANGUAGE`]: what the module was written in.
    Language(u32), prefix "" {
        /// SASS.
        SASS = 1;
        /// NVSAL.
        NVSAL = 2;
        /// PTX.
        PTX = 3;
        /// NVVM.
        NVVM = 4;
        /// CUDA C++.
        CUDA_CPP = 5;
        /// CUDA C++ Tile.
        CUDA_CPP_TILE = 6;
        /// TileIR.
        TILE_IR = 7;
        /// cuTile.
        CU_TILE = 8;
        /// Fortran.
        FORTRAN = 9;
        /// OptiX.
        OPTIX = 10;
    }
}

open_set! {
    /// Memory space of what a pointer parameter points to, in KPARAM_INFO and KPARAM_INFO_V2.
    PointeeSpace(u8), prefix "" {
        /// Not declared.
        UNSPECIFIED = 0;
        /// Local memory.
        LOCAL = 1;
        /// Shared memory.
        SHARED = 2;
        /// Constant memory. ptxas 13.5 writes it for `.ptr .const` on sm_75, but `GLOBAL` on sm_90 and above.
        CONST = 3;
        /// Global memory.
        GLOBAL = 4;
        /// Generic address.
        GENERIC = 5;
        /// The parameter is a texture reference.
        TEXREF = 6;
        /// The parameter is a surface reference.
        SURFREF = 7;
        /// The parameter is a sampler reference.
        SAMPLERREF = 8;
    }
}

impl PointeeSpace {
    /// Whether it stands for memory that a pointer can point to: local, shared, constant, global, generic.
    #[must_use]
    pub const fn is_memory(self) -> bool {
        matches!(
            self,
            Self::LOCAL | Self::SHARED | Self::CONST | Self::GLOBAL | Self::GENERIC
        )
    }
}

open_set! {
    /// Where a parameter is passed: bit 17 of KPARAM_INFO's last word.
    ParamSpace(u8), prefix "" {
        /// In constant bank 0.
        CONSTANT_BANK = 0;
        /// In shared memory (targets before sm_20).
        SHARED = 1;
    }
}

#[cfg(test)]
mod tests {
    use super::{Eiattr, Eifmt, PointeeSpace};

    #[test]
    fn references_are_no_memory() {
        let memory: Vec<u8> = (0..=9)
            .filter(|&space| PointeeSpace(space).is_memory())
            .collect();
        assert_eq!(memory, [1, 2, 3, 4, 5]);
    }

    #[test]
    fn codes_run_from_0_to_6d_with_one_hole() {
        let codes: Vec<u8> = Eiattr::KNOWN.iter().map(|code| code.0).collect();
        let expected: Vec<u8> = (0..=0x6d).filter(|code| *code != 0x60).collect();
        assert_eq!(codes, expected);
        assert_eq!(Eiattr(0x2f).to_string(), "EIATTR_REGCOUNT");
        assert_eq!(Eiattr(0x55).name(), Some("EIATTR_ANNOTATIONS"));
        assert_eq!(Eiattr(0x6e).to_string(), "0x6e");
        assert_eq!(Eifmt(4), Eifmt::SVAL);
    }
}
