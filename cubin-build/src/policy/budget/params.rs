//! `params`: bytes of kernel parameters.

use super::{Figure, Unit, Unknown, nothing, silent};
use crate::{
    config::{keys::Doc, size},
    diag::codes,
};

pub(super) static FIGURE: Figure = Figure {
    name: "params",
    unit: Unit::Bytes,
    counted: None,
    doc: Doc {
        value: "bytes",
        default: "no limit",
        meaning: "Most bytes of parameters, which are copied for every launch.",
        example: "params = \"4 KiB\"",
    },
    over: codes::PARAMS_OVER_BUDGET,
    unknown: Some(Unknown {
        code: codes::PARAMS_UNKNOWN,
        what: "size of the parameters",
        is: "is not recorded",
        note: |_| "the cubin has no parameter records for this kernel".to_owned(),
        help: None,
    }),
    measure: |facts, _| facts.params_size().into(),
    says: |subject| {
        let bytes = size::display(subject.excess.number());
        format!("takes {bytes} of parameters")
    },
    label: |subject| format!("{} of parameters", size::display(subject.excess.number())),
    beside: silent,
    notes: nothing,
    remedies: |_| {
        vec![
            "put the large struct in `__constant__` or global memory and pass a pointer".to_owned(),
        ]
    },
};
