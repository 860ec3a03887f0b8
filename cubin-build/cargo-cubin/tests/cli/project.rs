//! `check` and `baseline` on small crates, built by cargo.

use std::{fs, path::Path};

use cubin_tests::Project;

/// A kernel with 4 * `size` bytes of stack: the array is indexed at run time.
fn sort(size: u32) -> String {
    format!(
        "extern \"C\" __global__ void sort(float *keys) {{
    float local[{size}];
    for (int i = 0; i < {size}; ++i) {{
        float key = keys[i];
        int j = i;
        for (; j > 0 && local[j - 1] > key; --j) local[j] = local[j - 1];
        local[j] = key;
    }}
    for (int i = 0; i < {size}; ++i) keys[i] = local[i];
}}
"
    )
}

const POLICY: &str = "[build]\narch = [\"sm_80\", \"sm_90\"]\n\n[defaults]\nstack = 0\n";

fn project(name: &str) -> Option<Project> {
    let toolkit = cubin_tests::toolkit()?;
    let project = Project::new(env!("CARGO_TARGET_TMPDIR"), name, &toolkit);
    project.write("kernels/sort.cu", &sort(64));
    project.write("cubin.toml", POLICY);
    Some(project)
}

fn cubin(project: &Project, args: &[&str]) -> cubin_tests::Run {
    let all: Vec<&str> = std::iter::once("cubin")
        .chain(args.iter().copied())
        .collect();
    project.run(Path::new(crate::PROGRAM), &all)
}

#[test]
fn check_shows_what_a_build_would_say() {
    let Some(project) = project("cli-check") else {
        return;
    };
    let run = cubin(&project, &["check"]);
    assert_eq!(run.status, Some(1), "{}", run.stderr);
    for part in [
        "cli-check:\n  target   registers  stack spills  shared params  kernel\n",
        "\n  sm_80 ",
        "error[stack-over-budget]: kernel `sort` needs 256 bytes of stack per thread on sm_80 and sm_90, budget is 0 bytes",
        "--> kernels/sort.cu:1:28",
        "2 kernel images checked: 1 error",
    ] {
        assert!(run.stdout.contains(part), "no `{part}` in:\n{}", run.stdout);
    }
    let json = cubin(&project, &["check", "--json"]);
    assert_eq!(json.status, Some(1));
    let lines: Vec<serde_json::Value> = json
        .stdout
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    assert_eq!(lines.len(), 1, "{}", json.stdout);
    assert_eq!(lines[0]["code"], "stack-over-budget");
    assert_eq!(lines[0]["kernel"], "sort");

    project.write("cubin.toml", &POLICY.replace("stack = 0", "stack = 256"));
    let run = cubin(&project, &["check", "-p", "cli-check"]).succeeds();
    assert!(
        run.stdout.contains("2 kernel images checked: 0 errors"),
        "{}",
        run.stdout
    );

    // A build script may handle the result itself.
    project.write("cubin.toml", POLICY);
    project.write(
        "build.rs",
        "fn main() {\n    cubin_build::Builder::new().dir(\"kernels\").try_build().unwrap();\n}\n",
    );
    let run = cubin(&project, &["check"]);
    assert_eq!(run.status, Some(1), "{}", run.stderr);
    assert!(
        run.stdout.contains("2 kernel images checked: 1 error"),
        "{}",
        run.stdout
    );
    // What `unwrap` shows can be read.
    project
        .build()
        .fails()
        .says("--> kernels/sort.cu:1:28")
        .says("error: 1 kernel over budget");

    project.write("build.rs", cubin_tests::BUILD);
    project.write("cubin.toml", &POLICY.replace("stack = 0", "stack = 256"));
    // The report asked for nothing that the next build would miss.
    project.build().succeeds();
    assert_eq!(project.cubins().len(), 2);
}

/// The report has the facts of every kernel in the documented schema, with what only the build knows.
#[test]
fn the_report_has_the_schema_of_inspect() {
    let Some(mut project) = project("cli-report") else {
        return;
    };
    project.write(
        "kernels/say.cu",
        "#include <cstdio>
extern \"C\" __global__ void __cluster_dims__(2, 1, 1) say(int *at) {
    extern __shared__ int shared[];
    shared[threadIdx.x] = *at;
    printf(\"%d\", shared[0]);
}
",
    );
    project.write("cubin.toml", "[build]\narch = [\"sm_90\"]\n");
    let reports = project.dir.join("reports");
    fs::create_dir_all(&reports).expect("a directory");
    project.set("CUBIN_BUILD_REPORT", &reports);
    project.build().succeeds();
    let report = fs::read_dir(&reports)
        .expect("reports")
        .next()
        .expect("a report")
        .expect("an entry");
    let report = fs::read_to_string(report.path()).expect("a report");
    let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
    assert_eq!(report["schema"], 2);
    let kernels = report["kernels"].as_array().expect("kernels");
    assert_eq!(kernels.len(), 2);
    let documented = cubin_tests::schema::documented("Facts of a function");
    for kernel in kernels {
        let keys: Vec<&String> = kernel.as_object().expect("an object").keys().collect();
        assert_eq!(keys, documented.keys().collect::<Vec<_>>());
        assert_eq!(kernel["target"], "sm_90");
        assert_eq!(kernel["spill_bytes"]["source"], "ptxas");
    }
    let named = |name: &str| kernels.iter().find(|kernel| kernel["name"] == name);
    let say = named("say").expect("the kernel `say`");
    assert_eq!(say["externs"], serde_json::json!(["vprintf"]));
    assert_eq!(say["cluster"], serde_json::json!([2, 1, 1]));
    let sort = named("sort").expect("the kernel `sort`");
    assert_eq!(sort["stack"], 256);
    assert_eq!(sort["externs"], serde_json::json!([]));
}

