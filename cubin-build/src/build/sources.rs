//! The first phase: which files are sources, and what each is.

mod exclude;
pub(super) mod instantiate;
pub(super) mod library;
pub(super) mod link;
mod own;
mod search;

use std::path::{Path, PathBuf};

use cubin_core::Sm;

use self::{
    exclude::Excludes, instantiate::Instance, library::Library, link::Module, own::Tables,
    search::Search,
};
use super::{
    problem::{Mistake, Origin, Problem},
    request::BuildRequest,
    settings::Settings,
};
use crate::{
    compile::{Container, Source, SourceKind, UnknownKind},
    config::Config,
    diag::{Level, Sink},
    lists::{AddAll, CollectVec},
    paths::normalize,
    sorted::Set,
};
pub(super) use own::SPLIT_COMPILE;

/// All sources of a build.
pub(super) struct Sources {
    /// What is compiled.
    pub(super) compiled: Vec<Source>,
    /// What the user calls it, by the same index; differs where a source is compiled through a generated file.
    pub(super) originals: Vec<PathBuf>,
    /// Machine code that is taken as it is.
    pub(super) prebuilt: Vec<Prebuilt>,
    /// Those that a directory was searched for, as the user calls them: nobody said that they hold kernels.
    pub(super) found: Set<PathBuf>,
    /// The template instances that generated files make.
    pub(super) instances: Vec<Instance>,
    /// Sources that become one cubin together.
    pub(super) links: Vec<Module>,
    /// Sources whose host code becomes a static library.
    pub(super) libraries: Vec<Library>,
    /// Files and directories consulted.
    pub(super) watched: Vec<PathBuf>,
}

/// A file with machine code.
pub(super) struct Prebuilt {
    pub(super) path: PathBuf,
    pub(super) container: Container,
    /// Targets of this file alone.
    targets: Option<Vec<Sm>>,
}

impl Prebuilt {
    /// The targets whose machine code is taken; `common` are those of all sources.
    pub(super) fn targets<'t>(&'t self, common: &'t [Sm]) -> &'t [Sm] {
        self.targets.as_deref().unwrap_or(common)
    }
}

impl Sources {
    /// The source as the user named it.
    pub(super) fn original<'a>(&'a self, compiled: &'a Path) -> &'a Path {
        let index = self
            .compiled
            .iter()
            .position(|source| source.path == compiled);
        index.map_or(compiled, |index| &self.originals[index])
    }
}

