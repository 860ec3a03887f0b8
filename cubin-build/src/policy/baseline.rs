//! The ratchet: what was over budget when a code base adopted its policy, so that only a kernel that gets worse fails.
//!
//! The file is made by `cargo cubin baseline write` and committed. It is keyed by C++ name and target, never by symbol
//! (symbols of internal kernels hold a hash of a path), and records only figures over their budgets:
//!
//! ```toml
//! format = 1
//!
//! [kernel."gemm<float>".sm_90a]
//! registers = 168
//! stack = "unknown"
//! ```
//!
//! Kernels that share name and target (internal kernels of two files) share an entry, which records the worst of them.

use std::collections::BTreeMap;

use cubin_core::arch::Sm;
use toml::de::DeTable;

use super::{
    Facts,
    help::toml_string,
    resolve::{KernelRules, Policy},
};
use crate::{
    config::{
        Key,
        read::{Item, Reader, TableName},
    },
    diag::{Diag, Level, codes},
    source::{SourceFile, Span},
};

/// Version of the file's layout.
const FORMAT: u64 = 1;

/// What the first lines of the file say.
const HEADER: &str = "\
# Kernels that were over their budgets in cubin.toml when this file was written, and by how much they may stay so.
# Made by `cargo cubin baseline write`; commit it. A kernel that gets worse than recorded here fails the build.
";

/// A figure over its budget. Ordered: not known is worse than any number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Value {
    /// The figure.
    Known(u64),
    /// Not statically known or not recorded.
    Unknown,
}

impl Value {
    /// Whether a kernel with this figure (`None`: not known) is no worse.
    pub fn covers(self, value: Option<u64>) -> bool {
        value.map_or(Self::Unknown, Self::Known) <= self
    }

    /// For messages.
    pub fn display(self, key: Key) -> String {
        match self {
            Self::Known(value) => key.display(value),
            Self::Unknown => "unknown".to_owned(),
        }
    }
}

/// An entry of the baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Recorded {
    /// What was measured.
    pub value: Value,
    /// Where it stands; none for a baseline that was not read from a file.
    pub span: Option<Span>,
}

/// All recorded figures.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Baseline {
    entries: BTreeMap<String, BTreeMap<Sm, BTreeMap<Key, Recorded>>>,
    file: Option<SourceFile>,
}

/// Records every figure of `kernels` that is over its budget, unless a `level` allows it.
pub fn baseline_from(kernels: &[Facts], policy: &Policy<'_>) -> Baseline {
    let mut baseline = Baseline::default();
    let mut rules: BTreeMap<(&str, &str), KernelRules<'_>> = BTreeMap::new();
    for facts in kernels {
        let (name, symbol) = (facts.name.as_str(), facts.symbol.as_str());
        let selection = rules
            .entry((name, symbol))
            .or_insert_with(|| policy.rules_for(name, symbol))
            .on(facts.target);
        for key in Key::ALL {
            let Some(budget) = selection.budget(key) else {
                continue;
            };
            let value = facts.value(key);
            let within = value.is_some_and(|value| value <= budget.limit.value);
            if within || budget.level == Level::Allow {
                continue;
            }
            let value = value.map_or(Value::Unknown, Value::Known);
            let figures = baseline.entries.entry(facts.name.clone()).or_default();
            let recorded = figures
                .entry(facts.target)
                .or_default()
                .entry(key)
                .or_insert(Recorded { value, span: None });
            recorded.value = recorded.value.max(value);
        }
    }
    baseline
}

impl Baseline {
    /// What is recorded for a kernel on a target.
    pub fn get(&self, name: &str, target: Sm, key: Key) -> Option<&Recorded> {
        self.entries.get(name)?.get(&target)?.get(&key)
    }

