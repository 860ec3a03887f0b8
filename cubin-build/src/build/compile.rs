//! The second phase: sources to units, and units to linked cubins.

use std::path::{Path, PathBuf};

use cubin_core::Sm;

use super::{
    blame,
    diags::given_to,
    outcome::Outcome,
    places::Places,
    problem::{Mistake, Origin, Problem},
    settings::{MODE, Settings},
    sources::{
        Sources,
        instantiate::{self, Instance},
    },
};
use crate::{
    cargo,
    compile::{self, Failure, Level, Linked, Message, Tool, Unit, diags},
    config::Config,
    diag::Diag,
    env::Env,
    lists::{AddAll, CollectVec},
    paths, signature,
    sorted::Map,
    source::Span,
    toolkit::{self, Toolkit},
};

/// What the tools made.
#[derive(Default)]
pub(super) struct Compiled {
    /// Absent when there was nothing to compile.
    pub(super) toolkit: Option<Toolkit>,
    pub(super) units: Vec<Unit>,
    pub(super) linked: Vec<Linked>,
    /// What lies beside cubins that no compiler has made now, by their paths ([`side::encode`](super::side::encode)).
    pub(super) sides: Map<PathBuf, Vec<u8>>,
    /// Nothing was made of CUDA C++ but what its front end says.
    pub(super) front_end_only: bool,
    /// Objects with host code.
    #[cfg(feature = "library")]
    pub(super) objects: Vec<compile::Object>,
    /// The modules of NVVM IR among the sources.
    #[cfg(feature = "nvvm")]
    pub(super) modules: super::nvvm::Modules,
}

/// Finds the toolkit, compiles and links; `None` when nothing could even begin. Machine code needs no compiler, so a
/// crate that has nothing else builds without a toolkit.
pub(super) fn run(
    settings: &Settings,
    sources: &Sources,
    env: &Env,
    places: &mut Places,
    outcome: &mut Outcome,
) -> Option<Compiled> {
    if sources.compiled.is_empty() {
        // A fatbin is made by a program of the toolkit.
        let toolkit = match settings.fatbins {
            Some(_) => Some(find_toolkit(settings, env, outcome)?),
            None => None,
        };
        return Some(Compiled {
            toolkit,
            ..Compiled::default()
        });
    }
    let toolkit = find_toolkit(settings, env, outcome)?;
    if settings.signatures && toolkit.version.major < 12 {
        let mistake = Mistake::FrontEnd(toolkit.to_string());
        let problem = Problem::Asked(mistake, Origin::Environment(MODE));
        outcome.sink.push(problem.into());
        return None;
    }
    #[cfg(feature = "nvvm")]
    let modules = {
        let modules = super::nvvm::read(settings, sources, &mut outcome.sink);
        if outcome.sink.has_errors() {
            return None;
        }
        modules
    };
    let request = request(settings, sources, &toolkit);
    let made = compile(settings, sources, env, &request, places, outcome)?;
    let units = made.units;
    let linked = if settings.signatures {
        Vec::new()
    } else {
        link(sources, env, &request, &units, places, outcome)
    };
    Some(Compiled {
        units,
        linked,
        sides: Map::new(),
        front_end_only: settings.signatures,
        #[cfg(feature = "library")]
        objects: made.objects,
        #[cfg(feature = "nvvm")]
        modules,
        toolkit: Some(toolkit),
    })
}

fn find_toolkit(settings: &Settings, env: &Env, outcome: &mut Outcome) -> Option<Toolkit> {
    let announcement = &mut outcome.announcement;
    let found = toolkit::find_with(env, &settings.toolkit, &mut |line| {
        // Cargo shows the output of a running build script only with -vv, so the last line is repeated as a warning.
        eprintln!("{line}");
        *announcement = Some(line.to_owned());
    });
    match found {
        Ok(toolkit) => {
            for diag in toolkit::unusable(&toolkit) {
                outcome.sink.push(diag);
            }
            Some(toolkit)
        }
        Err(error) => {
            outcome.sink.push(Diag::from(&error));
            None
        }
    }
}

/// What the compile step is asked for.
pub(super) fn request<'a>(
    settings: &'a Settings,
    sources: &'a Sources,
    toolkit: &'a Toolkit,
) -> compile::CompileRequest<'a> {
    compile::CompileRequest {
        toolkit,
        root: &settings.root,
        out_dir: &settings.work_dir,
        sources: &sources.compiled,
        targets: &settings.targets,
        options: &settings.options,
    }
}

fn compile(
    settings: &Settings,
    sources: &Sources,
    env: &Env,
    request: &compile::CompileRequest<'_>,
    places: &mut Places,
    outcome: &mut Outcome,
) -> Option<compile::Outcome> {
    let shown = |path: &Path| paths::shown(&settings.root, sources.original(path));
    let telling = outcome.telling;
    let told = |path: &Path, target: Sm, why: &str| {
        if telling {
            cargo::progress(&format!("compiled {} for {target}: {why}", shown(path)));
        }
    };
    let sink = &mut outcome.sink;
    let compiled = match compile::compile_telling(env, request, &told) {
        Ok(compiled) => compiled,
        Err(error) => {
            sink.push(diags::request(&error, place_of(&error, &settings.config)));
            sink.extend(toolkit::damaged(request.toolkit));
            return None;
        }
    };
    let watch = compile::watch(env, request, &compiled);
    outcome.watch.paths.add_all(watch.paths);
    outcome.watch.variables = watch.variables;
    for failure in &compiled.failures {
        // One mistake, however many sources it is given to.
        if let Some(problem) = blame::refused(failure, settings, env, request.toolkit) {
            sink.push(problem.into());
            continue;
        }
        let source = shown(&failure.source);
        sink.push(not_compiled(failure, &source, settings, sources, places));
    }
    if !compiled.failures.is_empty() {
        sink.extend(toolkit::damaged(request.toolkit));
    }
    for unit in &compiled.units {
        for message in warnings(&unit.messages) {
            let place = place(message, places);
            sink.push(match blame::warning(message, place.clone()) {
                Some(problem) => problem.into(),
                None => diags::warning(message, place),
            });
        }
    }
    #[cfg(feature = "library")]
    for object in &compiled.objects {
        for message in warnings(&object.messages) {
            sink.push(diags::warning(message, place(message, places)));
        }
        if let Some(why) = object.remade.as_ref().filter(|_| telling) {
            cargo::progress(&format!(
                "compiled host code of {}: {why}",
                shown(&object.source)
            ));
        }
    }
    for note in &compiled.notes {
        sink.push(diags::note(note));
    }
    Some(compiled)
}

