//! Sizes in bytes as people write and read them.

use crate::lists::Figures;

/// Units of a size string: decimal ones are powers of 1000, binary ones (IEC 80000-13) of 1024.
const UNITS: [(&str, u64); 7] = [
    ("B", 1),
    ("kB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
];

/// Why a text is not a size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SizeError {
    /// Does not begin with a whole number.
    NoNumber,
    /// A number with a fraction.
    Fraction,
    /// `K` or `KB`: 1000 or 1024?
    Ambiguous,
    /// A unit in the wrong case: the right one.
    Case(&'static str),
    /// Another unit.
    UnknownUnit,
    /// More than 2^64 - 1 bytes.
    TooLarge,
}

/// Bytes of `48 KiB`, `48KiB`, `48 kB`, `48 B` or `48`.
pub(crate) fn parse(text: &str) -> Result<u64, SizeError> {
    let text = text.trim();
    let digits = text.bytes().take_while(u8::is_ascii_digit).how_many();
    let (number, unit) = text.split_at(digits);
    if number.is_empty() {
        return Err(SizeError::NoNumber);
    }
    if unit.starts_with(['.', ',']) {
        return Err(SizeError::Fraction);
    }
    let unit = unit.trim_start();
    let factor = if unit.is_empty() { 1 } else { factor(unit)? };
    let number: u64 = number.parse().map_err(|_| SizeError::TooLarge)?;
    number.checked_mul(factor).ok_or(SizeError::TooLarge)
}

fn factor(unit: &str) -> Result<u64, SizeError> {
    if let Some((_, factor)) = UNITS.iter().find(|(name, _)| *name == unit) {
        return Ok(*factor);
    }
    if ["K", "k", "KB", "kb", "Kb"].contains(&unit) {
        return Err(SizeError::Ambiguous);
    }
    match UNITS
        .iter()
        .find(|(name, _)| name.eq_ignore_ascii_case(unit))
    {
        Some((name, _)) => Err(SizeError::Case(name)),
        None => Err(SizeError::UnknownUnit),
    }
}

/// `4096 bytes (4 KiB)`; the binary unit only where it is exact.
pub fn display(bytes: u64) -> String {
    let noun = if bytes == 1 { "byte" } else { "bytes" };
    let exact = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)]
        .into_iter()
        .find(|(_, factor): &(_, u64)| bytes >= *factor && bytes.is_multiple_of(*factor));
    match exact {
        Some((unit, factor)) => format!("{bytes} {noun} ({} {unit})", bytes / factor),
        None => format!("{bytes} {noun}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        for (text, bytes) in [
            ("0", 0),
            ("48 KiB", 49152),
            (" 48KiB ", 49152),
            ("1 kB", 1000),
            ("3 MB", 3_000_000),
            ("2 MiB", 2 << 20),
            ("1 GB", 1_000_000_000),
            ("1 GiB", 1 << 30),
            ("7 B", 7),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
    }

    #[test]
    fn what_is_not_a_size() {
        for (text, error) in [
            ("", SizeError::NoNumber),
            ("KiB", SizeError::NoNumber),
            ("-1", SizeError::NoNumber),
            ("1.5 KiB", SizeError::Fraction),
            ("48 KB", SizeError::Ambiguous),
            ("48k", SizeError::Ambiguous),
            ("48 kib", SizeError::Case("KiB")),
            ("48 bytes", SizeError::UnknownUnit),
            ("18446744073709551616", SizeError::TooLarge),
            ("18014398509481984 KiB", SizeError::TooLarge),
        ] {
            assert_eq!(parse(text), Err(error), "{text}");
        }
    }

    #[test]
    fn displayed() {
        for (bytes, text) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1000, "1000 bytes"),
            (1024, "1024 bytes (1 KiB)"),
            (3 << 20, "3145728 bytes (3 MiB)"),
        ] {
            assert_eq!(display(bytes), text);
        }
    }
}
