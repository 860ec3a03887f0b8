//! What was asked for, from the build script, `cubin.toml` and the environment together.

use std::path::{Path, PathBuf};

use cubin_core::Sm;

use super::{
    problem::{Mistake, Origin, Problem},
    ptx,
    request::BuildRequest,
    virtuals,
    workspace::{self, Layers},
};
use crate::{
    compile::{self, LAUNCHER, Launcher, Options},
    config::{self, Config, Glob},
    diag::{Level, Sink},
    env::Env,
    lists::{AddAll, CollectVec},
    options::{self, Backend, Compress, Embed, HalfTypes, Runtime},
    paths, report,
    sorted::Set,
    toolkit,
};

/// Name of the generated file when none is given.
pub(super) const DEFAULT_FILE: &str = "kernels.rs";

/// What the package's directory is searched for when no other file is named.
const DEFAULT_CONFIG: &str = "cubin.toml";

/// Everything that a run needs to know, resolved.
pub(super) struct Settings {
    /// The package's directory, absolute.
    pub(super) root: PathBuf,
    /// Where the generated file goes. Absolute.
    pub(super) out_dir: PathBuf,
    /// Where this builder keeps compiled units: two builders of one build script may compile one source differently.
    pub(super) work_dir: PathBuf,
    pub(super) config: Config,
    pub(super) toolkit: toolkit::ToolkitRequest,
    /// Targets of all sources that have none of their own.
    pub(super) targets: Vec<Sm>,
    /// The targets came from the environment.
    from_environment: bool,
    /// Which PTX is embedded.
    pub(super) ptx: ptx::Wanted,
    pub(super) options: Options,
    pub(super) backend: Backend,
    pub(super) half: HalfTypes,
    pub(super) runtime: Runtime,
    /// How the fatbins of modules are compressed; `None` where each cubin lies by itself.
    pub(super) fatbins: Option<Compress>,
    pub(super) out_file: String,
    pub(super) report: Option<report::Destination>,
    pub(super) highest: Highest,
    pub(super) prebuilt: Prebuilt,
    /// Wrappers without machine code are enough.
    pub(super) signatures: bool,
    /// Files and directories consulted so far.
    pub(super) watched: Vec<PathBuf>,
    /// Each `cubin.toml`, absolute, that was looked for and is not there.
    pub(super) absent: Vec<PathBuf>,
    /// `cubin.toml`, relative to the package where possible; for messages about what it lacks.
    pub(super) config_name: String,
}

/// When prebuilt files are used, and what it is when they are stale.
pub(super) struct Prebuilt {
    pub(super) when: options::Prebuilt,
    /// The key, the method or the variable that says so.
    pub(super) said_by: &'static str,
    pub(super) stale: Level,
}

/// The most that a violation of the policy may be.
pub(super) struct Highest {
    pub(super) level: Level,
    /// The key or the variable that says so.
    pub(super) said_by: &'static str,
}

