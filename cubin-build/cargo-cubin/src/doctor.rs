//! `cargo cubin doctor`: what this machine has for building and for launching kernels.
//!
//! Looks only; installs nothing, and builds nothing but the program that asks libnvvm, in the folder for temporary files. Exit status 1 when a build could not work.

use std::{
    fmt,
    io::Write as _,
    path::{Path, PathBuf},
    process::ExitCode,
};

use cargo_metadata::MetadataCommand;
use cubin_build::{
    artifact::read_policy,
    config::Config,
    diag,
    env::Env,
    nvvm,
    toolkit::{self, Toolkit, ToolkitRequest, Wanted},
};

/// How a thing is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Good,
    /// Builds work without it.
    Missing,
    /// Builds do not work.
    Bad,
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Good => "ok",
            Self::Missing => "-",
            Self::Bad => "BAD",
        })
    }
}

struct Line {
    state: State,
    subject: &'static str,
    text: String,
}

impl Line {
    fn new(state: State, subject: &'static str, text: impl Into<String>) -> Self {
        Self {
            state,
            subject,
            text: text.into(),
        }
    }
}

pub(crate) fn run() -> anyhow::Result<ExitCode> {
    let env = Env::process();
    let packages = packages();
    let mut lines = Vec::new();
    lines.extend(toolkits(&env, &packages));
    lines.push(host_compiler(&env));
    lines.push(cache(&env));
    lines.push(installer(&env));
    lines.push(driver(&env));
    lines.extend(gpus(&env));
    lines.extend(packages.iter().map(policy));

    let mut out = std::io::stdout().lock();
    for line in &lines {
        // Later lines of a text stand below its first.
        let text = line
            .text
            .trim_end()
            .replace('\n', "\n                     ");
        writeln!(out, "{:<4} {:<15} {text}", line.state, line.subject)?;
    }
    let bad = lines.iter().any(|line| line.state == State::Bad);
    Ok(if bad {
        ExitCode::FAILURE
    } else {
        ExitCode::SUCCESS
    })
}

/// A package with a policy, its own or its workspace's.
struct Package {
    /// As shown.
    name: String,
    config: Result<(Config, Vec<diag::Diag>), String>,
}

/// The packages of the workspace around the current directory that have a policy; none outside of a workspace.
fn packages() -> Vec<Package> {
    let Ok(metadata) = MetadataCommand::new().no_deps().exec() else {
        return Vec::new();
    };
    let here = std::env::current_dir().unwrap_or_default();
    let mut dirs: Vec<PathBuf> = metadata
        .workspace_packages()
        .iter()
        .filter_map(|package| package.manifest_path.parent())
        .map(|dir| dir.as_std_path().to_owned())
        .collect();
    dirs.sort();
    let package = |dir: &PathBuf| {
        let own = dir.join("cubin.toml");
        let name = own.strip_prefix(&here).unwrap_or(&own).display();
        let name = if own.is_file() {
            name.to_string()
        } else {
            format!("{name} is not there: its workspace's")
        };
        let config = match read_policy(dir, Path::new("cubin.toml"), false) {
            Ok(layers) if layers.said => Ok((layers.config, layers.problems)),
            Ok(_) => return None,
            Err(error) => Err(error.to_string()),
        };
        Some(Package { name, config })
    };
    dirs.iter().filter_map(package).collect()
}

/// One line per toolkit that the packages here ask for, and one for its libnvvm; what a build takes by itself when none asks.
fn toolkits(env: &Env, packages: &[Package]) -> Vec<Line> {
    let mut wanted: Vec<(Option<Wanted>, bool)> = packages
        .iter()
        .filter_map(|package| package.config.as_ref().ok())
        .map(|(config, _)| {
            let version = config
                .toolkit
                .version
                .as_ref()
                .and_then(|version| version.value.parse().ok());
            (
                version,
                config
                    .toolkit
                    .install
                    .as_ref()
                    .is_some_and(|install| install.value),
            )
        })
        .collect();
    wanted.dedup();
    if wanted.is_empty() {
        wanted.push((None, false));
    }
    wanted
        .into_iter()
        .flat_map(|(version, install)| toolkit(env, version, install))
        .collect()
}

