//! Sources to cubins: one nvcc per (source, target), in parallel, only for what changed.
//!
//! ```text
//! OUT_DIR/units/saxpy-3fa19c04/sm_90a/   one directory per unit, since nvcc names what it keeps after the source
//!     saxpy.cubin
//!     saxpy.cudafe1.stub.c               kernel types and names (registration calls)
//!     saxpy.cudafe1.gpu                  parameter names, records
//!     saxpy.ptx
//!     log.txt                            what nvcc printed
//!     record.txt                         everything the result depends on, one item per line; written last
//!     read.bin                           what the build read of the side files and the PTX; another phase's
//! OUT_DIR/units/saxpy-3fa19c04/probe.1.sm_90a/    only where the front end was asked something ([`FrontEnd`])
//! OUT_DIR/anchor.h                       what every source includes first, so that symbols are the same on all targets
//! OUT_DIR/units/saxpy-3fa19c04/host/      only where its host code is wanted (`object`)
//! OUT_DIR/linked/solver/sm_90a/          one directory per linked module and target ([`link`])
//!     solver.cubin
//!     log.txt
//!     record.txt
//! ```
//!
//! A unit is compiled when its record is missing or any line of it would read differently now; that line is the
//! reason that is reported. The record lists: the toolkit, the host compiler, the target, every flag, every
//! environment variable that nvcc or the host compiler read, the content of every file that was included
//! (taken from the line markers of the preprocessed text, so exactly those), and every file that would be included
//! instead if it appeared. Nothing is started to find out that nothing changed.
//!
//! What a source is, its extension says ([`SourceKind`]); `.ptx` is assembled by ptxas alone (no host compiler).
//! Relocatable units are not results yet: nvlink makes one cubin of several.
//!
//! Yields [`Unit`]s: paths, spills per kernel, messages. Does not look into cubins, and does not know
//! policies.
//!
//! # Environment
//! `NVCC_PREPEND_FLAGS`, `NVCC_APPEND_FLAGS` and `NVCC_CCBIN` are read by nvcc, `CPATH`, `CPLUS_INCLUDE_PATH`,
//! `GCC_EXEC_PREFIX` and `COMPILER_PATH` by the host compiler: all are part of the record. Messages are asked for in
//! English (`LC_ALL=C`), and temporary files go into the unit's directory (`TMPDIR`).

mod back;
mod command;
mod depfile;
pub mod diags;
mod error;
pub(crate) mod flags;
mod front;
mod front_end;
mod graph;
mod headers;
mod host_code;
mod inputs;
mod kind;
mod known;
mod launcher;
mod link;
mod message;
mod nvcc_help;
#[cfg(feature = "nvvm")]
mod nvvm;
#[cfg(feature = "library")]
mod object;
mod outcome;
mod progress;
mod ptxas_log;
mod record;
mod request;
mod run;
mod shadow;
mod shared;
mod source_kind;
mod spelling;
mod step;
mod text;
mod times;
mod unit;
mod whole;

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use crate::sorted::{Map, Set};
use cubin_core::Sm;

#[cfg(feature = "library")]
pub use self::outcome::{HostFunction, Object};
pub use self::{
    error::{Cause, Error, Failure, TargetError},
    front_end::{FrontEnd, Registrations},
    known::Known,
    link::{Group, Linkage, Linked, link},
    message::{Level, Message, Tool},
    nvcc_help::{Help, help},
    outcome::{Outcome, SideFiles, Unit, Watch},
    request::{CompileRequest, Options, Source},
    shared::{Reach, SharedUse, uses_dynamic_shared},
    source_kind::{Container, Language, NVVM_LINE, SourceKind, UnknownKind},
};
pub(crate) use self::{
    launcher::{LAUNCHER, Launcher},
    outcome::PrebuiltUnit,
    run::{TIMEOUT, seconds},
    unit::tame_stem,
};
use crate::{
    cache::{self, Files},
    env::Env,
    lists::{AddAll, CollectVec, Figures},
    paths::normalize,
    toolkit::{HostCompiler, Toolkit},
};

/// Compiles what changed.
///
/// # Errors
/// Something is wrong with the request as a whole (no host compiler, a target that nvcc does not know, a flag that
/// cannot be used, an unwritable directory). What is wrong with single sources is in [`Outcome::failures`].
pub fn compile(env: &Env, request: &CompileRequest<'_>) -> Result<Outcome, Error> {
    compile_telling(env, request, &|_, _, _| {})
}

