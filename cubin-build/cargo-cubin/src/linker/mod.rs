//! `cubin-cc`: links as the real linker driver does, then judges the device code in what was linked.
//!
//! rustc calls it in place of `cc` (`linker = "cubin-cc"` for a target in `.cargo/config.toml`, or `cargo cubin build`). What
//! breaks the policy is removed, and the exit status is 1, so that the build fails. The policy is the cubin.toml of the
//! crate that is linked, which cargo names by `CARGO_MANIFEST_DIR`, or of a directory above it up to the workspace's. Build
//! scripts, and crates without a policy, are linked and not judged.

mod arguments;

use std::{
    ffi::OsString,
    fs,
    io::Write as _,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

use anyhow::Context as _;
use cubin_build::{artifact::read_policy, env::Env};

use crate::{
    artifact::{self, Judged, Rules, Sidecars},
    files::{self, shown},
    report::Report,
};

/// The driver that links in fact; `cc` without it.
pub(crate) const DRIVER: &str = "CUBIN_CC_LINKER";
/// The policy, where it is not the crate's cubin.toml.
pub(crate) const POLICY: &str = "CUBIN_CC_POLICY";
/// What cargo calls every build script.
const BUILD_SCRIPT: &str = "build_script_";

/// Links with these arguments, and judges.
pub(crate) fn run(arguments: &[OsString]) -> anyhow::Result<ExitCode> {
    let env = Env::process();
    let driver = env.peek(DRIVER).filter(|name| !name.is_empty());
    let driver = driver.unwrap_or_else(|| "cc".into());
    let status = Command::new(&driver)
        .args(arguments)
        .status()
        .with_context(|| {
            format!(
                "cannot run the linker driver {}, which {DRIVER} names",
                shown(Path::new(&driver))
            )
        })?;
    if !status.success() {
        let code = status.code().and_then(|code| u8::try_from(code).ok());
        return Ok(code.map_or(ExitCode::FAILURE, ExitCode::from));
    }
    let of_build_script = env
        .peek("CARGO_CRATE_NAME")
        .is_some_and(|name| name.to_string_lossy().starts_with(BUILD_SCRIPT));
    if of_build_script {
        return Ok(ExitCode::SUCCESS);
    }
    let Some(policy) = policy(&env) else {
        return Ok(ExitCode::SUCCESS);
    };
    let Some(output) = arguments::output(arguments)? else {
        return Ok(ExitCode::SUCCESS);
    };
    let out_dir = env.peek("OUT_DIR").map(PathBuf::from);
    let judged = judge(&policy, &output, out_dir.as_deref());
    match judged {
        Ok(None) => Ok(ExitCode::SUCCESS),
        Ok(Some(report)) => {
            tell(&output, &report, true)?;
            if report.errors == 0 {
                return Ok(ExitCode::SUCCESS);
            }
            forget(&output)
        }
        // Not judged is not passed.
        Err(error) => {
            let _ = forget(&output);
            Err(error.context(format!("cannot judge {}", shown(&output))))
        }
    }
}

/// What a file that was linked breaks; `None` when it holds no device code.
///
/// # Errors
/// When the file or the policy cannot be read.
pub(crate) fn judge(
    policy: &Path,
    output: &Path,
    out_dir: Option<&Path>,
) -> anyhow::Result<Option<Report>> {
    let bytes = files::open(output).with_context(|| shown(output))?;
    // Most programs hold none, and then nothing else is read.
    if !crate::inspect::holds_device_code(&bytes) {
        return Ok(None);
    }
    let rules = Rules::read(policy)?;
    let mut sidecars = Sidecars::default();
    if let Some(out_dir) = out_dir {
        sidecars.add(out_dir);
    }
    sidecars.add_near(output);
    Ok(
        match artifact::judge(&rules, output, &bytes, &mut sidecars)? {
            Judged::Report(report) => Some(*report),
            Judged::Nothing(_) => None,
        },
    )
}

/// A line that says all, since rustc prints it below its own command, and the findings. Whether the file is `removed` for
/// them is said.
pub(crate) fn tell(output: &Path, report: &Report, removed: bool) -> anyhow::Result<()> {
    if report.rendered.is_empty() {
        return Ok(());
    }
    let mut out = anstream::stderr().lock();
    if report.errors > 0 {
        let summary = report
            .rendered
            .trim_end()
            .lines()
            .last()
            .unwrap_or_default();
        let what = summary.strip_prefix("error: ").unwrap_or(summary);
        writeln!(
            out,
            "cubin-cc: {} breaks the policy{}: {what}",
            shown(output),
            if removed { ", and is removed" } else { "" }
        )?;
    }
    writeln!(out, "{}", report.coloured.trim_end())?;
    Ok(())
}

/// Removes what must not be used.
fn forget(output: &Path) -> anyhow::Result<ExitCode> {
    fs::remove_file(output).with_context(|| format!("cannot remove {}", shown(output)))?;
    Ok(ExitCode::FAILURE)
}

/// The policy of the crate that is linked: its cubin.toml, or one above it, not above the workspace's directory.
fn policy(env: &Env) -> Option<PathBuf> {
    if let Some(path) = env.peek(POLICY).filter(|path| !path.is_empty()) {
        return Some(path.into());
    }
    let dir = PathBuf::from(env.peek("CARGO_MANIFEST_DIR")?);
    of_package(&dir)
}

/// The cubin.toml in a package's directory, or in one above it up to where Cargo.lock lies; the package's Cargo.toml where
/// `[workspace.metadata.cubin]` of its workspace alone says something.
pub(crate) fn of_package(dir: &Path) -> Option<PathBuf> {
    own_file(dir).or_else(|| {
        let said = read_policy(dir, Path::new("cubin.toml"), false).is_ok_and(|found| found.said);
        said.then(|| dir.join("Cargo.toml"))
    })
}

fn own_file(dir: &Path) -> Option<PathBuf> {
    for dir in dir.ancestors() {
        let path = dir.join("cubin.toml");
        if path.is_file() {
            return Some(path);
        }
        if dir.join("Cargo.lock").is_file() {
            break;
        }
    }
    None
}
