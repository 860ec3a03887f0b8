//! Which records of a kernel's parameters nvcc's files leave open, and what to ask the compiler about them.
//!
//! Open is a record with a `long long` somewhere inside, which may be an `__int128`, and one whose printed members do
//! not explain its size or are not printed at all; and with it every record that holds one.

use super::ctype::{CType, QType, TagKind};
use super::header_types::{number_record, toolkit_record, vector_record};
use super::layout::is_padding;
use super::mangled;
use super::names::ANONYMOUS_NAMESPACE;
use super::probe::{Answers, Ask, AskKind, Question, Questions};
use super::records::{anonymous_tag, field_name, is_numbered_tag};
use super::resolve::Resolver;
use super::tables::{ANONYMOUS, RawField};
use crate::sorted::Set;

/// What a kernel's parameters leave open.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Doubt {
    pub symbol: String,
    /// The kernel is refused for it; otherwise the cubin must decide first.
    pub refused: bool,
    pub tags: Vec<String>,
}

/// Adds the records in a parameter's printed type whose layout the files leave open, members before what holds them.
pub(super) fn in_doubt(
    resolver: &mut Resolver<'_>,
    ty: &QType,
    seen: &mut Set<String>,
    found: &mut Vec<String>,
) {
    let tag = match resolver.strip(ty).kind {
        CType::Array(of, _) => return in_doubt(resolver, &of, seen, found),
        CType::Tag(TagKind::Struct | TagKind::Union, tag) => tag,
        _ => return,
    };
    if is_toolkits(&tag) || !seen.insert(tag.clone()) {
        return;
    }
    // Everything that holds an open record is open itself. Nesting is bounded by this very call.
    let open = match resolver.layouts.record(&tag) {
        Ok(layout) => layout.has_long_long,
        Err(unknown) => unknown.askable(),
    };
    if !open {
        return;
    }
    let unit = resolver.unit;
    if let Some(raw) = unit.tables.records.get(&tag) {
        for field in &raw.fields {
            in_doubt(resolver, &field.ty, seen, found);
        }
    }
    if !tag.starts_with(ANONYMOUS) {
        found.push(tag);
    }
}

/// Types that the reader knows without their definition.
fn is_toolkits(tag: &str) -> bool {
    tag == "CUtensorMap_st"
        || number_record(tag).is_some()
        || vector_record(tag).is_some()
        || toolkit_record(tag).is_some()
}

/// The questions about `tags`, and which cannot be asked.
pub(super) fn questions(resolver: &Resolver<'_>, tags: &[&String]) -> (Questions, Answers) {
    let mut questions = Questions::default();
    let mut answers = Answers::default();
    let mut asked = Set::new();
    for tag in tags.iter().filter(|tag| asked.insert(**tag)) {
        let plain = resolver
            .cpp_name(tag)
            .replace(&format!("{ANONYMOUS_NAMESPACE}::"), "");
        let mut question = Question {
            tag: (*tag).clone(),
            name: format!("::{plain}"),
            members: Vec::new(),
            count: 0,
        };
        match question.ask(resolver) {
            Ok(()) => questions.records.push(question),
            Err(why) => answers.note(&question, &why),
        }
    }
    (questions, answers)
}

impl Question {
    fn ask(&mut self, resolver: &Resolver<'_>) -> Result<(), String> {
        if is_numbered_tag(&self.tag) || mangled::name(&self.tag).is_some_and(|name| name.unnamed) {
            return Err("it has no name to ask by".into());
        }
        let Some(raw) = resolver.unit.tables.records.get(&self.tag) else {
            return Ok(());
        };
        self.count = raw.fields.len();
        let own: Set<String> = raw.fields.iter().filter_map(own_name).collect();
        for (index, field) in raw.fields.iter().enumerate() {
            if field.name.as_deref().is_some_and(is_padding) {
                continue;
            }
            if field.bits.is_some() {
                return Err("it has bit fields, whose places cannot be asked for".into());
            }
            if let Some(name) = own_name(field) {
                if let Some((_, tag)) = anonymous_tag(&field.ty)
                    && open_within(resolver, tag)
                {
                    return Err(format!(
                        "the type of its member `{name}` has no name to ask by"
                    ));
                }
                self.members.push(Ask {
                    name,
                    kind: AskKind::Member(index),
                });
                continue;
            }
            let CType::Tag(_, tag) = resolver.strip(&field.ty).kind else {
                return Err("it has a member without a name".into());
            };
            let mut within = Within {
                resolver,
                own: &own,
                checks: Vec::new(),
                anonymous: field.name.is_none(),
            };
            let witness = within.witness(&tag, 0)?;
            self.members.append(&mut within.checks);
            match witness {
                Some((name, through)) => self.members.push(Ask {
                    name,
                    kind: AskKind::Through(index, through),
                }),
                // An empty base has no byte of its own.
                None if within.anonymous => {
                    return Err("it has a member without a name that has none itself".into());
                }
                None => {}
            }
        }
        Ok(())
    }
}

