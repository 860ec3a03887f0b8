//! Which functions use dynamic shared memory, by PTX: the cubin rules it out at most, for all kernels of a file.
//!
//! A function uses it when its body names an `.extern .shared` symbol, or names a function that does. Naming a function is
//! calling it or taking its address; who calls through a pointer (`.callprototype`) may reach every function.
//!
//! Bodies are looked into only where there is something to find: most files have no such symbol.

use std::{
    collections::{HashMap, HashSet},
    io::{self, Read},
};

use crate::{
    lists::CollectVec,
    ptx::{Text, Token, not_ptx},
    sorted::{self, Map, Set},
};

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
    let mut seen: Set<&str> = Set::new();
    seen.insert(kernel);
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
    kernels: Set<usize>,
    /// `.extern .shared` symbols.
    shared: HashSet<Vec<u8>>,
    /// Bodies by function.
    bodies: Map<usize, Body>,
}

/// What one body names.
#[derive(Default)]
struct Body {
    uses: bool,
    indirect: bool,
    names: Set<usize>,
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
                Token::Byte(_) | Token::String => {}
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
        let body = self.bodies.or_default(function);
        let mut depth = 1_usize;
        while depth > 0 {
            let Some(token) = text.token()? else {
                return Err(not_ptx("ends inside a function"));
            };
            match token {
                Token::Byte(b'{') => depth += 1,
                Token::Byte(b'}') => depth -= 1,
                Token::Byte(_) | Token::String => {}
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
            .collect_vec();
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
            let mut seen: Set<usize> = Set::new();
            seen.insert(*start);
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

#[cfg(test)]
#[path = "shared/tests.rs"]
mod tests;
