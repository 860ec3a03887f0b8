//! Sizes, alignments and offsets of the types in a `.gpu` file: C rules of LP64 Linux (System V, Itanium C++
//! ABI), which nvcc's front end has already arranged the members for.
//!
//! Refuses what the file does not say: types that are not printed, `long double`, and records whose printed
//! members leave tail padding that the compiler would have printed as a member (there `long long` stands for an
//! `__int128`).

use std::rc::Rc;

use super::ctype::{Builtin, CType, QType, TagKind};
use super::header_types::{toolkit_record, vector_record};
use super::probe::{Answer, Answers, MemberOffset};
use super::tables::{RawRecord, Tables};
use super::unknown::{Defect, Unknown};
use crate::{lists::CollectVec, sorted::Map};

/// Records within records by value.
const MAX_DEPTH: u32 = 128;
/// No kernel parameter, and no object on a device, is larger.
const MAX_SIZE: u64 = 1 << 40;

/// Prefix of the members that stand for padding: `__nv_no_debug_dummy_end_padding_0`, `__nv_no_debug_dummy0`.
const PADDING: &str = "__nv_no_debug_dummy";
/// Prefix of the bytes that stand for empty members.
const EMPTY: &str = "__dummy_empty";

fn is_end_padding(name: &str) -> bool {
    name.starts_with("__nv_no_debug_dummy_end_padding")
}

/// Whether a member is padding that the front end made explicit.
pub(super) fn is_padding(name: &str) -> bool {
    name.starts_with(PADDING) || name.starts_with(EMPTY)
}

/// Where the members of a record lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Layout {
    /// C++ size: at least 1.
    pub size: u64,
    pub align: u64,
    /// No member: C gives it no bytes, and the member behind it stands for its byte.
    pub empty: bool,
    /// By member, padding included.
    pub offsets: Vec<Offset>,
    /// Somewhere within is a `long long`.
    pub has_long_long: bool,
    /// Somewhere within are 8 or more unprinted bytes between members.
    pub has_wide_gap: bool,
}

/// Place of one member.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Offset {
    /// First bit.
    pub bit: u64,
    /// Size in bytes; of a bit field, that of its type.
    pub size: u64,
    /// The compiler says that the `long long` that is printed is an `__int128`.
    pub int128: bool,
}

type Cached = Option<Result<Rc<Layout>, Unknown>>;

/// Computes layouts, each once.
pub(super) struct Layouts<'u> {
    tables: &'u Tables,
    answers: &'u Answers,
    /// `None` while it is being computed.
    cache: Map<String, Cached>,
    depth: u32,
}

fn builtin_size(builtin: Builtin) -> Result<(u64, u64), Unknown> {
    let size = match builtin {
        Builtin::Bool | Builtin::Char | Builtin::SChar | Builtin::UChar | Builtin::Char8 => 1,
        Builtin::Short | Builtin::UShort | Builtin::Char16 => 2,
        Builtin::Int | Builtin::UInt | Builtin::WChar | Builtin::Char32 | Builtin::Float => 4,
        Builtin::Long
        | Builtin::ULong
        | Builtin::LongLong
        | Builtin::ULongLong
        | Builtin::Double => 8,
        Builtin::Int128 | Builtin::UInt128 => 16,
        Builtin::LongDouble | Builtin::Void | Builtin::Other(_) => {
            return Err(Unknown::Builtin(builtin));
        }
    };
    Ok((size, size))
}

/// `offset` rounded up to `align`.
pub(super) fn align_up(offset: u64, align: u64) -> u64 {
    offset.next_multiple_of(align.max(1))
}

impl<'u> Layouts<'u> {
    pub(super) fn new(tables: &'u Tables, answers: &'u Answers) -> Self {
        Self {
            tables,
            answers,
            cache: Map::new(),
            depth: 0,
        }
    }

