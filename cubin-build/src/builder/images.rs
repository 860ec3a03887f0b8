//! From compiled units to what is known of each kernel: cubins read, signatures checked and merged over the targets.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use crate::sorted::Map;
use cubin_core::{Cubin, Function, Sm};

use super::{
    messages,
    ptx::{self, Compute},
    shown_path,
    signed::Signed,
    spilled::Spilled,
};
use crate::{
    codegen,
    compile::{Linked, Unit},
    config::Config,
    diag::{Diag, Level, Sink, codes},
    kernel::Facts,
    policy,
    signature::{
        self, Finding, declared,
        model::{Kernel, Refusal, Signatures},
    },
    source::{self, SourceFile, Span},
    toolkit::Toolkit,
};

/// More instances of one template without a wrapper are one finding.
const MOST_REFUSED: usize = 4;

/// What every definition of a kernel has.
const GLOBAL: &[u8] = b"__global__";

/// One source, compiled for every target.
pub(super) struct Compiled {
    /// For codegen; image files are named in `cubins`.
    pub(super) module: codegen::Module,
    /// The cubins and the PTX: (name beside the generated file, bytes).
    pub(super) cubins: Vec<(String, Vec<u8>)>,
    pub(super) facts: Vec<Facts>,
}

/// The machine code of one source for one target.
pub(super) struct Image<'u> {
    pub(super) target: Sm,
    pub(super) bytes: Vec<u8>,
    /// What it was made of, with what the compiler left beside it: nothing for prebuilt files, several units where they
    /// were linked.
    pub(super) units: Vec<&'u Unit>,
    /// Whether something without a source may be linked into it.
    pub(super) libraries: bool,
    /// The PTX that it was assembled from, where that is embedded too.
    pub(super) ptx: Option<Vec<u8>>,
}

/// What reading takes along.
pub(super) struct Reader<'a> {
    pub(super) config: &'a Config,
    /// Absent when nothing was compiled.
    pub(super) toolkit: Option<&'a Toolkit>,
    pub(super) signed: &'a mut Signed,
    pub(super) places: &'a mut Places,
    pub(super) sink: &'a mut Sink,
}

/// Names of a source.
pub(super) struct Names<'a> {
    /// The source as messages show it.
    pub(super) source: &'a str,
    /// Of the generated module.
    pub(super) module: &'a str,
    /// Of its cubins, without target.
    pub(super) cubins: &'a str,
    /// It was found in a directory, not named.
    pub(super) found: bool,
}

/// The bytes of a compiled unit, and its PTX where that is wanted.
pub(super) fn load<'u>(
    source: &str,
    unit: &'u Unit,
    wanted: &[Sm],
    sink: &mut Sink,
) -> Option<Image<'u>> {
    let mut read = |path: &Path, what: &str| match fs::read(path) {
        Ok(bytes) => Some(bytes),
        Err(error) => {
            sink.push(Diag::error(
                codes::IO_ERROR,
                format!(
                    "cannot read the {what} of {source} for {}: {error}",
                    unit.target
                ),
            ));
            None
        }
    };
    let ptx = if wanted.contains(&unit.target) {
        Some(read(&unit.ptx, "PTX")?)
    } else {
        None
    };
    Some(Image {
        target: unit.target,
        bytes: read(&unit.cubin, "cubin")?,
        units: vec![unit],
        libraries: false,
        ptx,
    })
}

/// The bytes of a linked cubin.
pub(super) fn load_linked<'u>(
    linked: &Linked,
    units: Vec<&'u Unit>,
    libraries: bool,
    sink: &mut Sink,
) -> Option<Image<'u>> {
    match fs::read(&linked.cubin) {
        Ok(bytes) => Some(Image {
            target: linked.target,
            bytes,
            units,
            libraries,
            ptx: None,
        }),
        Err(error) => {
            let message = format!(
                "cannot read the cubin of {} for {}: {error}",
                linked.name, linked.target
            );
            sink.push(Diag::error(codes::IO_ERROR, message));
            None
        }
    }
}

