//! The third phase: every cubin parsed once, with the signatures of its kernels, checked against it.

mod binary;
mod calls;
pub(super) mod files;
#[cfg(feature = "instructions")]
mod instructions;
#[cfg(feature = "artifact")]
mod linked;
mod load;
mod prebuilt;
mod signed;
mod spilled;

use std::path::Path;

use cubin_core::{Cubin, Function, Sm, Stack, cubin::ObjectKind, variable::Variable};

#[cfg(feature = "artifact")]
pub use self::linked::linked_kernels;
use self::{
    binary::Binary,
    signed::{Part, Sides},
    spilled::Spilled,
};
pub(super) use self::{
    binary::{Loaded, Names},
    load::load,
};
use super::{
    compile::{self, Compiled},
    problem::{BadCode, Problem},
    ptx,
    settings::Settings,
    side::{self, Side},
    sources::Sources,
};
use crate::{
    compile::{SharedUse, Unit, uses_dynamic_shared},
    config::DeclaredKernel,
    diag::Sink,
    env::Env,
    kernel::{self, Facts},
    lists::{AddAll, CollectSome, CollectVec, Figures},
    ptx::Entry,
    signature::{
        self, Finding,
        declared::{self, Wrong},
        model::Signatures,
        typed,
    },
    sorted::{Map, Set},
};

/// The images of one module, one for each target.
pub(super) struct Images<'b> {
    pub(super) names: &'b Names,
    pub(super) images: Vec<Image<'b>>,
}

/// What one cubin says, and what nvcc's front end says of it.
pub(super) struct Image<'b> {
    pub(super) target: Sm,
    pub(super) bytes: &'b [u8],
    /// The PTX that it was assembled from, where that is embedded too.
    pub(super) ptx: Option<&'b [u8]>,
    pub(super) signatures: Signatures,
    /// By symbol as yet; C++ names are final when the targets are merged.
    pub(super) facts: Vec<Facts>,
    /// Where signatures and cubin do not agree.
    pub(super) mismatches: Vec<Finding>,
    /// What came of asking the compiler about a kernel's parameters, by symbol, where that did not help.
    pub(super) remarks: Map<String, String>,
    /// Properties of kernels that left no trace.
    #[cfg(feature = "nvvm")]
    pub(super) dropped: super::nvvm::Dropped,
}

/// A cubin as it is parsed.
struct Parsed<'b> {
    target: Sm,
    cubin: Cubin<'b>,
    functions: Vec<Function<'b>>,
    variables: Vec<Variable<'b>>,
}

/// What was read of one target of a module; nothing where there is no machine code.
type Read<'b, 'c> = (&'b Binary<'c>, Option<Parsed<'b>>);

/// What reading takes along.
pub(super) struct Context<'a> {
    pub(super) settings: &'a Settings,
    pub(super) sources: &'a Sources,
    pub(super) env: &'a Env,
    pub(super) compiled: &'a Compiled,
}

