//! Host functions in a source: they are not part of a cubin, and whoever calls them gets the linker's "undefined symbol".
//!
//! Only what somebody could miss: functions with external linkage that the source itself defines (not its headers), and
//! that are `extern "C"` or launch kernels. Read from the preprocessed text, so what `#if` leaves out is out. What is not
//! understood is passed over: this is for a warning alone.

use super::{depfile, spelling::Token};
use crate::lists::{AddAll, CollectVec, Lines};

/// Marks the warning among those of nvcc.
pub(super) const CODE: &str = "#host-code";

/// A warning in the form of nvcc's own, with the names of the functions, for the log of a source's compilation; empty when
/// there are none. `source` is the file as the text's line markers name it.
pub(super) fn warning(text: &[u8], source: &str) -> String {
    let mut reader = Reader::of(text, &|name| name == source.as_bytes());
    reader.declarations(0, false);
    let mut missed = Vec::new();
    for found in &reader.found {
        if found.missed {
            missed.push(found);
        }
    }
    let Some(first) = missed.first() else {
        return String::new();
    };
    let names: Vec<&str> = missed.iter().map(|found| found.name.as_str()).collect_vec();
    format!(
        "{source}({}): warning {CODE}: {}\n",
        first.line,
        names.join(", ")
    )
}

/// A function that a text defines.
#[cfg(feature = "library")]
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Function {
    /// As line markers name it.
    pub(super) file: String,
    pub(super) line: usize,
    pub(super) name: String,
    /// With its namespaces.
    pub(super) path: String,
    /// Its declaration in C++, on one line.
    pub(super) text: String,
    /// Names of its parameters, where they have some.
    pub(super) params: Vec<Option<String>>,
}

/// The functions with external linkage that a text of cudafe++ defines, with C linkage or without, in files that `own` takes.
/// Those that are device code are left out: cudafe++ gives them a body that ends the program.
#[cfg(feature = "library")]
pub(super) fn functions(text: &[u8], own: &dyn Fn(&[u8]) -> bool) -> Vec<Function> {
    let mut reader = Reader::of(text, own);
    reader.declarations(0, false);
    let Reader { found, files, .. } = reader;
    let mut all = Vec::new();
    for found in found {
        let unnamed = found.scope.iter().any(String::is_empty);
        if found.of_device || unnamed {
            continue;
        }
        let mut before = files.iter().rev();
        let file = before.find(|(at, _)| *at <= found.at);
        let mut path = String::new();
        for part in &found.scope {
            path.push_str(&format!("::{part}"));
        }
        all.push(Function {
            file: file.map(|(_, name)| name.clone()).unwrap_or_default(),
            line: found.line,
            path: format!("{path}::{}", found.name),
            text: super::spelling::spelled(&found.tokens),
            params: super::spelling::params(&found.tokens),
            name: found.name,
        });
    }
    all
}

/// Deeper is no C++ that anybody writes.
const DEEPEST: usize = 64;

#[cfg_attr(
    not(feature = "library"),
    expect(dead_code, reason = "static libraries read it")
)]
struct Reader<'t> {
    /// With the line of each.
    tokens: Vec<(usize, Token<'t>)>,
    /// Where another file begins, by token.
    files: Vec<(usize, String)>,
    at: usize,
    scope: Vec<String>,
    found: Vec<Found<'t>>,
}

/// A function of the host with a body.
#[cfg_attr(
    not(feature = "library"),
    expect(dead_code, reason = "static libraries read it")
)]
struct Found<'t> {
    line: usize,
    name: String,
    /// Its last token before the body.
    at: usize,
    scope: Vec<String>,
    tokens: Vec<Token<'t>>,
    /// `extern "C"`, or launches kernels.
    missed: bool,
    /// What cudafe++ makes of device code.
    of_device: bool,
}

/// What stands in a block.
#[derive(Default)]
struct Block {
    launches: bool,
    of_device: bool,
}

