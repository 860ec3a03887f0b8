//! Which limit holds for a kernel on a target.
//!
//! Each key is resolved on its own. Of all tables that select the kernel on the target and set the key, one wins:
//!
//! 1. the one whose `kernel` pattern describes the kernel most closely: the name itself (or the symbol) before any
//!    pattern with wildcards, then the pattern with more characters other than wildcards, a rule without `kernel`
//!    last. Of several patterns in one rule, the closest that matches counts;
//! 2. then the one whose `source` describes the kernel's source most closely, by the same measure, a rule without `source`
//!    last;
//! 3. then the one whose `arch` describes the target most closely, a rule without `arch` last;
//! 4. then, for what is linked, the one whose `artifact` describes the file most closely, a rule without `artifact` last;
//! 5. then the later one in the file; what the workspace says stands before the package's own.
//!
//! `[defaults]` stands below every rule, and of two of them the package's own goes before the workspace's. `level` is a key like the others, except that the level of a rule with
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
    /// `[defaults]`, those of the workspace first.
    defaults: Vec<&'c Rule>,
    /// The package's directory as the workspace sees it.
    member: &'c str,
    /// Path and name of the executable or library that is judged; none for a build, which no rule with `artifact` is for.
    artifact: Option<[&'c str; 2]>,
    rules: &'c [Rule],
    /// Patterns that are a name or a symbol, sorted, with the position of their rule: there may be one for each kernel,
    /// and to try them all for each kernel would take the square of that.
    exact: Vec<(&'c str, usize)>,
    /// Positions of the rules that must be tried for every kernel: those with wildcards, and those for all kernels.
    others: Vec<usize>,
}

/// What rules select a kernel by, besides its target.
#[derive(Debug, Clone, Copy)]
pub struct Which<'k> {
    /// Its C++ name without parameter types.
    pub name: &'k str,
    /// Its symbol.
    pub symbol: &'k str,
    /// Paths of the file that is compiled and of the one that holds its definition, as the package sees them.
    pub sources: &'k [String],
}

impl<'k> Which<'k> {
    /// That of a kernel that is known.
    pub fn of(facts: &'k Facts) -> Self {
        Self {
            name: &facts.name,
            symbol: &facts.symbol,
            sources: &facts.sources,
        }
    }
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
pub(super) struct Rank {
    kernel: Option<Specificity>,
    source: Option<Specificity>,
    arch: Option<Specificity>,
    artifact: Option<Specificity>,
    /// Position among all tables, `[defaults]` first: that of [`Config::tables`].
    pub(super) index: usize,
}

/// A pattern that matches a kernel or target, and how closely; none where a rule has no such patterns.
type Match<'c> = Option<(Specificity, &'c Spanned<Glob>)>;

/// The rules whose `kernel` patterns select one kernel, in the order of the file.
#[derive(Debug, Clone)]
pub struct KernelRules<'c> {
    defaults: Vec<&'c Rule>,
    rules: Vec<Selected<'c>>,
}

/// A rule that selects a kernel, perhaps on some targets only.
#[derive(Debug, Clone)]
struct Selected<'c> {
    /// Its position among the rules.
    index: usize,
    rule: &'c Rule,
    kernel: Match<'c>,
    source: Option<Specificity>,
    artifact: Option<Specificity>,
}

