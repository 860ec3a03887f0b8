//! Which limit holds for a kernel on a target.
//!
//! Each key is resolved on its own. Of all tables that select the kernel on the target and set the key, one wins:
//!
//! 1. the one whose `kernel` pattern describes the kernel most closely: the name itself (or the symbol) before any
//!    pattern with wildcards, then the pattern with more characters other than wildcards, a rule without `kernel`
//!    last. Of several patterns in one rule, the closest that matches counts;
//! 2. then the one whose `arch` describes the target most closely, by the same measure, a rule without `arch` last;
//! 3. then, for what is linked, the one whose `artifact` describes the file most closely, a rule without `artifact` last;
//! 4. then the later one in the file.
//!
//! `[defaults]` stands below every rule. `level` is a key like the others, except that the level of a rule with
//! budgets speaks of these budgets only; a rule with a level and no budget speaks of all. When it selects no targets
//! it also speaks of a kernel that gets no launch wrapper, which is a warning otherwise.

use cubin_core::arch::Sm;

use super::budget::{Key, Limit};
use crate::{
    config::{Config, Glob, Rule, glob::Specificity},
    diag::Level,
    kernel::Facts,
    lists::{AddAll, Figures},
    sorted,
    source::Spanned,
};

/// The rules of a cubin.toml, ready to be asked.
#[derive(Debug, Clone)]
pub struct Policy<'c> {
    defaults: &'c Rule,
    /// Path and name of the executable or library that is judged; none for a build, which no rule with `artifact` is for.
    artifact: Option<[&'c str; 2]>,
    rules: &'c [Rule],
    /// Patterns that are a name or a symbol, sorted, with the position of their rule: there may be one for each kernel,
    /// and to try them all for each kernel would take the square of that.
    exact: Vec<(&'c str, usize)>,
    /// Positions of the rules that must be tried for every kernel: those with wildcards, and those for all kernels.
    others: Vec<usize>,
}

/// A limit that holds for a kernel on a target, and where it comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Budget<'c> {
    /// What it limits.
    pub key: Key,
    /// The limit, and its place in cubin.toml.
    pub limit: &'c Spanned<Limit>,
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
    artifact: Option<Specificity>,
    /// Position in the file; none for `[defaults]`.
    index: Option<usize>,
}

/// A pattern that matches a kernel or target, and how closely; none where a rule has no such patterns.
type Match<'c> = Option<(Specificity, &'c Spanned<Glob>)>;

/// The rules whose `kernel` patterns select one kernel, in the order of the file.
#[derive(Debug, Clone)]
pub struct KernelRules<'c> {
    defaults: &'c Rule,
    rules: Vec<Selected<'c>>,
}

/// A rule that selects a kernel, perhaps on some targets only.
#[derive(Debug, Clone)]
struct Selected<'c> {
    /// Its position in the file.
    index: usize,
    rule: &'c Rule,
    kernel: Match<'c>,
    artifact: Option<Specificity>,
}

/// The budgets of one kernel on one target, each from the table that wins.
#[derive(Debug, Clone)]
pub struct Selection<'c> {
    budgets: Vec<(Rank, Budget<'c>)>,
    /// The levels of tables that speak of single budgets.
    levels: Vec<(Rank, Key, Level)>,
    /// The level that speaks of all budgets.
    level: Option<(Rank, Level)>,
}

impl<'c> Policy<'c> {
    /// The policy that `config` states for a build.
    pub fn new(config: &'c Config) -> Self {
        Self::of(config, None)
    }

    /// The policy that `config` states for an executable, library or object, by the path that it was named by.
    pub fn for_artifact(config: &'c Config, path: &'c str) -> Self {
        let name = path.rsplit(['/', '\\']).next().unwrap_or(path);
        Self::of(config, Some([path, name]))
    }

