//! Brings the stub's exact C++ types and `.gpu`'s lowered ones together, and yields the model's types.
//!
//! The stub says what a parameter is (`bool`, `int &`, `ns::Mode`), `.gpu` says what it is made of. Both are
//! walked side by side; where they cannot mean the same, or where the layout is not known, the type is refused
//! with the reason. Behind a pointer an unknown layout is not an obstacle: the pointee becomes opaque.

mod both;

use super::aliases;
use super::ctype::{Builtin, CType, QType, TagKind, spell};
use super::gpu::Unit;
use super::header_types::{number_record, vector_record};
use super::layout::{self, Layouts};
use super::lexer::Position;
use super::mangled;
use super::model::{Definition, Enum, EnumId, Pointer, Record, RecordId, Refusal, Scalar, Type};
use super::names;
use super::probe::Answers;
use super::stub::Stub;
use super::unknown::Unknown;
use crate::sorted::Map;

/// Typedefs of typedefs, types within types.
const MAX_DEPTH: u32 = 160;

/// Why a type is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reason {
    /// A sentence.
    pub reason: String,
    /// What helps.
    pub help: Option<String>,
    /// The two files contradict each other, which no pointer hides.
    pub disagreement: bool,
    /// The walk was cut short, so this holds only from where it started.
    pub too_deep: bool,
    /// The compiler's front end could tell what its files leave open.
    pub askable: bool,
}

impl Reason {
    pub(super) fn new(reason: impl Into<String>, help: &str) -> Self {
        Self {
            reason: reason.into(),
            help: (!help.is_empty()).then(|| help.to_owned()),
            disagreement: false,
            too_deep: false,
            askable: false,
        }
    }

    pub(super) fn refusal(self, param: Option<(usize, Option<String>)>) -> Refusal {
        Refusal {
            param,
            reason: self.reason,
            help: self.help,
        }
    }
}

const BY_POINTER: &str = "pass a pointer to it in device memory instead";

/// Resolves types of one translation unit.
pub(super) struct Resolver<'u> {
    pub unit: &'u Unit,
    stub: &'u Stub,
    pub layouts: Layouts<'u>,
    pub records: Vec<Record>,
    pub record_ids: Map<String, Option<Result<RecordId, Reason>>>,
    /// Names that sources give to instances of templates, by tag.
    pub aliases: Map<String, String>,
    /// Names given to records without a tag.
    pub anonymous: Map<String, String>,
    pub enums: Vec<Enum>,
    pub enum_ids: Map<String, EnumId>,
    /// Tags of enumerations by readable name; nothing where two have the same.
    enum_tags: Map<String, Option<&'u str>>,
    depth: u32,
}

/// The model's scalar of a builtin type; `None` for `void` and those without a Rust counterpart.
pub(super) fn scalar(builtin: Builtin) -> Option<Scalar> {
    Some(match builtin {
        Builtin::Bool => Scalar::Bool,
        Builtin::Char => Scalar::Char,
        Builtin::SChar => Scalar::SChar,
        Builtin::UChar => Scalar::UChar,
        Builtin::Short => Scalar::Short,
        Builtin::UShort => Scalar::UShort,
        Builtin::Int => Scalar::Int,
        Builtin::UInt => Scalar::UInt,
        Builtin::Long => Scalar::Long,
        Builtin::ULong => Scalar::ULong,
        Builtin::LongLong => Scalar::LongLong,
        Builtin::ULongLong => Scalar::ULongLong,
        Builtin::Int128 => Scalar::Int128,
        Builtin::UInt128 => Scalar::UInt128,
        Builtin::WChar => Scalar::WChar,
        Builtin::Char8 => Scalar::Char8,
        Builtin::Char16 => Scalar::Char16,
        Builtin::Char32 => Scalar::Char32,
        Builtin::Float => Scalar::Float,
        Builtin::Double => Scalar::Double,
        Builtin::Void | Builtin::LongDouble | Builtin::Other(_) => return None,
    })
}

/// Typedefs that say more than the type behind them.
fn special_typedef(name: &str) -> Option<Scalar> {
    Some(match name {
        "size_t" | "uintptr_t" | "_ZSt6size_t" | "std::size_t" => Scalar::SizeT,
        "ptrdiff_t" | "intptr_t" | "ssize_t" | "_ZSt9ptrdiff_t" | "std::ptrdiff_t" => {
            Scalar::PtrDiff
        }
        "_ZSt9nullptr_t" | "std::nullptr_t" | "nullptr_t" => Scalar::NullPtr,
        "_ZSt4byte" | "std::byte" => Scalar::UChar,
        "__nv_bool" => Scalar::Bool,
        // The driver's names of the same handles, which nvcc keeps; those of the runtime it prints as integers.
        "CUtexObject" | "CUtexObject_v1" => Scalar::Texture,
        "CUsurfObject" | "CUsurfObject_v1" => Scalar::Surface,
        _ => return None,
    })
}

