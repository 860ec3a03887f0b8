//! Findings of what a build finds wrong by itself.

use std::{
    fmt::{Display, Write as _},
    path::PathBuf,
};

use cubin_core::{Sm, arch::Suffix};

use super::{
    problem::{BadCode, LibraryMistake, Mistake, NoSource, Origin, Problem},
    ptx::Compute,
};
use crate::{
    compile::SourceKind,
    diag::{Diag, codes},
    lists::{AddAll, CollectVec},
    source::Span,
};

impl From<Problem> for Diag {
    fn from(problem: Problem) -> Self {
        match problem {
            Problem::Asked(mistake, origin) => asked(&mistake, &origin),
            Problem::Code { source, what } => code(&source, &what),
            Problem::NoKernels {
                source,
                targets,
                wanted,
            } => no_kernels(&source, &targets, wanted),
            Problem::NoPackageDir(why) => Self::error(
                codes::IO_ERROR,
                format!("the package's directory is not known: {why}"),
            ),
            Problem::NoOutDir => Self::error(
                codes::IO_ERROR,
                "OUT_DIR is not set, so there is no place for results",
            )
            .help("call cubin_build::Builder from a build script, or give it a directory with `.out_dir(...)`"),
            Problem::CannotRead(what, why) => {
                Self::error(codes::IO_ERROR, format!("cannot read {what}: {why}"))
            }
            Problem::CannotWrite(path, why) => Self::error(
                codes::OUTPUT_UNWRITABLE,
                format!("cannot write {}: {why}", path.display()),
            ),
            Problem::NoFatbin(name, why) => Self::error(
                codes::OUTPUT_UNWRITABLE,
                format!("cannot make {name}: {why}"),
            )
            .help("`embed = \"cubin\"` under [generate] in cubin.toml needs no program of NVIDIA's for it"),
            Problem::NoReport(why) => Self::error(codes::OUTPUT_UNWRITABLE, why),
            Problem::CannotSearch(dir, why) => Self::error(
                codes::IO_ERROR,
                format!("cannot look for .cu files in `{}`: {why}", dir.display()),
            ),
            Problem::EmptyDir(dir, others) => empty_dir(&dir.display().to_string(), &others),
            Problem::NoSources(others) => no_sources(&others),
            Problem::NoTarget(config) => no_target(&config),
            Problem::UnmatchedSource { pattern, span } => {
                unmatched_source(&pattern, span.as_ref())
            }
            Problem::UnmatchedTarget { pattern, span } => {
                let message = format!("`{pattern}` matches no target of this build");
                Self::warning(codes::UNMATCHED_RULE, message).at(span, "selects nothing")
            }
            Problem::UnmatchedExclude { pattern, span } => {
                unmatched_exclude(&pattern, span.as_ref())
            }
            Problem::ModuleHashed { source, module } => module_hashed(&source, &module),
            Problem::LinkedWithoutPtx { name, span } => {
                let message = format!("no PTX is embedded for `{name}`: it is linked from cubins");
                Self::warning(codes::PTX_MISSING, message)
                    .at_place(span.as_ref(), "")
                    .note(ONLY_CUBINS)
            }
            #[cfg(feature = "library")]
            Problem::Library { name, why, span } => {
                Self::error(codes::LIBRARY_FAILED, format!("static library `{name}` {why}"))
                    .at_place(span.as_ref(), "asked for here")
            }
            Problem::BaselineUnreadable { path, why, span } => Self::error(
                codes::BASELINE_INVALID,
                format!("cannot read the baseline {path}: {why}"),
            )
            .at_place(span.as_ref(), "named here")
            .help("run `cargo cubin baseline write` to make it, or take the [baseline] table out"),
            Problem::ExternCopied { name, place } => extern_copied(&name, place.as_ref()),
            Problem::HostCodeDropped { names, place } => host_code(&names, place.as_ref()),
            Problem::UnmatchedKernel { symbol, span } => {
                let message = format!("no kernel has the symbol `{symbol}`");
                Self::warning(codes::UNMATCHED_RULE, message).at(span, "declared here")
            }
        }
    }
}

