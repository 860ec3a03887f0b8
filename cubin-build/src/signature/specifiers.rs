//! What stands before a declarator: storage words, qualifiers, the type, attributes and nvcc's own marks
//! (`__global__`, `___device__(static)`).

use super::ctype::{Builtin, CType, QType};
use super::lexer::{LexError, Position, TokenKind};
use super::parser::{Parse, Parser, describe, number, syntax};
use crate::lists::Figures;

/// What stands in front of a declarator.
#[derive(Debug, Clone)]
pub(super) struct Specifiers {
    pub ty: Option<QType>,
    pub is_typedef: bool,
    /// `__global__`
    pub kernel: bool,
    /// `__constant__`
    pub constant: bool,
    /// `__device__` or `__managed__` as a word: a variable; device functions are `___device__(...)`.
    pub device: bool,
    pub align: u64,
    pub packed: bool,
    /// First argument of `__launch_bounds__`.
    pub place: Position,
}

impl Parser<'_> {
    /// Reads what stands before a declarator: storage, qualifiers, type, nvcc's marks.
    pub(super) fn specifiers(&mut self) -> Parse<Specifiers> {
        let place = self.peek()?.place;
        let mut found = Specifiers {
            ty: None,
            is_typedef: false,
            kernel: false,
            constant: false,
            device: false,
            align: 0,
            packed: false,
            place,
        };
        let mut base = BaseWords::default();
        let (mut is_const, mut is_volatile) = (false, false);
        loop {
            if self.peek()?.kind == TokenKind::Scope {
                self.next()?;
                continue;
            }
            let TokenKind::Ident(word) = &self.peek()?.kind else {
                break;
            };
            let word = word.clone();
            match word.as_str() {
                "const" | "__const" => is_const = true,
                "volatile" | "__volatile__" => is_volatile = true,
                "typedef" => found.is_typedef = true,
                "__global__" => found.kernel = true,
                "__constant__" => found.constant = true,
                "__device__" | "__managed__" => found.device = true,
                "extern" | "static" | "register" | "inline" | "__inline" | "__forceinline"
                | "auto" | "restrict" | "__restrict" | "__restrict__" => {}
                "struct" | "union" | "enum" | "class" => {
                    if found.ty.is_some() {
                        return syntax("two types in one declaration");
                    }
                    found.ty = Some(self.tag()?);
                    continue;
                }
                "typename" => {}
                _ if attribute_word(&word) => {
                    self.next()?;
                    self.attribute(&word, &mut found.align, &mut found.packed)?;
                    continue;
                }
                _ if base.add(&word) => {}
                _ if found.ty.is_none() && base.is_empty() && self.names_type(&word)? => {
                    found.ty = Some(self.named()?);
                    continue;
                }
                _ if dunder(&word) && !is_param_mark(&word) => {
                    self.next()?;
                    if self.at(b'(')? {
                        self.group()?;
                    }
                    continue;
                }
                _ => break,
            }
            self.next()?;
        }
        if let Some(builtin) = base.finish()? {
            if found.ty.is_some() {
                return syntax("two types in one declaration");
            }
            found.ty = Some(CType::Builtin(builtin).into());
        }
        if let Some(ty) = &mut found.ty {
            ty.is_const |= is_const;
            ty.is_volatile |= is_volatile;
        }
        Ok(found)
    }

    /// Whether a word that is not a keyword is a type here.
    fn names_type(&mut self, word: &str) -> Result<bool, LexError> {
        if self.tables.typedefs.contains_key(word) {
            return Ok(true);
        }
        Ok(!dunder(word) && !is_param_mark(word))
    }

    /// A type name; in the stub it may be qualified.
    pub(super) fn named(&mut self) -> Parse<QType> {
        let mut name = String::new();
        loop {
            let token = self.next()?;
            let TokenKind::Ident(word) = token.kind else {
                return syntax(format!("expected a name, found {}", describe(&token.kind)));
            };
            name.push_str(&word);
            if self.peek()?.kind != TokenKind::Scope {
                return Ok(CType::Named(name).into());
            }
            self.next()?;
            name.push_str("::");
        }
    }

    /// Attributes behind a name or a closing brace.
    pub(super) fn attributes(&mut self, align: &mut u64, packed: &mut bool) -> Parse<()> {
        loop {
            let TokenKind::Ident(word) = &self.peek()?.kind else {
                return Ok(());
            };
            let word = word.clone();
            let mark = attribute_word(&word) || (dunder(&word) && !is_param_mark(&word));
            if !mark {
                return Ok(());
            }
            if self.tables.typedefs.contains_key(&word) {
                return Ok(());
            }
            self.next()?;
            self.attribute(&word, align, packed)?;
        }
    }

    fn attribute(&mut self, word: &str, align: &mut u64, packed: &mut bool) -> Parse<()> {
        if !self.at(b'(')? {
            return Ok(());
        }
        let inside = self.group()?;
        if matches!(word, "__align__" | "_Alignas" | "alignas") {
            *align = (*align).max(alignment(&inside)?);
            return Ok(());
        }
        for (index, kind) in inside.iter().enumerate() {
            let TokenKind::Ident(name) = kind else {
                continue;
            };
            match name.as_str() {
                "__aligned__" | "aligned" => {
                    let argument = inside.get(index + 1..).unwrap_or_default();
                    *align = (*align).max(alignment(argument)?);
                }
                "__packed__" | "packed" => *packed = true,
                "vector_size" | "__vector_size__" | "ext_vector_type" | "mode" | "__mode__" => {
                    return syntax("a GNU vector or mode attribute");
                }
                _ => {}
            }
        }
        Ok(())
    }
}

