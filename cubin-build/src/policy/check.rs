//! The checks: kernels against budgets, rules against kernels, the baseline against both.

use cubin_core::arch::Sm;

use super::{
    Baseline,
    baseline::record,
    budget::Value,
    excess::{self, Excess},
    findings::{BaselineEntry, Finding, Meant, OnTarget, OverBudget},
    resolve::{Budget, Policy, Which},
    uses::Uses,
};
use crate::{
    config::{Config, Glob, Rule, nearest},
    diag::{Diag, Level},
    kernel::Facts,
    lists::{AddAll, CollectVec, Figures},
    sorted::{self, Set},
    source::Spanned,
};

/// Everything the policy of `config` has to say about `kernels`.
///
/// `kernels` are those of the whole build, each once per target: a rule or baseline entry is called unmatched when it
/// fits none of them, so do not call this with the part that compiled of a build that failed. A kernel over budget
/// is one finding per budget, however many targets it exceeds it on. Findings that a `level` or the baseline accepts
/// are returned with [`Level::Allow`].
pub fn check(config: &Config, baseline: Option<&Baseline>, kernels: &[Facts]) -> Vec<Diag> {
    let mut findings = Vec::new();
    let over = excess::over(&Policy::new(config), kernels);
    let now = baseline.map(|_| record(&over));
    check_kernels(baseline, over, &mut findings);
    // Without kernels there is no telling what a rule was meant for; the builder reports the lack itself.
    if !kernels.is_empty() {
        check_rules(config, kernels, &mut findings);
        if let (Some(baseline), Some(now)) = (baseline, &now) {
            check_baseline(baseline, now, kernels, &mut findings);
        }
        let locks = config.signatures.as_ref().is_some_and(|locks| locks.value);
        if let Some(baseline) = baseline.filter(|_| locks) {
            check_signatures(baseline, kernels, &mut findings);
        }
    }
    findings.into_iter().map(Diag::from).collect_vec()
}

/// The findings, none of a higher level than the policy may have altogether; the first that is lowered says who says so.
pub fn soften(mut findings: Vec<Diag>, highest: Level, said_by: &str) -> Vec<Diag> {
    let mut said = false;
    for finding in &mut findings {
        if finding.level > highest {
            finding.level = highest;
            if !std::mem::replace(&mut said, true) {
                let note = "violations of the policy are warnings here";
                finding.notes.push(format!("{note}, as {said_by} says"));
            }
        }
    }
    findings
}

/// What the policy of `config` has to say about kernels that were found in an executable, library or object, by the path
/// that it was named by. It holds a part of what a build makes, and more: rules and baseline entries for other kernels
/// are none of its concern.
pub fn check_artifact(
    config: &Config,
    path: &str,
    baseline: Option<&Baseline>,
    kernels: &[Facts],
) -> Vec<Diag> {
    let mut findings = Vec::new();
    let over = excess::over(&Policy::for_artifact(config, path), kernels);
    check_kernels(baseline, over, &mut findings);
    findings.into_iter().map(Diag::from).collect_vec()
}

