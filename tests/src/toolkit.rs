//! The CUDA toolkit of this machine, for tests that ask NVIDIA's own tools.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// A toolkit: a folder with `bin/nvcc`.
#[derive(Debug, Clone)]
pub struct Toolkit {
    root: PathBuf,
}

/// The toolkit in `CUDA_HOME`, `CUDA_PATH`, the search path or `/usr/local/cuda`, first wins.
///
/// `None`, with a line on stderr, when there is none; a test then returns early.
///
/// # Panics
/// When there is none and `CUBIN_TEST_REQUIRE_TOOLKIT` is 1, so that CI cannot skip in silence.
pub fn toolkit() -> Option<Toolkit> {
    let named = ["CUDA_HOME", "CUDA_PATH"]
        .into_iter()
        .filter_map(env::var_os)
        .map(PathBuf::from);
    let path = env::var_os("PATH").unwrap_or_default();
    let searched: Vec<PathBuf> = env::split_paths(&path)
        .filter_map(|bin| fs::canonicalize(bin.join("nvcc")).ok())
        .filter_map(|nvcc| Some(nvcc.parent()?.parent()?.to_owned()))
        .collect();
    let found = named
        .chain(searched)
        .chain([PathBuf::from("/usr/local/cuda")])
        .find(|root| root.join("bin/nvcc").is_file());
    if found.is_none() {
        assert!(
            env::var_os("CUBIN_TEST_REQUIRE_TOOLKIT").is_none_or(|value| value != "1"),
            "CUBIN_TEST_REQUIRE_TOOLKIT is 1, but there is no nvcc: set CUDA_HOME or put it on the search path"
        );
        eprintln!("skipped: no CUDA toolkit; set CUDA_HOME or put nvcc on the search path");
    }
    found.map(|root| Toolkit { root })
}

impl Toolkit {
    /// The folder that holds `bin`.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Runs one of its tools in `dir` and gives back what it wrote to stdout.
    ///
    /// # Panics
    /// When it cannot be started or fails.
    pub fn run(&self, tool: &str, args: &[&str], dir: &Path) -> String {
        run(&self.root.join("bin").join(tool), args, dir)
    }
}

/// Runs `program` in `dir` and gives back what it wrote to stdout.
///
/// # Panics
/// When it cannot be started or fails.
pub fn run(program: &Path, args: &[&str], dir: &Path) -> String {
    let output = Command::new(program)
        .args(args)
        .current_dir(dir)
        .output()
        .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
    assert!(
        output.status.success(),
        "{} {args:?} failed: {}\n{}{}",
        program.display(),
        output.status,
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// An empty folder below `target`, named after the test.
///
/// # Panics
/// When it cannot be made.
pub fn scratch(tmp: &str, name: &str) -> PathBuf {
    let dir = Path::new(tmp).join(name);
    if dir.exists() {
        fs::remove_dir_all(&dir).expect("an old scratch folder goes");
    }
    fs::create_dir_all(&dir).expect("a scratch folder");
    dir
}
