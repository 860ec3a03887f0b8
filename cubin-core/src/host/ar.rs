//! Static archives (`ar`): System V with GNU long names, and the BSD variant.

use alloc::{borrow::Cow, format, string::String};
use core::fmt;

use crate::{Error, Result, limits};

const MAGIC: &[u8] = b"!<arch>\n";
const THIN_MAGIC: &[u8] = b"!<thin>\n";
/// Bytes of a member's header; it ends in "`\n".
const HEADER: usize = 60;
const HEADER_END: &[u8] = b"`\n";

/// A file in an archive.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Member<'a> {
    /// Its name.
    pub name: Cow<'a, str>,
    /// Offset of its first byte in the archive.
    pub offset: u64,
    /// Its bytes.
    pub data: &'a [u8],
}

/// The contents as a length.
impl fmt::Debug for Member<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Member")
            .field("name", &self.name)
            .field("offset", &self.offset)
            .field("len", &self.data.len())
            .finish()
    }
}

/// Whether `data` starts as an archive, thin ones included.
pub(super) fn is_archive(data: &[u8]) -> bool {
    data.starts_with(MAGIC) || data.starts_with(THIN_MAGIC)
}

/// The files in the archive `data`, without its symbol and name tables. A damaged header is one error; reading goes on at
/// the next header.
#[must_use]
pub fn members(data: &[u8]) -> Members<'_> {
    Members {
        data,
        at: MAGIC.len(),
        names: &[],
        thin: data.starts_with(THIN_MAGIC),
    }
}

/// Iterator over the files of an archive; made by [`members`].
#[derive(Clone)]
pub struct Members<'a> {
    data: &'a [u8],
    at: usize,
    /// Contents of the GNU table of long names.
    names: &'a [u8],
    thin: bool,
}

impl fmt::Debug for Members<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Members")
            .field("offset", &self.at)
            .field("len", &self.data.len().saturating_sub(self.at))
            .finish_non_exhaustive()
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Result<Member<'a>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.thin {
            self.thin = false;
            self.at = self.data.len();
            return Some(Err(Error::unsupported(
                "a thin archive holds only the names of its members: give those files themselves",
                0,
            )));
        }
        loop {
            let start = self.at;
            let rest = self.data.get(start..).unwrap_or_default();
            if rest.iter().all(|byte| matches!(byte, 0 | b'\n')) {
                self.at = self.data.len();
                return None;
            }
            let (name, body) = match header(rest, start as u64) {
                Ok(found) => found,
                Err(error) => {
                    self.at = start.saturating_add(resume(rest));
                    return Some(Err(error));
                }
            };
            let offset = start.saturating_add(HEADER);
            // Members start at even offsets.
            let size = body.len();
            self.at = offset.saturating_add(size).saturating_add(size & 1);
            match name {
                b"//" => self.names = body,
                b"/" | b"/SYM64/" | b"__.SYMDEF" | b"__.SYMDEF SORTED" => {}
                _ => {
                    let member = self.member(name, body, offset);
                    if !member.name.starts_with("__.SYMDEF") {
                        return Some(Ok(member));
                    }
                }
            }
        }
    }
}

impl<'a> Members<'a> {
    fn member(&self, name: &'a [u8], data: &'a [u8], offset: usize) -> Member<'a> {
        // BSD: `#1/LEN`, the name stands before the contents.
        if let Some(len) = name.strip_prefix(b"#1/").and_then(decimal)
            && let Some((long, rest)) = data.split_at_checked(len)
        {
            let end = long.iter().position(|byte| *byte == 0).unwrap_or(len);
            return Member {
                name: String::from_utf8_lossy(long.get(..end).unwrap_or(long)),
                offset: offset.saturating_add(len) as u64,
                data: rest,
            };
        }
        // GNU: `/OFFSET` into the table of names, else the name and a slash.
        let long = name.strip_prefix(b"/").and_then(decimal).and_then(|at| {
            let rest = self.names.get(at..)?;
            let window = rest.get(..limits::MEMBER_NAME).unwrap_or(rest);
            window.split(|byte| *byte == b'\n').next()
        });
        let name = long.unwrap_or(name);
        Member {
            name: String::from_utf8_lossy(name.strip_suffix(b"/").unwrap_or(name)),
            offset: offset as u64,
            data,
        }
    }
}

/// Name and contents of the member whose header starts `rest`, at `offset` of the file.
fn header(rest: &[u8], offset: u64) -> Result<(&[u8], &[u8])> {
    let (Some(header), Some(body)) = (rest.get(..HEADER), rest.get(HEADER..)) else {
        let left = rest.len();
        return Err(Error::truncated(
            format!("an archive member's header needs {HEADER} bytes, {left} are left"),
            offset,
        ));
    };
    if !header.ends_with(HEADER_END) {
        return Err(Error::malformed(
            "an archive member's header does not end as it must",
            offset,
        ));
    }
    let name = header.get(..16).unwrap_or_default().trim_ascii_end();
    let size = header
        .get(48..58)
        .and_then(|digits| decimal(digits.trim_ascii_end()))
        .ok_or_else(|| Error::malformed("an archive member's size is not a number", offset))?;
    match body.get(..size) {
        Some(body) => Ok((name, body)),
        None => Err(Error::truncated(
            format!(
                "the archive member `{}` of {size} bytes passes the end of the file, which has {} left",
                String::from_utf8_lossy(name),
                body.len()
            ),
            offset,
        )),
    }
}

/// Distance from a damaged header to the next intact one, else to the end.
fn resume(rest: &[u8]) -> usize {
    (2..rest.len())
        .step_by(2)
        .find(|at| header(rest.get(*at..).unwrap_or_default(), 0).is_ok())
        .unwrap_or(rest.len())
}

fn decimal(text: &[u8]) -> Option<usize> {
    if text.is_empty() || !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    core::str::from_utf8(text).ok()?.parse().ok()
}
