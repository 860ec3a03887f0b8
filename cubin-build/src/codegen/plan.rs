//! Decides, before anything is written: which kernels get a wrapper and under which name, which types the
//! file needs, and in which module each is defined. A type that several source files define alike is
//! defined once, in `types`.

use std::collections::{BTreeMap, BTreeSet};

use cubin_core::Sm;

use super::{Finding, Input, Module, names, names::Kind};
use crate::signature::model::{EnumId, Kernel, Record, RecordId, Scalar, Signatures, Type, Vector};

/// The module of types that several source files share, and of the toolkit's own types.
pub(super) const TYPES: &str = "types";

/// All decisions for one file.
pub(super) struct Plan<'a> {
    pub(super) input: &'a Input,
    pub(super) modules: Vec<PlannedModule<'a>>,
    pub(super) builtins: Builtins,
    /// Some target has thread block clusters.
    pub(super) clusters: bool,
    pub(super) findings: Vec<Finding>,
}

/// Toolkit types that the file needs.
#[derive(Debug, Default)]
pub(super) struct Builtins {
    pub(super) scalars: BTreeSet<Scalar>,
    pub(super) vectors: BTreeSet<Vector>,
    pub(super) tensor_maps: BTreeSet<u64>,
    pub(super) functions: bool,
}

/// One source file.
pub(super) struct PlannedModule<'a> {
    pub(super) input: &'a Module,
    pub(super) ident: String,
    /// With a wrapper, in order of definition: the position is the kernel's index in the generated file.
    pub(super) kernels: Vec<PlannedKernel<'a>>,
    /// Without a wrapper: C++ name and reason.
    pub(super) refused: Vec<(String, String)>,
    pub(super) records: BTreeMap<RecordId, Place>,
    pub(super) enums: BTreeMap<EnumId, Place>,
    pub(super) opaques: BTreeMap<String, Place>,
}

/// A kernel with a wrapper.
pub(super) struct PlannedKernel<'a> {
    pub(super) kernel: &'a Kernel,
    pub(super) index: usize,
    /// Modules below the file's, one per namespace.
    pub(super) path: Vec<String>,
    pub(super) method: String,
    pub(super) constant: String,
}

/// Where a type is defined in the generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// Modules from the top of the file.
    pub(super) path: Vec<String>,
    pub(super) ident: String,
    /// C++ name, for documentation.
    pub(super) name: String,
    /// Where the source file's own module re-exports it, if it is defined in [`TYPES`]; this place is
    /// the definition's own in the first file that has it.
    pub(super) shared: Option<Shared>,
}

/// A type defined once for several files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shared {
    /// Modules from the top of the file to the re-export.
    pub(super) path: Vec<String>,
    /// This module's record is the one that is written.
    pub(super) first: bool,
}

impl<'a> Plan<'a> {
    pub(super) fn new(input: &'a Input) -> Self {
        let mut sources: Vec<&Module> = input.modules.iter().collect();
        sources.sort_by(|a, b| (&a.name, &a.source).cmp(&(&b.name, &b.source)));
        let mut findings = Vec::new();
        let mut taken: BTreeMap<String, &str> = BTreeMap::new();
        let mut modules = Vec::new();
        for source in sources {
            let ident = names::ident(&source.name, Kind::Module);
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
        Self {
            input,
            modules,
            builtins,
            clusters,
            findings,
        }
    }
}

/// A type of one module, as a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Record(RecordId),
    Enum(EnumId),
    Opaque(String),
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
    let type_names = TypeNames::new(signatures);
    let mut owners: BTreeMap<(Vec<String>, String), Key> = BTreeMap::new();
    let mut places: BTreeMap<Key, Place> = BTreeMap::new();
    let mut kept = Vec::new();
    for kernel in wanted {
        let mut reached = BTreeSet::new();
        for param in &kernel.params {
            reach(&param.ty, signatures, &mut reached);
        }
        let mut collision = None;
        for key in &reached {
            if places.contains_key(key) {
                continue;
            }
            let place = type_names.place(key, &ident);
            let slot = (place.path.clone(), place.ident.clone());
            match owners.get(&slot) {
                Some(other) if other != key => {
                    let first = type_names.name(other);
                    collision = Some((place, first));
                    break;
                }
                _ => {}
            }
            owners.insert(slot, key.clone());
            places.insert(key.clone(), place);
        }
        if let Some((place, first)) = collision {
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
            continue;
        }
        kept.push(kernel);
    }
    let kernels = name_kernels(module, &ident, &kept, &mut refused, findings);

