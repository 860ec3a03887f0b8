//! The manifest of `prebuilt/`: what is there, and what it was made of, as lines of text.
//!
//! ```text
//! cubin-build prebuilt 1
//! # Written by `cargo cubin prebuild`. After a merge run it again.
//! by cubin-build 0.1.0
//! toolkit 13.5.37
//! file kernels/saxpy.cu 0c5e…                         a source or a header, and its content without carriage returns
//! linked solver sm_90 options=9f3b2c11 cubin=77aa…
//! options 1a2b3c4d -std=c++17 -Iinclude -DTILE=32     how units were compiled, each list once
//! unit kernels/saxpy.cu sm_90 options=1a2b3c4d facts=55d0… cubin=3e81…
//! ```
//!
//! Lines are sorted, and each says all of one thing, so that versions of the file merge as sources do. Names and flags
//! have no blanks: those that they have are percent-coded. What a file is called follows from its line ([`file_name`]):
//! the manifest names no path that is written to, and none of a machine.

use std::path::Path;

use super::wrong::Wrong;
use crate::{
    cache::{ContentHash, encode_path},
    lists::{CollectText, CollectVec},
    sorted::{self, Map},
    source::{SourceFile, Span},
};

/// Number of the format. Another number is another format, of the manifest or of what lies beside it (`facts`): a release
/// that reads files of published crates no more is a breaking one.
pub(super) const FORMAT: u32 = 1;

const FIRST: &str = "cubin-build prebuilt ";
const REMARK: &str = "# Written by `cargo cubin prebuild`. After a merge run it again.";

/// What lies in `prebuilt/`.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Manifest {
    /// The release that wrote it.
    pub(super) by: String,
    /// The version of the toolkit that compiled.
    pub(super) toolkit: String,
    /// Hash of each source and header, by its name.
    pub(super) files: Map<String, String>,
    /// Lists of words by their ids.
    pub(super) options: Map<String, String>,
    /// By source and target.
    pub(super) units: Map<(String, String), Made>,
    /// By name and target.
    pub(super) linked: Map<(String, String), Made>,
}

/// The files of a unit, or of a linked module for one target: their hashes.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Made {
    /// Id of the list of words that it was made with.
    pub(super) options: String,
    pub(super) facts: Option<String>,
    pub(super) cubin: Option<String>,
    pub(super) ptx: Option<String>,
}

impl Manifest {
    pub(super) fn text(&self) -> String {
        let mut lines = vec![
            format!("by cubin-build {}", self.by),
            format!("toolkit {}", self.toolkit),
        ];
        for (name, hash) in &self.files {
            lines.push(format!("file {name} {hash}"));
        }
        for (id, words) in &self.options {
            lines.push(format!("options {id} {words}").trim_end().to_owned());
        }
        for (kind, all) in [("unit", &self.units), ("linked", &self.linked)] {
            for ((name, target), made) in all {
                lines.push(format!("{kind} {name} {target}{}", made.text()));
            }
        }
        sorted::sort(&mut lines);
        let lines = lines.iter().map(|line| format!("{line}\n"));
        format!("{FIRST}{FORMAT}\n{REMARK}\n{}", lines.collect_text())
    }

    pub(super) fn parse(file: &SourceFile) -> Result<Self, Wrong> {
        let mut lines = file.text().lines();
        let first = lines.next().unwrap_or_default().trim_end();
        let format = first.strip_prefix(FIRST);
        match format.and_then(|number| number.parse::<u32>().ok()) {
            Some(FORMAT) => {}
            Some(format) => {
                return Err(Wrong::Format {
                    span: Span::line(file, 1),
                    format,
                });
            }
            None => return Err(damaged(file, 1, "this is no manifest of prebuilt kernels")),
        }
        let mut manifest = Self::default();
        for (number, line) in (2..).zip(lines) {
            let line = line.trim_end();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            if let Err(why) = manifest.add(line) {
                return Err(damaged(file, number, why));
            }
        }
        if manifest.toolkit.is_empty() {
            return Err(damaged(file, 1, "the end of the manifest is missing"));
        }
        for made in manifest.units.values().chain(manifest.linked.values()) {
            if !manifest.options.contains_key(&made.options) {
                let why = "a line of the manifest is missing: there are no such `options`";
                let number = line_with(file, &made.options);
                return Err(damaged(file, number, why));
            }
        }
        Ok(manifest)
    }

    fn add(&mut self, line: &str) -> Result<(), &'static str> {
        const UNKNOWN: &str = "this line is not understood";
        const TWICE: &str = "this is said twice";
        if ["<<<<<<<", "=======", ">>>>>>>", "|||||||"]
            .iter()
            .any(|mark| line.starts_with(mark))
        {
            return Err("two versions of the manifest were not merged");
        }
        let (kind, rest) = line.split_once(' ').ok_or(UNKNOWN)?;
        let known = match kind {
            "by" => {
                let by = rest.strip_prefix("cubin-build ").unwrap_or(rest);
                by.clone_into(&mut self.by);
                None
            }
            "toolkit" => {
                let before = std::mem::replace(&mut self.toolkit, rest.to_owned());
                return if before.is_empty() {
                    Ok(())
                } else {
                    Err(TWICE)
                };
            }
            "file" => {
                let (name, hash) = rest.split_once(' ').ok_or(UNKNOWN)?;
                self.files
                    .insert(name.to_owned(), hash_of(hash).ok_or(UNKNOWN)?)
                    .map(drop)
            }
            "options" => {
                let (id, words) = rest.split_once(' ').unwrap_or((rest, ""));
                let words = words.to_owned();
                self.options.insert(id.to_owned(), words).map(drop)
            }
            "unit" | "linked" => {
                let mut words = rest.split(' ');
                let (Some(name), Some(target)) = (words.next(), words.next()) else {
                    return Err(UNKNOWN);
                };
                let key = (name.to_owned(), target.to_owned());
                let made = Made::parse(&mut words).ok_or(UNKNOWN)?;
                let all = if kind == "unit" {
                    &mut self.units
                } else {
                    &mut self.linked
                };
                all.insert(key, made).map(drop)
            }
            _ => return Err(UNKNOWN),
        };
        known.map_or(Ok(()), |()| Err(TWICE))
    }
}

