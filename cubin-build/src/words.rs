//! Lists and counts in messages.
//!
//! A chain of `map` and `collect` costs a clean build some two hundred lines of LLVM's language for each closure; these
//! are compiled once, or once per type.

/// The text of each item.
pub(crate) fn texts<T>(items: &[T], text: &dyn Fn(&T) -> String) -> Vec<String> {
    let mut texts = Vec::new();
    for item in items {
        texts.push(text(item));
    }
    texts
}

/// `a`, `b` and `c`
pub(crate) fn and(parts: &[String]) -> String {
    match parts.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => parts.concat(),
    }
}

/// The words in backquotes, the last behind "and".
pub(crate) fn quoted<T: AsRef<str>>(words: &[T]) -> String {
    and(&texts(words, &|word| format!("`{}`", word.as_ref())))
}

/// `1 register`, `2 registers`
pub fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists() {
        assert_eq!(quoted::<&str>(&[]), "");
        assert_eq!(quoted(&["a"]), "`a`");
        assert_eq!(quoted(&["a", "b"]), "`a` and `b`");
        assert_eq!(quoted(&["a", "b", "c"]), "`a`, `b` and `c`");
    }

    #[test]
    fn plurals() {
        assert_eq!(counted(0, "register"), "0 registers");
        assert_eq!(counted(1, "register"), "1 register");
        assert_eq!(counted(2, "register"), "2 registers");
    }
}
