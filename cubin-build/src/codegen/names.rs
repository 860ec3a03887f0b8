//! Rust names for C++ names: identifiers, template arguments, overloads. The rules, in order, are part of
//! the generated file's interface:
//!
//! 1. a name stays as it is spelled in the source; characters that Rust does not allow become `_`;
//! 2. template arguments follow, separated by `_`: `reduce<float, 8>` is `reduce_f32_8`; enumerators are in snake case,
//!    scoped ones behind the name of their enumeration: `quantize<GGML_TYPE_Q2_K, Mode::FastMath>` is
//!    `quantize_ggml_type_q2_k_mode_fast_math`, and a number that no enumerator has stays one (`Mode_3`);
//! 3. when several kernels or types share the name so made, types and enumerators in it get their namespaces
//!    (`rec<n1::P>` and `rec<n2::P>` are `rec_n1_P` and `rec_n2_P`); when kernels share that too, the parameter types
//!    follow, with namespaces when nothing else tells them apart; and what is still alike (`S` and `S` of an anonymous
//!    namespace) ends in a hash of its C++ name;
//! 4. keywords become raw identifiers; names that cannot be raw or that the generated file needs for itself, with any
//!    number of `_` behind them, get one more `_`: `load` is `load_` and `load_` is `load__`, so that neither depends on
//!    whether the other is there;
//! 5. constants are in upper case; where that would make two names alike (`ab` and `aB`), they stay as they are;
//! 6. names of more than 200 characters are cut and end in a hash of the whole.

use crate::{
    lists::{AddAll, CollectText, CollectVec},
    signature::model::{TemplateArg, TemplateValue, ValueType},
    sorted::Map,
};

/// Longest name before it is cut. Templates over policies and parameter structs have names of 150 characters and more
/// whose ends tell them apart; a hash in their place would say nothing.
const LONGEST: usize = 200;

/// The largest number of 64 bits, which `cuda::std::dynamic_extent` and others use for one that is not known.
const LARGEST: &str = "18446744073709551615";

/// Strict and reserved keywords of editions 2021 and 2024.
const KEYWORDS: &[&str] = &[
    "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return",
    "static", "struct", "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use",
    "virtual", "where", "while", "yield",
];

/// Cannot be raw identifiers; of underscores alone, one is none.
const NEVER_RAW: &[&str] = &["self", "super", "crate", "Self", ""];

/// Variants that the prelude brings, which no parameter or local may be called like.
pub(super) const VARIANTS: &[&str] = &["Some", "None", "Ok", "Err"];

/// Type names that the text of a generated module uses unqualified.
const TYPE_NAMES: &[&str] = &[
    "Module", "Kernels", "Result", "Option", "Some", "None", "Ok", "Err", "Into", "From",
    "Default", "Copy", "Clone", "Debug", "Drop", "Send", "Sync", "Sized", "Fn", "Box", "Vec",
    "String", "bool", "char", "str", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16",
    "u32", "u64", "u128", "usize", "f32", "f64", "f16", "f128", "size_of", "align_of", "image",
];

/// Modules that a generated module has or imports.
const MODULE_NAMES: &[&str] = &[
    "args",
    "globals",
    "info",
    "instances",
    "runtime",
    "table",
    "types",
    "core",
    "std",
    "cudarc",
    "half",
];

/// Methods and constants of `Module`.
const METHOD_NAMES: &[&str] = &[
    "IMAGES",
    "KERNELS",
    "GLOBALS",
    "load",
    "preload",
    "image",
    "cu_module",
    "cu_function",
    "active_blocks_per_sm",
    "suggested_block_size",
];

/// What a name is for, since each kind has its own reserved names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NameKind {
    /// A local, parameter or field.
    Value,
    /// A struct, union or opaque type.
    Type,
    /// The module of a source file.
    Source,
    /// The module of a namespace; also the method that leads to it.
    Module,
    /// A method of `Module` or `Kernels`.
    Method,
}

