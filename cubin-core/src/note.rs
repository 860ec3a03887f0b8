//! Notes: which tools made the file, with which command line, and for which virtual architecture.
//!
//! `.note.nv.tkinfo` (type 2000) has one entry per tool that took part: nvlink's first, then one per input object.
//! `.note.nv.cuinfo` (13.0 and later) and `.note.nv.cuver` (12.8 and 12.9) have type 1000. Cubins of the old layout
//! have no notes. Measured on toolkits 12.8 to 13.5.

use alloc::format;

use crate::{Error, Result, consts::NoteType, reader::Reader};

/// One ELF note.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Note<'a> {
    /// Owner, without the NUL: `NVIDIA Corp`.
    pub owner: &'a [u8],
    /// Type within the owner's numbers.
    pub ty: NoteType,
    /// The descriptor.
    pub descriptor: &'a [u8],
    /// Where the descriptor starts in the file.
    pub offset: u64,
}

/// The notes of one section; after an error it ends.
#[derive(Debug, Clone)]
pub struct Notes<'a> {
    reader: Reader<'a>,
}

impl<'a> Notes<'a> {
    /// Notes in the bytes that `reader` has left.
    #[must_use]
    pub fn new(reader: Reader<'a>) -> Self {
        Self { reader }
    }
}

/// `size` bytes, and the padding to the next multiple of 4 that the last field of a section may lack.
fn padded<'a>(reader: &mut Reader<'a>, size: u32) -> Result<&'a [u8]> {
    let bytes = reader.bytes(size as usize)?;
    let padding = (size.wrapping_neg() & 3) as usize;
    reader.bytes(padding.min(reader.len()))?;
    Ok(bytes)
}

impl<'a> Iterator for Notes<'a> {
    type Item = Result<Note<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.reader.item(note)
    }
}

fn note<'a>(reader: &mut Reader<'a>) -> Result<Note<'a>> {
    let owner_size = reader.u32()?;
    let size = reader.u32()?;
    let ty = NoteType(reader.u32()?);
    let owner = padded(reader, owner_size)?;
    let offset = reader.offset();
    let descriptor = padded(reader, size)?;
    Ok(Note {
        owner: owner.strip_suffix(&[0]).unwrap_or(owner),
        ty,
        descriptor,
        offset,
    })
}

/// One entry of `.note.nv.tkinfo`: a tool that took part in making the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tool<'a> {
    /// Version of the entry: 2 from 13.0 on; 12.8 and 12.9 write the toolkit here, 128 or 129.
    pub version: u32,
    /// Name of the input object; empty in every cubin seen.
    pub object: &'a [u8],
    /// File name of the program up to its last dot: `ptxas`, `nvlink`.
    pub name: &'a [u8],
    /// `Cuda compilation tools, release 13.5, V13.5.37`.
    pub release: &'a [u8],
    /// `Build cuda_13.5.r13.5/compiler...`.
    pub build: &'a [u8],
    /// The options the tool ran with.
    pub command_line: &'a [u8],
}

impl<'a> Tool<'a> {
    /// Reads the descriptor of a note of type [`NoteType::TKINFO`].
    ///
    /// # Errors
    /// When the descriptor is shorter than its fixed part, or a string lies outside of it or has no end.
    pub fn read(note: &Note<'a>) -> Result<Self> {
        let mut reader = Reader::new(note.descriptor, note.offset);
        let version = reader.u32()?;
        let mut offsets = [0; 5];
        for slot in &mut offsets {
            *slot = reader.u32()?;
        }
        let pool = reader.rest();
        let pool_offset = reader.offset();
        let text = |at: u32| {
            pool.get(at as usize..)
                .and_then(|tail| core::ffi::CStr::from_bytes_until_nul(tail).ok())
                .map(core::ffi::CStr::to_bytes)
                .ok_or_else(|| {
                    Error::malformed(
                        format!("the string at {at:#x} of a tool entry lies outside of it"),
                        pool_offset.saturating_add(at.into()),
                    )
                })
        };
        let [object, name, release, build, command_line] = offsets;
        Ok(Self {
            version,
            object: text(object)?,
            name: text(name)?,
            release: text(release)?,
            build: text(build)?,
            command_line: text(command_line)?,
        })
    }

    /// The target of the `-arch` option, as written: `sm_100f`.
    #[must_use]
    pub fn arch(&self) -> Option<&'a str> {
        let line = core::str::from_utf8(self.command_line).ok()?;
        let mut words = line.split_ascii_whitespace();
        while let Some(word) = words.next() {
            for option in ["-arch", "--gpu-name", "--arch"] {
                match word.strip_prefix(option) {
                    Some("") => return words.next(),
                    Some(rest) if rest.starts_with('=') => return rest.get(1..),
                    _ => {}
                }
            }
        }
        None
    }

    /// The toolkit as (major, minor), from the release text.
    #[must_use]
    pub fn toolkit(&self) -> Option<(u16, u16)> {
        let text = core::str::from_utf8(self.release).ok()?;
        let (_, version) = text.split_once("release ")?;
        let (major, rest) = version.split_once('.')?;
        let end = rest
            .find(|character: char| !character.is_ascii_digit())
            .unwrap_or(rest.len());
        Some((major.parse().ok()?, rest.get(..end)?.parse().ok()?))
    }
}

/// `.note.nv.cuinfo` or `.note.nv.cuver`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct CudaInfo {
    /// 2 in `.note.nv.cuinfo`, 1 in `.note.nv.cuver`.
    pub version: u16,
    /// The PTX `.target` number the code was compiled from: 90 for `compute_90`. No suffix is kept.
    pub virtual_sm: u16,
    /// Ten times the toolkit's major version plus the minor one; `None` in `.note.nv.cuver`.
    pub toolkit: Option<u16>,
}

impl CudaInfo {
    /// Reads the descriptor of a note of type [`NoteType::CUINFO`].
    ///
    /// # Errors
    /// When the descriptor is shorter than 8 bytes.
    pub fn read(note: &Note<'_>) -> Result<Self> {
        let mut reader = Reader::new(note.descriptor, note.offset);
        let version = reader.u16()?;
        let virtual_sm = reader.u16()?;
        let toolkit = reader.u32()?;
        Ok(Self {
            version,
            virtual_sm,
            toolkit: if version >= 2 {
                u16::try_from(toolkit).ok()
            } else {
                None
            },
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tool<'a>(release: &'a str, command_line: &'a str) -> Tool<'a> {
        Tool {
            version: 2,
            object: b"",
            name: b"ptxas",
            release: release.as_bytes(),
            build: b"",
            command_line: command_line.as_bytes(),
        }
    }

    #[test]
    fn the_target_is_what_the_options_say() {
        for (line, arch) in [
            ("-v -arch sm_100f -o x", Some("sm_100f")),
            ("-arch=sm_90a", Some("sm_90a")),
            ("--gpu-name sm_80 -arch sm_90", Some("sm_80")),
            ("--arch=sm_75", Some("sm_75")),
            ("-architecture -arch sm_86", Some("sm_86")),
            ("-o -arch", None),
            ("-v", None),
        ] {
            assert_eq!(tool("", line).arch(), arch, "{line}");
        }
    }

    #[test]
    fn the_toolkit_is_what_the_release_says() {
        for (text, toolkit) in [
            (
                "Cuda compilation tools, release 12.8, V12.8.61",
                Some((12, 8)),
            ),
            ("release 13.5", Some((13, 5))),
            ("release 13", None),
            ("13.5", None),
            ("release 13.x", None),
        ] {
            assert_eq!(tool(text, "").toolkit(), toolkit, "{text}");
        }
    }
}