fn extern_copied(name: &str, place: Option<&Span>) -> Diag {
    let words = format!("`{name}` is declared `extern`, and this source has a variable of its own");
    Diag::warning(codes::EXTERN_COPIED, words)
        .at_place(place, "declared here")
        .note(format!(
            "each source is a program of its own: what is written to the `{name}` of another one is not seen here"
        ))
        .help("name the sources that share it under [[link]] in cubin.toml; or take `extern` away, if a copy is meant")
}

fn host_code(names: &[String], place: Option<&Span>) -> Diag {
    /// More are counted.
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN);
    let shown: Vec<String> = shown.map(|name| format!("`{name}`")).collect_vec();
    let more = match names.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let words = format!(
        "host code is not part of the build: {}{more}",
        shown.join(", ")
    );
    Diag::warning(codes::HOST_CODE_DROPPED, words)
        .at_place(place, "")
        .note("only kernels and device code are compiled; a call of these functions ends in the linker's \"undefined symbol\"")
        .help("launch the kernels by their wrappers; where the functions are needed, name the file under [[library]] in cubin.toml, \
               which makes a static library of it")
        .help("what only that compilation is meant to see may stand in `#ifndef __CUDA_ARCH__`: then this is quiet")
}

fn empty_dir(dir: &str, others: &[PathBuf]) -> Diag {
    let message = format!("there is no .cu file below `{dir}`");
    if others.is_empty() {
        return Diag::error(codes::NO_SOURCES, message)
            .help("check the path: it is relative to the package's directory");
    }
    not_searched_for(Diag::error(codes::NO_SOURCES, message), others)
}

/// Says of files that a search does not take how to name them.
fn not_searched_for(diag: Diag, others: &[PathBuf]) -> Diag {
    const SHOWN: usize = 3;
    let shown: Vec<String> = others
        .iter()
        .take(SHOWN)
        .map(|path| path.display().to_string())
        .collect_vec();
    let more = match others.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let mut diag = diag.note(format!("there is {}{more}", shown.join(", ")));
    let mut first = None;
    for path in others {
        match SourceKind::of(path) {
            Ok(_) => first = first.or(Some(path)),
            Err(unknown) if diag.help.is_empty() => diag = diag.help(unknown.help()),
            Err(_) => {}
        }
    }
    let Some(first) = first else {
        return diag;
    };
    let first = first.display().to_string();
    diag.help(format!(
        "cubins, fatbins, PTX and NVVM IR are taken where they are named: `.file({first:?})` in build.rs, or \
         `sources = [{first:?}]` under [build] in cubin.toml"
    ))
}

fn no_sources(others: &[PathBuf]) -> Diag {
    let diag = Diag::error(
        codes::NO_SOURCES,
        "no CUDA sources: nothing was named and no .cu file lies in `kernels` or `src`",
    );
    if !others.is_empty() {
        return not_searched_for(diag, others);
    }
    diag.help("name them with `.dir(\"kernels\")` or `.file(\"kernels/saxpy.cu\")` in build.rs, or under [build] in cubin.toml")
}

fn no_target(config: &str) -> Diag {
    Diag::error(
        codes::CONFIG_INVALID,
        "no target: cubin-build does not know which GPUs the kernels are for",
    )
    .help(format!(
        "write `[build] arch = [\"sm_80\", \"sm_90\"]` into {config}, or call `.arch(\"sm_80\")`; \
         `nvidia-smi --query-gpu=compute_cap --format=csv` prints 9.0 for a GPU that needs sm_90"
    ))
}

fn unmatched_exclude(pattern: &str, span: Option<&Span>) -> Diag {
    let message = format!("`{pattern}` in `exclude` is the pattern of no .cu file that was found");
    let diag = Diag::warning(codes::UNMATCHED_RULE, message)
        .at_place(span, "excludes nothing")
        .help("a pattern without `/` is compared with the file's name, any other with the path from the package's directory");
    match span {
        Some(_) => diag,
        None => diag.note(given_to("exclude")),
    }
}