/// The budgets of one kernel on one target, each from the table that wins.
#[derive(Debug, Clone)]
pub struct Selection<'c> {
    /// The tables that select it, with their positions, in the order of the file.
    pub(super) tables: Vec<(Rank, &'c Rule)>,
    pub(super) budgets: Vec<(Rank, Budget<'c>)>,
    /// The levels of tables that speak of single budgets.
    pub(super) levels: Vec<(Rank, Key, Level)>,
    /// The level that speaks of all budgets.
    pub(super) level: Option<(Rank, Level)>,
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
        let mut defaults = Vec::new();
        defaults.add_all(config.above.iter().chain([&config.defaults]));
        Self {
            defaults,
            member: &config.member,
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
    pub fn rules_for(&self, which: Which<'_>) -> KernelRules<'c> {
        let mut rules = Vec::new();
        for index in self.candidates(which.name, which.symbol) {
            let rule = &self.rules[index];
            // Without patterns it is for builds and artefacts alike.
            let texts = self.artifact.as_ref().map_or(&[][..], |texts| texts);
            let Some(artifact) = closest(&rule.artifacts, texts) else {
                continue;
            };
            let Some(kernel) = closest(&rule.kernels, &[which.name, which.symbol]) else {
                continue;
            };
            let Some(source) = self.source(rule, which.sources) else {
                continue;
            };
            rules.push(Selected {
                index,
                rule,
                kernel,
                source,
                artifact: artifact.map(|(specificity, _)| specificity),
            });
        }
        KernelRules {
            defaults: self.defaults.clone(),
            rules,
        }
    }

    /// How closely a rule describes the source of a kernel; `Some(None)` when it is for every source.
    fn source(&self, rule: &Rule, sources: &[String]) -> Option<Option<Specificity>> {
        if rule.sources.is_empty() {
            return Some(None);
        }
        let mut best = None;
        for pattern in &rule.sources {
            for source in sources {
                let found = if pattern.value.as_str().contains('/') {
                    // The workspace's patterns begin at its own directory.
                    let relative = rule.inherited && !source.starts_with('/');
                    if relative && !self.member.is_empty() {
                        let whole = format!("{}/{source}", self.member);
                        pattern.value.specificity(&whole)
                    } else {
                        pattern.value.specificity(source)
                    }
                } else {
                    let name = source.rsplit('/').next().unwrap_or(source);
                    pattern.value.specificity(name)
                };
                best = best.max(found);
            }
        }
        best.map(Some)
    }

    /// How much it matters that a kernel gets no launch wrapper, if a rule says so: one with a level alone.
    pub fn unwrapped(&self, which: Which<'_>) -> Option<Level> {
        let (_, rule) = self.rules_for(which).for_unwrapped()?;
        rule.level.as_ref().map(|level| level.value)
    }

    /// The tables that select this kernel on its target.
    pub fn select(&self, facts: &Facts) -> Selection<'c> {
        self.rules_for(Which::of(facts)).on(facts.target)
    }

    /// The limit for `key` of this kernel on its target, if there is one.
    pub fn budget(&self, facts: &Facts, key: Key) -> Option<Budget<'c>> {
        self.select(facts).budget(key)
    }
}

impl<'c> KernelRules<'c> {
    /// The rule that says how much it matters that the kernel gets no launch wrapper, with its position among all tables.
    pub(super) fn for_unwrapped(&self) -> Option<(usize, &'c Rule)> {
        let speaks = self.rules.iter().filter(|Selected { rule, .. }| {
            rule.level.is_some() && rule.budgets.is_empty() && rule.archs.is_empty()
        });
        let closest = speaks.max_by_key(|selected| {
            let kernel = selected.kernel.map(|(specificity, _)| specificity);
            (kernel, selected.source, selected.index)
        })?;
        Some((self.defaults.len() + closest.index, closest.rule))
    }

    /// The budgets that hold for the kernel on `target`.
    pub fn on(&self, target: Sm) -> Selection<'c> {
        let target = target.to_string();
        let mut selection = Selection {
            tables: Vec::new(),
            budgets: Vec::new(),
            levels: Vec::new(),
            level: None,
        };
        for (index, defaults) in self.defaults.iter().enumerate() {
            let lowest = Rank {
                kernel: None,
                source: None,
                arch: None,
                artifact: None,
                index,
            };
            selection.add(lowest, defaults, None);
        }
        for selected in &self.rules {
            let (rule, kernel) = (selected.rule, selected.kernel);
            let Some(arch) = closest(&rule.archs, &[&target]) else {
                continue;
            };
            let rank = Rank {
                kernel: kernel.map(|(specificity, _)| specificity),
                source: selected.source,
                arch: arch.map(|(specificity, _)| specificity),
                artifact: selected.artifact,
                index: self.defaults.len() + selected.index,
            };
            selection.add(rank, rule, kernel.map(|(_, pattern)| pattern));
        }
        selection
    }
}

impl<'c> Selection<'c> {
    /// Takes what `table` says where no closer table says it: each is looked at once, and none is kept.
    fn add(&mut self, rank: Rank, table: &'c Rule, pattern: Option<&'c Spanned<Glob>>) {
        self.tables.push((rank, table));
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
        if table.is_defaults() || table.budgets.is_empty() {
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

    /// Whether a table is among those that select the kernel.
    pub fn has(&self, table: &Rule) -> bool {
        self.rank(table).is_some()
    }

    fn rank(&self, table: &Rule) -> Option<&Rank> {
        let mut tables = self.tables.iter();
        let (rank, _) = tables.find(|(_, other)| std::ptr::eq(*other, table))?;
        Some(rank)
    }

    /// Why one table goes before another: the first of what is compared in which they differ.
    pub fn why(&self, winner: &Rule, other: &Rule) -> &'static str {
        let (Some(first), Some(second)) = (self.rank(winner), self.rank(other)) else {
            return "it does not select the kernel";
        };
        if other.is_defaults() && !winner.is_defaults() {
            "[defaults] stand below every rule"
        } else if first.kernel != second.kernel {
            "its `kernel` describes the kernel less closely"
        } else if first.source != second.source {
            "its `source` describes the source less closely"
        } else if first.arch != second.arch {
            "its `arch` describes the target less closely"
        } else if first.artifact != second.artifact {
            "its `artifact` describes the file less closely"
        } else if other.inherited && !winner.inherited {
            "it is the workspace's, and the package's own goes before it"
        } else {
            "it stands earlier in the file"
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
            let selection = policy.rules_for(Which {
                name: &format!("k{number}"),
                symbol: "_Z1kv",
                sources: &[],
            });
            let target = "sm_80".parse().expect("a target");
            let budget = selection.on(target).budget(Key::Registers);
            let limit = budget.map(|budget| &budget.limit.value);
            assert_eq!(limit, Some(&Limit::Most(number)));
        }
        // Its own pattern against the name and the symbol.
        assert_eq!(glob::compared() - before, 2 * rules as usize);
    }
}
