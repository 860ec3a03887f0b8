//! From the bits of an instruction to what is known of it, per target.
//!
//! A target's table has an entry for each value of the key bits, made on first use from the generated lists. An entry says
//! which further bits matter, if any; those fields were measured with nvdisasm, each beside its variant of [`Detail`].

use std::sync::OnceLock;

use super::{
    class::{Access, Class, Space},
    instruction::Instruction,
    mnemonic::Mnemonic,
    tables::{maxwell, volta},
};

/// The instruction set of a target.
pub struct Isa {
    sm: u16,
    /// Its bit in the masks of the generated lists.
    target: u16,
    table: Table,
}

/// One entry for each value of the key bits.
enum Table {
    /// sm_50 to sm_62: 8 bytes, key in bits 51 to 63.
    Maxwell(Box<[Entry; 1 << 13]>),
    /// sm_70 and later: 16 bytes, key in bits 0 to 11; for counting also the bin of each key.
    Volta(Box<[Entry; 1 << 12]>, Box<[u8; 1 << 12]>),
}

/// Bins in which instructions are counted before they become a mix: one byte, so that the table of all keys is small and
/// counting needs no branch.
pub(super) mod bin {
    use super::{Class, SLOTS};

    /// From here on as many bins as there are classes: instructions in double precision.
    pub(in crate::sass) const FP64: u8 = 32;
    /// Instructions whose bits need a closer look. Not counted.
    pub(in crate::sass) const CLOSER: u8 = 127;
    /// From here on eight bins for each slot, by the bits of [`Detail::Width`](super::Detail::Width). Only these bins have
    /// the highest bit set.
    pub(in crate::sass) const ACCESS: u8 = 128;

    const _: () = assert!(Class::ALL.len() <= FP64 as usize && SLOTS <= 16);
}

/// What a key says.
#[derive(Clone, Copy)]
pub(super) struct Entry {
    pub(super) mnemonic: Option<Mnemonic>,
    pub(super) class: Class,
    pub(super) detail: Detail,
    /// [`Detail::Cases`]: where in [`volta::CASES`] the key's cases start. Loads and stores: [`slot`].
    pub(super) index: u8,
}

const UNKNOWN: Entry = Entry {
    mnemonic: None,
    class: Class::Unknown,
    detail: Detail::None,
    index: 0,
};

impl Entry {
    fn new(mnemonic: Mnemonic, detail: Detail) -> Self {
        Self {
            mnemonic: Some(mnemonic),
            class: mnemonic.class(),
            detail,
            index: if detail.accesses() { slot(mnemonic) } else { 0 },
        }
    }
}

/// The bit of a target in the masks.
fn bit(position: usize) -> u16 {
    u32::try_from(position)
        .ok()
        .and_then(|position| 1_u16.checked_shl(position))
        .unwrap_or(0)
}

/// A table that knows nothing.
fn boxed<const N: usize>() -> Box<[Entry; N]> {
    Box::new([UNKNOWN; N])
}

