//! Arguments of nvcc as words: which are options, which take a value from the next word, and which cannot be given.
//!
//! `cubin.toml` and the build script are held to the same rules; each says in its own words what was wrong.

use crate::lists::{AddAll, CollectVec};

/// Why an argument cannot be given as it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// It names a target.
    Target,
    /// It says what is made, or where.
    Output,
    /// It makes relocatable code.
    Relocatable,
    /// It makes code for the linker's optimiser.
    LinkTime,
    /// It names a file of flags.
    File,
    /// It makes nvcc do something other than compile.
    Nothing,
    /// It is several arguments, with blanks between.
    Several(Vec<String>),
    /// It names the C++ standard, for which `cubin.toml` has a key.
    Standard(Option<String>),
    /// It asks for source lines, for which `cubin.toml` has a key.
    Lines,
}

impl Refusal {
    /// Why a build script cannot give the argument, and what to do instead; `None` where it can.
    pub(super) fn in_script(&self) -> Option<String> {
        let text = match self {
            Self::Target => {
                "targets are chosen with `Builder::arch` or `[build] arch` in cubin.toml"
            }
            Self::Output => "cubin-build itself chooses what is made and where",
            Self::Relocatable => {
                "relocatable code must be linked: name the sources under [[link]] in cubin.toml, or with `Builder::link`"
            }
            Self::LinkTime => "link-time optimization is not supported",
            Self::File => "a change of that file would not be seen; write its flags out",
            Self::Nothing => "it makes nvcc do something other than compile",
            Self::Several(words) => {
                return Some(format!(
                    "nvcc takes it for one argument, blanks included; give each by itself: {}",
                    listed(words)
                ));
            }
            Self::Standard(_) | Self::Lines => return None,
        };
        Some(text.to_owned())
    }
}

/// Words as texts of TOML and of Rust.
pub(crate) fn listed(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect_vec();
    words.join(", ")
}

/// Options that are refused, without dashes, and why.
const REFUSED: &[(&str, Refusal)] = &[
    ("arch", Refusal::Target),
    ("gpu-architecture", Refusal::Target),
    ("code", Refusal::Target),
    ("gpu-code", Refusal::Target),
    ("gencode", Refusal::Target),
    ("generate-code", Refusal::Target),
    ("o", Refusal::Output),
    ("output-file", Refusal::Output),
    ("odir", Refusal::Output),
    ("output-directory", Refusal::Output),
    ("keep", Refusal::Output),
    ("k", Refusal::Output),
    ("keep-dir", Refusal::Output),
    ("save-temps", Refusal::Output),
    ("cubin", Refusal::Output),
    ("ptx", Refusal::Output),
    ("fatbin", Refusal::Output),
    ("optix-ir", Refusal::Output),
    ("ltoir", Refusal::Output),
    ("cuda", Refusal::Output),
    ("c", Refusal::Output),
    ("compile", Refusal::Output),
    ("E", Refusal::Output),
    ("preprocess", Refusal::Output),
    ("M", Refusal::Output),
    ("MM", Refusal::Output),
    ("MD", Refusal::Output),
    ("MMD", Refusal::Output),
    ("MF", Refusal::Output),
    ("generate-dependencies", Refusal::Output),
    ("generate-nonsystem-dependencies", Refusal::Output),
    ("generate-dependencies-with-compile", Refusal::Output),
    (
        "generate-nonsystem-dependencies-with-compile",
        Refusal::Output,
    ),
    ("dependency-output", Refusal::Output),
    ("lib", Refusal::Output),
    ("link", Refusal::Output),
    ("dlink", Refusal::Output),
    ("device-link", Refusal::Output),
    ("x", Refusal::Output),
    ("dc", Refusal::Relocatable),
    ("device-c", Refusal::Relocatable),
    ("dw", Refusal::Relocatable),
    ("device-w", Refusal::Relocatable),
    ("dlto", Refusal::LinkTime),
    ("optf", Refusal::File),
    ("options-file", Refusal::File),
    ("run", Refusal::Nothing),
    ("dryrun", Refusal::Nothing),
    ("n", Refusal::Nothing),
    ("h", Refusal::Nothing),
    ("help", Refusal::Nothing),
    ("V", Refusal::Nothing),
    ("version", Refusal::Nothing),
    ("clean", Refusal::Nothing),
    ("clean-targets", Refusal::Nothing),
    ("list-gpu-code", Refusal::Nothing),
    ("list-gpu-arch", Refusal::Nothing),
];

/// The arguments that cannot be given, by position.
pub(crate) fn refused(flags: &[String]) -> Vec<(usize, Refusal)> {
    let mut found = Vec::new();
    let mut words = flags.iter().enumerate().peekable();
    while let Some((index, word)) = words.next() {
        let Some((name, value)) = split(word) else {
            continue;
        };
        if let Some(several) = several(word) {
            found.push((index, Refusal::Several(several)));
            continue;
        }
        if takes_next_word(name) && value.is_none() {
            // The next word belongs to this one, whatever it looks like.
            words.next();
            continue;
        }
        let next = || words.peek().map(|(_, word)| word.as_str());
        let refusal = match name {
            "rdc" | "relocatable-device-code" => {
                let relocatable = value.or_else(next) == Some("true");
                relocatable.then_some(Refusal::Relocatable)
            }
            "std" => Some(Refusal::Standard(value.or_else(next).map(str::to_owned))),
            "lineinfo" | "generate-line-info" => Some(Refusal::Lines),
            _ => {
                let mut known = REFUSED.iter();
                let known = known.find(|(refused, _)| *refused == name);
                known.map(|(_, why)| why.clone())
            }
        };
        found.add_all(refusal.map(|refusal| (index, refusal)));
    }
    found
}

