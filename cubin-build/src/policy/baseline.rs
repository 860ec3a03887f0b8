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
//! `occupancy` is a share, the others are what the budgets of the same name limit. Kernels that share name and target (internal kernels of two files) share an entry, which records the worst of them.

use crate::sorted::Map;
use cubin_core::arch::Sm;
use toml::de::DeTable;

use super::{
    Facts,
    help::toml_string,
    occupancy,
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

/// Which figure an entry records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Figure {
    /// What a budget limits.
    Budget(Key),
    /// Occupancy in tenths of a percent, rounded down.
    Occupancy,
}

impl From<Key> for Figure {
    fn from(key: Key) -> Self {
        Self::Budget(key)
    }
}

impl Figure {
    /// As the file spells it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Budget(key) => key.name(),
            Self::Occupancy => "occupancy",
        }
    }

    fn named(name: &str) -> Option<Self> {
        let budgets = Key::ALL.into_iter().map(Self::Budget);
        budgets
            .chain([Self::Occupancy])
            .find(|figure| figure.name() == name)
    }

    /// Whether `now` is no worse than `recorded`; not known is worse than any number.
    pub fn no_worse(self, now: Value, recorded: Value) -> bool {
        match (now, recorded) {
            (_, Value::Unknown) => true,
            (Value::Unknown, Value::Known(_)) => false,
            (Value::Known(now), Value::Known(recorded)) => match self {
                Self::Budget(_) => now <= recorded,
                Self::Occupancy => now >= recorded,
            },
        }
    }

    /// The value for messages.
    pub fn display(self, value: Value) -> String {
        match (self, value) {
            (_, Value::Unknown) => "unknown".to_owned(),
            (Self::Budget(key), Value::Known(value)) => key.display(value),
            (Self::Occupancy, Value::Known(value)) => occupancy::percent(value as f64 / 1000.0),
        }
    }
}

/// A figure that breaks its budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// The figure.
    Known(u64),
    /// Not statically known or not recorded.
    Unknown,
}

impl From<Option<u64>> for Value {
    fn from(value: Option<u64>) -> Self {
        value.map_or(Self::Unknown, Self::Known)
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
    entries: Map<String, Map<Sm, Map<Figure, Recorded>>>,
    file: Option<SourceFile>,
}

/// Records every figure of `kernels` that is over its budget, unless a `level` allows it.
pub fn baseline_from(kernels: &[Facts], policy: &Policy<'_>) -> Baseline {
    let mut baseline = Baseline::default();
    let mut rules: Map<(&str, &str), KernelRules<'_>> = Map::new();
    for facts in kernels {
        let (name, symbol) = (facts.name.as_str(), facts.symbol.as_str());
        let selection = rules
            .or_insert_with((name, symbol), || policy.rules_for(name, symbol))
            .on(facts.target);
        for key in Key::ALL {
            let Some(budget) = selection.budget(key) else {
                continue;
            };
            let value = super::value(facts, key);
            let within = value.is_some_and(|value| value <= budget.limit.value);
            if within || budget.level == Level::Allow {
                continue;
            }
            baseline.record(facts, key.into(), value.into());
        }
        if let Some(budget) = selection.occupancy()
            && budget.level > Level::Allow
            && let Some(value) = occupancy::below(facts, &budget.limit.value)
        {
            baseline.record(facts, Figure::Occupancy, value);
        }
    }
    baseline
}

impl Baseline {
    /// Adds a figure; the worse of two stays.
    fn record(&mut self, facts: &Facts, figure: Figure, value: Value) {
        let targets = self.entries.or_default(facts.name.clone());
        let figures = targets.or_default(facts.target);
        let recorded = figures.or_insert_with(figure, || Recorded { value, span: None });
        if !figure.no_worse(value, recorded.value) {
            recorded.value = value;
        }
    }

    /// What is recorded for a kernel on a target.
    pub fn get(&self, name: &str, target: Sm, figure: Figure) -> Option<&Recorded> {
        self.entries.get(name)?.get(&target)?.get(&figure)
    }

    /// What is recorded for a kernel on its target, if the kernel is no worse than that.
    pub(super) fn accepts(&self, facts: &Facts, figure: Figure, now: Value) -> Option<&Recorded> {
        self.get(&facts.name, facts.target, figure)
            .filter(|recorded| figure.no_worse(now, recorded.value))
    }

    /// Every figure, by name, target and kind.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Sm, Figure, &Recorded)> {
        self.entries.iter().flat_map(|(name, targets)| {
            targets.iter().flat_map(move |(target, figures)| {
                figures
                    .iter()
                    .map(move |(figure, recorded)| (name.as_str(), *target, *figure, recorded))
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
                for (figure, recorded) in figures {
                    let value = match (figure, recorded.value) {
                        (_, Value::Unknown) => "\"unknown\"".to_owned(),
                        (Figure::Budget(_), Value::Known(value)) => value.to_string(),
                        (Figure::Occupancy, Value::Known(value)) => {
                            format!("{:?}", value as f64 / 1000.0)
                        }
                    };
                    text.push_str(&format!("{} = {value}\n", figure.name()));
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
            entries: Map::new(),
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
            let Some(figure) = Figure::named(item.key) else {
                let message = format!("unknown budget `{}` in {table}", item.key);
                unknown(r, item, message);
                continue;
            };
            if let Some(value) = value(r, item, figure) {
                let span = Some(r.value_span(item));
                let targets = baseline.entries.or_default(name.to_owned());
                let figures = targets.or_default(target);
                figures.insert(figure, Recorded { value, span });
            }
        }
    }
}

fn value(r: &mut Reader<'_>, item: Item<'_, '_>, figure: Figure) -> Option<Value> {
    if Reader::text(item) == Some("unknown") {
        return Some(Value::Unknown);
    }
    if figure != Figure::Occupancy {
        return r.count(item).map(|count| Value::Known(count.value));
    }
    let share = r.float(item)?.value;
    if (0.0..=1.0).contains(&share) {
        return Some(Value::Known((share * 1000.0).round() as u64));
    }
    r.bad(item, "occupancy is a share of 0 to 1".to_owned(), None);
    None
}

fn unknown(r: &mut Reader<'_>, item: Item<'_, '_>, message: String) {
    let span = r.key_span(item);
    r.bad_at(codes::BASELINE_INVALID, span, message, None);
}
