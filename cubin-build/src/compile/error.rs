//! What can go wrong with a compilation, as data; `diags.rs` makes findings of it.

use std::{
    fmt,
    path::{Path, PathBuf},
    process::ExitStatus,
    time::Duration,
};

use cubin_core::Sm;

use super::{Level, Message, Tool, headers, message, run};
use crate::lists::CollectVec;
use crate::toolkit::{NoHostCompiler, Version};

/// The request as a whole cannot be carried out; nothing was compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// nvcc has nothing to preprocess with.
    NoHostCompiler(NoHostCompiler),
    /// This nvcc does not know the target.
    UnsupportedTarget {
        /// The target.
        target: Sm,
        /// The toolkit's version.
        toolkit: Version,
        /// What `nvcc --list-gpu-code` prints, without line ends.
        supported: Vec<String>,
    },
    /// This nvcc does not know the virtual architecture.
    UnsupportedVirtual {
        /// The target that stands for it.
        arch: Sm,
        /// As nvcc names it.
        name: String,
        /// The toolkit's version.
        toolkit: Version,
        /// What `nvcc --list-gpu-arch` prints, without line ends.
        supported: Vec<String>,
    },
    /// A flag that would undo what this crate relies on.
    Flag {
        /// The flag.
        flag: String,
        /// The source that it was given for; `None` when for all.
        source: Option<PathBuf>,
        /// Why it cannot be used, and what to use instead.
        why: String,
    },
    /// A name or value that nvcc's own command lines cannot carry.
    Unusable {
        /// What it is: `source file`, `include directory`, …
        what: &'static str,
        /// The name or value.
        value: String,
        /// Which character is in the way.
        character: char,
    },
    /// An include directory that is not there.
    IncludeDir(PathBuf),
    /// A source is given twice with different flags.
    Twice(PathBuf),
    /// The toolkit lacks a program.
    NoTool {
        /// Which.
        name: &'static str,
        /// Where the toolkit is.
        root: PathBuf,
    },
    /// A directory for results cannot be made.
    OutDir {
        /// The directory.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
}

impl Error {
    /// What to do.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        Some(match self {
            Self::NoHostCompiler(missing) => missing.help().to_owned(),
            Self::UnsupportedTarget {
                target, supported, ..
            } if !supported.is_empty() => format!(
                "change the target, or use a toolkit that knows {target} ([toolkit] version in cubin.toml)"
            ),
            Self::UnsupportedVirtual {
                name, supported, ..
            } if !supported.is_empty() => format!(
                "change `virtual`, or use a toolkit that knows {name} ([toolkit] version in cubin.toml)"
            ),
            Self::Unusable { .. } => "rename it, or build in another directory".to_owned(),
            Self::IncludeDir(_) => {
                "nvcc would ignore it; correct the path (it is relative to the package's directory)"
                    .to_owned()
            }
            Self::NoTool { .. } => "install it completely, or use another toolkit".to_owned(),
            Self::UnsupportedTarget { .. }
            | Self::UnsupportedVirtual { .. }
            | Self::Flag { .. }
            | Self::Twice(_)
            | Self::OutDir { .. } => {
                return None;
            }
        })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoHostCompiler(missing) => missing.fmt(f),
            Self::UnsupportedTarget {
                target,
                toolkit,
                supported,
            } => {
                write!(f, "nvcc {toolkit} cannot compile for {target}")?;
                if supported.is_empty() {
                    return Ok(());
                }
                write!(f, "; it knows {}", supported.join(", "))
            }
            Self::UnsupportedVirtual {
                name,
                toolkit,
                supported,
                ..
            } => {
                write!(f, "nvcc {toolkit} makes no PTX for {name}")?;
                if supported.is_empty() {
                    return Ok(());
                }
                write!(f, "; it knows {}", supported.join(", "))
            }
            Self::Flag { flag, source, why } => {
                write!(f, "nvcc flag `{flag}`")?;
                if let Some(source) = source {
                    write!(f, " for {}", source.display())?;
                }
                write!(f, " cannot be used: {why}")
            }
            Self::Unusable {
                what,
                value,
                character,
            } => write!(
                f,
                "{what} {value:?} cannot be given to nvcc: it holds {character:?}, which the shell that nvcc runs its \
                 tools with would interpret"
            ),
            Self::IncludeDir(path) => {
                write!(f, "include directory `{}` does not exist", path.display())
            }
            Self::Twice(path) => write!(
                f,
                "`{}` is given twice with different flags; a file can be compiled in one way only",
                path.display()
            ),
            Self::NoTool { name, root } => {
                write!(f, "the CUDA toolkit in `{}` has no {name}", root.display())
            }
            Self::OutDir { path, why } => {
                write!(f, "cannot write to `{}`: {why}", path.display())
            }
        }
    }
}

impl std::error::Error for Error {}

