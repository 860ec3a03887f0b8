//! Builds that end before their time, and builds at the same time: no compiler goes on without its build, and what comes
//! after it, or beside it, is right.

use std::{
    fmt::Write as _,
    fs,
    os::unix::process::CommandExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use cubin_tests::{Project, Run, processes};

use crate::project;

/// Keeps cicc at work for many seconds: as many calls of `pow` in one another.
const SLOW: &str = "template <int N> __device__ double chain(double x) { return pow(chain<N - 1>(x) + N, x); }\n\
    template <> __device__ double chain<0>(double x) { return x; }\n\
    extern \"C\" __global__ void slow(double *p) { p[threadIdx.x] = chain<150>(p[threadIdx.x]); }\n";

/// Keeps ptxas at work for many seconds.
fn slow_ptx() -> String {
    let count = 30_000;
    let mut text = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry slow(.param .u64 p) {{\n\
         .reg .f32 %f<{}>;\n.reg .b64 %rd<3>;\nld.param.u64 %rd1, [p];\ncvta.to.global.u64 %rd2, %rd1;\n\
         ld.global.f32 %f0, [%rd2];\n",
        count + 1
    );
    for number in 0..count {
        let (next, other) = (number + 1, number - number.min(7));
        writeln!(text, "div.rn.f32 %f{next}, %f{number}, %f{other};").unwrap();
    }
    write!(text, "st.global.f32 [%rd2], %f{count};\nret;\n}}\n").unwrap();
    text
}

/// Takes the slow PTX where it is there.
const SCRIPT: &str = "fn main() {\n    let mut builder = cubin_build::Builder::new().dir(\"kernels\");\n\
    \x20   if std::path::Path::new(\"kernels/slow.ptx\").exists() {\n\
    \x20       builder = builder.file(\"kernels/slow.ptx\");\n    }\n    builder.build();\n}\n";

const WITHIN: Duration = Duration::from_secs(120);

/// A crate that was built once, so that cargo has nothing to do but to run its script, and then has a source that keeps
/// `tool` at work.
fn slow(name: &str, tool: &str) -> Option<Project> {
    let project = project(name)?;
    project.write("build.rs", SCRIPT);
    project.build().succeeds();
    match tool {
        "cicc" => project.write("kernels/slow.cu", SLOW),
        _ => project.write("kernels/slow.ptx", &slow_ptx()),
    }
    Some(project)
}

/// The crate's processes that run `tool`.
fn at_work(name: &str, tool: &str) -> Vec<u32> {
    let mut found = processes::with(name);
    let program = |words: &str| {
        let first = words.split(' ').next().unwrap_or_default();
        Path::new(first).file_name() == Some(tool.as_ref())
    };
    found.retain(|(_, words)| program(words));
    found.into_iter().map(|(id, _)| id).collect()
}

fn quiet(mut command: Command) -> Child {
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    quiet.spawn().unwrap()
}

fn begins(name: &str, tool: &str) {
    let what = format!("{tool} does not begin");
    processes::until(&what, WITHIN, || !at_work(name, tool).is_empty());
}

fn nothing_goes_on(name: &str) {
    let start = std::time::Instant::now();
    while start.elapsed() < Duration::from_secs(20) {
        if processes::with(name).is_empty() {
            return;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("it goes on: {:#?}", processes::with(name));
}

/// After the slow source is gone, a build makes what was there before it came.
fn the_next_build_is_right(project: &Project, slow: &str) {
    let before = fs::read(project.out_dir().join("fill.sm_90.cubin")).unwrap();
    let generated = project.generated();
    fs::remove_file(project.dir.join(slow)).unwrap();
    project.build().succeeds();
    assert_eq!(project.cubins(), ["fill.sm_90.cubin"]);
    let after = fs::read(project.out_dir().join("fill.sm_90.cubin")).unwrap();
    assert_eq!((before, generated), (after, project.generated()));
}

/// `kill` of the shell: without it each signal would be unsafe code.
fn signal(name: &str, id: &str) {
    let mut kill = Command::new("/bin/sh");
    kill.args(["-c", "kill \"$@\"", "kill", name, id]);
    assert!(kill.status().unwrap().success());
}

#[test]
fn an_interrupt_ends_the_compilers() {
    for (tool, source) in [("cicc", "kernels/slow.cu"), ("ptxas", "kernels/slow.ptx")] {
        let name = format!("interrupted-{tool}");
        let Some(project) = slow(&name, tool) else {
            return;
        };
        let mut command = project.cargo(&["build"]);
        // As a shell starts it, whose terminal then signals the whole group.
        command.process_group(0);
        let mut cargo = quiet(command);
        begins(&name, tool);
        signal("-INT", &format!("-{}", cargo.id()));
        assert!(!cargo.wait().unwrap().success());
        nothing_goes_on(&name);
        the_next_build_is_right(&project, source);
    }
}

#[test]
fn compilers_of_a_killed_cargo_end() {
    for (tool, source) in [("cicc", "kernels/slow.cu"), ("ptxas", "kernels/slow.ptx")] {
        let name = format!("killed-{tool}");
        let Some(project) = slow(&name, tool) else {
            return;
        };
        let mut cargo = quiet(project.cargo(&["build"]));
        begins(&name, tool);
        // Alone: nobody tells its build script.
        cargo.kill().unwrap();
        cargo.wait().unwrap();
        nothing_goes_on(&name);
        the_next_build_is_right(&project, source);
    }
}

#[test]
fn a_build_that_fails_leaves_no_compiler() {
    let name = "failing-script";
    let Some(project) = slow(name, "cicc") else {
        return;
    };
    // The rest of a build script may fail while kernels compile.
    project.write(
        "build.rs",
        "fn main() {\n    std::thread::spawn(|| cubin_build::Builder::new().dir(\"kernels\").build());\n\
         \x20   while !std::path::Path::new(\"fail\").exists() {\n\
         \x20       std::thread::sleep(std::time::Duration::from_millis(10));\n    }\n    panic!(\"it fails\");\n}\n",
    );
    let mut command = project.cargo(&["build"]);
    let cargo = command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let cargo = cargo.spawn().unwrap();
    begins(name, "cicc");
    project.write("fail", "");
    let output = cargo.wait_with_output().unwrap();
    Run::new(&output).fails().says("it fails");
    nothing_goes_on(name);

    // A mistake in one source: all findings are shown, so the others end by themselves before the build does.
    project.write("build.rs", cubin_tests::BUILD);
    project.write("kernels/slow.cu", &SLOW.replace("150", "12"));
    project.write(
        "kernels/wrong.cu",
        "__global__ void wrong() { no_such(); }\n",
    );
    project
        .build()
        .fails()
        .says("identifier \"no_such\" is undefined");
    assert_eq!(processes::with(name), []);
}

/// What a build script wrote for the crate: names with bytes.
pub(crate) type Written = Vec<(String, Vec<u8>)>;

pub(crate) fn written(out: &Path) -> Written {
    let mut found = Vec::new();
    for entry in fs::read_dir(out).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            found.push((name, fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}

/// A crate with some sources, whose script was built, and what it writes.
fn several(name: &str) -> Option<(Project, PathBuf, Written)> {
    let project = project(name)?;
    project.write("cubin.toml", "[build]\narch = [\"sm_80\", \"sm_90\"]\n");
    for number in 0..4 {
        project.write(
            &format!("kernels/k{number}.cu"),
            &format!(
                "namespace {{ __device__ int tally; }}\n\
                 __global__ void k{number}(int *p) {{ *p = {number} + tally++; }}\n"
            ),
        );
    }
    project.build().succeeds();
    let out = project.dir.join("outs");
    let _ = fs::remove_dir_all(&out);
    let run = project.script(&out.join("clean")).output().unwrap();
    Run::new(&run).succeeds();
    let clean = written(&out.join("clean"));
    let cubins = clean.iter().filter(|(name, _)| name.ends_with(".cubin"));
    assert_eq!(cubins.count(), 10);
    Some((project, out, clean))
}

/// Starts a script for each directory at once; all succeed.
fn at_once(project: &Project, outs: &[PathBuf]) -> Vec<Run> {
    let mut started = Vec::new();
    for out in outs {
        let mut script = project.script(out);
        let script = script.stdout(Stdio::piped()).stderr(Stdio::piped());
        started.push(script.spawn().unwrap());
    }
    let ended = started.into_iter().map(|script| script.wait_with_output());
    ended
        .map(|run| Run::new(&run.unwrap()).succeeds())
        .collect()
}

#[test]
fn builds_at_the_same_time_are_right() {
    let Some((project, out, clean)) = several("at-once") else {
        return;
    };
    // In one directory, from nothing and after a change: one waits for the other, and finds nothing to do.
    let one = out.join("one");
    for round in ["from nothing", "after a change"] {
        if round == "after a change" {
            project.write("kernels/k0.cu", "__global__ void k0(int *p) { *p = 99; }\n");
        }
        let runs = at_once(&project, &[one.clone(), one.clone(), one.clone()]);
        let waited = runs
            .iter()
            .filter(|run| run.stderr.contains("note: waiting for"));
        assert!(waited.count() >= 1, "{round}: none waited");
        let did = |run: &&Run| run.stdout.contains("cubin-build: compiled");
        assert_eq!(runs.iter().filter(did).count(), 1, "{round}");
    }
    project.write(
        "kernels/k0.cu",
        "namespace { __device__ int tally; }\n__global__ void k0(int *p) { *p = 0 + tally++; }\n",
    );
    at_once(&project, &[one.clone(), one.clone()]);
    assert!(written(&one) == clean, "another result");
    // In two directories: neither waits.
    let outs = [out.join("two"), out.join("three")];
    for run in at_once(&project, &outs) {
        assert!(!run.stderr.contains("waiting"), "{}", run.stderr);
    }
    for out in outs {
        assert!(
            written(&out) == clean,
            "another result in {}",
            out.display()
        );
    }
}

#[test]
fn a_killed_build_gives_its_directory_to_the_next() {
    let name = "lock-holder";
    let Some((project, out, clean)) = several(name) else {
        return;
    };
    let out = out.join("held");
    project.write("kernels/slow.cu", SLOW);
    let mut holder = quiet(project.script(&out));
    begins(name, "cicc");
    fs::remove_file(project.dir.join("kernels/slow.cu")).unwrap();
    let mut script = project.script(&out);
    let waiting = script.stdout(Stdio::piped()).stderr(Stdio::piped());
    let waiting = waiting.spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    holder.kill().unwrap();
    holder.wait().unwrap();
    let run = Run::new(&waiting.wait_with_output().unwrap()).succeeds();
    run.says("note: waiting for another build that works in");
    assert!(written(&out) == clean, "another result");
    nothing_goes_on(name);
}
