//! `.nv.compat`: what the code needs of a device or of a finalizer.
//!
//! Records have the formats of `.nv.info` with codes of their own ([`Compat`]). Present for sm_90 and above from 13.0,
//! for sm_100 and above in 12.8 and 12.9. Measured on CUDA 12.8 to 13.5.

use crate::{
    Result,
    consts::Compat,
    elf::Elf,
    nvinfo::{Attribute, Attributes, Value},
    reader::Reader,
};

/// The records of `.nv.compat`, unknown codes included; none when the file has no such section.
///
/// # Errors
/// When the section lies outside the file.
pub fn records<'a>(elf: &Elf<'a>) -> Result<Attributes<'a>> {
    let reader = match elf.section_named(b".nv.compat") {
        Some(section) => elf.reader(&section)?,
        None => Reader::new(&[], 0),
    };
    Ok(Attributes::new(reader))
}

/// The value of the first record of a code.
///
/// # Errors
/// When the section is damaged before that record.
pub fn value<'a>(elf: &Elf<'a>, code: Compat) -> Result<Option<Value<'a>>> {
    for record in records(elf)? {
        let record = record.map_err(|error| error.in_section(".nv.compat"))?;
        if Compat(record.code) == code {
            return Ok(Some(record.value));
        }
    }
    Ok(None)
}

/// The version in a FINALIZER_VERSION record: major, minor, patch. 13.4 and later.
#[must_use]
pub fn finalizer_version(record: &Attribute<'_>) -> Option<(u8, u8, u8)> {
    if Compat(record.code) != Compat::FINALIZER_VERSION {
        return None;
    }
    let version = u16::try_from(record.number()?).ok()?;
    Some((
        (version >> 10) as u8,
        ((version >> 6) & 0xf) as u8,
        (version & 0x3f) as u8,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finalizer_versions_have_6_4_and_6_bits() {
        let record = |code: Compat, value| Attribute {
            code: code.0,
            value: Value::Half(value),
            offset: 0,
        };
        let version = |value| finalizer_version(&record(Compat::FINALIZER_VERSION, value));
        assert_eq!(version(0x0400), Some((1, 0, 0)));
        assert_eq!(version(0x0440), Some((1, 1, 0)));
        assert_eq!(finalizer_version(&record(Compat::ISA_CLASS, 0x0400)), None);
    }
}