fn unmatched_source(pattern: &str, span: Option<&Span>) -> Diag {
    let message = format!("no source matches `{pattern}`");
    let diag = Diag::warning(codes::UNMATCHED_RULE, message)
        .at_place(span, "selects nothing")
        .help("a pattern without `/` is compared with the file's name, any other with the path from the package's directory");
    match span {
        Some(_) => diag,
        None => diag.note(given_to("source")),
    }
}

fn module_hashed(source: &str, module: &str) -> Diag {
    let message = format!(
        "the module of {source} is called `{module}`: another module has its name in Rust, and no folder tells them apart"
    );
    Diag::warning(codes::NAME_COLLISION, message)
        .help("rename one of them, for a name without a hash of the path")
}

const ONLY_CUBINS: &str = "its kernels load only on GPUs that one of its cubins runs on";

/// A mistake where it was made: a place in `cubin.toml`, or a method or variable that is named.
fn asked(mistake: &Mistake, origin: &Origin) -> Diag {
    let message = mistake.to_string();
    let mut diag = match origin {
        Origin::File(span) => {
            Diag::error(codes::CONFIG_INVALID, message).at(span.clone(), mistake.label())
        }
        Origin::Script(method) => {
            Diag::error(codes::BUILDER_INVALID, message).note(given_to(method))
        }
        Origin::Environment(variable) => Diag::error(codes::ENVIRONMENT_INVALID, message)
            .note(format!("from the environment variable {variable}")),
    };
    diag.help.add_all(mistake.help());
    diag
}

/// Said of what has no place in `cubin.toml`.
pub(super) fn given_to(method: &str) -> String {
    format!("given to `Builder::{method}` in build.rs")
}

impl Display for Mistake {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::OutFile(name) => {
                write!(f, "`{name}` is not a file name for the generated code")
            }
            Self::CompressWithoutFatbin => {
                f.write_str("`compress` is for fatbins, and each cubin is embedded by itself")
            }
            Self::Target(error) => error.fmt(f),
            Self::PolicyLevel(value) => write!(f, "`{value}` is not a level of the policy"),
            Self::Mode(value) => write!(f, "`{value}` does not say what a build makes"),
            Self::FrontEnd(toolkit) => {
                write!(f, "{toolkit} does not make wrappers without machine code")
            }
            Self::Prebuilt(value) => {
                write!(f, "`{value}` does not say when prebuilt kernels are used")
            }
            Self::Timeout(value) => write!(f, "`{value}` is not a number of seconds"),
            Self::Refused {
                program,
                written,
                said,
                ..
            } => write!(f, "{program} refuses `{written}`: {said}"),
            Self::Launcher(name) => write!(f, "there is no program `{name}`"),
            Self::ToolkitVersion(why) => f.write_str(why),
            Self::UnknownKind(unknown) => unknown.fmt(f),
            Self::LinkName(name) => write!(f, "`{name}` is not the name of a module"),
            Self::LinkTwice(name) => write!(f, "there are two linked modules `{name}`"),
            Self::LinkSource(file) => write!(
                f,
                "`{file}` cannot be linked as a source: it is not CUDA C++"
            ),
            Self::LinkEmptyDir(dir) => write!(f, "there is no .cu file below `{dir}`"),
            Self::LinkDir { dir, why } => {
                write!(f, "cannot look for .cu files in `{dir}`: {why}")
            }
            Self::LinkEmpty(name) => write!(f, "linked module `{name}` has no sources"),
            Self::LinkShared {
                source,
                modules: [first, second],
            } => write!(
                f,
                "{source} is in two linked modules, `{first}` and `{second}`"
            ),
            Self::LinkTargets {
                module,
                sources: [first, second],
            } => write!(
                f,
                "linked module `{module}` has sources for different targets: {first} and {second}"
            ),
            Self::LibraryFile(path) => write!(f, "library `{path}` is not there"),
            Self::Library { name, toolkit } => write!(f, "{toolkit} has no library `{name}`"),
            Self::InLibrary(name, mistake) => mistake.write(f, name),
            Self::Instance { kernel, why } => {
                write!(f, "cannot instantiate `{kernel}`: {why}")
            }
            Self::PtxName { message, .. } | Self::VirtualName { message, .. } => {
                f.write_str(message)
            }
            Self::VirtualTarget { arch, target } if arch.suffix == Suffix::None => write!(
                f,
                "target {target} is older than the virtual architecture {}",
                Compute(*arch)
            ),
            Self::VirtualTarget { arch, target } => write!(
                f,
                "no machine code for {target} can be made of PTX for {}",
                Compute(*arch)
            ),
            Self::PtxTarget(target) => write!(
                f,
                "PTX for {} is made with the cubin for {target}, which is not a target",
                Compute(*target)
            ),
            Self::PtxVirtual(target, arch) => write!(
                f,
                "the PTX of {target} is made for {}, not for {}",
                Compute(*arch),
                Compute(*target)
            ),
            Self::PtxNewest => {
                f.write_str("there is no target whose PTX other GPUs could use: all have a suffix")
            }
        }
    }
}

