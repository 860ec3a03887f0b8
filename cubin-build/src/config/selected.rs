//! `[[source]]` and `[[target]]`: what some sources, or some targets, have for themselves.

use super::{
    glob::{Glob, LONGEST},
    keys::{Doc, Key, REQUIRED, Table},
    model::{Config, SourceOptions, TargetOptions},
    read::{CONFIG, Item, TableReader},
    targets::{patterns, targets, virtual_arch},
    values::{FlagTable, flags, language},
};
use crate::source::{Span, Spanned};

pub(super) static SOURCE: Table<SourceOptions> = Table {
    name: "[[source]]",
    code: CONFIG,
    keys: &[
        Key {
            name: "path",
            doc: Doc {
                value: "pattern or array of patterns",
                default: REQUIRED,
                meaning: "The sources that the table is for: a pattern without `/` is compared with a file's name, any other \
                          with its path; `*` and `?` match as in rules. A file that is named, and the `.cu` files that a \
                          pattern matches below a folder that it names (`hopper/*.cu`), are sources by that.",
                example: "path = \"hopper/*.cu\"",
            },
            read: |r, item, source| source.path = path_patterns(r, item),
        },
        Key {
            name: "arch",
            doc: Doc {
                value: "target or array of targets",
                default: "those of `[build]`",
                meaning: "Targets of these sources alone, instead of those of `[build]`.",
                example: "arch = \"sm_90a\"",
            },
            read: |r, item, source| source.arch = targets(r, item),
        },
        Key {
            name: "flags",
            doc: Doc {
                value: "argument or array of arguments",
                default: "none",
                meaning: "Arguments of nvcc for these sources, after all others.",
                example: "flags = [\"-maxrregcount=168\"]",
            },
            read: |r, item, source| source.flags = flags(r, item, FlagTable::Source),
        },
        Key {
            name: "std",
            doc: Doc {
                value: "C++ standard",
                default: "that of `[build]`",
                meaning: "The C++ standard of these sources.",
                example: "std = \"c++20\"",
            },
            read: |r, item, source| source.std = language(r, item),
        },
        Key {
            name: "split-compile",
            doc: Doc {
                value: "2 to 64",
                default: "one thread",
                meaning: "Threads that cicc and ptxas may take for each of these sources (`--split-compile`): for a file that \
                          takes so long by itself that all others are done before it. The number is part of what comes out, \
                          and with the same number that is the same on every machine.",
                example: "split-compile = 4",
            },
            read: |r, item, source| source.split_compile = split_compile(r, item),
        },
        Key {
            name: "include",
            doc: Doc {
                value: "path or array of paths",
                default: "none",
                meaning: "Folders that are searched for headers before those of `[build]`.",
                example: "include = [\"cutlass/include\"]",
            },
            read: |r, item, source| source.include = r.unique_strings(item, "include directory"),
        },
    ],
};

pub(super) static TARGET: Table<TargetOptions> = Table {
    name: "[[target]]",
    code: CONFIG,
    keys: &[
        Key {
            name: "arch",
            doc: Doc {
                value: "pattern or array of patterns",
                default: REQUIRED,
                meaning: "The targets that the table is for.",
                example: "arch = \"sm_9*\"",
            },
            read: |r, item, target| target.arch = patterns(r, item, CONFIG),
        },
        Key {
            name: "virtual",
            doc: Doc {
                value: "virtual architecture",
                default: "that of `[build]`, or of each target",
                meaning: "One virtual architecture for these targets. Needs this or `flags`.",
                example: "virtual = \"compute_80\"",
            },
            read: |r, item, target| target.virtual_arch = virtual_arch(r, item),
        },
        Key {
            name: "flags",
            doc: Doc {
                value: "argument or array of arguments",
                default: "none",
                meaning: "Arguments of nvcc for these targets, after those of `[build]` and before those of a `[[source]]`.",
                example: "flags = [\"-DTILE=128\"]",
            },
            read: |r, item, target| target.flags = flags(r, item, FlagTable::Target),
        },
    ],
};

pub(super) fn sources(r: &mut TableReader<'_>, item: Item<'_, '_>, config: &mut Config) {
    for (toml, span) in r.tables(item) {
        let mut source = SourceOptions::default();
        let before = r.problems();
        SOURCE.read(r, toml, &span, &mut source);
        // A table of which something could not be read says nothing of what it leaves out.
        if r.problems() == before && toml.len() == 1 {
            asks_for_nothing(r, &span);
        }
        config.source_options.push(source);
    }
}

/// `split-compile`. One thread is no split, and zero, all that the machine has, would be another result on each.
fn split_compile(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<Spanned<u64>> {
    let threads = r.count(item)?;
    if (2..=64).contains(&threads.value) {
        return Some(threads);
    }
    let message = format!("`split-compile` cannot be {}", threads.value);
    r.bad(
        item,
        message,
        Some("a number of threads from 2 to 64".to_owned()),
    );
    None
}

fn asks_for_nothing(r: &mut TableReader<'_>, span: &Span) {
    let message = "this [[source]] says nothing of its sources".to_owned();
    let help = "add for example `arch = \"sm_90a\"`, or name the files under `sources` in [build]";
    r.bad_at(CONFIG, span.clone(), message, Some(help.to_owned()));
}

pub(super) fn target_tables(r: &mut TableReader<'_>, item: Item<'_, '_>, config: &mut Config) {
    for (toml, span) in r.tables(item) {
        let mut target = TargetOptions::default();
        let before = r.problems();
        TARGET.read(r, toml, &span, &mut target);
        if r.problems() == before && toml.len() == 1 {
            let message = "this [[target]] says nothing of its targets".to_owned();
            let help = "add for example `flags = [\"-DTILE=128\"]`, or name targets with `arch` in [build]";
            r.bad_at(CONFIG, span, message, Some(help.to_owned()));
        }
        config.target_options.push(target);
    }
}

fn path_patterns(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Vec<Spanned<Glob>> {
    let mut patterns = Vec::new();
    for text in r.unique_strings(item, "pattern") {
        if text.value.len() > LONGEST {
            let message =
                format!("no file can match this pattern: it is longer than {LONGEST} bytes");
            r.bad_at(CONFIG, text.span, message, None);
        } else {
            patterns.push(Spanned::new(Glob::new(text.value), text.span));
        }
    }
    patterns
}
