//! Collects findings, puts them in reading order and sums them up.

use crate::lists::{CollectVec, Figures};
use std::{cmp::Ordering, path::Path};

use super::{
    Diag, Level,
    codes::{self, Topic},
};
use crate::sorted::{self, Map, Set};

/// All findings of one run.
#[derive(Debug, Clone, Default)]
pub struct Sink {
    diags: Vec<Diag>,
    /// Positions in `diags` by message, to find repetitions among thousands.
    by_message: Map<String, Vec<usize>>,
}

impl Sink {
    /// Nothing found yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding; one that is there already (a header's warning, once per target) is dropped.
    pub fn push(&mut self, diag: Diag) {
        let same_message = self.by_message.or_default(diag.message.clone());
        if same_message.iter().all(|index| self.diags[*index] != diag) {
            same_message.push(self.diags.len());
            self.diags.push(diag);
        }
    }

    /// Whether any finding fails the build.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.count(Level::Deny) > 0
    }

    /// How many findings have exactly this level.
    #[must_use]
    pub fn count(&self, level: Level) -> usize {
        self.diags
            .iter()
            .filter(|diag| diag.level == level)
            .how_many()
    }

    /// Whether nothing was found, not even something accepted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.diags.is_empty()
    }

    /// Everything that was found, in the order it came.
    #[must_use]
    pub fn all(&self) -> &[Diag] {
        &self.diags
    }

    /// What is shown, in reading order: findings of one kernel stand together, kernels with errors first, findings
    /// without a kernel before those with one, then by place. Accepted findings are left out.
    #[must_use]
    pub fn shown(&self) -> Vec<&Diag> {
        let mut groups: Map<Option<&str>, Vec<&Diag>> = Map::new();
        for diag in &self.diags {
            if diag.level > Level::Allow {
                groups.or_default(diag.kernel.as_deref()).push(diag);
            }
        }
        // Findings without a kernel have nothing in common, so each stands for itself.
        let mut groups: Vec<Vec<&Diag>> = groups
            .into_iter()
            .flat_map(|(kernel, diags)| match kernel {
                Some(_) => vec![diags],
                None => diags.into_iter().map(|diag| vec![diag]).collect_vec(),
            })
            .collect_vec();
        for group in &mut groups {
            sorted::sort_by(group, |a, b| {
                (b.level.cmp(&a.level))
                    .then_with(|| place(a).cmp(&place(b)))
                    .then_with(|| by_text(a, b))
            });
        }
        sorted::sort_by(&mut groups, |a, b| {
            let (a, b) = (a[0], b[0]);
            (b.level.cmp(&a.level))
                .then_with(|| a.kernel.is_some().cmp(&b.kernel.is_some()))
                .then_with(|| place(a).cmp(&place(b)))
                .then_with(|| a.kernel.cmp(&b.kernel))
                .then_with(|| by_text(a, b))
        });
        groups.into_iter().flatten().collect_vec()
    }

    /// The findings as rustc would show them, and the summary line; empty when there is nothing to show.
    #[must_use]
    pub fn rendered(&self, colour: bool) -> String {
        let shown = self.shown();
        let mut text = String::new();
        for diag in &shown {
            text.push_str(&super::render(diag, colour));
            text.push_str("\n\n");
        }
        if let Some(summary) = self.summary().filter(|_| !shown.is_empty()) {
            text.push_str(&summary);
            text.push('\n');
        }
        text
    }

    /// One line for the end, or nothing when nothing was found:
    /// `error: 3 kernels over budget, 1 problem in cubin.toml; 2 warnings; 5 findings accepted by the baseline`.
    #[must_use]
    pub fn summary(&self) -> Option<String> {
        let mut parts = Vec::new();
        let errors = self.by_topic(Level::Deny);
        if !errors.is_empty() {
            parts.push(format!("error: {}", errors.join(", ")));
        }
        let warnings = self.count(Level::Warn);
        if warnings > 0 {
            let text = counted(warnings, "warning", "warnings");
            parts.push(match (errors.is_empty(), &self.by_topic(Level::Warn)[..]) {
                (true, topics) => format!("warning: {}", topics.join(", ")),
                (false, _) => text,
            });
        }
        let baseline = self
            .diags
            .iter()
            .filter(|diag| diag.code == codes::BASELINE_ACCEPTED)
            .how_many();
        if baseline > 0 {
            let text = counted(baseline, "finding", "findings");
            parts.push(format!("{text} accepted by the baseline"));
        }
        let allowed = self.count(Level::Allow) - baseline;
        if allowed > 0 {
            let text = counted(allowed, "finding", "findings");
            parts.push(format!("{text} allowed by cubin.toml"));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }

    /// What was found at a level, one phrase per topic: kernels are counted once however many budgets they break.
    fn by_topic(&self, level: Level) -> Vec<String> {
        let mut findings: Map<Topic, usize> = Map::new();
        let mut kernels: Set<&str> = Set::new();
        for diag in self.diags.iter().filter(|diag| diag.level == level) {
            let topic = codes::find(diag.code.0).map_or(Topic::Other, |entry| entry.topic);
            match (topic, diag.kernel.as_deref()) {
                (Topic::Budget, Some(kernel)) => {
                    kernels.insert(kernel);
                }
                _ => *findings.or_default(topic) += 1,
            }
        }
        if !kernels.is_empty() {
            *findings.or_default(Topic::Budget) += kernels.len();
        }
        findings
            .into_iter()
            .map(|(topic, count)| {
                let (one, many) = topic.nouns();
                counted(count, one, many)
            })
            .collect_vec()
    }
}

impl Extend<Diag> for Sink {
    fn extend<T: IntoIterator<Item = Diag>>(&mut self, diags: T) {
        for diag in diags {
            self.push(diag);
        }
    }
}

fn place(diag: &Diag) -> Option<(&Path, usize)> {
    diag.place()
        .map(|span| (span.file.path(), span.range.start))
}

fn by_text(a: &Diag, b: &Diag) -> Ordering {
    let position = |diag: &Diag| codes::position(diag.code);
    position(a)
        .cmp(&position(b))
        .then_with(|| a.message.cmp(&b.message))
}

fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}
