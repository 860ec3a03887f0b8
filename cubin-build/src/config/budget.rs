//! Budgets and rules as cubin.toml states them. What they mean for a kernel is decided in `policy`.

use super::glob::Glob;
use crate::{
    diag::Level,
    policy::budget::{Key, Limit},
    source::{Span, Spanned},
};

/// The limits of one table.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Budgets(Vec<(Key, Spanned<Limit>)>);

impl Budgets {
    /// The limit for `key`, if the table sets one.
    pub fn get(&self, key: Key) -> Option<&Spanned<Limit>> {
        let limit = self.0.iter().find(|(other, _)| *other == key);
        limit.map(|(_, limit)| limit)
    }

    /// Sets the limit for `key`, which had none: a key that stands twice in a table is an error of the file.
    pub fn set(&mut self, key: Key, limit: Spanned<Limit>) {
        self.0.push((key, limit));
    }

    /// Every limit that the table sets.
    pub fn iter(&self) -> impl Iterator<Item = (Key, &Spanned<Limit>)> {
        self.0.iter().map(|(key, limit)| (*key, limit))
    }

    /// Whether the table limits nothing.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// One `[[rule]]`, or `[defaults]`, which selects every kernel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Rule {
    /// Which kernels, by C++ name or symbol; empty for all.
    pub kernels: Vec<Spanned<Glob>>,
    /// Which sources, by the file that is compiled or the one that holds the definition; empty for all.
    pub sources: Vec<Spanned<Glob>>,
    /// Which targets; empty for all.
    pub archs: Vec<Spanned<Glob>>,
    /// Which executables and libraries, by path or file name; empty for builds and all artefacts alike.
    pub artifacts: Vec<Spanned<Glob>>,
    /// What it limits.
    pub budgets: Budgets,
    /// How much a violation matters.
    pub level: Option<Spanned<Level>>,
    /// Why, in the words of whoever wrote it; quoted in messages.
    pub reason: Option<Spanned<String>>,
    /// The last day on which it is meant to stand: `2027-01-31`.
    pub expires: Option<Spanned<String>>,
    /// The table's header; none for defaults that are not in the file.
    pub span: Option<Span>,
    /// It is the workspace's, for all of its members.
    pub inherited: bool,
}

impl Rule {
    /// Whether it is for every kernel, as `[defaults]` are and no rule is.
    pub fn is_defaults(&self) -> bool {
        self.kernels.is_empty()
            && self.sources.is_empty()
            && self.archs.is_empty()
            && self.artifacts.is_empty()
    }
}
