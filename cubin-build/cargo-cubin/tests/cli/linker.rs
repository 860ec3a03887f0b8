//! `cubin-cc`, and `cargo cubin build|run|test`, which set it: crates whose device code comes from elsewhere.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use cubin_build::toolkit::Toolkit;
use cubin_tests::tools;

/// The linker driver.
const LINKER: &str = env!("CARGO_BIN_EXE_cubin-cc");

/// A kernel with many values alive, and the host function that launches it.
const KERNEL: &str = "
__global__ void __launch_bounds__(256) heavy(float *x, int n) {
  float v[40];
  for (int i = 0; i < 40; ++i) v[i] = x[i * n + threadIdx.x];
  __syncthreads();
  for (int k = 0; k < n; ++k) for (int i = 0; i < 40; ++i) v[i] = v[(i + 1) % 40] * v[i] + x[k];
  for (int i = 0; i < 40; ++i) x[i * n + threadIdx.x] = v[i];
}
extern \"C\" void start() { heavy<<<1, 256>>>(nullptr, 3); }
";

/// Compiles the library as `cc` and cmake would, without cubin-build.
const SCRIPT: &str = r#"
use std::process::Command;
fn main() {
    let out = std::env::var("OUT_DIR").unwrap();
    let run = |command: &mut Command| assert!(command.status().unwrap().success());
    let object = format!("{out}/heavy.o");
    run(Command::new(env!("NVCC")).args(["-c", "-arch=sm_90", "-Xcompiler", "-fPIC", "-o", &object, "heavy.cu"]));
    run(Command::new("ar").args(["crs", &format!("{out}/libheavy.a"), &object]));
    println!("cargo:rustc-link-search={out}\ncargo:rustc-link-lib=static=heavy");
    println!("cargo:rustc-link-search={}\ncargo:rustc-link-lib=static=cudart_static", env!("CUDART"));
    for library in ["stdc++", "rt", "dl", "pthread"] {
        println!("cargo:rustc-link-lib=dylib={library}");
    }
    println!("cargo:rerun-if-changed=heavy.cu");
}
"#;

struct Crate {
    dir: PathBuf,
    toolkit: Toolkit,
}

impl Crate {
    fn new(name: &str) -> Option<Self> {
        let toolkit = cubin_tests::toolkit()?;
        let dir = tools::scratch(env!("CARGO_TARGET_TMPDIR"), name);
        let made = Self { dir, toolkit };
        made.write(
            "Cargo.toml",
            "[package]\nname = \"linked\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n",
        );
        made.write("build.rs", SCRIPT);
        made.write("heavy.cu", KERNEL);
        made.write(
            "src/main.rs",
            "unsafe extern \"C\" { fn start(); }
fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    println!(\"{arguments:?}\");
    // No GPU is needed to link.
    if arguments.len() > 9 { unsafe { start() } }
}
#[test]
fn passes() { if std::env::args().count() > 99 { unsafe { start() } } }
",
        );
        Some(made)
    }

    fn write(&self, file: &str, text: &str) {
        let path = self.dir.join(file);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    }

    fn policy(&self, registers: u32) {
        self.write(
            "cubin.toml",
            &format!("[defaults]\nregisters = {registers}\n"),
        );
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.dir);
        let root = self
            .toolkit
            .nvcc
            .ancestors()
            .nth(2)
            .expect("the toolkit's root");
        let libraries = ["lib", "lib64"].map(|name| root.join(name));
        let libraries = libraries
            .into_iter()
            .find(|dir| dir.join("libcudart_static.a").is_file());
        command
            .env("NVCC", &self.toolkit.nvcc)
            .env("CUDART", libraries.expect("the runtime's static library"))
            .env("CARGO_NET_OFFLINE", "true")
            .env("CARGO_INCREMENTAL", "0")
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env_remove("CARGO_BUILD_TARGET_DIR")
            .env_remove("CARGO_TARGET_DIR")
            .env_remove("CUBIN_BUILD_POLICY");
        command
    }

    fn cubin(&self, args: &[&str]) -> crate::Run {
        crate::run(self.command(crate::PROGRAM).arg("cubin").args(args))
    }

    fn program(&self) -> PathBuf {
        self.dir.join("target/debug/linked")
    }
}

