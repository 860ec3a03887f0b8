//! Findings about `prebuilt/`.

use super::{
    manifest::FORMAT,
    wrong::{Change, Wrong},
};
use crate::{
    diag::{Diag, Level, codes},
    lists::{AddAll, CollectVec},
    words::counted,
};

/// More changes are counted.
const SHOWN: usize = 8;

const AGAIN: &str =
    "run `cargo cubin prebuild` where there is a toolkit, and commit what it writes";

impl From<Wrong> for Diag {
    fn from(wrong: Wrong) -> Self {
        match wrong {
            Wrong::None { manifest, said_by } => Self::error(
                codes::PREBUILT_MISSING,
                format!("there are no prebuilt kernels: {manifest} does not exist"),
            )
            .note(format!("{said_by} says that nothing else is used"))
            .help(AGAIN),
            Wrong::Unreadable { file, why } => Self::error(
                codes::PREBUILT_DAMAGED,
                format!("cannot read {file}: {why}"),
            )
            .help(AGAIN),
            Wrong::Manifest { span, why } => {
                let name = span.file.path().display().to_string();
                Self::error(codes::PREBUILT_DAMAGED, format!("{name} is damaged: {why}"))
                    .at(span, "")
                    .help(AGAIN)
            }
            Wrong::Format { span, format } => {
                let name = span.file.path().display().to_string();
                Self::error(
                    codes::PREBUILT_DAMAGED,
                    format!("{name} has format {format}, and this cubin-build reads format {FORMAT}"),
                )
                .at(span, "")
                .note("prebuilt kernels are read by releases that are compatible with the one that wrote them")
                .help(if format > FORMAT {
                    "build with a newer cubin-build: `cargo update -p cubin-build`, or a newer version in Cargo.toml"
                } else {
                    AGAIN
                })
            }
            Wrong::File { file, why } => Self::error(
                codes::PREBUILT_DAMAGED,
                format!("the prebuilt file {file} is damaged: {why}"),
            )
            .note("the manifest beside it has the hash of every file")
            .help(AGAIN),
            Wrong::Missing {
                units,
                held,
                manifest,
            } => missing(&units, &held, &manifest),
            Wrong::NoPtx { source, target } => Self::error(
                codes::PREBUILT_MISSING,
                format!("the PTX of {source} for {target} is to be embedded, and was not prebuilt"),
            )
            .help(AGAIN),
            Wrong::Stale { changes, level } => {
                stale(&changes, Self::new(codes::PREBUILT_STALE, level, ""))
            }
            Wrong::Outside(files) => {
                let shown = files.iter().take(SHOWN);
                let shown = shown.map(|file| format!("`{}`", file.display()));
                let count = counted(files.len() as u64, "file");
                Self::warning(
                    codes::PREBUILT_OUTSIDE,
                    format!("{count} outside the package went into the prebuilt kernels"),
                )
                .note(shown.collect_vec().join(", "))
                .note("no build will notice when they change")
                .help("copy them into the package, or run `cargo cubin prebuild --check` in CI, which compiles")
            }
            Wrong::Unwritable { path, why } => Self::error(
                codes::OUTPUT_UNWRITABLE,
                format!("cannot write {}: {why}", path.display()),
            ),
            Wrong::Forgotten(source) => Self::error(
                codes::IO_ERROR,
                format!("what the compiler said of {source} could not be kept in OUT_DIR"),
            )
            .help("see whether the disk is full, and run `cargo cubin prebuild` again"),
        }
    }
}

fn missing(units: &[(String, String)], held: &[String], manifest: &str) -> Diag {
    let mut shown: Vec<String> = Vec::new();
    for (source, target) in units {
        let known = shown.iter_mut().find(|known| {
            known
                .strip_prefix(source.as_str())
                .is_some_and(|rest| rest.starts_with(" for "))
        });
        match known {
            Some(known) => known.push_str(&format!(", {target}")),
            None => shown.push(format!("{source} for {target}")),
        }
    }
    let more = shown.len().saturating_sub(SHOWN);
    shown.truncate(SHOWN);
    if more > 0 {
        shown.push(format!("{more} more"));
    }
    let message = format!("there is no prebuilt machine code of {}", shown.join("; "));
    Diag::error(codes::PREBUILT_MISSING, message)
        .note(match held {
            [] => format!("{manifest} has no units"),
            held => format!("{manifest} has {}", held.join(", ")),
        })
        .help(AGAIN)
        .help("with a CUDA toolkit on the machine the sources are compiled")
}

fn stale(changes: &[Change], mut diag: Diag) -> Diag {
    let mut parts = Vec::new();
    let names = |changes: &mut dyn Iterator<Item = &String>| {
        let all: Vec<String> = changes.map(|name| format!("`{name}`")).collect_vec();
        let more = match all.len().saturating_sub(SHOWN) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        (!all.is_empty()).then(|| format!("{}{more}", all[..all.len().min(SHOWN)].join(", ")))
    };
    let mut edited = changes.iter().filter_map(|change| match change {
        Change::Edited(name) => Some(name),
        _ => None,
    });
    parts.add_all(names(&mut edited).map(|names| format!("{names} changed")));
    let mut gone = changes.iter().filter_map(|change| match change {
        Change::Gone(name) => Some(name),
        _ => None,
    });
    parts.add_all(names(&mut gone).map(|names| format!("{names} not there any more")));
    let mut dropped = changes.iter().filter_map(|change| match change {
        Change::Dropped(name) => Some(name),
        _ => None,
    });
    parts.add_all(names(&mut dropped).map(|names| format!("{names} no source any more")));
    let mut options = 0_usize;
    for change in changes {
        let Change::Options { what, new, old } = change else {
            continue;
        };
        options += 1;
        if options > SHOWN {
            continue;
        }
        let words = |words: &[String]| {
            let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect_vec();
            words.join(" ")
        };
        diag = diag.note(match (&new[..], &old[..]) {
            ([], []) => format!("{what} is compiled with the same options in another order"),
            (new, []) => format!("{what} is compiled with {} now", words(new)),
            ([], old) => format!("{what} was compiled with {}", words(old)),
            (new, old) => format!(
                "{what} is compiled with {} now, and was with {}",
                words(new),
                words(old)
            ),
        });
    }
    if options > 0 {
        parts.push("it is compiled in another way".to_owned());
    }
    diag.message = format!(
        "the prebuilt kernels are not those of these sources: {}",
        parts.join("; ")
    );
    let level = diag.level;
    let diag = diag.help(AGAIN);
    if level < Level::Deny {
        return diag;
    }
    diag.help(
        "to go on with the old kernels meanwhile: `stale = \"warn\"` under [prebuilt] in cubin.toml",
    )
}
