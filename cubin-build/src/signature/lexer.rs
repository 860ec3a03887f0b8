//! C tokens from a stream, with the preprocessor's line markers applied.
//!
//! Reads what nvcc leaves beside the PTX: already preprocessed text, so the only directives are line
//! markers (`# 40 "saxpy.cu"`), `#pragma pack`, and `#if !defined(__CUDABE__)` blocks, whose contents are
//! for the host. Holds one buffer and one token; a function body is passed over byte by byte without making
//! tokens, because a `.cudafe1.gpu` file may have 20 MB of them.

use std::borrow::Cow;
use std::io::Read;

use super::bytes::{Bytes, IDENT_PART, IDENT_START, IN_BODY, IN_DECLARATION, IN_LINE, span};
use crate::{lists::CollectVec, sorted::Map};

/// Longest token kept. Mangled names of template-heavy code reach some 10 KB.
const MAX_TOKEN: usize = 1 << 20;
/// Longest directive line looked at.
const MAX_DIRECTIVE: usize = 1 << 16;
/// Nesting of `#pragma pack(push)`.
const MAX_PACK: usize = 256;
const BUFFER: usize = 1 << 16;

/// What a token is.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum TokenKind {
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
pub(super) struct Position {
    /// Index into [`Lexer::files`]; absent before the first marker.
    pub file: Option<u32>,
    /// From 1, in that file.
    pub line: u32,
}

/// A token and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Token {
    pub kind: TokenKind,
    /// By the line markers.
    pub place: Position,
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
    /// Absent when the whole text is in `buffer`.
    input: Option<&'a mut dyn Read>,
    buffer: Cow<'a, [u8]>,
    at: usize,
    end: usize,
    ended: bool,
    /// Nothing but blanks so far on this line.
    line_start: bool,
    line: u32,
    place: Position,
    pack: Vec<u16>,
    /// Files named by line markers, in order of first appearance.
    pub files: Vec<String>,
    file_ids: Map<String, u32>,
    /// Whether any `#pragma pack` was seen.
    pub saw_pack: bool,
}

fn ident_start(byte: u8) -> bool {
    IDENT_START[usize::from(byte)]
}

fn into_text(bytes: Vec<u8>) -> String {
    match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
    }
}

fn ident_part(byte: u8) -> bool {
    IDENT_PART[usize::from(byte)]
}

impl<'a> Lexer<'a> {
    /// Over a stream, read in pieces.
    pub(super) fn new(input: &'a mut dyn Read) -> Self {
        Self {
            input: Some(input),
            buffer: Cow::Owned(vec![0; BUFFER]),
            end: 0,
            ended: false,
            ..Self::over(&[])
        }
    }

