//! The fourth phase: the images of a module brought together over its targets.

use std::path::Path;

use cubin_core::Sm;

use super::{
    image::{Image, Images, Names},
    places::Places,
    problem::{BadCode, Problem},
    ptx::{self, Compute},
    settings::Settings,
};
use crate::{
    codegen,
    diag::{Level, Sink},
    kernel::Facts,
    lists::{AddAll, CollectVec},
    policy::{Policy, Which},
    signature::{
        self, Finding,
        model::{Kernel, Refusal, Signatures},
    },
    sorted::{self, Map, Set},
    source::{MOST_BYTES, Span, read_file},
};

/// More instances of one template without a wrapper are one finding.
const MOST_REFUSED: usize = 4;

/// A kernel without a wrapper, why, and its place.
type Refused<'a> = (&'a Kernel, &'a Refusal, Option<Span>);

/// What every definition of a kernel has.
const GLOBAL: &[u8] = b"__global__";

/// One generated module, with what lies beside it.
pub(super) struct Module<'b> {
    pub(super) module: codegen::Module,
    pub(super) files: Vec<Embedded<'b>>,
}

/// A file beside the generated one.
pub(super) struct Embedded<'b> {
    pub(super) name: String,
    pub(super) bytes: &'b [u8],
    pub(super) is_ptx: bool,
}

/// Brings all modules together; what is wrong goes into `sink`.
pub(super) fn run<'b>(
    settings: &Settings,
    modules: Vec<Images<'b>>,
    places: &mut Places,
    sink: &mut Sink,
) -> Vec<Module<'b>> {
    let policy = Policy::new(&settings.config);
    let mut all = Vec::with_capacity(modules.len());
    for Images { names, images } in modules {
        let join = Join {
            settings,
            policy: &policy,
            names,
        };
        all.add_all(join.module(images, places, sink));
    }
    all
}

/// Everything that is known of every kernel, by name, then target.
pub(super) fn facts(modules: &[Module<'_>]) -> Vec<Facts> {
    let by_symbol = modules.iter().flat_map(|module| module.module.facts.iter());
    let mut all: Vec<Facts> = by_symbol
        .flat_map(|(_, targets)| targets.iter().map(|(_, facts)| facts.clone()))
        .collect_vec();
    sorted::sort_by(&mut all, |a, b| {
        (&a.name, a.target, &a.symbol).cmp(&(&b.name, b.target, &b.symbol))
    });
    all
}

/// What one module is made with.
struct Join<'a> {
    settings: &'a Settings,
    policy: &'a Policy<'a>,
    names: &'a Names,
}

