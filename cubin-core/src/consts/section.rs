//! Section types, and the names that say what a section holds.

open_set! {
    /// `sh_type`.
    ///
    /// In relocatable objects memory sections carry CUDA types; in executables the same names carry PROGBITS or
    /// NOBITS. Identify a section by its name ([`SectionName`]), then check the type.
    SectionType(u32), prefix "" {
        /// Unused entry.
        NULL = 0;
        /// Bytes of the program.
        PROGBITS = 1;
        /// Symbol table.
        SYMTAB = 2;
        /// String table.
        STRTAB = 3;
        /// Relocations with explicit addends.
        RELA = 4;
        /// Notes.
        NOTE = 7;
        /// A size without bytes.
        NOBITS = 8;
        /// Relocations whose addend lies in the patched bytes.
        REL = 9;
        /// Section indices of symbols whose `st_shndx` is 0xffff.
        SYMTAB_SHNDX = 18;
        /// `.nv.info`, `.nv.info.<f>`.
        CUDA_INFO = 0x7000_0000;
        /// `.nv.callgraph`.
        CUDA_CALLGRAPH = 0x7000_0001;
        /// `.nv.prototype`.
        CUDA_PROTOTYPE = 0x7000_0002;
        /// `.nv.resolvedrela.*`.
        CUDA_RESOLVED_RELA = 0x7000_0003;
        /// `.nv.metadata`.
        CUDA_METADATA = 0x7000_0004;
        /// Constants of no particular bank.
        CUDA_CONSTANT = 0x7000_0006;
        /// `.nv.global` of relocatable objects. No file data.
        CUDA_GLOBAL = 0x7000_0007;
        /// `.nv.global.init` of relocatable objects, `.nv.merc.nv.global.init`.
        CUDA_GLOBAL_INIT = 0x7000_0008;
        /// `.nv.local.<f>`. No file data.
        CUDA_LOCAL = 0x7000_0009;
        /// `.nv.shared.<f>` of relocatable objects. No file data.
        CUDA_SHARED = 0x7000_000a;
        /// `.nv.rel.action`.
        CUDA_RELOCINFO = 0x7000_000b;
        /// Mercury code; named by the 13.2 tools only.
        CUDA_MERCURY = 0x7000_000c;
        /// Map from Mercury to SASS; named by the 13.2 tools only.
        CUDA_MERCURY_SASS_MAP = 0x7000_000d;
        /// Unified function table.
        CUDA_UFT = 0x7000_000e;
        /// Unified function table, indices.
        CUDA_UIDX = 0x7000_0010;
        /// Unified function table, entries.
        CUDA_UFT_ENTRY = 0x7000_0011;
        /// Unified data table.
        CUDA_UDT = 0x7000_0012;
        /// Unified data table, entries.
        CUDA_UDT_ENTRY = 0x7000_0014;
        /// `.nv.shared.reserved.0` of relocatable objects and its Mercury copy. No file data.
        CUDA_RESERVED_SHARED = 0x7000_0015;
        /// `.nv.capmerc.text.<f>`.
        CUDA_CAPMERC = 0x7000_0016;
        /// `.nv.constant0[.<f>]` of relocatable objects: driver area, then parameters.
        CUDA_CONSTANT_B0 = 0x7000_0064;
        /// `.nv.constant1[.<f>]` of relocatable objects.
        CUDA_CONSTANT_B1 = 0x7000_0065;
        /// `.nv.constant2[.<f>]` of relocatable objects: literals.
        CUDA_CONSTANT_B2 = 0x7000_0066;
        /// `.nv.constant3` of relocatable objects: `__constant__` variables.
        CUDA_CONSTANT_B3 = 0x7000_0067;
        /// `.nv.constant4` of relocatable objects: address table.
        CUDA_CONSTANT_B4 = 0x7000_0068;
        /// `.nv.constant5[.<f>]` of relocatable objects.
        CUDA_CONSTANT_B5 = 0x7000_0069;
        /// `.nv.constant6[.<f>]` of relocatable objects.
        CUDA_CONSTANT_B6 = 0x7000_006a;
        /// `.nv.constant7[.<f>]` of relocatable objects. Higher banks have no name.
        CUDA_CONSTANT_B7 = 0x7000_006b;
        /// `.nv.merc.nv.constant.params.*`.
        MERCURY_CONSTANT_PARAMS = 0x7000_0078;
        /// `.nv.merc.nv.constant.imghdr.*`.
        MERCURY_CONSTANT_IMGHDR = 0x7000_0079;
        /// `.nv.merc.nv.constant.driver.*`.
        MERCURY_CONSTANT_DRIVER = 0x7000_007a;
        /// `.nv.merc.nv.constant.opt.*`.
        MERCURY_CONSTANT_OPT = 0x7000_007b;
        /// `.nv.merc.nv.constant.user`.
        MERCURY_CONSTANT_USER = 0x7000_007c;
        /// `.nv.merc.nv.constant.pic`.
        MERCURY_CONSTANT_PIC = 0x7000_007d;
        /// `.nv.merc.nv.constant.tools.*`.
        MERCURY_CONSTANT_TOOLS = 0x7000_007e;
        /// `.nv.merc.rela.*`.
        MERCURY_RELA = 0x7000_0082;
        /// `.nv.merc.nv.info*`.
        MERCURY_INFO = 0x7000_0083;
        /// `.nv.merc.nv.constant.optimizer.<f>`.
        MERCURY_CONSTANT_OPTIMIZER = 0x7000_0084;
        /// `.nv.merc.symtab`.
        MERCURY_SYMTAB = 0x7000_0085;
        /// `.nv.compat`.
        CUDA_COMPAT_INFO = 0x7000_0086;
        /// Host code inside a cubin; named from 13.2 on.
        CUDA_EMBEDDED_HOST = 0x7000_0087;
        /// Resolved relocations of Mercury code.
        MERCURY_RESOLVED_RELA = 0x7000_0088;
        /// Trace marks; named from 13.5 on.
        CUDA_METADATA_TRACE_MARK = 0x7000_0089;
        /// `.nv.merc.nv.callgraph`; from 13.4 on.
        MERCURY_CALLGRAPH = 0x7000_008a;
        /// `.nv.merc.nv.prototype`; from 13.4 on.
        MERCURY_PROTOTYPE = 0x7000_008b;
    }
}

