//! How much worse a kernel may get before it is called worse: `registers=+2`, `code-size=+5%`, `all=+1%`.

use std::{collections::BTreeMap, str::FromStr};

use super::figures::{Better, FIGURES, Figure};

/// By how much one figure may be worse.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slack {
    /// In the figure's unit; percentage points of occupancy.
    By(u64),
    /// In percent of what was.
    Percent(u64),
}

impl FromStr for Slack {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |digits: &str| digits.parse::<u32>().ok().map(u64::from);
        let rest = text.strip_prefix('+').unwrap_or(text);
        let slack = match rest.strip_suffix('%') {
            Some(percent) => number(percent.trim_end()).map(Self::Percent),
            None => number(rest).map(Self::By),
        };
        slack.ok_or_else(|| format!("`{text}` is no allowance; write `+2` or `+5%`"))
    }
}

impl std::fmt::Display for Slack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::By(by) => write!(f, "+{by}"),
            Self::Percent(percent) => write!(f, "+{percent}%"),
        }
    }
}

/// An argument `FIGURE=+N`.
#[derive(Debug, Clone)]
pub(crate) struct Allowance {
    key: String,
    slack: Slack,
}

impl FromStr for Allowance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((key, slack)) = text.split_once('=') else {
            return Err(format!(
                "`{text}` lacks what is allowed; write `registers=+2`"
            ));
        };
        Self::new(key, slack)
    }
}

/// What stands for every figure that is judged.
const ALL: &str = "all";

impl Allowance {
    /// `slack` for the figure `key`, or for all.
    pub(crate) fn new(key: &str, slack: &str) -> Result<Self, String> {
        if key != ALL && Figure::named(key).is_none() {
            let known: Vec<&str> = FIGURES.iter().map(|figure| figure.key).collect();
            return Err(format!(
                "no figure `{key}`; there are {ALL}, {}",
                known.join(", ")
            ));
        }
        Ok(Self {
            key: key.to_owned(),
            slack: slack.parse()?,
        })
    }
}

/// All that is allowed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Allowances(BTreeMap<String, Slack>);

impl Allowances {
    /// Adds more; the later one of a figure counts.
    pub(crate) fn extend(&mut self, more: &[Allowance]) {
        let more = more.iter().map(|one| (one.key.clone(), one.slack));
        self.0.extend(more);
    }

    /// By key.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Slack)> {
        self.0.iter().map(|(key, slack)| (key.as_str(), *slack))
    }

    /// Which way of a figure is better. One that is judged by nobody else is when it has an allowance of its own.
    fn better(&self, figure: &Figure) -> Better {
        match figure.better {
            Better::Neither if self.0.contains_key(figure.key) => Better::Less,
            better => better,
        }
    }

    /// Whether a change is for the worse, within what is allowed neither; `None` where it is not judged.
    pub(super) fn worse(&self, figure: &Figure, before: u64, after: u64) -> Option<bool> {
        let better = self.better(figure);
        let worse = match better {
            Better::Less => after > before,
            Better::More => after < before,
            Better::Neither => return None,
        };
        if !worse {
            return Some(false);
        }
        let slack = self.0.get(figure.key).or_else(|| self.0.get(ALL));
        let allowed = match slack {
            None => 0,
            Some(Slack::By(by)) => by.saturating_mul(figure.unit.one()),
            Some(Slack::Percent(percent)) => {
                let part = u128::from(before).saturating_mul((*percent).into()) / 100;
                u64::try_from(part).unwrap_or(u64::MAX)
            }
        };
        let unbounded = after == super::figures::UNBOUNDED;
        (unbounded || after.abs_diff(before) > allowed).then_some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(text: &[&str]) -> Allowances {
        let mut all = Allowances::default();
        let each: Vec<Allowance> = text.iter().map(|one| one.parse().expect("one")).collect();
        all.extend(&each);
        all
    }

    #[test]
    fn numbers_and_percents() {
        let registers = Figure::named("registers").expect("a figure");
        for (slack, before, after, worse) in [
            ("registers=+0", 40, 41, Some(true)),
            ("registers=+2", 40, 42, None),
            ("registers=+2", 40, 43, Some(true)),
            ("registers=+5%", 40, 42, None),
            ("registers=+5%", 40, 43, Some(true)),
            ("all=+2", 40, 42, None),
            ("spills=+2", 40, 42, Some(true)),
            ("registers=+2", 40, 39, Some(false)),
        ] {
            let found = allowed(&[slack]).worse(registers, before, after);
            assert_eq!(found, worse, "{slack} {before} {after}");
        }
        let occupancy = Figure::named("occupancy").expect("a figure");
        assert_eq!(allowed(&["occupancy=+5"]).worse(occupancy, 500, 450), None);
        assert_eq!(
            allowed(&["occupancy=+5"]).worse(occupancy, 500, 440),
            Some(true)
        );
        let stack = Figure::named("stack").expect("a figure");
        assert_eq!(allowed(&["all=+99%"]).worse(stack, 8, u64::MAX), Some(true));
        // Nobody judges code size unless asked to.
        let code = Figure::named("code-size").expect("a figure");
        assert_eq!(allowed(&["all=+1%"]).worse(code, 100, 900), None);
        assert_eq!(
            allowed(&["code-size=+5%"]).worse(code, 100, 106),
            Some(true)
        );
    }

    #[test]
    fn what_is_none_says_so() {
        for (text, part) in [
            ("registers", "write `registers=+2`"),
            ("register=+2", "there are all, occupancy"),
            ("registers=+x", "`+x` is no allowance"),
            ("registers=-1", "`-1` is no allowance"),
            ("registers=+5%%", "is no allowance"),
        ] {
            let error = text.parse::<Allowance>().expect_err(text);
            assert!(error.contains(part), "{error}");
        }
    }
}
