//! What libnvvm says, and which place of the module's text it is about.
//!
//! ```text
//! m.ll (4, 37): parse expected type
//! error: Error: :  Function `k' Basic Block `':
//!   context:   %x = call float @llvm.sin.f32(float %f)
//!   Unsupported intrinsic: llvm.sin.f32
//! error: Error: :  Global Variable `g':
//! ```

use crate::lists::{AddAll, CollectVec};

/// One complaint.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Said {
    /// What is wrong, on one line.
    pub text: String,
    /// Line in the module's text, from 1.
    pub line: Option<u32>,
    /// Column there, from 1.
    pub column: Option<u32>,
    /// What to do, where it is one of the known riddles.
    pub help: Option<&'static str>,
}

/// Reads a log. `name` is what the module was called, `module` its text; of bitcode there is none.
#[must_use]
pub fn read(log: &str, name: &str, module: Option<&str>) -> Vec<Said> {
    let mut all: Vec<Said> = Vec::new();
    let mut block = Block::default();
    for line in log.lines().filter(|line| !line.trim().is_empty()) {
        if let Some(said) = parse_error(line, name).or_else(|| version(line, name)) {
            all.push(said);
        } else if let Some(head) = head(line) {
            all.add_all(block.finish(module));
            block.head = Some(head.trim().trim_end_matches(':').to_owned());
        } else if let Some(context) = line.trim_start().strip_prefix("context:") {
            block.context = Some(context.trim().to_owned());
        } else if block.head.is_some() {
            block.texts.push(line.trim().to_owned());
        } else {
            all.push(plain(line.trim(), module));
        }
    }
    all.add_all(block.finish(module));
    all
}

/// What is complained of: ``error: Error: :  Function `k' Basic Block `':``, and of variables also ``error: Warning: :``, which
/// is none.
fn head(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let line = line.strip_prefix("error: ").unwrap_or(line);
    let mut words = ["Error: :", "Warning: :"].iter();
    words.find_map(|word| line.strip_prefix(word))
}

/// `m.ll (4, 37): parse expected type`, and of bitcode `m.bc: parse Invalid value (Producer: …)`.
fn parse_error(line: &str, name: &str) -> Option<Said> {
    let rest = line.trim_start().strip_prefix(name)?;
    if let Some(text) = rest.strip_prefix(": parse ") {
        return Some(Said {
            text: text.to_owned(),
            help: parse_help(text),
            ..Said::default()
        });
    }
    let (place, text) = rest
        .trim_start()
        .strip_prefix('(')?
        .split_once("): parse ")?;
    let (line, column) = place.split_once(',')?;
    // Lines count from 1, columns from 0 (13.5).
    let column: Option<u32> = column.trim().parse().ok();
    Some(Said {
        text: text.to_owned(),
        line: line.trim().parse().ok(),
        column: column.map(|column| column.saturating_add(1)),
        help: parse_help(text),
    })
}

fn parse_help(text: &str) -> Option<&'static str> {
    if text.contains("expected comma after") || text.contains("expected metadata") {
        return Some(
            "this is how LLVM 3 wrote it, and NVIDIA's specification still does; every libnvvm of today wants the type twice \
             (`load float, float* %p`) and metadata without its word (`!{i32 2}`)",
        );
    }
    if text.contains("Reader:") {
        return Some(
            "the reader for targets below sm_100 is LLVM 7: write bitcode with LLVM 7 to 14 and typed pointers, write text \
             (`.ll`) instead, or set `latest = true` under [nvvm]",
        );
    }
    None
}

/// A complaint of the verifier while it is read.
#[derive(Default)]
struct Block {
    /// ``Function `k' Basic Block `'``
    head: Option<String>,
    context: Option<String>,
    texts: Vec<String>,
}

impl Block {
    fn finish(&mut self, module: Option<&str>) -> Option<Said> {
        let block = std::mem::take(self);
        let head = block.head?;
        let mut text = block.texts.join(" ");
        let subject = quoted(&head);
        if text.is_empty() {
            text.clone_from(&head);
        } else if let Some(subject) = subject.filter(|subject| !subject.is_empty()) {
            let what = head.split(" `").next().unwrap_or_default();
            text = format!("{} `{subject}`: {text}", what.to_lowercase());
        }
        let found = module.and_then(|module| {
            place(
                module,
                subject.unwrap_or_default(),
                block.context.as_deref(),
            )
        });
        Some(Said {
            line: found.map(|(line, _)| line),
            column: found.map(|(_, column)| column),
            help: verify_help(&text),
            text,
        })
    }
}

fn verify_help(text: &str) -> Option<&'static str> {
    if text.contains("Target-incompatible DataLayout") {
        return Some(AS_TEXT);
    }
    text.contains("Unsupported intrinsic").then_some(
        "libdevice has functions for what the hardware does not compute by itself: `__nv_sinf`, `__nv_pow`, …",
    )
}

