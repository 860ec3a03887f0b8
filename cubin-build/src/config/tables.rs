//! The tables of cubin.toml, key by key.

use cubin_core::arch::Sm;
use toml::de::DeTable;

use super::{
    Backend, Build, Config, DeclaredKernel, Define, Generate, Half, Instantiate, Link, Toolkit,
    problem::{Missing, UnknownKey},
    ptx,
    read::{CONFIG, Item, Reader, TableName},
    rules::rule,
};
use crate::{
    diag::{Code, Diag, codes},
    source::{SourceFile, Span, Spanned},
};

const TOP: TableName<'static> = TableName {
    name: "",
    code: CONFIG,
};
const DEFAULTS: TableName<'static> = TableName {
    name: "[defaults]",
    code: codes::POLICY_INVALID,
};
pub(super) const RULE: TableName<'static> = TableName {
    name: "[[rule]]",
    code: codes::POLICY_INVALID,
};

const TOP_KEYS: &[&str] = &[
    "toolkit",
    "build",
    "generate",
    "defaults",
    "rule",
    "baseline",
    "instantiate",
    "link",
    "kernel",
];
const TOOLKIT_KEYS: &[&str] = &["version", "install"];
const BUILD_KEYS: &[&str] = &[
    "arch", "sources", "dirs", "exclude", "include", "define", "flags", "std", "lineinfo", "ptx",
];
const GENERATE_KEYS: &[&str] = &["backend", "half", "file"];
pub(super) const DEFAULTS_KEYS: &[&str] = &[
    "registers",
    "stack",
    "spills",
    "params",
    "static-shared",
    "occupancy",
    "level",
    "reason",
];
pub(super) const RULE_KEYS: &[&str] = &[
    "kernel",
    "arch",
    "registers",
    "stack",
    "spills",
    "params",
    "static-shared",
    "occupancy",
    "level",
    "reason",
];
pub(super) const OCCUPANCY_KEYS: &[&str] = &["block", "min", "dynamic-shared"];
const BASELINE_KEYS: &[&str] = &["file"];
const INSTANTIATE_KEYS: &[&str] = &["kernel", "file"];
const LINK_KEYS: &[&str] = &["name", "sources", "dirs", "libraries"];
const KERNEL_KEYS: &[&str] = &["symbol", "params"];

/// Which tables have a key, for the message about one in the wrong place.
const PLACES: &[(&str, &[&str])] = &[
    ("[toolkit]", TOOLKIT_KEYS),
    ("[build]", BUILD_KEYS),
    ("[generate]", GENERATE_KEYS),
    ("[defaults] or a [[rule]]", DEFAULTS_KEYS),
    ("[[rule]]", RULE_KEYS),
    ("[[link]]", LINK_KEYS),
    ("[[kernel]]", KERNEL_KEYS),
];

pub(super) fn parse(file: &SourceFile) -> (Config, Vec<Diag>) {
    let mut reader = Reader::new(file);
    let mut config = Config::default();
    if let Some(document) = reader.parse() {
        top(&mut reader, &document, &mut config);
    }
    (config, reader.finish())
}

fn top(r: &mut Reader<'_>, document: &DeTable<'_>, config: &mut Config) {
    for item in r.entries(TOP, document) {
        match item.key {
            "toolkit" => {
                if let Some(table) = r.table(item, None) {
                    config.toolkit = toolkit(r, table);
                }
            }
            "build" => {
                if let Some(table) = r.table(item, None) {
                    config.build = build(r, table);
                }
            }
            "generate" => {
                if let Some(table) = r.table(item, None) {
                    config.generate = generate(r, table);
                }
            }
            "defaults" => {
                if let Some(table) = r.table(item, Some("write [defaults], there is only one")) {
                    config.defaults = rule(r, DEFAULTS, table, r.value_span(item));
                }
            }
            "rule" => {
                for (table, span) in r.tables(item) {
                    let rule = rule(r, RULE, table, span);
                    config.rules.push(rule);
                }
            }
            "baseline" => {
                if let Some(table) = r.table(item, Some("write [baseline]\nfile = \"...\"")) {
                    config.baseline = baseline(r, table, r.value_span(item));
                }
            }
            "instantiate" => {
                for (table, span) in r.tables(item) {
                    config.instantiate.extend(instantiate(r, table, span));
                }
            }
            "link" => {
                for (table, span) in r.tables(item) {
                    config.links.extend(link(r, table, span));
                }
                let names = config.links.iter().map(|link| link.name.clone());
                r.unique(CONFIG, names.collect(), |name| {
                    format!("linked module `{name}`")
                });
            }
            "kernel" => {
                for (table, span) in r.tables(item) {
                    config.kernels.extend(declared(r, table, span));
                }
                let symbols = config.kernels.iter().map(|kernel| kernel.symbol.clone());
                r.unique(CONFIG, symbols.collect(), |symbol| {
                    format!("kernel `{symbol}`")
                });
            }
            _ => unknown(r, item, "", TOP_KEYS),
        }
    }
}

