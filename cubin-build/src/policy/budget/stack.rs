//! `stack`: bytes of stack per thread, those of called functions included.

use cubin_core::Stack;

use super::{Figure, STACK_LIMIT, Unit, Unknown, nothing};
use crate::{
    config::{keys::Doc, size},
    diag::codes,
};

pub(super) static FIGURE: Figure = Figure {
    name: "stack",
    unit: Unit::Bytes,
    counted: None,
    doc: Doc {
        value: "bytes per thread",
        default: "no limit",
        meaning: "Most stack per thread, that of called functions included.",
        example: "stack = 0",
    },
    over: codes::STACK_OVER_BUDGET,
    unknown: Some(Unknown {
        code: codes::STACK_UNKNOWN,
        what: "stack",
        is: "is not statically known",
        note: |facts| {
            let why = match facts.resources.stack {
                Stack::NotRecorded => {
                    "the cubin does not record it, or less than a function that the kernel calls takes (ptxas 12.4, for calls through \
                     pointers)"
                }
                _ => {
                    "recursion, calls through pointers and `alloca` make the depth of the stack depend on the data"
                }
            };
            format!("{why}; {STACK_LIMIT}")
        },
        help: None,
    }),
    measure: |facts, _| facts.resources.stack.bytes().into(),
    says: |subject| {
        let bytes = size::display(subject.excess.number());
        format!("needs {bytes} of stack per thread")
    },
    label: |subject| format!("{} of stack", size::display(subject.excess.number())),
    beside: |facts| match facts.resources.stack.bytes() {
        Some(0) => None,
        Some(bytes) => Some(format!("{} of stack", size::display(bytes.into()))),
        None => Some("stack unknown".to_owned()),
    },
    notes: nothing,
    remedies: |_| {
        vec![
            "arrays that are indexed at run time, calls that are not inlined and spills live on the stack: unroll \
             the loops over them, or mark callees `__forceinline__`"
                .to_owned(),
        ]
    },
};
