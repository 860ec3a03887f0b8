//! `[defaults]` and `[[rule]]`: what is selected, and its budgets.

use toml::de::DeTable;

use super::{
    budget::Rule,
    glob::{Glob, LONGEST},
    keys::{self, Doc, Key},
    read::{Item, TableName, TableReader},
    targets::patterns,
};
use crate::{
    diag::{Code, Level, codes},
    lists::AddAll,
    policy::budget,
    source::{Span, Spanned},
};

/// Code of problems with budgets and rules.
const CODE: Code = codes::POLICY_INVALID;

pub(super) const DEFAULTS: TableName<'static> = TableName {
    name: "[defaults]",
    code: CODE,
};
pub(super) const RULE: TableName<'static> = TableName {
    name: "[[rule]]",
    code: CODE,
};

/// What a `[[rule]]` selects.
static SELECTORS: [Key<Rule>; 4] = [
    Key {
        name: "kernel",
        doc: Doc {
            value: "pattern or array of patterns",
            default: "every kernel",
            meaning: "Kernels that the rule is for, by their whole C++ name or symbol. `*` stands for any characters, \
                      `?` for one.",
            example: "kernel = \"gemm<*>\"",
        },
        read: |r, item, rule| rule.kernels = text_patterns(r, item, "kernel"),
    },
    Key {
        name: "source",
        doc: Doc {
            value: "pattern or array of patterns",
            default: "every source",
            meaning: "Sources whose kernels the rule is for: the file that is compiled, or the header that defines the kernel. A \
                      pattern without `/` is compared with a file's name, any other with its path.",
            example: "source = \"kernels/legacy/*\"",
        },
        read: |r, item, rule| rule.sources = text_patterns(r, item, "source"),
    },
    Key {
        name: "arch",
        doc: Doc {
            value: "pattern or array of patterns",
            default: "every target",
            meaning: "Targets that the rule is for.",
            example: "arch = \"sm_90*\"",
        },
        read: |r, item, rule| rule.archs = patterns(r, item, CODE),
    },
    Key {
        name: "artifact",
        doc: Doc {
            value: "pattern or array of patterns",
            default: "builds, and every artefact",
            meaning: "Executables, libraries and objects that the rule is for, by the path that `cargo cubin check \
                      --artifact` was given or by the name of the file. Such a rule is for what is linked alone: builds \
                      pass it over.",
            example: "artifact = \"libcublas*.so\"",
        },
        read: |r, item, rule| rule.artifacts = text_patterns(r, item, "artefact"),
    },
];

/// What stands beside the budgets.
static REST: [Key<Rule>; 3] = [
    Key {
        name: "level",
        doc: Doc {
            value: "`\"allow\"`, `\"warn\"` or `\"deny\"`",
            default: "`\"deny\"`",
            meaning: "How much it matters that a budget of this table is broken; in a table without budgets, any budget. \
                      A rule with a level alone also speaks of a kernel that gets no wrapper.",
            example: "level = \"warn\"",
        },
        read: |r, item, rule| {
            let levels = [Level::Allow, Level::Warn, Level::Deny];
            rule.level = r.word(item, &levels.map(|level| (level.name(), level)));
        },
    },
    Key {
        name: "reason",
        doc: Doc {
            value: "text",
            default: "none",
            meaning: "Why the budgets are what they are. Messages quote it.",
            example: "reason = \"wgmma accumulators\"",
        },
        read: |r, item, rule| rule.reason = r.string(item),
    },
    Key {
        name: "expires",
        doc: Doc {
            value: "date",
            default: "never",
            meaning: "The last day on which the table is meant to stand. Builds keep it after that, with a warning, so that \
                      old commits build as they did; `cargo cubin check` and `cargo cubin policy` fail from the next day \
                      on. `SOURCE_DATE_EPOCH` is today where it is set.",
            example: "expires = \"2027-01-31\"",
        },
        read: |r, item, rule| rule.expires = date(r, item),
    },
];

/// What the reference says of the keys of `[defaults]`, or of a `[[rule]]`.
pub(super) fn docs(selects: bool) -> Vec<(&'static str, Doc)> {
    let mut docs = Vec::new();
    if selects {
        docs.add_all(keys::docs(&SELECTORS));
    }
    for key in budget::Key::ALL {
        docs.push((key.name(), key.figure().doc));
    }
    docs.add_all(keys::docs(&REST));
    docs
}

