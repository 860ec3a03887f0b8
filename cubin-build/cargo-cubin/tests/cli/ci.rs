//! The scripts of `examples/ci`, run as GitHub Actions and GitLab run them.

use std::{fs, path::Path, process::Command};

use cubin_tests::Project;

fn git(dir: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(args)
        .current_dir(dir)
        .output()
        .expect("git starts");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

/// A repository whose working tree has a kernel that is over budget, and was not at the commit that is returned.
fn project(name: &str) -> Option<(Project, String)> {
    let toolkit = cubin_tests::toolkit()?;
    let mut project = Project::new(env!("CARGO_TARGET_TMPDIR"), name, &toolkit);
    project.write(
        "kernels/fill.cu",
        "extern \"C\" __global__ void fill(int *x) { x[threadIdx.x] = 1; }\n",
    );
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\n\n[defaults]\nstatic-shared = 0\n",
    );
    git(&project.dir, &["init", "--quiet"]);
    git(&project.dir, &["add", "."]);
    git(&project.dir, &["commit", "--quiet", "--message", "one"]);
    let base = git(&project.dir, &["rev-parse", "HEAD"]);
    project.write(
        "kernels/fill.cu",
        "extern \"C\" __global__ void fill(int *x) {
    __shared__ volatile int all[64];
    all[threadIdx.x] = 1;
    x[threadIdx.x] = all[63 - threadIdx.x];
}
",
    );
    // `cargo cubin` is the program under test.
    let program = Path::new(crate::PROGRAM).parent().expect("a folder");
    let path = cubin_build::env::Env::process().peek("PATH");
    let mut dirs = vec![program.to_owned()];
    dirs.extend(std::env::split_paths(&path.expect("PATH")));
    project.set("PATH", std::env::join_paths(dirs).expect("folders"));
    Some((project, base))
}

fn example(path: &str) -> String {
    let path = cubin_tests::workspace().join("examples/ci").join(path);
    fs::read_to_string(path).expect("an example")
}

#[test]
fn the_github_action_annotates_and_summarises() {
    let Some((mut project, base)) = project("cli-ci-github") else {
        return;
    };
    let action = example("github/action.yml");
    assert!(action.contains("run: bash \"$GITHUB_ACTION_PATH/check.sh\""));
    let script = cubin_tests::workspace().join("examples/ci/github/check.sh");
    let script = script.to_string_lossy().into_owned();
    // What `env` in action.yml sets, from its inputs.
    for variable in ["CUBIN_BASE: ", "CUBIN_FAIL_ON: ", "CUBIN_SARIF: "] {
        assert!(action.contains(variable), "{variable}");
    }
    let summary = project.dir.join("summary.md");
    project.set("GITHUB_ACTIONS", "true");
    project.set("GITHUB_STEP_SUMMARY", &summary);
    project.set("CUBIN_SARIF", "kernels.sarif");
    project.set("CUBIN_BASE", &base);
    project.set("CUBIN_FAIL_ON", "signature");
    let run = project.run(Path::new("bash"), &[&script]);
    assert_eq!(run.status, Some(1), "{}", run.stderr);
    assert!(
        run.stdout
            .contains("\n::error file=kernels/fill.cu,line=1,"),
        "{}",
        run.stdout
    );
    let text = fs::read_to_string(&summary).expect("the summary");
    assert!(
        text.starts_with("### CUDA kernels: 1 worse\n")
            && text.contains("static shared 0 B → 256 B (+256)"),
        "{text}"
    );
    let sarif = fs::read_to_string(project.dir.join("kernels.sarif")).expect("the findings");
    assert!(sarif.contains("static-shared-over-budget"), "{sarif}");

    // Within its budget it passes, unless the difference itself fails.
    project.write("cubin.toml", "[build]\narch = [\"sm_90\"]\n");
    project.run(Path::new("bash"), &[&script]).succeeds();
    project.set("CUBIN_FAIL_ON", "worse");
    let run = project.run(Path::new("bash"), &[&script]);
    assert_eq!(run.status, Some(1), "{}", run.stdout);
    project.set("CUBIN_BASE", "");
    project.run(Path::new("bash"), &[&script]).succeeds();
}

/// The lines of the block under `script:`, as GitLab hands them to the shell.
fn gitlab_script() -> String {
    let text = example("gitlab-ci.yml");
    let (_, block) = text.split_once("  script:\n    - |\n").expect("the script");
    let lines = block.lines().map_while(|line| line.strip_prefix("      "));
    lines.map(|line| format!("{line}\n")).collect()
}

#[test]
fn the_gitlab_job_writes_its_reports() {
    let Some((mut project, base)) = project("cli-ci-gitlab") else {
        return;
    };
    let script = gitlab_script();
    assert!(script.ends_with("exit \"$status\"\n"), "{script}");
    project.set("CI_MERGE_REQUEST_DIFF_BASE_SHA", &base);
    let run = project.run(Path::new("bash"), &["-c", &script]);
    assert_eq!(run.status, Some(1), "{}", run.stderr);
    let read = |name: &str| fs::read_to_string(project.dir.join(name)).expect("a report");
    let issues: serde_json::Value =
        serde_json::from_str(&read("gl-code-quality-report.json")).expect("JSON");
    assert_eq!(issues[0]["check_name"], "static-shared-over-budget");
    let junit = read("kernels-junit.xml");
    let junit = quick_junit::Report::deserialize_from_str(&junit).expect("JUnit");
    assert_eq!((junit.tests, junit.failures), (1, 1));
    assert!(
        run.stdout.contains("### CUDA kernels: 1 worse"),
        "{}",
        run.stdout
    );
    assert_eq!(
        read("kernels.md").lines().next(),
        Some("### CUDA kernels: 1 worse")
    );

    project.write("cubin.toml", "[build]\narch = [\"sm_90\"]\n");
    project.run(Path::new("bash"), &["-c", &script]).succeeds();
    project.set("CUBIN_FAIL_ON", "worse");
    assert_eq!(
        project.run(Path::new("bash"), &["-c", &script]).status,
        Some(1)
    );
}