/// Targets that share a budget share a finding; two rules for two targets give two.
fn check_kernels<'a>(
    baseline: Option<&'a Baseline>,
    over: Vec<Excess<'a>>,
    findings: &mut Vec<Finding<'a>>,
) {
    // Findings about one kernel and one budget: those with a figure, then those without.
    let mut known: Vec<OverBudget<'a>> = Vec::new();
    let mut unknown: Vec<OverBudget<'a>> = Vec::new();
    let mut last: Option<(&Facts, Budget<'_>)> = None;
    for excess in over {
        let (facts, budget) = (excess.facts, excess.budget);
        let another = last.is_some_and(|(before, of)| {
            (&before.name, &before.symbol, &before.sources, of.key)
                != (&facts.name, &facts.symbol, &facts.sources, budget.key)
        });
        if another {
            finish(&mut known, &mut unknown, findings);
        }
        last = Some((facts, budget));
        // What a rule allows is allowed by the rule, not by the baseline.
        let recorded = baseline
            .filter(|_| budget.level > Level::Allow)
            .and_then(|file| file.get(&facts.name, facts.target, budget.key));
        if let Some(recorded) = recorded
            && excess.value.no_worse(&recorded.value)
        {
            findings.push(Finding::Accepted { excess, recorded });
            continue;
        }
        let group = if excess.value == Value::Unknown {
            &mut unknown
        } else {
            &mut known
        };
        let on = OnTarget { excess, recorded };
        match group.iter_mut().find(|found| same(&found.budget, &budget)) {
            Some(found) => found.on.push(on),
            None => group.push(OverBudget {
                budget,
                on: vec![on],
            }),
        }
    }
    finish(&mut known, &mut unknown, findings);
}

fn finish<'a>(
    known: &mut Vec<OverBudget<'a>>,
    unknown: &mut Vec<OverBudget<'a>>,
    findings: &mut Vec<Finding<'a>>,
) {
    for finding in known.iter_mut() {
        sorted::sort_by(&mut finding.on, |a, b| {
            a.excess.value.worst_first(&b.excess.value)
        });
    }
    findings.add_all(known.drain(..).map(Finding::OverBudget));
    findings.add_all(unknown.drain(..).map(Finding::OverBudget));
}

fn same(a: &Budget<'_>, b: &Budget<'_>) -> bool {
    std::ptr::eq(a.limit, b.limit) && a.level == b.level
}

/// For how many unmatched patterns the name that was meant is looked for, which compares them with every kernel.
const MOST_GUESSES: usize = 20;

fn check_rules<'a>(config: &'a Config, kernels: &'a [Facts], findings: &mut Vec<Finding<'a>>) {
    let names: Set<&str> = kernels.iter().map(|facts| facts.name.as_str()).collect();
    let symbols: Set<&str> = kernels.iter().map(|facts| facts.symbol.as_str()).collect();
    let targets: Set<Sm> = kernels.iter().map(|facts| facts.target).collect();
    let target_names: Set<String> = targets.iter().map(Sm::to_string).collect();
    let mut guesses = 0;
    let mut paths: Set<&str> = Set::new();
    for facts in kernels {
        for source in &facts.sources {
            paths.insert(source);
        }
    }
    // A rule for what is linked is not for this build, and one of the workspace may be for another member.
    let rules = config.rules.iter();
    for rule in rules.filter(|rule| rule.artifacts.is_empty() && !rule.inherited) {
        let (mut any_kernel, mut any_arch) = (rule.kernels.is_empty(), rule.archs.is_empty());
        let mut any_source = rule.sources.is_empty();
        for pattern in &rule.sources {
            let matched = paths.iter().any(|path| of_source(&pattern.value, path));
            any_source |= matched;
            if !matched {
                let sources = paths.iter().copied().collect_vec();
                findings.push(Finding::UnmatchedSource { pattern, sources });
            }
        }
        for pattern in &rule.kernels {
            let matched = any_matches(&pattern.value, &names, |name| name)
                || any_matches(&pattern.value, &symbols, |symbol| symbol);
            any_kernel |= matched;
            if !matched {
                guesses += 1;
                let meant = (guesses <= MOST_GUESSES)
                    .then(|| meant(pattern.value.as_str(), &names))
                    .flatten();
                findings.push(Finding::UnmatchedKernel {
                    pattern,
                    kernels: names.len(),
                    meant,
                });
            }
        }
        for pattern in &rule.archs {
            let matched = any_matches(&pattern.value, &target_names, String::as_str);
            any_arch |= matched;
            if !matched {
                findings.push(Finding::UnmatchedArch {
                    pattern,
                    targets: targets.iter().copied().collect_vec(),
                });
            }
        }
        let selectors = [&rule.kernels, &rule.sources, &rule.archs];
        let several = selectors.iter().filter(|list| !list.is_empty()).how_many() > 1;
        let each = any_kernel && any_source && any_arch;
        if several && each && !matches_together(rule, kernels) {
            findings.push(Finding::UnmatchedTogether(rule));
        }
    }
    let mut uses = Uses::new(config);
    for facts in kernels {
        uses.add(Which::of(facts), facts.target);
    }
    for of in &uses.all {
        // That a package goes before its workspace is what its own file is for.
        if of.shadowed() && !of.table.inherited && !of.table.is_defaults() {
            let by = of.beaten_by.iter().map(|index| uses.all[*index].table);
            findings.push(Finding::Shadowed {
                rule: of.table,
                images: of.selected,
                by: by.collect_vec(),
            });
        }
    }
}

