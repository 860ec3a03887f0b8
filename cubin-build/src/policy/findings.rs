//! What the checks find: one struct per kind, each turned into a [`Diag`] by one `From`.

use cubin_core::arch::Sm;

use super::{
    Facts,
    baseline::{Figure, Recorded},
    help, occupancy,
    resolve::Budget,
};
use crate::{
    config::{Glob, Key, Rule, nearest, size},
    diag::{Code, Diag, codes},
    source::{Span, Spanned},
};

/// A kernel exceeds a budget, on one target or several.
pub(super) struct OverBudget<'a> {
    pub budget: Budget<'a>,
    /// The targets on which it does, worst first; never empty.
    pub on: Vec<Excess<'a>>,
}

/// By how much, on one target.
#[derive(Clone, Copy)]
pub(super) struct Excess<'a> {
    pub facts: &'a Facts,
    pub value: u64,
    /// What the baseline allows, where it records the kernel.
    pub baseline: Option<&'a Recorded>,
}

impl From<OverBudget<'_>> for Diag {
    fn from(finding: OverBudget<'_>) -> Self {
        let OverBudget { budget, on } = finding;
        let worst = on[0];
        let key = budget.key;
        let limit = key.display(budget.limit.value);
        let mut message = format!(
            "kernel `{}` {}, budget is {limit}",
            worst.facts.name,
            figures_on_targets(key, &on)
        );
        if let Some(recorded) = worst.baseline {
            message.push_str(&format!(
                ", baseline is {}",
                Figure::from(key).display(recorded.value)
            ));
        }
        let mut figures = figures(worst.facts, key);
        if on.len() > 1 {
            figures.push_str(&format!(" on {}", worst.facts.target));
        }
        let mut diag = Self::new(over_code(key), budget.level, message)
            .kernel(&worst.facts.name)
            .at_place(worst.facts.place.as_ref(), figures);
        diag = budget_label(diag, &budget.limit.span, budget.table, budget.pattern);
        if let Some(span) = worst.baseline.and_then(|recorded| recorded.span.clone()) {
            diag = diag.because(span, "no worse than this was accepted");
        }
        if on.len() > MOST_TARGETS {
            let all: Vec<String> = on
                .iter()
                .map(|excess| format!("{} on {}", excess.value, excess.facts.target))
                .collect();
            diag = diag.note(format!("on each target: {}", all.join(", ")));
        }
        let callees = &worst.facts.spilling_callees;
        if key == Key::Spills && !callees.is_empty() {
            let names: Vec<String> = callees.iter().map(|name| format!("`{name}`")).collect();
            let these = if callees.len() == 1 {
                "it is"
            } else {
                "they are"
            };
            diag = diag.note(format!(
                "counted with {}, which it calls: {these} not inlined",
                names.join(", ")
            ));
        }
        diag = reason(diag, budget.table);
        if let Some(remedy) = help::remedy(worst.facts, &budget) {
            diag = diag.help(remedy);
        }
        help::or_else(diag, &help::raise(worst.facts, &budget, worst.value))
    }
}

/// A kernel has a budget for a figure that is not known.
pub(super) struct NotKnown<'a> {
    pub budget: Budget<'a>,
    /// The targets on which it is not; never empty.
    pub on: Vec<&'a Facts>,
    /// What the baseline allows on the first, where it records the kernel.
    pub baseline: Option<&'a Recorded>,
}

impl From<NotKnown<'_>> for Diag {
    fn from(finding: NotKnown<'_>) -> Self {
        let NotKnown {
            budget,
            on,
            baseline,
        } = finding;
        let facts = on[0];
        let name = &facts.name;
        let targets: Vec<Sm> = on.iter().map(|facts| facts.target).collect();
        let targets = targets_text(&targets);
        let limit = budget.key.display(budget.limit.value);
        let (code, what, note) = match budget.key {
            Key::Spills => (
                codes::SPILLS_UNKNOWN,
                format!("spills of kernel `{name}` are not known on {targets}"),
                "spilled bytes are printed by ptxas while compiling; a cubin does not record them",
            ),
            Key::Params => (
                codes::PARAMS_UNKNOWN,
                format!("size of the parameters of kernel `{name}` is not recorded on {targets}"),
                "the cubin has no parameter records for this kernel",
            ),
            Key::Stack | Key::Registers | Key::StaticShared => (
                codes::STACK_UNKNOWN,
                format!("stack of kernel `{name}` is not statically known on {targets}"),
                "recursion, calls through pointers and `alloca` make the depth of the stack depend on the data",
            ),
        };
        let mut diag = Self::new(code, budget.level, format!("{what}, budget is {limit}"))
            .kernel(name)
            .at_place(facts.place.as_ref(), figures(facts, budget.key));
        diag = budget_label(diag, &budget.limit.span, budget.table, budget.pattern);
        if let Some(span) = baseline.and_then(|recorded| recorded.span.clone()) {
            diag = diag.because(span, "no worse than this was accepted");
        }
        let diag = reason(diag.note(note), budget.table);
        help::or_else(diag, &help::allow(facts, &budget))
    }
}

