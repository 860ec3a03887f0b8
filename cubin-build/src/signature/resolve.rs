//! Brings the stub's exact C++ types and `.gpu`'s lowered ones together, and yields the model's types.
//!
//! The stub says what a parameter is (`bool`, `int &`, `ns::Mode`), `.gpu` says what it is made of. Both are
//! walked side by side; where they cannot mean the same, or where the layout is not known, the type is refused
//! with the reason. Behind a pointer an unknown layout is no obstacle: the pointee becomes opaque.

use std::collections::HashMap;

use super::ctype::{Builtin, CType, QType, TagKind, spell};
use super::gpu::Unit;
use super::layout::{self, Layouts, Unknown};
use super::lexer::{Lexer, Place};
use super::mangled;
use super::model::{Definition, Enum, EnumId, Pointer, Record, RecordId, Refusal, Scalar, Type};
use super::names;
use super::parser::Parser;
use super::probe::Answers;
use super::stub::Stub;
use super::toolkit::{number_record, scalar_size, vector_record};
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
    pub record_ids: HashMap<String, Result<RecordId, Reason>>,
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
            record_ids: HashMap::new(),
            anonymous: Map::new(),
            enums: Vec::new(),
            enum_ids: Map::new(),
            depth: 0,
        }
    }

    /// The definition a place stands for.
    pub(super) fn definition(&self, place: Place) -> Option<Definition> {
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

    pub(super) fn unknown(&self, unknown: &Unknown, name: &str) -> Reason {
        let readable = self.cpp_name(name);
        let clause = unknown
            .clause
            .replace(&format!("`{name}`"), &format!("`{readable}`"))
            .replace(&format!("`{name}::"), &format!("`{readable}::"));
        Reason {
            askable: unknown.askable,
            ..Reason::new(clause, BY_POINTER)
        }
    }

    /// Size and alignment in bytes of a parameter or field.
    pub(super) fn size(&mut self, ty: &QType) -> Result<(u64, u64), Reason> {
        self.layouts.size(ty).map_err(|unknown| Reason {
            askable: unknown.askable,
            ..Reason::new(unknown.clause, BY_POINTER)
        })
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
                    None => Err(self.unknown(
                        &format!("`{name}` has no definition that can be read").into(),
                        name,
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
                .map_err(|unknown| self.unknown(&unknown, tag))?;
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
                let size = scalar_size(scalar);
                (size, size)
            })),
            // Vectors are never printed; `__half2` and `__nv_bfloat162` always are.
            (None, Some(vector))
                if printed == matches!(vector.element, Scalar::Half | Scalar::BFloat16) =>
            {
                let size = scalar_size(vector.element) * u64::from(vector.lanes);
                let align = u64::from(vector.align);
                Some((Type::Vector(vector), (layout::align_up(size, align), align)))
            }
            _ => None,
        };
        if let Some((ty, expected)) = toolkit {
            let layout = self
                .layouts
                .record(tag)
                .map_err(|unknown| self.unknown(&unknown, tag))?;
            if (layout.size, layout.align) == expected {
                return Ok(ty);
            }
        }
        self.record(tag).map(Type::Record)
    }

    /// A parameter's type, from both files.
    pub(super) fn merge(
        &mut self,
        stub: &QType,
        gpu: &QType,
        by_value: bool,
    ) -> Result<Type, Reason> {
        self.enter()?;
        let found = self.merge_inner(stub, gpu, by_value);
        self.depth -= 1;
        found
    }

    fn merge_inner(&mut self, stub: &QType, gpu: &QType, by_value: bool) -> Result<Type, Reason> {
        let mut stub = stub.clone();
        for _ in 0..MAX_DEPTH {
            let CType::Named(name) = &stub.kind else {
                break;
            };
            if let Some(scalar) = special_typedef(name) {
                return match (self.layouts.size(gpu), scalar) {
                    (Ok((size, _)), _) if size == scalar_size(scalar) => Ok(Type::Scalar(scalar)),
                    _ => Err(self.disagree(&stub, gpu)),
                };
            }
            let target = match self.unit.tables.typedefs.get(name) {
                Some((target, _)) => target.clone(),
                None => match self.stub_alias(name) {
                    Some(target) => target,
                    None => break,
                },
            };
            stub = QType {
                kind: target.kind,
                is_const: stub.is_const || target.is_const,
                is_volatile: stub.is_volatile || target.is_volatile,
                restrict: stub.restrict || target.restrict,
            };
        }
        let lower = self.strip(gpu);
        match (&stub.kind, &lower.kind) {
            (CType::Builtin(exact), CType::Builtin(printed)) if lowered(*exact, *printed) => {
                match scalar(*exact) {
                    Some(scalar) => Ok(Type::Scalar(scalar)),
                    None if *exact == Builtin::Void && !by_value => Ok(Type::Void),
                    None => Err(self.no_scalar(*exact)),
                }
            }
            (CType::Pointer(to), CType::Pointer(printed))
            | (CType::Reference(to), CType::Pointer(printed)) => {
                let reference = matches!(stub.kind, CType::Reference(_));
                let (target, printed_target) = (self.strip(to), self.strip(printed));
                match (&target.kind, &printed_target.kind) {
                    (CType::Function(..), CType::Function(..)) => return Ok(Type::Function),
                    (CType::Function(..), _) | (_, CType::Function(..)) => {
                        return Err(self.disagree(&stub, gpu));
                    }
                    _ => {}
                }
                let pointee =
                    self.pointee(to, |this, to, by_value| this.merge(to, printed, by_value))?;
                let exact = self.pointer(pointee, &target, reference, stub.restrict);
                let (a, b) = (
                    &exact,
                    self.pointer(Type::Void, &printed_target, reference, false),
                );
                if let (Type::Pointer(a), Type::Pointer(b)) = (a, &b)
                    && (a.is_const, a.is_volatile) != (b.is_const, b.is_volatile)
                {
                    return Err(self.disagree(&stub, gpu));
                }
                Ok(exact)
            }
            (CType::Array(of, bound), CType::Array(printed, printed_bound))
                if bound == printed_bound =>
            {
                let element = self.merge(of, printed, true)?;
                Ok(Type::Array(Box::new(element), bound.unwrap_or(0)))
            }
            // An enumeration with a fixed type shows as its integer.
            (CType::Tag(TagKind::Enum, name) | CType::Named(name), CType::Builtin(integer))
                if scalar(*integer).is_some() =>
            {
                let repr = scalar(*integer).unwrap_or(Scalar::Int);
                Ok(Type::Enum(self.enumeration(name, repr)))
            }
            (CType::Tag(_, name) | CType::Named(name), CType::Tag(TagKind::Enum, tag))
                if self.same_name(name, tag) =>
            {
                self.printed_enum(tag).map(Type::Enum)
            }
            (
                CType::Tag(TagKind::Struct | TagKind::Union, name) | CType::Named(name),
                CType::Tag(TagKind::Struct | TagKind::Union, tag),
            ) if self.same_name(name, tag) => self.tagged(tag),
            _ => Err(self.disagree(&stub, gpu)),
        }
    }

    /// A parameter by value.
    pub(super) fn parameter(&mut self, stub: &QType, gpu: &QType) -> Result<Resolved, Reason> {
        let ty = self.merge(stub, gpu, true)?;
        let (size, align) = match &ty {
            Type::Scalar(scalar @ (Scalar::Int128 | Scalar::UInt128)) => {
                let size = scalar_size(*scalar);
                (size, size)
            }
            _ => self.size(gpu)?,
        };
        let printed = self.strip(gpu);
        let doubt = match &printed.kind {
            CType::Tag(TagKind::Struct | TagKind::Union, tag) => self.sendable(tag)?,
            _ => None,
        };
        Ok(Resolved {
            ty,
            size,
            align,
            doubt,
        })
    }

    /// Whether a record may be passed by value from Rust; or else what has to be proved first.
    fn sendable(&mut self, tag: &str) -> Result<Option<Reason>, Reason> {
        if let Some(name) = mangled::name(tag).filter(|name| name.lambda || name.local) {
            let what = if name.lambda {
                "the closure type of a lambda, whose captures have no specified order"
            } else {
                "a type local to a function, which no other code can name"
            };
            return Err(Reason::new(
                format!("`{}` is {what}", name.text),
                "use a struct at namespace scope",
            ));
        }
        let layout = self
            .layouts
            .record(tag)
            .map_err(|unknown| self.unknown(&unknown, tag))?;
        let doubtful = layout.has_long_long && layout.has_wide_gap;
        Ok(doubtful.then(|| Reason {
            askable: true,
            ..Reason::new(
                gap_reason(&self.cpp_name(tag)),
                "order the members by descending alignment, or make the padding a member",
            )
        }))
    }

    /// What a name of the stub stands for when it is an alias of a type without a name of its own.
    fn stub_alias(&self, name: &str) -> Option<QType> {
        let text = self.stub.typedefs.get(name)?;
        let mut parser = Parser::new(Lexer::over(text.as_bytes()));
        let base = parser.specifiers().ok()?.ty?;
        let (None, ty) = parser.declarator(base).ok()? else {
            return None;
        };
        let at_end = parser.peek().ok()?.kind == super::lexer::Kind::End;
        let mut inner = &ty;
        loop {
            match &inner.kind {
                CType::Builtin(_) => return at_end.then_some(ty),
                CType::Pointer(to) | CType::Reference(to) | CType::Array(to, _) => inner = to,
                _ => return None,
            }
        }
    }

    fn same_name(&self, stub: &str, gpu: &str) -> bool {
        stub == gpu
            || self.stub.typedefs.get(stub).is_some_and(|text| {
                let stub = names::readable(text);
                stub == gpu || stub == self.cpp_name(gpu)
            })
    }

    fn disagree(&self, stub: &QType, gpu: &QType) -> Reason {
        Reason {
            reason: format!(
                "the compiler's own files disagree: `{}` in the stub is `{}` in the .gpu file",
                self.text(stub),
                self.text(gpu)
            ),
            help: Some("report this with the source: the file format may have changed".into()),
            disagreement: true,
            too_deep: false,
            askable: false,
        }
    }
}

/// A parameter's type and place.
pub(super) struct Resolved {
    pub ty: Type,
    pub size: u64,
    pub align: u64,
    /// Refused until the compiler itself confirms the layout.
    pub doubt: Option<Reason>,
}

/// The reason for a record that would print the same with an `__int128`.
fn gap_reason(record: &str) -> String {
    format!(
        "`{record}` has a `long long` member and a gap of 8 bytes or more; nvcc's files would say the same if the member were an `__int128`"
    )
}

/// The reason for pointers to members.
pub(super) fn member_pointer() -> Reason {
    Reason::new(
        "a pointer to a member has no counterpart in Rust",
        "select the member with an integer or a template argument",
    )
}
