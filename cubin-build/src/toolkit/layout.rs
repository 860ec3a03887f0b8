//! Where the parts of a toolkit lie, as its nvcc says it.
//!
//! `nvcc --dryrun` prints, before the commands that it would run, the variables that it made of `nvcc.profile`:
//!
//! ```text
//! #$ _HERE_=/usr/local/cuda-12.4/bin
//! #$ TOP=/usr/local/cuda-12.4/bin/..
//! #$ PATH=/usr/local/cuda-12.4/bin/../nvvm/bin:/usr/local/cuda-12.4/bin:/usr/bin:/bin
//! #$ INCLUDES="-I/usr/local/cuda-12.4/bin/../targets/x86_64-linux/include"
//! ```
//!
//! That holds behind a wrapper too, and where a distribution spreads the parts over `/usr`. A dryrun asks the host
//! compiler for its version; without one, or with a program that is no nvcc, the places are those of NVIDIA's
//! installers, seen from the program (11.8, 12.4, 13.0 to 13.5; Debian's 11.8 and 12.4).

use std::{
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
};

use super::flags::named_host;
use crate::{
    dryrun::Dryrun,
    env::{self, Env},
    lists::{AddAll, CollectVec},
    paths::{self, normalize},
    sorted,
};

/// Variables that nvcc adds to what its profile says: what they hold is the user's and not the toolkit's.
const OF_THE_USER: [&str; 7] = [
    "NVCC_APPEND_FLAGS",
    "NVCC_PREPEND_FLAGS",
    "INCLUDES",
    "SYSTEM_INCLUDES",
    "LIBRARIES",
    "CUDAFE_FLAGS",
    "PTXAS_FLAGS",
];
/// Roots below which everybody's files stand, besides home directories.
const SHARED: [&str; 5] = ["/", "/usr", "/usr/local", "/opt", "/opt/local"];
/// Folders among the toolkit's headers that define kernels, types and variables of device code (11.8 to 13.5).
const FOLDERS: [&str; 7] = [
    "cccl",
    "cooperative_groups",
    "crt",
    "cub",
    "cuda",
    "nv",
    "thrust",
];
/// Programs of a build, which a distribution keeps where everybody's are.
const PROGRAMS: [&str; 3] = ["cicc", "ptxas", "nvlink"];

/// Where the parts lie; all paths are absolute and without `..`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Layout {
    /// The toolkit's root directory.
    pub(super) root: PathBuf,
    /// Directory of the nvcc that does the work.
    pub(super) here: PathBuf,
    /// Directories that nvcc puts before `PATH`.
    pub(super) path: Vec<PathBuf>,
    /// Other directories of programs.
    pub(super) programs: Vec<PathBuf>,
    /// Directories (and, in a directory that others use too, folders and files) whose headers are NVIDIA's.
    pub(super) headers: Vec<PathBuf>,
    /// Directories of libraries.
    pub(super) libraries: Vec<PathBuf>,
    /// The library of device functions.
    pub(super) libdevice: PathBuf,
}

impl Layout {
    /// As NVIDIA's installers and wheels lay it out, from the directory of nvcc.
    pub(super) fn usual(env: &Env, here: &Path) -> Self {
        let root = here.parent().unwrap_or(here).to_owned();
        let machine = format!("targets/{}-linux", std::env::consts::ARCH);
        let headers = [root.join("include"), root.join(&machine).join("include")];
        Self {
            headers: owned(env, &root, headers.to_vec()),
            path: vec![root.join("nvvm/bin"), here.to_owned()],
            programs: Vec::new(),
            libraries: Vec::new(),
            libdevice: root.join("nvvm/libdevice/libdevice.10.bc"),
            here: here.to_owned(),
            root,
        }
    }

    /// Asks nvcc; `None` when its answer is not understood.
    pub(super) fn ask(env: &Env, nvcc: &Path) -> Option<Self> {
        let mut command = env.command(nvcc);
        command.args(["--dryrun", "-cubin", "-o", "x.cubin", "x.cu"]);
        // The flags that the user has for nvcc stay out, but for the host compiler among them.
        if let Some(ccbin) = named_host(env) {
            command.arg("-ccbin").arg(ccbin);
        }
        for name in OF_THE_USER {
            command.env_remove(name);
        }
        command
            .env("LC_ALL", "C")
            .stdin(std::process::Stdio::null());
        let output = command.output().ok()?;
        let text = String::from_utf8_lossy(&output.stderr);
        Self::read(env, &Dryrun::parse(&text).ok()?)
    }