impl Reader<'_> {
    /// Reads all images of one source. `None` when one of them cannot be read or none has a kernel; the sink then says
    /// why.
    pub(super) fn read(&mut self, names: &Names<'_>, images: Vec<Image<'_>>) -> Option<Compiled> {
        let mut per_target = Vec::new();
        let mut kernels: Map<String, Map<Sm, Facts>> = Map::new();
        let mut cubins = Vec::new();
        let mut embedded = Vec::new();
        let count = images.len();
        for image in images {
            let Some((signatures, facts)) = self.image(names.source, &image) else {
                continue;
            };
            for facts in facts {
                let targets = kernels.or_default(facts.symbol.clone());
                targets.insert(image.target, facts);
            }
            per_target.push((image.target, signatures));
            if let Some(text) = image.ptx {
                // The PTX of a `.ptx` source is one and the same for every target.
                let (architecture, file) = self.ptx(names, image.target, &text)?;
                if !cubins.iter().any(|(known, _)| *known == file) {
                    embedded.push(codegen::Image {
                        target: architecture,
                        file: file.clone(),
                        assembled_for: Some(image.target),
                    });
                    cubins.push((file, ptx::terminated(text)));
                }
            }
            let file = format!("{}.{}.cubin", names.cubins, image.target);
            embedded.push(codegen::Image {
                target: image.target,
                file: file.clone(),
                assembled_for: None,
            });
            cubins.push((file, image.bytes));
        }
        if per_target.len() < count || count == 0 {
            return None;
        }
        // Kernels for some targets only (`#if __CUDA_ARCH__ >= 900`) are none of a mistake.
        if kernels.is_empty() {
            let targets: Vec<Sm> = per_target.iter().map(|(target, _)| *target).collect();
            let wanted = !names.found || self.writes_kernels(names.source);
            let diag = messages::no_kernels(names.source, &targets, wanted);
            self.sink.push(diag);
            return None;
        }
        let (signatures, findings) = signature::same_on_every_target(&per_target);
        for finding in &findings {
            let place = self.places.of(&signatures, &finding.symbol);
            let diag = signature::diags::mismatch(finding, place.as_ref(), None);
            self.sink.push(diag);
        }
        let facts = name(&mut kernels, &signatures, self.places);
        self.refused(names.source, &signatures, &findings);
        let module = codegen::Module {
            name: names.module.to_owned(),
            source: names.source.to_owned(),
            images: embedded,
            signatures,
            facts: kernels,
        };
        Some(Compiled {
            module,
            cubins,
            facts,
        })
    }

    /// Whether the text of a source defines kernels, perhaps templates that nothing instantiates.
    fn writes_kernels(&self, source: &str) -> bool {
        // Not to be read now: taken for one that does.
        fs::read(self.places.root.join(source)).map_or(true, |text| {
            text.windows(GLOBAL.len()).any(|word| word == GLOBAL)
        })
    }

    /// The virtual architecture of PTX and the name of its file.
    fn ptx(&mut self, names: &Names<'_>, target: Sm, text: &[u8]) -> Option<(Sm, String)> {
        let Some(architecture) = ptx::architecture(text) else {
            let message = format!(
                "the PTX of {} for {target} has no `.target` directive that can be read",
                names.source
            );
            self.sink.push(Diag::error(codes::TARGET_MISMATCH, message));
            return None;
        };
        let file = format!("{}.{}.ptx", names.cubins, Compute(architecture));
        Some((architecture, file))
    }

    /// Says which kernels get no wrapper, unless a finding has said so. Many instances of one template, as one that
    /// takes lambdas has them, are one finding.
    fn refused(&mut self, source: &str, signatures: &Signatures, findings: &[Finding]) {
        let policy = policy::Policy::new(self.config);
        let mut groups: Map<(&str, Level), Vec<(&Kernel, &Refusal)>> = Map::new();
        for kernel in &signatures.kernels {
            let Some(refusal) = kernel
                .refusal
                .as_ref()
                .filter(|_| !kernel.in_toolkit_header)
            else {
                continue;
            };
            let said = findings
                .iter()
                .any(|finding| finding.symbol == kernel.symbol)
                || self.sink.all().iter().any(|diag| {
                    diag.code == codes::SIGNATURE_MISMATCH
                        && diag.kernel.as_ref() == Some(&kernel.name)
                });
            if !said {
                let level = policy.unwrapped(&kernel.name, &kernel.symbol);
                let template = kernel.name.split('<').next().unwrap_or_default();
                groups
                    .or_default((template, level.unwrap_or(Level::Warn)))
                    .push((kernel, refusal));
            }
        }
        for ((template, _), kernels) in groups {
            let shown = match kernels.len() > MOST_REFUSED {
                true => &kernels[..1],
                false => &kernels[..],
            };
            for (kernel, refusal) in shown {
                let place = self.places.of(signatures, &kernel.symbol);
                let (place, remark) = (place.as_ref(), self.signed.remark(&kernel.symbol));
                let mut diag = if kernels.len() > MOST_REFUSED {
                    let all = (template, source, kernels.len());
                    signature::diags::refused_many(all, kernel, refusal, place, remark)
                } else {
                    signature::diags::refused(kernel, refusal, place, remark)
                };
                diag.level = policy
                    .unwrapped(&kernel.name, &kernel.symbol)
                    .unwrap_or(diag.level);
                self.sink.push(diag);
            }
        }
    }

    fn unreadable(&mut self, source: &str, target: Sm, error: &cubin_core::Error) {
        self.sink.push(Diag::error(
            codes::CUBIN_UNREADABLE,
            format!("the cubin of {source} for {target} cannot be read: {error}"),
        ));
    }

    /// The kernels of one cubin with their checked signatures.
    fn image(&mut self, source: &str, image: &Image<'_>) -> Option<(Signatures, Vec<Facts>)> {
        let target = image.target;
        let read = Cubin::parse(&image.bytes).and_then(|cubin| {
            let (recorded, functions) = (cubin.target()?, cubin.functions()?);
            let variables = cubin.variables()?;
            Ok((cubin, recorded, functions, variables))
        });
        let (cubin, recorded, functions, variables) = match read {
            Ok(read) => read,
            Err(error) => {
                self.unreadable(source, target, &error);
                return None;
            }
        };
        if recorded != target {
            self.sink.push(
                Diag::error(
                    codes::TARGET_MISMATCH,
                    format!("the cubin of {source} is for {recorded}, not for {target}"),
                )
                .note("NVCC_PREPEND_FLAGS, NVCC_APPEND_FLAGS or a flag may have changed the architecture"),
            );
            return None;
        }
        let mut signatures = if image.units.iter().any(|unit| unit.side_files.is_some()) {
            let mut signatures = self.signatures(source, image, &functions)?;
            for finding in signature::check_variables(&mut signatures, &variables, target) {
                self.sink.push(signature::diags::variable(source, &finding));
            }
            signatures
        } else {
            self.declared(&functions)
        };
        for unit in &image.units {
            restore_names(&mut signatures, &unit.dependencies);
        }
        let spills = match Spilled::new(&image.bytes, &image.units, &functions) {
            Ok(spills) => spills,
            Err(error) => {
                let message = format!("the calls in {source} for {target} cannot be read: {error}");
                self.sink
                    .push(Diag::error(codes::CUBIN_UNREADABLE, message));
                return None;
            }
        };
        let is_known = |function: &&Function<'_>| {
            let mut kernels = signatures.kernels.iter();
            !image.libraries || kernels.any(|kernel| kernel.symbol == function.symbol)
        };
        let facts = functions
            .iter()
            .filter(|function| function.kernel)
            .filter(is_known)
            .map(|function| {
                // Its C++ name is final when the targets are merged.
                let mut facts = Facts::of(function.symbol, target, &cubin, function)?;
                (facts.spills, facts.spilling_callees) = spills.of(function);
                Ok(facts)
            })
            .collect::<cubin_core::Result<Vec<Facts>>>();
        match facts {
            Ok(facts) => Some((signatures, facts)),
            Err(error) => {
                self.unreadable(source, target, &error);
                None
            }
        }
    }

    /// From the compiler's side files, checked against the cubin.
    fn signatures(
        &mut self,
        source: &str,
        image: &Image<'_>,
        functions: &[Function<'_>],
    ) -> Option<Signatures> {
        let target = image.target;
        let mut parts = Vec::new();
        for unit in &image.units {
            match self.signed.take(&unit.cubin) {
                Ok(mut signatures) => {
                    relative(&mut signatures, &self.places.root);
                    parts.push((file_of(unit, &image.units), signatures));
                }
                Err(why) => {
                    let mut diag = Diag::error(
                        codes::SIGNATURE_MISMATCH,
                        format!("the kernels of {source} for {target}: {why}"),
                    );
                    if let Some(toolkit) = self.toolkit {
                        diag = diag.note(format!("compiled with {toolkit}"));
                    }
                    self.sink.push(diag);
                    return None;
                }
            }
        }
        let mut signatures = match <[_; 1]>::try_from(parts) {
            Ok([(_, signatures)]) => signatures,
            Err(parts) => signature::linked(&parts),
        };
        let (own, others): (Vec<Function<'_>>, Vec<Function<'_>>) =
            functions.iter().cloned().partition(|function| {
                let mut kernels = signatures.kernels.iter();
                !image.libraries || kernels.any(|kernel| kernel.symbol == function.symbol)
            });
        let findings = signature::check(&mut signatures, &own, target);
        let dependencies = image.units.iter().flat_map(|unit| &unit.dependencies);
        signature::guard(&mut signatures, self.facts_of(dependencies));
        for finding in findings {
            let place = self.places.of(&signatures, &finding.symbol);
            let remark = self.signed.remark(&finding.symbol);
            let diag = signature::diags::mismatch(&finding, place.as_ref(), remark);
            self.sink.push(diag);
        }
        // Those that a library keeps to itself are its own affair: no user can launch them, or change them.
        let others: Vec<Function<'_>> = others
            .into_iter()
            .filter(|function| function.kernel && !signature::is_internal(function.symbol))
            .collect();
        if !others.is_empty() {
            let declared = self.declared(&others);
            let both = [(source.to_owned(), signatures), (String::new(), declared)];
            signatures = signature::linked(&both);
        }
        Some(signatures)
    }

    /// What the files that were compiled say of types that the compiler's side files cannot show.
    fn facts_of<'p>(
        &mut self,
        dependencies: impl Iterator<Item = &'p PathBuf>,
    ) -> signature::SourceFacts {
        let includes = toolkit_dirs(self.toolkit);
        let mut facts = signature::SourceFacts::default();
        for path in dependencies {
            // Other targets and other sources include it too.
            let known = self.places.int128.get(path).copied();
            let int128 = known.unwrap_or_else(|| {
                // The compiler has just read it; what cannot be read now is taken for doubtful.
                let found = fs::File::open(self.places.root.join(path))
                    .and_then(|file| signature::scan_source(path, file, &includes));
                found.map_or(true, |found| found.int128)
            });
            if known.is_none() {
                self.places.int128.insert(path.clone(), int128);
            }
            facts.int128 |= int128;
        }
        facts
    }

    /// From `[[kernel]]` and the symbols, for machine code without C++ source.
    fn declared(&mut self, functions: &[Function<'_>]) -> Signatures {
        let config = self.config;
        let of = |symbol: &str| {
            config
                .kernels
                .iter()
                .find(|kernel| kernel.symbol.value == symbol)
        };
        let (signatures, wrong) = declared::from_cubin(functions, |symbol| {
            let kernel = of(symbol).filter(|kernel| kernel.params_span.is_some())?;
            Some(
                kernel
                    .params
                    .iter()
                    .map(|param| param.value.as_str())
                    .collect(),
            )
        });
        for problem in wrong {
            let declared = of(&problem.symbol);
            let place = declared.and_then(|kernel| match problem.ordinal {
                Some(ordinal) => kernel.params.get(ordinal).map(|param| &param.span),
                None => kernel.params_span.as_ref(),
            });
            self.sink.push(signature::diags::declared(&problem, place));
        }
        signatures
    }
}

