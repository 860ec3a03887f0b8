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

mod command;
mod depfile;
pub mod diags;
mod error;
pub(crate) mod flags;
mod front_end;
mod headers;
mod link;
mod message;
mod outcome;
mod ptxas_log;
mod record;
mod request;
mod run;
mod shared;
mod source_kind;
mod step;
mod unit;

use std::path::{Path, PathBuf};

use crate::sorted::{Map, Set};
use cubin_core::Sm;

pub(crate) use self::run::{TIMEOUT, seconds};
pub use self::{
    error::{Cause, Error, Failure, TargetError},
    front_end::{FrontEnd, Registrations},
    link::{Group, Linkage, Linked, link},
    message::{Level, Message, Tool},
    outcome::{Outcome, SideFiles, Unit, Watch},
    request::{CompileRequest, Options, Source},
    shared::{Reach, SharedUse, uses_dynamic_shared},
    source_kind::{Container, Language, SourceKind, UnknownKind},
};
use crate::{
    cache::{self, Files},
    env::Env,
    jobs,
    paths::normalize,
    toolkit::HostCompiler,
};

/// Compiles what changed.
///
/// # Errors
/// Something is wrong with the request as a whole (no host compiler, a target that nvcc does not know, a flag that
/// cannot be used, an unwritable directory). What is wrong with single sources is in [`Outcome::failures`].
pub fn compile(env: &Env, request: &CompileRequest<'_>) -> Result<Outcome, Error> {
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
    let common = unit::Common::new(env, request, host.as_ref().ok(), &files);

    let mut plans = Vec::new();
    for source in sources_once(request)? {
        for &target in source.targets(request.targets) {
            plans.push(unit::Plan::new(&common, source, target));
        }
    }
    // Units that stand still are looked up here; only the others take a job.
    let mut units: Vec<Option<Unit>> = Vec::with_capacity(plans.len());
    let mut stale = Vec::new();
    for (index, plan) in plans.iter().enumerate() {
        match plan.up_to_date(&common) {
            Ok(unit) => units.push(Some(unit)),
            Err(reason) => {
                units.push(None);
                stale.push((index, reason));
            }
        }
    }
    if stale.iter().any(|(index, _)| plans[*index].needs_host())
        && let Err(missing) = host
    {
        return Err(Error::NoHostCompiler(missing));
    }
    let targets: Set<Sm> = stale
        .iter()
        .map(|(index, _)| plans[*index].target())
        .collect();
    for target in targets {
        command::check_target(env, request, host.as_ref().ok(), target)?;
    }

    if !stale.is_empty() {
        let dir = request.out_dir.join("units");
        std::fs::create_dir_all(&dir).map_err(|error| Error::OutDir {
            path: dir,
            why: error.to_string(),
        })?;
    }
    let results = jobs::run(env, stale, |(index, reason)| {
        (index, plans[index].build(&common, &reason))
    });
    let mut failures: Vec<Failure> = Vec::new();
    for (index, result) in results {
        match result {
            Ok(unit) => units[index] = Some(unit),
            Err(failure) => match failures.iter_mut().find(|known| known.same(&failure)) {
                Some(known) => known.targets.extend(failure.targets),
                None => failures.push(*failure),
            },
        }
    }
    Ok(Outcome {
        units: units.into_iter().flatten().collect(),
        failures,
        notes: common.notes(),
    })
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
/// the include directories and the directories of included headers (a header that appears there may come first), nvcc
/// and the host compiler. A directory that holds
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
    for unit in &outcome.units {
        paths.extend(unit.dependencies.iter().cloned());
        paths.extend(unit.toolkit_headers.iter().cloned());
        dirs.extend(unit.shadowing.iter().map(PathBuf::as_path));
    }
    for dir in dirs {
        // The root itself as a relative path is empty; cargo would watch the whole package for it.
        let full = normalize(&request.root.join(dir));
        if full.is_dir() && !out_dir.starts_with(&full) {
            paths.insert(dir.to_owned());
        }
    }
    Watch {
        paths: paths.into_iter().collect(),
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
