//! What changed since a file, as values for whoever shows kernels: the report's page.

use std::path::Path;

use anyhow::Context as _;
use cubin_core::escape::visible;
use serde::Serialize;

use super::{
    allow::Allowances,
    compare::{self, Row, Status},
    kernels::{Kernel, Side},
    read,
    snapshot::{self, Snapshot},
};
use crate::{facts::Facts, files};

/// All that differs.
#[derive(Debug, Serialize)]
pub(crate) struct Since {
    /// The file.
    pub(crate) title: String,
    /// Kernel images that are the same.
    same: usize,
    /// Worst first.
    pub(crate) rows: Vec<Changed>,
}

/// A kernel on a target that is not as it was.
#[derive(Debug, Serialize)]
pub(crate) struct Changed {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) package: Option<String>,
    pub(crate) name: String,
    pub(crate) symbol: Option<String>,
    pub(crate) target: String,
    pub(crate) status: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    renamed_from: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    signature: Option<String>,
    figures: Vec<ChangedFigure>,
}

/// A figure that differs, in words.
#[derive(Debug, Serialize)]
struct ChangedFigure {
    name: &'static str,
    before: String,
    after: String,
    /// `None` where neither way is.
    worse: Option<bool>,
}

/// Compares kernels, each with the package that builds it, with what `path` has: a baseline, or whatever
/// `cargo cubin diff` takes as OLD.
pub(crate) fn since(path: &Path, now: &[(Option<&str>, &Facts)]) -> anyhow::Result<Since> {
    let title = files::shown(path);
    let kernels = now.iter().map(|(package, facts)| Kernel {
        package: package.map(str::to_owned),
        ..Kernel::from((*facts).clone())
    });
    let mut new = Side {
        title: String::new(),
        kernels: kernels.collect(),
        partial: false,
    };
    let mut allowed = Allowances::default();
    let recorded = if path.is_dir() {
        None
    } else {
        Some(files::open(path).with_context(|| title.clone())?)
    };
    let old = if let Some(bytes) = recorded.filter(|bytes| snapshot::is(bytes)) {
        let text = std::str::from_utf8(&bytes).with_context(|| title.clone())?;
        let mut before = Snapshot::parse(text).with_context(|| title.clone())?;
        allowed = before.allowed.clone();
        before.retain_what_is_built(&new);
        new = Snapshot::of(&new, Allowances::default()).side(String::new());
        before.side(title)
    } else {
        read::side(path)?
    };
    let diff = compare::compare(&old, &new, &allowed);
    Ok(Since {
        title: old.title,
        same: diff.same,
        rows: diff.rows.into_iter().map(Changed::from).collect(),
    })
}

impl From<Row> for Changed {
    fn from(row: Row) -> Self {
        let status = row.status();
        let figures = row.changes.iter().map(|change| ChangedFigure {
            name: change.figure.name,
            before: change.figure.show(change.before),
            after: change.figure.show(change.after),
            worse: change.worse(),
        });
        Self {
            figures: figures.collect(),
            status: status.word(),
            package: row.package,
            name: row.name,
            symbol: row.symbol,
            target: row.target,
            renamed_from: row.renamed_from,
            signature: row.signature,
        }
    }
}

impl Changed {
    /// Whether it is about a kernel that there no longer is.
    pub(crate) fn is_gone(&self) -> bool {
        self.status == Status::Gone.word()
    }

    /// Makes characters that act on what stands around them escapes.
    pub(crate) fn make_visible(&mut self) {
        let texts = [
            Some(&mut self.name),
            self.symbol.as_mut(),
            self.renamed_from.as_mut(),
            self.signature.as_mut(),
        ];
        for text in texts.into_iter().flatten() {
            *text = visible(text).into_owned();
        }
    }
}