/// Makes `name` an identifier.
pub(super) fn ident(name: &str, kind: NameKind) -> String {
    let mut text = sanitize(name);
    if text.len() > LONGEST {
        text = shorten(&text, name);
    }
    let reserved: &[&[&str]] = match kind {
        NameKind::Value => &[],
        NameKind::Type => &[TYPE_NAMES, MODULE_NAMES],
        NameKind::Source => &[MODULE_NAMES],
        NameKind::Module => &[MODULE_NAMES, METHOD_NAMES, TYPE_NAMES],
        NameKind::Method => &[METHOD_NAMES],
    };
    let stem = text.trim_end_matches('_');
    if NEVER_RAW.contains(&stem) || reserved.iter().any(|list| list.contains(&stem)) {
        text.push('_');
    } else if KEYWORDS.contains(&text.as_str()) {
        text.insert_str(0, "r#");
    }
    text
}

/// `name`, with `_` at the end until `taken` does not have it.
pub(super) fn fresh(name: &str, taken: &[String]) -> String {
    let mut text = name.to_owned();
    while taken.contains(&text) {
        // No keyword ends in `_`.
        text = format!("{}_", text.trim_start_matches("r#"));
    }
    text
}

/// A name that something would have in Rust.
#[derive(Debug, Clone)]
pub(super) struct Wanted {
    pub(super) ident: String,
    /// It is what the source says, letter by letter: it stays as it is, and others give way.
    pub(super) natural: bool,
    /// What tells it from all others: its whole name in C++.
    pub(super) whole: String,
}

/// Whether an identifier is the name as the source has it.
pub(super) fn is_as_written(ident: &str, name: &str) -> bool {
    ident.trim_start_matches("r#") == name
}

/// The names, no two alike and none in `taken`: who shares one ends in a hash, but for the only one that is as its source
/// writes it.
pub(super) fn settle(wanted: Vec<Wanted>, kind: NameKind, taken: &[String]) -> Vec<String> {
    let mut users: Map<String, (usize, usize)> = Map::new();
    for one in &wanted {
        let (all, natural) = users.or_default(one.ident.clone());
        *all += 1;
        *natural += usize::from(one.natural);
    }
    let mut used = taken.to_vec();
    let mut names = Vec::new();
    for one in &wanted {
        let (all, natural) = users.get(&one.ident).copied().unwrap_or_default();
        let stays = all == 1 || (one.natural && natural == 1);
        let stays = stays && !taken.contains(&one.ident);
        names.push(stays.then(|| one.ident.clone()));
        used.add_all(stays.then(|| one.ident.clone()));
    }
    let mut settled = Vec::new();
    for (name, one) in names.into_iter().zip(wanted) {
        settled.push(name.unwrap_or_else(|| {
            let plain = one.ident.trim_start_matches("r#");
            let name = fresh(&ident(&hashed(plain, &one.whole), kind), &used);
            used.push(name.clone());
            name
        }));
    }
    settled
}

fn sanitize(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    for character in name.chars() {
        let allowed = character == '_' || character.is_ascii_alphanumeric() || is_letter(character);
        text.push(if allowed { character } else { '_' });
    }
    if text.is_empty() || text.starts_with(|first: char| first.is_numeric()) {
        text.insert(0, '_');
    }
    text
}

/// Letters beyond ASCII, which names of files may have (nvcc spells those of identifiers `_u00f6`): of the alphabets
/// that most people write in, those that Rust takes as they are. Others it refuses in identifiers (`Ⓐ`), takes for
/// another letter (the Kelvin sign for `K`), or warns of with a lint that only the whole crate can allow (`ª`, `ſ`).
fn is_letter(character: char) -> bool {
    match character {
        // Latin.
        '×' | '÷' | 'Ĳ' | 'ĳ' | 'ŀ' | 'Ŀ' | 'ŉ' => false,
        '\u{c0}'..='\u{17e}' => true,
        // Greek, Cyrillic, Hebrew, Arabic.
        '\u{391}'..='\u{3a1}' | '\u{3a3}'..='\u{3ce}' | '\u{400}'..='\u{45f}' => true,
        '\u{5d0}'..='\u{5ea}' | '\u{620}'..='\u{63f}' | '\u{641}'..='\u{64a}' => true,
        // Kana, Chinese characters, Hangul.
        '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' => true,
        '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7a3}' => true,
        _ => false,
    }
}