/// Whether any table of `config` expires.
pub fn expires(config: &Config) -> bool {
    config.tables().any(|table| table.expires.is_some())
}

/// A finding of `level` for each table that was meant to stand until a day before `today` (`2027-01-31`). One of the
/// workspace is told where it selects a kernel.
pub fn expired(config: &Config, kernels: &[Facts], today: &str, level: Level) -> Vec<Diag> {
    let policy = Policy::new(config);
    let mut found = Vec::new();
    for table in config.tables() {
        // Days written year first are in the order of their letters.
        let Some(day) = table.expires.as_ref().filter(|day| *day.value < *today) else {
            continue;
        };
        let selects = |facts: &Facts| {
            let mut tables = policy.select(facts).tables.into_iter();
            tables.any(|(_, other)| std::ptr::eq(other, table))
        };
        if !table.inherited || kernels.iter().any(selects) {
            let expired = Finding::Expired { table, day, level };
            found.push(expired.into());
        }
    }
    found
}

/// Whether a pattern is for a source: one without `/` is compared with a file's name.
fn of_source(pattern: &Glob, path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    let text = if pattern.as_str().contains('/') {
        path
    } else {
        name
    };
    pattern.matches(text)
}

/// Whether a pattern matches one of `texts`. One without wildcards is looked up.
fn any_matches<T: Ord + std::borrow::Borrow<str>>(
    pattern: &Glob,
    texts: &Set<T>,
    text: impl Fn(&T) -> &str,
) -> bool {
    texts.contains(pattern.as_str())
        || pattern.has_wildcard() && texts.iter().any(|it| pattern.matches(text(it)))
}

fn matches_together(rule: &Rule, kernels: &[Facts]) -> bool {
    kernels.iter().any(|facts| {
        let target = facts.target.to_string();
        let any = |patterns: &[Spanned<Glob>], fits: &dyn Fn(&Glob) -> bool| {
            patterns.is_empty() || patterns.iter().any(|pattern| fits(&pattern.value))
        };
        any(&rule.archs, &|arch| arch.matches(&target))
            && any(&rule.kernels, &|kernel| {
                kernel.matches(&facts.name) || kernel.matches(&facts.symbol)
            })
            && any(&rule.sources, &|source| {
                facts.sources.iter().any(|path| of_source(source, path))
            })
    })
}

/// The kernel that was probably meant by a pattern that matches none.
fn meant<'a>(pattern: &str, names: &Set<&'a str>) -> Option<Meant<'a>> {
    let find = |fits: &dyn Fn(&str) -> bool| names.iter().copied().find(|name| fits(name));
    let instance = |name: &str| {
        name.strip_prefix(pattern)
            .is_some_and(|arguments| arguments.starts_with('<'))
    };
    if let Some(name) = find(&instance) {
        return Some(Meant::Instance(name));
    }
    let qualified = |name: &str| {
        name.strip_suffix(pattern)
            .is_some_and(|outer| outer.ends_with("::"))
    };
    if let Some(name) = find(&qualified) {
        return Some(Meant::Qualified(name));
    }
    let in_namespace = Glob::new(format!("*::{pattern}"));
    if let Some(name) = find(&|name| in_namespace.matches(name)) {
        return Some(Meant::InNamespace(name));
    }
    nearest(pattern, names.iter().copied()).map(Meant::Near)
}

