//! Findings in words: one function for each kind, and one `From` for all.

use cubin_core::arch::Sm;

use super::{
    baseline::Locked,
    budget::{Figure, Key, Subject, Unit, Value},
    excess::Excess,
    findings::{BaselineEntry, Finding, Meant, OnTarget, OverBudget},
    help,
    resolve::Budget,
};
use crate::{
    config::{Glob, Rule, nearest},
    diag::{Diag, Level, codes},
    kernel::{CodeLine, Facts},
    lists::{AddAll, CollectVec},
    sorted,
    source::Spanned,
    words::{and, counted, texts},
};

impl From<Finding<'_>> for Diag {
    fn from(finding: Finding<'_>) -> Self {
        match finding {
            Finding::OverBudget(over) => over_budget(&over),
            Finding::Accepted { excess, recorded } => accepted(&excess, &recorded.value),
            Finding::UnmatchedKernel {
                pattern,
                kernels,
                meant,
            } => unmatched_kernel(pattern, kernels, meant),
            Finding::UnmatchedArch { pattern, targets } => {
                let message = format!("no target of this build matches `{}`", pattern.value);
                let built = format!("built for {}", targets_text(&targets));
                Self::warning(codes::UNMATCHED_RULE, message).at(pattern.span.clone(), built)
            }
            Finding::UnmatchedSource { pattern, sources } => unmatched_source(pattern, &sources),
            Finding::Shadowed { rule, images, by } => shadowed(rule, images, &by),
            Finding::Expired { table, day, level } => expired(table, day, level),
            Finding::UnmatchedTogether(rule) => unmatched_together(rule),
            Finding::SignatureChanged { facts, was, locked } => {
                signature_changed(facts, &was, locked)
            }
            Finding::SignatureUnrecorded { file, kernels } => unrecorded(&file, &kernels),
            Finding::BaselineUnmatched { file, entries } => baseline_unmatched(&file, &entries),
            Finding::BaselineImproved { file, entries } => baseline_improved(&file, &entries),
        }
    }
}

fn subject<'a>(excess: &'a Excess<'_>) -> Subject<'a> {
    Subject {
        facts: excess.facts,
        limit: &excess.budget.limit.value,
        excess: &excess.value,
    }
}

fn over_budget(over: &OverBudget<'_>) -> Diag {
    let OverBudget { budget, on } = over;
    // The worst; there is one.
    let OnTarget { excess, recorded } = &on[0];
    let figure = budget.key.figure();
    let is_known = excess.value != Value::Unknown;
    let mut message = if is_known {
        format!(
            "kernel `{}` {}",
            excess.facts.name,
            figures_on_targets(figure, on)
        )
    } else {
        not_known(figure, on)
    };
    let limit = &budget.limit.value;
    message.push_str(&format!(", {}", figure.unit.budget(limit, &excess.value)));
    if let Some(recorded) = recorded.filter(|_| is_known) {
        message.push_str(&baseline_is(figure.unit, &recorded.value));
    }
    let mut label = picture(&subject(excess), budget.key);
    if on.len() > 1 && is_known {
        label.push_str(&format!(" on {}", excess.facts.target));
    }
    let code = match &figure.unknown {
        Some(unknown) if !is_known => unknown.code,
        _ => figure.over,
    };
    let mut diag = Diag::new(code, budget.level, message).kernel(&excess.facts.name);
    if is_known {
        diag = at_lines(diag, excess);
    }
    diag = diag.at_place(excess.facts.place.as_ref(), label);
    diag = budget_label(diag, budget);
    if let Some(span) = recorded.and_then(|recorded| recorded.span.clone()) {
        diag = diag.because(span, "no worse than this was accepted");
    }
    let (notes, remedies) = if is_known {
        let subject = subject(excess);
        ((figure.notes)(&subject), (figure.remedies)(&subject))
    } else {
        let note = figure
            .unknown
            .as_ref()
            .map(|unknown| (unknown.note)(excess.facts));
        (note.into_iter().collect_vec(), Vec::new())
    };
    if is_known && on.len() > MOST_TARGETS {
        diag = diag.note(on_each_target(figure.unit, on));
    }
    for note in notes {
        diag = diag.note(note);
    }
    if let Some(reason) = &budget.table.reason {
        let text = format!("reason given for this budget: {}", reason.value);
        diag = diag.note(text);
    }
    for remedy in remedies {
        diag = diag.help(remedy);
    }
    way_out(diag, excess)
}

