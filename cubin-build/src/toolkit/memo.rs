//! What nvcc said of itself, kept between builds: one block of lines per nvcc.
//!
//! ```text
//! nvcc size=21 mtime=17 /usr/bin/nvcc
//! reads CUDA_VERSION=12.4          a variable that a wrapper script names
//! version 12.4.131
//! root /usr/lib/nvidia-cuda-toolkit
//! …
//! part size=99 mtime=16 /usr/lib/nvidia-cuda-toolkit/bin/nvcc
//! end
//! ```
//!
//! A block holds for exactly that program, those values, and the nvcc behind it as it was.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::{layout::Layout, version::Version};
use crate::{
    cache::{self, Stamp, decode_path, encode_path},
    env::Env,
    lists::CollectText,
};

/// What nvcc says of itself.
#[derive(Debug, Clone)]
pub(super) struct Known {
    pub(super) version: Version,
    pub(super) layout: Layout,
}

/// What was kept for exactly this nvcc.
pub(super) fn recall(memo: &Path, key: &str) -> Option<Known> {
    let text = fs::read_to_string(memo).ok()?;
    let blocks = text.split_inclusive("\nend\n");
    blocks
        .into_iter()
        .find_map(|block| read(block.strip_prefix(key)?))
}

fn read(block: &str) -> Option<Known> {
    let mut version: Option<Version> = None;
    let mut layout = Layout::default();
    let mut whole = false;
    for line in block.lines() {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "version" => version = rest.parse().ok(),
            "part" => {
                let mut words = rest.splitn(3, ' ');
                let stamp = format!("{} {}", words.next()?, words.next()?);
                let path = decode_path(words.next()?)?;
                if Stamp::of(&path).ok()?.to_string() != stamp {
                    return None;
                }
            }
            "end" => whole = true,
            _ => {
                let path = decode_path(rest)?;
                match word {
                    "root" => layout.root = path,
                    "here" => layout.here = path,
                    "path" => layout.path.push(path),
                    "program" => layout.programs.push(path),
                    "header" => layout.headers.push(path),
                    "library" => layout.libraries.push(path),
                    "libdevice" => layout.libdevice = path,
                    _ => return None,
                }
            }
        }
    }
    let version = version.filter(|_| whole)?;
    Some(Known { version, layout })
}

/// Keeps it. A memo that cannot be written costs the next build two short runs of nvcc, nothing else.
pub(super) fn keep(memo: &Path, nvcc: &Path, key: &str, known: &Known) {
    let old = fs::read_to_string(memo).unwrap_or_default();
    // One block per nvcc: `nvcc size mtime path`.
    let name = format!(" {}", encode_path(nvcc));
    let own = |block: &&str| {
        let first = block.lines().next().unwrap_or_default();
        first.starts_with("nvcc ") && !first.ends_with(&name)
    };
    let mut text: String = old.split_inclusive("\nend\n").filter(own).collect_text();
    let Known { version, layout } = known;
    text.push_str(key);
    text.push_str(&format!("version {version}\n"));
    let mut path = |word: &str, path: &Path| {
        text.push_str(&format!("{word} {}\n", encode_path(path)));
    };
    path("root", &layout.root);
    path("here", &layout.here);
    path("libdevice", &layout.libdevice);
    for (word, list) in [
        ("path", &layout.path),
        ("program", &layout.programs),
        ("header", &layout.headers),
        ("library", &layout.libraries),
    ] {
        for item in list {
            path(word, item);
        }
    }
    for part in layout.parts() {
        if let Ok(stamp) = Stamp::of(&part) {
            text.push_str(&format!("part {stamp} {}\n", encode_path(&part)));
        }
    }
    text.push_str("end\n");
    if let Some(dir) = memo.parent() {
        let _ = fs::create_dir_all(dir);
    }
    let _ = cache::write(memo, text.as_bytes());
}

/// The lines that a block begins with, as they would be now; `None` for an nvcc that cannot be looked at.
pub(super) fn key(env: &Env, nvcc: &Path) -> Option<String> {
    let stamp = Stamp::of(nvcc).ok()?;
    let mut key = format!("nvcc {stamp} {}\n", encode_path(nvcc));
    for name in named_by_script(nvcc) {
        // PATH is in every script and differs from shell to shell; a change of it is no reason to run a build script.
        let value = if name == "PATH" {
            env.peek(&name)
        } else {
            env.get(&name)
        };
        let value = value.map(PathBuf::from).unwrap_or_default();
        key.push_str(&format!("reads {name}={}\n", encode_path(&value)));
    }
    Some(key)
}

/// Variables that a wrapper names, when it is a script: `$CUDA_VERSION`, `${CUDA_HOME}`.
fn named_by_script(nvcc: &Path) -> Vec<String> {
    /// No wrapper is longer.
    const LONGEST: u64 = 1 << 16;
    let mut found: Vec<String> = Vec::new();
    let short = fs::metadata(nvcc).is_ok_and(|meta| meta.len() <= LONGEST);
    let text = if short {
        fs::read(nvcc).unwrap_or_default()
    } else {
        Vec::new()
    };
    if !text.starts_with(b"#!") {
        return found;
    }
    let text = String::from_utf8_lossy(&text);
    for rest in text.split('$').skip(1) {
        let rest = rest.strip_prefix('{').unwrap_or(rest);
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let name = &rest[..end.unwrap_or(rest.len())];
        let word = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
        if word && !found.iter().any(|known| known == name) {
            found.push(name.to_owned());
        }
    }
    found
}
