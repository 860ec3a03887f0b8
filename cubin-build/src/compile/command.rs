//! nvcc's command line, and which requests it can carry.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::sorted;
use cubin_core::Sm;

use super::{
    CompileRequest, Error, Options, Source, SourceKind,
    flags::{self, split, values},
};
use crate::{
    env::Env,
    lists::{AddAll, CollectVec},
    toolkit::HostCompiler,
};

/// Checks all of a request that can be checked without running anything.
pub(super) fn check(request: &CompileRequest<'_>) -> Result<(), Error> {
    let options = request.options;
    check_flags(&options.flags, None)?;
    for (_, flags) in &options.target_flags {
        check_flags(flags, None)?;
    }
    usable_path("output directory", request.out_dir)?;
    for source in request.sources {
        usable_path("source file", &source.path)?;
        check_flags(&source.flags, Some(&source.path))?;
    }
    let own = request.sources.iter().flat_map(|source| &source.includes);
    for dir in options.includes.iter().chain(own) {
        usable_path("include directory", dir)?;
        if !request.root.join(dir).is_dir() {
            return Err(Error::IncludeDir(dir.clone()));
        }
    }
    for (name, value) in &options.defines {
        usable("macro", name)?;
        let value = value.as_deref().unwrap_or_default();
        unusable("macro value", value, "\n\r")?;
    }
    Ok(())
}

/// nvcc puts its words between double quotes and gives the line to `sh`, which still expands `$` and backticks.
fn usable(what: &'static str, value: &str) -> Result<(), Error> {
    unusable(what, value, if cfg!(windows) { "\n\r" } else { "\n\r$`" })
}

/// A path is put between quotes as it is, so it must hold none itself.
fn usable_path(what: &'static str, path: &Path) -> Result<(), Error> {
    let in_the_way = if cfg!(windows) { "\n\r\"" } else { "\n\r\"$`" };
    unusable(what, &path.to_string_lossy(), in_the_way)
}

fn unusable(what: &'static str, value: &str, in_the_way: &str) -> Result<(), Error> {
    match value.chars().find(|&c| in_the_way.contains(c)) {
        None => Ok(()),
        Some(character) => Err(Error::Unusable {
            what,
            value: value.to_owned(),
            character,
        }),
    }
}

/// What a flag of a build script may not be; what `cubin.toml` may not say has been said with its place.
fn check_flags(flags: &[String], source: Option<&Path>) -> Result<(), Error> {
    for flag in flags {
        usable("flag", flag)?;
    }
    for (index, refusal) in flags::refused(flags) {
        if let Some(why) = refusal.in_script() {
            return Err(Error::Flag {
                flag: flags[index].clone(),
                source: source.map(Path::to_owned),
                why,
            });
        }
    }
    Ok(())
}

/// The host compiler that the options name, also by a raw `-ccbin`.
pub(super) fn ccbin(options: &Options) -> Option<PathBuf> {
    options.ccbin.clone().or_else(|| {
        values(&options.flags, &["ccbin", "compiler-bindir"])
            .last()
            .map(PathBuf::from)
    })
}

/// The flags that all sources have on a target.
fn common_flags(options: &Options, target: Sm) -> Vec<String> {
    let mut flags = options.flags.clone();
    for (of, own) in &options.target_flags {
        if *of == target {
            flags.add_all(own.iter().cloned());
        }
    }
    flags
}

/// The flags of a source on a target.
fn all_flags(options: &Options, source: &Source, target: Sm) -> Vec<String> {
    let mut flags = common_flags(options, target);
    flags.add_all(source.flags.iter().cloned());
    flags
}

/// All directories that are searched for included files, in order, also those of raw flags.
pub(super) fn include_dirs(options: &Options, source: &Source, target: Sm) -> Vec<PathBuf> {
    let names = ["I", "include-path", "isystem", "system-include"];
    let flags = all_flags(options, source, target);
    let raw = values(&flags, &names)
        .into_iter()
        .flat_map(|list| list.split(','))
        .map(|dir| PathBuf::from(dir.trim_matches('"')));
    let named = source.includes.iter().chain(&options.includes).cloned();
    named.chain(raw).collect_vec()
}

