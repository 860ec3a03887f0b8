//! `policy`: what each rule decides, and why; what `check` says of rules that decide nothing or have expired.

use std::path::Path;

use cubin_tests::Project;

const POLICY: &str = "[build]
arch = [\"sm_80\", \"sm_90\"]

[defaults]
registers = 200

[[rule]]
kernel = \"scale<*>\"
registers = 100
reason = \"it is short\"

[[rule]]
kernel = \"scale<float>\"
arch = \"sm_9*\"
registers = 90
stack = 0
expires = \"2027-01-31\"

[[rule]]
kernel = \"scale<floa?>\"
registers = 80

[[rule]]
kernel = \"scale<float>\"
registers = 120
";

#[test]
fn rules_that_decide_nothing_or_have_expired_are_told() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let project = Project::new(env!("CARGO_TARGET_TMPDIR"), "cli-policy", &toolkit);
    project.write(
        "kernels/scale.cu",
        "template <typename T> __global__ void scale(T *x) { x[threadIdx.x] *= 2; }
template __global__ void scale<float>(float *);
template __global__ void scale<int>(int *);
extern \"C\" __global__ void fill(int *x) { x[threadIdx.x] = 1; }
",
    );
    project.write("cubin.toml", POLICY);
    let policy = |args: &[&str]| {
        let all: Vec<&str> = ["cubin", "policy"]
            .into_iter()
            .chain(args.iter().copied())
            .collect();
        project.run(Path::new(crate::PROGRAM), &all)
    };
    let listed = policy(&["--today", "2027-01-31"]).succeeds();
    let expected = "cli-policy:
  cubin.toml:4 [defaults]
    selects 6 kernel images, decides registers of 2
  cubin.toml:7 [[rule]] kernel = scale<*>
    selects 4 kernel images, decides registers of 2
  cubin.toml:12 [[rule]] kernel = scale<float>, arch = sm_9*
    selects 1 kernel image, decides registers of 1, stack of 1
  cubin.toml:19 [[rule]] kernel = scale<floa?>
    shadowed: it selects 2 kernel images, and cubin.toml:23, cubin.toml:12 decide all that it sets
  cubin.toml:23 [[rule]] kernel = scale<float>
    selects 2 kernel images, decides registers of 1
";
    assert_eq!(listed.stdout, expected);
    let expired = policy(&["--today", "2027-02-01"]);
    assert_eq!(expired.status, Some(1), "{}", expired.stderr);
    assert!(
        expired
            .stdout
            .contains("    expired: it was meant to stand until 2027-01-31\n"),
        "{}",
        expired.stdout
    );

    let explained = policy(&["--explain", "scale<float>"]).succeeds();
    let on = explained
        .stdout
        .find("scale<float> on sm_90")
        .expect("the target");
    let expected = "scale<float> on sm_90
  registers = 90 (deny)
    decided by cubin.toml:12 [[rule]] kernel = scale<float>, arch = sm_9*
    not 200 of cubin.toml:4 [defaults]: [defaults] stand below every rule
    not 100 of cubin.toml:7 [[rule]] kernel = scale<*>: its `kernel` describes the kernel less closely
    not 80 of cubin.toml:19 [[rule]] kernel = scale<floa?>: its `kernel` describes the kernel less closely
    not 120 of cubin.toml:23 [[rule]] kernel = scale<float>: its `arch` describes the target less closely
  stack = 0 (deny)
    decided by cubin.toml:12 [[rule]] kernel = scale<float>, arch = sm_9*
";
    assert_eq!(&explained.stdout[on..], expected);
    let explained = policy(&["--explain", "_Z5scaleIiEvPT_"]).succeeds();
    assert!(
        explained.stdout.contains("    because: it is short\n"),
        "{}",
        explained.stdout
    );
    policy(&["--explain", "gone"])
        .fails()
        .says("no kernel matches `gone`");

    project.write("cubin.toml", &POLICY.replace("01-31", "02-30"));
    let wrong = policy(&[]).fails();
    assert!(
        wrong.stderr.contains("`2027-02-30` is not a date"),
        "{}",
        wrong.stderr
    );
}

#[test]
fn check_finds_rules_that_decide_nothing_or_have_expired() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let mut project = Project::new(env!("CARGO_TARGET_TMPDIR"), "cli-expired", &toolkit);
    project.write(
        "kernels/fill.cu",
        "extern \"C\" __global__ void fill(int *x) { x[threadIdx.x] = 1; }\n",
    );
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\n\n[[rule]]\nkernel = \"fi*\"\nregisters = 80\n\n\
         [[rule]]\nsource = \"kernels/*\"\nkernel = \"fill\"\nregisters = 90\nexpires = \"2027-01-31\"\n",
    );
    let check = |project: &Project| {
        let args = ["cubin", "check", "--format", "json"];
        let run = project.run(Path::new(crate::PROGRAM), &args);
        let lines = run.stdout.lines();
        let findings: Vec<(String, String)> = lines
            .map(|line| {
                let line: serde_json::Value = serde_json::from_str(line).expect("JSON");
                let text = |key: &str| line[key].as_str().expect("text").to_owned();
                (text("code"), text("level"))
            })
            .collect();
        (run.status, findings)
    };
    let finding = |code: &str, level: &str| (code.to_owned(), level.to_owned());
    project.set("SOURCE_DATE_EPOCH", "1801439999");
    let shadowed = finding("shadowed-rule", "warn");
    assert_eq!(check(&project), (Some(0), vec![shadowed.clone()]));
    // The next second is another day. A build of the same day goes on.
    project.set("SOURCE_DATE_EPOCH", "1801440000");
    let expired = finding("expired-rule", "deny");
    assert_eq!(check(&project), (Some(1), vec![expired, shadowed]));
    project
        .build()
        .succeeds()
        .says("[expired-rule] this [[rule]] was meant to stand until 2027-01-31");
    let run = project.run(Path::new(crate::PROGRAM), &["cubin", "policy"]);
    assert_eq!(run.status, Some(1), "{}", run.stdout);
    assert!(
        run.stdout
            .contains("[[rule]] kernel = fill, source = kernels/*\n    selects 1 kernel image"),
        "{}",
        run.stdout
    );
    for code in ["shadowed-rule", "expired-rule"] {
        let run = project.run(Path::new(crate::PROGRAM), &["cubin", "explain", code]);
        assert!(run.succeeds().stdout.starts_with(code));
    }
}

