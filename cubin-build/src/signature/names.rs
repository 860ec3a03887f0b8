//! C++ names as text: one spelling for what the stub, the mangled tags and the user write.
//!
//! The stub spells `k_tmpl<    ::__half, (int)8>`; people write `k_tmpl<__half, 8>`. The readable form has no
//! leading `::`, no `struct`, no casts on integer template arguments, and no blank before `*` and `&`.

use super::lexer::{Lexer, TokenKind};
use super::model::{Scalar, TemplateArg, TemplateValue, ValueType};
use crate::lists::{AddAll, CollectVec};

/// How an anonymous namespace reads.
pub(super) const ANONYMOUS_NAMESPACE: &str = "(anonymous namespace)";

/// A qualified name taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Split {
    /// Readable, whole.
    pub name: String,
    /// An anonymous namespace is the empty string.
    pub namespaces: Vec<String>,
    pub base: String,
    pub template_args: Vec<TemplateArg>,
}

/// What is known of an enumeration: its name as readable text, and the number; gives nothing when there is no such
/// enumeration, or else the first enumerator with that number, if there is one.
pub(super) type Enumerators<'e> = &'e dyn Fn(&str, i128) -> Option<Option<String>>;

fn tokens(text: &str) -> Vec<TokenKind> {
    let mut lexer = Lexer::over(text.as_bytes());
    let mut found = Vec::new();
    while let Ok(token) = lexer.next() {
        if token.kind == TokenKind::End {
            break;
        }
        found.push(token.kind);
    }
    found
}

fn is_word(kind: &TokenKind) -> bool {
    matches!(kind, TokenKind::Ident(_) | TokenKind::Number(_))
}

/// The tokens as text with regular spaces.
pub(super) fn text(tokens: &[TokenKind]) -> String {
    let mut out = String::new();
    for (index, kind) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| tokens.get(before));
        let space = match (before, kind) {
            (None, _) => false,
            (Some(TokenKind::Punct(b',')), _) => true,
            (Some(before), TokenKind::Ident(_) | TokenKind::Number(_)) => {
                is_word(before) || matches!(before, TokenKind::Punct(b'>'))
            }
            // `const ::ns::X`: here the blank separates, since `const::ns` would read as one name.
            (Some(before), TokenKind::Scope) => is_type_keyword(before),
            (Some(before), TokenKind::Punct(b'(')) => {
                (is_word(before) || matches!(before, TokenKind::Punct(b'>' | b'*')))
                    && matches!(tokens.get(index + 1), Some(TokenKind::Punct(b'*' | b'&')))
            }
            _ => false,
        };
        if space {
            out.push(' ');
        }
        match kind {
            TokenKind::Ident(word) | TokenKind::Number(word) => out.push_str(word),
            TokenKind::Punct(byte) => out.push(char::from(*byte)),
            TokenKind::Scope => out.push_str("::"),
            TokenKind::Ellipsis => out.push_str("..."),
            TokenKind::Text => out.push_str("\"\""),
            TokenKind::End => {}
        }
    }
    out
}

fn is_type_keyword(kind: &TokenKind) -> bool {
    matches!(kind, TokenKind::Ident(word) if matches!(word.as_str(), "const" | "volatile" | "typename"))
}

fn is_class_key(kind: &TokenKind) -> bool {
    matches!(kind, TokenKind::Ident(word) if matches!(word.as_str(), "struct" | "union" | "class" | "enum"))
}

/// Without what no one writes, but with the casts of template arguments.
fn plain_tokens(tokens: Vec<TokenKind>) -> Vec<TokenKind> {
    let mut plain: Vec<TokenKind> = Vec::with_capacity(tokens.len());
    for kind in tokens {
        match &kind {
            _ if is_class_key(&kind) => {}
            TokenKind::Scope => {
                let qualifies = match plain.last() {
                    Some(before @ TokenKind::Ident(_)) => !is_type_keyword(before),
                    Some(TokenKind::Punct(b'>' | b')' | b'}')) => true,
                    _ => false,
                };
                if qualifies {
                    plain.push(kind);
                }
            }
            TokenKind::Ident(word) if word == "_NV_ANON_NAMESPACE" => {
                plain.add_all([
                    TokenKind::Punct(b'('),
                    TokenKind::Ident("anonymous".into()),
                    TokenKind::Ident("namespace".into()),
                    TokenKind::Punct(b')'),
                ]);
            }
            _ => plain.push(kind),
        }
    }
    plain
}

/// `(int)8` becomes `8`, `(bool)1` `true`, `(unsigned long)7ul` `7`; enumerators keep their cast.
fn literals(tokens: &[TokenKind]) -> Vec<TokenKind> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut rest = tokens;
    while let Some((first, after)) = rest.split_first() {
        match cast_literal(rest) {
            Some((literal, taken)) => {
                out.add_all(literal);
                rest = rest.get(taken..).unwrap_or_default();
            }
            None => {
                out.push(first.clone());
                rest = after;
            }
        }
    }
    out
}

