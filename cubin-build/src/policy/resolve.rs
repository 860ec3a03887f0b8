//! Which limit holds for a kernel on a target.
//!
//! Each key is resolved on its own. Of all tables that select the kernel on the target and set the key, one wins:
//!
//! 1. the one whose `kernel` pattern describes the kernel most closely: the name itself (or the symbol) before any
//!    pattern with wildcards, then the pattern with more characters that are no wildcards, a rule without `kernel`
//!    last. Of several patterns in one rule, the closest that matches counts;
//! 2. then the one whose `arch` describes the target most closely, by the same measure, a rule without `arch` last;
//! 3. then the later one in the file.
//!
//! `[defaults]` stands below every rule. `level` is a key like the others, except that the level of a rule with
//! budgets speaks of these budgets only; a rule with a level and no budget speaks of all. When it selects no targets
//! it also speaks of a kernel that gets no launch wrapper, which is a warning otherwise.

use crate::sorted;
use cubin_core::arch::Sm;

use crate::{
    config::{Budgets, Config, Glob, Key, Occupancy, Rule, glob::Specificity},
    diag::Level,
    policy::Facts,
    source::Spanned,
};

/// The rules of a cubin.toml, ready to be asked.
#[derive(Debug, Clone, Copy)]
pub struct Policy<'c> {
    defaults: &'c Rule,
    rules: &'c [Rule],
}

/// A limit that holds for a kernel on a target, and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget<'c> {
    /// What it limits.
    pub key: Key,
    /// The limit, and its place in cubin.toml.
    pub limit: &'c Spanned<u64>,
    /// The table that sets it.
    pub table: &'c Rule,
    /// The pattern by which that table selects the kernel; none for `[defaults]` and rules without `kernel`.
    pub pattern: Option<&'c Spanned<Glob>>,
    /// How much a violation matters.
    pub level: Level,
}

/// A least occupancy that holds for a kernel on a target, and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OccupancyBudget<'c> {
    /// The block and the least share, and their place in cubin.toml.
    pub limit: &'c Spanned<Occupancy>,
    /// The table that sets it.
    pub table: &'c Rule,
    /// The pattern by which that table selects the kernel; none for `[defaults]` and rules without `kernel`.
    pub pattern: Option<&'c Spanned<Glob>>,
    /// How much a violation matters.
    pub level: Level,
}

/// Position of a rule that selects a kernel: compared in this order, the greatest wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    kernel: Option<Specificity>,
    arch: Option<Specificity>,
    /// Position in the file; none for `[defaults]`.
    index: Option<usize>,
}

/// A pattern that matches a kernel or target, and how closely; none where a rule has no such patterns.
type Match<'c> = Option<(Specificity, &'c Spanned<Glob>)>;

/// The rules whose `kernel` patterns select one kernel, in the order of the file.
#[derive(Debug, Clone)]
pub struct KernelRules<'c> {
    defaults: &'c Rule,
    rules: Vec<(usize, &'c Rule, Match<'c>)>,
}

/// The tables that select one kernel on one target, the winner first.
#[derive(Debug, Clone)]
pub struct Selection<'c>(Vec<(Rank, &'c Rule, Option<&'c Spanned<Glob>>)>);

impl<'c> Policy<'c> {
    /// The policy that `config` states.
    pub fn new(config: &'c Config) -> Self {
        Self {
            defaults: &config.defaults,
            rules: &config.rules,
        }
    }

