//! C declarations: specifiers, declarators, parameter lists, record and enum bodies.
//!
//! Knows the C that nvcc's front end writes, with its own marks (`__global__`, `___device__(static)`,
//! `__val_param(x)`); expressions are read only where they are constants. Nesting is bounded, so hostile
//! text cannot exhaust the stack, here or in whatever walks the types later.

use std::collections::{HashMap, VecDeque};

use super::ctype::{Builtin, CType, QType, RawParam, TagKind};
use super::lexer::{Kind, LexError, Lexer, Place, Token};

/// Nesting of parentheses and records within one declaration.
const MAX_NESTING: u32 = 24;
/// Pointers, arrays and functions around one name.
const MAX_DERIVATIONS: usize = 48;
/// Members of one record, parameters of one function, enumerators of one enum.
const MAX_MEMBERS: usize = 1 << 16;

/// Why a declaration was not understood.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The file ends or cannot be read: nothing more will come.
    Fatal(LexError),
    /// This declaration only.
    Syntax(String),
}

impl From<LexError> for Trouble {
    fn from(error: LexError) -> Self {
        Self::Fatal(error)
    }
}

pub(super) type Parse<T> = Result<T, Trouble>;

fn syntax<T>(message: impl Into<String>) -> Parse<T> {
    Err(Trouble::Syntax(message.into()))
}

/// A struct or union as printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawRecord {
    pub kind: TagKind,
    pub fields: Vec<RawField>,
    /// From attributes, 0 for none.
    pub align: u64,
    /// The packed attribute.
    pub packed: bool,
    /// `#pragma pack(n)` in force at the definition, 0 for none.
    pub pack: u64,
    pub place: Place,
}

/// A member as printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawField {
    /// Absent for an anonymous struct or union and for an unnamed bit field.
    pub name: Option<String>,
    pub ty: QType,
    /// Width of a bit field.
    pub bits: Option<u64>,
    /// From attributes, 0 for none.
    pub align: u64,
    pub packed: bool,
}

/// An enumeration as printed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RawEnum {
    /// Empty when a value could not be read.
    pub values: Vec<(String, i128)>,
    /// All values were understood.
    pub exact: bool,
    pub place: Place,
}

/// What stands in front of a declarator.
#[derive(Debug, Clone)]
pub(super) struct Specifiers {
    pub ty: Option<QType>,
    pub is_typedef: bool,
    /// `__global__`
    pub kernel: bool,
    /// `__constant__`
    pub constant: bool,
    /// `__device__` or `__managed__` as a word: a variable; device functions are `___device__(...)`.
    pub device: bool,
    pub align: u64,
    pub packed: bool,
    /// First argument of `__launch_bounds__`.
    pub place: Place,
}

/// Names that a file has defined.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// With the alignment attribute, 0 for none.
    pub typedefs: HashMap<String, (QType, u64)>,
    pub records: HashMap<String, RawRecord>,
    pub enums: HashMap<String, RawEnum>,
    anonymous: u32,
}

/// Tag of a record that the file prints without one.
pub(super) const ANONYMOUS: &str = "<unnamed ";

/// A parser over a token stream.
pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    ahead: VecDeque<Token>,
    /// Open brackets of the declaration being read, for recovery.
    depth: u32,
    nesting: u32,
    pub tables: Tables,
}

enum Derivation {
    Pointer(QType),
    Reference,
    Array(Option<u64>),
    Function(Vec<RawParam>),
}

impl<'a> Parser<'a> {
    pub(super) fn new(lexer: Lexer<'a>) -> Self {
        Self {
            lexer,
            ahead: VecDeque::new(),
            depth: 0,
            nesting: 0,
            tables: Tables::default(),
        }
    }

    pub(super) fn files(&self) -> &[String] {
        &self.lexer.files
    }

    pub(super) fn peek_at(&mut self, ahead: usize) -> Result<&Token, LexError> {
        while self.ahead.len() <= ahead {
            let token = self.lexer.next()?;
            self.ahead.push_back(token);
        }
        Ok(&self.ahead[ahead])
    }

    pub(super) fn peek(&mut self) -> Result<&Token, LexError> {
        self.peek_at(0)
    }

