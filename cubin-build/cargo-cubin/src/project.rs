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
use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package};
use cubin_build::env::Env;

use crate::{
    linker::of_package,
    options::Options,
    progress::Progress,
    report::{self, Report},
};

/// The file of the policy.
const NAME: &str = "cubin.toml";

/// Which packages to look at.
#[derive(Debug, Clone, clap::Args)]
pub(crate) struct Selection {
    /// These packages; without it the one in this directory, or what the workspace builds by default
    #[arg(short, long = "package", value_name = "SPEC")]
    packages: Vec<String>,
    /// Every package of the workspace that uses cubin-build
    #[arg(long, alias = "all", conflicts_with = "packages")]
    workspace: bool,
    /// Path to Cargo.toml
    #[arg(long, value_name = "PATH")]
    manifest_path: Option<PathBuf>,
    #[command(flatten)]
    options: Options,
    /// Other arguments for the `cargo check` that runs the build scripts: `-- --config build.jobs=4`
    #[arg(last = true, value_name = "CARGO ARGUMENTS")]
    cargo: Vec<OsString>,
}

impl Selection {
    /// The same packages of another checkout, compiled into another directory.
    ///
    /// # Errors
    /// When this workspace cannot be read, or nothing is selected.
    pub(crate) fn at(&self, manifest: PathBuf, target: &Path) -> anyhow::Result<Self> {
        let mut selection = self.clone();
        // What is selected by this directory is selected by name there.
        if !self.workspace {
            selection.packages = users_of_cubin_build(&self.metadata()?, self)?;
        }
        selection.manifest_path = Some(manifest);
        selection.options.set_target_dir(target);
        Ok(selection)
    }

    /// Whether it leaves out packages.
    pub(crate) fn names_packages(&self) -> bool {
        !self.packages.is_empty()
    }

    /// Whether a member of the workspace is selected: as cargo selects.
    fn takes(&self, package: &Package, metadata: &Metadata) -> bool {
        if self.workspace {
            return true;
        }
        if !self.packages.is_empty() {
            return self.packages.iter().any(|name| package.name == *name);
        }
        let manifest = self.manifest();
        let mut members = metadata.workspace_packages().into_iter();
        let current = members.find(|member| {
            let own = member.manifest_path.as_std_path().canonicalize().ok();
            own.is_some() && own == manifest
        });
        match current {
            Some(current) => package.id == current.id,
            None => metadata.workspace_default_packages().contains(&package),
        }
    }

    /// The Cargo.toml that cargo takes: the one that is named, else the closest at or above this directory.
    fn manifest(&self) -> Option<PathBuf> {
        if let Some(path) = &self.manifest_path {
            return path.canonicalize().ok();
        }
        let here = std::env::current_dir().ok()?;
        let mut found = here.ancestors().map(|dir| dir.join("Cargo.toml"));
        found.find(|path| path.is_file())?.canonicalize().ok()
    }

    fn metadata(&self) -> anyhow::Result<Metadata> {
        let mut command = MetadataCommand::new();
        if let Some(path) = &self.manifest_path {
            command.manifest_path(path);
        }
        command
            .no_deps()
            .other_options(self.options.of_metadata())
            .exec()
            .context("cannot read the workspace")
    }
}

/// Where a workspace lies.
pub(crate) struct Workspace {
    pub(crate) root: PathBuf,
    /// Its target directory.
    pub(crate) target: PathBuf,
}

/// The selected workspace.
pub(crate) fn workspace(selection: &Selection) -> anyhow::Result<Workspace> {
    let metadata = selection.metadata()?;
    Ok(Workspace {
        root: metadata.workspace_root.into_std_path_buf(),
        target: metadata.target_directory.into_std_path_buf(),
    })
}

/// The directory that the selected packages are built into, and their names.
pub(crate) fn built(selection: &Selection) -> anyhow::Result<(PathBuf, Vec<String>)> {
    let metadata = selection.metadata()?;
    let packages = users_of_cubin_build(&metadata, selection)?;
    let target = selection.options.target_dir();
    let target = target.map_or(
        metadata.target_directory.into_std_path_buf(),
        Path::to_owned,
    );
    Ok((target, packages))
}

