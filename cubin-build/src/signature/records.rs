//! Records and enums of the model, with each member's type and place.

use super::ctype::{CType, QType, TagKind};
use super::header_types::toolkit_record;
use super::layout::{self, is_padding};
use super::mangled;
use super::model::{Enum, EnumId, Field, Pointer, Record, RecordId, Scalar, Type};
use super::resolve::{Reason, Resolver, member_pointer};
use super::tables::{ANONYMOUS, RawField};
use crate::lists::CollectVec;

impl Resolver<'_> {
    pub(super) fn record(&mut self, tag: &str) -> Result<RecordId, Reason> {
        if let Some(Some(known)) = self.record_ids.get(tag) {
            return known.clone();
        }
        let start = self.records.len();
        let found = self.build_record(tag);
        if found.is_err() {
            self.records.truncate(start);
            for (_, known) in self.record_ids.iter_mut() {
                if matches!(known, Some(Ok(id)) if id.0 >= start) {
                    *known = None;
                }
            }
        }
        // From elsewhere the way may be shorter.
        let too_deep = found.as_ref().is_err_and(|reason| reason.too_deep);
        let known = (!too_deep).then(|| found.clone());
        self.record_ids.insert(tag.to_owned(), known);
        found
    }

    fn build_record(&mut self, tag: &str) -> Result<RecordId, Reason> {
        let layout = self
            .layouts
            .record(tag)
            .map_err(|unknown| self.unknown(&unknown))?;
        let id = RecordId(self.records.len());
        let decoded = mangled::name(tag);
        let raw = self.unit.tables.records.get(tag);
        let name = self.cpp_name(tag);
        self.records.push(Record {
            name: name.clone(),
            alias: match &decoded {
                Some(decoded) if decoded.lambda => Some(closure_name(&decoded.text)),
                _ => self.aliases.get(tag).cloned(),
            },
            unnamed: tag.starts_with(ANONYMOUS)
                || decoded.as_ref().is_some_and(|name| name.unnamed)
                || is_numbered_tag(tag),
            is_union: raw.is_some_and(|raw| raw.kind == TagKind::Union),
            size: layout.size,
            align: layout.align,
            packed: raw.and_then(|raw| match (raw.packed, raw.pack) {
                (true, _) => Some(1),
                (false, 0) => None,
                (false, pack) => Some(pack),
            }),
            fields: Vec::new(),
            definition: raw.and_then(|raw| self.definition(raw.place)),
        });
        self.record_ids.insert(tag.to_owned(), Some(Ok(id)));
        let fields = match raw {
            Some(raw) => self.fields(&name, &raw.fields, &layout)?,
            None => toolkit_fields(tag),
        };
        if let Some(record) = self.records.get_mut(id.0) {
            record.fields = fields;
        }
        Ok(id)
    }

    fn fields(
        &mut self,
        record: &str,
        raw: &[RawField],
        layout: &layout::Layout,
    ) -> Result<Vec<Field>, Reason> {
        if raw.iter().any(|field| {
            field
                .name
                .as_deref()
                .is_some_and(|name| name.starts_with("__vptr") || name.starts_with("__v_"))
        }) {
            return Err(Reason::new(
                format!(
                    "`{record}` has virtual functions or virtual bases, whose tables only C++ can set up"
                ),
                "pass plain data, or construct the object on the device",
            ));
        }
        if let [first, second] = raw
            && (first.name.as_deref(), second.name.as_deref()) == (Some("f"), Some("d"))
            && is_numbered_tag(record)
        {
            return Err(member_pointer());
        }
        let mut fields = Vec::with_capacity(raw.len());
        let mut anonymous = 0_u32;
        for (field, offset) in raw.iter().zip(&layout.offsets) {
            let name = field.name.as_deref();
            if name.is_some_and(is_padding) || (name.is_none() && field.bits.is_some()) {
                continue;
            }
            if let Some((kind, tag)) = anonymous_tag(&field.ty) {
                // The source has no name for it; its place gives one, before the members inside need it.
                anonymous += 1;
                let word = match kind {
                    TagKind::Union => "union",
                    _ => "struct",
                };
                self.anonymous.insert(
                    tag.to_owned(),
                    format!("{record}::(unnamed {word} {anonymous})"),
                );
            }
            let mut ty = self.lower(&field.ty, true).map_err(|reason| Reason {
                reason: format!(
                    "member `{}` of `{record}`: {}",
                    name.unwrap_or("(unnamed)"),
                    reason.reason
                ),
                ..reason
            })?;
            let mut c_type = self.text(&field.ty);
            if offset.int128 {
                widen(&mut ty);
                c_type = c_type.replace("long long", "__int128");
            }
            if name.is_none()
                && let Some(one) = self.one_member(&ty)
            {
                fields.push(Field {
                    offset: offset.bit / 8,
                    ..one
                });
                continue;
            }
            let size = match field.bits {
                Some(width) => (offset.bit % 8 + width).div_ceil(8),
                // C gives an empty member no byte; C++ gives it one.
                None if offset.size == 0 => self.size(&field.ty)?.0,
                None => offset.size,
            };
            fields.push(Field {
                name: name.map(field_name).unwrap_or_default(),
                c_type,
                ty,
                offset: offset.bit / 8,
                size,
                bits: field
                    .bits
                    .map(|width| (offset.bit, u32::try_from(width).unwrap_or(u32::MAX))),
            });
        }
        distinct(&mut fields);
        Ok(fields)
    }

    /// The first member of an anonymous union that has several names for one thing: `union { float x, r, s; }`.
    fn one_member(&self, ty: &Type) -> Option<Field> {
        let Type::Record(id) = ty else { return None };
        let record = self.records.get(id.0).filter(|record| record.is_union)?;
        let first = record.fields.first()?;
        let same = |field: &Field| {
            (&field.ty, field.offset, field.size, field.bits) == (&first.ty, 0, first.size, None)
        };
        let all = record.fields.iter().all(same) && first.size == record.size;
        (all && !first.name.is_empty()).then(|| first.clone())
    }

    /// An enumeration whose tag is printed where it is used.
    pub(super) fn printed_enum(&mut self, tag: &str) -> Result<EnumId, Reason> {
        let size =
            layout::enum_size(&self.unit.tables, tag).map_err(|unknown| self.unknown(&unknown))?;
        let negative = self
            .unit
            .tables
            .enums
            .get(tag)
            .is_some_and(|found| found.values.iter().any(|(_, value)| *value < 0));
        let repr = match (size, negative) {
            (4, true) => Scalar::Int,
            (4, false) => Scalar::UInt,
            (_, true) => Scalar::Long,
            (_, false) => Scalar::ULong,
        };
        Ok(self.enumeration(tag, repr))
    }

    pub(super) fn enumeration(&mut self, tag: &str, repr: Scalar) -> EnumId {
        if let Some(known) = self.enum_ids.get(tag) {
            return *known;
        }
        let printed = self.unit.tables.enums.get(tag);
        let values = printed.map_or_else(Vec::new, |found| {
            found
                .values
                .iter()
                .map(|(name, value)| {
                    let plain = mangled::name(name).map_or_else(|| name.clone(), |name| name.last);
                    (plain, *value)
                })
                .collect_vec()
        });
        let id = EnumId(self.enums.len());
        let found = Enum {
            name: self.cpp_name(tag),
            repr,
            values,
            definition: printed.and_then(|found| self.definition(found.place)),
        };
        self.enums.push(found);
        self.enum_ids.insert(tag.to_owned(), id);
        id
    }
}

