//! The text of LLVM's IR, token by token.
//!
//! LLVM's lexer of all versions so far: names behind `@`, `%`, `!`, `#` and `$`, plain or between quotes; strings; words,
//! which are also types and numbers; comments from `;` to the end of the line.

use std::{borrow::Cow, ops::Range};

/// What a token is; its letters stand in [`Token::text`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// `@saxpy`
    Global,
    /// `%x`, `%"a b"`, `%0`
    Local,
    /// `!nvvm.annotations`, `!0`, `!DIFile`
    Meta,
    /// `#0`
    Group,
    /// `"nvvm.maxntid"`, also behind `c`
    Text,
    /// `define`, `i32`, `-1`, `0x3FF0000000000000`, `entry:`, `...`
    Word,
    /// Anything else, also a `!` alone.
    Byte(u8),
}

/// A token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token<'t> {
    pub(super) kind: Kind,
    /// Without the mark before it and without quotes.
    pub(super) text: Cow<'t, str>,
    /// Which bytes of the whole text it is.
    pub(super) range: Range<usize>,
}

impl Token<'_> {
    pub(super) fn is_word(&self, word: &str) -> bool {
        self.kind == Kind::Word && self.text == word
    }

    pub(super) fn is(&self, byte: u8) -> bool {
        self.kind == Kind::Byte(byte)
    }

    /// An integer, as `i32` has behind it.
    pub(super) fn integer(&self) -> Option<i64> {
        let word = (self.kind == Kind::Word).then_some(&self.text)?;
        match word.as_ref() {
            "true" => Some(1),
            "false" => Some(0),
            word => word.parse().ok(),
        }
    }
}

/// Tokens of a text.
pub(super) struct Lexer<'t> {
    text: &'t str,
    at: usize,
}

/// LLVM's letters of names without quotes.
fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'$' | b'.' | b'_')
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    pub(super) fn text(&self) -> &'t str {
        self.text
    }

    /// Where the next token, or the space before it, begins.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    pub(super) fn next(&mut self) -> Option<Token<'t>> {
        loop {
            match self.peek(0)? {
                b' ' | b'\t' | b'\r' | b'\n' | 0 => self.at += 1,
                b';' => {
                    let rest = self.text.get(self.at..)?;
                    self.at += rest.find('\n').unwrap_or(rest.len());
                }
                byte => return Some(self.token(byte)),
            }
        }
    }

    fn token(&mut self, byte: u8) -> Token<'t> {
        let start = self.at;
        let kind = match byte {
            b'@' => Kind::Global,
            b'%' => Kind::Local,
            b'!' => Kind::Meta,
            b'#' => Kind::Group,
            // Of a comdat, which nothing here asks for.
            b'$' => Kind::Word,
            b'"' => {
                let text = self.quoted();
                let range = start..self.at;
                let kind = Kind::Text;
                return Token { kind, text, range };
            }
            byte if in_name(byte) => {
                let text = Cow::Borrowed(self.name());
                let range = start..self.at;
                let kind = Kind::Word;
                return Token { kind, text, range };
            }
            byte => {
                // A character of several bytes is one token.
                let length = self.text.get(start..).and_then(|rest| rest.chars().next());
                self.at += length.map_or(1, char::len_utf8);
                return self.other(byte, start);
            }
        };
        self.at += 1;
        let text = match self.peek(0) {
            // `!"text"` is a string and not a name.
            Some(b'"') if kind != Kind::Meta => self.quoted(),
            Some(byte) if in_name(byte) || (kind == Kind::Meta && byte == b'\\') => {
                Cow::Borrowed(self.name())
            }
            _ => return self.other(byte, start),
        };
        let range = start..self.at;
        Token { kind, text, range }
    }

    fn other(&self, byte: u8, start: usize) -> Token<'t> {
        Token {
            kind: Kind::Byte(byte),
            text: Cow::Borrowed(self.text.get(start..self.at).unwrap_or_default()),
            range: start..self.at,
        }
    }

    fn name(&mut self) -> &'t str {
        let start = self.at;
        while self
            .peek(0)
            .is_some_and(|byte| in_name(byte) || byte == b'\\')
        {
            self.at += 1;
        }
        self.text.get(start..self.at).unwrap_or_default()
    }

    /// From the quote that opens it to behind the one that closes it, `\22` read as the byte that it stands for.
    fn quoted(&mut self) -> Cow<'t, str> {
        self.at += 1;
        let rest = self.text.get(self.at..).unwrap_or_default();
        let end = rest.find('"').unwrap_or(rest.len());
        self.at += (end + 1).min(rest.len());
        let raw = rest.get(..end).unwrap_or_default();
        if !raw.contains('\\') {
            return Cow::Borrowed(raw);
        }
        let mut bytes = Vec::with_capacity(raw.len());
        let mut parts = raw.split('\\');
        bytes.extend_from_slice(parts.next().unwrap_or_default().as_bytes());
        for part in parts {
            let digits = part.get(..2);
            match digits.and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
                Some(byte) => {
                    bytes.push(byte);
                    bytes.extend_from_slice(part.get(2..).unwrap_or_default().as_bytes());
                }
                None => {
                    bytes.push(b'\\');
                    bytes.extend_from_slice(part.as_bytes());
                }
            }
        }
        Cow::Owned(String::from_utf8_lossy(&bytes).into_owned())
    }
}