/// A kernel is over budget and no worse than the baseline records.
pub(super) struct Accepted<'a> {
    pub budget: Budget<'a>,
    pub facts: &'a Facts,
    pub recorded: &'a Recorded,
}

impl From<Accepted<'_>> for Diag {
    fn from(finding: Accepted<'_>) -> Self {
        let Accepted {
            budget,
            facts,
            recorded,
        } = finding;
        let key = budget.key;
        let has = match super::value(facts, key) {
            Some(value) => figures_on_targets(
                key,
                &[Excess {
                    facts,
                    value,
                    baseline: None,
                }],
            ),
            None => format!("has unknown {} on {}", key.name(), facts.target),
        };
        let message = format!(
            "kernel `{}` {has}, budget is {}, baseline is {}",
            facts.name,
            key.display(budget.limit.value),
            Figure::from(key).display(recorded.value)
        );
        let diag = Self::new(codes::BASELINE_ACCEPTED, crate::diag::Level::Allow, message);
        diag.kernel(&facts.name)
            .at_place(facts.place.as_ref(), figures(facts, key))
    }
}

/// A `kernel` pattern of a rule matches no kernel.
pub(super) struct UnmatchedKernel<'a> {
    pub pattern: &'a Spanned<Glob>,
    /// Names of all kernels, sorted, each once.
    pub names: &'a [&'a str],
    /// Whether to look for the name that was meant.
    pub guess: bool,
}

impl From<UnmatchedKernel<'_>> for Diag {
    fn from(finding: UnmatchedKernel<'_>) -> Self {
        let UnmatchedKernel {
            pattern,
            names,
            guess,
        } = finding;
        let count = match names.len() {
            1 => "the only kernel has another name".to_owned(),
            count => format!("matches none of the {count} kernels"),
        };
        let diag = Self::warning(
            codes::UNMATCHED_RULE,
            format!("no kernel matches `{}`", pattern.value),
        )
        .at(pattern.span.clone(), count);
        let help = guess.then(|| kernel_help(pattern.value.as_str(), names));
        match help.flatten() {
            Some(help) => diag.help(help),
            None => diag.note("patterns match the whole C++ name or the symbol"),
        }
    }
}

/// The pattern that was probably meant.
fn kernel_help(pattern: &str, names: &[&str]) -> Option<String> {
    let instance = |name: &&&str| {
        name.strip_prefix(pattern)
            .is_some_and(|arguments| arguments.starts_with('<'))
    };
    if let Some(name) = names.iter().find(instance) {
        return Some(format!(
            "`{name}` is an instance of a template: write `{pattern}<*>`"
        ));
    }
    let qualified = |name: &&&str| {
        name.strip_suffix(pattern)
            .is_some_and(|outer| outer.ends_with("::"))
    };
    if let Some(name) = names.iter().find(qualified) {
        return Some(format!("the kernel's whole name is `{name}`"));
    }
    let in_namespace = Glob::new(format!("*::{pattern}"));
    if let Some(name) = names.iter().find(|name| in_namespace.matches(name)) {
        return Some(format!("`{name}` is in a namespace: write `*::{pattern}`"));
    }
    let near = nearest(pattern, names.iter().copied())?;
    Some(format!("did you mean `{near}`?"))
}

/// An `arch` pattern of a rule matches no target.
pub(super) struct UnmatchedArch<'a> {
    pub pattern: &'a Spanned<Glob>,
    /// Sorted, each once.
    pub targets: &'a [Sm],
}

impl From<UnmatchedArch<'_>> for Diag {
    fn from(finding: UnmatchedArch<'_>) -> Self {
        let UnmatchedArch { pattern, targets } = finding;
        Self::warning(
            codes::UNMATCHED_RULE,
            format!("no target of this build matches `{}`", pattern.value),
        )
        .at(
            pattern.span.clone(),
            format!("built for {}", targets_text(targets)),
        )
    }
}

