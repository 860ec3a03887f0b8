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
    planned::{Builtins, Key, Methods, Plan, PlannedGlobal, PlannedKernel, PlannedModule, reach},
    scopes::{Scope, Scopes},
};
use crate::lists::{AddAll, CollectVec};
use crate::signature::model::{Global, Kernel, Signatures, Type};

/// Decides everything.
pub(super) fn plan(input: &Input) -> Plan<'_> {
    let mut sources: Vec<&Module> = input.modules.iter().collect_vec();
    sorted::sort_by(&mut sources, |a, b| {
        (&a.name, &a.source).cmp(&(&b.name, &b.source))
    });
    let mut findings = Vec::new();
    let wanted = sources.iter().map(|source| {
        let ident = names::ident(&source.name, NameKind::Source);
        names::Wanted {
            natural: names::is_as_written(&ident, &source.name),
            ident,
            whole: source.source.clone(),
        }
    });
    #[cfg(feature = "library")]
    let taken = input.host.iter().map(super::host::ident).collect_vec();
    #[cfg(not(feature = "library"))]
    let taken = Vec::new();
    let idents = names::settle(wanted.collect_vec(), NameKind::Source, &taken);
    let mut modules = Vec::new();
    for (source, ident) in sources.into_iter().zip(idents) {
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
    let mut kept: Vec<&Kernel> = Vec::new();
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
        kept.push(kernel);
    }

    let typed: Vec<(&Global, Option<&Type>)> = signatures
        .globals
        .iter()
        .map(|global| {
            let ty = global.ty.as_ref().filter(|ty| {
                layout::size_align(ty, signatures).is_some_and(|(size, _)| size == global.size)
            });
            (global, ty)
        })
        .collect_vec();
    let mut types = TypeNames::new(signatures);
    let mut reached = Set::new();
    for kernel in &kept {
        for param in &kernel.params {
            reach(&param.ty, signatures, &mut reached);
        }
    }
    for (_, ty) in &typed {
        if let Some(ty) = ty {
            reach(ty, signatures, &mut reached);
        }
    }
    let of_kernels = kept.iter().map(|kernel| namespaces(kernel));
    let of_globals = typed.iter().map(|(global, _)| variable(global).0);
    let of_types = reached.iter().map(|key| types.scope(key));
    let scopes = Scopes::new(of_kernels.chain(of_globals).chain(of_types));
    types.tell_apart(&reached, &scopes);

    let mut methods = Methods::default();
    for scope in scopes.all() {
        // The methods that lead to namespaces come first.
        if let Some((method, around)) = scopes.path(scope).split_last() {
            methods.take(around, method, &format!("namespace {}", scope.join("::")));
        }
    }
    let kernels = name_kernels(&kept, &scopes, &mut methods);
    let globals = name_globals(typed, &scopes, &mut methods);
    let (families, named_only) = families::find(&kernels, signatures, &mut methods);

    let mut places = Map::new();
    for key in reached.iter() {
        places.insert(key.clone(), types.place(key, &ident, &scopes));
    }
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

/// The name of each kernel in its namespace: as short as tells it from the others, and from the methods that lead to
/// namespaces.
fn kernel_names(kernels: &[&Kernel], scopes: &Scopes) -> Vec<String> {
    use names::Extent::{Last, Whole};
    let named = |kernel: &Kernel, arguments, params: Option<names::Extent>| {
        let mut parts = vec![kernel.base_name.clone()];
        let all = kernel.template_args.iter();
        parts.add_all(all.map(|argument| names::argument(argument, arguments)));
        if let Some(extent) = params {
            let all = kernel.params.iter();
            parts.add_all(all.map(|param| names::spell(&param.c_type, extent)));
        }
        parts.join("_")
    };
    let mut all: Vec<String> = Vec::new();
    for kernel in kernels {
        all.push(named(kernel, Last, None));
    }
    for params in [None, Some(Last), Some(Whole)] {
        // How many have a name, and how many of them by their source.
        let mut users: Map<(Scope, String), (usize, usize)> = Map::new();
        for (kernel, name) in kernels.iter().zip(&all) {
            let slot = (namespaces(kernel), names::ident(name, NameKind::Method));
            let (count, natural) = users.or_default(slot);
            *count += 1;
            *natural += usize::from(kernel.base_name == *name);
        }
        for (kernel, name) in kernels.iter().zip(&mut all) {
            let scope = namespaces(kernel);
            let ident = names::ident(name, NameKind::Method);
            let leads = scopes.within(&scope).contains(&ident);
            let (count, natural) = users.get(&(scope, ident)).copied().unwrap_or_default();
            let stays = count == 1 || (natural == 1 && kernel.base_name == *name);
            if !stays || leads {
                *name = named(kernel, Whole, params);
            }
        }
    }
    all
}