fn shorten(text: &str, whole: &str) -> String {
    let kept: String = text.chars().take(LONGEST - 9).collect_text();
    hashed(&kept, whole)
}

/// FNV-1a, 32 bits: only has to tell apart the few names of one file that agree in all else.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Splits at `separator` where no bracket is open.
pub(super) fn split_top_level<'a>(text: &'a str, separator: &str) -> Vec<&'a str> {
    let mut parts = Vec::new();
    let (mut depth, mut start, mut at) = (0_i32, 0, 0);
    let bytes = text.as_bytes();
    while at < bytes.len() {
        match bytes[at] {
            b'<' | b'(' | b'[' | b'{' => depth += 1,
            // `->` closes nothing.
            b'>' if at > 0 && bytes[at - 1] == b'-' => {}
            b'>' | b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 && text[at..].starts_with(separator) {
            parts.push(&text[start..at]);
            at += separator.len();
            start = at;
            continue;
        }
        at += 1;
        while !text.is_char_boundary(at) {
            at += 1;
        }
    }
    parts.push(&text[start..]);
    parts
}

/// A C++ name in parts: `ns::Outer<int>::Inner` is `["ns", "Outer<int>", "Inner"]`; parts of anonymous
/// namespaces are left out, and inline ones that are versions, as the toolkit's `cuda::std::__4`.
pub(super) fn components(name: &str) -> Vec<&str> {
    split_top_level(name, "::")
        .into_iter()
        .map(str::trim)
        .filter(|part| !part.is_empty() && !is_anonymous(part) && !is_version(part))
        .collect_vec()
}

/// As nvcc spells the namespace without a name before what is in it.
const ANONYMOUS: &str = "(anonymous namespace)::";

fn is_anonymous(part: &str) -> bool {
    matches!(part, "(anonymous namespace)" | "<unnamed>" | "{anonymous}")
        || part.starts_with("_GLOBAL__N_")
}

/// `__4`: names that C++ leaves to its implementations.
fn is_version(part: &str) -> bool {
    part.strip_prefix("__").is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// How much of a qualified name is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// `P` of `ns::P`.
    Last,
    /// `ns_P` of `ns::P`.
    Whole,
}

/// An argument of a kernel's template as part of a Rust name.
pub(super) fn argument(argument: &TemplateArg, extent: Extent) -> String {
    match &argument.value {
        Some(TemplateValue {
            ty:
                ValueType::Enum {
                    name,
                    enumerator: Some(enumerator),
                },
            ..
        }) => snake_case(&match extent {
            Extent::Last => enumerator_parts(name, enumerator).join("_"),
            Extent::Whole => components(enumerator).join("_"),
        }),
        _ => spell_argument(&argument.text, extent),
    }
}

/// An enumerator as a person calls it: `GGML_TYPE_Q2_K`, `Mode::FastMath`.
pub(super) fn enumerator(enumeration: &str, enumerator: &str) -> String {
    enumerator_parts(enumeration, enumerator).join("::")
}

/// A template argument as part of a Rust name. Unlike in a parameter, `const` makes another type of it.
fn spell_argument(argument: &str, extent: Extent) -> String {
    let argument = argument.trim();
    if !argument.ends_with(['*', '&', ')'])
        && let (rest, true) = strip_const(argument)
    {
        return format!("const_{}", spell(rest, extent));
    }
    spell(argument, extent)
}

/// What tells an enumerator from others: its own name, behind that of its enumeration when it is a scoped one. The
/// names of an enumeration without a scope are unique in the namespace.
fn enumerator_parts<'n>(enumeration: &'n str, enumerator: &'n str) -> Vec<&'n str> {
    let parts = components(enumerator);
    let scope = enumerator
        .strip_prefix(enumeration)
        .is_some_and(|rest| rest.starts_with("::"));
    let kept = if scope { 2 } else { 1 };
    parts[parts.len().saturating_sub(kept)..].to_vec()
}