fn toolkit(env: &Env, version: Option<Wanted>, install: bool) -> Vec<Line> {
    const SUBJECT: &str = "toolkit";
    let explicit = env.get("CUBIN_BUILD_TOOLKIT").is_some();
    if let (true, false, Some(wanted)) = (install, explicit, version) {
        let installed = toolkit::installed(env).unwrap_or_default();
        return match installed
            .into_iter()
            .rev()
            .find(|toolkit| wanted.matches(toolkit.version))
        {
            Some(toolkit) => both(env, SUBJECT, &toolkit),
            None => vec![Line::new(
                State::Missing,
                SUBJECT,
                format!(
                    "CUDA {wanted} is not installed yet; the first build does it, or `cargo cubin toolkit install {wanted}`"
                ),
            )],
        };
    }
    match toolkit::find(
        env,
        &ToolkitRequest {
            version,
            ..ToolkitRequest::default()
        },
    ) {
        Ok(toolkit) => both(env, SUBJECT, &toolkit),
        Err(error) => vec![Line::new(State::Bad, SUBJECT, error.to_string())],
    }
}

fn both(env: &Env, subject: &'static str, toolkit: &Toolkit) -> Vec<Line> {
    vec![
        Line::new(State::Good, subject, described(toolkit)),
        libnvvm(env, toolkit),
    ]
}

/// The compiler of NVVM IR, which sources of C++ do not need.
fn libnvvm(env: &Env, toolkit: &Toolkit) -> Line {
    const SUBJECT: &str = "libnvvm";
    /// One of each that a libnvvm of CUDA 12 or 13 may know; suffixes have the answer of their number.
    const TARGETS: [u32; 13] = [70, 75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121];
    let Some(library) = toolkit.libnvvm() else {
        let text = format!(
            "none in {}: `.ll` and `.bc` sources cannot be compiled",
            toolkit.root.display()
        );
        return Line::new(State::Missing, SUBJECT, text);
    };
    let path = library.display();
    let versions = match nvvm::ask(env, &library, &TARGETS) {
        Ok(versions) => versions,
        Err(why) => {
            let text = format!("{path}: {why}\n`.ll` and `.bc` sources cannot be compiled");
            return Line::new(State::Missing, SUBJECT, text);
        }
    };
    let [major, minor] = versions.own;
    let [ir, ir_minor, debug, debug_minor] = versions.ir;
    let mut text = format!(
        "{path}: version {major}.{minor}, NVVM IR {ir}.{ir_minor} with debug information {debug}.{debug_minor}"
    );
    let readers = versions.llvm.chunk_by(|(_, one), (_, next)| one == next);
    for (index, group) in readers.enumerate() {
        let (Some((first, version)), Some((last, _))) = (group.first(), group.last()) else {
            continue;
        };
        text.push_str(if index == 0 { "\n" } else { ", " });
        text.push_str(&format!("LLVM {version} for sm_{first} to sm_{last}"));
    }
    if toolkit.libdevice().is_none() {
        text.push_str("\nwithout libdevice: modules that call `__nv_…` cannot be compiled");
    }
    Line::new(State::Good, SUBJECT, text)
}

fn described(toolkit: &Toolkit) -> String {
    let tools = ["ptxas", "nvlink", "cuobjdump", "nvdisasm"];
    let missing: Vec<&str> = tools
        .into_iter()
        .filter(|tool| toolkit.tool(tool).is_none())
        .collect();
    match missing.as_slice() {
        [] => format!("{toolkit}{}", libraries(toolkit)),
        missing => format!(
            "{toolkit}, without {}{}",
            missing.join(", "),
            libraries(toolkit)
        ),
    }
}

