//! What the budgets over instructions share: how counts become figures, and what to say where they are not known.

use super::{Limit, Subject, Unknown, Value};
use crate::{
    diag::codes,
    kernel::{Counted, Facts},
    words::counted,
};

/// How many of a kind there are; unknown where instructions that are not known decide whether the limit is kept.
pub(super) fn at_most(facts: &Facts, what: Counted, limit: &Limit) -> Value {
    let Some(code) = &facts.instructions else {
        return Value::Unknown;
    };
    let count = code.count(what);
    let is_over = matches!(limit, Limit::Most(most) if count > *most);
    if code.unknown > 0 && !is_over {
        return Value::Unknown;
    }
    Value::Number(count)
}

/// What to say where `what` is not known.
pub(super) const fn unknown(what: &'static str) -> Unknown {
    Unknown {
        code: codes::INSTRUCTIONS_UNKNOWN,
        what,
        is: "is not known",
        note: why_unknown,
        help: None,
    }
}

pub(super) fn why_unknown(facts: &Facts) -> String {
    match &facts.instructions {
        None => format!(
            "this version of cubin-build does not know the instructions of {}",
            facts.target
        ),
        Some(code) => format!(
            "{} of its {} {} not known to this version of cubin-build, and may be of that kind",
            code.unknown,
            counted(code.count(Counted::All), "instruction"),
            if code.unknown == 1 { "is" } else { "are" }
        ),
    }
}

/// `3 double-precision instructions`
pub(super) fn counted_as(subject: &Subject<'_>, noun: &str) -> String {
    counted(subject.excess.number(), noun)
}

/// What counts, of every budget over instructions.
pub(super) fn is_static(_: &Subject<'_>) -> Vec<String> {
    vec![
        "instructions in the code count, those of called functions too, however often they are executed"
            .to_owned(),
    ]
}
