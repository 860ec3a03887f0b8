//! `constant`: bytes of each constant bank.

use super::{Figure, Subject, Unit, Value, nothing, silent};
use crate::{
    config::{keys::Doc, size},
    diag::codes,
    kernel::Facts,
    sorted,
    words::{and, counted, texts},
};

pub(super) static FIGURE: Figure = Figure {
    name: "constant",
    unit: Unit::Banks,
    counted: None,
    doc: Doc {
        value: "bytes of any bank, or a table of banks",
        default: "no limit",
        meaning: "Most bytes of each constant bank, by number; `other` limits the banks that are not named, a size alone \
                  all of them. Bank 0 holds the parameters behind what the driver puts there, bank 2 what the compiler \
                  keeps out of the code, bank 3 the `__constant__` variables of the whole file.",
        example: "constant = { 3 = \"48 KiB\", other = \"4 KiB\" }",
    },
    over: codes::CONSTANT_OVER_BUDGET,
    unknown: None,
    measure: |facts, _| Value::Banks(banks(facts)),
    says: |subject| format!("has {}", and(&each(subject.excess, &size::display))),
    label: |subject| {
        let of_bank = |bytes| counted(bytes, "byte");
        each(subject.excess, &of_bank).join(", ")
    },
    beside: silent,
    notes: nothing,
    remedies,
};

fn each(excess: &Value, bytes_of: &dyn Fn(u64) -> String) -> Vec<String> {
    let Value::Banks(banks) = excess else {
        return Vec::new();
    };
    texts(banks, &|(bank, bytes)| {
        format!("{} of constant bank {bank}", bytes_of(*bytes))
    })
}

/// The kernel's own banks and those of its file, by number.
fn banks(facts: &Facts) -> Vec<(u8, u64)> {
    let mut banks = facts.resources.constant.clone();
    banks.extend(&facts.module_constant);
    sorted::sort(&mut banks);
    banks
}

fn remedies(subject: &Subject<'_>) -> Vec<String> {
    let Value::Banks(over) = subject.excess else {
        return Vec::new();
    };
    let mut remedies = Vec::new();
    let mut add = |number: u8, remedy: &str| {
        if over.iter().any(|(bank, _)| *bank == number) {
            remedies.push(remedy.to_owned());
        }
    };
    add(
        0,
        "put the large parameter in `__constant__` or global memory and pass a pointer",
    );
    add(
        2,
        "tables of `switch` statements and constants that do not fit into instructions lie in bank 2",
    );
    add(
        3,
        "all `__constant__` variables of the file lie in bank 3: put tables that threads index differently in global \
         memory",
    );
    remedies
}
