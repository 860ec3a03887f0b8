//! One artefact against the policy.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use cubin_build::{
    Diag, Facts, Level, artifact, date,
    diag::{self, Sink},
    env::Env,
    policy,
};
use cubin_core::{Cubin, cubin::ObjectKind, demangle::demangle, escape::visible};
use sha2::{Digest as _, Sha256};

use super::{diags, rules::Rules, sidecar::Sidecars};
use crate::{
    files::shown,
    inspect::{
        pieces::{self, File, Met, Piece, PieceKind},
        selection::Selection,
    },
    report::Report,
};

/// More places of one kernel are counted.
const MOST_PLACES: usize = 4;

/// What was found in an artefact.
#[derive(Default)]
struct Found {
    kernels: Vec<Facts>,
    /// Where the kernels of a name stand, for notes.
    places: HashMap<String, Vec<String>>,
    /// SHA-256 of the cubins so far: what stands in a file twice is judged once.
    cubins: HashSet<[u8; 32]>,
    relocatable: usize,
    /// Code that is not machine code: kind and architecture.
    others: Vec<String>,
    problems: Vec<Diag>,
}

/// What came of an artefact.
pub(crate) enum Judged {
    /// It holds device code.
    Report(Box<Report>),
    /// It holds none, and why that is said.
    Nothing(String),
}

/// Judges the file at `path`, whose bytes are given.
///
/// # Errors
/// When a report cannot be made of what was found.
pub(crate) fn judge(
    rules: &Rules,
    path: &Path,
    bytes: &[u8],
    sidecars: &mut Sidecars,
) -> anyhow::Result<Judged> {
    let selection = Selection::default();
    let file = File::new(path, bytes, &selection);
    let mut found = Found::default();
    let mut errors = Vec::new();
    let mut met = Met::new(&file);
    let mut add = |piece: Piece<'_>, errors: &mut Vec<String>| {
        if let Err(error) = found.add(&file, &piece, rules, sidecars) {
            errors.push(piece.error(&error));
        }
        Ok(())
    };
    pieces::each_in(&file, bytes, &mut met, &mut errors, &mut add)?;
    if errors.is_empty()
        && let Some(why) = met.nothing(&file)
    {
        return Ok(Judged::Nothing(why));
    }
    let errors = errors.iter().map(|why| diags::unreadable(path, why));
    found.problems.extend(errors);
    let sink = found.judged(path, rules);
    report(path, rules, &sink, &found.kernels)
        .map(Box::new)
        .map(Judged::Report)
}

fn report(path: &Path, rules: &Rules, sink: &Sink, kernels: &[Facts]) -> anyhow::Result<Report> {
    let findings = sink.shown().into_iter().map(diag::json::to_json);
    let findings = findings.map(|text| serde_json::from_str(&text));
    let kernels = kernels.iter().map(|facts| {
        let text = artifact::kernel_json(facts)?;
        Ok(serde_json::from_str(&text)?)
    });
    Ok(Report {
        package: shown(path),
        root: rules.dir.clone(),
        artifact: Some(path.to_owned()),
        errors: sink.count(Level::Deny),
        warnings: sink.count(Level::Warn),
        rendered: sink.rendered(false),
        coloured: sink.rendered(true),
        findings: findings.collect::<serde_json::Result<_>>()?,
        kernels: kernels.collect::<anyhow::Result<_>>()?,
        images: vec![path.to_owned()],
        baseline: None,
        prebuilt: None,
    })
}

