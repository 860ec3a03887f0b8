//! candle-kernels from crates.io: device code that people run, compiled by the builder where tests ask for it.
//!
//! Nothing of it is in this repository: cargo downloads it, and all results lie below `target`, so that a second run
//! compiles nothing.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use cubin_build::{Backend, Builder, Library, env::Env};

/// The release that the figures in `FIGURES.md` are of.
pub const VERSION: &str = "0.11.1";
/// What its sources are compiled for.
pub const TARGETS: [&str; 2] = ["sm_80", "sm_90"];

/// Chooses the sources: `all`, or `fast` for those without the matrix kernels of quantized types (`mmq_*`), which take
/// three quarters of the time.
pub const VARIABLE: &str = "CUBIN_TEST_CANDLE";

/// A set of sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subset {
    /// Every `.cu` file.
    All,
    /// All but `mmq_instance_*.cu`.
    Fast,
}

impl Subset {
    /// What [`VARIABLE`] says; else the fast ones.
    ///
    /// # Panics
    /// When the variable holds another word.
    pub fn chosen() -> Self {
        let env = Env::process();
        let text = |name: &str| {
            env.peek(name)
                .map(|value| value.to_string_lossy().into_owned())
        };
        match text(VARIABLE).as_deref() {
            Some("all") => Self::All,
            Some("fast") => Self::Fast,
            Some(other) => panic!("{VARIABLE} is `{other}`: it may be `all` or `fast`"),
            None => Self::Fast,
        }
    }
}

/// The package's directory below cargo's registry, downloaded when it is not there yet.
///
/// # Errors
/// What cargo said, when the registry cannot be reached.
pub fn fetch(tmp: &Path) -> Result<PathBuf, String> {
    let dir = tmp.join("candle").join("fetch");
    fs::create_dir_all(dir.join("src")).expect("a scratch folder");
    let manifest = format!(
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         candle-kernels = \"={VERSION}\"\n\n[workspace]\n"
    );
    fs::write(dir.join("Cargo.toml"), manifest).expect("a manifest");
    fs::write(dir.join("src/lib.rs"), "").expect("a source");
    let cargo = |args: &[&str]| -> Result<String, String> {
        let output = Command::new(env!("CARGO"))
            .args(args)
            .current_dir(&dir)
            .output()
            .map_err(|error| format!("cargo: {error}"))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    };
    // What was downloaded before needs no network now.
    cargo(&["fetch", "--offline"]).or_else(|_| cargo(&["fetch"]))?;
    let metadata = cargo(&["metadata", "--offline", "--format-version=1"])?;
    // The only manifest in cargo's answer whose directory is called so.
    let tail = format!("candle-kernels-{VERSION}/Cargo.toml\"");
    let end = metadata
        .find(&tail)
        .ok_or("cargo metadata does not name candle-kernels")?;
    let start = metadata[..end].rfind('"').map_or(0, |quote| quote + 1);
    Ok(PathBuf::from(&metadata[start..end]).join(format!("candle-kernels-{VERSION}")))
}

/// The `.cu` files of the package below `root`, relative to it; those that compile longest first, so that no core
/// waits for the last one.
///
/// # Panics
/// When a directory cannot be read.
pub fn sources(root: &Path, subset: Subset) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut dirs = vec![PathBuf::from("src")];
    while let Some(dir) = dirs.pop() {
        for entry in fs::read_dir(root.join(&dir)).expect("a readable directory") {
            let entry = entry.expect("an entry");
            let path = dir.join(entry.file_name());
            if entry.path().is_dir() {
                dirs.push(path);
            } else if path.extension().is_some_and(|extension| extension == "cu") {
                found.push(path);
            }
        }
    }
    let heavy = |path: &Path| {
        path.file_stem()
            .is_some_and(|stem| stem.to_string_lossy().starts_with("mmq_instance"))
    };
    found.retain(|path| subset == Subset::All || !heavy(path));
    let size = |path: &PathBuf| fs::metadata(root.join(path)).map_or(0, |found| found.len());
    found.sort_by_cached_key(|path| (!heavy(path), std::cmp::Reverse(size(path)), path.clone()));
    found
}

/// The builder as candle's own build script would use it.
pub fn builder(root: &Path, out: &Path, subset: Subset) -> Builder {
    let mut builder = Builder::new()
        .root(root)
        .out_dir(out)
        .toolkit(crate::version())
        .files(sources(root, subset))
        .flags(["--expt-relaxed-constexpr", "-O3"]);
    for target in TARGETS {
        builder = builder.arch(target);
    }
    builder
}

/// What candle's own build script compiles into a static library: launchers that its Rust code calls by `ffi.rs`.
const HOST: [&str; 6] = [
    "src/moe/moe_gguf.cu",
    "src/moe/moe_wmma.cu",
    "src/moe/moe_wmma_gguf.cu",
    "src/moe/moe_align.cu",
    "src/mmvq_gguf.cu",
    "src/mmq_gguf/mmq_quantize.cu",
];

/// The sources of that library, relative to the package.
///
/// # Panics
/// When a directory cannot be read.
pub fn host_sources(root: &Path, subset: Subset) -> Vec<PathBuf> {
    let wanted = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        name.starts_with("mmq_instance") || HOST.iter().any(|known| path == Path::new(known))
    };
    let mut found = sources(root, subset);
    found.retain(|path| wanted(path));
    found
}

/// The builder that makes it, for one target.
pub fn host_builder(root: &Path, out: &Path, subset: Subset) -> Builder {
    let library = host_sources(root, subset)
        .into_iter()
        .fold(Library::new("moe"), Library::file);
    Builder::new()
        .root(root)
        .out_dir(out)
        .toolkit(crate::version())
        .backend(Backend::Core)
        .library(library)
        .flags(["--expt-relaxed-constexpr", "-O3"])
        .arch(TARGETS[0])
}