    fn of(config: &'c Config, artifact: Option<[&'c str; 2]>) -> Self {
        let mut exact = Vec::new();
        let mut others = Vec::new();
        for (index, rule) in config.rules.iter().enumerate() {
            let wild = rule.kernels.iter().any(|glob| glob.value.has_wildcard());
            if wild || rule.kernels.is_empty() {
                others.push(index);
                // A name may hold a `*` itself (`scale<float*>`): such a rule is tried, not looked up.
                continue;
            }
            let names = rule.kernels.iter();
            exact.add_all(names.map(|glob| (glob.value.as_str(), index)));
        }
        sorted::sort(&mut exact);
        Self {
            defaults: &config.defaults,
            artifact,
            rules: &config.rules,
            exact,
            others,
        }
    }

    /// Positions of the rules that may select a kernel, in the order of the file.
    fn candidates(&self, name: &str, symbol: &str) -> Vec<usize> {
        let mut candidates = self.others.clone();
        for text in [name, symbol] {
            let start = self.exact.partition_point(|(pattern, _)| *pattern < text);
            let same = self.exact[start..].iter();
            let same = same.take_while(|(pattern, _)| *pattern == text);
            candidates.add_all(same.map(|(_, index)| *index));
        }
        sorted::sort(&mut candidates);
        candidates.dedup();
        candidates
    }

    /// The rules that select a kernel on some target or other.
    pub fn rules_for(&self, name: &str, symbol: &str) -> KernelRules<'c> {
        let mut rules = Vec::new();
        for index in self.candidates(name, symbol) {
            let rule = &self.rules[index];
            // Without patterns it is for builds and artefacts alike.
            let texts = self.artifact.as_ref().map_or(&[][..], |texts| texts);
            let Some(artifact) = closest(&rule.artifacts, texts) else {
                continue;
            };
            if let Some(kernel) = closest(&rule.kernels, &[name, symbol]) {
                let artifact = artifact.map(|(specificity, _)| specificity);
                rules.push(Selected {
                    index,
                    rule,
                    kernel,
                    artifact,
                });
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
        let speaks = rules.iter().filter(|Selected { rule, .. }| {
            rule.level.is_some() && rule.budgets.is_empty() && rule.archs.is_empty()
        });
        let closest = speaks.max_by_key(|selected| {
            let kernel = selected.kernel.map(|(specificity, _)| specificity);
            (kernel, selected.index)
        })?;
        closest.rule.level.as_ref().map(|level| level.value)
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
    /// The budgets that hold for the kernel on `target`.
    pub fn on(&self, target: Sm) -> Selection<'c> {
        let target = target.to_string();
        let mut selection = Selection {
            budgets: Vec::new(),
            levels: Vec::new(),
            level: None,
        };
        let lowest = Rank {
            kernel: None,
            arch: None,
            artifact: None,
            index: None,
        };
        selection.add(lowest, self.defaults, None);
        for selected in &self.rules {
            let (rule, kernel) = (selected.rule, selected.kernel);
            let Some(arch) = closest(&rule.archs, &[&target]) else {
                continue;
            };
            let rank = Rank {
                kernel: kernel.map(|(specificity, _)| specificity),
                arch: arch.map(|(specificity, _)| specificity),
                artifact: selected.artifact,
                index: Some(selected.index),
            };
            selection.add(rank, rule, kernel.map(|(_, pattern)| pattern));
        }
        selection
    }
}

impl<'c> Selection<'c> {
    /// Takes what `table` says where no closer table says it: each is looked at once, and none is kept.
    fn add(&mut self, rank: Rank, table: &'c Rule, pattern: Option<&'c Spanned<Glob>>) {
        for (key, limit) in table.budgets.iter() {
            let budget = Budget {
                key,
                limit,
                table,
                pattern,
                level: Level::Deny,
            };
            match self.budgets.iter_mut().find(|(_, held)| held.key == key) {
                Some(held) if held.0 < rank => *held = (rank, budget),
                Some(_) => {}
                None => self.budgets.push((rank, budget)),
            }
        }
        let Some(level) = table.level.as_ref().map(|level| level.value) else {
            return;
        };
        // [defaults] speaks of every budget, whatever else it sets.
        if rank.index.is_none() || table.budgets.is_empty() {
            if self.level.is_none_or(|(held, _)| held < rank) {
                self.level = Some((rank, level));
            }
            return;
        }
        for (key, _) in table.budgets.iter() {
            match self.levels.iter_mut().find(|(_, held, _)| *held == key) {
                Some(held) if held.0 < rank => *held = (rank, key, level),
                Some(_) => {}
                None => self.levels.push((rank, key, level)),
            }
        }
    }

    /// The limit for `key`, if any of the tables sets one.
    pub fn budget(&self, key: Key) -> Option<Budget<'c>> {
        let (_, budget) = self.budgets.iter().find(|(_, held)| held.key == key)?;
        let own = self.levels.iter().find(|(_, held, _)| *held == key);
        let level = match (own, self.level) {
            (Some((own, _, level)), Some((all, _))) if *own > all => *level,
            (_, Some((_, level))) => level,
            (Some((_, _, level)), None) => *level,
            (None, None) => Level::Deny,
        };
        Some(Budget { level, ..*budget })
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
            Some((texts.iter().filter_map(of_text).largest()?, pattern))
        })
        .max_by_key(|(specificity, _)| *specificity)
        .map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{config::glob, source::SourceFile};

    #[test]
    fn a_rule_for_each_of_many_kernels_is_looked_up() {
        let rules = 20_000;
        let text: String = (0..rules)
            .map(|number| format!("[[rule]]\nkernel = 'k{number}'\nregisters = {number}\n"))
            .collect();
        let (config, problems) = Config::parse(&SourceFile::new("cubin.toml", text));
        assert!(problems.is_empty());
        let policy = Policy::new(&config);
        let before = glob::compared();
        for number in 0..rules {
            let selection = policy.rules_for(&format!("k{number}"), "_Z1kv");
            let target = "sm_80".parse().expect("a target");
            let budget = selection.on(target).budget(Key::Registers);
            let limit = budget.map(|budget| &budget.limit.value);
            assert_eq!(limit, Some(&Limit::Most(number)));
        }
        // Its own pattern against the name and the symbol.
        assert_eq!(glob::compared() - before, 2 * rules as usize);
    }
}