/// `[defaults]` or one `[[rule]]`, which differ in that the first selects nothing.
pub(super) fn rule(
    r: &mut TableReader<'_>,
    name: TableName<'_>,
    table: &DeTable<'_>,
    span: Span,
) -> Rule {
    let selects = name.name == RULE.name;
    let selectors: &[Key<Rule>] = if selects { &SELECTORS } else { &[] };
    let before = r.problems();
    let mut rule = Rule::default();
    for item in r.entries(name, table) {
        if let Some(key) = budget::Key::named(item.key) {
            if key.figure().counted.is_some() && !cfg!(feature = "instructions") {
                unreadable(r, item);
                continue;
            }
            if let Some(limit) = key.figure().unit.read(r, item) {
                let limit = Spanned::new(limit, r.value_span(item));
                rule.budgets.set(key, limit);
            }
            continue;
        }
        let mut keys = selectors.iter().chain(&REST);
        match keys.find(|key| key.name == item.key) {
            Some(key) => (key.read)(r, item, &mut rule),
            None => {
                r.unknown(item, keys::names(&docs(selects)));
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

fn date(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<Spanned<String>> {
    let text = r.string(item)?;
    if is_date(text.value.as_bytes()) {
        return Some(text);
    }
    let help = "write year, month and day: `expires = \"2027-01-31\"`".to_owned();
    r.bad_at(
        CODE,
        text.span,
        format!("`{}` is not a date", text.value),
        Some(help),
    );
    None
}

/// `2027-01-31`
fn is_date(text: &[u8]) -> bool {
    let &[y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2] = text else {
        return false;
    };
    if ![y1, y2, y3, y4, m1, m2, d1, d2]
        .iter()
        .all(u8::is_ascii_digit)
    {
        return false;
    }
    let two = |a: u8, b: u8| u32::from(a - b'0') * 10 + u32::from(b - b'0');
    let (century, year, month, day) = (two(y1, y2), two(y3, y4), two(m1, m2), two(d1, d2));
    let leap = year % 4 == 0 && (year != 0 || century % 4 == 0);
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 => 28 + u32::from(leap),
        _ => return false,
    };
    (1..=days).contains(&day)
}

/// A budget that this build of cubin-build cannot check must not look as if it were kept.
fn unreadable(r: &mut TableReader<'_>, item: Item<'_, '_>) {
    let message = format!(
        "`{}` needs cubin-build's feature `instructions`, which is off",
        item.key
    );
    let help = "write `features = [\"instructions\"]` for cubin-build under [build-dependencies] in Cargo.toml";
    let span = r.key_span(item);
    r.bad_at(CODE, span, message, Some(help.to_owned()));
}

fn check_rule(r: &mut TableReader<'_>, rule: &Rule, span: &Span) {
    if rule.is_defaults() {
        let message = "this [[rule]] selects no kernel, source, arch or artifact".to_owned();
        let help = "add `kernel = \"...\"`, or move its budgets to [defaults]".to_owned();
        r.bad_at(CODE, span.clone(), message, Some(help));
    }
    if rule.budgets.is_empty() && rule.level.is_none() {
        let message = "this [[rule]] sets no budget and no level".to_owned();
        let help = "add for example `registers = 168`, or `level = \"allow\"`".to_owned();
        r.bad_at(CODE, span.clone(), message, Some(help));
    }
}

/// Patterns of any text; `what` can have no control character in its name.
fn text_patterns(r: &mut TableReader<'_>, item: Item<'_, '_>, what: &str) -> Vec<Spanned<Glob>> {
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
        let message = format!("no {what} can match this pattern: {why}");
        r.bad_at(CODE, text.span, message, None);
    }
    patterns
}

#[cfg(test)]
mod tests {
    use super::is_date;

    #[test]
    fn days_that_there_are() {
        for day in ["2027-01-31", "2028-02-29", "2000-02-29", "0001-12-01"] {
            assert!(is_date(day.as_bytes()), "{day}");
        }
        for day in [
            "2027-02-29",
            "1900-02-29",
            "2027-13-01",
            "2027-00-10",
            "2027-04-31",
            "2027-1-31",
            "2027-01-00",
            "2027/01/31",
            "20270131",
            "",
            "2027-01-3x",
        ] {
            assert!(!is_date(day.as_bytes()), "{day}");
        }
    }
}
