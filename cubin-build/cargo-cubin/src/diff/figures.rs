//! What two builds of a kernel are compared by, and which way is better.

use crate::facts::Facts;

/// Which change of a figure is for the better.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Better {
    Less,
    More,
    /// Neither: it is shown, and never judged.
    Neither,
}

/// How a figure is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Count,
    Bytes,
    /// Thousandths, shown as a percentage.
    Share,
}

impl Unit {
    /// One of what allowances count: a percentage point is ten thousandths.
    pub(super) fn one(self) -> u64 {
        match self {
            Self::Share => 10,
            Self::Count | Self::Bytes => 1,
        }
    }
}

/// One figure.
pub(super) struct Figure {
    pub(super) name: &'static str,
    pub(super) unit: Unit,
    pub(super) better: Better,
    /// Whether it is about instructions: many, and shown on request.
    pub(super) instructions: bool,
    /// Its name in options and files: that of the budget, where there is one.
    pub(super) key: &'static str,
    /// `None` where it is not known.
    pub(super) of: fn(&Facts) -> Option<u64>,
}

/// A stack without a bound: more than any other.
pub(super) const UNBOUNDED: u64 = u64::MAX;

const fn resource(
    key: &'static str,
    name: &'static str,
    unit: Unit,
    of: fn(&Facts) -> Option<u64>,
) -> Figure {
    Figure {
        key,
        name,
        unit,
        better: Better::Less,
        instructions: false,
        of,
    }
}

const fn instruction(
    key: &'static str,
    name: &'static str,
    better: Better,
    of: fn(&Facts) -> Option<u64>,
) -> Figure {
    Figure {
        key,
        name,
        unit: Unit::Count,
        better,
        instructions: true,
        of,
    }
}

/// Every figure, in the order in which changes are listed: what costs most first.
pub(super) static FIGURES: [Figure; 24] = [
    Figure {
        better: Better::More,
        ..resource("occupancy", "occupancy", Unit::Share, |facts| {
            let occupancy = facts.occupancy()?;
            let warps = u64::from(occupancy.warps).checked_mul(1000)?;
            warps.checked_div(occupancy.max_warps.into())
        })
    },
    Figure {
        ..resource("spills", "spilled bytes", Unit::Bytes, |facts| {
            facts.spill_bytes.map(crate::facts::SpillBytes::total)
        })
    },
    Figure {
        ..resource("stack", "stack", Unit::Bytes, |facts| match facts.stack {
            Some(bytes) => Some(bytes.into()),
            None => (facts.stack_status == "unbounded").then_some(UNBOUNDED),
        })
    },
    Figure {
        ..resource("registers", "registers", Unit::Count, |facts| {
            Some(facts.registers.into())
        })
    },
    Figure {
        ..resource("static-shared", "static shared", Unit::Bytes, |facts| {
            Some(facts.static_shared)
        })
    },
    Figure {
        better: Better::Neither,
        ..resource("barriers", "barriers", Unit::Count, |facts| {
            facts.barriers.map(u64::from)
        })
    },
    Figure {
        better: Better::Neither,
        ..resource("params", "parameter bytes", Unit::Bytes, |facts| {
            facts.param_bytes.map(u64::from)
        })
    },
    Figure {
        better: Better::Neither,
        ..resource("code-size", "code size", Unit::Bytes, |facts| {
            Some(facts.code_bytes)
        })
    },
    instruction("fp64", "fp64 instructions", Better::Less, |facts| {
        Some(facts.instructions.as_ref()?.all.fp64)
    }),
    instruction(
        "fp64-in-loops",
        "fp64 instructions in loops",
        Better::Less,
        |facts| Some(facts.instructions.as_ref()?.in_loops.as_ref()?.fp64),
    ),
    instruction("local-loads", "local loads", Better::Less, |facts| {
        accesses(facts, "local", false)
    }),
    instruction("local-stores", "local stores", Better::Less, |facts| {
        accesses(facts, "local", true)
    }),
    instruction("tensor", "tensor instructions", Better::More, |facts| {
        class(facts, "tensor")
    }),
    instruction("instructions", "instructions", Better::Neither, |facts| {
        Some(facts.instructions.as_ref()?.all.total)
    }),
    instruction(
        "instructions-in-loops",
        "instructions in loops",
        Better::Neither,
        |facts| Some(facts.instructions.as_ref()?.in_loops.as_ref()?.total),
    ),
    instruction("global-loads", "global loads", Better::Neither, |facts| {
        accesses(facts, "global", false)
    }),
    instruction("global-stores", "global stores", Better::Neither, |facts| {
        accesses(facts, "global", true)
    }),
    instruction("shared-loads", "shared loads", Better::Neither, |facts| {
        accesses(facts, "shared", false)
    }),
    instruction("shared-stores", "shared stores", Better::Neither, |facts| {
        accesses(facts, "shared", true)
    }),
    instruction("fp32", "fp32 instructions", Better::Neither, |facts| {
        class(facts, "fp32")
    }),
    instruction("half", "half instructions", Better::Neither, |facts| {
        class(facts, "half")
    }),
    instruction(
        "integer",
        "integer instructions",
        Better::Neither,
        |facts| class(facts, "integer"),
    ),
    instruction("atomics", "atomic instructions", Better::Neither, |facts| {
        class(facts, "atomic")
    }),
    instruction(
        "unknown",
        "unknown instructions",
        Better::Neither,
        |facts| class(facts, "unknown"),
    ),
];