/// Resolves all but the sources; what is wrong goes into `sink`. `None` when nothing sensible can follow.
pub(super) fn resolve(request: &BuildRequest, env: &Env, sink: &mut Sink) -> Option<Settings> {
    let root = root(request, env, sink)?;
    let out_dir = out_dir(request, env, &root, sink)?;
    let (mut layers, config_name) = read_config(request, &root, sink);
    let own = request
        .config
        .as_deref()
        .unwrap_or(Path::new(DEFAULT_CONFIG));
    workspace::inherit(&root, own, &mut layers);
    let Layers {
        config,
        problems,
        consulted,
        ..
    } = layers;
    problems.into_iter().for_each(|problem| sink.push(problem));
    let (mut watched, mut absent) = (Vec::new(), Vec::new());
    for file in consulted {
        // Cargo takes paths from the package's directory on.
        let path = file.path.strip_prefix(&root).map(Path::to_owned);
        if file.exists {
            watched.push(path.unwrap_or(file.path));
        } else {
            absent.push(file.path);
        }
    }
    // A policy that cannot be read must not be half applied, so its problems end the build before anything runs.
    if sink.has_errors() {
        return None;
    }
    check_timeout(env, sink);
    if let Err(name) = Launcher::find(env, None) {
        let mistake = Mistake::Launcher(name);
        sink.push(Problem::Asked(mistake, Origin::Environment(LAUNCHER)).into());
    }
    let targets = targets(request, env, &config, &config_name, sink);
    let from_environment = env.peek(ARCH).is_some_and(|value| !value.is_empty());
    let mut all = targets.clone();
    all.add_all(own_targets(request, &config, sink));
    let virtuals = virtuals::resolve(request, &config, &all, from_environment, sink);
    let ptx = ptx::resolve(request, &config, (&all, &virtuals), from_environment, sink);
    let out_file = out_file(request, &config, sink);
    let report = report::Destination::from_env(env, &root, &out_file);
    // Reports are about machine code.
    let signatures = signatures(env, sink) && report.is_none();
    let mut work_dir = out_dir
        .join(Path::new(&out_file).file_stem().unwrap_or_default())
        .join("cubin-build");
    if signatures {
        // Beside the results of full builds, which stay as they are.
        work_dir.push("signatures");
    }
    let toolkit = toolkit_request(request, &config, &work_dir, sink);
    Some(Settings {
        backend: backend(request, &config),
        half: half(request, &config),
        runtime: runtime(request, &config),
        fatbins: fatbins(&config, sink),
        options: Options {
            virtual_archs: virtuals,
            front_end_only: signatures,
            ..options(request, &config, &all, from_environment, sink)
        },
        report,
        signatures,
        highest: highest(env, &config, sink),
        prebuilt: prebuilt(request, env, &config, sink),
        out_dir,
        work_dir,
        toolkit,
        targets,
        from_environment,
        ptx,
        out_file,
        absent,
        watched,
        config_name,
        config,
        root,
    })
}

/// The variable that replaces all targets.
const ARCH: &str = "CUBIN_BUILD_ARCH";

/// The variable that goes before `[policy] level`.
const POLICY: &str = "CUBIN_BUILD_POLICY";

fn highest(env: &Env, config: &Config, sink: &mut Sink) -> Highest {
    let said = |level, said_by| Highest { level, said_by };
    let Some(value) = env.get(POLICY) else {
        let written = config.policy.as_ref();
        let level = written.map_or(Level::Deny, |level| level.value);
        return said(level, "`level` in [policy]");
    };
    let mut levels = config::POLICY_LEVELS.into_iter();
    let level = levels.find(|level| value == level.name());
    if level.is_none() {
        let mistake = Mistake::PolicyLevel(value.to_string_lossy().into_owned());
        sink.push(Problem::Asked(mistake, Origin::Environment(POLICY)).into());
    }
    said(level.unwrap_or(Level::Deny), "CUBIN_BUILD_POLICY")
}

/// The variable that says how much is made.
pub(super) const MODE: &str = "CUBIN_BUILD_MODE";

/// Whether wrappers without machine code are asked for.
fn signatures(env: &Env, sink: &mut Sink) -> bool {
    let Some(value) = env.get(MODE) else {
        return false;
    };
    if value != "signatures" && value != "full" {
        let mistake = Mistake::Mode(value.to_string_lossy().into_owned());
        sink.push(Problem::Asked(mistake, Origin::Environment(MODE)).into());
    }
    value == "signatures"
}

/// The variable that goes before `[prebuilt] use`.
pub(super) const PREBUILT: &str = "CUBIN_BUILD_PREBUILT";

fn prebuilt(request: &BuildRequest, env: &Env, config: &Config, sink: &mut Sink) -> Prebuilt {
    let written = &config.prebuilt;
    let stale = written.stale.as_ref().map(|level| level.value);
    let said = |when, said_by| Prebuilt {
        when,
        said_by,
        stale: stale.unwrap_or(Level::Deny),
    };
    if let Some(value) = env.get(PREBUILT) {
        // For `cargo cubin prebuild`.
        if value == "write" {
            return said(options::Prebuilt::Write, PREBUILT);
        }
        for (word, when) in options::Prebuilt::WORDS {
            if value == word {
                return said(when, PREBUILT);
            }
        }
        let mistake = Mistake::Prebuilt(value.to_string_lossy().into_owned());
        sink.push(Problem::Asked(mistake, Origin::Environment(PREBUILT)).into());
    }
    if let Some(when) = request.prebuilt {
        return said(when, "`Builder::prebuilt` in build.rs");
    }
    let when = written.when.as_ref().map(|when| when.value);
    said(when.unwrap_or_default(), "`use` in [prebuilt]")
}

