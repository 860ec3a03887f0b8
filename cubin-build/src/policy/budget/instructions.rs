//! `instructions`: instructions in the machine code.

use super::{Figure, Unit, code, silent};
use crate::{config::keys::Doc, diag::codes, kernel::Counted};

pub(super) static FIGURE: Figure = Figure {
    name: "instructions",
    unit: Unit::Count,
    counted: Some((Counted::All, "instruction")),
    doc: Doc {
        value: "count",
        default: "no limit",
        meaning: "Most instructions of a kernel and of the functions that it calls, without padding and those whose predicate is never true.",
        example: "instructions = 4096",
    },
    over: codes::INSTRUCTIONS_OVER_BUDGET,
    unknown: Some(code::unknown("number of instructions")),
    measure: |facts, limit| code::at_most(facts, Counted::All, limit),
    says: |subject| format!("has {}", code::counted_as(subject, "instruction")),
    label: |subject| code::counted_as(subject, "instruction"),
    beside: silent,
    notes: code::is_static,
    remedies: |_| {
        vec!["`#pragma unroll 1` keeps a loop as one, and `__noinline__` a function that is called often".to_owned()]
    },
};
