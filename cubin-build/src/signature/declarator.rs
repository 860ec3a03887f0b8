//! Declarators and parameter lists: what a name is, around the type before it.
//!
//! Array and function parameters become pointers, as C passes them; `__val_param(x)` names `x`.

use super::ctype::{Builtin, CType, QType, RawParam};
use super::lexer::TokenKind;
use super::parser::{Parse, Parser, constant, describe, syntax};
use super::specifiers::is_param_mark;
use crate::lists::AddAll;

/// Pointers, arrays and functions around one name.
const MAX_DERIVATIONS: usize = 48;
/// Parameters of one function.
const MAX_PARAMS: usize = 1 << 16;

enum Derivation {
    Pointer(QType),
    Reference,
    Array(Option<u64>),
    Function(Vec<RawParam>),
}

impl Parser<'_> {
    /// A declarator, named or not, around `base`.
    pub(super) fn declarator(&mut self, base: QType) -> Parse<(Option<String>, QType)> {
        let (name, derivations) = self.derivations()?;
        let mut ty = base;
        for derivation in derivations {
            ty = match derivation {
                Derivation::Pointer(qualifiers) => QType {
                    kind: CType::Pointer(Box::new(ty)),
                    ..qualifiers
                },
                Derivation::Reference => CType::Reference(Box::new(ty)).into(),
                Derivation::Array(bound) => CType::Array(Box::new(ty), bound).into(),
                Derivation::Function(params) => CType::Function(Box::new(ty), params).into(),
            };
        }
        Ok((name, ty))
    }

    /// The parts of a declarator in the order in which they apply to the base type.
    fn derivations(&mut self) -> Parse<(Option<String>, Vec<Derivation>)> {
        self.descend()?;
        let mut found = Vec::new();
        loop {
            if self.eat(b'*')? {
                let mut qualifiers = QType::from(CType::Builtin(Builtin::Void));
                while let TokenKind::Ident(word) = &self.peek()?.kind {
                    match word.as_str() {
                        "const" => qualifiers.is_const = true,
                        "volatile" => qualifiers.is_volatile = true,
                        "restrict" | "__restrict" | "__restrict__" => qualifiers.restrict = true,
                        _ => break,
                    }
                    self.next()?;
                }
                found.push(Derivation::Pointer(qualifiers));
            } else if self.eat(b'&')? {
                self.eat(b'&')?;
                found.push(Derivation::Reference);
            } else {
                break;
            }
            if found.len() > MAX_DERIVATIONS {
                return syntax("too many pointers");
            }
        }
        self.attributes(&mut 0, &mut false)?;
        let mut name = None;
        let mut inner = Vec::new();
        let word = match &self.peek()?.kind {
            TokenKind::Ident(word) => Some(word.clone()),
            _ => None,
        };
        if let Some(word) = word {
            self.next()?;
            if is_param_mark(&word) && self.at(b'(')? {
                match self.group()?.into_iter().next() {
                    Some(TokenKind::Ident(inside)) => name = Some(inside),
                    _ => return syntax(format!("`{word}` without a name")),
                }
            } else {
                name = Some(word);
            }
        } else if self.at(b'(')?
            && matches!(self.peek_at(1)?.kind, TokenKind::Punct(b'*' | b'&' | b'('))
        {
            self.next()?;
            (name, inner) = self.derivations()?;
            self.expect(b')')?;
        }
        let mut suffixes = Vec::new();
        loop {
            if self.at(b'[')? {
                let bound = self.group()?;
                suffixes.push(Derivation::Array(match bound.as_slice() {
                    [] => None,
                    tokens => match constant(tokens).and_then(|value| u64::try_from(value).ok()) {
                        Some(bound) => Some(bound),
                        None => return syntax("an array bound that is not a constant"),
                    },
                }));
            } else if self.at(b'(')? {
                suffixes.push(Derivation::Function(self.params()?));
            } else {
                break;
            }
        }
        found.add_all(suffixes.into_iter().rev());
        found.add_all(inner);
        if found.len() > MAX_DERIVATIONS {
            return syntax("too many pointers, arrays and functions around one name");
        }
        self.ascend();
        Ok((name, found))
    }

    /// A parenthesised parameter list; `(void)` gives none, arrays and functions become pointers.
    pub(super) fn params(&mut self) -> Parse<Vec<RawParam>> {
        self.descend()?;
        self.expect(b'(')?;
        let mut params: Vec<RawParam> = Vec::new();
        if self.eat(b')')? {
            self.ascend();
            return Ok(params);
        }
        loop {
            if self.peek()?.kind == TokenKind::Ellipsis {
                self.next()?;
            } else {
                let specifiers = self.specifiers()?;
                let Some(base) = specifiers.ty else {
                    let token = self.next()?;
                    return syntax(format!(
                        "expected a parameter, found {}",
                        describe(&token.kind)
                    ));
                };
                let (name, ty) = self.declarator(base)?;
                self.attributes(&mut 0, &mut false)?;
                if params.len() == MAX_PARAMS {
                    return syntax("too many parameters");
                }
                params.push(RawParam {
                    name,
                    ty: decay(ty),
                });
            }
            if !self.eat(b',')? {
                break;
            }
        }
        self.expect(b')')?;
        self.ascend();
        let nothing = matches!(
            params.as_slice(),
            [RawParam { name: None, ty }] if ty.kind == CType::Builtin(Builtin::Void)
        );
        if nothing {
            params.clear();
        }
        Ok(params)
    }
}

/// How a parameter of array or function type is passed.
fn decay(ty: QType) -> QType {
    match ty.kind {
        CType::Array(of, _) => CType::Pointer(of).into(),
        CType::Function(..) => CType::Pointer(Box::new(ty)).into(),
        _ => ty,
    }
}
