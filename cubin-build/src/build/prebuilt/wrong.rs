//! What may be wrong with `prebuilt/`, as data.

use std::path::PathBuf;

use crate::{diag::Level, source::Span};

/// Something that keeps a build from its prebuilt files.
#[derive(Debug)]
pub(super) enum Wrong {
    /// There is no manifest, and the build may take nothing else; what said so.
    None { manifest: String, said_by: String },
    /// A file cannot be read.
    Unreadable { file: String, why: String },
    /// A line of the manifest.
    Manifest { span: Span, why: &'static str },
    /// The manifest of another release.
    Format { span: Span, format: u32 },
    /// A file that the manifest names is not there, or is another.
    File { file: String, why: String },
    /// Sources that were not compiled for targets, and what the manifest has.
    Missing {
        units: Vec<(String, String)>,
        held: Vec<String>,
        manifest: String,
    },
    /// A unit whose PTX is to be embedded and was not kept.
    NoPtx { source: String, target: String },
    /// What was made of other sources, or in another way.
    Stale { changes: Vec<Change>, level: Level },
    /// Files outside the package, whose changes no build will see.
    Outside(Vec<PathBuf>),
    /// What was read of a unit cannot be read again.
    Forgotten(String),
    /// A file of ours cannot be written.
    Unwritable { path: PathBuf, why: String },
}

/// What is not as it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Change {
    /// A source or a header.
    Edited(String),
    /// A source or a header that is not there.
    Gone(String),
    /// A source that the build has no more.
    Dropped(String),
    /// Flags, macros and the like of a source: those that are new, and those that are no more.
    Options {
        what: String,
        new: Vec<String>,
        old: Vec<String>,
    },
}