/// What more an instruction's bits say. Bits 64 and up are those of the second of two 64-bit words.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Detail {
    /// Nothing that is asked for.
    None,
    /// More bits decide the mnemonic.
    Cases,
    /// Works in double precision whatever its other bits are.
    Fp64,
    /// `F2I` of op 0x111: from double precision when bits 84 and 85 are set.
    F2i,
    /// `I2F` of op 0x112: to double precision when bits 75 and 76 are set.
    I2f,
    /// `MUFU`: bits 74 to 77 are 6 or 7 for the upper half of a double's reciprocal and reciprocal root.
    Mufu,
    /// Atomics up to sm_89: bits 73 to 75 are 6 for double precision.
    AtomicUntil89,
    /// Atomic additions of floating-point numbers from sm_90 on: bits 73 to 76 are 15 for double precision.
    AtomicFloat,
    /// Bits 8 and 9 (to) or 10 and 11 (from) are 3 for double precision: `F2F` before sm_70.
    MaxwellF2f,
    /// `F2I` before sm_70: from double precision when bits 10 and 11 are set.
    MaxwellF2i,
    /// `I2F` before sm_70: to double precision when bits 8 and 9 are set.
    MaxwellI2f,
    /// `MUFU` before sm_70: bits 20 to 23 as [`Mufu`](Self::Mufu).
    MaxwellMufu,
    /// `RED` before sm_70: bits 20 to 22 are 6 for double precision.
    MaxwellRed,
    /// A load or a store whose width is not known. From here on all are loads and stores.
    Access,
    /// Width in bits 73 to 75: 8 (0 and 1), 16 (2 and 3), 32, 64, 128 bits.
    Width,
    /// Always 256 bits.
    Width256,
    /// `LDSM` and `STSM`: bits 72 and 73 are 0, 1, 2 for one, two, four 8x8 matrices of 16-bit elements.
    WidthMatrix,
    /// Before sm_70: bits 48 to 50, as [`Width`](Self::Width), and 7 for another form of 128 bits.
    MaxwellWidth,
    /// Generic loads and stores before sm_70: bits 53 to 55, as [`Width`](Self::Width).
    MaxwellGeneric,
}

impl Detail {
    /// Whether it belongs to a load or a store.
    #[inline]
    const fn accesses(self) -> bool {
        self as u8 >= Self::Access as u8
    }

    fn maxwell(mnemonic: Mnemonic) -> Self {
        use Mnemonic::{DADD, DFMA, DMNMX, DMUL, DSET, DSETP, F2F, F2I, I2F, LD, MUFU, RED, ST};
        match mnemonic {
            DADD | DFMA | DMNMX | DMUL | DSET | DSETP => Self::Fp64,
            F2F => Self::MaxwellF2f,
            F2I => Self::MaxwellF2i,
            I2F => Self::MaxwellI2f,
            MUFU => Self::MaxwellMufu,
            RED => Self::MaxwellRed,
            LD | ST => Self::MaxwellGeneric,
            other if other.space().is_some() => Self::MaxwellWidth,
            _ => Self::None,
        }
    }

    fn volta(mnemonic: Mnemonic, key: u16, sm: u16) -> Self {
        use Mnemonic::{
            DADD, DFMA, DMMA, DMUL, DSETP, F2F, F2I, FRND, I2F, LDGMC, LDSM, LDTRAM, MUFU, STSM,
            USTGR,
        };
        let op = key & 0x1ff;
        match (mnemonic, op) {
            (DADD | DFMA | DMUL | DSETP | DMMA, _) | (F2F, 0x110) | (FRND, 0x113) => Self::Fp64,
            (F2I, 0x111) => Self::F2i,
            (I2F, 0x112) => Self::I2f,
            (MUFU, _) => Self::Mufu,
            (_, 0x18a | 0x18b | 0x1a8 | 0x1a9 | 0x18e) if sm < 90 => Self::AtomicUntil89,
            // No key of an earlier target.
            (_, 0x1a2 | 0x1a3 | 0x1a6) => Self::AtomicFloat,
            (_, _) if key == 0x97e || key == 0x97f => Self::Width256,
            (LDSM | STSM, _) => Self::WidthMatrix,
            (LDGMC | LDTRAM | USTGR, _) => Self::Access,
            (other, _) if other.space().is_some() => Self::Width,
            _ => Self::None,
        }
    }
}

/// Number of the memory and direction of a load or a store: spaces in their order, loads first.
pub(super) const SLOTS: usize = Space::ALL.len() * 2;

fn slot(mnemonic: Mnemonic) -> u8 {
    let store = u8::from(mnemonic.class() == Class::Store);
    let space = mnemonic.space().map_or(0, |space| space as u8);
    space.wrapping_mul(2).wrapping_add(store)
}

/// Whether a slot is of stores.
const fn stores(slot: u8) -> bool {
    slot & 1 == 1
}

