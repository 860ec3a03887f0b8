//! What a build wants of `prebuilt/`: its units and linked modules, each with the words that decide how it is compiled.
//!
//! The words name no directory of this machine: what lies in the package, or in `OUT_DIR`, is named by its place there.

use std::path::{Path, PathBuf};

use cubin_core::Sm;

use super::{
    super::{settings::Settings, sources::Sources},
    manifest::{encode, encode_all, id_of},
};
use crate::{
    cache::ContentHash,
    compile::{Language, Source, tame_stem},
    lists::{AddAll, CollectVec},
    paths,
};

/// Directory of results in names.
const OUT_DIR: &str = "$OUT_DIR/";
const ROOT: &str = "$ROOT";

/// A source for one target.
pub(super) struct Unit<'s> {
    pub(super) source: &'s Source,
    pub(super) target: Sm,
    /// As messages show it.
    pub(super) shown: String,
    /// Encoded.
    pub(super) name: String,
    /// Of its files.
    pub(super) stem: String,
    /// Encoded.
    pub(super) words: String,
}

/// A linked module for one target.
pub(super) struct Linked<'s> {
    pub(super) name: &'s str,
    pub(super) target: Sm,
    pub(super) words: String,
}

impl Unit<'_> {
    pub(super) fn key(&self) -> (String, String) {
        (self.name.clone(), self.target.to_string())
    }

    pub(super) fn id(&self) -> String {
        id_of(&self.words)
    }
}

impl Linked<'_> {
    pub(super) fn key(&self) -> (String, String) {
        (self.name.to_owned(), self.target.to_string())
    }
}

/// All units, by source and target.
pub(super) fn units<'s>(settings: &Settings, sources: &'s Sources) -> Vec<Unit<'s>> {
    let mut all = Vec::new();
    for (index, source) in sources.compiled.iter().enumerate() {
        let shown = paths::shown(&settings.root, &sources.originals[index]);
        let hash = ContentHash::of(shown.as_bytes()).to_string();
        let stem = format!("{}-{}", tame_stem(Path::new(&shown)), &hash[..8]);
        for &target in source.targets(&settings.targets) {
            all.push(Unit {
                source,
                target,
                name: encode(&shown),
                shown: shown.clone(),
                stem: stem.clone(),
                words: words(settings, sources, source, target),
            });
        }
    }
    all
}

/// All linked modules, by name and target.
pub(super) fn linked<'s>(settings: &Settings, sources: &'s Sources) -> Vec<Linked<'s>> {
    let mut all = Vec::new();
    for link in &sources.links {
        let mut words = Vec::new();
        for member in &link.members {
            words.push(paths::shown(&settings.root, &sources.originals[*member]));
        }
        words.add_all(link.library_names().map(|name| format!("-l{name}")));
        let words = encode_all(&words);
        let first = link.members.first();
        let targets = first.map_or(&[][..], |first| {
            sources.compiled[*first].targets(&settings.targets)
        });
        all.add_all(targets.iter().map(|&target| Linked {
            name: &link.name,
            target,
            words: words.clone(),
        }));
    }
    all
}

/// How a source is compiled.
fn words(settings: &Settings, sources: &Sources, source: &Source, target: Sm) -> String {
    let options = &settings.options;
    let mut words = Vec::new();
    if source.language == Language::Cuda {
        let std = source.std.as_ref().or(options.std.as_ref());
        words.add_all(std.map(|std| format!("-std={std}")));
        let includes = source.includes.iter().chain(&options.includes);
        words.add_all(includes.map(|dir| format!("-I{}", directory(settings, dir))));
        for (name, value) in &options.defines {
            words.push(match value {
                Some(value) => format!("-D{name}={value}"),
                None => format!("-D{name}"),
            });
        }
    }
    #[cfg(feature = "nvvm")]
    if source.language == Language::Nvvm {
        words.add_all(options.nvvm.words());
    }
    words.add_all(options.flags.iter().cloned());
    for (of, flags) in &options.target_flags {
        if *of == target {
            words.add_all(flags.iter().cloned());
        }
    }
    words.add_all(source.flags.iter().cloned());
    let virtuals = options.virtual_archs.iter();
    let of_target = virtuals.filter(|(of, _)| *of == target);
    words.add_all(of_target.map(|(_, arch)| {
        let arch = arch.to_string();
        format!("-arch={}", arch.replacen("sm_", "compute_", 1))
    }));
    if source.relocatable {
        words.push("-rdc=true".to_owned());
    }
    let instances = sources.instances.iter();
    let own = instances.filter(|instance| instance.file == source.path);
    words.add_all(own.map(|instance| format!("instance:{}", instance.kernel)));
    for word in &mut words {
        *word = portable(settings, word);
    }
    encode_all(&words)
}

