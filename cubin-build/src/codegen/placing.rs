//! Where each type is defined in the generated file: its Rust name, and which types several source files
//! define alike and therefore share.

use super::{
    names,
    names::{Extent, NameKind},
    planned::{Key, PlannedModule, RustPath, Shared, TYPES, reach},
    scalars,
    scopes::{Scope, Scopes},
};
use crate::lists::{AddAll, CollectVec};
use crate::signature::model::{Record, RecordId, Signatures, Type};
use crate::sorted::{self, Map, Set};

/// Names of one module's types.
pub(super) struct TypeNames<'a> {
    signatures: &'a Signatures,
    /// Qualified names of records: a scope of this name is a class, not a namespace.
    classes: Set<String>,
    /// Names of records that have none of their own, by the member they are the type of.
    derived: Map<RecordId, String>,
    /// Types that the shortest name does not tell from others.
    apart: Map<Key, Apart>,
}

/// What tells a type's Rust name from another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Apart {
    /// The namespaces of types in it.
    Namespaces,
    /// A hash of the C++ name.
    Hash,
    /// A hash of the name and of which one it is.
    Counted,
}

/// Types that would have one name.
#[derive(Default)]
struct Users<'k> {
    all: Vec<&'k Key>,
    /// Those that are called so by their source.
    natural: Vec<&'k Key>,
}

impl<'a> TypeNames<'a> {
    pub(super) fn new(signatures: &'a Signatures) -> Self {
        let mut derived: Map<RecordId, String> = Map::new();
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
            apart: Map::new(),
        }
    }

    /// Finds the types whose names would be alike, or those of modules. One that is called as its source writes it stays.
    pub(super) fn tell_apart(&mut self, types: &Set<Key>, scopes: &Scopes) {
        for apart in [Apart::Namespaces, Apart::Hash, Apart::Counted] {
            let mut users: Map<(Scope, String), Users<'_>> = Map::new();
            for key in types {
                let scope = self.scope(key);
                let ident = self.ident(key);
                let name = self.spelled(key);
                let natural = names::components(&name).last().is_some_and(|last| {
                    scope.len() + 1 == names::components(&name).len()
                        && names::is_as_written(&ident, last)
                });
                let users = users.or_default((scope, ident));
                users.all.push(key);
                if natural {
                    users.natural.push(key);
                }
            }
            let mut shared: Vec<Key> = Vec::new();
            for ((scope, ident), users) in users.iter() {
                let is_module = scopes.within(scope).contains(ident);
                for key in &users.all {
                    let stays = users.all.len() == 1 || users.natural.as_slice() == [*key];
                    if !stays || is_module {
                        shared.push((*key).clone());
                    }
                }
            }
            for key in shared {
                self.apart.insert(key, apart);
            }
        }
    }

    /// C++ name.
    pub(super) fn name(&self, key: &Key) -> String {
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

    /// The name that makes its name in Rust: the one that its source has for an instance of a template.
    fn spelled(&self, key: &Key) -> String {
        let record = match key {
            Key::Record(id) if !self.derived.contains_key(id) => self.signatures.records.get(id.0),
            _ => None,
        };
        match record.and_then(|record| record.alias.clone()) {
            Some(alias) => alias,
            None => self.name(key),
        }
    }

    /// The parts of a type's name: namespaces, and classes with the type itself.
    fn parts(name: &str, classes: &Set<String>) -> (Vec<String>, Vec<String>) {
        let parts: Vec<&str> = names::components(name);
        let (_, scopes) = parts.split_last().unwrap_or((&"", &[]));
        let is_class = |depth: &usize| {
            scopes[*depth].contains('<') || classes.contains(&scopes[..=*depth].join("::"))
        };
        let namespaces = (0..scopes.len()).find(is_class).unwrap_or(scopes.len());
        let owned = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect_vec();
        (owned(&parts[..namespaces]), owned(&parts[namespaces..]))
    }

    /// The namespaces that a type lies in.
    pub(super) fn scope(&self, key: &Key) -> Scope {
        Self::parts(&self.spelled(key), &self.classes).0
    }

    fn ident(&self, key: &Key) -> String {
        let apart = self.apart.get(key);
        // Where another has the alias too, the whole name tells them apart.
        let name = match apart {
            None | Some(Apart::Hash) => self.spelled(key),
            Some(_) => self.name(key),
        };
        let extent = match apart {
            None => Extent::Last,
            Some(_) => Extent::Whole,
        };
        let mut ident = String::new();
        for part in Self::parts(&name, &self.classes).1 {
            if !ident.is_empty() {
                ident.push('_');
            }
            ident.push_str(&names::spell_template(&part, extent));
        }
        match apart {
            Some(Apart::Hash) => ident = names::hashed(&ident, &name),
            // Two of one name, perhaps of two linked files.
            Some(Apart::Counted) => ident = names::hashed(&ident, &format!("{name} {key:?}")),
            _ => {}
        }
        names::ident(&ident, NameKind::Type)
    }

    /// Where a type of the module `root` lies.
    pub(super) fn place(&self, key: &Key, root: &str, scopes: &Scopes) -> RustPath {
        let mut path = vec![root.to_owned()];
        path.add_all(scopes.path(&self.scope(key)));
        RustPath {
            path,
            ident: self.ident(key),
            name: self.name(key),
            shared: None,
        }
    }
}