impl LibraryMistake {
    fn write(&self, f: &mut std::fmt::Formatter<'_>, name: &str) -> std::fmt::Result {
        match self {
            Self::NoFeature => write!(
                f,
                "static library `{name}` needs the feature `library` of cubin-build"
            ),
            Self::Name => write!(f, "`{name}` is not the name of a library"),
            Self::Twice => write!(f, "there are two libraries `{name}`"),
            Self::Source(file) => write!(
                f,
                "`{file}` cannot be a source of library `{name}`: it is not CUDA C++"
            ),
            Self::EmptyDir(dir) => write!(f, "there is no .cu file below `{dir}`"),
            Self::Dir { dir, why } => write!(f, "cannot look for .cu files in `{dir}`: {why}"),
            Self::Empty => write!(f, "library `{name}` has no sources"),
            Self::Shared { source, other } => {
                write!(f, "{source} is in two libraries, `{other}` and `{name}`")
            }
            Self::Relocatable(source) => {
                write!(f, "{source} is in library `{name}`, and in a linked module")
            }
        }
    }

    fn help(&self) -> Option<&'static str> {
        Some(match self {
            Self::NoFeature => {
                "in Cargo.toml, under [build-dependencies]: `cubin-build = { version = \"…\", features = [\"library\"] }`"
            }
            Self::Name => "letters, digits and `_`, for example `moe`",
            Self::Source(_) => "PTX, NVVM IR and machine code have no host code",
            Self::Relocatable(_) => {
                "host code of a library launches kernels of its own source: take the source out of one of the tables"
            }
            _ => return None,
        })
    }
}

impl Display for NoSource {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown(file) => write!(f, "`{}` is not one of the sources", file.display()),
            Self::Nowhere(word) => write!(
                f,
                "no source has the word `{word}`; write `file = \"…\"` beside it when a header defines it"
            ),
            Self::Several { word, sources } => {
                for (index, source) in sources.iter().enumerate() {
                    write!(f, "{}`{source}`", if index == 0 { "" } else { ", " })?;
                }
                write!(
                    f,
                    " all have the word `{word}`; write `file = \"…\"` beside it"
                )
            }
        }
    }
}

