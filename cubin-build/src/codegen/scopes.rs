//! The Rust modules of C++ scopes: each scope of one source has one, and no two have the same.

use super::names::{self, NameKind};
use crate::lists::{AddAll, CollectVec};
use crate::sorted::{Map, Set};

/// A scope as C++ names it, from the outside in: parts without anonymous and versioned namespaces.
pub(super) type Scope = Vec<String>;

/// The modules below that of a source.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    /// The last part of each scope in Rust.
    idents: Map<Scope, String>,
}

impl Scopes {
    /// Names all of `scopes` and those around them.
    pub(super) fn new(scopes: impl Iterator<Item = Scope>) -> Self {
        // By the scope around them.
        let mut children: Map<Scope, Set<String>> = Map::new();
        for scope in scopes {
            for depth in 0..scope.len() {
                let around = scope[..depth].to_vec();
                children.or_default(around).insert(scope[depth].clone());
            }
        }
        let mut idents = Map::new();
        for (around, parts) in children.iter() {
            let wanted = parts.iter().map(|part| {
                let ident = names::ident(&names::short_template(part), NameKind::Module);
                names::Wanted {
                    natural: names::is_as_written(&ident, part),
                    ident,
                    whole: part.clone(),
                }
            });
            let found = names::settle(wanted.collect_vec(), NameKind::Module, &[]);
            for (part, ident) in parts.iter().zip(found) {
                let mut scope = around.clone();
                scope.push(part.clone());
                idents.insert(scope, ident);
            }
        }
        Self { idents }
    }

    /// Modules of a scope, from the outside in.
    pub(super) fn path(&self, scope: &[String]) -> Vec<String> {
        let mut path = Vec::new();
        for depth in 0..scope.len() {
            let ident = self.idents.get(&scope[..=depth]);
            path.add_all(ident.cloned());
        }
        path
    }

    /// All of them as C++ names them.
    pub(super) fn all(&self) -> impl Iterator<Item = &Scope> {
        self.idents.keys()
    }

    /// Modules directly in a scope.
    pub(super) fn within(&self, scope: &[String]) -> Vec<String> {
        let mut found = Vec::new();
        for (inner, ident) in self.idents.iter() {
            if inner.len() == scope.len() + 1 && inner.starts_with(scope) {
                found.push(ident.clone());
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(text: &str) -> Scope {
        text.split("::").map(str::to_owned).collect()
    }

    #[test]
    fn scopes_that_rust_would_call_alike_are_told_apart() {
        let all = ["types", "types_", "a$b", "a_b::c", "type", "a.cu", "a_cu"];
        let scopes = Scopes::new(all.iter().map(|text| scope(text)));
        let path = |text: &str| scopes.path(&scope(text)).join("::");
        assert_eq!(path("types"), "types_");
        assert_eq!(path("types_"), "types__");
        assert_eq!(path("a_b::c"), "a_b::c");
        assert!(path("a$b").starts_with("a_b_"), "{}", path("a$b"));
        assert_eq!(path("type"), "r#type");
        assert_eq!(path("a_cu"), "a_cu");
        assert!(path("a.cu").starts_with("a_cu_"));
        assert_eq!(scopes.within(&[]).len(), 7);
        assert_eq!(scopes.within(&scope("a_b")), ["c"]);
    }
}
