//! Reads `prebuilt/` as if a compiler had just made it.

use std::path::{Path, PathBuf};

use super::{
    super::{compile::Compiled, settings::Settings, sources::Sources},
    facts,
    manifest::{Made, Manifest, decode, file_name, id_of},
    place, wanted,
    wrong::{Change, Wrong},
};
use crate::{
    cache::ContentHash,
    compile::{Language, Linked, PrebuiltUnit, Unit},
    diag::Sink,
    lists::{AddAll, CollectVec},
    paths,
    sorted::{self, Map},
    source::{MOST_BYTES, read_file},
};

/// What is taken for what a compiler made; `None` where something is missing or damaged, which `sink` is told.
pub(super) fn read(
    settings: &Settings,
    sources: &Sources,
    manifest: &Manifest,
    sink: &mut Sink,
) -> Option<Compiled> {
    let changes = changes(settings, sources, manifest);
    if !changes.is_empty() {
        let level = settings.prebuilt.stale;
        sink.push(Wrong::Stale { changes, level }.into());
    }
    let reader = Reader {
        settings,
        dir: place::dir(settings).join(place::stem(settings)),
        manifest,
    };
    match reader.all(sources) {
        Ok(compiled) => Some(compiled),
        Err(all) => {
            for wrong in all {
                sink.push(wrong.into());
            }
            None
        }
    }
}

struct Reader<'a> {
    settings: &'a Settings,
    dir: PathBuf,
    manifest: &'a Manifest,
}

impl Reader<'_> {
    fn all(&self, sources: &Sources) -> Result<Compiled, Vec<Wrong>> {
        let mut compiled = Compiled::default();
        let mut wrong = Vec::new();
        let mut missing = Vec::new();
        for wanted in wanted::units(self.settings, sources) {
            let Some(made) = self.manifest.units.get(&wanted.key()) else {
                missing.push((wanted.shown.clone(), wanted.target.to_string()));
                continue;
            };
            match self.unit(&wanted, made) {
                Ok((unit, side)) => {
                    compiled.sides.insert(unit.cubin.clone(), side);
                    compiled.units.push(unit);
                }
                Err(what) => wrong.push(what),
            }
        }
        for wanted in wanted::linked(self.settings, sources) {
            let target = wanted.target.to_string();
            let Some(made) = self.manifest.linked.get(&wanted.key()) else {
                missing.push((wanted.name.to_owned(), target));
                continue;
            };
            let name = file_name(wanted.name, &target, "cubin");
            match self.file(&name, made.cubin.as_deref()) {
                Ok(_) => compiled.linked.push(Linked {
                    name: wanted.name.to_owned(),
                    target: wanted.target,
                    cubin: self.dir.join(name),
                    messages: Vec::new(),
                    relinked: None,
                }),
                Err(what) => wrong.push(what),
            }
        }
        if !missing.is_empty() {
            let keys = self
                .manifest
                .units
                .keys()
                .chain(self.manifest.linked.keys());
            let mut held = keys.map(|(_, target)| target.clone()).collect_vec();
            sorted::sort(&mut held);
            held.dedup();
            wrong.push(Wrong::Missing {
                units: missing,
                held,
                manifest: place::shown(self.settings),
            });
        }
        if wrong.is_empty() {
            Ok(compiled)
        } else {
            Err(wrong)
        }
    }

    /// A unit, and what lies beside its cubin.
    fn unit(&self, wanted: &wanted::Unit<'_>, made: &Made) -> Result<(Unit, Vec<u8>), Wrong> {
        let target = wanted.target.to_string();
        let name = |extension| file_name(&wanted.stem, &target, extension);
        let facts = self.file(&name("facts"), made.facts.as_deref())?;
        let Some(facts) = facts::decode(&facts) else {
            return Err(self.damaged(&name("facts"), "its content is not understood"));
        };
        let cubin = self.dir.join(name("cubin"));
        if !wanted.source.relocatable {
            self.file(&name("cubin"), made.cubin.as_deref())?;
        }
        let targets = wanted.source.targets(&self.settings.targets);
        let ptx = if wanted.source.language == Language::Ptx {
            self.settings.root.join(&wanted.source.path)
        } else {
            let embedded = self.settings.ptx.of(targets).contains(&wanted.target);
            if embedded && !wanted.source.relocatable {
                if made.ptx.is_none() {
                    let source = wanted.shown.clone();
                    return Err(Wrong::NoPtx { source, target });
                }
                self.file(&name("ptx"), made.ptx.as_deref())?;
            }
            self.dir.join(name("ptx"))
        };
        let identity = ContentHash::of(&facts.side);
        let unit = Unit::prebuilt(PrebuiltUnit {
            source: wanted.source.path.clone(),
            target: wanted.target,
            cubin,
            ptx,
            spills: facts.spills,
            callees: facts.callees,
            frames: facts.frames,
            identity,
        });
        Ok((unit, facts.side))
    }

    /// A file whose hash is that of the manifest.
    fn file(&self, name: &str, hash: Option<&str>) -> Result<Vec<u8>, Wrong> {
        let bytes = match read_file(&self.dir.join(name), MOST_BYTES) {
            Ok(bytes) => bytes,
            Err(error) => return Err(self.damaged(name, &error.to_string())),
        };
        match hash {
            Some(hash) if ContentHash::of(&bytes).to_string() == hash => Ok(bytes),
            Some(_) => Err(self.damaged(name, "its content is not that of the manifest")),
            None => Err(self.damaged(name, "the manifest does not name it")),
        }
    }

    fn damaged(&self, name: &str, why: &str) -> Wrong {
        Wrong::File {
            file: paths::shown(&self.settings.root, &self.dir.join(name)),
            why: why.to_owned(),
        }
    }
}