/// As [`compile()`]; `told` hears of each source and target that was compiled, as soon as it is done, and why, on any thread.
///
/// # Errors
/// As [`compile()`].
pub fn compile_telling(
    env: &Env,
    request: &CompileRequest<'_>,
    told: &(dyn Fn(&Path, Sm, &str) + Sync),
) -> Result<Outcome, Error> {
    command::check(request)?;
    let anchor = command::anchor(request);
    std::fs::create_dir_all(request.out_dir)
        .and_then(|()| cache::write_if_changed(&anchor, command::ANCHOR.as_bytes()))
        .map_err(|error| Error::OutDir {
            path: anchor,
            why: error.to_string(),
        })?;
    let files = Files::default();
    let host = request
        .toolkit
        .host_compiler(env, command::ccbin(request.options).as_deref());
    let mut common = unit::Common::new(env, request, host.as_ref().ok(), &files);
    let sources = sources_once(request)?;
    if sources
        .iter()
        .any(|source| source.language == Language::Cuda)
        && let Err(missing) = host
    {
        return Err(Error::NoHostCompiler(missing));
    }
    let mut kinds = graph::Kinds::default();
    for source in &sources {
        for &target in source.targets(request.targets) {
            if source.language == Language::Cuda {
                kinds.add(&common, common.nvcc_words(source, target));
            }
        }
    }
    if let Some(why) = kinds.not_understood() {
        common.note(format!(
            "nvcc compiles each source as a whole, since what it would run is not understood: {why}"
        ));
    }
    let mut fronts = Vec::new();
    let mut plans = Vec::new();
    for source in &sources {
        for &target in source.targets(request.targets) {
            let way = way(&common, &kinds, &mut fronts, source, target)?;
            plans.push(graph::Plan {
                source,
                target,
                way,
            });
        }
    }
    let mut failures: Vec<Failure> = Vec::new();
    let mut units = Vec::new();
    for result in graph::Graph::new(&common, &fronts, &plans, told).run() {
        match result {
            Ok(unit) => units.push(unit),
            Err(failure) => add_failure(&mut failures, *failure),
        }
    }
    #[cfg(feature = "library")]
    let objects = {
        let object::Objects {
            made,
            failures: others,
        } = object::make(&common, &kinds, &sources, &units);
        for failure in others {
            add_failure(&mut failures, failure);
        }
        made
    };
    Ok(Outcome {
        units,
        #[cfg(feature = "library")]
        objects,
        failures,
        notes: common.notes(),
    })
}

/// Whether a toolkit can compile all of the sources here: those in C++ need a host compiler.
pub(crate) fn has_compilers(
    env: &Env,
    toolkit: &Toolkit,
    options: &Options,
    sources: &[Source],
) -> bool {
    let mut languages = sources.iter().map(|source| source.language);
    !languages.any(|language| language == Language::Cuda)
        || toolkit
            .host_compiler(env, command::ccbin(options).as_deref())
            .is_ok()
}

/// Adds a failure, once for all targets that failed the same way.
fn add_failure(failures: &mut Vec<Failure>, failure: Failure) {
    match failures.iter_mut().find(|known| known.same(&failure)) {
        Some(known) => known.targets.add_all(failure.targets),
        None => failures.push(failure),
    }
}

/// Makes the results in the directories of these files count as never made: whoever could not use one has it made anew.
pub fn forget<'p>(results: impl IntoIterator<Item = &'p Path>) {
    for result in results {
        if let Some(dir) = result.parent() {
            let _ = std::fs::remove_file(dir.join(step::RECORD));
        }
    }
}

