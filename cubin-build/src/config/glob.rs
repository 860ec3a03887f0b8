//! Patterns over kernel names and targets: `*` stands for any characters, also none, `?` for exactly one.

use crate::lists::Figures;
use std::fmt;

#[cfg(test)]
thread_local!(static COMPARED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) });

/// How often this thread has compared a pattern for a rule.
#[cfg(test)]
pub(crate) fn compared() -> usize {
    COMPARED.with(std::cell::Cell::get)
}

/// Longest pattern in bytes. Real template names reach some hundred; the bound keeps matching fast.
pub(crate) const LONGEST: usize = 4096;

/// A pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob {
    text: String,
    /// Characters other than `*` and `?`.
    literals: usize,
}

/// How closely a pattern describes a text; the greater, the more specific.
///
/// Ordered by its fields: a pattern that is the text itself is above every other, then the pattern with more
/// characters other than wildcards wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Specificity {
    /// The pattern is the text.
    pub exact: bool,
    /// Characters other than `*` and `?`.
    pub literals: usize,
}

impl Glob {
    /// Any text is a pattern.
    pub fn new(pattern: impl Into<String>) -> Self {
        let text = pattern.into();
        let literals = text.chars().filter(|c| !matches!(c, '*' | '?')).how_many();
        Self { text, literals }
    }

    /// The pattern's text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// How closely the pattern describes `text`, if it matches the whole of it.
    ///
    /// A `*` in `text` (`scale<float*>`) is a character like any other, so a name copied from a message matches
    /// itself, and exactly.
    pub fn specificity(&self, text: &str) -> Option<Specificity> {
        #[cfg(test)]
        COMPARED.with(|count| count.set(count.get() + 1));
        let exact = self.text == text;
        (exact || matches(&self.text, text)).then_some(Specificity {
            exact,
            literals: self.literals,
        })
    }

    /// Whether the pattern matches the whole of `text`.
    pub fn matches(&self, text: &str) -> bool {
        self.text == text || matches(&self.text, text)
    }

    /// Whether it holds `*` or `?`.
    pub fn has_wildcard(&self) -> bool {
        self.text.contains(['*', '?'])
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The parts between the stars are found from left to right, each as early as possible: a later place could only leave
/// less room for the rest. No part is ever looked for twice, and the standard library's search does the work.
fn matches(pattern: &str, text: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else {
        return strip(pattern, text) == Some("");
    };
    let Some(mut text) = strip(first, text) else {
        return false;
    };
    let (middle, last) = rest.rsplit_once('*').unwrap_or(("", rest));
    for part in middle.split('*') {
        match find(part, text) {
            Some(after) => text = after,
            None => return false,
        }
    }
    ends(last, text)
}

/// What follows `part` (without `*`) at the beginning of `text`.
fn strip<'t>(part: &str, text: &'t str) -> Option<&'t str> {
    if !part.contains('?') {
        return text.strip_prefix(part);
    }
    let mut text = text.chars();
    for wanted in part.chars() {
        let c = text.next()?;
        if wanted != '?' && wanted != c {
            return None;
        }
    }
    Some(text.as_str())
}

/// What follows the first place of `part` (without `*`) in `text`.
fn find<'t>(part: &str, text: &'t str) -> Option<&'t str> {
    if !part.contains('?') {
        let (_, after) = text.split_once(part)?;
        return Some(after);
    }
    text.char_indices()
        .find_map(|(at, _)| strip(part, &text[at..]))
}

/// Whether `text` ends with `part` (without `*`).
fn ends(part: &str, text: &str) -> bool {
    if !part.contains('?') {
        return text.ends_with(part);
    }
    let skipped = text.chars().count().checked_sub(part.chars().count());
    skipped
        .and_then(|skipped| text.char_indices().nth(skipped))
        .is_some_and(|(at, _)| strip(part, &text[at..]) == Some(""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matching() {
        for (pattern, text, expected) in [
            ("gemm<*>", "gemm<float>", true),
            ("gemm<*>", "gemm<>", true),
            ("gemm<*>", "gemm", false),
            ("gemm<*>", "ns::gemm<float>", false),
            ("*gemm<*>", "ns::gemm<float>", true),
            ("*", "", true),
            ("*", "anything", true),
            ("**a**", "bab", true),
            ("?", "é", true),
            ("?", "", false),
            ("", "", true),
            ("", "a", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b-", false),
            ("sm_9?", "sm_90", true),
            ("sm_9?", "sm_90a", false),
            ("scale<float*>", "scale<float*>", true),
            ("scale<float*>", "scale<float4>", true),
            ("a*?", "a", false),
        ] {
            assert_eq!(
                Glob::new(pattern).matches(text),
                expected,
                "{pattern} {text}"
            );
        }
    }

    /// The definition, in a few lines and exponential time.
    fn by_definition(pattern: &[char], text: &[char]) -> bool {
        match (pattern, text) {
            ([], text) => text.is_empty(),
            (['*', rest @ ..], text) => (0..=text.len()).any(|at| by_definition(rest, &text[at..])),
            (['?', rest @ ..], [_, text @ ..]) => by_definition(rest, text),
            ([a, rest @ ..], [b, text @ ..]) => a == b && by_definition(rest, text),
            (_, []) => false,
        }
    }

    #[test]
    fn agrees_with_the_definition() {
        let words = |letters: &[char], most: u32| -> Vec<Vec<char>> {
            let mut words = vec![Vec::new()];
            for length in 1..=most {
                for number in 0..letters.len().pow(length) {
                    let digits = (0..length).map(|place| number / letters.len().pow(place));
                    words.push(digits.map(|digit| letters[digit % letters.len()]).collect());
                }
            }
            words
        };
        for pattern in words(&['a', 'é', '*', '?'], 5) {
            let glob = Glob::new(pattern.iter().collect::<String>());
            for text in words(&['a', 'é'], 4) {
                let string: String = text.iter().collect();
                let expected = by_definition(&pattern, &text);
                assert_eq!(glob.matches(&string), expected, "{glob} {string}");
            }
        }
    }

    #[test]
    fn long_hostile_patterns_end_soon() {
        for part in ["*a", "*a?", "?*", "**"] {
            let pattern = part.repeat(LONGEST / part.len()) + "b";
            assert!(!Glob::new(pattern).matches(&"a".repeat(20_000)));
        }
    }

    #[test]
    fn specificity() {
        let of = |pattern: &str, text: &str| Glob::new(pattern).specificity(text);
        let exact = of("f<int*>", "f<int*>");
        assert!(exact > of("f<int*>", "f<int>"));
        assert!(of("f<int*>", "f<int>") > of("f<*>", "f<int>"));
        assert!(of("f<*>", "f<int>") > of("*", "f<int>"));
        assert_eq!(of("f<????>", "f<int>"), None);
        assert_eq!(of("f<???>", "f<int>"), of("f<*>", "f<int>"));
    }
}
