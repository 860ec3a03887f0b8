//! Typed access to parsed TOML that collects every problem instead of stopping at the first.
//!
//! Knows TOML types and places, not what the keys of cubin.toml mean.

use std::{cmp::Ordering, ops::Range};

use toml::de::{DeTable, DeValue};

use super::{
    problem::{Problem, What},
    size::{self, SizeError},
};
use crate::{
    diag::{Code, codes},
    lists::CollectVec,
    sorted,
    source::{SourceFile, Span, Spanned},
};

/// Collects problems of one file.
pub(crate) struct TableReader<'f> {
    file: &'f SourceFile,
    problems: Vec<Problem>,
}

/// A key with its value.
#[derive(Clone, Copy)]
pub(crate) struct Item<'a, 'i> {
    /// The key.
    pub(crate) key: &'a str,
    /// Bytes of the key.
    key_range: (usize, usize),
    /// The table's name, brackets included.
    table: &'a str,
    /// Code of problems with it.
    code: Code,
    value: &'a toml::Spanned<DeValue<'i>>,
}

/// A table's name as messages show it, and the code for problems with its values.
#[derive(Clone, Copy)]
pub(crate) struct TableName<'a> {
    /// Brackets included: `[build]`, `[[rule]]`; empty for the top of the file.
    pub(crate) name: &'a str,
    /// Code of problems with its values.
    pub(crate) code: Code,
}

impl<'f> TableReader<'f> {
    pub(crate) fn new(file: &'f SourceFile) -> Self {
        Self {
            file,
            problems: Vec::new(),
        }
    }

