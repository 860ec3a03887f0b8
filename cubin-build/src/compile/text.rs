//! The preprocessed text of a source: which files went in, and whether it says the same as an earlier one.
//!
//! gcc and clang write `# 12 "kernels/common.cuh" 1 3` where a line comes from another place than behind the one before;
//! the digits behind the name mark an entered file (1), a return (2), and a system header (3). Visual C++ writes
//! `#line 12 "kernels\\common.cuh"`. The text was made with `__CUDA_ARCH__` defined, so includes that depend on the target
//! are all there.
//!
//! A comment leaves nothing in the text, but the lines behind it have other numbers. Machine code does not depend on
//! them, unless something in the text asks for them or debug information is wanted; the front end's files name them. So a
//! text has two hashes: of all its bytes, and of its *content*, which is the lines that are not blank, each with its file,
//! without numbers ([`Text::content`]). Where only the first differs, the places in the front end's files are moved
//! ([`Places`]).

use super::depfile::{self, Dependency};
use crate::{
    cache::ContentHash,
    lists::{AddAll, Figures, Lines, Pieces},
    sorted::{Map, Set},
};

/// Whether a text may hold what asks for the number of its line, or whose blank lines matter (raw strings): each is looked
/// for by a byte of it that is rare.
fn asks(text: &[u8]) -> bool {
    // The end of what comes before the byte, which ends a piece, and the begin of what comes behind it.
    let holds = |byte: u8, found: &dyn Fn(&[u8], &[u8]) -> bool| {
        let mut end = 0;
        Pieces(text, byte).any(|piece| {
            end += piece.len();
            found(&text[..end], &text[end..])
        })
    };
    let of_line = |before: &[u8], behind: &[u8]| {
        (before.ends_with(b"__builtin_L") && behind.starts_with(b"INE"))
            || (before.ends_with(b"__builtin_FIL") && behind.starts_with(b"E"))
            || (before.ends_with(b"__builtin_COL") && behind.starts_with(b"UMN"))
    };
    holds(b'"', &|before, _| before.ends_with(b"R\""))
        || holds(b'L', &of_line)
        || holds(b'c', &|before, behind| {
            behind.starts_with(b"e_location") && before.ends_with(b"sourc")
        })
}

/// A preprocessed text.
pub(super) struct Text {
    /// The text for the front end: what nobody needs of it and differs between folders is left out.
    pub(super) bytes: Vec<u8>,
    /// Each file once, in the order of first appearance.
    pub(super) dependencies: Vec<Dependency>,
    /// Of all of `bytes`.
    pub(super) exact: ContentHash,
    /// Of the content; `None` where the numbers of lines matter.
    pub(super) content: Option<ContentHash>,
    /// Bytes of the content outside system headers: what the compiler has to do with it grows with them.
    pub(super) own: usize,
}

impl Text {
    /// Takes what a preprocessor wrote; `before` is put before it. Names below `root` (which ends in a slash) are written
    /// relative to it.
    pub(super) fn new(raw: &[u8], before: &str, root: &str) -> Self {
        let mut bytes = Vec::with_capacity(raw.len() + before.len());
        bytes.extend_from_slice(before.as_bytes());
        let mut seen: Set<&[u8]> = Set::new();
        let mut dependencies = Vec::new();
        let mut content = Vec::with_capacity(raw.len());
        let mut header = Vec::new();
        let (mut own, mut is_system) = (0, false);
        let mut blank = false;
        for line in Lines(raw) {
            if line.len() <= 2 && line.trim_ascii().is_empty() {
                bytes.extend_from_slice(line);
                continue;
            }
            let marker = if line[0] == b'#' {
                depfile::marker(line)
            } else {
                None
            };
            let Some((name, flags)) = marker else {
                bytes.extend_from_slice(line);
                let line = line.trim_ascii_end();
                if line.is_empty() {
                    continue;
                }
                if blank {
                    content.extend_from_slice(&header);
                    blank = false;
                }
                content.extend_from_slice(line);
                content.push(b'\n');
                own += if is_system { 0 } else { line.len() };
                continue;
            };
            // `"/dir//"` is the working directory, which nothing needs.
            if name.ends_with(b"//") {
                continue;
            }
            is_system = flags.contains(&b'3');
            let short = name.strip_prefix(root.as_bytes()).unwrap_or(name);
            let at = line.len() - flags.len() - name.len() - 1;
            bytes.extend_from_slice(&line[..at]);
            bytes.extend_from_slice(short);
            bytes.extend_from_slice(&line[at + name.len()..]);
            let mut next = vec![0, u8::from(is_system)];
            next.extend_from_slice(short);
            next.push(b'\n');
            if next != header {
                header = next;
                blank = true;
            }
            if !name.is_empty() && !name.starts_with(b"<") && !seen.contains(name) {
                seen.insert(name);
                dependencies.add_all(depfile::dependency(name, flags));
            }
        }
        let asks = std::str::from_utf8(&content).is_err() || asks(&content);
        Self {
            exact: ContentHash::of(&bytes),
            content: (!asks).then(|| ContentHash::of(&content)),
            bytes,
            dependencies,
            own,
        }
    }
}

