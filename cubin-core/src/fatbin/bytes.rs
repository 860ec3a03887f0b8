//! Bytes and numbers at an offset, which may lie past the end.

pub(super) fn length(data: &[u8]) -> u64 {
    data.len() as u64
}

/// `data` from `at` on; empty past the end.
pub(super) fn tail(data: &[u8], at: u64) -> &[u8] {
    window(data, at, length(data))
}

/// `data[from..to]`; empty when that is not inside.
pub(super) fn window(data: &[u8], from: u64, to: u64) -> &[u8] {
    let (Ok(from), Ok(to)) = (usize::try_from(from), usize::try_from(to)) else {
        return &[];
    };
    data.get(from..to).unwrap_or_default()
}

pub(super) fn u16_at(data: &[u8], at: u64) -> Option<u16> {
    tail(data, at)
        .first_chunk()
        .map(|bytes| u16::from_le_bytes(*bytes))
}

pub(super) fn u32_at(data: &[u8], at: u64) -> Option<u32> {
    tail(data, at)
        .first_chunk()
        .map(|bytes| u32::from_le_bytes(*bytes))
}

pub(super) fn u64_at(data: &[u8], at: u64) -> Option<u64> {
    tail(data, at)
        .first_chunk()
        .map(|bytes| u64::from_le_bytes(*bytes))
}