impl Isa {
    /// The instruction set of `sm_<number>`; `None` for targets whose instructions were not measured, among them all before
    /// sm_50. A suffix changes nothing.
    #[must_use]
    pub fn of(number: u16) -> Option<&'static Self> {
        const OLD: usize = maxwell::TARGETS.len();
        static ISAS: [OnceLock<Isa>; OLD + volta::TARGETS.len()] =
            [const { OnceLock::new() }; OLD + volta::TARGETS.len()];
        let mut targets = maxwell::TARGETS.iter().chain(&volta::TARGETS);
        let position = targets.position(|sm| *sm == number)?;
        let isa = ISAS.get(position)?;
        Some(isa.get_or_init(|| match position.checked_sub(OLD) {
            None => Self::maxwell(number, bit(position)),
            Some(position) => Self::volta(number, bit(position)),
        }))
    }

    fn maxwell(sm: u16, target: u16) -> Self {
        let mut table = boxed::<{ 1 << 13 }>();
        for (mnemonic, targets, runs) in &maxwell::CODES {
            if targets & target == 0 {
                continue;
            }
            for (first, last) in *runs {
                let span = table.get_mut(usize::from(*first)..=usize::from(*last));
                span.into_iter().flatten().for_each(|entry| {
                    *entry = Entry::new(*mnemonic, Detail::maxwell(*mnemonic));
                });
            }
        }
        Self {
            sm,
            target,
            table: Table::Maxwell(table),
        }
    }

    fn volta(sm: u16, target: u16) -> Self {
        let mut table = boxed::<{ 1 << 12 }>();
        for (mnemonic, targets, keys) in &volta::CODES {
            if targets & target == 0 {
                continue;
            }
            for key in *keys {
                if let Some(entry) = table.get_mut(usize::from(*key)) {
                    *entry = Entry::new(*mnemonic, Detail::volta(*mnemonic, *key, sm));
                }
            }
        }
        // From the last, so that an entry holds where its first case stands.
        for (index, (key, _, targets, ..)) in volta::CASES.iter().enumerate().rev() {
            if let Some(entry) = table.get_mut(usize::from(*key))
                && targets & target != 0
            {
                *entry = Entry {
                    detail: Detail::Cases,
                    index: u8::try_from(index).unwrap_or(u8::MAX),
                    ..UNKNOWN
                };
            }
        }
        let mut bins = Box::new([bin::CLOSER; 1 << 12]);
        for ((key, entry), bin) in (0..).zip(&*table).zip(&mut *bins) {
            *bin = Self::bin(key, *entry, target);
        }
        Self {
            sm,
            target,
            table: Table::Volta(table, bins),
        }
    }

    /// The bin of a key: the counterpart of [`instruction`](Self::instruction) where that needs nothing but the key.
    fn bin(key: u16, entry: Entry, target: u16) -> u8 {
        let class = entry.class as u8;
        match entry.detail {
            Detail::None => class,
            Detail::Fp64 => class.wrapping_add(bin::FP64),
            Detail::Width => bin::ACCESS.wrapping_add(entry.index << 3),
            Detail::Cases => {
                let cases = cases(entry, key, target);
                let classes = cases.map(|(mnemonic, bits, _)| (mnemonic.class(), bits));
                one_class(classes).map_or(bin::CLOSER, |class| class as u8)
            }
            _ => bin::CLOSER,
        }
    }

    /// The number of the target: 90 for `sm_90`.
    #[must_use]
    pub const fn sm(&self) -> u16 {
        self.sm
    }

    /// Bytes of an instruction: 16 from sm_70 on. Before, 8, and every fourth word holds control bits for the three behind
    /// it.
    #[must_use]
    pub const fn instruction_bytes(&self) -> usize {
        match self.table {
            Table::Maxwell(_) => 8,
            Table::Volta(..) => 16,
        }
    }

    /// The entry of an instruction.
    #[inline]
    pub(super) fn entry(&self, word: u128) -> Entry {
        match &self.table {
            Table::Maxwell(table) => {
                let key = (word as u64) >> 51;
                table.get(key as usize).copied().unwrap_or(UNKNOWN)
            }
            Table::Volta(table, _) => volta_entry(table, word as u64),
        }
    }

    /// The bin of each key; `None` before sm_70.
    #[inline]
    pub(super) fn bins(&self) -> Option<&[u8; 1 << 12]> {
        match &self.table {
            Table::Maxwell(_) => None,
            Table::Volta(_, bins) => Some(bins),
        }
    }

    /// Whether the predicate of an instruction is `!PT`, so that no thread ever executes it.
    #[inline]
    pub(super) fn never(&self, word: u128) -> bool {
        match self.table {
            Table::Maxwell(_) => (word as u64) >> 16 & 0xf == 15,
            Table::Volta(..) => (word as u64) >> 12 & 0xf == 15,
        }
    }

    /// Everything that the bits of an instruction say; `offset` is passed through.
    #[inline]
    pub(super) fn instruction(&self, offset: u64, word: u128) -> Instruction {
        let entry = self.entry(word);
        let detail = entry.detail;
        let (mnemonic, class) = if detail == Detail::Cases {
            let mnemonic = decide(entry, word, self.target);
            (mnemonic, mnemonic.map_or(Class::Unknown, Mnemonic::class))
        } else {
            (entry.mnemonic, entry.class)
        };
        Instruction {
            offset,
            word,
            mnemonic,
            class: if mnemonic.is_some() && self.never(word) {
                Class::Never
            } else {
                class
            },
            fp64: fp64(detail, word),
            access: detail.accesses().then(|| Access {
                space: mnemonic.and_then(Mnemonic::space).unwrap_or(Space::Generic),
                store: stores(entry.index),
                bytes: width(detail, word),
            }),
        }
    }
}

