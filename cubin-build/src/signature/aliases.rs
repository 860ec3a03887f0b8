//! Names that sources give to instances of templates: `glm::vec3` for `glm::vec<3, float, (glm::qualifier)0>`.

use super::ctype::{CType, QType, TagKind};
use super::mangled;
use super::tables::Tables;
use crate::sorted::{Map, Set};

/// The alias of each tag that has one: of several, one in the template's own namespace, then the shortest, so that
/// another one changes little.
pub(super) fn of_instances(tables: &Tables) -> Map<String, String> {
    let mut found: Map<String, (bool, usize, String)> = Map::new();
    let mut classes: Option<Set<String>> = None;
    for (name, (ty, _)) in tables.typedefs.iter() {
        let Some(tag) = instance(tables, ty) else {
            continue;
        };
        let Some(instance) = mangled::name(tag).filter(|name| !name.unnamed && !name.local) else {
            continue;
        };
        let Some(alias) = spelled(name).filter(|_| instance.text.ends_with('>')) else {
            continue;
        };
        let classes = classes.get_or_insert_with(|| {
            let readable = |tag: &String| mangled::name(tag).map_or(tag.clone(), |name| name.text);
            tables.records.keys().map(readable).collect()
        });
        let scope = alias.rsplit_once("::").map_or("", |(scope, _)| scope);
        if classes.contains(scope) {
            continue;
        }
        let template = instance.text.split('<').next().unwrap_or_default();
        let own = template.rsplit_once("::").map_or("", |(scope, _)| scope);
        let rank = (scope != own, alias.len(), alias);
        let best = found.get(tag).is_none_or(|known| rank < *known);
        if best {
            found.insert(tag.to_owned(), rank);
        }
    }
    let named = found
        .iter()
        .map(|(tag, (_, _, alias))| (tag.clone(), alias.clone()));
    named.collect()
}

/// The record that a typedef, or one of a typedef, stands for.
fn instance<'t>(tables: &'t Tables, ty: &'t QType) -> Option<&'t str> {
    let mut ty = ty;
    for _ in 0..16 {
        if ty.is_const || ty.is_volatile {
            return None;
        }
        match &ty.kind {
            CType::Tag(TagKind::Struct | TagKind::Union, tag) => return Some(tag),
            CType::Named(name) => ty = &tables.typedefs.get(name)?.0,
            _ => return None,
        }
    }
    None
}

/// An alias as people write it; none where it is a member of a class, or the library's own affair.
fn spelled(name: &str) -> Option<String> {
    let text = match mangled::name(name) {
        Some(decoded) if decoded.unnamed || decoded.local => return None,
        Some(decoded) => decoded.text,
        None => name.to_owned(),
    };
    let last = text.rsplit("::").next().unwrap_or_default();
    let plain = !text.contains(['<', '(', '{', ' ']) && !last.starts_with("__");
    plain.then_some(text)
}
