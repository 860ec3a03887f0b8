//! One source for one target: whether its earlier result still holds, and how to make a new one.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::sorted;
use cubin_core::Sm;

use super::{
    Cause, CompileRequest, Failure, Language, Level, SideFiles, Source, Unit, command, depfile,
    message, ptxas_log,
    record::{self, Class, CompileRecord, Input, Listings},
    step::{self, Earlier, LOG, Step},
};
use crate::{
    cache::{ContentHash, Files, Stamp, encode_path},
    env::Env,
    toolkit::HostCompiler,
};

/// Variables that nvcc or the host compiler read by themselves and that change what comes out.
const VARIABLES: [&str; 7] = [
    "NVCC_PREPEND_FLAGS",
    "NVCC_APPEND_FLAGS",
    "NVCC_CCBIN",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "COMPILER_PATH",
];
/// Endings of the files that nvcc's front end leaves, and of the PTX between.
const STUB: &str = ".cudafe1.stub.c";
const GPU: &str = ".cudafe1.gpu";
const PTX: &str = ".ptx";

/// What all units of a request share.
pub(super) struct Common<'a> {
    pub(super) env: &'a Env,
    pub(super) request: &'a CompileRequest<'a>,
    pub(super) host: Option<&'a HostCompiler>,
    files: &'a Files,
    listings: Listings,
    toolkit_lines: Vec<String>,
    host_line: String,
    env_lines: Vec<String>,
    /// Directories of `CPATH` and `CPLUS_INCLUDE_PATH`.
    env_includes: Vec<PathBuf>,
    notes: Vec<String>,
}

impl<'a> Common<'a> {
    pub(super) fn new(
        env: &'a Env,
        request: &'a CompileRequest<'a>,
        host: Option<&'a HostCompiler>,
        files: &'a Files,
    ) -> Self {
        let mut env_lines = Vec::new();
        let mut env_includes = Vec::new();
        let mut notes = Vec::new();
        for name in VARIABLES {
            let Some(value) = env.get(name) else { continue };
            env_lines.push(format!("env {name}={}", encode_path(Path::new(&value))));
            if matches!(name, "CPATH" | "CPLUS_INCLUDE_PATH") {
                env_includes.extend(std::env::split_paths(&value));
            }
            if matches!(name, "NVCC_PREPEND_FLAGS" | "NVCC_APPEND_FLAGS") {
                notes.push(format!(
                    "{name} is set to `{}`: nvcc adds these flags to every compilation of this build",
                    value.to_string_lossy()
                ));
            }
        }
        Self {
            env,
            request,
            host,
            files,
            listings: Listings::default(),
            toolkit_lines: request
                .toolkit
                .identity()
                .into_iter()
                .map(|line| format!("nvcc {}", encode_path(Path::new(&line))))
                .collect(),
            host_line: match host {
                Some(host) => format!("host {}", encode_path(Path::new(&host.identity()))),
                None => "host none".to_owned(),
            },
            env_lines,
            env_includes,
            notes,
        }
    }

    pub(super) fn notes(self) -> Vec<String> {
        self.notes
    }
}