/// The arguments that a text holds, where it holds several with blanks between: `-O3 --use_fast_math`. Blanks may also
/// belong to the value of one (`-DTEXT=a b`, `-Xptxas=-v -O1`, anything with quotes).
fn several(text: &str) -> Option<Vec<String>> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let rest: Vec<&str> = words.collect_vec();
    if rest.is_empty() || text.contains(['"', '\'']) {
        return None;
    }
    let (name, value) = split(first)?;
    let is_option = |word: &&str| word.starts_with('-') && word.len() > 1;
    let glued = first.len() > 2
        && ["-D", "-U", "-I", "-L"]
            .iter()
            .any(|flag| first.starts_with(flag));
    let has_value = value.is_some() || glued;
    if has_value && (passes_on(name) || !rest.iter().any(is_option)) {
        return None;
    }
    let mut found = vec![first.to_owned()];
    for word in rest {
        match found.last_mut() {
            Some(last) if last.contains('=') && !is_option(&word) => {
                last.push(' ');
                last.push_str(word);
            }
            _ => found.push(word.to_owned()),
        }
    }
    Some(found)
}

/// `--name=value`, `-name=value`, `-name`: the name and the value, when the word is an option.
pub(super) fn split(word: &str) -> Option<(&str, Option<&str>)> {
    let name = word.strip_prefix("--").or_else(|| word.strip_prefix('-'))?;
    Some(match name.split_once('=') {
        Some((name, value)) => (name, Some(value)),
        None => (name, None),
    })
}

/// Options whose value, when it stands in the next word, may look like an option itself.
fn takes_next_word(name: &str) -> bool {
    passes_on(name)
        || matches!(
            name,
            "D" | "define-macro" | "U" | "undefine-macro" | "ccbin" | "compiler-bindir"
        )
        || is_include_option(name)
}

fn is_include_option(name: &str) -> bool {
    matches!(
        name,
        "I" | "include-path" | "isystem" | "system-include" | "include" | "pre-include"
    )
}

/// Values of an option among raw flags, in any of its spellings.
pub(super) fn values<'a>(flags: &'a [String], names: &[&str]) -> Vec<&'a str> {
    let mut found = Vec::new();
    let mut words = flags.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let Some((name, value)) = split(word) else {
            continue;
        };
        if names.contains(&name) {
            found.add_all(value.or_else(|| words.next()));
        } else if let Some(glued) = word.strip_prefix("-I").filter(|_| names.contains(&"I")) {
            found.push(glued);
        } else if value.is_none() && takes_next_word(name) {
            words.next();
        }
    }
    found
}

/// Options whose value is for another program.
fn passes_on(name: &str) -> bool {
    matches!(
        name,
        "Xptxas"
            | "ptxas-options"
            | "Xcompiler"
            | "compiler-options"
            | "Xcudafe"
            | "cudafe-options"
            | "Xnvlink"
            | "nvlink-options"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_between_arguments_are_told_from_those_in_one() {
        for (text, words) in [
            ("-O3 --use_fast_math", Some(vec!["-O3", "--use_fast_math"])),
            ("-Xptxas -v", Some(vec!["-Xptxas", "-v"])),
            ("--maxrregcount 64", Some(vec!["--maxrregcount", "64"])),
            ("-DA=1 -DB=2", Some(vec!["-DA=1", "-DB=2"])),
            ("-DA=a b -G", Some(vec!["-DA=a b", "-G"])),
            (" -G  -lineinfo ", Some(vec!["-G", "-lineinfo"])),
            ("-DTEXT=a b", None),
            ("-DMINUS=a - b", None),
            ("-DF(x)=x -y", Some(vec!["-DF(x)=x", "-y"])),
            ("-DTEXT=\"a -b\"", None),
            ("-Xptxas=-v -O1", None),
            ("-Idir with blank", None),
            ("-I dir", Some(vec!["-I", "dir"])),
            ("-G", None),
            ("a b", None),
            ("", None),
        ] {
            let words = words.map(|words| words.into_iter().map(str::to_owned).collect());
            assert_eq!(several(text), words, "{text}");
        }
    }

    #[test]
    fn what_belongs_to_an_option_is_not_one() {
        let flags = |words: &[&str]| -> Vec<String> { words.iter().map(|w| (*w).into()).collect() };
        assert_eq!(
            refused(&flags(&["-Xptxas", "-c", "-rdc=false", "-Xcompiler", "-o"])),
            []
        );
        let standard = Refusal::Standard(Some("c++20".to_owned()));
        assert_eq!(
            refused(&flags(&["-G", "-std", "c++20", "-c", "--arch=sm_90"])),
            [(1, standard), (3, Refusal::Output), (4, Refusal::Target)]
        );
    }
}
