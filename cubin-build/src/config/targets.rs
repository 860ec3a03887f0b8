//! Targets and PTX versions by name.

use cubin_core::arch::{Sm, Suffix};

use super::{
    glob::Glob,
    model::Ptx,
    read::{CONFIG, Item, TableReader},
};
use crate::{diag::Code, source::Spanned};

/// `arch` in `[build]`.
pub(super) fn targets(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Vec<Spanned<Sm>> {
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

/// Patterns of targets; problems have the given code.
pub(super) fn patterns(
    r: &mut TableReader<'_>,
    item: Item<'_, '_>,
    code: Code,
) -> Vec<Spanned<Glob>> {
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
                r.bad_at(code, text.span, message, help);
                continue;
            }
        } else if let Err(error) = text.value.parse::<Sm>() {
            let help = target_help(&text.value);
            r.bad_at(code, text.span, error.to_string(), help);
            continue;
        }
        patterns.push(Spanned::new(glob, text.span));
    }
    patterns
}

/// What was probably meant by a text that is not a target.
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
    if virtual_architecture(text).is_ok() {
        help.push_str(&format!(", and `ptx = \"{text}\"` for PTX"));
    }
    Some(help)
}

/// `ptx` in `[build]`: `true`, `false`, a name, or several.
pub(super) fn ptx(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<Spanned<Ptx>> {
    let span = r.value_span(item);
    if TableReader::is_bool(item) {
        let embed = r.bool(item)?.value;
        return Some(Spanned::new(
            if embed { Ptx::Newest } else { Ptx::None },
            span,
        ));
    }
    let mut names = Vec::new();
    for text in r.strings_or(item, "true, false, a string or an array of strings") {
        match virtual_architecture(&text.value) {
            Ok(target) => names.push(Spanned::new(target, text.span)),
            Err((message, help)) => r.bad_at(CONFIG, text.span, message, help),
        }
    }
    let names = r.unique(CONFIG, names, |sm| {
        format!("PTX for `{}`", sm.to_string().replacen("sm", "compute", 1))
    });
    Some(Spanned::new(Ptx::Of(names), span))
}

/// `virtual`: by the target that stands for it.
pub(super) fn virtual_arch(r: &mut TableReader<'_>, item: Item<'_, '_>) -> Option<Spanned<Sm>> {
    let text = r.string(item)?;
    match compute(&text.value) {
        Ok(target) => Some(Spanned::new(target, text.span)),
        Err((message, help)) => {
            r.bad_at(CONFIG, text.span, message, help);
            None
        }
    }
}

/// The target that stands for a virtual architecture whose PTX is worth embedding.
///
/// # Errors
/// What is wrong with the name, and a help.
pub(crate) fn virtual_architecture(text: &str) -> Result<Sm, (String, Option<String>)> {
    let target = compute(text)?;
    if target.suffix != Suffix::None {
        return Err((
            format!("PTX for `{text}` runs nowhere that the cubin for {target} does not"),
            Some(format!(
                "only PTX without a suffix runs on newer GPUs: write `compute_{}`",
                target.number
            )),
        ));
    }
    Ok(target)
}

/// The target that stands for a virtual architecture.
///
/// # Errors
/// What is wrong with the name, and a help.
pub(crate) fn compute(text: &str) -> Result<Sm, (String, Option<String>)> {
    let named = text
        .strip_prefix("compute_")
        .map(|rest| format!("sm_{rest}"));
    named
        .and_then(|name| name.parse::<Sm>().ok())
        .ok_or_else(|| {
            let digits = text.trim_start_matches(|c: char| !c.is_ascii_digit());
            let guess = format!("sm_{}", digits.replace('.', ""));
            let help = guess.parse::<Sm>().is_ok();
            (
                format!(
                    "`{text}` is not a virtual architecture; expected for example `compute_90`"
                ),
                help.then(|| format!("did you mean `{}`?", guess.replacen("sm", "compute", 1))),
            )
        })
}