fn cast_literal(tokens: &[TokenKind]) -> Option<(Vec<TokenKind>, usize)> {
    let (TokenKind::Punct(b'('), inside) = tokens.split_first()? else {
        return None;
    };
    let end = inside.iter().position(|kind| !is_integer_word(kind))?;
    let (words, after) = inside.split_at(end);
    let (TokenKind::Punct(b')'), value) = after.split_first()? else {
        return None;
    };
    let words_len = words.len();
    let is_bool = matches!(words, [TokenKind::Ident(word)] if word == "bool");
    if words_len == 0 {
        return None;
    }
    match value {
        [TokenKind::Number(number), ..] => {
            let number = number.trim_end_matches(['u', 'U', 'l', 'L']);
            let literal = match (is_bool, number) {
                (true, "0") => TokenKind::Ident("false".into()),
                (true, "1") => TokenKind::Ident("true".into()),
                _ => TokenKind::Number(number.into()),
            };
            Some((vec![literal], words_len + 3))
        }
        [TokenKind::Punct(b'-'), TokenKind::Number(number), ..] => {
            let number = number.trim_end_matches(['u', 'U', 'l', 'L']);
            Some((
                vec![TokenKind::Punct(b'-'), TokenKind::Number(number.into())],
                words_len + 4,
            ))
        }
        _ => None,
    }
}

fn is_integer_word(kind: &TokenKind) -> bool {
    matches!(kind, TokenKind::Ident(word) if matches!(
        word.as_str(),
        "bool" | "char" | "short" | "int" | "long" | "signed" | "unsigned" | "wchar_t" | "char8_t"
            | "char16_t" | "char32_t" | "__int128"
    ))
}

/// The readable form of a C++ name or type.
pub(super) fn readable(name: &str) -> String {
    text(&literals(&plain_tokens(tokens(name))))
}

/// Splits at `separator` outside brackets.
fn split_at<'t>(tokens: &'t [TokenKind], separator: &TokenKind) -> Vec<&'t [TokenKind]> {
    let mut depth = 0_u32;
    tokens
        .split(|kind| {
            match kind {
                TokenKind::Punct(b'(' | b'[' | b'{' | b'<') => depth += 1,
                TokenKind::Punct(b')' | b']' | b'}' | b'>') => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && kind == separator
        })
        .collect_vec()
}

/// Takes a qualified name apart. Enumerators among the template arguments read as `enumerators` knows them.
pub(super) fn split(name: &str, enumerators: Enumerators<'_>) -> Split {
    let tokens = plain_tokens(tokens(name));
    let parts = split_at(&tokens, &TokenKind::Scope);
    let (last, scopes) = match parts.split_last() {
        Some((last, scopes)) => (*last, scopes),
        None => (&[] as &[TokenKind], &[] as &[&[TokenKind]]),
    };
    let open = last.iter().position(|kind| *kind == TokenKind::Punct(b'<'));
    let (base, args) = match (open, last.last()) {
        (Some(open), Some(TokenKind::Punct(b'>'))) => {
            let args = last.get(open + 1..last.len() - 1).unwrap_or_default();
            (last.get(..open).unwrap_or_default(), Some(args))
        }
        _ => (last, None),
    };
    let template_args: Vec<TemplateArg> = match args {
        None | Some([]) => Vec::new(),
        Some(args) => split_at(args, &TokenKind::Punct(b','))
            .into_iter()
            .map(|tokens| template_arg(tokens, enumerators))
            .collect_vec(),
    };
    let scopes: Vec<String> = scopes
        .iter()
        .map(|scope| text(&literals(scope)))
        .collect_vec();
    let base = text(&literals(base));
    let mut name = String::new();
    for scope in &scopes {
        name.push_str(scope);
        name.push_str("::");
    }
    name.push_str(&base);
    if args.is_some() {
        let texts: Vec<&str> = template_args
            .iter()
            .map(|arg| arg.text.as_str())
            .collect_vec();
        name.push_str(&format!("<{}>", texts.join(", ")));
    }
    Split {
        name,
        namespaces: scopes
            .into_iter()
            .map(|scope| {
                if scope == ANONYMOUS_NAMESPACE {
                    String::new()
                } else {
                    scope
                }
            })
            .collect_vec(),
        base,
        template_args,
    }
}

/// No enumeration is known.
pub(super) fn no_enumerators(_name: &str, _number: i128) -> Option<Option<String>> {
    None
}

fn template_arg(tokens: &[TokenKind], enumerators: Enumerators<'_>) -> TemplateArg {
    let value = template_value(tokens, enumerators);
    let text = match &value {
        Some(TemplateValue {
            ty:
                ValueType::Enum {
                    enumerator: Some(enumerator),
                    ..
                },
            ..
        }) => enumerator.clone(),
        _ => text(&literals(tokens)),
    };
    TemplateArg { text, value }
}

