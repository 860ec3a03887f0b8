//! Declarations in C++ as tokens: how they are spelled on one line, and what their parameters are called.

#[cfg(feature = "library")]
use crate::lists::CollectVec;

/// A piece of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Token<'t> {
    Word(&'t str),
    Text(&'t str),
    Mark(u8),
    /// `<<<`
    Launch,
}

/// Words of types that are no names.
#[cfg(feature = "library")]
const TYPES: [&str; 15] = [
    "void", "bool", "char", "short", "int", "long", "float", "double", "signed", "unsigned",
    "const", "volatile", "wchar_t", "char16_t", "char32_t",
];

/// The declaration on one line, without what says how it is linked.
#[cfg(feature = "library")]
pub(super) fn spelled(tokens: &[Token<'_>]) -> String {
    let mut text = String::new();
    let mut before: Option<Token<'_>> = None;
    let mut at = 0;
    while let Some(&token) = tokens.get(at) {
        at += 1;
        match token {
            Token::Word("extern") if matches!(tokens.get(at), Some(Token::Text("\"C\""))) => {
                at += 1;
                continue;
            }
            Token::Word("__attribute__" | "__attribute" | "__declspec") => {
                at += group(&tokens[at..]);
                continue;
            }
            _ => {}
        }
        let declares = matches!(
            (token, tokens.get(at)),
            (Token::Mark(b'('), Some(Token::Mark(b'*' | b'&')))
        );
        if let Some(before) = before
            && (is_apart(before, token) || (declares && matches!(before, Token::Word(_))))
        {
            text.push(' ');
        }
        match token {
            Token::Word(word) | Token::Text(word) => text.push_str(word),
            Token::Mark(mark) => text.push(char::from(mark)),
            Token::Launch => text.push_str("<<<"),
        }
        before = Some(token);
    }
    text
}

/// Whether a blank stands between two tokens.
#[cfg(feature = "library")]
fn is_apart(before: Token<'_>, token: Token<'_>) -> bool {
    let together = matches!(
        (before, token),
        (
            Token::Mark(b'(' | b'[' | b'<' | b'*' | b'&' | b':' | b'~' | b'.'),
            _
        ) | (
            _,
            Token::Mark(b',' | b')' | b'[' | b']' | b':' | b'<' | b'>')
        ) | (Token::Word(_) | Token::Mark(b')'), Token::Mark(b'('))
    );
    !together
}

/// How many tokens the group in parentheses has that `tokens` begins with.
#[cfg(feature = "library")]
fn group(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark(b'(') => depth += 1,
            Token::Mark(b')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return if at == 0 { 0 } else { at + 1 };
        }
    }
    tokens.len()
}

/// The names of the parameters, `None` where one has none.
#[cfg(feature = "library")]
pub(super) fn params(tokens: &[Token<'_>]) -> Vec<Option<String>> {
    let mut at = 0;
    let inside = loop {
        match (tokens.get(at), tokens.get(at + 1)) {
            (Some(Token::Word("__attribute__" | "__attribute" | "__declspec" | "alignas")), _) => {
                at += 1 + group(&tokens[at + 1..]);
            }
            (Some(Token::Word(_)), Some(Token::Mark(b'('))) => {
                let end = at + 1 + group(&tokens[at + 1..]);
                break tokens
                    .get(at + 2..end.saturating_sub(1))
                    .unwrap_or_default();
            }
            (Some(_), _) => at += 1,
            (None, _) => return Vec::new(),
        }
    };
    let mut all = Vec::new();
    let mut depth = 0_usize;
    let mut one = Vec::new();
    for &token in inside {
        match token {
            Token::Mark(b'(' | b'[' | b'{' | b'<') => depth += 1,
            Token::Mark(b')' | b']' | b'}' | b'>') => depth = depth.saturating_sub(1),
            Token::Mark(b',') if depth == 0 => {
                all.push(name(&one));
                one.clear();
                continue;
            }
            _ => {}
        }
        one.push(token);
    }
    if one.is_empty() || (all.is_empty() && one == [Token::Word("void")]) {
        return all;
    }
    all.push(name(&one));
    all
}

/// The name of a parameter.
#[cfg(feature = "library")]
fn name(tokens: &[Token<'_>]) -> Option<String> {
    // `void (*done)(int)`, `int (&row)[3]`
    for window in tokens.windows(3) {
        if let [
            Token::Mark(b'('),
            Token::Mark(b'*' | b'&'),
            Token::Word(name),
        ] = window
        {
            return (*name != "const").then(|| (*name).to_owned());
        }
    }
    let ends = |token: &Token<'_>| matches!(token, Token::Mark(b'[' | b'='));
    let end = tokens.iter().position(ends).unwrap_or(tokens.len());
    let declared = &tokens[..end];
    let words = declared.iter().filter_map(|token| match token {
        Token::Word(word) => Some(*word),
        _ => None,
    });
    let words: Vec<&str> = words.collect_vec();
    match (declared.last(), words.last()) {
        (Some(Token::Word(last)), Some(_)) if words.len() > 1 && !TYPES.contains(last) => {
            Some((*last).to_owned())
        }
        _ => None,
    }
}