/// The patterns of a rule match, but not together.
pub(super) struct UnmatchedTogether<'a> {
    pub rule: &'a Rule,
}

impl From<UnmatchedTogether<'_>> for Diag {
    fn from(finding: UnmatchedTogether<'_>) -> Self {
        let patterns = |patterns: &[Spanned<Glob>]| {
            let quoted: Vec<String> = patterns
                .iter()
                .map(|pattern| format!("`{}`", pattern.value))
                .collect();
            quoted.join(", ")
        };
        let mut diag = Self::warning(
            codes::UNMATCHED_RULE,
            format!(
                "no kernel that matches {} was built for a target that matches {}",
                patterns(&finding.rule.kernels),
                patterns(&finding.rule.archs)
            ),
        );
        if let Some(span) = &finding.rule.span {
            diag = diag.at(span.clone(), "this rule holds for no kernel");
        }
        diag
    }
}

/// How many places of a baseline file one message points at, and how many kernels its notes name.
const MOST_ENTRIES: usize = 4;

/// The baseline records kernels that are gone.
pub(super) struct BaselineUnmatched<'a> {
    /// File name of the baseline.
    pub file: &'a str,
    /// (kernel, target, what is recorded).
    pub entries: Vec<(&'a str, Sm, &'a Recorded)>,
}

impl From<BaselineUnmatched<'_>> for Diag {
    fn from(finding: BaselineUnmatched<'_>) -> Self {
        let BaselineUnmatched { file, entries } = finding;
        let message = match entries.len() {
            1 => format!("1 entry of {file} is for a kernel that no longer exists"),
            count => format!("{count} entries of {file} are for kernels that no longer exist"),
        };
        let diag = Self::warning(codes::BASELINE_UNMATCHED, message);
        entries_of(diag, &entries, |name, target, _| {
            format!("there is no kernel `{name}` for {target}")
        })
    }
}

/// Kernels are better than the baseline records.
pub(super) struct BaselineImproved<'a> {
    /// File name of the baseline.
    pub file: &'a str,
    /// (kernel, target, what is recorded).
    pub entries: Vec<(&'a str, Sm, &'a Recorded)>,
    /// For each entry, what is to be said of the kernel as it is now.
    pub now: Vec<String>,
}

impl From<BaselineImproved<'_>> for Diag {
    fn from(finding: BaselineImproved<'_>) -> Self {
        let BaselineImproved { file, entries, now } = finding;
        let figures = match entries.len() {
            1 => "1 figure in it is worse than the kernel".to_owned(),
            count => format!("{count} figures in it are worse than the kernels"),
        };
        let diag = Self::warning(
            codes::BASELINE_IMPROVED,
            format!("baseline {file} can be tightened: {figures}"),
        );
        entries_of(diag, &entries, |name, target, index| {
            format!("`{name}` on {target}: {}", now[index])
        })
    }
}

fn entries_of(
    mut diag: Diag,
    entries: &[(&str, Sm, &Recorded)],
    text: impl Fn(&str, Sm, usize) -> String,
) -> Diag {
    for (index, (name, target, recorded)) in entries.iter().take(MOST_ENTRIES).enumerate() {
        let text = text(name, *target, index);
        diag = match &recorded.span {
            Some(span) => diag.at(span.clone(), text),
            None => diag.note(text),
        };
    }
    if entries.len() > MOST_ENTRIES {
        diag = diag.note(format!("and {} more", entries.len() - MOST_ENTRIES));
    }
    diag.help("run `cargo cubin baseline write`")
}

/// Points at the budget and says which table set it.
pub(super) fn budget_label(
    diag: Diag,
    span: &Span,
    table: &Rule,
    pattern: Option<&Spanned<Glob>>,
) -> Diag {
    let origin = match pattern {
        Some(pattern) => format!("from the [[rule]] for `{}`", pattern.value),
        None if table.archs.is_empty() => "from [defaults]".to_owned(),
        None => "from this [[rule]]".to_owned(),
    };
    diag.because(span.clone(), format!("budget set here, {origin}"))
}

pub(super) fn reason(diag: Diag, rule: &Rule) -> Diag {
    match &rule.reason {
        Some(reason) => diag.note(format!("reason given for this budget: {}", reason.value)),
        None => diag,
    }
}

