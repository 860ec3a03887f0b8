//! Measured figures: how they are compared, written and put in words, by their unit.

use std::cmp::{Ordering, Reverse};

use crate::{
    config::size,
    lists::{AddAll, Figures},
    sorted,
    words::{and, quoted, texts},
};

/// What a figure counts, and which way is worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A number; more is worse.
    Count,
    /// Bytes; more is worse.
    Bytes,
    /// A share of 0 to 1; less is worse.
    Share,
    /// A share in percent; more is worse.
    Percent,
    /// A number; less is worse.
    Floor,
    /// Bytes of constant banks; more in any is worse.
    Banks,
    /// Names of functions; each more is worse.
    Names,
}

/// A figure of a kernel.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Not statically known or not recorded; worse than any other.
    Unknown,
    /// How many, or how many bytes.
    Number(u64),
    /// 0 to 1.
    Share(f64),
    /// Tenths of a percent.
    PerMille(u64),
    /// How many, of what there should be more.
    Floor(u64),
    /// (bank, bytes), by bank.
    Banks(Vec<(u8, u64)>),
    /// Sorted, each once.
    Names(Vec<String>),
}

impl<T: Into<u64>> From<Option<T>> for Value {
    fn from(number: Option<T>) -> Self {
        number.map_or(Self::Unknown, |number| Self::Number(number.into()))
    }
}

/// Shares are decimal fractions in cubin.toml and fractions of 48 or 64 on the GPU.
pub(super) const TOLERANCE: f64 = 1e-6;

/// Tenths of a percent, rounded down: a kernel reaches what is written this way.
pub(super) fn per_mille(share: f64) -> u64 {
    // A share is 0 to 1.
    (share * 1000.0 + TOLERANCE).floor() as u64
}

/// A share for people: `18.8 %`, `25 %`.
pub(super) fn percent(share: f64) -> String {
    let text = format!("{:.1}", share * 100.0);
    format!("{} %", text.strip_suffix(".0").unwrap_or(&text))
}

/// Tenths of a percent as cubin.toml and the baseline spell them: `"62.5%"`.
pub(super) fn percent_toml(per_mille: u64) -> String {
    match per_mille % 10 {
        0 => format!("\"{}%\"", per_mille / 10),
        tenths => format!("\"{}.{tenths}%\"", per_mille / 10),
    }
}

impl Value {
    /// Whether it is no worse than `recorded`.
    pub fn no_worse(&self, recorded: &Self) -> bool {
        match (self, recorded) {
            (_, Self::Unknown) => true,
            (Self::Number(now), Self::Number(recorded)) => now <= recorded,
            (Self::PerMille(now), Self::PerMille(recorded)) => now <= recorded,
            (Self::Floor(now), Self::Floor(recorded)) => now >= recorded,
            (Self::Share(now), Self::Share(recorded)) => per_mille(*now) >= per_mille(*recorded),
            (Self::Banks(now), Self::Banks(recorded)) => now.iter().all(|(bank, bytes)| {
                let of_bank = recorded.iter().find(|(other, _)| other == bank);
                of_bank.is_some_and(|(_, most)| bytes <= most)
            }),
            (Self::Names(now), Self::Names(recorded)) => {
                now.iter().all(|name| recorded.contains(name))
            }
            _ => false,
        }
    }

    /// The worse of two, or what is worse in either.
    pub(crate) fn worse(self, other: Self) -> Self {
        match (self, other) {
            (Self::Banks(mut banks), Self::Banks(others)) => {
                for (bank, bytes) in others {
                    match banks.iter_mut().find(|(known, _)| *known == bank) {
                        Some((_, most)) => *most = bytes.max(*most),
                        None => banks.push((bank, bytes)),
                    }
                }
                sorted::sort(&mut banks);
                Self::Banks(banks)
            }
            (Self::Names(mut names), Self::Names(others)) => {
                names.add_all(others);
                sorted::sort(&mut names);
                names.dedup();
                Self::Names(names)
            }
            (one, other) if one.no_worse(&other) => other,
            (one, _) => one,
        }
    }

    /// The worse one first.
    pub(crate) fn worst_first(&self, other: &Self) -> Ordering {
        let most = |banks: &[(u8, u64)]| banks.iter().map(|(_, bytes)| *bytes).largest();
        match (self, other) {
            (Self::Number(a), Self::Number(b)) => b.cmp(a),
            (Self::PerMille(a), Self::PerMille(b)) => b.cmp(a),
            (Self::Floor(a), Self::Floor(b)) => a.cmp(b),
            (Self::Share(a), Self::Share(b)) => a.total_cmp(b),
            (Self::Banks(a), Self::Banks(b)) => Reverse(most(a)).cmp(&Reverse(most(b))),
            (Self::Names(a), Self::Names(b)) => b.len().cmp(&a.len()),
            _ => Ordering::Equal,
        }
    }