/// The name that a member goes by in its record; none for a base and for a member without a name.
fn own_name(field: &RawField) -> Option<String> {
    let printed = field.name.as_deref().filter(|name| !is_padding(name))?;
    let name = field_name(printed);
    if name == printed {
        return Some(name);
    }
    // `__b_4Base` is the base, `__b_6NPBase_x` its member `x`.
    let is_base = matches!(&field.ty.kind, CType::Tag(_, tag) if printed.ends_with(tag.trim_start_matches("_Z")));
    if is_base {
        None
    } else {
        Some(name.strip_prefix("base_")?.to_owned())
    }
}

/// Whether a record of which nothing can be asked leaves something open.
fn open_within(resolver: &Resolver<'_>, tag: &str) -> bool {
    let Some(raw) = resolver.unit.tables.records.get(tag) else {
        return true;
    };
    raw.fields
        .iter()
        .any(|field| match &resolver.strip(&field.ty).kind {
            CType::Tag(TagKind::Struct | TagKind::Union, inner) if inner.starts_with(ANONYMOUS) => {
                open_within(resolver, inner)
            }
            _ => resolver.layouts.is_long_long(&field.ty),
        })
}

/// A member without a name, seen from the record around it.
struct Within<'r, 'u> {
    resolver: &'r Resolver<'u>,
    /// Names that hide others.
    own: &'r Set<String>,
    checks: Vec<Ask>,
    anonymous: bool,
}

impl Within<'_, '_> {
    /// The first member that the outer record can name, and the way to it.
    fn witness(&mut self, tag: &str, depth: u32) -> Result<Witness, String> {
        let Some(raw) = self.resolver.unit.tables.records.get(tag) else {
            return Err("it has a base that is not printed".into());
        };
        if depth > 16 {
            return Err("it has members without a name, nested too deeply".into());
        }
        let mut found = None;
        for (index, field) in raw.fields.iter().enumerate() {
            if field.name.as_deref().is_some_and(is_padding) {
                continue;
            }
            if field.bits.is_some() {
                if self.anonymous {
                    return Err("it has bit fields, whose places cannot be asked for".into());
                }
                continue;
            }
            let here = (tag.to_owned(), index);
            match own_name(field) {
                Some(name) => {
                    if self.anonymous && self.resolver.layouts.is_long_long(&field.ty) {
                        let bytes = 8 * elements(self.resolver, &field.ty);
                        self.checks.push(Ask {
                            name: name.clone(),
                            kind: AskKind::LongLong(bytes),
                        });
                    }
                    if found.is_none() && (self.anonymous || !self.own.contains(&name)) {
                        found = Some((name, vec![here]));
                    }
                }
                None => {
                    let CType::Tag(_, inner) = self.resolver.strip(&field.ty).kind else {
                        return Err("it has a member without a name".into());
                    };
                    let deeper = self.witness(&inner, depth + 1)?;
                    if let (None, Some((name, mut way))) = (&found, deeper) {
                        way.insert(0, here);
                        found = Some((name, way));
                    }
                }
            }
        }
        if found.is_none() && raw.fields.iter().any(|field| own_name(field).is_some()) {
            return Err("the members of its base are hidden by others of the same name".into());
        }
        Ok(found)
    }
}

/// A member's name, and the records and members on the way to it.
type Witness = Option<(String, Vec<(String, usize)>)>;

/// How many elements an array has in all; 1 for anything else.
fn elements(resolver: &Resolver<'_>, ty: &QType) -> u64 {
    match resolver.strip(ty).kind {
        CType::Array(of, bound) => bound.unwrap_or(0).saturating_mul(elements(resolver, &of)),
        _ => 1,
    }
}
