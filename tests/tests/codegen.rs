//! The generated file: as recorded, deterministic, in rustfmt's shape. `BLESS=1` rewrites the recording,
//! which `codegen_compile` compiles.

mod codegen_support;

use std::{
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use cubin_build::codegen::generate;

fn golden(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("golden/codegen")
        .join(name)
}

#[test]
fn generated_files_are_as_recorded() {
    let inputs = [
        ("kinds.rs", codegen_support::kinds()),
        ("both.rs", codegen_support::both()),
        ("core.rs", codegen_support::core()),
    ];
    for (name, input) in inputs {
        let output = generate(&input);
        assert_eq!(output.findings, []);
        let path = golden(name);
        if std::env::var_os("BLESS").is_some() {
            fs::write(&path, &output.text).expect("a writable recording");
        }
        let recorded = fs::read_to_string(&path).unwrap_or_default();
        assert!(
            recorded == output.text,
            "{} differs from what the generator writes now; look at `git diff` after BLESS=1 cargo test -p cubin-tests --test codegen",
            path.display()
        );
    }
}

#[test]
fn order_of_modules_does_not_matter() {
    let mut input = codegen_support::both();
    let forward = generate(&input);
    input.modules.reverse();
    assert_eq!(forward, generate(&input));
}

#[test]
fn rustfmt_leaves_the_generated_file_alone() {
    let inputs = [codegen_support::both(), codegen_support::core()];
    let editions = ["2021", "2024"];
    for (input, edition) in inputs
        .iter()
        .flat_map(|input| editions.map(|edition| (input, edition)))
    {
        assert_eq!(
            rustfmt(&generate(input).text, edition),
            "",
            "edition {edition}"
        );
    }
}

/// What rustfmt would change.
fn rustfmt(text: &str, edition: &str) -> String {
    let mut child = Command::new("rustfmt")
        .args([
            "--check",
            "--edition",
            edition,
            "--config",
            "max_width=100",
            "--color",
            "never",
        ])
        // Without the workspace's own settings.
        .current_dir(std::env::temp_dir())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("rustfmt, a component of every toolchain");
    let mut stdin = child.stdin.take().expect("a pipe");
    stdin.write_all(text.as_bytes()).expect("rustfmt reads all");
    drop(stdin);
    let output = child.wait_with_output().expect("rustfmt ends");
    format!(
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    )
}