/// What `.gpu` prints for a builtin type of the stub.
fn lowered(builtin: Builtin, gpu: Builtin) -> bool {
    builtin == gpu
        || matches!(
            (builtin, gpu),
            (Builtin::Bool, Builtin::Char | Builtin::UChar)
                | (Builtin::Char8, Builtin::UChar)
                | (Builtin::Char16, Builtin::UShort)
                | (Builtin::Char32, Builtin::UInt)
                | (Builtin::WChar, Builtin::Int)
                | (Builtin::Int128, Builtin::LongLong)
                | (Builtin::UInt128, Builtin::ULongLong)
        )
}

impl<'u> Resolver<'u> {
    pub(super) fn new(unit: &'u Unit, stub: &'u Stub, answers: &'u Answers) -> Self {
        let mut enum_tags: Map<String, Option<&str>> = Map::new();
        for tag in unit.tables.enums.keys() {
            let readable = mangled::name(tag).map_or_else(|| tag.clone(), |name| name.text);
            match enum_tags.get_mut(&readable) {
                Some(known) => *known = None,
                None => {
                    enum_tags.insert(readable, Some(tag));
                }
            }
        }
        Self {
            unit,
            stub,
            enum_tags,
            layouts: Layouts::new(&unit.tables, answers),
            records: Vec::new(),
            record_ids: Map::new(),
            aliases: aliases::of_instances(&unit.tables),
            anonymous: Map::new(),
            enums: Vec::new(),
            enum_ids: Map::new(),
            depth: 0,
        }
    }

    /// The definition a place stands for.
    pub(super) fn definition(&self, place: Position) -> Option<Definition> {
        let file = self
            .unit
            .files
            .get(usize::try_from(place.file?).unwrap_or(usize::MAX))?;
        Some(Definition {
            file: file.into(),
            line: place.line,
        })
    }

    /// Readable C++ name of a typedef, tag or mangled name.
    pub(super) fn cpp_name(&self, name: &str) -> String {
        if let Some(given) = self.anonymous.get(name) {
            return given.clone();
        }
        if let Some(decoded) = mangled::name(name) {
            return match self.stub.typedefs.get(name) {
                // `_ZN2ns5myintE` stands for the alias, whatever it aliases.
                Some(text) if decoded.local => names::readable(text),
                _ => decoded.text,
            };
        }
        match self.stub.typedefs.get(name) {
            Some(text) => names::readable(text),
            None => name.to_owned(),
        }
    }

    /// The first enumerator with a number, as C++ spells it; nothing when no enumeration has this readable name.
    ///
    /// The first one declared, so that another name for the same number (`COUNT`, `LAST`) changes nothing.
    pub(super) fn enumerator(&self, name: &str, number: i128) -> Option<Option<String>> {
        let found = self.unit.tables.enums.get((*self.enum_tags.get(name)?)?)?;
        let enumerator = found.values.iter().find(|(_, value)| *value == number);
        Some(
            enumerator.map(|(tag, _)| {
                mangled::name(tag).map_or_else(|| tag.clone(), |decoded| decoded.text)
            }),
        )
    }

    /// A type as readable C++ text.
    pub(super) fn text(&self, ty: &QType) -> String {
        spell(ty, &|name| match name {
            "__nv_bool" => "bool".to_owned(),
            _ => self.cpp_name(name),
        })
    }

