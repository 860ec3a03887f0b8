//! All counts of a function at once.

use super::{code::Code, mix::Mix};

/// The instruction mix of a function, and of what of it stands in loops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts {
    /// All instructions.
    pub all: Mix,
    /// Those in loops; `None` where these are not known (before sm_70).
    pub in_loops: Option<Mix>,
    /// Whether more may stand in loops: see [`Loops::is_lower_bound`](super::Loops::is_lower_bound).
    pub lower_bound: bool,
}

impl Code<'_> {
    /// The mix of the function, and of what of it stands in loops.
    #[must_use]
    pub fn counts(&self) -> Counts {
        let loops = self.loops();
        let in_loops = loops.as_ref().map(|loops| {
            let inside = self.instructions().filter(|one| loops.contains(one.offset));
            inside.collect()
        });
        Counts {
            all: self.mix(),
            in_loops,
            lower_bound: loops.is_some_and(|loops| loops.is_lower_bound()),
        }
    }
}