/// How many lines of the source one message points at.
const MOST_LINES: usize = 3;

/// Points at the source lines that most of a figure comes from, and says how many there are, or why none is shown.
fn at_lines(mut diag: Diag, excess: &Excess<'_>) -> Diag {
    let (Some((what, noun)), Some(code)) = (
        excess.budget.key.figure().counted,
        &excess.facts.instructions,
    ) else {
        return diag;
    };
    if let Some(why) = &code.no_lines {
        return diag.note(format!("the cubin's source lines cannot be read: {why}"));
    }
    if code.count(what) == 0 {
        return diag;
    }
    let mut lines: Vec<&CodeLine> = Vec::new();
    lines.add_all(code.lines.iter().filter(|line| line.count(what) > 0));
    if lines.is_empty() {
        return diag
            .note("compiled with `lineinfo = true` in [build], the source lines would be shown");
    }
    // Those with the same number stay in the order of the code.
    sorted::sort_by(&mut lines, |a, b| b.count(what).cmp(&a.count(what)));
    for line in lines.iter().take(MOST_LINES) {
        let text = counted(line.count(what), noun);
        diag = match &line.place {
            Some(place) => diag.at(place.clone(), text),
            None => diag.note(format!("{text} in {}:{}", line.file.display(), line.line)),
        };
    }
    diag
}

/// The rule for the kernel, which follows with "or" on a remedy that was found.
fn way_out(diag: Diag, excess: &Excess<'_>) -> Diag {
    let Excess {
        facts,
        budget,
        value,
    } = excess;
    let unknown = budget.key.figure().unknown.as_ref();
    let way_out = match unknown.and_then(|unknown| unknown.help) {
        _ if *value != Value::Unknown => help::moved(facts, budget, value),
        Some(help) => help.to_owned(),
        None => help::allow(facts, budget),
    };
    if diag.help.is_empty() {
        diag.help(way_out)
    } else {
        diag.help(format!("or {way_out}"))
    }
}

