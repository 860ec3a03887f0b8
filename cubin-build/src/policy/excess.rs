//! Which kernels break which budgets: the one loop over kernels, targets and budgets.

use super::{
    budget::{Key, Value},
    resolve::{Budget, Policy, Which},
};
use crate::{kernel::Facts, lists::CollectVec, sorted::Map};

/// A kernel that breaks a budget on a target.
pub(super) struct Excess<'a> {
    pub facts: &'a Facts,
    pub budget: Budget<'a>,
    /// What of the figure breaks it.
    pub value: Value,
}

/// Everything that breaks its budget: by kernel, then budget, then target. What a `level` allows is among it.
pub(super) fn over<'a>(policy: &Policy<'a>, kernels: &'a [Facts]) -> Vec<Excess<'a>> {
    let mut found = Vec::new();
    for on_targets in by_kernel(kernels).values() {
        let Some(first) = on_targets.first() else {
            continue;
        };
        let rules = policy.rules_for(Which::of(first));
        let selections: Vec<_> = on_targets
            .iter()
            .map(|facts| (*facts, rules.on(facts.target)))
            .collect_vec();
        for key in Key::ALL {
            for (facts, selection) in &selections {
                let Some(budget) = selection.budget(*key) else {
                    continue;
                };
                let limit = &budget.limit.value;
                let figure = (key.figure().measure)(facts, limit);
                if let Some(value) = limit.broken_by(&figure) {
                    found.push(Excess {
                        facts,
                        budget,
                        value,
                    });
                }
            }
        }
    }
    found
}

/// What tells kernels apart.
type Id<'a> = (&'a str, &'a str, &'a [String]);

/// The targets of each kernel. Internal kernels of two files may share a name, so the symbol tells them apart, and kernels of
/// two modules may share both.
fn by_kernel(kernels: &[Facts]) -> Map<Id<'_>, Vec<&Facts>> {
    let mut groups: Map<Id<'_>, Vec<&Facts>> = Map::new();
    for facts in kernels {
        let key = (
            facts.name.as_str(),
            facts.symbol.as_str(),
            facts.sources.as_slice(),
        );
        let group = groups.or_default(key);
        // Kernels come by target most often, so this looks at the last one only.
        let rank = group.iter().rposition(|known| known.target <= facts.target);
        group.insert(rank.map_or(0, |last| last + 1), facts);
    }
    groups
}
