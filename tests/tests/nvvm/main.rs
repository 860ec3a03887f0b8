//! NVVM IR as sources: the rules, annotations and parameter types of `golden/nvvm`, as data, through the real libnvvm.
//!
//! Each case is one text with marks for pointers, and stands for two modules: with typed pointers (`float addrspace(1)*`),
//! as the reader for targets below sm_100 wants them, and with opaque ones (`ptr addrspace(1)`).

mod annotations;
mod bitcode;
mod crashes;
mod fuzz;
mod intrinsics;
mod options;
mod params;
mod rules;
mod rust;

use std::{
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

use cubin_build::{Builder, Diag, Output};

/// The data layout that every reader takes.
const LAYOUT: &str = "e-p:64:64:64-i1:8:8-i8:8:8-i16:16:16-i32:32:32-i64:64:64-i128:128:128-f32:32:32-f64:64:64-v16:16:16-\
                      v32:32:32-v64:64:64-v128:128:128-n16:32:64";
const TRIPLE: &str = "nvptx64-nvidia-cuda";
const VERSION: &str = "!nvvmir.version = !{!1000}\n!1000 = !{i32 2, i32 0}\n";
/// Says that `@k`, which takes one pointer to global memory, is a kernel.
const ANNOTATION: &str =
    "!nvvm.annotations = !{!0}\n!0 = !{FN[void (P1<i32>)] @k, !\"kernel\", i32 1}\n";

/// How pointers are written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Dialect {
    Typed,
    Opaque,
}

impl Dialect {
    const ALL: [Self; 2] = [Self::Typed, Self::Opaque];

    const fn name(self) -> &'static str {
        match self {
            Self::Typed => "typed",
            Self::Opaque => "opaque",
        }
    }

    /// Targets whose own reader takes it.
    const fn targets(self) -> [&'static str; 2] {
        match self {
            Self::Typed => ["sm_75", "sm_90"],
            Self::Opaque => ["sm_100", "sm_120"],
        }
    }

    /// Writes out the marks: `P1<i32>`, a pointer to an integer in address space 1, and `FN[void (i32)]`, one to a function.
    fn write(self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(at) = rest.find(['P', 'F']) {
            let (before, here) = rest.split_at(at);
            out.push_str(before);
            let mark = here.get(1..3).unwrap_or_default().as_bytes();
            let end = match mark {
                [b'0'..=b'9', b'<'] => closing(here, '<', '>'),
                [b'N', b'['] => closing(here, '[', ']'),
                _ => None,
            };
            let Some(end) = end else {
                out.push_str(&here[..1]);
                rest = &here[1..];
                continue;
            };
            let inner = self.write(&here[3..end]);
            let space = &here[1..2];
            match (self, space) {
                (Self::Opaque, "N" | "0") => out.push_str("ptr"),
                (Self::Typed, "N" | "0") => write!(out, "{inner}*").expect("text"),
                (Self::Opaque, _) => write!(out, "ptr addrspace({space})").expect("text"),
                (Self::Typed, _) => write!(out, "{inner} addrspace({space})*").expect("text"),
            }
            rest = &here[end + 1..];
        }
        out + rest
    }
}

/// Where the bracket that opens first is closed.
fn closing(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0;
    for (at, character) in text.char_indices() {
        if character == open {
            depth += 1;
        } else if character == close {
            depth -= 1;
            if depth == 0 {
                return Some(at);
            }
        }
    }
    None
}

/// A module around definitions and metadata.
fn module(definitions: &str, metadata: &str) -> String {
    format!(
        "target datalayout = \"{LAYOUT}\"\ntarget triple = \"{TRIPLE}\"\n\n{definitions}\n{metadata}{VERSION}"
    )
}

fn scratch(name: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("nvvm")
        .join(name);
    fs::create_dir_all(&dir).expect("a scratch folder");
    dir
}

/// Builds the text as `m.ll`.
fn build(dir: &Path, text: &str, targets: &[&str], config: &str) -> Result<Output, Vec<Diag>> {
    fs::write(dir.join("m.ll"), text).expect("a source");
    fs::write(dir.join("cubin.toml"), config).expect("cubin.toml");
    let mut builder = Builder::new()
        .root(dir)
        .out_dir(dir.join("out"))
        .toolkit(cubin_tests::TOOLKIT)
        .file("m.ll");
    for target in targets {
        builder = builder.arch(*target);
    }
    builder
        .try_build()
        .map_err(|error| error.findings().into_iter().cloned().collect())
}

/// Findings as they are recorded: code, message, place and help.
fn show<'d>(findings: impl IntoIterator<Item = &'d Diag>) -> String {
    let mut text = String::new();
    for finding in findings {
        writeln!(text, "  {}: {}", finding.code, finding.message).expect("text");
        if let Some(place) = finding.place() {
            let (line, column) = place.start();
            writeln!(text, "    at {line}:{column} `{}`", place.text()).expect("text");
        }
        for help in &finding.help {
            writeln!(text, "    help: {help}").expect("text");
        }
    }
    text
}
