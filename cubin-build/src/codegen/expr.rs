//! The expressions of constants and calls, laid out as `rustfmt` does.

use std::fmt::Write as _;

use super::write::{LIST_WIDTH, MAX_WIDTH, string, width};

/// Longest string literal in one piece.
const LONGEST_LITERAL: usize = 68;

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
        if width(&literal) <= LONGEST_LITERAL {
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

    pub(super) fn one_line(&self) -> Option<String> {
        let join = |items: &[Self]| {
            let items: Option<Vec<_>> = items.iter().map(Self::one_line).collect();
            let joined = items?.join(", ");
            (width(&joined) <= LIST_WIDTH).then_some(joined)
        };
        match self {
            Self::Atom(text) => Some(text.clone()),
            Self::Call(path, args) => Some(format!("{path}({})", join(args)?)),
            Self::Array(items) => Some(format!("[{}]", join(items)?)),
            Self::Ref(inner) => Some(format!("&{}", inner.one_line()?)),
            Self::Struct { .. } => None,
        }
    }

    /// The first line of a struct literal or a call on several lines.
    pub(super) fn opening(&self) -> Option<String> {
        match self {
            Self::Struct { path, .. } => Some(format!("{path} {{")),
            Self::Call(path, _) => Some(format!("{path}(")),
            _ => None,
        }
    }

    /// Appends the expression to `out`, whose current line has `indent` columns more than it shows;
    /// `tail` columns follow the expression.
    pub(super) fn layout(&self, out: &mut String, indent: usize, tail: usize) {
        let first = !out.contains('\n');
        let current = width(out.rsplit('\n').next().unwrap_or_default());
        let column = if first { indent + current } else { current };
        if let Some(line) = self.one_line() {
            let fits = column + width(&line) + tail <= MAX_WIDTH;
            if fits || matches!(self, Self::Atom(_)) {
                out.push_str(&line);
                return;
            }
        }
        self.broken(out, indent, tail);
    }

    /// The expression on several lines.
    fn broken(&self, out: &mut String, indent: usize, tail: usize) {
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
                        only.broken(out, indent, tail + 1);
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
                    let line = value.one_line().map_or(0, |line| width(&line) + 1);
                    let room = MAX_WIDTH - (indent + 4).min(MAX_WIDTH);
                    let here = width(name) + 2 + line;
                    // The comma may stand beyond the last column.
                    if line > 0 && here > room + 1 && line + 4 <= room {
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
