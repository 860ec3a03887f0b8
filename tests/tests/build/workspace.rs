//! The policy of a workspace: for members with a cubin.toml of their own and without one, and what cargo watches.

use std::fs;

use cubin_tests::Project;

use crate::FILL;

/// A workspace without a package of its own, with the members `plain` and `own`, of which the first has no cubin.toml.
fn workspace(name: &str) -> Option<Project> {
    let toolkit = cubin_tests::toolkit()?;
    let project = Project::new(env!("CARGO_TARGET_TMPDIR"), name, &toolkit);
    for old in ["build.rs", "src/lib.rs"] {
        fs::remove_file(project.dir.join(old)).expect("a file of the project");
    }
    project.write(
        "Cargo.toml",
        "[workspace]\nmembers = [\"crates/*\"]\nresolver = \"3\"\n",
    );
    for member in ["plain", "own"] {
        let dir = format!("crates/{member}");
        project.write(
            &format!("{dir}/Cargo.toml"),
            &format!(
                "[package]\nname = \"{name}-{member}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
                 [build-dependencies]\ncubin-build = {{ path = {:?} }}\n",
                cubin_tests::workspace().join("cubin-build")
            ),
        );
        project.write(&format!("{dir}/build.rs"), cubin_tests::BUILD);
        project.write(&format!("{dir}/src/lib.rs"), "");
        project.write(&format!("{dir}/kernels/fill.cu"), FILL);
    }
    project.write(
        "crates/own/cubin.toml",
        "[defaults]\nregisters = 200\n\n[[rule]]\nkernel = \"fill\"\nparams = 100\n",
    );
    Some(project)
}

const POLICY: &str = "[build]\narch = [\"sm_90\"]\n\n[defaults]\nregisters = 1\nstack = 0\n\n\
                      [[rule]]\nkernel = \"fill\"\nparams = 4\nreason = \"small\"\n\n\
                      [[rule]]\nkernel = \"elsewhere\"\nregisters = 3\n";

#[test]
fn members_inherit_what_they_do_not_say_themselves() {
    let Some(project) = workspace("members") else {
        return;
    };
    // Nobody says for which targets.
    project.build().fails().says("[config-invalid]");
    project.write("cubin.toml", POLICY);
    let plain = |args: &[&str]| {
        let all = ["build", "-v", "-p", "members-plain"];
        let output = project.cargo(&[&all[..], args].concat()).output();
        cubin_tests::Run::new(&output.expect("cargo starts"))
    };
    let run = plain(&[]).fails();
    run.says("[registers-over-budget] kernel `fill` uses ")
        .says("on sm_90, budget is 1\n")
        .says("[params-over-budget] kernel `fill` takes 12 bytes")
        .says("::: ../../cubin.toml:5:13")
        .says("budget set here, from [defaults] of the workspace")
        .says("reason given for this budget: small")
        // Rules for other members are no finding.
        .does_not_say("elsewhere");

    // A member's own file goes before it, key by key, and the workspace's stack and targets stay.
    let own = || {
        let output = project
            .cargo(&["build", "-v", "-p", "members-own"])
            .output();
        cubin_tests::Run::new(&output.expect("cargo starts"))
    };
    own().succeeds().does_not_say("warning");
    own().succeeds().says("Fresh members-own v0.0.0");
    project.write("crates/own/cubin.toml", "[defaults]\nstack = 8\n");
    own()
        .fails()
        .says("[registers-over-budget]")
        .says("[params-over-budget]");
    // The closer rule decides, wherever it stands.
    project.write(
        "cubin.toml",
        &POLICY.replace("params = 4", "params = 4\nregisters = 90"),
    );
    project.write(
        "crates/own/cubin.toml",
        "[defaults]\nregisters = 2\n[[rule]]\nkernel = \"fill\"\nparams = 12\n",
    );
    own().succeeds();

    // A pattern of paths begins at the workspace, and cargo has seen that its file changed.
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\n[[rule]]\nsource = \"crates/plain/kernels/*\"\nregisters = 1\n",
    );
    plain(&[])
        .fails()
        .says("budget set here, from this [[rule]] of the workspace");
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\n[[rule]]\nsource = \"crates/own/kernels/*\"\nregisters = 1\n",
    );
    plain(&[]).succeeds();
    plain(&[]).succeeds().says("Fresh members-plain v0.0.0");

    // What is wrong in it fails every member.
    project.write(
        "cubin.toml",
        "[build]\narch = [\"sm_90\"]\n[defaults]\nregister = 1\n",
    );
    plain(&[])
        .fails()
        .says("[unknown-key] unknown key `register` in [defaults]")
        .says("../../cubin.toml:4:1");
}

