//! What the policy does to a build: errors fail it, warnings do not, and nothing is half done.

use std::fs;

use crate::{FILL, project};

/// 256 bytes of stack: the array is indexed at run time.
const SORT: &str = "\
extern \"C\" __global__ void sort(float *keys) {
    float local[64];
    for (int i = 0; i < 64; ++i) {
        float key = keys[i];
        int j = i;
        for (; j > 0 && local[j - 1] > key; --j) local[j] = local[j - 1];
        local[j] = key;
    }
    for (int i = 0; i < 64; ++i) keys[i] = local[i];
}
";
const TILE: &str = "\
__global__ void tile(float *p) {
    __shared__ float values[512];
    values[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = values[511 - threadIdx.x];
}
";

fn policy(rest: &str) -> String {
    format!("[build]\narch = [\"sm_90\"]\n\n{rest}")
}

const NOTHING: [&str; 0] = [];

#[test]
fn every_broken_budget_is_shown_and_nothing_is_written() {
    let Some(project) = project("broken") else {
        return;
    };
    project.write("kernels/sort.cu", SORT);
    project.write("kernels/tile.cu", TILE);
    project.write(
        "cubin.toml",
        &policy("[defaults]\nstack = 0\nstatic-shared = \"1 KiB\"\nparams = 8\n"),
    );
    let run = project.build().fails();
    assert_eq!(
        run.cargo_lines("error"),
        [
            "kernels/fill.cu:1:28: [params-over-budget] kernel `fill` takes 12 bytes of parameters on sm_90, budget is 8 bytes",
            "kernels/sort.cu:1:28: [stack-over-budget] kernel `sort` needs 256 bytes of stack per thread on sm_90, budget is 0 bytes",
            "kernels/tile.cu:1:17: [static-shared-over-budget] kernel `tile` uses 2048 bytes (2 KiB) of static shared memory per block on sm_90, budget is 1024 bytes (1 KiB)",
        ]
    );
    let shown = run.script_stderr();
    for part in [
        "--> kernels/sort.cu:1:28",
        "::: cubin.toml:5:9",
        "budget set here, from [defaults]",
        "error: 3 kernels over budget",
    ] {
        assert!(shown.contains(part), "no `{part}` in:\n{shown}");
    }
    assert_eq!(project.generated(), None);
    assert_eq!(project.cubins(), NOTHING);

    // Within the budgets it builds, and breaking one again takes nothing of the last good state away.
    project.write(
        "cubin.toml",
        &policy("[defaults]\nstack = 256\nstatic-shared = \"2 KiB\"\nparams = 16\n"),
    );
    project.build().succeeds();
    let good = project.generated();
    assert!(good.is_some());
    project.write("cubin.toml", &policy("[defaults]\nstack = 255\n"));
    project.build().fails().says("[stack-over-budget]");
    assert_eq!(project.generated(), good);
}

#[test]
fn the_level_decides_what_a_violation_does() {
    let Some(project) = project("levels") else {
        return;
    };
    project.write("kernels/sort.cu", SORT);
    let rule = |level: &str| {
        policy(&format!(
            "[defaults]\nstack = 0\n\n[[rule]]\nkernel = \"sort\"\nlevel = \"{level}\"\nreason = \"small inputs only\"\n"
        ))
    };
    project.write("cubin.toml", &rule("warn"));
    let run = project.build().succeeds();
    assert_eq!(
        run.cargo_lines("warning"),
        [
            "kernels/sort.cu:1:28: [stack-over-budget] kernel `sort` needs 256 bytes of stack per thread on sm_90, budget is 0 bytes"
        ]
    );
    // Cargo keeps the warnings of a fresh script and shows them again.
    let again = project.build().succeeds().says("Fresh levels");
    assert_eq!(again.cargo_lines("warning"), run.cargo_lines("warning"));

    project.write("cubin.toml", &rule("allow"));
    let run = project.build().succeeds();
    assert_eq!(run.cargo_lines("warning"), NOTHING);
    project.write("cubin.toml", &rule("deny"));
    project.build().fails().says("[stack-over-budget]");
}

#[test]
fn a_rule_that_matches_nothing_is_a_warning() {
    let Some(project) = project("unmatched") else {
        return;
    };
    project.write(
        "cubin.toml",
        &policy("[[rule]]\nkernel = \"fil\"\nregisters = 40\nreason = \"fast\"\n"),
    );
    let run = project.build().succeeds();
    let lines = run.cargo_lines("warning");
    let [line, help] = lines.as_slice() else {
        panic!("{lines:?}");
    };
    assert!(
        line.starts_with("cubin.toml:5:10: [unmatched-rule] no kernel matches `fil`"),
        "{line}"
    );
    assert_eq!(help, "  help: did you mean `fill`?");
}