/// Where the lines of the content are that the front end's files name: `number of the line in the content`, its own line
/// and file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Places {
    rows: Vec<(usize, usize, Vec<u8>)>,
}

/// Calls `found` for each line of the content with its number, its line and file as the text says them.
fn each_line<'t>(text: &'t [u8], found: &mut dyn FnMut(usize, usize, &'t [u8])) {
    let (mut number, mut line_number, mut file) = (0, 1, &b""[..]);
    for line in Lines(text) {
        if line[0] == b'#'
            && let Some((name, _)) = depfile::marker(line)
        {
            (line_number, file) = (depfile::number(line), name);
            continue;
        }
        if !line.trim_ascii().is_empty() {
            found(number, line_number, file);
            number += 1;
        }
        line_number += 1;
    }
}

impl Places {
    /// The places that line markers of `files` name, as they are in `text`; `None` when one is nowhere in it.
    pub(super) fn of(text: &[u8], files: &[&[u8]]) -> Option<Self> {
        let mut wanted: Map<Place<'_>, Option<usize>> = Map::new();
        for file in files {
            for line in Lines(file) {
                if let Some((name, _)) = depfile::marker(line).filter(|(name, _)| !is_own(name)) {
                    wanted.insert((name, depfile::number(line)), None);
                }
            }
        }
        each_line(text, &mut |number, line, file| {
            if let Some(place) = wanted.get_mut(&(file, line))
                && place.is_none()
            {
                *place = Some(number);
            }
        });
        let mut rows = Vec::new();
        for ((file, line), number) in &wanted {
            rows.push(((*number)?, *line, file.to_vec()));
        }
        Some(Self { rows })
    }

    /// The same lines of the content in another text of the same content: from a place to where it is now.
    pub(super) fn moved(&self, text: &[u8]) -> Moved<'_> {
        let mut new: Map<usize, (usize, Vec<u8>)> = Map::new();
        for (number, ..) in &self.rows {
            new.insert(*number, (0, Vec::new()));
        }
        each_line(text, &mut |number, line, file| {
            if let Some(place) = new.get_mut(&number) {
                *place = (line, file.to_vec());
            }
        });
        let mut moved = Map::new();
        for (number, line, file) in &self.rows {
            if let Some(place) = new.get(number) {
                moved.insert((file.as_slice(), *line), place.clone());
            }
        }
        Moved(moved)
    }

    /// One row a line: number, line, file.
    pub(super) fn text(&self) -> Vec<u8> {
        let mut text = Vec::new();
        for (number, line, file) in &self.rows {
            text.extend_from_slice(format!("{number} {line} ").as_bytes());
            text.extend_from_slice(file);
            text.push(b'\n');
        }
        text
    }

    /// Reads what [`Places::text`] wrote.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let mut rows = Vec::new();
        for row in Lines(text) {
            let row = row.strip_suffix(b"\n")?;
            let mut parts = row.splitn(3, |byte| *byte == b' ');
            let mut number = || std::str::from_utf8(parts.next()?).ok()?.parse().ok();
            let (at, line) = (number()?, number()?);
            rows.push((at, line, parts.next()?.to_vec()));
        }
        Some(Self { rows })
    }
}

/// Whether a line marker names the front end's file that it is in.
fn is_own(name: &[u8]) -> bool {
    [".cudafe1.stub.c", ".cudafe1.gpu"]
        .iter()
        .any(|end| name.ends_with(end.as_bytes()))
}

/// A file of the front end without what differs from folder to folder, and with each comment: the folder that it was made
/// in, which it names itself with, and the line of the preprocessed text in names of local variables
/// (`__cuda_local_var_36888_5_non_const_i`), whose functions nobody reads.
pub(super) fn lasting(file: &[u8], folder: &str) -> Vec<u8> {
    const LOCAL: &[u8] = b"__cuda_local_var_";
    let escaped = folder.replace('\\', "\\\\").replace('"', "\\\"");
    let folder = format!("\"{escaped}/");
    let mut out = Vec::with_capacity(file.len());
    for line in Lines(file) {
        let mut rest = line;
        if depfile::marker(line).is_some_and(|(name, _)| is_own(name)) {
            if let Some(at) = position(rest, folder.as_bytes()) {
                out.extend_from_slice(&rest[..=at]);
                rest = &rest[at + folder.len()..];
            }
        } else {
            while let Some(at) = position(rest, LOCAL) {
                let (name, behind) = rest.split_at(at + LOCAL.len());
                out.extend_from_slice(name);
                let digits = behind.iter().take_while(|byte| byte.is_ascii_digit());
                rest = &behind[digits.how_many()..];
            }
        }
        out.extend_from_slice(rest);
    }
    out
}

fn position(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|found| found == part)
}

/// From each place to where its line is now.
pub(super) struct Moved<'p>(Map<Place<'p>, (usize, Vec<u8>)>);