#[test]
fn the_first_policy_of_a_workspace_is_noticed() {
    let Some(mut project) = workspace("noticed") else {
        return;
    };
    project.set("CUBIN_BUILD_ARCH", "sm_90");
    let build = || {
        let output = project
            .cargo(&["build", "-v", "-p", "noticed-plain"])
            .output();
        cubin_tests::Run::new(&output.expect("cargo starts"))
    };
    build().succeeds();
    build().succeeds().says("Fresh noticed-plain v0.0.0");
    project.write("cubin.toml", "[defaults]\nregisters = 1\n");
    build().fails().says("../../cubin.toml:2:13");
    // A file of the member's own, the first as well.
    project.write("crates/plain/cubin.toml", "[defaults]\nregisters = 100\n");
    build().succeeds();
    build().succeeds().says("Fresh noticed-plain v0.0.0");
    fs::remove_file(project.dir.join("crates/plain/cubin.toml")).expect("removed");
    build().fails().says("../../cubin.toml:2:13");
    fs::remove_file(project.dir.join("cubin.toml")).expect("removed");
    build().succeeds();

    let manifest = fs::read_to_string(project.dir.join("Cargo.toml")).expect("the manifest");
    let with = |tables: &str| project.write("Cargo.toml", &format!("{manifest}\n{tables}"));
    with("[workspace.metadata.cubin.defaults]\nregisters = 1\n");
    build().fails().says("../../Cargo.toml:6:13");
    // The file goes before it.
    project.write("cubin.toml", "[defaults]\nregisters = 90\n");
    build().succeeds();
    fs::remove_file(project.dir.join("cubin.toml")).expect("removed");
    with("[[workspace.metadata.cubin.rule]]\nkernel = \"fill\"\nregisters = 1\n");
    build()
        .fails()
        .says("from the [[rule]] for `fill` of the workspace");
    with("[workspace.metadata.cubin.build]\nflags = [\"-O1\"]\n");
    build()
        .fails()
        .says("[unknown-key] unknown key `flags` in [workspace.metadata.cubin.build]");
    with("[workspace.metadata.cubin.generate]\nbackend = \"core\"\n");
    build()
        .fails()
        .says("known here: `toolkit`, `build`, `defaults`, `rule` and `policy`");
    with("[workspace.metadata.other]\nkey = 1\n");
    build().succeeds();
}

#[test]
fn a_rule_that_has_expired_is_a_warning() {
    let Some(mut project) = workspace("expiry") else {
        return;
    };
    project.write("cubin.toml", "[build]\narch = [\"sm_90\"]\n");
    project.write(
        "crates/plain/cubin.toml",
        "[[rule]]\nkernel = \"fill\"\nregisters = 90\nexpires = \"2027-01-31\"\n",
    );
    let build = |project: &Project| {
        let output = project
            .cargo(&["build", "-v", "-p", "expiry-plain"])
            .output();
        cubin_tests::Run::new(&output.expect("cargo starts")).succeeds()
    };
    // The last second of the day, and the next one.
    project.set("SOURCE_DATE_EPOCH", "1801439999");
    build(&project).does_not_say("[expired-rule]");
    project.set("SOURCE_DATE_EPOCH", "1801440000");
    let run = build(&project);
    run.says("[expired-rule] this [[rule]] was meant to stand until 2027-01-31");
}
