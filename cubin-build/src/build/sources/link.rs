//! Which sources are compiled to relocatable code and linked: `[[link]]` and [`Builder::link`](crate::Builder::link).

use std::path::{Path, PathBuf};

use super::{
    super::{
        problem::{Mistake, Origin, Problem},
        request::BuildRequest,
        settings::Settings,
    },
    search::Search,
};
use crate::{
    compile::{Language, Source, SourceKind},
    config::{self, Config},
    diag::{Level, Sink},
    lists::{AddAll, CollectVec},
    paths::{self, normalize},
    sorted::Map,
    source::Span,
    toolkit::Toolkit,
};

/// The method that a linked module without a place in `cubin.toml` was given to.
const METHOD: &str = "link";

/// A linked module as it was asked for.
pub(super) struct Wanted {
    name: String,
    span: Option<Span>,
    pub(super) files: Vec<PathBuf>,
    libraries: Vec<Library>,
}

/// Something besides the sources.
#[derive(Debug, Clone)]
struct Library {
    kind: LibraryKind,
    span: Option<Span>,
}

#[derive(Debug, Clone)]
enum LibraryKind {
    /// By its name without `lib` and extension.
    Toolkit(String),
    File(PathBuf),
}

/// A linked module, its sources by index.
pub(in super::super) struct Module {
    pub(in super::super) name: String,
    pub(in super::super) span: Option<Span>,
    pub(in super::super) members: Vec<usize>,
    libraries: Vec<Library>,
}

/// A name, path or library as it is written, with its place in `cubin.toml`.
type Written = (String, Option<Span>);

/// A linked module as it is written.
struct LinkTable {
    name: Written,
    files: Vec<Written>,
    dirs: Vec<Written>,
    libraries: Vec<Written>,
}

/// Those of `cubin.toml`, then those of the build script.
fn entries(request: &BuildRequest, config: &Config) -> Vec<LinkTable> {
    let of = |list: &[crate::source::Spanned<String>]| -> Vec<Written> {
        list.iter()
            .map(|item| (item.value.clone(), Some(item.span.clone())))
            .collect_vec()
    };
    let plain = |paths: &[PathBuf]| -> Vec<Written> {
        paths
            .iter()
            .map(|path| (path.to_string_lossy().into_owned(), None))
            .collect_vec()
    };
    let from_file = config.links.iter().map(|link| LinkTable {
        name: (link.name.value.clone(), Some(link.name.span.clone())),
        files: of(&link.sources),
        dirs: of(&link.dirs),
        libraries: of(&link.libraries),
    });
    let from_script = request.links.iter().map(|link| LinkTable {
        name: (link.name.clone(), None),
        files: plain(&link.files),
        dirs: plain(&link.dirs),
        libraries: link
            .libraries
            .iter()
            .map(|name| (name.clone(), None))
            .collect_vec(),
    });
    from_file.chain(from_script).collect_vec()
}

/// What was asked for, files found. What is wrong goes into `sink`.
pub(super) fn wanted(
    request: &BuildRequest,
    config: &Config,
    search: &mut Search<'_>,
    sink: &mut Sink,
) -> Vec<Wanted> {
    let mut all: Vec<Wanted> = Vec::new();
    for entry in entries(request, config) {
        let (name, span) = entry.name;
        if !config::is_identifier(&name) {
            wrong(span.as_ref(), Mistake::LinkName(name.clone()), sink);
        }
        if all.iter().any(|known| known.name == name) {
            wrong(span.as_ref(), Mistake::LinkTwice(name.clone()), sink);
        }
        // Files that are not there for a mistake of their own need no second finding.
        let before = sink.count(Level::Deny);
        let files = files(entry.files, entry.dirs, search, sink);
        let mistaken = sink.count(Level::Deny) > before;
        let libraries = entry.libraries.into_iter();
        let libraries = libraries.map(|library| library_of(library, search, sink));
        let libraries = libraries.collect_vec();
        if files.is_empty() && !mistaken {
            wrong(span.as_ref(), Mistake::LinkEmpty(name.clone()), sink);
        }
        all.push(Wanted {
            name,
            span,
            files,
            libraries,
        });
    }
    all
}

/// The files that are named, and those of the directories.
fn files(
    named: Vec<Written>,
    dirs: Vec<Written>,
    search: &mut Search<'_>,
    sink: &mut Sink,
) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for (file, span) in named {
        let path = PathBuf::from(&file);
        if SourceKind::of(&path) != Ok(SourceKind::Text(Language::Cuda)) {
            wrong(span.as_ref(), Mistake::LinkSource(file), sink);
        }
        found.push(path);
    }
    for (dir, span) in dirs {
        match search.below(Path::new(&dir)) {
            Ok(below) if below.empty => {
                wrong(span.as_ref(), Mistake::LinkEmptyDir(dir), sink);
            }
            Ok(below) => found.add_all(below.files),
            Err(why) => wrong(span.as_ref(), Mistake::LinkDir { dir, why }, sink),
        }
    }
    found
}

