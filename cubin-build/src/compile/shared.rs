//! Which functions use dynamic shared memory, by PTX: the cubin tells it per file only.
//!
//! A function uses it when its body names an `.extern .shared` symbol, or names a function that does. Naming a function is
//! calling it or taking its address; who calls through a pointer (`.callprototype`) may reach every function.
//!
//! The text is read in pieces, and words longer than any symbol end the reading. Bodies are looked into only where there
//! is something to find: most files have no such symbol.

use std::{
    collections::{HashMap, HashSet},
    io::{self, Read},
};

use crate::sorted::{self, Map};

/// Bytes that are read at once.
const PIECE: usize = 1 << 16;
/// Symbols of deep templates have some thousand bytes.
const LONGEST_WORD: usize = 1 << 16;

/// What the PTX of one unit says of its functions.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SharedUse {
    /// By symbol; those that neither use it nor leave the unit are left out.
    pub functions: Map<String, Reach>,
}

/// What a function reaches: itself, the functions that it names, those that they name, and so on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reach {
    /// One names an `.extern .shared` symbol.
    pub uses: bool,
    /// One calls through a pointer, and some function of the unit uses it, or the unit is one of several.
    pub may_use: bool,
    /// Functions of other units, sorted.
    pub outside: Vec<String>,
}

impl SharedUse {
    /// Reads the PTX that `open` opens, once, or a second time where there is something to find. `relocatable`: the unit
    /// is one of several that are linked.
    ///
    /// # Errors
    /// What the system says, or that the text is not PTX.
    pub fn read<R: Read>(open: impl Fn() -> io::Result<R>, relocatable: bool) -> io::Result<Self> {
        let mut declared = Scan::default();
        declared.read(&mut Text::new(open()?), false)?;
        if declared.shared.is_empty() && !relocatable {
            return Ok(Self::default());
        }
        // A body may name what is declared behind it.
        let mut scan = Scan {
            known: declared.known,
            kernels: declared.kernels,
            shared: declared.shared,
            ..Scan::default()
        };
        scan.read(&mut Text::new(open()?), true)?;
        Ok(scan.reaches(relocatable))
    }
}

/// Whether a kernel of a cubin that `units` became uses dynamic shared memory; `None` when they do not tell. `libraries`:
/// something else is linked in, too.
#[must_use]
pub fn uses_dynamic_shared(kernel: &str, units: &[&SharedUse], libraries: bool) -> Option<bool> {
    let mut pending = vec![kernel];
    let mut seen: HashSet<&str> = HashSet::from([kernel]);
    let is_known = |name: &str| units.iter().any(|unit| unit.functions.contains_key(name));
    // What no unit knows comes from a library; `vprintf` and its like are the driver's.
    let mut unsure = libraries && !is_known(kernel);
    while let Some(name) = pending.pop() {
        for reach in units.iter().filter_map(|unit| unit.functions.get(name)) {
            if reach.uses {
                return Some(true);
            }
            unsure |= reach.may_use;
            for callee in &reach.outside {
                if seen.insert(callee) {
                    unsure |= libraries && !is_known(callee);
                    pending.push(callee);
                }
            }
        }
    }
    (!unsure).then_some(false)
}

/// What one pass finds.
#[derive(Default)]
struct Scan {
    /// Functions by name, kernels among them.
    known: HashMap<Vec<u8>, usize>,
    /// Whoever names one of these launches it: what it uses is an affair of that launch.
    kernels: HashSet<usize>,
    /// `.extern .shared` symbols.
    shared: HashSet<Vec<u8>>,
    /// Bodies by function.
    bodies: HashMap<usize, Body>,
}

/// What one body names.
#[derive(Default)]
struct Body {
    uses: bool,
    indirect: bool,
    names: HashSet<usize>,
}

/// The statement at module level that is being read.
#[derive(Default)]
struct Statement {
    function: bool,
    kernel: bool,
    external: bool,
    shared: bool,
    name: Option<Vec<u8>>,
}

impl Scan {
    fn read<R: Read>(&mut self, text: &mut Text<R>, bodies: bool) -> io::Result<()> {
        let mut statement = Statement::default();
        let mut parentheses = 0_usize;
        while let Some(token) = text.token()? {
            match token {
                Token::Directive => match text.word.as_slice() {
                    b"func" => statement.function = true,
                    b"entry" => (statement.function, statement.kernel) = (true, true),
                    b"extern" => statement.external = true,
                    b"shared" => statement.shared = true,
                    // Neither has an end of its own.
                    b"version" | b"target" | b"address_size" | b"file" => {
                        statement = Statement::default();
                    }
                    _ => {}
                },
                Token::Word if parentheses == 0 => {
                    let number = text.word.first().is_some_and(u8::is_ascii_digit);
                    if statement.name.is_none() && !number && statement.names_something() {
                        statement.name = Some(text.word.clone());
                    }
                }
                Token::Word => {}
                Token::Byte(b'(') => parentheses += 1,
                Token::Byte(b')') => parentheses = parentheses.saturating_sub(1),
                Token::Byte(b';') => {
                    self.end(std::mem::take(&mut statement));
                    parentheses = 0;
                }
                Token::Byte(b'{') => {
                    let function = self.end(std::mem::take(&mut statement));
                    parentheses = 0;
                    match function.filter(|_| bodies) {
                        Some(function) => self.body(function, text)?,
                        None => text.skip_block()?,
                    }
                }
                Token::Byte(_) => {}
            }
        }
        Ok(())
    }

