//! Text in the shape that `rustfmt` gives it: a writer with indentation, and the few layout rules of
//! calls, arrays, struct literals and signatures that the generator needs (rustfmt's default settings).

use std::fmt::Write as _;

pub(super) use super::expr::Expr;

/// Widest line that rustfmt lets an expression or a signature have (`max_width`).
pub(super) const MAX_WIDTH: usize = 100;
/// Widest argument list on one line (`fn_call_width`), and widest array (`array_width`).
pub(super) const LIST_WIDTH: usize = 60;
/// Widest inside of a struct literal on one line (`struct_lit_width`).
const STRUCT_WIDTH: usize = 18;

/// Lines with indentation.
#[derive(Debug, Default)]
pub(super) struct Writer {
    text: String,
    depth: usize,
    /// Columns that whoever takes the text will add.
    outer: usize,
    /// rustfmt would lay out the current item otherwise.
    unlike_rustfmt: bool,
}

/// An item that is being written.
#[must_use]
pub(super) struct Item {
    start: usize,
    /// Of the item that this one stands in.
    around: bool,
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

    /// Where an item starts, for [`Self::end_item`]: behind its documentation.
    pub(super) fn item(&mut self) -> Item {
        Item {
            start: self.text.len(),
            around: std::mem::take(&mut self.unlike_rustfmt),
        }
    }

    /// Ends an item. Where names are so long that something does not fit on a line, rustfmt has
    /// rules of its own for each place, and mistakes; it is told to leave such an item as it is.
    pub(super) fn end_item(&mut self, item: Item) {
        let Item { start, around } = item;
        let item = self.text.get(start..).unwrap_or_default();
        let mut code = item
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        if self.unlike_rustfmt || code.any(|line| self.outer + width(line) > MAX_WIDTH) {
            let attribute = format!("{}#[rustfmt::skip]\n", "    ".repeat(self.depth));
            self.text.insert_str(start, &attribute);
        }
        self.unlike_rustfmt = around;
    }

    /// Says that rustfmt would lay out the current item otherwise.
    pub(super) fn unlike_rustfmt(&mut self) {
        self.unlike_rustfmt = true;
    }

