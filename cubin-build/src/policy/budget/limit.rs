//! What a budget allows, as cubin.toml states it.

use super::{
    functions::matches,
    value::{TOLERANCE, Unit, Value, bank_list, name_list, per_mille, percent, percent_toml},
};
use crate::{
    config::{glob::Glob, size},
    lists::AddAll,
    sorted,
    source::Spanned,
    words::{quoted, texts},
};

/// What a budget allows.
#[derive(Debug, Clone, PartialEq)]
pub enum Limit {
    /// At most this many, or this many bytes.
    Most(u64),
    /// At most this share, in tenths of a percent.
    MostPerMille(u64),
    /// At least this many.
    Least(u64),
    /// At most so many bytes of each constant bank.
    Banks(Banks),
    /// None of these functions, by the name that the source or the cubin has for it.
    Not(Vec<Spanned<Glob>>),
    /// At least this occupancy.
    Occupancy(Occupancy),
}

/// `constant = "4 KiB"` or `constant = { 3 = "48 KiB", other = "4 KiB" }`.
///
/// Banks have a limit each, since each is bound by the hardware alone (64 KiB) and has an owner of its own: bank 0 grows
/// with the parameters, bank 2 with what the compiler keeps out of the code, bank 3 with the `__constant__` variables.
/// A sum would not tell which of these grew.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Banks {
    /// Banks with a limit of their own, in bytes.
    pub own: Vec<(u8, u64)>,
    /// The limit of each of the others; none leaves them free.
    pub other: Option<u64>,
}

impl Banks {
    /// The limit of a bank.
    pub fn of(&self, bank: u8) -> Option<u64> {
        let own = self.own.iter().find(|(number, _)| *number == bank);
        own.map(|(_, bytes)| *bytes).or(self.other)
    }
}

/// `occupancy = { block = 256, min = 0.25 }`: with blocks of this size, at least this share of the threads that a
/// multiprocessor can hold must fit.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Occupancy {
    /// Threads per block, 1 to 1024.
    pub block: u32,
    /// Least share of the multiprocessor's threads, above 0 and at most 1.
    pub min: f64,
    /// Bytes of dynamic shared memory per block that the launch will ask for.
    pub dynamic_shared: u64,
}

impl Limit {
    /// What of a figure breaks the budget; nothing when the budget is kept.
    pub fn broken_by(&self, value: &Value) -> Option<Value> {
        match (self, value) {
            (_, Value::Unknown) => Some(Value::Unknown),
            (Self::Most(most), Value::Number(number)) => {
                (number > most).then_some(Value::Number(*number))
            }
            (Self::MostPerMille(most), Value::PerMille(share)) => {
                (share > most).then_some(Value::PerMille(*share))
            }
            (Self::Least(least), Value::Floor(number)) => {
                (number < least).then_some(Value::Floor(*number))
            }
            (Self::Occupancy(limit), Value::Share(share)) => {
                (share + TOLERANCE < limit.min).then_some(Value::Share(*share))
            }
            (Self::Banks(limits), Value::Banks(banks)) => {
                let mut over = banks.clone();
                over.retain(|(bank, bytes)| limits.of(*bank).is_some_and(|most| *bytes > most));
                (!over.is_empty()).then_some(Value::Banks(over))
            }
            (Self::Not(patterns), Value::Names(names)) => {
                let mut called = names.clone();
                called.retain(|name| {
                    let forbids = |pattern: &Spanned<_>| matches(&pattern.value, name);
                    patterns.iter().any(forbids)
                });
                (!called.is_empty()).then_some(Value::Names(called))
            }
            // A table of figures gives each the unit that its limit has.
            _ => None,
        }
    }

    /// As cubin.toml spells it.
    pub fn to_toml(&self) -> String {
        match self {
            Self::Most(most) => most.to_string(),
            Self::MostPerMille(most) => percent_toml(*most),
            Self::Least(least) => format!("{{ min = {least} }}"),
            Self::Banks(Banks { own, other }) => {
                if let (Some(other), true) = (other, own.is_empty()) {
                    return other.to_string();
                }
                let mut banks = own.clone();
                sorted::sort(&mut banks);
                let mut text = bank_list(&banks);
                if let Some(other) = other {
                    text.push_str(&format!(", other = {other}"));
                }
                format!("{{ {text} }}")
            }
            Self::Not(patterns) => name_list(&texts(patterns, &|name| name.value.to_string())),
            Self::Occupancy(Occupancy {
                block,
                min,
                dynamic_shared,
            }) => {
                let mut text = format!("{{ block = {block}, min = {min}");
                if *dynamic_shared > 0 {
                    text.push_str(&format!(", dynamic-shared = {dynamic_shared}"));
                }
                text + " }"
            }
        }
    }

