//! Names to try: words that Rust, its lints, the generated file or the C++ front end have for something else, and what is
//! near them.

use std::collections::BTreeSet;

/// A generator of numbers, the same for the same seed.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// From 0 to `below` - 1.
    pub(crate) fn below(&mut self, below: usize) -> usize {
        usize::try_from(self.next() % (below as u64)).expect("a small number")
    }

    /// Once in `times`.
    pub(crate) fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'w>(&mut self, words: &'w [String]) -> &'w String {
        &words[self.below(words.len())]
    }
}

/// Words of Rust and of generics that a generated file makes up itself.
const WORDS: &[&str] = &[
    "abstract",
    "as",
    "async",
    "await",
    "become",
    "box",
    "break",
    "const",
    "continue",
    "crate",
    "do",
    "dyn",
    "else",
    "enum",
    "extern",
    "false",
    "final",
    "fn",
    "for",
    "gen",
    "if",
    "impl",
    "in",
    "let",
    "loop",
    "macro",
    "match",
    "mod",
    "move",
    "mut",
    "override",
    "priv",
    "pub",
    "ref",
    "return",
    "self",
    "Self",
    "static",
    "struct",
    "super",
    "trait",
    "true",
    "try",
    "type",
    "typeof",
    "unsafe",
    "unsized",
    "use",
    "virtual",
    "where",
    "while",
    "yield",
    "_",
    "union",
    "auto",
    "raw",
    "macro_rules",
    "dead_code",
    "T",
    "N",
    "A",
    "B",
    "C",
    "P0",
    "P1",
    "p0",
    "p1",
    "set_x",
    "x",
    "padding",
    "padding_1",
    "bits_at_0",
    "anonymous1",
    "i8",
    "i128",
    "usize",
    "f16",
    "f128",
    "str",
    "String",
    "Vec",
    "Box",
    "Option",
    "Result",
    "None",
    "Some",
    "Ok",
    "Err",
    "Rc",
    "Arc",
    "Iterator",
    "Eq",
    "Hash",
    "k_i32",
    "k_f32",
    "k",
    "_u00f6",
    "_1",
    "o_0",
];

/// What the recorded files define, which is all that the generator writes: its own identifiers.
fn own() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for text in [
        include_str!("../../golden/codegen/both.rs"),
        include_str!("../../golden/codegen/core.rs"),
    ] {
        let code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        for line in code {
            let mut words = line.split(|c: char| c != '_' && !c.is_ascii_alphanumeric());
            while let Some(word) = words.next() {
                if DEFINING.contains(&word) {
                    found.extend(words.next().map(str::to_owned));
                }
            }
        }
    }
    found.retain(|word| word.len() < 24 && !word.is_empty());
    found
}

/// Words before what is defined.
const DEFINING: &[&str] = &[
    "as", "const", "enum", "fn", "let", "mod", "mut", "static", "struct", "trait", "type", "union",
    "use",
];

/// Groups of names that are near each other: in each case, with `_` in front and behind.
pub(crate) fn families() -> Vec<Vec<String>> {
    let mut words = own();
    words.extend(WORDS.iter().map(|word| (*word).to_owned()));
    let mut all = Vec::new();
    for word in words {
        let mut camel = String::new();
        for part in word.split('_').filter(|part| !part.is_empty()) {
            camel.push_str(&part[..1].to_uppercase());
            camel.push_str(&part[1..]);
        }
        let mut family = BTreeSet::new();
        for near in [word.to_lowercase(), word.to_uppercase(), camel, word] {
            if !near.is_empty() && !near.starts_with(|c: char| c.is_ascii_digit()) {
                family.extend([
                    format!("{near}_"),
                    format!("{near}__"),
                    format!("_{near}"),
                    near,
                ]);
            }
        }
        all.push(family.into_iter().collect());
    }
    all
}

/// The names of one source: a few, so that many meet.
pub(crate) fn vocabulary(dice: &mut Dice, families: &[Vec<String>]) -> Vec<String> {
    let mut words = Vec::new();
    for _ in 0..4 {
        let family = &families[dice.below(families.len())];
        for _ in 0..3 {
            words.push(dice.pick(family).clone());
        }
    }
    words
}

/// What may stand in a file's name beside letters.
const ODD: &[&str] = &[
    "-",
    ".",
    " ",
    "+",
    "'",
    "\"",
    "\\",
    "`",
    "$",
    "%",
    "{",
    "}",
    "*/",
    "//",
    "#",
    ";",
    "\n",
    "\r",
    "\t",
    "\u{1b}[31m",
    "\u{7}",
    "\u{202e}",
    "\u{2066}",
    "\u{200f}",
    "\u{feff}",
    "\u{301}",
    "\u{212a}",
    "\u{212b}",
    "Ⓐ",
    "ª",
    "µ",
    "ſ",
    "²",
    "½",
    "ö",
    "ß",
    "İ",
    "имя",
    "שם",
    "名",
    "か",
    "한",
    "\u{fffd}",
    "😀",
    "_",
    "(",
    ")",
    "&",
    "::",
];

/// Stems of files.
pub(crate) fn stem(dice: &mut Dice, words: &[String]) -> String {
    let mut stem = dice.pick(words).clone();
    while dice.once_in(2) {
        let odd = ODD[dice.below(ODD.len())];
        if dice.once_in(2) {
            stem.insert_str(0, odd);
        } else {
            stem.push_str(odd);
        }
    }
    stem
}
