//! `[defaults]` and `[[rule]]`: what is selected, and its budgets.

use cubin_core::arch::Sm;
use toml::de::DeTable;

use super::{
    Occupancy, Rule,
    budget::Key,
    glob::{Glob, LONGEST},
    read::{Item, Reader, TableName},
    tables::{DEFAULTS_KEYS, OCCUPANCY_KEYS, RULE, RULE_KEYS, missing, target_help, unknown},
};
use crate::{
    diag::{Level, codes},
    source::{Span, Spanned},
};

/// `[defaults]` or one `[[rule]]`, which differ in that the first selects nothing.
pub(super) fn rule(
    r: &mut Reader<'_>,
    name: TableName<'_>,
    table: &DeTable<'_>,
    span: Span,
) -> Rule {
    let selects = name.name == RULE.name;
    let before = r.problems();
    let mut rule = Rule::default();
    for item in r.entries(name, table) {
        if let Some(key) = Key::ALL.into_iter().find(|key| key.name() == item.key) {
            let value = match key {
                Key::Registers => r.count(item),
                _ => r.size(item),
            };
            if let Some(value) = value {
                rule.budgets.set(key, value);
            }
            continue;
        }
        match item.key {
            "kernel" if selects => rule.kernels = kernel_patterns(r, item),
            "arch" if selects => rule.archs = target_patterns(r, item),
            "occupancy" => rule.budgets.occupancy = occupancy(r, item),
            "level" => {
                let levels = [Level::Allow, Level::Warn, Level::Deny];
                rule.level = r.word(item, &levels.map(|level| (level.name(), level)));
            }
            "reason" => rule.reason = r.string(item),
            _ => {
                let known = if selects { RULE_KEYS } else { DEFAULTS_KEYS };
                unknown(r, item, name.name, known);
            }
        }
    }
    // A rule of which something could not be read says nothing of what it leaves out.
    if selects && r.problems() == before {
        check_rule(r, &rule, &span);
    }
    rule.span = Some(span);
    rule
}

fn check_rule(r: &mut Reader<'_>, rule: &Rule, span: &Span) {
    if rule.kernels.is_empty() && rule.archs.is_empty() {
        let message = "this [[rule]] selects no kernel and no arch".to_owned();
        let help = "add `kernel = \"...\"`, or move its budgets to [defaults]".to_owned();
        r.bad_at(RULE.code, span.clone(), message, Some(help));
    }
    if rule.budgets.is_empty() && rule.level.is_none() {
        let message = "this [[rule]] sets no budget and no level".to_owned();
        let help = "add for example `registers = 168`, or `level = \"allow\"`".to_owned();
        r.bad_at(RULE.code, span.clone(), message, Some(help));
    }
}

fn kernel_patterns(r: &mut Reader<'_>, item: Item<'_, '_>) -> Vec<Spanned<Glob>> {
    let mut patterns = Vec::new();
    for text in r.unique_strings(item, "pattern") {
        let why = if text.value.len() > LONGEST {
            format!("it is longer than {LONGEST} bytes")
        } else if text.value.trim() != text.value {
            "it begins or ends with white space".to_owned()
        } else if text.value.contains(char::is_control) {
            "it holds a control character".to_owned()
        } else {
            patterns.push(Spanned::new(Glob::new(text.value), text.span));
            continue;
        };
        let message = format!("no kernel can match this pattern: {why}");
        r.bad_at(RULE.code, text.span, message, None);
    }
    patterns
}

fn target_patterns(r: &mut Reader<'_>, item: Item<'_, '_>) -> Vec<Spanned<Glob>> {
    let mut patterns = Vec::new();
    for text in r.unique_strings(item, "pattern") {
        let glob = Glob::new(text.value.as_str());
        if glob.has_wildcard() {
            let of_target = |c: char| {
                c.is_ascii_digit() || matches!(c, 's' | 'm' | '_' | 'a' | 'f' | '*' | '?')
            };
            if text.value.len() > 64 || !text.value.chars().all(of_target) {
                let message = format!("no target can match `{}`", text.value);
                let help = Some("for example `sm_9*` or `sm_??a`".to_owned());
                r.bad_at(RULE.code, text.span, message, help);
                continue;
            }
        } else if let Err(error) = text.value.parse::<Sm>() {
            let help = target_help(&text.value);
            r.bad_at(RULE.code, text.span, error.to_string(), help);
            continue;
        }
        patterns.push(Spanned::new(glob, text.span));
    }
    patterns
}

fn occupancy(r: &mut Reader<'_>, item: Item<'_, '_>) -> Option<Spanned<Occupancy>> {
    const NAME: TableName<'static> = TableName {
        name: "`occupancy`",
        code: codes::POLICY_INVALID,
    };
    let table = r.table(item, Some("for example { block = 256, min = 0.25 }"))?;
    let (mut block, mut min, mut dynamic_shared) = (None, None, 0);
    for item in r.entries(NAME, table) {
        match item.key {
            "block" => {
                let Some(threads) = r.count(item) else {
                    continue;
                };
                match u32::try_from(threads.value) {
                    Ok(threads @ 1..=1024) => block = Some(threads),
                    _ => r.bad(item, "a block has 1 to 1024 threads".to_owned(), None),
                }
            }
            "min" => {
                let Some(share) = r.float(item) else {
                    continue;
                };
                if share.value > 0.0 && share.value <= 1.0 {
                    min = Some(share.value);
                } else {
                    let message = "occupancy is a share above 0 and at most 1".to_owned();
                    r.bad(item, message, Some("25 % is 0.25".to_owned()));
                }
            }
            "dynamic-shared" => dynamic_shared = r.size(item).map_or(0, |size| size.value),
            _ => unknown(r, item, "`occupancy`", OCCUPANCY_KEYS),
        }
    }
    let span = r.value_span(item);
    for key in ["block", "min"] {
        if !table.contains_key(key) {
            missing(r, codes::POLICY_INVALID, "`occupancy`", key, &span);
        }
    }
    let occupancy = Occupancy {
        block: block?,
        min: min?,
        dynamic_shared,
    };
    Some(Spanned::new(occupancy, span))
}
