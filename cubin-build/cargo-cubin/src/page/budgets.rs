//! The budgets that hold for each kernel, from the policy's file. Kernels with the same budgets share them.

use std::{collections::HashMap, path::Path};

use cubin_build::{
    config::{Config, Key, Limit},
    policy::Policy,
};
use cubin_core::{Sm, escape::visible};
use serde::Serialize;

use crate::{
    facts::Facts,
    policy::{place, read},
};

/// One budget of a kernel.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub(super) struct Budget {
    /// As cubin.toml spells it.
    pub(super) key: &'static str,
    /// The limit as cubin.toml spells it.
    limit: String,
    /// The same as a number, where it is the most that there may be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) most: Option<u64>,
    level: &'static str,
    /// Which line says so.
    place: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
}

/// All sets of budgets of a page.
#[derive(Default)]
pub(super) struct Budgets {
    all: Vec<Vec<Budget>>,
    known: HashMap<Vec<Budget>, usize>,
}

/// The policy of a package.
pub(super) struct File {
    config: Config,
}

impl File {
    /// Reads the policy of the package in `root`; `None` where neither it nor its workspace has one.
    pub(super) fn read(root: &Path, name: &Path) -> anyhow::Result<Option<Self>> {
        Ok(read(root, name)?.map(|config| Self { config }))
    }
}

impl Budgets {
    /// The place of a kernel's set.
    pub(super) fn of(&mut self, file: Option<&File>, facts: &Facts) -> usize {
        let set = file.map_or_else(Vec::new, |file| file.budgets(facts));
        let next = self.all.len();
        *self.known.entry(set).or_insert_with_key(|set| {
            self.all.push(set.clone());
            next
        })
    }

    pub(super) fn get(&self, at: usize) -> &[Budget] {
        self.all.get(at).map_or(&[], Vec::as_slice)
    }

    pub(super) fn into_all(self) -> Vec<Vec<Budget>> {
        self.all
    }
}

impl File {
    fn budgets(&self, facts: &Facts) -> Vec<Budget> {
        let Ok(target) = facts.target.parse::<Sm>() else {
            return Vec::new();
        };
        let policy = Policy::new(&self.config);
        let selection = policy.rules_for(facts.which()).on(target);
        let budgets = Key::ALL.iter().filter_map(|key| {
            let budget = selection.budget(*key)?;
            let reason = budget.table.reason.as_ref();
            Some(Budget {
                key: key.name(),
                limit: visible(&budget.limit.value.to_toml()).into_owned(),
                most: match budget.limit.value {
                    Limit::Most(most) => Some(most),
                    _ => None,
                },
                level: budget.level.name(),
                place: place(budget.table),
                reason: reason.map(|reason| visible(&reason.value).into_owned()),
            })
        });
        budgets.collect()
    }
}