#[test]
fn the_file_that_decides_is_named() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let project = Project::new(env!("CARGO_TARGET_TMPDIR"), "cli-layers", &toolkit);
    let manifest = std::fs::read_to_string(project.dir.join("Cargo.toml")).expect("the manifest");
    let member = manifest.replace("[workspace]\n", "");
    project.write("crates/one/Cargo.toml", &member);
    project.write("crates/one/build.rs", cubin_tests::BUILD);
    project.write("crates/one/src/lib.rs", "");
    project.write(
        "crates/one/kernels/fill.cu",
        "extern \"C\" __global__ void fill(int *x) { x[threadIdx.x] = 1; }\n",
    );
    for old in ["build.rs", "src/lib.rs"] {
        std::fs::remove_file(project.dir.join(old)).expect("a file of the project");
    }
    project.write(
        "Cargo.toml",
        "[workspace]\nmembers = [\"crates/*\"]\nresolver = \"3\"\n\n\
         [workspace.metadata.cubin.defaults]\nregisters = 100\nstack = 0\n",
    );
    let cubin = |args: &[&str]| {
        let all: Vec<&str> = ["cubin"].into_iter().chain(args.iter().copied()).collect();
        project.run(Path::new(crate::PROGRAM), &all)
    };
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\n\n[[rule]]\nsource = \"crates/one/*\"\nregisters = 90\nspills = 0\n",
    );
    let listed = cubin(&["policy"]).succeeds();
    let expected = "cli-layers:
  ../../Cargo.toml:5 [defaults]
    selects 1 kernel image, decides stack of 1
  ../../cubin.toml:4 [[rule]] source = crates/one/*
    selects 1 kernel image, decides registers of 1, spills of 1
";
    assert_eq!(listed.stdout, expected);

    project.write(
        "crates/one/cubin.toml",
        "[defaults]\nstack = 16\n\n[[rule]]\nsource = \"kernels/fill.cu\"\nregisters = 80\n",
    );
    let explained = cubin(&["policy", "--explain", "fill"]).succeeds();
    let expected = "fill on sm_90
  registers = 80 (deny)
    decided by cubin.toml:4 [[rule]] source = kernels/fill.cu
    not 100 of ../../Cargo.toml:5 [defaults]: [defaults] stand below every rule
    not 90 of ../../cubin.toml:4 [[rule]] source = crates/one/*: its `source` describes the source less closely
  stack = 16 (deny)
    decided by cubin.toml:1 [defaults]
    not 0 of ../../Cargo.toml:5 [defaults]: it is the workspace's, and the package's own goes before it
  spills = 0 (deny)
    decided by ../../cubin.toml:4 [[rule]] source = crates/one/*
";
    assert_eq!(explained.stdout, expected);

    // Paths in formats are those of the repository.
    std::fs::create_dir_all(project.dir.join(".git")).expect("a directory");
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\n\n[defaults]\nparams = 4\n",
    );
    let run = cubin(&["check", "--format", "sarif"]);
    assert_eq!(run.status, Some(1), "{}", run.stderr);
    assert!(
        run.stdout.contains("\"uri\": \"cubin.toml\"")
            && run
                .stdout
                .contains("\"uri\": \"crates/one/kernels/fill.cu\""),
        "{}",
        run.stdout
    );
    // Device code in files is judged by the same.
    let cubin_file = project.out_dir().join("fill.sm_90.cubin");
    let path = cubin_file.to_string_lossy().into_owned();
    let run = cubin(&[
        "check",
        "--artifact",
        &path,
        "--config",
        "crates/one/cubin.toml",
    ]);
    assert_eq!(run.status, Some(1), "{}", run.stderr);
    assert!(run.stdout.contains("params-over-budget"), "{}", run.stdout);
    std::fs::remove_file(project.dir.join("crates/one/cubin.toml")).expect("removed");
    std::fs::remove_file(project.dir.join("cubin.toml")).expect("removed");
    let manifest = "[workspace]\nmembers = [\"crates/*\"]\nresolver = \"3\"\n\n\
                    [workspace.metadata.cubin.defaults]\nregisters = 2\n";
    project.write("Cargo.toml", manifest);
    let run = cubin(&["check", "--artifact", &path]);
    assert_eq!(run.status, Some(1), "{}", run.stderr);
    assert!(
        run.stdout.contains("registers-over-budget"),
        "{}",
        run.stdout
    );
}
