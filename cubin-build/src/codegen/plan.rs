//! Decides, before anything is written: which kernels get a wrapper and under which name, which types the
//! file needs, and in which module each is defined. A type that several source files define alike is
//! defined once, in `types`.

use crate::sorted::{self, Map, Set};
use cubin_core::Sm;

use super::{
    families,
    input::{Finding, Input, Module},
    layout, names,
    names::NameKind,
    placing::{TypeNames, share},
    planned::{
        Builtins, Key, Methods, Plan, PlannedGlobal, PlannedKernel, PlannedModule, RustPath, reach,
    },
};
use crate::signature::model::{Global, Kernel, Signatures, Type};

/// Decides everything.
pub(super) fn plan(input: &Input) -> Plan<'_> {
    let mut sources: Vec<&Module> = input.modules.iter().collect();
    sorted::sort_by(&mut sources, |a, b| {
        (&a.name, &a.source).cmp(&(&b.name, &b.source))
    });
    let mut findings = Vec::new();
    let mut taken: Map<String, &str> = Map::new();
    let mut modules = Vec::new();
    for source in sources {
        let ident = names::ident(&source.name, NameKind::Source);
        if let Some(first) = taken.get(&ident) {
            findings.push(Finding::NameCollision {
                module: String::new(),
                name: ident,
                items: [(*first).to_owned(), source.source.clone()],
            });
            continue;
        }
        taken.insert(ident.clone(), &source.source);
        modules.push(plan_module(source, ident, &mut findings));
    }
    share(&mut modules);
    let mut builtins = Builtins::default();
    for module in &modules {
        builtins.collect(module);
    }
    let clusters = input
        .modules
        .iter()
        .flat_map(|module| &module.images)
        .any(|image| image.target >= Sm::new(90));
    Plan {
        input,
        modules,
        builtins,
        clusters,
        findings,
    }
}

fn plan_module<'a>(
    module: &'a Module,
    ident: String,
    findings: &mut Vec<Finding>,
) -> PlannedModule<'a> {
    let signatures = &module.signatures;
    let mut refused = Vec::new();
    let mut wanted: Vec<&Kernel> = Vec::new();
    for kernel in &signatures.kernels {
        if kernel.in_toolkit_header {
            continue;
        }
        if let Some(refusal) = &kernel.refusal {
            refused.push((kernel.name.clone(), refusal.reason.clone()));
            continue;
        }
        if let Some(reason) = unsupported(kernel, signatures) {
            findings.push(Finding::Unsupported {
                module: module.name.clone(),
                kernel: kernel.name.clone(),
                reason: reason.clone(),
            });
            refused.push((kernel.name.clone(), reason));
            continue;
        }
        wanted.push(kernel);
    }

    // Types first: a kernel whose types cannot be told apart by name gets no wrapper.
    let mut placed = Placed::new(signatures, &ident);
    let mut kept = Vec::new();
    for kernel in wanted {
        let types = kernel.params.iter().map(|param| &param.ty);
        let Err(taken) = placed.add(types) else {
            kept.push(kernel);
            continue;
        };
        let (place, first) = *taken;
        let name = format!("{}::{}", place.path.join("::"), place.ident);
        refused.push((
            kernel.name.clone(),
            format!(
                "its type `{}` and `{first}` would both be `{name}` in Rust",
                place.name
            ),
        ));
        findings.push(Finding::NameCollision {
            module: module.name.clone(),
            name,
            items: [first, place.name],
        });
    }
    let typed: Vec<(&Global, Option<&Type>)> = signatures
        .globals
        .iter()
        .map(|global| {
            let ty = global.ty.as_ref().filter(|ty| {
                layout::size_align(ty, signatures).is_some_and(|(size, _)| size == global.size)
            });
            // A variable whose type cannot be named is bytes.
            (
                global,
                ty.filter(|ty| placed.add(std::iter::once(*ty)).is_ok()),
            )
        })
        .collect();

    let mut methods = Methods::default();
    let kernels = name_kernels(
        module,
        &ident,
        &kept,
        &typed,
        &mut methods,
        &mut refused,
        findings,
    );
    let globals = name_globals(module, &ident, typed, &mut methods, findings);
    let (families, named_only) = families::find(&kernels, signatures, &mut methods);

    let places = placed.places;
    let mut planned = PlannedModule {
        input: module,
        ident,
        kernels,
        families,
        named_only,
        globals,
        refused,
        records: Map::new(),
        enums: Map::new(),
        opaques: Map::new(),
    };
    for (key, place) in places {
        match key {
            Key::Record(id) => planned.records.insert(id, place),
            Key::Enum(id) => planned.enums.insert(id, place),
            Key::Opaque(name) => planned.opaques.insert(name, place),
        };
    }
    planned
}

