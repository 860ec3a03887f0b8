//! How long steps took, kept beside their results: the next build starts with what takes longest, and `cargo cubin timings`
//! shows it.
//!
//! A line of `times.txt` is a step, its milliseconds, when it began, in milliseconds from the start of its build, and when
//! that was, in milliseconds since 1970: `cicc 1834 212 1796095180558`.

use std::{
    fs,
    path::Path,
    sync::{Mutex, PoisonError},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

const NAME: &str = "times.txt";

/// Steps of this build, in the order that they ended.
pub(super) struct Times {
    /// Milliseconds since 1970.
    began: u64,
    since: Instant,
    steps: Mutex<Vec<Time>>,
}

impl Default for Times {
    fn default() -> Self {
        let began = SystemTime::now().duration_since(UNIX_EPOCH);
        Self {
            began: began.map_or(0, milliseconds),
            since: Instant::now(),
            steps: Mutex::default(),
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

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
        let took = milliseconds(self.1.elapsed());
        let start = milliseconds(self.1.duration_since(self.0.since));
        let mut text = String::new();
        let old = fs::read_to_string(dir.join(NAME)).unwrap_or_default();
        let other = |line: &&str| line.split(' ').next() != Some(step);
        for line in old.lines().filter(other) {
            text.push_str(line);
            text.push('\n');
        }
        let began = self.0.began;
        text.push_str(&format!("{step} {took} {start} {began}\n"));
        // Without it the order of the next build is another, and nothing else.
        let _ = fs::write(dir.join(NAME), text);
        let steps = &self.0.steps;
        let mut steps = steps.lock().unwrap_or_else(PoisonError::into_inner);
        steps.push(Time {
            step,
            milliseconds: took,
        });
    }
}

/// Milliseconds that a step took last time.
pub(super) fn last(dir: &Path, step: &str) -> Option<u64> {
    let text = fs::read_to_string(dir.join(NAME)).ok()?;
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    let (_, rest) = lines.find(|(name, _)| *name == step)?;
    rest.split(' ').next()?.parse().ok()
}
