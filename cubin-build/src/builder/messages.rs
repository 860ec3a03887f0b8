//! What the layers below report, as findings with a code.

use std::path::Path;

use cubin_core::Sm;

use super::{images::Places, instantiate, link, settings::Settings};
use crate::{
    compile::{self, Failure, Linked, Message, Unit, diags},
    config::Config,
    diag::{Diag, codes},
    signature,
    source::Span,
};

/// A request that cannot be carried out, where `cubin.toml` asks for what is wrong with it.
pub(super) fn compile(error: &compile::Error, config: &Config) -> Diag {
    let build = &config.build;
    let place = match error {
        compile::Error::UnsupportedTarget { target, .. } => {
            let mut archs = build.arch.iter();
            archs
                .find(|arch| arch.value == *target)
                .map(|arch| &arch.span)
        }
        compile::Error::Flag { flag, .. } => {
            let mut flags = build.flags.iter();
            flags
                .find(|given| given.value == *flag)
                .map(|given| &given.span)
        }
        compile::Error::IncludeDir(dir) => {
            let mut dirs = build.include.iter();
            dirs.find(|given| Path::new(&given.value) == dir)
                .map(|given| &given.span)
        }
        _ => None,
    };
    diags::request(error, place)
}

/// A source that did not compile, with all that the tools printed.
pub(super) fn failure(
    failure: &Failure,
    source: &str,
    settings: &Settings,
    places: &mut Places,
) -> Diag {
    let first = failure.first_error();
    let instance = first.and_then(|message| {
        settings.instances.iter().find(|asked| {
            message.file.as_ref() == Some(&asked.file) && message.line == Some(asked.line)
        })
    });
    let named = &settings.config.build.sources;
    let named = named
        .iter()
        .find(|file| Path::new(&file.value) == failure.source);
    let asked = diags::Asked {
        source,
        named: named.map(|file| &file.span),
        instance: instance.map(|asked| diags::Instance {
            kernel: &asked.kernel,
            place: asked.span.as_ref().ok_or(instantiate::BY_SCRIPT),
        }),
        place: first.and_then(|message| place(message, places)),
    };
    diags::failure(failure, &asked)
}

/// That a unit was compiled, and why; `None` when it was up to date.
pub(super) fn compiled(unit: &Unit, source: &str) -> Option<String> {
    let why = unit.recompiled.as_ref()?;
    Some(format!("compiled {source} for {}: {why}", unit.target))
}

/// A linked module that nvlink refuses, with all that it printed.
pub(super) fn not_linked(failure: &Failure, settings: &Settings) -> Diag {
    let name = failure.source.to_string_lossy();
    let module = settings.links.iter().find(|link| link.name == name);
    let asked = diags::Asked {
        named: module.and_then(|module| module.span.as_ref()),
        ..diags::Asked::default()
    };
    diags::not_linked(failure, &asked, &signature::cxx_name)
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
    diags::warning(message, place(message, places))
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
