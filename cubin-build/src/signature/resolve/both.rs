//! A parameter's type from both files, walked side by side.

use super::{MAX_DEPTH, Reason, Resolver, lowered, scalar, special_typedef};
use crate::signature::{
    ctype::{Builtin, CType, QType, TagKind},
    lexer::{self, Lexer},
    mangled,
    model::{Scalar, Type},
    names,
    parser::Parser,
};

/// A parameter's type and place.
pub(in crate::signature) struct Resolved {
    pub ty: Type,
    pub size: u64,
    pub align: u64,
    /// Refused until the compiler itself confirms the layout.
    pub doubt: Option<Reason>,
}

impl Resolver<'_> {
    /// A parameter's type, from both files.
    pub(in crate::signature) fn merge(
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
                    (Ok((size, _)), _) if size == scalar.size() => Ok(Type::Scalar(scalar)),
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
    pub(in crate::signature) fn parameter(
        &mut self,
        stub: &QType,
        gpu: &QType,
    ) -> Result<Resolved, Reason> {
        let ty = self.merge(stub, gpu, true)?;
        let (size, align) = match &ty {
            Type::Scalar(scalar @ (Scalar::Int128 | Scalar::UInt128)) => {
                let size = scalar.size();
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
        let name = mangled::name(tag).filter(|name| name.lambda || name.local);
        let raw = self.unit.tables.records.get(tag);
        // A closure without captures is empty, whatever it does.
        let empty = raw.is_some_and(|raw| raw.fields.is_empty());
        if let Some(name) = name.filter(|name| !(name.lambda && empty)) {
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
            .map_err(|unknown| self.unknown(&unknown))?;
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
        let at_end = parser.peek().ok()?.kind == lexer::TokenKind::End;
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

/// The reason for a record that would print the same with an `__int128`.
fn gap_reason(record: &str) -> String {
    format!(
        "`{record}` has a `long long` member and a gap of 8 bytes or more; nvcc's files would say the same if the member were an `__int128`"
    )
}
