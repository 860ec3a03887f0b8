//! `spills`: bytes of spill stores plus spill loads, as ptxas counts them.

use super::{Figure, Subject, Unit, Unknown, registers};
use crate::{
    config::{keys::Doc, size},
    diag::codes,
    kernel::Spills,
    lists::CollectVec,
    words::texts,
};

pub(super) static FIGURE: Figure = Figure {
    name: "spills",
    unit: Unit::Bytes,
    counted: None,
    doc: Doc {
        value: "bytes per thread",
        default: "no limit",
        meaning: "Most bytes of spill stores and loads together, those of called functions included. Not known for a \
                  cubin that was compiled elsewhere.",
        example: "spills = 0",
    },
    over: codes::SPILLS_OVER_BUDGET,
    unknown: Some(Unknown {
        code: codes::SPILLS_UNKNOWN,
        what: "spills",
        is: "are not known",
        note: |_| {
            "spilled bytes are printed by ptxas while compiling; a cubin does not record them"
                .to_owned()
        },
        help: None,
    }),
    measure: |facts, _| facts.spills.map(Spills::total).into(),
    says: |subject| {
        let Spills { stores, loads } = subject.facts.spills.unwrap_or_default();
        let bytes = size::display(subject.excess.number());
        format!("spills {bytes} ({stores} stored, {loads} loaded)")
    },
    label: |subject| format!("{} spilled", size::display(subject.excess.number())),
    beside: |facts| {
        let bytes = facts.spills?.total();
        (bytes > 0).then(|| format!("{} spilled", size::display(bytes)))
    },
    notes: |subject| callees(subject).into_iter().collect_vec(),
    remedies: |subject| vec![remedy(subject).to_owned()],
};

fn callees(subject: &Subject<'_>) -> Option<String> {
    let callees = &subject.facts.spilling_callees;
    let these = match callees.len() {
        0 => return None,
        1 => "it is",
        _ => "they are",
    };
    let names = texts(callees, &|name| format!("`{name}`"));
    Some(format!(
        "counted with {}, which it calls: {these} not inlined",
        names.join(", ")
    ))
}

fn remedy(subject: &Subject<'_>) -> &'static str {
    if subject.facts.resources.registers >= registers::MOST - 1 {
        "the kernel is at the limit of 255 registers per thread: keep fewer values alive, for example by smaller \
         tiles, or split it"
    } else if subject.facts.block_threads().is_some() {
        "fewer threads in `__launch_bounds__`, or fewer blocks in its second argument, leave more registers to each \
         thread"
    } else {
        "look for what limits the registers (`-maxrregcount` in the flags, `__maxnreg__`), and for loops whose \
         unrolling keeps many values alive"
    }
}
