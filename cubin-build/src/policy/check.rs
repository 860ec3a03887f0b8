//! The checks: kernels against budgets, rules against kernels, the baseline against both.

use std::cmp::Reverse;

use crate::sorted::{self, Map, Set};
use cubin_core::arch::Sm;

use super::{
    Baseline, Facts,
    findings::{
        Accepted, BaselineImproved, BaselineUnmatched, Excess, NotKnown, OverBudget, UnmatchedArch,
        UnmatchedKernel, UnmatchedTogether,
    },
    occupancy,
    resolve::{Budget, Policy, Selection},
};
use crate::{
    config::{Config, Glob, Key, Rule},
    diag::{Diag, Level},
    source::Spanned,
};

/// Everything the policy of `config` has to say about `kernels`.
///
/// `kernels` are those of the whole build, each once per target: a rule or baseline entry is called unmatched when it
/// fits none of them, so do not call this with the part that compiled of a build that failed. A kernel over budget
/// is one finding per budget, however many targets it exceeds it on. Findings that a `level` or the baseline accepts
/// are returned with [`Level::Allow`].
pub fn check(config: &Config, baseline: Option<&Baseline>, kernels: &[Facts]) -> Vec<Diag> {
    let policy = Policy::new(config);
    let mut diags = Vec::new();
    for on_targets in by_kernel(kernels).values() {
        check_kernel(policy, baseline, on_targets, &mut diags);
    }
    // Without kernels there is no telling what a rule was meant for; the builder reports the lack itself.
    if !kernels.is_empty() {
        check_rules(config, kernels, &mut diags);
        if let Some(baseline) = baseline {
            check_baseline(policy, baseline, kernels, &mut diags);
        }
    }
    diags
}

/// The targets of each kernel. Internal kernels of two files may share a name, so the symbol tells them apart.
fn by_kernel(kernels: &[Facts]) -> Map<(&str, &str), Vec<&Facts>> {
    let mut groups: Map<(&str, &str), Vec<&Facts>> = Map::new();
    for facts in kernels {
        let key = (facts.name.as_str(), facts.symbol.as_str());
        let group = groups.or_default(key);
        // Kernels come by target most often, so this looks at the last one only.
        let rank = group.iter().rposition(|known| known.target <= facts.target);
        group.insert(rank.map_or(0, |last| last + 1), facts);
    }
    groups
}

fn check_kernel<'a>(
    policy: Policy<'a>,
    baseline: Option<&'a Baseline>,
    on_targets: &[&'a Facts],
    diags: &mut Vec<Diag>,
) {
    let Some(first) = on_targets.first() else {
        return;
    };
    let rules = policy.rules_for(&first.name, &first.symbol);
    let selections: Vec<Selection<'a>> = on_targets
        .iter()
        .map(|facts| rules.on(facts.target))
        .collect();
    for key in Key::ALL {
        // Targets that share a budget share a finding; two rules for two targets give two.
        let mut over: Vec<OverBudget<'a>> = Vec::new();
        let mut unknown: Vec<NotKnown<'a>> = Vec::new();
        for (&facts, selection) in on_targets.iter().zip(&selections) {
            let Some(budget) = selection.budget(key) else {
                continue;
            };
            let value = super::value(facts, key);
            if value.is_some_and(|value| value <= budget.limit.value) {
                continue;
            }
            // What a rule allows is allowed by the rule, not by the baseline.
            let baseline = baseline.filter(|_| budget.level > Level::Allow);
            if let Some(recorded) =
                baseline.and_then(|file| file.accepts(facts, key.into(), value.into()))
            {
                let accepted = Accepted {
                    budget,
                    facts,
                    recorded,
                };
                diags.push(accepted.into());
                continue;
            }
            let recorded =
                baseline.and_then(|file| file.get(&facts.name, facts.target, key.into()));
            match value {
                Some(value) => {
                    let excess = Excess {
                        facts,
                        value,
                        baseline: recorded,
                    };
                    match over.iter_mut().find(|found| same(&found.budget, &budget)) {
                        Some(found) => found.on.push(excess),
                        None => over.push(OverBudget {
                            budget,
                            on: vec![excess],
                        }),
                    }
                }
                None => match unknown
                    .iter_mut()
                    .find(|found| same(&found.budget, &budget))
                {
                    Some(found) => found.on.push(facts),
                    None => unknown.push(NotKnown {
                        budget,
                        on: vec![facts],
                        baseline: recorded,
                    }),
                },
            }
        }
        for finding in &mut over {
            sorted::sort_by_key(&mut finding.on, |excess| Reverse(excess.value));
        }
        diags.extend(over.into_iter().map(Diag::from));
        diags.extend(unknown.into_iter().map(Diag::from));
    }
    occupancy::check(on_targets, &selections, baseline, diags);
}