    /// Takes note of what a statement declares; the number of a function.
    fn end(&mut self, statement: Statement) -> Option<usize> {
        let name = statement.name?;
        if statement.function {
            let next = self.known.len();
            let number = *self.known.entry(name).or_insert(next);
            if statement.kernel {
                self.kernels.insert(number);
            }
            return Some(number);
        }
        if statement.external && statement.shared {
            self.shared.insert(name);
        }
        None
    }

    fn body<R: Read>(&mut self, function: usize, text: &mut Text<R>) -> io::Result<()> {
        let body = self.bodies.entry(function).or_default();
        let mut depth = 1_usize;
        while depth > 0 {
            let Some(token) = text.token()? else {
                return Err(not_ptx("ends inside a function"));
            };
            match token {
                Token::Byte(b'{') => depth += 1,
                Token::Byte(b'}') => depth -= 1,
                Token::Byte(_) => {}
                Token::Directive => {
                    body.indirect |=
                        matches!(text.word.as_slice(), b"callprototype" | b"calltargets");
                }
                Token::Word => {
                    body.uses |= self.shared.contains(&text.word);
                    let named = self.known.get(&text.word);
                    let called = named.filter(|named| !self.kernels.contains(named));
                    body.names.extend(called.copied());
                }
            }
        }
        Ok(())
    }

    /// What each function reaches in the end.
    fn reaches(&self, relocatable: bool) -> SharedUse {
        let mut symbols: Vec<(usize, &[u8])> = self
            .known
            .iter()
            .map(|(name, number)| (*number, name.as_slice()))
            .collect();
        sorted::sort(&mut symbols);
        let text = |number: usize| {
            let name = symbols.get(number).map_or(&b""[..], |(_, name)| *name);
            String::from_utf8_lossy(name).into_owned()
        };
        let any = self.bodies.values().any(|body| body.uses);
        let mut functions = Map::new();
        for start in self.bodies.keys() {
            let mut reach = Reach::default();
            let mut pending = vec![*start];
            let mut seen = HashSet::from([*start]);
            while let Some(number) = pending.pop() {
                let Some(body) = self.bodies.get(&number) else {
                    reach.outside.push(text(number));
                    continue;
                };
                reach.uses |= body.uses;
                reach.may_use |= body.indirect && (any || relocatable);
                pending.extend(body.names.iter().filter(|name| seen.insert(**name)));
            }
            if !relocatable {
                // The driver's own, such as `vprintf`.
                reach.outside.clear();
            }
            sorted::sort(&mut reach.outside);
            if relocatable || reach != Reach::default() {
                functions.insert(text(*start), reach);
            }
        }
        SharedUse { functions }
    }
}

impl Statement {
    /// Whether its first word at this level is a name that matters.
    fn names_something(&self) -> bool {
        self.function || (self.external && self.shared)
    }
}

/// A token; the letters of words stand in [`Text::word`].
enum Token {
    /// `_Z1kPf`, `call`, `16`
    Word,
    /// `.entry`, without the dot; also the parts of an instruction behind its first.
    Directive,
    /// Anything else: `{`, `;`, …
    Byte(u8),
}

/// PTX in pieces.
struct Text<R> {
    input: R,
    piece: Vec<u8>,
    at: usize,
    word: Vec<u8>,
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
    fn new(input: R) -> Self {
        Self {
            input,
            piece: Vec::new(),
            at: 0,
            word: Vec::new(),
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
        Ok(next)
    }

    fn token(&mut self) -> io::Result<Option<Token>> {
        loop {
            let Some(byte) = self.next()? else {
                return Ok(None);
            };
            match byte {
                b' ' | b'\t' | b'\r' | b'\n' => {}
                b'"' => self.skip_string()?,
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

    fn skip_string(&mut self) -> io::Result<()> {
        while let Some(byte) = self.next()? {
            match byte {
                b'"' | b'\n' => return Ok(()),
                b'\\' => _ = self.next()?,
                _ => {}
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

    /// Up to the brace that closes the one just read.
    fn skip_block(&mut self) -> io::Result<()> {
        let mut depth = 1_usize;
        while depth > 0 {
            match self.next()? {
                Some(b'{') => depth += 1,
                Some(b'}') => depth -= 1,
                Some(b'"') => self.skip_string()?,
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
        let plain = |byte: &u8| !matches!(byte, b'{' | b'}' | b'"' | b'/');
        self.at += rest.iter().take_while(|byte| plain(byte)).count();
    }
}

fn not_ptx(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the PTX {why}"))
}

#[cfg(test)]
#[path = "shared/tests.rs"]
mod tests;
