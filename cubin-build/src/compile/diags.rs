//! Findings of what went wrong with compiling and linking. Where in `cubin.toml` something was asked for, and under which
//! name the user knows a file, is said by whoever asked ([`Asked`]).

use super::{Cause, Error, Failure, Message, message};
use crate::{
    diag::{Diag, codes},
    lists::AddAll,
    source::Span,
};

/// What the one who asked knows of a failure.
#[derive(Debug, Default)]
pub struct Asked<'a> {
    /// The source under the name that the user gave it.
    pub source: &'a str,
    /// Where the source, or the linked module, is named in `cubin.toml`.
    pub named: Option<&'a Span>,
    /// The instance that the first error is about, which stands in a file of ours.
    pub instance: Option<Instance<'a>>,
    /// The place of the first error.
    pub place: Option<Span>,
    /// What the first error means, instead of the tool's words, and what to do.
    pub meaning: Option<(String, String)>,
}

/// An instance of a template that was asked for.
#[derive(Debug)]
pub struct Instance<'a> {
    /// The kernel as it was asked for.
    pub kernel: &'a str,
    /// Where in `cubin.toml`; else what to say of where it was asked for.
    pub place: Result<&'a Span, &'a str>,
}

/// The method of `Builder` that something which is not a value of `cubin.toml` was given to.
fn method(error: &Error) -> Option<&'static str> {
    match error {
        Error::Flag { source: None, .. } => Some("`Builder::flag` or `Builder::flags`"),
        Error::Flag { .. } | Error::Twice(_) => Some("`Builder::file_with_flags`"),
        Error::IncludeDir(_) => Some("`Builder::include`"),
        _ => None,
    }
}

/// A request that cannot be carried out; `place` is where `cubin.toml` asks for what is wrong with it.
#[must_use]
pub fn request(error: &Error, place: Option<&Span>) -> Diag {
    let method = method(error);
    let code = match error {
        Error::UnsupportedTarget { .. } | Error::UnsupportedVirtual { .. } => {
            codes::TARGET_UNSUPPORTED
        }
        Error::OutDir { .. } => codes::OUTPUT_UNWRITABLE,
        _ if method.is_some() && place.is_none() => codes::BUILDER_INVALID,
        _ if method.is_some() => codes::CONFIG_INVALID,
        _ => codes::COMPILE_FAILED,
    };
    let mut diag = Diag::error(code, error.to_string()).at_place(place, "asked for here");
    diag.help.add_all(error.help());
    match method.filter(|_| place.is_none()) {
        Some(method) => diag.note(format!("given to {method} in build.rs")),
        None => diag,
    }
}

/// A source that did not compile, with all that the tools printed.
#[must_use]
pub fn failure(failure: &Failure, asked: &Asked<'_>) -> Diag {
    let source = asked.source;
    let message = match failure.first_error() {
        Some(message) => {
            // An instance that the source cannot make is a mistake where it was asked for, not in a file of ours.
            let what = match &asked.instance {
                Some(instance) => format!("cannot instantiate `{}` in {source}", instance.kernel),
                None => format!("{source} does not compile"),
            };
            let words = asked.meaning.as_ref().map(|(words, _)| words);
            let words = words.unwrap_or(&message.text);
            format!("{what} for {}: {words}", failure.targets_text())
        }
        None => failure.headline(),
    };
    let mut diag = Diag::error(codes::COMPILE_FAILED, message);
    if let Cause::Source(_) = failure.cause {
        diag = diag.at_place(asked.named, "named here");
        if let Some((dir, _)) = source.split_once("/*") {
            diag = diag.help(format!(
                "a source is one file: `dirs = [\"{dir}\"]` takes every .cu file below a directory"
            ));
        }
    }
    diag = match &asked.instance {
        Some(instance) => match instance.place {
            Ok(span) => diag.at(span.clone(), "asked for here"),
            Err(note) => diag.note(note),
        },
        None => diag.at_place(asked.place.as_ref(), ""),
    };
    if let Some((_, help)) = &asked.meaning {
        diag = diag.help(help);
    }
    with_output(diag, failure, "the compiler", &failure.output)
}

/// A linked module that nvlink refuses, with all that it printed. `cxx_name` gives the C++ name of a symbol.
#[must_use]
pub fn not_linked(
    failure: &Failure,
    asked: &Asked<'_>,
    cxx_name: &dyn Fn(&str) -> Option<String>,
) -> Diag {
    let mut code = codes::COMPILE_FAILED;
    let message = match failure.first_error() {
        Some(message) => format!(
            "`{}` cannot be linked for {}: {}",
            failure.source.display(),
            failure.targets_text(),
            message::renamed(&message.text, cxx_name)
        ),
        None => match &failure.cause {
            Cause::Input { path, why } => {
                code = codes::LINK_INPUT;
                format!(
                    "`{}` cannot be linked for {}: {} {}",
                    failure.source.display(),
                    failure.targets_text(),
                    path.display(),
                    message::renamed(why, cxx_name)
                )
            }
            _ => failure.headline(),
        },
    };
    let diag = Diag::error(code, message).at_place(asked.named, "asked for here");
    with_output(
        diag,
        failure,
        "nvlink",
        &message::renamed(&failure.output, cxx_name),
    )
}

fn with_output(mut diag: Diag, failure: &Failure, tool: &str, output: &str) -> Diag {
    if !output.trim().is_empty() {
        diag = diag.note(format!("{tool} said:\n{}", output.trim_end()));
    }
    if !failure.command.is_empty() {
        diag = diag.note(format!("the command was: {}", failure.command));
    }
    diag.help.add_all(failure.help());
    diag
}

/// A warning of a tool; `place` is the one that it names, where the file can be read.
#[must_use]
pub fn warning(message: &Message, place: Option<Span>) -> Diag {
    let diag = Diag::warning(codes::NVCC_WARNING, message.text.clone());
    match place {
        Some(span) => diag.at(span, ""),
        None => diag.note(message.whole.trim_end()),
    }
}

/// Something that concerns the compilation of all sources.
#[must_use]
pub fn note(text: &str) -> Diag {
    Diag::warning(codes::NVCC_WARNING, text)
}
