//! The record of a unit: what its result depends on, as text that is compared line by line.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::depfile::Dependency;
use crate::sorted::Set;
use crate::{
    cache::{self, ContentHash, Files, decode_path, encode_path},
    lists::CollectVec,
    paths::normalize,
    toolkit::Toolkit,
};

/// First line; another number is another format or another way to compile.
pub(super) const FORMAT: &str = "cubin-build unit 4";

/// How a dependency is watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Class {
    /// A file of the project: by its content.
    Content,
    /// A header of the system or of a toolkit that may be changed in place: by size and time of last change.
    Stamp,
    /// A header of a toolkit whose identity is in the record already.
    Fixed,
}

/// A dependency with its class.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Input {
    pub(super) path: PathBuf,
    /// The path as lines hold it.
    pub(super) name: String,
    pub(super) class: Class,
}

impl Input {
    pub(super) fn new(path: PathBuf, class: Class) -> Self {
        Self {
            name: encode_path(&path),
            path,
            class,
        }
    }

    /// Classes of the files that a preprocessor named.
    pub(super) fn classify(
        dependencies: Vec<Dependency>,
        toolkit: &Toolkit,
        root: &Path,
        includes: &[PathBuf],
    ) -> Vec<Self> {
        let own: Vec<PathBuf> = includes
            .iter()
            .map(|dir| normalize(&root.join(dir)))
            .chain([normalize(root)])
            .collect_vec();
        dependencies
            .into_iter()
            .map(|Dependency { path, system }| {
                let full = normalize(&root.join(&path));
                let class = if toolkit.owns(&full) {
                    if toolkit.is_immutable() {
                        Class::Fixed
                    } else {
                        Class::Stamp
                    }
                } else if system && !own.iter().any(|dir| full.starts_with(dir)) {
                    Class::Stamp
                } else {
                    Class::Content
                };
                Self::new(path, class)
            })
            .collect_vec()
    }
}

/// The line of a record for an input as the file is now.
pub(super) fn input_line(input: &Input, root: &Path, files: &Files) -> String {
    let path = root.join(&input.path);
    let name = &input.name;
    match input.class {
        Class::Fixed => format!("toolkit {name}"),
        Class::Stamp => match files.stamp(&path) {
            Some(stamp) => format!("stamp {stamp} {name}"),
            None => format!("stamp missing missing {name}"),
        },
        Class::Content => match files.content(&path) {
            Some(content) => format!("content {} {name}", content.hash),
            None => format!("content missing {name}"),
        },
    }
}

/// Files that inputs ask about, and a line for each input that asks in a way that cannot be followed: it is never known
/// to be as it was. All is asked of the files as they are now, those of system and toolkit included.
pub(super) fn asked<'i>(
    inputs: impl Iterator<Item = &'i Input>,
    root: &Path,
    files: &Files,
) -> (Vec<String>, Vec<String>) {
    let mut names: Set<String> = Set::new();
    let mut unsure = Vec::new();
    for input in inputs {
        let Some(content) = files.content(&root.join(&input.path)) else {
            continue;
        };
        for name in &content.asked.names {
            names.insert(encode_path(Path::new(name)));
        }
        if content.asked.unsure && input.class == Class::Content {
            unsure.push(format!("unsure - {}", input.name));
        }
    }
    (names.into_vec(), unsure)
}

/// Whether a file may have been written, or put in its place, at `began` or later: itself, or a directory that it is in
/// below `root`. A time of last change alone does not tell, as it moves with the file.
pub(super) fn written_since(path: &Path, root: &Path, began: u128) -> bool {
    let (root, full) = (normalize(root), normalize(&root.join(path)));
    let is_new = |path: &Path| cache::changed(path).map_or(true, |changed| changed >= began);
    if is_new(&full) {
        return true;
    }
    let mut dirs = full.ancestors().skip(1);
    full.starts_with(&root) && dirs.any(|dir| dir.starts_with(&root) && dir != root && is_new(dir))
}

/// Directories searched before others, where a new file would change the result: the include directories and those of
/// the project's own included files.
pub(super) fn search_dirs(own: &[Input], includes: &[PathBuf]) -> Vec<PathBuf> {
    let mut dirs: Vec<PathBuf> = includes.to_vec();
    for input in own {
        let dir = input.path.parent().map(Path::to_owned).unwrap_or_default();
        if !dirs.contains(&dir) {
            dirs.push(dir);
        }
    }
    dirs
}

