//! Metadata: lists with names, and nodes with numbers.

use std::ops::Range;

use super::{
    super::{
        lex::{Kind, Token},
        module::{Annotation, Module, Node, Operand, Placed},
    },
    Reader,
};
use crate::lists::{AddAll, CollectVec};

impl<'t> Reader<'t> {
    /// Behind `!name =`.
    pub(super) fn metadata(&mut self, name: String, range: Range<usize>) {
        self.take_word("distinct");
        if let Some(old) = self.peek().filter(|token| token.is_word("metadata")) {
            let old = old.range.clone();
            self.module.old.get_or_insert(old);
        }
        let mut node = Node {
            range,
            ..Node::default()
        };
        let Some(token) = self.next() else { return };
        match token.kind {
            Kind::Byte(b'!') if self.take(b'{') => node.operands = self.operands(b'}'),
            Kind::Meta => {
                node.kind = token.text.into_owned();
                if self.take(b'(') {
                    node.operands = self.operands(b')');
                }
            }
            _ => return,
        }
        node.range.end = self.end();
        match name.parse() {
            Ok(number) => {
                self.module.nodes.insert(number, node);
            }
            Err(_) => {
                let operands = node.operands.iter();
                let nodes = operands.filter_map(|(_, operand)| match operand {
                    Operand::Node(number) => Some(*number),
                    _ => None,
                });
                self.named.push((name, nodes.collect_vec()));
            }
        }
    }

    fn operands(&mut self, close: u8) -> Vec<(String, Operand)> {
        let mut all = Vec::new();
        loop {
            let Some(token) = self.peek() else { return all };
            if token.is(close) {
                self.ahead = None;
                return all;
            }
            if token.is(b',') {
                self.ahead = None;
                continue;
            }
            let mut field = String::new();
            if token.kind == Kind::Word
                && let Some(token) = self.next()
            {
                if self.take(b':') {
                    field = token.text.into_owned();
                } else {
                    self.ahead_of(token, &mut all, close);
                    continue;
                }
            }
            if let Some(operand) = self.operand() {
                all.push((field, operand));
            }
        }
    }

    /// An operand that began with this word: `i32 1`, `void (i32)* @k`, `null`, `DW_ATE_signed`.
    fn ahead_of(&mut self, first: Token<'t>, all: &mut Vec<(String, Operand)>, close: u8) {
        let word = first.text.clone().into_owned();
        let mut last = Operand::Word(word);
        let mut depth = 0_u32;
        while let Some(token) = self.peek() {
            match token.kind {
                Kind::Byte(b',') if depth == 0 => break,
                Kind::Byte(byte) if depth == 0 && byte == close => break,
                Kind::Byte(b'(' | b'{' | b'[' | b'<') => depth = depth.saturating_add(1),
                Kind::Byte(b')' | b'}' | b']' | b'>') => depth = depth.saturating_sub(1),
                Kind::Global if depth == 0 => {
                    last = Operand::Global(token.text.clone().into_owned());
                }
                Kind::Word if depth == 0 => {
                    if let Some(value) = token.integer() {
                        last = Operand::Int(value);
                    }
                }
                _ => {}
            }
            self.ahead = None;
        }
        all.push((String::new(), last));
    }

    /// An operand that does not begin with a word, or one behind `field:`.
    fn operand(&mut self) -> Option<Operand> {
        let token = self.next()?;
        Some(match token.kind {
            Kind::Meta => match token.text.parse() {
                Ok(number) => Operand::Node(number),
                Err(_) => {
                    // `!DIExpression(…)`
                    if self.take(b'(') {
                        self.skip_group();
                    }
                    Operand::Word(token.text.into_owned())
                }
            },
            Kind::Byte(b'!') => {
                if self.take(b'{') {
                    self.skip_group();
                    return Some(Operand::Word("{}".to_owned()));
                }
                let text = self.next()?;
                Operand::Text(text.text.into_owned())
            }
            Kind::Text => Operand::Text(token.text.into_owned()),
            Kind::Word => match token.integer() {
                Some(value) => Operand::Int(value),
                None => Operand::Word(token.text.into_owned()),
            },
            Kind::Global => Operand::Global(token.text.into_owned()),
            // `%T* @k`: the type is of no interest.
            Kind::Local | Kind::Byte(b'{' | b'[' | b'<' | b'(') => {
                let mut all = Vec::new();
                if token.kind != Kind::Local {
                    self.skip_group();
                }
                self.ahead_of(token, &mut all, b'}');
                all.pop()?.1
            }
            _ => Operand::Word(token.text.into_owned()),
        })
    }

    pub(super) fn finish(mut self) -> Module {
        let named = std::mem::take(&mut self.named);
        for (name, nodes) in named {
            match name.as_str() {
                "nvvm.annotations" => nodes.iter().for_each(|node| self.annotations(*node)),
                "nvvmir.version" => {
                    let first = nodes.first().copied();
                    let found = first.and_then(|node| {
                        let range = self.module.nodes.get(&node)?.range.clone();
                        Some(Placed::new(self.module.integers(node)?, range))
                    });
                    self.module.version = self.module.version.take().or(found);
                }
                _ => {}
            }
        }
        self.module
    }

    /// `!{ptr @k, !"kernel", i32 1, !"maxntidx", i32 128}`
    fn annotations(&mut self, node: u64) {
        let Some(node) = self.module.nodes.get(&node) else {
            return;
        };
        let mut operands = node.operands.iter().map(|(_, operand)| operand);
        let Some(Operand::Global(of)) = operands.next() else {
            return;
        };
        let mut found = Vec::new();
        while let (Some(name), value) = (operands.next(), operands.next()) {
            let Operand::Text(name) = name else { continue };
            let place = self.place_of(name, &node.range);
            found.push(Annotation {
                of: of.clone(),
                name: Placed::new(name.clone(), place.clone()),
                value: value.cloned(),
                value_range: place,
            });
        }
        self.module.annotations.add_all(found);
    }

    /// Where a string stands within a node.
    fn place_of(&self, text: &str, within: &Range<usize>) -> Range<usize> {
        let quoted = format!("!\"{text}\"");
        let inside = self.lexer.text().get(within.clone()).unwrap_or_default();
        match inside.find(&quoted) {
            Some(at) => within.start + at..within.start + at + quoted.len(),
            None => within.clone(),
        }
    }
}
