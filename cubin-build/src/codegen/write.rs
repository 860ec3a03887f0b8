//! Text in the shape that `rustfmt` gives it: a writer with indentation, and the few layout rules of
//! calls, arrays, struct literals and signatures that the generator needs (rustfmt's default settings).

use std::fmt::Write as _;

/// Widest line that rustfmt lets an expression or a signature have (`max_width`).
const MAX_WIDTH: usize = 100;
/// Widest argument list on one line (`fn_call_width`), and widest array (`array_width`).
const LIST_WIDTH: usize = 60;
/// Longest string literal in one piece.
const LONGEST_LITERAL: usize = 68;
/// Widest inside of a struct literal on one line (`struct_lit_width`).
const STRUCT_WIDTH: usize = 18;

/// Lines with indentation.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    depth: usize,
    /// Columns that whoever takes the text will add.
    outer: usize,
}

impl Writer {
    /// A writer for the inside of `depth` blocks, whose text is not indented itself: another writer does that.
    pub(super) fn nested(depth: usize) -> Self {
        Self {
            outer: depth * 4,
            ..Self::default()
        }
    }

    /// The finished text.
    pub(super) fn finish(self) -> String {
        self.text
    }

    /// Columns before the text of the current line.
    pub(super) fn indent(&self) -> usize {
        self.outer + self.depth * 4
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

    /// Opens a block: the line, which ends in `{`, and deeper indentation.
    pub(super) fn open(&mut self, line: impl AsRef<str>) {
        self.line(line);
        self.depth += 1;
    }

    /// Closes a block with `line`.
    pub(super) fn close(&mut self, line: impl AsRef<str>) {
        self.depth = self.depth.saturating_sub(1);
        self.line(line);
    }

    /// Text that is already indented for its place.
    pub(super) fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// `head` + expression + `tail`, laid out.
    pub(super) fn expr(&mut self, head: &str, expr: &Expr, tail: &str) {
        let width = |text: &str| text.chars().count();
        if let (Some(line), Some(left)) = (expr.one_line(), head.strip_suffix("= ")) {
            let whole = width(&line) + width(tail);
            if self.indent() + width(head) + whole > MAX_WIDTH
                && self.indent() + 4 + whole <= MAX_WIDTH
            {
                self.line(format!("{left}="));
                self.line(format!("    {line}{tail}"));
                return;
            }
        }
        // A struct literal must leave space for the `;` on the line that it opens.
        let opening = expr.opening().map_or(0, |opening| {
            width(&opening) + usize::from(opening.ends_with('{') && tail == ";")
        });
        let too_wide = self.indent() + width(head) + opening > MAX_WIDTH;
        if let Some(left) = head.strip_suffix("= ").filter(|_| opening > 0 && too_wide) {
            // Not even the declaration fits: its type moves to the next line, and the literal follows it.
            let declaration = left.rsplit_once(": ");
            if let (Some((name, ty)), true) =
                (declaration, self.indent() + width(left) >= MAX_WIDTH)
            {
                self.line(format!("{name}:"));
                let mut text = format!("    {ty}= ");
                expr.layout(&mut text, self.indent(), tail.len());
                text.push_str(tail);
                self.laid_out(&text);
                return;
            }
            self.line(format!("{left}="));
            self.depth += 1;
            self.expr("", expr, tail);
            self.depth -= 1;
            return;
        }
        let mut text = head.to_owned();
        expr.layout(&mut text, self.indent(), tail.len());
        text.push_str(tail);
        self.laid_out(&text);
    }

    /// Text whose first line is not indented yet and whose other lines are laid out for their final place.
    fn laid_out(&mut self, text: &str) {
        let mut lines = text.lines();
        if let Some(first) = lines.next() {
            self.line(first);
        }
        for line in lines {
            self.text
                .push_str(line.get(self.outer..).unwrap_or_default());
            self.text.push('\n');
        }
    }

    /// `head(args)tail`, the opening of a function; a `where` clause is further lines of `tail`.
    pub(super) fn signature(&mut self, head: &str, args: &[String], tail: &str) {
        let mut tail = tail.lines();
        let first = tail.next().unwrap_or_default();
        let one_line = format!("{head}({}){first}", args.join(", "));
        if self.indent() + one_line.chars().count() <= MAX_WIDTH {
            self.line(one_line);
        } else {
            self.open(format!("{head}("));
            for arg in args {
                self.line(format!("{arg},"));
            }
            // rustfmt counts the indentation twice when it looks for space for the brace.
            match first.strip_suffix(" {") {
                Some(first) if 2 * (self.indent() - 4) + first.chars().count() + 3 > MAX_WIDTH => {
                    self.close(format!("){first}"));
                    self.line("{");
                }
                _ => self.close(format!("){first}")),
            }
        }
        // A `where` clause.
        for line in tail {
            self.line(line);
        }
        self.depth += 1;
    }

    /// `head<generics>` with what follows, for [`Self::signature`]: on one line, or one per line when they would
    /// leave no space for `opening`. Gives the text to go on with.
    pub(super) fn generics(&mut self, head: &str, generics: &[String], opening: &str) -> String {
        let one_line = format!("{head}<{}>", generics.join(", "));
        if generics.is_empty() {
            return head.to_owned();
        }
        if self.indent() + one_line.chars().count() + opening.chars().count() <= MAX_WIDTH {
            return one_line;
        }
        if head == "impl" {
            // How far these are indented is different in each edition's style.
            self.line("#[rustfmt::skip]");
        }
        self.line(format!("{head}<"));
        for generic in generics {
            self.line(format!("    {generic},"));
        }
        ">".to_owned()
    }

    /// Whether `text` fits on a line here.
    pub(super) fn fits(&self, text: &str) -> bool {
        self.indent() + text.chars().count() <= MAX_WIDTH
    }

    /// Opens `head for implementor {`.
    pub(super) fn implementation(&mut self, head: &str, implementor: &str) {
        let one_line = format!("{head} for {implementor} {{");
        if self.indent() + one_line.chars().count() <= MAX_WIDTH {
            self.open(one_line);
            return;
        }
        self.line(head);
        self.line(format!("    for {implementor}"));
        self.open("{");
    }

    /// `path { inits }` as the last expression of a block.
    pub(super) fn small_struct(&mut self, path: &str, inits: &[String]) {
        let one_line = inits.join(", ");
        if one_line.chars().count() <= STRUCT_WIDTH {
            self.line(format!("{path} {{ {one_line} }}"));
            return;
        }
        self.open(format!("{path} {{"));
        for init in inits {
            self.line(format!("{init},"));
        }
        self.close("}");
    }

    /// `assert!(left == right);`
    pub(super) fn assert_equal(&mut self, left: &str, right: &str) {
        let condition = format!("{left} == {right}");
        let width = |text: &str| text.chars().count();
        // The arguments of `offset_of!`, which are broken like those of any call.
        let call = left
            .strip_suffix(')')
            .and_then(|call| call.split_once("!("));
        let short = call.is_none_or(|(_, args)| width(args) <= LIST_WIDTH);
        let one_line = format!("assert!({condition});");
        if short && self.indent() + width(&one_line) <= MAX_WIDTH {
            self.line(one_line);
            return;
        }
        self.open("assert!(");
        match call {
            Some((path, args)) if !short || self.indent() + width(&condition) > MAX_WIDTH => {
                self.open(format!("{path}!("));
                for part in args.split_inclusive(", ") {
                    self.line(part.trim_end());
                }
                self.close(format!(") == {right}"));
            }
            _ => self.line(condition),
        }
        self.close(");");
    }
}

/// The expressions of constants and calls.
#[derive(Debug, Clone)]
pub(super) enum Expr {
    /// Never broken.
    Atom(String),
    /// `path(args)`; no argument may be a multi-line one.
    Call(String, Vec<Expr>),
    /// `[items]`
    Array(Vec<Expr>),
    /// `&expr`
    Ref(Box<Expr>),
    /// `path { fields, ..base }`, always on several lines.
    Struct {
        path: String,
        fields: Vec<(String, Expr)>,
        base: Option<String>,
    },
}

impl Expr {
    pub(super) fn atom(text: impl Into<String>) -> Self {
        Self::Atom(text.into())
    }

