//! The same sources, flags and toolkit give the same files: in every folder, for every user, at every number of jobs.

use std::{
    fs,
    os::unix::{
        fs::{MetadataExt as _, chown},
        process::CommandExt as _,
    },
    path::{Path, PathBuf},
    process::Command,
};

use cubin_tests::{Project, Run};

use crate::interrupted::{Written, written};

/// Names that nvcc would make from the folder: of anonymous namespaces, and of what is `static` among template arguments.
const LOCAL: &str = "#include \"common.cuh\"\n\
    namespace { __device__ int tally; struct Local { int x; };\n\
    template <typename T> __global__ void local(T *p) { p->x = tally++; }\n\
    template __global__ void local<Local>(Local *); }\n\
    static __device__ int counter;\n\
    static __device__ int twice(int x) { return 2 * x; }\n\
    template <int *P, int (*F)(int)> __global__ void counted(int *p) { *p = F(*P) + common(3); }\n\
    template __global__ void counted<&counter, twice>(int *);\n\
    __constant__ float table[4];\n\
    __global__ void plain(float *p) { *p = table[threadIdx.x]; }\n";
const COMMON: &str = "namespace { __device__ int shared_by_name = 4; }\n\
    static __device__ __noinline__ int common(int x) { return x + shared_by_name; }\n";
/// Two sources of one linked module, with equal names that each keeps to itself.
const STEP: &str = "namespace { __device__ int state = 1; }\nstatic __device__ int own = 5;\n\
    extern __device__ int rest(int);\n\
    template <int *P> __global__ void stepped(int *p) { *p = rest(*P) + state; }\n\
    template __global__ void stepped<&own>(int *);\n\
    __global__ void step(int *p) { *p = rest(own) + state; }\n";
const REST: &str = "namespace { __device__ int state = 2; }\nstatic __device__ int own = 6;\n\
    __device__ int rest(int x) { state += x; return state + own; }\n";
const POLICY: &str = "[build]\narch = [\"sm_80\", \"sm_90\"]\ndirs = [\"kernels\"]\nptx = true\n\
    [[link]]\nname = \"linked\"\nsources = [\"linked/step.cu\", \"linked/rest.cu\"]\n";

fn checkout(dir: &Path, policy: &str) {
    for (path, text) in [
        ("kernels/local.cu", LOCAL),
        ("kernels/common.cuh", COMMON),
        ("linked/step.cu", STEP),
        ("linked/rest.cu", REST),
        ("cubin.toml", policy),
    ] {
        let path = dir.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// A crate whose script was built, and an empty folder for checkouts.
fn script(name: &str) -> Option<(Project, PathBuf)> {
    let toolkit = cubin_tests::toolkit()?;
    let project = Project::new(env!("CARGO_TARGET_TMPDIR"), name, &toolkit);
    project.write(
        "build.rs",
        "fn main() {\n    cubin_build::Builder::new().build();\n}\n",
    );
    checkout(&project.dir, POLICY);
    project.build().succeeds();
    let dir = project.dir.join("checkouts");
    let _ = fs::remove_dir_all(&dir);
    fs::create_dir_all(&dir).unwrap();
    Some((project, dir))
}

/// What a checkout gives: cubins, PTX and the generated file.
fn built(
    project: &Project,
    root: &Path,
    jobs: &str,
    change: impl FnOnce(&mut Command, &Path),
) -> Written {
    let out = root.with_extension("out");
    let mut script = project.script(&out);
    script
        .current_dir(root)
        .env("CARGO_MANIFEST_DIR", root)
        .env("NUM_JOBS", jobs);
    change(&mut script, &out);
    Run::new(&script.output().unwrap()).succeeds();
    let mut files = written(&out);
    files.retain(|(name, _)| {
        [".cubin", ".ptx", ".rs"]
            .iter()
            .any(|end| name.ends_with(end))
    });
    files
}

/// The names of files that differ.
fn differences(one: &Written, other: &Written) -> Vec<String> {
    let names = |files: &Written| {
        files
            .iter()
            .map(|(name, _)| name.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(one), names(other));
    let pairs = one.iter().zip(other);
    let differ = pairs.filter(|(one, other)| one.1 != other.1);
    differ.map(|((name, _), _)| name.clone()).collect()
}

const NONE: [&str; 0] = [];

#[test]
fn every_folder_and_number_of_jobs_gives_the_same() {
    let Some((project, dir)) = script("same-everywhere") else {
        return;
    };
    let root = dir.join("one");
    checkout(&root, POLICY);
    let first = built(&project, &root, "1", |_, _| {});
    let names: Vec<&str> = first.iter().map(|(name, _)| name.as_str()).collect();
    for expected in [
        "linked.sm_80.cubin",
        "linked.sm_90.cubin",
        "local.sm_80.cubin",
        "local.sm_90.cubin",
        "kernels.rs",
    ] {
        assert!(names.contains(&expected), "{names:?}");
    }
    assert!(names.iter().any(|name| name.ends_with(".ptx")), "{names:?}");
    for (at, folder) in ["another folder/deeper/by far", "it's ü"]
        .iter()
        .enumerate()
    {
        let root = dir.join(folder);
        checkout(&root, POLICY);
        let jobs = ["4", "1"][at];
        let other = built(&project, &root, jobs, |_, _| {});
        assert_eq!(
            differences(&first, &other),
            NONE,
            "in {folder}, {jobs} jobs"
        );
    }
}

/// Whether this is root, who may be anyone.
fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0)
}

const NOBODY: u32 = 65_534;

fn own(dir: &Path) {
    chown(dir, Some(NOBODY), Some(NOBODY)).unwrap();
    for entry in fs::read_dir(dir).unwrap().flatten() {
        match entry.path() {
            path if path.is_dir() => own(&path),
            path => chown(path, Some(NOBODY), Some(NOBODY)).unwrap(),
        }
    }
}

/// By hard links where they can be: another user cannot look into the home directory that has the toolkit.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let (from, to) = (
            entry.as_ref().unwrap().path(),
            to.join(entry.unwrap().file_name()),
        );
        if from.is_dir() {
            copy(&from, &to);
        } else if fs::hard_link(fs::canonicalize(&from).unwrap(), &to).is_err() {
            fs::copy(&from, &to).unwrap();
        }
    }
}