impl Mistake {
    /// What stands at its place.
    fn label(&self) -> &'static str {
        match self {
            Self::UnknownKind(_) => "named here",
            Self::Instance { .. } => "asked for here",
            _ => "",
        }
    }

    fn help(&self) -> Option<String> {
        Some(match self {
            Self::OutFile(_) => {
                "give a plain name such as `kernels.rs`; the file is always written into OUT_DIR"
                    .to_owned()
            }
            Self::PolicyLevel(_) => {
                "`warn`: violations are warnings; `deny`: they are what cubin.toml says".to_owned()
            }
            Self::Mode(_) => {
                "`signatures`: wrappers without machine code, for an editor; `full`: all, as without the variable"
                    .to_owned()
            }
            Self::FrontEnd(_) => {
                "take CUDA 12 or later for the editor, or unset the variable there".to_owned()
            }
            Self::Prebuilt(_) => "`without-toolkit`, `always` or `never`".to_owned(),
            Self::CompressWithoutFatbin => {
                "write `embed = \"fatbin\"` beside it, or take it out".to_owned()
            }
            Self::Timeout(_) => "a whole number of at least 1, for example 600".to_owned(),
            Self::Refused { help, .. } => return help.clone(),
            Self::Launcher(_) => {
                "write its path, or the name of a program on PATH: `sccache`".to_owned()
            }
            Self::UnknownKind(unknown) => unknown.help(),
            Self::InLibrary(_, mistake) => mistake.help()?.to_owned(),
            Self::LinkSource(_) => {
                "name objects, archives and relocatable cubins under `libraries`".to_owned()
            }
            Self::LinkShared { .. } => {
                "a header with its device functions can be included in both".to_owned()
            }
            Self::LinkTargets { .. } => {
                "give all of them the same `arch`: [[source]] with `path` and `arch`".to_owned()
            }
            Self::Library { name, .. } => {
                format!("for a file of yours write its path: `./lib{name}.a`")
            }
            Self::PtxName { help, .. } | Self::VirtualName { help, .. } => return help.clone(),
            Self::VirtualTarget { target, .. } => format!(
                "write `{}`, or an older one, or take {target} out of `arch`",
                Compute(Sm::new(target.number))
            ),
            Self::PtxVirtual(_, arch) => {
                format!("write `ptx = \"{}\"`, or change `virtual`", Compute(*arch))
            }
            Self::PtxTarget(target) => format!("add \"{target}\" to `arch`"),
            Self::PtxNewest => "add one without, for example \"sm_90\", to `arch`".to_owned(),
            _ => return None,
        })
    }
}

/// What is wrong with the code of a source.
fn code(source: &str, what: &BadCode) -> Diag {
    match what {
        BadCode::Gone { target, what, why } => Diag::error(
            codes::IO_ERROR,
            format!("cannot read the {what} of {source} for {target}: {why}"),
        ),
        BadCode::Unreadable { target, error } => Diag::error(
            codes::CUBIN_UNREADABLE,
            format!("the cubin of {source} for {target} cannot be read: {error}"),
        ),
        BadCode::Calls { target, error } => Diag::error(
            codes::CUBIN_UNREADABLE,
            format!("the calls in {source} for {target} cannot be read: {error}"),
        ),
        BadCode::Prebuilt(error) => Diag::error(
            codes::CUBIN_UNREADABLE,
            format!("{source} cannot be read: {error}"),
        ),
        BadCode::Entry(error) => {
            let message = format!("an entry of {source} cannot be read: {error}");
            let diag = Diag::error(codes::CUBIN_UNREADABLE, message);
            if cfg!(feature = "fatbin") {
                return diag;
            }
            diag.help("compressed entries need the feature `fatbin` of cubin-build, or `nvcc -fatbin --compress-mode=none`")
        }
        BadCode::SeveralCubins(target) => {
            let message = format!("{source} holds several cubins for {target}");
            Diag::error(codes::CUBIN_UNREADABLE, message)
                .help("link them into one (`nvcc -dlink -cubin`), or name the .cubin files instead")
        }
        BadCode::Signatures {
            target,
            why,
            toolkit,
        } => {
            let message = format!("the kernels of {source} for {target}: {why}");
            let mut diag = Diag::error(codes::SIGNATURE_MISMATCH, message);
            let compiled = toolkit
                .as_ref()
                .map(|toolkit| format!("compiled with {toolkit}"));
            diag.notes.add_all(compiled);
            diag
        }
        BadCode::NoPtx { wanted, held } => without_ptx(source, wanted, held),
        BadCode::NoCubin { .. }
        | BadCode::OtherTarget { .. }
        | BadCode::NoTarget(_)
        | BadCode::Unserved { .. } => other_target(source, what),
        BadCode::Relocatable { target, compiled } => relocatable(source, *target, *compiled),
    }
}

