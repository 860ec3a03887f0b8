//! C++ names as text: one spelling for what the stub, the mangled tags and the user write.
//!
//! The stub spells `k_tmpl<    ::__half, (int)8>`; people write `k_tmpl<__half, 8>`. The readable form has no
//! leading `::`, no `struct`, no casts on integer template arguments, and no blank before `*` and `&`.

use super::lexer::{Kind, Lexer};

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
    pub template_args: Vec<String>,
}

fn tokens(text: &str) -> Vec<Kind> {
    let mut lexer = Lexer::over(text.as_bytes());
    let mut found = Vec::new();
    while let Ok(token) = lexer.next() {
        if token.kind == Kind::End {
            break;
        }
        found.push(token.kind);
    }
    found
}

fn is_word(kind: &Kind) -> bool {
    matches!(kind, Kind::Ident(_) | Kind::Number(_))
}

/// The tokens as text with regular spaces.
pub(super) fn text(tokens: &[Kind]) -> String {
    let mut out = String::new();
    for (index, kind) in tokens.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| tokens.get(before));
        let space = match (before, kind) {
            (None, _) => false,
            (Some(Kind::Punct(b',')), _) => true,
            (Some(before), Kind::Ident(_) | Kind::Number(_)) => {
                is_word(before) || matches!(before, Kind::Punct(b'>'))
            }
            // `const ::ns::X`: here the blank separates, since `const::ns` would read as one name.
            (Some(before), Kind::Scope) => is_type_keyword(before),
            (Some(before), Kind::Punct(b'(')) => {
                (is_word(before) || matches!(before, Kind::Punct(b'>' | b'*')))
                    && matches!(tokens.get(index + 1), Some(Kind::Punct(b'*' | b'&')))
            }
            _ => false,
        };
        if space {
            out.push(' ');
        }
        match kind {
            Kind::Ident(word) | Kind::Number(word) => out.push_str(word),
            Kind::Punct(byte) => out.push(char::from(*byte)),
            Kind::Scope => out.push_str("::"),
            Kind::Ellipsis => out.push_str("..."),
            Kind::Text => out.push_str("\"\""),
            Kind::End => {}
        }
    }
    out
}

fn is_type_keyword(kind: &Kind) -> bool {
    matches!(kind, Kind::Ident(word) if matches!(word.as_str(), "const" | "volatile" | "typename"))
}

fn is_class_key(kind: &Kind) -> bool {
    matches!(kind, Kind::Ident(word) if matches!(word.as_str(), "struct" | "union" | "class" | "enum"))
}

fn readable_tokens(tokens: Vec<Kind>) -> Vec<Kind> {
    let mut plain: Vec<Kind> = Vec::with_capacity(tokens.len());
    for kind in tokens {
        match &kind {
            _ if is_class_key(&kind) => {}
            Kind::Scope => {
                let qualifies = match plain.last() {
                    Some(before @ Kind::Ident(_)) => !is_type_keyword(before),
                    Some(Kind::Punct(b'>' | b')' | b'}')) => true,
                    _ => false,
                };
                if qualifies {
                    plain.push(kind);
                }
            }
            Kind::Ident(word) if word == "_NV_ANON_NAMESPACE" => {
                plain.extend([
                    Kind::Punct(b'('),
                    Kind::Ident("anonymous".into()),
                    Kind::Ident("namespace".into()),
                    Kind::Punct(b')'),
                ]);
            }
            _ => plain.push(kind),
        }
    }
    literals(&plain)
}