    /// Size and alignment in bytes of an object of this type, as C++ counts them.
    pub(super) fn size(&mut self, ty: &QType) -> Result<(u64, u64), Unknown> {
        self.sized(ty, false)
    }

    /// With `member`, the bytes C reserves for it: none for an empty record.
    fn sized(&mut self, ty: &QType, member: bool) -> Result<(u64, u64), Unknown> {
        match &ty.kind {
            CType::Builtin(builtin) => builtin_size(*builtin),
            CType::Pointer(_) | CType::Reference(_) => Ok((8, 8)),
            CType::Function(..) => Err(Unknown::Function),
            CType::Array(of, bound) => {
                let (size, align) = self.sized(of, member)?;
                let count = bound.unwrap_or(0);
                let bytes = size
                    .checked_mul(count)
                    .filter(|bytes| *bytes <= MAX_SIZE)
                    .ok_or(Unknown::TooManyElements(count))?;
                Ok((bytes, align))
            }
            CType::Named(name) => {
                let Some((target, align)) = self.tables.typedefs.get(name) else {
                    return Err(Unknown::NotPrinted {
                        name: name.clone(),
                        is_record: false,
                    });
                };
                self.enter()?;
                let found = self.sized(target, member);
                self.depth -= 1;
                let (size, natural) = found?;
                Ok((size, if *align == 0 { natural } else { *align }))
            }
            CType::Tag(TagKind::Enum, tag) => {
                let size = enum_size(self.tables, tag)?;
                Ok((size, size))
            }
            CType::Tag(_, tag) => {
                let layout = self.record(tag)?;
                let size = if member && layout.empty {
                    0
                } else {
                    layout.size
                };
                Ok((size, layout.align))
            }
        }
    }