impl core::fmt::Debug for Isa {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Isa")
            .field("sm", &self.sm)
            .finish_non_exhaustive()
    }
}

#[inline]
fn volta_entry(table: &[Entry; 1 << 12], low: u64) -> Entry {
    // The mask tells the compiler that the key is in range.
    table
        .get((low & 0xfff) as usize)
        .copied()
        .unwrap_or(UNKNOWN)
}

/// Bits `low` and up, as many as `mask` has.
#[inline]
const fn field(word: u128, low: u32, mask: u8) -> u8 {
    (word >> low) as u8 & mask
}

#[inline]
fn fp64(detail: Detail, word: u128) -> bool {
    match detail {
        Detail::Fp64 => true,
        Detail::F2i => field(word, 84, 3) == 3,
        Detail::I2f => field(word, 75, 3) == 3,
        Detail::Mufu => matches!(field(word, 74, 15), 6 | 7),
        Detail::AtomicUntil89 => field(word, 73, 7) == 6,
        Detail::AtomicFloat => field(word, 73, 15) == 15,
        Detail::MaxwellF2f => field(word, 8, 3) == 3 || field(word, 10, 3) == 3,
        Detail::MaxwellF2i => field(word, 10, 3) == 3,
        Detail::MaxwellI2f => field(word, 8, 3) == 3,
        Detail::MaxwellMufu => matches!(field(word, 20, 15), 6 | 7),
        Detail::MaxwellRed => field(word, 20, 7) == 6,
        _ => false,
    }
}

/// The bytes that the width bits in a bin of accesses stand for.
pub(super) fn bytes_of(code: u8) -> Option<u8> {
    match code {
        0 | 1 => Some(1),
        2 | 3 => Some(2),
        4 => Some(4),
        5 => Some(8),
        6 => Some(16),
        _ => None,
    }
}

#[inline]
fn width(detail: Detail, word: u128) -> Option<u8> {
    let code = match detail {
        Detail::Width => field(word, 73, 7),
        Detail::Width256 => return Some(32),
        Detail::WidthMatrix => match field(word, 72, 3) {
            0 => 4,
            1 => 5,
            2 => 6,
            _ => return None,
        },
        Detail::MaxwellWidth => match field(word, 48, 7) {
            7 => 6,
            code => code,
        },
        Detail::MaxwellGeneric => field(word, 53, 7),
        _ => return None,
    };
    bytes_of(code)
}

