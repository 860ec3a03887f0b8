//! Findings of a workspace in every format.

use std::{fs, path::Path, process::Command};

use cubin_tests::{Project, Run};
use serde_json::Value;

/// A member of a workspace in a repository, with a kernel that is over budget, one that is not, and a rule that fits none.
fn project(name: &str) -> Option<Project> {
    let toolkit = cubin_tests::toolkit()?;
    let project = Project::new(env!("CARGO_TARGET_TMPDIR"), name, &toolkit);
    fs::create_dir_all(project.dir.join(".git")).expect("a directory");
    project.write(
        "kernels/a b.cu",
        "extern \"C\" __global__ void wide(float *x) {
    __shared__ float values[512];
    values[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = values[511 - threadIdx.x];
}
extern \"C\" __global__ void fill(int *x) { x[threadIdx.x] = 1; }
",
    );
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_80\", \"sm_90\"]\n\n[defaults]\nstatic-shared = 0\n\n[[rule]]\nkernel = \"gone\"\nregisters = 9\n",
    );
    Some(project)
}

fn check(project: &Project, args: &[&str]) -> Run {
    let all: Vec<&str> = ["cubin", "check"]
        .into_iter()
        .chain(args.iter().copied())
        .collect();
    project.run(Path::new(crate::PROGRAM), &all)
}

/// The schema of OASIS, as a crate has it that cargo downloads; nothing of it is built.
fn schema() -> Option<Value> {
    let dir = crate::scratch("sarif-schema");
    fs::create_dir_all(dir.join("src")).expect("a directory");
    fs::write(
        dir.join("Cargo.toml"),
        "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2024\"\n[dependencies]\nserde-sarif = \"=0.8.0\"\n[workspace]\n",
    )
    .expect("a manifest");
    fs::write(dir.join("src/lib.rs"), "").expect("a source");
    let cargo = |args: &[&str]| {
        let output = Command::new(env!("CARGO"))
            .args(args)
            .current_dir(&dir)
            .output();
        output.expect("cargo starts")
    };
    if !cargo(&["fetch", "--offline"]).status.success() && !cargo(&["fetch"]).status.success() {
        assert!(!cubin_tests::required(), "serde-sarif cannot be downloaded");
        return None;
    }
    let metadata = cargo(&["metadata", "--offline", "--format-version=1"]).stdout;
    let metadata: Value = serde_json::from_slice(&metadata).expect("JSON");
    let packages = metadata["packages"].as_array().expect("packages");
    let package = packages
        .iter()
        .find(|package| package["name"] == "serde-sarif");
    let manifest = package.expect("the package")["manifest_path"]
        .as_str()
        .expect("a path");
    let path = Path::new(manifest)
        .with_file_name("src")
        .join("schema.json");
    // As OASIS published it, two patterns have a bracket too many, which is no regular expression.
    let text = fs::read_to_string(path).expect("the schema");
    let (wrong, right) = ("-[a-zA-Z]{2}]?$\"", "-[a-zA-Z]{2}$\"");
    assert_eq!(text.matches(wrong).count(), 2);
    let schema = serde_json::from_str(&text.replace(wrong, right)).expect("JSON");
    Some(schema)
}

#[test]
fn sarif_is_what_its_schema_says() {
    let (Some(project), Some(schema)) = (project("cli-sarif"), schema()) else {
        return;
    };
    let validator = jsonschema::draft7::options()
        .should_validate_formats(true)
        .build(&schema)
        .expect("a schema");
    let run = check(
        &project,
        &["--format", "sarif", "--output", "kernels.sarif"],
    );
    assert_eq!(run.status, Some(1), "{}", run.stderr);
    assert!(
        run.stdout.contains("4 kernel images checked"),
        "{}",
        run.stdout
    );
    let text = fs::read_to_string(project.dir.join("kernels.sarif")).expect("the file");
    let log: Value = serde_json::from_str(&text).expect("JSON");
    let problems: Vec<String> = validator
        .iter_errors(&log)
        .map(|error| error.to_string())
        .collect();
    assert!(problems.is_empty(), "{problems:#?}\n{text}");
    // The schema would see what is wrong.
    let mut wrong = log.clone();
    wrong["runs"][0]["results"][0]["level"] = "deny".into();
    assert!(!validator.is_valid(&wrong));

    let run = &log["runs"][0];
    let results = run["results"].as_array().expect("results");
    let codes: Vec<&str> = results
        .iter()
        .filter_map(|one| one["ruleId"].as_str())
        .collect();
    assert_eq!(codes, ["static-shared-over-budget", "unmatched-rule"]);
    for one in results {
        let index = usize::try_from(one["ruleIndex"].as_u64().expect("an index")).expect("fits");
        assert_eq!(run["tool"]["driver"]["rules"][index]["id"], one["ruleId"]);
    }
    let place = &results[0]["locations"][0];
    assert_eq!(
        place["physicalLocation"]["artifactLocation"]["uri"],
        "kernels/a%20b.cu"
    );
    assert_eq!(place["physicalLocation"]["region"]["startLine"], 1);
    assert_eq!(place["logicalLocations"][0]["fullyQualifiedName"], "wide");
    let related = &results[0]["relatedLocations"][0]["physicalLocation"];
    assert_eq!(related["artifactLocation"]["uri"], "cubin.toml");
    // A finding is the same one when its place moves.
    let first = results[0]["partialFingerprints"].clone();
    let source = fs::read_to_string(project.dir.join("kernels/a b.cu")).expect("the source");
    project.write(
        "kernels/a b.cu",
        &format!("\n\n{}", source.replace("512", "256").replace("511", "255")),
    );
    let run = check(&project, &["--format", "sarif"]);
    let log: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(log["runs"][0]["results"][0]["partialFingerprints"], first);
}

