//! `fp64`: instructions in double precision.

use super::{Figure, Unit, code, silent};
use crate::{config::keys::Doc, diag::codes, kernel::Counted};

pub(super) static FIGURE: Figure = Figure {
    name: "fp64",
    unit: Unit::Count,
    counted: Some((Counted::Fp64, "double-precision instruction")),
    doc: Doc {
        value: "count",
        default: "no limit",
        meaning: "Most instructions that compute, compare or convert in double precision, on tensor cores too. `0` finds the accidental `double`.",
        example: "fp64 = 0",
    },
    over: codes::FP64_OVER_BUDGET,
    unknown: Some(code::unknown("number of double-precision instructions")),
    measure: |facts, limit| code::at_most(facts, Counted::Fp64, limit),
    says: |subject| {
        format!(
            "has {}",
            code::counted_as(subject, "double-precision instruction")
        )
    },
    label: |subject| code::counted_as(subject, "double-precision instruction"),
    beside: silent,
    notes: code::is_static,
    remedies: |_| {
        vec!["a literal without `f` is a `double` (`1.0` for `1.0f`), and so is what `sqrt`, `exp` and `pow` give for one".to_owned()]
    },
};
