//! Mangled type names of `.gpu` tags, read back into C++: `_ZN2ns3VecIfLi4EEE` is `ns::Vec<float, 4>`.
//!
//! Knows names, template arguments, types and literals of the Itanium C++ ABI (section 5.1), as far as tags and
//! parameter lists of kernels use them; expressions and operator names are left unread, and what is unread keeps
//! its mangled spelling. Never needed for a layout, only for names.

use super::ctype::{Builtin, CType, QType, RawParam, spell};
use super::names;

/// Types within types.
const MAX_DEPTH: u32 = 40;
/// Work per name; substitutions can double the text with every step.
const MAX_TEXT: usize = 1 << 16;

struct NameReader<'t> {
    rest: &'t str,
    substitutions: Vec<QType>,
    template_args: Vec<QType>,
    /// The template arguments are those of the function; later ones are of its parameters.
    frozen: bool,
    depth: u32,
    work: usize,
}

/// What a name ends in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Name {
    /// Readable, whole.
    pub text: String,
    /// The last component without template arguments.
    pub last: String,
    /// It has a part that the source cannot spell: lambda, unnamed or local type.
    pub unnamed: bool,
    /// It has a lambda's closure type as its last part.
    pub lambda: bool,
    /// It lies in a function.
    pub local: bool,
    /// Bytes behind the name.
    pub rest: usize,
}

/// Reads a tag such as `_ZN2ns5InnerE`. `None` when it is not mangled or not understood.
pub(super) fn name(tag: &str) -> Option<Name> {
    let mut reader = NameReader::new(tag.strip_prefix("_Z")?);
    let local = tag.starts_with("_ZZ");
    let (text, last) = reader.name()?;
    let text = names::readable(&text);
    Some(Name {
        unnamed: local || text.contains("(unnamed ") || text.contains("{lambda "),
        lambda: last.starts_with("{lambda "),
        local,
        text,
        last,
        rest: reader.rest.len(),
    })
}

/// The parameter types of a function's mangled name, when all of it is understood.
pub(super) fn parameters(mangled: &str) -> Option<Vec<QType>> {
    let mut reader = NameReader::new(mangled.strip_prefix("_Z")?);
    let (text, _) = reader.name()?;
    reader.frozen = true;
    if text.ends_with('>') {
        // The return type of a template instance comes first.
        reader.ty()?;
    }
    let mut params = Vec::new();
    while !reader.rest.is_empty() {
        params.push(reader.ty()?);
    }
    if matches!(params.as_slice(), [one] if one.kind == CType::Builtin(Builtin::Void)) {
        params.clear();
    }
    Some(params)
}

fn named(text: &str) -> QType {
    CType::Named(text.to_owned()).into()
}

/// Member pointers have no C type; this name stands for them.
pub(super) const MEMBER_POINTER: &str = "<member pointer>";

impl<'t> NameReader<'t> {
    fn new(rest: &'t str) -> Self {
        Self {
            rest,
            substitutions: Vec::new(),
            template_args: Vec::new(),
            frozen: false,
            depth: 0,
            work: 0,
        }
    }

    fn eat(&mut self, text: &str) -> bool {
        match self.rest.strip_prefix(text) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn byte(&mut self) -> Option<u8> {
        let byte = *self.rest.as_bytes().first()?;
        self.rest = self.rest.get(1..)?;
        Some(byte)
    }

    fn digits(&mut self) -> Option<usize> {
        let end = self
            .rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(self.rest.len());
        let (digits, rest) = self.rest.split_at(end);
        let value = digits.parse().ok()?;
        self.rest = rest;
        Some(value)
    }

    fn charge(&mut self, text: &str) -> Option<()> {
        self.work += text.len();
        (self.work <= MAX_TEXT).then_some(())
    }

    fn text_of(&mut self, ty: &QType) -> Option<String> {
        let text = spell(ty, &str::to_owned);
        self.charge(&text)?;
        Some(text)
    }

    fn enter(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= MAX_DEPTH).then_some(())
    }