    fn read(env: &Env, said: &Dryrun) -> Option<Self> {
        let here = absolute(said.variable("_HERE_")?)?;
        let mut layout = Self::usual(env, &here);
        if let Some(top) = said.variable("TOP").and_then(absolute) {
            layout.root = top;
        }
        layout.find_programs(env, said);
        let mut headers: Vec<PathBuf> = ["INCLUDES", "SYSTEM_INCLUDES"]
            .into_iter()
            .flat_map(|name| directories(said, name, &["-I", "-isystem"]))
            .collect_vec();
        if headers.is_empty() {
            // The compiler finds them by itself.
            let known = ["/usr/include", "/usr/local/include"].map(PathBuf::from);
            headers.add_all(known.into_iter().filter(|dir| is_headers(dir)));
        }
        layout.headers = owned(env, &layout.root, headers);
        layout.libraries = directories(said, "LIBRARIES", &["-L"]);
        if let Some(dir) = said.variable("NVVMIR_LIBRARY_DIR").and_then(absolute) {
            layout.libdevice = dir.join("libdevice.10.bc");
        }
        Some(layout)
    }

    /// What nvcc puts before the user's `PATH`, and where else it finds its programs.
    fn find_programs(&mut self, env: &Env, said: &Dryrun) {
        let all = said.variable("PATH").unwrap_or_default();
        let all: Vec<PathBuf> = std::env::split_paths(all).collect_vec();
        let users = env.peek("PATH").unwrap_or_default();
        let users: Vec<PathBuf> = std::env::split_paths(&users).collect_vec();
        let own = all.strip_suffix(users.as_slice()).unwrap_or(&all);
        let plain = |dir: &PathBuf| Some(paths::plain(dir)).filter(|dir| dir.is_absolute());
        self.path = own.iter().filter_map(plain).collect_vec();
        self.programs = vec![self.here.clone()];
        self.programs
            .add_all(said.variable("CICC_PATH").and_then(absolute));
        for name in PROGRAMS {
            let dir = all.iter().find(|dir| env::program_in(dir, name).is_some());
            self.programs.add_all(dir.and_then(plain));
        }
        self.programs.dedup();
    }

    /// Files whose change is another toolkit: the nvcc that does the work, and its profile.
    pub(super) fn parts(&self) -> Vec<PathBuf> {
        let nvcc = format!("nvcc{}", std::env::consts::EXE_SUFFIX);
        let parts = [self.here.join(nvcc), self.here.join("nvcc.profile")];
        parts
            .into_iter()
            .filter(|part| part.is_file())
            .collect_vec()
    }

    /// Also takes headers by the name of the root that the user gave, which a link may lead from.
    pub(super) fn known_as(&mut self, env: &Env, given: &Path) {
        let given = normalize(given);
        if given != self.root {
            for place in owned(env, &given, vec![given.join("include")]) {
                if !self.headers.contains(&place) {
                    self.headers.push(place);
                }
            }
        }
    }
}

/// The nvcc of a toolkit's root; also of a directory that pip installed NVIDIA's wheels into.
pub(super) fn nvcc_below(root: &Path) -> Option<PathBuf> {
    if let Some(nvcc) = env::program_in(&root.join("bin"), "nvcc") {
        return Some(nvcc);
    }
    let mut wheels: Vec<PathBuf> = fs::read_dir(root.join("nvidia"))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| {
            path.file_name()
                .and_then(|name| name.to_str())
                .and_then(|name| name.strip_prefix("cu"))
                .is_some_and(|digits| digits.parse::<u32>().is_ok())
        })
        .collect_vec();
    sorted::sort(&mut wheels);
    wheels
        .into_iter()
        .rev()
        .find_map(|dir| env::program_in(&dir.join("bin"), "nvcc"))
}

/// Without `..`, which nvcc writes behind the directory of its program.
fn absolute(text: &str) -> Option<PathBuf> {
    // An empty one is refused.
    let path = std::path::absolute(text.trim()).ok()?;
    Some(paths::plain(&path))
}