/// A directory of the command line.
fn directory(settings: &Settings, dir: &Path) -> String {
    let full = paths::normalize(&settings.root.join(dir));
    let inside = full.starts_with(&settings.root) || full.starts_with(&settings.out_dir);
    if dir.is_absolute() && !inside {
        // Where it lies is another matter on each machine.
        return "*".to_owned();
    }
    shown(settings, dir)
}

fn shown(settings: &Settings, path: &Path) -> String {
    let full = paths::plain(&settings.root.join(path));
    if let Ok(rest) = full.strip_prefix(&settings.out_dir) {
        return format!("{OUT_DIR}{}", slashes(rest));
    }
    match full.strip_prefix(&settings.root) {
        Ok(rest) => slashes(rest),
        Err(_) => slashes(&paths::normalize(path)),
    }
}

fn slashes(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

/// A word without the directories of this machine.
fn portable(settings: &Settings, word: &str) -> String {
    let out_dir = settings.out_dir.to_string_lossy();
    let root = settings.root.to_string_lossy();
    let word = word.replace(&*out_dir, OUT_DIR.trim_end_matches('/'));
    word.replace(&*root, ROOT)
}

/// What a file that went in is called in the manifest.
pub(super) enum Named {
    /// Encoded.
    Name(String),
    /// Of this very build: what is made of the settings.
    Ours,
    /// Somewhere on this machine.
    Outside(PathBuf),
}

pub(super) fn name_of(settings: &Settings, path: &Path) -> Named {
    let full = paths::plain(&settings.root.join(path));
    if full.starts_with(&settings.work_dir) {
        return Named::Ours;
    }
    let inside = full.starts_with(&settings.root) || full.starts_with(&settings.out_dir);
    if !inside && path.is_absolute() {
        return Named::Outside(full);
    }
    Named::Name(encode(&shown(settings, path)))
}

/// The file of a name; `None` where it lies outside the package and is not there, as in what is published.
pub(super) fn file_of(settings: &Settings, name: &str) -> Option<PathBuf> {
    let name = super::manifest::decode(name);
    let path = match name.strip_prefix(OUT_DIR) {
        Some(rest) => settings.out_dir.join(rest),
        None => settings.root.join(&name),
    };
    let outside = name.starts_with("../");
    (!outside || path.is_file()).then_some(path)
}

/// The hash of a text: git may have given its lines other ends.
pub(super) fn hash_of_text(bytes: &[u8]) -> String {
    if !bytes.contains(&b'\r') {
        return ContentHash::of(bytes).to_string();
    }
    let mut plain = Vec::with_capacity(bytes.len());
    for (index, byte) in bytes.iter().enumerate() {
        if *byte != b'\r' || bytes.get(index + 1) != Some(&b'\n') {
            plain.push(*byte);
        }
    }
    ContentHash::of(&plain).to_string()
}

/// Names of all files that a build has, whatever went in besides: its sources and the libraries that it links.
pub(super) fn named(sources: &Sources) -> Vec<PathBuf> {
    let links = sources.links.iter();
    let libraries = links.flat_map(|link| link.library_paths().map(Path::to_owned));
    sources
        .originals
        .iter()
        .cloned()
        .chain(libraries)
        .collect_vec()
}
