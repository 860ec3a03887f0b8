//! A machine of fake tools: tests of the build steps that need no compiler (see `bin/fake-tool.rs`).

use std::{
    fs,
    path::{Path, PathBuf},
};

use cubin_build::{
    compile::{self, CompileRequest, Failure, Options, Outcome, Source, SourceKind},
    env::Env,
    toolkit::{self, Toolkit, ToolkitRequest},
};

/// A directory with a toolkit, a `PATH`, a home and a package, all of them fake.
pub struct FakeMachine {
    /// Everything is below this directory.
    pub dir: PathBuf,
    program: PathBuf,
}

impl FakeMachine {
    /// An empty machine in `dir`, which is cleared first; `program` is the `fake-tool`.
    pub fn new(dir: &Path, program: &str) -> Self {
        let _ = fs::remove_dir_all(dir);
        for name in ["control", "path", "home", "package"] {
            fs::create_dir_all(dir.join(name)).expect("a scratch directory");
        }
        Self {
            dir: dir.to_owned(),
            program: PathBuf::from(program),
        }
    }

    /// The machine that an earlier [`new`](Self::new) made.
    pub fn again(dir: &Path, program: &str) -> Self {
        Self {
            dir: dir.to_owned(),
            program: PathBuf::from(program),
        }
    }

    /// Puts the fake under a name; a hard link, since copying a program that another thread starts can fail.
    pub fn link(&self, path: &str) -> PathBuf {
        let path = self.dir.join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        let _ = fs::remove_file(&path);
        if fs::hard_link(&self.program, &path).is_err() {
            fs::copy(&self.program, &path).expect("the fake tool");
        }
        path
    }

    /// A toolkit at `<dir>/<name>` and a gcc on `PATH`.
    pub fn toolkit_at(&self, name: &str) -> PathBuf {
        self.link(&format!("{name}/bin/nvcc"));
        self.link(&format!("{name}/bin/ptxas"));
        self.link("path/gcc");
        self.write(&format!("{name}/bin/nvcc.profile"), "");
        self.dir.join(name)
    }

    /// Writes a file below the directory.
    pub fn write(&self, path: &str, text: &str) {
        let path = self.dir.join(path);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("a file");
    }

    /// The environment of the machine, with more variables.
    pub fn env(&self, more: &[(&str, &str)]) -> Env {
        let mut variables = vec![
            (
                "FAKE_DIR".to_owned(),
                self.dir.join("control").display().to_string(),
            ),
            (
                "PATH".to_owned(),
                self.dir.join("path").display().to_string(),
            ),
            (
                "HOME".to_owned(),
                self.dir.join("home").display().to_string(),
            ),
        ];
        variables.extend(
            more.iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned())),
        );
        Env::from_map(variables)
    }

    /// A request that looks at no place outside the machine.
    pub fn request(&self) -> ToolkitRequest {
        ToolkitRequest {
            usual_places: vec![self.dir.join("usual/cuda")],
            ..ToolkitRequest::default()
        }
    }

    /// Finds the toolkit at `<dir>/cuda`.
    pub fn toolkit(&self) -> Toolkit {
        let root = self.toolkit_at("cuda");
        let env = self.env(&[("CUDA_PATH", &root.display().to_string())]);
        let found = toolkit::find(&env, &self.request()).expect("the fake toolkit");
        self.calls();
        found
    }

    /// The programs that ran since the last question, each as its name and arguments, in order.
    pub fn calls(&self) -> Vec<Vec<String>> {
        let dir = self.dir.join("control/calls");
        let mut files: Vec<PathBuf> = fs::read_dir(&dir)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.path())
            .collect();
        files.sort();
        let calls = files
            .iter()
            .map(|file| {
                let text = fs::read_to_string(file).expect("a record of a call");
                text.lines().map(str::to_owned).collect()
            })
            .collect();
        let _ = fs::remove_dir_all(dir);
        calls
    }
}

/// A package on a fake machine with a fake toolkit: `kernels/a.cu` (includes `common.cuh`) and `kernels/b.cu`.
pub struct FakeProject {
    /// The machine.
    pub machine: FakeMachine,
    /// Its toolkit.
    pub toolkit: Toolkit,
    /// How to compile.
    pub options: Options,
    /// What for; `sm_80` unless changed.
    pub targets: Vec<&'static str>,
    /// Variables beyond those of the machine.
    pub variables: Vec<(&'static str, &'static str)>,
}

impl FakeProject {
    /// A project in `dir`; `program` is the `fake-tool`.
    pub fn new(dir: &Path, program: &str) -> Self {
        let machine = FakeMachine::new(dir, program);
        let toolkit = machine.toolkit();
        let project = Self {
            machine,
            toolkit,
            options: Options::default(),
            targets: vec!["sm_80"],
            variables: Vec::new(),
        };
        project.write("kernels/a.cu", "#include \"common.cuh\"\n");
        project.write("kernels/b.cu", "");
        project.write("kernels/common.cuh", "");
        project
    }

    /// Writes a file of the package.
    pub fn write(&self, path: &str, text: &str) {
        self.machine.write(&format!("package/{path}"), text);
    }

    /// A path in the package.
    pub fn path(&self, path: &str) -> PathBuf {
        self.machine.dir.join("package").join(path)
    }

    /// Compiles; errors of the request are returned.
    ///
    /// # Errors
    /// As [`compile::compile`].
    pub fn try_compile(&self, sources: &[Source]) -> Result<Outcome, compile::Error> {
        let targets: Vec<_> = self
            .targets
            .iter()
            .map(|target| compile::target(target).expect("a target"))
            .collect();
        compile::compile(
            &self.machine.env(&self.variables),
            &CompileRequest {
                toolkit: &self.toolkit,
                root: &self.path(""),
                out_dir: &self.machine.dir.join("out"),
                sources,
                targets: &targets,
                options: &self.options,
            },
        )
    }

    /// Compiles files of the package.
    pub fn compile(&self, sources: &[&str]) -> Outcome {
        let sources: Vec<Source> = sources
            .iter()
            .map(|path| match SourceKind::of(Path::new(path)) {
                Ok(SourceKind::Text(language)) => Source::new(path, language),
                other => panic!("{path} is not compiled: {other:?}"),
            })
            .collect();
        self.try_compile(&sources)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// Compiles without failures: `source target: reason` of all that was compiled now.
    pub fn reasons(&self, sources: &[&str]) -> Vec<String> {
        let outcome = self.compile(sources);
        assert!(outcome.failures.is_empty(), "{}", outcome.failures[0]);
        let compiled = outcome.units.iter().filter_map(|unit| {
            Some(format!(
                "{} {}: {}",
                unit.source.display(),
                unit.target,
                unit.recompiled.as_ref()?
            ))
        });
        compiled.collect()
    }

    /// Compiles, and expects exactly one failure.
    pub fn failure(&self, sources: &[&str]) -> Failure {
        let mut outcome = self.compile(sources);
        assert_eq!(outcome.failures.len(), 1);
        outcome.failures.remove(0)
    }
}
