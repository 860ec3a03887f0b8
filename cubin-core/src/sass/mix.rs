//! How many instructions of each kind a function has.

use super::{
    class::{Access, Class, Space},
    code::Code,
    instruction::Instruction,
    isa::{Isa, SLOTS, bin, bytes_of},
};

/// Widths of loads and stores that are told apart, in bytes per thread.
const WIDTHS: [u8; 6] = [1, 2, 4, 8, 16, 32];
/// Where accesses of unknown width are counted.
const UNKNOWN_WIDTH: usize = WIDTHS.len();

/// The instruction mix of a function, or of a part of it: how many instructions of each class stand in the code.
///
/// Counts are static. How often an instruction is executed is not in the file; whether it stands in a loop is
/// ([`Code::loops`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Mix {
    classes: [u64; Class::ALL.len()],
    fp64: u64,
    /// By slot (space and direction), then width.
    accesses: [[u64; WIDTHS.len() + 1]; SLOTS],
}

impl Mix {
    /// Instructions of a class.
    #[must_use]
    pub fn count(&self, class: Class) -> u64 {
        self.classes.get(class as usize).copied().unwrap_or(0)
    }

    /// All instructions that a thread that comes by executes, unknown ones included; neither those that never execute nor
    /// padding.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        let counts = Class::ALL.iter().filter(|class| class.executes());
        sum(counts.map(|class| self.count(*class)))
    }

    /// Instructions that read, make or convert numbers in double precision, whichever their class: arithmetic, `DMMA`,
    /// conversions from and to it, the `MUFU` forms that start a division or a root, atomics.
    #[must_use]
    pub fn fp64(&self) -> u64 {
        self.fp64
    }

    /// Loads from a memory, of every width.
    #[must_use]
    pub fn loads(&self, space: Space) -> u64 {
        self.all_widths(space, false)
    }

    /// Stores to a memory, of every width.
    #[must_use]
    pub fn stores(&self, space: Space) -> u64 {
        self.all_widths(space, true)
    }

    /// Loads and stores with their number, of which there are any: by memory, loads first, then by width.
    pub fn accesses(&self) -> impl Iterator<Item = (Access, u64)> + '_ {
        let slots = Space::ALL
            .iter()
            .flat_map(|space| [(*space, false), (*space, true)]);
        slots
            .zip(&self.accesses)
            .flat_map(|((space, store), counts)| {
                let widths = WIDTHS.iter().map(|bytes| Some(*bytes)).chain([None]);
                widths
                    .zip(counts)
                    .filter(|(_, count)| **count != 0)
                    .map(move |(bytes, count)| {
                        let access = Access {
                            space,
                            store,
                            bytes,
                        };
                        (access, *count)
                    })
            })
    }

    fn all_widths(&self, space: Space, store: bool) -> u64 {
        let slot = slot(space, store);
        let counts = self.accesses.get(slot);
        counts.map_or(0, |counts| sum(counts.iter().copied()))
    }

    /// Counts one instruction.
    #[inline]
    pub fn add(&mut self, instruction: &Instruction) {
        let access = instruction.access.map(|access| {
            let slot = slot(access.space, access.store);
            (slot, access.bytes)
        });
        self.put(instruction.class, instruction.fp64, access);
    }

    #[inline]
    fn put(&mut self, class: Class, fp64: bool, access: Option<(usize, Option<u8>)>) {
        self.put_class(class as usize, 1);
        if !class.executes() {
            return;
        }
        self.fp64 = self.fp64.wrapping_add(fp64.into());
        if let Some((slot, bytes)) = access {
            self.put_access(slot, bytes, 1);
        }
    }

    #[inline]
    fn put_class(&mut self, class: usize, more: u64) {
        if let Some(count) = self.classes.get_mut(class) {
            *count = count.wrapping_add(more);
        }
    }

    #[inline]
    fn put_access(&mut self, slot: usize, bytes: Option<u8>, more: u64) {
        if let Some(counts) = self.accesses.get_mut(slot)
            && let Some(count) = counts.get_mut(width(bytes))
        {
            *count = count.wrapping_add(more);
        }
    }

    /// Adds what was counted in a bin.
    fn put_bin(&mut self, bin: u8, more: u64) {
        if more == 0 {
            return;
        }
        if let Some(access) = bin.checked_sub(bin::ACCESS) {
            let slot = usize::from(access >> 3);
            let class = if slot & 1 == 1 {
                Class::Store
            } else {
                Class::Load
            };
            self.put_class(class as usize, more);
            self.put_access(slot, bytes_of(access & 7), more);
        } else if let Some(class) = bin.checked_sub(bin::FP64) {
            self.put_class(class.into(), more);
            self.fp64 = self.fp64.wrapping_add(more);
        } else {
            self.put_class(bin.into(), more);
        }
    }
}

