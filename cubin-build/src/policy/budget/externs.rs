//! `externs`: functions outside the cubin that a kernel may not call.
//!
//! What is not in the cubin after linking comes from the driver: `printf`, `malloc`, `free`, the end of a failed
//! `assert`, launches from the device. ptxas lists for a whole program, and nvlink for linked code, what the kernel needs
//! through all functions that it calls, also through pointers (13.5).

use super::{
    Figure, Unit, Value,
    functions::{source_name, symbol_of},
    silent,
};
use crate::{config::keys::Doc, diag::codes, lists::AddAll, words::texts};

pub(super) static FIGURE: Figure = Figure {
    name: "externs",
    unit: Unit::Names,
    counted: None,
    doc: Doc {
        value: "pattern or array of patterns",
        default: "no limit",
        meaning: "Functions outside the cubin that a kernel may not call, itself or through others: `printf`, `assert`, \
                  `malloc` (which `new` calls), `free`; or by their symbols (`vprintf`, `__assertfail`). `*` forbids all, \
                  `[]` none.",
        example: "externs = [\"printf\", \"malloc\"]",
    },
    over: codes::EXTERNS_FORBIDDEN,
    unknown: None,
    measure: |facts, _| {
        let mut names = texts(&facts.externs, &|symbol| source_name(symbol).to_owned());
        crate::sorted::sort(&mut names);
        names.dedup();
        Value::Names(names)
    },
    says: |subject| format!("calls {}", Unit::Names.display(subject.excess)),
    label: |subject| format!("calls {}", names(subject.excess).join(", ")),
    beside: silent,
    notes: |subject| {
        let mut notes = vec![
            "a call counts that the kernel makes itself or through a function that it calls"
                .to_owned(),
        ];
        for name in names(subject.excess) {
            let symbol = symbol_of(name);
            notes.add_all(
                symbol.map(|symbol| format!("`{symbol}` stands for `{name}` in the cubin")),
            );
        }
        notes
    },
    remedies: |subject| {
        let mut remedies = Vec::new();
        for name in names(subject.excess) {
            let remedy = match name.as_str() {
                "printf" => "put `printf` behind a macro that only a debug build defines",
                "assert" => "`define = { NDEBUG = true }` in [build] takes every `assert` out",
                "malloc" => "let the host allocate and pass a pointer; `new` calls `malloc` too",
                _ => continue,
            };
            remedies.push(remedy.to_owned());
        }
        remedies
    },
};

fn names(value: &Value) -> &[String] {
    match value {
        Value::Names(names) => names,
        _ => &[],
    }
}