/// `now` is what a baseline written now would record.
fn check_baseline<'a>(
    baseline: &'a Baseline,
    now: &Baseline,
    kernels: &[Facts],
    findings: &mut Vec<Finding<'a>>,
) {
    let targets: Set<Sm> = kernels.iter().map(|facts| facts.target).collect();
    let present: Set<(&str, Sm)> = kernels
        .iter()
        .map(|facts| (facts.name.as_str(), facts.target))
        .collect();
    let mut gone: Vec<BaselineEntry<'a>> = Vec::new();
    let mut improved = Vec::new();
    for (kernel, target, key, recorded) in baseline.iter() {
        let entry = BaselineEntry {
            kernel,
            target,
            key,
            recorded,
        };
        if !present.contains(&(kernel, target)) {
            // A build for fewer targets says nothing about the others.
            let last = gone.last();
            let repeated = last.is_some_and(|last| (last.kernel, last.target) == (kernel, target));
            if targets.contains(&target) && !repeated {
                gone.push(entry);
            }
            continue;
        }
        match now.get(kernel, target, key) {
            Some(now) if recorded.value.no_worse(&now.value) => {}
            now => improved.push((entry, now.map(|now| now.value.clone()))),
        }
    }
    let file = baseline.file_name();
    if !gone.is_empty() {
        findings.push(Finding::BaselineUnmatched {
            file: file.clone(),
            entries: gone,
        });
    }
    if !improved.is_empty() {
        findings.push(Finding::BaselineImproved {
            file,
            entries: improved,
        });
    }
}

/// What kernels take, against what is locked. What the baseline locks of kernels that are not built now is left alone: a build
/// for fewer targets may lack them.
fn check_signatures<'a>(
    baseline: &'a Baseline,
    kernels: &'a [Facts],
    findings: &mut Vec<Finding<'a>>,
) {
    let mut now = Baseline::default();
    now.lock_signatures(kernels);
    let mut unrecorded = Vec::new();
    for (name, takes) in now.signatures() {
        let mut of_name = kernels.iter().filter(|facts| facts.name == *name);
        let added = takes.signatures.iter();
        let locked = baseline.locked(name);
        let is_locked = |signature: &&String| {
            locked.is_some_and(|locked| locked.signatures.contains(signature))
        };
        let added = added
            .filter(|signature| !is_locked(signature))
            .collect_vec();
        let (Some(first), Some(locked)) = (added.first(), locked) else {
            if let (Some(signature), Some(facts)) = (added.first(), of_name.next()) {
                let was = renamed(baseline, &now, signature);
                unrecorded.push((facts, was));
            }
            continue;
        };
        let gone = locked.signatures.iter();
        let gone = gone.filter(|signature| !takes.signatures.contains(signature));
        let gone = gone.cloned().collect_vec();
        let taking = of_name.find(|facts| facts.signature.as_ref() == Some(*first));
        let Some(facts) = taking else {
            continue;
        };
        if gone.is_empty() {
            // One more function of that name.
            unrecorded.push((facts, None));
        } else {
            findings.push(Finding::SignatureChanged {
                facts,
                was: gone,
                locked,
            });
        }
    }
    if !unrecorded.is_empty() {
        findings.push(Finding::SignatureUnrecorded {
            file: baseline.file_name(),
            kernels: unrecorded,
        });
    }
}

/// The name that a kernel had, where one alone is gone that takes the same, and no other kernel takes its place.
fn renamed<'a>(baseline: &'a Baseline, now: &Baseline, signature: &str) -> Option<&'a str> {
    let same = |locked: &super::baseline::Locked| locked.signatures == [signature];
    let gone = baseline.signatures();
    let mut gone = gone.filter(|(name, locked)| now.locked(name).is_none() && same(locked));
    let added = now.signatures();
    let added = added.filter(|(name, locked)| baseline.locked(name).is_none() && same(locked));
    match (gone.next(), gone.next(), added.how_many()) {
        (Some((name, _)), None, 1) => Some(name),
        _ => None,
    }
}