#[test]
fn a_malformed_policy_is_shown_with_its_places_before_anything_runs() {
    let Some(mut project) = project("malformed") else {
        return;
    };
    // Would be an error of its own if it were looked for.
    project.set("CUBIN_BUILD_TOOLKIT", "/nowhere");
    project.write(
        "cubin.toml",
        &policy("[defaults]\nregister = 64\nstack = -1\n\n[[rule]]\nkernel = \"sort\"\nlevel = \"deni\"\n"),
    );
    let run = project.build().fails().does_not_say("/nowhere");
    let lines = run.cargo_lines("error");
    let starts = |text: &str| lines.iter().any(|line| line.starts_with(text));
    assert!(starts("cubin.toml:5:1: [unknown-key]"), "{lines:?}");
    assert!(starts("cubin.toml:6:9: [policy-invalid]"), "{lines:?}");
    assert!(starts("cubin.toml:10:9: [policy-invalid]"), "{lines:?}");
    run.says("help: did you mean `registers`?")
        .says("help: it is one of \"allow\", \"warn\", \"deny\"");

    project.write("cubin.toml", "[build\narch = 1\n");
    project
        .build()
        .fails()
        .says("cubin.toml:1:7: [config-syntax]");
}

#[test]
fn a_policy_may_lie_elsewhere_and_its_paths_start_there() {
    let Some(project) = project("elsewhere") else {
        return;
    };
    project.write(
        "build.rs",
        "fn main() {\n    cubin_build::Builder::new().config(\"conf/policy.toml\").dir(\"kernels\").build();\n}\n",
    );
    fs::remove_file(project.dir.join("cubin.toml")).unwrap();
    project
        .build()
        .fails()
        .says("conf/policy.toml")
        .says("[io-error]");
    project.write("conf/policy.toml", &policy("[defaults]\nparams = 4\n"));
    project
        .build()
        .fails()
        .says("kernels/fill.cu:1:28: [params-over-budget]")
        .says("::: conf/policy.toml:5:10");
}

#[test]
fn kernels_of_some_targets_only_are_judged_where_they_are() {
    let Some(project) = project("some-targets") else {
        return;
    };
    let source = format!(
        "{FILL}#if __CUDA_ARCH__ >= 900 || !defined(__CUDA_ARCH__)\n\
         extern \"C\" __global__ void late(int *p) {{ p[0] = 1; }}\n#endif\n"
    );
    project.write("kernels/fill.cu", &source);
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_80\", \"sm_90\"]\n\n[defaults]\nparams = 12\n",
    );
    let run = project.build().succeeds();
    assert_eq!(run.cargo_lines("warning"), NOTHING);
    // The wrapper is there, and its facts name the target that has the kernel.
    let generated = project.generated().unwrap();
    let late = generated.split("/// Kernel `late`").nth(1).unwrap();
    let targets: Vec<&str> = late
        .lines()
        .take_while(|line| !line.contains("# Safety"))
        .filter(|line| line.contains("- `sm_"))
        .collect();
    assert!(
        targets.len() == 1 && targets[0].contains("- `sm_90`: "),
        "{targets:?}"
    );

    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_80\", \"sm_90\"]\n\n[defaults]\nparams = 4\n",
    );
    let run = project.build().fails();
    assert_eq!(
        run.cargo_lines("error"),
        [
            "kernels/fill.cu:1:28: [params-over-budget] kernel `fill` takes 12 bytes of parameters on sm_80 and sm_90, budget is 4 bytes",
            "kernels/fill.cu:3:28: [params-over-budget] kernel `late` takes 8 bytes of parameters on sm_90, budget is 4 bytes",
        ]
    );
}

/// Five instances with lambdas, whose captures Rust cannot name.
const LAMBDAS: &str = "\
template <class F> __global__ void each(int *p, F f) { p[threadIdx.x] = f(p[threadIdx.x]); }
template <int N> void launch(int *p, int n) { each<<<1, 32>>>(p, [=] __device__(int x) { return x + N * n; }); }
void all(int *p, int n) { launch<1>(p, n); launch<2>(p, n); launch<3>(p, n); launch<4>(p, n); launch<5>(p, n); }
";

#[test]
fn kernels_without_a_wrapper_are_one_finding_per_template_and_a_rule_can_accept_them() {
    let Some(project) = project("lambdas") else {
        return;
    };
    project.write("kernels/each.cu", LAMBDAS);
    let toml = |rest: &str| {
        let text = "[build]\narch = [\"sm_90\"]\nflags = [\"--extended-lambda\"]\n";
        project.write("cubin.toml", &format!("{text}{rest}"));
    };
    toml("");
    let warnings = project.build().succeeds().cargo_lines("warning");
    let [warning, help] = warnings.as_slice() else {
        panic!("{warnings:?}");
    };
    assert!(
        warning.starts_with("kernels/each.cu:1:36: [kernel-refused] no launch wrapper for 5 instances of `each` in kernels/each.cu: "),
        "{warning}"
    );
    assert_eq!(help, "  help: use a struct at namespace scope");
    let generated = project.generated().expect("a generated file");
    assert_eq!(generated.matches("- `each<").count(), 5, "each is listed");

    toml("[[rule]]\nkernel = \"each<*>\"\nlevel = \"allow\"\n");
    project.build().succeeds().does_not_say("warning");
    toml("[[rule]]\nkernel = \"each<*>\"\nlevel = \"deny\"\n");
    project.build().fails().says("[kernel-refused]");
    // A rule about budgets says nothing of wrappers.
    toml("[[rule]]\nkernel = \"each<*>\"\nstack = 0\nlevel = \"allow\"\n");
    project.build().succeeds().says("[kernel-refused]");
}