/// A library by its name, or a file.
fn library_of((text, span): Written, search: &mut Search<'_>, sink: &mut Sink) -> Library {
    if !text.contains(['/', '\\', '.']) {
        let kind = LibraryKind::Toolkit(text);
        return Library { kind, span };
    }
    if !search.root.join(&text).is_file() {
        wrong(span.as_ref(), Mistake::LibraryFile(text.clone()), sink);
    }
    let path = PathBuf::from(text);
    search.watched.push(path.clone());
    let kind = LibraryKind::File(path);
    Library { kind, span }
}

/// Finds the sources of every linked module, and marks them.
pub(super) fn resolve(
    wanted: Vec<Wanted>,
    settings: &Settings,
    sources: &mut [Source],
    sink: &mut Sink,
) -> Vec<Module> {
    let root = &settings.root;
    let full = |path: &Path| normalize(&root.join(path));
    let index: Map<PathBuf, usize> = sources
        .iter()
        .enumerate()
        .map(|(index, source)| (full(&source.path), index))
        .collect();
    let mut modules: Vec<Module> = Vec::new();
    for wanted in wanted {
        let mut members = Vec::new();
        for file in &wanted.files {
            let Some(&member) = index.get(&full(file)) else {
                continue;
            };
            if members.contains(&member) {
                continue;
            }
            if let Some(other) = modules
                .iter()
                .find(|module| module.members.contains(&member))
            {
                let mistake = Mistake::LinkShared {
                    source: paths::shown(root, file),
                    modules: [other.name.clone(), wanted.name.clone()],
                };
                wrong(wanted.span.as_ref(), mistake, sink);
            }
            members.push(member);
            if let Some(source) = sources.get_mut(member) {
                source.relocatable = true;
            }
        }
        let mut targets = members
            .iter()
            .filter_map(|member| sources.get(*member))
            .map(|source| (source.targets(&settings.targets), &source.path));
        if let Some((of_first, first)) = targets.next()
            && let Some((_, other)) = targets.find(|(others, _)| *others != of_first)
        {
            let mistake = Mistake::LinkTargets {
                module: wanted.name.clone(),
                sources: [first, other].map(|path| paths::shown(root, path)),
            };
            wrong(wanted.span.as_ref(), mistake, sink);
        }
        modules.push(Module {
            name: wanted.name,
            span: wanted.span,
            members,
            libraries: wanted.libraries,
        });
    }
    modules
}

impl Module {
    /// Whether something other than its sources may bring kernels.
    pub(in super::super) fn has_libraries(&self) -> bool {
        !self.libraries.is_empty()
    }

    /// The libraries as they were named.
    pub(in super::super) fn library_names(&self) -> impl Iterator<Item = String> {
        self.libraries.iter().map(|library| match &library.kind {
            LibraryKind::Toolkit(name) => name.clone(),
            LibraryKind::File(path) => path.to_string_lossy().replace('\\', "/"),
        })
    }

    /// Those of the libraries that are files.
    pub(in super::super) fn library_paths(&self) -> impl Iterator<Item = &Path> {
        self.libraries
            .iter()
            .filter_map(|library| match &library.kind {
                LibraryKind::File(path) => Some(path.as_path()),
                LibraryKind::Toolkit(_) => None,
            })
    }

    /// The files of the libraries; `None` when the toolkit lacks one, which is told to `sink`.
    pub(in super::super) fn library_files(
        &self,
        toolkit: &Toolkit,
        sink: &mut Sink,
    ) -> Option<Vec<PathBuf>> {
        let mut files = Vec::new();
        let mut all = true;
        for library in &self.libraries {
            match &library.kind {
                LibraryKind::File(path) => files.push(path.clone()),
                LibraryKind::Toolkit(name) => match toolkit.library(name) {
                    Some(path) => files.push(path),
                    None => {
                        let mistake = Mistake::Library {
                            name: name.clone(),
                            toolkit: toolkit.to_string(),
                        };
                        wrong(library.span.as_ref(), mistake, sink);
                        all = false;
                    }
                },
            }
        }
        all.then_some(files)
    }
}

/// A mistake in `cubin.toml`, or, without a place there, in the build script.
fn wrong(span: Option<&Span>, mistake: Mistake, sink: &mut Sink) {
    sink.push(Problem::Asked(mistake, Origin::new(span, METHOD)).into());
}
