//! The second phase where nothing is compiled: what `cargo cubin prebuild` kept in `prebuilt/`, beside `Cargo.toml`.
//!
//! ```text
//! prebuilt/kernels.manifest                           what is there, and what it was made of ([`manifest`])
//! prebuilt/kernels/saxpy-3fa19c04.sm_90.cubin         named after the generated file: one set for each builder
//!                  saxpy-3fa19c04.sm_90.facts         signatures, spills
//!                  saxpy-3fa19c04.sm_90.ptx           where it is embedded
//!                  solver.sm_90.cubin                 a linked module
//! ```
//!
//! It yields what the compile phase yields, so that everything behind it is the same: a policy judges these files as any
//! others, and the generated file has the same bytes. Nothing here starts a program or needs a particular system.

mod diags;
mod facts;
mod manifest;
mod place;
mod read;
mod wanted;
mod write;
mod wrong;

use self::{manifest::Manifest, place::DIR, wrong::Wrong};
use super::{
    compile::Compiled,
    outcome::Outcome,
    settings::{PREBUILT, Settings},
    sources::Sources,
};
use crate::{
    cargo, compile, env::Env, lists::AddAll, options::Prebuilt, source::SourceFile, toolkit,
};

/// Set where docs.rs builds documentation.
const DOCS_RS: &str = "DOCS_RS";

/// Why prebuilt files are used.
enum Why {
    Asked(&'static str),
    DocsRs,
    NoToolkit,
}

/// What the build uses instead of a compiler; the outer `None` where something is wrong, the inner where it compiles.
pub(super) fn run(
    settings: &Settings,
    sources: &Sources,
    env: &Env,
    outcome: &mut Outcome,
) -> Option<Option<Compiled>> {
    let Some(why) = why(settings, sources, env) else {
        return Some(None);
    };
    let manifest = match open(settings, &why) {
        Ok(manifest) => manifest,
        Err(wrong) => {
            outcome.sink.push(wrong.into());
            return None;
        }
    };
    outcome
        .watch
        .paths
        .add_all(read::watched(settings, &manifest));
    outcome.watch.variables = env.consulted();
    let compiled = read::read(settings, sources, &manifest, &mut outcome.sink)?;
    #[cfg(feature = "nvvm")]
    let compiled = Compiled {
        modules: super::nvvm::read(settings, sources, &mut outcome.sink),
        ..compiled
    };
    if outcome.telling {
        let because = match why {
            Why::Asked(by) => format!("{by} says so"),
            Why::DocsRs => format!("{DOCS_RS} is set"),
            Why::NoToolkit => "there is no toolkit here that fits".to_owned(),
        };
        cargo::progress(&format!(
            "kernels are those of {DIR}, compiled with CUDA {}: {because}",
            manifest.toolkit
        ));
    }
    Some(Some(compiled))
}

/// Writes what was compiled for `cargo cubin prebuild`, where that asked.
pub(super) fn keep(
    settings: &Settings,
    sources: &Sources,
    compiled: &Compiled,
    outcome: &mut Outcome,
) {
    if settings.prebuilt.when != Prebuilt::Write {
        return;
    }
    let from = match &settings.report {
        Some(report) => report.beside(DIR),
        None => settings.work_dir.join(DIR),
    };
    write::write(settings, sources, compiled, &from, &mut outcome.sink);
    if compiled.toolkit.is_some() {
        outcome.prebuilt = Some((from, place::dir(settings)));
    }
}

/// Why prebuilt files are used; `None` where sources are compiled.
fn why(settings: &Settings, sources: &Sources, env: &Env) -> Option<Why> {
    let there = || place::manifest(settings).is_file();
    match settings.prebuilt.when {
        _ if sources.compiled.is_empty() => None,
        Prebuilt::Never | Prebuilt::Write => None,
        Prebuilt::Always => Some(Why::Asked(settings.prebuilt.said_by)),
        Prebuilt::WithoutToolkit if !there() => None,
        Prebuilt::WithoutToolkit if env.get(DOCS_RS).is_some() => Some(Why::DocsRs),
        Prebuilt::WithoutToolkit => {
            let found = toolkit::present(env, &settings.toolkit);
            let compiles = found.is_some_and(|toolkit| {
                compile::has_compilers(env, &toolkit, &settings.options, &sources.compiled)
            });
            (!compiles).then_some(Why::NoToolkit)
        }
    }
}

fn open(settings: &Settings, why: &Why) -> Result<Manifest, Wrong> {
    let path = place::manifest(settings);
    let shown = place::shown(settings);
    match SourceFile::read(&path, &shown) {
        Ok(file) => Manifest::parse(&file),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Err(Wrong::None {
            manifest: shown,
            said_by: match why {
                Why::Asked(by) => (*by).to_owned(),
                Why::DocsRs | Why::NoToolkit => PREBUILT.to_owned(),
            },
        }),
        Err(error) => Err(Wrong::Unreadable {
            file: shown,
            why: error.to_string(),
        }),
    }
}
