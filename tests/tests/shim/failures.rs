//! The compile step with fake tools: what comes of every way to fail.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cubin_build::compile::{self, Cause, Error, Source};

use crate::{BOTH, NOTHING, project};

#[test]
fn a_failure_is_shown_whole_for_every_file_and_leaves_no_result() {
    let mut project = project("failure");
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
        let Cause::Exit(status) = failure.cause else {
            panic!("{failure}")
        };
        assert_eq!(status.code(), Some(1));
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
fn success_without_a_result_is_a_failure() {
    let project = project("silent");
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
    let project = project("half");
    project.machine.write("control/mode", "half");
    let failure = project.failure(&["kernels/a.cu"]);
    let Cause::Exit(status) = &failure.cause else {
        panic!("{failure}")
    };
    assert_eq!(status.code(), None, "{status}");
    project.machine.write("control/mode", "");
    assert_eq!(
        project.reasons(&["kernels/a.cu"]),
        ["kernels/a.cu sm_80: there is no earlier result"]
    );
}

#[test]
fn a_compiler_that_hangs_is_ended_when_its_time_is_over() {
    let mut project = project("hang");
    project.machine.write("control/stderr", "said before\n");
    project.machine.write("control/mode", "hang");
    project.variables = vec![("CUBIN_BUILD_TIMEOUT", "1")];
    let start = std::time::Instant::now();
    let failure = project.failure(&["kernels/a.cu"]);
    assert!(start.elapsed().as_secs() < 300);
    assert_eq!(
        failure.headline(),
        "kernels/a.cu for sm_80: nvcc was ended after 1 second"
    );
    assert_eq!(failure.output, "said before");
    let help = failure.help().unwrap();
    assert!(help.contains("CUBIN_BUILD_TIMEOUT"), "{help}");
    project.machine.write("control/mode", "");
    project.variables.clear();
    assert_eq!(
        project.reasons(&["kernels/a.cu"]),
        ["kernels/a.cu sm_80: there is no earlier result"]
    );
}

#[test]
fn a_compiler_that_prints_without_end_takes_bounded_memory() {
    let project = project("flood");
    project.machine.write("control/mode", "flood");
    let outcome = project.compile(&["kernels/a.cu"]);
    let unit = &outcome.units[0];
    assert_eq!(unit.spills.get("a").map(|spills| spills.stores), Some(4));
    let log = fs::metadata(unit.cubin.with_file_name("log.txt")).unwrap();
    assert!((10_000_000..20_000_000).contains(&log.len()), "{log:?}");
}

#[test]
fn a_compiler_that_was_killed_is_known_by_the_status_of_its_shell() {
    let project = project("137");
    project.machine.write("control/mode", "137");
    let failure = project.failure(&["kernels/a.cu"]);
    let help = failure.help().unwrap();
    assert!(
        help.contains("memory") && help.contains("cargo build -j 1"),
        "{help}"
    );
}

#[test]
fn output_that_is_no_text_does_no_harm() {
    let project = project("garbage");
    project.machine.write("control/mode", "garbage");
    let failure = project.failure(&["kernels/a.cu"]);
    assert!(failure.output.contains("garbage"), "{failure}");
}

#[test]
fn targets_are_what_was_written_or_refused() {
    let mut project = project("targets");
    project.targets = vec!["sm_80", "sm_35"];
    let error = project
        .try_compile(&[Source::cuda("kernels/b.cu")])
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
    let mut project = project("host");
    fs::remove_file(project.machine.dir.join("path/gcc")).unwrap();
    let error = project
        .try_compile(&[Source::cuda("kernels/b.cu")])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("no host C++ compiler found") && error.contains("g++"),
        "{error}"
    );
    assert!(project.machine.calls().is_empty());
    project.variables = vec![("NVCC_CCBIN", "/no/such/gcc")];
    let error = project
        .try_compile(&[Source::cuda("kernels/b.cu")])
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("`/no/such/gcc` (NVCC_CCBIN) is not there"),
        "{error}"
    );
    // What the environment already tells nvcc is not told again.
    for flags in [
        "-G -ccbin=conda-c++",
        "--compiler-bindir conda-c++",
        "-ccbin /not/readable/here",
    ] {
        project.machine.link("path/conda-c++");
        project.variables = vec![("NVCC_PREPEND_FLAGS", flags)];
        let outcome = project.compile(&["kernels/b.cu"]);
        assert_eq!(outcome.units.len(), 1, "{flags}");
        let calls = project.machine.calls();
        assert!(!calls.concat().contains(&"-ccbin".to_owned()), "{flags}");
    }
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
    let mut project = project("flags");
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
            .try_compile(&[Source::cuda("kernels/b.cu")])
            .unwrap_err()
            .to_string();
        assert!(error.contains(part), "{flags:?}: {error}");
    }
    // Values that only look like flags.
    project.options.flags = ["-Xptxas", "-c", "-rdc=false", "-Xcompiler", "-o"]
        .map(str::to_owned)
        .to_vec();
    assert!(project.try_compile(&[Source::cuda("kernels/b.cu")]).is_ok());
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
    let mut project = project("places");
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
        .try_compile(&[Source::cuda("kernels/b.cu")])
        .unwrap_err();
    assert_eq!(error, Error::IncludeDir(PathBuf::from("no-such-dir")));
    project.options.includes = Vec::new();
    for (name, character) in [("a`b.cu", '`'), ("a$b.cu", '$'), ("a\"b.cu", '"')] {
        let error = project.try_compile(&[Source::cuda(name)]).unwrap_err();
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
        .try_compile(&[Source::cuda("kernels/b.cu")])
        .unwrap_err();
    let Error::OutDir { path, .. } = &error else {
        panic!("{error}")
    };
    assert!(error.to_string().contains(&path.display().to_string()));
}

#[test]
fn riddles_of_the_tools_come_with_an_answer() {
    let project = project("riddles");
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