/// A record as read back.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct CompileRecord {
    /// Lines before the inputs.
    pub(super) head: Vec<String>,
    /// Lines of inputs and shadows, but for those of headers.
    pub(super) inputs: Vec<String>,
    /// Lines of headers of system and toolkit: one text, as most sources of a build have the same ([`super::inputs`]).
    pub(super) headers: String,
    /// Lines of what was made on the way: the preprocessed text, and all that decides what becomes of it.
    pub(super) made: Vec<String>,
    /// Lines of results.
    pub(super) outputs: Vec<String>,
}

impl CompileRecord {
    /// Reads a record; `None` when it is damaged or not complete.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let body = text.strip_suffix("end\n")?;
        let mut record = Self::default();
        let mut rest = body;
        while let Some((line, behind)) = rest.split_once('\n') {
            rest = behind;
            if let Some(bytes) = line.strip_prefix("headers ") {
                let (headers, behind) = rest.split_at_checked(bytes.parse().ok()?)?;
                headers.clone_into(&mut record.headers);
                rest = behind;
                continue;
            }
            let list = match line.split(' ').next() {
                Some("content" | "stamp" | "toolkit" | "asked" | "shadow" | "unsure") => {
                    &mut record.inputs
                }
                Some("text" | "key" | "device") => &mut record.made,
                Some("output") => &mut record.outputs,
                _ => &mut record.head,
            };
            list.push(line.to_owned());
        }
        Some(record)
    }

    /// The text that [`CompileRecord::parse`] takes.
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        for line in self.head.iter().chain(&self.inputs) {
            text.push_str(&format!("{line}\n"));
        }
        if !self.headers.is_empty() {
            text.push_str(&format!("headers {}\n", self.headers.len()));
            text.push_str(&self.headers);
        }
        for line in self.made.iter().chain(&self.outputs) {
            text.push_str(&format!("{line}\n"));
        }
        text.push_str("end\n");
        text
    }

    /// The inputs that its lines name, without headers.
    pub(super) fn inputs(&self) -> Option<Vec<Input>> {
        inputs(self.inputs.iter().map(String::as_str))
    }

    /// The names in its lines of what was asked about.
    pub(super) fn asked(&self) -> Vec<String> {
        let names = self.inputs.iter();
        let names = names.filter_map(|line| line.strip_prefix("asked "));
        names.map(str::to_owned).collect_vec()
    }
}

/// The inputs that lines name; others are passed over.
pub(super) fn inputs<'l>(lines: impl Iterator<Item = &'l str>) -> Option<Vec<Input>> {
    let mut inputs = Vec::new();
    for line in lines {
        let (kind, rest) = line.split_once(' ')?;
        let (class, name) = match kind {
            "toolkit" => (Class::Fixed, rest),
            "content" => (Class::Content, rest.split_once(' ')?.1),
            "stamp" => (Class::Stamp, rest.splitn(3, ' ').nth(2)?),
            _ => continue,
        };
        inputs.push(Input {
            path: decode_path(name)?,
            name: name.to_owned(),
            class,
        });
    }
    Some(inputs)
}

/// A line for a result: its name, its size and its content.
pub(super) fn output_line(path: &Path) -> Option<String> {
    let name = encode_path(Path::new(path.file_name()?));
    let bytes = fs::read(path).ok()?;
    Some(format!(
        "output {} {} {name}",
        bytes.len(),
        ContentHash::of(&bytes)
    ))
}

/// The name in an [`output_line`].
pub(super) fn output_name(line: &str) -> Option<PathBuf> {
    decode_path(line.splitn(4, ' ').nth(3)?)
}

/// Why `new` is not `old`, in a user's words; `None` when they are equal.
pub(super) fn difference(old: &[String], new: &[String]) -> Option<String> {
    if old == new {
        return None;
    }
    let before: Set<&str> = old.iter().map(String::as_str).collect();
    let after: Set<&str> = new.iter().map(String::as_str).collect();
    if let Some(line) = new.iter().find(|line| !before.contains(line.as_str())) {
        return Some(reason(line, true));
    }
    match old.iter().find(|line| !after.contains(line.as_str())) {
        Some(line) => Some(reason(line, false)),
        None => Some("flags came in another order".to_owned()),
    }
}

