//! Which sources are compiled to relocatable code and linked: `[[link]]` and [`Builder::link`].

use std::path::{Path, PathBuf};

use super::{
    Builder,
    settings::{Excludes, cu_files},
    shown_path,
};
use crate::{
    compile::{Language, Source, SourceKind},
    config::{self, Config},
    diag::{Diag, Sink, codes},
    sorted::Map,
    source::Span,
    toolkit::{self, Toolkit},
};

/// Said of what has no place in `cubin.toml`.
const BY_SCRIPT: &str = "given to `Builder::link` in build.rs";

/// Sources that are compiled to relocatable code and linked into one cubin, for [`Builder::link`]; the same as
/// `[[link]]` in `cubin.toml`.
///
/// ```no_run
/// use cubin_build::{Builder, Link};
///
/// Builder::new()
///     .link(Link::new("solver").file("solver/step.cu").file("solver/residual.cu").library("cudadevrt"))
///     .build();
/// ```
#[derive(Debug, Clone)]
#[must_use = "give it to `Builder::link`"]
pub struct Link {
    name: String,
    files: Vec<PathBuf>,
    dirs: Vec<PathBuf>,
    libraries: Vec<String>,
}

impl Link {
    /// A linked module without sources. The name becomes that of the generated module and of its cubins.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            files: Vec::new(),
            dirs: Vec::new(),
            libraries: Vec::new(),
        }
    }

    /// Adds a `.cu` file. It need not be a source otherwise; if it is, it has no module of its own.
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.push(path.into());
        self
    }

    /// Adds every `.cu` file below a directory, those in its subdirectories included.
    pub fn dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.dirs.push(path.into());
        self
    }

    /// Adds a library: by its name one of the toolkit (`cudadevrt`, which kernels that launch kernels need), else the
    /// path of an archive, an object or a relocatable cubin.
    pub fn library(mut self, library: impl Into<String>) -> Self {
        self.libraries.push(library.into());
        self
    }
}

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
pub(super) struct Module {
    pub(super) name: String,
    pub(super) span: Option<Span>,
    pub(super) members: Vec<usize>,
    libraries: Vec<Library>,
}

/// What was asked for, files found. What is wrong goes into `sink`.
pub(super) fn wanted(
    builder: &Builder,
    config: &Config,
    root: &Path,
    excludes: &mut Excludes<'_>,
    watched: &mut Vec<PathBuf>,
    sink: &mut Sink,
) -> Vec<Wanted> {
    type Named = (String, Option<Span>);
    let of = |list: &[crate::source::Spanned<String>]| -> Vec<Named> {
        list.iter()
            .map(|item| (item.value.clone(), Some(item.span.clone())))
            .collect()
    };
    let plain = |paths: &[PathBuf]| -> Vec<Named> {
        paths
            .iter()
            .map(|path| (path.to_string_lossy().into_owned(), None))
            .collect()
    };
    let from_file = config.links.iter().map(|link| {
        let lists = [of(&link.sources), of(&link.dirs), of(&link.libraries)];
        (link.name.value.clone(), Some(link.name.span.clone()), lists)
    });
    let from_script = builder.links.iter().map(|link| {
        let libraries = link.libraries.iter().map(|name| (name.clone(), None));
        let lists = [plain(&link.files), plain(&link.dirs), libraries.collect()];
        (link.name.clone(), None, lists)
    });
    let mut all: Vec<Wanted> = Vec::new();
    for (name, span, [files, dirs, libraries]) in from_file.chain(from_script) {
        if !config::is_identifier(&name) {
            sink.push(wrong(
                span.as_ref(),
                format!("`{name}` is no name of a module"),
            ));
        }
        if all.iter().any(|known| known.name == name) {
            let message = format!("there are two linked modules `{name}`");
            sink.push(wrong(span.as_ref(), message));
        }
        let mut found = Vec::new();
        for (file, span) in files {
            let kind = SourceKind::of(Path::new(&file));
            if kind != Ok(SourceKind::Text(Language::Cuda)) {
                let message = format!("`{file}` cannot be linked as a source: it is not CUDA C++");
                let help = "name objects, archives and relocatable cubins under `libraries`";
                sink.push(wrong(span.as_ref(), message).help(help));
            }
            found.push(PathBuf::from(file));
        }
        for (dir, span) in dirs {
            match cu_files(root, Path::new(&dir)) {
                Ok(paths) if paths.is_empty() => {
                    let message = format!("there is no .cu file below `{dir}`");
                    sink.push(wrong(span.as_ref(), message));
                }
                Ok(mut paths) => {
                    paths.retain(|path| !excludes.exclude(&shown_path(root, path)));
                    found.extend(paths);
                }
                Err(error) => {
                    let message = format!("cannot look for .cu files in `{dir}`: {error}");
                    sink.push(wrong(span.as_ref(), message));
                }
            }
            watched.push(PathBuf::from(dir));
        }
        let libraries = libraries.into_iter().map(|(text, span)| {
            let by_name = !text.contains(['/', '\\', '.']);
            let kind = match by_name {
                true => LibraryKind::Toolkit(text),
                false => {
                    if !root.join(&text).is_file() {
                        let message = format!("library `{text}` is not there");
                        sink.push(wrong(span.as_ref(), message));
                    }
                    watched.push(PathBuf::from(&text));
                    LibraryKind::File(PathBuf::from(text))
                }
            };
            Library { kind, span }
        });
        let libraries = libraries.collect();
        if found.is_empty() && !sink.has_errors() {
            sink.push(wrong(
                span.as_ref(),
                format!("linked module `{name}` has no sources"),
            ));
        }
        all.push(Wanted {
            name,
            span,
            files: found,
            libraries,
        });
    }
    all
}

/// Finds the sources of every linked module, and marks them.
pub(super) fn resolve(
    wanted: Vec<Wanted>,
    root: &Path,
    sources: &mut [Source],
    sink: &mut Sink,
) -> Vec<Module> {
    let full = |path: &Path| toolkit::normalize(&root.join(path));
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
                let message = format!(
                    "{} is in two linked modules, `{}` and `{}`",
                    shown_path(root, file),
                    other.name,
                    wanted.name
                );
                let help = "a header with its device functions can be included in both";
                sink.push(wrong(wanted.span.as_ref(), message).help(help));
            }
            members.push(member);
            if let Some(source) = sources.get_mut(member) {
                source.relocatable = true;
            }
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
    pub(super) fn has_libraries(&self) -> bool {
        !self.libraries.is_empty()
    }

    /// The files of the libraries. What the toolkit lacks goes into `sink`.
    pub(super) fn library_files(&self, toolkit: &Toolkit, sink: &mut Sink) -> Vec<PathBuf> {
        let mut files = Vec::new();
        for library in &self.libraries {
            match &library.kind {
                LibraryKind::File(path) => files.push(path.clone()),
                LibraryKind::Toolkit(name) => match toolkit.library(name) {
                    Some(path) => files.push(path),
                    None => {
                        let message = format!("{toolkit} has no library `{name}`");
                        let help = format!("for a file of yours write its path: `./lib{name}.a`");
                        sink.push(wrong(library.span.as_ref(), message).help(help));
                    }
                },
            }
        }
        files
    }
}

/// A mistake in `cubin.toml`, or, without a place there, in the build script.
fn wrong(span: Option<&Span>, message: impl Into<String>) -> Diag {
    match span {
        Some(_) => Diag::error(codes::CONFIG_INVALID, message).at_place(span, ""),
        None => Diag::error(codes::BUILDER_INVALID, message).note(BY_SCRIPT),
    }
}
