//! Which sources become a static library: `[[library]]` and [`Builder::library`](crate::Builder::library).

use std::path::{Path, PathBuf};

use super::{
    super::{
        problem::{LibraryMistake, Mistake, Origin, Problem},
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
    options::Cudart,
    paths::{self, normalize},
    source::{Span, Spanned},
};

/// The method that a library without a place in `cubin.toml` was given to.
const METHOD: &str = "library";

/// A library as it was asked for.
pub(super) struct Wanted {
    name: String,
    span: Option<Span>,
    pub(super) files: Vec<PathBuf>,
    cudart: Cudart,
}

/// A library, its sources by index.
#[cfg_attr(
    not(feature = "library"),
    expect(dead_code, reason = "refused before it is made")
)]
pub(in super::super) struct Library {
    pub(in super::super) name: String,
    pub(in super::super) span: Option<Span>,
    pub(in super::super) members: Vec<usize>,
    pub(in super::super) cudart: Cudart,
}

/// A path with its place in `cubin.toml`.
type Written = (PathBuf, Option<Span>);

/// A library as it is written.
struct LibraryTable {
    name: (String, Option<Span>),
    files: Vec<Written>,
    dirs: Vec<Written>,
    cudart: Cudart,
}

/// Those of `cubin.toml`, then those of the build script.
fn tables(request: &BuildRequest, config: &Config) -> Vec<LibraryTable> {
    let of = |list: &[Spanned<String>]| -> Vec<Written> {
        list.iter()
            .map(|item| (PathBuf::from(&item.value), Some(item.span.clone())))
            .collect_vec()
    };
    let plain = |paths: &[PathBuf]| -> Vec<Written> {
        paths.iter().map(|path| (path.clone(), None)).collect_vec()
    };
    let mut all = Vec::new();
    for library in &config.libraries {
        let cudart = library.cudart.as_ref();
        all.push(LibraryTable {
            name: (library.name.value.clone(), Some(library.name.span.clone())),
            files: of(&library.sources),
            dirs: of(&library.dirs),
            cudart: cudart.map(|cudart| cudart.value).unwrap_or_default(),
        });
    }
    for library in &request.libraries {
        all.push(LibraryTable {
            name: (library.name.clone(), None),
            files: plain(&library.files),
            dirs: plain(&library.dirs),
            cudart: library.cudart,
        });
    }
    all
}

/// What was asked for, files found. What is wrong goes into `sink`.
pub(super) fn wanted(
    request: &BuildRequest,
    config: &Config,
    search: &mut Search<'_>,
    sink: &mut Sink,
) -> Vec<Wanted> {
    let mut all: Vec<Wanted> = Vec::new();
    for table in tables(request, config) {
        let (name, span) = table.name;
        let wrong = |span: Option<&Span>, mistake, sink: &mut Sink| {
            let mistake = Mistake::InLibrary(name.clone(), mistake);
            sink.push(Problem::Asked(mistake, Origin::new(span, METHOD)).into());
        };
        if !cfg!(feature = "library") {
            wrong(span.as_ref(), LibraryMistake::NoFeature, sink);
        }
        if !config::is_identifier(&name) {
            wrong(span.as_ref(), LibraryMistake::Name, sink);
        }
        if all.iter().any(|known| known.name == name) {
            wrong(span.as_ref(), LibraryMistake::Twice, sink);
        }
        let before = sink.count(Level::Deny);
        let mut files = Vec::new();
        for (path, span) in table.files {
            if SourceKind::of(&path) != Ok(SourceKind::Text(Language::Cuda)) {
                let shown = path.display().to_string();
                wrong(span.as_ref(), LibraryMistake::Source(shown), sink);
            }
            files.push(path);
        }
        for (dir, span) in table.dirs {
            let shown = dir.display().to_string();
            match search.below(&dir) {
                Ok(below) if below.empty => {
                    wrong(span.as_ref(), LibraryMistake::EmptyDir(shown), sink);
                }
                Ok(below) => files.add_all(below.files),
                Err(why) => {
                    wrong(span.as_ref(), LibraryMistake::Dir { dir: shown, why }, sink);
                }
            }
        }
        if files.is_empty() && sink.count(Level::Deny) == before {
            wrong(span.as_ref(), LibraryMistake::Empty, sink);
        }
        all.push(Wanted {
            name,
            span,
            files,
            cudart: table.cudart,
        });
    }
    all
}

/// Finds the sources of every library, and marks them.
pub(super) fn resolve(
    wanted: Vec<Wanted>,
    settings: &Settings,
    sources: &mut [Source],
    sink: &mut Sink,
) -> Vec<Library> {
    let full = |path: &Path| normalize(&settings.root.join(path));
    let mut libraries: Vec<Library> = Vec::new();
    for wanted in wanted {
        let mut members = Vec::new();
        let mut wrong = |mistake| {
            let mistake = Mistake::InLibrary(wanted.name.clone(), mistake);
            let origin = Origin::new(wanted.span.as_ref(), METHOD);
            sink.push(Problem::Asked(mistake, origin).into());
        };
        for file in &wanted.files {
            let path = full(file);
            let found = sources.iter().position(|source| full(&source.path) == path);
            let Some(member) = found.filter(|member| !members.contains(member)) else {
                continue;
            };
            let shown = || paths::shown(&settings.root, file);
            let mut others = libraries.iter();
            if let Some(other) = others.find(|other| other.members.contains(&member)) {
                wrong(LibraryMistake::Shared {
                    source: shown(),
                    other: other.name.clone(),
                });
            }
            let source = &mut sources[member];
            if source.relocatable {
                wrong(LibraryMistake::Relocatable(shown()));
            }
            source.host = true;
            members.push(member);
        }
        libraries.push(Library {
            name: wanted.name,
            span: wanted.span,
            members,
            cudart: wanted.cudart,
        });
    }
    libraries
}
