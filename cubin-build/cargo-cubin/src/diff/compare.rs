//! Which kernel of one side is which of the other, and what differs between the two.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, HashMap},
    hash::Hash,
};

use super::{
    allow::Allowances,
    figures::{FIGURES, Figure, UNBOUNDED},
    kernels::{Kernel, Side},
};

/// What became of a kernel on a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Status {
    /// At least one figure is worse.
    Worse,
    /// Whoever launches it must pass other parameters.
    Signature,
    Gone,
    New,
    /// At least one figure is better and none worse.
    Better,
    Renamed,
    /// Only figures differ that are neither better nor worse.
    Changed,
}

impl Status {
    pub(super) const ALL: [Self; 7] = [
        Self::Worse,
        Self::Signature,
        Self::Gone,
        Self::New,
        Self::Better,
        Self::Renamed,
        Self::Changed,
    ];

    /// The word for it, in text and JSON.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Worse => "worse",
            Self::Signature => "signature",
            Self::Gone => "gone",
            Self::New => "new",
            Self::Better => "better",
            Self::Renamed => "renamed",
            Self::Changed => "changed",
        }
    }
}

/// A figure that differs.
#[derive(Clone, Copy)]
pub(super) struct Change {
    pub(super) figure: &'static Figure,
    pub(super) before: u64,
    pub(super) after: u64,
    /// Whether it is for the worse; `None` where neither way is, or what is allowed.
    worse: Option<bool>,
}

impl Change {
    pub(super) fn worse(&self) -> Option<bool> {
        self.worse
    }

    /// By how many thousandths of what was.
    fn share(&self) -> u64 {
        if self.after == UNBOUNDED {
            return u64::MAX;
        }
        let by = u128::from(self.after.abs_diff(self.before)).saturating_mul(1000);
        u64::try_from(by / u128::from(self.before.max(1))).unwrap_or(u64::MAX)
    }
}

/// A kernel on a target that is not the same on both sides.
pub(super) struct Row {
    /// The package that builds it, where that is known.
    pub(super) package: Option<String>,
    /// The name after, or before where it is gone.
    pub(super) name: String,
    pub(super) symbol: Option<String>,
    pub(super) target: String,
    /// What it was called before, where that differs.
    pub(super) renamed_from: Option<String>,
    /// How its parameters differ, in words.
    pub(super) signature: Option<String>,
    /// In the order of [`FIGURES`].
    pub(super) changes: Vec<Change>,
    /// It is on one side only.
    alone: Option<Status>,
}

impl Row {
    /// What leads: of several, what matters most to a reviewer.
    pub(super) fn status(&self) -> Status {
        let any = |worse| {
            let mut changes = self.changes.iter();
            changes.any(|change| change.worse() == Some(worse))
        };
        if let Some(alone) = self.alone {
            alone
        } else if any(true) {
            Status::Worse
        } else if self.signature.is_some() {
            Status::Signature
        } else if any(false) {
            Status::Better
        } else if self.renamed_from.is_some() {
            Status::Renamed
        } else {
            Status::Changed
        }
    }

    /// Everything that is true of it: a renamed kernel may have got worse.
    pub(super) fn is(&self, status: Status) -> bool {
        self.status() == status
            || match status {
                Status::Signature => self.signature.is_some(),
                Status::Renamed => self.renamed_from.is_some(),
                Status::Better => self
                    .changes
                    .iter()
                    .any(|change| change.worse() == Some(false)),
                _ => false,
            }
    }

    /// Worst first: by what became of it, then by the first figure that got worse, then by how much.
    fn rank(&self) -> (Status, usize, Reverse<u64>) {
        let mut judged = self.changes.iter().enumerate();
        let lead = judged.find(|(_, change)| match self.status() {
            Status::Worse => change.worse() == Some(true),
            _ => change.worse().is_some(),
        });
        let (at, share) = match lead {
            Some((_, change)) => {
                let at = FIGURES
                    .iter()
                    .position(|one| one.name == change.figure.name);
                (at.unwrap_or(FIGURES.len()), change.share())
            }
            None => (FIGURES.len(), 0),
        };
        (self.status(), at, Reverse(share))
    }
}

