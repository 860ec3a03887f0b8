//! Writes `prebuilt/` of what was compiled: into a directory of the command's, which moves it to its place.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{
    super::{
        compile::Compiled,
        image::files,
        settings::Settings,
        side::{self, Side},
        sources::Sources,
    },
    facts,
    manifest::{Made, Manifest, file_name, id_of},
    place,
    wanted::{self, Named},
    wrong::Wrong,
};
use crate::{
    cache::{self, ContentHash},
    compile::{Language, Unit},
    diag::Sink,
    sorted::{self, Set},
    source::{MOST_BYTES, read_file},
};

/// Git leaves these files as they are.
const ATTRIBUTES: &str = "# Written by `cargo cubin prebuild`.\n* -text linguist-generated\n*.manifest text eol=lf diff\n";

/// Writes what `compiled` holds below `dir`, as it is to stand below the package's directory. What fails goes into `sink`.
pub(super) fn write(
    settings: &Settings,
    sources: &Sources,
    compiled: &Compiled,
    dir: &Path,
    sink: &mut Sink,
) {
    let Some(toolkit) = &compiled.toolkit else {
        return;
    };
    let mut writer = Writer {
        settings,
        manifest: Manifest {
            by: env!("CARGO_PKG_VERSION").to_owned(),
            toolkit: toolkit.version.to_string(),
            ..Manifest::default()
        },
        dir: dir.join(place::stem(settings)),
        outside: Vec::new(),
    };
    if let Err(wrong) = writer.all(sources, compiled, dir) {
        sink.push(wrong.into());
        return;
    }
    sorted::sort(&mut writer.outside);
    writer.outside.dedup();
    if !writer.outside.is_empty() {
        sink.push(Wrong::Outside(writer.outside).into());
    }
}

struct Writer<'a> {
    settings: &'a Settings,
    manifest: Manifest,
    /// Of the files beside the manifest.
    dir: PathBuf,
    outside: Vec<PathBuf>,
}

impl Writer<'_> {
    fn all(&mut self, sources: &Sources, compiled: &Compiled, dir: &Path) -> Result<(), Wrong> {
        let mut files: Set<PathBuf> = wanted::named(sources).into_iter().collect();
        for wanted in wanted::units(self.settings, sources) {
            let mut units = compiled.units.iter();
            let unit = units
                .find(|unit| unit.source == wanted.source.path && unit.target == wanted.target);
            let Some(unit) = unit else { continue };
            files.extend(unit.dependencies.iter().cloned());
            let made = self.unit(unit, &wanted)?;
            self.manifest
                .options
                .insert(wanted.id(), wanted.words.clone());
            self.manifest.units.insert(wanted.key(), made);
        }
        for wanted in wanted::linked(self.settings, sources) {
            let mut linked = compiled.linked.iter();
            let linked =
                linked.find(|linked| linked.name == wanted.name && linked.target == wanted.target);
            let Some(linked) = linked else { continue };
            let bytes = read(&linked.cubin)?;
            let name = file_name(wanted.name, &wanted.target.to_string(), "cubin");
            let id = id_of(&wanted.words);
            let made = Made {
                options: id.clone(),
                cubin: Some(self.file(&name, &bytes)?),
                ..Made::default()
            };
            let key = wanted.key();
            self.manifest.options.insert(id, wanted.words);
            self.manifest.linked.insert(key, made);
        }
        for path in &files {
            match wanted::name_of(self.settings, path) {
                Named::Name(name) => {
                    let bytes = read(&self.settings.root.join(path))?;
                    let hash = wanted::hash_of_text(&bytes);
                    self.manifest.files.insert(name, hash);
                }
                Named::Ours => {}
                Named::Outside(path) => self.outside.push(path),
            }
        }
        self.put(
            &dir.join(place::manifest_name(self.settings)),
            self.manifest.text().as_bytes(),
        )?;
        self.put(&dir.join(".gitattributes"), ATTRIBUTES.as_bytes())
    }

    fn unit(&self, unit: &Unit, wanted: &wanted::Unit<'_>) -> Result<Made, Wrong> {
        let side = side::load(unit).ok_or_else(|| Wrong::Forgotten(wanted.shown.clone()))?;
        let side = side::encode(&self.portable(unit, side));
        let file = |extension| file_name(&wanted.stem, &wanted.target.to_string(), extension);
        let mut made = Made {
            options: wanted.id(),
            facts: Some(self.file(&file("facts"), &facts::encode(unit, &side))?),
            ..Made::default()
        };
        // What is linked is taken from the linked cubin.
        if wanted.source.relocatable {
            return Ok(made);
        }
        made.cubin = Some(self.file(&file("cubin"), &read(&unit.cubin)?)?);
        let targets = wanted.source.targets(&self.settings.targets);
        let embedded = self.settings.ptx.of(targets).contains(&unit.target);
        if embedded && wanted.source.language != Language::Ptx {
            made.ptx = Some(self.file(&file("ptx"), &read(&unit.ptx)?)?);
        }
        Ok(made)
    }

    /// What lies beside a cubin without paths of this machine.
    fn portable(&self, unit: &Unit, mut side: Side) -> Side {
        if let Some(signature) = &mut side.signature {
            let signatures = &mut signature.signatures;
            files::relative(signatures, &self.settings.root);
            files::restore_names(signatures, &mut unit.files());
            files::without_dirs(signatures);
        }
        side
    }

    /// Writes a file beside the manifest, and gives its hash.
    fn file(&self, name: &str, bytes: &[u8]) -> Result<String, Wrong> {
        self.put(&self.dir.join(name), bytes)?;
        Ok(ContentHash::of(bytes).to_string())
    }

    fn put(&self, path: &Path, bytes: &[u8]) -> Result<(), Wrong> {
        let made = path.parent().map_or(Ok(()), fs::create_dir_all);
        let written = made.and_then(|()| cache::write_if_changed(path, bytes));
        written.map(drop).map_err(|error| Wrong::Unwritable {
            path: path.to_owned(),
            why: error.to_string(),
        })
    }
}

fn read(path: &Path) -> Result<Vec<u8>, Wrong> {
    read_file(path, MOST_BYTES).map_err(|error| Wrong::Unreadable {
        file: path.display().to_string(),
        why: error.to_string(),
    })
}