/// A source that did not compile.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    /// The source as given.
    pub source: PathBuf,
    /// The targets that failed in this way.
    pub targets: Vec<Sm>,
    /// How.
    pub cause: Cause,
    /// What the tools said, in order.
    pub messages: Vec<Message>,
    /// All that they printed, except ptxas's resource lines.
    pub output: String,
    /// Name of the program that ran, without directory; empty when none did.
    pub program: String,
    /// The command that ran, as one could type it; empty when none did.
    pub command: String,
    /// Results' directory, which differs between targets.
    pub(super) dir: String,
}

/// How a compilation failed.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Cause {
    /// The source cannot be read.
    Source(String),
    /// The program could not be started.
    Spawn(String),
    /// The program ended with an error.
    Exit(ExitStatus),
    /// The program was ended, for it ran longer than `CUBIN_BUILD_TIMEOUT` allows.
    Timeout(Duration),
    /// The program reported success, but did not leave this file.
    NoOutput(&'static str),
    /// Something that was to be linked cannot be, or is missing from what was linked.
    Input {
        /// The source or library as given.
        path: PathBuf,
        /// Why, as the predicate of a sentence about it.
        why: String,
    },
    /// A library that a process of ours runs refused its input.
    Refused {
        /// Which library.
        library: &'static str,
        /// The number of its error.
        code: i32,
        /// What to do, where it is one of the known riddles.
        help: Option<&'static str>,
    },
    /// A library that a process of ours runs ended that process.
    Crashed {
        /// Which library.
        library: &'static str,
        /// What it did.
        during: String,
        /// How the process ended.
        status: ExitStatus,
    },
    /// A file of ours could not be read or written.
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
}

/// What runs where no launcher stands before it.
const TOOLS: [&str; 5] = ["nvcc", "cicc", "ptxas", "nvlink", ""];

const OUT_OF_MEMORY: &str = "the compiler ran out of memory, or was killed for using too much: build with fewer jobs (`cargo build -j 1`)";

const KILLED: &str = "the system killed the compiler, most often for want of memory: build with fewer jobs (`cargo build -j 1`)";

impl Failure {
    /// Whether another target failed with the same words.
    pub(super) fn same(&self, other: &Self) -> bool {
        self.source == other.source
            && self.cause == other.cause
            && self.output.replace(&self.dir, "") == other.output.replace(&other.dir, "")
    }

    /// A failure with nothing run; `dir` is where results would be.
    pub(super) fn new(source: &Path, target: Sm, cause: Cause, dir: &Path) -> Self {
        Self {
            source: source.to_owned(),
            targets: vec![target],
            cause,
            messages: Vec::new(),
            output: String::new(),
            program: String::new(),
            command: String::new(),
            dir: dir.display().to_string(),
        }
    }

    /// Takes note of what ran.
    pub(super) fn ran(&mut self, program: &str, command: &str) {
        program.clone_into(&mut self.program);
        command.clone_into(&mut self.command);
    }

    /// Takes note of what the program printed.
    pub(super) fn tell(&mut self, log: &str) {
        self.messages = message::parse(log);
        self.output = message::readable(log);
    }

