//! No circles among files: a file that is read must not need the reader to know the file that named it.
//!
//! A file names another where it imports from it or writes a path into it. What a module re-exports from below itself
//! is a facade and names nothing; whoever takes it from there names the file that defines it.

use std::collections::{BTreeMap, BTreeSet};

use syn::{
    Item, ItemMod, ItemUse, Path, UseTree,
    visit::{self, Visit},
};

/// Segments below the crate's root: `["policy", "check"]`.
type Module = Vec<String>;

/// One file as a module.
#[derive(Default)]
struct File {
    /// Modules in files of their own.
    children: BTreeSet<String>,
    /// What is defined here.
    items: BTreeSet<String>,
    /// What an import brings here: its name, its path as written.
    imports: Vec<Import>,
    /// Paths in code, as written.
    paths: Vec<Vec<String>>,
}

struct Import {
    /// `*` for all.
    name: String,
    path: Vec<String>,
    public: bool,
}

/// Circles of the files of a crate, each as the names of its files; `files` are (path below `src`, text).
pub(crate) fn circles(files: &[(String, String)]) -> Vec<Vec<String>> {
    let krate: BTreeMap<Module, File> = files
        .iter()
        .map(|(path, text)| (module(path), read(path, text)))
        .collect();
    let names: BTreeMap<Module, &str> = files
        .iter()
        .map(|(path, _)| (module(path), path.as_str()))
        .collect();
    let edges: BTreeMap<&Module, BTreeSet<Module>> = krate
        .iter()
        .map(|(module, file)| (module, named(&krate, module, file)))
        .collect();
    let mut found = Vec::new();
    let mut placed: BTreeSet<&Module> = BTreeSet::new();
    for start in krate.keys() {
        if placed.contains(start) {
            continue;
        }
        let forward = reached(&edges, start);
        let circle: Vec<&Module> = krate
            .keys()
            .filter(|other| forward.contains(*other) && reached(&edges, other).contains(start))
            .collect();
        if circle.len() > 1 {
            placed.extend(&circle);
            found.push(
                circle
                    .iter()
                    .map(|module| (*names[*module]).to_owned())
                    .collect(),
            );
        }
    }
    found
}

/// `policy/check.rs` is `policy::check`, `policy/mod.rs` is `policy`, `lib.rs` the root.
fn module(path: &str) -> Module {
    let stem = path.strip_suffix(".rs").unwrap_or(path);
    let mut parts: Module = stem.split('/').map(str::to_owned).collect();
    if parts
        .last()
        .is_some_and(|last| matches!(last.as_str(), "mod" | "lib" | "main"))
    {
        parts.pop();
    }
    parts
}

fn read(path: &str, text: &str) -> File {
    let parsed = syn::parse_file(text).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut file = File::default();
    file.visit_file(&parsed);
    file
}

fn is_test(attributes: &[syn::Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute
                .parse_args::<syn::Ident>()
                .is_ok_and(|ident| ident == "test")
    })
}