impl Made {
    fn text(&self) -> String {
        let mut text = format!(" options={}", self.options);
        for (name, hash) in [
            ("facts", &self.facts),
            ("cubin", &self.cubin),
            ("ptx", &self.ptx),
        ] {
            if let Some(hash) = hash {
                text.push_str(&format!(" {name}={hash}"));
            }
        }
        text
    }

    fn parse(words: &mut dyn Iterator<Item = &str>) -> Option<Self> {
        let mut made = Self::default();
        for word in words {
            let (name, value) = word.split_once('=')?;
            match name {
                "options" => value.clone_into(&mut made.options),
                "facts" => made.facts = Some(hash_of(value)?),
                "cubin" => made.cubin = Some(hash_of(value)?),
                "ptx" => made.ptx = Some(hash_of(value)?),
                _ => return None,
            }
        }
        Some(made)
    }
}

/// A hash as it is written; `None` for anything else.
fn hash_of(text: &str) -> Option<String> {
    let digits = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    (digits && text.len() == 32).then(|| text.to_owned())
}

fn damaged(file: &SourceFile, number: u32, why: &'static str) -> Wrong {
    Wrong::Manifest {
        span: Span::line(file, number),
        why,
    }
}

/// The first line that holds a word, from 1.
fn line_with(file: &SourceFile, word: &str) -> u32 {
    let at = file.text().lines().position(|line| line.contains(word));
    at.map_or(1, |index| index as u32 + 1)
}

/// A name or a flag as lines hold it.
pub(super) fn encode(word: &str) -> String {
    encode_path(Path::new(word)).replace(' ', "%20")
}

/// Several, as one line holds them.
pub(super) fn encode_all(words: &[String]) -> String {
    let words = words.iter().map(|word| encode(word));
    words.collect_vec().join(" ")
}

/// What a name or a flag was before it was encoded.
pub(super) fn decode(word: &str) -> String {
    let path = crate::cache::decode_path(word);
    path.map_or_else(
        || word.to_owned(),
        |path| path.to_string_lossy().into_owned(),
    )
}

/// The short name of a list of words.
pub(super) fn id_of(words: &str) -> String {
    ContentHash::of(words.as_bytes()).to_string()[..8].to_owned()
}

/// The name of a file: `saxpy-3fa19c04.sm_90.cubin`.
pub(super) fn file_name(stem: &str, target: &str, extension: &str) -> String {
    format!("{stem}.{target}.{extension}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest() -> Manifest {
        let hash = |text: &str| ContentHash::of(text.as_bytes()).to_string();
        let words = encode_all(&["-std=c++17".to_owned(), "-I a".to_owned()]);
        let id = id_of(&words);
        let mut manifest = Manifest {
            by: "0.1.0".to_owned(),
            toolkit: "13.5.37".to_owned(),
            ..Manifest::default()
        };
        manifest.files.insert(encode("k/a b.cu"), hash("a"));
        manifest.options.insert(id.clone(), words);
        manifest.options.insert(id_of(""), String::new());
        let unit = Made {
            options: id,
            facts: Some(hash("f")),
            cubin: Some(hash("c")),
            ptx: Some(hash("p")),
        };
        manifest
            .units
            .insert((encode("k/a b.cu"), "sm_90".to_owned()), unit);
        let linked = Made {
            options: id_of(""),
            cubin: Some(hash("l")),
            ..Made::default()
        };
        manifest
            .linked
            .insert(("solver".to_owned(), "sm_90".to_owned()), linked);
        manifest
    }

    #[test]
    fn what_is_written_is_read_whatever_the_line_ends() {
        let manifest = manifest();
        let text = manifest.text();
        for text in [text.clone(), text.replace('\n', "\r\n")] {
            let file = SourceFile::new("prebuilt/kernels.manifest", text);
            assert_eq!(Manifest::parse(&file).unwrap(), manifest);
        }
        assert!(text.contains("\nfile k/a%20b.cu "), "{text}");
    }

    #[test]
    fn what_cannot_be_a_manifest_is_refused() {
        let whole = manifest().text();
        let at = |text: &str| match Manifest::parse(&SourceFile::new("m", text)) {
            Ok(_) => None,
            Err(Wrong::Manifest { span, why }) => Some((span.start().0, why)),
            Err(Wrong::Format { format, .. }) => Some((format as usize, "format")),
            Err(other) => panic!("{other:?}"),
        };
        assert_eq!(at(&whole), None);
        assert_eq!(at("").unwrap().0, 1);
        assert_eq!(
            at(&whole.replace("prebuilt 1", "prebuilt 7")),
            Some((7, "format"))
        );
        for (from, to) in [
            ("\nfile ", "\nfolder "),
            ("\nfile ", "\n<<<<<<< HEAD\nfile "),
            ("facts=", "fact="),
            ("cubin=", "cubin=zz"),
            ("options=", "options=0"),
        ] {
            assert!(at(&whole.replace(from, to)).is_some(), "{from} {to}");
        }
        let twice = whole.lines().next_back().unwrap();
        assert!(at(&format!("{whole}{twice}\n")).is_some());
        // A file that ends early lacks the toolkit, options, or units, which the build then misses.
        for length in 0..whole.len() {
            let _ = at(&whole[..length]);
        }
    }
}
