//! The way out that is always there: a rule for the kernel.

use super::{
    budget::{Limit, Value},
    resolve::Budget,
};
use crate::kernel::Facts;

/// How to move a budget for one kernel so that it keeps it: in the rule that is already its own, or in a new one.
pub(super) fn moved(facts: &Facts, budget: &Budget<'_>, excess: &Value) -> String {
    let Some(limit) = budget.limit.value.moved(excess) else {
        return allow(facts, budget);
    };
    let key = budget.key.name();
    let toml = limit.to_toml();
    if is_own(facts, budget) {
        return match limit {
            Limit::Most(_) => format!("raise `{key}` to {toml} in the kernel's [[rule]]"),
            _ => format!("write `{key} = {toml}` in the kernel's [[rule]]"),
        };
    }
    format!(
        "give the kernel a budget of its own in cubin.toml:\n[[rule]]\nkernel = {}\n{key} = {toml}\n{WHY}",
        toml_string(&facts.name)
    )
}

/// How to accept for one kernel that a figure is not known, or as bad as it can be.
pub(super) fn allow(facts: &Facts, budget: &Budget<'_>) -> String {
    // A further rule would not win against one for a target.
    if is_own(facts, budget) && !budget.table.archs.is_empty() {
        return "set `level = \"allow\"` in the kernel's [[rule]]".to_owned();
    }
    format!(
        "accept it for this kernel in cubin.toml:\n[[rule]]\nkernel = {}\n{} = {}\nlevel = \"allow\"\n{WHY}",
        toml_string(&facts.name),
        budget.key.name(),
        budget.limit.value.to_toml()
    )
}

const WHY: &str = "reason = \"why this kernel may\"";

/// Whether a rule is already the kernel's own.
fn is_own(facts: &Facts, budget: &Budget<'_>) -> bool {
    budget.pattern.is_some_and(|pattern| {
        let pattern = pattern.value.as_str();
        pattern == facts.name || pattern == facts.symbol
    })
}

/// `text` as a basic TOML string, quotes included.
pub(crate) fn toml_string(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() => out.push_str(&format!("\\u{:04X}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn toml_strings() {
        assert_eq!(
            toml_string("a\"b\\c\n\u{1}<é>"),
            "\"a\\\"b\\\\c\\n\\u0001<é>\""
        );
    }
}
