//! What is written, and what formats have in common: paths as services expect them, fingerprints.

use std::path::{Component, Path, PathBuf};

use cubin_core::escape::visible_json;
use sha2::{Digest, Sha256};

use crate::report::{Finding, Label, Report};

/// What all packages report, and the directory that paths are relative to.
pub(crate) struct Found<'a> {
    pub(crate) reports: &'a [Report],
    root: PathBuf,
}

impl<'a> Found<'a> {
    /// `workspace` is the workspace's directory; the repository is the one that holds it, else it is the workspace.
    pub(crate) fn new(reports: &'a [Report], workspace: &Path) -> Self {
        let repository = workspace.ancestors().find(|dir| dir.join(".git").exists());
        Self {
            reports,
            root: repository.unwrap_or(workspace).to_owned(),
        }
    }

    pub(super) fn findings(&self) -> impl Iterator<Item = (&'a Report, &'a Finding)> {
        self.reports
            .iter()
            .flat_map(|report| report.findings.iter().map(move |finding| (report, finding)))
    }

    /// The manifest of a report's package, or the artefact, for findings that have no place.
    pub(super) fn manifest(&self, report: &Report) -> String {
        match &report.artifact {
            Some(file) => self.shown(file),
            None => self.shown(&report.root.join("Cargo.toml")),
        }
    }

    /// A file of a report's label: relative to the repository with `/`, or absolute where it lies outside.
    pub(super) fn path(&self, report: &Report, label: &Label) -> String {
        self.shown(&report.root.join(&label.file))
    }

    fn shown(&self, whole: &Path) -> String {
        // A file of the workspace is named as its member sees it.
        let whole = &without_dots(whole);
        let path = whole.strip_prefix(&self.root).unwrap_or(whole);
        path.to_string_lossy().replace('\\', "/")
    }
}

/// `..` resolved by name.
pub(crate) fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir if plain.file_name().is_some() => {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    plain
}

/// The label that leads: the first that is the subject.
pub(super) fn place(finding: &Finding) -> Option<&Label> {
    let primary = finding.labels.iter().find(|label| label.primary);
    primary.or(finding.labels.first())
}

/// Notes and help, a line each.
pub(super) fn details(finding: &Finding) -> String {
    let notes = finding.notes.iter().map(|note| format!("note: {note}"));
    let help = finding.help.iter().map(|help| format!("help: {help}"));
    notes.chain(help).collect::<Vec<_>>().join("\n")
}

/// What stays of a finding when lines above it move and figures change: code, package, kernel and file; the `nth` of those
/// that share all of them.
fn fingerprint(found: &Found<'_>, report: &Report, finding: &Finding, nth: usize) -> String {
    let mut hash = Sha256::new();
    let file = place(finding).map(|label| found.path(report, label));
    let nth = nth.to_string();
    for part in [
        Some(finding.code.as_str()),
        Some(report.package.as_str()),
        finding.kernel.as_deref(),
        file.as_deref(),
        Some(&nth),
    ] {
        hash.update(part.unwrap_or_default());
        hash.update([0]);
    }
    hash.finalize()
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

/// Every finding with its fingerprint, each of which occurs once.
pub(super) fn fingerprinted<'a>(found: &Found<'a>) -> Vec<(&'a Report, &'a Finding, String)> {
    let mut seen = std::collections::HashMap::new();
    let mut all = Vec::new();
    for (report, finding) in found.findings() {
        let nth: &mut usize = seen
            .entry(fingerprint(found, report, finding, 0))
            .or_default();
        all.push((report, finding, fingerprint(found, report, finding, *nth)));
        *nth += 1;
    }
    all
}

/// A whole document of JSON; what acts on terminals or readers stands in it as escapes.
pub(super) fn document(value: &serde_json::Value) -> anyhow::Result<String> {
    Ok(format!(
        "{}\n",
        visible_json(&serde_json::to_string_pretty(value)?)
    ))
}