    /// The number; 0 for what is none.
    pub(crate) fn number(&self) -> u64 {
        match self {
            Self::Number(number) | Self::Floor(number) => *number,
            _ => 0,
        }
    }

    /// As the baseline spells it.
    pub(crate) fn to_toml(&self) -> String {
        match self {
            Self::Unknown => "\"unknown\"".to_owned(),
            Self::Number(number) | Self::Floor(number) => number.to_string(),
            Self::PerMille(share) => percent_toml(*share),
            Self::Share(share) => format!("{:?}", per_mille(*share) as f64 / 1000.0),
            Self::Banks(banks) => format!("{{ {} }}", bank_list(banks)),
            Self::Names(names) => name_list(names),
        }
    }
}

/// `0 = 536, 3 = 1200`
pub(super) fn bank_list(banks: &[(u8, u64)]) -> String {
    texts(banks, &|(bank, bytes)| format!("{bank} = {bytes}")).join(", ")
}

/// `["malloc", "printf"]`
pub(super) fn name_list(names: &[String]) -> String {
    format!(
        "[{}]",
        texts(names, &|name| format!("\"{name}\"")).join(", ")
    )
}

impl Unit {
    /// Whether less of it is worse.
    pub(crate) fn is_floor(self) -> bool {
        matches!(self, Self::Share | Self::Floor)
    }

    /// A value with its unit: `128`, `4096 bytes (4 KiB)`, `18.8 %`.
    pub(crate) fn display(self, value: &Value) -> String {
        match value {
            Value::Unknown => "unknown".to_owned(),
            Value::Number(bytes) if self == Self::Bytes => size::display(*bytes),
            Value::Number(number) | Value::Floor(number) => number.to_string(),
            Value::Share(share) => percent(*share),
            Value::PerMille(share) => percent(*share as f64 / 1000.0),
            Value::Banks(banks) => and(&texts(banks, &|(bank, bytes)| {
                format!("{} in bank {bank}", size::display(*bytes))
            })),
            Value::Names(names) => quoted(names),
        }
    }

    /// The value where its unit was named before.
    pub(crate) fn short(self, value: &Value) -> String {
        match value {
            Value::Number(number) => number.to_string(),
            value => self.display(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn banks(own: &[(u8, u64)]) -> Value {
        Value::Banks(own.to_vec())
    }

    fn names(names: &[&str]) -> Value {
        Value::Names(names.iter().map(|name| (*name).to_owned()).collect())
    }

    #[test]
    fn percents() {
        assert_eq!(percent(0.1875), "18.8 %");
        assert_eq!(percent(0.25), "25 %");
        assert_eq!(percent(0.0), "0 %");
        assert_eq!(percent(1.0), "100 %");
    }

    #[test]
    fn every_name_and_every_bank_is_accepted_for_itself() {
        assert!(names(&["printf"]).no_worse(&names(&["malloc", "printf"])));
        assert!(!names(&["free", "printf"]).no_worse(&names(&["malloc", "printf"])));
        assert!(banks(&[(0, 8)]).no_worse(&banks(&[(0, 8), (3, 1)])));
        assert!(!banks(&[(0, 9)]).no_worse(&banks(&[(0, 8), (3, 99)])));
        assert!(!banks(&[(2, 1)]).no_worse(&banks(&[(0, 8)])));
        assert!(names(&[]).no_worse(&Value::Unknown));
        assert!(!Value::Unknown.no_worse(&names(&["printf"])));
    }

    #[test]
    fn the_worse_of_two_has_what_is_worse_in_either() {
        let worse = banks(&[(0, 8), (2, 5)]).worse(banks(&[(0, 4), (3, 1)]));
        assert_eq!(worse, banks(&[(0, 8), (2, 5), (3, 1)]));
        let worse = names(&["printf"]).worse(names(&["free", "printf"]));
        assert_eq!(worse, names(&["free", "printf"]));
        assert_eq!(
            Value::Share(0.5).worse(Value::Share(0.25)),
            Value::Share(0.25)
        );
        assert_eq!(Value::Number(5).worse(Value::Unknown), Value::Unknown);
    }
}
