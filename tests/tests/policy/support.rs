//! Kernels to judge, and golden files.

use std::{
    fs,
    path::{Path, PathBuf},
};

use cubin_build::{
    config::Config,
    diag::{self, Diag, Sink},
    kernel::{Facts, Spills},
    policy::{Baseline, check},
    source::{SourceFile, locate_name},
};
use cubin_core::{Function, Params, Stack};

/// The source that the kernels of the tests stand in.
pub(crate) const SOURCE: &str = include_str!("../../golden/diag/check/kernels.cu");

/// A kernel of [`SOURCE`] at `line` that breaks nothing.
pub(crate) fn kernel(name: &str, line: u32, target: &str) -> Facts {
    let file = SourceFile::new("kernels/kernels.cu", SOURCE);
    let base = name.split('<').next().unwrap_or(name);
    let base = base.rsplit("::").next().unwrap_or(base);
    let target = target.parse().expect("a target");
    let mut facts = Facts::new(name, target, &Function::default());
    facts.symbol = format!("_Z{}{base}v", base.len());
    facts.resources.registers = 32;
    facts.resources.stack = Stack::Known(0);
    facts.spills = Some(Spills::default());
    facts.params = params(24);
    facts.resources.barriers = Some(0);
    facts.place = Some(locate_name(&file, line, base));
    facts
}

/// A parameter block of `size` bytes.
pub(crate) fn params(size: u32) -> Params {
    Params::Recorded {
        base: 0x210,
        size,
        params: Vec::new(),
    }
}

/// The configuration of `text`, which must be without problems.
pub(crate) fn config(text: &str) -> Config {
    let file = SourceFile::new("cubin.toml", text);
    let (config, problems) = Config::parse(&file);
    assert!(problems.is_empty(), "{}", pictures(&problems));
    config
}

/// The baseline of `text`, which must be without problems.
pub(crate) fn baseline(text: &str) -> Baseline {
    let file = SourceFile::new("cubin-baseline.toml", text);
    let (baseline, problems) = Baseline::parse(&file);
    assert!(problems.is_empty(), "{}", pictures(&problems));
    baseline
}

/// Judges `kernels` and compares the findings with `golden/diag/NAME.json` and `NAME.txt`.
pub(crate) fn expect(name: &str, toml: &str, ratchet: Option<&str>, kernels: &[Facts]) {
    let config = config(toml);
    let ratchet = ratchet.map(baseline);
    expect_diags(name, check(&config, ratchet.as_ref(), kernels));
}

/// Compares findings with the golden files: JSON in the order they came, pictures as a build shows them.
pub(crate) fn expect_diags(name: &str, diags: Vec<Diag>) {
    golden(&format!("{name}.json"), &diag::json::to_json_lines(&diags));
    golden(&format!("{name}.txt"), &pictures(&diags));
}

/// Pictures, summary lines and the last line, as a build shows them.
pub(crate) fn pictures(diags: &[Diag]) -> String {
    let mut sink = Sink::new();
    sink.extend(diags.iter().cloned());
    let mut text = String::new();
    for diag in sink.shown() {
        text.push_str(&diag::render(diag, false));
        text.push_str("\n\n");
    }
    for diag in sink.shown() {
        text.push_str(&diag::summary_line(diag));
        text.push('\n');
    }
    text.push_str(sink.summary().as_deref().unwrap_or("nothing found"));
    text.push('\n');
    text
}

/// Compares `text` with `golden/diag/NAME`, or writes it there under `BLESS=1`.
pub(crate) fn golden(name: &str, text: &str) {
    golden_at(&golden_dir().join(name), text);
}

/// Compares `text` with the file at `path`, or writes it there under `BLESS=1`.
pub(crate) fn golden_at(path: &Path, text: &str) {
    if std::env::var_os("BLESS").is_some() {
        fs::write(path, text).expect("golden file is writable");
        return;
    }
    let expected = fs::read_to_string(path).unwrap_or_default();
    if text == expected {
        return;
    }
    let name = path.display();
    let mut lines = text.lines().zip(expected.lines()).enumerate();
    match lines.find(|(_, (now, before))| now != before) {
        Some((index, (now, before))) => panic!(
            "{name}:{}: BLESS=1 rewrites it, then review the change\n now {now}\nfile {before}",
            index + 1
        ),
        None => panic!(
            "{name}: one text continues the other; BLESS=1 rewrites it, then review the change"
        ),
    }
}

pub(crate) fn golden_dir() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("golden/diag")
}
