//! What was asked for, from the build script, `cubin.toml` and the environment together.

use std::path::{Path, PathBuf};

use crate::sorted::Set;
use cubin_core::Sm;
use walkdir::WalkDir;

use super::{Backend, Builder, HalfTypes, instantiate, link, ptx, shown_path};
use crate::{
    compile::{self, Container, Options, Source, SourceKind, UnknownKind},
    config::{self, Config, Glob},
    diag::{Diag, Sink, codes},
    env::Env,
    report,
    source::{SourceFile, Span},
    toolkit,
};

/// Name of the generated file when none is given.
pub(super) const DEFAULT_FILE: &str = "kernels.rs";

/// Everything that a run needs to know, resolved.
pub(super) struct Settings {
    /// The package's directory, absolute.
    pub(super) root: PathBuf,
    /// Where the generated file goes. Absolute.
    pub(super) out_dir: PathBuf,
    /// Where this builder keeps compiled units: two builders of one build script may compile one source differently.
    pub(super) work_dir: PathBuf,
    pub(super) config: Config,
    pub(super) toolkit: toolkit::Request,
    /// What is compiled.
    pub(super) sources: Vec<Source>,
    /// What the user calls it, by the same index; differs where a source is compiled through a generated file.
    pub(super) originals: Vec<PathBuf>,
    /// Those of them that a directory was searched for, as the user calls them: nobody said that they hold kernels.
    pub(super) found: Set<PathBuf>,
    /// The template instances that those generated files make.
    pub(super) instances: Vec<instantiate::Asked>,
    /// Sources that become one cubin together.
    pub(super) links: Vec<link::Module>,
    /// Sources that need no compiler.
    pub(super) prebuilt: Vec<(PathBuf, Container)>,
    pub(super) targets: Vec<Sm>,
    /// Those of the targets whose PTX is embedded.
    pub(super) ptx: Vec<Sm>,
    pub(super) options: Options,
    pub(super) backend: Backend,
    pub(super) half: HalfTypes,
    pub(super) out_file: String,
    pub(super) report: Option<report::Request>,
    /// Files and directories consulted so far.
    pub(super) watched: Vec<PathBuf>,
    /// `cubin.toml`, relative to the package where possible; for messages about what it lacks.
    pub(super) config_name: String,
}

impl Settings {
    /// The source as the user named it.
    pub(super) fn original<'a>(&'a self, compiled: &'a Path) -> &'a Path {
        let index = self
            .sources
            .iter()
            .position(|source| source.path == compiled);
        index.map_or(compiled, |index| &self.originals[index])
    }
}

/// Resolves everything; what is wrong goes into `sink`. `None` when nothing sensible can follow.
pub(super) fn resolve(builder: &Builder, env: &Env, sink: &mut Sink) -> Option<Settings> {
    let root = root(builder, env, sink)?;
    let out_dir = out_dir(builder, env, &root, sink)?;
    let mut watched = Vec::new();
    let (config, config_name) = read_config(builder, &root, &mut watched, sink);
    // A policy that cannot be read must not be half applied, so its problems end the build before anything runs.
    if sink.has_errors() {
        return None;
    }
    let targets = targets(builder, env, &config, &config_name, sink);
    let from_environment = env
        .peek("CUBIN_BUILD_ARCH")
        .is_some_and(|value| !value.is_empty());
    let ptx = ptx::resolve(builder, &config, &targets, from_environment, sink);
    let generate = &config.generate;
    let backend = builder.backend.clone().unwrap_or(
        match generate.backend.as_ref().map(|backend| backend.value) {
            Some(config::Backend::Core) => Backend::Core,
            Some(config::Backend::Cudarc) | None => Backend::default(),
        },
    );
    let half = builder
        .half
        .unwrap_or(match generate.half.as_ref().map(|half| half.value) {
            Some(config::Half::Half) => HalfTypes::HalfCrate,
            Some(config::Half::Newtype) | None => HalfTypes::Generated,
        });
    let out_file = builder
        .out_file
        .clone()
        .or_else(|| generate.file.as_ref().map(|file| file.value.clone()))
        .unwrap_or_else(|| DEFAULT_FILE.to_owned());
    if Path::new(&out_file).components().count() != 1 {
        let code = match builder.out_file {
            Some(_) => codes::BUILDER_INVALID,
            None => codes::CONFIG_INVALID,
        };
        sink.push(
            Diag::error(
                code,
                format!("`{out_file}` is no file name for the generated code"),
            )
            .at_place(generate.file.as_ref().map(|file| &file.span), "")
            .help(
                "give a plain name such as `kernels.rs`; the file is always written into OUT_DIR",
            ),
        );
    }
    let work_dir = out_dir
        .join(Path::new(&out_file).file_stem().unwrap_or_default())
        .join("cubin-build");
    let toolkit = toolkit_request(builder, &config, &work_dir, sink);
    let mut excludes = Excludes::new(builder, &config);
    let wanted = link::wanted(builder, &config, &root, &mut excludes, &mut watched, sink);
    let (mut sources, prebuilt, found) = sources(
        builder,
        &config,
        &wanted,
        &root,
        &mut excludes,
        &mut watched,
        sink,
    );
    excludes.report_unmatched(sink);
    let links = link::resolve(wanted, &root, &mut sources, sink);
    let (originals, instances) =
        instantiate::apply(builder, &config, &root, &work_dir, &mut sources, sink);
    if sink.has_errors() {
        return None;
    }
    let report = report::Request::from_env(env, &root, &out_file);
    Some(Settings {
        options: options(builder, &config),
        root,
        out_dir,
        work_dir,
        toolkit: toolkit?,
        sources,
        originals,
        found,
        instances,
        links,
        prebuilt,
        targets,
        ptx,
        backend,
        half,
        out_file,
        report,
        watched,
        config_name,
        config,
    })
}

