//! The mnemonics, each in its class.

use super::class::{Class, Space};

/// Declares [`Mnemonic`] with its names and classes from one list.
macro_rules! mnemonics {
    ($($class:ident: $($name:ident)+;)+) => {
        /// What an instruction does, as nvdisasm names it before the first dot: `LDG` of `LDG.E.128.CONSTANT`.
        ///
        /// NVIDIA's *CUDA Binary Utilities* says in a line what each means ("Instruction Set Reference"); what it leaves out
        /// is named as nvdisasm prints it.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, reason = "names of the vendor's")]
        pub enum Mnemonic {
            $($(
                #[doc = concat!("`", stringify!($name), "`")]
                $name,
            )+)+
        }

        impl Mnemonic {
            /// Every mnemonic that is known, by class.
            pub const ALL: &'static [Self] = &[$($(Self::$name,)+)+];

            /// As nvdisasm prints it.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $($(Self::$name => stringify!($name),)+)+
                }
            }

            /// The class of an instruction with this mnemonic that is executed and is no padding.
            #[must_use]
            pub const fn class(self) -> Class {
                match self {
                    $($(Self::$name)|+ => Class::$class,)+
                }
            }
        }
    };
}

mnemonics! {
    Fp64: DADD DFMA DMNMX DMUL DSET DSETP;
    Fp32:
        FADD FADD2 FADD32I FCHK FCMP FFMA FFMA2 FFMA32I FHADD FHADD2 FHFMA FHFMA2 FHMUL2 FMNMX FMNMX3 FMUL
        FMUL2 FMUL32I FSEL FSET FSETP FSWZADD RRO;
    Half:
        HADD2 HADD2_32I HFMA2 HFMA2_32I HMNMX2 HMUL2 HMUL2_32I HSET2 HSETP2 QADD4 QFMA4 QMUL4 VHMNMX;
    Integer:
        BFE BFI BMSK BREV CLMAD CSET CSETP FLO IABS IADD IADD3 IADD32I ICMP IDP IMAD IMAD32I IMADSP IMNMX
        IMUL IMUL32I ISCADD ISCADD32I ISET ISETP LEA LOP LOP3 LOP32I PLOP3 POPC PSET PSETP SGXT SHF SHL SHR
        VABSDIFF VABSDIFF4 VADD VIADD VIADDMNMX VIMNMX VIMNMX3 VISET VMAD VMNMX VSET VSETP VSHL VSHR XMAD;
    Conversion: F2F F2FP F2I F2IP FRND I2F I2FP I2I I2IP;
    Special: MUFU;
    Tensor: BGMMA BMMA DMMA HGMMA HMMA IGMMA IMMA OMMA QGMMA QMMA UTCHMMA UTCIMMA UTCOMMA UTCQMMA;
    TensorData: LDTM MOVM STTM UTCATOMSWS UTCBAR UTCCP UTCSHIFT WARPGROUP WARPGROUPSET;
    Move:
        B2R BMOV CS2R CS2UR CSMTEST GETLMEMBASE LEPC MOV MOV32I MOV64IUR P2R PRMT R2B R2P R2UR RPCMOV S2R S2UR
        SEL SETCTAID SETLMEMBASE UP2UR UR2UP;
    Uniform:
        UBMSK UBREV UCLEA UF2F UF2FP UF2I UF2IP UFADD UFFMA UFHADD UFHFMA UFLO UFMNMX UFMUL UFRND UFSEL UFSET
        UFSETP UI2F UI2FP UI2I UI2IP UIABS UIADD3 UIMAD UIMNMX UISETP ULEA ULEPC ULOP3 UMOV UPLOP3 UPOPC UPRMT
        USEL USGXT USHF UVIADD UVIMNMX;
    Load: LD LDC LDCU LDG LDGMC LDL LDS LDSM LDTRAM ULDC;
    Store: ST STG STL STS STSM USTGR;
    AsyncCopy:
        LDGSTS REDAS STAS UBLKCP UBLKL2CCTL UBLKPF UBLKRED UMEMSETS UTMAL2CCTL UTMALDG UTMAPF UTMAREDG UTMASTG;
    Atomic: ATOM ATOMG ATOMS RED REDG SUATOM SURED UREDGR;
    Texture: FOOTPRINT STP SULD SUQUERY SUST TEX TEXS TLD TLD4 TLD4S TLDS TMML TXA TXD TXQ;
    Barrier:
        ACQBULK ACQSHMINIT ARRIVES BAR CCTL CCTLL CCTLT CGAERRBAR DEPBAR ELECT ENDCOLLECTIVE ERRBAR FENCE
        LDGDEPBAR MEMBAR NANOSLEEP PREEXIT SYNCS SYNCSU UCCTL UCGABAR_ARV UCGABAR_WAIT UGETNEXTWORKID
        USETMAXREG USETSHMSZ USYNCS UTMACCTL UTMACMDFLUSH WARPSYNC;
    Shuffle: CREDUX MATCH QSPC REDUX SHFL VOTE VOTEU;
    Branch:
        BRA BREAK BRK BRX BRXU BSSY BSYNC CONT EXIT JMP JMX JMXU LONGJMP PBK PCNT PEXIT PLONGJMP SSY SYNC YIELD;
    Call: CAL CALL JCAL PRET RET;
    Other:
        AL2P ALD AST BPT GETCRSPTR IDE IPA ISBERD ISBEWR KIL KILL OUT PIXLD PMTRIG RAM RTT SAM SETCRSPTR
        UTRACEEVENT UVIRTCOUNT;
    Nop: NOP;
}

impl Mnemonic {
    /// The memory that a load or a store names; `None` for everything else, atomics and copies included.
    #[must_use]
    pub const fn space(self) -> Option<Space> {
        match self {
            Self::LD | Self::ST => Some(Space::Generic),
            Self::LDG | Self::LDGMC | Self::STG | Self::USTGR => Some(Space::Global),
            Self::LDS | Self::LDSM | Self::LDTRAM | Self::STS | Self::STSM => Some(Space::Shared),
            Self::LDL | Self::STL => Some(Space::Local),
            Self::LDC | Self::LDCU | Self::ULDC => Some(Space::Constant),
            _ => None,
        }
    }
}

impl core::fmt::Display for Mnemonic {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.pad(self.name())
    }
}
