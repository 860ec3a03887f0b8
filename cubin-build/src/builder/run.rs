//! The steps of a build, in order. Each step reports all that is wrong before the next one is skipped.

use std::path::{Path, PathBuf};

use super::{
    Builder, Outcome,
    images::{self, Compiled, Names, Places, Reader},
    messages, prebuilt,
    settings::{self, Settings},
    signed::{self, Signed},
};
use crate::sorted::{self, Map, Set};
use crate::{
    cache, codegen,
    compile::{self, Level, Linked, Unit, Watch},
    diag::{Diag, Sink, codes},
    env::Env,
    kernel::Facts,
    policy::{self, Baseline, Policy},
    report,
    source::SourceFile,
    toolkit::{self, Toolkit},
};

/// What a successful build made.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Output {
    /// The generated file.
    pub generated: PathBuf,
    /// The cubins beside it.
    pub cubins: Vec<PathBuf>,
    /// The PTX beside it, where some is embedded; each ends in a zero byte.
    pub ptx: Vec<PathBuf>,
    /// What is known of every kernel on every target, by name.
    pub kernels: Vec<Facts>,
    /// The toolkit that compiled; absent when all sources are machine code.
    pub toolkit: Option<Toolkit>,
    /// How many (source, target) pairs were compiled now; the others were up to date.
    pub compiled: usize,
    /// Findings that did not fail the build.
    pub warnings: Vec<Diag>,
}

pub(super) fn run(builder: &Builder, env: &Env) -> Outcome {
    let mut outcome = Outcome {
        sink: Sink::new(),
        output: None,
        watch: Watch::default(),
        facts: Vec::new(),
        baseline: None,
        report: None,
        announcement: None,
        progress: Vec::new(),
    };
    // Registered even when unset: setting it later must run the script again.
    env.note(report::VARIABLE);
    let Some(settings) = settings::resolve(builder, env, &mut outcome.sink) else {
        return outcome;
    };
    outcome.report.clone_from(&settings.report);
    steps(&settings, env, &mut outcome);
    outcome.watch.paths.extend(settings.watched.iter().cloned());
    sorted::sort(&mut outcome.watch.paths);
    outcome.watch.paths.dedup();
    // Cargo would take what this very run wrote for a change.
    outcome
        .watch
        .paths
        .retain(|path| !settings.root.join(path).starts_with(&settings.out_dir));
    outcome
}

fn steps(settings: &Settings, env: &Env, outcome: &mut Outcome) -> Option<()> {
    let mut places = Places::new(&settings.root);
    // Machine code needs no compiler, so a crate that ships only that builds without a toolkit.
    let (toolkit, units, linked) = match settings.sources.is_empty() {
        true => (None, Vec::new(), Vec::new()),
        false => {
            let toolkit = find_toolkit(settings, env, outcome)?;
            let units = compile(settings, env, &toolkit, &mut places, outcome)?;
            let linked = link(settings, env, &toolkit, &units, &mut places, outcome);
            (Some(toolkit), units, linked)
        }
    };
    let mut signed = match &toolkit {
        Some(toolkit) => signed::read(env, &request(settings, toolkit), &units),
        None => Signed::default(),
    };
    let modules = read_units(
        settings,
        toolkit.as_ref(),
        (&units, &linked),
        &mut signed,
        &mut places,
        &mut outcome.sink,
    );
    outcome.facts = modules
        .iter()
        .flat_map(|module| module.facts.iter().cloned())
        .collect();
    sorted::sort_by(&mut outcome.facts, |a, b| {
        (&a.name, a.target, &a.symbol).cmp(&(&b.name, b.target, &b.symbol))
    });
    // Judged only when every kernel is there: a rule must not be reported as unmatched because a file did not compile.
    if outcome.sink.has_errors() {
        return None;
    }
    let (text, cubins) = generate(settings, modules, &mut outcome.sink);
    if outcome.sink.has_errors() {
        return None;
    }
    judge(settings, outcome);
    // In report mode a policy violation is data, and the crate must still build.
    if outcome.sink.has_errors() && settings.report.is_none() {
        return None;
    }
    let sink = &mut outcome.sink;
    let written = write(settings, &text, &cubins)
        .map_err(|error| sink.push(*error))
        .ok()?;
    let is_ptx = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "ptx");
    let (ptx, cubins) = written.into_iter().partition(is_ptx);
    outcome.output = Some(Output {
        generated: settings.out_dir.join(&settings.out_file),
        cubins,
        ptx,
        kernels: outcome.facts.clone(),
        toolkit,
        compiled: units.iter().filter(|unit| unit.compiled()).count(),
        warnings: sink.shown().into_iter().cloned().collect(),
    });
    Some(())
}

