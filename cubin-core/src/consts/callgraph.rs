//! `.nv.callgraph` list marks and `.nv.rel.action`.

open_set! {
    /// Second word of a `.nv.callgraph` pair whose first word is 0: opens one of four lists.
    ///
    /// A pair is two 32-bit values; anything but these marks is an entry of the list opened last.
    CallgraphMark(i32), prefix "" {
        /// Direct calls follow: caller and callee symbol index.
        DIRECT_CALLS = -1;
        /// Functions whose address is taken follow: symbol index and string-table offset of the prototype.
        ADDRESS_TAKEN = -2;
        /// Callers of indirect calls follow: symbol index and string-table offset of the prototype.
        INDIRECT_CALLERS = -3;
        /// Indirect calls follow: caller and possible target. From CUDA 12.0.
        INDIRECT_CALLS = -4;
    }
}

open_set! {
    /// What a relocation's value starts from, in a [`RelAction`]. cuobjdump 13.5 names 0 to 9 and no other number.
    RelActionKind(u8), prefix "EIVALUE_SYM_KIND_" {
        /// The symbol's address.
        ADDR = 0;
        /// The symbol's generic address.
        GADDR = 1;
        /// The descriptor of a function.
        FDESC = 2;
        /// Index of a texture, sampler or surface header.
        HEADER_INDEX = 3;
        /// Offset of a bindless texture or surface.
        BINDLESSOFF = 4;
        /// Distance from the patched instruction.
        PCREL = 5;
        /// Constant bank of the symbol.
        CBANK = 6;
        /// A whole instruction.
        INSTR = 7;
        /// Zeros.
        CLEAR = 8;
        /// The symbol's unified address. ptxas 11.7 writes it for R_CUDA_SAMP_HEADER_INDEX_0, where 11.8 writes 3.
        UADDR = 9;
    }
}

/// What a loader does for one relocation type, as `.nv.rel.action` tells it to drivers older than the type: 8 bytes per
/// type from the section's base type on (the low half of its first 8 bytes).
///
/// Bytes, lowest first: kind, addend shift, then twice source position, length, destination position. Read from what
/// cuobjdump 13.5 prints for descriptors of CUDA 11.7 to 13.5; agrees with [`RelocType::fields`](super::RelocType::fields).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RelAction(
    /// The descriptor as the file holds it.
    pub u64,
);

/// Bits that a [`RelAction`] copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct RelActionBits {
    /// Lowest bit taken from the value.
    pub source: u8,
    /// How many.
    pub bits: u8,
    /// Where the lowest one goes, counted from bit 0 of the byte at the relocation's offset.
    pub at: u8,
}

impl RelAction {
    /// What the value starts from.
    #[must_use]
    pub const fn kind(self) -> RelActionKind {
        let [kind, ..] = self.0.to_le_bytes();
        RelActionKind(kind)
    }

    /// How far the addend is shifted.
    #[must_use]
    pub const fn addend_shift(self) -> u8 {
        let [_, shift, ..] = self.0.to_le_bytes();
        shift
    }

    /// The one or two bit fields that are written.
    pub fn fields(self) -> impl Iterator<Item = RelActionBits> {
        let [_, _, source, bits, at, source2, bits2, at2] = self.0.to_le_bytes();
        [(source, bits, at), (source2, bits2, at2)]
            .into_iter()
            .filter(|(_, bits, _)| *bits != 0)
            .map(|(source, bits, at)| RelActionBits { source, bits, at })
    }
}

#[cfg(test)]
mod tests {
    use super::CallgraphMark;
    #[cfg(feature = "reloc")]
    use super::{RelAction, RelActionKind};
    #[cfg(feature = "reloc")]
    use crate::consts::RelocType;

    #[test]
    fn marks_are_negative() {
        assert!(CallgraphMark::KNOWN.iter().all(|mark| mark.0 < 0));
        assert_eq!(CallgraphMark(-3), CallgraphMark::INDIRECT_CALLERS);
    }

    #[cfg(feature = "reloc")]
    #[test]
    fn descriptors_of_cuda_11_8_agree_with_the_relocation_table() {
        // `.nv.rel.action` of a cubin of ptxas 11.8, base type 0x4b.
        let descriptors: [[u8; 8]; 27] = [
            [0, 2, 2, 8, 16, 10, 47, 34],
            [0, 0, 0, 8, 0, 0, 0, 0],
            [0, 0, 8, 8, 0, 0, 0, 0],
            [0, 0, 16, 8, 0, 0, 0, 0],
            [0, 0, 24, 8, 0, 0, 0, 0],
            [0, 0, 32, 8, 0, 0, 0, 0],
            [0, 0, 40, 8, 0, 0, 0, 0],
            [0, 0, 48, 8, 0, 0, 0, 0],
            [0, 0, 56, 8, 0, 0, 0, 0],
            [1, 0, 0, 8, 0, 0, 0, 0],
            [1, 0, 8, 8, 0, 0, 0, 0],
            [1, 0, 16, 8, 0, 0, 0, 0],
            [1, 0, 24, 8, 0, 0, 0, 0],
            [1, 0, 32, 8, 0, 0, 0, 0],
            [1, 0, 40, 8, 0, 0, 0, 0],
            [1, 0, 48, 8, 0, 0, 0, 0],
            [1, 0, 56, 8, 0, 0, 0, 0],
            [2, 0, 0, 8, 0, 0, 0, 0],
            [2, 0, 8, 8, 0, 0, 0, 0],
            [2, 0, 16, 8, 0, 0, 0, 0],
            [2, 0, 24, 8, 0, 0, 0, 0],
            [2, 0, 32, 8, 0, 0, 0, 0],
            [2, 0, 40, 8, 0, 0, 0, 0],
            [2, 0, 48, 8, 0, 0, 0, 0],
            [2, 0, 56, 8, 0, 0, 0, 0],
            [0, 0, 0, 20, 44, 0, 0, 0],
            [3, 0, 0, 12, 0, 0, 0, 0],
        ];
        for (ty, bytes) in (0x4b..).zip(descriptors) {
            let action = RelAction(u64::from_le_bytes(bytes));
            let told: Vec<(u8, u8, u8)> = action
                .fields()
                .map(|field| (field.source, field.bits, field.at))
                .collect();
            let ours: Vec<(u8, u8, u8)> = RelocType(ty)
                .fields()
                .iter()
                .map(|field| (field.shift, field.bits, field.at))
                .collect();
            assert_eq!(told, ours, "{}", RelocType(ty));
            assert!(action.kind().name().is_some());
        }
        let last = RelAction(u64::from_le_bytes([0, 0, 0, 17, 37, 0, 5, 54]));
        assert_eq!(last.kind(), RelActionKind::ADDR);
        let shifted = RelAction(u64::from_le_bytes([0, 34, 0, 17, 37, 0, 5, 54]));
        assert_eq!((last.addend_shift(), shifted.addend_shift()), (0, 34));
        assert_eq!(last.fields().count(), RelocType(0x73).fields().len());
    }
}