    /// Over text at hand.
    pub(super) fn over(text: &'a [u8]) -> Self {
        Self {
            input: None,
            buffer: Cow::Borrowed(text),
            at: 0,
            end: text.len(),
            ended: true,
            line_start: true,
            line: 1,
            place: Position {
                file: None,
                line: 1,
            },
            pack: vec![0],
            files: Vec::new(),
            file_ids: Map::new(),
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
        if self.at + ahead < self.end {
            return Ok(self.buffer.get(self.at + ahead).copied());
        }
        while self.at + ahead >= self.end && !self.ended {
            self.fill()?;
        }
        Ok(self.here().get(ahead).copied())
    }

    /// The bytes at hand.
    fn here(&self) -> &[u8] {
        self.buffer.get(self.at..self.end).unwrap_or_default()
    }

    /// Reads on; what is left moves to the front of the buffer.
    fn fill(&mut self) -> Result<(), LexError> {
        let Some(input) = &mut self.input else {
            self.ended = true;
            return Ok(());
        };
        let buffer = self.buffer.to_mut();
        buffer.copy_within(self.at..self.end, 0);
        self.end -= self.at;
        self.at = 0;
        let got = loop {
            match input.read(buffer.get_mut(self.end..).unwrap_or_default()) {
                Ok(got) => break got,
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(self.error(format!("cannot be read: {error}"))),
            }
        };
        self.end += got;
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
                self.rest_of_line()?;
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

    /// Takes bytes for as long as they are `wanted`, giving each piece to `keep`. None of them may be a newline.
    fn take_while(&mut self, wanted: &Bytes, mut keep: impl FnMut(&[u8])) -> Result<(), LexError> {
        loop {
            let here = self.here();
            let taken = span(here, wanted);
            let all = taken == here.len();
            keep(here.get(..taken).unwrap_or_default());
            self.at += taken;
            if !all || self.ended {
                return Ok(());
            }
            self.fill()?;
        }
    }

    /// Takes the line up to its end, keeping the start of the text.
    fn rest_of_line(&mut self) -> Result<Vec<u8>, LexError> {
        let mut text = Vec::new();
        self.take_while(&IN_LINE, |piece| {
            let room = MAX_DIRECTIVE.saturating_sub(text.len()).min(piece.len());
            text.extend_from_slice(piece.get(..room).unwrap_or_default());
        })?;
        Ok(text)
    }

    /// Takes a line marker that names the file of the one before, as nearly every one does and as most lines of a
    /// `.gpu` file are. `None` when it is anything else, or does not lie in the buffer as a whole.
    fn marker_of_same_file(&self) -> Option<(u32, usize)> {
        let here = self.here();
        let digits = here.strip_prefix(b"# ")?;
        let (length, mut at, mut line) = (digits.len(), 0, 0_u32);
        while at < length && digits[at].is_ascii_digit() {
            line = line
                .checked_mul(10)?
                .checked_add(u32::from(digits[at] - b'0'))?;
            at += 1;
        }
        if at == 0 {
            return None;
        }
        let file = self.files.get(self.place.file? as usize)?;
        let rest = digits
            .get(at..)?
            .strip_prefix(b" \"")?
            .strip_prefix(file.as_bytes())?
            .strip_prefix(b"\"")?;
        let flags = span(rest, &IN_LINE);
        (flags < rest.len()).then(|| (line, here.len() - rest.len() + flags))
    }

    fn directive(&mut self) -> Result<(), LexError> {
        if let Some((line, taken)) = self.marker_of_same_file() {
            self.at += taken;
            // The newline still to come adds one.
            self.place.line = line.saturating_sub(1);
            return Ok(());
        }
        let text = self.rest_of_line()?;
        let text = String::from_utf8_lossy(&text);
        let body = text.trim_start_matches('#').trim_start();
        if let Some((line, file)) = line_marker(body) {
            let id = self.file_id(file);
            // The newline still to come adds one.
            self.place = Position {
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

    fn file_id(&mut self, file: Cow<'_, str>) -> u32 {
        // Nearly every marker repeats the file of the one before.
        let current = self.place.file.unwrap_or(u32::MAX);
        if self
            .files
            .get(current as usize)
            .is_some_and(|known| *known == file)
        {
            return current;
        }
        if let Some(known) = self.file_ids.get(&*file) {
            return *known;
        }
        let new = self.files.len() as u32;
        self.files.push(file.clone().into_owned());
        self.file_ids.insert(file.into_owned(), new);
        new
    }

    /// Passes what a `#if` meant for the host encloses.
    fn skip_conditional(&mut self) -> Result<(), LexError> {
        let mut depth = 1;
        while let Some(byte) = self.peek()? {
            if byte != b'#' || !self.line_start {
                self.bump(byte);
                continue;
            }
            let text = self.rest_of_line()?;
            let body = text
                .iter()
                .skip(1)
                .copied()
                .skip_while(u8::is_ascii_whitespace);
            let word: Vec<u8> = body.take_while(u8::is_ascii_alphabetic).collect_vec();
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
            None => TokenKind::End,
            Some(byte) if ident_start(byte) => TokenKind::Ident(self.ident()?),
            Some(byte) if byte.is_ascii_digit() => TokenKind::Number(self.number()?),
            Some(quote @ (b'"' | b'\'')) => {
                self.literal(quote)?;
                TokenKind::Text
            }
            Some(b':') if self.peek_at(1)? == Some(b':') => {
                self.at += 2;
                self.line_start = false;
                TokenKind::Scope
            }
            Some(b'.') if self.peek_at(1)? == Some(b'.') && self.peek_at(2)? == Some(b'.') => {
                self.at += 3;
                self.line_start = false;
                TokenKind::Ellipsis
            }
            Some(byte) => {
                self.bump(byte);
                TokenKind::Punct(byte)
            }
        };
        Ok(Token {
            kind,
            place,
            line,
            pack,
        })
    }

    fn ident(&mut self) -> Result<String, LexError> {
        let mut text = Vec::new();
        let mut length = 0_usize;
        self.take_while(&IDENT_PART, |piece| {
            length = length.saturating_add(piece.len());
            if length <= MAX_TOKEN {
                text.extend_from_slice(piece);
            }
        })?;
        self.line_start = false;
        if length > MAX_TOKEN {
            return Err(self.error(format!("holds a name of over {MAX_TOKEN} bytes")));
        }
        Ok(into_text(text))
    }

    fn number(&mut self) -> Result<String, LexError> {
        let mut text = Vec::new();
        while let Some(byte) = self.peek()? {
            let sign = matches!(byte, b'+' | b'-')
                && matches!(text.last(), Some(b'e' | b'E' | b'p' | b'P'));
            if !ident_part(byte) && byte != b'.' && !sign {
                break;
            }
            if text.len() == MAX_TOKEN {
                return Err(self.error(format!("holds a number of over {MAX_TOKEN} bytes")));
            }
            text.push(byte);
            self.bump(byte);
        }
        Ok(into_text(text))
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

    /// Passes the rest of a declaration without making tokens: up to and with a `;` or `}` outside of all brackets, or
    /// up to a `{` there, and says which it was. `depth` counts the brackets that are open.
    pub(super) fn skip_declaration(&mut self, depth: &mut u32) -> Result<Option<u8>, LexError> {
        loop {
            let mut passed = false;
            self.take_while(&IN_DECLARATION, |piece| passed |= !piece.is_empty())?;
            self.line_start &= !passed;
            self.blanks()?;
            match self.peek()? {
                None => return Ok(None),
                Some(quote @ (b'"' | b'\'')) => self.literal(quote)?,
                Some(b'{') if *depth == 0 => return Ok(Some(b'{')),
                Some(byte) => {
                    self.bump(byte);
                    match byte {
                        b'(' | b'[' | b'{' => *depth += 1,
                        b')' | b']' | b'}' => *depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    if *depth == 0 && matches!(byte, b';' | b'}') {
                        return Ok(Some(byte));
                    }
                }
            }
        }
    }

    /// Passes everything up to the brace that closes `depth` open ones. Makes no tokens.
    pub(super) fn skip_braces(&mut self, mut depth: usize) -> Result<(), LexError> {
        while depth > 0 {
            // Whatever cannot begin one of the cases below.
            let mut passed = false;
            self.take_while(&IN_BODY, |piece| passed |= !piece.is_empty())?;
            self.line_start &= !passed;
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
pub(super) fn line_marker(body: &str) -> Option<(u32, Cow<'_, str>)> {
    let body = body.strip_prefix("line ").unwrap_or(body);
    let (number, rest) = body.split_once(' ')?;
    let line = number.parse().ok()?;
    let quoted = rest.trim_start().strip_prefix('"')?;
    let end = quoted.find(['"', '\\'])?;
    let (plain, rest) = quoted.split_at(end);
    if rest.starts_with('"') {
        return Some((line, plain.into()));
    }
    let mut file = plain.to_owned();
    let mut chars = rest.chars();
    loop {
        match chars.next()? {
            '"' => return Some((line, file.into())),
            '\\' => file.push(chars.next()?),
            other => file.push(other),
        }
    }
}

#[cfg(test)]
mod tests;
