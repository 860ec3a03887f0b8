//! Reads bodies of structs, unions and enums.

use super::ctype::{CType, QType, TagKind};
use super::lexer::{Position, TokenKind};
use super::parser::{Parse, Parser, constant, describe, number, syntax};
use super::tables::{ANONYMOUS, RawEnum, RawField, RawRecord};

/// Members of one record, enumerators of one enum.
const MAX_MEMBERS: usize = 1 << 16;

impl Parser<'_> {
    /// `struct X`, `struct X {...}`, `enum {...}`.
    pub(super) fn tag(&mut self) -> Parse<QType> {
        self.descend()?;
        let keyword = self.next()?;
        let kind = match &keyword.kind {
            TokenKind::Ident(word) if word == "union" => TagKind::Union,
            TokenKind::Ident(word) if word == "enum" => TagKind::Enum,
            _ => TagKind::Struct,
        };
        let (mut align, mut packed) = (0, false);
        self.attributes(&mut align, &mut packed)?;
        if self.peek()?.kind == TokenKind::Scope {
            self.next()?;
        }
        let name = match &self.peek()?.kind {
            TokenKind::Ident(_) => {
                let CType::Named(name) = self.named()?.kind else {
                    return syntax("a tag was expected");
                };
                name
            }
            _ => {
                self.tables.anonymous += 1;
                format!("{ANONYMOUS}{}>", self.tables.anonymous)
            }
        };
        if self.at(b'{')? {
            let brace = self.next()?;
            if kind == TagKind::Enum {
                let parsed = self.enumerators(keyword.place)?;
                self.tables.enums.insert(name.clone(), parsed);
            } else {
                let fields = self.fields()?;
                self.attributes(&mut align, &mut packed)?;
                self.tables.records.insert(
                    name.clone(),
                    RawRecord {
                        kind,
                        fields,
                        align,
                        packed,
                        pack: brace.pack.into(),
                        place: keyword.place,
                    },
                );
            }
        }
        self.ascend();
        Ok(CType::Tag(kind, name).into())
    }

    fn enumerators(&mut self, place: Position) -> Parse<RawEnum> {
        let mut parsed = RawEnum {
            values: Vec::new(),
            exact: true,
            place,
        };
        let mut next_value = 0_i128;
        while !self.eat(b'}')? {
            let token = self.next()?;
            let TokenKind::Ident(name) = token.kind else {
                return syntax(format!(
                    "expected an enumerator, found {}",
                    describe(&token.kind)
                ));
            };
            if self.eat(b'=')? {
                match constant(&self.until(b",}")?) {
                    Some(value) => next_value = value,
                    None => parsed.exact = false,
                }
            }
            if parsed.values.len() == MAX_MEMBERS {
                return syntax("too many enumerators");
            }
            parsed.values.push((name, next_value));
            next_value = next_value.saturating_add(1);
            self.eat(b',')?;
        }
        if !parsed.exact {
            parsed.values.clear();
        }
        Ok(parsed)
    }

    fn fields(&mut self) -> Parse<Vec<RawField>> {
        let mut fields = Vec::new();
        loop {
            if self.eat(b'}')? {
                return Ok(fields);
            }
            if self.eat(b';')? {
                continue;
            }
            let specifiers = self.specifiers()?;
            let Some(base) = specifiers.ty else {
                let token = self.next()?;
                return syntax(format!(
                    "expected a member, found {}",
                    describe(&token.kind)
                ));
            };
            loop {
                if fields.len() == MAX_MEMBERS {
                    return syntax("too many members");
                }
                let mut field = RawField {
                    name: None,
                    ty: base.clone(),
                    bits: None,
                    align: specifiers.align,
                    packed: specifiers.packed,
                };
                if !self.at(b':')? && !self.at(b';')? {
                    (field.name, field.ty) = self.declarator(base.clone())?;
                }
                if self.eat(b':')? {
                    let width = self.width()?;
                    field.bits = Some(width);
                }
                self.attributes(&mut field.align, &mut field.packed)?;
                fields.push(field);
                if !self.eat(b',')? {
                    break;
                }
            }
            self.expect(b';')?;
        }
    }

    fn width(&mut self) -> Parse<u64> {
        let token = self.next()?;
        let TokenKind::Number(text) = &token.kind else {
            return syntax(format!("expected a width, found {}", describe(&token.kind)));
        };
        match number(text).and_then(|value| u64::try_from(value).ok()) {
            Some(width) if width <= 128 => Ok(width),
            _ => syntax(format!("`{text}` is not the width of a bit field")),
        }
    }
}
