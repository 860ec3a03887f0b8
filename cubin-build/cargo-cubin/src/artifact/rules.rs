//! The policy that artefacts are held against: a cubin.toml and its baseline.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use cubin_build::{
    Diag, Level, SourceFile,
    artifact::{Layers, read_policy},
    config::{Config, POLICY_LEVELS},
    env::Env,
    policy::Baseline,
};

use super::diags;
use crate::files::shown;

/// The variable that says the most that a violation may be.
const LEVEL: &str = "CUBIN_BUILD_POLICY";

/// A cubin.toml that could be read, and what it names.
pub(crate) struct Rules {
    pub(crate) config: Config,
    pub(crate) baseline: Option<Baseline>,
    /// The directory that it lies in.
    pub(crate) dir: PathBuf,
    /// What is wrong with it or its baseline.
    pub(super) problems: Vec<Diag>,
    /// The most that a violation may be, and who says so.
    pub(super) highest: (Level, &'static str),
    /// How much it matters that a table has expired.
    pub(crate) expired: Level,
}

impl Rules {
    /// Reads a cubin.toml, and what the workspace of its directory says; that alone where `path` is a Cargo.toml.
    ///
    /// # Errors
    /// When the file cannot be read, or the variable holds no level.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let name = Path::new(path.file_name().unwrap_or(path.as_os_str()));
        // Builds name their packages by absolute paths.
        let whole = std::path::absolute(path)?;
        let dir = whole.parent().unwrap_or(&whole).to_owned();
        let (own, wanted) = match name.to_str() {
            Some("Cargo.toml") => (Path::new("cubin.toml"), false),
            _ => (name, true),
        };
        let Layers {
            config,
            mut problems,
            ..
        } = read_policy(&dir, own, wanted)
            .with_context(|| format!("cannot read {}", shown(path)))?;
        let mut baseline = None;
        if let Some(named) = &config.baseline {
            match SourceFile::read(&dir.join(&named.value), &named.value) {
                Ok(file) => {
                    let (read, wrong) = Baseline::parse(&file);
                    problems.extend(wrong);
                    baseline = Some(read);
                }
                Err(error) => problems.push(diags::no_baseline(named, &error)),
            }
        }
        let highest = highest(&config)?;
        Ok(Self {
            config,
            baseline,
            dir,
            problems,
            highest,
            expired: Level::Warn,
        })
    }
}

fn highest(config: &Config) -> anyhow::Result<(Level, &'static str)> {
    let Some(value) = Env::process().peek(LEVEL) else {
        let written = config.policy.as_ref();
        let level = written.map_or(Level::Deny, |level| level.value);
        return Ok((level, "`level` in [policy]"));
    };
    let level = POLICY_LEVELS
        .into_iter()
        .find(|level| value == level.name())
        .with_context(|| {
            let levels = POLICY_LEVELS.map(Level::name).join("` or `");
            format!(
                "{LEVEL} is `{}`: it may be `{levels}`",
                value.to_string_lossy()
            )
        })?;
    Ok((level, LEVEL))
}