/// The number in `(int)8`, `(bool)1`, `(unsigned long)7ul`, `(ns::Mode)-3`.
fn template_value(tokens: &[TokenKind], enumerators: Enumerators<'_>) -> Option<TemplateValue> {
    let (cast, digits, negative) = match tokens {
        [
            TokenKind::Punct(b'('),
            cast @ ..,
            TokenKind::Punct(b')'),
            TokenKind::Punct(b'-'),
            TokenKind::Number(digits),
        ] => (cast, digits, true),
        [
            TokenKind::Punct(b'('),
            cast @ ..,
            TokenKind::Punct(b')'),
            TokenKind::Number(digits),
        ] => (cast, digits, false),
        _ => return None,
    };
    let magnitude: i128 = digits.trim_end_matches(['u', 'U', 'l', 'L']).parse().ok()?;
    let number = if negative { -magnitude } else { magnitude };
    if cast.iter().all(is_integer_word) {
        let ty = ValueType::Scalar(integer(&text(cast))?);
        return Some(TemplateValue { number, ty });
    }
    let name = text(cast);
    let enumerator = enumerators(&name, number)?;
    let ty = ValueType::Enum { name, enumerator };
    Some(TemplateValue { number, ty })
}

/// Integer types as the stub spells them in template arguments and their casts.
pub(crate) fn integer(text: &str) -> Option<Scalar> {
    Some(match text {
        "bool" => Scalar::Bool,
        "char" => Scalar::Char,
        "signed char" => Scalar::SChar,
        "unsigned char" => Scalar::UChar,
        "short" => Scalar::Short,
        "unsigned short" => Scalar::UShort,
        "int" => Scalar::Int,
        "unsigned int" | "unsigned" => Scalar::UInt,
        "long" => Scalar::Long,
        "unsigned long" => Scalar::ULong,
        "long long" => Scalar::LongLong,
        "unsigned long long" => Scalar::ULongLong,
        "wchar_t" => Scalar::WChar,
        "char8_t" => Scalar::Char8,
        "char16_t" => Scalar::Char16,
        "char32_t" => Scalar::Char32,
        "__int128" => Scalar::Int128,
        "unsigned __int128" => Scalar::UInt128,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn readable_forms() {
        for (stub, expected) in [
            ("k_tmpl<    ::__half, (int)8>", "k_tmpl<__half, 8>"),
            (
                "k_targs<const float *, (bool)1, (char)120, (unsigned long)7ul, ( ::ns::Mode)-3, & ::glob,  ::ns::W> ",
                "k_targs<const float*, true, 120, 7, (ns::Mode)-3, &glob, ns::W>",
            ),
            (
                "k_fnp<int (*)(float,  ::ns::In)> ",
                "k_fnp<int (*)(float, ns::In)>",
            ),
            ("Holder<short> ::In", "Holder<short>::In"),
            (
                "cuda::std::__4::array<float, (unsigned long)3ul> ",
                "cuda::std::__4::array<float, 3>",
            ),
            (
                "ns::W<const ::ns::In *const *>",
                "ns::W<const ns::In*const*>",
            ),
            ("k<(int)-4>", "k<-4>"),
        ] {
            assert_eq!(readable(stub), expected);
            assert_eq!(readable(expected), expected, "stays as it is");
        }
    }

    #[test]
    fn splitting() {
        let texts = |split: &Split| -> Vec<String> {
            let args = split.template_args.iter();
            args.map(|arg| arg.text.clone()).collect()
        };
        let split = |name| split(name, &no_enumerators);
        let split_name = split("ns::_NV_ANON_NAMESPACE::k<ns::W<int>, (int)2>");
        assert_eq!(
            split_name.name,
            "ns::(anonymous namespace)::k<ns::W<int>, 2>"
        );
        assert_eq!(split_name.namespaces, ["ns", ""]);
        assert_eq!(split_name.base, "k");
        assert_eq!(texts(&split_name), ["ns::W<int>", "2"]);
        assert!(split("k_var< > ").template_args.is_empty());
        assert_eq!(split("k_var< > ").name, "k_var<>");
        assert_eq!(split("saxpy").base, "saxpy");
        assert_eq!(split("").base, "");
    }
    #[test]
    fn numbers_and_enumerators() {
        let known = |name: &str, number: i128| match (name, number) {
            ("ns::Mode", 1) => Some(Some("ns::Mode::Linear".to_owned())),
            ("ns::Mode", _) => Some(None),
            _ => None,
        };
        let split_name = split(
            "k<( ::ns::Mode)1, (   ::ns::Mode)-3, (Other)2, (bool)1, (unsigned long)7ul, (char)-1, Box<(int)1> , (int *)0>",
            &known,
        );
        assert_eq!(
            split_name.name,
            "k<ns::Mode::Linear, (ns::Mode)-3, (Other)2, true, 7, -1, Box<1>, (int*)0>"
        );
        let values: Vec<Option<(i128, Option<Scalar>)>> = split_name
            .template_args
            .iter()
            .map(|arg| {
                let value = arg.value.as_ref()?;
                Some(match value.ty {
                    ValueType::Scalar(scalar) => (value.number, Some(scalar)),
                    ValueType::Enum { .. } => (value.number, None),
                })
            })
            .collect();
        assert_eq!(
            values,
            [
                Some((1, None)),
                Some((-3, None)),
                None,
                Some((1, Some(Scalar::Bool))),
                Some((7, Some(Scalar::ULong))),
                Some((-1, Some(Scalar::Char))),
                None,
                None,
            ]
        );
    }
}