#[test]
fn check_says_why_it_cannot() {
    let Some(project) = project("cli-cannot") else {
        return;
    };
    let run = cubin(&project, &["check", "-p", "nobody"]).fails();
    run.says("error: no package `nobody` in this workspace; it has cli-cannot");
    project.write(
        "kernels/sort.cu",
        "__global__ void f(int *p) { *p = nothing; }\n",
    );
    cubin(&project, &["check"])
        .fails()
        .says("identifier \"nothing\" is undefined")
        .says("the kernels were not all compiled");
    project.write("build.rs", "fn main() {}\n");
    cubin(&project, &["check"])
        .fails()
        .says("no build script of cli-cannot ran cubin_build::Builder");
    let manifest = fs::read_to_string(project.dir.join("Cargo.toml")).unwrap();
    let without = manifest.split("[build-dependencies]").next().unwrap();
    project.write("Cargo.toml", without);
    cubin(&project, &["check"])
        .fails()
        .says("no selected package has `cubin-build` under [build-dependencies]");
    cubin(
        &project,
        &["check", "--manifest-path", "nowhere/Cargo.toml"],
    )
    .fails()
    .says("cannot read the workspace");
}

#[test]
fn a_baseline_lets_only_what_gets_worse_fail() {
    let Some(project) = project("cli-baseline") else {
        return;
    };
    cubin(&project, &["baseline", "write"])
        .fails()
        .says("no cubin.toml here has a [baseline] table");

    let policy = format!("{POLICY}\n[baseline]\nfile = \"baseline.toml\"\n");
    project.write("cubin.toml", &policy);
    project
        .build()
        .fails()
        .says("[baseline-invalid] cannot read the baseline baseline.toml")
        .says("run `cargo cubin baseline write` to make it");

    let run = cubin(&project, &["baseline", "write"]).succeeds();
    assert!(run.stdout.starts_with("wrote "), "{}", run.stdout);
    let first = fs::read_to_string(project.dir.join("baseline.toml")).unwrap();
    assert_eq!(first.matches("stack = 256").count(), 2, "{first}");
    project.build().succeeds();
    let run = cubin(&project, &["baseline", "write"]).succeeds();
    assert!(run.stdout.starts_with("unchanged: "), "{}", run.stdout);
    project.build().succeeds();

    // Worse fails, and says what was recorded.
    project.write("kernels/sort.cu", &sort(80));
    let run = project.build().fails().says("[stack-over-budget]");
    assert!(
        run.stderr.contains("320 bytes") && run.stderr.contains("256"),
        "{}",
        run.stderr
    );

    // Better is a warning until it is written down.
    project.write("kernels/sort.cu", &sort(32));
    let run = project.build().succeeds();
    let lines = run.cargo_lines("warning");
    let [warning, help] = lines.as_slice() else {
        panic!("{lines:?}");
    };
    assert!(warning.contains("[baseline-improved]"), "{warning}");
    assert_eq!(help, "  help: run `cargo cubin baseline write`");
    cubin(&project, &["baseline", "write"]).succeeds();
    let run = project.build().succeeds();
    assert_eq!(run.cargo_lines("warning"), [""; 0]);
    project.write("kernels/sort.cu", &sort(64));
    project.build().fails().says("[stack-over-budget]");

    // A baseline that somebody broke accepts nothing.
    project.write("baseline.toml", "schema = 1\n[[entry]\n");
    project
        .build()
        .fails()
        .says("[baseline-invalid]")
        .says("baseline.toml:2:");
}

#[cfg(unix)]
#[test]
fn a_long_build_says_what_runs_and_how_much_is_left() {
    use std::os::unix::fs::PermissionsExt as _;

    let Some(mut project) = project("cli-progress") else {
        return;
    };
    project.write("cubin.toml", "[build]\narch = [\"sm_80\", \"sm_90\"]\n");
    project.set("CUBIN_BUILD_JOBS", "1");
    cubin(&project, &["check"]).succeeds();

    // Stands before cicc and ptxas.
    project.write("slow.sh", "#!/bin/sh\nsleep 3\nexec \"$@\"\n");
    let slow = project.dir.join("slow.sh");
    fs::set_permissions(&slow, fs::Permissions::from_mode(0o755)).expect("a program");
    project.set("CUBIN_BUILD_LAUNCHER", &slow);
    project.set("CARGO_TERM_PROGRESS_WHEN", "always");
    project.set("CARGO_TERM_PROGRESS_WIDTH", "80");
    project.write("kernels/sort.cu", &sort(32));
    let run = cubin(&project, &["check"]).succeeds();
    // By the times of the first build.
    for part in [
        " of 6 steps done, about ",
        " seconds left; running: ",
        " of kernels/sort.cu for ",
    ] {
        assert!(run.stderr.contains(part), "no `{part}` in:\n{}", run.stderr);
    }
}
