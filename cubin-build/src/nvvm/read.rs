//! Reads a module's text.
//!
//! What is not known is passed over, so that the next LLVM's attributes are no error here: whether a text is right is for
//! libnvvm to say. Bodies are looked through for words alone.

mod metadata;

use super::{
    lex::{Kind, Lexer, Token},
    module::{Attribute, Function, Global, Module, Param, Placed},
    types::Type,
};
use crate::lists::AddAll;

/// Types nest no deeper than this.
const DEEPEST: u32 = 64;

/// Reads it.
#[must_use]
pub fn read(text: &str) -> Module {
    let mut reader = Reader {
        text,
        lexer: Lexer::new(text),
        ahead: None,
        module: Module::default(),
        named: Vec::new(),
    };
    while let Some(token) = reader.next() {
        reader.top(&token);
    }
    reader.finish()
}

struct Reader<'t> {
    text: &'t str,
    lexer: Lexer<'t>,
    ahead: Option<Token<'t>>,
    module: Module,
    /// Lists with a name: `!nvvm.annotations`, with the nodes that they hold.
    named: Vec<(String, Vec<u64>)>,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Option<Token<'t>> {
        let token = self.ahead.take().or_else(|| self.lexer.next())?;
        if token.kind == Kind::Word && self.ahead.is_none() {
            match token.text.as_ref() {
                "ptr" if self.module.opaque.is_none() => {
                    self.module.opaque = Some(token.range.clone());
                }
                "bfloat" if self.module.newer.is_none() => {
                    let word = token.text.clone().into_owned();
                    self.module.newer = Some(Placed::new(word, token.range.clone()));
                }
                _ => {}
            }
        }
        Some(token)
    }

    fn peek(&mut self) -> Option<&Token<'t>> {
        if self.ahead.is_none() {
            let token = self.next();
            self.ahead = token;
        }
        self.ahead.as_ref()
    }

    fn peek_is(&mut self, byte: u8) -> bool {
        self.peek().is_some_and(|token| token.is(byte))
    }

    /// Takes the next token if it is this byte.
    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek_is(byte);
        if found {
            self.ahead = None;
        }
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = self.peek().is_some_and(|token| token.is_word(word));
        if found {
            self.ahead = None;
        }
        found
    }

    /// Up to behind the bracket that closes the one just taken.
    fn skip_group(&mut self) {
        let mut depth = 1_u32;
        while depth > 0 {
            let Some(token) = self.next() else { return };
            match token.kind {
                Kind::Byte(b'(' | b'{' | b'[' | b'<') => depth = depth.saturating_add(1),
                Kind::Byte(b')' | b'}' | b']' | b'>') => depth -= 1,
                _ => {}
            }
        }
    }

    fn top(&mut self, token: &Token<'t>) {
        match (token.kind, token.text.as_ref()) {
            (Kind::Word, "target") => self.target(),
            (Kind::Word, "define") => self.function(true),
            (Kind::Word, "declare") => self.function(false),
            (Kind::Word, "attributes") => self.group(),
            (Kind::Local, name) => {
                let name = name.to_owned();
                if self.take(b'=') && self.take_word("type") {
                    let ty = self.ty(DEEPEST);
                    self.module.types.insert(name, ty);
                }
            }
            (Kind::Global, name) => {
                let name = Placed::new(name.to_owned(), token.range.clone());
                if self.take(b'=') {
                    self.global(name);
                }
            }
            (Kind::Meta, name) => {
                let (name, range) = (name.to_owned(), token.range.clone());
                if self.take(b'=') {
                    self.metadata(name, range);
                }
            }
            _ => {}
        }
    }

    fn target(&mut self) {
        let Some(what) = self.next() else { return };
        if !self.take(b'=') {
            return;
        }
        let Some(value) = self.next().filter(|token| token.kind == Kind::Text) else {
            return;
        };
        let placed = Some(Placed::new(value.text.into_owned(), value.range));
        match what.text.as_ref() {
            "triple" => self.module.triple = placed,
            "datalayout" => self.module.layout = placed,
            _ => {}
        }
    }

    /// Behind `@name =`: of what comes before `global` or `constant`, the address space counts.
    fn global(&mut self, name: Placed<String>) {
        let mut space = 0;
        while let Some(token) = self.next() {
            match (token.kind, token.text.as_ref()) {
                (Kind::Word, "addrspace") => space = self.number_in_parentheses().unwrap_or(0),
                (Kind::Word, "global" | "constant") => break,
                // Another name for something, or nothing that is known.
                (Kind::Word, "alias" | "ifunc" | "comdat") => return,
                (Kind::Byte(b'('), _) => self.skip_group(),
                (Kind::Byte(_) | Kind::Global | Kind::Meta, _) => return,
                _ => {}
            }
        }
        self.module.globals.push(Global { name, space });
    }

    /// `(3)`
    fn number_in_parentheses(&mut self) -> Option<u32> {
        if !self.take(b'(') {
            return None;
        }
        let number = self.next()?.text.parse().ok();
        self.take(b')');
        number
    }

    fn group(&mut self) {
        let Some(number) = self.next().and_then(|token| token.text.parse().ok()) else {
            return;
        };
        if !self.take(b'=') || !self.take(b'{') {
            return;
        }
        let mut all = Vec::new();
        while let Some(token) = self.next() {
            match token.kind {
                Kind::Byte(b'}') => break,
                Kind::Text => all.push(self.attribute(token)),
                Kind::Byte(b'(') => self.skip_group(),
                _ => {}
            }
        }
        self.module.groups.insert(number, all);
    }

    /// Behind an attribute's name.
    fn attribute(&mut self, name: Token<'t>) -> Attribute {
        let mut range = name.range;
        let mut value = String::new();
        if self.take(b'=')
            && let Some(token) = self.next()
        {
            value = token.text.into_owned();
            range.end = token.range.end;
        }
        Attribute {
            name: name.text.into_owned(),
            value,
            range,
        }
    }

    fn function(&mut self, defined: bool) {
        let mut function = Function {
            defined,
            ..Function::default()
        };
        // What comes before the type of the result.
        loop {
            let Some(token) = self.peek() else { return };
            if begins_type(token) {
                break;
            }
            match (token.kind, token.text.as_ref()) {
                (
                    Kind::Word,
                    linkage @ ("internal"
                    | "private"
                    | "linkonce"
                    | "linkonce_odr"
                    | "weak"
                    | "weak_odr"
                    | "available_externally"
                    | "extern_weak"
                    | "common"
                    | "appending"
                    | "external"),
                ) => function.linkage = linkage.to_owned(),
                (Kind::Word, "ptx_kernel") => function.kernel_convention = true,
                (Kind::Word, "cc") => {
                    self.ahead = None;
                    // The number of the same calling convention.
                    function.kernel_convention =
                        self.peek().is_some_and(|token| token.is_word("71"));
                }
                (Kind::Byte(b'('), _) => {
                    self.ahead = None;
                    self.skip_group();
                    continue;
                }
                (Kind::Word | Kind::Text, _) | (Kind::Byte(b'='), _) => {}
                _ => return,
            }
            self.ahead = None;
        }
        function.returns = Some(self.ty(DEEPEST));
        match self.next() {
            Some(token) if token.kind == Kind::Global => {
                function.name = token.text.into_owned();
                function.range = token.range;
            }
            _ => return,
        }
        if self.take(b'(') {
            self.params(&mut function);
        }
        self.after_params(&mut function);
        self.module.functions.push(function);
    }

    /// Behind the list: attributes, and the body.
    fn after_params(&mut self, function: &mut Function) {
        loop {
            // The next definition ends a declaration, which has no mark at its end.
            let ends = |token: &Token<'_>| {
                matches!(token.kind, Kind::Local)
                    || [
                        "define",
                        "declare",
                        "attributes",
                        "target",
                        "module",
                        "source_filename",
                    ]
                    .iter()
                    .any(|word| token.is_word(word))
            };
            if self.peek().is_none_or(ends) {
                return;
            }
            if !function.defined && self.peek().is_some_and(|token| token.kind == Kind::Global) {
                return;
            }
            if self.peek().is_some_and(|token| token.kind == Kind::Meta) {
                if !self.attachment(function) {
                    return;
                }
                continue;
            }
            let Some(token) = self.next() else { return };
            match token.kind {
                Kind::Byte(b'{') => {
                    let start = token.range.end;
                    let end = self.skip_group_of_braces();
                    self.stores(start..end);
                    return;
                }
                Kind::Byte(b'(') => self.skip_group(),
                Kind::Group => function.groups.add_all(token.text.parse::<u64>()),
                Kind::Text => {
                    let attribute = self.attribute(token);
                    function.attributes.push(attribute);
                }
                _ => {}
            }
        }
    }

    /// `!dbg !5` behind a function; `false` when it is the beginning of metadata instead, which is then read.
    fn attachment(&mut self, function: &mut Function) -> bool {
        let Some(kind) = self.next() else {
            return false;
        };
        if self.take(b'=') {
            self.metadata(kind.text.into_owned(), kind.range);
            return false;
        }
        if let Some(token) = self.peek().filter(|token| token.kind == Kind::Meta) {
            if kind.text == "dbg" {
                function.debug = token.text.parse().ok();
            }
            self.ahead = None;
        }
        true
    }

    /// Stores of a body that lead to constant memory: `store i32 1, i32 addrspace(4)* %p`.
    fn stores(&mut self, body: std::ops::Range<usize>) {
        let mut at = body.start;
        let text = self.text.get(body).unwrap_or_default();
        for line in text.split_inclusive('\n') {
            let code = line.trim_start();
            let start = at + (line.len() - code.len());
            at += line.len();
            let to = code
                .strip_prefix("store ")
                .and_then(|rest| rest.split(", ").nth(1));
            let ty = to.and_then(|to| to.trim_end().rsplit_once(' '));
            if let Some((ty, _)) = ty
                && (ty.ends_with(" addrspace(4)*") || ty == "ptr addrspace(4)")
            {
                let end = start + code.trim_end().len();
                self.module.constant_stores.push(start..end);
            }
        }
    }

    /// A body, up to where it ends; brackets of comparison do not come in pairs there.
    fn skip_group_of_braces(&mut self) -> usize {
        let mut depth = 1_u32;
        let mut end = self.text.len();
        while depth > 0 {
            let Some(token) = self.next() else {
                return self.text.len();
            };
            end = token.range.start;
            match token.kind {
                Kind::Byte(b'{') => depth = depth.saturating_add(1),
                Kind::Byte(b'}') => depth -= 1,
                _ => {}
            }
        }
        end
    }

    fn params(&mut self, function: &mut Function) {
        if self.take(b')') {
            return;
        }
        loop {
            if self.take_word("...") {
                function.variadic = true;
            } else {
                let param = self.param();
                function.params.push(param);
            }
            match self.next() {
                Some(token) if token.is(b',') => {}
                _ => return,
            }
        }
    }

    fn param(&mut self) -> Param {
        let start = self.peek().map_or(0, |token| token.range.start);
        let mut param = Param {
            name: None,
            ty: self.ty(DEEPEST),
            by_value: false,
            align: None,
            signed: None,
            read_only: false,
            range: start..start,
        };
        param.range.end = self.end();
        loop {
            let Some(token) = self.peek() else {
                return param;
            };
            let (kind, text) = (token.kind, token.text.clone());
            match (kind, text.as_ref()) {
                (Kind::Byte(b')' | b','), _) => return param,
                (Kind::Word, "byval") => {
                    self.ahead = None;
                    param.by_value = true;
                    if self.take(b'(') {
                        param.ty = self.ty(DEEPEST);
                        self.take(b')');
                    } else if let Type::Pointer { to: Some(to), .. } = param.ty {
                        param.ty = *to;
                    }
                    continue;
                }
                (Kind::Word, "align") => {
                    self.ahead = None;
                    let parenthesis = self.take(b'(');
                    let number = self.peek().and_then(|token| token.text.parse().ok());
                    param.align = number;
                    if number.is_some() {
                        self.ahead = None;
                    }
                    if parenthesis {
                        self.take(b')');
                    }
                    continue;
                }
                (Kind::Word, "signext") => param.signed = Some(true),
                (Kind::Word, "zeroext") => param.signed = Some(false),
                (Kind::Word, "readonly" | "readnone") => param.read_only = true,
                (Kind::Local, name) => {
                    param.name = Some(name.to_owned());
                    param.range.end = token.range.end;
                }
                (Kind::Byte(b'(' | b'{' | b'[' | b'<'), _) => {
                    self.ahead = None;
                    self.skip_group();
                    continue;
                }
                _ => {}
            }
            self.ahead = None;
        }
    }

    /// Where what was taken last ends: the beginning of what comes next, without the space before it.
    fn end(&mut self) -> usize {
        match &self.ahead {
            Some(token) => token.range.start,
            None => self.lexer.at(),
        }
    }

    fn ty(&mut self, deeper: u32) -> Type {
        let Some(deeper) = deeper.checked_sub(1) else {
            return Type::Other("a type that nests too deep".to_owned());
        };
        let Some(token) = self.next() else {
            return Type::Other("nothing".to_owned());
        };
        let mut ty = match (token.kind, token.text.as_ref()) {
            (Kind::Word, "ptr") => {
                let mut space = 0;
                if self.take_word("addrspace") {
                    space = self.number_in_parentheses().unwrap_or(0);
                }
                Type::Pointer { to: None, space }
            }
            (Kind::Word, word) => plain(word),
            (Kind::Local, name) => Type::Named(name.to_owned()),
            (Kind::Byte(b'{'), _) => self.fields(b'}', false, deeper),
            (Kind::Byte(b'<'), _) if self.take(b'{') => {
                let fields = self.fields(b'}', true, deeper);
                self.take(b'>');
                fields
            }
            (Kind::Byte(open @ (b'<' | b'[')), _) => {
                let scalable = self.take_word("vscale") && self.take_word("x");
                let count = self.next().and_then(|token| token.text.parse().ok());
                self.take_word("x");
                let element = Box::new(self.ty(deeper));
                self.take(if open == b'<' { b'>' } else { b']' });
                match (count, open) {
                    (Some(_), _) if scalable => Type::Other("a vector without a length".to_owned()),
                    (Some(count), b'<') => Type::Vector(count, element),
                    (Some(count), _) => Type::Array(count, element),
                    (None, _) => Type::Other("an array without a length".to_owned()),
                }
            }
            _ => Type::Other(token.text.into_owned()),
        };
        // What stands behind makes a pointer or a function of it.
        loop {
            if self.take(b'*') {
                ty = pointer(ty, 0);
            } else if !matches!(ty, Type::Pointer { to: None, .. }) && self.take_word("addrspace") {
                let space = self.number_in_parentheses().unwrap_or(0);
                self.take(b'*');
                ty = pointer(ty, space);
            } else if self.take(b'(') {
                self.skip_group();
                ty = Type::Function;
            } else {
                return ty;
            }
        }
    }

    fn fields(&mut self, close: u8, packed: bool, deeper: u32) -> Type {
        let mut fields = Vec::new();
        if !self.take(close) {
            loop {
                fields.push(self.ty(deeper));
                match self.next() {
                    Some(token) if token.is(b',') => {}
                    _ => break,
                }
            }
        }
        Type::Struct { fields, packed }
    }
}

fn pointer(to: Type, space: u32) -> Type {
    Type::Pointer {
        to: Some(Box::new(to)),
        space,
    }
}

fn plain(word: &str) -> Type {
    match word {
        "void" => Type::Void,
        "half" => Type::Half,
        "bfloat" => Type::BFloat,
        "float" => Type::Float,
        "double" => Type::Double,
        _ => match word.strip_prefix('i').and_then(|bits| bits.parse().ok()) {
            Some(bits) => Type::Int(bits),
            None => Type::Other(word.to_owned()),
        },
    }
}

/// Whether the type of a function's result begins with it.
fn begins_type(token: &Token<'_>) -> bool {
    match token.kind {
        Kind::Local | Kind::Byte(b'{' | b'[' | b'<') => true,
        Kind::Word => match token.text.as_ref() {
            "ptr" | "fp128" | "x86_fp80" | "ppc_fp128" | "x86_mmx" => true,
            word => !matches!(plain(word), Type::Other(_)),
        },
        _ => false,
    }
}