fn check_timeout(env: &Env, sink: &mut Sink) {
    let Some(value) = env.peek(compile::TIMEOUT) else {
        return;
    };
    let value = value.to_string_lossy();
    if compile::seconds(&value).is_none() {
        let mistake = Mistake::Timeout(value.into_owned());
        sink.push(Problem::Asked(mistake, Origin::Environment(compile::TIMEOUT)).into());
    }
}

fn backend(request: &BuildRequest, config: &Config) -> Backend {
    let written = config.generate.backend.as_ref();
    let asked = request.backend.clone();
    asked
        .or_else(|| written.map(|backend| backend.value.clone()))
        .unwrap_or_default()
}

fn half(request: &BuildRequest, config: &Config) -> HalfTypes {
    let written = config.generate.half.as_ref();
    let asked = request.half.or_else(|| written.map(|half| half.value));
    asked.unwrap_or_default()
}

fn runtime(request: &BuildRequest, config: &Config) -> Runtime {
    let written = config.generate.runtime.as_ref();
    let asked = request
        .runtime
        .or_else(|| written.map(|runtime| runtime.value));
    asked.unwrap_or_default()
}

fn fatbins(config: &Config, sink: &mut Sink) -> Option<Compress> {
    let generate = &config.generate;
    let embed = generate.embed.as_ref().map(|embed| embed.value);
    if embed == Some(Embed::Fatbin) {
        let compress = generate.compress.as_ref();
        return Some(compress.map_or(Compress::None, |compress| compress.value));
    }
    // What nothing follows must not look as if something did.
    if let Some(compress) = &generate.compress {
        let origin = Origin::File(compress.span.clone());
        sink.push(Problem::Asked(Mistake::CompressWithoutFatbin, origin).into());
    }
    None
}

fn out_file(request: &BuildRequest, config: &Config, sink: &mut Sink) -> String {
    let (name, origin) = match (&request.out_file, &config.generate.file) {
        (Some(name), _) => (name.clone(), Origin::Script("out_file")),
        (None, Some(file)) => (file.value.clone(), Origin::File(file.span.clone())),
        (None, None) => return DEFAULT_FILE.to_owned(),
    };
    if Path::new(&name).components().count() != 1 {
        sink.push(Problem::Asked(Mistake::OutFile(name.clone()), origin).into());
    }
    name
}

fn root(request: &BuildRequest, env: &Env, sink: &mut Sink) -> Option<PathBuf> {
    let given = request
        .root
        .clone()
        .or_else(|| env.peek("CARGO_MANIFEST_DIR").map(PathBuf::from));
    let root = match given {
        Some(root) => std::path::absolute(root),
        None => std::env::current_dir(),
    };
    match root {
        Ok(root) => Some(root),
        Err(error) => {
            sink.push(Problem::NoPackageDir(error.to_string()).into());
            None
        }
    }
}

fn out_dir(request: &BuildRequest, env: &Env, root: &Path, sink: &mut Sink) -> Option<PathBuf> {
    let given = request
        .out_dir
        .clone()
        .or_else(|| env.peek("OUT_DIR").map(PathBuf::from));
    if given.is_none() {
        sink.push(Problem::NoOutDir.into());
    }
    given.map(|dir| root.join(dir))
}

