//! `local`: bytes of local memory per thread.
//!
//! Every current toolkit puts local variables on the stack, so this is what `stack` limits, unless a cubin has a section
//! `.nv.local` besides, as code without the ABI had. Who means the memory and not its use asks for this one.

use super::{Figure, STACK_LIMIT, Unit, Unknown, nothing, silent};
use crate::{
    config::{keys::Doc, size},
    diag::codes,
};

pub(super) static FIGURE: Figure = Figure {
    name: "local",
    unit: Unit::Bytes,
    counted: None,
    doc: Doc {
        value: "bytes per thread",
        default: "no limit",
        meaning: "Most local memory per thread: the stack, and what the cubin reserves besides (`.nv.local`, which \
                  current toolkits leave empty).",
        example: "local = \"1 KiB\"",
    },
    over: codes::LOCAL_OVER_BUDGET,
    unknown: Some(Unknown {
        code: codes::LOCAL_UNKNOWN,
        what: "local memory",
        is: "is not statically known",
        note: |_| {
            format!(
                "the stack is part of it, and recursion, calls through pointers and `alloca` make its depth depend on \
                 the data; {STACK_LIMIT}"
            )
        },
        help: None,
    }),
    measure: |facts, _| {
        let stack = facts.resources.stack.bytes().map(u64::from);
        stack
            .map(|stack| stack.saturating_add(facts.resources.local))
            .into()
    },
    says: |subject| {
        let bytes = size::display(subject.excess.number());
        format!("takes {bytes} of local memory per thread")
    },
    label: |subject| {
        let bytes = size::display(subject.excess.number());
        format!("{bytes} of local memory")
    },
    beside: silent,
    notes: nothing,
    remedies: |_| {
        vec![
            "arrays that are indexed at run time and spills live in local memory: unroll the loops over them, or \
             put them in shared memory"
                .to_owned(),
        ]
    },
};