/// Which of the libraries that `components` can ask for are there with a toolkit.
fn libraries(toolkit: &Toolkit) -> String {
    let found = toolkit::components(toolkit);
    let names: Vec<&str> = found.iter().map(|component| component.library).collect();
    match names.as_slice() {
        [] => String::new(),
        names => format!(", with {}", names.join(", ")),
    }
}

fn host_compiler(env: &Env) -> Line {
    const SUBJECT: &str = "host compiler";
    match toolkit::host_compiler(env, None) {
        Ok(compiler) => Line::new(State::Good, SUBJECT, compiler.program.display().to_string()),
        Err(error) => {
            let text = format!("{error}\nhelp: {}", error.help());
            Line::new(State::Bad, SUBJECT, text)
        }
    }
}

fn cache(env: &Env) -> Line {
    const SUBJECT: &str = "cache";
    let Some(dir) = toolkit::cache_dir(env) else {
        return Line::new(
            State::Missing,
            SUBJECT,
            toolkit::Error::NoCacheDir.to_string(),
        );
    };
    match toolkit::installed(env) {
        Ok(toolkits) => {
            let versions: Vec<String> = toolkits
                .iter()
                .map(|toolkit| format!("CUDA {}{}", toolkit.version, libraries(toolkit)))
                .collect();
            let holds = if versions.is_empty() {
                "no toolkit installed".to_owned()
            } else {
                versions.join("; ")
            };
            let damaged = toolkits.iter().filter_map(damaged);
            let damaged: Vec<String> = damaged.collect();
            if damaged.is_empty() {
                Line::new(State::Good, SUBJECT, format!("{}: {holds}", dir.display()))
            } else {
                let text = format!("{}: {holds}\n{}", dir.display(), damaged.join("\n"));
                Line::new(State::Bad, SUBJECT, text)
            }
        }
        Err(error) => Line::new(State::Bad, SUBJECT, error.to_string()),
    }
}

/// What is wrong with the files of an installed toolkit, by their sizes: hashes take as long as reading 350 MB.
fn damaged(toolkit: &Toolkit) -> Option<String> {
    let files = match toolkit::recorded(toolkit) {
        Ok(files) => files,
        Err(error) => return Some(error.to_string()),
    };
    let mut damaged = files.iter().filter_map(|file| Some((file, file.damage()?)));
    let (first, what) = damaged.next()?;
    let others = match damaged.count() {
        0 => String::new(),
        1 => ", and 1 more file is damaged".to_owned(),
        count => format!(", and {count} more files are damaged"),
    };
    Some(format!(
        "CUDA {}: {} {what}{others}; `cargo cubin toolkit install --force {}` installs it anew",
        toolkit.version,
        first.path.display(),
        toolkit.version
    ))
}

/// What installs toolkits.
fn installer(env: &Env) -> Line {
    const SUBJECT: &str = "installer";
    match ["uv", "python3", "python"]
        .iter()
        .find_map(|name| env.find_program(name))
    {
        Some(program) => Line::new(State::Good, SUBJECT, program.display().to_string()),
        None => Line::new(
            State::Missing,
            SUBJECT,
            "neither uv nor Python on PATH: toolkits cannot be installed into the cache",
        ),
    }
}

/// The driver's library, which launching needs and building does not.
fn driver(env: &Env) -> Line {
    const SUBJECT: &str = "driver";
    let name = if cfg!(windows) {
        "nvcuda.dll"
    } else {
        "libcuda.so.1"
    };
    match library(env, name) {
        Some(path) => Line::new(State::Good, SUBJECT, path.display().to_string()),
        None => Line::new(
            State::Missing,
            SUBJECT,
            format!("no {name}: kernels build here, but do not run"),
        ),
    }
}

