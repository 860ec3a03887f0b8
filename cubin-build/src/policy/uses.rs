//! What each table of cubin.toml decides of the kernels that there are.

use cubin_core::arch::Sm;

use super::{
    budget::Key,
    resolve::{Policy, Which},
};
use crate::{config::Rule, lists::CollectVec};

/// What one table does.
#[derive(Debug, Clone)]
pub struct Use<'c> {
    /// The table.
    pub table: &'c Rule,
    /// How many kernel images it selects: kernels, each once per target.
    pub selected: usize,
    /// The budgets that it decides, with the number of images.
    pub decides: Vec<(Key, usize)>,
    /// Whether it decides how much something matters.
    pub decides_level: bool,
    /// The positions of tables that decide what it sets.
    pub beaten_by: Vec<usize>,
}

impl Use<'_> {
    /// It selects kernels, and closer tables decide all that it sets.
    pub fn shadowed(&self) -> bool {
        self.selected > 0 && self.decides.is_empty() && !self.decides_level
    }
}

/// What all tables do, in the order of [`tables`](crate::config::Config::tables).
#[derive(Debug, Clone)]
pub struct Uses<'c> {
    policy: Policy<'c>,
    /// By position.
    pub all: Vec<Use<'c>>,
}

impl<'c> Uses<'c> {
    /// Of no kernel yet.
    pub fn new(config: &'c crate::config::Config) -> Self {
        let of = |table| Use {
            table,
            selected: 0,
            decides: Vec::new(),
            decides_level: false,
            beaten_by: Vec::new(),
        };
        Self {
            policy: Policy::new(config),
            all: config.tables().map(of).collect_vec(),
        }
    }

    /// Adds a kernel on a target.
    pub fn add(&mut self, which: Which<'_>, target: Sm) {
        let rules = self.policy.rules_for(which);
        let selection = rules.on(target);
        for (rank, budget) in &selection.budgets {
            let decides = &mut self.all[rank.index].decides;
            match decides.iter_mut().find(|(known, _)| *known == budget.key) {
                Some((_, images)) => *images += 1,
                None => decides.push((budget.key, 1)),
            }
        }
        let of_all = selection.level.as_ref().map(|(rank, _)| rank);
        let of_one = selection.levels.iter().map(|(rank, ..)| rank);
        // As a budget takes its level: from the closer of the two.
        let of_one = of_one.filter(|own| of_all.is_none_or(|all| *own > all));
        for rank in of_one.chain(of_all) {
            self.all[rank.index].decides_level = true;
        }
        if let Some((index, _)) = rules.for_unwrapped() {
            self.all[index].decides_level = true;
        }
        for (held, table) in &selection.tables {
            let index = held.index;
            let own = &mut self.all[index];
            own.selected += 1;
            for (rank, budget) in &selection.budgets {
                let beaten = rank.index != index && table.budgets.get(budget.key).is_some();
                if beaten && !own.beaten_by.contains(&rank.index) {
                    own.beaten_by.push(rank.index);
                }
            }
            // A rule with a level alone loses to the one whose level holds.
            if let Some((rank, _)) = &selection.level
                && table.budgets.is_empty()
                && rank.index != index
                && !own.beaten_by.contains(&rank.index)
            {
                own.beaten_by.push(rank.index);
            }
        }
    }
}