fn read_config(request: &BuildRequest, root: &Path, sink: &mut Sink) -> (Layers, String) {
    let path = request
        .config
        .clone()
        .unwrap_or_else(|| PathBuf::from(DEFAULT_CONFIG));
    let name = paths::shown(root, &path);
    let layers = match workspace::read_own(root, &path, request.config.is_some()) {
        Ok(mut layers) => {
            let dir = Path::new(&name).parent().unwrap_or(Path::new(""));
            rebase(&mut layers.config, dir);
            layers
        }
        Err(error) => {
            sink.push(Problem::CannotRead(name.clone(), error.to_string()).into());
            Layers::default()
        }
    };
    (layers, name)
}

/// Paths in the file are relative to the file, everywhere else to the package's directory.
fn rebase(config: &mut Config, dir: &Path) {
    if dir.as_os_str().is_empty() {
        return;
    }
    let build = &mut config.build;
    let options = config.source_options.iter_mut();
    let own = options.flat_map(|table| {
        for pattern in &mut table.path {
            if pattern.value.as_str().contains('/') {
                let path = dir.join(pattern.value.as_str());
                pattern.value = Glob::new(path.to_string_lossy());
            }
        }
        &mut table.include
    });
    // A pattern without `/` is a file's name.
    let patterns = build.exclude.iter_mut();
    let patterns = patterns.filter(|pattern| pattern.value.contains('/'));
    let lists = [&mut build.sources, &mut build.dirs, &mut build.include];
    let files = config
        .instantiate
        .iter_mut()
        .filter_map(|entry| entry.file.as_mut());
    let linked = config.links.iter_mut().flat_map(|link| {
        // A library without a path in its name is one of the toolkit.
        let paths = link.libraries.iter_mut();
        let paths = paths.filter(|library| library.value.contains(['/', '\\', '.']));
        link.sources.iter_mut().chain(&mut link.dirs).chain(paths)
    });
    let in_libraries = config.libraries.iter_mut();
    let in_libraries =
        in_libraries.flat_map(|library| library.sources.iter_mut().chain(&mut library.dirs));
    for path in lists
        .into_iter()
        .flatten()
        .chain(files)
        .chain(patterns)
        .chain(linked)
        .chain(in_libraries)
        .chain(own)
    {
        path.value = dir.join(&path.value).to_string_lossy().into_owned();
    }
}

fn targets(
    request: &BuildRequest,
    env: &Env,
    config: &Config,
    config_name: &str,
    sink: &mut Sink,
) -> Vec<Sm> {
    let (texts, origin): (Vec<String>, _) = match env.get(ARCH) {
        Some(value) => {
            let value = value.to_string_lossy();
            let texts = value.split(',').map(str::trim);
            let texts = texts.filter(|text| !text.is_empty()).map(str::to_owned);
            (texts.collect_vec(), Origin::Environment(ARCH))
        }
        None => (request.archs.clone(), Origin::Script("arch")),
    };
    let mut targets: Vec<Sm> = Vec::new();
    for text in &texts {
        match compile::target(text) {
            Ok(target) if targets.contains(&target) => {}
            Ok(target) => targets.push(target),
            Err(error) => {
                sink.push(Problem::Asked(Mistake::Target(error), origin.clone()).into());
            }
        }
    }
    if texts.is_empty() {
        targets = config
            .build
            .arch
            .iter()
            .map(|arch| arch.value)
            .collect_vec();
    }
    // What is wrong with those that were asked for has been said.
    if targets.is_empty() && texts.is_empty() {
        sink.push(Problem::NoTarget(config_name.to_owned()).into());
    }
    targets
}

/// The targets that some sources have for themselves.
fn own_targets(request: &BuildRequest, config: &Config, sink: &mut Sink) -> Vec<Sm> {
    let mut all = Vec::new();
    for table in &config.source_options {
        all.add_all(table.arch.iter().map(|arch| arch.value));
    }
    for text in request.own.iter().flat_map(|source| &source.archs) {
        match compile::target(text) {
            Ok(target) => all.push(target),
            Err(error) => {
                let origin = Origin::Script("source");
                sink.push(Problem::Asked(Mistake::Target(error), origin).into());
            }
        }
    }
    all
}

