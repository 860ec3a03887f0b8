//! Where prebuilt files lie.

use std::path::{Path, PathBuf};

use super::super::settings::Settings;
use crate::paths;

/// The directory, in that of the package.
pub(super) const DIR: &str = "prebuilt";

pub(super) fn dir(settings: &Settings) -> PathBuf {
    settings.root.join(DIR)
}

/// The name of the files of this builder.
pub(super) fn stem(settings: &Settings) -> String {
    let stem = Path::new(&settings.out_file).file_stem();
    stem.unwrap_or_default().to_string_lossy().into_owned()
}

pub(super) fn manifest_name(settings: &Settings) -> String {
    format!("{}.manifest", stem(settings))
}

pub(super) fn manifest(settings: &Settings) -> PathBuf {
    dir(settings).join(manifest_name(settings))
}

/// The manifest as messages show it.
pub(super) fn shown(settings: &Settings) -> String {
    paths::shown(&settings.root, &manifest(settings))
}
