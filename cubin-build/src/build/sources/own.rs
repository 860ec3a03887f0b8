//! What some sources have for themselves: `[[source]]` and [`Builder::source`](crate::Builder::source).

use std::path::{Path, PathBuf};

use cubin_core::Sm;

use super::{
    super::{problem::Problem, request::BuildRequest, settings::Settings},
    search::Search,
};
use crate::{
    compile::Source,
    config::{Glob, glob::Specificity},
    diag::Sink,
    lists::{AddAll, CollectVec},
    paths,
    source::Span,
};

/// nvcc's option behind `split-compile`.
pub(in super::super) const SPLIT_COMPILE: &str = "--split-compile=";

/// All tables, those of `cubin.toml` first.
pub(super) struct Tables {
    tables: Vec<Table>,
}

/// How some of the sources are compiled.
struct Table {
    patterns: Vec<Pattern>,
    targets: Vec<Sm>,
    flags: Vec<String>,
    std: Option<String>,
    split: Option<u64>,
    includes: Vec<PathBuf>,
}

struct Pattern {
    glob: Glob,
    span: Option<Span>,
    used: bool,
}

/// What a source has for itself.
#[derive(Default)]
pub(super) struct Own {
    pub(super) targets: Option<Vec<Sm>>,
    flags: Vec<String>,
    std: Option<String>,
    includes: Vec<PathBuf>,
}

/// Files that patterns name.
#[derive(Default)]
pub(super) struct Files {
    /// Each by its whole path.
    pub(super) named: Vec<PathBuf>,
    pub(super) found: Vec<PathBuf>,
}

impl Tables {
    pub(super) fn new(request: &BuildRequest, settings: &Settings) -> Self {
        let mut tables = Vec::new();
        for table in &settings.config.source_options {
            let patterns = table.path.iter();
            let targets = table.arch.iter().map(|arch| arch.value);
            let includes = table.include.iter();
            tables.push(Table {
                patterns: patterns
                    .map(|pattern| Pattern::new(pattern.value.as_str(), Some(&pattern.span)))
                    .collect_vec(),
                targets: settings.own_targets(targets.collect_vec()),
                flags: table
                    .flags
                    .iter()
                    .map(|flag| flag.value.clone())
                    .collect_vec(),
                std: table.std.as_ref().map(|std| std.value.clone()),
                split: table.split_compile.as_ref().map(|threads| threads.value),
                includes: includes.map(|dir| PathBuf::from(&dir.value)).collect_vec(),
            });
        }
        for table in &request.own {
            // Of a name that is no target the settings have said so.
            let targets = table.archs.iter().filter_map(|arch| arch.parse().ok());
            tables.push(Table {
                patterns: vec![Pattern::new(&table.path, None)],
                targets: settings.own_targets(targets.collect_vec()),
                flags: table.flags.clone(),
                std: table.std.clone(),
                split: None,
                includes: table.includes.clone(),
            });
        }
        Self { tables }
    }

    /// The files that the patterns name by themselves: those without wildcards that are there, and the `.cu` files that
    /// one with wildcards matches below the folder that it begins with.
    pub(super) fn files(&self, search: &mut Search<'_>, sink: &mut Sink) -> Files {
        let mut files = Files::default();
        for pattern in self.tables.iter().flat_map(|table| &table.patterns) {
            let text = pattern.glob.as_str();
            let wild = text.find(['*', '?']);
            let Some((dir, _)) = text[..wild.unwrap_or(text.len())].rsplit_once('/') else {
                continue;
            };
            if wild.is_none() {
                if search.root.join(text).is_file() {
                    files.named.push(PathBuf::from(text));
                }
                continue;
            }
            if !search.root.join(dir).is_dir() {
                continue;
            }
            match search.below(Path::new(dir)) {
                Ok(below) => {
                    let root = search.root;
                    let matching = below.files.into_iter();
                    let matching =
                        matching.filter(|file| pattern.glob.matches(&paths::shown(root, file)));
                    files.found.add_all(matching);
                }
                Err(why) => sink.push(Problem::CannotSearch(dir.into(), why).into()),
            }
        }
        files
    }

    /// What the source of this path has for itself.
    pub(super) fn of(&mut self, root: &Path, path: &Path) -> Own {
        let path = paths::shown(root, path);
        let mut own = Own::default();
        // How closely the table that these are of describes the source.
        let (mut of_targets, mut of_std, mut of_split) = (None, None, None);
        let mut split = None;
        for table in &mut self.tables {
            let Some(closely) = table.describes(&path) else {
                continue;
            };
            if !table.targets.is_empty() && Some(closely) >= of_targets {
                of_targets = Some(closely);
                own.targets = Some(table.targets.clone());
            }
            if table.std.is_some() && Some(closely) >= of_std {
                of_std = Some(closely);
                own.std.clone_from(&table.std);
            }
            if table.split.is_some() && Some(closely) >= of_split {
                (of_split, split) = (Some(closely), table.split);
            }
            own.flags.add_all(table.flags.iter().cloned());
            own.includes.add_all(table.includes.iter().cloned());
        }
        own.flags
            .add_all(split.map(|threads| format!("{SPLIT_COMPILE}{threads}")));
        own
    }

    pub(super) fn report_unmatched(&self, sink: &mut Sink) {
        let all = self.tables.iter().flat_map(|table| &table.patterns);
        for pattern in all.filter(|pattern| !pattern.used) {
            let problem = Problem::UnmatchedSource {
                pattern: pattern.glob.as_str().to_owned(),
                span: pattern.span.clone(),
            };
            sink.push(problem.into());
        }
    }
}

impl Table {
    /// How closely it describes the source of this path, if it is for that.
    fn describes(&mut self, path: &str) -> Option<Specificity> {
        let name = path.rsplit('/').next().unwrap_or(path);
        let mut closest = None;
        for pattern in &mut self.patterns {
            let whole = pattern.glob.as_str().contains('/');
            if let Some(found) = pattern.glob.specificity(if whole { path } else { name }) {
                pattern.used = true;
                closest = closest.max(Some(found));
            }
        }
        closest
    }
}

impl Own {
    /// Gives it to the source; its flags come before those that the script gives to the file alone.
    pub(super) fn give(self, source: &mut Source) {
        source.flags.splice(0..0, self.flags);
        source.std = self.std;
        source.includes = self.includes;
        source.targets = self.targets;
    }
}

impl Pattern {
    fn new(text: &str, span: Option<&Span>) -> Self {
        Self {
            glob: Glob::new(text.strip_prefix("./").unwrap_or(text)),
            span: span.cloned(),
            used: false,
        }
    }
}
