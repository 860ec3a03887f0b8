//! What a kernel's body says of its parameters and its source.
//!
//! nvcc and LLVM, below sm_100, declare a pointer as a plain `.u64`. That it is one shows where the kernel loads it and,
//! as it is, turns it into an address of global memory (`cvta.to.global`) or accesses global memory by it. A register
//! that anything else writes, too, tells nothing.

use std::{
    collections::HashMap,
    io::{self, Read},
};

use super::{
    model::{Class, Extent, Param, Pointee, Space},
    text::{Text, Token, not_ptx, number},
};

/// A register that holds a parameter.
struct Holder {
    param: usize,
    /// Used as an address of global memory.
    address: bool,
    /// Written by something else, too.
    rewritten: bool,
}

/// One instruction, as far as it matters.
#[derive(Default)]
struct Instruction {
    /// The predicate comes next.
    guard: bool,
    /// `ld`, `cvta`, …
    opcode: Vec<u8>,
    to: bool,
    global: bool,
    /// `ld.param`
    param: bool,
    /// Of 64 bits.
    wide: bool,
    /// What it writes: the first operand, unless that is an address.
    written: Vec<Vec<u8>>,
    /// The first word of its address, and whether there is more than that.
    address: Option<Vec<u8>>,
    offset: bool,
    /// The first operand behind what it writes.
    second: Option<Vec<u8>>,
    commas: usize,
    braces: usize,
    in_address: bool,
}

/// Reads a body behind its opening brace; gives the first place (file, line) that the kernel itself has in its debug
/// information.
pub(super) fn read<R: Read>(
    text: &mut Text<R>,
    params: &mut [Param],
) -> io::Result<Option<(u64, u32)>> {
    let mut names: HashMap<Vec<u8>, usize> = HashMap::new();
    for (index, param) in params.iter().enumerate() {
        let may_point = matches!(param.class, Class::Unsigned | Class::Signed | Class::Bits);
        if may_point && param.size == 8 && param.extent == Extent::One && param.pointee.is_none() {
            names.insert(param.name.clone().into_bytes(), index);
        }
    }
    let mut place = None;
    let mut registers: HashMap<Vec<u8>, Holder> = HashMap::new();
    let mut instruction = Instruction::default();
    let mut depth = 1_usize;
    loop {
        let Some(token) = text.token()? else {
            return Err(not_ptx("ends inside a function"));
        };
        match token {
            Token::Directive if text.word == b"loc" && instruction.opcode.is_empty() => {
                place = place.or(location(text)?);
            }
            _ if names.is_empty() => match token {
                Token::Byte(b'{') => depth += 1,
                Token::Byte(b'}') if depth == 1 => break,
                Token::Byte(b'}') => depth -= 1,
                _ => {}
            },
            Token::Byte(b'{') if instruction.opcode.is_empty() => depth += 1,
            Token::Byte(b'}') if instruction.opcode.is_empty() => {
                if depth == 1 {
                    break;
                }
                depth -= 1;
            }
            Token::Byte(b';') => {
                instruction.end(&names, &mut registers);
                instruction = Instruction::default();
            }
            Token::Byte(b':') => instruction = Instruction::default(),
            token => instruction.take(&token, &text.word),
        }
    }
    for holder in registers.values() {
        if let Some(param) = params.get_mut(holder.param)
            && holder.address
            && !holder.rewritten
        {
            param.pointee = Some(Pointee {
                space: Space::Global,
                align: None,
            });
        }
    }
    Ok(place)
}

/// Behind `.loc`: file and line of the kernel's own text; nothing for that of an inlined function.
fn location<R: Read>(text: &mut Text<R>) -> io::Result<Option<(u64, u32)>> {
    // `.loc 1 8 3` and `.loc 1 8 3, function_name $L__info_string0, inlined_at 1 20 5`
    text.rest_of_line()?;
    let line = String::from_utf8_lossy(&text.word);
    if line.contains(',') {
        return Ok(None);
    }
    let mut numbers = line.split_ascii_whitespace();
    let (file, line) = (numbers.next(), numbers.next());
    let found = file.and_then(|file| Some((number(file.as_bytes())?, line?.parse().ok()?)));
    Ok(found.filter(|(_, line)| *line > 0))
}

impl Instruction {
    fn take(&mut self, token: &Token, word: &[u8]) {
        match token {
            // `@%p1 bra …`, `@!%p1 bra …`: the guard stands before the opcode.
            Token::Word if word.starts_with(b"@") => self.guard = word.len() == 1,
            Token::Word if self.guard => self.guard = false,
            Token::Word if self.opcode.is_empty() => self.opcode = word.to_vec(),
            Token::Directive => match word {
                b"to" => self.to = true,
                b"global" => self.global = true,
                b"param" => self.param = true,
                b"u64" | b"s64" | b"b64" => self.wide = true,
                _ => {}
            },
            Token::Word if self.in_address => {
                if self.address.is_none() {
                    self.address = Some(word.to_vec());
                } else {
                    self.offset = true;
                }
            }
            Token::Word if self.commas == 0 || self.braces > 0 => {
                if self.address.is_none() {
                    self.written.push(word.to_vec());
                }
            }
            Token::Word => {
                if self.second.is_none() {
                    self.second = Some(word.to_vec());
                }
            }
            Token::Byte(b'[') => self.in_address = true,
            Token::Byte(b']') => self.in_address = false,
            Token::Byte(b'{') => self.braces += 1,
            Token::Byte(b'}') => self.braces = self.braces.saturating_sub(1),
            Token::Byte(b',') if self.braces == 0 => self.commas += 1,
            // `setp.eq.s32 %p1|%p2, …` writes both; `[x+4]` is not the whole.
            Token::Byte(b'+' | b'-') if self.in_address => self.offset = true,
            Token::Byte(_) | Token::String => {}
        }
    }

    fn end(&self, names: &HashMap<Vec<u8>, usize>, registers: &mut HashMap<Vec<u8>, Holder>) {
        let address = self.address.as_ref();
        let loaded = match (self.opcode.as_slice(), address) {
            (b"ld", Some(name)) if self.param && self.wide && !self.offset => names.get(name),
            _ => None,
        };
        if let (Some(param), [register]) = (loaded, self.written.as_slice()) {
            match registers.get_mut(register) {
                Some(known) => known.rewritten |= known.param != *param,
                None => {
                    let holder = Holder {
                        param: *param,
                        address: false,
                        rewritten: false,
                    };
                    registers.insert(register.clone(), holder);
                }
            }
            return;
        }
        let used = match self.opcode.as_slice() {
            b"cvta" if self.to && self.global => self.second.as_ref(),
            b"ld" | b"st" | b"atom" | b"red" if self.global => address,
            _ => None,
        };
        if let Some(holder) = used.and_then(|register| registers.get_mut(register)) {
            holder.address = true;
        }
        for register in &self.written {
            if let Some(holder) = registers.get_mut(register) {
                holder.rewritten = true;
            }
        }
    }
}