/// Types with a place so far.
struct Placed<'a> {
    names: TypeNames<'a>,
    signatures: &'a Signatures,
    root: &'a str,
    owners: Map<(Vec<String>, String), Key>,
    places: Map<Key, RustPath>,
}

impl<'a> Placed<'a> {
    fn new(signatures: &'a Signatures, root: &'a str) -> Self {
        Self {
            names: TypeNames::new(signatures),
            signatures,
            root,
            owners: Map::new(),
            places: Map::new(),
        }
    }

    /// Gives places to all types that `types` need, or none: then one of them and the C++ name of the type
    /// that has its place.
    fn add<'t>(
        &mut self,
        types: impl Iterator<Item = &'t Type>,
    ) -> Result<(), Box<(RustPath, String)>> {
        let mut reached = Set::new();
        for ty in types {
            reach(ty, self.signatures, &mut reached);
        }
        let mut new: Map<(Vec<String>, String), (Key, RustPath)> = Map::new();
        for key in reached {
            if self.places.contains_key(&key) {
                continue;
            }
            let place = self.names.place(&key, self.root);
            let slot = (place.path.clone(), place.ident.clone());
            let owner = self
                .owners
                .get(&slot)
                .or_else(|| new.get(&slot).map(|(key, _)| key));
            if let Some(owner) = owner {
                return Err(Box::new((place, self.names.name(owner))));
            }
            new.insert(slot, (key, place));
        }
        for (slot, (key, place)) in new {
            self.owners.insert(slot, key.clone());
            self.places.insert(key, place);
        }
        Ok(())
    }
}

/// Why the generator cannot express a kernel, if so. The readers refuse what they know to be impossible;
/// this catches what would not be a Rust file.
fn unsupported(kernel: &Kernel, signatures: &Signatures) -> Option<String> {
    kernel
        .params
        .iter()
        .enumerate()
        .find_map(|(ordinal, param)| {
            let name = param.name.as_deref().unwrap_or("unnamed");
            let reason = match &param.ty {
                Type::Void | Type::Opaque(_) => "is a value whose layout is not known",
                Type::Record(id) if signatures.records.get(id.0).is_none() => {
                    "has a type without a definition"
                }
                _ => return None,
            };
            Some(format!(
                "parameter {ordinal} (`{name}`, `{}`) {reason}",
                param.c_type
            ))
        })
}

/// The name of each kernel in its namespace: as short as tells it from the others.
fn kernel_names(kernels: &[&Kernel]) -> Vec<String> {
    use names::Extent::{Last, Whole};
    let named = |kernel: &Kernel, arguments, params: Option<names::Extent>| {
        let mut parts = vec![kernel.base_name.clone()];
        let all = kernel.template_args.iter();
        parts.extend(all.map(|argument| names::argument(argument, arguments)));
        if let Some(extent) = params {
            let all = kernel.params.iter();
            parts.extend(all.map(|param| names::spell(&param.c_type, extent)));
        }
        parts.join("_")
    };
    let mut all: Vec<String> = kernels
        .iter()
        .map(|kernel| named(kernel, Last, None))
        .collect();
    for params in [None, Some(Last), Some(Whole)] {
        let mut users: Map<(Vec<String>, &str), usize> = Map::new();
        for (kernel, name) in kernels.iter().zip(&all) {
            *users.or_default((namespace_path(kernel), name)) += 1;
        }
        let shared: Vec<bool> = kernels
            .iter()
            .zip(&all)
            .map(|(kernel, name)| {
                users
                    .get(&(namespace_path(kernel), name))
                    .is_some_and(|&count| count > 1)
            })
            .collect();
        for ((kernel, name), shared) in kernels.iter().zip(&mut all).zip(shared) {
            if shared {
                *name = named(kernel, Whole, params);
            }
        }
    }
    let mut users: Map<(Vec<String>, String), usize> = Map::new();
    for (kernel, name) in kernels.iter().zip(&all) {
        *users.or_default((namespace_path(kernel), name.clone())) += 1;
    }
    for (kernel, name) in kernels.iter().zip(&mut all) {
        if users.get(&(namespace_path(kernel), name.clone())) > Some(&1) {
            *name = names::hashed(name, &kernel.name);
        }
    }
    all
}