/// A file and a line of it.
type Place<'p> = (&'p [u8], usize);

impl Moved<'_> {
    /// A file of the front end with its line markers moved; `None` when one names an unknown place.
    pub(super) fn apply(&self, file: &[u8]) -> Option<Vec<u8>> {
        let mut out = Vec::with_capacity(file.len());
        for line in Lines(file) {
            let marker = depfile::marker(line).filter(|(name, _)| !is_own(name));
            let Some((name, rest)) = marker else {
                out.extend_from_slice(line);
                continue;
            };
            let (number, name) = self.0.get(&(name, depfile::number(line)))?;
            let start: &[u8] = if line.starts_with(b"#line") {
                b"#line "
            } else {
                b"# "
            };
            out.extend_from_slice(start);
            out.extend_from_slice(format!("{number} \"").as_bytes());
            out.extend_from_slice(name);
            out.push(b'"');
            out.extend_from_slice(rest);
        }
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(raw: &str) -> Text {
        Text::new(raw.as_bytes(), "", "/crate/")
    }

    #[test]
    fn comments_change_lines_and_nothing_else() {
        let before =
            text("# 1 \"k.cu\"\n# 1 \"/crate/a.cuh\" 1\nint a;\nint b;\n# 2 \"k.cu\" 2\nint c;\n");
        let after = text(
            "# 1 \"k.cu\"\n# 1 \"/crate/a.cuh\" 1\n\n\nint a;\n# 20 \"/crate/a.cuh\"\nint b;\n# 3 \"k.cu\" 2\n\nint c;\n",
        );
        assert!(before.content.is_some());
        assert_eq!(before.content, after.content);
        assert_ne!(before.exact, after.exact);
        assert_eq!(before.own, 18);
        let names: Vec<_> = before
            .dependencies
            .iter()
            .map(|dep| dep.path.to_str().unwrap())
            .collect();
        assert_eq!(names, ["k.cu", "/crate/a.cuh"]);
        assert!(
            before
                .bytes
                .starts_with(b"# 1 \"k.cu\"\n# 1 \"a.cuh\" 1\nint a;")
        );

        let files = "x\n# 1 \"a.cuh\"\ny\n# 2 \"a.cuh\"\n# 2 \"k.cu\"\n";
        let places = Places::of(&before.bytes, &[files.as_bytes()]).unwrap();
        assert_eq!(Places::parse(&places.text()).as_ref(), Some(&places));
        let moved = places.moved(&after.bytes).apply(files.as_bytes()).unwrap();
        assert_eq!(
            String::from_utf8(moved).unwrap(),
            "x\n# 3 \"a.cuh\"\ny\n# 20 \"a.cuh\"\n# 4 \"k.cu\"\n"
        );
        assert_eq!(Places::of(&before.bytes, &[b"# 7 \"k.cu\"\n"]), None);

        let own = b"# 1 \"/out/a b/work/k.cudafe1.stub.c\"\nint __cuda_local_var_36_5_x;\n";
        let own = lasting(own, "/out/a b/work");
        let expected = b"# 1 \"k.cudafe1.stub.c\"\nint __cuda_local_var__5_x;\n";
        assert_eq!(own, expected);
        let places = Places::of(&before.bytes, &[&own]).unwrap();
        assert_eq!(places.moved(&after.bytes).apply(&own), Some(own));
    }

    #[test]
    fn what_matters_is_content() {
        let base = text("# 1 \"k.cu\"\nint a;\nint b;\n").content;
        for other in [
            "# 1 \"k.cu\"\nint a;\nint  b;\n",
            "# 1 \"k.cu\"\nint b;\nint a;\n",
            "# 1 \"k.cu\"\nint a;\n# 1 \"h.cuh\" 1\nint b;\n",
            "# 1 \"k.cu\" 3\nint a;\nint b;\n",
            "# 1 \"k.cu\"\nint a;\n#pragma unroll\nint b;\n",
            "# 1 \"k.cu\"\nint a;\n",
        ] {
            assert_ne!(text(other).content, base, "{other}");
        }
        for asks in [
            "auto x = R\"(\n\n)\";\n",
            "int l = __builtin_LINE();\n",
            "auto f = __builtin_FILE();\n",
            "int c = L + __builtin_COLUMN();\n",
            "auto l = std::source_location::current();\n",
        ] {
            let found = text(&format!("# 1 \"k.cu\"\n{asks}")).content;
            assert!(found.is_none(), "{asks}");
        }
        for asks in [
            "int \u{e9};\n\n",
            "int source_, _location, R, \"L\", LINE;\n",
        ] {
            let found = text(&format!("# 1 \"k.cu\"\n{asks}")).content;
            assert!(found.is_some(), "{asks}");
        }
        assert!(Text::new(b"\"\xff\"\n", "", "/").content.is_none());
        let with_dir = text("# 1 \"/crate//\"\n# 1 \"k.cu\"\nint a;\nint b;\n");
        assert_eq!((with_dir.content, with_dir.dependencies.len()), (base, 1));
    }
}
