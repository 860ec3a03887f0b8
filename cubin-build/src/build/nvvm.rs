//! Modules of NVVM IR around their compilation: before it the rules that they break, after it what became of the properties
//! of their kernels.

use std::path::{Path, PathBuf};

use cubin_core::{Function, Sm};

use super::{settings::Settings, sources::Sources};
use crate::{
    compile::{Language, Unit},
    config::nearest,
    diag::Sink,
    nvvm::{self, Module, Property, diags, rules},
    paths, ptx,
    sorted::Map,
    source::{SourceFile, Span},
};

/// Every module that is text, read once.
#[derive(Default)]
pub(super) struct Modules(Map<PathBuf, Read>);

/// A module and its text.
pub(super) struct Read {
    pub(super) file: SourceFile,
    pub(super) module: Module,
}

/// A property of a kernel that left no trace, until the targets are known for which it did not.
type Lost = (PathBuf, String, Property, Option<String>);

/// Properties without a trace, each with its targets.
#[derive(Default)]
pub(super) struct Dropped(Vec<(Lost, Vec<Sm>)>);

/// Reads all modules, and says which rules they break.
pub(super) fn read(settings: &Settings, sources: &Sources, sink: &mut Sink) -> Modules {
    let mut modules = Modules::default();
    for source in &sources.compiled {
        if source.language != Language::Nvvm {
            continue;
        }
        let path = settings.root.join(&source.path);
        // What cannot be read is said by whoever compiles it.
        let Ok(bytes) = std::fs::read(&path) else {
            continue;
        };
        if nvvm::is_bitcode(&bytes) {
            continue;
        }
        let shown = paths::shown(&settings.root, &source.path);
        let file = SourceFile::new(shown, String::from_utf8_lossy(&bytes));
        let module = nvvm::read(file.text());
        let targets = source.targets(&settings.targets);
        for broken in rules::check(&module, targets, &settings.options.nvvm) {
            sink.push(diags::broken(&broken, &file));
        }
        let read = Read { file, module };
        modules.0.insert(source.path.clone(), read);
    }
    modules
}

impl Modules {
    /// The module of a source.
    pub(super) fn of(&self, source: &Path) -> Option<&Read> {
        self.0.get(source)
    }
}

impl Dropped {
    /// Looks for the properties of all kernels of a unit's module in its cubin.
    pub(super) fn look(
        &mut self,
        unit: &Unit,
        read: &Read,
        entries: &[ptx::Entry],
        functions: &[Function<'_>],
    ) {
        for kernel in read.module.kernels() {
            let function = functions
                .iter()
                .find(|function| function.symbol == kernel.name);
            let entry = entries.iter().find(|entry| entry.symbol == kernel.name);
            let (Some(function), Some(entry)) = (function, entry) else {
                continue;
            };
            for property in read.module.properties(kernel) {
                let help = match seen(&property, function, entry, unit) {
                    Some(true) => continue,
                    Some(false) => None,
                    None => Some(misspelt(&property)),
                };
                let lost = (unit.source.clone(), kernel.name.clone(), property, help);
                self.add(&lost, &[unit.target]);
            }
        }
    }

    fn add(&mut self, lost: &Lost, of: &[Sm]) {
        match self.0.iter_mut().find(|(known, _)| known == lost) {
            Some((_, targets)) => targets.extend(of),
            None => self.0.push((lost.clone(), of.to_vec())),
        }
    }
}

/// Says which properties left no trace, each once for all targets.
pub(super) fn tell<'d>(
    of_images: impl IntoIterator<Item = &'d Dropped>,
    modules: &Modules,
    sink: &mut Sink,
) {
    let mut all = Dropped::default();
    for of_image in of_images {
        for (lost, targets) in &of_image.0 {
            all.add(lost, targets);
        }
    }
    for ((source, kernel, property, help), targets) in all.0 {
        let place = modules.of(&source);
        let place = place.map(|read| Span::new(&read.file, property.range.clone()));
        let help = help.as_deref();
        sink.push(diags::dropped(
            &kernel,
            &property.name,
            &targets,
            place.as_ref(),
            help,
        ));
    }
}

/// Names of properties that have an effect, without what attributes have before them.
const KNOWN: [&str; 14] = [
    "maxntidx",
    "maxntidy",
    "maxntidz",
    "reqntidx",
    "reqntidy",
    "reqntidz",
    "minctasm",
    "maxnreg",
    "maxclusterrank",
    "cluster_max_blocks",
    "cluster_dim_x",
    "cluster_dim_y",
    "cluster_dim_z",
    "blocksareclusters",
];

fn misspelt(property: &Property) -> String {
    match nearest(&property.name, KNOWN.iter().copied()) {
        Some(known) => format!("did you mean `{known}`?"),
        None => "nothing reads such a property".to_owned(),
    }
}

/// Whether the cubin, or the PTX where that alone would, shows a property; `None` for one that nobody knows.
fn seen(
    property: &Property,
    function: &Function<'_>,
    entry: &ptx::Entry,
    unit: &Unit,
) -> Option<bool> {
    let name = property
        .name
        .strip_prefix("nvvm.")
        .unwrap_or(&property.name);
    let launch = &function.launch;
    let value = property.values.as_ref().and_then(|values| values.first());
    let value = value.and_then(|value| u32::try_from(*value).ok());
    Some(match name {
        "maxntid" | "maxntidx" | "maxntidy" | "maxntidz" => launch.max_threads.is_some(),
        "reqntid" | "reqntidx" | "reqntidy" | "reqntidz" => launch.required_threads.is_some(),
        // It leaves nothing but a limit of registers.
        "minctasm" => entry.directives.min_blocks == value,
        "maxnreg" => launch.max_registers == value,
        "maxclusterrank" | "cluster_max_blocks" => launch.max_cluster_rank == value,
        "cluster_dim" | "cluster_dim_x" | "cluster_dim_y" | "cluster_dim_z" => {
            launch.explicit_cluster || launch.cluster.is_some()
        }
        "blocksareclusters" => {
            std::fs::read_to_string(&unit.ptx).is_ok_and(|text| text.contains(".blocksareclusters"))
        }
        // What is not demanded of launches.
        "grid_constant"
        | "texture"
        | "surface"
        | "sampler"
        | "rdoimage"
        | "wroimage"
        | "rdwrimage"
        | "managed"
        | "align"
        | "annotations_transplanted" => true,
        _ => return None,
    })
}