    /// The rules that select a kernel on some target or other.
    pub fn rules_for(&self, name: &str, symbol: &str) -> KernelRules<'c> {
        let mut rules = Vec::new();
        for (index, rule) in self.rules.iter().enumerate() {
            if let Some(kernel) = closest(&rule.kernels, &[name, symbol]) {
                rules.push((index, rule, kernel));
            }
        }
        KernelRules {
            defaults: self.defaults,
            rules,
        }
    }

    /// How much it matters that a kernel gets no launch wrapper, if a rule says so: one with a level alone.
    pub fn unwrapped(&self, name: &str, symbol: &str) -> Option<Level> {
        let rules = self.rules_for(name, symbol).rules;
        let speaks = rules.iter().filter(|(_, rule, _)| {
            rule.level.is_some() && rule.budgets.is_empty() && rule.archs.is_empty()
        });
        let closest = speaks.max_by_key(|(index, _, kernel)| {
            (kernel.map(|(specificity, _)| specificity), *index)
        })?;
        closest.1.level.as_ref().map(|level| level.value)
    }

    /// The tables that select this kernel on its target.
    pub fn select(&self, facts: &Facts) -> Selection<'c> {
        self.rules_for(&facts.name, &facts.symbol).on(facts.target)
    }

    /// The limit for `key` of this kernel on its target, if there is one.
    pub fn budget(&self, facts: &Facts, key: Key) -> Option<Budget<'c>> {
        self.select(facts).budget(key)
    }
}

impl<'c> KernelRules<'c> {
    /// Those that select the kernel on `target`.
    pub fn on(&self, target: Sm) -> Selection<'c> {
        let target = target.to_string();
        let mut selected = Vec::new();
        for (index, rule, kernel) in &self.rules {
            let Some(arch) = closest(&rule.archs, &[&target]) else {
                continue;
            };
            let rank = Rank {
                kernel: kernel.map(|(specificity, _)| specificity),
                arch: arch.map(|(specificity, _)| specificity),
                index: Some(*index),
            };
            selected.push((rank, *rule, kernel.map(|(_, pattern)| pattern)));
        }
        sorted::sort_by_key(&mut selected, |(rank, ..)| std::cmp::Reverse(*rank));
        let lowest = Rank {
            kernel: None,
            arch: None,
            index: None,
        };
        selected.push((lowest, self.defaults, None));
        Selection(selected)
    }
}

impl<'c> Selection<'c> {
    /// The limit for `key`, if any of the tables sets one.
    pub fn budget(&self, key: Key) -> Option<Budget<'c>> {
        let (limit, table, pattern) = self.first(|budgets| budgets.get(key))?;
        let level = self.level(|budgets| budgets.get(key).is_some());
        Some(Budget {
            key,
            limit,
            table,
            pattern,
            level,
        })
    }

    /// The least occupancy, if any of the tables sets one.
    pub fn occupancy(&self) -> Option<OccupancyBudget<'c>> {
        let (limit, table, pattern) = self.first(|budgets| budgets.occupancy.as_ref())?;
        let level = self.level(|budgets| budgets.occupancy.is_some());
        Some(OccupancyBudget {
            limit,
            table,
            pattern,
            level,
        })
    }

    fn first<T>(
        &self,
        value: impl Fn(&'c Budgets) -> Option<T>,
    ) -> Option<(T, &'c Rule, Option<&'c Spanned<Glob>>)> {
        self.0
            .iter()
            .find_map(|(_, rule, pattern)| Some((value(&rule.budgets)?, *rule, *pattern)))
    }

    /// How much a violation of a budget matters, which `sets` finds in a table.
    fn level(&self, sets: impl Fn(&Budgets) -> bool) -> Level {
        self.0
            .iter()
            .find_map(|(rank, rule, _)| {
                // [defaults] speaks of every budget, whatever else it sets.
                let speaks = rank.index.is_none() || rule.budgets.is_empty() || sets(&rule.budgets);
                rule.level.as_ref().filter(|_| speaks)
            })
            .map_or(Level::Deny, |level| level.value)
    }
}

/// The pattern that matches one of `texts` most closely. `Some(None)` when there are no patterns: all are selected.
fn closest<'c>(patterns: &'c [Spanned<Glob>], texts: &[&str]) -> Option<Match<'c>> {
    if patterns.is_empty() {
        return Some(None);
    }
    patterns
        .iter()
        .filter_map(|pattern| {
            let of_text = |text: &&str| pattern.value.specificity(text);
            Some((texts.iter().filter_map(of_text).max()?, pattern))
        })
        .max_by_key(|(specificity, _)| *specificity)
        .map(Some)
}
