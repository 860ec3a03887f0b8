//! The token side of the declaration parser: lookahead, bracketed groups, recovery, constants.
//!
//! Nesting is bounded, so hostile text cannot exhaust the stack, here or in whatever walks the types later.

use std::collections::VecDeque;

use super::lexer::{LexError, Lexer, Token, TokenKind};
use super::tables::Tables;

/// Nesting of parentheses and records within one declaration.
const MAX_NESTING: u32 = 24;

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

pub(super) fn syntax<T>(message: impl Into<String>) -> Parse<T> {
    Err(Trouble::Syntax(message.into()))
}

/// A parser over a token stream.
pub(super) struct Parser<'a> {
    lexer: Lexer<'a>,
    ahead: VecDeque<Token>,
    /// Open brackets of the declaration being read, for recovery.
    depth: u32,
    nesting: u32,
    pub tables: Tables,
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
            TokenKind::Punct(b'(' | b'[' | b'{') => self.depth += 1,
            TokenKind::Punct(b')' | b']' | b'}') => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        Ok(token)
    }

    pub(super) fn at(&mut self, punct: u8) -> Result<bool, LexError> {
        Ok(self.peek()?.kind == TokenKind::Punct(punct))
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
        if token.kind == TokenKind::Punct(punct) {
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
        while let Some(token) = self.ahead.front() {
            if self.depth == 0 && token.kind == TokenKind::Punct(b'{') {
                return self.pass_body();
            }
            let token = self.next()?;
            match token.kind {
                TokenKind::End => return Ok(()),
                TokenKind::Punct(b';') if self.depth == 0 => return Ok(()),
                TokenKind::Punct(b'}') if self.depth == 0 => {
                    self.eat(b';')?;
                    return Ok(());
                }
                _ => {}
            }
        }
        match self.lexer.skip_declaration(&mut self.depth)? {
            Some(b'{') => self.pass_body(),
            Some(b'}') => self.eat(b';').map(|_| ()),
            _ => Ok(()),
        }
    }

    fn pass_body(&mut self) -> Result<(), LexError> {
        self.next()?;
        self.skip_body()?;
        self.eat(b';')?;
        Ok(())
    }

    /// Passes a body whose `{` was just taken.
    pub(super) fn skip_body(&mut self) -> Result<(), LexError> {
        let mut open = 1_usize;
        while let Some(token) = self.ahead.pop_front() {
            match token.kind {
                TokenKind::Punct(b'{') => open += 1,
                TokenKind::Punct(b'}') => open -= 1,
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
    pub(super) fn group(&mut self) -> Parse<Vec<TokenKind>> {
        let before = self.depth;
        self.next()?;
        let mut inside = Vec::new();
        loop {
            let token = self.next()?;
            if token.kind == TokenKind::End {
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

    pub(super) fn descend(&mut self) -> Parse<()> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return syntax("nested too deeply");
        }
        Ok(())
    }

    /// Leaves what [`descend`](Self::descend) entered.
    pub(super) fn ascend(&mut self) {
        self.nesting = self.nesting.saturating_sub(1);
    }

    /// Tokens up to, not including, one of `ends` at this level.
    pub(super) fn until(&mut self, ends: &[u8]) -> Parse<Vec<TokenKind>> {
        let level = self.depth;
        let mut tokens = Vec::new();
        loop {
            let at_end = match self.peek()?.kind {
                TokenKind::Punct(punct) => ends.contains(&punct),
                TokenKind::End => return syntax("ends inside an expression"),
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
}

pub(super) fn describe(kind: &TokenKind) -> String {
    match kind {
        TokenKind::Ident(name) | TokenKind::Number(name) => format!("`{name}`"),
        TokenKind::Text => "a literal".into(),
        TokenKind::Punct(punct) => format!("`{}`", char::from(*punct)),
        TokenKind::Scope => "`::`".into(),
        TokenKind::Ellipsis => "`...`".into(),
        TokenKind::End => "the end of the file".into(),
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
pub(super) fn constant(tokens: &[TokenKind]) -> Option<i128> {
    let mut negative = false;
    let mut value = None;
    for token in tokens {
        match token {
            TokenKind::Punct(b'(' | b')' | b'+') => {}
            TokenKind::Punct(b'-') if value.is_none() => negative = !negative,
            TokenKind::Number(text) if value.is_none() => value = Some(number(text)?),
            _ => return None,
        }
    }
    value.map(|value| if negative { -value } else { value })
}