/// `__val_param(x)` stands for the name `x`.
pub(super) fn is_param_mark(word: &str) -> bool {
    matches!(word, "__val_param" | "__local_param" | "__copy_param")
}

/// Words that take a parenthesised argument or none, and declare nothing.
fn attribute_word(word: &str) -> bool {
    matches!(
        word,
        "__attribute__"
            | "__attribute"
            | "__declspec"
            | "__launch_bounds__"
            | "__maxnreg__"
            | "__cluster_dims__"
            | "__block_size__"
            | "__align__"
            | "_Alignas"
            | "alignas"
            | "___device__"
            | "asm"
            | "__asm"
            | "__asm__"
            | "__nv_pure__"
    )
}

/// `__no_sc__`, `__var_used__`, `__inline__`: marks without a meaning for layouts.
fn dunder(word: &str) -> bool {
    word.len() > 4 && word.starts_with("__") && word.ends_with("__")
}

fn alignment(tokens: &[TokenKind]) -> Parse<u64> {
    // `(16)` behind `aligned`, `16` within `__align__`; other attributes may follow.
    let mut inside = tokens.iter();
    let text = loop {
        match inside.next() {
            Some(TokenKind::Punct(b'(')) => {}
            Some(TokenKind::Number(text)) => break Some(text),
            // `aligned` alone asks for the largest alignment of the target.
            None | Some(_) => break None,
        }
    };
    let value = match text {
        Some(text) => number(text).and_then(|value| u64::try_from(value).ok()),
        None => Some(16),
    };
    match value {
        Some(value) if value.is_power_of_two() && value <= 1 << 28 => Ok(value),
        _ => syntax("an alignment that is not a power of two"),
    }
}

/// The words of a builtin type, in any order.
#[derive(Default)]
struct BaseWords {
    words: Vec<&'static str>,
}

impl BaseWords {
    const WORDS: [&'static str; 21] = [
        "void",
        "bool",
        "_Bool",
        "char",
        "short",
        "int",
        "long",
        "signed",
        "__signed__",
        "unsigned",
        "float",
        "double",
        "__int128",
        "wchar_t",
        "char8_t",
        "char16_t",
        "char32_t",
        "_Complex",
        "__float128",
        "_Float128",
        "__bf16",
    ];

    fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    fn add(&mut self, word: &str) -> bool {
        let Some(known) = Self::WORDS.iter().find(|known| **known == word) else {
            return false;
        };
        if self.words.len() < 8 {
            self.words.push(known);
        }
        true
    }

    fn count(&self, word: &str) -> usize {
        self.words.iter().filter(|have| **have == word).how_many()
    }

    fn finish(&self) -> Parse<Option<Builtin>> {
        if self.words.is_empty() {
            return Ok(None);
        }
        let has = |word| self.count(word) > 0;
        let unsigned = has("unsigned");
        let signed = has("signed") || has("__signed__");
        let either = |plain, without| if unsigned { without } else { plain };
        let builtin = if has("_Complex") {
            Builtin::Other("_Complex")
        } else if has("__float128") || has("_Float128") {
            Builtin::Other("__float128")
        } else if has("__bf16") {
            Builtin::Other("__bf16")
        } else if has("void") {
            Builtin::Void
        } else if has("bool") || has("_Bool") {
            Builtin::Bool
        } else if has("wchar_t") {
            Builtin::WChar
        } else if has("char8_t") {
            Builtin::Char8
        } else if has("char16_t") {
            Builtin::Char16
        } else if has("char32_t") {
            Builtin::Char32
        } else if has("char") {
            match (unsigned, signed) {
                (true, _) => Builtin::UChar,
                (false, true) => Builtin::SChar,
                (false, false) => Builtin::Char,
            }
        } else if has("__int128") {
            either(Builtin::Int128, Builtin::UInt128)
        } else if has("short") {
            either(Builtin::Short, Builtin::UShort)
        } else if has("double") {
            if has("long") {
                Builtin::LongDouble
            } else {
                Builtin::Double
            }
        } else if has("float") {
            Builtin::Float
        } else {
            match self.count("long") {
                0 => either(Builtin::Int, Builtin::UInt),
                1 => either(Builtin::Long, Builtin::ULong),
                2 => either(Builtin::LongLong, Builtin::ULongLong),
                _ => return syntax("`long` three times"),
            }
        };
        Ok(Some(builtin))
    }
}
