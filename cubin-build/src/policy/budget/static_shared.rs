//! `static-shared`: bytes of static shared memory per block, without those that the system reserves.

use super::{Figure, Unit, Value, nothing};
use crate::{
    config::{keys::Doc, size},
    diag::codes,
};

pub(super) static FIGURE: Figure = Figure {
    name: "static-shared",
    unit: Unit::Bytes,
    counted: None,
    doc: Doc {
        value: "bytes per block",
        default: "no limit",
        meaning: "Most static shared memory per block, without the 1024 bytes that the system reserves from sm_90 on.",
        example: "static-shared = \"48 KiB\"",
    },
    over: codes::STATIC_SHARED_OVER_BUDGET,
    unknown: None,
    measure: |facts, _| Value::Number(facts.resources.static_shared),
    says: |subject| {
        let bytes = size::display(subject.excess.number());
        format!("uses {bytes} of static shared memory per block")
    },
    label: |subject| {
        let bytes = size::display(subject.excess.number());
        format!("{bytes} of static shared memory")
    },
    beside: |facts| {
        let bytes = facts.resources.static_shared;
        (bytes > 0).then(|| format!("{} of static shared memory", size::display(bytes)))
    },
    notes: nothing,
    remedies: |_| {
        vec![
            "use smaller tiles, or dynamic shared memory (`extern __shared__`), which the launch sizes and this \
             budget does not count"
                .to_owned(),
        ]
    },
};