impl Join<'_> {
    /// `None` when it has no kernel; the sink then says why.
    fn module<'b>(
        &self,
        images: Vec<Image<'b>>,
        places: &mut Places,
        sink: &mut Sink,
    ) -> Option<Module<'b>> {
        let names = self.names;
        let (embedded, files) = match self.files(&images) {
            Ok(found) => found,
            Err(what) => {
                let source = names.source.clone();
                sink.push(Problem::Code { source, what }.into());
                return None;
            }
        };
        // Without machine code there are no facts.
        let unproved = images.iter().all(|image| image.bytes.is_empty());
        let mut per_target = Vec::new();
        let mut facts: Map<String, Map<Sm, Facts>> = Map::new();
        let mut mismatches = Vec::new();
        let mut remarks = Map::new();
        for image in images {
            for of_kernel in image.facts {
                let targets = facts.or_default(of_kernel.symbol.clone());
                targets.insert(image.target, of_kernel);
            }
            for finding in image.mismatches {
                let place = places.kernel(&image.signatures, &finding.symbol);
                let remark = image.remarks.get(&finding.symbol).map(String::as_str);
                let place = place.as_ref();
                sink.push(signature::diags::mismatch(&finding, place, remark));
                mismatches.push(finding);
            }
            remarks.extend(image.remarks);
            per_target.push((image.target, image.signatures));
        }
        // Kernels for some targets only (`#if __CUDA_ARCH__ >= 900`) are not a mistake.
        let declared = |(_, signatures): &(Sm, Signatures)| !signatures.kernels.is_empty();
        let any = !facts.is_empty() || unproved && per_target.iter().any(declared);
        if !any && names.host {
            return None;
        }
        if !any {
            let targets = per_target.iter().map(|(target, _)| *target);
            let problem = Problem::NoKernels {
                source: names.source.clone(),
                targets: targets.collect_vec(),
                wanted: !names.found || self.writes_kernels(),
            };
            sink.push(problem.into());
            return None;
        }
        let (signatures, differences) = signature::same_on_every_target(&per_target);
        for finding in &differences {
            let place = places.kernel(&signatures, &finding.symbol);
            sink.push(signature::diags::mismatch(finding, place.as_ref(), None));
        }
        let file = (!names.linked).then_some(names.source.as_str());
        name(&mut facts, &signatures, file, places);
        mismatches.add_all(differences);
        self.refused(&signatures, &mismatches, &remarks, places, sink);
        let module = codegen::Module {
            name: names.module.clone(),
            source: names.source.clone(),
            images: embedded,
            fatbin: self
                .settings
                .fatbins
                .map(|_| format!("{}.fatbin", names.files)),
            signatures,
            facts,
        };
        Some(Module { module, files })
    }

    /// What lies beside the generated file, as code names it and as it is written.
    fn files<'b>(
        &self,
        images: &[Image<'b>],
    ) -> Result<(Vec<codegen::EmbeddedImage>, Vec<Embedded<'b>>), BadCode> {
        let mut embedded = Vec::new();
        let mut files: Vec<Embedded<'b>> = Vec::new();
        for image in images {
            if image.bytes.is_empty() {
                continue;
            }
            let target = image.target;
            if let Some(text) = image.ptx {
                let of = ptx::architecture(text).ok_or(BadCode::NoTarget(target))?;
                let name = format!("{}.{}.ptx", self.names.files, Compute(of));
                // The PTX of a `.ptx` source is one and the same for every target.
                if !files.iter().any(|known| known.name == name) {
                    embedded.push(codegen::EmbeddedImage {
                        target: of,
                        file: name.clone(),
                        assembled_for: Some(target),
                    });
                    files.push(Embedded {
                        name,
                        bytes: text,
                        is_ptx: true,
                    });
                }
            }
            let name = format!("{}.{target}.cubin", self.names.files);
            embedded.push(codegen::EmbeddedImage {
                target,
                file: name.clone(),
                assembled_for: None,
            });
            files.push(Embedded {
                name,
                bytes: image.bytes,
                is_ptx: false,
            });
        }
        Ok((embedded, files))
    }

    /// Whether the text of the source defines kernels, perhaps templates that nothing instantiates.
    fn writes_kernels(&self) -> bool {
        // Not to be read now: taken for one that does.
        let path = self.settings.root.join(&self.names.source);
        read_file(&path, MOST_BYTES).map_or(true, |text| {
            text.windows(GLOBAL.len()).any(|word| word == GLOBAL)
        })
    }

    /// Says which kernels get no wrapper, unless a mismatch has said so. Many instances of one template, as one that
    /// takes lambdas has them, are one finding.
    fn refused(
        &self,
        signatures: &Signatures,
        mismatches: &[Finding],
        remarks: &Map<String, String>,
        places: &mut Places,
        sink: &mut Sink,
    ) {
        let said: Set<&str> = mismatches
            .iter()
            .map(|finding| finding.symbol.as_str())
            .collect();
        let file = (!self.names.linked).then_some(self.names.source.as_str());
        let mut groups: Map<(&str, Option<Level>), Vec<Refused<'_>>> = Map::new();
        for kernel in &signatures.kernels {
            let Some(refusal) = &kernel.refusal else {
                continue;
            };
            if kernel.in_toolkit_header || said.contains(kernel.symbol.as_str()) {
                continue;
            }
            let template = kernel.name.split('<').next().unwrap_or_default();
            let place = places.kernel(signatures, &kernel.symbol);
            let paths = sources(file, place.as_ref());
            let level = self.policy.unwrapped(Which {
                name: &kernel.name,
                symbol: &kernel.symbol,
                sources: &paths
                    .map(|path| path.to_string_lossy().replace('\\', "/"))
                    .collect_vec(),
            });
            groups
                .or_default((template, level))
                .push((kernel, refusal, place));
        }
        for ((template, level), kernels) in groups {
            let many = kernels.len() > MOST_REFUSED;
            let shown = if many { &kernels[..1] } else { &kernels[..] };
            for (kernel, refusal, place) in shown {
                let place = place.as_ref();
                let remark = remarks.get(&kernel.symbol).map(String::as_str);
                let mut diag = if many {
                    let all = (template, self.names.source.as_str(), kernels.len());
                    signature::diags::refused_many(all, kernel, refusal, place, remark)
                } else {
                    signature::diags::refused(kernel, refusal, place, remark)
                };
                diag.level = level.unwrap_or(diag.level);
                sink.push(diag);
            }
        }
    }
}

/// The file that is compiled and the one that holds a definition.
fn sources<'a>(file: Option<&'a str>, place: Option<&'a Span>) -> impl Iterator<Item = &'a Path> {
    let defined = place.map(|place| place.file.path());
    file.map(Path::new).into_iter().chain(defined)
}

/// Gives kernels their C++ names and places; `file` is what they are compiled of.
fn name(
    facts: &mut Map<String, Map<Sm, Facts>>,
    signatures: &Signatures,
    file: Option<&str>,
    places: &mut Places,
) {
    for (symbol, targets) in facts.iter_mut() {
        let mut named = signatures.kernels.iter();
        let kernel = named.find(|kernel| kernel.symbol == *symbol);
        let place = places.kernel(signatures, symbol);
        let typed = kernel.and_then(|kernel| signature::abi::of(kernel, signatures));
        for (_, facts) in targets.iter_mut() {
            let sizes = || signature::abi::of_sizes(&facts.params);
            facts.signature = typed.clone().or_else(sizes);
            if let Some(kernel) = kernel {
                facts.name.clone_from(&kernel.name);
            }
            facts.place.clone_from(&place);
            for path in sources(file, place.as_ref()) {
                facts.add_source(path);
            }
            let code = facts.instructions.iter_mut();
            for line in code.flat_map(|code| &mut code.lines) {
                line.place = places.line(&line.file, line.line);
            }
        }
    }
}
