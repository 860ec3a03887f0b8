//! Runs the build scripts of a workspace in report mode and reads what they found.
//!
//! With `CUBIN_BUILD_REPORT` set to a directory, a build script that uses `cubin-build` compiles and checks as always,
//! writes its findings there as JSON, and does not fail for a policy violation.

use std::{
    ffi::OsString,
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, bail};
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};
use cubin_build::env::Env;

use crate::report::{self, Report};

/// Which packages to look at.
#[derive(Debug, clap::Args)]
pub(crate) struct Selection {
    /// Only these packages; all packages of the workspace that use cubin-build otherwise
    #[arg(short, long = "package", value_name = "SPEC")]
    packages: Vec<String>,
    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,
    /// Arguments for the `cargo check` that runs the build scripts: `-- --features cuda --offline`
    #[arg(last = true, value_name = "CARGO ARGUMENTS")]
    cargo: Vec<OsString>,
}

/// Builds the selected packages and returns one report per builder run, by package.
pub(crate) fn reports(selection: &Selection) -> anyhow::Result<Vec<Report>> {
    let mut command = MetadataCommand::new();
    if let Some(path) = &selection.manifest_path {
        command.manifest_path(path);
    }
    let metadata = command
        .no_deps()
        .exec()
        .context("cannot read the workspace")?;
    let packages = users_of_cubin_build(&metadata, &selection.packages)?;

    let dir = metadata
        .target_directory
        .as_std_path()
        .join("cubin-report")
        .join(std::process::id().to_string());
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let result = run_cargo(selection, &packages, &dir).and_then(|()| report::read_all(&dir));
    let _ = fs::remove_dir_all(&dir);
    let reports = result?;
    if reports.is_empty() {
        bail!(
            "no build script of {} ran cubin_build::Builder; is it called in build.rs?",
            packages.join(", ")
        );
    }
    Ok(reports)
}

pub(crate) fn users_of_cubin_build(
    metadata: &Metadata,
    wanted: &[String],
) -> anyhow::Result<Vec<String>> {
    let members = metadata.workspace_packages();
    for name in wanted {
        if !members.iter().any(|package| package.name.as_str() == name) {
            let known: Vec<&str> = members
                .iter()
                .map(|package| package.name.as_str())
                .collect();
            bail!(
                "no package `{name}` in this workspace; it has {}",
                known.join(", ")
            );
        }
    }
    let users: Vec<String> = members
        .iter()
        .filter(|package| {
            wanted.is_empty() || wanted.iter().any(|name| package.name.as_str() == name)
        })
        .filter(|package| {
            package.dependencies.iter().any(|dependency| {
                dependency.name == "cubin-build" && dependency.kind == DependencyKind::Build
            })
        })
        .map(|package| package.name.to_string())
        .collect();
    if users.is_empty() {
        bail!("no package here has `cubin-build` under [build-dependencies]");
    }
    Ok(users)
}

fn run_cargo(selection: &Selection, packages: &[String], dir: &Path) -> anyhow::Result<()> {
    let cargo = Env::process()
        .peek("CARGO")
        .unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command.arg("check").env("CUBIN_BUILD_REPORT", dir);
    if let Some(path) = &selection.manifest_path {
        command.arg("--manifest-path").arg(path);
    }
    for package in packages {
        command.args(["--package", package]);
    }
    command.args(&selection.cargo);
    let status = command
        .status()
        .with_context(|| format!("cannot run {}", cargo.display()))?;
    if !status.success() {
        bail!("`cargo check` failed, see above; the kernels were not all compiled");
    }
    Ok(())
}
