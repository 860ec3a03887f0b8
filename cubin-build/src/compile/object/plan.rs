//! An object before it is looked up or made.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use cubin_core::Sm;

use super::super::{
    Source, Unit, command, front, kind,
    unit::{Common, tame_stem, unit_name},
};
use crate::{cache::encode_path, lists::AddAll};

/// First line of a record; another number is another way to make an object.
const FORMAT: &str = "cubin-build object 1";

/// An object before it is looked up or made.
pub(super) struct Plan<'a> {
    pub(super) common: &'a Common<'a>,
    pub(super) source: &'a Source,
    /// The last target, whose stub registers the kernels.
    pub(super) target: Sm,
    pub(super) units: Vec<&'a Unit>,
    pub(super) device: &'a kind::Steps,
    pub(super) words: Vec<OsString>,
    pub(super) includes: Vec<PathBuf>,
    pub(super) head: Vec<String>,
    pub(super) stem: String,
    pub(super) stable: String,
    pub(super) dir: PathBuf,
}

impl<'a> Plan<'a> {
    pub(super) fn new(
        common: &'a Common<'a>,
        source: &'a Source,
        target: Sm,
        units: Vec<&'a Unit>,
        device: &'a kind::Steps,
    ) -> Self {
        let request = common.request;
        let words = command::object_words(request, source, common.host);
        let mut includes = device.search.clone();
        for dir in common.includes(source, target) {
            if !includes.contains(&dir) {
                includes.push(dir);
            }
        }
        let mut head = vec![FORMAT.to_owned()];
        head.add_all(common.fixed_lines().cloned());
        head.push(format!("source {}", encode_path(&source.path)));
        head.push(format!("directory {}", encode_path(request.root)));
        let flags = words.iter().map(|word| encode_path(Path::new(word)));
        head.add_all(flags.map(|word| format!("flag {word}")));
        head.push(device.line.clone());
        Self {
            common,
            source,
            target,
            units,
            device,
            words,
            includes,
            head,
            stem: tame_stem(&source.path),
            stable: front::stable_name(request.root, request.out_dir, &source.path),
            dir: request
                .out_dir
                .join("units")
                .join(unit_name(&source.path))
                .join("host"),
        }
    }
}