/// The name of a unit's file; its path where that is what tells it from another unit's.
fn file_of(unit: &Unit, all: &[&Unit]) -> String {
    let name = unit.source.file_name();
    let alike = all.iter().filter(|other| other.source.file_name() == name);
    let shown = match name {
        Some(name) if alike.count() == 1 => Path::new(name),
        _ => &unit.source,
    };
    shown.to_string_lossy().into_owned()
}

/// Gives files with letters beyond ASCII their names back.
///
/// In the line markers of `X.cudafe1.gpu` every such byte is three octal digits, without the backslash that would tell
/// them from digits (nvcc 13.5): `\xc3\xbc.cu` is `303274.cu`. The preprocessor's own list of files has the right names.
fn restore_names(signatures: &mut Signatures, dependencies: &[PathBuf]) {
    let renamed: Map<PathBuf, &PathBuf> = dependencies
        .iter()
        .filter_map(|path| {
            let name = path.to_str().filter(|name| !name.is_ascii())?;
            let printed: String = name
                .bytes()
                .map(|byte| match byte {
                    0x80.. => format!("{byte:03o}"),
                    _ => char::from(byte).to_string(),
                })
                .collect();
            Some((PathBuf::from(printed), path))
        })
        .collect();
    if renamed.is_empty() {
        return;
    }
    let Signatures {
        kernels,
        records,
        enums,
        ..
    } = signatures;
    let kernels = kernels.iter_mut().map(|kernel| &mut kernel.definition);
    let records = records.iter_mut().map(|record| &mut record.definition);
    let enums = enums.iter_mut().map(|item| &mut item.definition);
    for definition in kernels.chain(records).chain(enums).flatten() {
        if let Some(path) = renamed.get(&definition.file) {
            definition.file.clone_from(path);
        }
    }
}

