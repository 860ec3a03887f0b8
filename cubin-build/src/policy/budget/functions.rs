//! Functions that no cubin holds: what the source calls them, and what their symbols are.

use crate::config::{glob::Glob, nearest::nearest};

/// (symbol in the cubin, what the source calls it).
const NAMES: [(&str, &str); 2] = [("vprintf", "printf"), ("__assertfail", "assert")];

/// What the source calls a function with this symbol.
pub(super) fn source_name(symbol: &str) -> &str {
    let known = NAMES.iter().find(|(in_cubin, _)| *in_cubin == symbol);
    known.map_or(symbol, |(_, in_source)| in_source)
}

/// The symbol of a function that has another name in the source.
pub(super) fn symbol_of(name: &str) -> Option<&'static str> {
    let known = NAMES.iter().find(|(_, in_source)| *in_source == name);
    known.map(|(in_cubin, _)| *in_cubin)
}

/// What the driver offers under these names, and what a source calls that ends there.
const KNOWN: [&str; 6] = [
    "printf",
    "vprintf",
    "assert",
    "__assertfail",
    "malloc",
    "free",
];
const ENDS_IN: [(&str, &str); 2] = [("new", "malloc"), ("delete", "free")];

/// What was probably meant by a name that no kernel calls: a misspelt one would forbid nothing.
pub(super) fn doubt(name: &str) -> Option<String> {
    if KNOWN.contains(&name) {
        return None;
    }
    if let Some((_, function)) = ENDS_IN.iter().find(|(keyword, _)| *keyword == name) {
        return Some(format!("`{name}` calls `{function}`: forbid that"));
    }
    let near = nearest(name, KNOWN).filter(|_| !name.contains(['*', '?']))?;
    Some(format!("did you mean `{near}`?"))
}

/// Whether a pattern of cubin.toml means the function that the source calls `name`.
pub(super) fn matches(pattern: &Glob, name: &str) -> bool {
    pattern.matches(name) || symbol_of(name).is_some_and(|symbol| pattern.matches(symbol))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_source_and_of_the_cubin() {
        let means = |pattern: &str, name: &str| matches(&Glob::new(pattern), name);
        assert!(means("printf", "printf") && means("vprintf", "printf"));
        assert!(means("assert", "assert") && means("__assert*", "assert"));
        assert!(means("malloc", "malloc") && means("*", "anything"));
        assert!(!means("print", "printf") && !means("assert", "printf"));
    }

    #[test]
    fn names_that_nothing_has() {
        assert_eq!(doubt("prinft").as_deref(), Some("did you mean `printf`?"));
        assert_eq!(
            doubt("assertfail").as_deref(),
            Some("did you mean `__assertfail`?")
        );
        assert!(doubt("new").is_some_and(|help| help.contains("`malloc`")));
        for name in [
            "printf",
            "vprintf",
            "cudaLaunchDevice",
            "print*",
            "*",
            "my_hook",
        ] {
            assert_eq!(doubt(name), None, "{name}");
        }
    }
}
