//! A build, as phases: each is a value that the next one borrows, and each reports all that is wrong before the next one
//! is skipped.
//!
//! | phase | takes | gives |
//! |---|---|---|
//! | `settings`, `sources` | the build script, `cubin.toml`, the environment | what to compile, for which targets, how |
//! | `compile` | sources, toolkit | units and linked cubins, as files |
//! | `prebuilt` instead | what `cargo cubin prebuild` kept | the same |
//! | `image` | those files | every cubin read and parsed once, with the signatures of its kernels, checked against it |
//! | `kernels` | the images of a source | one module: signatures that hold on every target, facts by kernel and target |
//! | `judge` | facts | findings of the policy |
//! | `write` | modules | the generated file and the images beside it |
//!
//! It decides nothing that a layer below could decide. What it finds wrong by itself is data (`problem`) until `diags`
//! makes findings of it.

mod absent;
mod blame;
mod compile;
mod diags;
mod fatbin;
mod image;
mod judge;
mod kernels;
#[cfg(feature = "library")]
mod library;
mod names;
#[cfg(feature = "nvvm")]
mod nvvm;
mod outcome;
mod places;
mod prebuilt;
mod problem;
mod ptx;
mod request;
mod settings;
mod side;
mod sources;
mod virtuals;
#[cfg_attr(
    not(feature = "artifact"),
    allow(unreachable_pub, reason = "`cargo cubin` reads policies by it")
)]
mod workspace;
mod write;

#[cfg(feature = "artifact")]
pub use self::{
    image::linked_kernels,
    workspace::{Consulted, Layers, read_policy},
};
pub(crate) use self::{outcome::Outcome, request::BuildRequest};
pub use self::{
    outcome::{Output, StaticLibrary},
    request::{Library, Link, Ptx, Source},
};

use self::{image::Context, places::Places, settings::Settings, sources::Sources};
use crate::{
    env::Env,
    lists::{AddAll, CollectVec, Figures},
    lock::Lock,
    report, sorted,
};

/// Does it all; `telling` cargo what is compiled, while it is.
pub(crate) fn run(request: &BuildRequest, env: &Env, telling: bool) -> Outcome {
    let mut outcome = Outcome {
        telling,
        ..Outcome::default()
    };
    // Registered even when unset: setting it later must run the script again.
    env.note(report::VARIABLE);
    let Some(settings) = settings::resolve(request, env, &mut outcome.sink) else {
        return outcome;
    };
    let _lock = Lock::hold(&settings.work_dir, &mut || {
        let dir = settings.work_dir.display();
        eprintln!("note: waiting for another build that works in {dir}");
    });
    let sources = sources::find(request, &settings, &mut outcome.sink);
    if outcome.sink.has_errors() {
        return outcome;
    }
    outcome.report.clone_from(&settings.report);
    let _ = phases(&settings, &sources, env, &mut outcome);
    let watched = &mut outcome.watch.paths;
    watched.add_all(settings.watched.iter().cloned());
    watched.add_all(sources.watched.iter().cloned());
    sorted::sort(watched);
    watched.dedup();
    // Cargo would take what this very run wrote for a change.
    watched.retain(|path| !settings.root.join(path).starts_with(&settings.out_dir));
    let absent = &settings.absent;
    watched.add_all(absent::watch(&settings.work_dir, absent));
    outcome
}

/// `None` where a phase failed and the next ones make no sense.
fn phases(settings: &Settings, sources: &Sources, env: &Env, outcome: &mut Outcome) -> Option<()> {
    let mut places = Places::new(&settings.root);
    let compiled = match prebuilt::run(settings, sources, env, outcome)? {
        Some(compiled) => compiled,
        None => compile::run(settings, sources, env, &mut places, outcome)?,
    };
    let sink = &mut outcome.sink;
    let loaded = image::load(settings, sources, &compiled, sink);
    let context = Context {
        settings,
        sources,
        env,
        compiled: &compiled,
    };
    let images = context.read(&loaded, sink);
    #[cfg(feature = "nvvm")]
    {
        let all = images.iter().flat_map(|module| &module.images);
        nvvm::tell(all.map(|image| &image.dropped), &compiled.modules, sink);
    }
    let mut modules = kernels::run(settings, images, &mut places, sink);
    // A fatbin is made by a program of the toolkit; kernels that were prebuilt for who has none lie there as they are.
    if compiled.toolkit.is_none() || compiled.front_end_only {
        for module in &mut modules {
            module.module.fatbin = None;
        }
    }
    #[cfg(feature = "library")]
    let ready = library::ready(sources, &compiled);
    #[cfg(feature = "library")]
    library::tell_absent(sources, &compiled, &ready, sink);
    #[cfg(feature = "library")]
    let host = library::declarations(settings, sources, &ready, &mut places, sink);
    outcome.facts = kernels::facts(&modules);
    // Judged only when every kernel is there: a rule must not be reported as unmatched because a file did not compile.
    if sink.has_errors() {
        return None;
    }
    let generated = write::generate(
        settings,
        modules,
        #[cfg(feature = "library")]
        host,
        sink,
    );
    if sink.has_errors() {
        return None;
    }
    // Nothing is known of what kernels use.
    if !compiled.front_end_only {
        judge::run(settings, env, outcome);
    }
    // In report mode a policy violation is data, and the crate must still build.
    if outcome.sink.has_errors() && settings.report.is_none() {
        return None;
    }
    let toolkit = compiled.toolkit.as_ref();
    let written = match write::run(settings, env, toolkit, &generated) {
        Ok(written) => written,
        Err(problem) => {
            outcome.sink.push(problem.into());
            return None;
        }
    };
    drop(generated);
    prebuilt::keep(settings, sources, &compiled, outcome);
    if outcome.sink.has_errors() && settings.report.is_none() {
        return None;
    }
    #[cfg(feature = "library")]
    let libraries = match library::write(settings, &compiled, &ready, env) {
        Ok(libraries) => libraries,
        Err(problem) => {
            outcome.sink.push(problem.into());
            return None;
        }
    };
    #[cfg(not(feature = "library"))]
    let libraries = Vec::new();
    let watch = &mut outcome.watch.variables;
    watch.clone_from(&env.consulted());
    outcome.output = Some(Output {
        generated: written.generated,
        cubins: written.cubins,
        ptx: written.ptx,
        kernels: outcome.facts.clone(),
        libraries,
        compiled: compiled
            .units
            .iter()
            .filter(|unit| unit.compiled())
            .how_many(),
        warnings: outcome.sink.shown().into_iter().cloned().collect_vec(),
        toolkit: compiled.toolkit.clone(),
    });
    Some(())
}
