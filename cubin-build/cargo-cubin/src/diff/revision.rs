//! The kernels of a git revision: built in a work tree of its own, which is removed again.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context as _, bail};

use super::kernels::Side;
use crate::{
    files::shown,
    project::{self, Selection},
};

/// What the builders of the workspace report of its kernels as they are now.
pub(super) fn current(selection: &Selection) -> anyhow::Result<Side> {
    let reports = project::reports(selection)?.reports;
    Ok(Side::of_reports("working tree".to_owned(), reports))
}

/// The same as `revision` has them. What it compiles stays below the target directory, so that a second time is quick.
pub(super) fn at(selection: &Selection, revision: &str) -> anyhow::Result<Side> {
    let workspace = project::workspace(selection)?;
    let root = PathBuf::from(git(&workspace.root, &["rev-parse", "--show-toplevel"])?);
    // `--verify` and the suffix: nothing but a commit, whatever the text looks like.
    let name = format!("{revision}^{{commit}}");
    let commit = git(
        &workspace.root,
        &["rev-parse", "--verify", "--end-of-options", &name],
    )?;
    let inside = fs::canonicalize(&workspace.root)?
        .strip_prefix(fs::canonicalize(&root)?)
        .context("the workspace lies outside of the repository that holds it")?
        .to_owned();
    let dir = workspace.target.join("cubin-diff");
    fs::create_dir_all(&dir).with_context(|| format!("cannot create {}", shown(&dir)))?;
    let tree = Tree::add(
        &root,
        dir.join(format!("tree-{}", std::process::id())),
        &commit,
    )?;
    let manifest = tree.dir.join(inside).join("Cargo.toml");
    if !manifest.is_file() {
        bail!(
            "revision {revision} has no workspace here: it lacks {}",
            shown(&manifest)
        );
    }
    let there = selection.at(manifest, &dir.join("target"))?;
    let reports = project::reports(&there)
        .with_context(|| format!("revision {revision} cannot be built"))?
        .reports;
    let short = commit.get(..12).unwrap_or(&commit);
    Ok(Side::of_reports(format!("{revision} ({short})"), reports))
}

/// A work tree, removed when it is dropped.
struct Tree {
    root: PathBuf,
    dir: PathBuf,
}

impl Tree {
    fn add(root: &Path, dir: PathBuf, commit: &str) -> anyhow::Result<Self> {
        // Removed also where adding it stops half way.
        let tree = Self {
            root: root.to_owned(),
            dir,
        };
        let path = tree.dir.to_string_lossy().into_owned();
        git(
            root,
            &[
                "worktree", "add", "--quiet", "--detach", "--force", &path, commit,
            ],
        )?;
        Ok(tree)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let path = self.dir.to_string_lossy();
        let _ = git(&self.root, &["worktree", "remove", "--force", &path]);
        let _ = fs::remove_dir_all(&self.dir);
    }
}

/// What git prints; an error says what it said.
fn git(dir: &Path, args: &[&str]) -> anyhow::Result<String> {
    let output = Command::new("git")
        .arg("-C")
        .arg(dir)
        .args(args)
        .stdin(Stdio::null())
        .output()
        .context("cannot run git")?;
    if !output.status.success() {
        bail!(
            "`git {}` failed: {}",
            args.join(" "),
            String::from_utf8_lossy(&output.stderr).trim()
        );
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}
