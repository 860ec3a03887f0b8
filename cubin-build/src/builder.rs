//! What a build script calls: [`Builder`].

use std::{fmt, path::PathBuf};

use crate::{
    build::{self, BuildRequest, Outcome},
    cargo,
    diag::{self, Diag, Level, Sink},
    env::Env,
    lists::{AddAll, CollectVec},
};
pub use crate::{
    build::{Library, Link, Output, Ptx, Source, StaticLibrary},
    options::{Backend, Cudart, HalfTypes, Prebuilt, Runtime},
};

/// Compiles the CUDA kernels of a crate, checks them, and writes typed launch wrappers; called from `build.rs`.
///
/// ```no_run
/// // build.rs
/// fn main() {
///     cubin_build::Builder::new().dir("kernels").build();
/// }
/// ```
///
/// Everything can be said here or in a `cubin.toml` beside `Cargo.toml`. Where both speak, lists are joined (sources,
/// include directories, macros, flags: those of the file first), and single values and the targets given here win.
/// Relative paths start at the package's directory.
#[derive(Debug, Clone, Default)]
#[must_use = "nothing happens until `build` is called"]
pub struct Builder {
    request: BuildRequest,
}

impl Builder {
    /// No sources, no targets: [`build`](Self::build) then takes what `cubin.toml` says, and without that the `.cu`
    /// files below `kernels` and `src`.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a source: a `.cu` file, `.ptx` (assembled by ptxas alone), or machine code: a
    /// `.cubin`, or a `.fatbin` (compressed entries need the feature `fatbin`).
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.request.files.push(path.into());
        self
    }

    /// Adds several sources.
    pub fn files<P: Into<PathBuf>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.request
            .files
            .add_all(paths.into_iter().map(Into::into));
        self
    }

    /// Adds a source with nvcc flags for it alone.
    pub fn file_with_flags<F: Into<String>>(
        mut self,
        path: impl Into<PathBuf>,
        flags: impl IntoIterator<Item = F>,
    ) -> Self {
        let path = path.into();
        self.request.files.push(path.clone());
        self.request
            .file_flags
            .push((path, flags.into_iter().map(Into::into).collect_vec()));
        self
    }

    /// Adds every `.cu` file below a directory, those in its subdirectories included.
    pub fn dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.request.dirs.push(path.into());
        self
    }

    /// Leaves out files that [`dir`](Self::dir) and [`Link::dir`] find: `.exclude("*_dummy.cu")`,
    /// `.exclude("kernels/old/*")`. The same as `exclude` under `[build]` in `cubin.toml`.
    ///
    /// A pattern without `/` is compared with the file's name, any other with its path from the package's directory;
    /// `*` stands for any characters, `/` included, `?` for one. A file that is named ([`file`](Self::file)) is a
    /// source all the same. A pattern that leaves out nothing is reported.
    pub fn exclude(mut self, pattern: impl Into<String>) -> Self {
        self.request.excludes.push(pattern.into());
        self
    }

    /// Instantiates a kernel template that `file`, one of the sources, defines: `.instantiate("kernels/scale.cu",
    /// "scale<float>")`. The same as `[[instantiate]]` in `cubin.toml`.
    pub fn instantiate(mut self, file: impl Into<PathBuf>, kernel: impl Into<String>) -> Self {
        self.request.instances.push((file.into(), kernel.into()));
        self
    }

    /// Links sources of relocatable code into one cubin with one module: kernels that call device functions of other
    /// files, or that launch kernels. Without it every source is a program of its own, which the compiler can optimise
    /// as a whole; link what needs it. The same as `[[link]]` in `cubin.toml`; several calls add up.
    pub fn link(mut self, link: Link) -> Self {
        self.request.links.push(link);
        self
    }

    /// Compiles the host code of sources too, and links the crate with it as a static library: launchers with `<<<>>>` and
    /// other functions that Rust calls. Those that are `extern "C"` get declarations in a module of the library's name. The
    /// same as `[[library]]` in `cubin.toml`; several calls add up. Needs the feature `library`.
    ///
    /// The kernels of the sources are judged before anything is linked, and get wrappers as those of any other source.
    pub fn library(mut self, library: Library) -> Self {
        self.request.libraries.push(library);
        self
    }

    /// Says how some of the sources are compiled: for which targets, by which standard, with which flags and include
    /// directories. The same as `[[source]]` in `cubin.toml`, whose tables come before: of several that match a source,
    /// flags and include directories add up, and targets and standard are those of the one whose pattern describes it
    /// most closely, then of the last.
    pub fn source(mut self, source: Source) -> Self {
        self.request.own.push(source);
        self
    }

    /// Adds a target, exactly as written: `sm_80`, `sm_90a`, `sm_100f`. Targets given here replace those of
    /// `cubin.toml`; the environment variable `CUBIN_BUILD_ARCH` (comma-separated) replaces both. Sources with targets of
    /// their own ([`source`](Self::source)) keep those of them that run on the same GPUs as one that it names, and where none
    /// does, all.
    pub fn arch(mut self, target: impl Into<String>) -> Self {
        self.request.archs.push(target.into());
        self
    }

    /// Makes the PTX of all targets for one virtual architecture, `compute_80`: each source is preprocessed and compiled to
    /// PTX once, and assembled for each target. Its code sees the `__CUDA_ARCH__` of that architecture (800), and has no
    /// instruction that is newer. Default: that of each target. The same as `virtual` in `cubin.toml`, which it replaces.
    pub fn virtual_arch(mut self, arch: impl Into<String>) -> Self {
        self.request.virtual_arch = Some(arch.into());
        self
    }

    /// Embeds PTX beside the cubins, for GPUs that none of them runs on: the driver then compiles it when the module is
    /// loaded. Default no.
    ///
    /// `.ptx(true)` takes that of the newest target without a suffix, as nvcc's `-arch=sm_90` does;
    /// `.ptx("compute_80")` that of the target `sm_80`, as nvcc's `-gencode arch=compute_80,code=compute_80`. Several
    /// calls add up. What is given here replaces `ptx` in `cubin.toml`; `.ptx(false)` takes back all.
    ///
    /// Worth its bytes in what is shipped to machines that you do not know: a GPU newer than all targets works, at the
    /// price of a compilation at the first start on each machine (the driver caches it), and with resources that no
    /// budget has judged. A `.ptx` source is embedded as it is. A `.fatbin` gives the PTX that it holds for a target
    /// whose cubin it holds too; a `.cubin` has none.
    pub fn ptx(mut self, ptx: impl Into<Ptx>) -> Self {
        self.request.ptx.push(ptx.into());
        self
    }

    /// Adds a directory for `#include` (nvcc's `-I`).
    pub fn include(mut self, dir: impl Into<PathBuf>) -> Self {
        self.request.includes.push(dir.into());
        self
    }

    /// Defines a macro (nvcc's `-D`): `.define("TILE", "64")`, `.define("FAST", None)`.
    pub fn define<'v>(
        mut self,
        name: impl Into<String>,
        value: impl Into<Option<&'v str>>,
    ) -> Self {
        self.request
            .defines
            .push((name.into(), value.into().map(str::to_owned)));
        self
    }

    /// Adds an argument for nvcc. What this crate sets itself (`-arch`, `-o`, `--keep`, …) is refused.
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.request.flags.push(flag.into());
        self
    }

    /// Adds several arguments for nvcc.
    pub fn flags<F: Into<String>>(mut self, flags: impl IntoIterator<Item = F>) -> Self {
        self.request
            .flags
            .add_all(flags.into_iter().map(Into::into));
        self
    }

    /// The C++ dialect (nvcc's `-std`). Default `c++17`.
    pub fn std(mut self, dialect: impl Into<String>) -> Self {
        self.request.std = Some(dialect.into());
        self
    }

    /// The host compiler, or its directory (nvcc's `-ccbin`). Default `NVCC_CCBIN`, then the first of gcc, g++, clang++
    /// and c++ on `PATH`.
    pub fn host_compiler(mut self, program: impl Into<PathBuf>) -> Self {
        self.request.host_compiler = Some(program.into());
        self
    }

    /// The toolkit's version: `"13.5"` takes any 13.5.x. Default: the first toolkit found (see [`crate::toolkit`]).
    pub fn toolkit(mut self, version: impl Into<String>) -> Self {
        self.request.toolkit = Some(version.into());
        self
    }

    /// Whether to install the toolkit into the per-user cache when it is missing; needs a version. Default no.
    pub fn install_toolkit(mut self, install: bool) -> Self {
        self.request.install = Some(install);
        self
    }

    /// The driver binding that the generated code launches through. Default [`Backend::Cudarc`].
    pub fn backend(mut self, backend: Backend) -> Self {
        self.request.backend = Some(backend);
        self
    }

    /// The Rust types of `__half` and `__nv_bfloat16`. Default [`HalfTypes::Generated`].
    pub fn half(mut self, types: HalfTypes) -> Self {
        self.request.half = Some(types);
        self
    }

    /// Where what the wrappers run on stands: in the generated file, or in the crate `cubin-runtime`, so that several
    /// crates share its types. Default [`Runtime::Embedded`].
    pub fn runtime(mut self, runtime: Runtime) -> Self {
        self.request.runtime = Some(runtime);
        self
    }

    /// Name of the generated file in `OUT_DIR`. Default `kernels.rs`. Give each builder of a build script its own.
    pub fn out_file(mut self, name: impl Into<String>) -> Self {
        self.request.out_file = Some(name.into());
        self
    }

    /// When the kernels are those that `cargo cubin prebuild` kept in `prebuilt/`, instead of compiled. Default
    /// [`Prebuilt::WithoutToolkit`]. The same as `use` under `[prebuilt]` in `cubin.toml`; the environment variable
    /// `CUBIN_BUILD_PREBUILT` goes before both.
    pub fn prebuilt(mut self, when: Prebuilt) -> Self {
        self.request.prebuilt = Some(when);
        self
    }

    /// The policy and settings file. Default `cubin.toml` beside `Cargo.toml`, when there is one. Paths in the file are
    /// relative to the file.
    pub fn config(mut self, path: impl Into<PathBuf>) -> Self {
        self.request.config = Some(path.into());
        self
    }

    /// The package's directory. Default `CARGO_MANIFEST_DIR`, which cargo sets for build scripts.
    pub fn root(mut self, dir: impl Into<PathBuf>) -> Self {
        self.request.root = Some(dir.into());
        self
    }

    /// Where results go. Default `OUT_DIR`, which cargo sets for build scripts.
    pub fn out_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.request.out_dir = Some(dir.into());
        self
    }

    /// Does it all; on failure shows every finding, tells cargo, and ends the process with status 1.
    ///
    /// Standard output gets cargo's directives: `rerun-if-*` for every file, directory and variable that was
    /// consulted, one `warning` or `error` line per finding (of a warning also what to do, since cargo shows nothing else
    /// of a script that succeeds), and for every source that was compiled a line that says why, which `cargo build -vv`
    /// shows. Standard error gets the findings as rustc would show them.
    pub fn build(self) {
        let env = Env::process();
        let outcome = build::run(&self.request, &env, true);
        let text = outcome.rendered(wants_colour(&env));
        if let Err(error) = outcome.write_report() {
            eprintln!("{text}error: {error}");
            std::process::exit(1);
        }
        if !text.is_empty() {
            eprint!("{text}");
        }
        if outcome.failed() {
            tell_failure(&outcome);
            std::process::exit(1);
        }
        tell_success(&outcome);
    }

    /// As [`build`](Self::build), but returns what was made or found instead of printing and ending the process; cargo
    /// hears nothing.
    ///
    /// # Errors
    /// Any finding of level deny.
    pub fn try_build(self) -> Result<Output, Error> {
        let env = Env::process();
        let mut outcome = build::run(&self.request, &env, false);
        if let Err(error) = outcome.write_report() {
            outcome.without_report(error);
        }
        let failed = outcome.failed();
        match outcome.output {
            Some(output) if !failed => Ok(output),
            _ => Err(Error {
                findings: outcome.sink,
            }),
        }
    }
}

