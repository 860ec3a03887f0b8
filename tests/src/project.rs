//! Small crates with kernels, built by cargo as a user builds them.
//!
//! All of them share one target directory, so that `cubin-build` and what it depends on is compiled once; cargo's own
//! lock makes parallel tests wait for each other.

use std::{
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use cubin_build::{env::Env, toolkit::Toolkit};

/// A crate of its own in a scratch directory, that is built without network.
pub struct Project {
    /// The package's directory.
    pub dir: PathBuf,
    name: String,
    target: PathBuf,
    env: Vec<(OsString, OsString)>,
}

/// How a command ended and what it printed.
pub struct Run {
    /// Whether its exit status was 0.
    pub success: bool,
    /// Its exit status; `None` when a signal ended it.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

/// What the environment of the machine must not decide.
const CLEARED: &[&str] = &[
    "CARGO_BUILD_TARGET_DIR",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_TERM_COLOR",
    "CLICOLOR_FORCE",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "CUBIN_BUILD_ARCH",
    "CUBIN_BUILD_MODE",
    "CUBIN_BUILD_POLICY",
    "CUBIN_BUILD_PREBUILT",
    "CUBIN_BUILD_REPORT",
    "CUBIN_BUILD_TOOLKIT",
    "CUDA_HOME",
    "CUDA_PATH",
    "DOCS_RS",
    "NVCC",
    "NVCC_APPEND_FLAGS",
    "NVCC_PREPEND_FLAGS",
    "RUSTFLAGS",
];

impl Project {
    /// A crate called `name` in `tmp` (`CARGO_TARGET_TMPDIR` of the test), from scratch, that uses `toolkit`. It has a
    /// `build.rs` that compiles `kernels`, and an empty library.
    ///
    /// # Panics
    /// When a file cannot be written.
    pub fn new(tmp: &str, name: &str, toolkit: &Toolkit) -> Self {
        Self::in_folder(tmp, "build", name, toolkit)
    }

    /// As [`new`](Self::new), with the crate's directory below another folder of `tmp`.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn in_folder(tmp: &str, folder: &str, name: &str, toolkit: &Toolkit) -> Self {
        let dir = Path::new(tmp).join(folder).join(name);
        let _ = fs::remove_dir_all(&dir);
        let project = Self::at(dir, tmp, name, toolkit);
        let workspace = workspace();
        project.write(
            "Cargo.toml",
            &format!(
                "[workspace]\n\n[package]\nname = {name:?}\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
                 [build-dependencies]\ncubin-build = {{ path = {:?} }}\n",
                workspace.join("cubin-build")
            ),
        );
        // The versions that this workspace was tested with, which are in cargo's cache: no network is needed.
        fs::copy(workspace.join("Cargo.lock"), project.dir.join("Cargo.lock")).expect("Cargo.lock");
        project.write("build.rs", BUILD);
        project.write("src/lib.rs", "");
        project
    }

    /// The crate that stands in `dir` already.
    ///
    /// # Panics
    /// When the results of an earlier run cannot be removed.
    pub fn at(dir: PathBuf, tmp: &str, name: &str, toolkit: &Toolkit) -> Self {
        let target = Path::new(tmp).join("build-target");
        let project = Self {
            dir,
            name: name.to_owned(),
            env: vec![
                ("CARGO_TARGET_DIR".into(), target.clone().into()),
                ("CARGO_INCREMENTAL".into(), "0".into()),
                ("CARGO_NET_OFFLINE".into(), "true".into()),
                (
                    "CUBIN_BUILD_TOOLKIT".into(),
                    toolkit.nvcc.clone().into_os_string(),
                ),
            ],
            target,
        };
        for old in project.outputs() {
            fs::remove_dir_all(&old).expect("results of an earlier run");
        }
        project
    }

    /// Writes a file of the package.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.dir.join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(&path, text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    }

    /// Sets a variable for every command.
    pub fn set(&mut self, name: &str, value: impl AsRef<OsStr>) {
        self.unset(name);
        self.env.push((name.into(), value.as_ref().to_owned()));
    }

    /// Takes a variable away.
    pub fn unset(&mut self, name: &str) {
        self.env.retain(|(known, _)| known != name);
    }

    /// `cargo build -v`, which says of every package whether it is fresh.
    ///
    /// # Panics
    /// When cargo cannot be started.
    pub fn build(&self) -> Run {
        self.run(&cargo(), &["build", "-v"])
    }

    /// The same with these arguments, not started yet.
    pub fn cargo(&self, args: &[&str]) -> Command {
        self.command(&cargo(), args)
    }

    /// Runs a program in the package's directory.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn run(&self, program: &Path, args: &[&str]) -> Run {
        self.run_in(&self.dir, program, args)
    }

    /// As [`run`](Self::run), in another directory.
    ///
    /// # Panics
    /// When it cannot be started.
    pub fn run_in(&self, dir: &Path, program: &Path, args: &[&str]) -> Run {
        let output = self
            .command(program, args)
            .current_dir(dir)
            .output()
            .unwrap_or_else(|error| panic!("{}: {error}", program.display()));
        Run::new(&output)
    }

    fn command(&self, program: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(program);
        command.args(args).current_dir(&self.dir);
        for name in CLEARED {
            command.env_remove(name);
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// The build script as cargo runs it, with an `OUT_DIR` of the test's choice, which no lock of cargo's protects. It must
    /// have been built.
    ///
    /// # Panics
    /// When it was not, or the directory cannot be made.
    pub fn script(&self, out_dir: &Path) -> Command {
        fs::create_dir_all(out_dir).expect("OUT_DIR");
        let dirs = self.outputs().into_iter();
        let mut scripts = dirs.map(|dir| dir.join("build-script-build"));
        let script = scripts.find(|script| script.is_file());
        let mut command = self.command(&script.expect("a build script that was built"), &[]);
        let variables = [
            ("CARGO_MANIFEST_DIR", self.dir.as_os_str()),
            ("CARGO_PKG_NAME", self.name.as_ref()),
            ("CARGO_CFG_TARGET_OS", std::env::consts::OS.as_ref()),
            ("CARGO_CFG_TARGET_ARCH", std::env::consts::ARCH.as_ref()),
            ("NUM_JOBS", "2".as_ref()),
            ("OUT_DIR", out_dir.as_os_str()),
        ];
        command.envs(variables).env_remove("CARGO_MAKEFLAGS");
        command
    }

    /// `OUT_DIR` of the last build.
    ///
    /// # Panics
    /// When there was none.
    pub fn out_dir(&self) -> PathBuf {
        let mut found: Vec<PathBuf> = self
            .outputs()
            .into_iter()
            .map(|dir| dir.join("out"))
            .filter(|dir| dir.is_dir())
            .collect();
        assert_eq!(found.len(), 1, "one OUT_DIR of {}: {found:?}", self.name);
        found.remove(0)
    }

    /// The generated file, when there is one.
    pub fn generated(&self) -> Option<String> {
        fs::read_to_string(self.out_dir().join("kernels.rs")).ok()
    }

    /// Names of the cubins beside the generated file, sorted.
    ///
    /// # Panics
    /// When the directory cannot be read.
    pub fn cubins(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(self.out_dir())
            .expect("OUT_DIR")
            .map(|entry| {
                entry
                    .expect("an entry")
                    .file_name()
                    .to_string_lossy()
                    .into_owned()
            })
            .filter(|name| name.ends_with(".cubin"))
            .collect();
        names.sort();
        names
    }

    /// Directories of the package's build script in the target directory.
    fn outputs(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.target.join("debug/build"))
            .into_iter()
            .flatten()
            .flatten();
        let hash = |name: &str| {
            name.strip_prefix(&self.name)?
                .strip_prefix('-')
                .filter(|hash| hash.len() == 16)
                .map(str::to_owned)
        };
        entries
            .filter(|entry| {
                entry
                    .file_name()
                    .to_str()
                    .is_some_and(|name| hash(name).is_some())
            })
            .map(|entry| entry.path())
            .collect()
    }
}

/// The build script of a new project.
pub const BUILD: &str =
    "fn main() {\n    cubin_build::Builder::new().dir(\"kernels\").build();\n}\n";

fn cargo() -> PathBuf {
    let named = Env::process().peek("CARGO");
    named.unwrap_or_else(|| "cargo".into()).into()
}

impl Run {
    /// How it ended.
    pub fn new(output: &Output) -> Self {
        Self {
            success: output.status.success(),
            status: output.status.code(),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Fails the test when the command failed.
    ///
    /// # Panics
    /// Then.
    #[track_caller]
    pub fn succeeds(self) -> Self {
        assert!(
            self.success,
            "failed with {:?}:\n{}\n{}",
            self.status, self.stdout, self.stderr
        );
        self
    }

    /// Fails the test when the command succeeded.
    ///
    /// # Panics
    /// Then.
    #[track_caller]
    pub fn fails(self) -> Self {
        assert!(
            !self.success,
            "succeeded:\n{}\n{}",
            self.stdout, self.stderr
        );
        self
    }

    /// Fails the test when standard error lacks a text.
    ///
    /// # Panics
    /// Then.
    #[track_caller]
    pub fn says(self, text: &str) -> Self {
        assert!(
            self.stderr.contains(text),
            "no `{text}` in:\n{}",
            self.stderr
        );
        self
    }

    /// Fails the test when standard error has a text.
    ///
    /// # Panics
    /// Then.
    #[track_caller]
    pub fn does_not_say(self, text: &str) -> Self {
        assert!(!self.stderr.contains(text), "`{text}` in:\n{}", self.stderr);
        self
    }

    /// What the build script wrote to standard error, as cargo shows it for a script that failed.
    pub fn script_stderr(&self) -> String {
        let text = self.stderr.split_once("--- stderr\n").map(|(_, text)| text);
        text.unwrap_or_default()
            .lines()
            .map(|line| line.strip_prefix("  ").unwrap_or(line))
            .map(|line| format!("{line}\n"))
            .collect()
    }

    /// What cargo says of the lines that the build script printed as `cargo::error=` or `cargo::warning=`.
    pub fn cargo_lines(&self, level: &str) -> Vec<String> {
        let prefix = format!("{level}: ");
        self.stderr
            .lines()
            .filter_map(|line| line.strip_prefix(&prefix))
            .filter_map(|line| line.split_once("@0.0.0: "))
            .map(|(_, message)| message.to_owned())
            .collect()
    }
}

/// The root of this workspace.
pub fn workspace() -> PathBuf {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR"));
    tests.parent().unwrap_or(tests).to_owned()
}

/// A toolkit whose nvcc, cicc, ptxas and nvlink write down how they are called and then are the real ones.
#[cfg(unix)]
pub struct Wrapper {
    /// Root directory, for `CUBIN_BUILD_TOOLKIT`.
    pub root: PathBuf,
    log: PathBuf,
}

#[cfg(unix)]
impl Wrapper {
    /// Makes the wrapper in `dir`: `bin/nvcc` starts the driver in `driver`, which finds the other tools beside it.
    ///
    /// # Panics
    /// When it cannot be written.
    pub fn new(dir: &Path, toolkit: &Toolkit) -> Self {
        let _ = fs::remove_dir_all(dir);
        let log = dir.join("calls.txt");
        let driver = dir.join("driver");
        let real = &toolkit.root;
        let cicc = Path::new("nvvm/bin/cicc");
        for wrapped in ["bin/ptxas", "bin/nvlink", "bin/cudafe++"]
            .map(Path::new)
            .iter()
            .chain([&cicc])
        {
            wrap(&driver.join(wrapped), &real.join(wrapped), &log);
        }
        for folder in ["", "bin", "nvvm"] {
            let entries = fs::read_dir(real.join(folder)).expect("the toolkit");
            for entry in entries.map(|entry| entry.expect("an entry")) {
                let at = driver.join(folder).join(entry.file_name());
                if !at.exists() {
                    std::os::unix::fs::symlink(entry.path(), at).expect("a link");
                }
            }
        }
        wrap(&dir.join("bin/nvcc"), &driver.join("bin/nvcc"), &log);
        Self {
            root: dir.to_owned(),
            log,
        }
    }

    /// Every call since the last question: the tool's name and its arguments.
    pub fn calls(&self) -> Vec<String> {
        let text = fs::read_to_string(&self.log).unwrap_or_default();
        let _ = fs::remove_file(&self.log);
        text.lines().map(str::to_owned).collect()
    }

    /// The steps since the last question, sorted: `cicc file compute_90`, `ptxas file sm_90`, and `probe sm_90` of the
    /// front end alone. What asks nvcc what it would do is none.
    pub fn steps(&self) -> Vec<String> {
        let mut found: Vec<String> = self.calls().iter().filter_map(|call| step(call)).collect();
        found.sort();
        found
    }

    /// `file.cu sm_90` of everything that was assembled since the last question, and `probe.cu sm_90` of each time that
    /// the front end was asked alone; sorted.
    pub fn compiled(&self) -> Vec<String> {
        let mut found = Vec::new();
        for step in self.steps() {
            let words: Vec<&str> = step.split(' ').collect();
            match words[..] {
                ["ptxas", file, target] => found.push(format!("{file}.cu {target}")),
                ["probe", target] => found.push(format!("probe.cu {target}")),
                _ => {}
            }
        }
        found.sort();
        found
    }
}

/// A script at `path` that writes down how it is called, and is `real` then.
#[cfg(unix)]
fn wrap(path: &Path, real: &Path, log: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let script = format!(
        "#!/bin/sh\nprintf '%s\\n' \"{name} $*\" >> '{}'\nexec '{}' \"$@\"\n",
        log.display(),
        real.display()
    );
    fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
    fs::write(path, script).expect("a script");
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).expect("a mode");
}

/// What a call does, when it does more than ask.
#[cfg(unix)]
fn step(call: &str) -> Option<String> {
    let words: Vec<&str> = call.split_whitespace().collect();
    let stem = |end: &str| {
        let word = words.iter().rev().find_map(|word| word.strip_suffix(end));
        word.and_then(|path| path.rsplit('/').next())
    };
    let arch = || words.iter().find_map(|word| word.strip_prefix("-arch="));
    match *words.first()? {
        "cicc" if stem(".cpp1.ii") != Some("probe") => {
            let at = words.iter().position(|word| *word == "-arch")?;
            Some(format!("cicc {} {}", stem(".cpp1.ii")?, words.get(at + 1)?))
        }
        "ptxas" if stem(".ptx") != Some("probe") => {
            Some(format!("ptxas {} {}", stem(".ptx")?, arch()?))
        }
        "nvcc" if words.contains(&"-fdevice-syntax-only") => Some(format!("probe {}", arch()?)),
        _ => None,
    }
}