    /// Text that is already indented for its place.
    pub(super) fn raw(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// `head` + expression + `tail`, laid out.
    pub(super) fn expr(&mut self, head: &str, expr: &Expr, tail: &str) {
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
        if self.fits(&one_line) {
            self.line(one_line);
        } else {
            self.open(format!("{head}("));
            for arg in args {
                match arg.split_once(": ") {
                    Some((name, ty)) => self.typed(&format!("{name}:"), ty, ","),
                    None => self.line(format!("{arg},")),
                }
            }
            // rustfmt counts the indentation twice when it looks for space for the brace.
            let outside = self.indent() - 4;
            match first.strip_suffix(" {") {
                Some(first) if !self.fits_from(outside, &format!("){first}")) => {
                    self.depth -= 1;
                    let ty = first.strip_prefix(" -> ").unwrap_or(first);
                    self.typed(") ->", ty, " {");
                }
                Some(first) if 2 * outside + width(first) + 3 > MAX_WIDTH => {
                    self.close(format!("){first}"));
                    self.line("{");
                }
                _ => self.close(format!("){first}")),
            }
        }
        for line in tail {
            self.clause(line);
        }
        self.depth += 1;
    }

    /// Opens `head: ty` and `tail`, which ends in `{`: a constant.
    pub(super) fn declaration(&mut self, head: &str, ty: &str, tail: &str) {
        self.typed(&format!("{head}:"), ty, tail);
        self.depth += 1;
    }

    /// `head ty` and `tail`, the generic arguments of the type one per line when it does not fit.
    fn typed(&mut self, head: &str, ty: &str, tail: &str) {
        // rustfmt does not always count what follows a type, and breaks at other places when little space is left.
        let end = self.indent() + width(head) + 1 + width(ty);
        let almost = (MAX_WIDTH - 4..=MAX_WIDTH + 4).contains(&end);
        let prefix = ty.split('<').next().map_or(0, width);
        if (almost && end + width(tail) > MAX_WIDTH)
            || end - width(ty) + prefix + 10 > MAX_WIDTH && end > MAX_WIDTH
        {
            self.unlike_rustfmt();
        }
        let broken = self.broken_type(ty, width(head) + 1, width(tail));
        self.lines(&format!("{head} {broken}{tail}"));
    }

    /// A type at `column` of the current line, `tail` columns before what follows: with generic arguments one per line
    /// where it does not fit on one.
    fn broken_type(&self, ty: &str, column: usize, tail: usize) -> String {
        if self.indent() + column + width(ty) + tail <= MAX_WIDTH {
            return ty.to_owned();
        }
        let generic = ty.strip_suffix('>').and_then(|inner| inner.split_once('<'));
        let Some((path, arguments)) = generic.filter(|(path, _)| !path.is_empty()) else {
            return ty.to_owned();
        };
        let mut text = format!("{path}<\n");
        let inside = Self {
            depth: self.depth + 1,
            outer: self.outer,
            ..Self::default()
        };
        for argument in super::names::split_top_level(arguments, ", ") {
            let argument = inside.broken_type(argument, 0, 1);
            for line in format!("{argument},").lines() {
                let _ = writeln!(text, "    {line}");
            }
        }
        text.push('>');
        text
    }

    /// `head<generics>` with what follows, for [`Self::signature`]: on one line, or one per line when they would
    /// leave no space for `opening`. Gives the text to go on with.
    pub(super) fn generics(&mut self, head: &str, generics: &[String], opening: &str) -> String {
        let one_line = format!("{head}<{}>", generics.join(", "));
        if generics.is_empty() {
            return head.to_owned();
        }
        if self.indent() + width(&one_line) + width(opening) <= MAX_WIDTH {
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

    /// Lines of a `where` clause.
    pub(super) fn clause(&mut self, lines: &str) {
        for line in lines.lines() {
            // rustfmt breaks bounds that leave little space.
            if !self.fits(&format!("{line}  ")) {
                self.unlike_rustfmt();
            }
            self.line(line);
        }
    }

    /// Whether `text` fits on a line here.
    pub(super) fn fits(&self, text: &str) -> bool {
        self.fits_from(self.indent(), text)
    }

    fn fits_from(&self, column: usize, text: &str) -> bool {
        column + width(text) <= MAX_WIDTH
    }

    /// Opens `head for implementor {`.
    pub(super) fn implementation(&mut self, head: &str, implementor: &str) {
        let one_line = format!("{head} for {implementor} {{");
        if self.fits(&one_line) {
            self.open(one_line);
            return;
        }
        // rustfmt forgets the indentation of the second type, and breaks tuples.
        let forgotten = width(&one_line) <= MAX_WIDTH;
        let tuple = implementor.len() > 2 && implementor.starts_with('(');
        if forgotten || tuple {
            self.unlike_rustfmt();
        }
        self.line(head);
        self.line(format!("    for {implementor}"));
        self.open("{");
    }

    /// `head for implementor {}`
    pub(super) fn empty_implementation(&mut self, head: &str, implementor: &str) {
        let start = self.item();
        let one_line = format!("{head} for {implementor} {{}}");
        if self.fits(&one_line) {
            self.line(one_line);
        } else {
            self.line(head);
            self.line(format!("    for {implementor} {{}}"));
            self.unlike_rustfmt();
        }
        self.end_item(start);
    }

    /// Opens `head {`: a struct or union.
    pub(super) fn open_struct(&mut self, head: &str) {
        // rustfmt may give the brace a line of its own when little space is left.
        if !self.fits(&format!("{head} {{    ")) {
            self.unlike_rustfmt();
        }
        self.open(format!("{head} {{"));
    }

    /// A member of a struct: `head: ty,`.
    pub(super) fn field(&mut self, head: &str, ty: &str) {
        let one_line = format!("{head}: {ty},");
        if self.fits(&one_line) {
            self.line(one_line);
        } else if self.fits(&format!("    {ty},")) {
            self.line(format!("{head}:"));
            self.line(format!("    {ty},"));
        } else {
            self.typed(&format!("{head}:"), ty, ",");
        }
    }

    /// `path { inits }` as the last expression of a block.
    pub(super) fn small_struct(&mut self, path: &str, inits: &[String]) {
        let one_line = inits.join(", ");
        if width(&one_line) <= STRUCT_WIDTH {
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
        // One column is kept free.
        match call {
            Some((path, args)) if !short || !self.fits(&format!("{left} ")) => {
                self.open(format!("{path}!("));
                for part in args.split_inclusive(", ") {
                    self.line(part.trim_end());
                }
                self.close(format!(") == {right}"));
            }
            _ if !self.fits(&format!("{condition} ")) => {
                if !self.fits(&format!("{left}  ")) {
                    self.unlike_rustfmt();
                }
                self.line(left);
                self.line(format!("    == {right}"));
            }
            _ => self.line(condition),
        }
        self.close(");");
    }
}

/// Whether arguments fit on one line by their own width.
pub(super) fn fits_in_list(arguments: &str) -> bool {
    width(arguments) <= LIST_WIDTH
}

/// Columns of a line.
pub(super) fn width(text: &str) -> usize {
    text.chars().count()
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
