//! A package, a toolkit and a host compiler that scenarios change.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

use cubin_build::compile::{self, CompileRequest, Options, Source};
use cubin_tests::FakeMachine;

/// A change.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// Writes a file.
    Write(&'static str, &'static str),
    /// Puts a file with this text, and a time of last change long ago, in the place of another, as `mv`, `cp -p`, rsync
    /// and tar do.
    Older(&'static str, &'static str),
    /// Writes what is there again.
    Touch(&'static str),
    Remove(&'static str),
    Rename(&'static str, &'static str),
    /// Sets a variable; an empty value takes it away. `$DIR` is the world's directory.
    Variable(&'static str, &'static str),
    Flags(&'static [&'static str]),
    Define(&'static str, &'static str),
    Standard(&'static str),
    Targets(&'static [&'static str]),
    Includes(&'static [&'static str]),
    /// What the results whose names end so become: a text, or another result.
    Spoil(&'static str, Spoilt),
}

/// What becomes of results.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Spoilt {
    Gone,
    Empty,
    /// Other bytes, of the same number and with the same time.
    Other,
    /// That of the other source.
    Swapped,
}

pub(crate) struct World {
    machine: FakeMachine,
    options: Options,
    targets: Vec<&'static str>,
    variables: Vec<(&'static str, String)>,
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_fake-tool");

/// Results by source and target: a line for each, with all that was made.
pub(crate) type Results = Vec<(String, Vec<String>)>;

/// A copy of the fake tool for the test that runs: the worlds of others, which run at the same time, link to theirs, and
/// each such link changes the time at which a file's entry changed, which tells a replaced tool.
fn own_program() -> String {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("main").replace(':', "-");
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join("stale-tools");
    fs::create_dir_all(&dir).unwrap();
    let copy = dir.join(test);
    let modified = |path: &Path| fs::metadata(path).and_then(|meta| meta.modified()).ok();
    if modified(&copy) <= modified(Path::new(PROGRAM)) {
        fs::copy(PROGRAM, &copy).unwrap();
    }
    copy.to_str().expect("a path that is text").to_owned()
}

impl World {
    /// A world with nothing built.
    pub(crate) fn new(name: &str) -> Self {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("stale")
            .join(name.replace(|c: char| !c.is_alphanumeric(), "-"));
        let program = own_program();
        let machine = FakeMachine::new(&dir, &program);
        machine.toolkit_at("cuda");
        machine.link("cuda/nvvm/bin/cicc");
        machine.write("cuda/nvvm/libdevice/libdevice.10.bc", "device functions");
        machine.write("cuda/include/cuda_runtime.h", "#define RUNTIME 1\n");
        machine.write("control/steps", "");
        // Links of another kind: each hard link to the fakes changes the time at which their entry changed.
        for tool in ["cuda/bin/nvcc", "cuda/bin/ptxas", "cuda/nvvm/bin/cicc"] {
            let tool = machine.dir.join(tool);
            fs::remove_file(&tool).unwrap();
            std::os::unix::fs::symlink(&program, tool).unwrap();
        }
        let world = Self::on(machine);
        fs::remove_file(world.path("path/gcc")).unwrap();
        world.write("path/gcc", GCC);
        for (path, text) in FILES {
            world.write(path, text);
        }
        fs::create_dir_all(world.path("package/first")).unwrap();
        world
    }

    /// A world as it was left.
    pub(crate) fn again(name: &str) -> Self {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("stale")
            .join(name);
        Self::on(FakeMachine::again(&dir, PROGRAM))
    }

    fn on(machine: FakeMachine) -> Self {
        Self {
            machine,
            options: Options {
                includes: vec!["first".into(), "second".into()],
                ..Options::default()
            },
            targets: vec!["sm_80"],
            variables: vec![("NVCC_APPEND_FLAGS", "-isystem $DIR/system".to_owned())],
        }
    }

    /// Where everything is.
    pub(crate) fn dir(&self) -> &Path {
        &self.machine.dir
    }

    pub(crate) fn remove(&self) {
        fs::remove_dir_all(&self.machine.dir).unwrap();
    }

    fn path(&self, path: &str) -> PathBuf {
        self.machine.dir.join(path)
    }

    fn replaced(&self, text: &str) -> String {
        text.replace("$DIR", self.machine.dir.to_str().unwrap())
    }

    fn write(&self, path: &str, text: &str) {
        self.machine.write(path, &self.replaced(text));
        if path.starts_with("path/") || path.contains("/bin/") {
            fs::set_permissions(self.path(path), fs::Permissions::from_mode(0o755)).unwrap();
        }
    }

    pub(crate) fn apply(&mut self, change: &Change) {
        match *change {
            Change::Write(path, text) => self.write(path, text),
            Change::Older(path, text) => {
                let aside = self.path("aside");
                fs::write(&aside, self.replaced(text)).unwrap();
                let long_ago = SystemTime::now() - Duration::from_secs(1_000_000);
                let file = fs::File::options().write(true).open(&aside).unwrap();
                file.set_modified(long_ago).unwrap();
                fs::rename(aside, self.path(path)).unwrap();
            }
            Change::Touch(path) => {
                let text = fs::read(self.path(path)).unwrap();
                fs::write(self.path(path), text).unwrap();
            }
            Change::Remove(path) => fs::remove_file(self.path(path)).unwrap(),
            Change::Rename(from, to) => fs::rename(self.path(from), self.path(to)).unwrap(),
            Change::Variable(name, value) => {
                self.variables.retain(|(known, _)| *known != name);
                if !value.is_empty() {
                    self.variables.push((name, value.to_owned()));
                }
            }
            Change::Flags(flags) => {
                self.options.flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
            }
            Change::Define(name, value) => {
                let define = (name.to_owned(), Some(value.to_owned()));
                self.options.defines = vec![define];
            }
            Change::Standard(name) => self.options.std = Some(name.to_owned()),
            Change::Targets(targets) => self.targets = targets.to_vec(),
            Change::Includes(dirs) => self.options.includes = dirs.iter().map(Into::into).collect(),
            Change::Spoil(end, how) => self.spoil(end, how),
        }
    }

    fn spoil(&self, end: &str, how: Spoilt) {
        let mut found = Vec::new();
        files(&self.path("out/units"), &mut found);
        found.retain(|path| path.to_str().unwrap().ends_with(end));
        found.sort();
        assert!(!found.is_empty(), "no result {end}");
        match how {
            Spoilt::Gone => found.iter().for_each(|path| fs::remove_file(path).unwrap()),
            Spoilt::Empty => found.iter().for_each(|path| fs::write(path, "").unwrap()),
            Spoilt::Other => {
                for path in &found {
                    let time = fs::metadata(path).unwrap().modified().unwrap();
                    let length = fs::read(path).unwrap().len();
                    fs::write(path, "X".repeat(length)).unwrap();
                    let file = fs::File::options().write(true).open(path).unwrap();
                    file.set_modified(time).unwrap();
                }
            }
            Spoilt::Swapped => {
                let texts: Vec<Vec<u8>> =
                    found.iter().map(|path| fs::read(path).unwrap()).collect();
                for (path, text) in found.iter().rev().zip(texts) {
                    fs::write(path, text).unwrap();
                }
            }
        }
    }

    /// Takes away what runs before and after steps.
    pub(crate) fn quiet(&self) {
        for entry in fs::read_dir(self.path("control")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if name.starts_with("before-") || name.starts_with("after-") {
                fs::remove_file(path).unwrap();
            }
        }
    }

    /// Compiles into a folder.
    pub(crate) fn build(&self, out: &str) -> Results {
        let root = self.path("package");
        let mut sources = Vec::new();
        for path in ["kernels/a.cu", "kernels/b.cu", "kernels/p.ptx"] {
            sources.push(match path.ends_with("cu") {
                true => Source::cuda(path),
                false => Source::new(path, compile::Language::Ptx),
            });
        }
        let variables: Vec<(&str, String)> = self
            .variables
            .iter()
            .map(|(name, value)| (*name, self.replaced(value)))
            .collect();
        let mut variables: Vec<(&str, &str)> = variables
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let path = format!("{}:/usr/bin:/bin", self.path("path").display());
        variables.push(("PATH", &path));
        let cuda = self.path("cuda").display().to_string();
        variables.push(("CUDA_PATH", &cuda));
        let env = self.machine.env(&variables);
        let request = self.machine.request();
        let toolkit = cubin_build::toolkit::find(&env, &request).expect("the fake toolkit");
        self.machine.calls();
        let _ = fs::remove_file(self.path("gcc.log"));
        let targets: Vec<_> = self
            .targets
            .iter()
            .map(|target| compile::target(target).unwrap())
            .collect();
        let request = CompileRequest {
            toolkit: &toolkit,
            root: &root,
            out_dir: &self.path(out),
            sources: &sources,
            targets: &targets,
            options: &self.options,
        };
        let outcome = compile::compile(&env, &request).unwrap_or_else(|error| panic!("{error}"));
        let mut results = Vec::new();
        for unit in &outcome.units {
            let mut all = Vec::new();
            for path in unit.results().chain([unit.ptx.as_path()]) {
                all.push(fs::read_to_string(path).unwrap());
            }
            all.extend(unit.messages.iter().map(|message| message.text.clone()));
            all.extend(unit.files().map(|path| path.display().to_string()));
            results.push((format!("{} {}", unit.source.display(), unit.target), all));
        }
        for failure in &outcome.failures {
            let text = failure.first_error().map(|message| message.text.clone());
            let name = failure.source.display().to_string();
            results.push((name, vec![text.unwrap_or_default()]));
        }
        results
    }

    /// What the last build says of its steps, and why they ran.
    pub(crate) fn reasons(&self, out: &str) -> String {
        let mut pending = vec![self.path(out)];
        let mut all = String::new();
        while let Some(dir) = pending.pop() {
            for entry in fs::read_dir(&dir).expect("a folder") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    pending.push(path);
                } else if path.file_name().is_some_and(|name| name == "times.txt") {
                    all.push_str(&fs::read_to_string(&path).expect("times"));
                }
            }
        }
        all
    }