fn find_toolkit(settings: &Settings, env: &Env, outcome: &mut Outcome) -> Option<Toolkit> {
    let announcement = &mut outcome.announcement;
    let found = toolkit::find_with(env, &settings.toolkit, &mut |line| {
        // Cargo shows the output of a running build script only with -vv, so the last line is repeated as a warning.
        eprintln!("{line}");
        *announcement = Some(line.to_owned());
    });
    match found {
        Ok(toolkit) => Some(toolkit),
        Err(error) => {
            outcome.sink.push(Diag::from(&error));
            None
        }
    }
}

fn request<'a>(settings: &'a Settings, toolkit: &'a Toolkit) -> compile::Request<'a> {
    compile::Request {
        toolkit,
        root: &settings.root,
        out_dir: &settings.work_dir,
        sources: &settings.sources,
        targets: &settings.targets,
        options: &settings.options,
    }
}

fn compile(
    settings: &Settings,
    env: &Env,
    toolkit: &Toolkit,
    places: &mut Places,
    outcome: &mut Outcome,
) -> Option<Vec<Unit>> {
    let sink = &mut outcome.sink;
    let request = request(settings, toolkit);
    let compiled = match compile::compile(env, &request) {
        Ok(compiled) => compiled,
        Err(error) => {
            sink.push(messages::compile(&error, &settings.config));
            return None;
        }
    };
    let watch = compile::watch(env, &request, &compiled);
    outcome.watch.paths.extend(watch.paths);
    outcome.watch.variables = watch.variables;
    for failure in &compiled.failures {
        let source = super::shown_path(&settings.root, settings.original(&failure.source));
        sink.push(messages::failure(failure, &source, settings, places));
    }
    for unit in &compiled.units {
        outcome.progress.extend(messages::compiled(
            unit,
            &super::shown_path(&settings.root, settings.original(&unit.source)),
        ));
        for message in unit
            .messages
            .iter()
            .filter(|message| message.level == Level::Warning)
        {
            sink.push(messages::warning(message, places));
        }
    }
    for note in &compiled.notes {
        sink.push(compile::diags::note(note));
    }
    Some(compiled.units)
}

/// Makes one cubin of the sources of each linked module.
fn link(
    settings: &Settings,
    env: &Env,
    toolkit: &Toolkit,
    units: &[Unit],
    places: &mut Places,
    outcome: &mut Outcome,
) -> Vec<Linked> {
    let sink = &mut outcome.sink;
    let libraries: Vec<Vec<PathBuf>> = settings
        .links
        .iter()
        .map(|module| module.library_files(toolkit, sink))
        .collect();
    let groups: Vec<compile::Group<'_>> = settings
        .links
        .iter()
        .zip(&libraries)
        .map(|(module, libraries)| compile::Group {
            name: &module.name,
            sources: module
                .members
                .iter()
                .map(|index| settings.sources[*index].path.as_path())
                .collect(),
            libraries,
        })
        .collect();
    if groups.is_empty() || sink.has_errors() {
        return Vec::new();
    }
    let linkage = compile::link(env, &request(settings, toolkit), &groups, units);
    for failure in &linkage.failures {
        sink.push(messages::not_linked(failure, settings));
    }
    for linked in &linkage.linked {
        let warnings = linked.messages.iter();
        for message in warnings.filter(|message| message.level == Level::Warning) {
            sink.push(messages::warning(message, places));
        }
        outcome.progress.extend(messages::linked(linked));
    }
    linkage.linked
}

/// Policy and baseline.
fn judge(settings: &Settings, outcome: &mut Outcome) {
    let baseline = read_baseline(settings, &mut outcome.watch, &mut outcome.sink);
    for finding in policy::check(&settings.config, baseline.as_ref(), &outcome.facts) {
        outcome.sink.push(finding);
    }
    for declared in &settings.config.kernels {
        if !outcome
            .facts
            .iter()
            .any(|facts| facts.symbol == declared.symbol.value)
        {
            outcome.sink.push(
                Diag::warning(
                    codes::UNMATCHED_RULE,
                    format!("no kernel has the symbol `{}`", declared.symbol.value),
                )
                .at(declared.symbol.span.clone(), "declared here"),
            );
        }
    }
    if let Some(path) = baseline_path(settings) {
        let now = policy::baseline_from(&outcome.facts, &Policy::new(&settings.config));
        outcome.baseline = Some(report::BaselineFile {
            path,
            text: now.to_toml(),
            entries: now.len(),
        });
    }
}

