//! `code-size`: bytes of machine code.

use super::{Figure, Unit, Value, nothing, silent};
use crate::{
    config::{keys::Doc, size},
    diag::codes,
};

pub(super) static FIGURE: Figure = Figure {
    name: "code-size",
    unit: Unit::Bytes,
    counted: None,
    doc: Doc {
        value: "bytes",
        default: "no limit",
        meaning: "Most machine code of a kernel, with its padding and its copies of called functions. Functions that \
                  linked kernels share are not counted.",
        example: "code-size = \"128 KiB\"",
    },
    over: codes::CODE_SIZE_OVER_BUDGET,
    unknown: None,
    measure: |facts, _| Value::Number(facts.resources.code_bytes),
    says: |subject| {
        let bytes = size::display(subject.excess.number());
        format!("has {bytes} of machine code")
    },
    label: |subject| {
        let bytes = size::display(subject.excess.number());
        format!("{bytes} of machine code")
    },
    beside: silent,
    notes: nothing,
    remedies: |_| {
        vec![
            "`#pragma unroll 1` keeps a loop as one, and `__noinline__` a function that is called often; an \
             instruction cache holds some tens of KiB"
                .to_owned(),
        ]
    },
};