/// Values of `-Xptxas`, which are what a `.ptx` file is assembled with.
fn ptxas_flags(options: &Options, source: &Source, target: Sm) -> Vec<String> {
    let names = ["Xptxas", "ptxas-options"];
    values(&all_flags(options, source, target), &names)
        .into_iter()
        .flat_map(|list| list.split(','))
        .map(str::to_owned)
        .collect_vec()
}

/// What ptxas is given for a source in PTX, besides the files.
pub(super) fn ptxas_words(options: &Options, source: &Source, target: Sm) -> Vec<String> {
    let mut words = vec![format!("-arch={target}"), "-v".to_owned()];
    words.add_all(ptxas_flags(options, source, target));
    words
}

/// What nvlink is given besides the target and the files: values of `-Xnvlink`, and `-g` where device code is compiled
/// for a debugger.
pub(super) fn nvlink_words(options: &Options, target: Sm) -> Vec<String> {
    let all = common_flags(options, target);
    let mut words: Vec<String> = values(&all, &["Xnvlink", "nvlink-options"])
        .into_iter()
        .flat_map(|list| list.split(','))
        .map(str::to_owned)
        .collect_vec();
    let mut flags = all.iter().filter_map(|flag| split(flag));
    if flags.any(|(name, _)| matches!(name, "G" | "device-debug")) {
        words.push("-g".to_owned());
    }
    words
}

/// Keeps the target out of the names of Thrust's and CUB's types. Their headers (CCCL 3, and 2 before it) put all into an
/// inline namespace such as `_V_300500_SM_900`, made of their version and of nvcc's targets, so that host objects that
/// were compiled differently can be linked. What of ours is linked is compiled for the same targets, and a kernel that takes a `thrust::complex` would
/// be another kernel on every target. An empty value agrees with the usual `#define` in a source.
const ONE_NAMESPACE: &[&str] = &[
    "-DTHRUST_DISABLE_ABI_NAMESPACE=",
    "-DTHRUST_IGNORE_ABI_NAMESPACE_ERROR=",
    "-DCUB_DISABLE_NAMESPACE_MAGIC=",
    "-DCUB_IGNORE_NAMESPACE_MAGIC_ERROR=",
];

/// A header that every source includes first. nvcc makes the symbols of what has internal linkage (`static`, anonymous
/// namespaces) from the name of the source's first entity with external linkage, and where there is none, from its own
/// process's number (13.5): the same variable would then have another symbol for each target and after each
/// compilation. Nothing of the host code is kept.
pub(super) const ANCHOR: &str = "\
extern \"C\" void cubin_build_anchor();
extern \"C\" void cubin_build_anchor() {}
";

/// Where that header stands.
pub(super) fn anchor(request: &CompileRequest<'_>) -> PathBuf {
    request.out_dir.join("anchor.h")
}

/// The flag that includes it, where nvcc compiles as a whole.
pub(super) fn anchor_words(request: &CompileRequest<'_>) -> [OsString; 2] {
    ["-include".into(), quoted("", &anchor(request))]
}

/// Files of flags that the environment's flags for nvcc name: what is in them counts, too.
pub(super) fn response_files(env: &Env) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for name in ["NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS"] {
        let Some(flags) = env.get(name) else { continue };
        let flags: Vec<String> = flags
            .to_string_lossy()
            .split_whitespace()
            .map(|word| word.trim_matches(['"', '\'']).to_owned())
            .collect_vec();
        let named = values(&flags, &["optf", "options-file"]);
        files.add_all(
            named
                .into_iter()
                .flat_map(|list| list.split(','))
                .map(PathBuf::from),
        );
    }
    files
}

/// A virtual architecture as nvcc names it, by the target that stands for it.
pub(super) fn compute(arch: Sm) -> String {
    arch.to_string().replacen("sm", "compute", 1)
}

