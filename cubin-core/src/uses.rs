//! What a function uses beyond its resources: texture references, spilled registers.

use alloc::{vec, vec::Vec};

use crate::{
    Function, Result,
    arch::Flags,
    attr::{Annotation, Annotations},
    consts::{Eiattr, SymbolType},
    elf::Elf,
    functions::attributes,
    reader::Reader,
    reloc,
};

/// Spill instructions with the bytes they move, per thread.
///
/// Decoded from the instructions that ANNOTATIONS lists. Equal to what `ptxas -v` prints for all 5,984 kernels compared
/// (12.6 to 13.5, sm_70 to sm_121), but a lower bound: registers that called functions save are not listed, and lists
/// of 8,192 or more instructions are cut by their 16-bit length.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Spills {
    /// Spill store instructions.
    pub stores: u32,
    /// Reload instructions.
    pub loads: u32,
    /// Bytes that the stores write, each counted once as in `ptxas -v`.
    pub store_bytes: u32,
    /// Bytes that the reloads read.
    pub load_bytes: u32,
    /// Listed instructions that are neither a local store nor a local load of known width.
    pub other: u32,
}

/// Spills of a function. `None` when the toolkit does not record them (before 12.6) or below sm_70, whose instructions
/// have another encoding.
pub(crate) fn spills(elf: &Elf<'_>, function: &Function<'_>) -> Result<Option<Spills>> {
    if function.resources.spill_instructions.is_none() || Flags::of(elf.header()).sm < 70 {
        return Ok(None);
    }
    let code = elf.data(&elf.section(function.section)?)?;
    let mut spills = Spills::default();
    for attribute in attributes(elf, function)? {
        let attribute = attribute?;
        if Eiattr(attribute.code) != Eiattr::ANNOTATIONS {
            continue;
        }
        for annotation in Annotations::new(&attribute) {
            if let Annotation::Spill(offset) = annotation {
                add(&mut spills, code, offset);
            }
        }
    }
    Ok(Some(spills))
}

/// Opcode of a local store and a local load: the low 12 bits of the 128-bit instruction.
const STL: u64 = 0x387;
const LDL: u64 = 0x983;

fn add(spills: &mut Spills, code: &[u8], offset: u32) {
    let mut reader = Reader::new(code.get(offset as usize..).unwrap_or_default(), 0);
    let (Ok(low), Ok(high)) = (reader.u64(), reader.u64()) else {
        spills.other = spills.other.saturating_add(1);
        return;
    };
    // Bits 73 to 75 of the instruction.
    let width = match (high >> 9) & 7 {
        0 | 1 => 1,
        2 | 3 => 2,
        4 => 4,
        5 => 8,
        6 => 16,
        _ => 0,
    };
    let (count, bytes) = match low & 0xfff {
        STL if width != 0 => (&mut spills.stores, &mut spills.store_bytes),
        LDL if width != 0 => (&mut spills.loads, &mut spills.load_bytes),
        _ => {
            spills.other = spills.other.saturating_add(1);
            return;
        }
    };
    *count = count.saturating_add(1);
    *bytes = bytes.saturating_add(width);
}

/// Texture, surface and sampler references that a function uses: numbers of distinct symbols in its relocations.
///
/// cuobjdump prints them as TEXTURE, SURFACE and SAMPLER. Bindless objects (all code since CUDA 12) count as none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct References {
    /// Texture references.
    pub textures: u32,
    /// Surface references.
    pub surfaces: u32,
    /// Sampler references.
    pub samplers: u32,
}

/// References of each of `functions`, which are sorted by section as [`Cubin::functions`](crate::Cubin::functions) gives
/// them; an empty list when the file has no such symbol. One pass over the relocations for all functions.
pub(crate) fn references(elf: &Elf<'_>, functions: &[Function<'_>]) -> Result<Vec<References>> {
    let mut any = false;
    for symbol in elf.symbols() {
        any |= is_reference(symbol?.ty());
    }
    if !any {
        return Ok(Vec::new());
    }
    let mut references = vec![References::default(); functions.len()];
    // (function, symbol) pairs, each to be counted once.
    let mut used = Vec::new();
    for table in reloc::tables(elf) {
        let table = table?;
        // The relocated section is the function's code, or another section of it such as `.nv.constant0.<f>`.
        let target = elf.section(table.section.info)?;
        let Some(function) = [target.index, target.info].iter().find_map(|index| {
            functions
                .binary_search_by_key(index, |function| function.section)
                .ok()
        }) else {
            continue;
        };
        for relocation in table.entries {
            let symbol = relocation?.symbol;
            if is_reference(elf.symbol(symbol)?.ty()) {
                used.push((function, symbol));
            }
        }
    }
    used.sort_unstable();
    used.dedup();
    for (function, symbol) in used {
        let Some(references) = references.get_mut(function) else {
            continue;
        };
        let count = match elf.symbol(symbol)?.ty() {
            SymbolType::CUDA_TEXTURE => &mut references.textures,
            SymbolType::CUDA_SURFACE => &mut references.surfaces,
            _ => &mut references.samplers,
        };
        *count = count.saturating_add(1);
    }
    Ok(references)
}

fn is_reference(ty: SymbolType) -> bool {
    matches!(
        ty,
        SymbolType::CUDA_TEXTURE | SymbolType::CUDA_SURFACE | SymbolType::CUDA_SAMPLER
    )
}

#[cfg(test)]
mod tests {
    use super::{LDL, STL, Spills, add};

    /// An instruction of 16 bytes with this opcode and these bits 73 to 75.
    fn instruction(opcode: u64, width: u64) -> Vec<u8> {
        [opcode, width << 9].map(u64::to_le_bytes).concat()
    }

    #[test]
    fn bits_73_to_75_are_the_width() {
        for (bits, bytes) in [(0, 1), (1, 1), (2, 2), (3, 2), (4, 4), (5, 8), (6, 16)] {
            let code = [instruction(STL, bits), instruction(LDL, bits)].concat();
            let mut spills = Spills::default();
            add(&mut spills, &code, 0);
            assert_eq!((spills.stores, spills.store_bytes), (1, bytes), "{bits}");
            add(&mut spills, &code, 16);
            assert_eq!((spills.loads, spills.load_bytes), (1, bytes), "{bits}");
            assert_eq!(spills.other, 0);
        }
    }

    #[test]
    fn what_is_no_spill_of_known_width_is_counted_apart() {
        // A width that no instruction has, an addition, an offset past the end.
        let code = [
            instruction(STL, 7),
            instruction(LDL, 7),
            instruction(0x210, 4),
        ]
        .concat();
        let mut spills = Spills::default();
        for (offset, other) in [(0, 1), (16, 2), (32, 3), (40, 4), (48, 5), (u32::MAX, 6)] {
            add(&mut spills, &code, offset);
            let expected = Spills {
                other,
                ..Spills::default()
            };
            assert_eq!(spills, expected, "{offset}");
        }
    }
}
