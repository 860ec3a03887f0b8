//! C tokens from a stream, with the preprocessor's line markers applied.
//!
//! Reads what nvcc leaves beside the PTX: already preprocessed text, so the only directives are line
//! markers (`# 40 "saxpy.cu"`), `#pragma pack`, and `#if !defined(__CUDABE__)` blocks, whose contents are
//! for the host. Holds one buffer and one token; a function body is passed over byte by byte without making
//! tokens, because a `.cudafe1.gpu` file may have 20 MB of them.

use std::io::Read;

/// Longest token kept. Mangled names of template-heavy code reach some 10 KB.
const MAX_TOKEN: usize = 1 << 20;
/// Longest directive line looked at.
const MAX_DIRECTIVE: usize = 1 << 16;
/// Nesting of `#pragma pack(push)`.
const MAX_PACK: usize = 256;
const BUFFER: usize = 1 << 16;

/// What a token is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Kind {
    /// Identifier or keyword.
    Ident(String),
    /// Preprocessing number, suffix included: `8UL`, `1.0F`.
    Number(String),
    /// A string or character literal; its text is never needed.
    Text,
    /// One character of punctuation.
    Punct(u8),
    /// `::`
    Scope,
    /// `...`
    Ellipsis,
    /// The end of the file.
    End,
}

/// A place in the sources, by the line markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Place {
    /// Index into [`Lexer::files`]; absent before the first marker.
    pub file: Option<u32>,
    /// From 1, in that file.
    pub line: u32,
}

/// A token and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: Kind,
    /// By the line markers.
    pub place: Place,
    /// Line in the file being read, from 1.
    pub line: u32,
    /// `#pragma pack(n)` in force, 0 for none.
    pub pack: u16,
}

/// The input ended inside something, could not be read, or has a token of absurd length.
#[derive(Debug)]
pub(super) struct LexError {
    pub line: u32,
    pub message: String,
}

/// Cuts a stream into [`Token`]s.
pub(super) struct Lexer<'a> {
    input: &'a mut dyn Read,
    buffer: Vec<u8>,
    at: usize,
    ended: bool,
    /// Nothing but blanks so far on this line.
    line_start: bool,
    line: u32,
    place: Place,
    pack: Vec<u16>,
    /// Files named by line markers, in order of first appearance.
    pub files: Vec<String>,
    file_ids: std::collections::HashMap<String, u32>,
    /// Whether any `#pragma pack` was seen.
    pub saw_pack: bool,
}