/// Names files of the package by their place in it, as generated code may not hold a path of this machine.
fn relative(signatures: &mut Signatures, root: &Path) {
    let kernels = signatures
        .kernels
        .iter_mut()
        .map(|kernel| &mut kernel.definition);
    let records = signatures
        .records
        .iter_mut()
        .map(|record| &mut record.definition);
    let enums = signatures.enums.iter_mut().map(|item| &mut item.definition);
    for definition in kernels.chain(records).chain(enums).flatten() {
        let full = super::plain_path(&root.join(&definition.file));
        match full.strip_prefix(root) {
            Ok(inside) => definition.file = inside.to_owned(),
            Err(_) if definition.file.is_absolute() => definition.file = full,
            Err(_) => {}
        }
    }
}

/// Directories whose kernels and types are the toolkit's.
fn toolkit_dirs(toolkit: Option<&Toolkit>) -> Vec<PathBuf> {
    toolkit
        .map(|toolkit| toolkit.root.clone())
        .into_iter()
        .collect()
}

/// Gives kernels their C++ names and places; yields all, by symbol and target.
fn name(
    kernels: &mut Map<String, Map<Sm, Facts>>,
    signatures: &Signatures,
    places: &mut Places,
) -> Vec<Facts> {
    let mut all = Vec::new();
    for (symbol, targets) in kernels.iter_mut() {
        let mut named = signatures.kernels.iter();
        let kernel = named.find(|kernel| kernel.symbol == *symbol);
        let place = places.of(signatures, symbol);
        for (_, facts) in targets.iter_mut() {
            if let Some(kernel) = kernel {
                facts.name.clone_from(&kernel.name);
            }
            facts.place.clone_from(&place);
            all.push(facts.clone());
        }
    }
    all
}

/// Where kernels stand in the sources. Reads each file once.
pub(super) struct Places {
    root: PathBuf,
    files: Map<PathBuf, Option<SourceFile>>,
    /// Which files name a 128-bit integer.
    int128: HashMap<PathBuf, bool>,
}

impl Places {
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_owned(),
            files: Map::new(),
            int128: HashMap::new(),
        }
    }

    /// The file under the name that messages show, when it can be read.
    pub(super) fn file(&mut self, path: &Path) -> Option<SourceFile> {
        let root = &self.root;
        self.files
            .or_insert_with(path.to_owned(), || {
                SourceFile::read(&root.join(path), shown_path(root, path)).ok()
            })
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
