//! `fp64-in-loops`: instructions in double precision that stand in loops.

use super::{Figure, Limit, Unit, Unknown, Value, code, silent};
use crate::{
    config::keys::Doc,
    diag::codes,
    kernel::{Counted, Facts},
};

pub(super) static FIGURE: Figure = Figure {
    name: "fp64-in-loops",
    unit: Unit::Count,
    counted: Some((Counted::Fp64InLoops, "double-precision instruction")),
    doc: Doc {
        value: "count",
        default: "no limit",
        meaning: "Most instructions in double precision that stand in a loop: branches can lead from them back to them. A loop that was unrolled to its end is none.",
        example: "fp64-in-loops = 0",
    },
    over: codes::FP64_IN_LOOPS_OVER_BUDGET,
    unknown: Some(UNKNOWN),
    measure,
    says: |subject| {
        format!(
            "has {} in loops",
            code::counted_as(subject, "double-precision instruction")
        )
    },
    label: |subject| {
        format!(
            "{} in loops",
            code::counted_as(subject, "double-precision instruction")
        )
    },
    beside: silent,
    notes: code::is_static,
    remedies: |_| {
        vec!["compute in double precision before the loop, or in single precision within it: a literal without `f` is a `double`".to_owned()]
    },
};

const UNKNOWN: Unknown = Unknown {
    note: |facts| {
        match &facts.instructions {
        Some(code) if code.unknown == 0 => {
            "more of them than were found may stand in loops: a loop calls a function, a branch goes to a computed \
             address, or the target is older than sm_70, whose loops are not known"
                .to_owned()
        }
        _ => code::why_unknown(facts),
    }
    },
    ..code::unknown("number of double-precision instructions in loops")
};

fn measure(facts: &Facts, limit: &Limit) -> Value {
    // Without any, none stands in a loop.
    let all = code::at_most(facts, Counted::Fp64, limit);
    if limit.broken_by(&all).is_none() {
        return all;
    }
    let found = code::at_most(facts, Counted::Fp64InLoops, limit);
    let more = facts
        .instructions
        .as_ref()
        .is_some_and(|code| code.more_in_loops);
    if more && limit.broken_by(&found).is_none() {
        return Value::Unknown;
    }
    found
}
