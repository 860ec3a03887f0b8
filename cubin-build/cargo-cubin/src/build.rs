//! `cargo cubin build|run|test`: cargo's own commands with `cubin-cc` as the linker, for any workspace as it is.
//!
//! What cargo links now, `cubin-cc` judges. What is up to date is judged here: a policy that alone was changed would
//! otherwise be held against nothing.

use std::{
    ffi::OsString,
    io::{BufRead as _, BufReader, Write as _},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context as _, bail};
use cargo_metadata::{Artifact, CrateType, Message, TargetKind};
use cubin_build::env::Env;

use crate::{
    files::{self, shown},
    linker,
    progress::Progress,
};

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The policy for all that is linked; without it each package's own cubin.toml
    #[arg(long, value_name = "PATH")]
    policy: Option<PathBuf>,
    /// The linker driver that links in fact: `clang`; without it the one that cargo's configuration names, else `cc`
    #[arg(long, value_name = "PROGRAM")]
    linker: Option<OsString>,
    /// Arguments of cargo's command
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "CARGO ARGUMENTS"
    )]
    cargo: Vec<OsString>,
}

/// The subcommand of cargo.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Build,
    Run,
    Test,
}

impl Kind {
    /// That of this program's first argument, if it is one of these.
    pub(crate) fn of(subcommand: Option<&OsString>) -> Option<Self> {
        match subcommand?.to_str()? {
            "build" => Some(Self::Build),
            "run" => Some(Self::Run),
            "test" => Some(Self::Test),
            _ => None,
        }
    }
}

/// `rest`: what is for the program that is run, with the `--` before it.
pub(crate) fn run(kind: Kind, args: &Args, rest: &[OsString]) -> anyhow::Result<ExitCode> {
    let cargo = Cargo::new(args)?;
    // What is run is judged before it runs.
    let own = &args.cargo[..];
    let mut first = cargo.command(if kind == Kind::Test { "test" } else { "build" });
    if kind == Kind::Test {
        first.arg("--no-run");
    }
    first.args(own);
    if !cargo.build(first, own)? {
        return Ok(ExitCode::FAILURE);
    }
    if kind == Kind::Build {
        return Ok(ExitCode::SUCCESS);
    }
    let name = if kind == Kind::Run { "run" } else { "test" };
    let status = cargo.command(name).args(own).args(rest).status()?;
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
}

/// Takes the arguments from `--` on away, which are for what is run.
pub(crate) fn split(arguments: &mut Vec<OsString>) -> Vec<OsString> {
    let end = arguments.iter().position(|argument| argument == "--");
    arguments.split_off(end.unwrap_or(arguments.len()))
}

/// How cargo is called.
struct Cargo {
    program: OsString,
    policy: Option<PathBuf>,
    variables: Vec<(String, OsString)>,
}

impl Cargo {
    fn new(args: &Args) -> anyhow::Result<Self> {
        let env = Env::process();
        let program = env.peek("CARGO").unwrap_or_else(|| "cargo".into());
        let wrapper = wrapper()?;
        let policy = match &args.policy {
            Some(path) => Some(
                path.canonicalize()
                    .with_context(|| format!("cannot read {}", shown(path)))?,
            ),
            None => None,
        };
        let triple = target(&args.cargo)?;
        let key = format!(
            "CARGO_TARGET_{}_LINKER",
            triple.to_uppercase().replace(['-', '.'], "_")
        );
        let mut variables = Vec::new();
        let configured = match &args.linker {
            Some(linker) => Some(linker.clone()),
            None => match env.peek(&key) {
                Some(linker) => Some(linker),
                None => configured(&triple)?,
            },
        };
        if let Some(linker) = configured.filter(|linker| *linker != *wrapper.as_os_str()) {
            variables.push((linker::DRIVER.to_owned(), linker));
        }
        if let Some(policy) = &policy {
            variables.push((linker::POLICY.to_owned(), policy.into()));
        }
        variables.push((key, wrapper.into()));
        Ok(Self {
            program,
            policy,
            variables,
        })
    }

