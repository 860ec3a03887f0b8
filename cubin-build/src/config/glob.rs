//! Patterns over kernel names and targets: `*` stands for any characters, also none, `?` for exactly one.

use std::fmt;

/// Longest pattern in bytes. Real template names reach some hundred; the bound keeps matching fast.
pub(crate) const LONGEST: usize = 4096;

/// A pattern.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Glob(String);

/// How closely a pattern describes a text; the greater, the more specific.
///
/// Ordered by its fields: a pattern that is the text itself is above every other, then the pattern with more
/// characters that are no wildcards wins.
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
        Self(pattern.into())
    }

    /// The pattern's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// How closely the pattern describes `text`, if it matches the whole of it.
    ///
    /// A `*` in `text` (`scale<float*>`) is a character like any other, so a name copied from a message matches
    /// itself, and exactly.
    pub fn specificity(&self, text: &str) -> Option<Specificity> {
        let exact = self.0 == text;
        (exact || matches(&self.0, text)).then(|| Specificity {
            exact,
            literals: self.0.chars().filter(|c| !matches!(c, '*' | '?')).count(),
        })
    }

    /// Whether the pattern matches the whole of `text`.
    pub fn matches(&self, text: &str) -> bool {
        self.0 == text || matches(&self.0, text)
    }

    /// Whether it holds `*` or `?`.
    pub fn has_wildcard(&self) -> bool {
        self.0.contains(['*', '?'])
    }
}

impl fmt::Display for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Only the last `*` is ever taken back, which is enough and needs at most pattern times text steps and no memory.
fn matches(pattern: &str, text: &str) -> bool {
    let (mut pattern, mut text) = (pattern, text);
    let mut retry: Option<(&str, &str)> = None;
    loop {
        let (head, rest) = split(pattern);
        let (character, text_rest) = split(text);
        match (head, character) {
            (Some('*'), _) => {
                retry = Some((rest, text));
                pattern = rest;
                continue;
            }
            (Some('?'), Some(_)) => {
                (pattern, text) = (rest, text_rest);
                continue;
            }
            (Some(a), Some(b)) if a == b => {
                (pattern, text) = (rest, text_rest);
                continue;
            }
            (None, None) => return true,
            _ => {}
        }
        let Some((after_star, start)) = retry else {
            return false;
        };
        let (skipped, start) = split(start);
        if skipped.is_none() {
            return false;
        }
        retry = Some((after_star, start));
        (pattern, text) = (after_star, start);
    }
}

fn split(text: &str) -> (Option<char>, &str) {
    let mut chars = text.chars();
    (chars.next(), chars.as_str())
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

    #[test]
    fn long_hostile_patterns_end_soon() {
        let pattern = "*a".repeat(LONGEST / 2) + "b";
        assert!(!Glob::new(pattern).matches(&"a".repeat(20_000)));
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