    /// What failed and how, in one sentence, without what the tools said.
    #[must_use]
    pub fn headline(&self) -> String {
        struct Headline<'f>(&'f Failure);
        impl fmt::Display for Headline<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.what(f)
            }
        }
        Headline(self).to_string()
    }

    fn what(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for {}: ", self.source.display(), self.targets_text())?;
        let program = match self.program.as_str() {
            "" => "the compiler",
            program => program,
        };
        match &self.cause {
            Cause::Source(why) => write!(f, "cannot read the file: {why}"),
            Cause::Spawn(why) => write!(f, "cannot start {program}: {why}"),
            Cause::Exit(status) => write!(f, "{program} failed ({status})"),
            Cause::Timeout(limit) => {
                write!(f, "{program} was ended after {}", run::words(*limit))
            }
            Cause::NoOutput(what) => write!(f, "{program} reported success, but left no {what}"),
            Cause::Input { path, why } => write!(f, "{} {why}", path.display()),
            Cause::Refused { library, code, .. } => write!(f, "{library} failed with error {code}"),
            Cause::Crashed {
                library,
                during,
                status,
            } => write!(f, "{library} crashed ({status}; its step was `{during}`)"),
            Cause::Io { path, why } => write!(f, "cannot use `{}`: {why}", path.display()),
        }
    }

    /// The targets, with commas between.
    pub(super) fn targets_text(&self) -> String {
        let targets: Vec<String> = self.targets.iter().map(Sm::to_string).collect_vec();
        targets.join(", ")
    }

    /// The first error among the messages, which later ones often follow from.
    pub fn first_error(&self) -> Option<&Message> {
        self.messages
            .iter()
            .find(|message| message.level == Level::Error)
    }

    /// What to do, when the output is one of the known riddles.
    pub fn help(&self) -> Option<String> {
        // gcc without cc1plus, too, says that a file is missing.
        let riddle = self.riddle().map(str::to_owned);
        riddle.or_else(|| self.missing_header().map(headers::help))
    }

    /// The header that was not found, when that is what went wrong first.
    fn missing_header(&self) -> Option<&str> {
        let error = self.first_error()?;
        // A tool that does not find a file it was to write says the same.
        let of_front_end = error.text.starts_with("could not open source file");
        let header = headers::missing(&error.text)?;
        (error.tool == Tool::Host || of_front_end).then_some(header)
    }

    fn riddle(&self) -> Option<&'static str> {
        let has = |text: &str| self.output.contains(text);
        if has("unsupported GNU version")
            || has("unsupported Microsoft Visual Studio version")
            || has("unsupported clang version")
        {
            return Some(
                "this toolkit does not know so new a host compiler: set NVCC_CCBIN to an older one, use a newer toolkit, \
                 or pass `-allow-unsupported-compiler` at your own risk",
            );
        }
        if has("cannot execute 'cc1plus'") || has("cannot execute ‘cc1plus’") {
            return Some(
                "gcc is there, but not its C++ part: install g++ (Debian and Ubuntu: `apt install g++`)",
            );
        }
        if has("Failed to preprocess host compiler properties") {
            return Some(
                "nvcc cannot run its host compiler: install g++, or set NVCC_CCBIN to a compiler",
            );
        }
        if has("No space left on device") {
            return Some("the disk is full");
        }
        if has("not supported on .target 'sm_") || has("cannot be compiled for architecture 'sm_") {
            return Some(
                "a target is compiled for exactly as written: instructions of one architecture need its `a` or `f` target \
                 (`sm_90a`, `sm_100f`), and `__CUDA_ARCH_FEAT_SM90_ALL` or `__CUDA_ARCH_FAMILY_SPECIFIC__` tells them apart in the source",
            );
        }
        if has("Formal parameter space overflowed") {
            return Some(
                "a launch copies all parameters: pass a pointer to the record, or keep it in `__constant__` memory",
            );
        }
        if has("functions requires separate compilation mode") {
            return Some(
                "a kernel that launches kernels (dynamic parallelism) needs the device runtime: name the source under \
                 [[link]] in cubin.toml, with `libraries = [\"cudadevrt\"]`",
            );
        }
        if has("died due to signal 9") || has("catastrophic error: out of memory") {
            return Some(OUT_OF_MEMORY);
        }
        if self
            .first_error()
            .is_some_and(|message| message.undefined.is_some())
        {
            return Some(
                "name the source that defines it in the same [[link]], or its library under `libraries` (kernels that \
                 launch kernels need `cudadevrt`)",
            );
        }
        match &self.cause {
            Cause::Timeout(_) => Some(
                "CUBIN_BUILD_TIMEOUT is the number of seconds that one run of a tool may take: raise it, or unset it",
            ),
            Cause::Refused { help, .. } => *help,
            Cause::Crashed { .. } => Some(
                "that is a defect of the library, which something in the module brings out: remove half of it until it \
                 compiles, and report the rest to NVIDIA",
            ),
            Cause::Exit(status) if run::killed(*status) => Some(KILLED),
            Cause::NoOutput(_) if self.command.is_empty() => None,
            Cause::NoOutput(_) if !TOOLS.contains(&self.program.as_str()) => Some(
                "CUBIN_BUILD_LAUNCHER, or NVCC, puts it before the compilers, and it does not keep all that they write: take a \
                 newer one, or unset the variable",
            ),
            Cause::NoOutput(_) => {
                Some("check NVCC_PREPEND_FLAGS and NVCC_APPEND_FLAGS, and run the command by hand")
            }
            _ => None,
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.what(f)?;
        if !self.output.is_empty() {
            write!(f, "\n{}", self.output)?;
        }
        if let Some(help) = self.help() {
            write!(f, "\nhelp: {help}")?;
        }
        if !self.command.is_empty() {
            write!(f, "\nnote: the command was {}", self.command)?;
        }
        Ok(())
    }
}

impl std::error::Error for Failure {}

/// A target that is refused as text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TargetError {
    /// What was written.
    pub text: String,
    /// Why it is refused.
    pub why: &'static str,
}

impl TargetError {
    pub(super) fn new(text: &str) -> Self {
        let why = if text == "native" {
            "`native` means the GPU of the machine that builds, which may have none (nvcc then silently compiles for its oldest \
             target), and makes the result depend on the machine; name the targets, for example `sm_90`"
        } else if text.starts_with("all") {
            "`all` and `all-major` mean whatever the toolkit at hand knows; name the targets, for example `sm_80` and `sm_90`"
        } else if text.starts_with("compute_") {
            "a virtual architecture stands for PTX, not for a cubin; write `sm_` instead of `compute_`"
        } else if text.starts_with("lto_") {
            "`lto_` stands for an intermediate file of the linker, not for a cubin; write `sm_` instead of `lto_`"
        } else {
            "expected for example `sm_90`, `sm_90a` or `sm_100f`"
        };
        Self {
            text: text.to_owned(),
            why,
        }
    }
}

impl fmt::Display for TargetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is not a target: {}", self.text, self.why)
    }
}

impl std::error::Error for TargetError {}
