//! What a source says of its types that nvcc's side files do not: they print an `__int128` as `long long`, a pointer to a
//! data member as `long`, and the handle of a texture as the integer that it is.
//!
//! This reads words, not C++. What it finds takes trust away, or gives a number a name; it never gives a layout.

use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::lexer;
use super::model::{Pointer, Record, Scalar, Signatures, Type};
use crate::lists::{CollectVec, Figures};
use crate::paths::normalize;

/// A longer file is an error: no source that people write has as much.
const MOST_BYTES: u64 = 64 << 20;

/// How far before a declared name its kernel or struct may begin.
const MOST_BEFORE: usize = 64 << 10;

/// What sources say of types.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct SourceFacts {
    /// A file that is neither the toolkit's nor the host compiler's names a 128-bit integer (`__int128`,
    /// `__uint128_t`, `int128_t`).
    pub int128: bool,
    /// Such a file declares a pointer to a member (`::*`).
    pub member_pointers: bool,
    /// Parameters and members that such files declare with one of some words.
    pub declared: Vec<Declared>,
}

/// A parameter or member.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// Name of the function, or of the struct, class or union.
    pub owner: String,
    /// Name of the parameter or member.
    pub name: String,
    /// What it is declared as.
    pub word: Word,
}

/// A word that declares more than nvcc's files say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Word {
    /// `cudaTextureObject_t`
    Texture,
    /// `cudaSurfaceObject_t`
    Surface,
    /// `long`, of a member: it is the number that it looks like.
    Long,
}

impl Word {
    const ALL: [Self; 3] = [Self::Texture, Self::Surface, Self::Long];

    const fn text(self) -> &'static str {
        match self {
            Self::Texture => "cudaTextureObject_t",
            Self::Surface => "cudaSurfaceObject_t",
            Self::Long => "long",
        }
    }
}

impl SourceFacts {
    /// Nothing is known: all that takes trust away holds.
    #[must_use]
    pub fn doubtful() -> Self {
        Self {
            int128: true,
            member_pointers: true,
            declared: Vec::new(),
        }
    }

    /// Adds what another file says.
    pub fn extend(&mut self, other: &Self) {
        self.int128 |= other.int128;
        self.member_pointers |= other.member_pointers;
        for declared in &other.declared {
            if !self.declared.contains(declared) {
                self.declared.push(declared.clone());
            }
        }
    }
}

/// Reads the kept `X.cpp1.ii`. `toolkit_includes` as for [`read`](super::read).
///
/// # Errors
/// When the input cannot be read, or is longer than any source.
pub fn scan_preprocessed(
    input: impl Read,
    toolkit_includes: &[PathBuf],
) -> io::Result<SourceFacts> {
    let toolkit: Vec<PathBuf> = toolkit_includes
        .iter()
        .map(|path| normalize(path))
        .collect_vec();
    let mut text = Vec::new();
    let read = input.take(MOST_BYTES + 1).read_to_end(&mut text)?;
    if read as u64 > MOST_BYTES {
        return Err(io::Error::other("the source is too long"));
    }
    let mut own = Vec::with_capacity(text.len().min(1 << 16));
    let mut user = true;
    for line in text.split_inclusive(|byte| *byte == b'\n') {
        let marker = line.first() == Some(&b'#') && line.last() == Some(&b'\n');
        if marker {
            let shown = String::from_utf8_lossy(line);
            if let Some((_, file)) = lexer::line_marker(shown.trim_start_matches('#').trim()) {
                user = is_user_file(&file, &toolkit);
            }
        } else if user {
            own.extend_from_slice(line);
        }
    }
    Ok(facts(&own))
}

/// As [`scan_preprocessed`] says it, from one of the files that were included: for those who no longer have the
/// preprocessed text. `name` is the file's as the preprocessor gave it.
///
/// # Errors
/// As [`scan_preprocessed`].
pub fn scan_source(
    name: &Path,
    input: impl Read,
    toolkit_includes: &[PathBuf],
) -> io::Result<SourceFacts> {
    let toolkit: Vec<PathBuf> = toolkit_includes
        .iter()
        .map(|path| normalize(path))
        .collect_vec();
    if !is_user_file(&name.to_string_lossy(), &toolkit) {
        return Ok(SourceFacts::default());
    }
    scan_preprocessed(input, toolkit_includes)
}

