//! The compile step with fake tools: what is run and when, and how every change is seen.

use std::{fs, path::PathBuf};

use cubin_build::compile::{self, CompileRequest, Error, Source};

use crate::{BOTH, NOTHING, project};

/// The fakes' nvcc does not say what it would run, so it compiles each source as a whole.
fn is_compile(call: &[String]) -> bool {
    let has = |word: &str| call.iter().any(|given| given == word);
    has("--keep") && !has("--dryrun")
}

#[test]
fn nvcc_gets_what_was_asked_for_and_nothing_else() {
    let mut project = project("arguments");
    project.targets = vec!["sm_90a", "sm_90"];
    project.write("include, x/i.cuh", "");
    project.options.includes = vec![PathBuf::from("include, x"), PathBuf::from("kernels")];
    project.options.defines = vec![
        ("N".to_owned(), Some("1".to_owned())),
        ("F(a,b)".to_owned(), None),
    ];
    project.options.flags = vec!["--use_fast_math".to_owned()];
    let source = Source {
        flags: vec!["-maxrregcount=32".to_owned()],
        ..Source::cuda("kernels/a.cu")
    };
    let outcome = project.try_compile(&[source]).unwrap();
    assert_eq!(outcome.units.len(), 2);
    let calls = project.machine.calls();
    let compiles: Vec<_> = calls.iter().filter(|call| is_compile(call)).collect();
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
fn a_source_has_targets_and_options_of_its_own() {
    let mut project = project("own");
    project.targets = vec!["sm_80"];
    let [hopper, newer] = ["sm_90a", "sm_100a"].map(|name| compile::target(name).unwrap());
    project.write("hopper/tma.cuh", "");
    project.options.flags = vec!["-G".to_owned()];
    project.options.includes = vec![PathBuf::from("kernels")];
    project.options.target_flags = vec![(hopper, vec!["-DHOPPER".to_owned()])];
    let own = Source {
        flags: vec!["-lineinfo".to_owned()],
        std: Some("c++20".to_owned()),
        includes: vec![PathBuf::from("hopper")],
        targets: Some(vec![hopper, newer]),
        ..Source::cuda("kernels/a.cu")
    };
    let outcome = project
        .try_compile(&[own, Source::cuda("kernels/b.cu")])
        .unwrap();
    let mut units: Vec<String> = outcome
        .units
        .iter()
        .map(|unit| format!("{} {}", unit.source.display(), unit.target))
        .collect();
    units.sort();
    let expected = [
        "kernels/a.cu sm_100a",
        "kernels/a.cu sm_90a",
        "kernels/b.cu sm_80",
    ];
    assert_eq!(units, expected);
    let calls = project.machine.calls();
    let words = |target: &str| -> Vec<String> {
        let target = format!("-arch={target}");
        let mut compiles = calls.iter().filter(|call| is_compile(call));
        let call = compiles.find(|call| call.contains(&target)).unwrap();
        let own = ["-std=", "-G", "-D", "-l", "-I"];
        let ours = |word: &&String| own.iter().any(|start| word.starts_with(start));
        let words = call.iter().filter(ours).cloned();
        words.filter(|word| !word.contains("NAMESPACE")).collect()
    };
    assert_eq!(
        words("sm_90a"),
        [
            "-std=c++20",
            "-G",
            "-DHOPPER",
            "-lineinfo",
            "-Ihopper",
            "-Ikernels"
        ]
    );
    assert_eq!(
        words("sm_100a"),
        ["-std=c++20", "-G", "-lineinfo", "-Ihopper", "-Ikernels"]
    );
    assert_eq!(words("sm_80"), ["-std=c++17", "-G", "-Ikernels"]);
}

#[test]
fn unchanged_input_starts_no_program() {
    let mut project = project("unchanged");
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
    let mut project = project("changes");
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
    let mut project = project("shadow");
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
    let project = project("stems");
    project.write("kernels/one/k.cu", "");
    project.write("kernels/two/k.cu", "#include \"../common.cuh\"\n");
    let sources = ["kernels/one/k.cu", "kernels/two/k.cu"];
    let outcome = project.compile(&sources);
    assert_ne!(outcome.units[0].cubin, outcome.units[1].cubin);
    assert_ne!(outcome.units[0].side_files, outcome.units[1].side_files);
    project.write("kernels/common.cuh", "// changed\n");
    assert_eq!(
        project.reasons(&sources),
        ["kernels/two/k.cu sm_80: kernels/two/../common.cuh changed"]
    );
    // Twice the same file is once; with other flags it cannot be decided.
    let outcome = project.compile(&["kernels/one/k.cu", "kernels/./one/k.cu"]);
    assert_eq!(outcome.units.len(), 1);
    let other = Source {
        flags: vec!["-O1".to_owned()],
        ..Source::cuda("kernels/one/k.cu")
    };
    let error = project
        .try_compile(&[Source::cuda("kernels/one/k.cu"), other])
        .unwrap_err();
    assert!(matches!(error, Error::Twice(_)), "{error}");
}

#[test]
fn warnings_are_shown_on_every_build() {
    let project = project("warnings");
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
fn a_damaged_result_is_made_again() {
    let project = project("damaged");
    let sources = ["kernels/a.cu"];
    let unit = project.compile(&sources).units.remove(0);
    let stub = unit.side_files.clone().unwrap().stub;
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
fn ptx_needs_no_host_compiler() {
    let mut project = project("inputs");
    fs::remove_file(project.machine.dir.join("path/gcc")).unwrap();
    project.write("kernels/p.ptx", ".version 9.2\n");
    project.options.flags = vec!["-Xptxas=-O1,-w".to_owned(), "--use_fast_math".to_owned()];
    let outcome = project.compile(&["kernels/p.ptx"]);
    let unit = &outcome.units[0];
    assert_eq!(unit.side_files, None);
    assert_eq!(unit.ptx, project.path("kernels/p.ptx"));
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
}

#[test]
fn cargo_is_told_to_watch_everything() {
    let mut project = project("watch");
    project.write("include/i.cuh", "");
    project.options.includes = vec![PathBuf::from("include")];
    project.write("root.cu", "#include \"i.cuh\"\n");
    let sources = [Source::cuda("kernels/a.cu"), Source::cuda("root.cu")];
    let targets = [compile::target("sm_80").unwrap()];
    let env = project.machine.env(&[]);
    let root = project.path("");
    let request = CompileRequest {
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
        project.toolkit.nvcc.with_file_name("nvcc.profile"),
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
        "NVCC_APPEND_FLAGS",
        "NVCC_PREPEND_FLAGS",
        "NVCC_CCBIN",
        "CPATH",
    ] {
        assert!(watch.variables.contains(&name.to_owned()), "{name}");
    }
    // The toolkit is named: another PATH must not compile anew for the editor what the terminal has.
    for name in ["PATH", "NUM_JOBS"] {
        assert!(!watch.variables.contains(&name.to_owned()), "{name}");
    }
}

#[test]
fn a_header_edited_while_the_compiler_runs_is_not_trusted() {
    let project = project("meanwhile");
    project.machine.write("control/edit", "kernels/common.cuh");
    project.reasons(&["kernels/a.cu"]);
    fs::remove_file(project.machine.dir.join("control/edit")).unwrap();
    // Whether the compiler read it before or after cannot be known.
    assert_eq!(
        project.reasons(&["kernels/a.cu"]),
        ["kernels/a.cu sm_80: kernels/common.cuh changed"]
    );
    assert_eq!(project.reasons(&["kernels/a.cu"]), NOTHING);
}