impl Settings {
    /// Of the targets that sources have for themselves, those that are built for. Where the environment names targets,
    /// these are the ones that run on the same GPUs (`sm_90a` for `sm_90`), and where none does, all: the module must
    /// be there.
    pub(super) fn own_targets(&self, targets: Vec<Sm>) -> Vec<Sm> {
        if !self.from_environment {
            return targets;
        }
        let wanted = |target: &&Sm| {
            let mut wanted = self.targets.iter();
            wanted.any(|wanted| wanted.number == target.number)
        };
        let kept: Vec<Sm> = targets.iter().filter(wanted).copied().collect_vec();
        if kept.is_empty() { targets } else { kept }
    }
}

fn toolkit_request(
    request: &BuildRequest,
    config: &Config,
    work_dir: &Path,
    sink: &mut Sink,
) -> toolkit::ToolkitRequest {
    let written = match (&request.toolkit, &config.toolkit.version) {
        (Some(text), _) => Some((text, Origin::Script("toolkit"))),
        (None, Some(version)) => Some((&version.value, Origin::File(version.span.clone()))),
        (None, None) => None,
    };
    let version = written.and_then(|(text, origin)| match text.parse() {
        Ok(wanted) => Some(wanted),
        Err(error) => {
            let mistake = Mistake::ToolkitVersion(format!("{error}"));
            sink.push(Problem::Asked(mistake, origin).into());
            None
        }
    });
    let install = config.toolkit.install.as_ref();
    toolkit::ToolkitRequest {
        version,
        install: request
            .install
            .or_else(|| install.map(|install| install.value))
            .unwrap_or(false),
        components: config
            .toolkit
            .components
            .iter()
            .map(|name| name.value)
            .collect_vec(),
        memo: Some(work_dir.join("toolkit.txt")),
        ..toolkit::ToolkitRequest::default()
    }
}

fn options(
    request: &BuildRequest,
    config: &Config,
    targets: &[Sm],
    from_environment: bool,
    sink: &mut Sink,
) -> Options {
    let build = &config.build;
    let mut options = Options::default();
    options
        .includes
        .add_all(build.include.iter().map(|dir| PathBuf::from(&dir.value)));
    options.includes.add_all(request.includes.iter().cloned());
    options.defines.add_all(
        build
            .define
            .iter()
            .map(|define| (define.value.name.clone(), define.value.value.clone())),
    );
    options.defines.add_all(request.defines.iter().cloned());
    options
        .flags
        .add_all(build.flags.iter().map(|flag| flag.value.clone()));
    if build
        .lineinfo
        .as_ref()
        .is_some_and(|lineinfo| lineinfo.value)
    {
        options.flags.push("-lineinfo".to_owned());
    }
    options.flags.add_all(request.flags.iter().cloned());
    options.target_flags = target_flags(config, targets, from_environment, sink);
    if let Some(std) = request
        .std
        .clone()
        .or_else(|| build.std.as_ref().map(|std| std.value.clone()))
    {
        options.std = Some(std);
    }
    options.ccbin.clone_from(&request.host_compiler);
    options.nvvm = config.nvvm;
    options
}

/// The flags of each `[[target]]` by target.
fn target_flags(
    config: &Config,
    targets: &[Sm],
    from_environment: bool,
    sink: &mut Sink,
) -> Vec<(Sm, Vec<String>)> {
    let mut all = Vec::new();
    for table in &config.target_options {
        let flags: Vec<String> = table
            .flags
            .iter()
            .map(|flag| flag.value.clone())
            .collect_vec();
        let mut selected: Set<Sm> = Set::new();
        for pattern in &table.arch {
            let mut matched = false;
            for target in targets {
                if pattern.value.matches(&target.to_string()) {
                    matched = true;
                    selected.insert(*target);
                }
            }
            // One that the environment took out of the build is no mistake.
            if !matched && !from_environment && !targets.is_empty() {
                let problem = Problem::UnmatchedTarget {
                    pattern: pattern.value.as_str().to_owned(),
                    span: pattern.span.clone(),
                };
                sink.push(problem.into());
            }
        }
        all.add_all(selected.into_iter().map(|target| (target, flags.clone())));
    }
    all
}
