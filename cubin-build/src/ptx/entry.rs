//! Kernels as PTX declares them: `.visible .entry saxpy(.param .u32 n, .param .u64 .ptr .global .align 4 x) .maxntid 256`.
//!
//! Section 5 and 10 of the PTX ISA; what ptxas 13.5 accepts of it, with its sizes and offsets, is held to in
//! `tests/tests/typed_ptx`. Whatever this reader does not know of a parameter leaves that parameter unknown.

use std::io::{self, Read};

use super::{
    body,
    model::{Class, Directives, Entry, Extent, Param, Pointee, Space},
    text::{Text, Token, not_ptx, number},
};
use crate::lists::AddAll;

/// Reads the kernels that PTX defines, in their order.
///
/// # Errors
/// What the system says, or that the text is not PTX.
pub fn entries(input: impl Read) -> io::Result<Vec<Entry>> {
    let mut text = Text::new(input);
    let mut entries: Vec<Entry> = Vec::new();
    // (index, path) of `.file`, which may follow the code that names it.
    let mut files: Vec<(u64, String)> = Vec::new();
    let mut locations: Vec<Option<(u64, u32)>> = Vec::new();
    while let Some(token) = text.token()? {
        match token {
            Token::Directive if text.word == b"entry" => {
                if let Some(mut entry) = header(&mut text)? {
                    let found = body::read(&mut text, &mut entry.params)?;
                    locations.push(found);
                    entries.push(entry);
                }
            }
            Token::Directive if text.word == b"file" => {
                let index = match text.token()? {
                    Some(Token::Word) => number(&text.word),
                    _ => None,
                };
                if let (Some(index), Some(Token::String)) = (index, text.token()?) {
                    files.push((index, lossy(&text.word)));
                }
            }
            Token::Byte(b'{') => text.skip_block()?,
            _ => {}
        }
    }
    for (entry, location) in entries.iter_mut().zip(locations) {
        entry.source = location.and_then(|(index, line)| {
            let file = files.iter().find(|(known, _)| *known == index)?;
            Some((file.1.clone(), line))
        });
    }
    Ok(entries)
}

/// Behind `.entry`, up to the brace that begins the body; `None` for a declaration without one.
fn header<R: Read>(text: &mut Text<R>) -> io::Result<Option<Entry>> {
    let line = text.line;
    let Some(Token::Word) = text.token()? else {
        return Err(not_ptx("has an `.entry` without a name"));
    };
    let mut entry = Entry {
        symbol: lossy(&text.word),
        line,
        ..Entry::default()
    };
    let mut directive: Vec<u8> = Vec::new();
    let mut numbers: Vec<u64> = Vec::new();
    loop {
        let Some(token) = text.token()? else {
            return Err(not_ptx("ends inside the head of a kernel"));
        };
        match token {
            Token::Byte(b'(') => entry.params = parameters(text)?,
            Token::Directive => {
                entry.directives.take(&directive, &numbers);
                directive.clone_from(&text.word);
                numbers.clear();
            }
            Token::Word => numbers.add_all(number(&text.word)),
            // `.pragma "nounroll";` has an end of its own.
            Token::Byte(b';') if directive == b"pragma" => directive.clear(),
            Token::Byte(b';') => return Ok(None),
            Token::Byte(b'{') => {
                entry.directives.take(&directive, &numbers);
                return Ok(Some(entry));
            }
            Token::Byte(_) | Token::String => {}
        }
    }
}

impl Directives {
    /// Takes note of one directive and its numbers.
    fn take(&mut self, name: &[u8], numbers: &[u64]) {
        let axis = |index: usize| {
            let number = numbers.get(index).copied().unwrap_or(1);
            u32::try_from(number).unwrap_or(u32::MAX)
        };
        let first = numbers.first().map(|_| axis(0));
        let shape = first.map(|first| [first, axis(1), axis(2)]);
        match name {
            b"maxntid" => self.max_threads = shape,
            b"reqntid" => self.required_threads = shape,
            b"maxnreg" => self.max_registers = first,
            b"minnctapersm" => self.min_blocks = first,
            b"reqnctapercluster" => self.cluster = shape,
            b"explicitcluster" => self.explicit_cluster = true,
            b"maxclusterrank" => self.max_cluster_rank = first,
            _ => {}
        }
    }
}