    /// A name: (whole, last component).
    fn name(&mut self) -> Option<(String, String)> {
        self.enter()?;
        let found = if self.eat("N") {
            self.nested()
        } else if self.eat("Z") {
            self.local()
        } else {
            self.unscoped()
        };
        self.depth -= 1;
        found
    }

    /// `St4byte`, `4PairIcdE`, `S_IcdE`.
    fn unscoped(&mut self) -> Option<(String, String)> {
        let (mut text, last, known) = if self.rest.starts_with('S') && !self.rest.starts_with("St")
        {
            let ty = self.substitution()?;
            let text = self.text_of(&ty)?;
            let last = last_component(&text);
            (text, last, true)
        } else {
            let std = self.eat("St");
            let last = self.unqualified()?;
            let text = if std {
                format!("std::{last}")
            } else {
                last.clone()
            };
            (text, last, false)
        };
        if self.rest.starts_with('I') {
            if !known {
                self.substitutions.push(named(&text));
            }
            text.push_str(&self.arguments()?);
        }
        self.charge(&text)?;
        Some((text, last))
    }

    /// Behind `N`, up to `E`.
    fn nested(&mut self) -> Option<(String, String)> {
        while self.eat("K") || self.eat("V") || self.eat("r") {}
        let mut text = String::new();
        let mut last = String::new();
        loop {
            if self.eat("E") {
                // The whole is a candidate of the type, not of the prefix.
                self.substitutions.pop();
                return (!text.is_empty()).then_some((text, last));
            }
            if self.rest.starts_with('I') && !text.is_empty() {
                text.push_str(&self.arguments()?);
            } else if self.eat("St") {
                text = "std".into();
                continue;
            } else if self.rest.starts_with('S') {
                let ty = self.substitution()?;
                text = self.text_of(&ty)?;
                last = last_component(&text);
                // Already a candidate; the final pop must not take another.
                if self.eat("E") {
                    return Some((text, last));
                }
                continue;
            } else if self.rest.starts_with('T') && text.is_empty() {
                let ty = self.template_param()?;
                text = self.text_of(&ty)?;
                last = last_component(&text);
            } else {
                last = self.unqualified()?;
                if !text.is_empty() {
                    text.push_str("::");
                }
                text.push_str(&last);
            }
            self.charge(&text)?;
            self.substitutions.push(named(&text));
        }
    }

    /// Behind `Z`: a function's encoding, `E`, and the entity within.
    fn local(&mut self) -> Option<(String, String)> {
        let (mut text, _) = self.name()?;
        if text.ends_with('>') {
            self.ty()?;
        }
        let mut params = Vec::new();
        while !self.eat("E") {
            let ty = self.ty()?;
            if ty.kind != CType::Builtin(Builtin::Void) {
                params.push(self.text_of(&ty)?);
            }
        }
        text.push_str(&format!("({})::", params.join(", ")));
        let (inner, last) = self.name()?;
        // A discriminator tells namesakes of one function apart.
        if self.eat("__") {
            self.digits()?;
            self.eat("_").then_some(())?;
        } else if self.rest.starts_with('_') {
            self.byte();
            self.digits()?;
        }
        text.push_str(&inner);
        self.charge(&text)?;
        Some((text, last))
    }

    fn unqualified(&mut self) -> Option<String> {
        self.eat("L");
        if self.eat("Ut") {
            let number = self.position()?;
            return Some(format!("(unnamed {number})"));
        }
        if self.eat("Ul") {
            while !self.eat("E") {
                self.ty()?;
            }
            let number = self.position()?;
            return Some(format!("{{lambda {number}}}"));
        }
        let length = self.digits()?;
        let name = self.rest.get(..length).filter(|name| !name.is_empty())?;
        self.rest = self.rest.get(length..)?;
        // ABI tags say nothing to a reader.
        while self.eat("B") {
            let length = self.digits()?;
            self.rest = self.rest.get(length..)?;
        }
        if name.starts_with("_GLOBAL__N_") {
            return Some(names::ANONYMOUS_NAMESPACE.into());
        }
        Some(name.to_owned())
    }

