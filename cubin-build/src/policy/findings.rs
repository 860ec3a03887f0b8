//! What the checks find, as data. [`super::diags`] puts it in words.

use cubin_core::arch::Sm;

use super::{
    baseline::{Locked, Recorded},
    budget::{Key, Value},
    excess::Excess,
    resolve::Budget,
};
use crate::{
    config::{Glob, Rule},
    diag::Level,
    kernel::Facts,
    source::Spanned,
};

/// One finding.
pub(super) enum Finding<'a> {
    OverBudget(OverBudget<'a>),
    Accepted {
        excess: Excess<'a>,
        recorded: &'a Recorded,
    },
    /// A `kernel` pattern of a rule matches no kernel.
    UnmatchedKernel {
        pattern: &'a Spanned<Glob>,
        /// How many kernels there are.
        kernels: usize,
        /// What was probably meant.
        meant: Option<Meant<'a>>,
    },
    /// An `arch` pattern of a rule matches no target.
    UnmatchedArch {
        pattern: &'a Spanned<Glob>,
        /// Sorted, each once.
        targets: Vec<Sm>,
    },
    /// A `source` pattern of a rule matches no source.
    UnmatchedSource {
        pattern: &'a Spanned<Glob>,
        /// Sorted, each once.
        sources: Vec<&'a str>,
    },
    /// Closer tables decide all that a rule sets, for every kernel that it selects.
    Shadowed {
        rule: &'a Rule,
        /// How many kernel images it selects.
        images: usize,
        by: Vec<&'a Rule>,
    },
    /// A table was meant to stand until a day that is over.
    Expired {
        table: &'a Rule,
        day: &'a Spanned<String>,
        level: Level,
    },
    /// The patterns of a rule match, but not together.
    UnmatchedTogether(&'a Rule),
    /// A kernel takes other parameters than the baseline locks.
    SignatureChanged {
        facts: &'a Facts,
        /// What it took, all functions of its name that are no more.
        was: Vec<String>,
        locked: &'a Locked,
    },
    /// Kernels whose parameters the baseline does not lock.
    SignatureUnrecorded {
        /// File name of the baseline.
        file: String,
        /// With the name that was probably theirs before.
        kernels: Vec<(&'a Facts, Option<&'a str>)>,
    },
    /// The baseline records kernels that are gone.
    BaselineUnmatched {
        /// File name of the baseline.
        file: String,
        entries: Vec<BaselineEntry<'a>>,
    },
    /// Kernels are better than the baseline records.
    BaselineImproved {
        /// File name of the baseline.
        file: String,
        /// With the figure as it is now; none where cubin.toml allows that.
        entries: Vec<(BaselineEntry<'a>, Option<Value>)>,
    },
}

/// A kernel exceeds a budget, or has one for a figure that is not known, on one target or several.
pub(super) struct OverBudget<'a> {
    pub budget: Budget<'a>,
    /// The targets on which it does, worst first; never empty. All of them know the figure, or none.
    pub on: Vec<OnTarget<'a>>,
}

/// By how much, on one target.
pub(super) struct OnTarget<'a> {
    pub excess: Excess<'a>,
    /// What the baseline allows, where it records the kernel.
    pub recorded: Option<&'a Recorded>,
}

/// The kernel that a pattern was probably meant for, and why it does not match.
pub(super) enum Meant<'a> {
    /// It is an instance of a template of that name.
    Instance(&'a str),
    /// The pattern lacks the namespace.
    Qualified(&'a str),
    /// One in a namespace would match the pattern without it.
    InNamespace(&'a str),
    /// The name differs by a few letters.
    Near(&'a str),
}

/// A figure in a baseline file.
pub(super) struct BaselineEntry<'a> {
    pub kernel: &'a str,
    pub target: Sm,
    pub key: Key,
    pub recorded: &'a Recorded,
}
