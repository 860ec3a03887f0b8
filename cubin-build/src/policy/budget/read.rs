//! How limits are read from cubin.toml, and figures from a baseline, by their unit.

use super::{
    functions::doubt,
    limit::{Banks, Limit, Occupancy},
    value::{Unit, Value},
};
use crate::{
    config::{
        glob::{self, Glob},
        keys::{Doc, Key, REQUIRED, Table},
        read::{Item, TableName, TableReader},
    },
    diag::codes,
    lists::{AddAll, CollectVec},
    sorted,
    source::Spanned,
};

impl Unit {
    /// The limit that cubin.toml states for a figure of this unit.
    pub(crate) fn read(self, r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<Limit> {
        match self {
            Self::Count => r.count(item).map(|count| Limit::Most(count.value)),
            Self::Bytes => r.size(item).map(|size| Limit::Most(size.value)),
            Self::Banks => banks(r, item).map(Limit::Banks),
            Self::Names => {
                let names = names_of(r, item)?;
                for name in &names {
                    if let Some(help) = doubt(&name.value) {
                        let message = format!("no cubin calls a function `{}`", name.value);
                        let span = name.span.clone();
                        r.bad_at(codes::POLICY_INVALID, span, message, Some(help));
                    }
                }
                let globs = names.into_iter();
                let globs = globs.map(|name| Spanned::new(Glob::new(name.value), name.span));
                Some(Limit::Not(globs.collect_vec()))
            }
            Self::Share => occupancy(r, item).map(Limit::Occupancy),
            Self::Percent => per_mille_of(r, item).map(Limit::MostPerMille),
            Self::Floor => floor(r, item).map(Limit::Least),
        }
    }
}

impl Unit {
    /// The figure that a baseline records.
    pub(crate) fn read_value(self, r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<Value> {
        match self {
            Self::Count | Self::Bytes => r.count(item).map(|count| Value::Number(count.value)),
            Self::Percent => per_mille_of(r, item).map(Value::PerMille),
            Self::Floor => r.count(item).map(|count| Value::Floor(count.value)),
            Self::Banks => {
                r.table(item, Some("for example { 3 = 49152 }"))?;
                let mut own = banks(r, item)?.own;
                sorted::sort(&mut own);
                Some(Value::Banks(own))
            }
            Self::Names => {
                let mut names: Vec<String> = Vec::new();
                names.add_all(names_of(r, item)?.into_iter().map(|name| name.value));
                sorted::sort(&mut names);
                Some(Value::Names(names))
            }
            Self::Share => {
                let share = r.float(item)?.value;
                if (0.0..=1.0).contains(&share) {
                    return Some(Value::Share(share));
                }
                r.bad(item, "occupancy is a share of 0 to 1".to_owned(), None);
                None
            }
        }
    }
}

/// A share like `"62.5%"`, in tenths of a percent.
fn per_mille_of(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<u64> {
    let text = TableReader::text(item).unwrap_or_default();
    let number = text.strip_suffix('%').map_or("", str::trim_end);
    let (whole, tenths) = number.split_once('.').unwrap_or((number, "0"));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    // Longer ones are no share, or finer than what is compared.
    let is_number = matches!(whole.len(), 1..=3) && tenths.len() == 1;
    if is_number && is_digits(whole) && is_digits(tenths) {
        let share = format!("{whole}{tenths}").parse().ok();
        if let Some(share @ 0..=1000) = share {
            return Some(share);
        }
    }
    let help = "for example \"25%\" or \"2.5%\"".to_owned();
    r.bad(
        item,
        format!("`{}` is not a share of 0% to 100%", item.key),
        Some(help),
    );
    None
}

fn floor(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<u64> {
    const FLOOR: Table<Option<u64>> = Table {
        name: "`tensor-core`",
        code: codes::POLICY_INVALID,
        keys: &[Key {
            name: "min",
            doc: Doc {
                value: "count",
                default: REQUIRED,
                meaning: "Least number.",
                example: "min = 1",
            },
            read: |r, item, min| match r.count(item) {
                Some(count) if count.value > 0 => *min = Some(count.value),
                Some(_) => r.bad(item, "`min` is 0, which every kernel has".to_owned(), None),
                None => {}
            },
        }],
    };
    let table = r.table(item, Some("for example { min = 1 }"))?;
    let mut min = None;
    let span = r.value_span(item);
    FLOOR.read(r, table, &span, &mut min);
    min
}

/// The most that a bank's number can be: instructions hold it in 5 bits.
const LAST_BANK: u8 = 31;

fn banks(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<Banks> {
    const NAME: TableName<'static> = TableName {
        name: "`constant`",
        code: codes::POLICY_INVALID,
    };
    let mut banks = Banks::default();
    let Some(table) = TableReader::as_table(item) else {
        let expected = "bytes as an integer, a string like \"48 KiB\", or a table of banks";
        banks.other = Some(r.size_or(item, expected)?.value);
        return Some(banks);
    };
    let before = r.problems();
    for item in r.entries(NAME, table) {
        if item.key == "other" {
            banks.other = r.size(item).map(|size| size.value);
            continue;
        }
        match item.key.parse::<u8>() {
            Ok(bank @ 0..=LAST_BANK) if item.key == bank.to_string() => {
                banks
                    .own
                    .add_all(r.size(item).map(|size| (bank, size.value)));
            }
            _ => {
                let span = r.key_span(item);
                let message = format!("`{}` is not a constant bank", item.key);
                let help = format!(
                    "a bank has a number from 0 to {LAST_BANK}; `other` stands for those not named"
                );
                r.bad_at(NAME.code, span, message, Some(help));
            }
        }
    }
    (r.problems() == before).then_some(banks)
}

/// Names of functions, or patterns over them; nothing when one is wrong.
fn names_of(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<Vec<Spanned<String>>> {
    let before = r.problems();
    let mut names = Vec::new();
    for text in r.unique_strings(item, "function") {
        let could_be =
            |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '.' | '*' | '?');
        if text.value.len() <= glob::LONGEST && text.value.chars().all(could_be) {
            names.push(text);
            continue;
        }
        let message = "no function outside the cubin can match this pattern".to_owned();
        let help = "for example `printf`, `malloc`, `cuda*`".to_owned();
        r.bad_at(codes::POLICY_INVALID, text.span, message, Some(help));
    }
    (r.problems() == before).then_some(names)
}

/// The keys of `occupancy`.
static OCCUPANCY: Table<(Option<u32>, Option<f64>, u64)> = Table {
    name: "`occupancy`",
    code: codes::POLICY_INVALID,
    keys: &[
        Key {
            name: "block",
            doc: Doc {
                value: "threads, 1 to 1024",
                default: REQUIRED,
                meaning: "Threads per block of the launches that count.",
                example: "block = 256",
            },
            read: |r, item, (block, ..)| {
                let Some(threads) = r.count(item) else {
                    return;
                };
                match u32::try_from(threads.value) {
                    Ok(threads @ 1..=1024) => *block = Some(threads),
                    _ => r.bad(item, "a block has 1 to 1024 threads".to_owned(), None),
                }
            },
        },
        Key {
            name: "min",
            doc: Doc {
                value: "share above 0 and at most 1",
                default: REQUIRED,
                meaning: "Least share of the multiprocessor's warps that must fit at once.",
                example: "min = 0.25",
            },
            read: |r, item, (_, min, _)| {
                let Some(share) = r.float(item) else {
                    return;
                };
                if share.value > 0.0 && share.value <= 1.0 {
                    *min = Some(share.value);
                } else {
                    let message = "occupancy is a share above 0 and at most 1".to_owned();
                    r.bad(item, message, Some("25 % is 0.25".to_owned()));
                }
            },
        },
        Key {
            name: "dynamic-shared",
            doc: Doc {
                value: "bytes per block",
                default: "`0`",
                meaning: "Dynamic shared memory that the launch will ask for.",
                example: "dynamic-shared = \"16 KiB\"",
            },
            read: |r, item, (_, _, dynamic)| {
                *dynamic = r.size(item).map_or(0, |size| size.value);
            },
        },
    ],
};

fn occupancy(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<Occupancy> {
    let table = r.table(item, Some("for example { block = 256, min = 0.25 }"))?;
    let mut read = (None, None, 0);
    let span = r.value_span(item);
    OCCUPANCY.read(r, table, &span, &mut read);
    let (block, min, dynamic_shared) = read;
    Some(Occupancy {
        block: block?,
        min: min?,
        dynamic_shared,
    })
}
