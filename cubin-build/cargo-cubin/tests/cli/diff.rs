//! `diff`: files, what `inspect` printed, baselines and git revisions against each other.

use std::{collections::BTreeMap, fs, path::Path, process::Command};

use cubin_tests::{Project, recorded};
use serde_json::Value;

use crate::{command, cubin, golden, run, scratch};

const OLD: &str = "cubins/basic-11.7-sm_75.cubin";
const NEW: &str = "cubins/basic-13.5-sm_75.cubin";

fn json(args: &[&str]) -> Value {
    let all: Vec<&str> = ["diff", "--format", "json"]
        .into_iter()
        .chain(args.iter().copied())
        .collect();
    let shown = cubin(&all).ends_with(0);
    serde_json::from_str(&shown.stdout).expect("JSON")
}

fn rows(document: &Value) -> &[Value] {
    document["kernels"].as_array().expect("kernels")
}

#[test]
fn two_toolkits_as_recorded() {
    let table = cubin(&["diff", OLD, NEW]).ends_with(0);
    cubin_tests::tools::same_as_recorded("cli/diff.txt", &table.stdout);
    let markdown = cubin(&["diff", OLD, NEW, "--format", "markdown"]).ends_with(0);
    cubin_tests::tools::same_as_recorded("cli/diff.md", &markdown.stdout);
}

/// Registers, stack and shared memory of each function, as `cuobjdump -res-usage` prints them.
fn cuobjdump(name: &str) -> BTreeMap<String, [u64; 3]> {
    let text = fs::read_to_string(golden().join("res-usage").join(format!("{name}.txt")));
    let text = text.expect("a recording");
    let mut all = BTreeMap::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let Some(symbol) = line.trim().strip_prefix("Function ") else {
            continue;
        };
        let figures = lines.next().expect("figures");
        let figure = |key: &str| {
            let mut words = figures.split_whitespace();
            let text = words
                .find_map(|word| word.strip_prefix(key))
                .expect("a figure");
            // The stack is UNKNOWN where functions recurse.
            text.parse().unwrap_or(u64::MAX)
        };
        let symbol = symbol.trim_end_matches(':').to_owned();
        all.insert(
            symbol,
            [figure("REG:"), figure("STACK:"), figure("SHARED:")],
        );
    }
    all
}

#[test]
fn every_difference_is_one_that_cuobjdump_prints() {
    let (before, after) = (
        cuobjdump("basic-11.7-sm_75.cubin"),
        cuobjdump("basic-13.5-sm_75.cubin"),
    );
    let document = json(&[OLD, NEW]);
    let mut told = 0;
    for row in rows(&document) {
        let Some(symbol) = row["symbol"].as_str() else {
            continue;
        };
        let (Some(before), Some(after)) = (before.get(symbol), after.get(symbol)) else {
            assert!(
                ["new", "gone"].contains(&row["status"].as_str().expect("text")),
                "{row}"
            );
            continue;
        };
        for (figure, at) in [("registers", 0), ("static shared", 2)] {
            let changes = row["changes"].as_array().expect("changes");
            let change = changes.iter().find(|change| change["figure"] == figure);
            let shown = change.map(|change| (change["before"].as_u64(), change["after"].as_u64()));
            let expected = (before[at] != after[at]).then(|| (Some(before[at]), Some(after[at])));
            assert_eq!(shown, expected, "{symbol} {figure}");
            told += usize::from(shown.is_some());
        }
    }
    assert!(told >= 3, "{told}");
    // Nothing that differs is left out.
    let listed = |symbol: &String| rows(&document).iter().any(|row| row["symbol"] == **symbol);
    for (symbol, figures) in &after {
        let kernel_differs = before.get(symbol).is_some_and(|old| old[0] != figures[0]);
        assert!(
            !kernel_differs || listed(symbol) || !is_kernel(symbol),
            "{symbol}"
        );
    }
}

fn is_kernel(symbol: &str) -> bool {
    let shown = cubin(&["inspect", "--json", NEW]).ends_with(0);
    let mut lines = shown
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    lines.any(|line| line["function"] == symbol && line["kernel"] == true)
}

