//! What a workspace says for all of its members: `[workspace.metadata.cubin]`, and how a package's own file goes before it.

use toml::de::DeTable;

use super::{
    budget::Rule,
    glob::Glob,
    keys::{Key, Table},
    model::{Build, Config},
    problem::Problem,
    read::{CONFIG, Item, TableName, TableReader},
    tables::PARTS,
    targets::targets,
};
use crate::{
    lists::AddAll,
    source::{SourceFile, Span},
};

const NAME: TableName<'static> = TableName {
    name: "[workspace.metadata.cubin]",
    code: CONFIG,
};

/// The tables that members inherit: how kernels are judged, with which toolkit and for which targets they are compiled. What
/// a crate is made of stands in the crate.
const INHERITED: [&str; 5] = ["toolkit", "build", "defaults", "rule", "policy"];

static BUILD: Table<Build> = Table {
    name: "[workspace.metadata.cubin.build]",
    code: CONFIG,
    keys: &[Key {
        name: "arch",
        doc: super::tables::ARCH,
        read: |r, item, build| build.arch = targets(r, item),
    }],
};

/// What could be understood of the table in a Cargo.toml, and what is wrong with it.
pub(super) fn parse(manifest: &SourceFile) -> (Config, Vec<Problem>) {
    let mut reader = TableReader::new(manifest);
    let mut config = Config::default();
    if let Some(document) = reader.parse()
        && let Some(table) = below(&document, &["workspace", "metadata", "cubin"])
    {
        read(&mut reader, table, &mut config);
    }
    (config, reader.finish())
}

/// A table in tables.
fn below<'a, 'i>(document: &'a DeTable<'i>, names: &[&str]) -> Option<&'a DeTable<'i>> {
    let mut table = document;
    for name in names {
        table = table.get(*name)?.get_ref().as_table()?;
    }
    Some(table)
}

fn read(r: &mut TableReader<'_>, table: &DeTable<'_>, config: &mut Config) {
    for item in r.entries(NAME, table) {
        let part = PARTS.iter().find(|part| part.name == item.key);
        match part.filter(|part| INHERITED.contains(&part.name)) {
            None => r.unknown(item, INHERITED.to_vec()),
            Some(part) if part.name == "build" => build(r, item, config),
            Some(part) => (part.read)(r, item, config),
        }
    }
}

fn build(r: &mut TableReader<'_>, item: Item<'_, '_>, config: &mut Config) {
    let span: Span = r.value_span(item);
    if let Some(table) = r.table(item, None) {
        BUILD.read(r, table, &span, &mut config.build);
    }
}

impl Config {
    /// Adds what `outer` says for all members, as if its tables stood above those of this file: a key that this file has
    /// goes before the same key there.
    pub(crate) fn inherit(&mut self, outer: Self) {
        let own = &mut self.toolkit;
        if own.version.is_none() {
            own.version = outer.toolkit.version;
        }
        if own.install.is_none() {
            own.install = outer.toolkit.install;
        }
        if own.components.is_empty() {
            own.components = outer.toolkit.components;
        }
        if self.build.arch.is_empty() {
            self.build.arch = outer.build.arch;
        }
        if self.policy.is_none() {
            self.policy = outer.policy;
        }
        let inherited = |mut rule: Rule| {
            rule.inherited = true;
            rule
        };
        self.above.insert(0, inherited(outer.defaults));
        let own = std::mem::take(&mut self.rules);
        self.rules.add_all(outer.rules.into_iter().map(inherited));
        self.rules.add_all(own);
    }

    /// `[defaults]`, those of the workspace first, and every `[[rule]]`.
    pub fn tables(&self) -> impl Iterator<Item = &Rule> {
        let defaults = self.above.iter().chain([&self.defaults]);
        defaults.chain(&self.rules)
    }
}

impl Rule {
    /// Patterns of paths in a file in `dir`, as the package sees them. One without `/` is a file's name.
    pub(crate) fn rebase(&mut self, dir: &std::path::Path) {
        for pattern in &mut self.sources {
            if pattern.value.as_str().contains('/') {
                let path = dir.join(pattern.value.as_str());
                pattern.value = Glob::new(path.to_string_lossy());
            }
        }
    }
}
