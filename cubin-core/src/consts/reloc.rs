//! Relocation types, and the bits that each one writes.

/// What a relocation puts into a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Quantity {
    /// Symbol value plus addend.
    Value,
    /// Generic address of the symbol, plus addend.
    GenericAddress,
    /// Unified address of the symbol, plus addend.
    UnifiedAddress,
    /// Descriptor of a function.
    FunctionDescriptor,
    /// Distance from the patched instruction.
    PcRelative,
    /// Index of a texture, sampler or surface header.
    HeaderIndex,
    /// Surface descriptor, hardware part.
    SurfaceHardwareDescriptor,
    /// Surface descriptor, hardware and software parts.
    SurfaceDescriptor,
    /// Texture, sampler or surface slot.
    Slot,
    /// Number of the constant bank the symbol lies in.
    ConstantBank,
    /// The bit that extends the constant bank's number.
    ConstantBankExtension,
    /// A whole instruction.
    Instruction,
    /// An opcode.
    Opcode,
    /// Zeros.
    Zero,
}

/// One bit field that a relocation writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Field {
    /// Width in bits.
    pub bits: u8,
    /// Position of the lowest bit, counted from bit 0 of the byte at the relocation's offset: 32 is bit 0 of the byte
    /// at offset + 4.
    pub at: u8,
    /// What is written.
    pub quantity: Quantity,
    /// How far the quantity is shifted right before it is cut to `bits`.
    pub shift: u8,
}

