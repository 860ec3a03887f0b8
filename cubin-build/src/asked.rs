//! Which files a C++ text asks about without including them: `__has_include`. One that appears later changes the result.

use crate::{
    lists::{Lines, Pieces},
    sorted,
};

/// What a text asks about.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// Arguments of `__has_include` in the text, without quotes or brackets; sorted.
    pub names: Vec<String>,
    /// It also asks in a way that only a preprocessor can follow: about what a macro says.
    pub unsure: bool,
}

const WORD: &[u8] = b"__has_include";

/// Reads a text. Comments and lines that are continued may stand anywhere in a question.
pub(crate) fn asked(text: &[u8]) -> Asked {
    let mut found = Asked::default();
    let mut directive: Vec<u8> = Vec::new();
    for line in Lines(text) {
        // A directive has its sign somewhere in the line, behind comments perhaps; `%:` is another way to write it.
        if directive.is_empty() && !line.contains(&b'#') && !line.contains(&b'%') {
            continue;
        }
        let line = line.trim_ascii_end();
        match line.strip_suffix(b"\\") {
            Some(begin) => directive.extend_from_slice(begin),
            None => {
                directive.extend_from_slice(line);
                in_directive(&directive, &mut found);
                directive.clear();
            }
        }
    }
    in_directive(&directive, &mut found);
    sorted::sort(&mut found.names);
    found.names.dedup();
    found
}

fn in_directive(line: &[u8], found: &mut Asked) {
    let mut rest = line;
    while let Some(at) = position(rest, WORD) {
        rest = &rest[at + WORD.len()..];
        rest = rest.strip_prefix(b"_next").unwrap_or(rest);
        // `defined(__has_include)`, `#ifdef __has_include`: only whether one may ask. A macro of that name may ask anywhere.
        let Some(argument) = blank(rest).strip_prefix(b"(") else {
            let open = blank(rest);
            let only_defined = open.is_empty() || !open.starts_with(b"<");
            let is_macro =
                position(line, b"define").is_some_and(|at| line.get(at + 6) != Some(&b'd'));
            found.unsure |= is_macro || !only_defined;
            continue;
        };
        let argument = blank(argument);
        let end = match argument.first() {
            Some(b'<') => b'>',
            Some(b'"') => b'"',
            _ => {
                found.unsure = true;
                continue;
            }
        };
        let name = &argument[1..];
        match name.iter().position(|&byte| byte == end) {
            Some(length) if length > 0 => {
                let name = String::from_utf8_lossy(&name[..length]);
                found.names.push(name.into_owned());
            }
            _ => found.unsure = true,
        }
    }
}

/// What follows blanks and comments.
fn blank(mut text: &[u8]) -> &[u8] {
    loop {
        text = text.trim_ascii_start();
        let Some(comment) = text.strip_prefix(b"/*") else {
            return text;
        };
        match position(comment, b"*/") {
            Some(end) => text = &comment[end + 2..],
            None => return &[],
        }
    }
}

fn position(text: &[u8], word: &[u8]) -> Option<usize> {
    let mut end = 0;
    for piece in Pieces(text, word[0]) {
        end += piece.len();
        if text[end - 1..].starts_with(word) {
            return Some(end - 1);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_what_is_only_asked_about() {
        let text = b"#if __has_include(<cub/cub.cuh>)\n#elif __has_include ( \"a b.h\" )\n\
                     # if defined(X) && \\\n __has_\\\ninclude(/* \" */ <late.h>) || __has_include_next(<next.h>)\n\
                     %:if __has_include(<digraph.h>)\n/* c */ #if __has_include(<behind.h>)\n\
                     #ifdef __has_include\n#if defined(__has_include) && 1\n__has_include(<no directive>)\n";
        let found = asked(text);
        let names = [
            "a b.h",
            "behind.h",
            "cub/cub.cuh",
            "digraph.h",
            "late.h",
            "next.h",
        ];
        assert_eq!(found.names, names);
        assert!(!found.unsure);
    }

    #[test]
    fn what_a_macro_says_is_not_known() {
        for text in [
            "#if __has_include(NAME)",
            "#define HAS(x) __has_include(x)",
            "#define HAS __has_include\n#if HAS(<a.h>)",
            "#if __has_include(\"open",
            "#if __has_include(<>)",
            "#if __has_include(/* no end",
        ] {
            assert!(asked(text.as_bytes()).unsure, "{text}");
        }
        for text in ["", "#", "# include <a.h>", "int a; // #__has_inc", "x \\"] {
            assert_eq!(asked(text.as_bytes()), Asked::default(), "{text}");
        }
    }
}