    /// A string literal; a long one in pieces, since rustfmt gives up on what it cannot make fit.
    pub(super) fn string(text: &str) -> Self {
        let literal = string(text);
        if literal.chars().count() <= LONGEST_LITERAL {
            return Self::Atom(literal);
        }
        let characters: Vec<char> = text.chars().collect();
        let pieces = characters.chunks(LONGEST_LITERAL / 2 + 20);
        let pieces = pieces.map(|piece| Self::Atom(string(&piece.iter().collect::<String>())));
        Self::Call("concat!".to_owned(), pieces.collect())
    }

    pub(super) fn array_ref(items: Vec<Self>) -> Self {
        Self::Ref(Box::new(Self::Array(items)))
    }

    fn one_line(&self) -> Option<String> {
        let join = |items: &[Self]| {
            let items: Option<Vec<_>> = items.iter().map(Self::one_line).collect();
            let joined = items?.join(", ");
            (joined.chars().count() <= LIST_WIDTH).then_some(joined)
        };
        match self {
            Self::Atom(text) => Some(text.clone()),
            Self::Call(path, args) => Some(format!("{path}({})", join(args)?)),
            Self::Array(items) => Some(format!("[{}]", join(items)?)),
            Self::Ref(inner) => Some(format!("&{}", inner.one_line()?)),
            Self::Struct { .. } => None,
        }
    }