fn baseline_path(settings: &Settings) -> Option<PathBuf> {
    let file = settings.config.baseline.as_ref()?;
    let config = settings.root.join(&settings.config_name);
    Some(config.parent().unwrap_or(&settings.root).join(&file.value))
}

/// The baseline, when cubin.toml names one. A file that is not there yet accepts nothing.
fn read_baseline(settings: &Settings, watch: &mut Watch, sink: &mut Sink) -> Option<Baseline> {
    let path = baseline_path(settings)?;
    let shown = super::shown_path(&settings.root, &path);
    match SourceFile::read(&path, &shown) {
        Ok(file) => {
            watch.paths.push(path);
            let (baseline, problems) = Baseline::parse(&file);
            problems.into_iter().for_each(|problem| sink.push(problem));
            Some(baseline)
        }
        // About to be made.
        Err(_) if settings.report.is_some() => None,
        Err(error) => {
            let span = settings.config.baseline.as_ref().map(|file| &file.span);
            sink.push(
                Diag::error(
                    codes::BASELINE_INVALID,
                    format!("cannot read the baseline {shown}: {error}"),
                )
                .at_place(span, "named here")
                .help(
                    "run `cargo cubin baseline write` to make it, or take the [baseline] table out",
                ),
            );
            None
        }
    }
}

fn read_units(
    settings: &Settings,
    toolkit: Option<&Toolkit>,
    (units, linked): (&[Unit], &[Linked]),
    signed: &mut Signed,
    places: &mut Places,
    sink: &mut Sink,
) -> Vec<Compiled> {
    let mut by_source: Map<&Path, Vec<&Unit>> = Map::new();
    for unit in units {
        by_source.or_default(&unit.source).push(unit);
    }
    let all: Vec<&Path> = settings
        .originals
        .iter()
        .map(PathBuf::as_path)
        .chain(settings.prebuilt.iter().map(|(path, _)| path.as_path()))
        .collect();
    let alone = |index: &usize| {
        !settings
            .links
            .iter()
            .any(|link| link.members.contains(index))
    };
    let alone: Vec<usize> = (0..all.len()).filter(alone).collect();
    let names = module_names(&alone.iter().map(|index| all[*index]).collect::<Vec<_>>());
    // The cubins of two builders of one build script lie side by side.
    let cubin_names = |module: &str| match settings.out_file.strip_suffix(".rs") {
        Some("kernels") => module.to_owned(),
        other => format!("{}.{module}", other.unwrap_or(&settings.out_file)),
    };
    let mut modules = Vec::new();
    for (&index, module) in alone.iter().zip(&names) {
        let original = all[index];
        let source = super::shown_path(&settings.root, original);
        let images = match settings.sources.get(index) {
            // A source that failed for some target is left out: its failure has been reported.
            Some(compiled) => by_source
                .get(compiled.path.as_path())
                .filter(|units| units.len() == settings.targets.len())
                .map(|units| {
                    units
                        .iter()
                        .filter_map(|unit| images::load(&source, unit, &settings.ptx, sink))
                        .collect()
                })
                .unwrap_or_default(),
            None => prebuilt::read(
                &settings.root,
                (
                    original,
                    settings.prebuilt[index - settings.sources.len()].1,
                ),
                &settings.targets,
                &settings.ptx,
                sink,
            ),
        };
        let mut reader = Reader {
            config: &settings.config,
            toolkit,
            signed,
            places,
            sink,
        };
        modules.extend(reader.read(
            &Names {
                source: &source,
                module,
                cubins: &cubin_names(module),
                found: settings.found.contains(original),
            },
            images,
        ));
    }
    for link in &settings.links {
        if let Some(index) = names.iter().position(|name| *name == link.name) {
            let source = super::shown_path(&settings.root, all[alone[index]]);
            sink.push(messages::link_name_taken(link, &source));
            continue;
        }
        let sources: Vec<String> = link
            .members
            .iter()
            .map(|index| super::shown_path(&settings.root, all[*index]))
            .collect();
        let images: Vec<_> = linked
            .iter()
            .filter(|linked| linked.name == link.name)
            .filter_map(|linked| {
                let of = |index: &usize| {
                    let units = by_source.get(settings.sources[*index].path.as_path())?;
                    units
                        .iter()
                        .find(|unit| unit.target == linked.target)
                        .copied()
                };
                let units: Option<Vec<&Unit>> = link.members.iter().map(of).collect();
                images::load_linked(linked, units?, link.has_libraries(), sink)
            })
            .collect();
        // What failed for some target is left out: its failure has been reported.
        if images.len() < settings.targets.len() {
            continue;
        }
        if !settings.ptx.is_empty() {
            sink.push(messages::linked_without_ptx(link));
        }
        let mut reader = Reader {
            config: &settings.config,
            toolkit,
            signed,
            places,
            sink,
        };
        let names = Names {
            source: &sources.join(", "),
            module: &link.name,
            cubins: &cubin_names(&link.name),
            found: false,
        };
        modules.extend(reader.read(&names, images));
    }
    modules
}

