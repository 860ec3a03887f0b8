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
//! With `signatures = true` in `[baseline]` it also locks what every kernel takes, a line each, so that branches merge:
//!
//! ```toml
//! [signature]
//! "gemm<float>" = "(const float *, Params [24 bytes, layout 0f3a8b61c2d4], int)"
//! "scale" = ["(float *, float)", "(int *, int)"]
//! ```
//!
//! Types are C++'s, without `__restrict__`; a record has its size and a digest of where its members lie and of which types
//! they are. Functions that share a name have a list.
//!
//! A figure stands as its budget measures it: a number, a share, the banks or the functions that are over. Kernels that
//! share name and target (internal kernels of two files) share an entry, which records what is worst in either.

use cubin_core::arch::Sm;
use toml::de::DeTable;

use super::{
    budget::{Key, Value},
    excess::{self, Excess},
    help::toml_string,
    resolve::Policy,
};
use crate::{
    config::{
        diags,
        read::{Item, TableName, TableReader},
    },
    diag::{Diag, Level, codes},
    kernel::Facts,
    lists::{CollectVec, Figures},
    sorted::{self, Map},
    source::{SourceFile, Span},
    words::texts,
};

/// Version of the file's layout.
const FORMAT: u64 = 1;

/// What the first lines of the file say.
const HEADER: &str = "\
# Kernels that were over their budgets in cubin.toml when this file was written, and by how much they may stay so.
# Made by `cargo cubin baseline write`; commit it. A kernel that gets worse than recorded here fails the build.
";

/// An entry of the baseline.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// What was measured.
    pub value: Value,
    /// Where it stands; none for a baseline that was not read from a file.
    pub span: Option<Span>,
}

/// What the kernels of a name take.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Locked {
    /// Sorted, each once.
    pub signatures: Vec<String>,
    /// Where they stand.
    pub span: Option<Span>,
}

/// All recorded figures.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Baseline {
    entries: Map<String, Map<Sm, Map<Key, Recorded>>>,
    /// What kernels take, by name, where that is locked.
    signatures: Map<String, Locked>,
    file: Option<SourceFile>,
}

/// Records every figure of `kernels` that is over its budget, unless a `level` allows it.
pub fn baseline_from(kernels: &[Facts], policy: &Policy<'_>) -> Baseline {
    record(&excess::over(policy, kernels))
}