/// `FastMath` as `fast_math`, `GGML_TYPE_Q2_K` as `ggml_type_q2_k`.
pub(super) fn snake_case(name: &str) -> String {
    let mut text = String::with_capacity(name.len() + 4);
    let mut before = '_';
    for character in name.chars() {
        if character.is_uppercase() && before.is_lowercase() {
            text.push('_');
        }
        text.extend(character.to_lowercase());
        before = character;
    }
    sanitize_middle(&text)
}

/// A C++ type or template argument as part of a Rust name.
pub(super) fn spell(argument: &str, extent: Extent) -> String {
    let argument = argument.trim().trim_start_matches("::").trim();
    // No cast, though it looks like one.
    let anonymous = match extent {
        Extent::Last => "",
        Extent::Whole => "anonymous::",
    };
    let argument = argument.replace(ANONYMOUS, anonymous);
    let argument = argument.trim();
    if let Some((cast, value)) = argument.strip_prefix('(').and_then(split_cast) {
        return short_value(cast, value, extent);
    }
    if let Some(rest) = argument.strip_suffix('*') {
        return match strip_const(rest) {
            (rest, true) => format!("{}_const_ptr", spell(rest, extent)),
            (rest, false) => format!("{}_ptr", spell(rest, extent)),
        };
    }
    for reference in ["&&", "&"] {
        if let Some(rest) = argument.strip_suffix(reference) {
            return format!("{}_ref", spell(strip_const(rest).0, extent));
        }
    }
    if let Some(rest) = argument
        .strip_suffix("__restrict__")
        .or_else(|| argument.strip_suffix("__restrict"))
    {
        return spell(rest, extent);
    }
    let (argument, _) = strip_const(argument);
    if let Some(negative) = argument.strip_prefix('-') {
        return format!("neg{}", sanitize_middle(negative));
    }
    if let Some(name) = builtin(argument) {
        return name.to_owned();
    }
    if argument.trim_end_matches(['u', 'U', 'l', 'L']) == LARGEST {
        return "max".to_owned();
    }
    let parts = components(argument);
    let Some(last) = parts.last() else {
        return sanitize_middle(argument);
    };
    match extent {
        Extent::Last => spell_template(last, extent),
        Extent::Whole => {
            let parts = parts.iter().map(|part| spell_template(part, extent));
            parts.collect_vec().join("_")
        }
    }
}

/// `Vec<float, 4>` as `Vec_f32_4`.
pub(super) fn short_template(part: &str) -> String {
    spell_template(part, Extent::Last)
}

/// `name`, told apart from others of the same Rust name by a hash of the whole C++ name.
pub(super) fn hashed(name: &str, whole: &str) -> String {
    format!("{name}_{:08x}", hash(whole))
}

/// As [`short_template`], with more of the names in its arguments.
pub(super) fn spell_template(part: &str, extent: Extent) -> String {
    let Some(open) = part.find('<') else {
        return sanitize_middle(part);
    };
    let mut text = sanitize_middle(&part[..open]);
    let inside = part[open + 1..].trim_end();
    let inside = inside.strip_suffix('>').unwrap_or(inside);
    for argument in split_top_level(inside, ",") {
        if !argument.trim().is_empty() {
            text.push('_');
            text.push_str(&spell_argument(argument, extent));
        }
    }
    text
}

fn split_cast(rest: &str) -> Option<(&str, &str)> {
    let mut depth = 1;
    for (at, character) in rest.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            let value = rest[at + 1..].trim();
            return (!value.is_empty()).then_some((&rest[..at], value));
        }
    }
    None
}

