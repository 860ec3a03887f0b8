//! `new`, `completions`, `man`, `--color`, and packages and options as cargo has them.

use std::{fs, path::Path, process::Command};

use cubin_tests::{Project, tools, workspace};

#[test]
fn a_new_package_builds_and_its_tests_pass() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), "cli-new");
    // A workspace of its own, with this checkout's crate.
    let patch = format!(
        "[workspace]\nresolver = \"3\"\n\n[patch.crates-io]\ncubin-build = {{ path = {:?} }}\n",
        workspace().join("cubin-build")
    );
    fs::write(dir.join("Cargo.toml"), patch).expect("a manifest");
    fs::copy(workspace().join("Cargo.lock"), dir.join("Cargo.lock")).expect("Cargo.lock");
    let in_dir = |args: &[&str]| {
        let mut command = Command::new(crate::PROGRAM);
        command.args(["cubin", "new"]).args(args).current_dir(&dir);
        crate::run(&mut command)
    };
    in_dir(&["sum", "--name", "cli-new"])
        .ends_with(0)
        .says("Added a kernel with its policy");
    in_dir(&["sum"]).ends_with(1).says("sum is there already");
    in_dir(&["9"]).ends_with(1);
    let package = dir.join("sum");
    let project = Project::at(package, env!("CARGO_TARGET_TMPDIR"), "cli-new", &toolkit);
    let run = project
        .run(Path::new("cargo"), &["test", "--offline"])
        .succeeds();
    assert!(run.stdout.contains("2 passed"), "{}", run.stdout);
    // Without a warning, for people who turn on more of them.
    let run = project
        .run(
            Path::new("cargo"),
            &[
                "clippy",
                "--offline",
                "--",
                "-D",
                "warnings",
                "-W",
                "clippy::pedantic",
            ],
        )
        .succeeds();
    assert!(!run.stderr.contains("warning: "), "{}", run.stderr);
}

#[test]
fn completions_and_manual_pages_know_every_subcommand() {
    let help = crate::cubin(&["--help"]).ends_with(0).stdout;
    let names = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let names: Vec<&str> = names
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(names.len() > 12, "{help}");
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = crate::cubin(&["completions", shell]).ends_with(0).stdout;
        for name in &names {
            assert!(script.contains(name), "{shell}: {name}");
        }
    }
    let bash = crate::cubin(&["completions", "bash"]).stdout;
    let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), "cli-man");
    fs::write(dir.join("script"), bash).expect("a file");
    let checked = Command::new("bash")
        .arg("-n")
        .arg(dir.join("script"))
        .status();
    assert!(checked.expect("bash").success());
    let man = dir.join("man");
    crate::cubin(&["man", &man.to_string_lossy()]).ends_with(0);
    for name in &names {
        let page = fs::read_to_string(man.join(format!("cargo-cubin-{name}.1"))).expect("a page");
        assert!(page.contains(".TH"), "{page}");
    }
    assert!(man.join("cargo-cubin-toolkit-install.1").is_file());
}

#[test]
fn colours_are_written_where_they_are_wanted() {
    let file = "cubins/basic-13.5-sm_90-maxreg32.cubin";
    let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), "cli-color");
    let policy = dir.join("cubin.toml");
    fs::write(&policy, "[defaults]\nspills = 0\n").expect("a policy");
    let policy = policy.to_string_lossy().into_owned();
    for (when, coloured) in [("always", true), ("auto", false), ("never", false)] {
        let run = crate::cubin(&[
            "check",
            "--color",
            when,
            "--config",
            &policy,
            "--artifact",
            file,
        ]);
        assert_eq!(
            run.stdout.contains('\u{1b}'),
            coloured,
            "{when}: {}",
            run.stdout
        );
    }
}

/// Two packages with kernels, and one without.
fn members(name: &str) -> Option<Project> {
    let toolkit = cubin_tests::toolkit()?;
    let project = Project::new(env!("CARGO_TARGET_TMPDIR"), name, &toolkit);
    let build = workspace().join("cubin-build");
    project.write(
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"one\", \"two\", \"plain\"]\ndefault-members = [\"one\", \"plain\"]\n",
    );
    for (member, build) in [
        ("one", Some(&build)),
        ("two", Some(&build)),
        ("plain", None),
    ] {
        let depends = build.map(|path| format!("\n[features]\nmore = []\n\n[build-dependencies]\ncubin-build = {{ path = {path:?} }}\n"));
        project.write(
            &format!("{member}/Cargo.toml"),
            &format!(
                "[package]\nname = \"{name}-{member}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n{}",
                depends.unwrap_or_default()
            ),
        );
        project.write(&format!("{member}/src/lib.rs"), "");
        if build.is_some() {
            project.write(
                &format!("{member}/build.rs"),
                "fn main() {
    let mut builder = cubin_build::Builder::new();
    if std::env::var_os(\"CARGO_FEATURE_MORE\").is_some() { builder = builder.define(\"MORE\", \"1\"); }
    builder.dir(\"kernels\").build();
}
",
            );
            project.write(
                &format!("{member}/cubin.toml"),
                "[build]\narch = [\"sm_80\"]\n",
            );
            project.write(
                &format!("{member}/kernels/{member}.cu"),
                &format!(
                    "extern \"C\" __global__ void {member}(int *x) {{ *x = 1; }}
#ifdef MORE
extern \"C\" __global__ void {member}_more(int *x) {{ *x = 2; }}
#endif
"
                ),
            );
        }
    }
    let _ = fs::remove_file(project.dir.join("build.rs"));
    let _ = fs::remove_dir_all(project.dir.join("src"));
    Some(project)
}

#[test]
fn packages_are_selected_as_cargo_selects_them() {
    let Some(project) = members("cli-select") else {
        return;
    };
    let check = |dir: &str, args: &[&str]| {
        let mut all = vec!["cubin", "check"];
        all.extend(args);
        let mut inner = project.run_in(&project.dir.join(dir), Path::new(crate::PROGRAM), &all);
        inner.stdout.retain(|letter| letter != '\r');
        inner
    };
    let of = |run: &cubin_tests::Run| {
        let heads = run.stdout.lines().filter_map(|line| line.strip_suffix(':'));
        heads.map(str::to_owned).collect::<Vec<_>>()
    };
    // What the workspace builds by default.
    assert_eq!(of(&check(".", &[]).succeeds()), ["cli-select-one"]);
    assert_eq!(
        of(&check(".", &["--workspace"]).succeeds()),
        ["cli-select-one", "cli-select-two"]
    );
    // The package of this directory, also below it.
    assert_eq!(of(&check("two", &[]).succeeds()), ["cli-select-two"]);
    assert_eq!(
        of(&check("two/kernels", &[]).succeeds()),
        ["cli-select-two"]
    );
    assert_eq!(
        of(&check("two", &["-p", "cli-select-one"]).succeeds()),
        ["cli-select-one"]
    );
    assert_eq!(
        of(&check(".", &["--manifest-path", "two/Cargo.toml"]).succeeds()),
        ["cli-select-two"]
    );
    check("plain", &[])
        .fails()
        .says("no selected package has `cubin-build` under [build-dependencies]; `--workspace` takes every");
    check(".", &["-p", "nothing"])
        .fails()
        .says("no package `nothing` in this workspace");
    check(".", &["-p", "cli-select-one", "--workspace"]).fails();
    // Features and profiles reach the build.
    let run = check(
        "two",
        &["--features", "more", "--profile", "dev", "--offline"],
    )
    .succeeds();
    assert!(run.stdout.contains("two_more"), "{}", run.stdout);
}
