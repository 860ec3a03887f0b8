//! `unvectorised-global`: the share of the accesses to global memory that move little.

use super::{Figure, Limit, Subject, Unit, Unknown, Value, code, silent};
use crate::{
    config::keys::Doc,
    diag::codes,
    kernel::{Counted, Facts, Instructions},
};

pub(super) static FIGURE: Figure = Figure {
    name: "unvectorised-global",
    unit: Unit::Percent,
    counted: Some((Counted::NarrowGlobal, "narrow transfer")),
    doc: Doc {
        value: "share, as text",
        default: "no limit",
        meaning: "Largest share of the loads from and stores to global memory that move at most 4 bytes per thread; those of 8, 16 and 32 bytes are vectorised. Copies to shared memory and accesses through generic pointers do not count.",
        example: "unvectorised-global = \"25%\"",
    },
    over: codes::UNVECTORISED_GLOBAL_OVER_BUDGET,
    unknown: Some(UNKNOWN),
    measure,
    says,
    label,
    beside: silent,
    notes: code::is_static,
    remedies: |_| {
        vec!["load and store `float2`, `float4` or `int4`: their addresses must be multiples of their size".to_owned()]
    },
};

const UNKNOWN: Unknown = Unknown {
    note: |facts| match &facts.instructions {
        Some(code) if code.unknown == 0 => format!(
            "it is not known how many bytes {} of its {} move",
            code.unknown_width,
            global(code.count(Counted::Global)),
        ),
        _ => code::why_unknown(facts),
    },
    ..code::unknown("share of narrow accesses to global memory")
};

/// Rounded up, so that 0 is none.
fn per_mille(code: &Instructions) -> u64 {
    let all = code.count(Counted::Global);
    let narrow = code.count(Counted::NarrowGlobal).saturating_mul(1000);
    if all == 0 { 0 } else { narrow.div_ceil(all) }
}

fn measure(facts: &Facts, limit: &Limit) -> Value {
    let Some(code) = &facts.instructions else {
        return Value::Unknown;
    };
    let found = Value::PerMille(per_mille(code));
    if code.unknown + code.unknown_width > 0 && limit.broken_by(&found).is_none() {
        return Value::Unknown;
    }
    found
}

/// `12 of 40 global loads and stores`
fn of_all(subject: &Subject<'_>) -> String {
    let code = subject.facts.instructions.as_ref();
    let count = |what| code.map_or(0, |code| code.count(what));
    format!(
        "{} of {}",
        count(Counted::NarrowGlobal),
        global(count(Counted::Global))
    )
}

fn global(accesses: u64) -> String {
    match accesses {
        1 => "1 global load or store".to_owned(),
        _ => format!("{accesses} global loads and stores"),
    }
}

fn says(subject: &Subject<'_>) -> String {
    let share = Unit::Percent.display(subject.excess);
    format!("moves at most 4 bytes by {} ({share})", of_all(subject))
}

fn label(subject: &Subject<'_>) -> String {
    format!("{} move at most 4 bytes", of_all(subject))
}
