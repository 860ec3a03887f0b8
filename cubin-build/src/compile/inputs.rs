//! What went into a source, in two parts: the project's own files, and the headers of system and toolkit, of which there are
//! hundreds and which most sources of a build have in common. Whether these are as they were is found out once for each
//! list of them, however many records hold it.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use super::record::{self, Class, Input};
use crate::{
    cache::{ContentHash, Files},
    toolkit::Toolkit,
};

/// What went into a source.
#[derive(Debug, Clone, Default)]
pub(super) struct Inputs {
    /// The project's own files, the source first.
    pub(super) own: Vec<Input>,
    pub(super) headers: Arc<Headers>,
}

/// Headers of system and toolkit, in the order that they were included.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Headers {
    /// Lines of a record, as the files are now.
    pub(super) lines: String,
    pub(super) inputs: Vec<Input>,
    /// Of the names.
    pub(super) hash: ContentHash,
    /// Those that are not a toolkit's.
    pub(super) system: Vec<PathBuf>,
    /// Those of a toolkit that may be changed in place.
    pub(super) of_toolkit: Vec<PathBuf>,
}

impl Inputs {
    /// One file of the project.
    pub(super) fn of_file(path: &Path) -> Self {
        Self {
            own: vec![Input::new(path.to_owned(), Class::Content)],
            headers: Arc::default(),
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Input> {
        self.own.iter().chain(&self.headers.inputs)
    }
}

/// Lists of headers, by their lines in a record.
#[derive(Debug, Default)]
pub(super) struct Lists(Mutex<Vec<(String, Arc<Headers>)>>);

impl Lists {
    /// The headers that lines of a record name; `None` when the record is damaged.
    pub(super) fn of(
        &self,
        lines: &str,
        root: &Path,
        toolkit: &Toolkit,
        files: &Files,
    ) -> Option<Arc<Headers>> {
        let lists = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = lists().iter().find(|(known, _)| known == lines) {
            return Some(Arc::clone(known));
        }
        let inputs = record::inputs(lines.lines())?;
        let mut headers = Headers::default();
        let mut names = String::new();
        for input in &inputs {
            names.push_str(&input.name);
            names.push('\n');
            headers
                .lines
                .push_str(&record::input_line(input, root, files));
            headers.lines.push('\n');
            if input.class == Class::Stamp {
                let list = if toolkit.owns(&input.path) {
                    &mut headers.of_toolkit
                } else {
                    &mut headers.system
                };
                list.push(input.path.clone());
            }
        }
        headers.hash = ContentHash::of(names.as_bytes());
        headers.inputs = inputs;
        let headers = Arc::new(headers);
        lists().push((lines.to_owned(), Arc::clone(&headers)));
        Some(headers)
    }
}