    /// The first line of a struct literal.
    fn opening(&self) -> Option<String> {
        match self {
            Self::Struct { path, .. } => Some(format!("{path} {{")),
            _ => None,
        }
    }

    /// Appends the expression to `out`, whose current line has `indent` columns more than it shows;
    /// `tail` columns follow the expression.
    fn layout(&self, out: &mut String, indent: usize, tail: usize) {
        let first = !out.contains('\n');
        let current = out.rsplit('\n').next().unwrap_or_default().chars().count();
        let column = if first { indent + current } else { current };
        if let Some(line) = self.one_line() {
            let fits = column + line.chars().count() + tail <= MAX_WIDTH;
            if fits || matches!(self, Self::Atom(_)) {
                out.push_str(&line);
                return;
            }
        }
        match self {
            Self::Atom(_) => {}
            Self::Ref(inner) => {
                out.push('&');
                inner.layout(out, indent, tail);
            }
            Self::Call(path, args) => {
                let _ = write!(out, "{path}(");
                list(out, args, indent);
                out.push(')');
            }
            Self::Array(items) => {
                out.push('[');
                match items.as_slice() {
                    [only @ (Self::Struct { .. } | Self::Call(..))] => {
                        only.layout(out, indent, tail + 1);
                    }
                    _ => list(out, items, indent),
                }
                out.push(']');
            }
            Self::Struct { path, fields, base } => {
                let _ = write!(out, "{path} {{");
                for (name, value) in fields {
                    new_line(out, indent + 4);
                    let _ = write!(out, "{name}:");
                    let line = value.one_line().map_or(0, |line| line.chars().count() + 1);
                    let room = MAX_WIDTH - (indent + 4).min(MAX_WIDTH);
                    let here = name.chars().count() + 2 + line;
                    if line > 0 && here > room && line + 4 <= room {
                        new_line(out, indent + 8);
                    } else {
                        out.push(' ');
                    }
                    value.layout(out, indent + 4, 1);
                    out.push(',');
                }
                if let Some(base) = base {
                    new_line(out, indent + 4);
                    let _ = write!(out, "..{base}");
                }
                new_line(out, indent);
                out.push('}');
            }
        }
    }
}

fn new_line(out: &mut String, indent: usize) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}

fn list(out: &mut String, items: &[Expr], indent: usize) {
    for item in items {
        new_line(out, indent + 4);
        item.layout(out, indent + 4, 1);
        out.push(',');
    }
    new_line(out, indent);
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
            control if control.is_control() => {
                let _ = write!(literal, "\\u{{{:x}}}", u32::from(control));
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

/// A plural that reads well: `1 byte`, `2 bytes`.
pub(super) fn count(value: u64, unit: &str) -> String {
    if value == 1 {
        format!("1 {unit}")
    } else {
        format!("{value} {unit}s")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn laid_out(head: &str, expr: &Expr, depth: usize) -> String {
        let mut writer = Writer {
            depth,
            ..Writer::default()
        };
        writer.expr(head, expr, ";");
        writer.finish()
    }

    #[test]
    fn short_array_stays_on_its_line() {
        let array = Expr::array_ref(vec![Expr::atom("1"), Expr::atom("2")]);
        assert_eq!(laid_out("let a = ", &array, 1), "    let a = &[1, 2];\n");
    }

    #[test]
    fn long_array_has_one_item_per_line() {
        let item = Expr::Call("path".into(), vec![Expr::string("twenty characters here")]);
        let array = Expr::Array(vec![item.clone(), item]);
        assert_eq!(
            laid_out("let a = ", &array, 1),
            "    let a = [\n        path(\"twenty characters here\"),\n        path(\"twenty characters here\"),\n    ];\n"
        );
    }

    #[test]
    fn one_struct_in_an_array_shares_its_brackets() {
        let item = Expr::Struct {
            path: "S".into(),
            fields: vec![("field".into(), Expr::atom("1"))],
            base: Some("S::NONE".into()),
        };
        assert_eq!(
            laid_out("let a = ", &Expr::Array(vec![item]), 0),
            "let a = [S {\n    field: 1,\n    ..S::NONE\n}];\n"
        );
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
        assert_eq!(string("a\"b\\c\u{1}"), "\"a\\\"b\\\\c\\u{1}\"");
    }
}
