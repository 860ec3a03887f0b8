//! `tensor-core`: matrix multiplications on tensor cores, of which there should be some.

use super::{Figure, Limit, Unit, Value, code, silent};
use crate::{
    config::keys::Doc,
    diag::codes,
    kernel::{Counted, Facts},
};

pub(super) static FIGURE: Figure = Figure {
    name: "tensor-core",
    unit: Unit::Floor,
    counted: Some((Counted::Tensor, "tensor core instruction")),
    doc: Doc {
        value: "table of `min`",
        default: "no limit",
        meaning: "At least `min` (required) matrix multiplications on tensor cores: `HMMA`, `IMMA`, `HGMMA`, `UTCHMMA` and their kin.",
        example: "tensor-core = { min = 1 }",
    },
    over: codes::TENSOR_CORE_BELOW_BUDGET,
    unknown: Some(code::unknown("number of tensor core instructions")),
    measure,
    says: |subject| {
        format!(
            "has {}",
            code::counted_as(subject, "tensor core instruction")
        )
    },
    label: |subject| code::counted_as(subject, "tensor core instruction"),
    beside: silent,
    notes: code::is_static,
    remedies: |_| {
        vec!["operand types, shapes or the target leave the kernel without matrix instructions: see `wmma`, `mma` and `wgmma` in the PTX manual".to_owned()]
    },
};

fn measure(facts: &Facts, limit: &Limit) -> Value {
    let Some(code) = &facts.instructions else {
        return Value::Unknown;
    };
    let found = Value::Floor(code.count(Counted::Tensor));
    if code.unknown > 0 && limit.broken_by(&found).is_some() {
        return Value::Unknown;
    }
    found
}
