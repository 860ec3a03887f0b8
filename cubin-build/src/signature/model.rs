//! Kernel signatures as data: what the readers of nvcc's side files yield and what `codegen` consumes.

use std::path::PathBuf;

/// Everything one translation unit (for one target) says of its kernels.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Signatures {
    /// In order of definition in the source.
    pub kernels: Vec<Kernel>,
    /// Records (struct, class, union) reachable from a parameter; `RecordId` indexes it.
    pub records: Vec<Record>,
    /// Enumerations reachable from a parameter; `EnumId` indexes it.
    pub enums: Vec<Enum>,
    /// `__constant__`, `__device__` and `__managed__` variables.
    pub globals: Vec<Global>,
}

/// One kernel.
#[derive(Debug, Clone, PartialEq)]
pub struct Kernel {
    /// Device symbol, mangled unless extern "C".
    pub symbol: String,
    /// Qualified C++ name with template arguments and without parameter types: `ns::scale<float>`.
    pub name: String,
    /// Namespace components; an anonymous namespace is the empty string.
    pub namespaces: Vec<String>,
    /// Unqualified name without template arguments: `scale`.
    pub base_name: String,
    /// Empty when no template.
    pub template_args: Vec<TemplateArg>,
    /// In order of declaration.
    pub params: Vec<Param>,
    /// `__launch_bounds__` first argument.
    pub max_threads: Option<u32>,
    /// Where it is defined; absent when the compiler's files do not say.
    pub definition: Option<Definition>,
    /// Where its `.entry` stands, when its source is PTX.
    pub entry: Option<Definition>,
    /// Defined in a header of the toolkit (cub, thrust): gets no wrapper.
    pub in_toolkit_header: bool,
    /// Why no exact wrapper can be given, if so. The policy still sees the kernel.
    pub refusal: Option<Refusal>,
}

/// One argument of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateArg {
    /// As C++ text: `float`, `8`, `false`, `ns::Mode::Linear`.
    pub text: String,
    /// Set for an integer, a truth value or an enumerator, when its type is known.
    pub value: Option<TemplateValue>,
}

/// A template argument that is a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TemplateValue {
    /// The number; a `bool` is 0 or 1.
    pub number: i128,
    /// What it is a value of.
    pub ty: ValueType,
}

/// The type of a template argument that is a number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ValueType {
    /// `bool`, a character or an integer type.
    Scalar(Scalar),
    /// An enumeration. Its underlying type is not needed: the number says it all.
    Enum {
        /// Qualified C++ name of the enumeration.
        name: String,
        /// Qualified C++ name of the first enumerator with this number; absent when none has it.
        enumerator: Option<String>,
    },
}

/// File and line of a definition, from the preprocessor's line markers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// As the line marker names it.
    pub file: PathBuf,
    /// From 1.
    pub line: u32,
}

/// One kernel parameter.
#[derive(Debug, Clone, PartialEq)]
pub struct Param {
    /// Name in the source; absent when unnamed.
    pub name: Option<String>,
    /// Its type.
    pub ty: Type,
    /// The type as C++ text, for documentation and messages: `const float *__restrict__`.
    pub c_type: String,
    /// Size in bytes by the C++ rules, equal to the cubin's record once checked.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// Member of a parameter pack.
    pub pack: bool,
}

/// Index into [`Signatures::records`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RecordId(pub usize);

/// Index into [`Signatures::enums`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EnumId(pub usize);

/// A C++ type as far as a launch needs it (x86-64 and aarch64 Linux: LP64).
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Type {
    /// Only behind a pointer.
    Void,
    /// Arithmetic types and the toolkit's small number types.
    Scalar(Scalar),
    /// `int4`, `float3`, `half2` …
    Vector(Vector),
    /// A device address: pointers, references, decayed arrays.
    Pointer(Pointer),
    /// Array of known length, inside records or behind pointers.
    Array(Box<Type>, u64),
    /// struct, class or union.
    Record(RecordId),
    /// enum.
    Enum(EnumId),
    /// Function pointer: an address that only device code can make.
    Function,
    /// A type of which only a name is known (incomplete struct behind a pointer).
    Opaque(String),
    /// `CUtensorMap`: 128 bytes, aligned as the header says.
    TensorMap {
        /// Alignment in bytes: 64 in older headers, 128 in 13.5.
        align: u64,
    },
}

/// A pointer or reference.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Pointer {
    /// What it points to, without qualifiers.
    pub pointee: Box<Type>,
    /// The kernel promises not to write through it.
    pub is_const: bool,
    /// `volatile` pointee.
    pub is_volatile: bool,
    /// Declared as a reference: never null.
    pub reference: bool,
    /// `__restrict__`.
    pub restrict: bool,
}