/// One line per finding for cargo, which shows all of standard output of a script that fails.
fn tell_failure(outcome: &Outcome) {
    for diag in outcome.sink.shown() {
        match diag.level {
            Level::Deny => cargo::error(&diag::summary_line(diag)),
            Level::Warn => cargo::warning(&diag::summary_line(diag)),
            Level::Allow => {}
        }
    }
}

/// What cargo needs to know of a build that succeeds, and what it shows of it.
fn tell_success(outcome: &Outcome) {
    for path in &outcome.watch.paths {
        cargo::rerun_if_changed(path);
    }
    for name in &outcome.watch.variables {
        cargo::rerun_if_env_changed(name);
    }
    for library in outcome.output.iter().flat_map(|output| &output.libraries) {
        for line in &library.link {
            cargo::link(line);
        }
    }
    if let Some(line) = &outcome.announcement {
        cargo::warning(line);
    }
    for diag in outcome.sink.shown() {
        cargo::warning(&diag::summary_line(diag));
        if let Some(help) = diag::help_line(diag) {
            cargo::warning(&help);
        }
    }
}

/// Why [`Builder::try_build`] failed: every finding, rendered by `Display`; and by `Debug`, which is what `unwrap` and
/// a `main` that returns a `Result` show.
pub struct Error {
    findings: Sink,
}

impl Error {
    /// All findings, warnings included, in reading order.
    #[must_use]
    pub fn findings(&self) -> Vec<&Diag> {
        self.findings.shown()
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for diag in self.findings.shown() {
            write!(f, "{}\n\n", diag::render(diag, false))?;
        }
        f.write_str(&self.findings.summary().unwrap_or_default())
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the kernels were not built\n\n{self}")
    }
}

impl std::error::Error for Error {}

/// Colour only when it was asked for: a build script's standard error goes through cargo and is never a terminal.
fn wants_colour(env: &Env) -> bool {
    env.peek("CARGO_TERM_COLOR")
        .is_some_and(|value| value == "always")
        || env
            .peek("CLICOLOR_FORCE")
            .is_some_and(|value| !value.is_empty() && value != "0")
}