/// Which number of a parameter comes next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Name,
    Align,
    PointeeAlign,
    Extent,
}

/// Behind the parenthesis that opens the list, up to the one that closes it.
fn parameters<R: Read>(text: &mut Text<R>) -> io::Result<Vec<Param>> {
    let mut params = Vec::new();
    let mut param = Param::default();
    let mut any = false;
    let mut next = Next::Name;
    loop {
        let Some(token) = text.token()? else {
            return Err(not_ptx("ends inside the parameters of a kernel"));
        };
        match token {
            Token::Byte(b')') => {
                if any {
                    params.push(param);
                }
                return Ok(params);
            }
            Token::Byte(b',') => {
                params.push(std::mem::take(&mut param));
                (any, next) = (false, Next::Name);
                continue;
            }
            Token::Directive => {
                next = match text.word.as_slice() {
                    b"align" if param.pointee.is_some() => Next::PointeeAlign,
                    b"align" => Next::Align,
                    word => {
                        param.attribute(word);
                        Next::Name
                    }
                };
            }
            Token::Word => {
                let value = number(&text.word);
                match next {
                    Next::Name => param.name = lossy(&text.word),
                    Next::Align => param.align = value.filter(|align| align.is_power_of_two()),
                    Next::PointeeAlign => {
                        if let Some(pointee) = &mut param.pointee {
                            pointee.align = value;
                        }
                    }
                    Next::Extent => match value {
                        Some(count) => param.extent = Extent::Elements(count),
                        None => param.class = Class::Unknown,
                    },
                }
                next = Next::Name;
            }
            Token::Byte(b'[') => (param.extent, next) = (Extent::Open, Next::Extent),
            Token::Byte(b']') => next = Next::Name,
            // No declaration has it: nothing of this parameter is sure.
            Token::Byte(_) | Token::String => param.class = Class::Unknown,
        }
        any = true;
    }
}

impl Param {
    /// Takes note of a word with a dot, but for `.align`.
    fn attribute(&mut self, word: &[u8]) {
        let space = match word {
            b"param" => return,
            b"ptr" => Space::Generic,
            b"global" => Space::Global,
            b"const" => Space::Constant,
            b"shared" => Space::Shared,
            b"local" => Space::Local,
            _ => {
                (self.class, self.size) = class(word);
                return;
            }
        };
        let align = self.pointee.and_then(|pointee| pointee.align);
        self.pointee = Some(Pointee { space, align });
    }
}

/// The class and the bytes of a type, behind its dot.
fn class(word: &[u8]) -> (Class, u64) {
    let Some((first, bits)) = word.split_first() else {
        return (Class::Unknown, 0);
    };
    let class = match (first, bits) {
        (b'u', b"8" | b"16" | b"32" | b"64") => Class::Unsigned,
        (b's', b"8" | b"16" | b"32" | b"64") => Class::Signed,
        (b'f', b"16" | b"32" | b"64") => Class::Float,
        (b'b', b"8" | b"16" | b"32" | b"64" | b"128") => Class::Bits,
        _ if matches!(word, b"texref" | b"samplerref" | b"surfref") => return (Class::Texture, 0),
        _ => return (Class::Unknown, 0),
    };
    (class, number(bits).unwrap_or(0) / 8)
}

fn lossy(word: &[u8]) -> String {
    String::from_utf8_lossy(word).into_owned()
}

#[cfg(test)]
#[path = "entry/tests.rs"]
mod tests;