fn short_value(cast: &str, value: &str, extent: Extent) -> String {
    let number = value.starts_with(|c: char| c.is_ascii_digit() || c == '-');
    let suffix: &[char] = if number { &['u', 'U', 'l', 'L'] } else { &[] };
    let digits = value.trim_end_matches(suffix);
    let text = match digits.strip_prefix('-') {
        Some(positive) => format!("neg{}", sanitize_middle(positive)),
        None => sanitize_middle(digits),
    };
    match builtin(cast.trim()) {
        Some(_) if text == LARGEST => "max".to_owned(),
        Some("bool") if text == "1" => "true".to_owned(),
        Some("bool") if text == "0" => "false".to_owned(),
        Some(_) => text,
        None if text == "0" && cast.trim_end().ends_with('*') => "null".to_owned(),
        // A value of an enumeration, or the address of an object.
        None => format!("{}_{text}", spell(cast, extent)),
    }
}

fn strip_const(text: &str) -> (&str, bool) {
    let mut text = text.trim();
    let mut found = false;
    loop {
        let stripped = text
            .strip_prefix("const ")
            .or_else(|| text.strip_suffix(" const"));
        let stripped = stripped.or_else(|| text.strip_prefix("volatile "));
        match stripped {
            Some(rest) => {
                found |= !text.starts_with("volatile ");
                text = rest.trim();
            }
            None => return (text, found),
        }
    }
}

/// Like [`sanitize`], for the middle of a name: runs of other characters become one `_`.
fn sanitize_middle(text: &str) -> String {
    let words = text.split(|character: char| character != '_' && !character.is_alphanumeric());
    words
        .filter(|word| !word.is_empty())
        .collect_vec()
        .join("_")
}