/// What to do with bitcode that only its text could be changed of.
const AS_TEXT: &str = "bitcode is taken as it is, and LLVM's own data layout and a missing `!nvvmir.version` are not accepted: write text \
                       (`.ll`; rustc does by `--emit=llvm-ir`, `llvm-dis` of any bitcode) with `normalize = true` under [nvvm] in \
                       cubin.toml";

/// The first text between a back tick, or an apostrophe, and an apostrophe.
fn quoted(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once(['`', '\''])?;
    rest.split_once('\'').map(|(inner, _)| inner)
}

/// Where the text has what a message about it names between quotes.
#[must_use]
pub fn named(message: &str, module: &str) -> Option<(u32, u32)> {
    let name = quoted(message).filter(|name| !name.is_empty())?;
    place(module, name, None)
}

/// A line by itself, which may name something: ``Global Variable `g':``.
fn plain(line: &str, module: Option<&str>) -> Said {
    let line = line.strip_prefix("error: ").unwrap_or(line);
    let line = line.strip_prefix("Error: ").unwrap_or(line);
    let found = if line.contains("address space conversion intrinsics") {
        module.and_then(conversion)
    } else {
        quoted(line)
            .filter(|name| !name.is_empty())
            .and_then(|name| place(module?, name, None))
    };
    Said {
        text: line.replace(".  ", ". "),
        line: found.map(|(line, _)| line),
        column: found.map(|(_, column)| column),
        help: verify_help(line),
    }
}

/// The first call of a conversion of pointers between address spaces, of which libnvvm tells no more than that there is one.
fn conversion(module: &str) -> Option<(u32, u32)> {
    let mut lines = module.lines().zip(1_u32..);
    lines.find_map(|(text, line)| {
        let at = text.find("@llvm.nvvm.ptr.")?;
        let calls = text.get(..at)?.contains("call ");
        calls.then(|| (line, column_of(text, at)))
    })
}

/// `m.bc: error: IR version 1.0 incompatible with current version 2.0`: of bitcode, as text has been looked at before.
fn version(line: &str, name: &str) -> Option<Said> {
    let text = line.strip_prefix(name)?.strip_prefix(": error: ")?;
    text.starts_with("IR version").then(|| Said {
        text: text.to_owned(),
        help: Some(AS_TEXT),
        ..Said::default()
    })
}

/// Line and column of a definition, or of an instruction within it. The newer reader prints instructions as it has
/// upgraded them, so what stands before the equals sign is looked for, then what is called.
#[must_use]
pub fn place(module: &str, name: &str, context: Option<&str>) -> Option<(u32, u32)> {
    let marks = [format!("@{name}"), format!("@\"{name}\"")];
    let lines = || module.lines().zip(1_u32..);
    let at = |text: &str| {
        marks.iter().find_map(|mark| {
            let at = text.find(mark.as_str())?;
            let next = text.as_bytes().get(at + mark.len()).copied();
            let ends = next.is_none_or(|next| {
                !(next.is_ascii_alphanumeric() || matches!(next, b'_' | b'$' | b'.' | b'-'))
            });
            ends.then_some(at)
        })
    };
    let defines = |text: &str| {
        let text = text.trim_start();
        text.starts_with("define") || text.starts_with("declare") || text.starts_with('@')
    };
    let (head, number) = lines().find(|(text, _)| defines(text) && at(text).is_some())?;
    let column = at(head)?;
    if let Some(context) = context {
        let body = lines().skip_while(|(_, line)| *line <= number);
        let body = body.take_while(|(text, _)| !text.starts_with('}'));
        let key = match context.split_once(" = ") {
            Some((result, _)) => format!("{result} ="),
            None => context
                .split(['(', ','])
                .next()
                .unwrap_or(context)
                .to_owned(),
        };
        let callee = context
            .find('@')
            .and_then(|at| context.get(at..))
            .map(|rest| {
                let end = rest.find('(').unwrap_or(rest.len());
                rest.get(..end).unwrap_or(rest)
            });
        let body: Vec<(&str, u32)> = body.collect_vec();
        let hit = |part: &str| {
            let mut all = body.iter();
            all.find(|(text, _)| text.trim_start().starts_with(part) || text.contains(part))
        };
        let word = context.split_whitespace().next();
        let found = hit(&key).or_else(|| hit(callee?)).or_else(|| hit(word?));
        if let Some((text, line)) = found {
            let indent = text.len() - text.trim_start().len();
            return Some((*line, column_of(text, indent)));
        }
    }
    Some((number, column_of(head, column)))
}

fn column_of(line: &str, at: usize) -> u32 {
    let characters = line.get(..at).unwrap_or_default().chars().count();
    u32::try_from(characters + 1).unwrap_or(u32::MAX)
}
