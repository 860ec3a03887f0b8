//! What a build finds wrong by itself, as data; `diags.rs` makes findings of it.

use std::path::PathBuf;

use cubin_core::Sm;

use crate::{
    compile::{TargetError, UnknownKind},
    source::Span,
};

/// Who asked for something.
#[derive(Debug, Clone)]
pub(super) enum Origin {
    /// A place in `cubin.toml`.
    File(Span),
    /// This method of `Builder`, in build.rs.
    Script(&'static str),
    /// An environment variable.
    Environment(&'static str),
}

impl Origin {
    /// The place where there is one, else the method.
    pub(super) fn new(span: Option<&Span>, method: &'static str) -> Self {
        match span {
            Some(span) => Self::File(span.clone()),
            None => Self::Script(method),
        }
    }
}

/// Something that was asked for and cannot be.
#[derive(Debug)]
pub(super) enum Mistake {
    /// A path, or nothing, for the generated file's name.
    OutFile(String),
    /// Compression of fatbins that are not made.
    CompressWithoutFatbin,
    Target(TargetError),
    /// Not a level that the policy may have altogether.
    PolicyLevel(String),
    /// Not a word for how much is made.
    Mode(String),
    /// A toolkit whose front end does not run alone.
    FrontEnd(String),
    /// Not a word for when prebuilt files are used.
    Prebuilt(String),
    /// Not a time after which a tool is ended.
    Timeout(String),
    /// A flag, or the value of a key, that a tool does not take.
    Refused {
        program: &'static str,
        /// What was written.
        written: String,
        /// What the program said.
        said: String,
        help: Option<String>,
    },
    /// A program to put before the compilers that is not there.
    Launcher(String),
    /// What reading the version said.
    ToolkitVersion(String),
    UnknownKind(UnknownKind),
    /// A linked module whose name is not an identifier.
    LinkName(String),
    /// Two linked modules of one name.
    LinkTwice(String),
    /// A file that cannot be linked as a source.
    LinkSource(String),
    /// A directory of a linked module without sources.
    LinkEmptyDir(String),
    LinkDir {
        dir: String,
        why: String,
    },
    /// A linked module without sources.
    LinkEmpty(String),
    /// A source of two linked modules.
    LinkShared {
        source: String,
        modules: [String; 2],
    },
    /// Sources of one linked module that have not the same targets.
    LinkTargets {
        module: String,
        sources: [String; 2],
    },
    /// A library's file that is not there.
    LibraryFile(String),
    /// A library that the toolkit does not have.
    Library {
        name: String,
        toolkit: String,
    },
    /// Something about the static library of this name.
    InLibrary(String, LibraryMistake),
    /// An instance of a template without a source.
    Instance {
        kernel: String,
        why: NoSource,
    },
    /// A text that names no virtual architecture.
    VirtualName {
        message: String,
        help: Option<String>,
    },
    /// A target whose machine code cannot be made of the PTX of a virtual architecture.
    VirtualTarget {
        arch: Sm,
        target: Sm,
    },
    /// A text that names no virtual architecture whose PTX is worth embedding.
    PtxName {
        message: String,
        help: Option<String>,
    },
    /// PTX of something that is not compiled for.
    PtxTarget(Sm),
    /// PTX of a target that is made for another virtual architecture, which comes behind it.
    PtxVirtual(Sm, Sm),
    /// PTX of the newest target, and all have a suffix.
    PtxNewest,
}

/// What is wrong with a static library.
#[derive(Debug)]
pub(super) enum LibraryMistake {
    /// cubin-build was compiled without it.
    NoFeature,
    /// Its name is not an identifier.
    Name,
    /// There is another one of its name.
    Twice,
    /// A file that is not CUDA C++.
    Source(String),
    /// A directory without sources.
    EmptyDir(String),
    Dir {
        dir: String,
        why: String,
    },
    /// It has no sources.
    Empty,
    /// A source of another library, too.
    Shared {
        source: String,
        other: String,
    },
    /// A source of a linked module.
    Relocatable(String),
}

/// Why no source was found for an instance.
#[derive(Debug)]
pub(super) enum NoSource {
    /// The file that was named is not a source.
    Unknown(PathBuf),
    /// No text has this word.
    Nowhere(String),
    /// Several texts have it.
    Several { word: String, sources: Vec<String> },
}

/// Anything else.
#[derive(Debug)]
pub(super) enum Problem {
    Asked(Mistake, Origin),
    NoPackageDir(String),
    NoOutDir,
    /// What it is, and what the system says.
    CannotRead(String, String),
    CannotWrite(PathBuf, String),
    /// The fatbin of a module, and why.
    NoFatbin(String, String),
    /// All of the sentence.
    NoReport(String),
    CannotSearch(PathBuf, String),
    /// A directory without `.cu` files, and the names of the files in it that are sources when they are named.
    EmptyDir(PathBuf, Vec<PathBuf>),
    /// The files in the usual directories that are sources when they are named.
    NoSources(Vec<PathBuf>),
    /// No target; the name of the file that could have one.
    NoTarget(String),
    UnmatchedSource {
        pattern: String,
        span: Option<Span>,
    },
    /// Flags for targets of which none is built for.
    UnmatchedTarget {
        pattern: String,
        span: Span,
    },
    UnmatchedExclude {
        pattern: String,
        span: Option<Span>,
    },
    Code {
        source: String,
        what: BadCode,
    },
    NoKernels {
        source: String,
        targets: Vec<Sm>,
        /// Somebody meant it to have some.
        wanted: bool,
    },
    /// Neither its stem nor its folders tell the module of a source from another.
    ModuleHashed {
        source: String,
        module: String,
    },
    LinkedWithoutPtx {
        name: String,
        span: Option<Span>,
    },
    /// A static library that is not made: all that is said behind its name.
    #[cfg(feature = "library")]
    Library {
        name: String,
        why: String,
        span: Option<Span>,
    },
    BaselineUnreadable {
        path: String,
        why: String,
        span: Option<Span>,
    },
    UnmatchedKernel {
        symbol: String,
        span: Span,
    },
    /// A variable that is declared `extern` and copied.
    ExternCopied {
        name: String,
        place: Option<Span>,
    },
    /// Host functions whose code nobody compiles.
    HostCodeDropped {
        names: Vec<String>,
        place: Option<Span>,
    },
}

/// What is wrong with the machine code, or the PTX, of a source.
#[derive(Debug)]
pub(super) enum BadCode {
    /// A file that a tool has just made.
    Gone {
        target: Sm,
        what: &'static str,
        why: String,
    },
    Unreadable {
        target: Sm,
        error: cubin_core::Error,
    },
    /// The call graph.
    Calls {
        target: Sm,
        error: cubin_core::Error,
    },
    Prebuilt(cubin_core::Error),
    Entry(cubin_core::Error),
    SeveralCubins(Sm),
    /// Relocatable code; made of a source, or prebuilt.
    Relocatable {
        target: Sm,
        compiled: bool,
    },
    /// Targets that no image runs on, of several or of all that are asked for.
    Unserved {
        targets: Vec<Sm>,
        held: Vec<Sm>,
        all: bool,
    },
    NoCubin {
        wanted: Vec<Sm>,
        held: Vec<Sm>,
    },
    OtherTarget {
        target: Sm,
        recorded: Sm,
    },
    /// PTX that does not say what it is for.
    NoTarget(Sm),
    NoPtx {
        wanted: Vec<Sm>,
        held: Vec<Sm>,
    },
    /// The files of nvcc's front end, and what compiled.
    Signatures {
        target: Sm,
        why: String,
        toolkit: Option<String>,
    },
}