fn name_kernels<'a>(
    module: &Module,
    root: &str,
    kernels: &[&'a Kernel],
    globals: &[(&Global, Option<&Type>)],
    methods: &mut Methods,
    refused: &mut Vec<(String, String)>,
    findings: &mut Vec<Finding>,
) -> Vec<PlannedKernel<'a>> {
    let kernel_names = kernel_names(kernels);
    // The methods that lead to namespaces come first.
    let paths = kernels.iter().map(|kernel| namespace_path(kernel));
    for path in paths.chain(globals.iter().map(|(global, _)| global_path(global).0)) {
        for depth in 0..path.len() {
            let owner = format!("namespace {}", path[..=depth].join("::"));
            // Several kernels lie in one namespace.
            let _ = methods.take(&path[..depth], &path[depth], &owner);
        }
    }
    let placed: Vec<(Vec<String>, String)> = kernels
        .iter()
        .map(|kernel| namespace_path(kernel))
        .zip(kernel_names)
        .collect();
    let constants = constants(&placed);
    let mut planned: Vec<PlannedKernel<'a>> = Vec::new();
    for ((&kernel, (path, name)), constant) in kernels.iter().zip(placed).zip(constants) {
        let method = names::ident(&name, NameKind::Method);
        if let Err(first) = methods.take(&path, &method, &kernel.name) {
            let rust_name = rust_name(root, &path, &method);
            refused.push((
                kernel.name.clone(),
                format!("it and `{first}` would both be `{rust_name}` in Rust"),
            ));
            findings.push(Finding::NameCollision {
                module: module.name.clone(),
                name: rust_name,
                items: [first, kernel.name.clone()],
            });
            continue;
        }
        planned.push(PlannedKernel {
            kernel,
            index: planned.len(),
            path,
            method,
            constant,
        });
    }
    planned
}

/// Names of constants for items at these places: in upper case, or as they are where that would make two alike.
fn constants(placed: &[(Vec<String>, String)]) -> Vec<String> {
    let mut users: Map<(&[String], String), usize> = Map::new();
    for (path, name) in placed {
        *users.or_default((path, name.to_uppercase())) += 1;
    }
    let constant = |(path, name): &(Vec<String>, String)| {
        let upper = name.to_uppercase();
        let alone = users.get(&(path.as_slice(), upper.clone())) == Some(&1);
        names::ident(if alone { &upper } else { name }, NameKind::Value)
    };
    placed.iter().map(constant).collect()
}

fn rust_name(root: &str, path: &[String], method: &str) -> String {
    let mut full = vec![root];
    full.extend(path.iter().map(String::as_str));
    full.push(method);
    full.join("::")
}

fn name_globals<'a>(
    module: &Module,
    root: &str,
    globals: Vec<(&'a Global, Option<&'a Type>)>,
    methods: &mut Methods,
    findings: &mut Vec<Finding>,
) -> Vec<PlannedGlobal<'a>> {
    let placed: Vec<(Vec<String>, String)> = globals
        .iter()
        .map(|(global, _)| global_path(global))
        .map(|(path, method)| (path, method.trim_start_matches("r#").to_owned()))
        .collect();
    let constants = constants(&placed);
    let mut planned: Vec<PlannedGlobal<'a>> = Vec::new();
    for ((global, ty), constant) in globals.into_iter().zip(constants) {
        let (path, method) = global_path(global);
        match methods.take(&path, &method, &global.name) {
            Ok(()) => planned.push(PlannedGlobal {
                global,
                ty,
                path,
                method,
                constant,
            }),
            Err(first) => findings.push(Finding::NameCollision {
                module: module.name.clone(),
                name: rust_name(root, &path, &method),
                items: [first, global.name.clone()],
            }),
        }
    }
    planned
}

/// Modules and method of a variable.
fn global_path(global: &Global) -> (Vec<String>, String) {
    let parts = names::components(&global.name);
    let (last, scopes) = parts
        .split_last()
        .map_or((&*global.name, &[][..]), |(last, scopes)| (*last, scopes));
    let path = scopes
        .iter()
        .map(|scope| names::ident(&names::short_template(scope), NameKind::Module))
        .collect();
    (
        path,
        names::ident(&names::short_template(last), NameKind::Method),
    )
}

fn namespace_path(kernel: &Kernel) -> Vec<String> {
    let named = kernel.namespaces.iter().filter(|name| !name.is_empty());
    named
        .map(|name| names::ident(name, NameKind::Module))
        .collect()
}