#[test]
fn a_register_cap_is_worse_and_can_fail() {
    let (old, new) = (
        "cubins/basic-13.5-sm_90-lineinfo.cubin",
        "cubins/basic-13.5-sm_90-maxreg32.cubin",
    );
    let document = json(&[old, new]);
    let first = &rows(&document)[0];
    assert_eq!(first["status"], "worse");
    let changes = first["changes"].as_array().expect("changes");
    let lead = changes.iter().find(|change| change["worse"] == true);
    // What costs most leads.
    assert_eq!(lead.expect("a change")["figure"], "spilled bytes");
    cubin(&["diff", old, new, "--fail-on", "worse"]).ends_with(1);
    cubin(&["diff", old, new, "--fail-on", "gone,new,signature"]).ends_with(0);
    cubin(&["diff", old, old, "--fail-on", "any"])
        .ends_with(0)
        .prints("the same\n");
    // What is allowed is neither.
    let args = [
        "diff",
        "--format",
        "json",
        old,
        new,
        "--allow",
        "all=+99999",
    ];
    let allowed: Value = serde_json::from_str(&cubin(&args).ends_with(0).stdout).expect("JSON");
    let row = rows(&allowed)
        .iter()
        .find(|row| row["symbol"] == first["symbol"]);
    assert_eq!(row.expect("the kernel")["status"], "better", "{allowed:#}");
    cubin(&["diff", old, new, "--allow", "register=+2"])
        .ends_with(2)
        .says("no figure `register`");
    // The way back is better.
    let back = json(&[new, old]);
    let row = rows(&back)
        .iter()
        .find(|row| row["symbol"] == first["symbol"]);
    assert_ne!(row.expect("the kernel")["status"], "new");
}

/// The recorded cubin with a symbol of the same length in the place of another.
fn renamed(dir: &Path, to: &str) -> String {
    const NAME: &str = "_Z7dynsmemPfi";
    assert_eq!(to.len(), NAME.len());
    let mut bytes = recorded::file("cubins", "basic-13.5-sm_121a.cubin");
    let places: Vec<usize> = (0..=bytes.len() - NAME.len())
        .filter(|at| bytes[*at..].starts_with(NAME.as_bytes()))
        .collect();
    for at in places {
        bytes[at..at + NAME.len()].copy_from_slice(to.as_bytes());
    }
    let path = dir.join(format!("{to}.cubin"));
    fs::write(&path, bytes).expect("a scratch file");
    path.to_string_lossy().into_owned()
}

#[test]
fn renamed_kernels_and_other_signatures_are_told_from_new_ones() {
    let dir = scratch("diff-renamed");
    let old = "cubins/basic-13.5-sm_121a.cubin";
    let other = renamed(&dir, "_Z7dynsmoxPfi");
    let document = json(&[old, &other]);
    let [row] = rows(&document) else {
        panic!("{document:#}");
    };
    assert_eq!(row["status"], "renamed");
    assert_eq!(row["renamed_from"], "dynsmem(float*, int)");
    assert_eq!(row["name"], "dynsmox(float*, int)");
    cubin(&["diff", old, &other, "--fail-on", "renamed"]).ends_with(1);

    let other = renamed(&dir, "_Z7dynsmemPfj");
    let document = json(&[old, &other]);
    let [row] = rows(&document) else {
        panic!("{document:#}");
    };
    assert_eq!(row["status"], "signature");
    let text = "parameter types: (float*, int) -> (float*, unsigned int)";
    assert_eq!(row["signature"], text);
    cubin(&["diff", old, &other])
        .ends_with(0)
        .prints(text)
        .prints("1 with another signature");
    cubin(&["diff", old, &other, "--fail-on", "signature"]).ends_with(1);
}