impl<'ast> Visit<'ast> for File {
    /// Who may see an item is not something that the file needs.
    fn visit_visibility(&mut self, _: &'ast syn::Visibility) {}

    fn visit_item(&mut self, item: &'ast Item) {
        let name = match item {
            Item::Const(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            Item::Fn(item) => Some(&item.sig.ident),
            Item::Static(item) => Some(&item.ident),
            Item::Struct(item) => Some(&item.ident),
            Item::Trait(item) => Some(&item.ident),
            Item::Type(item) => Some(&item.ident),
            Item::Union(item) => Some(&item.ident),
            Item::Macro(item) => item.ident.as_ref(),
            _ => None,
        };
        self.items.extend(name.map(ToString::to_string));
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if is_test(&item.attrs) {
            return;
        }
        // A module within the file is part of it.
        if item.content.is_some() {
            visit::visit_item_mod(self, item);
        } else {
            self.children.insert(item.ident.to_string());
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        let public = !matches!(item.vis, syn::Visibility::Inherited);
        leaves(&item.tree, &mut Vec::new(), &mut |name, path| {
            self.imports.push(Import { name, path, public });
        });
    }

    fn visit_path(&mut self, path: &'ast Path) {
        let segments: Vec<String> = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        if segments.len() > 1 {
            self.paths.push(segments);
        }
        visit::visit_path(self, path);
    }
}

fn leaves(tree: &UseTree, before: &mut Vec<String>, found: &mut impl FnMut(String, Vec<String>)) {
    let with = |last: String| -> Vec<String> { before.iter().cloned().chain([last]).collect() };
    match tree {
        UseTree::Path(path) => {
            before.push(path.ident.to_string());
            leaves(&path.tree, before, found);
            before.pop();
        }
        UseTree::Group(group) => {
            for item in &group.items {
                leaves(item, before, found);
            }
        }
        UseTree::Name(name) if name.ident == "self" => {
            found(before.last().cloned().unwrap_or_default(), before.clone());
        }
        UseTree::Name(name) => found(name.ident.to_string(), with(name.ident.to_string())),
        UseTree::Rename(rename) => found(rename.rename.to_string(), with(rename.ident.to_string())),
        UseTree::Glob(_) => found("*".to_owned(), before.clone()),
    }
}

/// The files that one names.
fn named(krate: &BTreeMap<Module, File>, own: &Module, file: &File) -> BTreeSet<Module> {
    let mut found = BTreeSet::new();
    for import in &file.imports {
        let target = resolve(krate, own, &import.path, 0);
        let facade = import.public
            && target
                .as_ref()
                .is_some_and(|target| target.starts_with(own.as_slice()));
        if !facade {
            found.extend(target);
        }
    }
    // What an import named is named already.
    let imported = |name: &String| file.imports.iter().any(|import| import.name == *name);
    for path in &file.paths {
        if matches!(path[0].as_str(), "crate" | "self" | "super")
            || (file.children.contains(&path[0]) && !imported(&path[0]))
        {
            found.extend(resolve(krate, own, path, 0));
        }
    }
    found.remove(own);
    found
}

/// The module whose file defines what `path`, written in `own`, leads to; `None` for other crates.
fn resolve(
    krate: &BTreeMap<Module, File>,
    own: &Module,
    path: &[String],
    depth: usize,
) -> Option<Module> {
    const MOST: usize = 16;
    if depth > MOST {
        return None;
    }
    let mut at = own.clone();
    let mut rest = path;
    match rest.first()?.as_str() {
        "crate" => (at, rest) = (Module::new(), &rest[1..]),
        "self" => rest = &rest[1..],
        "super" => {}
        first => {
            let file = krate.get(own)?;
            if !file.children.contains(first) {
                let import = file.imports.iter().find(|import| import.name == first)?;
                if import.path.first().is_some_and(|known| known == first) {
                    return None;
                }
                let whole: Vec<String> = import.path.iter().chain(&rest[1..]).cloned().collect();
                return resolve(krate, own, &whole, depth + 1);
            }
        }
    }
    while let [first, after @ ..] = rest {
        if first == "super" {
            at.pop();
        } else if krate.get(&at)?.children.contains(first) {
            at.push(first.clone());
        } else {
            break;
        }
        rest = after;
    }
    let Some(name) = rest.first() else {
        return Some(at);
    };
    let file = krate.get(&at)?;
    if !file.items.contains(name)
        && let Some(import) = file.imports.iter().find(|import| import.name == *name)
    {
        let whole: Vec<String> = import.path.iter().chain(&rest[1..]).cloned().collect();
        return resolve(krate, &at, &whole, depth + 1);
    }
    Some(at)
}

fn reached<'m>(
    edges: &'m BTreeMap<&Module, BTreeSet<Module>>,
    start: &'m Module,
) -> BTreeSet<&'m Module> {
    let mut seen = BTreeSet::new();
    let mut pending = vec![start];
    while let Some(module) = pending.pop() {
        for next in edges.get(module).into_iter().flatten() {
            if seen.insert(next) {
                pending.push(next);
            }
        }
    }
    seen
}

#[test]
fn circles_are_found_and_facades_are_not() {
    let files = |list: &[(&str, &str)]| -> Vec<(String, String)> {
        let owned = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        list.iter().map(owned).collect()
    };
    let facade = files(&[
        ("lib.rs", "mod a;"),
        ("a/mod.rs", "mod b; mod c; pub use b::B;"),
        ("a/b.rs", "pub struct B;"),
        ("a/c.rs", "use super::B; fn c(_: B) {}"),
    ]);
    assert!(circles(&facade).is_empty());
    let circle = files(&[
        ("lib.rs", "mod a;"),
        ("a/mod.rs", "mod b; mod c; pub use b::B;"),
        ("a/b.rs", "pub struct B; fn b() { super::c::c(B) }"),
        ("a/c.rs", "use super::B; pub fn c(_: B) {}"),
    ]);
    assert_eq!(circles(&circle), [["a/b.rs", "a/c.rs"]]);
    let parent = files(&[
        ("lib.rs", "mod a;"),
        ("a/mod.rs", "mod b; pub struct A; fn a() { b::b(A) }"),
        ("a/b.rs", "use super::A; pub fn b(_: A) {}"),
    ]);
    assert_eq!(circles(&parent), [["a/mod.rs", "a/b.rs"]]);
    let tests = files(&[
        ("lib.rs", "mod a; mod b;"),
        ("a.rs", "use crate::b::B; pub struct A(B);"),
        (
            "b.rs",
            "pub struct B; #[cfg(test)] mod tests { use crate::a::A; }",
        ),
    ]);
    assert!(circles(&tests).is_empty());
}