    fn enter(&mut self) -> Result<(), Unknown> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            self.depth -= 1;
            return Err(Unknown::TooDeep);
        }
        Ok(())
    }

    /// The layout of a struct or union.
    pub(super) fn record(&mut self, tag: &str) -> Result<Rc<Layout>, Unknown> {
        match self.cache.get(tag) {
            Some(Some(known)) => return known.clone(),
            Some(None) => return Err(Unknown::of(tag, Defect::ContainsItself)),
            None => {}
        }
        self.enter()?;
        self.cache.insert(tag.to_owned(), None);
        let found = self.compute(tag).map(Rc::new);
        self.cache.insert(tag.to_owned(), Some(found.clone()));
        self.depth -= 1;
        found
    }

    fn compute(&mut self, tag: &str) -> Result<Layout, Unknown> {
        let answers = self.answers;
        let printed = self.tables.records.get(tag);
        if let Some(answer) = answers.of(tag) {
            return self.measured(tag, printed, answer);
        }
        if let Some(record) = printed {
            return self.members(tag, record);
        }
        if let Some(vector) = vector_record(tag) {
            let size = vector.element.size() * u64::from(vector.lanes);
            return Ok(Layout {
                // `double3` is 24 bytes; nothing is rounded but what the alignment asks.
                size: align_up(size, vector.align.into()),
                align: vector.align.into(),
                empty: false,
                offsets: Vec::new(),
                has_long_long: false,
                has_wide_gap: false,
            });
        }
        if let Some(fields) = toolkit_record(tag) {
            return Ok(Layout {
                size: 8 * fields.len() as u64,
                align: 8,
                empty: false,
                offsets: (0..fields.len() as u64)
                    .map(|index| Offset {
                        bit: 64 * index,
                        size: 8,
                        int128: false,
                    })
                    .collect_vec(),
                has_long_long: false,
                has_wide_gap: false,
            });
        }
        Err(Unknown::NotPrinted {
            name: tag.to_owned(),
            is_record: true,
        })
    }

    /// As the front end answered, where its answer and the printed members can both be true.
    fn measured(
        &mut self,
        tag: &str,
        printed: Option<&RawRecord>,
        answer: &Answer,
    ) -> Result<Layout, Unknown> {
        let raw = printed.map_or(&[][..], |record| &record.fields);
        let mut layout = Layout {
            size: answer.size,
            align: answer.align,
            empty: printed.is_some() && raw.is_empty(),
            offsets: Vec::with_capacity(raw.len()),
            has_long_long: false,
            has_wide_gap: false,
        };
        let mut end = 0;
        for (index, field) in raw.iter().enumerate() {
            let Some(place) = answer.places.get(index).and_then(Option::as_ref) else {
                layout.offsets.push(Offset {
                    bit: end * 8,
                    size: 0,
                    int128: false,
                });
                continue;
            };
            // A member's own type may be one that could not be asked about.
            if !place.int128 && !self.is_long_long(&field.ty) {
                self.note_contents(&field.ty, &mut layout);
            }
            let offset = self
                .measured_offset(place)
                .ok_or_else(|| Unknown::of(tag, Defect::Contradiction))?;
            let printed = match self.sized(&field.ty, true)?.0 {
                bytes if place.int128 && self.is_long_long(&field.ty) => bytes.saturating_mul(2),
                bytes => bytes,
            };
            if let Some(size) = place.size
                && size != printed.max(1)
                && size != printed
            {
                let defect = Defect::MemberSize {
                    member: place.name.clone(),
                    offset,
                    size,
                    printed,
                };
                return Err(Unknown::of(tag, defect));
            }
            end = offset
                .checked_add(printed)
                .filter(|end| *end <= answer.size)
                .ok_or_else(|| {
                    let defect = Defect::MemberBeyond {
                        member: place.name.clone(),
                        offset,
                        end: answer.size,
                    };
                    Unknown::of(tag, defect)
                })?;
            layout.offsets.push(Offset {
                bit: offset * 8,
                size: printed,
                int128: place.int128,
            });
        }
        Ok(layout)
    }

    /// Where a member lies that was perhaps asked about through a member of its own.
    fn measured_offset(&mut self, place: &MemberOffset) -> Option<u64> {
        let mut offset = place.offset;
        for (tag, index) in &place.through {
            let inner = self.record(tag).ok()?;
            offset = offset.checked_sub(inner.offsets.get(*index)?.bit / 8)?;
        }
        Some(offset)
    }

    /// Whether it is a `long long`, or an array of them.
    pub(super) fn is_long_long(&self, ty: &QType) -> bool {
        let mut ty = ty;
        for _ in 0..MAX_DEPTH {
            ty = match &ty.kind {
                CType::Array(of, _) => of,
                CType::Named(name) => match self.tables.typedefs.get(name) {
                    Some((target, _)) => target,
                    None => return false,
                },
                CType::Builtin(builtin) => {
                    return matches!(builtin, Builtin::LongLong | Builtin::ULongLong);
                }
                _ => return false,
            };
        }
        false
    }

    fn members(&mut self, tag: &str, record: &RawRecord) -> Result<Layout, Unknown> {
        let is_union = record.kind == TagKind::Union;
        let too_large = || Unknown::of(tag, Defect::TooLarge);
        let (mut bit, mut end, mut align) = (0_u64, 0_u64, 1_u64);
        let mut layout = Layout {
            size: 0,
            align: 0,
            empty: record.fields.is_empty(),
            offsets: Vec::with_capacity(record.fields.len()),
            has_long_long: false,
            has_wide_gap: false,
        };
        for field in &record.fields {
            let (size, natural) = self.sized(&field.ty, true)?;
            self.note_contents(&field.ty, &mut layout);
            let mut field_align = natural;
            if record.packed || field.packed {
                field_align = 1;
            }
            if record.pack != 0 {
                if field.align != 0 || (field.bits.is_some() && record.pack != 1) {
                    return Err(Unknown::of(tag, Defect::MixedPack));
                }
                field_align = field_align.min(record.pack);
            }
            field_align = field_align.max(field.align);
            if is_union {
                bit = 0;
            }
            if let Some(width) = field.bits {
                let unit = size * 8;
                if width > unit {
                    return Err(Unknown::of(tag, Defect::WideBitField));
                }
                let packed = record.packed || field.packed || record.pack == 1;
                let straddles = width != 0 && bit / unit != (bit + width - 1) / unit;
                if width == 0 || (straddles && !packed) {
                    bit = align_up(bit, unit);
                }
                if field.align != 0 {
                    bit = align_up(bit, field.align * 8);
                }
                layout.offsets.push(Offset {
                    bit,
                    size,
                    int128: false,
                });
                bit += width;
                if field.name.is_some() {
                    align = align.max(field_align);
                }
            } else {
                let offset = align_up(bit.div_ceil(8), field_align);
                layout.has_wide_gap |= offset - bit.div_ceil(8) >= 8;
                layout.offsets.push(Offset {
                    bit: offset * 8,
                    size,
                    int128: false,
                });
                bit = offset
                    .checked_add(size)
                    .filter(|end| *end <= MAX_SIZE)
                    .ok_or_else(too_large)?
                    * 8;
                align = align.max(field_align);
            }
            end = end.max(bit.div_ceil(8));
        }
        align = align.max(record.align);
        layout.align = align;
        layout.size = align_up(end.max(1), align);
        let unprinted = layout.size - end;
        let last_is_flexible = record
            .fields
            .last()
            .is_some_and(|field| matches!(field.ty.kind, CType::Array(_, None)));
        let last_padding = match record.fields.last() {
            Some(last) if !is_union && last.name.as_deref().is_some_and(is_end_padding) => {
                layout.offsets.last().map_or(0, |offset| offset.size)
            }
            _ => 0,
        };
        if last_padding >= align {
            return Err(Unknown::of(tag, Defect::Padding(last_padding)));
        }
        if tag.starts_with("__SO__") {
            return Err(Unknown::of(tag, Defect::BasePart));
        }
        if unprinted > 0 && !layout.empty && !is_union && !last_is_flexible {
            return Err(Unknown::of(tag, Defect::Unprinted(unprinted)));
        }
        Ok(layout)
    }

    /// Carries the marks of a member's type over to the record around it.
    fn note_contents(&mut self, ty: &QType, layout: &mut Layout) {
        let mut ty = ty;
        // As long as chains of typedefs may be.
        for _ in 0..MAX_DEPTH {
            match &ty.kind {
                CType::Array(of, _) => ty = of,
                CType::Named(name) => match self.tables.typedefs.get(name) {
                    Some((target, _)) => ty = target,
                    None => return,
                },
                CType::Builtin(Builtin::LongLong | Builtin::ULongLong) => {
                    layout.has_long_long = true;
                    return;
                }
                CType::Tag(TagKind::Struct | TagKind::Union, tag) => {
                    if let Ok(inner) = self.record(tag) {
                        layout.has_long_long |= inner.has_long_long;
                        layout.has_wide_gap |= inner.has_wide_gap;
                    }
                    return;
                }
                _ => return,
            }
        }
    }
}

/// Bytes of an enumeration without a fixed type: 4, or 8 when a value needs them.
pub(super) fn enum_size(tables: &Tables, tag: &str) -> Result<u64, Unknown> {
    let Some(found) = tables.enums.get(tag) else {
        return Err(Unknown::NotPrinted {
            name: tag.to_owned(),
            is_record: false,
        });
    };
    if !found.exact {
        return Err(Unknown::of(tag, Defect::NotNumbers));
    }
    let negative = found.values.iter().any(|(_, value)| *value < 0);
    let (low, high) = if negative {
        (i128::from(i32::MIN), i128::from(i32::MAX))
    } else {
        (0, i128::from(u32::MAX))
    };
    let wide = found
        .values
        .iter()
        .any(|(_, value)| *value < low || *value > high);
    Ok(if wide { 8 } else { 4 })
}