fn class(facts: &Facts, name: &str) -> Option<u64> {
    let classes = &facts.instructions.as_ref()?.all.classes;
    classes.get(name).copied()
}

fn accesses(facts: &Facts, space: &str, store: bool) -> Option<u64> {
    let all = &facts.instructions.as_ref()?.all.accesses;
    let these = all
        .iter()
        .filter(|access| access.space == space && access.store == store);
    Some(these.map(|access| access.count).sum())
}

impl Figure {
    /// The figure of a key.
    pub(super) fn named(key: &str) -> Option<&'static Self> {
        FIGURES.iter().find(|figure| figure.key == key)
    }

    /// Its place in [`FIGURES`].
    pub(super) fn position(&self) -> usize {
        let at = FIGURES.iter().position(|figure| figure.key == self.key);
        at.unwrap_or(FIGURES.len())
    }

    /// A value for people.
    pub(super) fn show(&self, value: u64) -> String {
        match self.unit {
            _ if value == UNBOUNDED => "unbounded".to_owned(),
            Unit::Count => value.to_string(),
            Unit::Bytes => format!("{value} B"),
            Unit::Share if value.is_multiple_of(10) => format!("{} %", value / 10),
            Unit::Share => format!("{}.{} %", value / 10, value % 10),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_those_of_the_schema() {
        let known: Vec<&str> = cubin_core::sass::Class::ALL
            .iter()
            .map(|class| class.name())
            .collect();
        for name in ["tensor", "fp32", "half", "integer", "atomic", "unknown"] {
            assert!(known.contains(&name), "{name} is none of {known:?}");
        }
        let spaces: Vec<&str> = cubin_core::sass::Space::ALL
            .iter()
            .map(|space| space.name())
            .collect();
        for name in ["local", "global", "shared"] {
            assert!(spaces.contains(&name), "{name} is none of {spaces:?}");
        }
        let keys: std::collections::BTreeSet<&str> = FIGURES.iter().map(|one| one.key).collect();
        assert_eq!(keys.len(), FIGURES.len());
        for key in [
            "occupancy",
            "spills",
            "stack",
            "registers",
            "static-shared",
            "barriers",
            "params",
            "code-size",
            "fp64",
        ] {
            let budget = cubin_build::policy::budget::Key::named(key);
            assert!(keys.contains(key) && budget.is_some(), "{key}");
        }
    }
}