/// The cubin.toml of the selected package, else the one in this directory.
pub(crate) fn policy_file(selection: &Selection) -> anyhow::Result<PathBuf> {
    let here = PathBuf::from(NAME);
    if selection.manifest_path.is_none() && here.is_file() {
        return Ok(here);
    }
    let metadata = selection.metadata()?;
    let mut manifests = metadata.workspace_packages().into_iter();
    let root = metadata.root_package().or_else(|| manifests.next());
    let dir = root.and_then(|package| package.manifest_path.parent());
    let path = dir.and_then(|dir| of_package(dir.as_std_path()));
    path.with_context(|| {
        format!(
            "there is no {NAME} here or beside Cargo.toml; name the policy with `--config PATH`"
        )
    })
}

/// What the builders of a workspace found.
pub(crate) struct Reports {
    /// The workspace's directory.
    pub(crate) workspace: PathBuf,
    /// One per builder run, by package.
    pub(crate) reports: Vec<Report>,
}

/// Builds the selected packages and returns what their builders report.
pub(crate) fn reports(selection: &Selection) -> anyhow::Result<Reports> {
    with_reports(selection, &[], Ok)
}

/// As [`reports`], with environment variables for the build scripts; what they wrote beside their reports is there while
/// `then` runs.
pub(crate) fn with_reports<T>(
    selection: &Selection,
    variables: &[(&str, &str)],
    then: impl FnOnce(Reports) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let metadata = selection.metadata()?;
    let packages = users_of_cubin_build(&metadata, selection)?;

    let dir = metadata
        .target_directory
        .as_std_path()
        .join("cubin-report")
        .join(std::process::id().to_string());
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", dir.display()))?;
    let result = run_cargo(selection, &packages, &dir, variables)
        .and_then(|()| report::read_all(&dir))
        .and_then(|reports| then(named(reports, &packages, &metadata)?));
    let _ = fs::remove_dir_all(&dir);
    result
}

/// Reports with the directories of their packages.
fn named(
    mut reports: Vec<Report>,
    packages: &[String],
    metadata: &Metadata,
) -> anyhow::Result<Reports> {
    if reports.is_empty() {
        bail!(
            "no build script of {} ran cubin_build::Builder; is it called in build.rs?",
            packages.join(", ")
        );
    }
    for report in &mut reports {
        let mut members = metadata.workspace_packages().into_iter();
        let package = members.find(|package| package.name.as_str() == report.package);
        if let Some(dir) = package.and_then(|package| package.manifest_path.parent()) {
            report.root = dir.as_std_path().to_owned();
        }
    }
    Ok(Reports {
        workspace: metadata.workspace_root.as_std_path().to_owned(),
        reports,
    })
}

fn users_of_cubin_build(metadata: &Metadata, selection: &Selection) -> anyhow::Result<Vec<String>> {
    let members = metadata.workspace_packages();
    for name in &selection.packages {
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
        .filter(|package| selection.takes(package, metadata))
        .filter(|package| {
            package.dependencies.iter().any(|dependency| {
                dependency.name == "cubin-build" && dependency.kind == DependencyKind::Build
            })
        })
        .map(|package| package.name.to_string())
        .collect();
    if users.is_empty() {
        let help = if selection.workspace {
            ""
        } else {
            "; `--workspace` takes every package of the workspace"
        };
        bail!("no selected package has `cubin-build` under [build-dependencies]{help}");
    }
    Ok(users)
}

fn run_cargo(
    selection: &Selection,
    packages: &[String],
    dir: &Path,
    variables: &[(&str, &str)],
) -> anyhow::Result<()> {
    let cargo = Env::process()
        .peek("CARGO")
        .unwrap_or_else(|| "cargo".into());
    let mut command = Command::new(&cargo);
    command.arg("check").env("CUBIN_BUILD_REPORT", dir);
    command.envs(variables.iter().copied());
    if let Some(path) = &selection.manifest_path {
        command.arg("--manifest-path").arg(path);
    }
    for package in packages {
        command.args(["--package", package]);
    }
    command.args(selection.options.arguments());
    command.args(&selection.cargo);
    let _progress = Progress::of(&mut command);
    let status = command
        .status()
        .with_context(|| format!("cannot run {}", cargo.display()))?;
    if !status.success() {
        bail!("`cargo check` failed, see above; the kernels were not all compiled");
    }
    Ok(())
}
