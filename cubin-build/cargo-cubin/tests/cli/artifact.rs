//! `check --artifact`: executables and libraries by the policy, wherever their device code came from.

use std::{fs, path::Path, process::Command};

use cubin_tests::{Project, Run, recorded, tools};

/// Runs the command in the project's directory.
fn check(project: &Project, args: &[&str]) -> Run {
    let first = ["cubin", "check"].into_iter();
    let all: Vec<&str> = first.chain(args.iter().copied()).collect();
    project.run(Path::new(crate::PROGRAM), &all)
}

/// A scratch folder with a policy.
fn policy(name: &str, text: &str) -> std::path::PathBuf {
    let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), name);
    fs::write(dir.join("cubin.toml"), text).expect("a policy");
    dir
}

/// The command in a folder of its own.
fn in_dir(dir: &Path, args: &[&str]) -> crate::Run {
    let mut command = Command::new(crate::PROGRAM);
    command.args(["cubin", "check"]).args(args).current_dir(dir);
    crate::run(command.env_remove("CUBIN_BUILD_POLICY"))
}

fn golden(path: &str) -> String {
    crate::golden().join(path).to_string_lossy().into_owned()
}

#[test]
fn programs_that_rust_links_are_judged_with_the_places_of_their_sources() {
    let Some(toolkit) = cubin_tests::toolkit() else {
        return;
    };
    let project = Project::new(env!("CARGO_TARGET_TMPDIR"), "cli-artifact", &toolkit);
    project.write(
        "kernels/scale.cu",
        "template <typename T>
__global__ void scale(T *x) { x[threadIdx.x] *= 2; }
template __global__ void scale<float>(float *);
__global__ void dynamic(float *x) { extern __shared__ float s[]; s[threadIdx.x] = *x; __syncthreads(); *x = s[0]; }
",
    );
    project.write("cubin.toml", "[build]\narch = [\"sm_80\", \"sm_90\"]\n");
    project.write(
        "src/main.rs",
        "pub mod kernels { include!(concat!(env!(\"OUT_DIR\"), \"/kernels.rs\")); }
fn main() { for image in kernels::scale::Module::IMAGES { println!(\"{}\", image.bytes.len()); } }
",
    );
    project.write("generate.toml", "");
    project.write(
        "build.rs",
        "fn main() { cubin_build::Builder::new().dir(\"kernels\").backend(cubin_build::Backend::Core).build(); }\n",
    );
    project.build().succeeds();
    let out_dir = project.out_dir();
    let debug = out_dir.ancestors().nth(3).expect("target/debug");
    let program = debug.join("cli-artifact");
    let program = program.to_string_lossy();

    // The package's own policy, which allows all.
    let run = check(&project, &["--artifact", &program]).succeeds();
    assert!(
        run.stdout
            .contains("4 kernel images checked: 0 errors, 0 warnings"),
        "{}",
        run.stdout
    );

    project.write("strict.toml", "[defaults]\nregisters = 4\nspills = 0\n");
    let run = check(
        &project,
        &["--config", "strict.toml", "--artifact", &program],
    );
    assert_eq!(run.status, Some(1));
    for text in [
        "error[registers-over-budget]: kernel `scale<float>` uses ",
        " --> kernels/scale.cu:2:17\n",
        "::: strict.toml:2:13\n",
        "section .rodata, symbol cli_artifact::kernels::scale::Module::IMAGES::SM_80, offset 0x",
        "(sm_80)",
        "(sm_90)",
    ] {
        assert!(run.stdout.contains(text), "no `{text}` in:\n{}", run.stdout);
    }
    // What is known of each kernel is what the build knows of it.
    let run = check(
        &project,
        &[
            "--config",
            "strict.toml",
            "--artifact",
            &program,
            "--format",
            "sarif",
        ],
    );
    assert!(
        run.stdout.contains("cli-artifact/kernels/scale.cu\""),
        "{}",
        run.stdout
    );

    // Cubins that stand in two artefacts are judged in each, and those that stand in one twice, once.
    let rlib = debug.join("libcli_artifact.rlib");
    assert!(rlib.is_file());
    let copies = project.dir.join("copies");
    let cubin = fs::read(out_dir.join("scale.sm_90.cubin")).expect("a cubin");
    fs::write(
        &copies,
        [&b"\0\0\0\0"[..], &cubin, &[0; 64], &cubin].concat(),
    )
    .expect("a file");
    let run = check(&project, &["--artifact", "copies"]).succeeds();
    assert!(
        run.stdout.contains("2 kernel images checked"),
        "{}",
        run.stdout
    );

    // A changed byte makes it another cubin, of which no build knows anything.
    let mut other = cubin;
    let last = other.len() - 1;
    other[last] ^= 1;
    fs::write(project.dir.join("other.cubin"), &other).expect("a file");
    let run = check(
        &project,
        &["--config", "strict.toml", "--artifact", "other.cubin"],
    );
    assert!(!run.stdout.contains("kernels/scale.cu"), "{}", run.stdout);
}

#[test]
fn rules_for_artefacts_are_for_them_alone() {
    let text = "[defaults]\nregisters = 255\n\n[[rule]]\nartifact = \"one-*.cubin\"\nregisters = 2\n\n\
                [[rule]]\nartifact = \"*/cubins/one-13*\"\nlevel = \"warn\"\nregisters = 3\n";
    let dir = policy("artifact-rules", text);
    let judged = |path: &str| in_dir(&dir, &["--artifact", &golden(path)]);
    let one = judged("cubins/one-12.4-75.cubin").ends_with(1);
    assert!(one.stdout.contains("budget is 2"), "{}", one.stdout);
    // The closer pattern decides.
    let one = judged("cubins/one-13.5-75.cubin").ends_with(0);
    assert!(
        one.stdout.contains("warning[registers-over-budget]"),
        "{}",
        one.stdout
    );
    assert!(one.stdout.contains("budget is 3"), "{}", one.stdout);
    judged("cubins/nvl-13.5-100.cubin").ends_with(0);
}

#[test]
fn spills_and_levels() {
    let dir = policy(
        "artifact-levels",
        "[defaults]\nspills = 0\n\n[policy]\nlevel = \"warn\"\n",
    );
    let file = golden("cubins/basic-13.5-sm_90-maxreg32.cubin");
    let run = in_dir(&dir, &["--artifact", &file]).ends_with(0);
    assert!(
        run.stdout
            .contains("warning[spills-over-budget]: kernel `spills` spills "),
        "{}",
        run.stdout
    );
    assert!(
        run.stdout
            .contains("violations of the policy are warnings here, as `level` in [policy] says"),
        "{}",
        run.stdout
    );
    // Before 12.6 nobody recorded them.
    let old = golden("cubins/basic-12.4-sm_75.cubin");
    let run = in_dir(&dir, &["--artifact", &old]).ends_with(0);
    assert!(
        run.stdout.contains("warning[spills-unknown]"),
        "{}",
        run.stdout
    );
    let mut command = Command::new(crate::PROGRAM);
    command.args(["cubin", "check", "--artifact", &file]);
    command.current_dir(&dir).env("CUBIN_BUILD_POLICY", "loose");
    crate::run(&mut command)
        .ends_with(1)
        .says("CUBIN_BUILD_POLICY is `loose`: it may be `deny` or `warn`");
}

#[test]
fn what_cannot_be_judged_is_said() {
    let dir = policy("artifact-unjudged", "[defaults]\nregisters = 255\n");
    let relocatable = golden("cubins/basic-13.5-sm_90-rdc.cubin");
    let run = in_dir(&dir, &["--artifact", &relocatable]).ends_with(0);
    let text = "warning[artifact-not-judged]: ";
    assert!(run.stdout.contains(text), "{}", run.stdout);
    assert!(
        run.stdout
            .contains("holds 1 relocatable cubin, whose figures are not final"),
        "{}",
        run.stdout
    );

    fs::write(
        dir.join("k.ptx"),
        ".version 8.0\n.target sm_90\n.address_size 64\n",
    )
    .expect("a file");
    let run = in_dir(&dir, &["--artifact", "k.ptx"]).ends_with(0);
    assert!(
        run.stdout
            .contains("holds device code without a cubin: PTX for compute_90"),
        "{}",
        run.stdout
    );

    // Half a cubin is an error, and so is a file without device code.
    let cubin = recorded::file("cubins", "one-13.5-75.cubin");
    fs::write(dir.join("half.cubin"), &cubin[..cubin.len() / 2]).expect("a file");
    let run = in_dir(&dir, &["--artifact", "half.cubin"]).ends_with(1);
    assert!(
        run.stdout.contains(
            "error[artifact-unreadable]: half.cubin holds device code that cannot be read"
        ),
        "{}",
        run.stdout
    );
    fs::write(dir.join("text"), "nothing").expect("a file");
    in_dir(&dir, &["--artifact", "text"])
        .ends_with(1)
        .says("text: it is neither a cubin nor");
    in_dir(&dir, &["--artifact", "no such"])
        .ends_with(1)
        .says("no such");
    fs::remove_file(dir.join("cubin.toml")).expect("removed");
    in_dir(&dir, &["--artifact", "text"]).ends_with(1);
    in_dir(&dir, &["--config", "x.toml", "--artifact", "text"])
        .ends_with(1)
        .says("cannot read x.toml");
    in_dir(&dir, &["--config", "x.toml"]).ends_with(2);
}

#[test]
fn damaged_artefacts_end_without_a_panic() {
    let dir = policy("artifact-damaged", "[defaults]\nregisters = 2\n");
    let object = recorded::file("fatbins", "x.o");
    let path = dir.join("x.o");
    // One process for each would take long: some of each, from every part of the file.
    let step = object.len() / 24;
    for at in (0..object.len()).step_by(step.max(1)) {
        for flip in [false, true] {
            let mut damaged = object.clone();
            if flip {
                damaged[at] ^= 0xff;
            } else {
                damaged.truncate(at);
            }
            fs::write(&path, &damaged).expect("a file");
            let run = in_dir(&dir, &["--artifact", "x.o"]);
            assert!(matches!(run.status, Some(0 | 1)), "{at}: {}", run.stderr);
            assert!(!run.stderr.contains("panicked"), "{at}: {}", run.stderr);
        }
    }
}
