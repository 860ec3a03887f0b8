//! The compile step with fake tools: what is run, when, and what comes of every way to fail.
#![cfg(unix)]

use std::{
    fs,
    path::{Path, PathBuf},
};

use cubin_build::{
    compile::{self, Cause, Error, Failure, Options, Outcome, Request, Source},
    toolkit::Toolkit,
};
use cubin_tests::FakeMachine;

struct Project {
    machine: FakeMachine,
    toolkit: Toolkit,
    options: Options,
    targets: Vec<&'static str>,
    variables: Vec<(&'static str, &'static str)>,
}

impl Project {
    fn new(name: &str) -> Self {
        let dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
            .join("shim_compile")
            .join(name);
        let machine = FakeMachine::new(&dir, env!("CARGO_BIN_EXE_fake-tool"));
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

    fn write(&self, path: &str, text: &str) {
        self.machine.write(&format!("package/{path}"), text);
    }

    fn path(&self, path: &str) -> PathBuf {
        self.machine.dir.join("package").join(path)
    }

    fn try_compile(&self, sources: &[Source]) -> Result<Outcome, Error> {
        let targets: Vec<_> = self
            .targets
            .iter()
            .map(|target| compile::target(target).unwrap())
            .collect();
        compile::compile(
            &self.machine.env(&self.variables),
            &Request {
                toolkit: &self.toolkit,
                root: &self.path(""),
                out_dir: &self.machine.dir.join("out"),
                sources,
                targets: &targets,
                options: &self.options,
            },
        )
    }

    fn compile(&self, sources: &[&str]) -> Outcome {
        let sources: Vec<Source> = sources.iter().map(Source::from).collect();
        self.try_compile(&sources)
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// `source target: reason` of all that was compiled now.
    fn reasons(&self, sources: &[&str]) -> Vec<String> {
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

    fn failure(&self, sources: &[&str]) -> Failure {
        let mut outcome = self.compile(sources);
        assert_eq!(outcome.failures.len(), 1);
        outcome.failures.remove(0)
    }
}

const NOTHING: [&str; 0] = [];
const BOTH: [&str; 2] = ["kernels/a.cu", "kernels/b.cu"];

#[test]
fn nvcc_gets_what_was_asked_for_and_nothing_else() {
    let mut project = Project::new("arguments");
    project.targets = vec!["sm_90a", "sm_90"];
    project.write("include, x/i.cuh", "");
    project.options.includes = vec![PathBuf::from("include, x"), PathBuf::from("kernels")];
    project.options.defines = vec![
        ("N".to_owned(), Some("1".to_owned())),
        ("F(a,b)".to_owned(), None),
    ];
    project.options.flags = vec!["--use_fast_math".to_owned()];
    let source = Source {
        path: PathBuf::from("kernels/a.cu"),
        flags: vec!["-maxrregcount=32".to_owned()],
    };
    let outcome = project.try_compile(&[source]).unwrap();
    assert_eq!(outcome.units.len(), 2);
    let calls = project.machine.calls();
    let compiles: Vec<_> = calls
        .iter()
        .filter(|call| call.contains(&"--keep".to_owned()))
        .collect();
    assert_eq!(compiles.len(), 2);
    let mut dirs = Vec::new();
    for (call, target) in compiles.iter().zip(["sm_90a", "sm_90"]) {
        let has = |word: &str| call.iter().any(|given| given == word);
        for word in [
            "-std=c++17",
            "-cubin",
            "-DN=1",
            "-DF(a\\,b)",
            "-I\"include, x\"",
            "-Ikernels",
            "--use_fast_math",
            "-maxrregcount=32",
        ] {
            assert!(has(word), "{word} is not in {call:?}");
        }
        // Jobs may start in any order.
        assert!(
            has("-arch=sm_90a") != has("-arch=sm_90"),
            "{target}: {call:?}"
        );
        let at = call.iter().position(|word| word == "--keep-dir").unwrap();
        dirs.push(call[at + 1].clone());
        assert_eq!(call.last().unwrap(), "kernels/a.cu");
    }
    assert_ne!(dirs[0], dirs[1]);
}

#[test]
fn unchanged_input_starts_no_program() {
    let mut project = Project::new("unchanged");
    project.targets = vec!["sm_80", "sm_90"];
    assert_eq!(project.reasons(&BOTH).len(), 4);
    let first = project.compile(&BOTH);
    project.machine.calls();
    // Newer, but the same.
    project.write("kernels/common.cuh", "");
    let again = project.compile(&BOTH);
    assert_eq!(again.units, first.units);
    assert_eq!(project.machine.calls(), Vec::<Vec<String>>::new());
}

#[test]
fn every_change_is_seen_and_named() {
    let mut project = Project::new("changes");
    project.reasons(&BOTH);
    let a = "kernels/a.cu sm_80";
    let b = "kernels/b.cu sm_80";

    project.write("kernels/common.cuh", "// changed\n");
    assert_eq!(
        project.reasons(&BOTH),
        [format!("{a}: kernels/common.cuh changed")]
    );
    project.write("kernels/b.cu", "// changed\n");
    assert_eq!(
        project.reasons(&BOTH),
        [format!("{b}: kernels/b.cu changed")]
    );

    let all = |reason: &str| [format!("{a}: {reason}"), format!("{b}: {reason}")];
    project.options.flags = vec!["-O3".to_owned()];
    assert_eq!(project.reasons(&BOTH), all("flag `-O3` is new"));
    project.options.flags.clear();
    assert_eq!(project.reasons(&BOTH), all("flag `-O3` is gone"));
    project.options.defines = vec![("X".to_owned(), None)];
    assert_eq!(project.reasons(&BOTH), all("flag `-DX` is new"));
    project.options.std = Some("c++20".to_owned());
    assert_eq!(project.reasons(&BOTH), all("flag `-std=c++20` is new"));
    project.variables = vec![("NVCC_APPEND_FLAGS", "-G")];
    assert_eq!(project.reasons(&BOTH), all("NVCC_APPEND_FLAGS changed"));
    assert_eq!(project.reasons(&BOTH), NOTHING);
    project.variables.clear();
    assert_eq!(project.reasons(&BOTH), all("NVCC_APPEND_FLAGS changed"));

    project.targets = vec!["sm_80", "sm_90"];
    let new = project.reasons(&BOTH);
    assert_eq!(new.len(), 2);
    assert!(new[0].starts_with("kernels/a.cu sm_90: "), "{new:?}");
    project.targets = vec!["sm_80"];
    assert_eq!(
        project.reasons(&BOTH),
        NOTHING,
        "going back to fewer targets is no change"
    );

    fs::remove_file(project.machine.dir.join("path/gcc")).unwrap();
    project.machine.write("path/gcc", "another");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(project.machine.dir.join("path/gcc"), mode).unwrap();
    assert_eq!(project.reasons(&BOTH), all("the host compiler changed"));
    fs::remove_file(project.machine.dir.join("cuda/bin/ptxas")).unwrap();
    project.machine.write("cuda/bin/ptxas", "another");
    assert_eq!(project.reasons(&BOTH), all("the CUDA toolkit changed"));
    assert_eq!(project.reasons(&BOTH), NOTHING);
}

#[test]
fn a_header_that_comes_first_now_is_seen() {
    let mut project = Project::new("shadow");
    project.write("first/other.cuh", "");
    project.write("second/gpu/x.cuh", "");
    project.write(
        "kernels/a.cu",
        "#include \"gpu/x.cuh\"\n#if __has_include(\"late.cuh\")\n#endif\n",
    );
    project.options.includes = vec![PathBuf::from("first"), PathBuf::from("second")];
    let sources = ["kernels/a.cu"];
    let outcome = project.compile(&sources);
    assert_eq!(
        outcome.units[0].dependencies,
        [
            PathBuf::from("kernels/a.cu"),
            PathBuf::from("second/gpu/x.cuh")
        ]
    );
    let changes = [
        ("first/gpu/x.cuh", true),
        ("kernels/gpu/x.cuh", true),
        ("second/late.cuh", true),
        ("first/unrelated.cuh", false),
        ("elsewhere/gpu/x.cuh", false),
    ];
    for (path, matters) in changes {
        project.write(path, "");
        let reasons = project.reasons(&sources);
        match matters {
            true => {
                assert_eq!(reasons.len(), 1, "{path}");
                assert!(
                    reasons[0].contains(path) && reasons[0].contains("appeared"),
                    "{reasons:?}"
                );
            }
            false => assert_eq!(reasons, NOTHING, "{path}"),
        }
        assert_eq!(project.reasons(&sources), NOTHING);
    }
    // The file that is included now goes away again; the one behind it takes its place.
    fs::remove_file(project.path("kernels/gpu/x.cuh")).unwrap();
    assert_eq!(
        project.reasons(&sources),
        ["kernels/a.cu sm_80: kernels/gpu/x.cuh is gone"]
    );
}

#[test]
fn same_stem_in_two_directories() {
    let project = Project::new("stems");
    project.write("kernels/one/k.cu", "");
    project.write("kernels/two/k.cu", "#include \"../common.cuh\"\n");
    let sources = ["kernels/one/k.cu", "kernels/two/k.cu"];
    let outcome = project.compile(&sources);
    assert_ne!(outcome.units[0].cubin, outcome.units[1].cubin);
    assert_ne!(outcome.units[0].stub, outcome.units[1].stub);
    project.write("kernels/common.cuh", "// changed\n");
    assert_eq!(
        project.reasons(&sources),
        ["kernels/two/k.cu sm_80: kernels/two/../common.cuh changed"]
    );
    // Twice the same file is once; with other flags it cannot be decided.
    let outcome = project.compile(&["kernels/one/k.cu", "kernels/./one/k.cu"]);
    assert_eq!(outcome.units.len(), 1);
    let other = Source {
        path: PathBuf::from("kernels/one/k.cu"),
        flags: vec!["-O1".to_owned()],
    };
    let error = project
        .try_compile(&[Source::from("kernels/one/k.cu"), other])
        .unwrap_err();
    assert!(matches!(error, Error::Twice(_)), "{error}");
}

#[test]
fn a_failure_is_shown_whole_for_every_file_and_leaves_no_result() {
    let mut project = Project::new("failure");
    project.targets = vec!["sm_80", "sm_90"];
    let said = "kernels/x.cu(3): error: identifier \"y\" is undefined\n  int x = y;\n          ^\n\n1 error detected in the compilation of \"kernels/x.cu\".\n";
    project.machine.write("control/stderr", said);
    project.machine.write("control/mode", "fail");
    let outcome = project.compile(&BOTH);
    assert!(outcome.units.is_empty());
    assert_eq!(
        outcome.failures.len(),
        2,
        "both files, each once for both targets"
    );
    for failure in &outcome.failures {
        assert_eq!(failure.targets.len(), 2);
        assert_eq!(failure.cause, Cause::Exit("exit status: 1".to_owned()));
        let text = failure.to_string();
        assert!(text.contains(said.trim_end()), "{text}");
        assert!(
            text.contains("nvcc failed (exit status: 1)") && text.contains("-arch=sm_"),
            "{text}"
        );
        assert_eq!(failure.first_error().unwrap().line, Some(3));
    }
    project.machine.write("control/mode", "");
    project.machine.write("control/stderr", "");
    assert_eq!(project.reasons(&BOTH).len(), 4);
    assert_eq!(project.reasons(&BOTH), NOTHING);
}

#[test]
fn warnings_are_shown_on_every_build() {
    let project = Project::new("warnings");
    project.machine.write(
        "control/stderr",
        "kernels/a.cu(3): warning #177-D: variable \"u\" was declared but never referenced\n",
    );
    let first = project.compile(&["kernels/a.cu"]);
    let second = project.compile(&["kernels/a.cu"]);
    assert!(first.units[0].compiled() && !second.units[0].compiled());
    assert_eq!(first.units[0].messages, second.units[0].messages);
    assert_eq!(first.units[0].messages[0].code.as_deref(), Some("#177-D"));
    assert_eq!(first.units[0].spills["a"].total(), 8);
    assert_eq!(first.units[0].spills, second.units[0].spills);
}

#[test]
fn success_without_a_result_is_a_failure() {
    let project = Project::new("silent");
    project.machine.write("control/mode", "silent");
    let failure = project.failure(&["kernels/a.cu"]);
    assert_eq!(failure.cause, Cause::NoOutput("cubin"));
    assert!(
        failure.to_string().contains("NVCC_APPEND_FLAGS"),
        "{failure}"
    );
}

#[test]
fn a_killed_compiler_leaves_nothing_that_looks_whole() {
    let project = Project::new("half");
    project.machine.write("control/mode", "half");
    let failure = project.failure(&["kernels/a.cu"]);
    let Cause::Exit(status) = &failure.cause else {
        panic!("{failure}")
    };
    assert!(status.contains("signal"), "{status}");
    project.machine.write("control/mode", "");
    assert_eq!(
        project.reasons(&["kernels/a.cu"]),
        ["kernels/a.cu sm_80: there is no earlier result"]
    );
}

#[test]
fn output_that_is_no_text_does_no_harm() {
    let project = Project::new("garbage");
    project.machine.write("control/mode", "garbage");
    let failure = project.failure(&["kernels/a.cu"]);
    assert!(failure.output.contains("garbage"), "{failure}");
}

#[test]
fn a_damaged_result_is_made_again() {
    let project = Project::new("damaged");
    let sources = ["kernels/a.cu"];
    let unit = project.compile(&sources).units.remove(0);
    let stub = unit.stub.clone().unwrap();
    let record = unit.cubin.with_file_name("record.txt");
    let text = fs::read_to_string(&record).unwrap();
    let half: String = text
        .lines()
        .take(4)
        .map(|line| format!("{line}\n"))
        .collect();
    // Same length, other bytes.
    let spoilt = "X".repeat(fs::read(&unit.cubin).unwrap().len());
    for (path, content) in [
        (&unit.cubin, spoilt.as_str()),
        (&stub, ""),
        (&record, ""),
        (&record, &half),
        (&record, "end\n"),
    ] {
        fs::write(path, content).unwrap();
        assert_eq!(project.reasons(&sources).len(), 1, "{}", path.display());
        assert_eq!(project.reasons(&sources), NOTHING);
    }
    for path in [&unit.cubin, &stub, &record] {
        fs::remove_file(path).unwrap();
        assert_eq!(project.reasons(&sources).len(), 1, "{}", path.display());
    }
    let names: Vec<String> = fs::read_dir(unit.cubin.parent().unwrap())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        !names
            .iter()
            .any(|name| name.ends_with(".ii") || name.ends_with(".tmp")),
        "{names:?}"
    );
}

#[test]
fn targets_are_what_was_written_or_refused() {
    let mut project = Project::new("targets");
    project.targets = vec!["sm_80", "sm_35"];
    let error = project
        .try_compile(&[Source::from("kernels/b.cu")])
        .unwrap_err();
    assert_eq!(
        error.to_string().lines().next().unwrap(),
        "nvcc 13.5.37 cannot compile for sm_35; it knows sm_80, sm_90, sm_100"
    );
    for (text, why) in [
        ("native", "may have none"),
        ("all-major", "name the targets"),
        ("compute_90", "write `sm_`"),
        ("sm_90b", "expected for example"),
        ("90", "expected for example"),
        ("", "expected for example"),
    ] {
        let error = compile::target(text).unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn without_a_host_compiler_the_message_says_what_to_install() {
    let mut project = Project::new("host");
    fs::remove_file(project.machine.dir.join("path/gcc")).unwrap();
    let error = project
        .try_compile(&[Source::from("kernels/b.cu")])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("no host C++ compiler found") && error.contains("g++"),
        "{error}"
    );
    assert!(project.machine.calls().is_empty());
    project.variables = vec![("NVCC_CCBIN", "/no/such/gcc")];
    let error = project
        .try_compile(&[Source::from("kernels/b.cu")])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`/no/such/gcc` (NVCC_CCBIN) is not there"),
        "{error}"
    );
    // Another compiler than nvcc's own choice is given to it.
    project.variables.clear();
    let clang = project.machine.link("path/clang++");
    project.compile(&["kernels/b.cu"]);
    let calls = project.machine.calls();
    let call = calls.last().unwrap();
    let at = call.iter().position(|word| word == "-ccbin").unwrap();
    assert_eq!(Path::new(&call[at + 1]), clang);
}

#[test]
fn flags_that_undo_the_build_are_refused() {
    let mut project = Project::new("flags");
    for (flags, part) in [
        (&["-arch=sm_90"][..], "targets are chosen"),
        (
            &["-gencode", "arch=compute_90,code=sm_90"],
            "targets are chosen",
        ),
        (&["-o", "x"], "itself chooses"),
        (&["--keep-dir=x"], "itself chooses"),
        (&["-rdc=true"], "linked"),
        (&["-rdc", "true"], "linked"),
        (&["-optf", "flags.txt"], "write its flags out"),
        (&["--dryrun"], "other than compile"),
        (&["-DX=$(id)"], "'$'"),
    ] {
        project.options.flags = flags.iter().map(|flag| (*flag).to_owned()).collect();
        let error = project
            .try_compile(&[Source::from("kernels/b.cu")])
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{flags:?}: {error}");
    }
    // Values that only look like flags.
    project.options.flags = ["-Xptxas", "-c", "-rdc=false", "-Xcompiler", "-o"]
        .map(str::to_owned)
        .to_vec();
    assert!(project.try_compile(&[Source::from("kernels/b.cu")]).is_ok());
    assert!(
        project
            .machine
            .calls()
            .iter()
            .all(|call| !call.contains(&"-DX=$(id)".to_owned()))
    );
}

#[test]
fn places_that_cannot_be_used_are_named() {
    let mut project = Project::new("places");
    let failure = project.failure(&["kernels/missing.cu"]);
    assert!(
        failure
            .to_string()
            .contains("kernels/missing.cu for sm_80: cannot read the file"),
        "{failure}"
    );
    project.write("kernels/m.cu", "#include \"gone.cuh\"\n");
    let failure = project.failure(&["kernels/m.cu"]);
    assert_eq!(
        failure.first_error().unwrap().text,
        "gone.cuh: No such file or directory"
    );

    project.options.includes = vec![PathBuf::from("no-such-dir")];
    let error = project
        .try_compile(&[Source::from("kernels/b.cu")])
        .unwrap_err();
    assert_eq!(error, Error::IncludeDir(PathBuf::from("no-such-dir")));
    project.options.includes = Vec::new();
    for (name, character) in [("a`b.cu", '`'), ("a$b.cu", '$'), ("a\"b.cu", '"')] {
        let error = project.try_compile(&[Source::from(name)]).unwrap_err();
        assert!(
            matches!(&error, Error::Unusable { character: found, .. } if *found == character),
            "{error}"
        );
    }

    fs::remove_dir_all(project.machine.dir.join("out")).unwrap();
    project
        .machine
        .write("out", "a file where the directory should be");
    let error = project
        .try_compile(&[Source::from("kernels/b.cu")])
        .unwrap_err();
    let Error::OutDir { path, .. } = &error else {
        panic!("{error}")
    };
    assert!(error.to_string().contains(&path.display().to_string()));
}

#[test]
fn ptx_needs_no_host_compiler_and_a_cubin_no_tool() {
    let mut project = Project::new("inputs");
    fs::remove_file(project.machine.dir.join("path/gcc")).unwrap();
    project.write("kernels/p.ptx", ".version 9.2\n");
    project.options.flags = vec!["-Xptxas=-O1,-w".to_owned(), "--use_fast_math".to_owned()];
    let outcome = project.compile(&["kernels/p.ptx"]);
    let unit = &outcome.units[0];
    assert_eq!((&unit.stub, &unit.gpu), (&None, &None));
    assert_eq!(unit.spills["p"].total(), 8);
    let calls = project.machine.calls();
    let call = calls.iter().find(|call| call[0] == "ptxas").unwrap();
    for word in ["-arch=sm_80", "-v", "-O1", "-w", "kernels/p.ptx"] {
        assert!(call.contains(&word.to_owned()), "{word} is not in {call:?}");
    }
    assert_eq!(project.reasons(&["kernels/p.ptx"]), NOTHING);
    project.write("kernels/p.ptx", ".version 9.3\n");
    assert_eq!(
        project.reasons(&["kernels/p.ptx"]),
        ["kernels/p.ptx sm_80: kernels/p.ptx changed"]
    );
    project.machine.calls();

    project.write("kernels/bad.cubin", "not an ELF file");
    let failure = project.failure(&["kernels/bad.cubin"]);
    assert!(failure.to_string().contains("it is no cubin"), "{failure}");
    assert!(project.machine.calls().is_empty());
}

#[test]
fn cargo_is_told_to_watch_everything() {
    let mut project = Project::new("watch");
    project.write("include/i.cuh", "");
    project.options.includes = vec![PathBuf::from("include")];
    project.write("root.cu", "#include \"i.cuh\"\n");
    let sources = [Source::from("kernels/a.cu"), Source::from("root.cu")];
    let targets = [compile::target("sm_80").unwrap()];
    let env = project.machine.env(&[]);
    let root = project.path("");
    let request = Request {
        toolkit: &project.toolkit,
        root: &root,
        out_dir: &root.join("target/out"),
        sources: &sources,
        targets: &targets,
        options: &project.options,
    };
    let outcome = compile::compile(&env, &request).unwrap();
    let watch = compile::watch(&env, &request, &outcome);
    let expected = [
        project.toolkit.nvcc.clone(),
        project.machine.dir.join("path/gcc"),
        PathBuf::from("include"),
        PathBuf::from("include/i.cuh"),
        PathBuf::from("kernels"),
        PathBuf::from("kernels/a.cu"),
        PathBuf::from("kernels/common.cuh"),
        PathBuf::from("root.cu"),
    ];
    // Not the package's own directory, which holds the results: cargo would never be content.
    let mut paths = watch.paths.clone();
    paths.sort();
    let mut expected = expected.to_vec();
    expected.sort();
    assert_eq!(paths, expected);
    for name in [
        "PATH",
        "NVCC_APPEND_FLAGS",
        "NVCC_PREPEND_FLAGS",
        "NVCC_CCBIN",
        "CPATH",
    ] {
        assert!(watch.variables.contains(&name.to_owned()), "{name}");
    }
    assert!(!watch.variables.contains(&"NUM_JOBS".to_owned()));
}

#[test]
fn riddles_of_the_tools_come_with_an_answer() {
    let project = Project::new("riddles");
    project.machine.write("control/mode", "fail");
    for (said, answer) in [
        (
            "host_config.h:186:2: error: #error -- unsupported GNU version! gcc versions later than 16 are not supported!\n",
            "set NVCC_CCBIN to an older one",
        ),
        (
            "gcc: fatal error: cannot execute 'cc1plus': execvp: No such file or directory\n",
            "install g++",
        ),
        (
            "nvcc fatal   : Failed to preprocess host compiler properties.\n",
            "cannot run its host compiler",
        ),
        (
            "k.cu:1:10: fatal error: x.h: No such file or directory\n",
            "`include = [\"dir\"]`",
        ),
        (
            "ptxas k.ptx, line 26; error   : Instruction 'wgmma.fence' not supported on .target 'sm_90'\n",
            "`sm_90a`",
        ),
        (
            "nvcc error   : 'cicc' died due to signal 9 (Kill signal)\n",
            "cargo build -j 1",
        ),
    ] {
        project.machine.write("control/stderr", said);
        let text = project.failure(&["kernels/b.cu"]).to_string();
        assert!(
            text.contains(said.trim_end()) && text.contains(answer),
            "{text}"
        );
    }
}
