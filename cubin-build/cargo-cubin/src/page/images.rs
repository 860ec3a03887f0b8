//! The instructions of the kernels of a build, from the cubins that it wrote: a build itself counts them only for budgets.

use std::{
    collections::{HashMap, hash_map::Entry},
    path::Path,
};

use anyhow::Context as _;

use crate::{facts::Instructions, files, inspect, report::Report};

/// Adds what the code of each kernel is made of. Kernels of several images that cannot be told apart stay without.
pub(super) fn add_instructions(report: &mut Report) -> anyhow::Result<()> {
    let mut counted: HashMap<(String, String, u64), Option<Instructions>> = HashMap::new();
    for image in &report.images {
        for facts in read(image)? {
            let key = (facts.target, facts.function, facts.code_bytes);
            match counted.entry(key) {
                Entry::Vacant(entry) => {
                    entry.insert(facts.instructions);
                }
                Entry::Occupied(mut entry) => {
                    if *entry.get() != facts.instructions {
                        entry.insert(None);
                    }
                }
            }
        }
    }
    for facts in &mut report.kernels {
        let key = (
            facts.target.clone(),
            facts.function.clone(),
            facts.code_bytes,
        );
        facts.instructions = counted.get(&key).cloned().flatten();
    }
    Ok(())
}

fn read(image: &Path) -> anyhow::Result<Vec<crate::facts::Facts>> {
    let bytes = files::open(image).with_context(|| files::shown(image))?;
    inspect::facts(image, &bytes)
}
