//! `local-loads`: loads from local memory.

use super::{Figure, Unit, code, silent};
use crate::{config::keys::Doc, diag::codes, kernel::Counted};

pub(super) static FIGURE: Figure = Figure {
    name: "local-loads",
    unit: Unit::Count,
    counted: Some((Counted::LocalLoads, "local load")),
    doc: Doc {
        value: "count",
        default: "no limit",
        meaning: "Most loads from local memory: spilled registers, and arrays that are indexed at run time.",
        example: "local-loads = 0",
    },
    over: codes::LOCAL_LOADS_OVER_BUDGET,
    unknown: Some(code::unknown("number of loads from local memory")),
    measure: |facts, limit| code::at_most(facts, Counted::LocalLoads, limit),
    says: |subject| {
        format!(
            "has {} from local memory",
            code::counted_as(subject, "load")
        )
    },
    label: |subject| format!("{} from local memory", code::counted_as(subject, "load")),
    beside: silent,
    notes: code::is_static,
    remedies: |_| {
        vec!["an array is kept in registers when every index is known after unrolling (`#pragma unroll`)".to_owned()]
    },
};