#[test]
fn annotations_code_quality_and_junit() {
    let Some(mut project) = project("cli-formats") else {
        return;
    };
    let github = check(&project, &["--format", "github"]);
    let lines: Vec<&str> = github.stdout.lines().collect();
    let [error, warning] = lines.as_slice() else {
        panic!("{}", github.stdout);
    };
    let start = "::error file=kernels/a b.cu,line=1,endLine=1,col=28,endColumn=32,title=static-shared-over-budget::kernel `wide` uses 2048 bytes (2 KiB) of static shared memory per block on sm_80 and sm_90, budget is 0 bytes%0A";
    assert!(error.starts_with(start), "{error}");
    assert!(
        warning.starts_with("::warning file=cubin.toml,line=8,"),
        "{warning}"
    );

    let gitlab = check(&project, &["--format", "gitlab"]);
    let issues: Vec<Value> = serde_json::from_str(&gitlab.stdout).expect("JSON");
    assert_eq!(issues.len(), 2);
    let mut fingerprints = std::collections::BTreeSet::new();
    for issue in &issues {
        // What GitLab documents as required.
        assert!(issue["description"].is_string() && issue["check_name"].is_string());
        assert!(fingerprints.insert(issue["fingerprint"].as_str().expect("text").to_owned()));
        let severity = issue["severity"].as_str().expect("text");
        assert!(["info", "minor", "major", "critical", "blocker"].contains(&severity));
        assert!(issue["location"]["path"].is_string());
        assert!(issue["location"]["lines"]["begin"].is_u64());
    }
    assert_eq!(issues[0]["location"]["path"], "kernels/a b.cu");

    let junit = check(&project, &["--format", "junit"]);
    let xml = quick_junit::Report::deserialize_from_str(&junit.stdout).expect("JUnit");
    assert_eq!((xml.tests, xml.failures, xml.errors), (3, 1, 0));
    for part in [
        "<testsuite name=\"cli-formats\" tests=\"3\" skipped=\"0\" errors=\"0\" failures=\"1\">",
        "<testcase name=\"fill\" classname=\"cli-formats\"/>",
        "<failure message=\"kernel `wide` uses 2048 bytes (2 KiB)",
        "type=\"static-shared-over-budget\">",
    ] {
        assert!(
            junit.stdout.contains(part),
            "no `{part}` in\n{}",
            junit.stdout
        );
    }

    let json = check(&project, &["--format", "json"]);
    assert_eq!(json.stdout, check(&project, &["--json"]).stdout);
    assert_eq!(json.stdout.lines().count(), 2);

    // On GitHub Actions annotations follow what people read.
    project.set("GITHUB_ACTIONS", "true");
    let both = check(&project, &[]);
    assert!(
        both.stdout
            .contains("4 kernel images checked: 1 error, 1 warning\n::error file="),
        "{}",
        both.stdout
    );
    assert!(!both.stdout.contains('\x1b'));
    let plain = check(&project, &["--format", "human"]);
    assert!(!plain.stdout.contains("::error"), "{}", plain.stdout);
    project.unset("GITHUB_ACTIONS");

    project.set("CLICOLOR_FORCE", "1");
    let coloured = check(&project, &[]);
    assert!(
        coloured.stdout.contains("\x1b[") && coloured.stdout.contains("static-shared-over-budget"),
        "{}",
        coloured.stdout
    );
    project.unset("CLICOLOR_FORCE");
    let run = check(&project, &["-o", "nothing"]).fails();
    run.says("`--output` is for programs");
    assert!(!project.dir.join("nothing").exists());
}
