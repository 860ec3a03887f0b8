//! What the layers below report, as findings with a code.

use std::path::Path;

use cubin_core::Sm;

use super::{images::Places, instantiate, link, settings::Settings};
use crate::{
    compile::{self, Cause, Failure, Linked, Message, Unit},
    config::Config,
    diag::{Code, Diag, codes},
    signature::{
        self, Finding, Problem, VariableFinding,
        model::{Kernel, Refusal},
    },
    source::Span,
    toolkit,
};

/// Splits a text whose later lines start with `help: ` or `note: `, as the errors of toolkit and compile are.
fn with_remarks(code: Code, text: &str) -> Diag {
    let mut message = String::new();
    let mut remarks: Vec<(bool, String)> = Vec::new();
    for line in text.lines() {
        if let Some(help) = line.strip_prefix("help: ") {
            remarks.push((true, help.to_owned()));
        } else if let Some(note) = line.strip_prefix("note: ") {
            remarks.push((false, note.to_owned()));
        } else if let Some((_, last)) = remarks.last_mut() {
            last.push('\n');
            last.push_str(line);
        } else {
            if !message.is_empty() {
                message.push('\n');
            }
            message.push_str(line);
        }
    }
    let mut lines = message.splitn(2, '\n');
    let mut diag = Diag::error(code, lines.next().unwrap_or_default());
    if let Some(rest) = lines.next() {
        diag = diag.note(rest);
    }
    for (is_help, text) in remarks {
        diag = if is_help {
            diag.help(text)
        } else {
            diag.note(text)
        };
    }
    diag
}

pub(super) fn toolkit(error: &toolkit::Error) -> Diag {
    let code = match error {
        toolkit::Error::NotFound { .. }
        | toolkit::Error::Variable { .. }
        | toolkit::Error::WrongVersion { .. } => codes::TOOLKIT_NOT_FOUND,
        _ => codes::TOOLKIT_INSTALL_FAILED,
    };
    with_remarks(code, &error.to_string())
}

pub(super) fn compile(error: &compile::Error, config: &Config) -> Diag {
    let place = match error {
        compile::Error::UnsupportedTarget { target, .. } => config
            .build
            .arch
            .iter()
            .find(|arch| arch.value == *target)
            .map(|arch| &arch.span),
        compile::Error::Flag { flag, .. } => config
            .build
            .flags
            .iter()
            .find(|given| given.value == *flag)
            .map(|given| &given.span),
        compile::Error::IncludeDir(dir) => config
            .build
            .include
            .iter()
            .find(|given| std::path::Path::new(&given.value) == dir)
            .map(|given| &given.span),
        _ => None,
    };
    let method = match error {
        compile::Error::Flag { source: None, .. } => Some("`Builder::flag` or `Builder::flags`"),
        compile::Error::Flag { .. } | compile::Error::Twice(_) => {
            Some("`Builder::file_with_flags`")
        }
        compile::Error::IncludeDir(_) => Some("`Builder::include`"),
        _ => None,
    };
    let code = match error {
        compile::Error::UnsupportedTarget { .. } => codes::TARGET_UNSUPPORTED,
        compile::Error::OutDir { .. } => codes::OUTPUT_UNWRITABLE,
        // What stands in cubin.toml has a place there.
        _ if method.is_some() && place.is_none() => codes::BUILDER_INVALID,
        _ if method.is_some() => codes::CONFIG_INVALID,
        _ => codes::COMPILE_FAILED,
    };
    let diag = with_remarks(code, &error.to_string()).at_place(place, "asked for here");
    match method.filter(|_| place.is_none()) {
        Some(method) => diag.note(format!("given to {method} in build.rs")),
        None => diag,
    }
}

