//! Values of single keys that have a form of their own.

use super::{
    model::Define,
    nearest,
    read::{CONFIG, Item, TableName, TableReader},
};
use crate::{
    compile::flags::{self, Refusal},
    diag::Level,
    lists::CollectVec,
    source::Spanned,
    toolkit::{COMPONENTS, Component},
    words::{quoted, texts},
};

/// What `[policy] level`, `[prebuilt] stale` and `CUBIN_BUILD_POLICY` may say.
pub const POLICY_LEVELS: [Level; 2] = [Level::Deny, Level::Warn];

/// `version` in `[toolkit]`.
pub(super) fn version(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<Spanned<String>> {
    let version = r.string(item)?;
    let parts: Vec<&str> = version.value.split('.').collect_vec();
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

/// `components` in `[toolkit]`.
pub(super) fn components(
    r: &mut TableReader<'_>,
    item: Item<'_, '_>,
) -> Vec<Spanned<&'static Component>> {
    let mut components = Vec::new();
    for name in r.unique_strings(item, "component") {
        match Component::named(&name.value) {
            Some(component) => components.push(Spanned::new(component, name.span)),
            None => {
                let known = texts(COMPONENTS, &|known| known.name.to_owned());
                let help = match nearest(&name.value, known.iter().map(String::as_str)) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("there are {}", quoted(&known)),
                };
                let message = format!("there is no component `{}`", name.value);
                r.bad_at(CONFIG, name.span, message, Some(help));
            }
        }
    }
    components
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
    r.unique(CONFIG, names.collect_vec(), |name| {
        format!("macro `{name}`")
    });
    defines
}

/// `name` of a module.
pub(super) fn module_name(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<Spanned<String>> {
    let name = r.string(item)?;
    if is_identifier(&name.value) {
        return Some(name);
    }
    let message = format!("`{}` is not the name of a module", name.value);
    let help = "letters, digits and `_`, for example \"solver\"".to_owned();
    r.bad(item, message, Some(help));
    None
}

/// Whether a text is a name in C++ and in Rust, but for keywords.
pub(crate) fn is_identifier(name: &str) -> bool {
    name.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && !name.is_empty()
}

/// `flags` in a table; `table` is the whole build's, or that of some sources or targets, which has fewer keys.
pub(super) fn flags(
    r: &mut TableReader<'_>,
    item: Item<'_, '_>,
    table: FlagTable,
) -> Vec<Spanned<String>> {
    let flags = r.strings(item);
    let words: Vec<String> = flags.iter().map(|flag| flag.value.clone()).collect_vec();
    let refused = flags::refused(&words);
    for (index, refusal) in &refused {
        let flag = &flags[*index];
        if let Some((message, help)) = table.said(&flag.value, refusal) {
            r.bad_at(CONFIG, flag.span.clone(), message, Some(help));
        }
    }
    flags
}

/// Whose flags they are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FlagTable {
    Build,
    Source,
    Target,
}

impl FlagTable {
    /// What is wrong with a flag and what to write instead; `None` where nothing is in such a table.
    fn said(self, flag: &str, refusal: &Refusal) -> Option<(String, String)> {
        let own = format!("flag `{flag}` is set by cubin-build itself");
        let cannot = format!("flag `{flag}` cannot be used");
        Some(match refusal {
            Refusal::Target => (own, "name targets with `arch` in [build]".to_owned()),
            Refusal::Output => (
                own,
                "cubin-build decides what nvcc writes, and where".to_owned(),
            ),
            Refusal::Relocatable => {
                let help = "relocatable code must be linked: name the sources under [[link]]";
                (cannot, help.to_owned())
            }
            Refusal::LinkTime => (cannot, "link-time optimization is not supported".to_owned()),
            Refusal::File => {
                let help = "a change of that file would not be seen: write its flags out";
                (cannot, help.to_owned())
            }
            Refusal::Nothing => {
                let help = "it makes nvcc do something other than compile: take it out";
                (cannot, help.to_owned())
            }
            Refusal::Several(words) => (
                format!("a flag with a blank is two flags: `{flag}`"),
                format!("write {}", flags::listed(words)),
            ),
            Refusal::Standard(value) => {
                let value = value.as_deref().unwrap_or("c++17");
                let whose = match self {
                    Self::Build | Self::Target => "[build]",
                    Self::Source => "this [[source]]",
                };
                (own, format!("write `std = \"{value}\"` in {whose}"))
            }
            Refusal::Lines if self == Self::Build => {
                (own, "write `lineinfo = true` in [build]".to_owned())
            }
            Refusal::Lines => return None,
        })
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