/// The mnemonic of a key that more bits decide; `None` for values that were never seen.
#[inline]
fn decide(entry: Entry, word: u128, target: u16) -> Option<Mnemonic> {
    let key = word as u16 & 0xfff;
    cases(entry, key, target)
        .find(|(_, bits, value)| word & bits == *value)
        .map(|(mnemonic, ..)| mnemonic)
}

/// What a key may be on a target: mnemonic, the bits that say so, their value.
#[inline]
fn cases(entry: Entry, key: u16, target: u16) -> impl Iterator<Item = (Mnemonic, u128, u128)> {
    let cases = volta::CASES.get(usize::from(entry.index)..);
    cases
        .unwrap_or_default()
        .iter()
        .take_while(move |(of, ..)| *of == key)
        .filter(move |(_, _, targets, ..)| targets & target != 0)
        .map(|(_, mnemonic, _, bits, value)| (*mnemonic, *bits, *value))
}

/// The class of a key with two cases: which of them it is does not matter when they are of one class and one bit says it, so
/// that they take both of its values.
fn one_class(mut cases: impl Iterator<Item = (Class, u128)>) -> Option<Class> {
    match (cases.next(), cases.next(), cases.next()) {
        (Some((class, bits)), Some(second), None)
            if second == (class, bits) && bits.is_power_of_two() =>
        {
            Some(class)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Isa, bin, one_class};
    use crate::sass::{Class, Space};

    fn bin_of(sm: u16, key: usize) -> u8 {
        Isa::of(sm).unwrap().bins().unwrap()[key]
    }

    #[test]
    fn what_the_key_tells_is_counted_by_the_key() {
        let access =
            |space: Space, store: bool| bin::ACCESS + ((space as u8 * 2 + store as u8) << 3);
        for (key, expected) in [
            // FMUL, DADD, LDG, STG, LDS, STL, NOP.
            (0x220, Class::Fp32 as u8),
            (0x229, bin::FP64 + Class::Fp64 as u8),
            (0x981, access(Space::Global, false)),
            (0x986, access(Space::Global, true)),
            (0x984, access(Space::Shared, false)),
            (0x387, access(Space::Local, true)),
            (0x918, Class::Nop as u8),
            // No instruction.
            (0x000, Class::Unknown as u8),
            // IADD or IADD3, FADD or FHADD: of one class.
            (0x210, Class::Integer as u8),
            (0x221, Class::Fp32 as u8),
            // MUFU, LDSM, UTCHMMA or one of three others: more bits say it.
            (0x308, bin::CLOSER),
            (0x83b, bin::CLOSER),
            (0x5ea, bin::CLOSER),
        ] {
            assert_eq!(bin_of(100, key), expected, "{key:#x}");
        }
        // One of these alone before sm_100.
        assert_eq!(bin_of(90, 0x210), Class::Integer as u8);
        assert_eq!(bin_of(90, 0x221), Class::Fp32 as u8);
        assert!(Isa::of(62).unwrap().bins().is_none());
    }

    #[test]
    fn two_cases_of_one_class_take_every_value_of_one_bit() {
        let (single, half) = ((Class::Fp32, 1 << 81), (Class::Half, 1 << 81));
        assert_eq!(one_class([single, single].into_iter()), Some(Class::Fp32));
        let two_bits = (Class::Fp32, 3 << 81);
        for cases in [
            &[][..],
            &[single],
            &[single, half],
            &[single, two_bits],
            &[two_bits, two_bits],
            &[single, single, single],
        ] {
            assert_eq!(one_class(cases.iter().copied()), None, "{cases:?}");
        }
    }

    #[test]
    fn an_instruction_set_tells_its_target() {
        assert_eq!(format!("{:?}", Isa::of(90).unwrap()), "Isa { sm: 90, .. }");
    }
}