/// Code for other targets than those that are asked for.
fn other_target(source: &str, what: &BadCode) -> Diag {
    let message = match what {
        BadCode::NoCubin { wanted, held } => {
            let holds = match held[..] {
                [] => "no cubin at all".to_owned(),
                _ => joined(held, ", "),
            };
            let wanted = joined(wanted, " or ");
            format!("{source} has no cubin for {wanted}; it holds {holds}")
        }
        BadCode::OtherTarget { target, recorded } => {
            let message = format!("the cubin of {source} is for {recorded}, not for {target}");
            return Diag::error(codes::TARGET_MISMATCH, message).note(
                "NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS or a flag may have changed the architecture",
            );
        }
        BadCode::Unserved { targets, held, all } => return unserved(source, targets, held, *all),
        BadCode::NoTarget(target) => {
            format!("the PTX of {source} for {target} has no `.target` directive that can be read")
        }
        _ => String::new(),
    };
    Diag::error(codes::TARGET_MISMATCH, message)
}

/// No image runs on some of the targets, or on any.
fn unserved(source: &str, targets: &[Sm], held: &[Sm], all: bool) -> Diag {
    let holds = joined(held, ", ");
    let message = format!(
        "no image of {source} runs on {}; it holds {holds}",
        joined(targets, " or ")
    );
    let diag = if all {
        Diag::error(codes::TARGET_UNSERVED, message)
    } else {
        Diag::warning(codes::TARGET_UNSERVED, message)
    };
    diag.note("a cubin runs on GPUs of its own major compute capability, from its own minor one on; with `a` on exactly its own")
        .help("build it for these targets too, or take them out of `arch`")
}

/// Code that is still to be linked.
fn relocatable(source: &str, target: Sm, compiled: bool) -> Diag {
    let message = format!(
        "{source} is relocatable code for {target}: it must be linked before a driver can load it, and its registers and stack are not final"
    );
    let diag = Diag::error(codes::CUBIN_RELOCATABLE, message);
    if compiled {
        return diag
            .note("NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS or a file of options may hold `-rdc=true`, `-dc` or `-dlink`")
            .help("take the flag out, or name the source under [[link]] in cubin.toml");
    }
    diag.help("name it among the `libraries` of a [[link]] in cubin.toml, or make it again without `-rdc=true`")
}

/// No image of a fatbin has its PTX, though some was asked for.
fn without_ptx(source: &str, wanted: &[Sm], held: &[Sm]) -> Diag {
    let names =
        |targets: &[Sm]| -> Vec<Compute> { targets.iter().copied().map(Compute).collect_vec() };
    let holds = match held {
        [] => "no PTX at all".to_owned(),
        held => format!("PTX for {}", joined(&names(held), ", ")),
    };
    let message = format!(
        "{source} has no PTX for {} beside a cubin; it holds {holds}",
        joined(&names(wanted), " or ")
    );
    let diag = Diag::warning(codes::PTX_MISSING, message).note(ONLY_CUBINS);
    let Some(target) = wanted.last() else {
        return diag;
    };
    let compute = Compute(*target);
    diag.help(format!(
        "make it again with `-gencode arch={compute},code=[{target},{compute}]`"
    ))
}

fn no_kernels(source: &str, targets: &[Sm], wanted: bool) -> Diag {
    let message = format!("{source} yields no kernel for {}", joined(targets, ", "));
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

fn joined<T: Display>(items: &[T], between: &str) -> String {
    let mut text = String::new();
    for (index, item) in items.iter().enumerate() {
        let between = if index == 0 { "" } else { between };
        let _ = write!(text, "{between}{item}");
    }
    text
}