fn name_kernels<'a>(
    kernels: &[&'a Kernel],
    scopes: &Scopes,
    methods: &mut Methods,
) -> Vec<PlannedKernel<'a>> {
    let names = kernel_names(kernels, scopes);
    let items = kernels.iter().zip(&names).map(|(kernel, name)| Item {
        scope: namespaces(kernel),
        name,
        natural: kernel.base_name == *name,
        whole: format!("{} {}", kernel.name, kernel.symbol),
        owner: &kernel.name,
    });
    let found = methods_of(&items.collect_vec(), scopes, methods);
    let mut planned = Vec::new();
    for (kernel, named) in kernels.iter().zip(found) {
        planned.push(PlannedKernel {
            kernel,
            index: planned.len(),
            path: named.path,
            method: named.method,
            constant: named.constant,
        });
    }
    planned
}

/// What becomes a method.
struct Item<'n> {
    scope: Scope,
    name: &'n str,
    /// The name is what the source says.
    natural: bool,
    /// What tells it from all others.
    whole: String,
    /// C++ name.
    owner: &'n str,
}

/// Its names in Rust.
struct Named {
    /// Modules below the file's.
    path: Vec<String>,
    method: String,
    constant: String,
}

/// The methods of items, none twice in a scope and none that `methods` has, and their constants.
fn methods_of(items: &[Item<'_>], scopes: &Scopes, methods: &mut Methods) -> Vec<Named> {
    let mut by_scope: Map<&Scope, Vec<usize>> = Map::new();
    for (index, item) in items.iter().enumerate() {
        by_scope.or_default(&item.scope).push(index);
    }
    let mut found: Vec<String> = vec![String::new(); items.len()];
    for (scope, indices) in by_scope.iter() {
        let path = scopes.path(scope);
        let taken = methods.at(&path);
        let mut wanted = Vec::new();
        for index in indices {
            let item = &items[*index];
            wanted.push(names::Wanted {
                ident: names::ident(item.name, NameKind::Method),
                natural: item.natural,
                whole: item.whole.clone(),
            });
        }
        let settled = names::settle(wanted, NameKind::Method, &taken);
        for (index, method) in indices.iter().zip(settled) {
            methods.take(&path, &method, items[*index].owner);
            found[*index] = method;
        }
    }
    let mut named = Vec::new();
    for (item, method) in items.iter().zip(found) {
        let path = scopes.path(&item.scope);
        // Only a name that had to grow says more than the source's.
        let ident = names::ident(item.name, NameKind::Method);
        let plain = if method == ident { item.name } else { &method };
        named.push(Named {
            path,
            constant: names::ident(plain, NameKind::Value),
            method,
        });
    }
    constants(&mut named);
    named
}

/// Names of constants for items with these: in upper case, or as they are where that would make two alike.
fn constants(named: &mut [Named]) {
    let upper = |name: &str| name.trim_start_matches("r#").to_uppercase();
    let mut users: Map<(Vec<String>, String), usize> = Map::new();
    for item in named.iter() {
        *users.or_default((item.path.clone(), upper(&item.constant))) += 1;
    }
    for item in named {
        let wanted = upper(&item.constant);
        if users.get(&(item.path.clone(), wanted.clone())) == Some(&1) {
            item.constant = names::ident(&wanted, NameKind::Value);
        }
    }
}

fn name_globals<'a>(
    globals: Vec<(&'a Global, Option<&'a Type>)>,
    scopes: &Scopes,
    methods: &mut Methods,
) -> Vec<PlannedGlobal<'a>> {
    let names = globals.iter().map(|(global, _)| variable(global));
    let names: Vec<(Scope, String)> = names.collect_vec();
    let items = globals.iter().zip(&names);
    let items = items.map(|((global, _), (scope, name))| Item {
        scope: scope.clone(),
        name,
        natural: names::components(&global.name).last() == Some(&name.as_str()),
        whole: format!("{} {}", global.name, global.symbol),
        owner: &global.name,
    });
    let found = methods_of(&items.collect_vec(), scopes, methods);
    let mut planned = Vec::new();
    for ((global, ty), named) in globals.into_iter().zip(found) {
        planned.push(PlannedGlobal {
            global,
            ty,
            path: named.path,
            method: named.method,
            constant: named.constant,
        });
    }
    planned
}

/// Scope and name of a variable.
fn variable(global: &Global) -> (Scope, String) {
    let parts = names::components(&global.name);
    let (last, scopes) = parts
        .split_last()
        .map_or((&*global.name, &[][..]), |(last, scopes)| (*last, scopes));
    let scope = scopes.iter().map(|part| (*part).to_owned());
    (scope.collect_vec(), names::short_template(last))
}

fn namespaces(kernel: &Kernel) -> Scope {
    let named = kernel.namespaces.iter().filter(|name| !name.is_empty());
    named.cloned().collect_vec()
}