fn is_user_file(file: &str, toolkit: &[PathBuf]) -> bool {
    if file.starts_with('<') {
        return false;
    }
    let path = normalize(Path::new(file));
    let host = path.starts_with("/usr/include")
        || path.starts_with("/usr/lib")
        || path.iter().any(|part| part == "gcc" || part == "c++");
    !host && !toolkit.iter().any(|dir| path.starts_with(dir))
}

fn facts(text: &[u8]) -> SourceFacts {
    let mut found = SourceFacts {
        int128: text.windows(6).any(|six| six == b"int128"),
        ..SourceFacts::default()
    };
    let mut code: Option<Vec<u8>> = None;
    for (index, start) in text.windows(4).enumerate() {
        let rest = text.get(index..).unwrap_or_default();
        if let Some(after) = rest.strip_prefix(b"::") {
            found.member_pointers |= after.trim_ascii_start().starts_with(b"*");
        }
        if start != b"cuda" && start != b"long" {
            continue;
        }
        let Some(word) = word_at(text, index) else {
            continue;
        };
        let code = code.get_or_insert_with(|| without_comments(text));
        found.declared.append(&mut declared(code, index, word));
    }
    found
}

/// The whole word that begins here, if it is one of ours.
fn word_at(text: &[u8], index: usize) -> Option<Word> {
    let rest = text.get(index..)?;
    let whole = |word: &Word| {
        let after = rest.strip_prefix(word.text().as_bytes());
        let starts = index == 0 || text.get(index - 1).is_some_and(|byte| !is_word(*byte));
        starts && after.is_some_and(|after| !after.first().is_some_and(|byte| is_word(*byte)))
    };
    Word::ALL.into_iter().find(|word| whole(word))
}

/// The text with comments, and what stands in quotes, blank; every byte keeps its place.
fn without_comments(text: &[u8]) -> Vec<u8> {
    let mut code = text.to_vec();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let quote = rest.first().copied().unwrap_or_default();
        // `1'000` is a number.
        let in_number = at > 0 && text.get(at - 1).is_some_and(u8::is_ascii_alphanumeric);
        let length = if rest.starts_with(b"//") {
            rest.iter().position(|byte| *byte == b'\n')
        } else if rest.starts_with(b"/*") {
            let end = rest.windows(2).skip(2).position(|two| two == b"*/");
            end.map(|end| end + 4)
        } else if quote == b'"' || (quote == b'\'' && !in_number) {
            let mut escaped = false;
            let end = rest.iter().skip(1).position(|byte| {
                let ends = !escaped && (*byte == quote || *byte == b'\n');
                escaped = !escaped && *byte == b'\\';
                ends
            });
            end.map(|end| end + 2)
        } else {
            at += 1;
            continue;
        };
        let end = length.map_or(text.len(), |length| (at + length).min(text.len()));
        code[at..end].fill(b' ');
        at = end;
    }
    code
}

/// What the word at `index` declares: parameters and members with a name.
fn declared(code: &[u8], index: usize, word: Word) -> Vec<Declared> {
    let mut found = Vec::new();
    // Blank where a comment was.
    let rest = code.get(index..).unwrap_or_default();
    let Some(mut rest) = rest.strip_prefix(word.text().as_bytes()) else {
        return found;
    };
    let before = code.get(index.saturating_sub(MOST_BEFORE)..index);
    let Some((owner, is_record)) = before.and_then(owner) else {
        return found;
    };
    if word == Word::Long && !is_record {
        return found;
    }
    while let Some((name, after)) = declarator(rest) {
        let name = String::from_utf8_lossy(name).into_owned();
        let owner = owner.clone();
        found.push(Declared { owner, name, word });
        // `long a[2], b;`, but one parameter at a time.
        let mut after = after;
        while after.starts_with(b"[") {
            let end = after.iter().position(|byte| *byte == b']');
            let behind = end.and_then(|end| after.get(end + 1..));
            after = behind.unwrap_or_default().trim_ascii_start();
        }
        match after.strip_prefix(b",") {
            Some(next) if is_record => rest = next,
            _ => break,
        }
    }
    found
}

