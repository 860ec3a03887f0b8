//! What a project asks for, and where it may be found.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{component::Component, version::Wanted};
use crate::{
    lists::{AddAll, CollectOk, CollectVec},
    sorted::{self, Set},
};

/// What a project asks of the toolkit.
#[derive(Debug, Clone)]
pub struct ToolkitRequest {
    /// Which version; `None` takes the first toolkit found.
    pub version: Option<Wanted>,
    /// Install `version` into the per-user cache when it is not there.
    pub install: bool,
    /// Libraries whose headers are to be there, each installed when it is not and `install` says so.
    pub components: Vec<&'static Component>,
    /// File that keeps what nvcc said about its version, so that the next build need not ask again.
    pub memo: Option<PathBuf>,
    /// Root directories tried after `PATH`, in order.
    pub usual_places: Vec<PathBuf>,
}

impl Default for ToolkitRequest {
    fn default() -> Self {
        Self {
            version: None,
            install: false,
            components: Vec::new(),
            memo: None,
            usual_places: usual_places(),
        }
    }
}

impl ToolkitRequest {
    /// The usual places, first those named after the version that is asked for.
    pub(super) fn places(&self) -> Vec<PathBuf> {
        let mut places = Vec::new();
        for place in &self.usual_places {
            if let Some(Wanted {
                major,
                minor: Some(minor),
                ..
            }) = self.version
            {
                let mut named = place.clone().into_os_string();
                named.push(format!("-{major}.{minor}"));
                places.push(PathBuf::from(named));
            }
        }
        // A version that nobody asked for by name is no better than the unnumbered link.
        places.retain(|place| place.exists());
        places.add_all(self.usual_places.iter().cloned());
        for place in &self.usual_places {
            places.add_all(numbered(place));
        }
        let mut seen = Set::new();
        places.retain(|place| seen.insert(place.clone()));
        places
    }
}

/// Directories beside `place` named `place-13.5`, newest first.
fn numbered(place: &Path) -> Vec<PathBuf> {
    let (Some(dir), Some(name)) = (
        place.parent(),
        place.file_name().and_then(|name| name.to_str()),
    ) else {
        return Vec::new();
    };
    let mut found: Vec<(Vec<u32>, PathBuf)> = fs::read_dir(dir)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let file = entry.file_name();
            let numbers = file.to_str()?.strip_prefix(name)?.strip_prefix('-')?;
            let numbers: Result<Vec<u32>, _> = numbers.split('.').map(str::parse).collect_ok();
            Some((numbers.ok()?, entry.path()))
        })
        .collect_vec();
    sorted::sort(&mut found);
    found.into_iter().rev().map(|(_, path)| path).collect_vec()
}

/// Where toolkits usually are on this system.
fn usual_places() -> Vec<PathBuf> {
    if cfg!(windows) {
        // The installer makes one directory per version and nothing unnumbered; newest first.
        let dir = Path::new(r"C:\Program Files\NVIDIA GPU Computing Toolkit\CUDA");
        let mut versions: Vec<(Wanted, PathBuf)> = fs::read_dir(dir)
            .into_iter()
            .flatten()
            .flatten()
            .filter_map(|entry| {
                let name = entry.file_name();
                let version = name.to_str()?.strip_prefix('v')?.parse().ok()?;
                Some((version, entry.path()))
            })
            .collect_vec();
        sorted::sort_by_key(&mut versions, |(version, _)| {
            std::cmp::Reverse((version.major, version.minor))
        });
        return versions.into_iter().map(|(_, path)| path).collect_vec();
    }
    [
        "/usr/local/cuda",
        "/opt/cuda",
        "/usr/lib/nvidia-cuda-toolkit",
    ]
    .map(PathBuf::from)
    .to_vec()
}
