//! How long steps took, kept beside their results: the next build starts with what takes longest.

use std::{
    fs,
    path::Path,
    sync::{Mutex, PoisonError},
    time::Instant,
};

const NAME: &str = "times.txt";

/// Steps of this build, in the order that they ended.
#[derive(Default)]
pub(super) struct Times(Mutex<Vec<Time>>);

/// One step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Time {
    /// `preprocess`, `cicc`, `ptxas`.
    pub(super) step: &'static str,
    pub(super) milliseconds: u64,
}

/// A step that runs.
pub(super) struct Timed<'t>(&'t Times, Instant);

impl<'t> Timed<'t> {
    pub(super) fn start(times: &'t Times) -> Self {
        Self(times, Instant::now())
    }

    /// Takes note of the time, and keeps it in the step's directory.
    pub(super) fn end(self, dir: &Path, step: &'static str) {
        let milliseconds = u64::try_from(self.1.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut text = String::new();
        let old = fs::read_to_string(dir.join(NAME)).unwrap_or_default();
        let other = |line: &&str| line.split(' ').next() != Some(step);
        for line in old.lines().filter(other) {
            text.push_str(line);
            text.push('\n');
        }
        text.push_str(&format!("{step} {milliseconds}\n"));
        // Without it the order of the next build is another, and nothing else.
        let _ = fs::write(dir.join(NAME), text);
        let mut times = self.0.0.lock().unwrap_or_else(PoisonError::into_inner);
        times.push(Time { step, milliseconds });
    }
}

/// Milliseconds that a step took last time.
pub(super) fn last(dir: &Path, step: &str) -> Option<u64> {
    let text = fs::read_to_string(dir.join(NAME)).ok()?;
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    lines.find(|(name, _)| *name == step)?.1.parse().ok()
}