    /// Steps that ran in the last build, each once: `gcc cicc ptxas`.
    pub(crate) fn runs(&self) -> String {
        let calls = self.machine.calls();
        let log = fs::read_to_string(self.path("gcc.log")).unwrap_or_default();
        let mut steps: Vec<&str> = Vec::new();
        if log.lines().any(|line| line == "preprocess") {
            steps.push("gcc");
        }
        for tool in ["cicc", "ptxas"] {
            if calls.iter().any(|call| call[0] == tool) {
                steps.push(tool);
            }
        }
        steps.join(" ")
    }
}

fn files(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        match entry.path() {
            path if path.is_dir() => files(&path, found),
            path => found.push(path),
        }
    }
}

/// The host compiler: a script, as many are.
const GCC: &str = "#!/bin/sh\n\
case \" $* \" in *\" -v \"*) echo ask >> '$DIR/gcc.log';; *) echo preprocess >> '$DIR/gcc.log'; work=1;; esac\n\
if [ \"$work\" ] && [ -e '$DIR/control/before-gcc' ]; then . '$DIR/control/before-gcc'; fi\n\
/usr/bin/gcc \"$@\"; status=$?\n\
if [ \"$work\" ] && [ -e '$DIR/control/after-gcc' ]; then . '$DIR/control/after-gcc'; fi\n\
exit $status\n";

const FILES: [(&str, &str); 8] = [
    (
        "package/kernels/a.cu",
        "#include \"common.cuh\"\n#include <lib.h>\n#include <system.h>\n#include <cuda_runtime.h>\n\
         kernel a VALUE LIB SYSTEM RUNTIME EXTRA\n",
    ),
    ("package/kernels/b.cu", "kernel b __CUDA_ARCH__\n"),
    ("package/kernels/p.ptx", ".version 9.2\n"),
    (
        "package/kernels/common.cuh",
        "#include \"inner.cuh\"\n#define VALUE INNER\n",
    ),
    ("package/kernels/inner.cuh", "#define INNER 1\n"),
    ("package/second/lib.h", "#define LIB 1\n"),
    ("system/system.h", "#define SYSTEM 1\n"),
    ("options.txt", "-DEXTRA=1\n"),
];