/// Short names of types that have a Rust counterpart. `long` and `long long` are distinct C++ types of the
/// same size, and a template may be instantiated for both, so they have distinct names.
fn builtin(name: &str) -> Option<&'static str> {
    let name = name.trim_start_matches("::");
    Some(match name {
        "bool" => "bool",
        "char" => "char",
        "signed char" | "int8_t" => "i8",
        "unsigned char" | "uint8_t" => "u8",
        "short" | "short int" | "int16_t" => "i16",
        "unsigned short" | "short unsigned int" | "uint16_t" => "u16",
        "int" | "signed" | "signed int" | "int32_t" => "i32",
        "unsigned" | "unsigned int" | "uint32_t" => "u32",
        "long" | "long int" | "int64_t" => "i64",
        "unsigned long" | "long unsigned int" | "uint64_t" => "u64",
        "size_t" | "std::size_t" => "usize",
        "long long" | "long long int" => "longlong",
        "unsigned long long" | "long long unsigned int" => "ulonglong",
        "__int128" => "i128",
        "unsigned __int128" => "u128",
        "float" => "f32",
        "double" => "f64",
        "__half" | "half" => "f16",
        "__half2" | "half2" => "f16x2",
        "__nv_bfloat16" | "nv_bfloat16" => "bf16",
        "__nv_bfloat162" | "nv_bfloat162" => "bf16x2",
        "__nv_fp8_e4m3" => "f8e4m3",
        "__nv_fp8_e5m2" => "f8e5m2",
        "__nv_fp8_e8m0" => "f8e8m0",
        "__nv_fp4_e2m1" => "f4e2m1",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(argument: &str) -> String {
        spell(argument, Extent::Last)
    }

    #[test]
    fn keywords_and_reserved_names() {
        assert_eq!(ident("type", NameKind::Value), "r#type");
        assert_eq!(ident("self", NameKind::Value), "self_");
        assert_eq!(ident("load", NameKind::Method), "load_");
        assert_eq!(ident("load", NameKind::Value), "load");
        assert_eq!(ident("Result", NameKind::Type), "Result_");
        assert_eq!(ident("3d-conv", NameKind::Module), "_3d_conv");
        assert_eq!(ident("types", NameKind::Module), "types_");
    }

    #[test]
    fn letters_beyond_ascii() {
        assert_eq!(ident("größe", NameKind::Source), "größe");
        assert_eq!(ident("имя", NameKind::Source), "имя");
        assert_eq!(ident("x²", NameKind::Source), "x_");
        assert_eq!(ident("10µs", NameKind::Source), "_10_s");
    }

    #[test]
    fn namespaces_are_no_types() {
        assert_eq!(ident("u32", NameKind::Module), "u32_");
        assert_eq!(ident("u32", NameKind::Source), "u32");
        assert_eq!(ident("load", NameKind::Source), "load");
        assert_eq!(ident("types", NameKind::Source), "types_");
    }

    #[test]
    fn template_arguments() {
        assert_eq!(short("float"), "f32");
        assert_eq!(short("(int)8"), "8");
        assert_eq!(short("(int)-8"), "neg8");
        assert_eq!(short("(bool)1"), "true");
        assert_eq!(short("(ns::Mode)1"), "Mode_1");
        assert_eq!(short("(unsigned long)18446744073709551615ul"), "max");
        assert_eq!(
            short("ns::span<float, 18446744073709551615>"),
            "span_f32_max"
        );
        assert_eq!(short("(const ns::Fp *)0"), "null");
        assert_eq!(short("(anonymous namespace)::Local"), "Local");
        assert_eq!(short("ns::(anonymous namespace)::Local *"), "Local_ptr");
        assert_eq!(short("ns::Point<ns::Fp, (const ns::Fp *)0>::Mem"), "Mem");
        assert_eq!(short("::__half"), "f16");
        assert_eq!(short("const float"), "f32");
        assert_eq!(
            short("View<const float, const float *>"),
            "View_const_f32_f32_const_ptr"
        );
        assert_eq!(short("const float *"), "f32_const_ptr");
        assert_eq!(short("float *__restrict__"), "f32_ptr");
        assert_eq!(short("ns::Vec<float, (int)4>"), "Vec_f32_4");
        assert_eq!(short("ns::Outer<int>::Inner"), "Inner");
        assert_ne!(short("long"), short("long long"));
        assert_eq!(
            short_template("reduce<float, (unsigned int)8>"),
            "reduce_f32_8"
        );
    }

    #[test]
    fn enumerators() {
        let enumerator = |enumeration: &str, enumerator: Option<&str>, text: &str| {
            argument(
                &TemplateArg {
                    text: text.to_owned(),
                    value: Some(TemplateValue {
                        number: 3,
                        ty: ValueType::Enum {
                            name: enumeration.to_owned(),
                            enumerator: enumerator.map(str::to_owned),
                        },
                    }),
                },
                Extent::Last,
            )
        };
        let named = |enumeration, name| enumerator(enumeration, Some(name), name);
        assert_eq!(named("ggml_type", "GGML_TYPE_Q2_K"), "ggml_type_q2_k");
        assert_eq!(named("ns::Old", "ns::kFirst"), "k_first");
        assert_eq!(named("ns::Mode", "ns::Mode::FastMath"), "mode_fast_math");
        assert_eq!(named("ns::Mode", "ns::Mode2"), "mode2");
        assert_eq!(named("Tm<float>::E", "Tm<float>::E1"), "e1");
        assert_eq!(
            named("(anonymous namespace)::Hid", "(anonymous namespace)::H2"),
            "h2"
        );
        assert_eq!(enumerator("ns::Mode", None, "(ns::Mode)3"), "Mode_3");
    }

    #[test]
    fn long_names_are_cut_and_stay_apart() {
        let one = ident(&format!("{}x", "a".repeat(300)), NameKind::Type);
        let other = ident(&format!("{}y", "a".repeat(300)), NameKind::Type);
        assert_eq!(one.len(), LONGEST);
        assert_ne!(one, other);
    }

    #[test]
    fn components_skip_anonymous_namespaces() {
        assert_eq!(
            components("(anonymous namespace)::a::B<c::D>::E"),
            ["a", "B<c::D>", "E"]
        );
        assert_eq!(
            components("cuda::std::__4::span<int, 4>"),
            ["cuda", "std", "span<int, 4>"]
        );
    }
}