/// The name that comes next, and what stands behind it.
fn declarator(mut rest: &[u8]) -> Option<(&[u8], &[u8])> {
    loop {
        rest = rest.trim_ascii_start();
        let length = rest.iter().take_while(|byte| is_word(**byte)).how_many();
        let (word, after) = rest.split_at(length);
        match word {
            b"const" | b"volatile" | b"__restrict__" | b"__restrict" | b"int" => rest = after,
            b"" if matches!(rest.first(), Some(b'*' | b'&')) => rest = rest.get(1..)?,
            b"" => return None,
            name => {
                let after = after.trim_ascii_start();
                let ends = matches!(after.first(), Some(b',' | b')' | b';' | b'=' | b'[' | b'{'));
                return ends.then_some((name, after));
            }
        }
    }
}

/// Whose parentheses or braces are open at the end of `before`, and whether it is a record.
fn owner(before: &[u8]) -> Option<(String, bool)> {
    let open = unclosed(before)?;
    let head = before.get(..open)?.trim_ascii_end();
    if before.get(open) == Some(&b'(') {
        return Some((last_word(head)?, false));
    }
    // From what ends the declaration before this one.
    let start = head
        .iter()
        .rposition(|byte| matches!(byte, b';' | b'{' | b'}'));
    let head = head.get(start.map_or(0, |start| start + 1)..)?;
    let text = String::from_utf8_lossy(head).replace("::", "\u{1}");
    let mut words = text.split(':').next()?.split_whitespace();
    words.find(|word| matches!(*word, "struct" | "class" | "union"))?;
    let mut names = words.filter(|word| *word != "final" && !word.contains(['(', ')', '[', ']']));
    let name = names.next_back()?.rsplit('\u{1}').next()?;
    Some((name.split('<').next()?.to_owned(), true))
}

/// Where the innermost bracket stands that nothing closes.
fn unclosed(text: &[u8]) -> Option<usize> {
    let mut depth = 0_usize;
    text.iter().rposition(|byte| {
        match byte {
            b')' | b'}' => depth += 1,
            b'(' | b'{' if depth == 0 => return true,
            b'(' | b'{' => depth -= 1,
            _ => {}
        }
        false
    })
}