/// `(int)8` becomes `8`, `(bool)1` `true`, `(unsigned long)7ul` `7`; enumerators keep their cast.
fn literals(tokens: &[Kind]) -> Vec<Kind> {
    let mut out = Vec::with_capacity(tokens.len());
    let mut rest = tokens;
    while let Some((first, after)) = rest.split_first() {
        match cast_literal(rest) {
            Some((literal, taken)) => {
                out.extend(literal);
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

fn cast_literal(tokens: &[Kind]) -> Option<(Vec<Kind>, usize)> {
    let (Kind::Punct(b'('), inside) = tokens.split_first()? else {
        return None;
    };
    let end = inside.iter().position(|kind| !is_integer_word(kind))?;
    let (words, after) = inside.split_at(end);
    let (Kind::Punct(b')'), value) = after.split_first()? else {
        return None;
    };
    let words_len = words.len();
    let is_bool = matches!(words, [Kind::Ident(word)] if word == "bool");
    if words_len == 0 {
        return None;
    }
    match value {
        [Kind::Number(number), ..] => {
            let number = number.trim_end_matches(['u', 'U', 'l', 'L']);
            let literal = match (is_bool, number) {
                (true, "0") => Kind::Ident("false".into()),
                (true, "1") => Kind::Ident("true".into()),
                _ => Kind::Number(number.into()),
            };
            Some((vec![literal], words_len + 3))
        }
        [Kind::Punct(b'-'), Kind::Number(number), ..] => {
            let number = number.trim_end_matches(['u', 'U', 'l', 'L']);
            Some((
                vec![Kind::Punct(b'-'), Kind::Number(number.into())],
                words_len + 4,
            ))
        }
        _ => None,
    }
}

fn is_integer_word(kind: &Kind) -> bool {
    matches!(kind, Kind::Ident(word) if matches!(
        word.as_str(),
        "bool" | "char" | "short" | "int" | "long" | "signed" | "unsigned" | "wchar_t" | "char8_t"
            | "char16_t" | "char32_t" | "__int128"
    ))
}

/// The readable form of a C++ name or type.
pub(super) fn readable(name: &str) -> String {
    text(&readable_tokens(tokens(name)))
}

/// Splits at `separator` outside brackets.
fn split_at<'t>(tokens: &'t [Kind], separator: &Kind) -> Vec<&'t [Kind]> {
    let mut depth = 0_u32;
    tokens
        .split(|kind| {
            match kind {
                Kind::Punct(b'(' | b'[' | b'{' | b'<') => depth += 1,
                Kind::Punct(b')' | b']' | b'}' | b'>') => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth == 0 && kind == separator
        })
        .collect()
}

/// Takes a qualified name apart.
pub(super) fn split(name: &str) -> Split {
    let tokens = readable_tokens(tokens(name));
    let parts = split_at(&tokens, &Kind::Scope);
    let (last, scopes) = match parts.split_last() {
        Some((last, scopes)) => (*last, scopes),
        None => (&[] as &[Kind], &[] as &[&[Kind]]),
    };
    let open = last.iter().position(|kind| *kind == Kind::Punct(b'<'));
    let (base, args) = match (open, last.last()) {
        (Some(open), Some(Kind::Punct(b'>'))) => {
            let args = last.get(open + 1..last.len() - 1).unwrap_or_default();
            (last.get(..open).unwrap_or_default(), args)
        }
        _ => (last, &[] as &[Kind]),
    };
    let template_args = if args.is_empty() {
        Vec::new()
    } else {
        split_at(args, &Kind::Punct(b','))
            .into_iter()
            .map(text)
            .collect()
    };
    Split {
        name: text(&tokens),
        namespaces: scopes
            .iter()
            .map(|scope| text(scope))
            .map(|scope| {
                if scope == ANONYMOUS_NAMESPACE {
                    String::new()
                } else {
                    scope
                }
            })
            .collect(),
        base: text(base),
        template_args,
    }
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
        let split_name = split("ns::_NV_ANON_NAMESPACE::k<ns::W<int>, (int)2>");
        assert_eq!(
            split_name.name,
            "ns::(anonymous namespace)::k<ns::W<int>, 2>"
        );
        assert_eq!(split_name.namespaces, ["ns", ""]);
        assert_eq!(split_name.base, "k");
        assert_eq!(split_name.template_args, ["ns::W<int>", "2"]);
        assert!(split("k_var< > ").template_args.is_empty());
        assert_eq!(split("saxpy").base, "saxpy");
        assert_eq!(split("").base, "");
    }
}