/// A module's name is the stem of its source; where two sources share one, the directories that tell them apart
/// come before it.
fn module_names(sources: &[&Path]) -> Vec<String> {
    let parts: Vec<Vec<String>> = sources
        .iter()
        .map(|path| {
            let stem = path.with_extension("");
            stem.components()
                .filter_map(|component| match component {
                    std::path::Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
                    _ => None,
                })
                .collect()
        })
        .collect();
    let tail = |index: usize, length: usize| {
        let parts: &[String] = &parts[index];
        parts[parts.len().saturating_sub(length)..].join("_")
    };
    let mut lengths = vec![1_usize; sources.len()];
    loop {
        let names: Vec<String> = lengths
            .iter()
            .enumerate()
            .map(|(index, length)| tail(index, *length))
            .collect();
        let mut seen: Map<&str, usize> = Map::new();
        for name in &names {
            *seen.or_default(name) += 1;
        }
        let mut longer = false;
        for (index, name) in names.iter().enumerate() {
            if seen[name.as_str()] > 1 && lengths[index] < parts[index].len() {
                lengths[index] += 1;
                longer = true;
            }
        }
        if !longer {
            return names;
        }
    }
}

type Cubins = Vec<(String, Vec<u8>)>;

fn generate(settings: &Settings, modules: Vec<Compiled>, sink: &mut Sink) -> (String, Cubins) {
    let mut cubins = Vec::new();
    let mut input = codegen::Input {
        modules: Vec::new(),
        backend: settings.backend.clone(),
        half: settings.half,
    };
    for module in modules {
        cubins.extend(module.cubins);
        input.modules.push(module.module);
    }
    let generated = codegen::generate(&input);
    for finding in generated.findings {
        sink.push(finding.into());
    }
    (generated.text, cubins)
}

/// Cubins and PTX first, then the file that includes them; then those of earlier builds go.
fn write(settings: &Settings, text: &str, cubins: &Cubins) -> Result<Vec<PathBuf>, Box<Diag>> {
    let failed = |path: &Path, error: std::io::Error| {
        Box::new(Diag::error(
            codes::OUTPUT_UNWRITABLE,
            format!("cannot write {}: {error}", path.display()),
        ))
    };
    let mut written = Vec::new();
    for (name, bytes) in cubins {
        let path = settings.out_dir.join(name);
        cache::write_if_changed(&path, bytes).map_err(|error| failed(&path, error))?;
        written.push(path);
    }
    let path = settings.out_dir.join(&settings.out_file);
    cache::write_if_changed(&path, text.as_bytes()).map_err(|error| failed(&path, error))?;
    remember(settings, cubins);
    Ok(written)
}

/// Removes cubins and PTX that an earlier run of the same builder wrote and this one did not.
fn remember(settings: &Settings, cubins: &Cubins) {
    let list = settings
        .out_dir
        .join(format!("{}.images.txt", settings.out_file));
    let now: Set<&str> = cubins.iter().map(|(name, _)| name.as_str()).collect();
    let before = std::fs::read_to_string(&list).unwrap_or_default();
    for name in before.lines().filter(|name| !now.contains(name)) {
        // Only plain names in our own directory; leftovers do no harm, so a failure is none of the user's business.
        if Path::new(name).components().count() == 1
            && (name.ends_with(".cubin") || name.ends_with(".ptx"))
        {
            let _ = std::fs::remove_file(settings.out_dir.join(name));
        }
    }
    let lines: String = now.iter().map(|name| format!("{name}\n")).collect();
    let _ = cache::write_if_changed(&list, lines.as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(paths: &[&str]) -> Vec<String> {
        let paths: Vec<&Path> = paths.iter().map(Path::new).collect();
        module_names(&paths)
    }

    #[test]
    fn modules_are_named_after_the_stem_and_told_apart_by_directories() {
        assert_eq!(names(&["kernels/saxpy.cu"]), ["saxpy"]);
        assert_eq!(
            names(&["a/gemm.cu", "b/gemm.cu", "c/other.cu"]),
            ["a_gemm", "b_gemm", "other"]
        );
        assert_eq!(names(&["x/a/k.cu", "y/a/k.cu"]), ["x_a_k", "y_a_k"]);
        assert_eq!(names(&["k.cu", "a/k.cu"]), ["k", "a_k"]);
    }
}