impl Context<'_> {
    /// Reads all images. A module of which one cannot be read is left out; `sink` then says why.
    pub(super) fn read<'b>(&self, loaded: &'b [Loaded<'_>], sink: &mut Sink) -> Vec<Images<'b>> {
        let mut parsed = Vec::with_capacity(loaded.len());
        for module in loaded {
            let mut images = Vec::with_capacity(module.binaries.len());
            for binary in &module.binaries {
                if binary.declared().is_some() && self.compiled.front_end_only {
                    images.push((binary, None));
                    continue;
                }
                match parse(binary) {
                    Ok(image) => images.push((binary, Some(image))),
                    Err(what) => self.refuse(module, what, sink),
                }
            }
            if images.len() == module.binaries.len() {
                served(module, &images, sink);
            }
            // Without one of its targets a module is not read on: kernels would seem to be missing there.
            if images.len() == module.binaries.len() {
                parsed.push((module, images));
            }
        }
        let mut sides = self.sides(&parsed);
        let mut all = Vec::new();
        for (module, binaries) in &parsed {
            let mut images = Vec::with_capacity(binaries.len());
            for (binary, parsed) in binaries {
                let image = match (parsed, binary.declared()) {
                    (Some(parsed), _) => self.image(module, binary, parsed, &mut sides, sink),
                    (None, Some(target)) => self.front_end_only(binary, target, &mut sides),
                    // Nothing else is left unparsed.
                    (None, None) => continue,
                };
                match image {
                    Ok(image) => images.push(image),
                    Err(what) => self.refuse(module, what, sink),
                }
            }
            if images.len() == module.binaries.len() {
                all.push(Images {
                    names: &module.names,
                    images,
                });
            }
        }
        all
    }

    /// A module that cannot be read. What the tools made of it is not up to date next time.
    fn refuse(&self, module: &Loaded<'_>, what: BadCode, sink: &mut Sink) {
        tell(module, what, sink);
        for binary in &module.binaries {
            let results = binary.units.iter().flat_map(|unit| unit.results());
            crate::compile::forget(results);
        }
        let linked = self.compiled.linked.iter();
        let linked = linked.filter(|linked| linked.name == module.names.module);
        crate::compile::forget(linked.map(|linked| linked.cubin.as_path()));
    }

    /// What lies beside the cubins of all units; a unit whose cubin is an image of its own is read with it.
    fn sides<'b>(&self, parsed: &[(&'b Loaded<'_>, Vec<Read<'b, '_>>)]) -> Sides {
        let Some(toolkit) = &self.compiled.toolkit else {
            return self.kept();
        };
        let mut parts = Vec::new();
        for (binary, image) in parsed.iter().flat_map(|(_, images)| images) {
            let alone = binary.units.len() == 1 && !binary.libraries;
            let functions = image.as_ref().map(|image| image.functions.as_slice());
            parts.add_all(binary.units.iter().map(|unit| Part {
                unit,
                functions: functions.filter(|_| alone),
            }));
        }
        let request = compile::request(self.settings, self.sources, toolkit);
        signed::read(self.env, &request, parts)
    }

    /// What lies beside cubins that no compiler has made now.
    fn kept(&self) -> Sides {
        let mut sides = Sides::new();
        for (cubin, bytes) in &self.compiled.sides {
            let side = side::decode(bytes).ok_or_else(|| "they are damaged".to_owned());
            sides.insert(cubin.clone(), Some(side));
        }
        sides
    }

    fn image<'b>(
        &self,
        module: &Loaded<'_>,
        binary: &'b Binary<'_>,
        parsed: &Parsed<'b>,
        sides: &mut Sides,
        sink: &mut Sink,
    ) -> Result<Image<'b>, BadCode> {
        let target = parsed.target;
        let mut own_sides = Vec::with_capacity(binary.units.len());
        for unit in &binary.units {
            own_sides.push(self.side(unit, sides)?);
        }
        let mut image = Image {
            target,
            bytes: &binary.bytes,
            ptx: binary.ptx.as_deref(),
            facts: self.facts(binary, parsed, &own_sides)?,
            signatures: Signatures::default(),
            mismatches: Vec::new(),
            remarks: Map::new(),
            #[cfg(feature = "nvvm")]
            dropped: super::nvvm::Dropped::default(),
        };
        let mut all = self.typed(&mut image, binary, parsed, &own_sides, sink);
        let entries = own_sides.iter().flat_map(|side| &side.entries);
        let of_ptx: Set<String> = entries.map(|entry| entry.symbol.clone()).collect();
        let functions = parsed.functions.iter();
        let others = functions.filter(|function| !of_ptx.contains(function.symbol));
        let others: Vec<Function<'_>> = others.cloned().collect_vec();
        if own_sides.iter().any(|side| side.signature.is_some()) {
            self.sign(module, &mut image, binary, &others, own_sides, sink);
            let signatures = &mut image.signatures;
            for finding in signature::check_variables(signatures, &parsed.variables, target) {
                let source = &module.names.source;
                sink.push(signature::diags::variable(source, &finding));
            }
        } else {
            image.signatures = self.declared(&others, sink);
        }
        if !all.is_empty() {
            let first = std::mem::take(&mut image.signatures);
            all.insert(0, (module.names.source.clone(), first));
            image.signatures = signature::linked(&all);
        }
        for unit in &binary.units {
            files::restore_names(&mut image.signatures, &mut unit.files());
        }
        if binary.libraries {
            // Kernels that a library keeps to itself.
            let known = &image.signatures.kernels;
            let is_known = |facts: &Facts| known.iter().any(|known| known.symbol == facts.symbol);
            image.facts.retain(is_known);
        }
        Ok(image)
    }

    /// What is known of every kernel of an image.
    fn facts(
        &self,
        binary: &Binary<'_>,
        parsed: &Parsed<'_>,
        sides: &[Side],
    ) -> Result<Vec<Facts>, BadCode> {
        let target = parsed.target;
        let spills = Spilled::new(&parsed.cubin, &binary.units, &parsed.functions)
            .map_err(|error| BadCode::Calls { target, error })?;
        let module_constant = kernel::constant_banks(&parsed.variables);
        let shared: Option<Vec<&SharedUse>> =
            sides.iter().map(|side| side.shared.as_ref()).collect_some();
        let shared = shared.filter(|units| !units.is_empty());
        let mut all = Vec::new();
        for function in parsed.functions.iter().filter(|function| function.kernel) {
            let mut facts = Facts::of(function.symbol, target, &parsed.cubin, function)
                .map_err(|error| BadCode::Unreadable { target, error })?;
            (facts.spills, facts.spilling_callees) = spills.of(function);
            // ptxas 12.4 records 0 where kernels call through pointers (11.8 and 13.5 do not): a sum that is less than one of
            // its parts is none.
            let known = facts.resources.stack.bytes().map(u64::from);
            if known.is_some_and(|bytes| bytes < spills.deepest_frame(function)) {
                facts.resources.stack = Stack::NotRecorded;
            }
            facts.module_constant.clone_from(&module_constant);
            let told = shared
                .as_ref()
                .and_then(|units| uses_dynamic_shared(function.symbol, units, binary.libraries));
            // PTX knows of each kernel; a cubin rules it out at most.
            facts.resources.dynamic_shared = told.or(facts.resources.dynamic_shared);
            all.push(facts);
        }
        self.count(parsed, &mut all)?;
        Ok(all)
    }

    /// What the code of each kernel is made of, where a budget asks.
    #[cfg(feature = "instructions")]
    fn count(&self, parsed: &Parsed<'_>, all: &mut [Facts]) -> Result<(), BadCode> {
        if !crate::policy::counts_instructions(&self.settings.config) {
            return Ok(());
        }
        let target = parsed.target;
        let toolkit = self.compiled.toolkit.as_ref();
        let counter = instructions::Counter::new(&parsed.cubin, &parsed.functions, target, toolkit)
            .map_err(|error| BadCode::Unreadable { target, error })?;
        let kernels = parsed.functions.iter().filter(|function| function.kernel);
        for (facts, function) in all.iter_mut().zip(kernels) {
            facts.instructions = counter.of(function);
        }
        Ok(())
    }

    /// Nothing: `config` refuses budgets that ask.
    #[cfg(not(feature = "instructions"))]
    #[expect(
        clippy::unused_self,
        clippy::unnecessary_wraps,
        reason = "the other one's signature"
    )]
    fn count(&self, _: &Parsed<'_>, _: &mut [Facts]) -> Result<(), BadCode> {
        Ok(())
    }

    /// What lies beside a unit's cubin, to be taken once.
    fn side(&self, unit: &Unit, sides: &mut Sides) -> Result<Side, BadCode> {
        let read = sides.get_mut(&unit.cubin).and_then(Option::take);
        let read = read.unwrap_or_else(|| Err("they were not read".to_owned()));
        read.map_err(|why| BadCode::Signatures {
            target: unit.target,
            why,
            toolkit: self.compiled.toolkit.as_ref().map(ToString::to_string),
        })
    }

    /// From the compiler's side files, checked against the cubin.
    fn sign(
        &self,
        module: &Loaded<'_>,
        image: &mut Image<'_>,
        binary: &Binary<'_>,
        functions: &[Function<'_>],
        sides: Vec<Side>,
        sink: &mut Sink,
    ) {
        let (mut signatures, source_facts) = self.brought_together(image, binary, sides);
        let (own, others) = by_origin(&signatures, binary, functions);
        let mismatches = signature::check(&mut signatures, &own, image.target);
        for finding in &mismatches {
            // One of the tools' files is not what the tools make.
            if finding.of_kernel_set() {
                for unit in &binary.units {
                    crate::compile::forget(unit.results());
                }
            }
        }
        image.mismatches.add_all(mismatches);
        signature::guard(&mut signatures, &source_facts);
        // Those that a library keeps to itself are its own affair: no user can launch them, or change them.
        let others: Vec<Function<'_>> = others
            .into_iter()
            .filter(|function| function.kernel && !signature::is_internal(function.symbol))
            .collect_vec();
        if !others.is_empty() {
            let declared = self.declared(&others, sink);
            let source = module.names.source.clone();
            let both = [(source, signatures), (String::new(), declared)];
            signatures = signature::linked(&both);
        }
        image.signatures = signatures;
    }

    /// What the compiler's side files say of all units, not checked yet.
    fn brought_together(
        &self,
        image: &mut Image<'_>,
        binary: &Binary<'_>,
        sides: Vec<Side>,
    ) -> (Signatures, signature::SourceFacts) {
        let mut source_facts = signature::SourceFacts::default();
        let mut parts = Vec::new();
        for (unit, side) in binary.units.iter().zip(sides) {
            source_facts.extend(&side.source);
            let Some(signature) = side.signature else {
                continue;
            };
            image.remarks.extend(signature.remarks);
            let mut signatures = signature.signatures;
            files::relative(&mut signatures, &self.settings.root);
            parts.push((file_of(unit, &binary.units), signatures));
        }
        let signatures = match <[_; 1]>::try_from(parts) {
            Ok([(_, signatures)]) => signatures,
            Err(parts) => signature::linked(&parts),
        };
        (signatures, source_facts)
    }

    /// What is known without machine code: the signatures, which nothing proves.
    fn front_end_only<'b>(
        &self,
        binary: &'b Binary<'_>,
        target: Sm,
        sides: &mut Sides,
    ) -> Result<Image<'b>, BadCode> {
        let mut own = Vec::with_capacity(binary.units.len());
        for unit in &binary.units {
            own.push(self.side(unit, sides)?);
        }
        let mut image = Image {
            target,
            bytes: &binary.bytes,
            ptx: None,
            facts: Vec::new(),
            signatures: Signatures::default(),
            mismatches: Vec::new(),
            remarks: Map::new(),
            #[cfg(feature = "nvvm")]
            dropped: super::nvvm::Dropped::default(),
        };
        let (mut signatures, source_facts) = self.brought_together(&mut image, binary, own);
        signature::guard(&mut signatures, &source_facts);
        for unit in &binary.units {
            files::restore_names(&mut signatures, &mut unit.files());
        }
        image.signatures = signatures;
        Ok(image)
    }

    /// From the PTX that is a source, each with the name of its file.
    fn typed(
        &self,
        image: &mut Image<'_>,
        binary: &Binary<'_>,
        parsed: &Parsed<'_>,
        sides: &[Side],
        sink: &mut Sink,
    ) -> Vec<(String, Signatures)> {
        let mut all = Vec::new();
        for (unit, side) in binary.units.iter().zip(sides) {
            if side.entries.is_empty() {
                continue;
            }
            let text = self.text(unit, &side.entries);
            let mut found = typed::from_ptx(text, &parsed.functions, image.target, |symbol| {
                self.declared_types(symbol)
            });
            #[cfg(feature = "nvvm")]
            if let Some(read) = self.compiled.modules.of(&unit.source) {
                image
                    .dropped
                    .look(unit, read, &side.entries, &parsed.functions);
            }
            self.tell_wrong(&found.wrong, sink);
            image.mismatches.add_all(found.findings);
            files::relative(&mut found.signatures, &self.settings.root);
            all.push((file_of(unit, &binary.units), found.signatures));
        }
        all
    }

    /// The PTX of a unit with what it was made of.
    #[cfg(feature = "nvvm")]
    fn text<'t>(&'t self, unit: &'t Unit, entries: &'t [Entry]) -> typed::Text<'t> {
        let read = self.compiled.modules.of(&unit.source);
        typed::Text {
            module: read.map(|read| (&read.module, &read.file)),
            made: unit.source.extension().is_none_or(|end| end != "ptx"),
            ..typed::Text::new(entries, &unit.source)
        }
    }

    #[cfg(not(feature = "nvvm"))]
    #[expect(clippy::unused_self, reason = "the other one's signature")]
    fn text<'t>(&'t self, unit: &'t Unit, entries: &'t [Entry]) -> typed::Text<'t> {
        typed::Text::new(entries, &unit.source)
    }

    /// From `[[kernel]]` and the symbols, for machine code without any source.
    fn declared(&self, functions: &[Function<'_>], sink: &mut Sink) -> Signatures {
        let (signatures, wrong) =
            declared::from_cubin(functions, |symbol| self.declared_types(symbol));
        self.tell_wrong(&wrong, sink);
        signatures
    }

    /// The types that `[[kernel]]` has for a symbol.
    fn declared_types(&self, symbol: &str) -> Option<Vec<&str>> {
        let kernel = self.declared_kernel(symbol)?;
        kernel.params_span.as_ref()?;
        let params = kernel.params.iter();
        Some(params.map(|param| param.value.as_str()).collect_vec())
    }

    fn declared_kernel(&self, symbol: &str) -> Option<&DeclaredKernel> {
        let mut declared = self.settings.config.kernels.iter();
        declared.find(|kernel| kernel.symbol.value == symbol)
    }

    /// Declarations that do not fit, each with its place.
    fn tell_wrong(&self, all: &[Wrong], sink: &mut Sink) {
        for wrong in all {
            let kernel = self.declared_kernel(&wrong.symbol);
            let place = kernel.and_then(|kernel| match wrong.ordinal {
                Some(ordinal) => kernel.params.get(ordinal).map(|param| &param.span),
                None => kernel.params_span.as_ref(),
            });
            sink.push(signature::diags::declared(wrong, place));
        }
    }
}

