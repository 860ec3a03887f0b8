//! How long steps took, kept beside their results: the next build starts with what takes longest, and `cargo cubin timings`
//! shows it.
//!
//! A line of `times.txt` is a step, its milliseconds, when it began, in milliseconds from the start of its build, when that
//! was, in milliseconds since 1970, and why it ran: `cicc 1834 212 1796095180558 kernels/common.cuh changed`.

use std::{
    fs,
    path::Path,
    sync::OnceLock,
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

const NAME: &str = "times.txt";

/// When this process ran its first step, also in milliseconds since 1970: all that a build script compiles and links is one
/// build.
static BEGAN: OnceLock<(Instant, u64)> = OnceLock::new();

pub(super) fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// A step that runs.
pub(super) struct Timed(Instant);

impl Timed {
    pub(super) fn start() -> Self {
        BEGAN.get_or_init(|| {
            let since_1970 = SystemTime::now().duration_since(UNIX_EPOCH);
            (Instant::now(), since_1970.map_or(0, milliseconds))
        });
        Self(Instant::now())
    }

    /// Takes note of the time, and keeps it in the step's directory, with why it ran.
    pub(super) fn end(self, dir: &Path, step: &str, reason: &str) {
        let Some((first, began)) = BEGAN.get() else {
            return;
        };
        let took = milliseconds(self.0.elapsed());
        let start = milliseconds(self.0.duration_since(*first));
        let mut text = String::new();
        let old = fs::read_to_string(dir.join(NAME)).unwrap_or_default();
        let other = |line: &&str| line.split(' ').next() != Some(step);
        for line in old.lines().filter(other) {
            text.push_str(line);
            text.push('\n');
        }
        let reason = reason.replace(['\n', '\r'], " ");
        text.push_str(&format!("{step} {took} {start} {began} {reason}\n"));
        // Without it the order of the next build is another, and nothing else.
        let _ = fs::write(dir.join(NAME), text);
    }
}

/// Milliseconds that a step took last time.
pub(super) fn last(dir: &Path, step: &str) -> Option<u64> {
    let text = fs::read_to_string(dir.join(NAME)).ok()?;
    let mut lines = text.lines().filter_map(|line| line.split_once(' '));
    let (_, rest) = lines.find(|(name, _)| *name == step)?;
    rest.split(' ').next()?.parse().ok()
}
