//! From compiled units to what is known of each kernel: cubins read, signatures checked and merged over the targets.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use cubin_core::{Cubin, Params, Sm};

use super::{messages, shown_path};
use crate::{
    codegen,
    compile::Unit,
    diag::{Diag, Sink, codes},
    policy,
    signature::{self, model::Signatures},
    source::{self, SourceFile, Span},
    toolkit::Toolkit,
};

/// One source, compiled for every target.
pub(super) struct Compiled {
    /// For codegen; image files are named in `cubins`.
    pub(super) module: codegen::Module,
    /// (name beside the generated file, bytes).
    pub(super) cubins: Vec<(String, Vec<u8>)>,
    pub(super) facts: Vec<policy::Facts>,
}

/// Reads the units of one source; `name` is the module's, `file_stem` that of its cubins.
pub(super) fn read(
    root: &Path,
    toolkit: &Toolkit,
    original: &Path,
    name: &str,
    file_stem: &str,
    units: &[&Unit],
    places: &mut Places,
    sink: &mut Sink,
) -> Option<Compiled> {
    let source = shown_path(root, original);
    let mut per_target = Vec::new();
    let mut kernels: BTreeMap<String, BTreeMap<Sm, codegen::Facts>> = BTreeMap::new();
    let mut cubins = Vec::new();
    let mut images = Vec::new();
    for unit in units {
        let bytes = match fs::read(&unit.cubin) {
            Ok(bytes) => bytes,
            Err(error) => {
                sink.push(Diag::error(
                    codes::IO_ERROR,
                    format!(
                        "cannot read the cubin of {source} for {}: {error}",
                        unit.target
                    ),
                ));
                continue;
            }
        };
        let read = read_unit(&source, unit, &bytes, toolkit, sink);
        let Some((signatures, facts)) = read else {
            continue;
        };
        for (symbol, facts) in facts {
            kernels
                .entry(symbol)
                .or_default()
                .insert(unit.target, facts);
        }
        per_target.push((unit.target, signatures));
        let file = format!("{file_stem}.{}.cubin", unit.target);
        images.push(codegen::Image {
            target: unit.target,
            file: file.clone(),
        });
        cubins.push((file, bytes));
    }
    if per_target.len() < units.len() {
        return None;
    }
    let (signatures, findings) = signature::same_on_every_target(&per_target);
    for finding in &findings {
        sink.push(messages::signature(
            finding,
            places.of(&signatures, &finding.symbol),
        ));
    }
    let facts = policy_facts(&signatures, &kernels, places);
    for kernel in &signatures.kernels {
        // A finding above has refused this kernel already and said why.
        let found = findings
            .iter()
            .any(|finding| finding.symbol == kernel.symbol)
            || sink.all().iter().any(|diag| {
                diag.code == codes::SIGNATURE_MISMATCH && diag.kernel.as_ref() == Some(&kernel.name)
            });
        if let Some(refusal) = kernel
            .refusal
            .as_ref()
            .filter(|_| !found && !kernel.in_toolkit_header)
        {
            sink.push(messages::refused(
                kernel,
                refusal,
                places.of(&signatures, &kernel.symbol),
            ));
        }
    }
    let module = codegen::Module {
        name: name.to_owned(),
        source,
        images,
        signatures,
        facts: kernels,
    };
    Some(Compiled {
        module,
        cubins,
        facts,
    })
}

type UnitFacts = Vec<(String, codegen::Facts)>;