#[test]
fn every_user_gets_the_same() {
    let Some((project, dir)) = script("same-for-all") else {
        return;
    };
    let toolkit = cubin_tests::toolkit().unwrap();
    let root = dir.join("mine");
    checkout(&root, POLICY);
    let mine = built(&project, &root, "2", |_, _| {});

    let root = dir.join("home of another/work");
    checkout(&root, POLICY);
    let home = root.parent().unwrap();
    fs::create_dir_all(home.join("tmp")).unwrap();
    let as_another = |script: &mut Command, out: &Path| {
        for name in ["HOME", "TMPDIR"] {
            script.env(name, home.join(if name == "HOME" { "" } else { "tmp" }));
        }
        for name in ["USER", "LOGNAME"] {
            script.env(name, "another");
        }
        script.env("LANG", "de_DE.UTF-8").env("TZ", "Asia/Tokyo");
        let whole = toolkit.root.join("bin/nvcc").is_file();
        let traversed = Command::new("/bin/sh")
            .args(["-c", "test -x \"$1\"", "sh"])
            .arg(script.get_program())
            .uid(if is_root() { NOBODY } else { 0 })
            .status();
        if is_root() && whole && traversed.is_ok_and(|status| status.success()) {
            let copied = home.join("cuda");
            copy(&toolkit.root, &copied);
            own(home);
            own(out);
            script
                .env("CUBIN_BUILD_TOOLKIT", copied)
                .uid(NOBODY)
                .gid(NOBODY);
            println!("the other user is nobody, by its number");
        } else {
            println!(
                "skipped: a user of another number; the other one differs by HOME, USER, LOGNAME, TMPDIR, LANG and TZ"
            );
        }
    };
    let theirs = built(&project, &root, "3", as_another);
    assert_eq!(differences(&mine, &theirs), NONE);
    let _ = fs::remove_dir_all(home.join("cuda"));
}

/// Line information holds the paths of the sources; all else is the same.
#[test]
fn line_information_differs_by_paths_alone() {
    let Some((project, dir)) = script("same-lines") else {
        return;
    };
    let policy = POLICY.replace("ptx = true", "ptx = true\nlineinfo = true");
    // As long as each other, so that nothing behind a path moves.
    let [one, other] = ["checkout-a", "checkout-b"].map(|folder| {
        let root = dir.join(folder);
        checkout(&root, &policy);
        (built(&project, &root, "2", |_, _| {}), folder)
    });
    let differ = differences(&one.0, &other.0);
    assert!(
        differ.iter().any(|name| name == "local.sm_90.cubin"),
        "no path in {differ:?}"
    );
    assert!(!differ.iter().any(|name| name == "kernels.rs"));
    let tame = |files: &Written, folder: &str| -> Written {
        let files = files.iter();
        let tame = files.map(|(name, bytes)| (name.clone(), without_path(bytes, folder)));
        tame.collect()
    };
    let differ = differences(&tame(&one.0, one.1), &tame(&other.0, other.1));
    assert_eq!(differ, NONE);
}

/// Without the name of the folder, and without the number behind a section's name that ptxas 13.5 makes of the PTX with
/// its paths (relocatable code alone has it).
fn without_path(bytes: &[u8], folder: &str) -> Vec<u8> {
    const SECTION: &[u8] = b".nv_debug_ptx_txt.";
    let mut out = bytes.to_vec();
    for at in 0..out.len() {
        if out[at..].starts_with(folder.as_bytes()) {
            out[at..at + folder.len()].fill(b'-');
        } else if out[at..].starts_with(SECTION) {
            let number = out[at + SECTION.len()..].iter_mut();
            for digit in number.take_while(|byte| byte.is_ascii_digit()) {
                *digit = b'0';
            }
        }
    }
    out
}