/// All that differs.
pub(super) struct Diff {
    /// Worst first.
    pub(super) rows: Vec<Row>,
    /// Kernels on a target that are the same on both sides.
    pub(super) same: usize,
}

impl Diff {
    pub(super) fn count(&self, status: Status) -> usize {
        let rows = self.rows.iter();
        rows.filter(|row| row.status() == status).count()
    }
}

/// Compares two sides. What a side says nothing of (a baseline of few kernels, or of few figures) is not compared.
pub(super) fn compare(before: &Side, after: &Side, allowed: &Allowances) -> Diff {
    let pairs = pair(before, after);
    let mut diff = Diff {
        rows: Vec::new(),
        same: 0,
    };
    let mut paired_before = vec![false; before.kernels.len()];
    let mut paired_after = vec![false; after.kernels.len()];
    for (old, new) in pairs {
        paired_before[old] = true;
        paired_after[new] = true;
        match row(&before.kernels[old], &after.kernels[new], allowed) {
            Some(row) => diff.rows.push(row),
            None => diff.same += 1,
        }
    }
    let alone = |kernels: &[Kernel], paired: &[bool], status| {
        let left = kernels.iter().zip(paired).filter(|(_, paired)| !**paired);
        left.map(|(kernel, _)| Row {
            package: kernel.package.clone(),
            name: kernel.name.clone(),
            symbol: kernel.symbol.clone(),
            target: kernel.target.clone(),
            renamed_from: None,
            signature: None,
            changes: Vec::new(),
            alone: Some(status),
        })
        .collect::<Vec<_>>()
    };
    if !after.partial {
        diff.rows
            .extend(alone(&before.kernels, &paired_before, Status::Gone));
    }
    if !before.partial {
        diff.rows
            .extend(alone(&after.kernels, &paired_after, Status::New));
    }
    diff.rows
        .sort_by_cached_key(|row| (row.rank(), row.name.clone(), row.target.clone()));
    diff
}

fn row(before: &Kernel, after: &Kernel, allowed: &Allowances) -> Option<Row> {
    let mut changes = Vec::new();
    for (at, figure) in FIGURES.iter().enumerate() {
        if let (Some(old), Some(new)) = (before.figures[at], after.figures[at])
            && old != new
        {
            changes.push(Change {
                figure,
                before: old,
                after: new,
                worse: allowed.worse(figure, old, new),
            });
        }
    }
    let renamed_from = (before.plain != after.plain).then(|| before.name.clone());
    let signature = signature(before, after);
    (!changes.is_empty() || renamed_from.is_some() || signature.is_some()).then(|| Row {
        package: after.package.clone(),
        name: after.name.clone(),
        symbol: after.symbol.clone().or_else(|| before.symbol.clone()),
        target: after.target.clone(),
        renamed_from,
        signature,
        changes,
        alone: None,
    })
}

/// What a launch must do otherwise: other places or sizes, or, where both sides tell them, other types.
fn signature(before: &Kernel, after: &Kernel) -> Option<String> {
    if let (Some(old), Some(new)) = (&before.params, &after.params)
        && old != new
    {
        let show = |params: &[(u32, u32)]| {
            let each = params
                .iter()
                .map(|(offset, size)| format!("{size} at {offset}"));
            format!("({})", each.collect::<Vec<_>>().join(", "))
        };
        return Some(format!(
            "parameters, bytes at offset: {} -> {}",
            show(old),
            show(new)
        ));
    }
    let (old, new) = (before.types.as_ref()?, after.types.as_ref()?);
    (before.plain == after.plain && old != new).then(|| format!("parameter types: {old} -> {new}"))
}