impl Found {
    fn add(
        &mut self,
        file: &File<'_>,
        piece: &Piece<'_>,
        rules: &Rules,
        sidecars: &mut Sidecars,
    ) -> cubin_core::Result<()> {
        let bytes = match &piece.kind {
            PieceKind::Cubin(bytes) => bytes,
            PieceKind::Other(kind, arch) => {
                let arch = arch.map(|arch| format!(" for {arch}")).unwrap_or_default();
                let text = format!("{kind}{arch}");
                if !self.others.contains(&text) {
                    self.others.push(text);
                }
                return Ok(());
            }
        };
        if !self.cubins.insert(Sha256::digest(bytes).into()) {
            return Ok(());
        }
        if Cubin::parse(bytes)?.kind() == ObjectKind::Relocatable {
            self.relocatable += 1;
            return Ok(());
        }
        let mut kernels = artifact::linked_kernels(bytes, &rules.config)?;
        sidecars.complete(bytes, &rules.dir, &mut kernels);
        let place = place(piece, file.symbol(piece.offset));
        for facts in &kernels {
            let place = format!("{place} ({})", facts.target);
            self.places
                .entry(facts.name.clone())
                .or_default()
                .push(place);
        }
        self.kernels.extend(kernels);
        Ok(())
    }

    /// Everything there is to say.
    fn judged(&mut self, path: &Path, rules: &Rules) -> Sink {
        let name = |a: &Facts, b: &Facts| {
            (&a.name, a.target, &a.symbol).cmp(&(&b.name, b.target, &b.symbol))
        };
        self.kernels.sort_by(name);
        let mut sink = Sink::new();
        for problem in rules.problems.iter().chain(&self.problems) {
            sink.push(problem.clone());
        }
        if self.relocatable > 0 {
            sink.push(diags::relocatable(path, self.relocatable));
        }
        if self.cubins.is_empty() && !self.others.is_empty() {
            sink.push(diags::no_machine_code(path, &self.others));
        }
        let named = path.to_string_lossy();
        let baseline = rules.baseline.as_ref();
        let mut findings = policy::check_artifact(&rules.config, &named, baseline, &self.kernels);
        if policy::expires(&rules.config) {
            let today = date::today(&Env::process());
            let (config, level) = (&rules.config, rules.expired);
            findings.extend(policy::expired(config, &self.kernels, &today, level));
        }
        let (highest, said_by) = rules.highest;
        for finding in policy::soften(findings, highest, said_by) {
            sink.push(self.placed(path, finding));
        }
        sink
    }

    /// A finding with the places of its kernel in the artefact.
    fn placed(&self, path: &Path, finding: Diag) -> Diag {
        let kernel = finding.kernel.as_ref();
        let Some(places) = kernel.and_then(|kernel| self.places.get(kernel)) else {
            return finding;
        };
        if finding.level == Level::Allow {
            return finding;
        }
        let first = places.iter().take(MOST_PLACES);
        let mut text = first.cloned().collect::<Vec<_>>().join("; ");
        if let Some(more @ 1..) = places.len().checked_sub(MOST_PLACES) {
            text.push_str(&format!("; and {more} more"));
        }
        finding.note(format!("linked in {}: {text}", shown(path)))
    }
}

/// `member gemm.o, entry 2, section .rodata, symbol gemm_cubin, offset 0x4db0`
fn place(piece: &Piece<'_>, symbol: Option<&str>) -> String {
    let mut text = String::new();
    if let Some(member) = &piece.member {
        text.push_str(&format!("member {}, ", visible(member)));
    }
    if let Some(number) = piece.number {
        text.push_str(&format!("entry {number}, "));
    }
    if let Some(section) = piece.section {
        text.push_str(&format!("section {}, ", visible(section)));
    }
    if let Some(symbol) = symbol {
        // Rust's own mangling says the same in C++'s words, with a hash.
        let name = demangle(symbol).unwrap_or_else(|| symbol.to_owned());
        let name = name
            .rsplit_once("::h")
            .map_or(name.as_str(), |(name, _)| name);
        let name = name
            .strip_suffix("::_$u7b$$u7b$nested$u7d$$u7d$")
            .unwrap_or(name);
        text.push_str(&format!("symbol {}, ", visible(name)));
    }
    text.push_str(&format!("offset {:#x}", piece.offset));
    text
}