    /// This limit, moved just so far that `excess` keeps it; nothing where none would do.
    pub(crate) fn moved(&self, excess: &Value) -> Option<Self> {
        Some(match (self, excess) {
            (Self::Most(_), Value::Number(number)) => Self::Most(*number),
            (Self::MostPerMille(_), Value::PerMille(share)) => Self::MostPerMille(*share),
            (Self::Least(_), Value::Floor(number)) if *number > 0 => Self::Least(*number),
            (Self::Banks(limits), Value::Banks(over)) => {
                let mut moved = limits.clone();
                moved
                    .own
                    .retain(|(bank, _)| over.iter().all(|(other, _)| other != bank));
                moved.own.extend(over);
                Self::Banks(moved)
            }
            (Self::Not(patterns), Value::Names(called)) => {
                let mut left = patterns.clone();
                left.retain(|pattern| !called.iter().any(|name| matches(&pattern.value, name)));
                Self::Not(left)
            }
            (Self::Occupancy(limit), Value::Share(share)) => {
                let min = per_mille(*share) as f64 / 1000.0;
                if min <= 0.0 {
                    return None;
                }
                Self::Occupancy(Occupancy { min, ..*limit })
            }
            _ => return None,
        })
    }
}

impl Unit {
    /// What was allowed, behind what is: `budget is 128`, `budget forbids printf`.
    pub(crate) fn budget(self, limit: &Limit, excess: &Value) -> String {
        let allowed = match (limit, excess) {
            (Limit::Most(most), _) => self.display(&Value::Number(*most)),
            (Limit::MostPerMille(most), _) => self.display(&Value::PerMille(*most)),
            (Limit::Least(least), _) => format!("at least {least}"),
            (Limit::Occupancy(limit), _) => percent(limit.min),
            (Limit::Banks(allowed), Value::Banks(over)) => {
                let mut limits = Vec::new();
                for (bank, _) in over {
                    limits.add_all(allowed.of(*bank).map(|bytes| (*bank, bytes)));
                }
                match limits.as_slice() {
                    [(_, bytes)] => size::display(*bytes),
                    _ => self.display(&Value::Banks(limits)),
                }
            }
            (Limit::Not(patterns), Value::Names(called)) => {
                let mut named = Vec::new();
                for Spanned { value: pattern, .. } in patterns {
                    if called.iter().any(|name| matches(pattern, name)) {
                        named.push(pattern.as_str());
                    }
                }
                return format!("budget forbids {}", quoted(&named));
            }
            (limit, _) => limit.to_toml(),
        };
        format!("budget is {allowed}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{SourceFile, Span};

    fn banks(own: &[(u8, u64)]) -> Value {
        Value::Banks(own.to_vec())
    }

    fn names(names: &[&str]) -> Value {
        Value::Names(names.iter().map(|name| (*name).to_owned()).collect())
    }

    fn not(patterns: &[&str]) -> Limit {
        let file = SourceFile::new("cubin.toml", "");
        let spanned = |text: &&str| Spanned::new(Glob::new(*text), Span::new(&file, 0..0));
        Limit::Not(patterns.iter().map(spanned).collect())
    }

    #[test]
    fn only_what_is_over_counts() {
        let limit = Limit::Banks(Banks {
            own: vec![(3, 100)],
            other: Some(10),
        });
        let over = limit.broken_by(&banks(&[(0, 11), (2, 10), (3, 50)]));
        assert_eq!(over, Some(banks(&[(0, 11)])));
        assert_eq!(limit.broken_by(&banks(&[(3, 100)])), None);
        let limit = not(&["printf", "cuda*"]);
        let called = limit.broken_by(&names(&["cudaLaunch", "malloc", "printf"]));
        assert_eq!(called, Some(names(&["cudaLaunch", "printf"])));
        assert_eq!(not(&[]).broken_by(&names(&["printf"])), None);
    }

    #[test]
    fn a_limit_moves_as_far_as_it_must() {
        let limit = Limit::Banks(Banks {
            own: vec![(3, 100)],
            other: Some(10),
        });
        let over = banks(&[(0, 11), (3, 150)]);
        let moved = limit.moved(&over).expect("it can be moved");
        assert_eq!(moved.broken_by(&over), None);
        assert_eq!(moved.to_toml(), "{ 0 = 11, 3 = 150, other = 10 }");
        let moved = not(&["print*", "malloc"]).moved(&names(&["printf"]));
        assert_eq!(moved, Some(not(&["malloc"])));
        assert_eq!(not(&["malloc"]).to_toml(), "[\"malloc\"]");
    }
}