    /// `_` is the first, `0_` the second.
    fn position(&mut self) -> Option<usize> {
        if self.eat("_") {
            return Some(1);
        }
        let number = self.digits()?;
        self.eat("_").then_some(number.checked_add(2)?)
    }

    /// `S_`, `S0_`, `SA_`, `Sa` and so on.
    fn substitution(&mut self) -> Option<QType> {
        self.eat("S").then_some(())?;
        let index = match self.byte()? {
            b'_' => 0,
            b'a' => return Some(named("std::allocator")),
            b'b' => return Some(named("std::basic_string")),
            b's' => return Some(named("std::string")),
            first @ (b'0'..=b'9' | b'A'..=b'Z') => {
                let mut index = base36(first);
                loop {
                    match self.byte()? {
                        b'_' => break,
                        byte @ (b'0'..=b'9' | b'A'..=b'Z') => {
                            index = index.checked_mul(36)?.checked_add(base36(byte))?;
                        }
                        _ => return None,
                    }
                }
                index.checked_add(1)?
            }
            _ => return None,
        };
        self.substitutions.get(index).cloned()
    }

    fn template_param(&mut self) -> Option<QType> {
        self.eat("T").then_some(())?;
        let index = if self.eat("_") {
            0
        } else {
            let number = self.digits()?;
            self.eat("_").then_some(())?;
            number.checked_add(1)?
        };
        self.template_args.get(index).cloned()
    }

    /// `I...E` as `<...>`.
    fn arguments(&mut self) -> Option<String> {
        self.enter()?;
        self.eat("I").then_some(())?;
        let mut args = Vec::new();
        while !self.eat("E") {
            self.argument(&mut args)?;
        }
        self.depth -= 1;
        let mut texts = Vec::with_capacity(args.len());
        for arg in &args {
            texts.push(self.text_of(arg)?);
        }
        if !self.frozen {
            self.template_args = args;
        }
        Some(format!("<{}>", texts.join(", ")))
    }

    fn argument(&mut self, args: &mut Vec<QType>) -> Option<()> {
        if self.eat("J") {
            self.enter()?;
            while !self.eat("E") {
                self.argument(args)?;
            }
            self.depth -= 1;
        } else if self.rest.starts_with('L') {
            let literal = self.literal()?;
            args.push(named(&literal));
        } else if self.eat("XadL_Z") {
            let (text, _) = self.name()?;
            self.eat("EE").then_some(())?;
            args.push(named(&format!("&{text}")));
        } else {
            let ty = self.ty()?;
            args.push(ty);
        }
        Some(())
    }

    fn literal(&mut self) -> Option<String> {
        self.eat("L").then_some(())?;
        if self.eat("_Z") {
            let (text, _) = self.name()?;
            self.eat("E").then_some(())?;
            return Some(text);
        }
        let ty = self.ty()?;
        let end = self.rest.find('E')?;
        let digits = self.rest.get(..end)?;
        self.rest = self.rest.get(end + 1..)?;
        let digits = digits
            .strip_prefix('n')
            .map_or_else(|| digits.to_owned(), |digits| format!("-{digits}"));
        match ty.kind {
            CType::Builtin(Builtin::Bool) => Some(
                match digits.as_str() {
                    "0" => "false",
                    _ => "true",
                }
                .into(),
            ),
            CType::Builtin(Builtin::Float | Builtin::Double | Builtin::LongDouble) => None,
            CType::Builtin(_) => Some(digits),
            _ => {
                let ty = self.text_of(&ty)?;
                Some(format!("({ty}){digits}"))
            }
        }
    }

    fn ty(&mut self) -> Option<QType> {
        self.enter()?;
        let found = self.ty_inner();
        self.depth -= 1;
        found
    }