impl SectionType {
    /// Whether sections of this type have a size but no bytes in the file.
    ///
    /// Their offset is that of the next section, and offset plus size may pass the end of a valid file.
    #[must_use]
    pub const fn no_bits(self) -> bool {
        matches!(
            self,
            Self::NOBITS
                | Self::CUDA_GLOBAL
                | Self::CUDA_LOCAL
                | Self::CUDA_SHARED
                | Self::CUDA_RESERVED_SHARED
        )
    }

    /// Whether only Mercury sections (the capsule of sm_100 and above) have this type.
    ///
    /// A Mercury twin may also carry a plain type; [`SectionName::is_mercury`] decides by name.
    #[must_use]
    pub const fn is_mercury(self) -> bool {
        matches!(
            self,
            Self::CUDA_MERCURY
                | Self::CUDA_MERCURY_SASS_MAP
                | Self::CUDA_CAPMERC
                | Self::MERCURY_CONSTANT_PARAMS
                | Self::MERCURY_CONSTANT_IMGHDR
                | Self::MERCURY_CONSTANT_DRIVER
                | Self::MERCURY_CONSTANT_OPT
                | Self::MERCURY_CONSTANT_USER
                | Self::MERCURY_CONSTANT_PIC
                | Self::MERCURY_CONSTANT_TOOLS
                | Self::MERCURY_RELA
                | Self::MERCURY_INFO
                | Self::MERCURY_CONSTANT_OPTIMIZER
                | Self::MERCURY_SYMTAB
                | Self::MERCURY_RESOLVED_RELA
                | Self::MERCURY_CALLGRAPH
                | Self::MERCURY_PROTOTYPE
        )
    }