/// The directories behind `options` among the words of a variable: `"-I/a b" -isystem "/c"`.
fn directories(said: &Dryrun, name: &str, options: &[&str]) -> Vec<PathBuf> {
    let words = said.words_of(name).unwrap_or_default();
    let mut found = Vec::new();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(rest) = options.iter().find_map(|option| word.strip_prefix(option)) else {
            continue;
        };
        let dir = match rest {
            "" => words.next().map_or("", String::as_str),
            rest => rest,
        };
        found.add_all(absolute(dir));
    }
    found
}

fn is_headers(dir: &Path) -> bool {
    dir.join("cuda_runtime.h").is_file()
}

/// What of the directories of headers is NVIDIA's: all, or the known folders where others have theirs.
fn owned(env: &Env, root: &Path, dirs: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for dir in dirs {
        if !is_shared(env, root) && !dir.parent().is_some_and(|parent| is_shared(env, parent)) {
            found.push(dir);
            continue;
        }
        found.add_all(
            FOLDERS
                .map(|name| dir.join(name))
                .into_iter()
                .filter(|dir| dir.is_dir()),
        );
        // cuRAND's tables are variables of device code.
        let curand = |name: &OsStr| name.to_str().is_some_and(|name| name.starts_with("curand"));
        let mut files: Vec<PathBuf> = fs::read_dir(&dir)
            .into_iter()
            .flatten()
            .flatten()
            .filter(|entry| curand(&entry.file_name()))
            .map(|entry| entry.path())
            .collect_vec();
        sorted::sort(&mut files);
        found.add_all(files);
    }
    found
}

/// Whether a root is one where files of everybody stand: `/usr`, a home directory, or a directory above one.
fn is_shared(env: &Env, root: &Path) -> bool {
    let home = env.peek("HOME").or_else(|| env.peek("USERPROFILE"));
    let of_user = home.is_some_and(|home| {
        let home = Path::new(&home);
        home.starts_with(root) || root == home.join(".local")
    });
    of_user || SHARED.iter().any(|dir| root == Path::new(dir))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env() -> Env {
        Env::from_map([("HOME", "/home/me"), ("PATH", "/usr/bin:/bin")])
    }

    fn texts(of: &[PathBuf]) -> Vec<String> {
        of.iter().map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn a_dryrun_is_read() {
        let text = "#$ _SPACE_= \n#$ _HERE_=/it's/cu/bin\n#$ TOP=/it's/cu/bin/..\n#$ NVVMIR_LIBRARY_DIR=/it's/cu/bin/../nvvm/libdevice\n\
                    #$ PATH=/usr/bin:/bin\n#$ INCLUDES=\"-I/it's/cu/bin/..//include\"  \n\
                    #$ SYSTEM_INCLUDES=\"-isystem\" \"/it's/cu/bin/../include/cccl\"  \n\
                    #$ LIBRARIES=  \"-L/it's/cu/bin/../lib/stubs\" -L/l\n#$ gcc -D__CUDA_ARCH__=900 \"x.cu\"\n";
        let layout =
            Layout::read(&env(), &Dryrun::parse(text).expect("a dry run")).expect("understood");
        assert_eq!(layout.root, Path::new("/it's/cu"));
        assert_eq!(
            texts(&layout.headers),
            ["/it's/cu/include", "/it's/cu/include/cccl"]
        );
        assert_eq!(texts(&layout.libraries), ["/it's/cu/lib/stubs", "/l"]);
        assert_eq!(
            layout.libdevice,
            Path::new("/it's/cu/nvvm/libdevice/libdevice.10.bc")
        );
        for garbage in ["#$ _HERE_=", "#$ gcc _HERE_=/a"] {
            let said = Dryrun::parse(garbage).expect("a dry run");
            assert_eq!(Layout::read(&env(), &said), None, "{garbage}");
        }
    }

    #[test]
    fn a_place_of_everybody_is_never_the_toolkits() {
        for root in [
            "/usr",
            "/",
            "/home",
            "/home/me",
            "/home/me/.local",
            "/usr/local",
        ] {
            let layout = Layout::usual(&env(), &Path::new(root).join("bin"));
            let whole = Path::new(root).join("include");
            assert!(!layout.headers.contains(&whole), "{root}: {layout:?}");
        }
        let layout = Layout::usual(&env(), Path::new("/home/me/cuda/bin"));
        assert!(
            layout
                .headers
                .contains(&PathBuf::from("/home/me/cuda/include"))
        );
    }
}