/// What differs between machines and runs.
fn plain(text: &str, dir: &Path) -> String {
    let text = text.replace(&*dir.to_string_lossy(), "DIR");
    let mut lines = Vec::new();
    for line in text.lines() {
        let line = match line.split_once("offset 0x") {
            Some((start, rest)) => {
                let end = rest
                    .find(|letter: char| !letter.is_ascii_hexdigit())
                    .unwrap_or(rest.len());
                format!("{start}offset 0x..{}", &rest[end..])
            }
            None => line.to_owned(),
        };
        let line = match line.split_once("/deps/linked-") {
            Some((start, rest)) => format!("{start}/deps/linked-..{}", &rest[16..]),
            None => line,
        };
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n")
}

#[test]
fn a_library_over_budget_ends_the_build_and_a_fixed_one_does_not() {
    let Some(made) = Crate::new("linker-budget") else {
        return;
    };
    made.policy(32);
    let run = made.cubin(&["build"]).ends_with(1);
    assert!(!made.program().exists(), "the program is there");
    let text = plain(&run.stderr, &made.dir);
    let start = text.find("= note: cubin-cc:").expect("the note");
    let end = text
        .find("error: could not compile")
        .expect("cargo's last line");
    let said = text[start..end].trim_end();
    let expected = "= note: cubin-cc: DIR/target/debug/deps/linked-.. breaks the policy, and is removed: 1 kernel over budget
          error[registers-over-budget]: kernel `heavy` uses 127 registers per thread on sm_90, budget is 32
           --> cubin.toml:2:13
            |
          2 | registers = 32
            |             -- budget set here, from [defaults]
            |
            = note: linked in DIR/target/debug/deps/linked-..: entry 1, section .nv_fatbin, offset 0x.. (sm_90)
            = help: `__maxnreg__(32)` makes ptxas stay at 32 registers, perhaps at the price of spills (CUDA 12.4 or newer)
            = help: or give the kernel a budget of its own in cubin.toml:
                    [[rule]]
                    kernel = \"heavy\"
                    registers = 127
                    reason = \"why this kernel may\"

          error: 1 kernel over budget";
    assert_eq!(said, expected);

    // A fix of the kernel.
    made.write("heavy.cu", &KERNEL.replace("40", "4"));
    made.cubin(&["build"]).ends_with(0);
    assert!(made.program().is_file());

    // A policy that alone was changed is held against what is up to date.
    made.policy(4);
    let run = made.cubin(&["build"]).ends_with(1);
    run.says("breaks the policy: 1 kernel over budget");
    made.policy(200);
    made.cubin(&["build"]).ends_with(0);
}

#[test]
fn programs_and_tests_run_once_they_are_judged() {
    let Some(made) = Crate::new("linker-run") else {
        return;
    };
    made.policy(200);
    made.cubin(&["run", "--quiet", "--", "a", "--b"])
        .ends_with(0)
        .prints("[\"a\", \"--b\"]");
    made.cubin(&["test", "passes", "--", "--quiet"])
        .ends_with(0)
        .prints("1 passed");
    let run = made.cubin(&["build", "--message-format=json"]).ends_with(0);
    assert!(
        run.stdout.contains("\"reason\":\"build-finished\""),
        "{}",
        run.stdout
    );
    made.policy(4);
    let run = made.cubin(&["run"]).ends_with(1);
    assert!(!run.stdout.contains("[]"), "it ran: {}", run.stdout);
    made.cubin(&["test"]).ends_with(1).says("breaks the policy");
    // Another policy for this build.
    made.write("loose.toml", "[defaults]\nregisters = 250\n");
    made.cubin(&["build", "--policy", "loose.toml"])
        .ends_with(0);
}

#[test]
fn cargo_alone_calls_it_as_the_configuration_says() {
    let Some(made) = Crate::new("linker-config") else {
        return;
    };
    let version = Command::new("rustc").arg("-vV").output().expect("rustc");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.expect("the host's triple");
    made.write(
        ".cargo/config.toml",
        &format!("[target.{host}]\nlinker = {LINKER:?}\n"),
    );
    made.policy(32);
    let build = |made: &Crate| crate::run(made.command("cargo").arg("build"));
    build(&made)
        .ends_with(101)
        .says("breaks the policy, and is removed");
    assert!(!made.program().exists());
    // Above the crate, up to the workspace's directory.
    fs::remove_file(made.dir.join("cubin.toml")).expect("removed");
    build(&made).ends_with(0);
    // What the driver itself refuses is the driver's to say.
    made.write("src/main.rs", "unsafe extern \"C\" { fn no_such_function(); }\nfn main() { unsafe { no_such_function() } }\n");
    let run = build(&made).ends_with(101);
    assert!(!run.stderr.contains("cubin-cc:"), "{}", run.stderr);
    assert!(run.stderr.contains("no_such_function"), "{}", run.stderr);
}

#[test]
fn every_linker_that_is_installed() {
    let Some(made) = Crate::new("linker-kinds") else {
        return;
    };
    let mut tried = Vec::new();
    for (driver, linker) in [
        ("gcc", "bfd"),
        ("gcc", "gold"),
        ("gcc", "mold"),
        ("clang", "lld"),
        ("clang", "bfd"),
    ] {
        let probe = made.dir.join("probe.c");
        fs::write(&probe, "int main(void) { return 0; }\n").expect("a source");
        let usable = Command::new(driver)
            .arg(format!("-fuse-ld={linker}"))
            .arg("-o")
            .arg(made.dir.join("probe"))
            .arg(&probe)
            .output();
        if !usable.is_ok_and(|output| output.status.success()) {
            eprintln!("skipped: {driver} with {linker} is not installed");
            continue;
        }
        tried.push(format!("{driver} with {linker}"));
        let flag = format!("-Clink-arg=-fuse-ld={linker}");
        let build = || {
            let mut command = made.command(crate::PROGRAM);
            command.args(["cubin", "build", "--linker", driver]);
            crate::run(command.env("RUSTFLAGS", &flag))
        };
        made.policy(32);
        build()
            .ends_with(1)
            .says("uses 127 registers per thread on sm_90");
        made.policy(200);
        build().ends_with(0);
    }
    assert!(!tried.is_empty(), "no linker could be tried");
    eprintln!("{}", tried.join(", "));
}

#[test]
fn what_is_not_to_be_judged_costs_a_look() {
    let Some(made) = Crate::new("linker-script") else {
        return;
    };
    // A policy that cannot be read would fail the link, were anything judged.
    made.write("cubin.toml", "[defaults\n");
    let link = |name: &str, output: &str| {
        let mut command = made.command(LINKER);
        let source = made.dir.join("main.c");
        fs::write(&source, "int main(void) { return 0; }\n").expect("a source");
        command.arg("-o").arg(output).arg(&source);
        command
            .env("CARGO_MANIFEST_DIR", &made.dir)
            .env("CARGO_CRATE_NAME", name);
        crate::run(&mut command)
    };
    link("build_script_build", "script").ends_with(0);
    link("linked", "program").ends_with(0);
    assert!(made.dir.join("program").is_file());
    let mut command = made.command(LINKER);
    command.arg("-v").env("CUBIN_CC_LINKER", "no-such-driver");
    crate::run(&mut command)
        .ends_with(1)
        .says("cannot run the linker driver no-such-driver, which CUBIN_CC_LINKER names");
}
