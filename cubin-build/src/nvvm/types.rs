//! Types of LLVM's IR, and how NVIDIA's data layout lays them out.

use crate::lists::CollectVec;
use crate::sorted::Map;

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Type {
    /// `void`
    Void,
    /// `i32`: an integer of so many bits, signed or not.
    Int(u32),
    /// `half`
    Half,
    /// `bfloat`
    BFloat,
    /// `float`
    Float,
    /// `double`
    Double,
    /// `float addrspace(1)*`, or `ptr addrspace(1)`, which does not say what it points to.
    Pointer {
        /// What it points to, where the type says it.
        to: Option<Box<Type>>,
        /// The number of the address space.
        space: u32,
    },
    /// `<4 x float>`
    Vector(u64, Box<Type>),
    /// `[3 x i32]`
    Array(u64, Box<Type>),
    /// `{ i8, i64 }`
    Struct {
        /// The members, in order.
        fields: Vec<Type>,
        /// `<{ … }>`: without padding.
        packed: bool,
    },
    /// `%struct.Params`, without the mark.
    Named(String),
    /// `void (i32)`
    Function,
    /// `opaque`, `metadata`, `fp128`, `x86_fp80`, `label`, …
    Other(String),
}

/// Types that have a name.
pub type Named = Map<String, Type>;

/// Bytes and alignment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layout {
    /// Bytes, padding at the end included.
    pub size: u64,
    /// In bytes.
    pub align: u64,
}

/// Types nest no deeper in anything that a compiler writes; a named one that holds itself would have no end.
const DEEPEST: u32 = 64;

impl Type {
    /// Bytes and alignment by NVIDIA's data layout for 64 bits; `None` for what has none, or only a disputed one.
    #[must_use]
    pub fn layout(&self, named: &Named) -> Option<Layout> {
        self.laid_out(named, DEEPEST)
    }

    fn laid_out(&self, named: &Named, deeper: u32) -> Option<Layout> {
        let deeper = deeper.checked_sub(1)?;
        let natural = |size| Some(Layout { size, align: size });
        match self {
            Self::Int(1 | 8) => natural(1),
            Self::Int(16) | Self::Half | Self::BFloat => natural(2),
            Self::Int(32) | Self::Float => natural(4),
            Self::Int(64) | Self::Double | Self::Pointer { .. } => natural(8),
            Self::Int(128) => natural(16),
            Self::Vector(count, element) => {
                // A lane of one bit is a bit to some readers and a byte to others.
                if **element == Self::Int(1) {
                    return None;
                }
                let bytes = element.laid_out(named, deeper)?.size.checked_mul(*count)?;
                natural(bytes.checked_next_power_of_two().filter(|_| bytes > 0)?)
            }
            Self::Array(count, element) => {
                let Layout { size, align } = element.laid_out(named, deeper)?;
                let size = size.checked_mul(*count)?;
                Some(Layout { size, align })
            }
            Self::Struct { fields, packed } => {
                let mut whole = Layout { size: 0, align: 1 };
                for field in fields {
                    let field = field.laid_out(named, deeper)?;
                    let align = if *packed { 1 } else { field.align };
                    whole.size = whole.size.checked_next_multiple_of(align)?;
                    whole.size = whole.size.checked_add(field.size)?;
                    whole.align = whole.align.max(align);
                }
                whole.size = whole.size.checked_next_multiple_of(whole.align)?;
                Some(whole)
            }
            Self::Named(name) => named.get(name)?.laid_out(named, deeper),
            Self::Void | Self::Int(_) | Self::Function | Self::Other(_) => None,
        }
    }

    /// Where the members of a record begin.
    #[must_use]
    pub fn offsets(&self, named: &Named) -> Option<Vec<u64>> {
        let (fields, packed) = match self {
            Self::Struct { fields, packed } => (fields, *packed),
            Self::Named(name) => match named.get(name)? {
                Self::Struct { fields, packed } => (fields, *packed),
                _ => return None,
            },
            _ => return None,
        };
        let mut end: u64 = 0;
        let mut offsets = Vec::with_capacity(fields.len());
        for field in fields {
            let Layout { size, align } = field.layout(named)?;
            let start = end.checked_next_multiple_of(if packed { 1 } else { align })?;
            offsets.push(start);
            end = start.checked_add(size)?;
        }
        Some(offsets)
    }

    /// As the text has it.
    #[must_use]
    pub fn text(&self) -> String {
        match self {
            Self::Void => "void".to_owned(),
            Self::Int(bits) => format!("i{bits}"),
            Self::Half => "half".to_owned(),
            Self::BFloat => "bfloat".to_owned(),
            Self::Float => "float".to_owned(),
            Self::Double => "double".to_owned(),
            Self::Pointer { to: None, space: 0 } => "ptr".to_owned(),
            Self::Pointer { to: None, space } => format!("ptr addrspace({space})"),
            Self::Pointer {
                to: Some(to),
                space,
            } => {
                let space = match space {
                    0 => String::new(),
                    space => format!(" addrspace({space})"),
                };
                format!("{}{space}*", to.text())
            }
            Self::Vector(count, element) => format!("<{count} x {}>", element.text()),
            Self::Array(count, element) => format!("[{count} x {}]", element.text()),
            Self::Struct { fields, packed } => {
                let fields: Vec<String> = fields.iter().map(Self::text).collect_vec();
                let inner = if fields.is_empty() {
                    "{}".to_owned()
                } else {
                    format!("{{ {} }}", fields.join(", "))
                };
                if *packed { format!("<{inner}>") } else { inner }
            }
            Self::Named(name) => format!("%{name}"),
            Self::Function => "a function".to_owned(),
            Self::Other(name) => name.clone(),
        }
    }
}
