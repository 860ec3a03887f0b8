//! Values of single keys that have a form of their own.

use super::{
    model::Define,
    read::{CONFIG, Item, TableName, TableReader},
};
use crate::source::Spanned;

/// `version` in `[toolkit]`.
pub(super) fn version(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<Spanned<String>> {
    let version = r.string(item)?;
    let parts: Vec<&str> = version.value.split('.').collect();
    let number = |part: &&str| {
        (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !(2..=3).contains(&parts.len()) || !parts.iter().all(number) {
        let message = format!("`{}` is not a version of a CUDA toolkit", version.value);
        let help = "two or three numbers, for example \"13.5\" or \"13.5.37\"".to_owned();
        r.bad(item, message, Some(help));
        return None;
    }
    Some(version)
}

const DEFINE: TableName<'static> = TableName {
    name: "`define` in [build]",
    code: CONFIG,
};

/// `define` in `[build]`: a table, or strings.
pub(super) fn defines(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Vec<Spanned<Define>> {
    let mut defines = Vec::new();
    if let Some(table) = TableReader::as_table(item) {
        for item in r.entries(DEFINE, table) {
            if let Some(value) = r.define_value(item) {
                let name = item.key.to_owned();
                defines.push(Spanned::new(Define { name, value }, r.key_span(item)));
            }
        }
    } else {
        for text in r.strings(item) {
            let (name, value) = match text.value.split_once('=') {
                Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
                None => (text.value, None),
            };
            defines.push(Spanned::new(Define { name, value }, text.span));
        }
    }
    defines.retain(|define| {
        let good = is_identifier(&define.value.name);
        if !good {
            let message = format!("`{}` is not the name of a macro", define.value.name);
            let help = "write \"NAME\" or \"NAME=VALUE\", without -D".to_owned();
            r.bad_at(CONFIG, define.span.clone(), message, Some(help));
        }
        good
    });
    let names = defines
        .iter()
        .map(|define| Spanned::new(define.value.name.clone(), define.span.clone()));
    r.unique(CONFIG, names.collect(), |name| format!("macro `{name}`"));
    defines
}

/// Whether a text is a name in C++ and in Rust, but for keywords.
pub(crate) fn is_identifier(name: &str) -> bool {
    name.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
}

/// `flags` in `[build]`.
pub(super) fn flags(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Vec<Spanned<String>> {
    let mut flags = r.strings(item);
    flags.retain(|flag| {
        let Some(instead) = reserved_flag(&flag.value) else {
            return true;
        };
        let message = format!("flag `{}` is set by cubin-build itself", flag.value);
        r.bad_at(CONFIG, flag.span.clone(), message, Some(instead.to_owned()));
        false
    });
    flags
}

/// Whether nvcc's argument is one that cubin-build sets itself, and what to write instead.
pub fn reserved_flag(flag: &str) -> Option<&'static str> {
    const TARGET: &str = "name targets with `arch` in [build]";
    const PHASE: &str = "cubin-build decides what nvcc writes, and where";
    let name = flag.split('=').next().unwrap_or(flag);
    match name.trim_start_matches('-') {
        _ if !name.starts_with('-') => None,
        "arch" | "gpu-architecture" | "gencode" | "generate-code" | "code" | "gpu-code" => {
            Some(TARGET)
        }
        "cubin" | "ptx" | "fatbin" | "c" | "compile" | "dc" | "device-c" | "dlink"
        | "device-link" | "E" | "preprocess" | "M" | "MM" | "MD" | "MF" | "o" | "output-file"
        | "odir" | "output-directory" | "keep" | "k" | "keep-dir" | "dryrun" | "run" => Some(PHASE),
        "std" => Some("write `std = \"c++17\"` in [build]"),
        "lineinfo" | "generate-line-info" => Some("write `lineinfo = true` in [build]"),
        _ => None,
    }
}

/// `std` in `[build]`.
pub(super) fn language(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<Spanned<String>> {
    let std = r.string(item)?;
    let year = std.value.strip_prefix("c++").unwrap_or("");
    if year.len() != 2 || !year.bytes().all(|byte| byte.is_ascii_digit()) {
        let message = format!("`{}` is not a C++ standard", std.value);
        r.bad(item, message, Some("for example \"c++17\"".to_owned()));
        return None;
    }
    Some(std)
}

/// `file` in `[generate]`.
pub(super) fn file_name(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<Spanned<String>> {
    let name = r.string(item)?;
    let stem = name.value.strip_suffix(".rs").unwrap_or("");
    if stem.is_empty()
        || name
            .value
            .contains(|c: char| matches!(c, '/' | '\\') || c.is_control())
    {
        let message = format!("`{}` is not the name of a Rust file", name.value);
        let help =
            "a name without directories that ends in .rs: it is written to OUT_DIR".to_owned();
        r.bad(item, message, Some(help));
        return None;
    }
    Some(name)
}