#[test]
fn an_editor_gets_wrappers_and_warnings_where_ci_gets_errors() {
    let Some(mut project) = project("softened") else {
        return;
    };
    project.write("kernels/sort.cu", SORT);
    project.write("cubin.toml", &policy("[defaults]\nstack = 0\nparams = 8\n"));
    project.build().fails();
    assert_eq!(project.generated(), None);

    project.set("CUBIN_BUILD_POLICY", "warn");
    let run = project.build().succeeds();
    let shown = run.cargo_lines("warning").join("\n");
    assert!(shown.contains("[stack-over-budget]"), "{shown}");
    assert!(shown.contains("[params-over-budget]"), "{shown}");
    let generated = project.generated().expect("wrappers are written");
    assert!(generated.contains("fn sort"), "{generated}");

    // In the file, for everybody who works on the crate; the environment takes it back.
    project.unset("CUBIN_BUILD_POLICY");
    project.write(
        "cubin.toml",
        &policy("[defaults]\nstack = 0\n[policy]\nlevel = \"warn\"\n"),
    );
    project.build().succeeds().says("[stack-over-budget]");
    project.set("CUBIN_BUILD_POLICY", "deny");
    project.build().fails().says("[stack-over-budget]");

    project.set("CUBIN_BUILD_POLICY", "off");
    let shown = project.build().fails().script_stderr();
    for part in [
        "error[environment-invalid]: `off` is not a level of the policy",
        "CUBIN_BUILD_POLICY",
        "`warn`: violations are warnings",
    ] {
        assert!(shown.contains(part), "no `{part}` in {shown}");
    }
}

/// Two kernels; `pass` takes a record with records in it.
fn interface(project: &cubin_tests::Project, members: &str, fill: &str) {
    project.write(
        "kernels/fill.cu",
        &format!(
            "struct Inner {{ {members} }};\nstruct Params {{ Inner inner[2]; long long n; }};\n\
             __global__ void fill({fill}) {{ p[threadIdx.x] = 1; }}\n\
             __global__ void pass(Params params, float *__restrict__ p) {{ p[params.n] = 2.0f; }}\n"
        ),
    );
}

/// What a kernel takes, locked in the baseline: a change of the interface fails the build, one of names does not.
#[test]
fn other_parameters_than_the_baseline_locks_fail() {
    let Some(mut project) = crate::project("locked") else {
        return;
    };
    interface(&project, "int a; float b;", "int *p, int value");
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_80\", \"sm_90\"]\n\n[baseline]\nfile = \"locks.toml\"\nsignatures = true\n",
    );
    let recorded = |project: &mut cubin_tests::Project| {
        // What `cargo cubin baseline write` writes.
        let dir = project.dir.join("report");
        fs::create_dir_all(&dir).expect("a directory");
        project.set("CUBIN_BUILD_REPORT", &dir);
        project.build().succeeds();
        project.unset("CUBIN_BUILD_REPORT");
        let report = fs::read_to_string(dir.join("locked-kernels.rs.json")).expect("a report");
        let report: serde_json::Value = serde_json::from_str(&report).expect("JSON");
        let text = report["baseline"]["text"]
            .as_str()
            .expect("the text")
            .to_owned();
        project.write("locks.toml", &text);
        text
    };
    let text = recorded(&mut project);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines.contains(&"\"fill\" = \"(int *, int)\""), "{text}");
    assert!(
        text.contains("\"pass\" = \"(Params [24 bytes, layout "),
        "{text}"
    );
    project.build().succeeds().does_not_say("warning");

    // Names and promises are no part of it.
    interface(
        &project,
        "int first; float second;",
        "int *__restrict__ p, int count",
    );
    project.build().succeeds();
    // The same size, other members in its places, two records deep.
    interface(&project, "float b; int a;", "int *p, int value");
    project
        .build()
        .fails()
        .says("[signature-changed] kernel `pass` takes other parameters than the baseline records")
        .says("a record among them has another layout")
        .does_not_say("kernel `fill`");
    interface(&project, "int a; float b;", "int *p, unsigned value");
    project
        .build()
        .fails()
        .says("[signature-changed] kernel `fill` takes other parameters than the baseline records")
        .says("takes (int *, unsigned int)")
        .says("took (int *, int)");
    project.set("CUBIN_BUILD_POLICY", "warn");
    project.build().succeeds().says("[signature-changed]");
    project.unset("CUBIN_BUILD_POLICY");
    let text = recorded(&mut project);
    assert!(
        text.contains("\"fill\" = \"(int *, unsigned int)\""),
        "{text}"
    );
    project.build().succeeds().does_not_say("warning");
}