/// Adds another mix: that of a second function, say.
impl core::ops::AddAssign<&Self> for Mix {
    fn add_assign(&mut self, other: &Self) {
        let add = |(count, more): (&mut u64, &u64)| *count = count.saturating_add(*more);
        self.classes.iter_mut().zip(&other.classes).for_each(add);
        self.fp64 = self.fp64.saturating_add(other.fp64);
        let ours = self.accesses.iter_mut().flatten();
        ours.zip(other.accesses.iter().flatten()).for_each(add);
    }
}

impl Extend<Instruction> for Mix {
    fn extend<T: IntoIterator<Item = Instruction>>(&mut self, instructions: T) {
        for instruction in instructions {
            self.add(&instruction);
        }
    }
}

impl FromIterator<Instruction> for Mix {
    fn from_iter<T: IntoIterator<Item = Instruction>>(instructions: T) -> Self {
        let mut mix = Self::default();
        mix.extend(instructions);
        mix
    }
}

fn sum(counts: impl Iterator<Item = u64>) -> u64 {
    counts.fold(0, u64::saturating_add)
}

fn slot(space: Space, store: bool) -> usize {
    (space as usize).wrapping_mul(2).wrapping_add(store.into())
}

/// Where in a slot a width is counted.
#[inline]
fn width(bytes: Option<u8>) -> usize {
    match bytes {
        // Widths are powers of two.
        Some(bytes @ 1..=32) => bytes.trailing_zeros() as usize,
        _ => UNKNOWN_WIDTH,
    }
}

impl Code<'_> {
    /// The mix of the whole function: what its [`instructions`](Self::instructions) would add up to, in one fast pass.
    #[must_use]
    pub fn mix(&self) -> Mix {
        let Some(bins) = self.isa().bins() else {
            return self.instructions().collect();
        };
        let mut mix = Mix::default();
        let (words, _) = self.body().as_chunks::<16>();
        // Counts of 32 bits: no section that is shorter makes them overflow.
        for part in words.chunks(u32::MAX as usize) {
            count(self.isa(), bins, part, &mut mix);
        }
        let padding = self.bytes().len().saturating_sub(self.body().len());
        if let Some(count) = mix.classes.get_mut(Class::Padding as usize) {
            *count = padding
                .checked_div(self.isa().instruction_bytes())
                .unwrap_or(0) as u64;
        }
        mix
    }
}

/// Counts instructions of 16 bytes, each in the bin of its key.
fn count(isa: &Isa, bins: &[u8; 1 << 12], words: &[[u8; 16]], mix: &mut Mix) {
    // Two sets of counts: with one, each instruction would wait for the last of its kind.
    let mut counts = [[0_u32; 256]; 2];
    let [even, odd] = &mut counts;
    let mut one = |bytes: &[u8; 16], counts: &mut [u32; 256]| {
        let word = u128::from_le_bytes(*bytes);
        let low = word as u64;
        // The mask tells the compiler that the key is in range.
        let bin = bins
            .get((low & 0xfff) as usize)
            .copied()
            .unwrap_or(bin::CLOSER);
        if bin == bin::CLOSER {
            mix.add(&isa.instruction(0, word));
            return;
        }
        // All ones for accesses, whose bits 73 to 75 are the width.
        let mask = (bin >> 7).wrapping_neg();
        let by_width = bin.wrapping_add((word >> 73) as u8 & 7 & mask);
        let never = low >> 12 & 0xf == 15 && bin != Class::Unknown as u8;
        let bin = if never { Class::Never as u8 } else { by_width };
        if let Some(count) = counts.get_mut(usize::from(bin)) {
            *count = count.wrapping_add(1);
        }
    };
    let (pairs, rest) = words.as_chunks::<2>();
    for [first, second] in pairs {
        one(first, even);
        one(second, odd);
    }
    rest.iter().for_each(|bytes| one(bytes, even));
    for (bin, (even, odd)) in (0..=u8::MAX).zip(even.iter().zip(odd.iter())) {
        mix.put_bin(bin, u64::from(*even).saturating_add((*odd).into()));
    }
}
