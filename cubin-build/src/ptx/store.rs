//! Entries as bytes, for what is kept from one build to the next.

use super::model::{Class, Directives, Entry, Extent, Param, Pointee, Space};
use crate::codec::{Decoder, Encoder};

const CLASSES: [Class; 6] = [
    Class::Unsigned,
    Class::Signed,
    Class::Float,
    Class::Bits,
    Class::Texture,
    Class::Unknown,
];
const SPACES: [Space; 5] = [
    Space::Generic,
    Space::Global,
    Space::Constant,
    Space::Shared,
    Space::Local,
];

/// Writes entries.
pub(crate) fn write(to: &mut Encoder, entries: &[Entry]) {
    to.list(entries, write_entry);
}

/// Reads entries; `None` when the bytes are damaged.
pub(crate) fn read(from: &mut Decoder<'_>) -> Option<Vec<Entry>> {
    from.list(read_entry)
}

fn write_entry(to: &mut Encoder, entry: &Entry) {
    to.text(&entry.symbol);
    to.number(entry.line.into());
    to.list(&entry.params, write_param);
    let directives = &entry.directives;
    for shape in [
        directives.max_threads,
        directives.required_threads,
        directives.cluster,
    ] {
        to.list(&shape.map_or_else(Vec::new, Vec::from), |to, number| {
            to.number((*number).into());
        });
    }
    for number in [
        directives.max_registers,
        directives.min_blocks,
        directives.max_cluster_rank,
    ] {
        write_option(to, number.map(u64::from));
    }
    to.flag(directives.explicit_cluster);
    to.option(entry.source.as_ref(), |to, (file, line)| {
        to.text(file);
        to.number((*line).into());
    });
}

fn read_entry(from: &mut Decoder<'_>) -> Option<Entry> {
    Some(Entry {
        symbol: from.text()?,
        line: from.small()?,
        params: from.list(read_param)?,
        directives: Directives {
            max_threads: read_shape(from)?,
            required_threads: read_shape(from)?,
            cluster: read_shape(from)?,
            max_registers: from.option(Decoder::small)?,
            min_blocks: from.option(Decoder::small)?,
            max_cluster_rank: from.option(Decoder::small)?,
            explicit_cluster: from.flag()?,
        },
        source: from.option(|from| Some((from.text()?, from.small()?)))?,
    })
}

fn write_option(to: &mut Encoder, number: Option<u64>) {
    to.option(number.as_ref(), |to, number| to.number(*number));
}

fn read_shape(from: &mut Decoder<'_>) -> Option<Option<[u32; 3]>> {
    let numbers = from.list(Decoder::small)?;
    match numbers.as_slice() {
        [] => Some(None),
        [x, y, z] => Some(Some([*x, *y, *z])),
        _ => None,
    }
}

fn write_param(to: &mut Encoder, param: &Param) {
    to.text(&param.name);
    to.size(position(&CLASSES, &param.class));
    to.number(param.size);
    write_option(to, param.align);
    match param.extent {
        Extent::One => to.number(0),
        Extent::Open => to.number(1),
        Extent::Elements(count) => {
            to.number(2);
            to.number(count);
        }
    }
    to.option(param.pointee.as_ref(), |to, pointee| {
        to.size(position(&SPACES, &pointee.space));
        write_option(to, pointee.align);
    });
}

fn read_param(from: &mut Decoder<'_>) -> Option<Param> {
    Some(Param {
        name: from.text()?,
        class: *CLASSES.get(from.size()?)?,
        size: from.number()?,
        align: from.option(Decoder::number)?,
        extent: match from.number()? {
            0 => Extent::One,
            1 => Extent::Open,
            2 => Extent::Elements(from.number()?),
            _ => return None,
        },
        pointee: from.option(|from| {
            Some(Pointee {
                space: *SPACES.get(from.size()?)?,
                align: from.option(Decoder::number)?,
            })
        })?,
    })
}

fn position<T: PartialEq>(all: &[T], one: &T) -> usize {
    all.iter()
        .position(|known| known == one)
        .unwrap_or(all.len())
}
