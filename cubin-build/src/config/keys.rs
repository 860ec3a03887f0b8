//! Tables of cubin.toml as data: each key once, with what the reference says of it and the function that reads it.

use toml::de::DeTable;

use super::read::{Item, TableName, TableReader};
use crate::{diag::Code, lists::CollectVec, source::Span};

/// What the reference of cubin.toml says of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Doc {
    /// What kind of value it takes, and its unit.
    pub value: &'static str,
    /// What holds without it.
    pub default: &'static str,
    /// What it means.
    pub meaning: &'static str,
    /// A line with it.
    pub example: &'static str,
}

/// The default of a key that its table cannot do without.
pub(crate) const REQUIRED: &str = "required";

/// A key of a table that is read into a `T`.
pub(crate) struct Key<T: 'static> {
    /// As the file spells it.
    pub(crate) name: &'static str,
    pub(crate) doc: Doc,
    pub(crate) read: fn(&mut TableReader<'_>, Item<'_, '_>, &mut T),
}

/// A table of the file.
pub(crate) struct Table<T: 'static> {
    /// As messages name it, brackets included; empty for the top of the file.
    pub(crate) name: &'static str,
    /// Code of problems with its values.
    pub(crate) code: Code,
    pub(crate) keys: &'static [Key<T>],
}

impl<T> Table<T> {
    /// Reads what `toml` holds into `out`. Keys that the table does not have, and keys that are missing, are problems;
    /// `span` is where the table begins.
    pub(crate) fn read(
        &self,
        r: &mut TableReader<'_>,
        toml: &DeTable<'_>,
        span: &Span,
        out: &mut T,
    ) {
        let read = &mut |r: &mut TableReader<'_>, item: Item<'_, '_>, index: usize| {
            (self.keys[index].read)(r, item, out);
        };
        read_table(r, self.toml_name(), &self.docs(), (toml, span), read);
    }

    /// The name and the code of problems with values.
    pub(crate) const fn toml_name(&self) -> TableName<'static> {
        TableName {
            name: self.name,
            code: self.code,
        }
    }

    /// What the reference says of its keys.
    pub(crate) fn docs(&self) -> Vec<(&'static str, Doc)> {
        docs(self.keys)
    }
}

/// What the reference says of `keys`.
pub(crate) fn docs<T>(keys: &[Key<T>]) -> Vec<(&'static str, Doc)> {
    let mut docs = Vec::new();
    for key in keys {
        docs.push((key.name, key.doc));
    }
    docs
}

/// The names in `docs`.
pub(crate) fn names(docs: &[(&'static str, Doc)]) -> Vec<&'static str> {
    docs.iter().map(|(name, _)| *name).collect_vec()
}

/// As [`Table::read`], compiled once for all tables: `read` takes the position of a key.
fn read_table(
    r: &mut TableReader<'_>,
    name: TableName<'_>,
    keys: &[(&'static str, Doc)],
    (toml, span): (&DeTable<'_>, &Span),
    read: &mut dyn FnMut(&mut TableReader<'_>, Item<'_, '_>, usize),
) {
    for item in r.entries(name, toml) {
        match keys.iter().position(|(key, _)| *key == item.key) {
            Some(index) => read(r, item, index),
            None => r.unknown(item, names(keys)),
        }
    }
    for (key, doc) in keys {
        if doc.default == REQUIRED && !toml.contains_key(*key) {
            r.missing(name, key, doc.example, span);
        }
    }
}