    /// The constant bank of a `CUDA_CONSTANT_Bn` type, 0 to 19; the tools name 0 to 7.
    #[must_use]
    pub const fn constant_bank(self) -> Option<u8> {
        match self.0 {
            // 0x70000078 starts the Mercury constants. The difference fits: at most 19.
            value @ 0x7000_0064..=0x7000_0077 => Some((value & 0xff).wrapping_sub(0x64) as u8),
            _ => None,
        }
    }
}

/// What a section's name says it holds. `<f>` is the exact symbol name of a function, dots and dollar signs included:
/// only the known prefix is split off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SectionName<'a> {
    /// `.text.<f>`: machine code.
    Text(&'a str),
    /// `.nv.info`: module attributes.
    ModuleInfo,
    /// `.nv.info.<f>`: attributes of a function.
    Info(&'a str),
    /// `.nv.constantN`: a constant bank of the module.
    ModuleConstant(u8),
    /// `.nv.constantN.<f>`: a constant bank of a function.
    Constant(u8, &'a str),
    /// `.nv.shared.reserved.N`: shared memory that the system reserves; belongs to no kernel.
    ReservedShared,
    /// `.nv.shared.<f>`: static shared memory.
    Shared(&'a str),
    /// `.nv.local.<f>`: local memory.
    Local(&'a str),
    /// `.nv.global`: zero-initialised `__device__` variables.
    Global,
    /// `.nv.global.init`: initialised `__device__` variables.
    GlobalInit,
    /// `.nv.callgraph`.
    Callgraph,
    /// `.nv.prototype`.
    Prototype,
    /// `.nv.rel.action`.
    RelAction,
    /// `.nv.compat`.
    Compat,
    /// `.note.nv.tkinfo`.
    Tkinfo,
    /// `.note.nv.cuinfo` or `.note.nv.cuver`.
    Cuinfo,
    /// `.rel<target>`, for example `.rel.text.<f>`.
    Rel(&'a str),
    /// `.rela<target>`.
    Rela(&'a str),
    /// `.nv.merc.*` and `.nv.capmerc.*`: the Mercury twin of a plain section.
    Mercury(&'a str),
    /// `.debug_*`, `.nv_debug*`: debug information.
    Debug(&'a str),
    /// Anything else, among it `.symtab`, `.strtab` and `.shstrtab`.
    Other(&'a str),
}

/// Prefixes of section names; what follows is the exact symbol of a function.
pub mod prefix {
    /// Machine code.
    pub const TEXT: &str = ".text.";
    /// A function's attributes.
    pub const INFO: &str = ".nv.info.";
    /// Constant banks; the bank's number follows, then perhaps a dot and the function.
    pub const CONSTANT: &str = ".nv.constant";
    /// Static shared memory.
    pub const SHARED: &str = ".nv.shared.";
    /// Local memory.
    pub const LOCAL: &str = ".nv.local.";
}

impl<'a> SectionName<'a> {
    /// Splits `name` at the known prefix.
    #[must_use]
    pub fn parse(name: &'a str) -> Self {
        match name {
            ".nv.info" => return Self::ModuleInfo,
            ".nv.global" => return Self::Global,
            ".nv.global.init" => return Self::GlobalInit,
            ".nv.callgraph" => return Self::Callgraph,
            ".nv.prototype" => return Self::Prototype,
            ".nv.rel.action" => return Self::RelAction,
            ".nv.compat" => return Self::Compat,
            ".note.nv.tkinfo" => return Self::Tkinfo,
            ".note.nv.cuinfo" | ".note.nv.cuver" => return Self::Cuinfo,
            ".nv.shared.reserved.0" => return Self::ReservedShared,
            _ => {}
        }
        if let Some(function) = name.strip_prefix(prefix::TEXT) {
            return Self::Text(function);
        }
        if let Some(function) = name.strip_prefix(prefix::INFO) {
            return Self::Info(function);
        }
        if let Some(function) = name.strip_prefix(prefix::SHARED) {
            return Self::Shared(function);
        }
        if let Some(function) = name.strip_prefix(prefix::LOCAL) {
            return Self::Local(function);
        }
        if let Some(rest) = name.strip_prefix(prefix::CONSTANT) {
            return Self::constant(rest).unwrap_or(Self::Other(name));
        }
        if name.starts_with(".nv.merc.") || name.starts_with(".nv.capmerc.") {
            return Self::Mercury(name);
        }
        // `.rela` first: `.rel` is its prefix.
        if let Some(target) = name
            .strip_prefix(".rela")
            .filter(|rest| rest.starts_with('.'))
        {
            return Self::Rela(target);
        }
        if let Some(target) = name
            .strip_prefix(".rel")
            .filter(|rest| rest.starts_with('.'))
        {
            return Self::Rel(target);
        }
        if name.starts_with(".debug_") || name.starts_with(".nv_debug") {
            return Self::Debug(name);
        }
        Self::Other(name)
    }

    /// `rest` is what follows `.nv.constant`: a number, then nothing or `.<f>`.
    fn constant(rest: &'a str) -> Option<Self> {
        match rest.split_once('.') {
            None => decimal(rest).map(Self::ModuleConstant),
            Some((bank, function)) => decimal(bank).map(|bank| Self::Constant(bank, function)),
        }
    }

    /// Whether the section belongs to the Mercury capsule. Its figures repeat those of the plain twin: never add both.
    #[must_use]
    pub const fn is_mercury(self) -> bool {
        matches!(self, Self::Mercury(_))
    }
}

/// A bank number: digits only, so that `+0` is no bank.
fn decimal(text: &str) -> Option<u8> {
    if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::{SectionName, SectionType};

    #[test]
    fn names_split_at_the_known_prefix_only() {
        let parse = SectionName::parse;
        assert_eq!(parse(".text.a.b$c"), SectionName::Text("a.b$c"));
        assert_eq!(parse(".nv.info"), SectionName::ModuleInfo);
        assert_eq!(parse(".nv.info.k"), SectionName::Info("k"));
        assert_eq!(parse(".nv.constant0.k"), SectionName::Constant(0, "k"));
        assert_eq!(parse(".nv.constant3"), SectionName::ModuleConstant(3));
        assert_eq!(
            parse(".nv.constant.optimizer.k"),
            SectionName::Other(".nv.constant.optimizer.k")
        );
        assert_eq!(parse(".nv.shared.reserved.0"), SectionName::ReservedShared);
        assert_eq!(parse(".nv.shared.k"), SectionName::Shared("k"));
        assert_eq!(parse(".rela.text.k"), SectionName::Rela(".text.k"));
        assert_eq!(parse(".rel.text.k"), SectionName::Rel(".text.k"));
        assert!(parse(".nv.merc.rela.text.k").is_mercury());
        assert!(parse(".nv.capmerc.text.k").is_mercury());
        assert_eq!(parse(".nv.rel.action"), SectionName::RelAction);
        assert_eq!(parse(".nv.global"), SectionName::Global);
        assert_eq!(parse(".nv.global.init"), SectionName::GlobalInit);
        for name in [
            ".nv.constant",
            ".nv.constant+3",
            ".nv.constant3x",
            ".nv.constant256",
        ] {
            assert_eq!(parse(name), SectionName::Other(name), "{name}");
        }
        assert_eq!(parse(".note.nv.tkinfo"), SectionName::Tkinfo);
        for name in [".note.nv.cuinfo", ".note.nv.cuver"] {
            assert_eq!(parse(name), SectionName::Cuinfo, "{name}");
        }
    }

    #[test]
    fn banks_and_twins() {
        assert_eq!(SectionType::CUDA_CONSTANT_B3.constant_bank(), Some(3));
        assert_eq!(SectionType(0x7000_0077).constant_bank(), Some(19));
        assert_eq!(SectionType::MERCURY_CONSTANT_PARAMS.constant_bank(), None);
        assert!(SectionType::MERCURY_RELA.is_mercury());
        assert!(!SectionType::CUDA_COMPAT_INFO.is_mercury());
        assert!(SectionType::CUDA_RESERVED_SHARED.no_bits());
        assert!(!SectionType::CUDA_GLOBAL_INIT.no_bits());
        assert_eq!(SectionType(0x7000_00ff).to_string(), "0x700000ff");
    }
}