/// A source that did not compile, with all that the tools printed.
pub(super) fn failure(
    failure: &Failure,
    source: &str,
    settings: &Settings,
    places: &mut Places,
) -> Diag {
    let targets: Vec<String> = failure.targets.iter().map(Sm::to_string).collect();
    let first = failure.first_error();
    // An instance that the source cannot make is a mistake where it was asked for, not in a file of ours.
    let asked = first.and_then(|message| {
        settings.instances.iter().find(|asked| {
            message.file.as_ref() == Some(&asked.file) && message.line == Some(asked.line)
        })
    });
    let message = match first {
        Some(message) => {
            let what = match asked {
                Some(asked) => format!("cannot instantiate `{}` in {source}", asked.kernel),
                None => format!("{source} does not compile"),
            };
            format!("{what} for {}: {}", targets.join(", "), message.text)
        }
        None => failure
            .to_string()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned(),
    };
    let mut diag = Diag::error(codes::COMPILE_FAILED, message);
    if let Cause::Source(_) = failure.cause {
        let named = &settings.config.build.sources;
        let named = named
            .iter()
            .find(|file| Path::new(&file.value) == failure.source);
        diag = diag.at_place(named.map(|file| &file.span), "named here");
        if let Some((dir, _)) = source.split_once("/*") {
            diag = diag.help(format!(
                "a source is one file: `dirs = [\"{dir}\"]` takes every .cu file below a directory"
            ));
        }
    }
    match asked {
        Some(asked) if asked.span.is_some() => {
            diag = diag.at_place(asked.span.as_ref(), "asked for here");
        }
        Some(_) => diag = diag.note(instantiate::BY_SCRIPT),
        None => {
            if let Some(span) = first.and_then(|message| place(message, places)) {
                diag = diag.at(span, "");
            }
        }
    }
    if !failure.output.trim().is_empty() {
        diag = diag.note(format!("the compiler said:\n{}", failure.output.trim_end()));
    }
    if !failure.command.is_empty() {
        diag = diag.note(format!("the command was: {}", failure.command));
    }
    match failure.help() {
        Some(help) => diag.help(help),
        None => diag,
    }
}

/// That a unit was compiled, and why; `None` when it was up to date.
pub(super) fn compiled(unit: &Unit, source: &str) -> Option<String> {
    let why = unit.recompiled.as_ref()?;
    Some(format!("compiled {source} for {}: {why}", unit.target))
}

/// A linked module that nvlink refuses, with all that it printed.
pub(super) fn not_linked(failure: &Failure, settings: &Settings) -> Diag {
    let targets: Vec<String> = failure.targets.iter().map(Sm::to_string).collect();
    let name = failure.source.to_string_lossy();
    let first = failure
        .first_error()
        .map(|message| demangled(&message.text));
    let message = match &first {
        Some(text) => format!(
            "`{name}` cannot be linked for {}: {text}",
            targets.join(", ")
        ),
        None => failure
            .to_string()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned(),
    };
    let module = settings.links.iter().find(|link| link.name == name);
    let mut diag = Diag::error(codes::COMPILE_FAILED, message);
    if let Some(span) = module.and_then(|module| module.span.as_ref()) {
        diag = diag.at(span.clone(), "asked for here");
    }
    if !failure.output.trim().is_empty() {
        let output = demangled(failure.output.trim_end());
        diag = diag.note(format!("nvlink said:\n{output}"));
    }
    if !failure.command.is_empty() {
        diag = diag.note(format!("the command was: {}", failure.command));
    }
    if first.is_some_and(|text| text.starts_with("Undefined reference")) {
        return diag.help(
            "name the source that defines it in the same [[link]], or its library under `libraries` (kernels that launch \
             kernels need `cudadevrt`)",
        );
    }
    match failure.help() {
        Some(help) => diag.help(help),
        None => diag,
    }
}

/// The text with C++ names for the symbols that stand between quotes in it.
fn demangled(text: &str) -> String {
    let mut parts = text.split('\'');
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        out.push('\'');
        match signature::cxx_name(part) {
            Some(name) => out.push_str(&name),
            None => out.push_str(part),
        }
    }
    out
}

/// That a module was linked, and why; `None` when it was up to date.
pub(super) fn linked(linked: &Linked) -> Option<String> {
    let why = linked.relinked.as_ref()?;
    Some(format!(
        "linked {} for {}: {why}",
        linked.name, linked.target
    ))
}

/// A linked module with the name of a source's.
pub(super) fn link_name_taken(link: &link::Module, source: &str) -> Diag {
    let message = format!(
        "linked module `{}` would have the name of {source}'s module",
        link.name
    );
    Diag::error(codes::NAME_COLLISION, message)
        .at_place(link.span.as_ref(), "")
        .help("call it something else, or add that source to it")
}

