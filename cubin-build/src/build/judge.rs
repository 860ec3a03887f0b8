//! The fifth phase: kernels against `cubin.toml` and the baseline.

use std::path::PathBuf;

use super::{outcome::Outcome, problem::Problem, settings::Settings};
use crate::{
    date,
    diag::{Level, Sink},
    env::Env,
    kernel::Facts,
    lists::AddAll,
    paths,
    policy::{self, Baseline, Policy},
    report,
    source::SourceFile,
};

/// Judges every kernel; findings go into the outcome, with the baseline that would accept them.
pub(super) fn run(settings: &Settings, env: &Env, outcome: &mut Outcome) {
    let config = &settings.config;
    let baseline = read_baseline(settings, &mut outcome.watch.paths, &mut outcome.sink);
    let mut findings = policy::check(config, baseline.as_ref(), &outcome.facts);
    if policy::expires(config) {
        // `cargo cubin check` fails; a build of an old commit does not.
        let level = match settings.report {
            Some(_) => Level::Deny,
            None => Level::Warn,
        };
        let kernels = &outcome.facts;
        findings.add_all(policy::expired(config, kernels, &date::today(env), level));
    }
    let highest = &settings.highest;
    for finding in policy::soften(findings, highest.level, highest.said_by) {
        outcome.sink.push(finding);
    }
    unmatched(settings, &outcome.facts, &mut outcome.sink);
    if let Some(path) = baseline_path(settings) {
        let mut now = policy::baseline_from(&outcome.facts, &Policy::new(config));
        if config.signatures.as_ref().is_some_and(|locks| locks.value) {
            now.lock_signatures(&outcome.facts);
        }
        outcome.baseline = Some(report::BaselineFile {
            path,
            text: now.to_toml(),
            entries: now.len(),
        });
    }
}

/// Declared kernels that no cubin has.
fn unmatched(settings: &Settings, kernels: &[Facts], sink: &mut Sink) {
    for declared in &settings.config.kernels {
        let symbol = &declared.symbol;
        if !kernels.iter().any(|facts| facts.symbol == symbol.value) {
            let problem = Problem::UnmatchedKernel {
                symbol: symbol.value.clone(),
                span: symbol.span.clone(),
            };
            sink.push(problem.into());
        }
    }
}

fn baseline_path(settings: &Settings) -> Option<PathBuf> {
    let file = settings.config.baseline.as_ref()?;
    let config = settings.root.join(&settings.config_name);
    Some(config.parent().unwrap_or(&settings.root).join(&file.value))
}

/// The baseline, when cubin.toml names one. A file that is not there yet accepts nothing.
fn read_baseline(
    settings: &Settings,
    watched: &mut Vec<PathBuf>,
    sink: &mut Sink,
) -> Option<Baseline> {
    let path = baseline_path(settings)?;
    let shown = paths::shown(&settings.root, &path);
    match SourceFile::read(&path, &shown) {
        Ok(file) => {
            watched.push(path);
            let (baseline, problems) = Baseline::parse(&file);
            problems.into_iter().for_each(|problem| sink.push(problem));
            Some(baseline)
        }
        // About to be made.
        Err(_) if settings.report.is_some() => None,
        Err(error) => {
            let named = settings.config.baseline.as_ref();
            let problem = Problem::BaselineUnreadable {
                path: shown,
                why: error.to_string(),
                span: named.map(|file| file.span.clone()),
            };
            sink.push(problem.into());
            None
        }
    }
}