fn derive_members(
    record: &Record,
    parent: &str,
    signatures: &Signatures,
    derived: &mut Map<RecordId, String>,
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
        derived.or_insert_with(*id, || format!("{parent}_{member}"));
    }
}

/// Finds types that several modules define alike, and gives them one definition.
pub(super) fn share(modules: &mut [PlannedModule<'_>]) {
    // Definition text -> (module, key) of every user.
    let mut users: Map<String, Vec<(usize, Key)>> = Map::new();
    for (index, module) in modules.iter().enumerate() {
        for key in module.keys() {
            if module.shareable(&key) {
                users.or_default(module.definition(&key)).push((index, key));
            }
        }
    }
    // Types, and modules around them.
    let (mut taken, mut inner) = (Set::new(), Set::new());
    for uses in users.values().filter(|uses| uses.len() > 1) {
        let Some((first, key)) = uses.first() else {
            continue;
        };
        let Some(place) = modules[*first].place(key) else {
            continue;
        };
        let mut path = vec![TYPES.to_owned()];
        path.add_all(place.path.iter().skip(1).cloned());
        let slot = (path.clone(), place.ident.clone());
        let first_part = path.get(1).unwrap_or(&place.ident);
        if scalars::is_builtin(first_part) || !free(&slot, &taken, &inner) {
            continue;
        }
        for depth in 1..path.len() {
            inner.insert((path[..depth].to_vec(), path[depth].clone()));
        }
        taken.insert(slot);
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

/// Whether a type may lie here: no other has its name, and none of its modules and of others is called like a type.
fn free(slot: &Slot, taken: &Set<Slot>, inner: &Set<Slot>) -> bool {
    let (path, _) = slot;
    let mut modules = (1..path.len()).map(|depth| (path[..depth].to_vec(), path[depth].clone()));
    !taken.contains(slot) && !inner.contains(slot) && !modules.any(|module| taken.contains(&module))
}

/// A place in the generated file: modules, and a name in the last of them.
type Slot = (Vec<String>, String);

impl PlannedModule<'_> {
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
        let mut reached = Set::new();
        match key {
            Key::Record(id) => reach(&Type::Record(*id), &self.input.signatures, &mut reached),
            other => {
                reached.insert(other.clone());
            }
        }
        let mut parts: Vec<String> = reached.iter().map(|key| self.describe(key)).collect_vec();
        sorted::sort(&mut parts);
        let name = self.place(key).map_or("", |place| &place.name);
        format!("{name}\n{}", parts.join("\n"))
    }

    fn describe(&self, key: &Key) -> String {
        // Two files may name one type differently, each to tell it from others that it has.
        let name = self.place(key).map_or_else(String::new, |place| {
            format!("{} {}", place.name, place.ident)
        });
        match key {
            Key::Record(id) => {
                let Some(record) = self.input.signatures.records.get(id.0) else {
                    return name;
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
                    .collect_vec();
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
            Key::Opaque(_) => name,
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