/// Records what is over, unless a `level` allows it.
pub(super) fn record(over: &[Excess<'_>]) -> Baseline {
    let mut baseline = Baseline::default();
    for excess in over {
        let Excess {
            facts,
            budget,
            value,
        } = excess;
        if budget.level == Level::Allow {
            continue;
        }
        let targets = baseline.entries.or_default(facts.name.clone());
        let figures = targets.or_default(facts.target);
        let recorded = figures.or_insert_with(budget.key, || Recorded {
            value: value.clone(),
            span: None,
        });
        recorded.value = value.clone().worse(recorded.value.clone());
    }
    baseline
}

impl Baseline {
    /// What is recorded for a kernel on a target.
    pub fn get(&self, name: &str, target: Sm, key: Key) -> Option<&Recorded> {
        self.entries.get(name)?.get(&target)?.get(&key)
    }

    /// Every figure, by name, target and budget.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Sm, Key, &Recorded)> {
        self.entries.iter().flat_map(|(name, targets)| {
            targets.iter().flat_map(move |(target, figures)| {
                figures
                    .iter()
                    .map(move |(key, recorded)| (name.as_str(), *target, *key, recorded))
            })
        })
    }

    /// How many figures are recorded.
    pub fn len(&self) -> usize {
        self.iter().how_many()
    }

    /// Whether nothing is over budget.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// What the kernels of a name take.
    pub(super) fn locked(&self, name: &str) -> Option<&Locked> {
        self.signatures.get(name)
    }

    /// What is locked, by name.
    pub(super) fn signatures(&self) -> impl Iterator<Item = (&String, &Locked)> {
        self.signatures.iter()
    }

    /// Records what every kernel takes.
    pub fn lock_signatures(&mut self, kernels: &[Facts]) {
        for facts in kernels {
            let Some(signature) = &facts.signature else {
                continue;
            };
            let locked = &mut self.signatures.or_default(facts.name.clone()).signatures;
            if !locked.contains(signature) {
                locked.push(signature.clone());
                sorted::sort(locked);
            }
        }
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
        if !self.signatures.is_empty() {
            text.push_str("\n[signature]\n");
        }
        for (name, locked) in &self.signatures {
            let all = texts(&locked.signatures, &|signature| toml_string(signature));
            let all = match all.as_slice() {
                [one] => one.clone(),
                _ => format!("[{}]", all.join(", ")),
            };
            text.push_str(&format!("{} = {all}\n", toml_string(name)));
        }
        for (name, targets) in &self.entries {
            for (target, figures) in targets {
                text.push_str(&format!("\n[kernel.{}.{target}]\n", toml_string(name)));
                for (key, recorded) in figures {
                    text.push_str(&format!("{} = {}\n", key.name(), recorded.value.to_toml()));
                }
            }
        }
        text
    }

    /// Reads the file's text.
    ///
    /// Returns what could be understood together with every problem, in the order of the file; all are errors.
    pub fn parse(file: &SourceFile) -> (Self, Vec<Diag>) {
        let mut reader = TableReader::new(file);
        let mut baseline = Self {
            entries: Map::new(),
            signatures: Map::new(),
            file: Some(file.clone()),
        };
        if let Some(document) = reader.parse() {
            top(&mut reader, &document, &mut baseline);
        }
        // Unknown keys are reported as values here: no other table of this file has them.
        let diags = diags::diags(file, reader.finish(), &|_| None);
        let help = "`cargo cubin baseline write` makes the file anew";
        let under = |diag| diags::under(codes::BASELINE_INVALID, diag, help);
        (baseline, diags.into_iter().map(under).collect_vec())
    }
}

fn table_name(name: &str) -> TableName<'_> {
    TableName {
        name,
        code: codes::BASELINE_INVALID,
    }
}

fn top(r: &mut TableReader<'_>, document: &DeTable<'_>, baseline: &mut Baseline) {
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
            "signature" => {
                let Some(all) = r.table(item, None) else {
                    continue;
                };
                for item in r.entries(table_name("[signature]"), all) {
                    let span = Some(r.value_span(item));
                    let mut signatures = Vec::new();
                    for signature in r.strings(item) {
                        signatures.push(signature.value);
                    }
                    sorted::sort(&mut signatures);
                    let locked = Locked { signatures, span };
                    baseline.signatures.insert(item.key.to_owned(), locked);
                }
            }
            key => {
                let message = format!("unknown key `{key}`");
                unknown(r, item, message);
            }
        }
    }
}

fn kernel(r: &mut TableReader<'_>, name: &str, targets: &DeTable<'_>, baseline: &mut Baseline) {
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
            let Some(key) = Key::named(item.key) else {
                let message = format!("unknown budget `{}` in {table}", item.key);
                unknown(r, item, message);
                continue;
            };
            if let Some(value) = value(r, item, key) {
                let span = Some(r.value_span(item));
                let targets = baseline.entries.or_default(name.to_owned());
                let figures = targets.or_default(target);
                figures.insert(key, Recorded { value, span });
            }
        }
    }
}

fn value(r: &mut TableReader<'_>, item: Item<'_, '_>, key: Key) -> Option<Value> {
    if TableReader::text(item) == Some("unknown") {
        return Some(Value::Unknown);
    }
    key.figure().unit.read_value(r, item)
}

fn unknown(r: &mut TableReader<'_>, item: Item<'_, '_>, message: String) {
    let span = r.key_span(item);
    r.bad_at(codes::BASELINE_INVALID, span, message, None);
}