fn tell(module: &Loaded<'_>, what: BadCode, sink: &mut Sink) {
    let source = module.names.source.clone();
    sink.push(Problem::Code { source, what }.into());
}

/// Says which of the targets asked for no image of a module runs on. What is compiled has one for each.
fn served(module: &Loaded<'_>, images: &[Read<'_, '_>], sink: &mut Sink) {
    let parsed = || {
        let images = images.iter();
        images.filter_map(|(binary, image)| Some((binary, image.as_ref()?)))
    };
    if parsed().next().is_none() {
        return;
    }
    let serves = |target: Sm| {
        parsed().any(|(binary, image)| {
            let ptx = binary.ptx.as_deref().and_then(ptx::architecture);
            image.target.runs_on(target) || ptx.is_some_and(|ptx| ptx.compiles_for(target))
        })
    };
    let wanted = module.targets.iter().copied();
    let targets: Vec<Sm> = wanted.filter(|target| !serves(*target)).collect_vec();
    if !targets.is_empty() {
        let what = BadCode::Unserved {
            all: targets.len() == module.targets.len(),
            held: parsed().map(|(_, image)| image.target).collect_vec(),
            targets,
        };
        tell(module, what, sink);
    }
}

/// Parses a cubin, which must be for the target that it was made for.
fn parse<'b>(binary: &'b Binary<'_>) -> Result<Parsed<'b>, BadCode> {
    let parsed = Cubin::parse(&binary.bytes).and_then(|cubin| {
        Ok(Parsed {
            target: cubin.target()?,
            functions: cubin.functions()?,
            variables: cubin.variables()?,
            cubin,
        })
    });
    if let Ok(parsed) = &parsed
        && parsed.cubin.kind() == ObjectKind::Relocatable
    {
        return Err(BadCode::Relocatable {
            target: parsed.target,
            compiled: !binary.units.is_empty(),
        });
    }
    match (parsed, binary.target) {
        (Ok(parsed), Some(target)) if parsed.target != target => Err(BadCode::OtherTarget {
            target,
            recorded: parsed.target,
        }),
        (Ok(parsed), _) => Ok(parsed),
        (Err(error), Some(target)) => Err(BadCode::Unreadable { target, error }),
        (Err(error), None) => Err(BadCode::Prebuilt(error)),
    }
}

/// The functions of the sources, and those of libraries.
fn by_origin<'b>(
    signatures: &Signatures,
    binary: &Binary<'_>,
    functions: &[Function<'b>],
) -> (Vec<Function<'b>>, Vec<Function<'b>>) {
    functions.iter().cloned().partition(|function| {
        let mut kernels = signatures.kernels.iter();
        !binary.libraries || kernels.any(|kernel| kernel.symbol == function.symbol)
    })
}

/// The name of a unit's file; its path where that is what tells it from another unit's.
fn file_of(unit: &Unit, all: &[&Unit]) -> String {
    let name = unit.source.file_name();
    let alike = all.iter().filter(|other| other.source.file_name() == name);
    let shown = match name {
        Some(name) if alike.how_many() == 1 => Path::new(name),
        _ => &unit.source,
    };
    shown.to_string_lossy().into_owned()
}
