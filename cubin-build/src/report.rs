//! The report that `cargo cubin` asks for: what a builder found, as one JSON file.
//!
//! `CUBIN_BUILD_REPORT` names a directory (absolute). Each run of a builder then writes
//! `<package>-<generated file>.json` there and does not fail for a policy violation:
//! `{schema, package, errors, warnings, rendered, coloured, findings: [diagnostic], kernels: [facts of a function],
//! images: [path], baseline: {path, text, entries} | null}`, and for `cargo cubin prebuild` also `prebuilt: {from, to}`. The images are the cubins that were written, absolute. The
//! facts, and the version of the schema for the whole report, are those of [`cubin_core::json`].

use std::{
    fmt, io,
    path::{Path, PathBuf},
};

use cubin_core::json::{self, Object, SpillBytes, SpillSource};

use crate::{
    cache,
    diag::{self, Level, Sink},
    env::Env,
    kernel::Facts,
    lists::CollectVec,
};

/// The environment variable that asks for a report.
pub(crate) const VARIABLE: &str = "CUBIN_BUILD_REPORT";

/// Where the report goes.
#[derive(Debug, Clone)]
pub(crate) struct Destination {
    pub(crate) dir: PathBuf,
    package: String,
    file: String,
}

/// The baseline that would accept today's kernels.
#[derive(Debug, Clone)]
pub(crate) struct BaselineFile {
    /// Absolute.
    pub(crate) path: PathBuf,
    pub(crate) text: String,
    pub(crate) entries: usize,
}

impl Destination {
    /// A directory of this report's own.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.dir.join(format!("{}.{name}", self.file))
    }

    pub(crate) fn from_env(env: &Env, root: &Path, out_file: &str) -> Option<Self> {
        let dir = PathBuf::from(env.get(VARIABLE).filter(|value| !value.is_empty())?);
        let package = match env.peek("CARGO_PKG_NAME") {
            Some(name) => name.to_string_lossy().into_owned(),
            None => root
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
        };
        let file = format!("{package}-{}.json", out_file.replace(['/', '\\'], "_"));
        Some(Self { dir, package, file })
    }
}

/// What a builder found.
pub(crate) struct Findings<'a> {
    pub(crate) sink: &'a Sink,
    pub(crate) kernels: &'a [Facts],
    /// The cubins that were written.
    pub(crate) images: &'a [PathBuf],
    pub(crate) baseline: Option<&'a BaselineFile>,
    /// The prebuilt files that were asked for, and where they belong: both absolute directories.
    pub(crate) prebuilt: Option<&'a (PathBuf, PathBuf)>,
    /// What the build shows.
    pub(crate) rendered: &'a str,
    /// The same with colours.
    pub(crate) coloured: &'a str,
}

/// Writes the report.
pub(crate) fn write(to: &Destination, found: &Findings<'_>) -> io::Result<()> {
    let text = text(to, found).map_err(io::Error::other)?;
    cache::write_if_changed(&to.dir.join(&to.file), text.as_bytes())?;
    Ok(())
}

fn text(to: &Destination, found: &Findings<'_>) -> cubin_core::Result<String> {
    let mut text = String::new();
    let mut object = Object::open(&mut text)?;
    object.number("schema", &json::SCHEMA)?;
    object.string("package", &to.package)?;
    object.number("errors", &found.sink.count(Level::Deny))?;
    object.number("warnings", &found.sink.count(Level::Warn))?;
    object.string("rendered", found.rendered)?;
    object.string("coloured", found.coloured)?;
    object.array("findings", found.sink.shown(), |out, diag| {
        diag::json::write(diag, out)
    })?;
    object.array("kernels", found.kernels, |out, facts| {
        write_kernel(facts, out)
    })?;
    let images = found.images.iter();
    let images = images.map(|path| path.to_string_lossy()).collect_vec();
    object.strings("images", &images)?;
    match found.baseline {
        None => object.null("baseline")?,
        Some(baseline) => object.object("baseline", &mut |object| {
            object.string("path", &baseline.path.to_string_lossy())?;
            object.string("text", &baseline.text)?;
            object.number("entries", &baseline.entries)
        })?,
    }
    if let Some((from, to)) = found.prebuilt {
        object.object("prebuilt", &mut |object| {
            object.string("from", &from.to_string_lossy())?;
            object.string("to", &to.to_string_lossy())
        })?;
    }
    object.close()?;
    Ok(text)
}

/// What is known of one kernel on one target, as the report has it.
///
/// # Errors
/// Never in fact: text takes everything.
#[cfg(feature = "artifact")]
pub fn kernel_json(facts: &Facts) -> cubin_core::Result<String> {
    let mut text = String::new();
    write_kernel(facts, &mut text)?;
    Ok(text)
}

/// What is known of one kernel on one target.
fn write_kernel(facts: &Facts, out: &mut dyn fmt::Write) -> cubin_core::Result<()> {
    let mut known = json::Facts::new(
        facts.target,
        &facts.symbol,
        &facts.resources,
        &facts.launch,
        &facts.params,
    );
    known.toolkit = facts.toolkit;
    known.name = Some(facts.name.clone());
    known.spills = facts.spills.map(|spills| SpillBytes {
        stores: spills.stores,
        loads: spills.loads,
        source: SpillSource::Ptxas,
    });
    known.source = facts.place.as_ref().map(|place| {
        let file = place.file.path().to_string_lossy().into_owned();
        (file, place.start().0)
    });
    known.sources = &facts.sources;
    known.externs = facts.externs.iter().map(String::as_str).collect_vec();
    json::write_function(&known, None, out)
}
