//! What is planned, as data: which kernels get a wrapper and under which name, which types the file needs and where,
//! which templates become generic functions.

use super::{
    input::{Finding, Input, Module},
    scalars,
};
use crate::lists::CollectVec;
use crate::signature::model::{
    EnumId, Global, Kernel, RecordId, Scalar, Signatures, TemplateValue, Type, Vector,
};
use crate::sorted::{Map, Set};

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
    pub(super) scalars: Set<Scalar>,
    pub(super) vectors: Set<Vector>,
    /// With its alignment: the largest, though no toolkit has two.
    pub(super) tensor_map: Option<u64>,
    pub(super) functions: bool,
}

/// One source file.
pub(super) struct PlannedModule<'a> {
    pub(super) input: &'a Module,
    pub(super) ident: String,
    /// With a wrapper, in order of definition: the position is the kernel's index in the generated file.
    pub(super) kernels: Vec<PlannedKernel<'a>>,
    /// Templates that are also reachable as generic functions.
    pub(super) families: Vec<Family>,
    /// Templates that are not.
    pub(super) named_only: Vec<NamedOnly>,
    /// `__constant__`, `__device__` and `__managed__` variables.
    pub(super) globals: Vec<PlannedGlobal<'a>>,
    /// Without a wrapper: C++ name and reason.
    pub(super) refused: Vec<(String, String)>,
    pub(super) records: Map<RecordId, RustPath>,
    pub(super) enums: Map<EnumId, RustPath>,
    pub(super) opaques: Map<String, RustPath>,
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

/// A module-level variable with an accessor.
pub(super) struct PlannedGlobal<'a> {
    pub(super) global: &'a Global,
    /// Nothing when only the size is known.
    pub(super) ty: Option<&'a Type>,
    /// Modules below the file's.
    pub(super) path: Vec<String>,
    pub(super) method: String,
    /// Name in `globals`.
    pub(super) constant: String,
}

/// Where a type is defined in the generated file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct RustPath {
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

/// A type of one module, as a key.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Record(RecordId),
    Enum(EnumId),
    Opaque(String),
}

impl PlannedModule<'_> {
    pub(super) fn keys(&self) -> Vec<Key> {
        let records = self.records.keys().map(|id| Key::Record(*id));
        let enums = self.enums.keys().map(|id| Key::Enum(*id));
        let opaques = self.opaques.keys().map(|name| Key::Opaque(name.clone()));
        records.chain(enums).chain(opaques).collect_vec()
    }

    pub(super) fn place(&self, key: &Key) -> Option<&RustPath> {
        match key {
            Key::Record(id) => self.records.get(id),
            Key::Enum(id) => self.enums.get(id),
            Key::Opaque(name) => self.opaques.get(name),
        }
    }

    pub(super) fn place_mut(&mut self, key: &Key) -> Option<&mut RustPath> {
        match key {
            Key::Record(id) => self.records.get_mut(id),
            Key::Enum(id) => self.enums.get_mut(id),
            Key::Opaque(name) => self.opaques.get_mut(name),
        }
    }
}

/// A template with instances.
pub(super) struct Family {
    /// Modules below the file's.
    pub(super) path: Vec<String>,
    /// C++ name of the template.
    pub(super) name: String,
    pub(super) method: String,
    /// Name of the trait in `instances`.
    pub(super) trait_name: String,
    /// By template argument.
    pub(super) generics: Vec<Generic>,
    pub(super) instances: Vec<Instance>,
    /// By parameter.
    pub(super) params: Vec<Pattern>,
}

/// What a template argument is in Rust.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Generic {
    Type,
    /// `const N: i32`
    Const(Scalar),
}

/// One instance of a template.
pub(super) struct Instance {
    /// Position in the module's kernels.
    pub(super) kernel: usize,
    /// Template arguments.
    pub(super) arguments: Vec<Argument>,
    /// Types of the parameters.
    pub(super) params: Vec<Type>,
}

