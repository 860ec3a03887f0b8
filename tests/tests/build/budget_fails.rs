//! `examples/budget-fails`: its build fails with the recorded text, and its README tells the truth about the fixes.

use std::{fs, path::Path};

use cubin_tests::{Project, workspace};

/// A copy of the example in a scratch directory.
fn example(name: &str) -> Option<Project> {
    let toolkit = cubin_tests::toolkit()?;
    let tmp = env!("CARGO_TARGET_TMPDIR");
    let dir = Path::new(tmp).join("budget-fails").join(name);
    let _ = fs::remove_dir_all(&dir);
    let source = workspace().join("examples/budget-fails");
    for file in [
        "Cargo.toml",
        "Cargo.lock",
        "build.rs",
        "cubin.toml",
        "kernels/gemm.cu",
        "src/lib.rs",
    ] {
        let to = dir.join(file);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(source.join(file), to).unwrap();
    }
    // Parallel tests share the target directory, so each has a package name of its own.
    let name = format!("budget-fails-{name}");
    let project = Project::at(dir, tmp, &name, &toolkit);
    let manifest = fs::read_to_string(project.dir.join("Cargo.toml")).unwrap();
    let path = format!("{:?}", workspace().join("cubin-build"));
    let manifest = manifest
        .replace("\"../../cubin-build\"", &path)
        .replace("\"budget-fails\"", &format!("{name:?}"));
    project.write("Cargo.toml", &manifest);
    Some(project)
}

fn readme() -> String {
    fs::read_to_string(workspace().join("examples/budget-fails/README.md")).unwrap()
}

/// The contents of the README's blocks in a language, in order.
fn blocks(readme: &str, language: &str) -> Vec<String> {
    let fence = format!("```{language}\n");
    readme
        .split(&fence)
        .skip(1)
        .map(|rest| rest.split("```\n").next().unwrap_or_default().to_owned())
        .collect()
}

/// Applies a unified diff to a file of the project.
fn apply(project: &Project, diff: &str) {
    let path = diff.lines().find_map(|line| line.strip_prefix("+++ b/"));
    let path = project.dir.join(path.expect("the file of the diff"));
    let mut text = fs::read_to_string(&path).unwrap();
    for hunk in diff.split("\n@@ ").skip(1) {
        let lines = || hunk.lines().skip(1);
        let side = |sign: char| -> String {
            lines()
                .filter(|line| line.is_empty() || line.starts_with([' ', sign]))
                .map(|line| format!("{}\n", line.get(1..).unwrap_or_default()))
                .collect()
        };
        let (old, new) = (side('-'), side('+'));
        assert_eq!(text.matches(&old).count(), 1, "{old}\nin\n{text}");
        text = text.replace(&old, &new);
    }
    fs::write(path, text).unwrap();
}

#[test]
fn the_build_fails_with_exactly_the_recorded_text() {
    let Some(project) = example("as-it-is") else {
        return;
    };
    let run = project.build().fails();
    let recorded = workspace().join("examples/budget-fails/expected.txt");
    let shown = run.script_stderr();
    if cubin_build::env::Env::process().peek("BLESS").is_some() {
        fs::write(&recorded, &shown).unwrap();
    }
    assert_eq!(shown, fs::read_to_string(recorded).unwrap());
    assert!(blocks(&readme(), "text").contains(&shown));
    for line in run.cargo_lines("error") {
        assert!(
            readme().contains(&format!("error: budget-fails@0.0.0: {line}\n")),
            "{line}"
        );
    }
    assert_eq!(run.cargo_lines("error").len(), 2);
    assert_eq!(project.generated(), None);
    assert_eq!(project.cubins(), [""; 0]);
}

#[test]
fn the_tempting_fix_breaks_another_budget() {
    let Some(project) = example("tempting") else {
        return;
    };
    let readme = readme();
    apply(&project, &blocks(&readme, "diff")[0]);
    let run = project.build().fails();
    let shown = run.script_stderr();
    assert!(shown.contains(&blocks(&readme, "text")[1]), "{shown}");
    assert!(!shown.contains("registers-over-budget"), "{shown}");
}

#[test]
fn the_fix_builds() {
    let Some(project) = example("fixed") else {
        return;
    };
    let readme = readme();
    let diffs = blocks(&readme, "diff");
    assert_eq!(diffs.len(), 3);
    apply(&project, &diffs[1]);
    project
        .build()
        .fails()
        .says("stack-over-budget")
        .does_not_say("[registers-over-budget]");
    apply(&project, &diffs[2]);
    let run = project.build().succeeds();
    assert_eq!(run.cargo_lines("warning"), [""; 0]);
    assert_eq!(project.cubins(), ["gemm.sm_90.cubin"]);
}
