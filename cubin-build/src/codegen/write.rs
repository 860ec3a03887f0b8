//! A writer of Rust text: lines with indentation, documentation, blocks, signatures, literals.
//!
//! Nothing formats the files in `OUT_DIR`, so the text need not be what `rustfmt` would make of it; every module of the
//! file says `#[rustfmt::skip]`, for those who format it all the same.

use std::fmt::Write as _;

use cubin_core::escape::{is_unseen, visible};

/// A signature that is wider has one parameter per line.
const WIDEST: usize = 100;

/// Lines with indentation.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    depth: usize,
}

impl Writer {
    /// The finished text.
    pub(super) fn finish(self) -> String {
        self.text
    }

    /// One line; an empty one without trailing blanks.
    pub(super) fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            for _ in 0..self.depth {
                self.text.push_str("    ");
            }
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    /// Text of several lines, each indented.
    pub(super) fn lines(&mut self, lines: &str) {
        for line in lines.lines() {
            self.line(line);
        }
    }

    /// A documentation comment; a line end at the end gives an empty line.
    pub(super) fn doc(&mut self, lines: &str) {
        for line in lines.split('\n') {
            if line.is_empty() {
                self.line("///");
            } else {
                self.line(format!("/// {line}"));
            }
        }
    }

    /// Opens a block: the line, which ends in a bracket, and deeper indentation.
    pub(super) fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.depth += 1;
    }

    /// Closes a block with `line`.
    pub(super) fn close(&mut self, line: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.line(line);
    }

    /// Opens a function: `head(args)result`, and the bound of its `where` clause.
    pub(super) fn signature(
        &mut self,
        head: &str,
        args: &[String],
        result: &str,
        bound: Option<&str>,
    ) {
        let brace = if bound.is_none() { " {" } else { "" };
        let one_line = format!("{head}({}){result}{brace}", args.join(", "));
        if self.depth * 4 + one_line.chars().count() <= WIDEST {
            self.line(one_line);
        } else {
            self.open(format!("{head}("));
            for arg in args {
                self.line(format!("{arg},"));
            }
            self.close(format!("){result}{brace}"));
        }
        if let Some(bound) = bound {
            self.line("where");
            self.line(format!("    {bound},"));
            self.line("{");
        }
        self.depth += 1;
    }
}

/// `head<generics>`, or `head` where there are none.
pub(super) fn generics(head: &str, generics: &[String]) -> String {
    if generics.is_empty() {
        return head.to_owned();
    }
    format!("{head}<{}>", generics.join(", "))
}

/// A Rust string literal.
pub(super) fn string(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for character in text.chars() {
        match character {
            '"' => literal.push_str("\\\""),
            '\\' => literal.push_str("\\\\"),
            '\n' => literal.push_str("\\n"),
            '\r' => literal.push_str("\\r"),
            '\t' => literal.push_str("\\t"),
            unseen if is_unseen(unseen) => {
                let _ = write!(literal, "\\u{{{:x}}}", u32::from(unseen));
            }
            other => literal.push(other),
        }
    }
    literal.push('"');
    literal
}

/// A decimal number, its digits in groups of three from five digits on.
pub(super) fn number(value: i128) -> String {
    let digits = value.unsigned_abs().to_string();
    let sign = if value < 0 { "-" } else { "" };
    if digits.len() < 5 {
        return format!("{sign}{digits}");
    }
    let mut grouped = String::from(sign);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            grouped.push('_');
        }
        grouped.push(digit);
    }
    grouped
}

/// Text of a comment, on one line: what would end it, or change how it reads, is visible.
pub(super) fn on_one_line(text: &str) -> String {
    visible(text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wide_signature_has_one_parameter_per_line() {
        let mut out = Writer::default();
        out.open("impl S {");
        let args = ["&self".into(), "a: i32".into()];
        out.signature("pub fn f", &args, " -> bool", None);
        out.line("true");
        out.close("}");
        out.signature(
            "pub fn g",
            &["&self".into(), format!("{}: i32", "a".repeat(90))],
            "",
            Some("T: Copy"),
        );
        out.close("}");
        out.close("}");
        let wide = "a".repeat(90);
        let expected = format!(
            "impl S {{\n    pub fn f(&self, a: i32) -> bool {{\n        true\n    }}\n    pub fn g(\n        &self,\n        {wide}: i32,\n    )\n    where\n        T: Copy,\n    {{\n    }}\n}}\n"
        );
        assert_eq!(out.finish(), expected);
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(number(0), "0");
        assert_eq!(number(-1234), "-1234");
        assert_eq!(number(12_345), "12_345");
        assert_eq!(number(-1_234_567), "-1_234_567");
    }

    #[test]
    fn strings_are_escaped() {
        assert_eq!(
            string("a\"b\\c\u{1}\u{202e}"),
            "\"a\\\"b\\\\c\\u{1}\\u{202e}\""
        );
    }
}