/// The kernels of one cubin with their checked signatures.
fn read_unit(
    source: &str,
    unit: &Unit,
    bytes: &[u8],
    toolkit: &Toolkit,
    sink: &mut Sink,
) -> Option<(Signatures, UnitFacts)> {
    let target = unit.target;
    let read = Cubin::parse(bytes).and_then(|cubin| Ok((cubin.target()?, cubin.functions()?)));
    let (recorded, functions) = match read {
        Ok(read) => read,
        Err(error) => {
            sink.push(Diag::error(
                codes::CUBIN_UNREADABLE,
                format!("the cubin of {source} for {target} cannot be read: {error}"),
            ));
            return None;
        }
    };
    if recorded != target {
        sink.push(
            Diag::error(
                codes::TARGET_MISMATCH,
                format!("the cubin of {source} is for {recorded}, not for {target}"),
            )
            .note(
                "NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS or a flag may have changed the architecture",
            ),
        );
        return None;
    }
    if !functions.iter().any(|function| function.kernel) {
        sink.push(messages::no_kernels(source, target));
    }
    let mut signatures = match (&unit.stub, &unit.gpu) {
        (Some(stub), Some(gpu)) => match read_signatures(stub, gpu, toolkit) {
            Ok(signatures) => signatures,
            Err(why) => {
                sink.push(
                    Diag::error(
                        codes::SIGNATURE_MISMATCH,
                        format!("the kernels of {source} for {target}: {why}"),
                    )
                    .note(format!("CUDA {}", toolkit.version)),
                );
                return None;
            }
        },
        _ => Signatures::default(),
    };
    if unit.stub.is_some() {
        for finding in signature::check(&mut signatures, &functions, target) {
            sink.push(messages::signature(&finding, None));
        }
    }
    let facts = functions
        .iter()
        .filter(|function| function.kernel)
        .map(|function| {
            let spills = unit
                .spills
                .get(function.symbol)
                .map(|spills| (spills.stores, spills.loads));
            let facts = codegen::Facts {
                resources: function.resources.clone(),
                spills,
                launch: function.launch,
                params: function.params.clone(),
            };
            (function.symbol.to_owned(), facts)
        })
        .collect();
    Some((signatures, facts))
}

fn read_signatures(stub: &Path, gpu: &Path, toolkit: &Toolkit) -> Result<Signatures, String> {
    let read = |path: &Path| {
        fs::read(path).map_err(|error| format!("cannot read {}: {error}", path.display()))
    };
    let stub = read(stub)?;
    let gpu =
        fs::File::open(gpu).map_err(|error| format!("cannot read {}: {error}", gpu.display()))?;
    let includes = [toolkit.root.clone()];
    signature::read(&stub, std::io::BufReader::new(gpu), &includes)
        .map_err(|error| error.to_string())
}

fn policy_facts(
    signatures: &Signatures,
    kernels: &BTreeMap<String, BTreeMap<Sm, codegen::Facts>>,
    places: &mut Places,
) -> Vec<policy::Facts> {
    let mut all = Vec::new();
    for (symbol, targets) in kernels {
        let kernel = signatures
            .kernels
            .iter()
            .find(|kernel| kernel.symbol == *symbol);
        let name = kernel.map_or(symbol, |kernel| &kernel.name);
        let place = places.of(signatures, symbol);
        for (target, facts) in targets {
            let threads = facts.launch.max_threads.or(facts.launch.required_threads);
            all.push(policy::Facts {
                name: name.clone(),
                symbol: symbol.clone(),
                target: *target,
                registers: facts.resources.registers,
                stack: facts.resources.stack,
                spills: facts.spills.map(|(stores, loads)| policy::Spills {
                    stores: u32::try_from(stores).unwrap_or(u32::MAX),
                    loads: u32::try_from(loads).unwrap_or(u32::MAX),
                }),
                params: match &facts.params {
                    Params::NotRecorded => None,
                    Params::Recorded { size, .. } => Some(*size),
                },
                static_shared: facts.resources.static_shared,
                barriers: facts.resources.barriers,
                max_threads: threads.map(|[x, y, z]| x.saturating_mul(y).saturating_mul(z)),
                place: place.clone(),
            });
        }
    }
    all
}

/// Where kernels stand in the sources. Reads each file once.
pub(super) struct Places {
    root: PathBuf,
    files: BTreeMap<PathBuf, Option<SourceFile>>,
}

impl Places {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            files: BTreeMap::new(),
        }
    }

    /// The file under the name that messages show, when it can be read.
    pub(super) fn file(&mut self, path: &Path) -> Option<SourceFile> {
        let root = &self.root;
        self.files
            .entry(path.to_owned())
            .or_insert_with(|| SourceFile::read(&root.join(path), shown_path(root, path)).ok())
            .clone()
    }

    /// The kernel's name at its definition.
    fn of(&mut self, signatures: &Signatures, symbol: &str) -> Option<Span> {
        let kernel = signatures
            .kernels
            .iter()
            .find(|kernel| kernel.symbol == symbol)?;
        let definition = kernel.definition.as_ref()?;
        let file = self.file(&definition.file)?;
        Some(source::locate_name(
            &file,
            definition.line,
            &kernel.base_name,
        ))
    }
}
