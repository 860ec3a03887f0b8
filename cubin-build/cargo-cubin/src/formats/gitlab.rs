//! GitLab's code quality report: the subset of Code Climate's format that GitLab reads.

use serde_json::json;

use super::found::{Found, document, fingerprinted, place};
use crate::report::Level;

pub(super) fn write(found: &Found<'_>) -> anyhow::Result<String> {
    let mut issues = Vec::new();
    for (report, finding, fingerprint) in fingerprinted(found) {
        // GitLab shows nothing without a place.
        let (path, line) = match place(finding) {
            Some(label) => (found.path(report, label), label.line),
            None => (found.manifest(report), 1),
        };
        issues.push(json!({
            "description": finding.message,
            "check_name": finding.code,
            "fingerprint": fingerprint,
            "severity": match finding.level {
                Level::Deny => "critical",
                Level::Warn => "minor",
                Level::Allow => "info",
            },
            "location": { "path": path, "lines": { "begin": line } },
        }));
    }
    document(&issues.into())
}
