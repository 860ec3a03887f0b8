//! What a person sees of a long build: what runs, how many steps are left, and about how long they take.
//!
//! A line on standard error, which cargo shows with -vv; and one at the end of the file that `CUBIN_BUILD_PROGRESS` names,
//! for whoever started cargo: cargo keeps what a build script prints until it has ended.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    sync::{Mutex, PoisonError},
    time::{Duration, Instant},
};

use cubin_core::escape::visible;

use super::{run::words, times::milliseconds};
use crate::env::Env;

/// The variable that names the file.
pub(crate) const PROGRESS: &str = "CUBIN_BUILD_PROGRESS";

/// A build that is done before needs no words.
const FIRST: Duration = Duration::from_secs(5);
/// As often as a person wants to know.
const EACH: Duration = Duration::from_secs(10);
/// More of those that run are only counted.
const NAMED: usize = 4;

/// What steps do, by the names that are kept with their times.
pub(super) type Tool = &'static str;

/// A step that is not done.
pub(super) struct Ahead {
    pub(super) tool: Tool,
    /// Milliseconds that it took last time.
    pub(super) last: Option<u64>,
    /// Steps with the same number come one after the other.
    pub(super) chain: usize,
}

/// A step that runs.
struct Running {
    job: usize,
    tool: Tool,
    what: String,
    since: Instant,
}

/// What is heard of a build while it runs.
pub(super) struct Progress {
    began: Instant,
    file: Option<PathBuf>,
    seen: Mutex<Seen>,
}

#[derive(Default)]
struct Seen {
    running: Vec<Running>,
    /// Tool, steps that ended, and their milliseconds.
    ended: Vec<(Tool, u64, u64)>,
    /// The most that ran at a time.
    width: usize,
    /// Steps when it began.
    all: usize,
    /// Lines so far.
    told: u32,
}

impl Progress {
    pub(super) fn new(env: &Env) -> Self {
        Self {
            began: Instant::now(),
            // It cannot change what comes out.
            file: env.peek(PROGRESS).map(PathBuf::from),
            seen: Mutex::default(),
        }
    }

    /// How many steps there are.
    pub(super) fn starts(&self, steps: usize) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.all = steps;
    }

    pub(super) fn begins(&self, job: usize, tool: Tool, path: &Path, target: &str) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        seen.running.push(Running {
            job,
            tool,
            what: format!("{} for {target}", visible(&path.to_string_lossy())),
            since: Instant::now(),
        });
        seen.width = seen.width.max(seen.running.len());
    }

    pub(super) fn ends(&self, job: usize) {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(at) = seen.running.iter().position(|known| known.job == job) else {
            return;
        };
        let step = seen.running.remove(at);
        let took = milliseconds(step.since.elapsed());
        match seen.ended.iter_mut().find(|known| known.0 == step.tool) {
            Some((_, count, sum)) => {
                *count += 1;
                *sum += took;
            }
            None => seen.ended.push((step.tool, 1, took)),
        }
    }

    /// Says how things stand, where that is due. `ahead`: the steps that are not done.
    pub(super) fn tell(&self, ahead: &dyn Fn() -> Vec<Ahead>) {
        let line = {
            let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
            if self.began.elapsed() < FIRST + EACH * seen.told {
                return;
            }
            seen.told += 1;
            seen.line(&ahead(), Instant::now())
        };
        let _ = writeln!(std::io::stderr(), "cubin-build: {line}");
        if let Some(file) = &self.file {
            // Without it nobody sees the line there, and nothing else.
            let _ = append(file, &line);
        }
    }
}

fn append(file: &Path, line: &str) -> std::io::Result<()> {
    let mut file = std::fs::OpenOptions::new().append(true).open(file)?;
    // In one piece: several build scripts may write at a time.
    file.write_all(format!("{line}\n").as_bytes())
}

impl Seen {
    fn line(&mut self, ahead: &[Ahead], now: Instant) -> String {
        self.all = self.all.max(ahead.len());
        let done = self.all - ahead.len();
        let mut line = format!("{done} of {} steps done", self.all);
        if let Some(left) = self.left(ahead, now) {
            line.push_str(&format!(", about {} left", roughly(left)));
        }
        for (at, step) in self.running.iter().take(NAMED).enumerate() {
            let lead = if at == 0 { "; running: " } else { ", " };
            let time = words(Duration::from_secs(
                now.duration_since(step.since).as_secs(),
            ));
            line.push_str(&format!("{lead}{} of {} ({time})", step.tool, step.what));
        }
        if self.running.len() > NAMED {
            line.push_str(&format!(" and {} more", self.running.len() - NAMED));
        }
        line
    }