impl<'t> Reader<'t> {
    /// Takes the lines of the files that `own` takes apart; what stands between `#if 0` and `#endif` is no code.
    fn of(text: &'t [u8], own: &dyn Fn(&[u8]) -> bool) -> Self {
        let mut tokens = Vec::new();
        let mut files: Vec<(usize, String)> = Vec::new();
        let (mut number, mut is_own, mut off) = (1, false, false);
        for line in Lines(text) {
            if line.first() == Some(&b'#') {
                if let Some((name, _)) = depfile::marker(line) {
                    is_own = own(name);
                    number = depfile::number(line);
                    if is_own {
                        files.push((tokens.len(), String::from_utf8_lossy(name).into_owned()));
                    }
                    continue;
                }
                // cudafe++ writes `# 7` where the file stays the same.
                if line
                    .strip_prefix(b"# ")
                    .is_some_and(|rest| rest.first().is_some_and(u8::is_ascii_digit))
                {
                    number = depfile::number(line);
                    continue;
                }
                if line.starts_with(b"#if 0") {
                    off = true;
                } else if line.starts_with(b"#endif") {
                    off = false;
                }
            } else if is_own
                && !off
                && let Ok(line) = std::str::from_utf8(line)
            {
                tokenize(line, number, &mut tokens);
            }
            number += 1;
        }
        Self {
            tokens,
            files,
            at: 0,
            scope: Vec::new(),
            found: Vec::new(),
        }
    }

    fn next(&mut self) -> Option<(usize, Token<'t>)> {
        let token = self.tokens.get(self.at).copied();
        self.at += 1;
        token
    }