fn root(builder: &Builder, env: &Env, sink: &mut Sink) -> Option<PathBuf> {
    let given = builder
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
            sink.push(Diag::error(
                codes::IO_ERROR,
                format!("the package's directory is not known: {error}"),
            ));
            None
        }
    }
}

fn out_dir(builder: &Builder, env: &Env, root: &Path, sink: &mut Sink) -> Option<PathBuf> {
    let given = builder
        .out_dir
        .clone()
        .or_else(|| env.peek("OUT_DIR").map(PathBuf::from));
    if given.is_none() {
        sink.push(
            Diag::error(codes::IO_ERROR, "OUT_DIR is not set, so there is no place for results")
                .help("call cubin_build::Builder from a build script, or give it a directory with `.out_dir(...)`"),
        );
    }
    given.map(|dir| root.join(dir))
}

fn read_config(
    builder: &Builder,
    root: &Path,
    watched: &mut Vec<PathBuf>,
    sink: &mut Sink,
) -> (Config, String) {
    let path = builder
        .config
        .clone()
        .unwrap_or_else(|| PathBuf::from("cubin.toml"));
    let full = root.join(&path);
    let name = shown_path(root, &path);
    match SourceFile::read(&full, &name) {
        Ok(file) => {
            watched.push(path);
            let (mut config, problems) = Config::parse(&file);
            rebase(
                &mut config,
                Path::new(&name).parent().unwrap_or(Path::new("")),
            );
            problems.into_iter().for_each(|problem| sink.push(problem));
            (config, name)
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && builder.config.is_none() => {
            (Config::default(), name)
        }
        Err(error) => {
            sink.push(Diag::error(
                codes::IO_ERROR,
                format!("cannot read {name}: {error}"),
            ));
            (Config::default(), name)
        }
    }
}

/// Paths in the file are relative to the file, everywhere else to the package's directory.
fn rebase(config: &mut Config, dir: &Path) {
    if dir.as_os_str().is_empty() {
        return;
    }
    let build = &mut config.build;
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
    for path in lists
        .into_iter()
        .flatten()
        .chain(files)
        .chain(patterns)
        .chain(linked)
    {
        path.value = dir.join(&path.value).to_string_lossy().into_owned();
    }
}

fn targets(
    builder: &Builder,
    env: &Env,
    config: &Config,
    config_name: &str,
    sink: &mut Sink,
) -> Vec<Sm> {
    let mut texts = Vec::new();
    let mut origin = "given to `Builder::arch` in build.rs";
    let mut code = codes::BUILDER_INVALID;
    if let Some(value) = env
        .get("CUBIN_BUILD_ARCH")
        .filter(|value| !value.is_empty())
    {
        origin = "from the environment variable CUBIN_BUILD_ARCH";
        code = codes::ENVIRONMENT_INVALID;
        let value = value.to_string_lossy().into_owned();
        texts.extend(
            value
                .split(',')
                .map(|text| text.trim().to_owned())
                .filter(|text| !text.is_empty()),
        );
    } else {
        texts.extend(builder.archs.iter().cloned());
    }
    let mut targets: Vec<Sm> = Vec::new();
    for text in &texts {
        match compile::target(text) {
            Ok(target) if targets.contains(&target) => {}
            Ok(target) => targets.push(target),
            Err(error) => sink.push(Diag::error(code, format!("{error} ({origin})"))),
        }
    }
    if texts.is_empty() {
        targets = config.build.arch.iter().map(|arch| arch.value).collect();
    }
    if targets.is_empty() && !sink.has_errors() {
        sink.push(
            Diag::error(codes::CONFIG_INVALID, "no target: cubin-build does not know which GPUs the kernels are for")
                .help(format!(
                    "write `[build] arch = [\"sm_80\", \"sm_90\"]` into {config_name}, or call `.arch(\"sm_80\")`; \
                     `nvidia-smi --query-gpu=compute_cap --format=csv` prints 9.0 for a GPU that needs sm_90"
                )),
        );
    }
    targets
}

fn toolkit_request(
    builder: &Builder,
    config: &Config,
    work_dir: &Path,
    sink: &mut Sink,
) -> Option<toolkit::Request> {
    let version = match (&builder.toolkit, &config.toolkit.version) {
        (Some(text), _) => Some((text.clone(), None)),
        (None, Some(spanned)) => Some((spanned.value.clone(), Some(&spanned.span))),
        (None, None) => None,
    };
    let version = match version {
        None => None,
        Some((text, span)) => match text.parse() {
            Ok(wanted) => Some(wanted),
            Err(error) => {
                sink.push(match span {
                    Some(_) => {
                        Diag::error(codes::CONFIG_INVALID, format!("{error}")).at_place(span, "")
                    }
                    None => Diag::error(codes::BUILDER_INVALID, format!("{error}"))
                        .note("given to `Builder::toolkit` in build.rs"),
                });
                return None;
            }
        },
    };
    let install = builder
        .install
        .or_else(|| config.toolkit.install.as_ref().map(|install| install.value))
        .unwrap_or(false);
    Some(toolkit::Request {
        version,
        install,
        memo: Some(work_dir.join("toolkit.txt")),
        ..toolkit::Request::default()
    })
}

fn options(builder: &Builder, config: &Config) -> Options {
    let build = &config.build;
    let mut options = Options::default();
    options
        .includes
        .extend(build.include.iter().map(|dir| PathBuf::from(&dir.value)));
    options.includes.extend(builder.includes.iter().cloned());
    options.defines.extend(
        build
            .define
            .iter()
            .map(|define| (define.value.name.clone(), define.value.value.clone())),
    );
    options.defines.extend(builder.defines.iter().cloned());
    options
        .flags
        .extend(build.flags.iter().map(|flag| flag.value.clone()));
    if build
        .lineinfo
        .as_ref()
        .is_some_and(|lineinfo| lineinfo.value)
    {
        options.flags.push("-lineinfo".to_owned());
    }
    options.flags.extend(builder.flags.iter().cloned());
    if let Some(std) = builder
        .std
        .clone()
        .or_else(|| build.std.as_ref().map(|std| std.value.clone()))
    {
        options.std = Some(std);
    }
    options.ccbin.clone_from(&builder.host_compiler);
    options
}

/// The sources in a fixed order: named files first, then those found, by path. What needs no compiler is apart; last
/// comes which were found.
fn sources(
    builder: &Builder,
    config: &Config,
    links: &[link::Wanted],
    root: &Path,
    excludes: &mut Excludes<'_>,
    watched: &mut Vec<PathBuf>,
    sink: &mut Sink,
) -> (Vec<Source>, Vec<(PathBuf, Container)>, Set<PathBuf>) {
    let mut files: Vec<PathBuf> = config
        .build
        .sources
        .iter()
        .map(|file| PathBuf::from(&file.value))
        .collect();
    files.extend(builder.files.iter().cloned());
    let mut dirs: Vec<PathBuf> = config
        .build
        .dirs
        .iter()
        .map(|dir| PathBuf::from(&dir.value))
        .collect();
    dirs.extend(builder.dirs.iter().cloned());
    let guessed = files.is_empty() && dirs.is_empty();
    if guessed {
        dirs.extend(
            ["kernels", "src"]
                .map(PathBuf::from)
                .into_iter()
                .filter(|dir| root.join(dir).is_dir()),
        );
    }
    let mut found = Set::new();
    for dir in &dirs {
        let mut empty = false;
        match cu_files(root, dir) {
            Ok(paths) => {
                empty = paths.is_empty();
                let kept = paths
                    .into_iter()
                    .filter(|path| !excludes.exclude(&shown_path(root, path)));
                found.extend(kept);
            }
            Err(error) => sink.push(Diag::error(
                codes::IO_ERROR,
                format!("cannot look for .cu files in `{}`: {error}", dir.display()),
            )),
        }
        watched.push(dir.clone());
        if empty && !guessed && root.join(dir).is_dir() {
            sink.push(
                Diag::error(
                    codes::NO_SOURCES,
                    format!("there is no .cu file below `{}`", dir.display()),
                )
                .help("check the path: it is relative to the package's directory"),
            );
        }
    }
    let mut seen = Set::new();
    let linked = links.iter().flat_map(|link| link.files.iter().cloned());
    // A file that is also named is wanted.
    let named: Set<PathBuf> = files.iter().map(|path| toolkit::normalize(path)).collect();
    let found: Set<PathBuf> = found
        .iter()
        .filter(|path| !named.contains(&toolkit::normalize(path)))
        .cloned()
        .collect();
    let all = files
        .into_iter()
        .chain(found.iter().cloned())
        .chain(linked)
        .filter(|path| seen.insert(toolkit::normalize(path)));
    let mut sources = Vec::new();
    let mut prebuilt = Vec::new();
    for path in all {
        match SourceKind::of(&path) {
            Ok(SourceKind::Text(language)) => {
                let mut source = Source::new(path, language);
                let flags = builder.file_flags.iter();
                let flags = flags.filter(|(file, _)| *file == source.path);
                source.flags = flags.flat_map(|(_, flags)| flags.clone()).collect();
                sources.push(source);
            }
            Ok(SourceKind::Prebuilt(container)) => {
                watched.push(path.clone());
                prebuilt.push((path, container));
            }
            Err(unknown) => sink.push(unknown_kind(&unknown, config)),
        }
    }
    if sources.is_empty() && prebuilt.is_empty() && !sink.has_errors() {
        sink.push(
            Diag::error(codes::NO_SOURCES, "no CUDA sources: nothing was named and no .cu file lies in `kernels` or `src`")
                .help("name them with `.dir(\"kernels\")` or `.file(\"kernels/saxpy.cu\")` in build.rs, or under [build] in cubin.toml"),
        );
    }
    (sources, prebuilt, found)
}

/// A source that says nowhere what it is.
fn unknown_kind(unknown: &UnknownKind, config: &Config) -> Diag {
    let named = &config.build.sources;
    let named = named
        .iter()
        .find(|file| Path::new(&file.value) == unknown.0);
    let diag = match named {
        Some(file) => Diag::error(codes::CONFIG_INVALID, unknown.to_string())
            .at(file.span.clone(), "named here"),
        None => Diag::error(codes::BUILDER_INVALID, unknown.to_string())
            .note("given to `Builder::file` in build.rs"),
    };
    diag.help(unknown.help())
}

/// Patterns of files that are no sources, and which of them have left out any.
pub(super) struct Excludes<'a> {
    patterns: Vec<(Glob, Option<&'a Span>, bool)>,
}

impl<'a> Excludes<'a> {
    fn new(builder: &Builder, config: &'a Config) -> Self {
        let from_file = config.build.exclude.iter();
        let from_file = from_file.map(|pattern| (&pattern.value, Some(&pattern.span)));
        let from_script = builder.excludes.iter().map(|pattern| (pattern, None));
        let all = from_file.chain(from_script).map(|(pattern, span)| {
            let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
            (Glob::new(pattern), span, false)
        });
        Self {
            patterns: all.collect(),
        }
    }

    /// Whether the file of this path is left out.
    pub(super) fn exclude(&mut self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut excluded = false;
        for (pattern, _, used) in &mut self.patterns {
            let text = if pattern.as_str().contains('/') {
                path
            } else {
                name
            };
            if pattern.matches(text) {
                *used = true;
                excluded = true;
            }
        }
        excluded
    }

    fn report_unmatched(&self, sink: &mut Sink) {
        for (pattern, span, _) in self.patterns.iter().filter(|(_, _, used)| !used) {
            let message = format!(
                "`{}` in `exclude` is the pattern of no .cu file that was found",
                pattern.as_str()
            );
            let diag = Diag::warning(codes::UNMATCHED_RULE, message)
                .at_place(*span, "excludes nothing")
                .help("a pattern without `/` is compared with the file's name, any other with the path from the package's directory");
            sink.push(match span {
                Some(_) => diag,
                None => diag.note("given to `Builder::exclude` in build.rs"),
            });
        }
    }
}

pub(super) fn cu_files(root: &Path, dir: &Path) -> Result<Vec<PathBuf>, walkdir::Error> {
    let base = root.join(dir);
    let mut paths = Vec::new();
    for entry in WalkDir::new(&base).follow_links(true).sort_by_file_name() {
        let entry = entry?;
        if entry.file_type().is_file() && SourceKind::is_cu(entry.path()) {
            let inside = entry.path().strip_prefix(&base).unwrap_or(entry.path());
            paths.push(dir.join(inside));
        }
    }
    Ok(paths)
}