/// Arithmetic types. The names are C's; sizes are those of LP64.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scalar {
    /// `bool`, 1 byte
    Bool,
    /// `char`
    Char,
    /// `signed char`, `int8_t`
    SChar,
    /// `unsigned char`, `uint8_t`, `std::byte`
    UChar,
    /// `short`
    Short,
    /// `unsigned short`
    UShort,
    /// `int`
    Int,
    /// `unsigned`
    UInt,
    /// `long`, 8 bytes
    Long,
    /// `unsigned long`, 8 bytes
    ULong,
    /// `long long`
    LongLong,
    /// `unsigned long long`
    ULongLong,
    /// `size_t`
    SizeT,
    /// `ptrdiff_t`, `intptr_t`, `ssize_t`
    PtrDiff,
    /// `__int128`
    Int128,
    /// `unsigned __int128`
    UInt128,
    /// `wchar_t`, 4 bytes
    WChar,
    /// `char8_t`
    Char8,
    /// `char16_t`
    Char16,
    /// `char32_t`
    Char32,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `__half`
    Half,
    /// `__nv_bfloat16`
    BFloat16,
    /// `__nv_fp8_e4m3`
    Fp8E4M3,
    /// `__nv_fp8_e5m2`
    Fp8E5M2,
    /// `__nv_fp8_e8m0`
    Fp8E8M0,
    /// `__nv_fp4_e2m1`, `__nv_fp6_*`: one byte of storage, named
    Byte(&'static str),
    /// `nullptr_t`, 8 bytes
    NullPtr,
    /// `cudaTextureObject_t`, 8 bytes
    Texture,
    /// `cudaSurfaceObject_t`, 8 bytes
    Surface,
}

impl Scalar {
    /// Size in bytes, which is also the alignment.
    pub const fn size(self) -> u64 {
        match self {
            Self::Bool
            | Self::Char
            | Self::SChar
            | Self::UChar
            | Self::Char8
            | Self::Fp8E4M3
            | Self::Fp8E5M2
            | Self::Fp8E8M0
            | Self::Byte(_) => 1,
            Self::Short | Self::UShort | Self::Char16 | Self::Half | Self::BFloat16 => 2,
            Self::Int | Self::UInt | Self::WChar | Self::Char32 | Self::Float => 4,
            Self::Long
            | Self::ULong
            | Self::LongLong
            | Self::ULongLong
            | Self::SizeT
            | Self::PtrDiff
            | Self::Double
            | Self::NullPtr
            | Self::Texture
            | Self::Surface => 8,
            Self::Int128 | Self::UInt128 => 16,
        }
    }
}

/// A CUDA vector type: `{base}{lanes}`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Vector {
    /// Type of one component.
    pub element: Scalar,
    /// 1 to 4.
    pub lanes: u8,
    /// Alignment in bytes; differs from the element's (`float4` 16, `double4_32a` 32).
    pub align: u8,
    /// `dim3` rather than `uint3`.
    pub dim3: bool,
}

/// A struct, class or union with its layout.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Qualified C++ name, template arguments included: `ns::Vec<float, 4>`; a positional name when it has none.
    pub name: String,
    /// What the source calls it, where that is another name: `glm::vec3` of `glm::vec<3, float, (glm::qualifier)0>`; of
    /// the closure of a lambda without captures, a name made of its function's.
    pub alias: Option<String>,
    /// A tag the source cannot repeat (lambda, local or unnamed type).
    pub unnamed: bool,
    /// union.
    pub is_union: bool,
    /// Size in bytes, tail padding included. An empty record has 1.
    pub size: u64,
    /// Alignment in bytes.
    pub align: u64,
    /// `#pragma pack(n)` or the packed attribute.
    pub packed: Option<u64>,
    /// In layout order, padding members left out. An offset need not be the next one that the member's alignment allows:
    /// aligned and packed members, bases and empty members shift what follows.
    pub fields: Vec<Field>,
    /// Where it is defined, when known.
    pub definition: Option<Definition>,
}

/// A member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Source name; empty for an anonymous struct or union member; a base is `base_` and its name,
    /// a base's member that stands alone `base_` and the member's name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// The type as C++ text.
    pub c_type: String,
    /// Byte offset in the record; of a bit field, that of the first byte it touches.
    pub offset: u64,
    /// Size in bytes; of a bit field, the bytes it touches.
    pub size: u64,
    /// Set for a bit field: (first bit within the record, width in bits).
    pub bits: Option<(u64, u32)>,
}

/// An enumeration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Enum {
    /// Qualified C++ name.
    pub name: String,
    /// Underlying type.
    pub repr: Scalar,
    /// (name, value); empty when the compiler's files print only the underlying type.
    pub values: Vec<(String, i128)>,
    /// Where it is defined, when known.
    pub definition: Option<Definition>,
}

/// A module-level variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Global {
    /// Device symbol.
    pub symbol: String,
    /// Qualified C++ name.
    pub name: String,
    /// Size in bytes.
    pub size: u64,
    /// How it is declared.
    pub space: Space,
    /// Its type, where the compiler's files give it.
    pub ty: Option<Type>,
    /// The type as C++ text, where known.
    pub c_type: Option<String>,
}

/// The memory of a module-level variable.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// `__constant__`
    Constant,
    /// `__device__`
    Device,
    /// `__managed__`: the symbol is the variable itself, not a pointer to it (the host's shadow is one).
    Managed,
}

/// Why a kernel gets no exact wrapper.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refusal {
    /// The parameter, when one is at fault: (ordinal, name).
    pub param: Option<(usize, Option<String>)>,
    /// One sentence.
    pub reason: String,
    /// What to do, if anything is known to help.
    pub help: Option<String>,
}
