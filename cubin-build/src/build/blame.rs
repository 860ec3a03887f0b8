//! What a tool's message comes down to, where it names neither the place nor the remedy: a flag that was written in
//! `cubin.toml`, a function that another source defines, PTX for another target.

use std::path::Path;

use cubin_core::{Sm, arch::Suffix};

use super::{
    places::Places,
    problem::{Mistake, Origin, Problem},
    settings::Settings,
    sources::SPLIT_COMPILE,
};
use crate::{
    compile::{self, Failure, Known, Message},
    config,
    env::Env,
    lists::CollectVec,
    signature,
    source::{Span, Spanned},
    toolkit::Toolkit,
};

/// What the message of a failure means, for whoever shows it.
#[derive(Debug)]
pub(super) struct Meaning {
    /// Instead of the tool's own words.
    pub(super) words: String,
    pub(super) place: Option<Span>,
    pub(super) help: String,
}

/// The meaning of a failure's first error; `source` is the file that the user named.
pub(super) fn meaning(
    message: &Message,
    source: &Path,
    settings: &Settings,
    places: &mut Places,
) -> Option<Meaning> {
    match message.known()? {
        Known::Unresolved(symbol) => {
            let function = signature::cxx_function(symbol);
            let function = function.unwrap_or_else(|| symbol.to_owned());
            let name = signature::cxx_name(symbol).unwrap_or_else(|| symbol.to_owned());
            let last = name.rsplit("::").next().unwrap_or(&name);
            let last = last.split('<').next().unwrap_or(last);
            Some(Meaning {
                words: format!("`{function}` is declared and called, and no code of it is there"),
                place: places.declaration(source, last, &settings.options.includes),
                help: "each source is a program of its own: to call a function of another one, name both under [[link]] in \
                       cubin.toml; or define it in a header that both include"
                    .to_owned(),
            })
        }
        Known::OtherTarget => {
            let (place, written) = places.ptx_target(source)?;
            let written: Sm = written.parse().ok()?;
            let serves = serves(written);
            Some(Meaning {
                words: format!("its `.target` is {written}, which can be assembled for {serves} only"),
                place: Some(place),
                help: format!(
                    "give it targets of its own in cubin.toml: [[source]] with `path = \"{}\"` and `arch = [\"{written}\"]`",
                    source.display()
                ),
            })
        }
        Known::NewerPtx => Some(Meaning {
            words: message.text.clone(),
            place: places.line(message.file.as_deref().unwrap_or(source), message.line?),
            help: "a newer toolkit made it: take that one ([toolkit] version in cubin.toml), or make the PTX with this one"
                .to_owned(),
        }),
        Known::Copied(_) | Known::HostCode(_) | Known::Refused { .. } => None,
    }
}

/// The targets that PTX for a target can be assembled for.
fn serves(target: Sm) -> String {
    match target.suffix {
        Suffix::None => format!("{target} and newer targets"),
        Suffix::Family => format!("{target} and newer targets of its family"),
        _ => format!("{target} itself"),
    }
}

/// A warning that means more than it says.
pub(super) fn warning(message: &Message, place: Option<Span>) -> Option<Problem> {
    match message.known()? {
        Known::Copied(name) => Some(Problem::ExternCopied {
            name: name.to_owned(),
            place,
        }),
        Known::HostCode(names) => Some(Problem::HostCodeDropped {
            names: names.split(", ").map(str::to_owned).collect_vec(),
            place,
        }),
        _ => None,
    }
}

/// A flag, or the value of a key, that a tool refuses, where it was written; `None` when that is not known.
pub(super) fn refused(
    failure: &Failure,
    settings: &Settings,
    env: &Env,
    toolkit: &Toolkit,
) -> Option<Problem> {
    let message = failure.first_error()?;
    let Known::Refused { text, option } = message.known()? else {
        return None;
    };
    let (written, origin) = written(text, option, settings, env)?;
    let known = compile::help(env, toolkit);
    let host_only = ["-W", "-f", "-m"]
        .iter()
        .any(|start| written.starts_with(start));
    let near = config::nearest(&written, known.options.iter().map(String::as_str));
    let help = match (option.and_then(|option| known.values(option)), near) {
        (Some(values), _) => Some(format!(
            "nvcc {} knows {}",
            toolkit.version,
            values.join(", ")
        )),
        (None, Some(near)) if text == written => Some(format!("did you mean `{near}`?")),
        (None, None) if text == written && host_only => Some(format!(
            "options of the host compiler go through nvcc: \"-Xcompiler={written}\""
        )),
        _ => None,
    };
    let mistake = Mistake::Refused {
        program: match message.tool {
            compile::Tool::Ptxas => "ptxas",
            compile::Tool::Host => "the host compiler",
            _ => "nvcc",
        },
        written,
        said: message.text.clone(),
        help,
    };
    Some(Problem::Asked(mistake, origin))
}

/// What was written that holds `text`, and where.
fn written(
    text: &str,
    option: Option<&str>,
    settings: &Settings,
    env: &Env,
) -> Option<(String, Origin)> {
    let config = &settings.config;
    let own = &config.source_options;
    if option == Some("std") {
        let keys = [&config.build.std].into_iter();
        let mut keys = keys.chain(own.iter().map(|own| &own.std)).flatten();
        if let Some(key) = keys.find(|key| key.value == text) {
            return Some((key.value.clone(), Origin::File(key.span.clone())));
        }
        if settings.options.std.as_deref() == Some(text) {
            return Some((text.to_owned(), Origin::Script("std")));
        }
    }
    if let Some(threads) = text.strip_prefix(SPLIT_COMPILE) {
        let mut keys = own.iter().filter_map(|own| own.split_compile.as_ref());
        let key = keys.find(|key| key.value.to_string() == threads)?;
        return Some((text.to_owned(), Origin::File(key.span.clone())));
    }
    let of_targets = config.target_options.iter().flat_map(|table| &table.flags);
    let flags = config.build.flags.iter();
    let flags: Vec<&Spanned<String>> = flags
        .chain(own.iter().flat_map(|own| &own.flags))
        .chain(of_targets)
        .collect_vec();
    let same = flags.iter().find(|flag| flag.value == text);
    let holds = || flags.iter().find(|flag| flag.value.contains(text));
    if let Some(flag) = same.or_else(holds) {
        return Some((flag.value.clone(), Origin::File(flag.span.clone())));
    }
    let mut script = settings.options.flags.iter();
    if let Some(flag) = script.find(|flag| flag.contains(text)) {
        return Some((flag.clone(), Origin::Script("flag")));
    }
    ["NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"]
        .into_iter()
        .find_map(|name| {
            let value = env.peek(name)?.to_string_lossy().into_owned();
            let flag = value.split_whitespace().find(|flag| flag.contains(text))?;
            Some((flag.to_owned(), Origin::Environment(name)))
        })
}