fn last_word(text: &[u8]) -> Option<String> {
    let length = text
        .iter()
        .rev()
        .take_while(|byte| is_word(**byte))
        .how_many();
    let word = text
        .get(text.len() - length..)
        .filter(|word| !word.is_empty())?;
    Some(String::from_utf8_lossy(word).into_owned())
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Gives textures and surfaces their type, where a source declares them as such and nvcc's files have its integer.
pub(super) fn name_handles(signatures: &mut Signatures, declared: &[Declared]) {
    if declared.iter().all(|found| found.word == Word::Long) {
        return;
    }
    for kernel in &mut signatures.kernels {
        for param in &mut kernel.params {
            let Some(name) = &param.name else { continue };
            if let Some(word) = word_of(declared, &kernel.base_name, name) {
                name_type(word, &mut param.ty, &mut param.c_type);
            }
        }
    }
    for record in &mut signatures.records {
        let own = own_name(&record.name).to_owned();
        for field in &mut record.fields {
            if let Some(word) = word_of(declared, &own, &field.name) {
                name_type(word, &mut field.ty, &mut field.c_type);
            }
        }
    }
}

/// Whether the source says of a member that it is the `long` that nvcc's files print.
pub(super) fn is_long(declared: &[Declared], record: &Record, field: &str) -> bool {
    word_of(declared, own_name(&record.name), field) == Some(Word::Long)
}

/// `Box` of `ns::Box<ns::T>`.
fn own_name(name: &str) -> &str {
    let name = name.split('<').next().unwrap_or_default();
    name.rsplit("::").next().unwrap_or_default()
}

fn word_of(declared: &[Declared], owner: &str, name: &str) -> Option<Word> {
    let mut all = declared.iter();
    let found = all.find(|found| found.owner == owner && found.name == name);
    found.map(|found| found.word)
}

fn name_type(word: Word, ty: &mut Type, c_type: &mut String) {
    match ty {
        Type::Scalar(scalar @ Scalar::ULongLong) => {
            *scalar = match word {
                Word::Texture => Scalar::Texture,
                Word::Surface => Scalar::Surface,
                Word::Long => return,
            };
            *c_type = c_type.replace("unsigned long long", word.text());
        }
        Type::Pointer(Pointer { pointee, .. }) => name_type(word, pointee, c_type),
        Type::Array(of, _) => name_type(word, of, c_type),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scan(text: &str) -> SourceFacts {
        scan_preprocessed(text.as_bytes(), &["/cuda/include".into()]).expect("readable")
    }

    #[test]
    fn only_the_users_files_count() {
        for (text, counts) in [
            (
                "# 1 \"/cuda/bin/../include/a.h\"\n__int128 x;\n# 3 \"/usr/include/c++/12/b\" 3\n__int128 y;\n",
                false,
            ),
            ("# 1 \"a.cu\"\nstruct S { unsigned __int128 x; };\n", true),
            (
                "# 1 \"/cuda/include/a.h\"\nint x;\n# 1 \"third/party.h\" 1\ntypedef __uint128_t u;\n",
                true,
            ),
            ("# 1 \"int128.cu\"\nint x;\n", false),
        ] {
            assert_eq!(scan(text).int128, counts, "{text}");
        }
    }

    #[test]
    fn pointers_to_members_are_seen() {
        for (text, seen) in [
            ("struct S { int P::*m; };", true),
            ("typedef int (P:: *F)(int);", true),
            ("int x = a::b * c;", false),
            ("std::vector<int> *v;", false),
            ("::", false),
        ] {
            assert_eq!(scan(text).member_pointers, seen, "{text}");
        }
    }

    #[test]
    fn handles_are_found_with_what_they_belong_to() {
        let text = "\
struct Before { int x; };
template <typename T> struct __align__(16) n::Bundle final : Base<(3)> { // { cudaTextureObject_t no;
    int n; cudaTextureObject_t tex[2]; const cudaSurfaceObject_t out = 0; char c = '{';
    const long int a[2], b; // long nothing;
    int f(long x) { long y = x; return y; }
};
extern \"C\" __global__ void __launch_bounds__(128, (2)) sample(float *o, /* ) */ const cudaTextureObject_t t,
    cudaSurfaceObject_t *__restrict__ many, int big = 1'000, cudaTextureObject_t last) {
    cudaTextureObject_t inner = t;
}
__device__ float get(cudaTextureObject_t) { return 0; }
cudaTextureObject_t global;
";
        let found: Vec<(String, String, Word)> = scan(text)
            .declared
            .into_iter()
            .map(|found| (found.owner, found.name, found.word))
            .collect();
        let one = |owner: &str, name: &str, word| (owner.to_owned(), name.to_owned(), word);
        assert_eq!(
            found,
            [
                one("Bundle", "tex", Word::Texture),
                one("Bundle", "out", Word::Surface),
                one("Bundle", "a", Word::Long),
                one("Bundle", "b", Word::Long),
                one("sample", "t", Word::Texture),
                one("sample", "many", Word::Surface),
                one("sample", "last", Word::Texture),
            ]
        );
    }

    #[test]
    fn what_never_ends_is_no_panic() {
        for text in [
            "\"",
            "'",
            "/*",
            "//",
            "cudaTextureObject_t",
            "cuda",
            "(cudaTextureObject_t t",
            "{cudaTextureObject_t t;",
            "struct {cudaTextureObject_t t;",
            "\\",
            "\"\\",
            "struct : {cudaTextureObject_t t;",
        ] {
            assert!(scan(text).declared.len() <= 1, "{text}");
        }
    }
}