    /// Milliseconds until all is done: by the times of the last build, and for steps that are new by those of this one;
    /// `None` where neither says anything.
    fn left(&self, ahead: &[Ahead], now: Instant) -> Option<u64> {
        let mut sum = 0_u64;
        let mut chains: Vec<(usize, u64)> = Vec::new();
        for step in ahead {
            let time = match step.last {
                Some(time) => time,
                None => self.average(step.tool)?,
            };
            sum = sum.saturating_add(time);
            match chains.iter_mut().find(|(chain, _)| *chain == step.chain) {
                Some((_, sum)) => *sum = sum.saturating_add(time),
                None => chains.push((step.chain, time)),
            }
        }
        let mut gone = 0_u64;
        for step in &self.running {
            gone = gone.saturating_add(milliseconds(now.duration_since(step.since)));
        }
        let longest = chains.iter().fold(0, |most, (_, time)| (*time).max(most));
        let first = self.running.first().map_or(now, |step| step.since);
        let alone = longest.saturating_sub(milliseconds(now.duration_since(first)));
        let width = u64::try_from(self.width.max(1)).unwrap_or(1);
        Some((sum.saturating_sub(gone) / width).max(alone))
    }

    fn average(&self, tool: Tool) -> Option<u64> {
        let mut ended = self.ended.iter();
        let (_, count, sum) = ended.find(|known| known.0 == tool)?;
        sum.checked_div(*count)
    }
}

/// A time that is not known better: whole minutes, or seconds in fives.
fn roughly(milliseconds: u64) -> String {
    let seconds = milliseconds.div_ceil(1000).max(1);
    if seconds > 90 {
        return words(Duration::from_secs(seconds.div_ceil(60).max(2) * 60));
    }
    words(Duration::from_secs(seconds.div_ceil(5) * 5))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ahead(tool: Tool, last: Option<u64>, chain: usize) -> Ahead {
        Ahead { tool, last, chain }
    }

    fn running(tool: Tool, what: &str, since: Instant) -> Running {
        Running {
            job: 0,
            tool,
            what: what.to_owned(),
            since,
        }
    }

    #[test]
    fn the_line_says_what_is_done_and_what_runs() {
        let began = Instant::now();
        let now = began + Duration::from_secs(34);
        let mut seen = Seen {
            all: 4,
            width: 2,
            ..Seen::default()
        };
        seen.running
            .push(running("cicc", "kernels/a.cu for compute_90", began));
        // cicc is new, and none has ended: nobody knows.
        let two = [ahead("cicc", None, 0), ahead("ptxas", Some(2000), 0)];
        assert_eq!(
            seen.line(&two, now),
            "2 of 4 steps done; running: cicc of kernels/a.cu for compute_90 (34 seconds)"
        );
        seen.ended.push(("cicc", 2, 120_000));
        assert_eq!(
            seen.line(&two, now),
            "2 of 4 steps done, about 30 seconds left; running: cicc of kernels/a.cu for compute_90 (34 seconds)"
        );
    }

    #[test]
    fn more_than_four_are_counted() {
        let now = Instant::now();
        let mut seen = Seen::default();
        for name in ["a", "b", "c", "d", "e", "f"] {
            seen.running
                .push(running("ptxas", &format!("{name}.cu for sm_90"), now));
        }
        let line = seen.line(&[ahead("ptxas", Some(1), 0)], now);
        assert!(
            line.ends_with("d.cu for sm_90 (0 seconds) and 2 more"),
            "{line}"
        );
    }

    #[test]
    fn what_is_left_is_shared_by_those_that_run_but_a_chain_is_not() {
        let now = Instant::now();
        let seen = Seen {
            width: 4,
            ..Seen::default()
        };
        let mut steps = Vec::new();
        for chain in 0..8 {
            steps.push(ahead("ptxas", Some(10_000), chain));
        }
        assert_eq!(seen.left(&steps, now), Some(20_000));
        steps.push(ahead("cicc", Some(50_000), 0));
        assert_eq!(seen.left(&steps, now), Some(60_000));
        assert_eq!(seen.left(&[], now), Some(0));
    }

    #[test]
    fn times_are_rough() {
        for (time, said) in [
            (0, "5 seconds"),
            (5_000, "5 seconds"),
            (5_001, "10 seconds"),
            (90_000, "90 seconds"),
            (91_000, "2 minutes"),
            (200_000, "4 minutes"),
        ] {
            assert_eq!(roughly(time), said, "{time}");
        }
    }
}
