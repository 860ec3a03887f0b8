//! The report that `cargo cubin` asks for: what a builder found, as one JSON file.
//!
//! `CUBIN_BUILD_REPORT` names a directory (absolute). Each run of a builder then writes
//! `<package>-<generated file>.json` there and does not fail for a policy violation:
//! `{schema, package, errors, warnings, rendered, findings: [diagnostic], kernels: [facts of a function], baseline: {path,
//! text, entries} | null}`. The facts, and the version of the schema for the whole report, are those of
//! [`cubin_core::json`].

use std::{
    io,
    path::{Path, PathBuf},
};

use cubin_core::json::{self as facts_json, SpillBytes, SpillSource};

use crate::{
    cache,
    diag::{Level, Sink, json::to_json},
    env::Env,
    json::{Object, array},
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
    pub(crate) baseline: Option<&'a BaselineFile>,
    /// What the build shows.
    pub(crate) rendered: &'a str,
}

/// Writes the report.
pub(crate) fn write(to: &Destination, found: &Findings<'_>) -> io::Result<()> {
    let mut kernels = Vec::with_capacity(found.kernels.len());
    for facts in found.kernels {
        kernels.push(kernel(facts).map_err(io::Error::other)?);
    }
    let baseline = match found.baseline {
        None => "null".to_owned(),
        Some(baseline) => Object::new()
            .string("path", &baseline.path.to_string_lossy())
            .string("text", &baseline.text)
            .number("entries", baseline.entries as u64)
            .finish(),
    };
    let text = Object::new()
        .number("schema", facts_json::SCHEMA)
        .string("package", &to.package)
        .number("errors", found.sink.count(Level::Deny) as u64)
        .number("warnings", found.sink.count(Level::Warn) as u64)
        .string("rendered", found.rendered)
        .raw(
            "findings",
            array(found.sink.shown().into_iter().map(to_json)),
        )
        .raw("kernels", array(kernels))
        .raw("baseline", baseline)
        .finish();
    cache::write_if_changed(&to.dir.join(&to.file), text.as_bytes())?;
    Ok(())
}

/// What is known of one kernel on one target.
fn kernel(facts: &Facts) -> cubin_core::Result<String> {
    let mut object = facts_json::Facts::new(
        facts.target,
        &facts.symbol,
        &facts.resources,
        &facts.launch,
        &facts.params,
    );
    object.toolkit = facts.toolkit;
    object.name = Some(facts.name.clone());
    object.spills = facts.spills.map(|spills| SpillBytes {
        stores: spills.stores,
        loads: spills.loads,
        source: SpillSource::Ptxas,
    });
    object.dynamic_shared = facts.dynamic_shared;
    object.externs = facts.externs.iter().map(String::as_str).collect_vec();
    let mut text = String::new();
    facts_json::write_function(&object, None, &mut text)?;
    Ok(text)
}