fn same(a: &Budget<'_>, b: &Budget<'_>) -> bool {
    std::ptr::eq(a.limit, b.limit) && a.level == b.level
}

/// For how many unmatched patterns the name that was meant is looked for, which compares them with every kernel.
const MOST_GUESSES: usize = 20;

fn check_rules(config: &Config, kernels: &[Facts], diags: &mut Vec<Diag>) {
    let names: Set<&str> = kernels.iter().map(|facts| facts.name.as_str()).collect();
    let symbols: Set<&str> = kernels.iter().map(|facts| facts.symbol.as_str()).collect();
    let names: Vec<&str> = names.into_iter().collect();
    let targets: Set<Sm> = kernels.iter().map(|facts| facts.target).collect();
    let targets: Vec<Sm> = targets.into_iter().collect();
    let target_names: Vec<String> = targets.iter().map(Sm::to_string).collect();
    let mut guesses = 0;
    for rule in &config.rules {
        let (mut any_kernel, mut any_arch) = (rule.kernels.is_empty(), rule.archs.is_empty());
        for pattern in &rule.kernels {
            let matched = names
                .iter()
                .chain(&symbols)
                .any(|text| pattern.value.matches(text));
            any_kernel |= matched;
            if !matched {
                guesses += 1;
                let finding = UnmatchedKernel {
                    pattern,
                    names: &names,
                    guess: guesses <= MOST_GUESSES,
                };
                diags.push(finding.into());
            }
        }
        for pattern in &rule.archs {
            let matched = target_names.iter().any(|text| pattern.value.matches(text));
            any_arch |= matched;
            if !matched {
                let targets = &targets;
                diags.push(UnmatchedArch { pattern, targets }.into());
            }
        }
        let both = !rule.kernels.is_empty() && !rule.archs.is_empty();
        if both && any_kernel && any_arch && !matches_together(rule, kernels) {
            diags.push(UnmatchedTogether { rule }.into());
        }
    }
}

fn matches_together(rule: &Rule, kernels: &[Facts]) -> bool {
    kernels.iter().any(|facts| {
        let target = facts.target.to_string();
        let arch = rule.archs.iter().any(|arch| arch.value.matches(&target));
        let kernel = |pattern: &Spanned<Glob>| {
            pattern.value.matches(&facts.name) || pattern.value.matches(&facts.symbol)
        };
        arch && rule.kernels.iter().any(kernel)
    })
}

fn check_baseline(
    policy: Policy<'_>,
    baseline: &Baseline,
    kernels: &[Facts],
    diags: &mut Vec<Diag>,
) {
    let targets: Set<Sm> = kernels.iter().map(|facts| facts.target).collect();
    let now = super::baseline_from(kernels, &policy);
    let present: Set<(&str, Sm)> = kernels
        .iter()
        .map(|facts| (facts.name.as_str(), facts.target))
        .collect();
    let file = baseline.file_name();
    let mut unmatched = BaselineUnmatched {
        file: &file,
        entries: Vec::new(),
    };
    let mut improved = BaselineImproved {
        file: &file,
        entries: Vec::new(),
        now: Vec::new(),
    };
    for (name, target, figure, recorded) in baseline.iter() {
        if !present.contains(&(name, target)) {
            // A build for fewer targets says nothing about the others.
            let last = unmatched.entries.last();
            let repeated = last.is_some_and(|(last, on, _)| (*last, *on) == (name, target));
            if targets.contains(&target) && !repeated {
                unmatched.entries.push((name, target, recorded));
            }
            continue;
        }
        let figure_now = match now.get(name, target, figure) {
            Some(now) if figure.no_worse(recorded.value, now.value) => continue,
            Some(now) => format!("{} now", figure.display(now.value)),
            None => "cubin.toml allows what it is now".to_owned(),
        };
        improved.now.push(figure_now);
        improved.entries.push((name, target, recorded));
    }
    if !unmatched.entries.is_empty() {
        diags.push(unmatched.into());
    }
    if !improved.entries.is_empty() {
        diags.push(improved.into());
    }
}