    /// The parsed file, or nothing when its syntax is wrong; a key that stands twice is a problem, but no obstacle.
    pub(crate) fn parse(&mut self) -> Option<DeTable<'f>> {
        let file = self.file;
        if let Some(range) = file.not_utf8() {
            let message = "these bytes are not UTF-8".to_owned();
            self.add(self.span(range), What::Syntax(message));
            return None;
        }
        let (document, errors) = DeTable::parse_recoverable(file.text());
        let mut usable = true;
        let mut last_line = None;
        for error in errors {
            let duplicate = error.message() == "duplicate key";
            usable &= duplicate;
            let span = self.span(error.span().unwrap_or(0..0));
            // What follows on the same line is mostly the parser finding its way back.
            let line = span.start().0;
            if last_line.replace(line) == Some(line) {
                continue;
            }
            let message = if duplicate {
                format!("`{}` is defined twice", span.text())
            } else {
                error.message().to_owned()
            };
            self.add(span, What::Syntax(message));
        }
        usable.then(|| document.into_inner())
    }

    pub(crate) fn span(&self, range: Range<usize>) -> Span {
        Span::new(self.file, range)
    }

    fn add(&mut self, span: Span, what: What) {
        self.problems.push(Problem { span, what });
    }

    /// How many problems there are so far.
    pub(crate) fn problems(&self) -> usize {
        self.problems.len()
    }

    /// The problems.
    pub(crate) fn finish(self) -> Vec<Problem> {
        self.problems
    }

    /// The entries of a table in the order of the file (the parser sorts them by key).
    pub(crate) fn entries<'a, 'i>(
        &self,
        name: TableName<'a>,
        table: &'a DeTable<'i>,
    ) -> Vec<Item<'a, 'i>> {
        let mut items: Vec<Item<'a, 'i>> = table
            .iter()
            .map(|(key, value)| Item {
                key: key.get_ref(),
                key_range: (key.span().start, key.span().end),
                table: name.name,
                code: name.code,
                value,
            })
            .collect_vec();
        sorted::sort_by_key(&mut items, |item| item.key_range);
        items
    }

    pub(crate) fn key_span(&self, item: Item<'_, '_>) -> Span {
        self.span(item.key_range.0..item.key_range.1)
    }

    pub(crate) fn value_span(&self, item: Item<'_, '_>) -> Span {
        self.span(item.value.span())
    }

    /// `key` in `[table]`, as messages name a value.
    pub(crate) fn subject(item: Item<'_, '_>) -> String {
        if item.table.is_empty() {
            format!("`{}`", item.key)
        } else {
            format!("`{}` in {}", item.key, item.table)
        }
    }

    /// Reports a value that means nothing.
    pub(crate) fn bad(&mut self, item: Item<'_, '_>, message: String, help: Option<String>) {
        let span = self.value_span(item);
        self.bad_at(item.code, span, message, help);
    }

    /// Reports a part of a value that means nothing.
    pub(crate) fn bad_at(&mut self, code: Code, span: Span, message: String, help: Option<String>) {
        let what = What::BadValue {
            code,
            message,
            help,
        };
        self.add(span, what);
    }

    /// Reports a key that its table does not have; `known` are those that it has.
    pub(crate) fn unknown(&mut self, item: Item<'_, '_>, known: Vec<&'static str>) {
        let what = What::UnknownKey {
            key: item.key.to_owned(),
            table: item.table.to_owned(),
            known,
        };
        self.add(self.key_span(item), what);
    }

    /// Reports that a table lacks a key; `example` is a line that would do.
    pub(crate) fn missing(
        &mut self,
        table: TableName<'_>,
        key: &'static str,
        example: &'static str,
        span: &Span,
    ) {
        let what = What::Missing {
            code: table.code,
            table: table.name.to_owned(),
            key,
            example,
        };
        self.add(span.clone(), what);
    }

    fn wrong_type(&mut self, item: Item<'_, '_>, expected: &str, help: Option<String>) {
        let what = What::WrongType {
            code: item.code,
            subject: Self::subject(item),
            expected: expected.to_owned(),
            found: kind(item.value.get_ref()),
            help,
        };
        self.add(self.value_span(item), what);
    }

    pub(crate) fn table<'a, 'i>(
        &mut self,
        item: Item<'a, 'i>,
        help: Option<&str>,
    ) -> Option<&'a DeTable<'i>> {
        match item.value.get_ref() {
            DeValue::Table(table) => Some(table),
            _ => {
                self.wrong_type(item, "a table", help.map(str::to_owned));
                None
            }
        }
    }

    /// The tables of `[[key]]`, each with the place of its header.
    pub(crate) fn tables<'a, 'i>(&mut self, item: Item<'a, 'i>) -> Vec<(&'a DeTable<'i>, Span)> {
        let help = format!("write [[{}]] above each", item.key);
        let DeValue::Array(array) = item.value.get_ref() else {
            self.wrong_type(item, "an array of tables", Some(help));
            return Vec::new();
        };
        let mut tables = Vec::new();
        for value in array.iter() {
            match value.get_ref() {
                DeValue::Table(table) => tables.push((table, self.span(value.span()))),
                _ => self.wrong_type(
                    Item { value, ..item },
                    "an array of tables",
                    Some(help.clone()),
                ),
            }
        }
        tables
    }

    pub(crate) fn is_bool(item: Item<'_, '_>) -> bool {
        matches!(item.value.get_ref(), DeValue::Boolean(_))
    }

    pub(crate) fn bool(&mut self, item: Item<'_, '_>) -> Option<Spanned<bool>> {
        match item.value.get_ref() {
            DeValue::Boolean(value) => Some(Spanned::new(*value, self.value_span(item))),
            _ => {
                self.wrong_type(item, "`true` or `false`", None);
                None
            }
        }
    }

    /// A string that is not empty.
    pub(crate) fn string(&mut self, item: Item<'_, '_>) -> Option<Spanned<String>> {
        let span = self.value_span(item);
        match item.value.get_ref() {
            DeValue::String(text) if text.trim().is_empty() => {
                self.bad(
                    item,
                    format!("{} holds an empty string", Self::subject(item)),
                    None,
                );
                None
            }
            DeValue::String(text) => Some(Spanned::new(text.to_string(), span)),
            DeValue::Integer(_) | DeValue::Float(_) => {
                let help = format!("put it in quotes: \"{}\"", span.text());
                self.wrong_type(item, "a string", Some(help));
                None
            }
            _ => {
                self.wrong_type(item, "a string", None);
                None
            }
        }
    }

    /// Strings: an array of them, or one alone.
    pub(crate) fn strings(&mut self, item: Item<'_, '_>) -> Vec<Spanned<String>> {
        self.strings_or(item, "a string or an array of strings")
    }

    /// As [`Self::strings`]; `expected` is all that may stand here.
    pub(crate) fn strings_or(
        &mut self,
        item: Item<'_, '_>,
        expected: &str,
    ) -> Vec<Spanned<String>> {
        match item.value.get_ref() {
            DeValue::String(_) => self.string(item).into_iter().collect_vec(),
            DeValue::Array(array) => array
                .iter()
                .filter_map(|value| self.string(Item { value, ..item }))
                .collect_vec(),
            _ => {
                self.wrong_type(item, expected, None);
                Vec::new()
            }
        }
    }

    /// Strings of which each may stand once; `noun` names one in the message.
    pub(crate) fn unique_strings(
        &mut self,
        item: Item<'_, '_>,
        noun: &str,
    ) -> Vec<Spanned<String>> {
        let strings = self.strings(item);
        self.unique(item.code, strings, |text| format!("{noun} `{text}`"))
    }

    /// Drops and reports the values that stood before. A list of any length takes a sort, not a search per value.
    pub(crate) fn unique<T: Ord>(
        &mut self,
        code: Code,
        values: Vec<Spanned<T>>,
        what: impl Fn(&T) -> String,
    ) -> Vec<Spanned<T>> {
        let first = first_equal(values.len(), &|a, b| values[a].value.cmp(&values[b].value));
        let mut kept: Vec<Spanned<T>> = Vec::with_capacity(values.len());
        // Where each value stands in `kept`, if it is the first of its kind.
        let mut places = Vec::with_capacity(first.len());
        for (index, value) in values.into_iter().enumerate() {
            places.push(kept.len());
            if first[index] == index {
                kept.push(value);
                continue;
            }
            let what = What::Duplicate {
                code,
                what: what(&value.value),
                first: kept[places[first[index]]].span.clone(),
            };
            self.add(value.span, what);
        }
        kept
    }

    /// An integer of at least 0.
    pub(crate) fn count(&mut self, item: Item<'_, '_>) -> Option<Spanned<u64>> {
        if !matches!(item.value.get_ref(), DeValue::Integer(_)) {
            self.wrong_type(item, "an integer", None);
            return None;
        }
        self.integer(item)
    }

    /// An integer that is known to be one.
    fn integer(&mut self, item: Item<'_, '_>) -> Option<Spanned<u64>> {
        let DeValue::Integer(integer) = item.value.get_ref() else {
            return None;
        };
        match u64::from_str_radix(integer.as_str(), integer.radix()) {
            Ok(value) => Some(Spanned::new(value, self.value_span(item))),
            Err(_) => {
                let negative = integer.as_str().starts_with('-');
                let what = if negative { "negative" } else { "too large" };
                self.bad(item, format!("{} is {what}", Self::subject(item)), None);
                None
            }
        }
    }

    /// A number of any kind.
    pub(crate) fn float(&mut self, item: Item<'_, '_>) -> Option<Spanned<f64>> {
        let text = match item.value.get_ref() {
            DeValue::Float(float) => float.as_str(),
            DeValue::Integer(integer) if integer.radix() == 10 => integer.as_str(),
            _ => {
                self.wrong_type(item, "a number", None);
                return None;
            }
        };
        // The parser has checked the text; it strips underscores.
        let value: f64 = text.parse().ok()?;
        Some(Spanned::new(value, self.value_span(item)))
    }

    /// A size in bytes: an integer, or a string with a unit.
    pub(crate) fn size(&mut self, item: Item<'_, '_>) -> Option<Spanned<u64>> {
        self.size_or(item, "bytes as an integer, or a string like \"48 KiB\"")
    }

    /// As [`Self::size`]; `expected` is all that may stand here.
    pub(crate) fn size_or(&mut self, item: Item<'_, '_>, expected: &str) -> Option<Spanned<u64>> {
        let text = match item.value.get_ref() {
            DeValue::Integer(_) => return self.integer(item),
            DeValue::String(text) => text.as_ref(),
            _ => {
                self.wrong_type(item, expected, None);
                return None;
            }
        };
        let (why, help) = match size::parse(text) {
            Ok(bytes) => return Some(Spanned::new(bytes, self.value_span(item))),
            Err(SizeError::NoNumber) => (
                "it does not begin with a whole number",
                "for example 4096 or \"4 KiB\"".to_owned(),
            ),
            Err(SizeError::Fraction) => (
                "it has a fraction",
                "write a whole number with a smaller unit".to_owned(),
            ),
            Err(SizeError::Ambiguous) => (
                "its unit is ambiguous",
                "write `KiB` for 1024 bytes or `kB` for 1000".to_owned(),
            ),
            Err(SizeError::Case(unit)) => {
                ("its unit is misspelt", format!("did you mean `{unit}`?"))
            }
            Err(SizeError::UnknownUnit) => (
                "its unit is unknown",
                "known are B, kB, MB, GB, KiB, MiB and GiB".to_owned(),
            ),
            Err(SizeError::TooLarge) => (
                "it is too large",
                "the largest is 2^64 - 1 bytes".to_owned(),
            ),
        };
        let message = format!("{} is not a size: {why}", Self::subject(item));
        self.bad(item, message, Some(help));
        None
    }

    /// One of a few words.
    pub(crate) fn word<T: Clone>(
        &mut self,
        item: Item<'_, '_>,
        words: &[(&str, T)],
    ) -> Option<Spanned<T>> {
        let text = self.string(item)?;
        if let Some((_, value)) = words.iter().find(|(word, _)| *word == text.value) {
            return Some(Spanned::new(value.clone(), text.span));
        }
        let known: Vec<String> = words
            .iter()
            .map(|(word, _)| format!("\"{word}\""))
            .collect_vec();
        let message = format!("{} cannot be \"{}\"", Self::subject(item), text.value);
        self.bad(
            item,
            message,
            Some(format!("it is one of {}", known.join(", "))),
        );
        None
    }

    /// The value when it is a string.
    pub(crate) fn text<'a>(item: Item<'a, '_>) -> Option<&'a str> {
        item.value.get_ref().as_str()
    }

    /// The entries of an inline or plain table, when the value is one.
    pub(crate) fn as_table<'a, 'i>(item: Item<'a, 'i>) -> Option<&'a DeTable<'i>> {
        item.value.get_ref().as_table()
    }

    /// The text of a scalar as it would stand on a command line: a string, an integer, nothing for `true`.
    pub(crate) fn define_value(&mut self, item: Item<'_, '_>) -> Option<Option<String>> {
        match item.value.get_ref() {
            DeValue::String(text) => Some(Some(text.to_string())),
            DeValue::Integer(integer) => Some(Some(integer.to_string())),
            DeValue::Boolean(true) => Some(None),
            DeValue::Boolean(false) => {
                let message = format!("{} is false: a macro is defined or not listed", item.key);
                self.bad(item, message, Some("remove the line".to_owned()));
                None
            }
            _ => {
                self.wrong_type(item, "a string, an integer or `true`", None);
                None
            }
        }
    }
}

/// For each of `count` values the position of the first that equals it.
fn first_equal(count: usize, compare: &dyn Fn(usize, usize) -> Ordering) -> Vec<usize> {
    let mut first: Vec<usize> = (0..count).collect_vec();
    let mut order = first.clone();
    sorted::sort_by(&mut order, |a, b| compare(*a, *b));
    // What is equal has kept its order, so its first comes first.
    for pair in order.windows(2) {
        if let [before, this] = pair
            && compare(*before, *this).is_eq()
        {
            first[*this] = first[*before];
        }
    }
    first
}

/// The code for problems outside the policy's tables.
pub(crate) const CONFIG: Code = codes::CONFIG_INVALID;

/// A value's type with its article.
fn kind(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a float",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}
