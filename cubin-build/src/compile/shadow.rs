//! Files that exist where the preprocessor may look before it comes to an input of the same name: one that appears there, or
//! goes, may change what is included.
//!
//! Most sources of a build include the same headers of system and toolkit, which are hundreds: what shadows these is
//! looked up once for all of them.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsString,
    fs,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::{
    inputs::{Headers, Inputs},
    record::search_dirs,
};
use crate::{
    cache::{ContentHash, Files, decode_path, encode_path},
    lists::CollectVec,
    paths::normalize,
    sorted::Set,
};

/// Names in directories, each read once per process, and what was found by them.
#[derive(Debug, Default)]
pub(super) struct Listings {
    names: Mutex<HashMap<PathBuf, Names>>,
    shared: Mutex<Vec<Arc<Shared>>>,
}

/// Names in a directory.
type Names = Arc<HashSet<OsString>>;

/// What sources have in common that search the same directories, include the same headers that are not the project's, and
/// ask about the same names.
#[derive(Debug)]
struct Shared {
    /// Of these directories, headers and names.
    of: ContentHash,
    dirs: Vec<(PathBuf, Names)>,
    headers: HashSet<PathBuf>,
    /// What shadows the headers, or is asked about.
    found: Vec<PathBuf>,
}

impl Listings {
    /// A line for each file that shadows one of `inputs`, or that they ask about.
    ///
    /// Nobody writes down under which name a file was included, so every ending of its path counts as one:
    /// `common.cuh`, `gpu/common.cuh`, … A file that is listed without need does no harm: only a change of the list does.
    pub(super) fn shadows(
        &self,
        inputs: &Inputs,
        asked: &[String],
        root: &Path,
        includes: &[PathBuf],
        files: &Files,
    ) -> Vec<String> {
        let dirs = search_dirs(&inputs.own, includes);
        let shared = self.shared(&inputs.headers, asked, root, &dirs, files);
        let mut endings = Endings::default();
        let mut own: HashSet<PathBuf> = HashSet::new();
        for input in &inputs.own {
            endings.of_path(&input.path);
            own.insert(normalize(&root.join(&input.path)));
        }
        let mut found: Set<String> = Set::new();
        let mut add = |path: &PathBuf| {
            if !own.contains(path) {
                found.insert(format!("shadow {}", encode_path(path)));
            }
        };
        shared.found.iter().for_each(&mut add);
        let of_own = endings.found(&shared.dirs, files);
        let of_own = of_own.iter().filter(|path| !shared.headers.contains(*path));
        of_own.for_each(&mut add);
        found.into_vec()
    }

    fn shared(
        &self,
        headers: &Headers,
        asked: &[String],
        root: &Path,
        dirs: &[PathBuf],
        files: &Files,
    ) -> Arc<Shared> {
        let mut key = format!("{}\n", headers.hash);
        let mut line = |name: &str| {
            key.push_str(name);
            key.push('\n');
        };
        asked.iter().for_each(|name| line(name));
        line("");
        dirs.iter().for_each(|dir| line(&encode_path(dir)));
        let of = ContentHash::of(key.as_bytes());
        let shared = || self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = shared().iter().find(|known| known.of == of) {
            return Arc::clone(known);
        }
        let mut endings = Endings::default();
        let mut paths: HashSet<PathBuf> = HashSet::new();
        for header in &headers.inputs {
            endings.of_path(&header.path);
            paths.insert(normalize(&root.join(&header.path)));
        }
        for name in asked.iter().filter_map(|name| decode_path(name)) {
            let parts: Vec<Component<'_>> = name.components().collect_vec();
            endings.add(&parts);
        }
        let bases = dirs.iter().map(|dir| normalize(&root.join(dir)));
        let dirs: Vec<_> = bases
            .map(|base| (base.clone(), self.of(&base)))
            .collect_vec();
        let mut found = endings.found(&dirs, files);
        found.retain(|path| !paths.contains(path));
        let new = Arc::new(Shared {
            of,
            dirs,
            headers: paths,
            found,
        });
        shared().push(Arc::clone(&new));
        new
    }

    fn of(&self, dir: &Path) -> Names {
        let mut map = self.names.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = map.get(dir) {
            return Arc::clone(known);
        }
        let names: HashSet<_> = fs::read_dir(dir)
            .into_iter()
            .flatten()
            .flatten()
            .map(|entry| entry.file_name())
            .collect();
        let names = Arc::new(names);
        map.insert(dir.to_owned(), Arc::clone(&names));
        names
    }
}

/// Names that files may be included under.
#[derive(Default)]
struct Endings {
    /// By their first component, so that names in directories are looked up.
    by_first: HashMap<OsString, Vec<PathBuf>>,
    /// Those that begin otherwise than with a name.
    upward: Vec<PathBuf>,
}

impl Endings {
    /// Adds all endings of a path.
    fn of_path(&mut self, path: &Path) {
        /// No include names more directories than this, but for paths that are matched whole anyway.
        const LONGEST: usize = 6;
        let parts: Vec<Component<'_>> = path
            .components()
            .filter(|part| matches!(part, Component::Normal(_) | Component::ParentDir))
            .collect_vec();
        for from in parts.len().saturating_sub(LONGEST)..parts.len() {
            self.add(&parts[from..]);
        }
    }

    fn add(&mut self, parts: &[Component<'_>]) {
        match parts.first() {
            Some(Component::Normal(first)) => self
                .by_first
                .entry((*first).to_owned())
                .or_default()
                .push(parts.iter().collect()),
            Some(_) => self.upward.push(parts.iter().collect()),
            None => {}
        }
    }

    /// The files of these names.
    fn found(&self, dirs: &[(PathBuf, Names)], files: &Files) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for (base, listing) in dirs {
            let named = self.by_first.iter();
            let named = named.filter(|(first, _)| listing.contains(*first));
            let named = named.flat_map(|(_, names)| names);
            for name in named.chain(&self.upward) {
                let path = normalize(&base.join(name));
                if files.stamp(&path).is_some() && path.is_file() {
                    found.push(path);
                }
            }
        }
        found
    }
}