/// How nvcc is given a virtual architecture that the target does not name itself.
const SHARED: &str = "-gencode=arch=";
const CODE: &str = ",code=";

/// Those of [`nvcc_words`] that decide what comes out of the steps that targets share.
pub(super) fn front_words(words: &[OsString]) -> Vec<OsString> {
    let shared = |word: &OsString| {
        let (arch, _) = word.to_str()?.strip_prefix(SHARED)?.split_once(CODE)?;
        Some(OsString::from(format!("-arch={arch}")))
    };
    words
        .iter()
        .map(|word| shared(word).unwrap_or_else(|| word.clone()))
        .collect_vec()
}

/// Ends nvcc's work behind its front end; since CUDA 12.
pub(super) const FRONT_END_ONLY: &str = "-fdevice-syntax-only";

/// The words that decide what nvcc makes of a C++ source, without the places of results.
pub(super) fn nvcc_words(
    request: &CompileRequest<'_>,
    source: &Source,
    target: Sm,
    host: Option<&HostCompiler>,
) -> Vec<OsString> {
    let options = request.options;
    let mut words: Vec<OsString> = Vec::new();
    let mut word = |text: String| words.push(text.into());
    let flags = all_flags(options, source, target);
    if let Some(std) = source.std.as_ref().or(options.std.as_ref())
        && !flags
            .iter()
            .any(|flag| matches!(split(flag), Some(("std", _))))
    {
        word(format!("-std={std}"));
    }
    word(match options.virtual_arch(target) {
        Some(arch) => format!("{SHARED}{}{CODE}{target}", compute(arch)),
        None => format!("-arch={target}"),
    });
    word("-cubin".to_owned());
    if options.front_end_only {
        word(FRONT_END_ONLY.to_owned());
    }
    if source.relocatable {
        word("-rdc=true".to_owned());
    }
    if source.host {
        for text in host_words(options, source.targets(request.targets)) {
            word(text);
        }
    }
    word("-Xptxas".to_owned());
    word("-v".to_owned());
    for define in ONE_NAMESPACE {
        word((*define).to_owned());
    }
    for (name, value) in &options.defines {
        let name = escaped(name);
        word(match value {
            Some(value) => format!("-D{name}={}", escaped(value)),
            None => format!("-D{name}"),
        });
    }
    for flag in flags {
        word(flag);
    }
    // nvcc goes by the extension, and takes the others for host code.
    if !SourceKind::is_cu(&source.path) {
        word("-x".to_owned());
        word("cu".to_owned());
    }
    if values(&options.flags, &["ccbin", "compiler-bindir"]).is_empty()
        && let Some(ccbin) = host.and_then(|host| host.ccbin.as_ref())
    {
        words.push("-ccbin".into());
        words.push(ccbin.into());
    }
    let components = &request.toolkit.includes;
    for dir in source
        .includes
        .iter()
        .chain(&options.includes)
        .chain(components)
    {
        words.push(include_word(dir));
    }
    words
}