fn ident_start(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn ident_part(byte: u8) -> bool {
    ident_start(byte) || byte.is_ascii_digit()
}

impl<'a> Lexer<'a> {
    pub(super) fn new(input: &'a mut dyn Read) -> Self {
        Self {
            input,
            buffer: Vec::new(),
            at: 0,
            ended: false,
            line_start: true,
            line: 1,
            place: Place {
                file: None,
                line: 1,
            },
            pack: vec![0],
            files: Vec::new(),
            file_ids: std::collections::HashMap::new(),
            saw_pack: false,
        }
    }

    fn error(&self, message: impl Into<String>) -> LexError {
        LexError {
            line: self.line,
            message: message.into(),
        }
    }

    /// The next byte without taking it.
    fn peek(&mut self) -> Result<Option<u8>, LexError> {
        self.peek_at(0)
    }

    /// The byte `ahead` of the next one; `ahead` is at most 2.
    fn peek_at(&mut self, ahead: usize) -> Result<Option<u8>, LexError> {
        while self.at + ahead >= self.buffer.len() && !self.ended {
            self.fill()?;
        }
        Ok(self.buffer.get(self.at + ahead).copied())
    }

    fn fill(&mut self) -> Result<(), LexError> {
        self.buffer.drain(..self.at);
        self.at = 0;
        let kept = self.buffer.len();
        self.buffer.resize(kept + BUFFER, 0);
        let got = loop {
            match self.input.read(&mut self.buffer[kept..]) {
                Ok(got) => break got,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.buffer.truncate(kept);
                    return Err(self.error(format!("cannot be read: {error}")));
                }
            }
        };
        self.buffer.truncate(kept + got);
        self.ended = got == 0;
        Ok(())
    }

    fn bump(&mut self, byte: u8) {
        self.at += 1;
        if byte == b'\n' {
            self.line = self.line.saturating_add(1);
            self.place.line = self.place.line.saturating_add(1);
            self.line_start = true;
        } else if !byte.is_ascii_whitespace() {
            self.line_start = false;
        }
    }

    /// Passes blanks, comments and directives.
    fn blanks(&mut self) -> Result<(), LexError> {
        while let Some(byte) = self.peek()? {
            if byte.is_ascii_whitespace() || byte == b'\\' {
                self.bump(byte);
            } else if byte == b'#' && self.line_start {
                self.directive()?;
            } else if byte == b'/' && self.peek_at(1)? == Some(b'/') {
                self.rest_of_line(false)?;
            } else if byte == b'/' && self.peek_at(1)? == Some(b'*') {
                self.comment()?;
            } else {
                return Ok(());
            }
        }
        Ok(())
    }

    fn comment(&mut self) -> Result<(), LexError> {
        self.at += 2;
        let mut star = false;
        while let Some(byte) = self.peek()? {
            self.bump(byte);
            if star && byte == b'/' {
                return Ok(());
            }
            star = byte == b'*';
        }
        Err(self.error("ends inside a comment"))
    }

    /// Takes the line up to its end, keeping the text when asked to.
    fn rest_of_line(&mut self, keep: bool) -> Result<Vec<u8>, LexError> {
        let mut text = Vec::new();
        while let Some(byte) = self.peek()? {
            if byte == b'\n' {
                break;
            }
            if keep && text.len() < MAX_DIRECTIVE {
                text.push(byte);
            }
            self.bump(byte);
        }
        Ok(text)
    }

    fn directive(&mut self) -> Result<(), LexError> {
        let text = self.rest_of_line(true)?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let body = text.trim_start_matches('#').trim_start();
        if let Some((line, file)) = line_marker(body) {
            let next = self.files.len() as u32;
            let id = *self.file_ids.entry(file).or_insert_with_key(|file| {
                self.files.push(file.clone());
                next
            });
            // The newline still to come adds one.
            self.place = Place {
                file: Some(id),
                line: line.saturating_sub(1),
            };
        } else if let Some(rest) = body.strip_prefix("pragma") {
            self.pragma(rest.trim());
        } else if body.starts_with("if") && body.contains("!defined(__CUDABE__)") {
            self.skip_conditional()?;
        }
        Ok(())
    }

    /// Passes what a `#if` meant for the host encloses.
    fn skip_conditional(&mut self) -> Result<(), LexError> {
        let mut depth = 1;
        while let Some(byte) = self.peek()? {
            if byte != b'#' || !self.line_start {
                self.bump(byte);
                continue;
            }
            let text = self.rest_of_line(true)?;
            let body = text
                .iter()
                .skip(1)
                .copied()
                .skip_while(u8::is_ascii_whitespace);
            let word: Vec<u8> = body.take_while(u8::is_ascii_alphabetic).collect();
            match word.as_slice() {
                b"if" | b"ifdef" | b"ifndef" => depth += 1,
                b"endif" => depth -= 1,
                b"else" if depth == 1 => return Ok(()),
                _ => {}
            }
            if depth == 0 {
                return Ok(());
            }
        }
        Err(self.error("ends inside #if"))
    }

    fn pragma(&mut self, text: &str) {
        let Some(rest) = text.strip_prefix("pack") else {
            return;
        };
        self.saw_pack = true;
        let inner = rest.trim().trim_start_matches('(').trim_end_matches(')');
        let current = self.pack.last().copied().unwrap_or(0);
        let mut value = None;
        let mut push = false;
        for part in inner.split(',').map(str::trim) {
            match part {
                "push" => push = true,
                "pop" => {
                    if self.pack.len() > 1 {
                        self.pack.pop();
                    }
                    return;
                }
                _ => value = part.parse().ok().or(value),
            }
        }
        let value = match (value, push) {
            (Some(value), _) => value,
            (None, true) => current,
            (None, false) => 0,
        };
        if push && self.pack.len() < MAX_PACK {
            self.pack.push(value);
        } else if let Some(top) = self.pack.last_mut() {
            *top = value;
        }
    }

    /// The next token.
    pub(super) fn next(&mut self) -> Result<Token, LexError> {
        self.blanks()?;
        let (place, line, pack) = (
            self.place,
            self.line,
            self.pack.last().copied().unwrap_or(0),
        );
        let kind = match self.peek()? {
            None => Kind::End,
            Some(byte) if ident_start(byte) => Kind::Ident(self.run(|_, byte| ident_part(byte))?),
            Some(byte) if byte.is_ascii_digit() => Kind::Number(self.number()?),
            Some(quote @ (b'"' | b'\'')) => {
                self.literal(quote)?;
                Kind::Text
            }
            Some(b':') if self.peek_at(1)? == Some(b':') => {
                self.at += 2;
                self.line_start = false;
                Kind::Scope
            }
            Some(b'.') if self.peek_at(1)? == Some(b'.') && self.peek_at(2)? == Some(b'.') => {
                self.at += 3;
                self.line_start = false;
                Kind::Ellipsis
            }
            Some(byte) => {
                self.bump(byte);
                Kind::Punct(byte)
            }
        };
        Ok(Token {
            kind,
            place,
            line,
            pack,
        })
    }

    fn number(&mut self) -> Result<String, LexError> {
        self.run(|before, byte| {
            ident_part(byte)
                || byte == b'.'
                || (matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E' | b'p' | b'P'))
        })
    }

    fn run(&mut self, part: impl Fn(u8, u8) -> bool) -> Result<String, LexError> {
        let mut text = Vec::new();
        let mut before = 0;
        while let Some(byte) = self.peek()? {
            if !text.is_empty() && !part(before, byte) {
                break;
            }
            if text.len() == MAX_TOKEN {
                return Err(self.error(format!("holds a name of over {MAX_TOKEN} bytes")));
            }
            text.push(byte);
            self.bump(byte);
            before = byte;
        }
        Ok(match String::from_utf8(text) {
            Ok(text) => text,
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        })
    }

    fn literal(&mut self, quote: u8) -> Result<(), LexError> {
        self.bump(quote);
        while let Some(byte) = self.peek()? {
            self.bump(byte);
            match byte {
                b'\\' => {
                    if let Some(escaped) = self.peek()? {
                        self.bump(escaped);
                    }
                }
                // A literal never spans lines; a stray quote must not swallow the file.
                b'\n' => return Ok(()),
                _ if byte == quote => return Ok(()),
                _ => {}
            }
        }
        Err(self.error("ends inside a literal"))
    }

    /// Passes everything up to the brace that closes `depth` open ones. Makes no tokens.
    pub(super) fn skip_braces(&mut self, mut depth: usize) -> Result<(), LexError> {
        while depth > 0 {
            self.blanks()?;
            match self.peek()? {
                None => return Err(self.error("ends inside a function body or an initialiser")),
                Some(quote @ (b'"' | b'\'')) => self.literal(quote)?,
                Some(byte) => {
                    self.bump(byte);
                    match byte {
                        b'{' => depth += 1,
                        b'}' => depth -= 1,
                        _ => {}
                    }
                }
            }
        }
        Ok(())
    }
}

/// `40 "saxpy.cu" 3` or `line 40 "saxpy.cu"`: line and file.
pub(super) fn line_marker(body: &str) -> Option<(u32, String)> {
    let body = body.strip_prefix("line ").unwrap_or(body);
    let (number, rest) = body.split_once(' ')?;
    let line = number.parse().ok()?;
    let quoted = rest.trim_start().strip_prefix('"')?;
    let mut file = String::new();
    let mut chars = quoted.chars();
    loop {
        match chars.next()? {
            '"' => return Some((line, file)),
            '\\' => file.push(chars.next()?),
            other => file.push(other),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<Token> {
        let mut bytes = text.as_bytes();
        let mut lexer = Lexer::new(&mut bytes);
        let mut tokens = Vec::new();
        loop {
            let token = lexer.next().expect("a token");
            if token.kind == Kind::End {
                return tokens;
            }
            tokens.push(token);
        }
    }

    #[test]
    fn markers_give_places() {
        let tokens = all("# 40 \"a b.cu\"\nint x;\n# 7 \"/u/h.h\" 3\n  y");
        assert_eq!(
            tokens[0].place,
            Place {
                file: Some(0),
                line: 40
            }
        );
        let last = tokens.last().expect("y");
        assert_eq!(
            last.place,
            Place {
                file: Some(1),
                line: 7
            }
        );
        assert_eq!(last.line, 4);
    }

    #[test]
    fn packing_nests() {
        let tokens = all(
            "a\n#pragma pack(push, 2)\nb\n#pragma pack(1)\nc\n#pragma pack(pop)\nd\n#pragma pack(4)\ne\n#pragma pack()\nf",
        );
        let packs: Vec<u16> = tokens.iter().map(|token| token.pack).collect();
        assert_eq!(packs, [0, 2, 1, 0, 4, 0]);
    }

    #[test]
    fn host_blocks_are_passed() {
        let tokens = all("a\n#if !defined(__CUDABE__)\nb { \"\n#if 1\n#endif\n#endif\nc");
        assert_eq!(tokens.len(), 2);
    }

    #[test]
    fn bodies_are_passed_whole() {
        let mut bytes = "{ \"}\" '}' /* } */ { } // }\n } rest".as_bytes();
        let mut lexer = Lexer::new(&mut bytes);
        lexer.next().expect("the brace");
        lexer.skip_braces(1).expect("a closed body");
        assert_eq!(
            lexer.next().expect("a token").kind,
            Kind::Ident("rest".into())
        );
    }

    #[test]
    fn an_open_body_is_an_error() {
        let mut bytes = "{ {} ".as_bytes();
        let mut lexer = Lexer::new(&mut bytes);
        lexer.next().expect("the brace");
        assert!(lexer.skip_braces(1).is_err());
    }
}
