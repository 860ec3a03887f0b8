//! How a C++ record becomes a Rust one of the same layout: which members `#[repr(C)]` places where C++
//! places them, where padding must be spelled out, and when only bytes are left.

use crate::signature::model::{Field, Record, RecordId, Signatures, Type};
use crate::{
    lists::{CollectVec, Figures},
    sorted::Set,
};

/// The Rust form of a record.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Form<'a> {
    /// `#[repr(C)] struct`
    Struct {
        members: Vec<Member<'a>>,
        attributes: Attributes,
    },
    /// `#[repr(C)] union`
    Union {
        members: Vec<&'a Field>,
        attributes: Attributes,
        /// Bytes of an additional member that makes the union as large as in C++.
        filler: Option<u64>,
    },
    /// Bytes with the right size and alignment: members lie where no Rust struct can put them.
    Opaque,
}

/// What follows `C` in `#[repr(C, …)]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Attributes {
    pub(super) packed: Option<u64>,
    pub(super) align: Option<u64>,
}

/// A member of a struct.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Member<'a> {
    Field(&'a Field),
    /// Bytes of padding that `#[repr(C)]` would not insert itself.
    Padding(u64),
    /// Bytes that hold bit fields, from this offset.
    Bits {
        offset: u64,
        bytes: u64,
        fields: Vec<&'a Field>,
    },
}

/// Size and alignment of a type in Rust, or nothing when it has none.
pub(super) fn size_align(ty: &Type, signatures: &Signatures) -> Option<(u64, u64)> {
    Some(match ty {
        Type::Void | Type::Opaque(_) => return None,
        Type::Scalar(scalar) => (scalar.size(), scalar.size()),
        Type::Vector(vector) => {
            let align = u64::from(vector.align).max(vector.element.size());
            let size = vector.element.size() * u64::from(vector.lanes);
            (size.checked_next_multiple_of(align)?, align)
        }
        Type::Pointer(_) | Type::Function => (8, 8),
        Type::Array(element, length) => {
            let (size, align) = size_align(element, signatures)?;
            (size.checked_mul(*length)?, align)
        }
        Type::Record(id) => {
            let record = signatures.records.get(id.0)?;
            (record.size, record.align)
        }
        Type::Enum(id) => {
            let size = signatures.enums.get(id.0)?.repr.size();
            (size, size)
        }
        Type::TensorMap { align } => (128, *align),
    })
}

/// The form of `record`.
pub(super) fn form<'a>(record: &'a Record, signatures: &'a Signatures) -> Form<'a> {
    let found = if record.is_union {
        union_form(record, signatures)
    } else {
        struct_form(record, signatures)
    };
    found.unwrap_or(Form::Opaque)
}

fn union_form<'a>(record: &'a Record, signatures: &Signatures) -> Option<Form<'a>> {
    let (mut size, mut align) = (0, 1);
    for field in &record.fields {
        let (field_size, field_align) = size_align(&field.ty, signatures)?;
        if field.offset != 0 || field.bits.is_some() || field.size != field_size {
            return None;
        }
        size = size.max(field_size);
        align = align.max(field_align);
    }
    // A packed union of aligned members has no plain Rust form.
    if record.align < align {
        return None;
    }
    let natural = size.checked_next_multiple_of(record.align)?;
    if natural > record.size {
        return None;
    }
    Some(Form::Union {
        members: record.fields.iter().collect_vec(),
        attributes: Attributes {
            packed: None,
            align: (record.align > align).then_some(record.align),
        },
        filler: (natural < record.size || record.fields.is_empty()).then_some(record.size),
    })
}

fn struct_form<'a>(record: &'a Record, signatures: &'a Signatures) -> Option<Form<'a>> {
    let packed = record.packed.filter(|pack| *pack < 16);
    let cap = packed.unwrap_or(u64::MAX);
    let (mut end, mut align) = (0_u64, 1_u64);
    let mut members = Vec::new();
    let mut at = 0;
    while let Some(field) = record.fields.get(at) {
        if field.bits.is_some() {
            let (bits, next) = bit_run(record, at)?;
            let Member::Bits { offset, bytes, .. } = bits else {
                return None;
            };
            let gap = offset.checked_sub(end)?;
            if gap > 0 {
                members.push(Member::Padding(gap));
            }
            end = offset.checked_add(bytes)?;
            members.push(bits);
            at = next;
            continue;
        }
        at += 1;
        let (size, field_align) = size_align(&field.ty, signatures)?;
        if field.size != size {
            return None;
        }
        if is_empty_record(&field.ty, signatures) && overlaps_next(record, at, field) {
            // An empty base or member shares its address with what follows.
            continue;
        }
        if packed.is_some() && has_alignment_attribute(&field.ty, signatures, &mut Set::new()) {
            return None;
        }
        let field_align = field_align.min(cap).max(1);
        let natural = end.checked_next_multiple_of(field_align)?;
        if !field.offset.is_multiple_of(field_align) || field.offset < natural {
            return None;
        }
        if field.offset > natural {
            members.push(Member::Padding(field.offset - end));
        }
        members.push(Member::Field(field));
        end = field.offset.checked_add(size)?;
        align = align.max(field_align);
    }
    let raised = record.align > align;
    if record.align < align || (raised && packed.is_some()) {
        return None;
    }
    let natural = end.checked_next_multiple_of(record.align)?;
    if natural > record.size || !record.size.is_multiple_of(record.align) {
        return None;
    }
    if natural < record.size || end == 0 {
        members.push(Member::Padding(record.size - end));
    }
    Some(Form::Struct {
        members,
        attributes: Attributes {
            packed,
            align: raised.then_some(record.align),
        },
    })
}

