//! Findings as other programs read them: one file per format.
//!
//! Paths in a report are relative to its package; here they are relative to the repository, as the services that show
//! findings expect.

pub(crate) mod found;
mod github;
mod gitlab;
mod junit;
pub(crate) mod sarif;

use clap::ValueEnum;
use cubin_core::escape::visible_json;

pub(crate) use self::found::Found;

/// How findings are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people: a table of kernels, then the findings as a build shows them
    Human,
    /// One JSON object per finding and line
    Json,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Workflow commands of GitHub Actions, which become annotations of a pull request
    Github,
    /// GitLab's code quality report
    Gitlab,
    /// JUnit's XML: one test case per kernel
    Junit,
}

impl Format {
    /// All that `found` holds, as text that ends with a line end unless it is empty.
    pub(crate) fn write(self, found: &Found<'_>) -> anyhow::Result<String> {
        match self {
            Self::Human => Ok(String::new()),
            Self::Json => json(found),
            Self::Sarif => sarif::write(found),
            Self::Github => Ok(github::write(found)),
            Self::Gitlab => gitlab::write(found),
            Self::Junit => junit::write(found),
        }
    }
}

fn json(found: &Found<'_>) -> anyhow::Result<String> {
    let mut text = String::new();
    for (_, finding) in found.findings() {
        text.push_str(&visible_json(&serde_json::to_string(finding)?));
        text.push('\n');
    }
    Ok(text)
}