/// How a source is compiled for a target.
fn way<'a>(
    common: &unit::Common<'a>,
    kinds: &'a graph::Kinds,
    fronts: &mut Vec<front::Front<'a>>,
    source: &'a Source,
    target: Sm,
) -> Result<graph::Way<'a>, Error> {
    let request = common.request;
    let of_source = request
        .out_dir
        .join("units")
        .join(unit::unit_name(&source.path));
    let dir = of_source.join(target.to_string());
    let back = |words: &[String], steps| {
        let dir = dir.clone();
        back::Back::new(common, source, target, words, (steps, dir))
    };
    if source.language == Language::Ptx {
        let words = command::ptxas_words(request.options, source, target);
        return Ok(graph::Way::Ptx(back(&words, None)));
    }
    #[cfg(feature = "nvvm")]
    if source.language == Language::Nvvm {
        let plan = nvvm::Plan::new(common, source, target, dir);
        return Ok(graph::Way::Nvvm(plan));
    }
    let words = common.nvcc_words(source, target);
    let steps = match kinds.get(&words) {
        Some(kind::Kind::Steps(steps)) => steps,
        Some(kind::Kind::Whole(_)) | None => {
            return Ok(graph::Way::Whole(whole::Plan::new(
                common, source, target, dir,
            )));
        }
        Some(kind::Kind::Refused { status, log, shown }) => {
            command::check_target(common.env, request, target, log)?;
            let mut failure = Failure::new(&source.path, target, Cause::Exit(*status), &dir);
            failure.tell(log);
            failure.ran("nvcc", shown);
            return Ok(graph::Way::Fails(Box::new(failure)));
        }
        Some(kind::Kind::Stopped(why)) => {
            let mut failure = Failure::new(&source.path, target, Cause::Spawn(why.clone()), &dir);
            failure.ran("nvcc", "");
            return Ok(graph::Way::Fails(Box::new(failure)));
        }
    };
    let back = back(&steps.ptxas_words(), Some(&**steps));
    // Those of one source follow each other.
    let others = fronts.iter().rev();
    let others = others.take_while(|front| std::ptr::eq(front.source, source));
    let first = fronts.len() - others.how_many();
    let known = fronts[first..]
        .iter()
        .position(|front| front.steps.same_front(steps));
    let number = known.map_or_else(
        || {
            let mut name = steps.virtual_arch.clone();
            let taken = |name: &str| {
                let dir = of_source.join(name);
                fronts[first..].iter().any(|front| front.dir == dir)
            };
            if taken(&name) {
                name = format!("{name}.{target}");
            }
            let dir = of_source.join(name);
            fronts.push(front::Front::new(
                common,
                source,
                target,
                steps,
                (&command::front_words(&words), dir),
            ));
            fronts.len() - 1
        },
        |known| first + known,
    );
    Ok(graph::Way::Steps(number, back))
}

/// The sources, each once: a file may be given by itself and by its directory.
fn sources_once<'a>(request: &CompileRequest<'a>) -> Result<Vec<&'a Source>, Error> {
    let mut seen: Map<PathBuf, &Source> = Map::new();
    let mut sources = Vec::new();
    for source in request.sources {
        let full = normalize(&request.root.join(&source.path));
        match seen.get(&full) {
            None => {
                seen.insert(full, source);
                sources.push(source);
            }
            Some(known) if known.is_like(source) => {}
            Some(_) => return Err(Error::Twice(source.path.clone())),
        }
    }
    Ok(sources)
}

/// Everything that a result depends on, for cargo's `rerun-if-*` lines.
///
/// Paths: the sources, every dependency (but not the headers of a toolkit that was installed by us and never changes),
/// the include directories that flags and environment name and the directories of included headers (a header that appears
/// there may come first), nvcc and the host compiler. A directory that holds
/// `out_dir` is left out, since cargo would see each build's own output as a change. Variables: all that `env` was
/// asked for.
pub fn watch(env: &Env, request: &CompileRequest<'_>, outcome: &Outcome) -> Watch {
    let mut paths: Set<PathBuf> = Set::new();
    let out_dir = normalize(&request.root.join(request.out_dir));
    paths.extend(request.toolkit.watched());
    if let Ok(HostCompiler { program, .. }) = request
        .toolkit
        .host_compiler(env, command::ccbin(request.options).as_deref())
        && program.exists()
    {
        paths.insert(program);
    }
    paths.extend(request.sources.iter().map(|source| source.path.clone()));
    let mut dirs: Set<&Path> = Set::new();
    dirs.extend(request.options.includes.iter().map(PathBuf::as_path));
    for source in request.sources {
        dirs.extend(source.includes.iter().map(PathBuf::as_path));
    }
    let mut headers = Vec::new();
    for unit in &outcome.units {
        paths.extend(unit.dependencies.iter().cloned());
        // Most units have the same.
        if !headers
            .iter()
            .any(|known| Arc::ptr_eq(known, &unit.headers))
        {
            paths.extend(unit.headers.system.iter().cloned());
            paths.extend(unit.headers.of_toolkit.iter().cloned());
            headers.push(Arc::clone(&unit.headers));
        }
        dirs.extend(unit.shadowing.iter().map(PathBuf::as_path));
    }
    #[cfg(feature = "library")]
    for object in &outcome.objects {
        paths.extend(object.dependencies.iter().cloned());
    }
    for dir in dirs {
        // The root itself as a relative path is empty; cargo would watch the whole package for it.
        let full = normalize(&request.root.join(dir));
        if full.is_dir() && !out_dir.starts_with(&full) && !request.toolkit.owns(&full) {
            paths.insert(dir.to_owned());
        }
    }
    Watch {
        paths: paths.into_iter().collect_vec(),
        variables: env.consulted(),
    }
}

/// A target as a user writes it.
///
/// # Errors
/// The text is not `sm_NN`, `sm_NNa` or `sm_NNf`; the error says why the other things that nvcc's `-arch` accepts
/// (`native`, `all`, `compute_90`) are refused.
pub fn target(text: &str) -> Result<Sm, TargetError> {
    text.parse().map_err(|_| TargetError::new(text))
}