/// The bit fields from `at` on whose bytes no other member has, and the index behind them.
fn bit_run(record: &Record, at: usize) -> Option<(Member<'_>, usize)> {
    let fields: Vec<&Field> = record
        .fields
        .get(at..)?
        .iter()
        .take_while(|field| field.bits.is_some())
        .collect_vec();
    let first = fields
        .iter()
        .filter_map(|field| field.bits)
        .map(|(bit, _)| bit / 8)
        .smallest()?;
    let last = fields
        .iter()
        .filter_map(|field| field.bits)
        .map(|(bit, width)| (bit + u64::from(width)).div_ceil(8))
        .largest()?;
    if fields
        .iter()
        .any(|field| field.bits.is_some_and(|(_, width)| width > 64))
    {
        return None;
    }
    let next = at + fields.len();
    let bytes = last.checked_sub(first)?;
    Some((
        Member::Bits {
            offset: first,
            bytes,
            fields,
        },
        next,
    ))
}

fn is_empty_record(ty: &Type, signatures: &Signatures) -> bool {
    match ty {
        Type::Record(RecordId(id)) => signatures
            .records
            .get(*id)
            .is_some_and(|record| record.size == 1 && record.fields.is_empty()),
        _ => false,
    }
}

fn overlaps_next(record: &Record, next: usize, field: &Field) -> bool {
    match record.fields.get(next) {
        Some(following) => following.offset <= field.offset,
        // An empty last member that reuses the tail.
        None => field.offset + field.size > record.size,
    }
}

/// Whether the Rust form of `ty` carries `align(N)` somewhere, which a packed struct may not contain.
fn has_alignment_attribute(ty: &Type, signatures: &Signatures, seen: &mut Set<RecordId>) -> bool {
    match ty {
        Type::Vector(vector) => u64::from(vector.align) > vector.element.size(),
        Type::TensorMap { .. } => true,
        Type::Array(element, _) => has_alignment_attribute(element, signatures, seen),
        Type::Record(id) => {
            if !seen.insert(*id) {
                return false;
            }
            let Some(record) = signatures.records.get(id.0) else {
                return false;
            };
            let own = match form(record, signatures) {
                Form::Struct { attributes, .. } | Form::Union { attributes, .. } => {
                    attributes.align.is_some()
                }
                Form::Opaque => record.align > 1,
            };
            own || record
                .fields
                .iter()
                .any(|field| has_alignment_attribute(&field.ty, signatures, seen))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::model::Scalar;

    fn field(name: &str, scalar: Scalar, offset: u64) -> Field {
        Field {
            name: name.into(),
            ty: Type::Scalar(scalar),
            c_type: String::new(),
            offset,
            size: scalar.size(),
            bits: None,
        }
    }

    fn record(size: u64, align: u64, fields: Vec<Field>) -> Record {
        Record {
            name: "S".into(),
            alias: None,
            unnamed: false,
            is_union: false,
            size,
            align,
            packed: None,
            fields,
            definition: None,
        }
    }

    #[test]
    fn natural_padding_is_left_to_the_compiler() {
        let record = record(
            8,
            4,
            vec![field("a", Scalar::UChar, 0), field("b", Scalar::Int, 4)],
        );
        let signatures = Signatures::default();
        let Form::Struct {
            members,
            attributes,
        } = form(&record, &signatures)
        else {
            panic!("opaque")
        };
        assert_eq!(members.len(), 2);
        assert_eq!(attributes, Attributes::default());
    }

    #[test]
    fn aligned_member_needs_padding_before_it() {
        let record = record(
            32,
            16,
            vec![field("a", Scalar::Int, 0), field("b", Scalar::Int, 16)],
        );
        let signatures = Signatures::default();
        let Form::Struct {
            members,
            attributes,
        } = form(&record, &signatures)
        else {
            panic!("opaque")
        };
        assert_eq!(members[1], Member::Padding(12));
        assert_eq!(attributes.align, Some(16));
    }

    #[test]
    fn overlapping_members_leave_bytes() {
        let record = record(
            8,
            4,
            vec![field("a", Scalar::Int, 0), field("b", Scalar::Int, 2)],
        );
        assert_eq!(form(&record, &Signatures::default()), Form::Opaque);
    }

    #[test]
    fn empty_record_is_one_byte() {
        let record = record(1, 1, Vec::new());
        let signatures = Signatures::default();
        let Form::Struct { members, .. } = form(&record, &signatures) else {
            panic!("opaque")
        };
        assert_eq!(members, [Member::Padding(1)]);
    }

    #[test]
    fn packed_members_follow_each_other() {
        let mut record = record(
            5,
            1,
            vec![field("a", Scalar::UChar, 0), field("b", Scalar::Int, 1)],
        );
        record.packed = Some(1);
        let signatures = Signatures::default();
        let Form::Struct {
            members,
            attributes,
        } = form(&record, &signatures)
        else {
            panic!("opaque")
        };
        assert_eq!(members.len(), 2);
        assert_eq!(attributes.packed, Some(1));
    }
}
