//! Which files went into a compilation, from the line markers of its preprocessed text.
//!
//! gcc and clang write `# 12 "kernels/common.cuh" 1 3`; the digits behind the name mark an entered file (1), a
//! return (2), and a system header (3). Visual C++ writes `#line 12 "kernels\\common.cuh"`. The text was made with
//! `__CUDA_ARCH__` defined, so includes that depend on the target are all there.

use crate::lists::{AddAll, Figures, Pieces};
use std::{
    collections::HashSet,
    fs::File,
    io::{self, BufReader},
    path::{Path, PathBuf},
};

/// A file that went into a compilation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Dependency {
    /// Its path as the preprocessor spells it.
    pub(super) path: PathBuf,
    /// The preprocessor found it in a system directory.
    pub(super) system: bool,
}

/// Reads a preprocessed file; each file once, in the order of first appearance.
pub(super) fn read(preprocessed: &Path) -> io::Result<Vec<Dependency>> {
    parse(BufReader::with_capacity(1 << 16, File::open(preprocessed)?))
}

fn parse(mut text: impl io::BufRead) -> io::Result<Vec<Dependency>> {
    let mut seen: HashSet<Vec<u8>> = HashSet::new();
    let mut found = Vec::new();
    let mut line = Vec::new();
    loop {
        line.clear();
        if text.read_until(b'\n', &mut line)? == 0 {
            return Ok(found);
        }
        let Some((name, flags)) = marker(&line) else {
            continue;
        };
        // `<built-in>` and `<command-line>` are not files; `"/dir//"` is the working directory.
        if name.is_empty() || name.starts_with(b"<") || name.ends_with(b"//") || seen.contains(name)
        {
            continue;
        }
        seen.insert(name.to_vec());
        found.add_all(dependency(name, flags));
    }
}

/// The file that a line marker names.
pub(super) fn dependency(name: &[u8], flags: &[u8]) -> Option<Dependency> {
    let path = unescape(name)?;
    let system = flags
        .split(|&byte| byte == b' ')
        .any(|flag| flag.trim_ascii() == b"3");
    Some(Dependency { path, system })
}

/// The number in a line marker.
pub(super) fn number(line: &[u8]) -> usize {
    let mut number = 0_usize;
    for byte in line.iter().skip_while(|byte| !byte.is_ascii_digit()) {
        if !byte.is_ascii_digit() {
            break;
        }
        number = number
            .wrapping_mul(10)
            .wrapping_add(usize::from(byte - b'0'));
    }
    number
}

/// The quoted name of a line marker and what stands behind it.
pub(super) fn marker(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let rest = line.strip_prefix(b"#")?;
    let rest = rest.strip_prefix(b"line").unwrap_or(rest);
    let rest = rest.strip_prefix(b" ")?;
    let digits = rest
        .iter()
        .take_while(|byte| byte.is_ascii_digit())
        .how_many();
    if digits == 0 {
        return None;
    }
    let rest = rest[digits..].strip_prefix(b" \"")?;
    let mut end = 0;
    for piece in Pieces(rest, b'"') {
        end += piece.len();
        // Behind an odd number of backslashes a quote is part of the name.
        let before = piece[..piece.len() - 1].iter().rev();
        if before.take_while(|byte| **byte == b'\\').how_many() % 2 == 0 {
            return Some((&rest[..end - 1], &rest[end..]));
        }
    }
    None
}

/// Undoes the escapes of a C string: `\\`, `\"`, and octal for bytes that are not printable.
fn unescape(name: &[u8]) -> Option<PathBuf> {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((&byte, after)) = rest.split_first() {
        rest = after;
        if byte != b'\\' {
            bytes.push(byte);
            continue;
        }
        let octal = rest
            .iter()
            .take(3)
            .take_while(|byte| (b'0'..=b'7').contains(byte))
            .how_many();
        if octal == 3 {
            let value = rest[..3]
                .iter()
                .fold(0_u32, |value, &digit| value * 8 + u32::from(digit - b'0'));
            bytes.push(u8::try_from(value).ok()?);
            rest = &rest[3..];
        } else if let Some((&next, after)) = rest.split_first() {
            bytes.push(next);
            rest = after;
        }
    }
    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStringExt as _;
        Some(PathBuf::from(std::ffi::OsString::from_vec(bytes)))
    }
    #[cfg(not(unix))]
    String::from_utf8(bytes).ok().map(PathBuf::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(String, bool)> {
        parse(text.as_bytes())
            .unwrap()
            .into_iter()
            .map(|dependency| (dependency.path.display().to_string(), dependency.system))
            .collect()
    }

    #[test]
    fn reads_markers_of_gcc() {
        let text = "# 0 \"k.cu\"\n# 0 \"<built-in>\"\n# 1 \"/usr/include/stdc-predef.h\" 1 3 4\n# 1 \"/build//\"\n\
                    # 0 \"<command-line>\" 2\n# 1 \"k.cu\"\n# 1 \"a b/\\303\\274.cuh\" 1\n#pragma once\n# 2 \"k.cu\" 2\n\
                    \"# 1 \\\"not.h\\\"\"\n# 5 \"q\\\"\\\\.h\" 1";
        assert_eq!(
            names(text),
            [
                ("k.cu".to_owned(), false),
                ("/usr/include/stdc-predef.h".to_owned(), true),
                ("a b/ü.cuh".to_owned(), false),
                ("q\"\\.h".to_owned(), false),
            ]
        );
    }

    #[test]
    fn reads_markers_of_visual_c() {
        assert_eq!(
            names("#line 1 \"kernels\\\\common.cuh\"\r\n"),
            [("kernels\\common.cuh".to_owned(), false)]
        );
    }

    #[test]
    fn garbage_yields_nothing() {
        for text in [
            "",
            "#",
            "# ",
            "# 1",
            "# 1 \"",
            "# 1 \"open",
            "#1 \"x\"",
            "# x \"y\"",
            "# 1 \"\\777\"",
        ] {
            assert!(names(text).is_empty(), "{text}");
        }
    }
}
