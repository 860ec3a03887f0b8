//! Bit fields of records, in the byte order of the device.

/// The `width` bits from bit `first` of `bytes` on.
#[doc(hidden)]
#[must_use]
pub const fn bits(bytes: &[u8], first: usize, width: u32) -> u64 {
    let mut value = 0_u64;
    let mut index = 0;
    while index < width {
        let at = first + index as usize;
        let bit = (bytes[at / 8] >> (at % 8)) & 1;
        value |= (bit as u64) << index;
        index += 1;
    }
    value
}

/// Writes the lower `width` bits of `value` to bit `first` of `bytes` on.
#[doc(hidden)]
pub const fn set_bits(bytes: &mut [u8], first: usize, width: u32, value: u64) {
    let mut index = 0;
    while index < width {
        let at = first + index as usize;
        let bit = ((value >> index) & 1) as u8;
        bytes[at / 8] = (bytes[at / 8] & !(1 << (at % 8))) | (bit << (at % 8));
        index += 1;
    }
}

/// The lower `width` bits as a signed number.
#[doc(hidden)]
#[must_use]
pub const fn sign_extend(bits: u64, width: u32) -> i64 {
    let unused = 64 - width;
    (bits << unused).cast_signed() >> unused
}
