//! Which findings there were in which run: carried from page to page, in the data that each holds.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

/// Runs that are kept; of older ones nothing is told.
const MOST_RUNS: usize = 100;

/// The findings of the runs up to now.
#[derive(Debug, Default, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct History {
    /// What the runs are called, oldest first.
    pub(super) runs: Vec<String>,
    /// Stretches of runs in which a kernel had a finding.
    pub(super) stretches: Vec<Stretch>,
}

/// A finding from the first run that had it to the last one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stretch {
    #[serde(flatten)]
    pub(super) what: What,
    /// Places in [`History::runs`].
    first: usize,
    last: usize,
}

/// What stays the same of a finding from run to run.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub(super) struct What {
    pub(super) package: String,
    pub(super) kernel: String,
    pub(super) code: String,
}

impl History {
    /// Adds a run. One that is called as the last one replaces it: the same revision was looked at again.
    pub(super) fn add(&mut self, run: &str, found: BTreeSet<What>) {
        if self.runs.last().is_some_and(|last| last == run) {
            self.forget_last();
        }
        let now = self.runs.len();
        self.runs.push(run.to_owned());
        for what in found {
            let mut stretches = self.stretches.iter_mut();
            let open = stretches.find(|stretch| stretch.what == what && stretch.last + 1 == now);
            match open {
                Some(stretch) => stretch.last = now,
                None => self.stretches.push(Stretch {
                    what,
                    first: now,
                    last: now,
                }),
            }
        }
        self.forget_old();
        self.stretches
            .sort_by(|a, b| (&a.what, a.first).cmp(&(&b.what, b.first)));
    }

    fn forget_last(&mut self) {
        self.runs.pop();
        let now = self.runs.len();
        self.stretches.retain(|stretch| stretch.first < now);
        for stretch in &mut self.stretches {
            stretch.last = stretch.last.min(now.saturating_sub(1));
        }
    }

    fn forget_old(&mut self) {
        let old = self.runs.len().saturating_sub(MOST_RUNS);
        self.runs.drain(..old);
        self.stretches.retain(|stretch| stretch.last >= old);
        for stretch in &mut self.stretches {
            stretch.first = stretch.first.saturating_sub(old);
            stretch.last -= old;
        }
    }

    /// Whether every stretch lies within the runs: what was read may be anything.
    pub(super) fn is_whole(&self) -> bool {
        self.stretches
            .iter()
            .all(|stretch| stretch.first <= stretch.last && stretch.last < self.runs.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(codes: &[&str]) -> BTreeSet<What> {
        let what = |code: &&str| What {
            package: "p".to_owned(),
            kernel: "k".to_owned(),
            code: (*code).to_owned(),
        };
        codes.iter().map(what).collect()
    }

    fn stretches(history: &History) -> Vec<(&str, usize, usize)> {
        let each = history.stretches.iter();
        each.map(|one| (one.what.code.as_str(), one.first, one.last))
            .collect()
    }

    #[test]
    fn findings_come_stay_go_and_come_back() {
        let mut history = History::default();
        history.add("a", found(&["spills"]));
        history.add("b", found(&["spills", "stack"]));
        history.add("c", found(&["stack"]));
        history.add("d", found(&["spills", "stack"]));
        let expected = [("spills", 0, 1), ("spills", 3, 3), ("stack", 1, 3)];
        assert_eq!(stretches(&history), expected);
        // The same revision once more, with the stack repaired.
        history.add("d", found(&["spills"]));
        let expected = [("spills", 0, 1), ("spills", 3, 3), ("stack", 1, 2)];
        assert_eq!(stretches(&history), expected);
        assert_eq!(history.runs, ["a", "b", "c", "d"]);
        assert!(history.is_whole());
    }

    #[test]
    fn old_runs_are_forgotten() {
        let mut history = History::default();
        history.add("first", found(&["stack"]));
        for run in 0..MOST_RUNS {
            history.add(&run.to_string(), found(&["spills"]));
        }
        assert_eq!(history.runs.len(), MOST_RUNS);
        assert_eq!(history.runs[0], "0");
        assert_eq!(stretches(&history), [("spills", 0, MOST_RUNS - 1)]);
    }
}