    let mut planned = PlannedModule {
        input: module,
        ident,
        kernels,
        refused,
        records: BTreeMap::new(),
        enums: BTreeMap::new(),
        opaques: BTreeMap::new(),
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
                Type::Void | Type::Opaque(_) => {
                    "is a value whose layout is not known"
                }
                Type::Record(id)
                    if !signatures
                        .records
                        .iter()
                        .enumerate()
                        .any(|(index, _)| index == id.0) =>
                {
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

/// Every record, enumeration and opaque type that `ty` needs.
fn reach(ty: &Type, signatures: &Signatures, found: &mut BTreeSet<Key>) {
    match ty {
        Type::Pointer(pointer) => reach(&pointer.pointee, signatures, found),
        Type::Array(element, _) => reach(element, signatures, found),
        Type::Record(id) => {
            let Some(record) = signatures.records.get(id.0) else {
                return;
            };
            if found.insert(Key::Record(*id)) {
                for field in &record.fields {
                    reach(&field.ty, signatures, found);
                }
            }
        }
        Type::Enum(id) => {
            found.insert(Key::Enum(*id));
        }
        Type::Opaque(name) => {
            found.insert(Key::Opaque(name.clone()));
        }
        Type::Void
        | Type::Scalar(_)
        | Type::Vector(_)
        | Type::Function
        | Type::TensorMap { .. } => {}
    }
}

fn name_kernels<'a>(
    module: &Module,
    root: &str,
    kernels: &[&'a Kernel],
    refused: &mut Vec<(String, String)>,
    findings: &mut Vec<Finding>,
) -> Vec<PlannedKernel<'a>> {
    let plain = |kernel: &Kernel| {
        let mut name = kernel.base_name.clone();
        for argument in &kernel.template_args {
            name.push('_');
            name.push_str(&names::short(argument));
        }
        (namespace_path(kernel), name)
    };
    let mut overloads: BTreeMap<(Vec<String>, String), usize> = BTreeMap::new();
    for kernel in kernels {
        *overloads.entry(plain(kernel)).or_default() += 1;
    }
    // Accessors of namespaces and kernels are methods of the same type.
    let mut taken: BTreeMap<(Vec<String>, String), String> = BTreeMap::new();
    for kernel in kernels {
        let path = namespace_path(kernel);
        for depth in 0..path.len() {
            let name = format!("namespace {}", path[..=depth].join("::"));
            taken.insert((path[..depth].to_vec(), path[depth].clone()), name);
        }
    }
    let mut constants: BTreeSet<(Vec<String>, String)> = BTreeSet::new();
    let mut planned: Vec<PlannedKernel<'a>> = Vec::new();
    for &kernel in kernels {
        let (path, mut name) = plain(kernel);
        if overloads
            .get(&(path.clone(), name.clone()))
            .is_some_and(|&count| count > 1)
        {
            for param in &kernel.params {
                name.push('_');
                name.push_str(&names::short(&param.c_type));
            }
        }
        let method = names::ident(&name, Kind::Method);
        let constant = names::ident(&name.to_uppercase(), Kind::Value);
        let first = taken
            .get(&(path.clone(), method.clone()))
            .cloned()
            .or_else(|| {
                let used = constants.contains(&(path.clone(), constant.clone()));
                let owner = planned
                    .iter()
                    .find(|other| other.path == path && other.constant == constant);
                owner
                    .filter(|_| used)
                    .map(|other| other.kernel.name.clone())
            });
        if let Some(first) = first {
            let mut full = vec![root.to_owned()];
            full.extend(path);
            full.push(method);
            let rust_name = full.join("::");
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
        taken.insert((path.clone(), method.clone()), kernel.name.clone());
        constants.insert((path.clone(), constant.clone()));
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

fn namespace_path(kernel: &Kernel) -> Vec<String> {
    let named = kernel.namespaces.iter().filter(|name| !name.is_empty());
    named.map(|name| names::ident(name, Kind::Module)).collect()
}

/// Names of one module's types.
struct TypeNames<'a> {
    signatures: &'a Signatures,
    /// Qualified names of records: a scope of this name is a class, not a namespace.
    classes: BTreeSet<String>,
    /// Names of records that have none of their own, by the member they are the type of.
    derived: BTreeMap<RecordId, String>,
}

impl<'a> TypeNames<'a> {
    fn new(signatures: &'a Signatures) -> Self {
        let mut derived: BTreeMap<RecordId, String> = BTreeMap::new();
        // A member's type may hold unnamed types in turn: outer records come to rest first.
        for _ in 0..signatures.records.len().min(8) {
            let before = derived.len();
            for (index, record) in signatures.records.iter().enumerate() {
                let own = derived.get(&RecordId(index)).cloned();
                if record.unnamed && own.is_none() {
                    continue;
                }
                let parent = own.unwrap_or_else(|| record.name.clone());
                derive_members(record, &parent, signatures, &mut derived);
            }
            if derived.len() == before {
                break;
            }
        }
        let classes = signatures
            .records
            .iter()
            .map(|record| names::components(&record.name).join("::"))
            .collect();
        Self {
            signatures,
            classes,
            derived,
        }
    }

    /// C++ name.
    fn name(&self, key: &Key) -> String {
        match key {
            Key::Record(id) => match self.derived.get(id) {
                Some(name) => name.clone(),
                None => self
                    .signatures
                    .records
                    .get(id.0)
                    .map_or_else(String::new, |record| record.name.clone()),
            },
            Key::Enum(id) => self
                .signatures
                .enums
                .get(id.0)
                .map_or_else(String::new, |item| item.name.clone()),
            Key::Opaque(name) => name.clone(),
        }
    }

    fn place(&self, key: &Key, root: &str) -> Place {
        let name = self.name(key);
        let parts = names::components(&name);
        let (last, scopes) = parts
            .split_last()
            .map_or(("", &[][..]), |(last, scopes)| (*last, scopes));
        let is_class = |depth: &usize| {
            scopes[*depth].contains('<') || self.classes.contains(&scopes[..=*depth].join("::"))
        };
        let namespaces = (0..scopes.len()).find(is_class).unwrap_or(scopes.len());
        let mut path = vec![root.to_owned()];
        path.extend(
            scopes[..namespaces]
                .iter()
                .map(|scope| names::ident(scope, Kind::Module)),
        );
        let mut ident = String::new();
        for class in &scopes[namespaces..] {
            ident.push_str(&names::short_template(class));
            ident.push('_');
        }
        ident.push_str(&names::short_template(last));
        Place {
            path,
            ident: names::ident(&ident, Kind::Type),
            name,
            shared: None,
        }
    }
}

fn derive_members(
    record: &Record,
    parent: &str,
    signatures: &Signatures,
    derived: &mut BTreeMap<RecordId, String>,
) {
    let mut anonymous = 0;
    for field in &record.fields {
        let mut ty = &field.ty;
        while let Type::Array(element, _) = ty {
            ty = element;
        }
        let Type::Record(id) = ty else { continue };
        if !signatures
            .records
            .get(id.0)
            .is_some_and(|inner| inner.unnamed)
        {
            continue;
        }
        let member = if field.name.is_empty() {
            anonymous += 1;
            format!("anonymous{anonymous}")
        } else {
            field.name.clone()
        };
        derived
            .entry(*id)
            .or_insert_with(|| format!("{parent}_{member}"));
    }
}

/// Finds types that several modules define alike, and gives them one definition.
fn share(modules: &mut [PlannedModule<'_>]) {
    // Definition text -> (module, key) of every user.
    let mut users: BTreeMap<String, Vec<(usize, Key)>> = BTreeMap::new();
    for (index, module) in modules.iter().enumerate() {
        for key in module.keys() {
            if module.shareable(&key) {
                users
                    .entry(module.definition(&key))
                    .or_default()
                    .push((index, key));
            }
        }
    }
    let mut taken: BTreeSet<(Vec<String>, String)> = BTreeSet::new();
    for uses in users.values().filter(|uses| uses.len() > 1) {
        let Some((first, key)) = uses.first() else {
            continue;
        };
        let Some(place) = modules[*first].place(key) else {
            continue;
        };
        let mut path = vec![TYPES.to_owned()];
        path.extend(place.path.iter().skip(1).cloned());
        let slot = (path.clone(), place.ident.clone());
        if (path.len() == 1 && super::types::is_builtin(&place.ident)) || !taken.insert(slot) {
            continue;
        }
        for (index, key) in uses {
            let is_first = index == first;
            if let Some(place) = modules[*index].place_mut(key) {
                let export = std::mem::replace(&mut place.path, path.clone());
                place.shared = Some(Shared {
                    path: export,
                    first: is_first,
                });
            }
        }
    }
}

impl PlannedModule<'_> {
    pub(super) fn keys(&self) -> Vec<Key> {
        let records = self.records.keys().map(|id| Key::Record(*id));
        let enums = self.enums.keys().map(|id| Key::Enum(*id));
        let opaques = self.opaques.keys().map(|name| Key::Opaque(name.clone()));
        records.chain(enums).chain(opaques).collect()
    }

    pub(super) fn place(&self, key: &Key) -> Option<&Place> {
        match key {
            Key::Record(id) => self.records.get(id),
            Key::Enum(id) => self.enums.get(id),
            Key::Opaque(name) => self.opaques.get(name),
        }
    }

    fn place_mut(&mut self, key: &Key) -> Option<&mut Place> {
        match key {
            Key::Record(id) => self.records.get_mut(id),
            Key::Enum(id) => self.enums.get_mut(id),
            Key::Opaque(name) => self.opaques.get_mut(name),
        }
    }

    /// A type whose name means the same in every file.
    fn shareable(&self, key: &Key) -> bool {
        let Some(place) = self.place(key) else {
            return false;
        };
        let own_name = match key {
            // Derived names contain their owner's, which is looked at in turn.
            Key::Record(id) => self
                .input
                .signatures
                .records
                .get(id.0)
                .is_some_and(|record| !record.unnamed || place.name != record.name),
            _ => true,
        };
        own_name
            && !place.name.contains("_GLOBAL__N_")
            && !place.name.contains("(anonymous namespace)")
    }

    /// Everything that the definition of a type says, down to the types of its members.
    fn definition(&self, key: &Key) -> String {
        let mut reached = BTreeSet::new();
        match key {
            Key::Record(id) => reach(&Type::Record(*id), &self.input.signatures, &mut reached),
            other => {
                reached.insert(other.clone());
            }
        }
        let mut parts: Vec<String> = reached.iter().map(|key| self.describe(key)).collect();
        parts.sort();
        let name = self.place(key).map_or("", |place| &place.name);
        format!("{name}\n{}", parts.join("\n"))
    }

    fn describe(&self, key: &Key) -> String {
        let name = self.place(key).map_or("", |place| &place.name);
        match key {
            Key::Record(id) => {
                let Some(record) = self.input.signatures.records.get(id.0) else {
                    return name.to_owned();
                };
                let fields: Vec<String> = record
                    .fields
                    .iter()
                    .map(|field| {
                        format!(
                            "{} {} {:?} {}",
                            field.name,
                            field.offset,
                            field.bits,
                            self.describe_type(&field.ty)
                        )
                    })
                    .collect();
                format!(
                    "{name} {} {} {:?} {} {fields:?}",
                    record.size, record.align, record.packed, record.is_union
                )
            }
            Key::Enum(id) => format!(
                "{name} {:?}",
                self.input
                    .signatures
                    .enums
                    .get(id.0)
                    .map(|item| (item.repr, &item.values))
            ),
            Key::Opaque(_) => name.to_owned(),
        }
    }

    fn describe_type(&self, ty: &Type) -> String {
        let named = |key: Key| {
            self.place(&key)
                .map_or_else(String::new, |place| place.name.clone())
        };
        match ty {
            Type::Pointer(pointer) => format!("*{}", self.describe_type(&pointer.pointee)),
            Type::Array(element, length) => format!("{}[{length}]", self.describe_type(element)),
            Type::Record(id) => named(Key::Record(*id)),
            Type::Enum(id) => named(Key::Enum(*id)),
            other => format!("{other:?}"),
        }
    }
}

impl Builtins {
    fn collect(&mut self, module: &PlannedModule<'_>) {
        for planned in &module.kernels {
            for param in &planned.kernel.params {
                self.add(&param.ty);
            }
        }
        let records = module
            .records
            .keys()
            .filter_map(|id| module.input.signatures.records.get(id.0));
        for field in records.flat_map(|record| &record.fields) {
            self.add(&field.ty);
        }
    }

    fn add(&mut self, ty: &Type) {
        match ty {
            Type::Pointer(pointer) => self.add(&pointer.pointee),
            Type::Array(element, _) => self.add(element),
            Type::Scalar(scalar) => {
                self.scalars.insert(*scalar);
            }
            Type::Vector(vector) => {
                self.scalars.insert(vector.element);
                self.vectors.insert(*vector);
            }
            Type::TensorMap { align } => {
                self.tensor_maps.insert(*align);
            }
            Type::Function => self.functions = true,
            Type::Void | Type::Record(_) | Type::Enum(_) | Type::Opaque(_) => {}
        }
    }
}