/// What is not as it was when the files were made.
fn changes(settings: &Settings, sources: &Sources, manifest: &Manifest) -> Vec<Change> {
    let mut all = Vec::new();
    for (name, hash) in &manifest.files {
        let Some(path) = wanted::file_of(settings, name) else {
            continue;
        };
        match read_file(&path, MOST_BYTES) {
            Ok(bytes) if wanted::hash_of_text(&bytes) == *hash => {}
            Ok(_) => all.push(Change::Edited(decode(name))),
            Err(_) => all.push(Change::Gone(decode(name))),
        }
    }
    let units = wanted::units(settings, sources);
    let linked = wanted::linked(settings, sources);
    let mut dropped = Vec::new();
    for (name, _) in manifest.units.keys() {
        if !units.iter().any(|unit| unit.name == *name) && dropped.last() != Some(name) {
            dropped.push(name.clone());
        }
    }
    // One that is not there any more is told of already.
    dropped.retain(|name| settings.root.join(decode(name)).is_file());
    all.add_all(dropped.iter().map(|name| Change::Dropped(decode(name))));
    let mut options: Map<(String, String), String> = Map::new();
    let of_units = units.iter().filter_map(|unit| {
        let made = manifest.units.get(&unit.key())?;
        Some((unit.shown.clone(), &unit.words, made))
    });
    let of_linked = linked.iter().filter_map(|linked| {
        let made = manifest.linked.get(&linked.key())?;
        Some((linked.name.to_owned(), &linked.words, made))
    });
    for (what, words, made) in of_units.chain(of_linked) {
        let old = manifest.options.get(&made.options);
        if id_of(words) != made.options || old != Some(words) {
            let old = old.cloned().unwrap_or_default();
            // Once for all targets.
            options.insert((what, words.clone()), old);
        }
    }
    for ((what, words), old) in &options {
        let (now, before) = (split(words), split(old));
        let others = |all: &[String], without: &[String]| {
            let all = all.iter().filter(|word| !without.contains(word));
            all.cloned().collect_vec()
        };
        all.push(Change::Options {
            what: what.clone(),
            new: others(&now, &before),
            old: others(&before, &now),
        });
    }
    all
}

fn split(words: &str) -> Vec<String> {
    let words = words.split(' ').filter(|word| !word.is_empty());
    words.map(decode).collect_vec()
}

/// Everything that was read, for cargo to watch.
pub(super) fn watched(settings: &Settings, manifest: &Manifest) -> Vec<PathBuf> {
    let mut all = vec![Path::new(place::DIR).to_owned()];
    for name in manifest.files.keys() {
        let path = wanted::file_of(settings, name);
        // Cargo takes what is missing for changed each time.
        all.add_all(path.filter(|path| path.is_file()));
    }
    all
}