/// An argument of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Argument {
    Type(Type),
    Value(TemplateValue),
}

impl Argument {
    pub(super) fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Type(a), Self::Type(b)) => same(a, b),
            (Self::Value(a), Self::Value(b)) => a.number == b.number,
            _ => false,
        }
    }
}

/// How a type depends on the template's arguments.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Pattern {
    /// Not at all.
    Fixed(Type),
    /// It is this argument.
    Argument(usize),
    Pointer {
        is_const: bool,
        pointee: Box<Pattern>,
    },
    Array(Box<Pattern>, u64),
    /// In a way that Rust cannot spell: the associated type of this number, and where to find it.
    Associated(usize),
}

/// A template whose instances are called by name alone.
pub(super) struct NamedOnly {
    /// C++ name of the template.
    pub(super) name: String,
    /// Why there is no generic function.
    pub(super) reason: String,
}

/// Whether two types are one in Rust.
pub(super) fn same(a: &Type, b: &Type) -> bool {
    match (a, b) {
        (Type::Scalar(a), Type::Scalar(b)) => a == b || scalars::same_primitive(*a, *b),
        (Type::Pointer(a), Type::Pointer(b)) => {
            a.is_const == b.is_const && same(&a.pointee, &b.pointee)
        }
        (Type::Array(a, m), Type::Array(b, n)) => m == n && same(a, b),
        _ => a == b,
    }
}

/// The type that a pattern stands for in one instance, at the place of its associated type.
pub(super) fn associated<'t>(pattern: &Pattern, ty: &'t Type) -> Option<&'t Type> {
    match (pattern, ty) {
        (Pattern::Associated(_), ty) => Some(ty),
        (Pattern::Pointer { pointee, .. }, Type::Pointer(pointer)) => {
            associated(pointee, &pointer.pointee)
        }
        (Pattern::Array(element, _), Type::Array(inner, _)) => associated(element, inner),
        _ => None,
    }
}

/// Method names in use, by the path of the view that has them, with the C++ name of the owner.
#[derive(Default)]
pub(super) struct Methods(Map<(Vec<String>, String), String>);

impl Methods {
    /// Takes a name that is free.
    pub(super) fn take(&mut self, path: &[String], method: &str, owner: &str) {
        let name = (path.to_vec(), method.to_owned());
        self.0.insert(name, owner.to_owned());
    }

    /// Who has a name.
    pub(super) fn owner(&self, path: &[String], method: &str) -> Option<&str> {
        let name = (path.to_vec(), method.to_owned());
        self.0.get(&name).map(String::as_str)
    }

    /// Names that are taken at one place.
    pub(super) fn at(&self, path: &[String]) -> Vec<String> {
        let all = self.0.keys().filter(|(at, _)| at == path);
        all.map(|(_, method)| method.clone()).collect_vec()
    }
}

/// Every record, enumeration and opaque type that `ty` needs.
pub(super) fn reach(ty: &Type, signatures: &Signatures, found: &mut Set<Key>) {
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

impl Builtins {
    pub(super) fn collect(&mut self, module: &PlannedModule<'_>) {
        for planned in &module.kernels {
            for param in &planned.kernel.params {
                self.add(&param.ty);
            }
        }
        for ty in module.globals.iter().filter_map(|global| global.ty) {
            self.add(ty);
        }
        // Of a type that no parameter has, the instances are told by it all the same.
        let instances = module.families.iter().flat_map(|family| &family.instances);
        for argument in instances.flat_map(|instance| &instance.arguments) {
            if let Argument::Type(ty) = argument {
                self.add(ty);
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
                self.tensor_map = self.tensor_map.max(Some(*align));
            }
            Type::Function => self.functions = true,
            Type::Void | Type::Record(_) | Type::Enum(_) | Type::Opaque(_) => {}
        }
    }
}