/// Positions on both sides that are the same kernel.
///
/// First by symbol, and in their order where symbols repeat; then by C++ name, which has no hash of a path as symbols of
/// internal kernels do; then by name without parameters; then kernels that are alike in all that is known and like no
/// other, which were renamed.
fn pair(before: &Side, after: &Side) -> Vec<(usize, usize)> {
    let kernels = || before.kernels.iter().chain(&after.kernels);
    let packages = kernels().all(|kernel| kernel.package.is_some());
    let place = |kernel: &Kernel| {
        let package = kernel.package.clone().filter(|_| packages);
        (package, kernel.target.clone())
    };
    // What both sides know.
    let known = |side: &Side, at: usize| {
        let mut kernels = side.kernels.iter();
        kernels.any(|kernel| kernel.figures[at].is_some())
    };
    let both: Vec<usize> = (0..FIGURES.len())
        .filter(|at| known(before, *at) && known(after, *at))
        .collect();
    let mut pairs = Pairs {
        before: &before.kernels,
        after: &after.kernels,
        free_before: (0..before.kernels.len()).collect(),
        free_after: (0..after.kernels.len()).collect(),
        found: Vec::new(),
    };
    pairs.by(true, |kernel| {
        let symbol = kernel.symbol.as_deref()?;
        Some((place(kernel), symbol))
    });
    pairs.by(false, |kernel| Some((place(kernel), kernel.name.as_str())));
    pairs.by(false, |kernel| Some((place(kernel), kernel.plain.as_str())));
    // A baseline holds too few figures to know a kernel by.
    if !before.partial && !after.partial {
        pairs.by(false, |kernel| {
            let figures: Vec<Option<u64>> = both.iter().map(|at| kernel.figures[*at]).collect();
            Some((place(kernel), figures, &kernel.params))
        });
    }
    pairs.found
}

struct Pairs<'a> {
    before: &'a [Kernel],
    after: &'a [Kernel],
    free_before: Vec<usize>,
    free_after: Vec<usize>,
    found: Vec<(usize, usize)>,
}

impl<'a> Pairs<'a> {
    /// Pairs what has one key; keys that repeat are paired in order, or not at all.
    fn by<K: Eq + Hash>(&mut self, repeats: bool, key: impl Fn(&'a Kernel) -> Option<K>) {
        let mut sides: HashMap<K, [Vec<usize>; 2]> = HashMap::new();
        for (side, kernels, free) in [
            (0, self.before, &self.free_before),
            (1, self.after, &self.free_after),
        ] {
            for at in free {
                if let Some(key) = key(&kernels[*at]) {
                    sides.entry(key).or_default()[side].push(*at);
                }
            }
        }
        let start = self.found.len();
        for [old, new] in sides.into_values() {
            if repeats || old.len() == 1 && new.len() == 1 {
                self.found.extend(old.into_iter().zip(new));
            }
        }
        self.found[start..].sort_unstable();
        let taken = self.found[start..].iter();
        let (old, new): (Vec<usize>, Vec<usize>) = taken.copied().unzip();
        let new: std::collections::HashSet<usize> = new.into_iter().collect();
        self.free_before.retain(|at| old.binary_search(at).is_err());
        self.free_after.retain(|at| !new.contains(at));
    }
}

/// Rows that say the same of one kernel, with their targets.
pub(super) fn by_targets<'a>(
    rows: &[&'a Row],
    says: impl Fn(&Row) -> String,
) -> Vec<(&'a Row, Vec<&'a str>, String)> {
    let mut groups: Vec<(&Row, Vec<&str>, String)> = Vec::new();
    let mut known: BTreeMap<(&str, Status, String), usize> = BTreeMap::new();
    for row in rows {
        let text = says(row);
        let at = *known
            .entry((&row.name, row.status(), text.clone()))
            .or_insert(groups.len());
        match groups.get_mut(at) {
            Some((_, targets, _)) => targets.push(&row.target),
            None => groups.push((row, vec![&row.target], text)),
        }
    }
    groups
}