fn over_code(key: Key) -> Code {
    match key {
        Key::Registers => codes::REGISTERS_OVER_BUDGET,
        Key::Stack => codes::STACK_OVER_BUDGET,
        Key::Spills => codes::SPILLS_OVER_BUDGET,
        Key::Params => codes::PARAMS_OVER_BUDGET,
        Key::StaticShared => codes::STATIC_SHARED_OVER_BUDGET,
    }
}

/// How many targets a message names one by one.
const MOST_TARGETS: usize = 4;

/// `uses 168 registers per thread on sm_90a (152 on sm_80)`: the worst value in words, the others after it.
fn figures_on_targets(key: Key, on: &[Excess<'_>]) -> String {
    // Neighbours with the same value share a phrase; `on` is sorted by value.
    let mut groups: Vec<(Excess<'_>, Vec<Sm>)> = Vec::new();
    for excess in on {
        match groups.last_mut() {
            Some((first, targets)) if first.value == excess.value => {
                targets.push(excess.facts.target);
            }
            _ => groups.push((*excess, vec![excess.facts.target])),
        }
    }
    let Some(((worst, targets), others)) = groups.split_first() else {
        return String::new();
    };
    let bytes = size::display(worst.value);
    let figure = match key {
        Key::Registers => {
            let noun = if worst.value == 1 {
                "register"
            } else {
                "registers"
            };
            format!("uses {} {noun} per thread", worst.value)
        }
        Key::Stack => format!("needs {bytes} of stack per thread"),
        Key::Spills => {
            let spills = worst.facts.spills.unwrap_or_default();
            format!(
                "spills {bytes} ({} stored, {} loaded)",
                spills.stores, spills.loads
            )
        }
        Key::Params => format!("takes {bytes} of parameters"),
        Key::StaticShared => format!("uses {bytes} of static shared memory per block"),
    };
    let mut text = format!("{figure} on {}", targets_text(targets));
    if others.is_empty() {
        return text;
    }
    let shown: Vec<String> = others
        .iter()
        .take(MOST_TARGETS - 1)
        .map(|(excess, targets)| format!("{} on {}", excess.value, targets_text(targets)))
        .collect();
    let left: usize = others
        .iter()
        .skip(MOST_TARGETS - 1)
        .map(|(_, targets)| targets.len())
        .sum();
    text.push_str(&format!(" ({}", shown.join(", ")));
    match left {
        0 => {}
        1 => text.push_str(", less on 1 more target"),
        _ => text.push_str(&format!(", less on {left} more targets")),
    }
    text.push(')');
    text
}

/// `sm_80`, `sm_80 and sm_90`, `sm_75, sm_80, sm_86 and 5 more targets`.
pub(super) fn targets_text(targets: &[Sm]) -> String {
    let names: Vec<String> = targets.iter().map(Sm::to_string).collect();
    match names.as_slice() {
        [] => "no target".to_owned(),
        [one] => one.clone(),
        names if names.len() > MOST_TARGETS => {
            let (shown, rest) = names.split_at(MOST_TARGETS - 1);
            format!("{} and {} more targets", shown.join(", "), rest.len())
        }
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// What the picture says at the kernel's name: the figure in question, then what else is worth knowing.
fn figures(facts: &Facts, key: Key) -> String {
    let mut keys = vec![key];
    keys.extend(Key::ALL.into_iter().filter(|other| *other != key));
    let mut parts = Vec::new();
    for (index, other) in keys.into_iter().enumerate() {
        let value = super::value(facts, other);
        // Zeros are worth a word only where they are the subject; the size of parameters nowhere else.
        if index > 0 && (value == Some(0) || other == Key::Params) {
            continue;
        }
        parts.push(match (other, value) {
            (Key::Registers, Some(value)) => format!("{value} registers"),
            (Key::Stack, Some(value)) => format!("{} of stack", size::display(value)),
            (Key::Stack, None) => "stack unknown".to_owned(),
            (Key::Spills, Some(value)) => format!("{} spilled", size::display(value)),
            (Key::Params, Some(value)) => format!("{} of parameters", size::display(value)),
            (Key::StaticShared, Some(value)) => {
                format!("{} of static shared memory", size::display(value))
            }
            (_, None) if index == 0 => format!("{} unknown", other.name()),
            (_, None) => continue,
        });
    }
    if let Some(threads) = facts.block_threads() {
        parts.push(format!("launch bounds {threads}"));
        if let Some(occupancy) = occupancy::of(facts, threads, 0) {
            let percent = occupancy::percent(occupancy.ratio());
            parts.push(format!("occupancy {percent} at {threads} threads"));
        }
    }
    parts.join(", ")
}
