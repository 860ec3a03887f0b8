//! `barriers`: named barriers per block.

use super::{Figure, Unit, Unknown, nothing, silent};
use crate::{config::keys::Doc, diag::codes, words::counted};

pub(super) static FIGURE: Figure = Figure {
    name: "barriers",
    unit: Unit::Count,
    counted: None,
    doc: Doc {
        value: "count per block, 0 to 16",
        default: "no limit",
        meaning: "Most named barriers per block. `__syncthreads()` is one; a kernel that uses a barrier by its number has \
                  all below it too.",
        example: "barriers = 1",
    },
    over: codes::BARRIERS_OVER_BUDGET,
    unknown: Some(Unknown {
        code: codes::BARRIERS_UNKNOWN,
        what: "number of barriers",
        is: "is not recorded",
        note: |_| "the cubin has no attribute records for this kernel".to_owned(),
        help: None,
    }),
    measure: |facts, _| facts.resources.barriers.into(),
    says: |subject| {
        let barriers = counted(subject.excess.number(), "barrier");
        format!("uses {barriers} per block")
    },
    label: |subject| counted(subject.excess.number(), "barrier"),
    beside: silent,
    notes: nothing,
    remedies: |_| {
        vec![
            "the highest barrier that is named counts, and a number that is only known at run time counts as all 16: \
             number `bar.sync` and `cuda::barrier` from 0 without gaps, by constants"
                .to_owned(),
        ]
    },
};