/// One table for the constants, their names and their fields.
macro_rules! relocs {
    ($(
        $(#[$doc:meta])*
        $konst:ident = $value:literal: [$(($bits:literal, $at:literal, $quantity:ident, $shift:literal)),*];
    )*) => {
        open_set! {
            /// Low 32 bits of `r_info` in a 64-bit cubin, low 8 bits in a 32-bit one.
            ///
            /// Bit positions count from the relocation's offset, bit 0 being the lowest bit of the first byte. ptxas 11.7
            /// and 11.8 end at 0x71; 12.0 adds 0x72, 12.3 at the latest 0x73. Mercury sections number from 0x10000 on.
            RelocType(u32), prefix "" {
                $( $(#[$doc])* $konst = $value; )*
            }
        }

        impl RelocType {
            /// The bit fields that the relocation writes; empty for [`R_CUDA_NONE`](Self::R_CUDA_NONE) and unknown types.
            pub const fn fields(self) -> &'static [Field] {
                match self {
                    $( Self::$konst => &[$(
                        Field { bits: $bits, at: $at, quantity: Quantity::$quantity, shift: $shift }
                    ),*], )*
                    _ => &[],
                }
            }
        }
    };
}

relocs! {
        /// No action.
        R_CUDA_NONE = 0x00: [];
        /// 32 bits at 0: value.
        R_CUDA_32 = 0x01: [(32, 0, Value, 0)];
        /// 64 bits at 0: value.
        R_CUDA_64 = 0x02: [(64, 0, Value, 0)];
        /// 32 bits at 0: generic address.
        R_CUDA_G32 = 0x03: [(32, 0, GenericAddress, 0)];
        /// 64 bits at 0: generic address.
        R_CUDA_G64 = 0x04: [(64, 0, GenericAddress, 0)];
        /// 32 bits at 26: value.
        R_CUDA_ABS32_26 = 0x05: [(32, 26, Value, 0)];
        /// 20 bits at 0: header index.
        R_CUDA_TEX_HEADER_INDEX = 0x06: [(20, 0, HeaderIndex, 0)];
        /// 12 bits at 20: header index.
        R_CUDA_SAMP_HEADER_INDEX = 0x07: [(12, 20, HeaderIndex, 0)];
        /// 32 bits at 0: surface HW descriptor.
        R_CUDA_SURF_HW_DESC = 0x08: [(32, 0, SurfaceHardwareDescriptor, 0)];
        /// 32 bits at 0: surface HW+SW descriptor.
        R_CUDA_SURF_HW_SW_DESC = 0x09: [(32, 0, SurfaceDescriptor, 0)];
        /// 32 bits at 26: low 32 bits.
        R_CUDA_ABS32_LO_26 = 0x0a: [(32, 26, Value, 0)];
        /// 32 bits at 26: high 32 bits.
        R_CUDA_ABS32_HI_26 = 0x0b: [(32, 26, Value, 32)];
        /// 32 bits at 23: value.
        R_CUDA_ABS32_23 = 0x0c: [(32, 23, Value, 0)];
        /// 32 bits at 23: low 32 bits.
        R_CUDA_ABS32_LO_23 = 0x0d: [(32, 23, Value, 0)];
        /// 32 bits at 23: high 32 bits.
        R_CUDA_ABS32_HI_23 = 0x0e: [(32, 23, Value, 32)];
        /// 24 bits at 26: value.
        R_CUDA_ABS24_26 = 0x0f: [(24, 26, Value, 0)];
        /// 24 bits at 23: value.
        R_CUDA_ABS24_23 = 0x10: [(24, 23, Value, 0)];
        /// 16 bits at 26: value.
        R_CUDA_ABS16_26 = 0x11: [(16, 26, Value, 0)];
        /// 16 bits at 23: value.
        R_CUDA_ABS16_23 = 0x12: [(16, 23, Value, 0)];
        /// 8 bits at 32: slot.
        R_CUDA_TEX_SLOT = 0x13: [(8, 32, Slot, 0)];
        /// 5 bits at 40: slot.
        R_CUDA_SAMP_SLOT = 0x14: [(5, 40, Slot, 0)];
        /// 6 bits at 26: slot.
        R_CUDA_SURF_SLOT = 0x15: [(6, 26, Slot, 0)];
        /// 13 bits at 32: value >> 2.
        R_CUDA_TEX_BINDLESSOFF13_32 = 0x16: [(13, 32, Value, 2)];
        /// 13 bits at 47: value >> 2.
        R_CUDA_TEX_BINDLESSOFF13_47 = 0x17: [(13, 47, Value, 2)];
        /// 14 bits at 28: value >> 2; 4 bits at 42: constant bank number; 1 bit at 26: bank extension bit.
        R_CUDA_CONST_FIELD19_28 = 0x18: [(14, 28, Value, 2), (4, 42, ConstantBank, 0), (1, 26, ConstantBankExtension, 0)];
        /// 14 bits at 23: value >> 2; 5 bits at 37: constant bank number.
        R_CUDA_CONST_FIELD19_23 = 0x19: [(14, 23, Value, 2), (5, 37, ConstantBank, 0)];
        /// 9 bits at 49: slot.
        R_CUDA_TEX_SLOT9_49 = 0x1a: [(9, 49, Slot, 0)];
        /// 6 bits at 31: value.
        R_CUDA_6_31 = 0x1b: [(6, 31, Value, 0)];
        /// 2 bits at 47: value.
        R_CUDA_2_47 = 0x1c: [(2, 47, Value, 0)];
        /// 13 bits at 41: value >> 2.
        R_CUDA_TEX_BINDLESSOFF13_41 = 0x1d: [(13, 41, Value, 2)];
        /// 13 bits at 45: value >> 2.
        R_CUDA_TEX_BINDLESSOFF13_45 = 0x1e: [(13, 45, Value, 2)];
        /// 32 bits at 23: function descriptor.
        R_CUDA_FUNC_DESC32_23 = 0x1f: [(32, 23, FunctionDescriptor, 0)];
        /// 32 bits at 23: function descriptor low.
        R_CUDA_FUNC_DESC32_LO_23 = 0x20: [(32, 23, FunctionDescriptor, 0)];
        /// 32 bits at 23: function descriptor high.
        R_CUDA_FUNC_DESC32_HI_23 = 0x21: [(32, 23, FunctionDescriptor, 32)];
        /// 32 bits at 0: function descriptor (data).
        R_CUDA_FUNC_DESC_32 = 0x22: [(32, 0, FunctionDescriptor, 0)];
        /// 64 bits at 0: function descriptor (data).
        R_CUDA_FUNC_DESC_64 = 0x23: [(64, 0, FunctionDescriptor, 0)];
        /// 16 bits at 26: value; 5 bits at 42: constant bank number.
        R_CUDA_CONST_FIELD21_26 = 0x24: [(16, 26, Value, 0), (5, 42, ConstantBank, 0)];
        /// 16 bits at 37: value; 5 bits at 53: constant bank number.
        R_CUDA_QUERY_DESC21_37 = 0x25: [(16, 37, Value, 0), (5, 53, ConstantBank, 0)];
        /// 14 bits at 26: value >> 2; 5 bits at 40: constant bank number.
        R_CUDA_CONST_FIELD19_26 = 0x26: [(14, 26, Value, 2), (5, 40, ConstantBank, 0)];
        /// 16 bits at 23: value; 5 bits at 39: constant bank number.
        R_CUDA_CONST_FIELD21_23 = 0x27: [(16, 23, Value, 0), (5, 39, ConstantBank, 0)];
        /// 24 bits at 26: PC-relative.
        R_CUDA_PCREL_IMM24_26 = 0x28: [(24, 26, PcRelative, 0)];
        /// 24 bits at 23: PC-relative.
        R_CUDA_PCREL_IMM24_23 = 0x29: [(24, 23, PcRelative, 0)];
        /// 32 bits at 20: value.
        R_CUDA_ABS32_20 = 0x2a: [(32, 20, Value, 0)];
        /// 32 bits at 20: low 32 bits.
        R_CUDA_ABS32_LO_20 = 0x2b: [(32, 20, Value, 0)];
        /// 32 bits at 20: high 32 bits.
        R_CUDA_ABS32_HI_20 = 0x2c: [(32, 20, Value, 32)];
        /// 24 bits at 20: value.
        R_CUDA_ABS24_20 = 0x2d: [(24, 20, Value, 0)];
        /// 16 bits at 20: value.
        R_CUDA_ABS16_20 = 0x2e: [(16, 20, Value, 0)];
        /// 32 bits at 20: function descriptor.
        R_CUDA_FUNC_DESC32_20 = 0x2f: [(32, 20, FunctionDescriptor, 0)];
        /// 32 bits at 20: function descriptor low.
        R_CUDA_FUNC_DESC32_LO_20 = 0x30: [(32, 20, FunctionDescriptor, 0)];
        /// 32 bits at 20: function descriptor high.
        R_CUDA_FUNC_DESC32_HI_20 = 0x31: [(32, 20, FunctionDescriptor, 32)];
        /// 14 bits at 20: value >> 2; 5 bits at 34: constant bank number.
        R_CUDA_CONST_FIELD19_20 = 0x32: [(14, 20, Value, 2), (5, 34, ConstantBank, 0)];
        /// 13 bits at 36: value >> 2.
        R_CUDA_BINDLESSOFF13_36 = 0x33: [(13, 36, Value, 2)];
        /// 20 bits at 0: header index.
        R_CUDA_SURF_HEADER_INDEX = 0x34: [(20, 0, HeaderIndex, 0)];
        /// 64 bits at 0: replace whole instruction.
        R_CUDA_INSTRUCTION64 = 0x35: [(64, 0, Instruction, 0)];
        /// 16 bits at 20: value; 5 bits at 36: constant bank number.
        R_CUDA_CONST_FIELD21_20 = 0x36: [(16, 20, Value, 0), (5, 36, ConstantBank, 0)];
        /// 32 bits at 32: value.
        R_CUDA_ABS32_32 = 0x37: [(32, 32, Value, 0)];
        /// 32 bits at 32: low 32 bits.
        R_CUDA_ABS32_LO_32 = 0x38: [(32, 32, Value, 0)];
        /// 32 bits at 32: high 32 bits.
        R_CUDA_ABS32_HI_32 = 0x39: [(32, 32, Value, 32)];
        /// 47 bits at 34: value >> 2.
        R_CUDA_ABS47_34 = 0x3a: [(47, 34, Value, 2)];
        /// 16 bits at 32: value.
        R_CUDA_ABS16_32 = 0x3b: [(16, 32, Value, 0)];
        /// 24 bits at 32: value.
        R_CUDA_ABS24_32 = 0x3c: [(24, 32, Value, 0)];
        /// 32 bits at 32: function descriptor.
        R_CUDA_FUNC_DESC32_32 = 0x3d: [(32, 32, FunctionDescriptor, 0)];
        /// 32 bits at 32: function descriptor low.
        R_CUDA_FUNC_DESC32_LO_32 = 0x3e: [(32, 32, FunctionDescriptor, 0)];
        /// 32 bits at 32: function descriptor high.
        R_CUDA_FUNC_DESC32_HI_32 = 0x3f: [(32, 32, FunctionDescriptor, 32)];
        /// 14 bits at 40: value >> 2; 5 bits at 54: constant bank number.
        R_CUDA_CONST_FIELD19_40 = 0x40: [(14, 40, Value, 2), (5, 54, ConstantBank, 0)];
        /// 14 bits at 40: value >> 2.
        R_CUDA_BINDLESSOFF14_40 = 0x41: [(14, 40, Value, 2)];
        /// 16 bits at 38: value; 5 bits at 54: constant bank number.
        R_CUDA_CONST_FIELD21_38 = 0x42: [(16, 38, Value, 0), (5, 54, ConstantBank, 0)];
        /// 128 bits at 0: replace whole instruction.
        R_CUDA_INSTRUCTION128 = 0x43: [(128, 0, Instruction, 0)];
        /// 9 bits at 0: rewrite opcode.
        R_CUDA_YIELD_OPCODE9_0 = 0x44: [(9, 0, Opcode, 0)];
        /// 4 bits at 87: clear predicate.
        R_CUDA_YIELD_CLEAR_PRED4_87 = 0x45: [(4, 87, Zero, 0)];
        /// 32 bits at 0: low 32 bits.
        R_CUDA_32_LO = 0x46: [(32, 0, Value, 0)];
        /// 32 bits at 0: high 32 bits.
        R_CUDA_32_HI = 0x47: [(32, 0, Value, 32)];
        /// 32 bits at 0: write zeros.
        R_CUDA_UNUSED_CLEAR32 = 0x48: [(32, 0, Zero, 0)];
        /// 64 bits at 0: write zeros.
        R_CUDA_UNUSED_CLEAR64 = 0x49: [(64, 0, Zero, 0)];
        /// 24 bits at 40: value.
        R_CUDA_ABS24_40 = 0x4a: [(24, 40, Value, 0)];
        /// 8 bits at 16: value >> 2; 47 bits at 34: value >> 10.
        R_CUDA_ABS55_16_34 = 0x4b: [(8, 16, Value, 2), (47, 34, Value, 10)];
        /// 8 bits at 0: byte 0 of value.
        R_CUDA_8_0 = 0x4c: [(8, 0, Value, 0)];
        /// 8 bits at 0: byte 1 of value.
        R_CUDA_8_8 = 0x4d: [(8, 0, Value, 8)];
        /// 8 bits at 0: byte 2 of value.
        R_CUDA_8_16 = 0x4e: [(8, 0, Value, 16)];
        /// 8 bits at 0: byte 3 of value.
        R_CUDA_8_24 = 0x4f: [(8, 0, Value, 24)];
        /// 8 bits at 0: byte 4 of value.
        R_CUDA_8_32 = 0x50: [(8, 0, Value, 32)];
        /// 8 bits at 0: byte 5 of value.
        R_CUDA_8_40 = 0x51: [(8, 0, Value, 40)];
        /// 8 bits at 0: byte 6 of value.
        R_CUDA_8_48 = 0x52: [(8, 0, Value, 48)];
        /// 8 bits at 0: byte 7 of value.
        R_CUDA_8_56 = 0x53: [(8, 0, Value, 56)];
        /// 8 bits at 0: byte 0 of generic address.
        R_CUDA_G8_0 = 0x54: [(8, 0, GenericAddress, 0)];
        /// 8 bits at 0: byte 1 of generic address.
        R_CUDA_G8_8 = 0x55: [(8, 0, GenericAddress, 8)];
        /// 8 bits at 0: byte 2 of generic address.
        R_CUDA_G8_16 = 0x56: [(8, 0, GenericAddress, 16)];
        /// 8 bits at 0: byte 3 of generic address.
        R_CUDA_G8_24 = 0x57: [(8, 0, GenericAddress, 24)];
        /// 8 bits at 0: byte 4 of generic address.
        R_CUDA_G8_32 = 0x58: [(8, 0, GenericAddress, 32)];
        /// 8 bits at 0: byte 5 of generic address.
        R_CUDA_G8_40 = 0x59: [(8, 0, GenericAddress, 40)];
        /// 8 bits at 0: byte 6 of generic address.
        R_CUDA_G8_48 = 0x5a: [(8, 0, GenericAddress, 48)];
        /// 8 bits at 0: byte 7 of generic address.
        R_CUDA_G8_56 = 0x5b: [(8, 0, GenericAddress, 56)];
        /// 8 bits at 0: byte 0 of function descriptor.
        R_CUDA_FUNC_DESC_8_0 = 0x5c: [(8, 0, FunctionDescriptor, 0)];
        /// 8 bits at 0: byte 1 of function descriptor.
        R_CUDA_FUNC_DESC_8_8 = 0x5d: [(8, 0, FunctionDescriptor, 8)];
        /// 8 bits at 0: byte 2 of function descriptor.
        R_CUDA_FUNC_DESC_8_16 = 0x5e: [(8, 0, FunctionDescriptor, 16)];
        /// 8 bits at 0: byte 3 of function descriptor.
        R_CUDA_FUNC_DESC_8_24 = 0x5f: [(8, 0, FunctionDescriptor, 24)];
        /// 8 bits at 0: byte 4 of function descriptor.
        R_CUDA_FUNC_DESC_8_32 = 0x60: [(8, 0, FunctionDescriptor, 32)];
        /// 8 bits at 0: byte 5 of function descriptor.
        R_CUDA_FUNC_DESC_8_40 = 0x61: [(8, 0, FunctionDescriptor, 40)];
        /// 8 bits at 0: byte 6 of function descriptor.
        R_CUDA_FUNC_DESC_8_48 = 0x62: [(8, 0, FunctionDescriptor, 48)];
        /// 8 bits at 0: byte 7 of function descriptor.
        R_CUDA_FUNC_DESC_8_56 = 0x63: [(8, 0, FunctionDescriptor, 56)];
        /// 20 bits at 44: value.
        R_CUDA_ABS20_44 = 0x64: [(20, 44, Value, 0)];
        /// 12 bits at 0: header index.
        R_CUDA_SAMP_HEADER_INDEX_0 = 0x65: [(12, 0, HeaderIndex, 0)];
        /// 64 bits at 0: unified address.
        R_CUDA_UNIFIED = 0x66: [(64, 0, UnifiedAddress, 0)];
        /// 32 bits at 0: unified address.
        R_CUDA_UNIFIED_32 = 0x67: [(32, 0, UnifiedAddress, 0)];
        /// 8 bits at 0: byte 0 of unified address.
        R_CUDA_UNIFIED_8_0 = 0x68: [(8, 0, UnifiedAddress, 0)];
        /// 8 bits at 0: byte 1 of unified address.
        R_CUDA_UNIFIED_8_8 = 0x69: [(8, 0, UnifiedAddress, 8)];
        /// 8 bits at 0: byte 2 of unified address.
        R_CUDA_UNIFIED_8_16 = 0x6a: [(8, 0, UnifiedAddress, 16)];
        /// 8 bits at 0: byte 3 of unified address.
        R_CUDA_UNIFIED_8_24 = 0x6b: [(8, 0, UnifiedAddress, 24)];
        /// 8 bits at 0: byte 4 of unified address.
        R_CUDA_UNIFIED_8_32 = 0x6c: [(8, 0, UnifiedAddress, 32)];
        /// 8 bits at 0: byte 5 of unified address.
        R_CUDA_UNIFIED_8_40 = 0x6d: [(8, 0, UnifiedAddress, 40)];
        /// 8 bits at 0: byte 6 of unified address.
        R_CUDA_UNIFIED_8_48 = 0x6e: [(8, 0, UnifiedAddress, 48)];
        /// 8 bits at 0: byte 7 of unified address.
        R_CUDA_UNIFIED_8_56 = 0x6f: [(8, 0, UnifiedAddress, 56)];
        /// 32 bits at 32: unified low 32.
        R_CUDA_UNIFIED32_LO_32 = 0x70: [(32, 32, UnifiedAddress, 0)];
        /// 32 bits at 32: unified high 32.
        R_CUDA_UNIFIED32_HI_32 = 0x71: [(32, 32, UnifiedAddress, 32)];
        /// 8 bits at 16: value >> 2; 48 bits at 34: value >> 10.
        R_CUDA_ABS56_16_34 = 0x72: [(8, 16, Value, 2), (48, 34, Value, 10)];
        /// 17 bits at 37: value; 5 bits at 54: constant bank number.
        R_CUDA_CONST_FIELD22_37 = 0x73: [(17, 37, Value, 0), (5, 54, ConstantBank, 0)];
}

impl RelocType {
    /// Number of bytes from the relocation's offset to the end of its last field; 0 when it writes nothing or is unknown.
    #[must_use]
    pub const fn reach(self) -> u64 {
        let mut reach = 0;
        let mut fields = self.fields();
        while let [field, rest @ ..] = fields {
            // Both are u8: the sum fits.
            let end = (field.at as u64)
                .wrapping_add(field.bits as u64)
                .div_ceil(8);
            if end > reach {
                reach = end;
            }
            fields = rest;
        }
        reach
    }
}

#[cfg(test)]
mod tests {
    use super::{Field, Quantity, RelocType};

    #[test]
    fn numbers_run_from_0_to_73() {
        let numbers: Vec<u32> = RelocType::KNOWN.iter().map(|kind| kind.0).collect();
        assert_eq!(numbers, (0..=0x73).collect::<Vec<u32>>());
        assert_eq!(RelocType(0x02).to_string(), "R_CUDA_64");
        assert_eq!(RelocType(0x38).to_string(), "R_CUDA_ABS32_LO_32");
        assert_eq!(RelocType(0x39).to_string(), "R_CUDA_ABS32_HI_32");
        assert_eq!(RelocType(0x10002).to_string(), "0x10002");
    }

    #[test]
    fn fields_are_data() {
        let high = Field {
            bits: 32,
            at: 32,
            quantity: Quantity::Value,
            shift: 32,
        };
        assert_eq!(RelocType::R_CUDA_ABS32_HI_32.fields(), &[high]);
        assert_eq!(RelocType::R_CUDA_ABS32_HI_32.reach(), 8);
        assert_eq!(RelocType::R_CUDA_ABS55_16_34.fields().len(), 2);
        assert_eq!(RelocType::R_CUDA_ABS55_16_34.reach(), 11);
        assert_eq!(RelocType::R_CUDA_NONE.reach(), 0);
        assert_eq!(RelocType(0x74).fields(), &[]);
        // No field leaves the 16 bytes of the widest instruction.
        assert!(RelocType::KNOWN.iter().all(|kind| kind.reach() <= 16));
    }
}