#[test]
fn directories_and_what_inspect_printed_are_sides_too() {
    let dir = scratch("diff-sides");
    let lines = run(&mut command(&["inspect", "--json", "--instructions", NEW])).ends_with(0);
    let recorded = dir.join("kernels.jsonl");
    fs::write(&recorded, lines.stdout).expect("a scratch file");
    let recorded = recorded.to_string_lossy().into_owned();
    assert!(rows(&json(&[&recorded, NEW])).is_empty());
    assert_eq!(rows(&json(&[OLD, &recorded])), rows(&json(&[OLD, NEW])));

    let below = dir.join("out/nested");
    fs::create_dir_all(&below).expect("a directory");
    fs::copy(golden().join(NEW), below.join("one.cubin")).expect("a copy");
    // The same cubin once more is no second kernel.
    fs::copy(golden().join(NEW), dir.join("out/two.cubin")).expect("a copy");
    fs::write(dir.join("out/notes.txt"), "none").expect("a file");
    fs::write(dir.join("out/host.o"), "none").expect("a file");
    let out = dir.join("out").to_string_lossy().into_owned();
    let document = json(&[&out, NEW]);
    assert!(rows(&document).is_empty(), "{document:#}");

    fs::write(
        below.join("broken.cubin"),
        &recorded::file("cubins", "basic-13.5-sm_75.cubin")[..2000],
    )
    .expect("a file");
    cubin(&["diff", &out, NEW])
        .ends_with(1)
        .says("broken.cubin");
    cubin(&["diff", OLD, "nothing.cubin"])
        .ends_with(1)
        .says("nothing.cubin");
    cubin(&["diff"]).ends_with(1).says("name OLD and NEW");
    cubin(&["diff", "--rev", "main", OLD])
        .ends_with(1)
        .says("takes no files");

    // A baseline speaks of what it records only.
    let baseline = dir.join("cubin-baseline.toml");
    let symbol = json(&[OLD, NEW]);
    let row = rows(&symbol)
        .iter()
        .find(|row| {
            row["changes"]
                .as_array()
                .expect("changes")
                .iter()
                .any(|change| change["figure"] == "registers")
        })
        .expect("a kernel whose registers differ");
    let name = row["name"].as_str().expect("a name");
    let name = name.strip_prefix("void ").unwrap_or(name);
    let name = &name[..name.rfind('(').expect("parameters")];
    fs::write(
        &baseline,
        format!("format = 1\n[kernel.{name:?}.sm_75]\nregisters = 1\n"),
    )
    .expect("a file");
    let document = json(&[&baseline.to_string_lossy(), NEW]);
    let [row] = rows(&document) else {
        panic!("{document:#}");
    };
    assert_eq!(
        (&row["status"], &row["changes"][0]["before"]),
        (&"worse".into(), &1.into())
    );
}

#[test]
fn a_git_revision_is_built_and_compared() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let project = Project::new(env!("CARGO_TARGET_TMPDIR"), "cli-diff-rev", &toolkit);
    let kernel = |factor: &str| {
        format!("extern \"C\" __global__ void scale(float *x) {{ x[threadIdx.x] *= {factor}; }}\n")
    };
    project.write("kernels/scale.cu", &kernel("2.0f"));
    project.write("cubin.toml", "[build]\narch = [\"sm_90\"]\n");
    let git = |args: &[&str]| {
        let output = Command::new("git")
            .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
            .args(args)
            .current_dir(&project.dir)
            .output()
            .expect("git starts");
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    git(&["init", "--quiet"]);
    git(&["add", "."]);
    git(&["commit", "--quiet", "--message", "one"]);
    let diff = |args: &[&str]| {
        let all: Vec<&str> = ["cubin", "diff"]
            .into_iter()
            .chain(args.iter().copied())
            .collect();
        project.run(Path::new(crate::PROGRAM), &all)
    };
    let same = diff(&["--rev", "HEAD", "--fail-on", "any"]).succeeds();
    assert!(
        same.stdout.contains("-> working tree: 1 the same"),
        "{}",
        same.stdout
    );
    project.write(
        "kernels/scale.cu",
        &kernel("2.0f").replace(
            "{ x",
            "{ __shared__ volatile float s[64]; s[threadIdx.x] = 1; x",
        ),
    );
    let worse = diff(&["--rev", "HEAD", "--fail-on", "worse"]);
    assert_eq!(worse.status, Some(1), "{}", worse.stderr);
    assert!(
        worse.stdout.contains("worse  sm_90  scale\n")
            && worse.stdout.contains("static shared 0 B -> 256 B (+256)"),
        "{}",
        worse.stdout
    );
    // Nothing is left in the repository.
    let output = Command::new("git")
        .args(["worktree", "list"])
        .current_dir(&project.dir)
        .output();
    let list = String::from_utf8_lossy(&output.expect("git starts").stdout).into_owned();
    assert_eq!(list.lines().count(), 1, "{list}");
    let unknown = diff(&["--rev", "--output=x"]);
    assert!(
        !unknown.success && !project.dir.join("x").exists(),
        "{}",
        unknown.stderr
    );
    diff(&["--rev", "nothing"]).fails().says("git rev-parse");
}