    /// The declarations up to the brace that closes this scope; `all_c`: they have C linkage.
    fn declarations(&mut self, depth: usize, all_c: bool) {
        let mut statement: Vec<(usize, Token<'t>)> = Vec::new();
        while let Some((line, token)) = self.next() {
            match token {
                Token::Mark(b';') => statement.clear(),
                // Of what other files have opened, at the outermost level.
                Token::Mark(b'}') if depth == 0 => statement.clear(),
                Token::Mark(b'}') => return,
                Token::Mark(b'{') => {
                    let is_c = is_extern_c(&statement);
                    let has = |word: &str| statement.iter().any(|(_, t)| *t == Token::Word(word));
                    let opens = !statement.iter().any(|(_, t)| *t == Token::Mark(b'('));
                    if opens && depth < DEEPEST && (is_c || has("namespace")) {
                        let outside = self.scope.len();
                        if has("namespace") {
                            self.scope.add_all(namespaces(&statement));
                        }
                        self.declarations(depth + 1, all_c || is_c);
                        self.scope.truncate(outside);
                    } else {
                        let at = self.at;
                        let block = self.skip_block();
                        if let Some((line, name)) = function(&statement) {
                            self.found.push(Found {
                                line,
                                name,
                                at,
                                scope: self.scope.clone(),
                                tokens: statement.iter().map(|(_, token)| *token).collect_vec(),
                                missed: all_c || is_c || block.launches,
                                of_device: block.of_device,
                            });
                        }
                    }
                    statement.clear();
                }
                _ => statement.push((line, token)),
            }
        }
    }

    /// What stands up to the brace that closes this block.
    fn skip_block(&mut self) -> Block {
        let (mut depth, mut block) = (1_usize, Block::default());
        while let Some((_, token)) = self.next() {
            match token {
                Token::Launch => block.launches = true,
                Token::Word("___") => block.of_device = true,
                Token::Mark(b'{') => depth += 1,
                Token::Mark(b'}') => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        block
    }
}

/// The namespaces that a statement before its block opens; an empty name is one without.
fn namespaces(statement: &[(usize, Token<'_>)]) -> Vec<String> {
    let mut words = statement.iter();
    words.find(|(_, token)| *token == Token::Word("namespace"));
    let mut names = Vec::new();
    for (_, token) in words {
        if let Token::Word(name) = token
            && *name != "inline"
            && !name.starts_with("__attribute")
        {
            names.push((*name).to_owned());
        }
    }
    if names.is_empty() {
        names.push(String::new());
    }
    names
}

/// `extern "C"`
fn is_extern_c(statement: &[(usize, Token<'_>)]) -> bool {
    statement
        .windows(2)
        .any(|pair| pair[0].1 == Token::Word("extern") && pair[1].1 == Token::Text("\"C\""))
}

/// The function that a statement before its body declares, when it is the host's and others can call it.
fn function(statement: &[(usize, Token<'_>)]) -> Option<(usize, String)> {
    /// Not the host's, not seen by others, or no function.
    const OTHER: [&str; 14] = [
        "global",
        "__global__",
        "device",
        "__device__",
        "static",
        "inline",
        "__inline__",
        "__forceinline__",
        "constexpr",
        "template",
        "class",
        "enum",
        "operator",
        "using",
    ];
    let is_other = |(_, token): &(usize, Token<'_>)| match token {
        Token::Word(word) => OTHER.contains(word),
        Token::Mark(mark) => *mark == b'=',
        _ => false,
    };
    if statement.iter().any(is_other) {
        return None;
    }
    // The name stands before the first parenthesis that is not an attribute's.
    let mut depth = 0_usize;
    for pair in statement.windows(2) {
        let [(line, token), (_, next)] = pair else {
            continue;
        };
        match token {
            Token::Mark(b'(') => depth += 1,
            Token::Mark(b')') => depth = depth.saturating_sub(1),
            Token::Word(name) if depth == 0 && *next == Token::Mark(b'(') => {
                const ATTRIBUTES: [&str; 4] =
                    ["__attribute__", "__declspec", "alignas", "decltype"];
                if !ATTRIBUTES.contains(name) {
                    return Some((*line, (*name).to_owned()));
                }
            }
            _ => {}
        }
    }
    None
}

fn tokenize<'t>(line: &'t str, number: usize, tokens: &mut Vec<(usize, Token<'t>)>) {
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        at += 1;
        let token = match byte {
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            b'"' | b'\'' => {
                while at < bytes.len() && bytes[at] != byte {
                    at += 1 + usize::from(bytes[at] == b'\\');
                }
                at = (at + 1).min(bytes.len());
                Token::Text(line.get(start..at).unwrap_or_default())
            }
            byte if byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80 => {
                let is_part =
                    |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte >= 0x80;
                // `1'000` is one number.
                let quote = |at: usize| byte.is_ascii_digit() && bytes[at] == b'\'';
                while at < bytes.len() && (is_part(&bytes[at]) || quote(at)) {
                    at += 1;
                }
                Token::Word(line.get(start..at).unwrap_or_default())
            }
            b'<' if bytes[at..].starts_with(b"<<") => {
                at += 2;
                Token::Launch
            }
            byte => Token::Mark(byte),
        };
        tokens.push((number, token));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(source: &str) -> String {
        let text = format!(
            "# 1 \"k.cu\"\n# 1 \"h.cuh\" 1\nextern \"C\" void of_header() {{ }}\n# 2 \"k.cu\" 2\n{source}\n"
        );
        warning(text.as_bytes(), "k.cu")
    }

    #[test]
    fn functions_that_others_could_call_are_named() {
        let found = of(
            "static __attribute__((global)) void k(int *p) { *p = 1; }\n\
                        extern \"C\" void run(int *p, void *s)\n{ k<<<1, 128, 0, (cudaStream_t)s>>>(p); }\n\
                        namespace n { int launch(int *p) { if (p) { k<<<1, 1>>>(p); } return 1'000; } }\n\
                        extern \"C\" {\n__attribute__((visibility(\"default\"))) int plain(void) { return '}'; }\n}\n",
        );
        assert_eq!(found, "k.cu(3): warning #host-code: run, launch, plain\n");
    }

    #[test]
    fn all_else_is_passed_over() {
        for source in [
            "extern \"C\" __attribute__((global)) void k(int *p) { *p = 1; }",
            "extern \"C\" __attribute__((device)) int f() { return 1; }",
            "extern \"C\" { __attribute__((global)) void k() { } __attribute__((host)) __attribute__((device)) int f() { return 1; } }",
            "extern \"C\" int declared(int);",
            "extern \"C\" int variable; int of_cpp(int x) { return x; }",
            "static void own(int *p) { k<<<1, 1>>>(p); }",
            "template <class T> void launch(T *p) { k<T><<<1, 1>>>(p); }",
            "struct S { void member() { k<<<1, 1>>>(); } };",
            "int table[2] = { f(1), 2 }; auto l = [](int x) { return x; };",
            "const char *text = \"extern \\\"C\\\" void f() { }\";",
            "}}}} extern \"C\" {{{{",
            "",
        ] {
            assert_eq!(of(source), "", "{source}");
        }
    }
}