    pub(super) fn next(&mut self) -> Result<Token, LexError> {
        let token = match self.ahead.pop_front() {
            Some(token) => token,
            None => self.lexer.next()?,
        };
        match token.kind {
            Kind::Punct(b'(' | b'[' | b'{') => self.depth += 1,
            Kind::Punct(b')' | b']' | b'}') => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        Ok(token)
    }

    pub(super) fn at(&mut self, punct: u8) -> Result<bool, LexError> {
        Ok(self.peek()?.kind == Kind::Punct(punct))
    }

    fn at_word(&mut self, word: &str) -> Result<bool, LexError> {
        Ok(matches!(&self.peek()?.kind, Kind::Ident(name) if name == word))
    }

    /// Takes `punct` if it is next.
    pub(super) fn eat(&mut self, punct: u8) -> Result<bool, LexError> {
        let there = self.at(punct)?;
        if there {
            self.next()?;
        }
        Ok(there)
    }

    pub(super) fn expect(&mut self, punct: u8) -> Parse<()> {
        let token = self.next()?;
        if token.kind == Kind::Punct(punct) {
            return Ok(());
        }
        syntax(format!(
            "expected `{}`, found {}",
            char::from(punct),
            describe(&token.kind)
        ))
    }

    /// Begins a new external declaration.
    pub(super) fn restart(&mut self) {
        self.depth = 0;
        self.nesting = 0;
    }

    /// Passes the rest of a declaration: to `;`, or past the body, at the outermost level.
    pub(super) fn recover(&mut self) -> Result<(), LexError> {
        loop {
            if self.depth == 0 && self.at(b'{')? {
                self.next()?;
                self.skip_body()?;
                self.eat(b';')?;
                return Ok(());
            }
            let token = self.next()?;
            match token.kind {
                Kind::End => return Ok(()),
                Kind::Punct(b';') if self.depth == 0 => return Ok(()),
                Kind::Punct(b'}') if self.depth == 0 => {
                    self.eat(b';')?;
                    return Ok(());
                }
                _ => {}
            }
        }
    }

    /// Passes a body whose `{` was just taken.
    pub(super) fn skip_body(&mut self) -> Result<(), LexError> {
        let mut open = 1_usize;
        while let Some(token) = self.ahead.pop_front() {
            match token.kind {
                Kind::Punct(b'{') => open += 1,
                Kind::Punct(b'}') => open -= 1,
                _ => {}
            }
            if open == 0 {
                self.depth = self.depth.saturating_sub(1);
                return Ok(());
            }
        }
        self.lexer.skip_braces(open)?;
        self.depth = self.depth.saturating_sub(1);
        Ok(())
    }

    /// Takes a bracketed group and gives its tokens, brackets left out; only the first 4096 are kept.
    pub(super) fn group(&mut self) -> Parse<Vec<Kind>> {
        let before = self.depth;
        self.next()?;
        let mut inside = Vec::new();
        loop {
            let token = self.next()?;
            if token.kind == Kind::End {
                return Err(Trouble::Fatal(LexError {
                    line: token.line,
                    message: "ends inside brackets".into(),
                }));
            }
            if self.depth == before {
                return Ok(inside);
            }
            if inside.len() < 4096 {
                inside.push(token.kind);
            }
        }
    }

    fn descend(&mut self) -> Parse<()> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return syntax("nested too deeply");
        }
        Ok(())
    }

    /// Reads what stands before a declarator: storage, qualifiers, type, nvcc's marks.
    pub(super) fn specifiers(&mut self) -> Parse<Specifiers> {
        let place = self.peek()?.place;
        let mut found = Specifiers {
            ty: None,
            is_typedef: false,
            kernel: false,
            constant: false,
            device: false,
            align: 0,
            packed: false,
            place,
        };
        let mut base = BaseWords::default();
        let (mut is_const, mut is_volatile) = (false, false);
        loop {
            if self.peek()?.kind == Kind::Scope {
                self.next()?;
                continue;
            }
            let Kind::Ident(word) = &self.peek()?.kind else {
                break;
            };
            let word = word.clone();
            match word.as_str() {
                "const" | "__const" => is_const = true,
                "volatile" | "__volatile__" => is_volatile = true,
                "typedef" => found.is_typedef = true,
                "__global__" => found.kernel = true,
                "__constant__" => found.constant = true,
                "__device__" | "__managed__" => found.device = true,
                "extern" | "static" | "register" | "inline" | "__inline" | "__forceinline"
                | "auto" | "restrict" | "__restrict" | "__restrict__" => {}
                "struct" | "union" | "enum" | "class" => {
                    if found.ty.is_some() {
                        return syntax("two types in one declaration");
                    }
                    found.ty = Some(self.tag()?);
                    continue;
                }
                "typename" => {}
                _ if attribute_word(&word) => {
                    self.next()?;
                    self.attribute(&word, &mut found.align, &mut found.packed)?;
                    continue;
                }
                _ if base.add(&word) => {}
                _ if found.ty.is_none() && base.is_empty() && self.names_type(&word)? => {
                    found.ty = Some(self.named()?);
                    continue;
                }
                _ if dunder(&word) && !is_param_mark(&word) => {
                    self.next()?;
                    if self.at(b'(')? {
                        self.group()?;
                    }
                    continue;
                }
                _ => break,
            }
            self.next()?;
        }
        if let Some(builtin) = base.finish()? {
            if found.ty.is_some() {
                return syntax("two types in one declaration");
            }
            found.ty = Some(CType::Builtin(builtin).into());
        }
        if let Some(ty) = &mut found.ty {
            ty.is_const |= is_const;
            ty.is_volatile |= is_volatile;
        }
        Ok(found)
    }

    /// Whether a word that is no keyword is a type here.
    fn names_type(&mut self, word: &str) -> Result<bool, LexError> {
        if self.tables.typedefs.contains_key(word) {
            return Ok(true);
        }
        Ok(!dunder(word) && !is_param_mark(word))
    }

    /// A type name; in the stub it may be qualified.
    fn named(&mut self) -> Parse<QType> {
        let mut name = String::new();
        loop {
            let token = self.next()?;
            let Kind::Ident(word) = token.kind else {
                return syntax(format!("expected a name, found {}", describe(&token.kind)));
            };
            name.push_str(&word);
            if self.peek()?.kind != Kind::Scope {
                return Ok(CType::Named(name).into());
            }
            self.next()?;
            name.push_str("::");
        }
    }

    /// `struct X`, `struct X {...}`, `enum {...}`.
    fn tag(&mut self) -> Parse<QType> {
        self.descend()?;
        let keyword = self.next()?;
        let kind = match &keyword.kind {
            Kind::Ident(word) if word == "union" => TagKind::Union,
            Kind::Ident(word) if word == "enum" => TagKind::Enum,
            _ => TagKind::Struct,
        };
        let (mut align, mut packed) = (0, false);
        self.attributes(&mut align, &mut packed)?;
        if self.peek()?.kind == Kind::Scope {
            self.next()?;
        }
        let name = match &self.peek()?.kind {
            Kind::Ident(_) => {
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
        self.nesting -= 1;
        Ok(CType::Tag(kind, name).into())
    }

    fn enumerators(&mut self, place: Place) -> Parse<RawEnum> {
        let mut parsed = RawEnum {
            values: Vec::new(),
            exact: true,
            place,
        };
        let mut next_value = 0_i128;
        while !self.eat(b'}')? {
            let token = self.next()?;
            let Kind::Ident(name) = token.kind else {
                return syntax(format!(
                    "expected an enumerator, found {}",
                    describe(&token.kind)
                ));
            };
            if self.eat(b'=')? {
                match constant(&self.until(&[b',', b'}'])?) {
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

    /// Tokens up to, not including, one of `ends` at this level.
    fn until(&mut self, ends: &[u8]) -> Parse<Vec<Kind>> {
        let level = self.depth;
        let mut tokens = Vec::new();
        loop {
            let at_end = match self.peek()?.kind {
                Kind::Punct(punct) => ends.contains(&punct),
                Kind::End => return syntax("ends inside an expression"),
                _ => false,
            };
            if at_end && self.depth == level {
                return Ok(tokens);
            }
            tokens.push(self.next()?.kind);
            if tokens.len() > 4096 {
                return syntax("an expression of over 4096 tokens");
            }
        }
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
        let Kind::Number(text) = &token.kind else {
            return syntax(format!("expected a width, found {}", describe(&token.kind)));
        };
        match number(text).and_then(|value| u64::try_from(value).ok()) {
            Some(width) if width <= 128 => Ok(width),
            _ => syntax(format!("`{text}` is no width of a bit field")),
        }
    }

    /// Attributes behind a name or a closing brace.
    pub(super) fn attributes(&mut self, align: &mut u64, packed: &mut bool) -> Parse<()> {
        loop {
            let Kind::Ident(word) = &self.peek()?.kind else {
                return Ok(());
            };
            let word = word.clone();
            if !attribute_word(&word) && !(dunder(&word) && !is_param_mark(&word)) {
                return Ok(());
            }
            if self.tables.typedefs.contains_key(&word) {
                return Ok(());
            }
            self.next()?;
            self.attribute(&word, align, packed)?;
        }
    }

    fn attribute(&mut self, word: &str, align: &mut u64, packed: &mut bool) -> Parse<()> {
        if !self.at(b'(')? {
            return Ok(());
        }
        let inside = self.group()?;
        if matches!(word, "__align__" | "_Alignas" | "alignas") {
            *align = (*align).max(alignment(&inside)?);
            return Ok(());
        }
        for (index, kind) in inside.iter().enumerate() {
            let Kind::Ident(name) = kind else { continue };
            match name.as_str() {
                "__aligned__" | "aligned" => {
                    let argument = inside.get(index + 1..).unwrap_or_default();
                    *align = (*align).max(alignment(argument)?);
                }
                "__packed__" | "packed" => *packed = true,
                "vector_size" | "__vector_size__" | "ext_vector_type" | "mode" | "__mode__" => {
                    return syntax("a GNU vector or mode attribute");
                }
                _ => {}
            }
        }
        Ok(())
    }

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
                while let Kind::Ident(word) = &self.peek()?.kind {
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
            Kind::Ident(word) => Some(word.clone()),
            _ => None,
        };
        if let Some(word) = word {
            self.next()?;
            if is_param_mark(&word) && self.at(b'(')? {
                match self.group()?.into_iter().next() {
                    Some(Kind::Ident(inside)) => name = Some(inside),
                    _ => return syntax(format!("`{word}` without a name")),
                }
            } else {
                name = Some(word);
            }
        } else if self.at(b'(')? && matches!(self.peek_at(1)?.kind, Kind::Punct(b'*' | b'&' | b'('))
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
                        None => return syntax("an array bound that is no constant"),
                    },
                }));
            } else if self.at(b'(')? {
                suffixes.push(Derivation::Function(self.params()?));
            } else {
                break;
            }
        }
        found.extend(suffixes.into_iter().rev());
        found.extend(inner);
        if found.len() > MAX_DERIVATIONS {
            return syntax("too many pointers, arrays and functions around one name");
        }
        self.nesting -= 1;
        Ok((name, found))
    }

    /// A parenthesised parameter list; `(void)` gives none, arrays and functions become pointers.
    pub(super) fn params(&mut self) -> Parse<Vec<RawParam>> {
        self.descend()?;
        self.expect(b'(')?;
        let mut params: Vec<RawParam> = Vec::new();
        if self.eat(b')')? {
            self.nesting -= 1;
            return Ok(params);
        }
        loop {
            if self.peek()?.kind == Kind::Ellipsis {
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
                if params.len() == MAX_MEMBERS {
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
        self.nesting -= 1;
        let nothing = matches!(
            params.as_slice(),
            [RawParam { name: None, ty }] if ty.kind == CType::Builtin(Builtin::Void)
        );
        if nothing {
            params.clear();
        }
        Ok(params)
    }

    /// Whether the next token is the given word; takes it.
    pub(super) fn eat_word(&mut self, word: &str) -> Result<bool, LexError> {
        let there = self.at_word(word)?;
        if there {
            self.next()?;
        }
        Ok(there)
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

fn is_param_mark(word: &str) -> bool {
    matches!(word, "__val_param" | "__local_param" | "__copy_param")
}

/// Words that take a parenthesised argument or none, and declare nothing.
fn attribute_word(word: &str) -> bool {
    matches!(
        word,
        "__attribute__"
            | "__attribute"
            | "__declspec"
            | "__launch_bounds__"
            | "__maxnreg__"
            | "__cluster_dims__"
            | "__block_size__"
            | "__align__"
            | "_Alignas"
            | "alignas"
            | "___device__"
            | "asm"
            | "__asm"
            | "__asm__"
            | "__nv_pure__"
    )
}

/// `__no_sc__`, `__var_used__`, `__inline__`: marks without a meaning for layouts.
fn dunder(word: &str) -> bool {
    word.len() > 4 && word.starts_with("__") && word.ends_with("__")
}

fn describe(kind: &Kind) -> String {
    match kind {
        Kind::Ident(name) | Kind::Number(name) => format!("`{name}`"),
        Kind::Text => "a literal".into(),
        Kind::Punct(punct) => format!("`{}`", char::from(*punct)),
        Kind::Scope => "`::`".into(),
        Kind::Ellipsis => "`...`".into(),
        Kind::End => "the end of the file".into(),
    }
}

fn alignment(tokens: &[Kind]) -> Parse<u64> {
    // `(16)` behind `aligned`, `16` within `__align__`; other attributes may follow.
    let mut inside = tokens.iter();
    let text = loop {
        match inside.next() {
            Some(Kind::Punct(b'(')) => {}
            Some(Kind::Number(text)) => break Some(text),
            // `aligned` alone asks for the largest alignment of the target.
            None | Some(_) => break None,
        }
    };
    let value = match text {
        Some(text) => number(text).and_then(|value| u64::try_from(value).ok()),
        None => Some(16),
    };
    match value {
        Some(value) if value.is_power_of_two() && value <= 1 << 28 => Ok(value),
        _ => syntax("an alignment that is no power of two"),
    }
}

/// The value of an integer literal, suffix and all.
pub(super) fn number(text: &str) -> Option<i128> {
    let digits = text.trim_end_matches(['u', 'U', 'l', 'L']);
    if let Some(hex) = digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        return i128::from_str_radix(hex, 16).ok();
    }
    match digits.strip_prefix('0') {
        Some(octal) if !octal.is_empty() => i128::from_str_radix(octal, 8).ok(),
        _ => digits.parse().ok(),
    }
}

/// The value of `8UL`, `(-1)`, `-(5)`; nvcc folds everything else before it prints.
fn constant(tokens: &[Kind]) -> Option<i128> {
    let mut negative = false;
    let mut value = None;
    for token in tokens {
        match token {
            Kind::Punct(b'(' | b')' | b'+') => {}
            Kind::Punct(b'-') if value.is_none() => negative = !negative,
            Kind::Number(text) if value.is_none() => value = Some(number(text)?),
            _ => return None,
        }
    }
    value.map(|value| if negative { -value } else { value })
}

/// The words of a builtin type, in any order.
#[derive(Default)]
struct BaseWords {
    words: Vec<&'static str>,
}

impl BaseWords {
    const WORDS: [&'static str; 21] = [
        "void",
        "bool",
        "_Bool",
        "char",
        "short",
        "int",
        "long",
        "signed",
        "__signed__",
        "unsigned",
        "float",
        "double",
        "__int128",
        "wchar_t",
        "char8_t",
        "char16_t",
        "char32_t",
        "_Complex",
        "__float128",
        "_Float128",
        "__bf16",
    ];

    fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn add(&mut self, word: &str) -> bool {
        let Some(known) = Self::WORDS.iter().find(|known| **known == word) else {
            return false;
        };
        if self.words.len() < 8 {
            self.words.push(known);
        }
        true
    }

    fn count(&self, word: &str) -> usize {
        self.words.iter().filter(|have| **have == word).count()
    }

    fn finish(&self) -> Parse<Option<Builtin>> {
        if self.words.is_empty() {
            return Ok(None);
        }
        let has = |word| self.count(word) > 0;
        let unsigned = has("unsigned");
        let signed = has("signed") || has("__signed__");
        let either = |plain, without| if unsigned { without } else { plain };
        let builtin = if has("_Complex") {
            Builtin::Other("_Complex")
        } else if has("__float128") || has("_Float128") {
            Builtin::Other("__float128")
        } else if has("__bf16") {
            Builtin::Other("__bf16")
        } else if has("void") {
            Builtin::Void
        } else if has("bool") || has("_Bool") {
            Builtin::Bool
        } else if has("wchar_t") {
            Builtin::WChar
        } else if has("char8_t") {
            Builtin::Char8
        } else if has("char16_t") {
            Builtin::Char16
        } else if has("char32_t") {
            Builtin::Char32
        } else if has("char") {
            match (unsigned, signed) {
                (true, _) => Builtin::UChar,
                (false, true) => Builtin::SChar,
                (false, false) => Builtin::Char,
            }
        } else if has("__int128") {
            either(Builtin::Int128, Builtin::UInt128)
        } else if has("short") {
            either(Builtin::Short, Builtin::UShort)
        } else if has("double") {
            if has("long") {
                Builtin::LongDouble
            } else {
                Builtin::Double
            }
        } else if has("float") {
            Builtin::Float
        } else {
            match self.count("long") {
                0 => either(Builtin::Int, Builtin::UInt),
                1 => either(Builtin::Long, Builtin::ULong),
                2 => either(Builtin::LongLong, Builtin::ULongLong),
                _ => return syntax("`long` three times"),
            }
        };
        Ok(Some(builtin))
    }
}