#[test]
fn every_kernel_is_recorded_and_held_against_the_record() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let project = Project::new(env!("CARGO_TARGET_TMPDIR"), "cli-record", &toolkit);
    let write = |name: &str, parameter: &str, shared: u32| {
        let text = format!(
            "template <typename T> __global__ void {name}(T *x, {parameter} factor) {{
    __shared__ volatile T all[{shared}];
    all[threadIdx.x] = x[threadIdx.x] * factor;
    x[threadIdx.x] = all[{shared} - 1 - threadIdx.x];
}}
template __global__ void {name}<float>(float *, {parameter});
extern \"C\" __global__ void fill(int *x) {{ x[threadIdx.x] = 1; }}
"
        );
        project.write("kernels/scale.cu", &text);
    };
    write("scale", "float", 64);
    project.write("cubin.toml", "[build]\narch = [\"sm_80\", \"sm_90\"]\n");
    let baseline = |args: &[&str]| {
        let all: Vec<&str> = ["cubin", "baseline"]
            .into_iter()
            .chain(args.iter().copied())
            .collect();
        project.run(Path::new(crate::PROGRAM), &all)
    };
    let file = project.dir.join("cubin-kernels.jsonl");
    baseline(&["check"])
        .fails()
        .says("`cargo cubin baseline record` makes it");
    let run = baseline(&["record", "--allow", "static-shared=+16"]).succeeds();
    assert!(
        run.stdout.ends_with("(4 kernel images)\n"),
        "{}",
        run.stdout
    );
    let recorded = fs::read_to_string(&file).expect("the file");
    let lines: Vec<&str> = recorded.lines().collect();
    assert_eq!(
        lines[0],
        "{\"cubin-kernels\":1,\"allow\":{\"static-shared\":\"+16\"}}"
    );
    assert_eq!(lines.len(), 5);
    assert!(lines[1..].is_sorted(), "{recorded}");
    // Neither symbols nor what differs with every compiler.
    assert!(
        !recorded.contains("_Z") && !recorded.contains("code"),
        "{recorded}"
    );
    let same = baseline(&["check"]).succeeds();
    assert!(same.stdout.ends_with("4 the same\n"), "{}", same.stdout);

    write("scale", "float", 68);
    let within = baseline(&["check"]).succeeds();
    assert!(
        within.stdout.contains("changed  sm_80,sm_90  scale<float>"),
        "{}",
        within.stdout
    );
    write("scale", "float", 96);
    let worse = baseline(&["check"]);
    assert_eq!(worse.status, Some(1), "{}", worse.stderr);
    assert!(
        worse.stdout.contains("worse  sm_80,sm_90  scale<float>"),
        "{}",
        worse.stdout
    );
    assert!(
        worse
            .stdout
            .contains("accept it with `cargo cubin baseline record`")
    );
    write("scale", "float", 32);
    let better = baseline(&["check"]).succeeds();
    assert!(
        better.stdout.contains("so that a step back fails"),
        "{}",
        better.stdout
    );
    // The same size and place, another type.
    write("scale", "int", 64);
    let other = baseline(&["check"]);
    assert_eq!(other.status, Some(1), "{}", other.stdout);
    assert!(
        other.stdout.contains("(float*, float) -> (float*, int)"),
        "{}",
        other.stdout
    );
    write("scale", "double", 64);
    let other = baseline(&["check"]);
    assert_eq!(other.status, Some(1), "{}", other.stdout);
    assert!(
        other.stdout.contains("4 at 8) -> (8 at 0, 8 at 8)"),
        "{}",
        other.stdout
    );
    write("rescale", "float", 64);
    let renamed = baseline(&["check"]).succeeds();
    assert!(
        renamed
            .stdout
            .contains("renamed  sm_80,sm_90  rescale<float>\n"),
        "{}",
        renamed.stdout
    );
    assert!(
        renamed.stdout.contains("was scale<float>"),
        "{}",
        renamed.stdout
    );
    // What was allowed stays.
    baseline(&["record"]).succeeds();
    let again = fs::read_to_string(&file).expect("the file");
    assert!(again.starts_with(lines[0]), "{again}");

    fs::write(&file, format!("{}\n<<<<<<< HEAD\n", lines[0])).expect("a file");
    baseline(&["check"])
        .fails()
        .says("line 2 is the mark of a merge conflict");
}