fn not_known(figure: &Figure, on: &[OnTarget<'_>]) -> String {
    let mut targets = Vec::new();
    for on in on {
        targets.push(on.excess.facts.target);
    }
    let (what, is) = match &figure.unknown {
        Some(unknown) => (unknown.what, unknown.is),
        None => (figure.name, "is not known"),
    };
    let name = &on[0].excess.facts.name;
    format!(
        "{what} of kernel `{name}` {is} on {}",
        targets_text(&targets)
    )
}

fn baseline_is(unit: Unit, recorded: &Value) -> String {
    format!(", baseline is {}", unit.display(recorded))
}

fn accepted(excess: &Excess<'_>, recorded: &Value) -> Diag {
    let Excess {
        facts,
        budget,
        value,
    } = excess;
    let figure = budget.key.figure();
    let has = match value {
        Value::Unknown => format!("has unknown {}", figure.name),
        _ => (figure.says)(&subject(excess)),
    };
    let message = format!(
        "kernel `{}` {has} on {}, {}{}",
        facts.name,
        facts.target,
        figure.unit.budget(&budget.limit.value, value),
        baseline_is(figure.unit, recorded)
    );
    Diag::new(codes::BASELINE_ACCEPTED, Level::Allow, message)
        .kernel(&facts.name)
        .at_place(facts.place.as_ref(), picture(&subject(excess), budget.key))
}

fn unmatched_kernel(pattern: &Spanned<Glob>, kernels: usize, meant: Option<Meant<'_>>) -> Diag {
    let count = if kernels == 1 {
        "the only kernel has another name".to_owned()
    } else {
        format!("matches none of the {kernels} kernels")
    };
    let glob = &pattern.value;
    let diag = Diag::warning(codes::UNMATCHED_RULE, format!("no kernel matches `{glob}`"))
        .at(pattern.span.clone(), count);
    match meant {
        Some(Meant::Instance(name)) => diag.help(format!(
            "`{name}` is an instance of a template: write `{glob}<*>`"
        )),
        Some(Meant::Qualified(name)) => diag.help(format!("the kernel's whole name is `{name}`")),
        Some(Meant::InNamespace(name)) => {
            diag.help(format!("`{name}` is in a namespace: write `*::{glob}`"))
        }
        Some(Meant::Near(name)) => diag.help(format!("did you mean `{name}`?")),
        None => diag.note("patterns match the whole C++ name or the symbol"),
    }
}

fn unmatched_source(pattern: &Spanned<Glob>, sources: &[&str]) -> Diag {
    let glob = &pattern.value;
    let count = match sources.len() {
        0 => "the source of no kernel is known".to_owned(),
        1 => "the only source with kernels has another name".to_owned(),
        count => format!("matches none of the {count} sources with kernels"),
    };
    let message = format!("no source matches `{glob}`");
    let diag = Diag::warning(codes::UNMATCHED_RULE, message).at(pattern.span.clone(), count);
    match nearest(glob.as_str(), sources.iter().copied()) {
        Some(near) => diag.help(format!("did you mean `{near}`?")),
        None => diag
            .note("a pattern without `/` is compared with a file's name, any other with its path"),
    }
}

/// How many tables a message about a shadowed one points at.
const MOST_TABLES: usize = 3;

fn shadowed(rule: &Rule, images: usize, by: &[&Rule]) -> Diag {
    let message = "this [[rule]] decides nothing: closer ones set all that it sets";
    let mut diag = Diag::warning(codes::SHADOWED_RULE, message);
    if let Some(span) = &rule.span {
        let selects = counted(images as u64, "kernel image");
        diag = diag.at(span.clone(), format!("selects {selects}"));
    }
    for other in by.iter().take(MOST_TABLES) {
        if let Some(span) = &other.span {
            diag = diag.because(span.clone(), "goes before it");
        }
    }
    if let Some(more @ 1..) = by.len().checked_sub(MOST_TABLES) {
        diag = diag.note(format!("and {more} more go before it"));
    }
    diag.help("take it out, or select more closely; `cargo cubin policy --explain KERNEL` shows which rule decides what, and why")
}

fn expired(table: &Rule, day: &Spanned<String>, level: Level) -> Diag {
    let name = if table.is_defaults() {
        "[defaults]"
    } else {
        "[[rule]]"
    };
    let whose = if table.inherited {
        " of the workspace"
    } else {
        ""
    };
    let message = format!("this {name}{whose} was meant to stand until {}", day.value);
    let mut diag =
        Diag::new(codes::EXPIRED_RULE, level, message).at(day.span.clone(), "that day is over");
    if let Some(reason) = &table.reason {
        diag = diag.note(format!("reason given for it: {}", reason.value));
    }
    diag.help("take it out and mend the kernels that it was for, or write a later day and why")
}

fn unmatched_together(rule: &Rule) -> Diag {
    let patterns = |patterns: &[Spanned<Glob>]| {
        texts(patterns, &|pattern| format!("`{}`", pattern.value)).join(", ")
    };
    let mut message = "no kernel".to_owned();
    if !rule.kernels.is_empty() {
        message.push_str(&format!(" that matches {}", patterns(&rule.kernels)));
    }
    if !rule.sources.is_empty() {
        message.push_str(&format!(
            " of a source that matches {}",
            patterns(&rule.sources)
        ));
    }
    if rule.archs.is_empty() {
        message.push_str(" was built");
    } else {
        let archs = patterns(&rule.archs);
        message.push_str(&format!(" was built for a target that matches {archs}"));
    }
    let diag = Diag::warning(codes::UNMATCHED_RULE, message);
    match &rule.span {
        Some(span) => diag.at(span.clone(), "this rule holds for no kernel"),
        None => diag,
    }
}

fn signature_changed(facts: &Facts, was: &[String], locked: &Locked) -> Diag {
    let message = format!(
        "kernel `{}` takes other parameters than the baseline records",
        facts.name
    );
    let now = facts.signature.as_deref().unwrap_or_default();
    let mut diag = Diag::error(codes::SIGNATURE_CHANGED, message)
        .kernel(&facts.name)
        .at_place(facts.place.as_ref(), format!("takes {now}"));
    let took = format!("took {}", and(was));
    diag = match &locked.span {
        Some(span) => diag.because(span.clone(), took),
        None => diag.note(took),
    };
    let only_layout = was
        .iter()
        .any(|was| without_layouts(was) == without_layouts(now));
    if only_layout {
        diag = diag.note("the types are the same, and a record among them has another layout");
    }
    diag.note(
        "whoever launches it in another way than by the generated wrapper passes what was recorded",
    )
    .help("if this is meant, run `cargo cubin baseline write`")
}

/// A signature without the digests of its records.
fn without_layouts(signature: &str) -> String {
    let mut text = String::new();
    for (index, part) in signature.split(" [").enumerate() {
        let rest = match index {
            0 => part,
            _ => part.split_once(']').map_or(part, |(_, rest)| rest),
        };
        text.push_str(rest);
    }
    text
}

fn unrecorded(file: &str, kernels: &[(&Facts, Option<&str>)]) -> Diag {
    let message = match kernels.len() {
        1 => format!("{file} does not record what 1 kernel takes"),
        count => format!("{file} does not record what {count} kernels take"),
    };
    let mut diag = Diag::warning(codes::SIGNATURE_UNRECORDED, message);
    for (facts, was) in kernels.iter().take(MOST_ENTRIES) {
        let now = facts.signature.as_deref().unwrap_or_default();
        let text = match was {
            Some(was) => format!("`{}` takes {now}; was it `{was}`?", facts.name),
            None => format!("`{}` takes {now}", facts.name),
        };
        diag = match &facts.place {
            Some(place) => diag.at(place.clone(), text),
            None => diag.note(text),
        };
    }
    write_again(diag, kernels.len())
}

fn baseline_unmatched(file: &str, entries: &[BaselineEntry<'_>]) -> Diag {
    let message = match entries.len() {
        1 => format!("1 entry of {file} is for a kernel that no longer exists"),
        count => format!("{count} entries of {file} are for kernels that no longer exist"),
    };
    let mut diag = Diag::warning(codes::BASELINE_UNMATCHED, message);
    for entry in entries.iter().take(MOST_ENTRIES) {
        let BaselineEntry { kernel, target, .. } = entry;
        let text = format!("there is no kernel `{kernel}` for {target}");
        diag = at_entry(diag, entry, text);
    }
    write_again(diag, entries.len())
}

fn baseline_improved(file: &str, entries: &[(BaselineEntry<'_>, Option<Value>)]) -> Diag {
    let figures = match entries.len() {
        1 => "1 figure in it is worse than the kernel".to_owned(),
        count => format!("{count} figures in it are worse than the kernels"),
    };
    let message = format!("baseline {file} can be tightened: {figures}");
    let mut diag = Diag::warning(codes::BASELINE_IMPROVED, message);
    for (entry, now) in entries.iter().take(MOST_ENTRIES) {
        let BaselineEntry { kernel, target, .. } = entry;
        let now = match now {
            Some(now) => format!("{} now", entry.key.figure().unit.display(now)),
            None => "cubin.toml allows what it is now".to_owned(),
        };
        diag = at_entry(diag, entry, format!("`{kernel}` on {target}: {now}"));
    }
    write_again(diag, entries.len())
}

/// How many places of a baseline file one message points at, and how many kernels its notes name.
const MOST_ENTRIES: usize = 4;

fn at_entry(diag: Diag, entry: &BaselineEntry<'_>, text: String) -> Diag {
    match &entry.recorded.span {
        Some(span) => diag.at(span.clone(), text),
        None => diag.note(text),
    }
}

fn write_again(mut diag: Diag, entries: usize) -> Diag {
    if entries > MOST_ENTRIES {
        diag = diag.note(format!("and {} more", entries - MOST_ENTRIES));
    }
    diag.help("run `cargo cubin baseline write`")
}

/// Points at the budget and says which table set it.
fn budget_label(diag: Diag, budget: &Budget<'_>) -> Diag {
    let mut origin = match budget.pattern {
        Some(pattern) => format!("from the [[rule]] for `{}`", pattern.value),
        None if budget.table.is_defaults() => "from [defaults]".to_owned(),
        None => "from this [[rule]]".to_owned(),
    };
    if budget.table.inherited {
        origin.push_str(" of the workspace");
    }
    diag.because(
        budget.limit.span.clone(),
        format!("budget set here, {origin}"),
    )
}

/// How many targets a message names one by one.
const MOST_TARGETS: usize = 4;

/// `uses 168 registers per thread on sm_90a (152 on sm_80)`: the worst value in words, the others after it.
fn figures_on_targets(figure: &Figure, on: &[OnTarget<'_>]) -> String {
    // Neighbours with the same value share a phrase; `on` is sorted by value.
    let mut groups: Vec<(&Excess<'_>, Vec<Sm>)> = Vec::new();
    for OnTarget { excess, .. } in on {
        match groups.last_mut() {
            Some((first, targets)) if first.value == excess.value => {
                targets.push(excess.facts.target);
            }
            _ => groups.push((excess, vec![excess.facts.target])),
        }
    }
    let Some(((worst, targets), others)) = groups.split_first() else {
        return String::new();
    };
    let says = (figure.says)(&subject(worst));
    let mut text = format!("{says} on {}", targets_text(targets));
    if others.is_empty() {
        return text;
    }
    let (shown, hidden) = others.split_at(others.len().min(MOST_TARGETS - 1));
    let shown = texts(shown, &|(excess, targets)| {
        let value = figure.unit.short(&excess.value);
        format!("{value} on {}", targets_text(targets))
    });
    let left: usize = hidden.iter().map(|(_, targets)| targets.len()).sum();
    let better = if figure.unit.is_floor() {
        "more"
    } else {
        "less"
    };
    text.push_str(&format!(" ({}", shown.join(", ")));
    match left {
        0 => {}
        1 => text.push_str(&format!(", {better} on 1 other target")),
        _ => text.push_str(&format!(", {better} on {left} other targets")),
    }
    text.push(')');
    text
}

fn on_each_target(unit: Unit, on: &[OnTarget<'_>]) -> String {
    let all = texts(on, &|OnTarget { excess, .. }| {
        let value = unit.short(&excess.value);
        format!("{value} on {}", excess.facts.target)
    });
    format!("on each target: {}", all.join(", "))
}

/// `sm_80`, `sm_80 and sm_90`, `sm_75, sm_80, sm_86 and 5 more targets`.
fn targets_text(targets: &[Sm]) -> String {
    let names = texts(targets, &Sm::to_string);
    if names.is_empty() {
        return "no target".to_owned();
    }
    if names.len() > MOST_TARGETS {
        let (shown, rest) = names.split_at(MOST_TARGETS - 1);
        return format!("{} and {} more targets", shown.join(", "), rest.len());
    }
    and(&names)
}

/// What the picture says at the kernel's name: the figure in question, then what else is worth knowing.
fn picture(subject: &Subject<'_>, key: Key) -> String {
    let figure = key.figure();
    let mut parts = vec![match subject.excess {
        Value::Unknown => format!("{} unknown", figure.name),
        _ => (figure.label)(subject),
    }];
    for other in Key::ALL {
        if *other != key {
            parts.add_all((other.figure().beside)(subject.facts));
        }
    }
    parts.join(", ")
}