    fn command(&self, subcommand: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(subcommand);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Builds, and judges what was up to date; whether all went well.
    fn build(&self, mut command: Command, arguments: &[OsString]) -> anyhow::Result<bool> {
        let asked = arguments
            .iter()
            .any(|argument| argument.to_string_lossy().starts_with("--message-format"));
        if !asked {
            command.arg("--message-format=json-render-diagnostics");
        }
        let _progress = Progress::of(&mut command);
        let mut child = command
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot run {}", shown(Path::new(&self.program))))?;
        let mut good = true;
        let mut out = std::io::stdout().lock();
        if let Some(stdout) = child.stdout.take() {
            for line in BufReader::new(stdout).lines() {
                let line = line.context("cannot read what cargo says")?;
                if asked {
                    writeln!(out, "{line}")?;
                }
                // Text for people holds no artefacts; then what is up to date is not known.
                if let Ok(Message::CompilerArtifact(made)) = serde_json::from_str(&line) {
                    good &= self.judge(&made)?;
                }
            }
        }
        Ok(child.wait()?.success() && good)
    }

    /// Judges what cargo did not link again, and static libraries, which no linker makes.
    fn judge(&self, made: &Artifact) -> anyhow::Result<bool> {
        let target = &made.target;
        let is = |kind: &CrateType| target.crate_types.contains(kind);
        let linked = made.executable.is_some() || is(&CrateType::CDyLib) || is(&CrateType::DyLib);
        let is_script = target.kind.contains(&TargetKind::CustomBuild);
        if is_script || !(linked && made.fresh || is(&CrateType::StaticLib)) {
            return Ok(true);
        }
        let manifest = made.manifest_path.as_std_path();
        let own = manifest.parent().and_then(linker::of_package);
        let Some(policy) = self.policy.clone().or(own) else {
            return Ok(true);
        };
        let mut good = true;
        for path in &made.filenames {
            let path = path.as_std_path();
            if let Some(report) = linker::judge(&policy, path, None)? {
                linker::tell(path, &report, false)?;
                good &= report.errors == 0;
            }
        }
        Ok(good)
    }
}

/// `cubin-cc`, which is installed beside this program.
fn wrapper() -> anyhow::Result<PathBuf> {
    let own = std::env::current_exe().context("cannot find the path of this program")?;
    let name = format!("cubin-cc{}", std::env::consts::EXE_SUFFIX);
    let path = own.with_file_name(name);
    if !path.is_file() {
        bail!(
            "{} is missing; `cargo install cargo-cubin` installs it beside this program",
            shown(&path)
        );
    }
    Ok(path)
}

/// What is built for: that of `--target`, else the host.
fn target(arguments: &[OsString]) -> anyhow::Result<String> {
    let mut all = arguments.iter().map(|argument| argument.to_string_lossy());
    while let Some(argument) = all.next() {
        if argument == "--target" {
            return all
                .next()
                .map(std::borrow::Cow::into_owned)
                .context("`--target` names no target");
        }
        if let Some(target) = argument.strip_prefix("--target=") {
            return Ok(target.to_owned());
        }
    }
    let rustc = Env::process()
        .peek("RUSTC")
        .unwrap_or_else(|| "rustc".into());
    let output = Command::new(&rustc)
        .arg("-vV")
        .output()
        .with_context(|| format!("cannot run {}", shown(Path::new(&rustc))))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned)
        .context("`rustc -vV` does not say what it runs on")
}

/// The linker that cargo's configuration files name for a target: the closest to this directory counts.
fn configured(triple: &str) -> anyhow::Result<Option<OsString>> {
    let here = std::env::current_dir()?;
    let home = Env::process().peek("CARGO_HOME").map(PathBuf::from);
    let dirs = here.ancestors().map(|dir| dir.join(".cargo"));
    for dir in dirs.chain(home) {
        let path = ["config.toml", "config"].map(|name| dir.join(name));
        let Some(path) = path.into_iter().find(|path| path.is_file()) else {
            continue;
        };
        let text = String::from_utf8_lossy(&files::open(&path)?).into_owned();
        // A file that cargo cannot read is cargo's to complain of.
        let Ok(config) = text.parse::<toml::Table>() else {
            continue;
        };
        let table = config.get("target").and_then(|all| all.get(triple));
        let linker = table.and_then(|table| table.get("linker"));
        if let Some(linker) = linker.and_then(toml::Value::as_str) {
            // A path with a slash is relative to the directory that holds `.cargo`.
            let base = dir.parent().unwrap_or(&dir);
            let is_path = linker.contains(['/', '\\']);
            return Ok(Some(if is_path {
                base.join(linker).into()
            } else {
                linker.into()
            }));
        }
    }
    Ok(None)
}