pub(super) fn unknown(r: &mut Reader<'_>, item: Item<'_, '_>, table: &str, known: &[&str]) {
    let elsewhere = PLACES
        .iter()
        .find(|(_, keys)| keys.contains(&item.key))
        .map(|(place, _)| *place);
    let span = r.key_span(item);
    r.add(UnknownKey {
        key: item.key,
        span,
        table,
        known,
        elsewhere,
    });
}

fn toolkit(r: &mut Reader<'_>, table: &DeTable<'_>) -> Toolkit {
    let mut toolkit = Toolkit::default();
    for item in r.entries(named("[toolkit]"), table) {
        match item.key {
            "version" => toolkit.version = version(r, item),
            "install" => toolkit.install = r.bool(item),
            _ => unknown(r, item, "[toolkit]", TOOLKIT_KEYS),
        }
    }
    let install = toolkit.install.as_ref().filter(|install| install.value);
    if let Some(install) = install.filter(|_| !table.contains_key("version")) {
        let message = "`install` in [toolkit] needs a `version`".to_owned();
        let help = "for example `version = \"13.5\"`".to_owned();
        r.bad_at(CONFIG, install.span.clone(), message, Some(help));
    }
    toolkit
}

fn version(r: &mut Reader<'_>, item: Item<'_, '_>) -> Option<Spanned<String>> {
    let version = r.string(item)?;
    let parts: Vec<&str> = version.value.split('.').collect();
    let number = |part: &&str| {
        (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    if !(2..=3).contains(&parts.len()) || !parts.iter().all(number) {
        let message = format!("`{}` is no version of a CUDA toolkit", version.value);
        let help = "two or three numbers, for example \"13.5\" or \"13.5.37\"".to_owned();
        r.bad(item, message, Some(help));
        return None;
    }
    Some(version)
}

fn build(r: &mut Reader<'_>, table: &DeTable<'_>) -> Build {
    let mut build = Build::default();
    for item in r.entries(named("[build]"), table) {
        match item.key {
            "arch" => build.arch = targets(r, item),
            "sources" => build.sources = r.unique_strings(item, "source"),
            "dirs" => build.dirs = r.unique_strings(item, "directory"),
            "exclude" => build.exclude = r.unique_strings(item, "pattern"),
            "include" => build.include = r.unique_strings(item, "include directory"),
            "define" => build.define = defines(r, item),
            "flags" => build.flags = flags(r, item),
            "std" => build.std = language(r, item),
            "lineinfo" => build.lineinfo = r.bool(item),
            "ptx" => build.ptx = ptx::read(r, item),
            _ => unknown(r, item, "[build]", BUILD_KEYS),
        }
    }
    build
}

fn targets(r: &mut Reader<'_>, item: Item<'_, '_>) -> Vec<Spanned<Sm>> {
    let mut targets = Vec::new();
    for text in r.strings(item) {
        match text.value.parse::<Sm>() {
            Ok(sm) => targets.push(Spanned::new(sm, text.span)),
            Err(error) => {
                let help = target_help(&text.value);
                r.bad_at(CONFIG, text.span, error.to_string(), help);
            }
        }
    }
    r.unique(CONFIG, targets, |sm| format!("target `{sm}`"))
}

/// What was probably meant by a text that is no target.
pub(super) fn target_help(text: &str) -> Option<String> {
    if text == "native" {
        return Some(
            "a build must not depend on the GPU of the machine: name the target".to_owned(),
        );
    }
    let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let guess = format!("sm_{}", digits.replace('.', ""));
    guess.parse::<Sm>().ok()?;
    if !text.starts_with("compute_") {
        return Some(format!("did you mean `{guess}`?"));
    }
    let mut help = format!("cubins are for real architectures: write `{guess}`");
    if ptx::virtual_architecture(text).is_ok() {
        help.push_str(&format!(", and `ptx = \"{text}\"` for PTX"));
    }
    Some(help)
}

fn defines(r: &mut Reader<'_>, item: Item<'_, '_>) -> Vec<Spanned<Define>> {
    let mut defines = Vec::new();
    if let Some(table) = Reader::as_table(item) {
        for item in r.entries(named("`define` in [build]"), table) {
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
            let message = format!("`{}` is no name of a macro", define.value.name);
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

fn flags(r: &mut Reader<'_>, item: Item<'_, '_>) -> Vec<Spanned<String>> {
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

fn language(r: &mut Reader<'_>, item: Item<'_, '_>) -> Option<Spanned<String>> {
    let std = r.string(item)?;
    let year = std.value.strip_prefix("c++").unwrap_or("");
    if year.len() != 2 || !year.bytes().all(|byte| byte.is_ascii_digit()) {
        let message = format!("`{}` is no C++ standard", std.value);
        r.bad(item, message, Some("for example \"c++17\"".to_owned()));
        return None;
    }
    Some(std)
}

fn generate(r: &mut Reader<'_>, table: &DeTable<'_>) -> Generate {
    let mut generate = Generate::default();
    for item in r.entries(named("[generate]"), table) {
        match item.key {
            "backend" => {
                let words = [("cudarc", Backend::Cudarc), ("core", Backend::Core)];
                generate.backend = r.word(item, &words);
            }
            "half" => {
                let words = [("newtype", Half::Newtype), ("half", Half::Half)];
                generate.half = r.word(item, &words);
            }
            "file" => generate.file = file_name(r, item),
            _ => unknown(r, item, "[generate]", GENERATE_KEYS),
        }
    }
    generate
}

fn file_name(r: &mut Reader<'_>, item: Item<'_, '_>) -> Option<Spanned<String>> {
    let name = r.string(item)?;
    let stem = name.value.strip_suffix(".rs").unwrap_or("");
    if stem.is_empty()
        || name
            .value
            .contains(|c: char| matches!(c, '/' | '\\') || c.is_control())
    {
        let message = format!("`{}` is no name of a Rust file", name.value);
        let help =
            "a name without directories that ends in .rs: it is written to OUT_DIR".to_owned();
        r.bad(item, message, Some(help));
        return None;
    }
    Some(name)
}

fn baseline(r: &mut Reader<'_>, table: &DeTable<'_>, span: Span) -> Option<Spanned<String>> {
    let mut file = None;
    for item in r.entries(named("[baseline]"), table) {
        match item.key {
            "file" => file = r.string(item),
            _ => unknown(r, item, "[baseline]", BASELINE_KEYS),
        }
    }
    if !table.contains_key("file") {
        missing(r, CONFIG, "[baseline]", "file", &span);
    }
    file
}

fn instantiate(r: &mut Reader<'_>, table: &DeTable<'_>, span: Span) -> Option<Instantiate> {
    let (mut kernel, mut file) = (None, None);
    for item in r.entries(named("[[instantiate]]"), table) {
        match item.key {
            "kernel" => kernel = r.string(item),
            "file" => file = r.string(item),
            _ => unknown(r, item, "[[instantiate]]", INSTANTIATE_KEYS),
        }
    }
    if !table.contains_key("kernel") {
        missing(r, CONFIG, "[[instantiate]]", "kernel", &span);
    }
    Some(Instantiate {
        kernel: kernel?,
        file,
    })
}

fn link(r: &mut Reader<'_>, table: &DeTable<'_>, span: Span) -> Option<Link> {
    let mut name = None;
    let (mut sources, mut dirs, mut libraries) = (Vec::new(), Vec::new(), Vec::new());
    for item in r.entries(named("[[link]]"), table) {
        match item.key {
            "name" => {
                name = r.string(item).filter(|name| {
                    let good = is_identifier(&name.value);
                    if !good {
                        let message = format!("`{}` is no name of a module", name.value);
                        let help = "letters, digits and `_`, for example \"solver\"".to_owned();
                        r.bad(item, message, Some(help));
                    }
                    good
                });
            }
            "sources" => sources = r.unique_strings(item, "source"),
            "dirs" => dirs = r.unique_strings(item, "directory"),
            "libraries" => libraries = r.unique_strings(item, "library"),
            _ => unknown(r, item, "[[link]]", LINK_KEYS),
        }
    }
    if !table.contains_key("name") {
        missing(r, CONFIG, "[[link]]", "name", &span);
    }
    if !table.contains_key("sources") && !table.contains_key("dirs") {
        missing(r, CONFIG, "[[link]]", "sources", &span);
    }
    Some(Link {
        name: name?,
        sources,
        dirs,
        libraries,
    })
}

fn declared(r: &mut Reader<'_>, table: &DeTable<'_>, span: Span) -> Option<DeclaredKernel> {
    let (mut symbol, mut params, mut params_span) = (None, Vec::new(), None);
    for item in r.entries(named("[[kernel]]"), table) {
        match item.key {
            "symbol" => symbol = r.string(item),
            "params" => {
                params = r.strings(item);
                params_span = Some(r.value_span(item));
            }
            _ => unknown(r, item, "[[kernel]]", KERNEL_KEYS),
        }
    }
    for key in KERNEL_KEYS {
        if !table.contains_key(*key) {
            missing(r, CONFIG, "[[kernel]]", key, &span);
        }
    }
    Some(DeclaredKernel {
        symbol: symbol?,
        params,
        params_span,
    })
}

pub(super) fn missing(r: &mut Reader<'_>, code: Code, table: &str, key: &str, span: &Span) {
    let example = match (table, key) {
        (_, "block") => "block = 256",
        (_, "min") => "min = 0.25",
        ("[baseline]", _) => "file = \"cubin-baseline.toml\"",
        (_, "symbol") => "symbol = \"saxpy\"",
        ("[[link]]", "name") => "name = \"solver\"",
        ("[[link]]", _) => "sources = [\"a.cu\", \"b.cu\"]",
        (_, "params") => "params = [\"u32\", \"*mut f32\"]",
        _ => "kernel = \"scale<float>\"",
    };
    r.add(Missing {
        code,
        table,
        key,
        span: span.clone(),
        example,
    });
}

const fn named(name: &str) -> TableName<'_> {
    TableName { name, code: CONFIG }
}