    /// Every figure, by name, target and key.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Sm, Key, &Recorded)> {
        self.entries.iter().flat_map(|(name, targets)| {
            targets.iter().flat_map(move |(target, keys)| {
                keys.iter()
                    .map(move |(key, recorded)| (name.as_str(), *target, *key, recorded))
            })
        })
    }

    /// How many figures are recorded.
    pub fn len(&self) -> usize {
        self.iter().count()
    }

    /// Whether nothing is over budget.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The file it was read from, as messages name it.
    pub(super) fn file_name(&self) -> String {
        self.file
            .as_ref()
            .map_or("the baseline".to_owned(), |file| {
                file.path().display().to_string()
            })
    }

    /// The file's text: sorted, so that it depends on the figures only.
    pub fn to_toml(&self) -> String {
        let mut text = format!("{HEADER}format = {FORMAT}\n");
        for (name, targets) in &self.entries {
            for (target, figures) in targets {
                text.push_str(&format!("\n[kernel.{}.{target}]\n", toml_string(name)));
                for (key, recorded) in figures {
                    let value = match recorded.value {
                        Value::Known(value) => value.to_string(),
                        Value::Unknown => "\"unknown\"".to_owned(),
                    };
                    text.push_str(&format!("{} = {value}\n", key.name()));
                }
            }
        }
        text
    }

    /// Reads the file's text.
    ///
    /// Returns what could be understood together with every problem, in the order of the file; all are errors.
    pub fn parse(file: &SourceFile) -> (Self, Vec<Diag>) {
        let mut reader = Reader::new(file);
        let mut baseline = Self {
            entries: BTreeMap::new(),
            file: Some(file.clone()),
        };
        if let Some(document) = reader.parse() {
            top(&mut reader, &document, &mut baseline);
        }
        let diags = reader.finish().into_iter().map(as_baseline_problem);
        (baseline, diags.collect())
    }
}

/// Syntax errors and the like, under the code that speaks of this file, with the way out.
fn as_baseline_problem(mut diag: Diag) -> Diag {
    diag.code = codes::BASELINE_INVALID;
    diag.help("`cargo cubin baseline write` makes the file anew")
}

fn table_name(name: &str) -> TableName<'_> {
    TableName {
        name,
        code: codes::BASELINE_INVALID,
    }
}

fn top(r: &mut Reader<'_>, document: &DeTable<'_>, baseline: &mut Baseline) {
    for item in r.entries(table_name(""), document) {
        match item.key {
            "format" => {
                if let Some(format) = r.count(item).filter(|format| format.value != FORMAT) {
                    let message = format!(
                        "format {} is not known to this version of cubin-build, which knows {FORMAT}",
                        format.value
                    );
                    r.bad(item, message, None);
                }
            }
            "kernel" => {
                let Some(kernels) = r.table(item, None) else {
                    continue;
                };
                for item in r.entries(table_name("[kernel]"), kernels) {
                    if let Some(targets) = r.table(item, None) {
                        kernel(r, item.key, targets, baseline);
                    }
                }
            }
            key => {
                let message = format!("unknown key `{key}`");
                unknown(r, item, message);
            }
        }
    }
}

fn kernel(r: &mut Reader<'_>, name: &str, targets: &DeTable<'_>, baseline: &mut Baseline) {
    let table = format!("the baseline of `{name}`");
    for item in r.entries(table_name(&table), targets) {
        let target: Sm = match item.key.parse() {
            Ok(target) => target,
            Err(error) => {
                let error: cubin_core::arch::ParseSmError = error;
                unknown(r, item, error.to_string());
                continue;
            }
        };
        let Some(figures) = r.table(item, None) else {
            continue;
        };
        for item in r.entries(table_name(&table), figures) {
            let Some(key) = Key::ALL.into_iter().find(|key| key.name() == item.key) else {
                let message = format!("unknown budget `{}` in {table}", item.key);
                unknown(r, item, message);
                continue;
            };
            let value = if Reader::text(item) == Some("unknown") {
                Some(Value::Unknown)
            } else {
                r.count(item).map(|count| Value::Known(count.value))
            };
            if let Some(value) = value {
                let span = Some(r.value_span(item));
                let targets = baseline.entries.entry(name.to_owned()).or_default();
                let figures = targets.entry(target).or_default();
                figures.insert(key, Recorded { value, span });
            }
        }
    }
}

fn unknown(r: &mut Reader<'_>, item: Item<'_, '_>, message: String) {
    let span = r.key_span(item);
    r.bad_at(codes::BASELINE_INVALID, span, message, None);
}
