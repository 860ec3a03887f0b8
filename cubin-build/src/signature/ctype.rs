//! C types as the compiler's files spell them, before names are resolved; and how they are printed.

use crate::lists::CollectVec;
use std::fmt::Write as _;

/// Builtin arithmetic types and `void`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Builtin {
    Void,
    Bool,
    Char,
    SChar,
    UChar,
    Short,
    UShort,
    Int,
    UInt,
    Long,
    ULong,
    LongLong,
    ULongLong,
    Int128,
    UInt128,
    WChar,
    Char8,
    Char16,
    Char32,
    Float,
    Double,
    LongDouble,
    /// A type that no kernel parameter can be trusted with: `_Complex`, `__float128`, GNU vectors.
    Other(&'static str),
}

impl Builtin {
    /// As C++ spells it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Void => "void",
            Self::Bool => "bool",
            Self::Char => "char",
            Self::SChar => "signed char",
            Self::UChar => "unsigned char",
            Self::Short => "short",
            Self::UShort => "unsigned short",
            Self::Int => "int",
            Self::UInt => "unsigned int",
            Self::Long => "long",
            Self::ULong => "unsigned long",
            Self::LongLong => "long long",
            Self::ULongLong => "unsigned long long",
            Self::Int128 => "__int128",
            Self::UInt128 => "unsigned __int128",
            Self::WChar => "wchar_t",
            Self::Char8 => "char8_t",
            Self::Char16 => "char16_t",
            Self::Char32 => "char32_t",
            Self::Float => "float",
            Self::Double => "double",
            Self::LongDouble => "long double",
            Self::Other(name) => name,
        }
    }
}

/// Which keyword a tag stands behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum TagKind {
    Struct,
    Union,
    Enum,
}

/// A type with its qualifiers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct QType {
    pub kind: CType,
    pub is_const: bool,
    pub is_volatile: bool,
    pub restrict: bool,
}

/// A type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum CType {
    Builtin(Builtin),
    /// A typedef, or in the stub a class name.
    Named(String),
    Tag(TagKind, String),
    Pointer(Box<QType>),
    /// Only in the stub; `.gpu` has a pointer in its place.
    Reference(Box<QType>),
    /// `None`: no bound.
    Array(Box<QType>, Option<u64>),
    Function(Box<QType>, Vec<RawParam>),
}

/// A function's parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawParam {
    pub name: Option<String>,
    pub ty: QType,
}

impl From<CType> for QType {
    fn from(kind: CType) -> Self {
        Self {
            kind,
            is_const: false,
            is_volatile: false,
            restrict: false,
        }
    }
}

/// The C++ text of `ty`, each name as `name_of` gives it, declarators as nvcc spaces them: `const float *`.
pub(super) fn spell(ty: &QType, name_of: &dyn Fn(&str) -> String) -> String {
    let mut inner = String::new();
    let mut ty = ty;
    // The declarator grows outwards around `inner`, as C reads.
    loop {
        match &ty.kind {
            CType::Pointer(to) | CType::Reference(to) => {
                let mut mark = String::from(if matches!(ty.kind, CType::Pointer(_)) {
                    "*"
                } else {
                    "&"
                });
                push_qualifiers(&mut mark, ty);
                if mark.len() > 1 && !inner.is_empty() {
                    mark.push(' ');
                }
                inner.insert_str(0, &mark);
                if matches!(to.kind, CType::Array(..) | CType::Function(..)) {
                    inner = format!("({inner})");
                }
                ty = to;
            }
            CType::Array(of, bound) => {
                match bound {
                    Some(bound) => _ = write!(inner, "[{bound}]"),
                    None => inner.push_str("[]"),
                }
                ty = of;
            }
            CType::Function(result, params) => {
                let params: Vec<String> = params
                    .iter()
                    .map(|param| spell(&param.ty, name_of))
                    .collect_vec();
                _ = write!(inner, "({})", params.join(", "));
                ty = result;
            }
            CType::Builtin(builtin) => return finish(builtin.name(), ty, &inner),
            CType::Named(name) | CType::Tag(_, name) => return finish(&name_of(name), ty, &inner),
        }
    }
}

fn push_qualifiers(mark: &mut String, ty: &QType) {
    if ty.is_const {
        mark.push_str("const");
    }
    for (set, word) in [(ty.is_volatile, "volatile"), (ty.restrict, "__restrict__")] {
        if set {
            if mark.len() > 1 {
                mark.push(' ');
            }
            mark.push_str(word);
        }
    }
}

fn finish(base: &str, ty: &QType, inner: &str) -> String {
    let mut text = String::new();
    if ty.is_const {
        text.push_str("const ");
    }
    if ty.is_volatile {
        text.push_str("volatile ");
    }
    text.push_str(base);
    if !inner.is_empty() {
        if !inner.starts_with('[') {
            text.push(' ');
        }
        text.push_str(inner);
    }
    text
}