/// PTX is asked for, and there is none for linked code.
pub(super) fn linked_without_ptx(link: &link::Module) -> Diag {
    let message = format!(
        "no PTX is embedded for `{}`: it is linked from cubins",
        link.name
    );
    Diag::warning(codes::PTX_MISSING, message)
        .at_place(link.span.as_ref(), "")
        .note("its kernels load only on GPUs that one of its cubins runs on")
}

/// A warning of a tool.
pub(super) fn warning(message: &Message, places: &mut Places) -> Diag {
    let diag = Diag::warning(codes::NVCC_WARNING, message.text.clone());
    match place(message, places) {
        Some(span) => diag.at(span, ""),
        None => diag.note(message.whole.trim_end()),
    }
}

fn place(message: &Message, places: &mut Places) -> Option<Span> {
    let file = places.file(message.file.as_ref()?)?;
    Some(Span::line(&file, message.line?))
}

/// `wanted`: somebody meant the source to have kernels.
pub(super) fn no_kernels(source: &str, targets: &[Sm], wanted: bool) -> Diag {
    let targets: Vec<String> = targets.iter().map(Sm::to_string).collect();
    let message = format!("{source} yields no kernel for {}", targets.join(", "));
    // Cargo shows the message alone of a build that succeeds, so it says what to do.
    if !wanted {
        let name = source.rsplit('/').next().unwrap_or(source);
        return Diag::warning(
            codes::NO_KERNELS,
            format!("{message}, so it is left out; `exclude = [\"{name}\"]` in cubin.toml does not even compile it"),
        )
        .note("it was found in a directory and does not say `__global__`")
        .help(format!(
            "write `exclude = [\"{name}\"]` under [build] in cubin.toml, or call `.exclude(\"{name}\")`"
        ));
    }
    Diag::error(codes::NO_KERNELS, message)
        .note("its kernels are perhaps templates that nothing instantiates, or excluded by `#if`")
        .help("instantiate a template in the source (`template __global__ void scale<float>(float *, int);`) or with `[[instantiate]] kernel = \"scale<float>\"` in cubin.toml")
        .help("a file with device functions only belongs into the include path, not among the sources")
}

/// Signature and cubin, or two targets, do not agree.
pub(super) fn signature(finding: &Finding, place: Option<Span>) -> Diag {
    let (code, help) = match finding.problem {
        Problem::NotInCubin | Problem::NotRegistered => (
            codes::KERNEL_SET_MISMATCH,
            "this is a bug in cubin-build or a new nvcc: please report it with the source",
        ),
        Problem::Differs { .. } => (
            codes::SIGNATURE_DIFFERS,
            "give the kernels different names, or the same parameters on every target",
        ),
        _ => (
            codes::SIGNATURE_MISMATCH,
            "a type with a `long double`, or one that the compiler could not be asked about, cannot be laid out from what \
             it prints; pass such data through a pointer",
        ),
    };
    let mut diag = Diag::error(
        code,
        format!(
            "kernel `{}` on {}: {}",
            finding.kernel, finding.target, finding.problem
        ),
    )
    .kernel(finding.kernel.clone())
    .help(help);
    if let Some(span) = place {
        diag = diag.at(span, "");
    }
    diag
}

/// Host code and cubin do not agree on a module variable.
pub(super) fn variable(source: &str, finding: &VariableFinding) -> Diag {
    let message = format!(
        "variable `{}` of {source} on {}: {}",
        finding.name, finding.target, finding.problem
    );
    Diag::error(codes::SIGNATURE_MISMATCH, message)
        .help("this is a bug in cubin-build or a new nvcc: please report it with the source")
}

/// A kernel that is compiled and checked, but gets no wrapper.
pub(super) fn refused(kernel: &Kernel, refusal: &Refusal, place: Option<Span>) -> Diag {
    let mut diag = Diag::warning(
        codes::KERNEL_REFUSED,
        format!(
            "no launch wrapper for `{}`: {}",
            kernel.name, refusal.reason
        ),
    )
    .kernel(kernel.name.clone());
    if let Some(span) = place {
        diag = diag.at(span, "");
    }
    match &refusal.help {
        Some(help) => diag.help(help.clone()),
        None => diag,
    }
}

/// Adds what came of asking the compiler.
pub(super) fn remarked(diag: Diag, remark: Option<&str>) -> Diag {
    match remark {
        Some(remark) => diag.note(remark),
        None => diag,
    }
}