    fn ty_inner(&mut self) -> Option<QType> {
        let first = *self.rest.as_bytes().first()?;
        if let Some(builtin) = builtin(first) {
            self.byte();
            return Some(CType::Builtin(builtin).into());
        }
        let ty = match first {
            b'P' => {
                self.byte();
                CType::Pointer(Box::new(self.ty()?)).into()
            }
            b'R' | b'O' => {
                self.byte();
                CType::Reference(Box::new(self.ty()?)).into()
            }
            b'K' | b'V' | b'r' => {
                let (mut is_const, mut is_volatile) = (false, false);
                loop {
                    if self.eat("K") {
                        is_const = true;
                    } else if self.eat("V") {
                        is_volatile = true;
                    } else if !self.eat("r") {
                        break;
                    }
                }
                let mut ty = self.ty()?;
                ty.is_const |= is_const;
                ty.is_volatile |= is_volatile;
                ty
            }
            b'A' => {
                self.byte();
                let bound = if self.rest.starts_with('_') {
                    None
                } else {
                    Some(u64::try_from(self.digits()?).ok()?)
                };
                self.eat("_").then_some(())?;
                CType::Array(Box::new(self.ty()?), bound).into()
            }
            b'F' => {
                self.byte();
                self.eat("Y");
                let result = self.ty()?;
                let mut params = Vec::new();
                while !self.eat("E") {
                    let ty = self.ty()?;
                    if ty.kind != CType::Builtin(Builtin::Void) {
                        params.push(RawParam { name: None, ty });
                    }
                }
                CType::Function(Box::new(result), params).into()
            }
            b'M' => {
                self.byte();
                self.ty()?;
                self.ty()?;
                named(MEMBER_POINTER)
            }
            b'T' => {
                let ty = self.template_param()?;
                let mut ty = ty;
                if self.rest.starts_with('I') {
                    self.substitutions.push(ty.clone());
                    let text = self.text_of(&ty)?;
                    let args = self.arguments()?;
                    ty = named(&format!("{text}{args}"));
                }
                ty
            }
            b'D' => {
                let code = self.rest.get(1..2)?;
                let builtin = match code {
                    "n" => return self.skip(2).map(|()| named("std::nullptr_t")),
                    "h" => return self.skip(2).map(|()| named("_Float16")),
                    "i" => Builtin::Char32,
                    "s" => Builtin::Char16,
                    "u" => Builtin::Char8,
                    _ => return None,
                };
                self.skip(2)?;
                return Some(CType::Builtin(builtin).into());
            }
            b'S' if !self.rest.starts_with("St") => {
                let ty = self.substitution()?;
                if !self.rest.starts_with('I') {
                    return Some(ty);
                }
                let text = self.text_of(&ty)?;
                let args = self.arguments()?;
                named(&format!("{text}{args}"))
            }
            b'N' | b'Z' | b'S' | b'0'..=b'9' => {
                let (text, _) = self.name()?;
                named(&text)
            }
            _ => return None,
        };
        let text = self.text_of(&ty)?;
        self.charge(&text)?;
        self.substitutions.push(ty.clone());
        Some(ty)
    }

    fn skip(&mut self, bytes: usize) -> Option<()> {
        self.rest = self.rest.get(bytes..)?;
        Some(())
    }
}

fn base36(byte: u8) -> usize {
    usize::from(match byte {
        b'0'..=b'9' => byte - b'0',
        _ => byte.saturating_sub(b'A') + 10,
    })
}

/// Of readable or raw text `a::b<c::d>`, `b`.
fn last_component(text: &str) -> String {
    names::split(text, &names::no_enumerators).base
}

fn builtin(byte: u8) -> Option<Builtin> {
    Some(match byte {
        b'v' => Builtin::Void,
        b'b' => Builtin::Bool,
        b'c' => Builtin::Char,
        b'a' => Builtin::SChar,
        b'h' => Builtin::UChar,
        b's' => Builtin::Short,
        b't' => Builtin::UShort,
        b'i' => Builtin::Int,
        b'j' => Builtin::UInt,
        b'l' => Builtin::Long,
        b'm' => Builtin::ULong,
        b'x' => Builtin::LongLong,
        b'y' => Builtin::ULongLong,
        b'n' => Builtin::Int128,
        b'o' => Builtin::UInt128,
        b'w' => Builtin::WChar,
        b'f' => Builtin::Float,
        b'd' => Builtin::Double,
        b'e' => Builtin::LongDouble,
        b'g' => Builtin::Other("__float128"),
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
