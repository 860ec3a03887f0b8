//! The text of PTX, token by token.
//!
//! It is read in pieces, and words longer than any symbol end the reading.

use crate::lists::Figures;
use std::io::{self, Read};

/// Bytes that are read at once.
const PIECE: usize = 1 << 16;
/// Symbols of deep templates have some thousand bytes.
const LONGEST_WORD: usize = 1 << 16;

/// A token; the letters of words and strings stand in [`Text::word`].
pub(crate) enum Token {
    /// `_Z1kPf`, `call`, `16`
    Word,
    /// `.entry`, without the dot; also the parts of an instruction behind its first.
    Directive,
    /// `"kernels/saxpy.cu"`, without the quotes; what a backslash stands before is taken as it is.
    String,
    /// Anything else: `{`, `;`, …
    Byte(u8),
}

/// PTX in pieces.
pub(crate) struct Text<R> {
    input: R,
    piece: Vec<u8>,
    at: usize,
    /// Of the last token that has letters.
    pub(crate) word: Vec<u8>,
    /// Where the next byte stands, from 1.
    pub(crate) line: u32,
}

/// Bytes of words, by byte.
static WORD: [bool; 256] = {
    let mut set = [false; 256];
    let mut index = 0;
    while index < 256 {
        let byte = index as u8;
        set[index] = byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%' | b'@');
        index += 1;
    }
    set
};

impl<R: Read> Text<R> {
    pub(crate) fn new(input: R) -> Self {
        Self {
            input,
            piece: Vec::new(),
            at: 0,
            word: Vec::new(),
            line: 1,
        }
    }

    /// The next byte, which stays the next one.
    fn peek(&mut self) -> io::Result<Option<u8>> {
        if self.at == self.piece.len() {
            self.piece.resize(PIECE, 0);
            self.at = 0;
            let read = loop {
                match self.input.read(&mut self.piece) {
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    read => break read?,
                }
            };
            self.piece.truncate(read);
        }
        Ok(self.piece.get(self.at).copied())
    }

    fn next(&mut self) -> io::Result<Option<u8>> {
        let next = self.peek()?;
        self.at += usize::from(next.is_some());
        if next == Some(b'\n') {
            self.line = self.line.saturating_add(1);
        }
        Ok(next)
    }

    pub(crate) fn token(&mut self) -> io::Result<Option<Token>> {
        loop {
            let Some(byte) = self.next()? else {
                return Ok(None);
            };
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {}
                b'"' => {
                    self.string()?;
                    return Ok(Some(Token::String));
                }
                b'/' => self.skip_comment()?,
                b'.' => {
                    self.word.clear();
                    self.finish_word()?;
                    return Ok(Some(Token::Directive));
                }
                byte if WORD[usize::from(byte)] => {
                    self.word.clear();
                    self.word.push(byte);
                    self.finish_word()?;
                    return Ok(Some(Token::Word));
                }
                byte => return Ok(Some(Token::Byte(byte))),
            }
        }
    }

    fn finish_word(&mut self) -> io::Result<()> {
        while let Some(byte) = self.peek()?.filter(|byte| WORD[usize::from(*byte)]) {
            if self.word.len() == LONGEST_WORD {
                return Err(not_ptx("has a word of more than 65,536 bytes"));
            }
            self.word.push(byte);
            self.at += 1;
        }
        Ok(())
    }

    /// Up to the quote that ends it, or the line's end; of an endless one, the beginning.
    fn string(&mut self) -> io::Result<()> {
        self.word.clear();
        while let Some(mut byte) = self.next()? {
            match byte {
                b'"' | b'\n' => return Ok(()),
                b'\\' => match self.next()? {
                    Some(escaped) => byte = escaped,
                    None => return Ok(()),
                },
                _ => {}
            }
            if self.word.len() < LONGEST_WORD {
                self.word.push(byte);
            }
        }
        Ok(())
    }

    /// Behind a slash.
    fn skip_comment(&mut self) -> io::Result<()> {
        match self.peek()? {
            Some(b'/') => while self.next()?.is_some_and(|byte| byte != b'\n') {},
            Some(b'*') => {
                let mut before = 0;
                self.at += 1;
                while let Some(byte) = self.next()? {
                    if (before, byte) == (b'*', b'/') {
                        return Ok(());
                    }
                    before = byte;
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// What is left of this line, as a word.
    pub(super) fn rest_of_line(&mut self) -> io::Result<()> {
        self.word.clear();
        while let Some(byte) = self.next()?.filter(|byte| *byte != b'\n') {
            if self.word.len() < LONGEST_WORD {
                self.word.push(byte);
            }
        }
        Ok(())
    }

    /// Up to the brace that closes the one just read.
    pub(crate) fn skip_block(&mut self) -> io::Result<()> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next()? {
                Some(b'{') => depth += 1,
                Some(b'}') => depth -= 1,
                Some(b'"') => self.string()?,
                Some(b'/') => self.skip_comment()?,
                Some(_) => self.skip_plain(),
                None => return Err(not_ptx("ends inside a block")),
            }
        }
        Ok(())
    }

    /// The rest of the piece up to a byte that matters in a block.
    fn skip_plain(&mut self) {
        let rest = &self.piece[self.at..];
        let plain = |byte: &u8| !matches!(byte, b'{' | b'}' | b'"' | b'/' | b'\n');
        self.at += rest.iter().take_while(|byte| plain(byte)).how_many();
    }
}

pub(crate) fn not_ptx(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the PTX {why}"))
}

/// An integer as PTX writes it: `16`, `0x10`, `020`, `0b10000`, `16U`.
pub(super) fn number(word: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(word).ok()?;
    let text = text.strip_suffix('U').unwrap_or(text);
    let (digits, radix) = match text.as_bytes() {
        [b'0', b'x' | b'X', ..] => (text.get(2..)?, 16),
        [b'0', b'b' | b'B', ..] => (text.get(2..)?, 2),
        [b'0', _, ..] => (text.get(1..)?, 8),
        _ => (text, 10),
    };
    u64::from_str_radix(digits, radix).ok()
}