/// What host code adds: position-independent code, as Rust programs are, and the list of all targets for each of them, as
/// host code sees it. The same kernels are then instantiated on both sides where code asks for the list.
fn host_words(options: &Options, targets: &[Sm]) -> Vec<String> {
    let mut words = vec!["-Xcompiler".to_owned(), "-fPIC".to_owned()];
    let mut numbers: Vec<u16> = Vec::new();
    for &target in targets {
        let number = options.virtual_arch(target).unwrap_or(target).number;
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    sorted::sort(&mut numbers);
    if numbers.len() > 1 {
        let list: Vec<String> = numbers
            .iter()
            .map(|number| format!("{number}0"))
            .collect_vec();
        words.push("-U__CUDA_ARCH_LIST__".to_owned());
        words.push(format!("-D__CUDA_ARCH_LIST__={}", list.join("\\,")));
    }
    words
}

/// The words by which nvcc would compile the host code of a source, with the device code of all its targets; `-c` as it prints
/// its commands for that.
#[cfg(feature = "library")]
pub(super) fn object_words(
    request: &CompileRequest<'_>,
    source: &Source,
    host: Option<&HostCompiler>,
) -> Vec<OsString> {
    let options = request.options;
    let targets = source.targets(request.targets);
    let Some(&last) = targets.last() else {
        return Vec::new();
    };
    let mut words = Vec::new();
    for word in nvcc_words(request, source, last, host) {
        let text = word.to_str().unwrap_or_default();
        if text.starts_with("-arch=") || text.starts_with(SHARED) {
            for &target in targets {
                let arch = compute(options.virtual_arch(target).unwrap_or(target));
                words.push(format!("{SHARED}{arch}{CODE}{target}").into());
            }
        } else if text == "-cubin" {
            words.push("-c".into());
        } else if !text.contains("__CUDA_ARCH_LIST__") {
            words.push(word);
        }
    }
    words
}

/// The name or the value of a macro, for its two readers: nvcc splits at commas, takes one of two backslashes away, and puts one
/// before a quote; `sh` reads what is then between double quotes (measured with nvcc 13.5: `--dryrun`, and `-E`).
fn escaped(value: &str) -> String {
    let mut text = String::with_capacity(value.len());
    for character in value.chars() {
        match character {
            ',' => text.push('\\'),
            '\\' if !cfg!(windows) => text.push_str("\\\\\\"),
            '$' | '`' if !cfg!(windows) => text.push_str("\\\\"),
            _ => {}
        }
        text.push(character);
    }
    text
}

/// `-I` with a directory.
fn include_word(dir: &Path) -> OsString {
    let here = Path::new(".");
    quoted(
        "-I",
        if dir.as_os_str().is_empty() {
            here
        } else {
            dir
        },
    )
}

/// A path behind `flag`; one with a comma, at which nvcc would split it, between quotes.
fn quoted(flag: &str, path: &Path) -> OsString {
    let quote = if path.as_os_str().as_encoded_bytes().contains(&b',') {
        "\""
    } else {
        ""
    };
    let mut word = OsString::from(flag);
    word.push(quote);
    word.push(path);
    word.push(quote);
    word
}

/// A source as nvcc is given it: one that begins with a dash must not look like a flag.
pub(super) fn operand(path: &Path) -> OsString {
    if path.as_os_str().as_encoded_bytes().starts_with(b"-") {
        return Path::new(".").join(path).into_os_string();
    }
    path.as_os_str().to_owned()
}

/// Whether nvcc refused to work for a target that it does not know; `log` is what it said. `--list-gpu-code` leaves out
/// the names with `a` and `f`, so only the refusal tells.
pub(super) fn check_target(
    env: &Env,
    request: &CompileRequest<'_>,
    target: Sm,
    log: &str,
) -> Result<(), Error> {
    let unknown = log.contains("Unsupported gpu architecture")
        || log.contains("is not defined for option 'gpu-architecture'");
    if !unknown {
        return Ok(());
    }
    let arch = request.options.virtual_arch(target);
    let arch = arch.filter(|arch| log.contains(&format!("'{}'", compute(*arch))));
    let list = match arch {
        Some(_) => "--list-gpu-arch",
        None => "--list-gpu-code",
    };
    let supported = env
        .command(&request.toolkit.nvcc)
        .arg(list)
        .output()
        .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
        .unwrap_or_default();
    let mut supported: Vec<Sm> = supported
        .split_whitespace()
        .filter_map(|name| name.replacen("compute", "sm", 1).parse().ok())
        .collect_vec();
    sorted::sort(&mut supported);
    let toolkit = request.toolkit.version;
    Err(match arch {
        Some(arch) => Error::UnsupportedVirtual {
            arch,
            name: compute(arch),
            toolkit,
            supported: supported.into_iter().map(compute).collect_vec(),
        },
        None => Error::UnsupportedTarget {
            target,
            toolkit,
            supported: supported.iter().map(Sm::to_string).collect_vec(),
        },
    })
}
