//! What a build script that uses `cubin-build` reports, as values.
//!
//! `cubin_build` documents the file (its module `report`). A workspace may use another release of `cubin-build` than
//! this command: members that are unknown here are passed on, and another schema is refused.

use std::{
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::facts::Facts;

/// The schema that is understood here; members may be added to it.
const SCHEMA: u32 = 2;

/// What one run of the builder found.
#[derive(Debug, Deserialize)]
pub(crate) struct Report {
    pub(crate) package: String,
    /// The package's directory, which paths in labels are relative to; set by whoever knows the workspace.
    #[serde(skip)]
    pub(crate) root: PathBuf,
    /// The file that was judged, where it is what a build made.
    #[serde(skip)]
    pub(crate) artifact: Option<PathBuf>,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    /// The findings as the build would show them.
    pub(crate) rendered: String,
    /// The same with colours; a release that has none shows the others.
    #[serde(default)]
    pub(crate) coloured: String,
    pub(crate) findings: Vec<Finding>,
    /// Of every kernel on every target.
    pub(crate) kernels: Vec<Facts>,
    /// The cubins that were written; a release that has none is without them.
    #[serde(default)]
    pub(crate) images: Vec<PathBuf>,
    pub(crate) baseline: Option<BaselineText>,
    /// The files of `prebuilt/`, where they were asked for.
    #[serde(default)]
    pub(crate) prebuilt: Option<Prebuilt>,
}

/// Files that are to stand in a package: two directories, absolute.
#[derive(Debug, Deserialize)]
pub(crate) struct Prebuilt {
    pub(crate) from: PathBuf,
    pub(crate) to: PathBuf,
}

/// A diagnostic.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Finding {
    pub(crate) code: String,
    pub(crate) level: Level,
    pub(crate) message: String,
    /// C++ name of the kernel that it is about.
    pub(crate) kernel: Option<String>,
    pub(crate) labels: Vec<Label>,
    pub(crate) notes: Vec<String>,
    pub(crate) help: Vec<String>,
    /// What later releases add.
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// How much a finding matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Level {
    Allow,
    Warn,
    Deny,
}

/// A place that a finding points at. Lines and columns count from 1; the end is behind the last character.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Label {
    pub(crate) file: String,
    pub(crate) line: u64,
    pub(crate) column: u64,
    pub(crate) end_line: u64,
    pub(crate) end_column: u64,
    pub(crate) text: String,
    pub(crate) primary: bool,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// The baseline that would make today's kernels pass.
#[derive(Debug, Deserialize)]
pub(crate) struct BaselineText {
    /// Absolute.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) entries: usize,
}

/// The reports in a directory, by file name.
pub(crate) fn read_all(dir: &Path) -> anyhow::Result<Vec<Report>> {
    let mut paths: Vec<PathBuf> = fs::read_dir(dir)?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    paths.sort();
    paths
        .iter()
        .filter(|path| {
            path.extension()
                .is_some_and(|extension| extension == "json")
        })
        .map(|path| read(path))
        .collect()
}

fn read(path: &Path) -> anyhow::Result<Report> {
    let text =
        fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    // Before the members, which another schema may not have.
    let version: Version = parse(path, &text)?;
    ensure!(
        version.schema == SCHEMA,
        "{} has schema {}, and this command reads schema {SCHEMA}: install the release of cargo-cubin that belongs to \
         the workspace's cubin-build",
        path.display(),
        version.schema
    );
    parse(path, &text)
}

#[derive(Deserialize)]
struct Version {
    schema: u32,
}

fn parse<'t, T: Deserialize<'t>>(path: &Path, text: &'t str) -> anyhow::Result<T> {
    serde_json::from_str(text)
        .with_context(|| format!("{} is not a report of cubin-build", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_later_releases_add_is_passed_on() {
        let text = r#"{"code":"c","level":"warn","message":"m","kernel":null,"labels":[{"file":"f","line":1,"column":2,
            "end_line":1,"end_column":3,"text":"t","primary":true,"style":"new"}],"notes":[],"help":[],"url":"u"}"#;
        let finding: Finding = serde_json::from_str(text).expect("a finding");
        assert_eq!((finding.level, finding.labels[0].line), (Level::Warn, 1));
        let again = serde_json::to_string(&finding).expect("text");
        let value = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
        assert_eq!(value(&again), value(text));
    }

    #[test]
    fn another_schema_is_refused_by_its_number() {
        let dir = std::env::temp_dir().join(format!("cubin-report-{}", std::process::id()));
        fs::create_dir_all(&dir).expect("a directory");
        let path = dir.join("x.json");
        fs::write(&path, r#"{"schema":7}"#).expect("a file");
        let error = read(&path).expect_err("refused").to_string();
        assert!(error.contains("has schema 7"), "{error}");
        fs::write(&path, "{}").expect("a file");
        let error = read(&path).expect_err("refused").to_string();
        assert!(error.contains("is not a report"), "{error}");
        fs::remove_dir_all(&dir).expect("removed");
    }
}