/// Where the system's loader would find a library.
fn library(env: &Env, name: &str) -> Option<PathBuf> {
    let variable = if cfg!(windows) {
        "PATH"
    } else {
        "LD_LIBRARY_PATH"
    };
    let named = env
        .get(variable)
        .into_iter()
        .flat_map(|value| std::env::split_paths(&value).collect::<Vec<_>>());
    let arch = std::env::consts::ARCH;
    let usual = [
        format!("/usr/lib/{arch}-linux-gnu"),
        "/usr/lib64".to_owned(),
        "/usr/lib".to_owned(),
        "/usr/local/lib".to_owned(),
        "/usr/lib/wsl/lib".to_owned(),
        "/run/opengl-driver/lib".to_owned(),
        r"C:\Windows\System32".to_owned(),
    ];
    let found = named
        .chain(usual.into_iter().map(PathBuf::from))
        .map(|dir| dir.join(name))
        .find(|path| path.exists());
    // Elsewhere, when the loader's own cache knows it.
    found.or_else(|| {
        let ldconfig = env
            .find_program("ldconfig")
            .unwrap_or_else(|| PathBuf::from("/sbin/ldconfig"));
        let output = env.command(ldconfig).arg("-p").output().ok()?;
        let text = String::from_utf8_lossy(&output.stdout);
        let line = text
            .lines()
            .find(|line| line.trim_start().starts_with(name))?;
        line.rsplit_once("=> ").map(|(_, path)| PathBuf::from(path))
    })
}

/// One line per GPU with the target that it needs.
fn gpus(env: &Env) -> Vec<Line> {
    const SUBJECT: &str = "GPU";
    let Some(program) = env.find_program("nvidia-smi") else {
        return vec![Line::new(
            State::Missing,
            SUBJECT,
            "not known: there is no nvidia-smi on PATH",
        )];
    };
    let output = env
        .command(&program)
        .args([
            "--query-gpu=name,compute_cap,driver_version",
            "--format=csv,noheader",
        ])
        .output();
    let output = match output {
        Ok(output) if output.status.success() => output,
        Ok(output) => {
            let text = format!(
                "{}{}",
                String::from_utf8_lossy(&output.stdout),
                String::from_utf8_lossy(&output.stderr)
            );
            return vec![Line::new(
                State::Missing,
                SUBJECT,
                format!("nvidia-smi says: {}", text.trim()),
            )];
        }
        Err(error) => {
            return vec![Line::new(
                State::Missing,
                SUBJECT,
                format!("cannot run {}: {error}", program.display()),
            )];
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(", ").collect();
        match fields.as_slice() {
            [name, capability, driver] => {
                let target = format!("sm_{}", capability.replace('.', ""));
                Line::new(
                    State::Good,
                    SUBJECT,
                    format!("{name}: {target}, driver {driver}"),
                )
            }
            _ => Line::new(State::Good, SUBJECT, line),
        }
    };
    let lines: Vec<Line> = text
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(line)
        .collect();
    if lines.is_empty() {
        vec![Line::new(State::Missing, SUBJECT, "none")]
    } else {
        lines
    }
}

fn policy(package: &Package) -> Line {
    const SUBJECT: &str = "cubin.toml";
    match &package.config {
        Err(error) => Line::new(
            State::Bad,
            SUBJECT,
            format!("cannot read {}: {error}", package.name),
        ),
        Ok((_, problems)) if problems.is_empty() => {
            Line::new(State::Good, SUBJECT, package.name.clone())
        }
        Ok((_, problems)) => {
            let shown: Vec<String> = problems
                .iter()
                .map(|problem| diag::render(problem, false))
                .collect();
            let worst = problems.iter().map(|problem| problem.level).max();
            let state = if worst == Some(diag::Level::Deny) {
                State::Bad
            } else {
                State::Good
            };
            Line::new(
                state,
                SUBJECT,
                format!("{}\n{}", package.name, shown.join("\n")),
            )
        }
    }
}