/// A unit before it is looked up or made.
pub(super) struct Plan<'a> {
    source: &'a Source,
    target: Sm,
    pub(super) dir: PathBuf,
    includes: Vec<PathBuf>,
    pub(super) words: Vec<OsString>,
    head: Vec<String>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(common: &Common<'_>, source: &'a Source, target: Sm) -> Self {
        let request = common.request;
        let words = match source.language {
            Language::Cuda => command::nvcc_words(request, source, target, common.host),
            Language::Ptx => {
                let mut words: Vec<OsString> = vec![format!("-arch={target}").into(), "-v".into()];
                words.extend(
                    command::ptxas_flags(request.options, source, target)
                        .into_iter()
                        .map(OsString::from),
                );
                words
            }
        };
        let mut includes = command::include_dirs(request.options, source, target);
        includes.extend(common.env_includes.iter().cloned());
        let mut head = vec![record::FORMAT.to_owned()];
        head.extend(common.toolkit_lines.iter().cloned());
        if source.language == Language::Cuda {
            head.push(common.host_line.clone());
            head.extend(common.env_lines.iter().cloned());
        }
        head.push(format!("target {target}"));
        head.push(format!("directory {}", encode_path(request.root)));
        head.extend(
            words
                .iter()
                .map(|word| format!("flag {}", encode_path(Path::new(word)))),
        );
        Self {
            source,
            target,
            dir: request
                .out_dir
                .join("units")
                .join(unit_name(&source.path))
                .join(target.to_string()),
            includes,
            words,
            head,
        }
    }

    pub(super) fn target(&self) -> Sm {
        self.target
    }

    pub(super) fn needs_host(&self) -> bool {
        self.source.language == Language::Cuda
    }

    /// The earlier result, when it still holds; else why not.
    pub(super) fn up_to_date(&self, common: &Common<'_>) -> Result<Unit, String> {
        let step = self.step();
        let (old, identity) = step.record()?;
        // Before the inputs are looked at: what names them may have another format.
        if let Some(reason) = record::difference(&old.head, &self.head) {
            return Err(reason);
        }
        let inputs = old.inputs().ok_or_else(step::damaged)?;
        let now = self.input_lines(common, &inputs);
        let Earlier { outputs, log } = step.earlier(&old, &self.head, &now)?;
        self.unit(common, &outputs, &inputs, (&log, identity), None)
            .ok_or_else(step::damaged)
    }

    /// Compiles.
    pub(super) fn build(&self, common: &Common<'_>, reason: &str) -> Result<Unit, Box<Failure>> {
        let request = common.request;
        let step = self.step();
        let source = request.root.join(&self.source.path);
        if let Err(error) = fs::File::open(&source).and_then(|file| file.metadata()) {
            return Err(step.failure(Cause::Source(error.to_string())));
        }
        step.begin()?;
        // Its time tells which files were written while the compiler ran.
        step.keep_log("")?;
        let log_path = self.dir.join(LOG);
        let began = Stamp::of(&log_path).map_err(step.io(&log_path))?;

        let stem = tame_stem(&self.source.path);
        let cubin = self.dir.join(format!("{stem}.cubin"));
        let mut command = self.command(common, &cubin)?;
        let ran = step.run(common.env, &mut command, request.root)?;
        step.keep_log(&ran.log)?;
        let made = files_in(&self.dir);
        let inputs = self.inputs(common, &made);
        self.clean(&made);
        if !ran.status.success() {
            return Err(step.failed(&ran, Cause::Exit(ran.status)));
        }
        let outputs = self
            .outputs(cubin, &made)
            .map_err(|what| step.failed(&ran, Cause::NoOutput(what)))?;
        let Some(inputs) = inputs else {
            let what = "preprocessed text (.cpp1.ii)";
            return Err(step.failed(&ran, Cause::NoOutput(what)));
        };
        let mut record = CompileRecord {
            head: self.head.clone(),
            inputs: self.input_lines(common, &inputs),
            outputs: Vec::new(),
        };
        for (line, input) in record.inputs.iter_mut().zip(&inputs) {
            // A file that was written while the compiler ran may have been read before: never trust this result again.
            let changed = || {
                Stamp::of(&request.root.join(&input.path)).map(|now| now.modified > began.modified)
            };
            if input.class == Class::Content && changed().unwrap_or(true) {
                *line = format!("content written-meanwhile {}", input.name);
            }
        }
        let identity = step.finish(record, &outputs)?;
        self.unit(
            common,
            &outputs,
            &inputs,
            (&ran.log, identity),
            Some(reason.to_owned()),
        )
        .ok_or_else(|| step.failed(&ran, Cause::NoOutput("cubin")))
    }

    fn step(&self) -> Step<'_> {
        Step {
            name: &self.source.path,
            target: self.target,
            dir: &self.dir,
        }
    }

    fn input_lines(&self, common: &Common<'_>, inputs: &[Input]) -> Vec<String> {
        let root = common.request.root;
        record::input_lines(inputs, root, &self.includes, common.files, &common.listings)
    }

    /// The files that are results, or what one of them is that a tool did not leave.
    fn outputs(&self, cubin: PathBuf, made: &[PathBuf]) -> Result<Vec<PathBuf>, &'static str> {
        if !step::is_there(&cubin) {
            return Err("cubin");
        }
        let mut outputs = vec![cubin];
        let kept: &[(&str, &'static str)] = match self.source.language {
            Language::Cuda => &[
                (STUB, "file of kernel signatures (.cudafe1.stub.c)"),
                (GPU, "file of kernel declarations (.cudafe1.gpu)"),
                (PTX, "PTX"),
            ],
            Language::Ptx => &[],
        };
        for (end, what) in kept {
            outputs.push(ending(made, end).ok_or(*what)?.to_owned());
        }
        Ok(outputs)
    }

    fn command(&self, common: &Common<'_>, cubin: &Path) -> Result<Command, Box<Failure>> {
        let request = common.request;
        let mut command = match self.source.language {
            Language::Ptx => {
                let ptxas = request.toolkit.tool("ptxas").ok_or_else(|| {
                    let root = request.toolkit.root.display();
                    let why = format!("the toolkit in {root} has no ptxas");
                    self.step().failure(Cause::Spawn(why))
                })?;
                common.env.command(ptxas)
            }
            Language::Cuda => {
                let mut command = common.env.command(&request.toolkit.nvcc);
                command.args(["--keep", "--keep-dir"]).arg(&self.dir);
                command
            }
        };
        command
            .args(&self.words)
            .arg("-o")
            .arg(cubin)
            .arg(command::operand(&self.source.path));
        if let Some(host) = common.host {
            command.envs(host.variables.iter().cloned());
        }
        Ok(command)
    }

    /// What went in; `None` when nothing tells.
    fn inputs(&self, common: &Common<'_>, made: &[PathBuf]) -> Option<Vec<Input>> {
        let request = common.request;
        if self.source.language == Language::Ptx {
            let source = self.source.path.clone();
            return Some(vec![Input::new(source, Class::Content)]);
        }
        let mut dependencies = depfile::read(ending(made, ".cpp1.ii")?).ok()?;
        // Ours, and part of the words.
        let anchor = command::anchor(request);
        dependencies.retain(|dependency| dependency.path != anchor);
        if dependencies.is_empty() {
            return None;
        }
        Some(Input::classify(
            dependencies,
            request.toolkit,
            request.root,
            &self.includes,
        ))
    }

    /// Removes what is large and read already.
    fn clean(&self, made: &[PathBuf]) {
        for path in made {
            let name = path.as_os_str().as_encoded_bytes();
            if [&b".ii"[..], b".cudafe1.c", b".module_id"]
                .iter()
                .any(|end| name.ends_with(end))
            {
                let _ = fs::remove_file(path);
            }
        }
    }

    fn unit(
        &self,
        common: &Common<'_>,
        outputs: &[PathBuf],
        inputs: &[Input],
        (log, identity): (&str, ContentHash),
        recompiled: Option<String>,
    ) -> Option<Unit> {
        let find = |end: &str| ending(outputs, end).map(Path::to_owned);
        let mut messages = message::parse(log);
        // Closing remarks say how to silence a warning; without one there is nothing to show.
        if !messages.iter().any(|message| message.level != Level::Note) {
            messages.clear();
        }
        let watched = inputs.iter().filter(|input| input.class != Class::Fixed);
        let (toolkit_headers, dependencies) = watched
            .map(|input| input.path.clone())
            .partition(|path| common.request.toolkit.owns(path));
        let (side_files, ptx) = match self.source.language {
            Language::Cuda => {
                let (stub, gpu) = (find(STUB)?, find(GPU)?);
                (Some(SideFiles { stub, gpu }), find(PTX)?)
            }
            Language::Ptx => (None, common.request.root.join(&self.source.path)),
        };
        let ptxas_log::Log { spills, callees } = ptxas_log::parse(log, self.source.relocatable);
        Some(Unit {
            source: self.source.path.clone(),
            target: self.target,
            cubin: find(".cubin")?,
            side_files,
            ptx,
            spills,
            callees,
            dependencies,
            messages,
            recompiled,
            identity,
            toolkit_headers,
            shadowing: record::search_dirs(inputs, &self.includes),
        })
    }
}

/// What stands in a directory, sorted.
pub(super) fn files_in(dir: &Path) -> Vec<PathBuf> {
    let mut made: Vec<PathBuf> = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .collect();
    sorted::sort(&mut made);
    made
}

/// Directory of a source's units: its stem to be readable, a hash of its path to be unique.
fn unit_name(path: &Path) -> String {
    let hash = ContentHash::of(path.as_os_str().as_encoded_bytes()).to_string();
    format!("{}-{}", tame_stem(path), &hash[..8])
}

/// The stem of a file in characters that need no quoting anywhere.
fn tame_stem(path: &Path) -> String {
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let tame: String = stem
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || matches!(c, '_' | '.') {
                c
            } else {
                '_'
            }
        })
        .take(40)
        .collect();
    match tame.trim_start_matches('.') {
        "" => "unit".to_owned(),
        tame => tame.to_owned(),
    }
}

pub(super) fn ending<'a>(paths: &'a [PathBuf], end: &str) -> Option<&'a Path> {
    paths
        .iter()
        .find(|path| {
            path.as_os_str()
                .as_encoded_bytes()
                .ends_with(end.as_bytes())
        })
        .map(PathBuf::as_path)
}