fn reason(line: &str, new: bool) -> String {
    let (kind, rest) = line.split_once(' ').unwrap_or((line, ""));
    let shown = |name: &str| decode_path(name).unwrap_or_default().display().to_string();
    match kind {
        "cubin-build" => "it was compiled by another version of cubin-build".to_owned(),
        "nvcc" => "the CUDA toolkit changed".to_owned(),
        "host" => "the host compiler changed".to_owned(),
        "target" => "the target changed".to_owned(),
        "source" => "its results are those of another source".to_owned(),
        "commands" => "nvcc or the host compiler would run other commands".to_owned(),
        "unsure" => format!(
            "{} asks for files that cannot be foreseen",
            shown(rest.split_once(' ').map_or("", |(_, name)| name))
        ),
        "directory" => "the package was moved".to_owned(),
        "flag" if new => format!("flag `{rest}` is new"),
        "flag" => format!("flag `{rest}` is gone"),
        "env" => format!("{} changed", rest.split('=').next().unwrap_or(rest)),
        "content" => {
            let (hash, name) = rest.split_once(' ').unwrap_or(("", rest));
            match hash {
                "missing" => format!("{} is gone", shown(name)),
                _ => format!("{} changed", shown(name)),
            }
        }
        "stamp" => {
            let name = rest.splitn(3, ' ').nth(2).unwrap_or(rest);
            if rest.starts_with("missing") {
                format!("{} is gone", shown(name))
            } else {
                format!("{} changed", shown(name))
            }
        }
        "asked" => format!("it asks about other files, such as {}", shown(rest)),
        "shadow" if new => format!("{} appeared, which may be included instead", shown(rest)),
        "shadow" => format!("{} is gone, which could have been included", shown(rest)),
        _ => format!("`{line}` changed"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn a_record_reads_back_or_not_at_all() {
        let record = CompileRecord {
            head: lines("cubin-build unit 1\nflag -O3"),
            made: lines("text 0 1\nkey 2"),
            inputs: lines("content 00ff kernels/a b.cu\nshadow /inc/a%0ab.h"),
            headers: "stamp size=1 mtime=2 /usr/x.h\ntoolkit /cuda/y.h\n".to_owned(),
            outputs: lines("output 3 - a.cudafe1.gpu"),
        };
        let text = record.text();
        assert_eq!(CompileRecord::parse(&text).as_ref(), Some(&record));
        let inputs: Vec<_> = record.inputs().unwrap();
        assert_eq!(inputs.len(), 1, "what shadows is not an input");
        assert_eq!(inputs[0].path, Path::new("kernels/a b.cu"));
        let headers = super::inputs(record.headers.lines()).unwrap();
        assert_eq!(headers[0].path, Path::new("/usr/x.h"));
        assert_eq!(headers[1].class, Class::Fixed);
        assert_eq!(
            output_name(&record.outputs[0]),
            Some("a.cudafe1.gpu".into())
        );
        // Every prefix is a record that was not written to its end.
        for length in 0..text.len() {
            assert_eq!(CompileRecord::parse(&text[..length]), None, "{length}");
        }
        for damaged in ["headers 9\nend\n", "headers -1\nend\n"] {
            assert_eq!(CompileRecord::parse(damaged), None, "{damaged}");
        }
        for damaged in ["content x", "stamp a b", "content"] {
            let record = CompileRecord {
                inputs: lines(damaged),
                ..CompileRecord::default()
            };
            assert_eq!(record.inputs(), None, "{damaged}");
        }
    }

    #[test]
    fn reasons_are_in_a_users_words() {
        for (old, new, expected) in [
            ("content 1 a.cuh", "content 2 a.cuh", Some("a.cuh changed")),
            (
                "content 1 a.cuh",
                "content missing a.cuh",
                Some("a.cuh is gone"),
            ),
            (
                "stamp size=1 mtime=1 /x y.h",
                "stamp size=1 mtime=2 /x y.h",
                Some("/x y.h changed"),
            ),
            (
                "stamp size=1 mtime=1 /x.h",
                "stamp missing missing /x.h",
                Some("/x.h is gone"),
            ),
            ("flag -O1", "flag -O1\nflag -G", Some("flag `-G` is new")),
            ("flag -O1\nflag -G", "flag -O1", Some("flag `-G` is gone")),
            (
                "flag -a\nflag -b",
                "flag -b\nflag -a",
                Some("flags came in another order"),
            ),
            (
                "nvcc 13.4.1 /cuda",
                "nvcc 13.5.37 /cuda",
                Some("the CUDA toolkit changed"),
            ),
            ("env CPATH=/a", "env CPATH=/b", Some("CPATH changed")),
            (
                "cubin-build unit 0",
                "cubin-build unit 1",
                Some("it was compiled by another version of cubin-build"),
            ),
            ("target sm_80", "target sm_80", None),
        ] {
            assert_eq!(difference(&lines(old), &lines(new)).as_deref(), expected);
        }
    }
}