/// `host_lambda_1` for `host(int*)::{lambda 1}`.
fn closure_name(text: &str) -> String {
    let mut depth = 0_u32;
    let mut name = String::new();
    for character in text.chars() {
        match character {
            '(' | '<' => depth += 1,
            ')' | '>' => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            '{' | '}' => {}
            ':' | ' ' if name.ends_with('_') => {}
            ':' | ' ' => name.push('_'),
            other => name.push(other),
        }
    }
    name
}

/// `long long`, or an array of it, that the compiler says is an `__int128`.
fn widen(ty: &mut Type) {
    match ty {
        Type::Scalar(scalar @ Scalar::LongLong) => *scalar = Scalar::Int128,
        Type::Scalar(scalar @ Scalar::ULongLong) => *scalar = Scalar::UInt128,
        Type::Array(of, _) => widen(of),
        _ => {}
    }
}

/// `__T0`, `__C26`: tags the front end makes up.
pub(super) fn is_numbered_tag(tag: &str) -> bool {
    tag.strip_prefix("__T")
        .or_else(|| tag.strip_prefix("__C"))
        .is_some_and(|digits| {
            !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
        })
}

fn toolkit_fields(tag: &str) -> Vec<Field> {
    let fields = toolkit_record(tag).unwrap_or_default();
    fields
        .iter()
        .enumerate()
        .map(|(index, (name, builtin, pointer))| Field {
            name: (*name).into(),
            ty: if *pointer {
                Type::Pointer(Pointer {
                    pointee: Box::new(Type::Void),
                    is_const: false,
                    is_volatile: false,
                    reference: false,
                    restrict: false,
                })
            } else {
                Type::Scalar(Scalar::SizeT)
            },
            c_type: if *pointer {
                format!("{} *", builtin.name())
            } else {
                "size_t".into()
            },
            offset: 8 * index as u64,
            size: 8,
            bits: None,
        })
        .collect_vec()
}

/// The record without a tag that a member is, or is an array of.
pub(super) fn anonymous_tag(ty: &QType) -> Option<(TagKind, &str)> {
    match &ty.kind {
        CType::Tag(kind, tag) if tag.starts_with(ANONYMOUS) => Some((*kind, tag)),
        CType::Array(of, _) => anonymous_tag(of),
        _ => None,
    }
}

/// The member's name in the source: `__b_4Base` is the base `Base`, `__b_6NPBase_x` its member `x`, printed apart
/// because the derived class uses the base's tail padding.
pub(super) fn field_name(printed: &str) -> String {
    let mut rest = printed;
    // Bases of bases stack up.
    while let Some(base) = rest.strip_prefix("__b_") {
        let Some(name) = mangled::name(&format!("_Z{base}")) else {
            return format!("base_{base}");
        };
        let member = base.get(base.len() - name.rest..).unwrap_or_default();
        match member.strip_prefix('_') {
            Some(member) => rest = member,
            None => return format!("base_{}", name.last),
        }
    }
    if rest.len() == printed.len() {
        rest.to_owned()
    } else {
        format!("base_{rest}")
    }
}

/// Bases that differ only in template arguments get numbers.
fn distinct(fields: &mut [Field]) {
    for index in 1..fields.len() {
        let (before, rest) = fields.split_at_mut(index);
        let Some(field) = rest.first_mut() else {
            return;
        };
        if !field.name.starts_with("base_") {
            continue;
        }
        let plain = field.name.clone();
        let mut number = 2;
        while before.iter().any(|other| other.name == field.name) {
            field.name = format!("{plain}_{number}");
            number += 1;
        }
    }
}