    fn enter(&mut self) -> Result<(), Reason> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.depth -= 1;
            return Err(Reason {
                too_deep: true,
                ..Reason::new("its type is nested too deeply", BY_POINTER)
            });
        }
        Ok(())
    }

    pub(super) fn unknown(&self, unknown: &Unknown) -> Reason {
        Reason {
            askable: unknown.askable(),
            ..Reason::new(unknown.clause(&|name| self.cpp_name(name)), BY_POINTER)
        }
    }

    /// Size and alignment in bytes of a parameter or field.
    pub(super) fn size(&mut self, ty: &QType) -> Result<(u64, u64), Reason> {
        let found = self.layouts.size(ty);
        found.map_err(|unknown| self.unknown(&unknown))
    }

    /// The type behind typedefs of `.gpu`, qualifiers collected.
    pub(super) fn strip(&self, ty: &QType) -> QType {
        let mut found = ty.clone();
        for _ in 0..MAX_DEPTH {
            let CType::Named(name) = &found.kind else {
                break;
            };
            let Some((target, _)) = self.unit.tables.typedefs.get(name) else {
                break;
            };
            found = QType {
                kind: target.kind.clone(),
                is_const: found.is_const || target.is_const,
                is_volatile: found.is_volatile || target.is_volatile,
                restrict: found.restrict || target.restrict,
            };
        }
        found
    }

    /// A type that only `.gpu` gives: of a member, or behind a member's pointer.
    pub(super) fn lower(&mut self, ty: &QType, by_value: bool) -> Result<Type, Reason> {
        self.enter()?;
        let found = self.lower_inner(ty, by_value);
        self.depth -= 1;
        found
    }

    fn lower_inner(&mut self, ty: &QType, by_value: bool) -> Result<Type, Reason> {
        match &ty.kind {
            CType::Builtin(Builtin::Void) if !by_value => Ok(Type::Void),
            CType::Builtin(builtin) => match scalar(*builtin) {
                Some(scalar) => Ok(Type::Scalar(scalar)),
                None => Err(self.no_scalar(*builtin)),
            },
            CType::Named(name) => {
                if let Some(scalar) = special_typedef(name) {
                    return Ok(Type::Scalar(scalar));
                }
                match self.unit.tables.typedefs.get(name) {
                    Some((target, _)) => self.lower(target, by_value),
                    None => Err(Reason::new(
                        format!(
                            "`{}` has no definition that can be read",
                            self.cpp_name(name)
                        ),
                        BY_POINTER,
                    )),
                }
            }
            CType::Tag(TagKind::Enum, tag) => self.printed_enum(tag).map(Type::Enum),
            CType::Tag(_, tag) => self.tagged(tag),
            CType::Pointer(to) | CType::Reference(to) => {
                let reference = matches!(ty.kind, CType::Reference(_));
                let target = self.strip(to);
                if matches!(target.kind, CType::Function(..)) {
                    return Ok(Type::Function);
                }
                let pointee = self.pointee(to, Self::lower)?;
                Ok(self.pointer(pointee, &target, reference, ty.restrict))
            }
            CType::Array(of, bound) => {
                let element = self.lower(of, true)?;
                Ok(Type::Array(Box::new(element), bound.unwrap_or(0)))
            }
            CType::Function(..) => Err(Reason::new("a function cannot be passed by value", "")),
        }
    }

    fn no_scalar(&self, builtin: Builtin) -> Reason {
        match builtin {
            Builtin::LongDouble => Reason::new(
                "`long double` is 8 bytes on the device and 16 on the host",
                "use `double`",
            ),
            other => Reason::new(
                format!("`{}` has no counterpart in Rust", other.name()),
                BY_POINTER,
            ),
        }
    }

    fn pointer(&self, pointee: Type, target: &QType, reference: bool, restrict: bool) -> Type {
        // The qualifiers of an array are those of its elements.
        let (mut is_const, mut is_volatile) = (target.is_const, target.is_volatile);
        let mut element = target.clone();
        for _ in 0..MAX_DEPTH {
            let CType::Array(of, _) = &element.kind else {
                break;
            };
            element = self.strip(of);
            is_const |= element.is_const;
            is_volatile |= element.is_volatile;
        }
        Type::Pointer(Pointer {
            pointee: Box::new(pointee),
            is_const,
            is_volatile,
            reference,
            restrict,
        })
    }

    /// What a pointer points to; opaque when its layout is refused.
    fn pointee(
        &mut self,
        ty: &QType,
        read: impl Fn(&mut Self, &QType, bool) -> Result<Type, Reason>,
    ) -> Result<Type, Reason> {
        match read(self, ty, false) {
            Err(reason) if !reason.disagreement => {
                let mut bare = ty.clone();
                bare.is_const = false;
                bare.is_volatile = false;
                Ok(Type::Opaque(names::readable(&self.text(&bare))))
            }
            found => found,
        }
    }

    /// A struct or union, or a type that the toolkit makes of one.
    fn tagged(&mut self, tag: &str) -> Result<Type, Reason> {
        if tag == "CUtensorMap_st" {
            let layout = self
                .layouts
                .record(tag)
                .map_err(|unknown| self.unknown(&unknown))?;
            if layout.size != 128 {
                return Err(Reason::new(
                    format!("`CUtensorMap` is {} bytes here, not 128", layout.size),
                    "",
                ));
            }
            return Ok(Type::TensorMap {
                align: layout.align,
            });
        }
        let printed = self.unit.tables.records.contains_key(tag);
        let toolkit = match (number_record(tag), vector_record(tag)) {
            (Some(scalar), _) if printed => Some((Type::Scalar(scalar), {
                let size = scalar.size();
                (size, size)
            })),
            // Vectors are never printed; `__half2` and `__nv_bfloat162` always are.
            (None, Some(vector))
                if printed == matches!(vector.element, Scalar::Half | Scalar::BFloat16) =>
            {
                let size = vector.element.size() * u64::from(vector.lanes);
                let align = u64::from(vector.align);
                Some((Type::Vector(vector), (layout::align_up(size, align), align)))
            }
            _ => None,
        };
        if let Some((ty, expected)) = toolkit {
            let layout = self
                .layouts
                .record(tag)
                .map_err(|unknown| self.unknown(&unknown))?;
            if (layout.size, layout.align) == expected {
                return Ok(ty);
            }
        }
        self.record(tag).map(Type::Record)
    }
}

/// The reason for pointers to members.
pub(super) fn member_pointer() -> Reason {
    Reason::new(
        "a pointer to a member has no counterpart in Rust",
        "select the member with an integer or a template argument",
    )
}
