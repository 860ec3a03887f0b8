//! `atomics`: atomics and reductions in memory.

use super::{Figure, Unit, code, silent};
use crate::{config::keys::Doc, diag::codes, kernel::Counted};

pub(super) static FIGURE: Figure = Figure {
    name: "atomics",
    unit: Unit::Count,
    counted: Some((Counted::Atomics, "atomic instruction")),
    doc: Doc {
        value: "count",
        default: "no limit",
        meaning: "Most atomics and reductions in memory, global or shared.",
        example: "atomics = 0",
    },
    over: codes::ATOMICS_OVER_BUDGET,
    unknown: Some(code::unknown("number of atomic instructions")),
    measure: |facts, limit| code::at_most(facts, Counted::Atomics, limit),
    says: |subject| format!("has {}", code::counted_as(subject, "atomic instruction")),
    label: |subject| code::counted_as(subject, "atomic instruction"),
    beside: silent,
    notes: code::is_static,
    remedies: |_| {
        vec!["add up within the warp (`__reduce_add_sync`, `__shfl_down_sync`) and the block first, then once in memory".to_owned()]
    },
};
