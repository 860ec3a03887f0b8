//! What builds of cubin-build left beside their cubins: a line of JSON for each, in `OUT_DIR/<generated file>.kernels.jsonl`.
//!
//! A cubin in an executable is looked up by its bytes, so that what is said is true of it, and of no other.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    time::SystemTime,
};

use cubin_build::{
    Facts, SourceFile, Spills,
    source::{self, Span},
};
use serde::Deserialize;

/// What the names of such files end in.
const ENDING: &str = ".kernels.jsonl";
/// How far above an artefact the folder `build` of a target directory lies at most: `target/debug/deps/libx.rlib`.
const MOST_ABOVE: usize = 3;

/// A line.
#[derive(Debug, Deserialize)]
struct Image {
    /// File name of the cubin, which lies beside the list.
    image: String,
    /// The package's directory.
    root: PathBuf,
    kernels: Vec<Kernel>,
}

#[derive(Debug, Deserialize)]
struct Kernel {
    symbol: String,
    name: String,
    #[serde(default)]
    sources: Vec<PathBuf>,
    file: Option<PathBuf>,
    line: Option<u32>,
    spill_stores: Option<u64>,
    spill_loads: Option<u64>,
    dynamic_shared: Option<bool>,
}

/// The lists that were found, newest first.
#[derive(Default)]
pub(crate) struct Sidecars {
    lists: Vec<List>,
    /// `build` directories that were looked through.
    seen: Vec<PathBuf>,
    /// Sources, each read once.
    files: HashMap<PathBuf, Option<SourceFile>>,
}

struct List {
    written: SystemTime,
    dir: PathBuf,
    images: Vec<Image>,
}

impl Sidecars {
    /// Adds the lists of the target directory that an artefact lies in, if it does.
    pub(crate) fn add_near(&mut self, artifact: &Path) {
        let Ok(artifact) = artifact.canonicalize() else {
            return;
        };
        for above in artifact.ancestors().skip(1).take(MOST_ABOVE) {
            let build = above.join("build");
            if build.is_dir() && !self.seen.contains(&build) {
                // Of each package's script; a directory that cannot be listed leaves its kernels without a place.
                for package in fs::read_dir(&build).into_iter().flatten().flatten() {
                    self.add(&package.path().join("out"));
                }
                self.seen.push(build);
            }
        }
    }

    /// Adds the lists of an output directory.
    pub(crate) fn add(&mut self, out_dir: &Path) {
        for file in fs::read_dir(out_dir).into_iter().flatten().flatten() {
            let is_list = file.file_name().to_string_lossy().ends_with(ENDING);
            let text = is_list.then(|| fs::read_to_string(file.path()));
            let Some(Ok(text)) = text else {
                continue;
            };
            let written = file.metadata().and_then(|meta| meta.modified());
            // Lines of another release are passed over: without them a kernel has no place, and is judged all the same.
            let images = text.lines().map(serde_json::from_str);
            self.lists.push(List {
                written: written.unwrap_or(SystemTime::UNIX_EPOCH),
                dir: out_dir.to_owned(),
                images: images.filter_map(Result::ok).collect(),
            });
        }
        self.lists
            .sort_by_key(|list| std::cmp::Reverse(list.written));
    }

    /// Completes what a cubin says of its kernels; places in `root` are named as seen from there. Whether it was found.
    pub(super) fn complete(&mut self, cubin: &[u8], root: &Path, kernels: &mut [Facts]) -> bool {
        let Some(image) = self.lists.iter().find_map(|list| list.image(cubin)) else {
            return false;
        };
        let own: HashMap<&str, &Kernel> = image
            .kernels
            .iter()
            .map(|kernel| (kernel.symbol.as_str(), kernel))
            .collect();
        for facts in kernels {
            let Some(kernel) = own.get(facts.symbol.as_str()) else {
                continue;
            };
            facts.name.clone_from(&kernel.name);
            if let (Some(stores), Some(loads)) = (kernel.spill_stores, kernel.spill_loads) {
                facts.spills = Some(Spills { stores, loads });
            }
            if kernel.dynamic_shared.is_some() {
                facts.resources.dynamic_shared = kernel.dynamic_shared;
            }
            for source in &kernel.sources {
                let whole = image.root.join(source);
                facts.add_source(whole.strip_prefix(root).unwrap_or(&whole));
            }
            let place = (&kernel.file, kernel.line);
            if let (Some(file), Some(line)) = place {
                let whole = image.root.join(file);
                let shown = whole.strip_prefix(root).unwrap_or(&whole).to_owned();
                let file = self
                    .files
                    .entry(whole)
                    .or_insert_with_key(|whole| SourceFile::read(whole, shown).ok());
                facts.place = file.as_ref().map(|file| named(file, line, &kernel.name));
            }
        }
        true
    }
}

impl List {
    fn image(&self, cubin: &[u8]) -> Option<&Image> {
        self.images.iter().find(|image| {
            let path = self.dir.join(&image.image);
            // Most differ in length already.
            fs::metadata(&path).is_ok_and(|meta| meta.len() == cubin.len() as u64)
                && fs::read(&path).is_ok_and(|bytes| bytes == cubin)
        })
    }
}

/// The kernel's name at or below a line.
fn named(file: &SourceFile, line: u32, name: &str) -> Span {
    let template = name.split('<').next().unwrap_or(name);
    let base = template.rsplit("::").next().unwrap_or(template);
    source::locate_name(file, line, base)
}