fn warnings(messages: &[Message]) -> impl Iterator<Item = &Message> {
    let all = messages.iter();
    all.filter(|message| message.level == Level::Warning)
}

fn place(message: &Message, places: &mut Places) -> Option<Span> {
    let (file, line) = (message.file.as_ref()?, message.line?);
    match message.column {
        Some(column) if message.tool == Tool::Libnvvm => places.word(file, line, column),
        _ => places.line(file, line),
    }
}

/// Where `cubin.toml` asks for what makes a request one that cannot be carried out.
fn place_of<'c>(error: &compile::Error, config: &'c Config) -> Option<&'c Span> {
    let build = &config.build;
    match error {
        compile::Error::UnsupportedTarget { target, .. } => {
            let own = config.source_options.iter().flat_map(|own| &own.arch);
            let mut all = build.arch.iter().chain(own);
            let asked = all.find(|arch| arch.value == *target);
            asked.map(|arch| &arch.span)
        }
        compile::Error::UnsupportedVirtual { arch, .. } => {
            let tables = config.target_options.iter();
            let own = tables.filter_map(|table| table.virtual_arch.as_ref());
            let mut all = build.virtual_arch.iter().chain(own);
            let asked = all.find(|asked| asked.value == *arch);
            asked.map(|asked| &asked.span)
        }
        compile::Error::Flag { flag, .. } => {
            let asked = build.flags.iter().find(|given| given.value == *flag);
            asked.map(|given| &given.span)
        }
        compile::Error::IncludeDir(dir) => {
            let own = config.source_options.iter().flat_map(|own| &own.include);
            let mut dirs = build.include.iter().chain(own);
            let asked = dirs.find(|given| Path::new(&given.value) == dir);
            asked.map(|given| &given.span)
        }
        _ => None,
    }
}

/// A source that did not compile: where it is named, and where its first error is.
fn not_compiled(
    failure: &Failure,
    source: &str,
    settings: &Settings,
    sources: &Sources,
    places: &mut Places,
) -> Diag {
    let first = failure.first_error();
    let is_first = |asked: &&Instance| {
        first.is_some_and(|message| {
            message.file.as_ref() == Some(&asked.file) && message.line == Some(asked.line)
        })
    };
    let instance = sources.instances.iter().find(is_first);
    let mut named = settings.config.build.sources.iter();
    let named = named.find(|file| Path::new(&file.value) == failure.source);
    let by_script = given_to(instantiate::METHOD);
    let meaning = first.and_then(|message| {
        let original = sources.original(&failure.source);
        blame::meaning(message, original, settings, places)
    });
    let asked = diags::Asked {
        source,
        named: named.map(|file| &file.span),
        instance: instance.map(|asked| diags::Instance {
            kernel: &asked.kernel,
            place: asked.span.as_ref().ok_or(by_script.as_str()),
        }),
        place: match &meaning {
            Some(meaning) => meaning.place.clone(),
            None => first.and_then(|message| place(message, places)),
        },
        meaning: meaning.map(|meaning| (meaning.words, meaning.help)),
    };
    diags::failure(failure, &asked)
}

/// Makes one cubin of the sources of each linked module, where all of them compiled and its libraries are there.
fn link(
    sources: &Sources,
    env: &Env,
    request: &compile::CompileRequest<'_>,
    units: &[Unit],
    places: &mut Places,
    outcome: &mut Outcome,
) -> Vec<Linked> {
    let sink = &mut outcome.sink;
    let links = &sources.links;
    let mut whole = Vec::new();
    for module in links {
        if let Some(libraries) = module.library_files(request.toolkit, sink) {
            whole.push((module, libraries));
        }
    }
    let mut groups = Vec::new();
    for (module, libraries) in &whole {
        let members = module.members.iter();
        groups.push(compile::Group {
            name: &module.name,
            sources: members
                .map(|index| sources.compiled[*index].path.as_path())
                .collect_vec(),
            libraries,
        });
    }
    let linkage = compile::link(env, request, &groups, units);
    for failure in &linkage.failures {
        let name = failure.source.to_string_lossy();
        let module = links.iter().find(|link| link.name == name);
        let asked = diags::Asked {
            named: module.and_then(|module| module.span.as_ref()),
            ..diags::Asked::default()
        };
        sink.push(diags::not_linked(failure, &asked, &signature::cxx_name));
    }
    for linked in &linkage.linked {
        for message in warnings(&linked.messages) {
            sink.push(diags::warning(message, place(message, places)));
        }
        if let Some(why) = linked.relinked.as_ref().filter(|_| outcome.telling) {
            let (name, target) = (&linked.name, linked.target);
            cargo::progress(&format!("linked {name} for {target}: {why}"));
        }
    }
    linkage.linked
}