/// Finds all sources, in a fixed order: named files first, then those found, by path. What is wrong goes into `sink`.
pub(super) fn find(request: &BuildRequest, settings: &Settings, sink: &mut Sink) -> Sources {
    let config = &settings.config;
    // A list that is empty because of a mistake of its own needs no second finding.
    let before = sink.count(Level::Deny);
    let mut search = Search {
        root: &settings.root,
        excludes: Excludes::new(request, config),
        watched: Vec::new(),
        others: Vec::new(),
    };
    let wanted = link::wanted(request, config, &mut search, sink);
    let libraries = library::wanted(request, config, &mut search, sink);
    let mut named = named(request, config);
    // What the tables name is enough; the usual directories are not searched then.
    let no_files = named.is_empty() && libraries.is_empty();
    let mut found = found(request, config, no_files, &mut search, sink);
    let mut tables = Tables::new(request, settings);
    let own = tables.files(&mut search, sink);
    named.add_all(own.named);
    found.add_all(own.found);
    search.excludes.report_unmatched(sink);
    // A file that is also named is wanted.
    let wished: Set<PathBuf> = named.iter().map(|path| normalize(path)).collect();
    let found: Set<PathBuf> = found
        .into_iter()
        .filter(|path| !wished.contains(&normalize(path)))
        .collect();
    let linked = wanted.iter().flat_map(|link| link.files.iter().cloned());
    let in_libraries = libraries
        .iter()
        .flat_map(|library| library.files.iter().cloned());
    let mut seen = Set::new();
    let all = named
        .into_iter()
        .chain(found.iter().cloned())
        .chain(linked)
        .chain(in_libraries)
        .filter(|path| seen.insert(normalize(path)));
    let mut compiled = Vec::new();
    let mut prebuilt = Vec::new();
    for path in all {
        match SourceKind::of(&path) {
            Ok(SourceKind::Text(language)) => {
                let mut source = Source::new(path, language);
                source.flags = flags(request, &source.path);
                tables.of(&settings.root, &source.path).give(&mut source);
                compiled.push(source);
            }
            Ok(SourceKind::Prebuilt(container)) => {
                search.watched.push(path.clone());
                let targets = tables.of(&settings.root, &path).targets;
                prebuilt.push(Prebuilt {
                    path,
                    container,
                    targets,
                });
            }
            Err(unknown) => sink.push(unknown_kind(unknown, config).into()),
        }
    }
    tables.report_unmatched(sink);
    if compiled.is_empty() && prebuilt.is_empty() && sink.count(Level::Deny) == before {
        let others = std::mem::take(&mut search.others);
        sink.push(Problem::NoSources(others).into());
    }
    let links = link::resolve(wanted, settings, &mut compiled, sink);
    let libraries = library::resolve(libraries, settings, &mut compiled, sink);
    let originals = compiled
        .iter()
        .map(|source| source.path.clone())
        .collect_vec();
    let instances = instantiate::apply(request, settings, &mut compiled, sink);
    Sources {
        compiled,
        originals,
        prebuilt,
        found,
        instances,
        links,
        libraries,
        watched: search.watched,
    }
}

/// Files that are named, those of `cubin.toml` first.
fn named(request: &BuildRequest, config: &Config) -> Vec<PathBuf> {
    let written = config.build.sources.iter();
    let written = written.map(|file| PathBuf::from(&file.value));
    written.chain(request.files.iter().cloned()).collect_vec()
}

/// Files of the directories that are named; where nothing is, of those that usually hold kernels.
fn found(
    request: &BuildRequest,
    config: &Config,
    no_files: bool,
    search: &mut Search<'_>,
    sink: &mut Sink,
) -> Vec<PathBuf> {
    let written = config
        .build
        .dirs
        .iter()
        .map(|dir| PathBuf::from(&dir.value));
    let mut dirs: Vec<PathBuf> = written.chain(request.dirs.iter().cloned()).collect_vec();
    let guessed = no_files && dirs.is_empty();
    if guessed {
        let usual = ["kernels", "src"].map(PathBuf::from);
        dirs.add_all(
            usual
                .into_iter()
                .filter(|dir| search.root.join(dir).is_dir()),
        );
    }
    let mut found = Vec::new();
    for dir in dirs {
        match search.below(&dir) {
            Ok(below) => {
                found.add_all(below.files);
                if below.empty && !guessed && search.root.join(&dir).is_dir() {
                    sink.push(Problem::EmptyDir(dir, below.others).into());
                } else {
                    search.others.add_all(below.others);
                }
            }
            Err(why) => sink.push(Problem::CannotSearch(dir, why).into()),
        }
    }
    found
}

/// Flags that a source was given for it alone.
fn flags(request: &BuildRequest, path: &Path) -> Vec<String> {
    let all = request.file_flags.iter();
    let own = all.filter(|(file, _)| *file == path);
    own.flat_map(|(_, flags)| flags.clone()).collect_vec()
}

/// A source that does not say what it is.
fn unknown_kind(unknown: UnknownKind, config: &Config) -> Problem {
    let mut named = config.build.sources.iter();
    let named = named.find(|file| Path::new(&file.value) == unknown.0);
    let origin = Origin::new(named.map(|file| &file.span), "file");
    Problem::Asked(Mistake::UnknownKind(unknown), origin)
}
