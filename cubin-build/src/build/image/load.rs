//! The bytes of all images: of compiled units, linked cubins and prebuilt files, each file read once.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cubin_core::Sm;

use super::{
    super::{
        compile::Compiled,
        names,
        problem::{BadCode, Problem},
        ptx,
        settings::Settings,
        sources::{Sources, link},
    },
    binary::{Binary, Loaded, Names},
    prebuilt,
};
use crate::{
    compile::{Linked, Unit},
    diag::Sink,
    lists::{CollectSome, CollectVec},
    paths,
    sorted::Map,
};

/// Reads everything. A module whose source did not compile for some target, or that cannot be read, is left out: `sink`
/// knows why.
pub(in super::super) fn load<'c>(
    settings: &Settings,
    sources: &Sources,
    compiled: &'c Compiled,
    sink: &mut Sink,
) -> Vec<Loaded<'c>> {
    let mut units: Map<&Path, Vec<&'c Unit>> = Map::new();
    for unit in &compiled.units {
        units.or_default(&unit.source).push(unit);
    }
    let units = &units;
    let is_linked = |index: usize| {
        sources
            .links
            .iter()
            .any(|link| link.members.contains(&index))
    };
    let alone = (0..sources.originals.len()).filter(|index| !is_linked(*index));
    let alone: Vec<usize> = alone.collect_vec();
    let own = alone
        .iter()
        .map(|index| sources.originals[*index].as_path());
    let prebuilt = sources.prebuilt.iter().map(|file| file.path.as_path());
    let files: Vec<&Path> = own.chain(prebuilt).collect_vec();
    let chosen: Vec<&str> = sources
        .links
        .iter()
        .map(|link| link.name.as_str())
        .chain(
            sources
                .libraries
                .iter()
                .map(|library| library.name.as_str()),
        )
        .collect_vec();
    let modules = names::modules(&files, &chosen);

    let front_end_only = compiled.front_end_only;
    let mut all = Vec::new();
    for (position, (module, original)) in modules.iter().zip(&files).enumerate() {
        let source = paths::shown(&settings.root, original);
        let (targets, binaries) = match alone.get(position) {
            Some(index) => {
                let compiled = &sources.compiled[*index];
                let units = units.get(compiled.path.as_path());
                let units = units.map_or(&[][..], Vec::as_slice);
                let targets = compiled.targets(&settings.targets);
                let binaries =
                    of_units(settings, (&source, targets), (units, front_end_only), sink);
                (targets, binaries)
            }
            None => {
                let prebuilt = &sources.prebuilt[position - alone.len()];
                let binaries = prebuilt::read(settings, prebuilt, &source, sink);
                (prebuilt.targets(&settings.targets), binaries)
            }
        };
        if !binaries.is_empty() {
            if module.hashed {
                let (source, module) = (source.clone(), module.name.clone());
                sink.push(Problem::ModuleHashed { source, module }.into());
            }
            all.push(Loaded {
                names: Names {
                    source,
                    linked: false,
                    files: names::file_stem(&settings.out_file, &module.name),
                    module: module.name.clone(),
                    found: sources.found.contains(*original),
                    host: alone
                        .get(position)
                        .is_some_and(|index| sources.compiled[*index].host),
                },
                targets: targets.to_vec(),
                binaries,
            });
        }
    }
    for link in &sources.links {
        let first = link.members.first();
        let targets = first.map_or(&settings.targets[..], |index| {
            sources.compiled[*index].targets(&settings.targets)
        });
        let binaries: Vec<Binary<'_>> = if front_end_only {
            let all = targets.iter();
            all.filter_map(|target| of_members(sources, link, *target, units))
                .collect_vec()
        } else {
            let linked = compiled.linked.iter();
            let linked = linked.filter(|linked| linked.name == link.name);
            linked
                .filter_map(|linked| of_linked(sources, link, linked, units, sink))
                .collect_vec()
        };
        if binaries.len() < targets.len() {
            continue;
        }
        if !settings.ptx.of(targets).is_empty() && !front_end_only {
            let (name, span) = (link.name.clone(), link.span.clone());
            sink.push(Problem::LinkedWithoutPtx { name, span }.into());
        }
        let members = link.members.iter();
        let shown = members.map(|index| paths::shown(&settings.root, &sources.originals[*index]));
        all.push(Loaded {
            names: Names {
                source: shown.collect_vec().join(", "),
                linked: true,
                files: names::file_stem(&settings.out_file, &link.name),
                module: link.name.clone(),
                found: false,
                host: false,
            },
            targets: binaries
                .iter()
                .filter_map(|binary| binary.target)
                .collect_vec(),
            binaries,
        });
    }
    all
}

/// Of a source by itself: nothing when it failed for some target.
fn of_units<'c>(
    settings: &Settings,
    (source, targets): (&str, &[Sm]),
    (units, front_end_only): (&[&'c Unit], bool),
    sink: &mut Sink,
) -> Vec<Binary<'c>> {
    let mut binaries = Vec::new();
    if units.len() < targets.len() {
        return binaries;
    }
    let wanted = settings.ptx.of(targets);
    for unit in units {
        let target = unit.target;
        if front_end_only && unit.side_files.is_some() {
            binaries.push(Binary {
                units: vec![unit],
                ..Binary::prebuilt(Some(target), Vec::new())
            });
            continue;
        }
        let Some(bytes) = file(&unit.cubin, "cubin", source, target, sink) else {
            return Vec::new();
        };
        let mut binary = Binary {
            units: vec![unit],
            ..Binary::prebuilt(Some(target), bytes)
        };
        if wanted.contains(&target) {
            match file(&unit.ptx, "PTX", source, target, sink) {
                Some(text) => binary.ptx = Some(ptx::terminated(text)),
                None => return Vec::new(),
            }
        }
        binaries.push(binary);
    }
    binaries
}

fn of_linked<'c>(
    sources: &Sources,
    link: &link::Module,
    linked: &Linked,
    units: &Map<&Path, Vec<&'c Unit>>,
    sink: &mut Sink,
) -> Option<Binary<'c>> {
    let target = linked.target;
    Some(Binary {
        bytes: file(&linked.cubin, "cubin", &linked.name, target, sink)?,
        ..of_members(sources, link, target, units)?
    })
}

/// A linked module without its machine code.
fn of_members<'c>(
    sources: &Sources,
    link: &link::Module,
    target: Sm,
    units: &Map<&Path, Vec<&'c Unit>>,
) -> Option<Binary<'c>> {
    let of = |index: &usize| {
        let mut units = units.get(sources.compiled[*index].path.as_path())?.iter();
        units.find(|unit| unit.target == target).copied()
    };
    let units: Option<Vec<&Unit>> = link.members.iter().map(of).collect_some();
    Some(Binary {
        units: units?,
        libraries: link.has_libraries(),
        ..Binary::prebuilt(Some(target), Vec::new())
    })
}

/// A file that a tool has made.
fn file(
    path: &PathBuf,
    what: &'static str,
    source: &str,
    target: Sm,
    sink: &mut Sink,
) -> Option<Vec<u8>> {
    match fs::read(path) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            let problem = Problem::Code {
                source: source.to_owned(),
                what: BadCode::Gone {
                    target,
                    what,
                    why: error.to_string(),
                },
            };
            sink.push(problem.into());
            None
        }
    }
}
